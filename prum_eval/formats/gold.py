"""Gold files: the inputs, options and values of an evaluation as one JSON document, and thresholds of averages."""

from __future__ import annotations

import hashlib
import json
import operator
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

from prum_eval.errors import InputError
from prum_eval.schemas import GOLD_LAYOUT
from prum_eval.text.json_lines import json_document
from prum_eval.text.streams import display_name, is_folder, open_input, read_all_text

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)"
_THRESHOLD = re.compile(rf"\s*(?P<measure>[^\s<>=][^\s<>]*?)\s*(?P<sign>>=|<=|>|<)\s*(?P<limit>{_NUMBER})\s*")
THRESHOLD_SYNTAX = "expected MEASURE >= NUMBER (or <=, >, <)"
"""Syntax of a threshold, for messages."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The least or largest average of a measure, by its printed name; `text` is the spelling."""

    text: str
    measure: str
    operator: str
    limit: float

    def is_met(self, value: float | None) -> bool:
        """Whether an average meets it; None does not."""
        return value is not None and _COMPARISONS[self.operator](value, self.limit)


def parse_threshold(text: str) -> Threshold | None:
    """The threshold in a text; None if it is none.

    >>> parse_threshold("map >= 0.30")
    Threshold(text='map >= 0.30', measure='map', operator='>=', limit=0.3)
    >>> parse_threshold("map")
    """
    match = _THRESHOLD.fullmatch(text)
    return None if match is None else Threshold(text.strip(), match["measure"], match["sign"], float(match["limit"]))


GOLD_FORMAT = 1
"""Version of the layout; others are refused."""
_CHUNK = 1 << 20
_LONGEST_SHOWN = 80

_KINDS = {"dict": "an object", "list": "a list", "str": "a text"}

GoldValue = float | int | None
GoldValues = Mapping[str, GoldValue]


@dataclass(frozen=True, slots=True)
class GoldRun:
    """One evaluated run: values by topic and printed name, and their averages."""

    run_id: str
    path: str
    topics: Mapping[str, GoldValues]
    all: GoldValues


@dataclass(frozen=True, slots=True)
class Gold:
    """Contents of a gold file.

    `arguments`: the arguments of `prum_eval.evaluate`, with unchanged paths. `inputs`: SHA-256 of every input file, by
    path. `parameters`, `signature`, `version`: those of the evaluation. `thresholds`: limits of the averages of every
    run, such as ``map >= 0.30``.
    """

    version: str
    signature: str
    arguments: Mapping[str, Any]
    inputs: Mapping[str, str]
    parameters: Mapping[str, Any]
    runs: Sequence[GoldRun]
    thresholds: tuple[Threshold, ...] = ()


def checksums(paths: Sequence[str], directory: str = "") -> dict[str, str]:
    """SHA-256 of the bytes of each file, compressed or not, by path; of a directory, of every file in it by name.

    Relative paths start at `directory`. Hidden files of a directory are ignored.

    Raises:
        InputError: a file cannot be read.
    """
    digests: dict[str, str] = {}
    for path in paths:
        for name in _files_of(path, directory):
            digests.setdefault(name, _sha256(os.path.join(directory, name)))  # noqa: PTH118 - keeps the spelling
    return digests


def _files_of(path: str, directory: str) -> Iterator[str]:
    start = Path(directory, path)
    if not is_folder(start):
        yield path
        return
    inside = (file.relative_to(start) for file in sorted(start.rglob("*")) if file.is_file())
    yield from (
        f"{path.rstrip('/')}/{file.as_posix()}"
        for file in inside
        if not any(part.startswith(".") for part in file.parts)
    )


def _sha256(path: str) -> str:
    digest = hashlib.sha256()
    try:
        with Path(path).open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno is not None else str(error)
        raise InputError(path, None, f"cannot be read: {reason}") from error
    return digest.hexdigest()


def format_gold(gold: Gold) -> str:
    """The gold file as text: JSON at full precision, indented for diffs."""
    data = {"schema": GOLD_LAYOUT, "gold": GOLD_FORMAT, **asdict(gold)}
    if not data.pop("thresholds"):
        return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    runs = data.pop("runs")  # thresholds, which people edit, come before thousands of values
    thresholds = [threshold.text for threshold in gold.thresholds]
    return json.dumps(data | {"thresholds": thresholds, "runs": runs}, ensure_ascii=False, indent=2) + "\n"


def read_gold(path: str) -> Gold:
    """Read a gold file.

    Raises:
        InputError: it cannot be read, is no gold file, or has an unknown layout.
    """
    name = display_name(path)
    with open_input(path) as stream:
        data = json_document(read_all_text(stream, name), name)
    if not isinstance(data, dict) or "gold" not in data:
        raise InputError(name, None, "no gold file (those are written by prum-eval gold write)")
    if data["gold"] != GOLD_FORMAT:
        reason = f"a gold file of layout {_shorten(data['gold'])}; this version reads layout {GOLD_FORMAT}"
        raise InputError(name, None, reason)
    return _GoldFileReader(name).gold(data)


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


@dataclass(frozen=True, slots=True)
class _GoldFileReader:
    """Checks the types in a gold file; an error names the key."""

    name: str

    def gold(self, data: Mapping[str, Any]) -> Gold:
        arguments = self.member(data, "arguments", dict, "")
        self.member(arguments, "assessments", str, "arguments.")
        self.texts(self.member(arguments, "runs", list, "arguments."), "arguments.runs")
        inputs = self.member(data, "inputs", dict, "")
        self.texts(list(inputs.values()), "inputs")
        runs = self.member(data, "runs", list, "")
        if len(runs) < len(arguments["runs"]):  # a file may hold several
            raise InputError(self.name, None, f"runs: expected one for each of arguments.runs, found {len(runs)}")
        return Gold(
            self.member(data, "version", str, ""),
            self.member(data, "signature", str, ""),
            arguments,
            inputs,
            self.member(data, "parameters", dict, ""),
            tuple(self.run(run, f"runs[{number}]") for number, run in enumerate(runs)),
            tuple(self.thresholds(data)) if "thresholds" in data else (),
        )

    def thresholds(self, data: Mapping[str, Any]) -> Iterator[Threshold]:
        texts = self.member(data, "thresholds", list, "")
        self.texts(texts, "thresholds")
        for number, text in enumerate(texts):
            threshold = parse_threshold(text)
            if threshold is None:
                raise InputError(self.name, None, f"thresholds[{number}]: {THRESHOLD_SYNTAX}, found {_shorten(text)}")
            yield threshold

    def run(self, data: object, where: str) -> GoldRun:
        topics = self.member(data, "topics", dict, f"{where}.")
        return GoldRun(
            self.member(data, "run_id", str, f"{where}."),
            self.member(data, "path", str, f"{where}."),
            {topic: self.values(values, f"{where}.topics.{topic}") for topic, values in topics.items()},
            self.values(self.member(data, "all", dict, f"{where}."), f"{where}.all"),
        )

    def values(self, data: object, where: str) -> GoldValues:
        if not isinstance(data, dict):
            self.raise_shape_error(where, "values by measure", data)
        for measure, value in data.items():
            if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
                self.raise_shape_error(f"{where}.{measure}", "a number or null", value)
        return data

    def texts(self, values: Sequence[object], where: str) -> None:
        for value in values:
            if not isinstance(value, str):
                self.raise_shape_error(where, "texts", value)

    def member(self, data: object, key: str, kind: type, where: str) -> Any:  # noqa: ANN401 - of type `kind`
        value = data.get(key) if isinstance(data, dict) else None
        if not isinstance(value, kind):
            self.raise_shape_error(where + key, _KINDS[kind.__name__], value)
        return value

    def raise_shape_error(self, where: str, expected: str, value: object) -> NoReturn:
        shown = "nothing" if value is None else _shorten(value)
        raise InputError(self.name, None, f"{where}: expected {expected}, found {shown}")
