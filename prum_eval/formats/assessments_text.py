"""Assessments as lines: TREC qrels with 4 columns, INEX passages (2007-2010) with 5 or more.

The first good line decides. Sound blocks of qrels are read by columns, everything else line by line, which reports bad
lines and leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from prum_eval.arrays import GrowingColumn, IntArray
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.formats.assessment_columns import AssessmentColumns, check_assessment_names, make_topics, passage_rows
from prum_eval.records import AssessmentKind, Assessments, FlatTopic, FlatTopics, PassageTopic
from prum_eval.text.lines import (
    BlankLines,
    FastTable,
    LineBlock,
    PlainTable,
    Vocabulary,
    fast_table,
    line_blocks,
    without_comments,
)
from prum_eval.text.names import NameColumn
from prum_eval.text.numbers import (
    MAX_OFFSET,
    PAST_MAX_OFFSET,
    expected_message,
    parse_integer,
    parse_integers,
    quote_value,
)
from prum_eval.text.streams import Contents, encode_lines

_TREC = 4
_INEX = 5
_TOPIC, _LABEL, _DOCUMENT, _GRADE = 0, 1, 2, 3
_RELEVANT, _LENGTH, _BEP, _PASSAGES = 3, 4, 5, 6

_Row = list[bytes]


def read_qrels_lines(
    stream: BinaryIO, name: str, problems: ProblemHandler
) -> tuple[AssessmentKind, FlatTopics | dict[str, PassageTopic]]:
    """Read TREC qrels or INEX passages; bad lines are reported and left out."""
    reader = _QrelsReader(name, problems)
    for block in without_comments(line_blocks(stream, name, problems)):
        reader.add(block)
    return reader.topics()


class _QrelsReader:
    """Collects the columns of assessments, block by block."""

    def __init__(self, name: str, problems: ProblemHandler) -> None:
        self.name = name
        self.problems = problems
        self.kind: AssessmentKind | None = None  # until the first good line
        self.qrels_topics, self.qrels_documents = NameColumn(), NameColumn()
        self.passage_topics, self.passage_documents = Vocabulary(), Vocabulary()
        self.topic_lines = GrowingColumn()  # number of lines of each contiguous block of a topic
        self.labels, self.label_lines = NameColumn(), GrowingColumn()  # of the second column, likewise
        self.grades, self.line = GrowingColumn(), GrowingColumn()
        self.columns = AssessmentColumns()
        self.blanks = BlankLines(name, problems, "an assessment")

    def add(self, block: LineBlock) -> None:
        """Add a block: sound TREC qrels at once, everything else line by line."""
        if self.kind is not AssessmentKind.PASSAGES and not self.blanks.pending:
            sound = fast_table(block, _TREC)
            if sound is not None and self._append_qrels(sound):
                self.kind = AssessmentKind.FLAT
                return
        rows, lines = self._valid_lines(block)
        if not rows:
            return
        if self.kind is AssessmentKind.FLAT:
            self._append_qrels(PlainTable(rows, np.array(lines)))
        else:
            self._append_passages(rows, np.array(lines))

    def topics(self) -> tuple[AssessmentKind, FlatTopics | dict[str, PassageTopic]]:
        """The assessments of each topic."""
        self.columns.topics, self.columns.documents = self.passage_topics, self.passage_documents
        if self.kind is AssessmentKind.FLAT:
            topics, topic = self.qrels_topics.encode()
            documents, document = self.qrels_documents.encode()
            line, grades, sizes = self.line.take_array(), self.grades.take_array(), self.topic_lines.take_array()
            self.columns = AssessmentColumns(topics, documents, [topic.repeat(sizes)], [document], [line], [grades])
            labels, label = self.labels.encode()
            self.columns.labels = labels
            if len(labels) > 1:
                self.columns.label = label.repeat(self.label_lines.take_array())
            del topic, document, line, grades
        return make_topics(self.kind or AssessmentKind.FLAT, self.columns, self.name, self.problems)

    def _valid_lines(self, block: LineBlock) -> tuple[list[_Row], list[int]]:
        """Cells and numbers of the valid lines; the others are reported."""
        rows, lines = [], []
        for line, text in block.numbered_lines():
            if self.blanks.skip(line, text):
                continue
            row = text.split()
            if self.kind is None:
                self.kind = _detect_assessment_kind(row)
            reason = _line_problem(row, self.kind)
            if reason is None:
                rows.append(row)
                lines.append(line)
            else:
                self.problems(InputError(self.name, line, reason))
        return rows, lines

    def _append_qrels(self, rows: FastTable | PlainTable) -> bool:
        """Append sound columns; False, with nothing appended, if a grade is bad."""
        grades = rows.integers(_GRADE)
        if grades is None:
            return False
        changes = rows.changed_rows(_TOPIC)
        self.qrels_topics.add(rows.name_column(_TOPIC, changes))
        self.qrels_documents.add(rows.name_column(_DOCUMENT))
        self.topic_lines.add(np.diff(changes, append=len(rows)))
        changes = rows.changed_rows(_LABEL)
        self.labels.add(rows.name_column(_LABEL, changes))
        self.label_lines.add(np.diff(changes, append=len(rows)))
        self.line.add(rows.lines)
        self.grades.add(grades)
        return True

    def _append_passages(self, rows: list[_Row], lines: IntArray) -> None:
        columns = self.columns
        columns.topic.append(self.passage_topics.codes([row[_TOPIC] for row in rows]))
        columns.document.append(self.passage_documents.codes([row[_DOCUMENT] for row in rows]))
        columns.line.append(lines)
        beps = [row[_BEP] if len(row) > _PASSAGES else b"-1" for row in rows]
        counts = [max(0, len(row) - _PASSAGES) for row in rows]
        numbers = [[row[_RELEVANT] for row in rows], [row[_LENGTH] for row in rows], beps]
        columns.numbers.append(np.array([*map(_numbers, numbers), counts], dtype=np.int64))
        passages = [part for row in rows for cell in row[_PASSAGES:] for part in cell.split(b":")]
        columns.passages.append(_numbers(passages).reshape(-1, 2))


def _detect_assessment_kind(row: _Row) -> AssessmentKind | None:
    if len(row) == _TREC:
        return AssessmentKind.FLAT
    return AssessmentKind.PASSAGES if len(row) >= _INEX else None


def _line_problem(row: _Row, kind: AssessmentKind | None) -> str | None:
    """What is wrong with a line; None if nothing."""
    if kind is None:
        return f"expected 4 columns (TREC) or 5 and more (INEX), found {len(row)}"
    if kind is AssessmentKind.FLAT:
        if len(row) != _TREC:
            return f"expected 4 columns as in the lines before, found {len(row)}"
        is_valid = parse_integer(row[_GRADE]) is not None
        return None if is_valid else expected_message("relevance", "an integer", row[_GRADE])
    if len(row) < _INEX:
        return f"expected 5 or more columns as in the lines before, found {len(row)}"
    return _passages_problem(row)


def _passages_problem(row: _Row) -> str | None:
    relevant, length = parse_integer(row[_RELEVANT]), parse_integer(row[_LENGTH])
    if relevant is None or relevant < 0:
        return expected_message("relevant characters", "an integer, 0 or more", row[_RELEVANT])
    if length is None or length < 0:
        return expected_message("document length", "an integer, 0 or more", row[_LENGTH])
    if length > MAX_OFFSET:
        return expected_message("document length", f"at most {MAX_OFFSET}", row[_LENGTH])
    if relevant > length:
        return expected_message("relevant characters", f"at most the document length {length}", row[_RELEVANT])
    if len(row) <= _PASSAGES:
        return None  # the sixth column counts only where passages follow
    return _highlight_problem(row[_BEP], row[_PASSAGES:])


def _highlight_problem(bep: bytes, passages: _Row) -> str | None:
    entry = parse_integer(bep)
    if entry is None or entry < -1:
        return expected_message("best entry point", "an offset, or -1 for none", bep)
    if entry > MAX_OFFSET:
        return expected_message("best entry point", f"at most {MAX_OFFSET}", bep)
    for cell in passages:
        offset, colon, size = cell.partition(b":")
        start, count = parse_integer(offset), parse_integer(size)
        if not colon or start is None or count is None or start < 0 or count < 0:
            return expected_message("passage", "offset:length, both 0 or more", cell)
        if start > MAX_OFFSET - count:
            return f"passage {quote_value(cell)} ends {PAST_MAX_OFFSET}"
    return None


def _numbers(cells: list[bytes]) -> IntArray:
    numbers = parse_integers(cells)
    if numbers is None:  # every cell was checked before
        raise AssertionError(cells)
    return numbers


def write_qrels_trec(judged: Assessments) -> bytes:
    """Lines of 4 columns: ``topic 0 document grade``."""
    check_assessment_names(judged, Contents.FIRST_COLUMN, Contents.COLUMN)
    return encode_lines(
        f"{name} 0 {document} {grade}"
        for name, topic in judged.topics.items()
        if isinstance(topic, FlatTopic)
        for document, grade in zip(topic.documents, topic.grades.tolist(), strict=True)
    )


def write_qrels_inex(judged: Assessments) -> bytes:
    """Lines of 5 columns and more: ``topic Q0 document relevant length [bep offset:length ...]``."""
    check_assessment_names(judged, Contents.FIRST_COLUMN, Contents.COLUMN)
    return encode_lines(_inex_lines(judged))


def _inex_lines(judged: Assessments) -> Iterator[str]:
    for name, topic, row in passage_rows(judged):
        begin, end = topic.bounds[row : row + 2].tolist()
        if topic.lengths[row] < 0:
            reason = f"the length of document {quote_value(topic.documents[row])} is not known, and this form tells it"
            raise InputError(topic.path, int(topic.lines[row]), reason)
        line = f"{name} Q0 {topic.documents[row]} {topic.relevant[row]} {topic.lengths[row]}"
        if end > begin:
            extents = zip(topic.start[begin:end].tolist(), topic.length[begin:end].tolist(), strict=True)
            line += f" {topic.bep[row]} " + " ".join(f"{start}:{length}" for start, length in extents)
        yield line
