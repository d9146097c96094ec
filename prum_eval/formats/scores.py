"""Values by topic, as this program and others print them: three columns, CSV, JSON.

Three columns are those of trec_eval: measure, topic, value; the ``runid`` line names the run, and other lines of the
topic ``all`` are skipped. CSV has a header with the columns topic, measure, value and, for several runs, run. JSON is
that of ``eval -f json``. Averages are never read; callers compute them from the topics.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prum_eval.errors import InputError
from prum_eval.text.json_lines import json_document
from prum_eval.text.numbers import parse_decimal, quote_value
from prum_eval.text.streams import display_name, open_input, read_all_text

_ALL = "all"
SCORE_COLUMNS = ("topic", "measure", "value")
MAX_VALUE = 1e300
FORMULA_PREFIXES = (*"=+-@", "\t", "\r", *"\uff1d\uff0b\uff0d\uff20")
"""First characters of CSV cells that a spreadsheet executes; full-width signs too. Our CSV puts a ' before them."""


@dataclass(frozen=True)
class Scores:
    """The values of a run by topic and measure; None if a topic has no value.

    `truncated`: by measure, the topics whose lists end before its cut-off or budget, or only their number.
    """

    run_id: str
    path: str
    topics: Mapping[str, Mapping[str, float | None]]
    truncated: Mapping[str, Sequence[str] | int] | None = None


def read_scores(path: str) -> list[Scores]:
    """Read the runs of a file, in its order; ``-`` is standard input, compression is recognised.

    Raises:
        InputError: the file cannot be read, a line is malformed, a value is repeated, or no topic has a value.
    """
    name = display_name(path)
    with open_input(path) as stream:
        text = read_all_text(stream, name)
    if not text.strip():
        raise InputError(name, 1, "the file is empty")
    if text.lstrip().startswith("{"):
        runs = _from_json(text, name)
    else:
        is_csv = "," in text.partition("\n")[0]
        runs = _collect_scores(name, _from_csv(text, name) if is_csv else _from_lines(text, name))
    runs = [run for run in runs if run.topics]
    if not runs:
        raise InputError(name, None, "no values of topics, only averages; write them with -q")
    return runs


def _collect_scores(name: str, cells: Iterator[tuple[int, str | int, str, str, str]]) -> list[Scores]:
    """The runs of (line, key of the run, topic, measure, text of the value)."""
    runs: dict[str | int, dict[str, dict[str, float | None]]] = {}
    ids: dict[str | int, str] = {}
    for line, key, topic, measure, text in cells:
        topics = runs.setdefault(key, {})
        if measure == "runid":
            ids[key] = text
        elif topic != _ALL:
            values = topics.setdefault(topic, {})
            if measure in values:
                raise InputError(name, line, f"{measure} of topic {topic} is given twice")
            values[measure] = _value(text, measure, name, line)
    stem = name if name.startswith("<") else Path(name).stem
    return [
        Scores(ids.get(key, key if isinstance(key, str) and key else stem), name, topics)
        for key, topics in runs.items()
    ]


def _value(text: str, measure: str, name: str, line: int) -> float | None:
    if text in ("", "nan", "NaN", "null"):
        return None
    value = parse_decimal(text.encode())
    if value is None:
        raise InputError(name, line, f"value {quote_value(text)} of {measure} is not a number")
    return _checked_size(value, measure, name, line)


def _checked_size(value: float, measure: str, name: str, line: int | None) -> float:
    """The value; larger ones have sums and differences that are no numbers."""
    if abs(value) > MAX_VALUE:
        what = f"value {value} of {measure} is beyond {MAX_VALUE:g}, the largest that is compared"
        raise InputError(name, line, what)
    return value


def _from_lines(text: str, name: str) -> Iterator[tuple[int, str | int, str, str, str]]:
    block, begun, ended = 0, False, False
    for line, content in enumerate(io.StringIO(text), 1):
        cells = content.split()
        if len(cells) != 3:
            raise InputError(name, line, f"expected 3 columns (measure, topic, value), found {len(cells)}")
        measure, topic, value = cells
        if topic != _ALL:
            block += ended  # the averages after its topics end a run
            begun, ended = True, False
        else:
            ended = begun
        yield line, block, topic, measure, value


def _from_csv(text: str, name: str) -> Iterator[tuple[int, str | int, str, str, str]]:
    rows = csv.reader(io.StringIO(text), strict=True)
    try:
        header = next(rows)
        missing = [column for column in SCORE_COLUMNS if column not in header]
        if missing:
            raise InputError(name, 1, f"no column {' or '.join(missing)} in the header of the CSV")
        place = {column: header.index(column) for column in ("run", *SCORE_COLUMNS) if column in header}
        for row in rows:
            if len(row) != len(header):
                raise InputError(name, rows.line_num, f"expected {len(header)} columns, found {len(row)}")
            run, *cells = (
                _strip_formula_quote(row[place[column]]) if column in place else ""
                for column in ("run", *SCORE_COLUMNS)
            )
            yield rows.line_num, run, *cells  # type: ignore[misc]
    except csv.Error as error:
        raise InputError(name, rows.line_num, f"no CSV: {error}") from error


def _strip_formula_quote(cell: str) -> str:
    """A cell without the quote that keeps spreadsheets from executing it."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA_PREFIXES) else cell


def _from_json(text: str, name: str) -> list[Scores]:
    content = json_document(text, name, nan=True)
    try:
        return [
            Scores(
                str(run["run_id"]),
                name,
                {topic: {m: _number(v, m, topic, name) for m, v in of.items()} for topic, of in run["topics"].items()},
                {m: n for m, n in run.get("truncated", {}).items() if isinstance(n, int)},
            )
            for run in content["runs"]
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(name, None, "not the JSON of eval -f json: no runs with run_id and topics") from error


def _number(value: Any, measure: str, topic: str, name: str) -> float | None:  # noqa: ANN401 - whatever JSON holds
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(name, None, f"value {quote_value(str(value))} of {measure} of topic {topic} is not a number")
    return _checked_size(float(value), measure, name, None)
