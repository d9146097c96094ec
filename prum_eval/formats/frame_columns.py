"""DataFrames by columns: names as codes, numbers as arrays, passages as JSON Lines.

Functions return None for a table with anything unusual, which `prum_eval.formats.rows` then reads row by row, so that
errors name the row. Both make the same records; tests compare them.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.formats.flat import DocumentColumns
from prum_eval.formats.run_columns import used_names
from prum_eval.tabular import DataFrameLike

CONTROL_OR_BLANK = re.compile(r"[\x00-\x20\x7f]")
"""Characters that no name contains."""
TOPIC_COLUMNS = ("query_id", "qid", "topic")
DOCUMENT_COLUMNS = ("doc_id", "docno", "doc")
GRADE_COLUMNS = ("relevance", "label")
FIRST_INEXACT_INTEGER = 2**53
_SPAN_COLUMNS = ("start", "end", "length", "tokens")


@dataclass(slots=True, eq=False, repr=False)
class FrameColumns:
    """Names and numbers of a DataFrame; `numbers` has the columns that were asked for and are there."""

    places: DocumentColumns
    numbers: dict[str, FloatArray | IntArray]

    def select(self, rows: IntArray) -> FrameColumns:
        """Some rows, with the names that they use."""
        topics, topic, documents, document, line = self.places
        used_topics, topic = used_names(list(topics), topic[rows])
        used_documents, document = used_names(list(documents), document[rows])
        places = DocumentColumns(used_topics, topic, used_documents, document, line[rows])
        return FrameColumns(places, {key: column[rows] for key, column in self.numbers.items()})

    def json_lines(self, run_id: str) -> io.BytesIO:
        """The rows as JSON Lines of passages, one line per row."""
        cells: list[Iterable[object]] = []
        for names, codes in ((self.places.topics, self.places.topic), (self.places.documents, self.places.document)):
            quoted = [encode_basestring(name.decode()) for name in names]
            cells.append(map(quoted.__getitem__, codes.tolist()))
        cells += [column.tolist() for column in self.numbers.values()]
        keys = ("topic", "doc", *self.numbers)
        members = ", ".join(f'"{key}": %{"s" if number < 2 else "r"}' for number, key in enumerate(keys))
        constant = encode_basestring(run_id).replace("%", "%%")
        template = f'{{{members}, "run": {constant}}}\n'
        return io.BytesIO("".join(map(template.__mod__, zip(*cells, strict=True))).encode())


def run_columns(frame: DataFrameLike) -> FrameColumns | None:
    """The columns of a run: scores if there are some and, of passages, where they are and their tokens."""
    names = set(frame.columns)
    keys = [key for key in _SPAN_COLUMNS if key in names] if "start" in names else []
    whole = {key: _numbers(frame[key], "iu") for key in keys}
    scores = {"score": _numbers(frame["score"], "iuf")} if "score" in names else {}
    return _columns(frame, {**whole, **scores})


def run_parts(frame: DataFrameLike) -> Iterator[tuple[str, FrameColumns]] | None:
    """Name and columns of each run of a DataFrame with the column ``run``."""
    runs = _plain_values(frame["run"])
    columns = run_columns(frame)
    if columns is None or set(map(type, runs)) != {str}:
        return None
    code = {run: number for number, run in enumerate(dict.fromkeys(runs))}
    if not all(run and run.isprintable() for run in code):
        return None
    codes = np.fromiter(map(code.__getitem__, runs), dtype=np.int64, count=len(runs))
    return ((run, columns.select(np.flatnonzero(codes == number))) for run, number in code.items())


def grade_columns(frame: DataFrameLike) -> tuple[DocumentColumns, IntArray] | None:
    """The places and grades of graded documents."""
    names = set(frame.columns)
    key = next((key for key in GRADE_COLUMNS if key in names), None)
    if key is None or not names.isdisjoint(("spans", "start", "facet")):
        return None
    columns = _columns(frame, {"grade": _numbers(frame[key], "iuf")})
    if columns is None:
        return None
    grades = columns.numbers["grade"]
    if (grades != np.floor(grades)).any() or (abs(grades) >= FIRST_INEXACT_INTEGER).any():
        return None
    return columns.places, grades.astype(np.int64)


def are_plain_names(names: Sequence[Any]) -> bool:
    """Whether a file can hold all names."""
    if set(map(type, names)) != {str} or not all(names):
        return False
    joined = "".join(names)
    if joined.isascii():
        return joined.isprintable() and " " not in joined
    try:
        joined.encode()
    except UnicodeEncodeError:
        return False
    return CONTROL_OR_BLANK.search(joined) is None


def encode_names(names: Iterable[str]) -> list[bytes]:
    """Names without blanks as bytes."""
    return " ".join(names).encode().split(b" ")


def _columns(
    frame: DataFrameLike, numbers: dict[str, FloatArray | None] | dict[str, FloatArray | IntArray | None]
) -> FrameColumns | None:
    """Places and numbers; None if a name is unusual, or a number."""
    known = {key: column for key, column in numbers.items() if column is not None}
    if len(known) < len(numbers) or len(set(frame.columns)) < len(list(frame.columns)):
        return None
    topics, documents = _names(frame, TOPIC_COLUMNS), _names(frame, DOCUMENT_COLUMNS)
    if topics is None or documents is None:
        return None
    return FrameColumns(DocumentColumns(*topics, *documents, np.arange(1, len(topics[1]) + 1)), known)


def _names(frame: DataFrameLike, keys: Sequence[str]) -> tuple[list[bytes], IntArray] | None:
    """Distinct names of the first of these columns, and the code of each row; None if there is none, or a bad one."""
    key = next((key for key in keys if key in set(frame.columns)), None)
    if key is None:
        return None
    values = _plain_values(frame[key])
    types = set(map(type, values))
    if types not in ({str}, {int}):
        return None
    code = dict.fromkeys(values)
    names = list(map(str, code)) if types == {int} else list(code)
    if not are_plain_names(names):
        return None
    code = dict(zip(code, range(len(code)), strict=True))
    return encode_names(names), np.fromiter(map(code.__getitem__, values), dtype=np.int64, count=len(values))


def _plain_values(column: Any) -> list[Any]:  # noqa: ANN401 - a column of any library
    """The values of a column, numbers as Python's."""
    to_list = getattr(column, "to_list", getattr(column, "tolist", None))
    return list(column if to_list is None else to_list())


def _numbers(column: Any, kinds: str) -> Any:  # noqa: ANN401 - a column of any library; an array, or None
    """A column of finite numbers of numpy's kinds; None if it has anything else."""
    array = np.asarray(column)
    if array.dtype.kind not in kinds:
        return None
    if array.dtype.kind == "f":
        array = array.astype(np.float64)
        return array if np.isfinite(array).all() else None
    return array
