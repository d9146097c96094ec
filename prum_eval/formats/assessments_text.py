"""Judgements as lines: TREC qrels with 4 columns, INEX passages (2007-2010) with 5 or more."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.errors import InputError, Problems
from prum_eval.formats.columns import BlankLines, line_blocks
from prum_eval.formats.judgement_columns import JudgementColumns, topics_of
from prum_eval.formats.records import FlatTopic, Kind, PassageTopic
from prum_eval.formats.values import LARGEST, expected, integer, integers, shown

_TREC = 4
_INEX = 5
_GRADE = 3
_RELEVANT, _LENGTH, _BEP, _PASSAGES = 3, 4, 5, 6

Row = list[bytes]


def read_judgement_lines(
    stream: BinaryIO, name: str, problems: Problems
) -> tuple[Kind, dict[str, FlatTopic] | dict[str, PassageTopic]]:
    """Read TREC qrels or INEX passages; the first line decides which.

    Every bad line is reported and left out.
    """
    kind: Kind | None = None
    columns = JudgementColumns()
    blanks = BlankLines(name, problems, "a judgement")
    for block in line_blocks(stream, name, problems):
        rows: list[Row] = []
        lines: list[int] = []
        for line, text in block.numbered():
            if blanks.skip(line, text):
                continue
            row = text.split()
            if kind is None:
                kind = _kind(row)
            reason = _reason(row, kind)
            if reason is None:
                rows.append(row)
                lines.append(line)
            else:
                problems(InputError(name, line, reason))
        if rows:
            _take(columns, rows, lines, kind)
    return topics_of(kind or Kind.FLAT, columns, name, problems)


def _kind(row: Row) -> Kind | None:
    if len(row) == _TREC:
        return Kind.FLAT
    return Kind.PASSAGES if len(row) >= _INEX else None


def _reason(row: Row, kind: Kind | None) -> str | None:
    """What is wrong with one line, None where nothing is."""
    if kind is None:
        return f"expected 4 columns (TREC) or 5 and more (INEX), found {len(row)}"
    if kind is Kind.FLAT:
        if len(row) != _TREC:
            return f"expected 4 columns as in the lines before, found {len(row)}"
        return None if integer(row[_GRADE]) is not None else expected("relevance", "an integer", row[_GRADE])
    if len(row) < _INEX:
        return f"expected 5 or more columns as in the lines before, found {len(row)}"
    return _passage_reason(row)


def _passage_reason(row: Row) -> str | None:
    relevant, length = integer(row[_RELEVANT]), integer(row[_LENGTH])
    if relevant is None or relevant < 0:
        return expected("relevant characters", "an integer, 0 or more", row[_RELEVANT])
    if length is None or length < 0:
        return expected("document length", "an integer, 0 or more", row[_LENGTH])
    if relevant > length:
        return expected("relevant characters", f"at most the document length {length}", row[_RELEVANT])
    if len(row) <= _PASSAGES:
        return None  # the sixth column counts only where passages follow
    return _highlight_reason(row[_BEP], row[_PASSAGES:])


def _highlight_reason(bep: bytes, passages: Row) -> str | None:
    entry = integer(bep)
    if entry is None or entry < -1:
        return expected("best entry point", "an offset, or -1 for none", bep)
    for cell in passages:
        offset, colon, size = cell.partition(b":")
        start, count = integer(offset), integer(size)
        if not colon or start is None or count is None or start < 0 or count < 0:
            return expected("passage", "offset:length, both 0 or more", cell)
        if start > LARGEST - count:
            return f"passage {shown(cell)} ends past the largest number of 64 bits"
    return None


def _take(columns: JudgementColumns, rows: list[Row], lines: list[int], kind: Kind | None) -> None:
    columns.topic.append(columns.topics.codes([row[0] for row in rows]))
    columns.document.append(columns.documents.codes([row[2] for row in rows]))
    columns.line.append(np.array(lines, dtype=np.int64))
    if kind is Kind.FLAT:
        columns.numbers.append(_numbers([row[_GRADE] for row in rows]))
        return
    beps = [row[_BEP] if len(row) > _PASSAGES else b"-1" for row in rows]
    counts = [max(0, len(row) - _PASSAGES) for row in rows]
    numbers = [[row[_RELEVANT] for row in rows], [row[_LENGTH] for row in rows], beps]
    columns.numbers.append(np.array([*map(_numbers, numbers), counts], dtype=np.int64))
    passages = [part for row in rows for cell in row[_PASSAGES:] for part in cell.split(b":")]
    columns.passages.append(_numbers(passages).reshape(-1, 2))


def _numbers(cells: list[bytes]) -> IntArray:
    numbers = integers(cells)
    if numbers is None:  # every cell was checked before
        raise AssertionError(cells)
    return numbers
