"""Runs as lines: TREC with 6 columns, INEX with 7 (a path) or 8 (offset and length, or two paths)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, GrowingColumn, IntArray, NarrowArray
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.formats.format import RankBy
from prum_eval.formats.run_columns import RankingRule, RunColumns, make_run, ranked_topics
from prum_eval.records import Run, RunKind
from prum_eval.text.lines import FastTable, LineBlock, PlainTable, Vocabulary, WordArray, fast_table, line_blocks
from prum_eval.text.names import NameColumn
from prum_eval.text.numbers import (
    MAX_OFFSET,
    PAST_MAX_OFFSET,
    expected_message,
    parse_decimal,
    parse_integer,
    parse_integers,
    quote_value,
)
from prum_eval.text.streams import Contents, encode_lines, prefetch

TREC_COLUMNS = 6
_INEX_PATH = 7
_INEX_PAIR = 8
_TOPIC, _DOCUMENT, _RANK, _SCORE, _RUN_ID, _SEVENTH, _EIGHTH = 0, 2, 3, 4, 5, 6, 7
_UNKNOWN = (b"X", b"-1")  # in column 7: a result that does not exist in the collection


def read_run_lines(stream: BinaryIO, name: str, rank_by: RankBy | None, problems: ProblemHandler) -> Run:
    """Read a run of lines; the first line decides how many columns there are.

    Every bad line is reported and left out.
    """
    reader = _LineReader(name, rank_by, problems)
    failures: list[InputError] = []  # of reading, which goes ahead of the lines that are reported
    for block, sound in prefetch(reader.parse_block, line_blocks(stream, name, failures.append), in_turn=_names_paths):
        reader.add(block, sound)
    for failure in failures:
        problems(failure)
    return reader.run()


class _LineReader:
    """Collects the columns of a run, block by block."""

    def __init__(self, name: str, rank_by: RankBy | None, problems: ProblemHandler) -> None:
        self.name = name
        self.rank_by = rank_by
        self.problems = problems
        self.width = 0  # until the first good line
        self.width_line = 0
        self.shape: RunKind | None = None
        self.run_id = b""
        self.paths = Vocabulary()
        self.topics, self.documents = NameColumn(), NameColumn()
        self.stretches = GrowingColumn()  # of so many lines of one topic each
        self.scores = GrowingColumn(np.float64)
        self.rank, self.line = GrowingColumn(), GrowingColumn()
        self.before = 0  # lines before the first result of known shape: none of them exists
        self.first, self.last = GrowingColumn(), GrowingColumn()
        self.start, self.length = GrowingColumn(), GrowingColumn()

    def parse_block(self, block: LineBlock) -> _Fields | None:
        """What costs most of a block, its fields, at once; None where it has to be read line by line.

        It depends on the blocks before for the number of columns only, so it can be asked ahead of its turn.
        """
        width = self.width or len(block.text[: block.text.index(b"\n")].split())
        table = fast_table(block, width) if TREC_COLUMNS <= width <= _INEX_PAIR else None
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
        if not self.width and TREC_COLUMNS <= width <= _INEX_PAIR:
            self.width, self.width_line = width, line
            if width != _INEX_PAIR:
                self.shape = RunKind.FLAT if width == TREC_COLUMNS else RunKind.ELEMENTS

    def _take(self, fields: _Fields) -> bool:
        """Append sound columns; False, with nothing appended, where a number is bad."""
        rows = fields.table
        ranks = rows.integers(_RANK) if self.rank_by is RankBy.RANK else None
        if ranks is None and self.rank_by is RankBy.RANK:
            return False
        if self.width != TREC_COLUMNS and not self._append_locations(rows):
            return False
        self.topics.add(fields.topics)
        self.documents.add(fields.documents)
        self.stretches.add(fields.stretches)
        self.scores.add(fields.scores)
        if ranks is not None:
            self.rank.add(ranks)
        self.line.add(rows.lines)
        self.run_id = rows.cell(len(rows) - 1, _RUN_ID)
        return True

    def _append_locations(self, rows: FastTable | PlainTable) -> bool:
        """Append what each result is of its document; False, with nothing appended, where an extent is bad."""
        if self.shape is None:
            self.shape = _detect_run_kind(rows.cell(row, _SEVENTH) for row in range(len(rows)))
        if self.shape is None:
            self.before += len(rows)
        elif self.shape is RunKind.ELEMENTS:
            first = self.paths.codes(rows.cells(_SEVENTH))
            same = self.width == _INEX_PATH or rows.columns_equal(_SEVENTH, _EIGHTH)
            last = first if same else self.paths.codes(rows.cells(_EIGHTH))
            unknown = [self.paths[mark] for mark in _UNKNOWN if mark in self.paths]
            if unknown:
                lost = np.isin(first, unknown)
                first, last = np.where(lost, -1, first), np.where(lost, -1, last)
            self.first.add(first)
            if self.width == _INEX_PAIR:  # else they are the same
                self.last.add(last)
        else:
            extents = _extents(rows)
            if extents is None:
                return False
            self.start.add(extents[0])
            self.length.add(extents[1])
        return True

    def _good_lines(self, block: LineBlock) -> tuple[list[list[bytes]], list[int]]:
        """The columns of the good lines, and their numbers; the others are reported."""
        good, lines = [], []
        for line, text in block.numbered_lines():
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
        if parse_decimal(cells[_SCORE]) is None:
            return expected_message("score", "a finite number", cells[_SCORE])
        if self.rank_by is RankBy.RANK and parse_integer(cells[_RANK]) is None:
            return expected_message("rank", "an integer", cells[_RANK])
        if self.width == _INEX_PAIR and cells[_SEVENTH] not in _UNKNOWN:
            if self.shape is None:
                self.shape = _detect_run_kind([cells[_SEVENTH]])
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
        topics, topic = self.topics.encode()
        names, document = self.documents.encode()
        line, rank, score, stretches = (
            column.take_array() for column in (self.line, self.rank, self.scores, self.stretches)
        )
        what = [column.take_array() for column in (self.first, self.last, self.start, self.length)]
        first, last, start, length = (self._pad_column(column, len(line)) for column in what)
        if self.width == _INEX_PATH:
            last = first
        exists: BoolArray = np.broadcast_to(np.True_, len(line))
        if self.width != TREC_COLUMNS:
            exists = (first >= 0) if shape is RunKind.ELEMENTS else (start != -1)
        columns = RunColumns(
            self.name, self.run_id, shape, topics, names, self.paths, topic.repeat(stretches),
            document, first, last, start, length, exists, score, line,
        )  # fmt: skip
        del (
            topic,
            document,
            line,
            score,
            first,
            last,
            start,
            length,
            what,
            exists,
        )  # `make_run` ranks one after the other
        rank_by = self.rank_by or (RankBy.SCORE if self.width == TREC_COLUMNS else RankBy.FILE)
        return make_run(
            columns,
            _ranking_rule(rank_by, self.width, columns.score, rank),
            self.problems,
            one_block=self.width != TREC_COLUMNS,
        )

    def _pad_column(self, column: NarrowArray, lines: int) -> NarrowArray:
        """A column of `lines` numbers, -1 where there are none."""
        if not len(column):
            return np.broadcast_to(np.int64(-1), lines)
        return np.concatenate([np.full(self.before, -1, dtype=column.dtype), column]) if self.before else column


def _names_paths(block: LineBlock) -> bool:
    """Whether the first line names an element: while paths are looked up, one by one, no other thread goes on."""
    return any(cell.startswith(b"/") for cell in block.text[: block.text.index(b"\n")].split()[_SEVENTH:])


@dataclass(slots=True, eq=False, repr=False)
class _Fields:
    """The fields of some lines, and of them what every run has."""

    table: FastTable | PlainTable
    width: int  # columns
    topics: WordArray | list[bytes]  # that come one after the other
    stretches: IntArray  # how many lines of each
    documents: WordArray | list[bytes]
    scores: FloatArray


def _fields(table: FastTable | PlainTable, width: int) -> _Fields | None:
    """None where a score is bad."""
    scores = table.decimals(_SCORE)
    if scores is None:
        return None
    changes = table.changed_rows(_TOPIC)
    topics, stretches = table.name_column(_TOPIC, changes), np.diff(changes, append=len(table))
    return _Fields(table, width, topics, stretches, table.name_column(_DOCUMENT), scores)


def _ranking_rule(rank_by: RankBy, width: int, score: FloatArray, rank: NarrowArray) -> RankingRule:
    if rank_by is RankBy.RANK:
        return RankingRule(rank.astype(np.float64))
    if rank_by is RankBy.FILE:
        return RankingRule(None)
    by_score = np.broadcast_to(np.True_, len(score))
    if width == TREC_COLUMNS:
        with np.errstate(over="ignore"):  # a score beyond single precision is infinite there, as in trec_eval
            single = score.astype(np.float32)
        return RankingRule(np.negative(single, out=single), by_score, documents_descending=True)
    return RankingRule(-score, by_score)


def _detect_run_kind(seventh: Iterable[bytes]) -> RunKind | None:
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
        start = parse_integers([b"-1" if gone else cell for gone, cell in zip(lost, offsets, strict=True)])
        length = parse_integers([b"-1" if gone else cell for gone, cell in zip(lost, lengths, strict=True)])
        if start is None or length is None:
            return None
    known = start != -1
    starts, lengths = start[known], length[known]
    if (lengths < 0).any() or (lengths > MAX_OFFSET).any() or (starts < -MAX_OFFSET).any():
        return None
    if (starts > MAX_OFFSET - lengths).any():
        return None
    # Another spelling of -1, such as -01, is an integer but not the mark.
    return None if lost and np.count_nonzero(~known) != sum(lost) else (start, length)


def _extent_reason(offset: bytes, length: bytes) -> str | None:
    start, size = parse_integer(offset), parse_integer(length)
    if start is None or start == -1:
        return expected_message("offset", "an integer, X or -1", offset)
    if size is None:
        return expected_message("length", "an integer", length)
    if size < 0:
        return expected_message("length", "0 or more", length)
    if start < -MAX_OFFSET:
        return expected_message("offset", f"at least {-MAX_OFFSET}", offset)
    if size > MAX_OFFSET or start > MAX_OFFSET - size:
        return f"offset {quote_value(offset)} and length {quote_value(length)} end {PAST_MAX_OFFSET}"
    return None


# Runs as lines are written: TREC with 6 columns, INEX with 7 (a path) or 8 (offset and length, or two paths).


_MISSING_PATH = "X"  # in place of the path of a result that does not exist


def write_run_trec(run: Run) -> bytes:
    """Lines of 6 columns: ``topic Q0 document rank score run-id``."""
    return encode_lines(_first_columns(run))


def write_run_paths(run: Run) -> bytes:
    """Lines of 7 columns, the last one an element's path; X for a result that does not exist."""
    paths = [*run.paths, _MISSING_PATH]  # code -1 is the last
    return encode_lines(map("{} {}".format, _first_columns(run), (paths[code] for code in run.first_path.tolist())))


def write_run_ranges(run: Run) -> bytes:
    """Lines of 8 columns, the last two the paths of a range's first and last element, for one element the same."""
    paths = [*run.paths, _MISSING_PATH]
    ends = ((paths[code] for code in column.tolist()) for column in (run.first_path, run.last_path))
    return encode_lines(map("{} {} {}".format, _first_columns(run), *ends))


def write_run_offsets(run: Run) -> bytes:
    """Lines of 8 columns, the last two offset and length in characters, -1 for a result that does not exist."""
    return encode_lines(map("{} {} {}".format, _first_columns(run), run.start.tolist(), run.length.tolist()))


def _first_columns(run: Run) -> Iterator[str]:
    """The first six columns of every line."""
    documents, scores = run.document.tolist(), run.score.tolist()
    for topic, rows in ranked_topics(run, Contents.FIRST_COLUMN, Contents.COLUMN):
        for rank, row in enumerate(rows, 1):
            yield f"{topic} Q0 {run.documents[documents[row]]} {rank} {scores[row]!r} {run.run_id}"
