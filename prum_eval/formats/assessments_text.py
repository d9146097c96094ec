"""Judgements as lines: TREC qrels with 4 columns, INEX passages (2007-2010) with 5 or more."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np

from prum_eval.errors import InputError, Problems
from prum_eval.formats.columns import BlankLines, Vocabulary, joined, line_blocks
from prum_eval.formats.records import FlatTopic, IntArray, Kind, PassageTopic
from prum_eval.formats.run_columns import decoded, repeats
from prum_eval.formats.values import LARGEST, expected, integer, integers, shown

_TREC = 4
_INEX = 5
_GRADE = 3
_RELEVANT, _LENGTH, _BEP, _PASSAGES = 3, 4, 5, 6

Row = list[bytes]


@dataclass(slots=True)
class _Columns:
    """Judgements as they were read; the numbers are grades, or relevant, length, BEP and count of passages."""

    topics: Vocabulary = field(default_factory=Vocabulary)
    documents: Vocabulary = field(default_factory=Vocabulary)
    topic: list[IntArray] = field(default_factory=list)
    document: list[IntArray] = field(default_factory=list)
    line: list[IntArray] = field(default_factory=list)
    numbers: list[IntArray] = field(default_factory=list)
    passages: list[IntArray] = field(default_factory=list)


def read_judgement_lines(
    stream: BinaryIO, name: str, problems: Problems
) -> tuple[Kind, dict[str, FlatTopic] | dict[str, PassageTopic]]:
    """Read TREC qrels or INEX passages; the first line decides which.

    Every bad line is reported and left out.
    """
    kind: Kind | None = None
    columns = _Columns()
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
    return _topics(kind or Kind.FLAT, columns, name, problems)


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


def _take(columns: _Columns, rows: list[Row], lines: list[int], kind: Kind | None) -> None:
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


def _topics(
    kind: Kind, columns: _Columns, name: str, problems: Problems
) -> tuple[Kind, dict[str, FlatTopic] | dict[str, PassageTopic]]:
    topic, document, line = joined(columns.topic), joined(columns.document), joined(columns.line)
    topics = decoded(columns.topics, "topic", lambda code: int(line[topic == code][0]), name, problems)
    documents = decoded(columns.documents, "document", lambda code: int(line[document == code][0]), name, problems)
    kept = np.ones(len(line), dtype=bool)
    for row, before in repeats([topic, document]):
        what = f"document {shown(documents[document[row]])} is judged twice in topic {shown(topics[topic[row]])}"
        problems(InputError(name, int(line[row]), f"{what} (first on line {line[before]})"))
        kept[row] = False
    order = np.argsort(topic, kind="stable")
    order = order[kept[order]]
    parts = np.split(order, np.searchsorted(topic[order], np.arange(1, len(topics)))) if topics else []
    if kind is Kind.FLAT:
        grades = joined(columns.numbers)
        return kind, {
            topic_name: FlatTopic(name, _names(documents, document[rows]), grades[rows], line[rows])
            for topic_name, rows in zip(topics, parts, strict=True)
        }
    numbers = np.concatenate(columns.numbers, axis=1) if columns.numbers else np.empty((4, 0), dtype=np.int64)
    passages = np.concatenate(columns.passages) if columns.passages else np.empty((0, 2), dtype=np.int64)
    return kind, {
        topic_name: _passage_topic(name, _names(documents, document[rows]), rows, numbers, passages, line)
        for topic_name, rows in zip(topics, parts, strict=True)
    }


def _names(documents: tuple[str, ...], codes: IntArray) -> tuple[str, ...]:
    return tuple(documents[code] for code in codes)


def _passage_topic(
    name: str, documents: tuple[str, ...], rows: IntArray, numbers: IntArray, passages: IntArray, line: IntArray
) -> PassageTopic:
    relevant, length, bep, counts = numbers
    begin = np.cumsum(counts) - counts  # first passage of each line
    bounds = np.concatenate(([0], np.cumsum(counts[rows]))).astype(np.int64)
    # Row k of the result is passage `begin` of its line plus its place among the passages of that line.
    picked = np.repeat(begin[rows] - bounds[:-1], counts[rows]) + np.arange(bounds[-1])
    return PassageTopic(
        path=name,
        documents=documents,
        relevant=relevant[rows],
        lengths=length[rows],
        bep=bep[rows],
        bounds=bounds,
        start=passages[picked, 0],
        length=passages[picked, 1],
        lines=line[rows],
    )
