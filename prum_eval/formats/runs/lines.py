"""Runs as lines: TREC with 6 columns, INEX with 7 (a path) or 8 (offset and length, or two paths)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import EMPTY, FloatArray, IntArray
from prum_eval.errors import InputError, Problems
from prum_eval.formats.format import RankBy
from prum_eval.formats.runs.columns import RankingRule, RunColumns, run_of
from prum_eval.records.run import Run, RunKind
from prum_eval.text.ahead import worked_ahead
from prum_eval.text.fast_lines import FastTable, WordArray, fast_table
from prum_eval.text.lines import LineBlock, PlainTable, Vocabulary, line_blocks
from prum_eval.text.names import NameColumn, names_in
from prum_eval.text.numbers import FARTHEST, PAST, decimal, expected, integer, integers, shown

_T = TypeVar("_T", bound=np.generic)

TREC = 6
_INEX_PATH = 7
_INEX_PAIR = 8
_TOPIC, _DOCUMENT, _RANK, _SCORE, _RUN_ID, _SEVENTH, _EIGHTH = 0, 2, 3, 4, 5, 6, 7
_UNKNOWN = (b"X", b"-1")  # in column 7: a result that does not exist in the collection


def read_run_lines(stream: BinaryIO, name: str, rank_by: RankBy | None, problems: Problems) -> Run:
    """Read a run of lines; the first line decides how many columns there are.

    Every bad line is reported and left out.
    """
    reader = _LineReader(name, rank_by, problems)
    failures: list[InputError] = []  # of reading, which goes ahead of the lines that are reported
    for block, sound in worked_ahead(reader.sound, line_blocks(stream, name, failures.append)):
        reader.add(block, sound)
    for failure in failures:
        problems(failure)
    return reader.run()


class _LineReader:
    """Collects the columns of a run, block by block."""

    def __init__(self, name: str, rank_by: RankBy | None, problems: Problems) -> None:
        self.name = name
        self.rank_by = rank_by
        self.problems = problems
        self.width = 0  # until the first good line
        self.width_line = 0
        self.shape: RunKind | None = None
        self.run_id = b""
        self.documents = NameColumn()
        self.topics, self.paths = Vocabulary(), Vocabulary()
        self.scores: list[FloatArray] = []
        self.topic: list[IntArray] = []
        self.rank: list[IntArray] = []
        self.line: list[IntArray] = []
        self.before = 0  # lines before the first result of known shape: none of them exists
        self.first: list[IntArray] = []
        self.last: list[IntArray] = []
        self.start: list[IntArray] = []
        self.length: list[IntArray] = []

    def sound(self, block: LineBlock) -> _Fields | None:
        """What costs most of a block, its fields, at once; None where it has to be read line by line.

        It depends on the blocks before for the number of columns only, so it can be asked ahead of its turn.
        """
        width = self.width or len(block.text[: block.text.index(b"\n")].split())
        table = fast_table(block, width) if TREC <= width <= _INEX_PAIR else None
        return None if table is None else _fields(table, width)

    def add(self, block: LineBlock, sound: _Fields | None) -> None:
        """Take a block, at once where it is sound, else line by line."""
        self._recognise(block.first_line, block.text[: block.text.index(b"\n")])
        if sound is not None and sound.width == self.width and self._take(sound):
            return
        good, lines = self._good_lines(block)
        fields = _fields(PlainTable(good, np.array(lines)), self.width) if good else None
        if fields is not None:
            self._take(fields)

    def _recognise(self, line: int, text: bytes) -> None:
        width = len(text.split())
        if not self.width and TREC <= width <= _INEX_PAIR:
            self.width, self.width_line = width, line
            if width != _INEX_PAIR:
                self.shape = RunKind.FLAT if width == TREC else RunKind.ELEMENTS

    def _take(self, fields: _Fields) -> bool:
        """Append sound columns; False, with nothing appended, where a number is bad."""
        rows = fields.table
        ranks = rows.integers(_RANK) if self.rank_by is RankBy.RANK else None
        if ranks is None and self.rank_by is RankBy.RANK:
            return False
        if self.width != TREC and not self._take_what(rows):
            return False
        topics = self.topics.codes(rows.cells(_TOPIC, fields.topics))
        self.topic.append(np.repeat(topics, np.diff(fields.topics, append=len(rows))))
        self.documents.add(fields.documents)
        self.scores.append(fields.scores)
        if ranks is not None:
            self.rank.append(ranks)
        self.line.append(rows.lines)
        self.run_id = rows.cell(len(rows) - 1, _RUN_ID)
        return True

    def _take_what(self, rows: FastTable | PlainTable) -> bool:
        """Append what each result is of its document; False, with nothing appended, where an extent is bad."""
        if self.shape is None:
            self.shape = _shape_of(rows.cell(row, _SEVENTH) for row in range(len(rows)))
        if self.shape is None:
            self.before += len(rows)
        elif self.shape is RunKind.ELEMENTS:
            first = self.paths.codes(rows.cells(_SEVENTH))
            same = self.width == _INEX_PATH or rows.same(_SEVENTH, _EIGHTH)
            last = first if same else self.paths.codes(rows.cells(_EIGHTH))
            unknown = [self.paths[mark] for mark in _UNKNOWN if mark in self.paths]
            if unknown:
                lost = np.isin(first, unknown)
                first, last = np.where(lost, -1, first), np.where(lost, -1, last)
            self.first.append(first)
            self.last.append(last)
        else:
            extents = _extents(rows)
            if extents is None:
                return False
            self.start.append(extents[0])
            self.length.append(extents[1])
        return True

    def _good_lines(self, block: LineBlock) -> tuple[list[list[bytes]], list[int]]:
        """The columns of the good lines, and their numbers; the others are reported."""
        good, lines = [], []
        for line, text in block.numbered():
            self._recognise(line, text)
            cells = text.split()
            reason = self._reason(cells)
            if reason is None:
                good.append(cells)
                lines.append(line)
            else:
                self.problems(InputError(self.name, line, reason))
        return good, lines

    def _reason(self, cells: list[bytes]) -> str | None:
        """What is wrong with one line, None where nothing is."""
        if len(cells) != self.width or not cells:
            return self._width_reason(len(cells))
        if decimal(cells[_SCORE]) is None:
            return expected("score", "a finite number", cells[_SCORE])
        if self.rank_by is RankBy.RANK and integer(cells[_RANK]) is None:
            return expected("rank", "an integer", cells[_RANK])
        if self.width == _INEX_PAIR and cells[_SEVENTH] not in _UNKNOWN:
            if self.shape is None:
                self.shape = _shape_of([cells[_SEVENTH]])
            if self.shape is RunKind.EXTENTS:
                return _extent_reason(cells[_SEVENTH], cells[_EIGHTH])
        return None

    def _width_reason(self, width: int) -> str:
        if not width:
            return "a blank line, expected a result"
        if not self.width:
            return f"expected 6 columns (TREC), 7 or 8 (INEX), found {width}"
        return f"expected {self.width} columns as on line {self.width_line}, found {width}"

    def run(self) -> Run:
        """The record of all that was taken."""
        shape = self.shape or RunKind.EXTENTS  # a run of nothing but X and -1
        line, topic = _emptied(self.line, EMPTY), _emptied(self.topic, EMPTY)
        names, document = self.documents.coded()
        first, last, start, length = (
            self._what(parts, len(line)) for parts in (self.first, self.last, self.start, self.length)
        )
        score = _emptied(self.scores, np.empty(0))
        exists = np.ones(len(line), dtype=bool)
        if self.width != TREC:
            exists = (first >= 0) if shape is RunKind.ELEMENTS else (start != -1)
        columns = RunColumns(
            self.name, self.run_id, shape, self.topics, names, self.paths,
            topic, document, first, last, start, length, exists, score, line,
        )  # fmt: skip
        rule = _rule(
            self.rank_by or (RankBy.SCORE if self.width == TREC else RankBy.FILE), self.width, score, self.rank
        )
        return run_of(columns, rule, self.problems, one_block=self.width != TREC)

    def _what(self, parts: list[IntArray], lines: int) -> IntArray:
        """A column of `lines` numbers, -1 where there are none."""
        if not parts:
            return np.broadcast_to(np.int64(-1), lines)
        return np.concatenate([np.full(self.before, -1, dtype=np.int64), *parts])


def _emptied(parts: list[NDArray[_T]], none: NDArray[_T]) -> NDArray[_T]:
    """The column that parts make, which are no longer there then: of a long run both would be much to hold."""
    whole = np.concatenate([none, *parts])
    parts.clear()
    return whole


@dataclass(frozen=True, slots=True, eq=False)
class _Fields:
    """The fields of some lines, and of them what every run has."""

    table: FastTable | PlainTable
    width: int  # columns
    topics: IntArray  # rows where a topic begins
    documents: WordArray | list[bytes]
    scores: FloatArray


def _fields(table: FastTable | PlainTable, width: int) -> _Fields | None:
    """None where a score is bad."""
    scores = table.decimals(_SCORE)
    if scores is None:
        return None
    return _Fields(table, width, table.changes(_TOPIC), names_in(table, _DOCUMENT), scores)


def _rule(rank_by: RankBy, width: int, score: FloatArray, rank: list[IntArray]) -> RankingRule:
    if rank_by is RankBy.RANK:
        return RankingRule(np.concatenate([EMPTY, *rank]).astype(np.float64))
    if rank_by is RankBy.FILE:
        return RankingRule(None)
    by_score = np.ones(len(score), dtype=bool)
    if width == TREC:
        with np.errstate(over="ignore"):  # a score beyond single precision is infinite there, as in trec_eval
            return RankingRule(-score.astype(np.float32).astype(np.float64), by_score, documents_descending=True)
    return RankingRule(-score, by_score)


def _shape_of(seventh: Iterable[bytes]) -> RunKind | None:
    for cell in seventh:
        if cell not in _UNKNOWN:
            return RunKind.ELEMENTS if cell.startswith(b"/") else RunKind.EXTENTS
    return None


def _extents(rows: FastTable | PlainTable) -> tuple[IntArray, IntArray] | None:
    """Starts and lengths, both -1 where the offset says that the result does not exist; None where one is bad."""
    start, length = rows.integers(_SEVENTH), rows.integers(_EIGHTH)
    lost: list[bool] = []
    if start is None or length is None or (start == -1).any():
        offsets, lengths = rows.cells(_SEVENTH), rows.cells(_EIGHTH)
        lost = [offset in _UNKNOWN for offset in offsets]
        start = integers([b"-1" if gone else cell for gone, cell in zip(lost, offsets, strict=True)])
        length = integers([b"-1" if gone else cell for gone, cell in zip(lost, lengths, strict=True)])
        if start is None or length is None:
            return None
    known = start != -1
    starts, lengths = start[known], length[known]
    if (lengths < 0).any() or (lengths > FARTHEST).any() or (starts < -FARTHEST).any():
        return None
    if (starts > FARTHEST - lengths).any():
        return None
    # Another spelling of -1, such as -01, is an integer but not the mark.
    return None if lost and np.count_nonzero(~known) != sum(lost) else (start, length)


def _extent_reason(offset: bytes, length: bytes) -> str | None:
    start, size = integer(offset), integer(length)
    if start is None or start == -1:
        return expected("offset", "an integer, X or -1", offset)
    if size is None:
        return expected("length", "an integer", length)
    if size < 0:
        return expected("length", "0 or more", length)
    if start < -FARTHEST:
        return expected("offset", f"at least {-FARTHEST}", offset)
    if size > FARTHEST or start > FARTHEST - size:
        return f"offset {shown(offset)} and length {shown(length)} end {PAST}"
    return None
