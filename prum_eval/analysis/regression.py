"""Regression against gold values: evaluate again what a gold file tells, and say what moved beyond a tolerance."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from numbers import Real
from typing import Any

from prum_eval.errors import DataError, InputError, UsageError
from prum_eval.evaluation.api import evaluate
from prum_eval.evaluation.notices.notice import Notice
from prum_eval.evaluation.results import Evaluation
from prum_eval.formats.values.gold import Gold, GoldRun, GoldValue, GoldValues, checksums, read_gold

_ALL = "all"
_STDIN = "-"
EFFORT = frozenset({"jobs", "cluster", "cache", "curves"})
"""Arguments of an evaluation that say how it is done and change no number: a gold file leaves them out."""
PATHS = ("structure", "navigation", "config")
"""Arguments that are paths, beside the assessments and the runs."""


class Absent(Enum):
    """A value that one side does not have at all; a topic that has no value of a measure has None."""

    ABSENT = "absent"


GoldCell = GoldValue | Absent


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a value may move: the larger of `absolute` and `relative` times the larger of the two magnitudes.

    The defaults allow what the rounding of another processor or library may do, and nothing that can be printed.
    """

    absolute: float = 1e-15
    relative: float = 1e-12

    def allows(self, gold: GoldCell, now: GoldCell) -> bool:
        """Whether a value may be `now` where it was `gold`."""
        if isinstance(gold, Absent) or isinstance(now, Absent) or gold is None or now is None:
            return gold is now
        return abs(now - gold) <= max(self.absolute, self.relative * max(abs(gold), abs(now)))


EXACT = Tolerance(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Moved:
    """One value that moved too far: of a topic, or of ``all`` topics."""

    topic: str
    measure: str
    gold: GoldCell
    now: GoldCell

    @property
    def difference(self) -> float | None:
        """How far, and which way; None where one side has no number."""
        numbers = [value for value in (self.gold, self.now) if value is not None and not isinstance(value, Absent)]
        return numbers[1] - numbers[0] if len(numbers) == 2 else None


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One run: its measures in the order of printing, the number of values compared, and what moved."""

    run_id: str
    path: str
    measures: tuple[str, ...]
    values: int
    moved: tuple[Moved, ...]


@dataclass(frozen=True, slots=True)
class GoldCheck:
    """What became of a gold file. `notes` name what else differs: the version, the inputs, the signature, a run's id.

    They fail nothing by themselves: they are where to look first when a value moved. `warnings` are those of the
    evaluation, sentences for the user.
    """

    runs: tuple[ComparedRun, ...]
    notes: tuple[str, ...]
    warnings: Sequence[Notice] = ()

    @property
    def moved(self) -> int:
        """Number of values that moved."""
        return sum(len(run.moved) for run in self.runs)

    @property
    def values(self) -> int:
        """Number of values that were compared."""
        return sum(run.values for run in self.runs)


def make_gold(assessments: str, runs: Sequence[str], options: Mapping[str, Any]) -> tuple[Gold, Evaluation]:
    """Evaluate, and put together what a gold file shall hold.

    Args:
        assessments: path of the assessments.
        runs: paths of the runs.
        options: the other arguments of `prum_eval.evaluate`; those left at their defaults are not written down.

    Raises:
        UsageError: standard input is among the inputs: it could not be read again.
        InputError, DataError: as `prum_eval.evaluate`.
    """
    defaults = {name: one.default for name, one in inspect.signature(evaluate).parameters.items()}
    given = {
        name: _plain(value)
        for name, value in options.items()
        if name not in EFFORT and value != defaults.get(name) and value not in ((), {})
    }
    arguments = {"assessments": assessments, "runs": list(runs), **given}
    paths = _paths(arguments)
    if _STDIN in paths:
        raise UsageError("a gold file names its inputs, so none can be - (standard input)")
    evaluation = evaluate(assessments, runs, **options)
    results = [GoldRun(run.run_id, run.path, run.topics, run.all) for run in evaluation.runs]
    if "config" in arguments and "structure" not in arguments and evaluation.parameters["structure"] != "assessments":
        paths.append(evaluation.parameters["structure"])  # the configuration file names it
    sums = checksums(paths)
    return Gold(evaluation.version, evaluation.signature, arguments, sums, evaluation.parameters, results), evaluation


def _plain(value: Any) -> Any:  # noqa: ANN401 - any value that JSON can hold
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value


def _paths(arguments: Mapping[str, Any]) -> list[str]:
    more = [arguments[name] for name in PATHS if arguments.get(name) is not None]
    return [arguments["assessments"], *arguments["runs"], *more]


def check_gold(path: str, directory: str = "", tolerance: Tolerance | None = None) -> GoldCheck:
    """Evaluate again what a gold file tells, and say what moved.

    Args:
        path: the gold file.
        directory: where relative paths in it lead on from.
        tolerance: how far values may move.

    Raises:
        InputError, DataError: as `read_gold`, `evaluate_again`, `compare_with_gold`.
    """
    gold = read_gold(path)
    return compare_with_gold(gold, evaluate_again(gold, path, directory), directory, tolerance)


def evaluate_again(gold: Gold, name: str, directory: str = "") -> Evaluation:
    """The evaluation that a gold file tells, with relative paths leading on from `directory`.

    Raises:
        InputError: an argument that this version does not know or cannot take; else as `prum_eval.evaluate`.
    """
    known = inspect.signature(evaluate).parameters
    for key, value in gold.arguments.items():
        if key not in known:
            raise InputError(name, None, f"arguments.{key}: this version of prum-eval knows no such argument")
        if not _fits(key, value):
            raise InputError(name, None, f"arguments.{key}: {value!r} is no value of it")
    arguments = dict(gold.arguments)
    for key in ("assessments", *PATHS):
        if key in arguments:
            arguments[key] = os.path.join(directory, arguments[key])  # noqa: PTH118 - paths stay as given
    arguments["runs"] = [os.path.join(directory, run) for run in gold.arguments["runs"]]  # noqa: PTH118
    try:
        return evaluate(**arguments)
    except UsageError as error:  # not of this command, but of the one whose options the file holds
        raise DataError(f"{name}: {error}") from error


_KINDS = {
    "complete": bool,
    "limit": int,
    "collection_size": int,
    "tokens": Real,
    "settings": dict,
    "runs": list,
    "measures": list,
}


def _fits(key: str, value: object) -> bool:
    """Whether a value read from a file is of the type that the argument has; all that are not listed are texts."""
    if not isinstance(value, _KINDS.get(key, str)) or (isinstance(value, bool) and _KINDS.get(key) is not bool):
        return False
    inner = list(value) if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    return all(isinstance(one, str) for one in inner)


def compare_with_gold(
    gold: Gold, now: Evaluation, directory: str = "", tolerance: Tolerance | None = None
) -> GoldCheck:
    """What moved between a gold file and an evaluation of the same call.

    Raises:
        InputError: an input cannot be read.
        DataError: the files of runs hold another number of them.
    """
    if len(gold.runs) != len(now.runs):  # files may hold several
        raise DataError(f"runs now: {len(now.runs)}, with gold values: {len(gold.runs)}")
    allowed = tolerance if tolerance is not None else Tolerance()
    runs = []
    for one, other in zip(gold.runs, now.runs, strict=True):
        cells = list(_cells(one, GoldRun(other.run_id, other.path, other.topics, other.all)))
        moved = tuple(cell for cell in cells if not allowed.allows(cell.gold, cell.now))
        runs.append(ComparedRun(one.run_id, one.path, tuple(_both(one.all, other.all)), len(cells), moved))
    return GoldCheck(tuple(runs), tuple(_notes(gold, now, directory)), now.warnings)


def _cells(gold: GoldRun, now: GoldRun) -> Iterator[Moved]:
    """Every value of either side, measure by measure: that of all topics first, then topic by topic."""
    nothing: GoldValues = {}
    topics = sorted({*gold.topics, *now.topics})
    pairs = [(gold.topics.get(topic, nothing), now.topics.get(topic, nothing)) for topic in topics]
    for measure in _both(gold.all, now.all):
        for topic, (was, becomes) in zip([_ALL, *topics], [(gold.all, now.all), *pairs], strict=True):
            if measure in was or measure in becomes:
                yield Moved(topic, measure, was.get(measure, Absent.ABSENT), becomes.get(measure, Absent.ABSENT))


def _both(gold: GoldValues, now: GoldValues) -> list[str]:
    """The names of both sides: in the order of now, then those that are gone."""
    return [*now, *(name for name in gold if name not in now)]


def _notes(gold: Gold, now: Evaluation, directory: str) -> Iterator[str]:
    if gold.version != now.version:
        yield f"prum-eval is {now.version}, the gold values are of {gold.version}"
    paths = _paths(gold.arguments)
    beside = [path for path in gold.inputs if not any(path == one or path.startswith(f"{one}/") for one in paths)]
    sums = checksums([*paths, *beside], directory)
    for path in sorted({*gold.inputs, *sums}):
        if path not in sums:
            yield f"input is gone: {path}"
        elif path not in gold.inputs:
            yield f"input is new: {path}"
        elif sums[path] != gold.inputs[path]:
            yield f"input changed: {path}"
    before, after = (text.split("|")[1:] for text in (gold.signature, now.signature))
    if before != after:
        yield f"signature lost: {'|'.join(part for part in before if part not in after) or 'nothing'}"
        yield f"signature gained: {'|'.join(part for part in after if part not in before) or 'nothing'}"
    for one, other in zip(gold.runs, now.runs, strict=True):
        if one.run_id != other.run_id:
            yield f"run {one.run_id} is called {other.run_id} now"
