"""Runs as lines: TREC with 6 columns and perhaps a text, INEX with 7 (a path) or 8 (offset and length, or two paths).

The first good line decides the number of columns. Sound blocks of lines are read by columns, other blocks line by line,
which reports bad lines and leaves them out. X or -1 in column 7 is the marker of a result that does not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, GrowingColumn, IntArray, NarrowArray
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.formats.format import RankBy, has_extra_text
from prum_eval.formats.run_columns import RankingRule, RunColumns, make_run, ranked_topics
from prum_eval.records import Run, RunKind
from prum_eval.text.lines import (
    FastTable,
    LineBlock,
    PlainTable,
    Vocabulary,
    WordArray,
    fast_table,
    line_blocks,
    without_comments,
)
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
_MISSING = (b"X", b"-1")  # markers, in column 7, of a result that does not exist in the collection


def read_run_lines(stream: BinaryIO, name: str, rank_by: RankBy | None, problems: ProblemHandler) -> Run:
    """Read a run of lines; bad lines are reported and left out."""
    reader = _LineReader(name, rank_by, problems)
    failures: list[InputError] = []  # of the stream, which is read ahead of the lines
    blocks = without_comments(line_blocks(stream, name, failures.append))
    for block, sound in prefetch(reader.parse_block, blocks, in_turn=_names_paths):
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
        self.topic_lines = GrowingColumn()  # number of lines of each contiguous block of a topic
        self.scores = GrowingColumn(np.float64)
        self.rank, self.line = GrowingColumn(), GrowingColumn()
        self.missing_before = 0  # missing results before the first one that shows the kind
        self.first, self.last = GrowingColumn(), GrowingColumn()
        self.start, self.length = GrowingColumn(), GrowingColumn()

    def parse_block(self, block: LineBlock) -> _Fields | None:
        """Fields of a block; None if it has to be read line by line.

        Only the number of columns depends on previous blocks, so blocks can be parsed ahead.
        """
        cells = block.text[: block.text.index(b"\n")].split()
        width = self.width or _width(cells)
        columns = len(cells) if width == TREC_COLUMNS and has_extra_text(cells) else width
        table = fast_table(block, columns) if width else None
        return None if table is None else _fields(table, width)

    def add(self, block: LineBlock, sound: _Fields | None) -> None:
        """Add a block, at once if it is sound, else line by line."""
        self._detect_width(block.first_line, block.text[: block.text.index(b"\n")].split())
        if sound is not None and sound.width == self.width and self._append(sound):
            return
        rows, lines = self._valid_lines(block)
        fields = _fields(PlainTable(rows, np.array(lines)), self.width) if rows else None
        if fields is not None:
            self._append(fields)

    def _detect_width(self, line: int, cells: Sequence[bytes]) -> None:
        width = 0 if self.width else _width(cells)
        if width:
            self.width, self.width_line = width, line
            if width != _INEX_PAIR:
                self.shape = RunKind.FLAT if width == TREC_COLUMNS else RunKind.ELEMENTS

    def _append(self, fields: _Fields) -> bool:
        """Append sound columns; False, with nothing appended, if a number is bad."""
        rows = fields.table
        ranks = rows.integers(_RANK) if self.rank_by is RankBy.RANK else None
        if ranks is None and self.rank_by is RankBy.RANK:
            return False
        if self.width != TREC_COLUMNS and not self._append_locations(rows):
            return False
        self.topics.add(fields.topics)
        self.documents.add(fields.documents)
        self.topic_lines.add(fields.topic_lines)
        self.scores.add(fields.scores)
        if ranks is not None:
            self.rank.add(ranks)
        self.line.add(rows.lines)
        self.run_id = rows.cell(len(rows) - 1, _RUN_ID)
        return True

    def _append_locations(self, rows: FastTable | PlainTable) -> bool:
        """Append paths or extents; False, with nothing appended, if an extent is bad."""
        if self.shape is None:
            self.shape = _detect_run_kind(rows.cell(row, _SEVENTH) for row in range(len(rows)))
        if self.shape is None:
            self.missing_before += len(rows)
        elif self.shape is RunKind.ELEMENTS:
            first = self.paths.codes(rows.cells(_SEVENTH))
            same = self.width == _INEX_PATH or rows.columns_equal(_SEVENTH, _EIGHTH)
            last = first if same else self.paths.codes(rows.cells(_EIGHTH))
            markers = [self.paths[marker] for marker in _MISSING if marker in self.paths]
            if markers:
                missing = np.isin(first, markers)
                first, last = np.where(missing, -1, first), np.where(missing, -1, last)
            self.first.add(first)
            if self.width == _INEX_PAIR:  # else the first and last paths are equal
                self.last.add(last)
        else:
            extents = _extents(rows)
            if extents is None:
                return False
            self.start.add(extents[0])
            self.length.add(extents[1])
        return True

    def _valid_lines(self, block: LineBlock) -> tuple[list[list[bytes]], list[int]]:
        """Cells and numbers of the valid lines; the others are reported."""
        rows, lines = [], []
        for line, text in block.numbered_lines():
            cells = text.split()
            self._detect_width(line, cells)
            if self.width == TREC_COLUMNS and has_extra_text(cells):
                cells = cells[:TREC_COLUMNS]
            reason = self._line_problem(cells)
            if reason is None:
                rows.append(cells)
                lines.append(line)
            else:
                self.problems(InputError(self.name, line, reason))
        return rows, lines

    def _line_problem(self, cells: list[bytes]) -> str | None:
        """What is wrong with a line; None if nothing."""
        if not cells:
            return "a blank line, expected a result"
        if not self.width:
            return f"expected 6 columns (TREC), 7 or 8 (INEX), found {len(cells)}"
        if len(cells) != self.width:
            return f"expected {self.width} columns as on line {self.width_line}, found {len(cells)}"
        if parse_decimal(cells[_SCORE]) is None:
            return expected_message("score", "a finite number", cells[_SCORE])
        if self.rank_by is RankBy.RANK and parse_integer(cells[_RANK]) is None:
            return expected_message("rank", "an integer", cells[_RANK])
        if self.width == _INEX_PAIR and cells[_SEVENTH] not in _MISSING:
            if self.shape is None:
                self.shape = _detect_run_kind([cells[_SEVENTH]])
            if self.shape is RunKind.EXTENTS:
                return _extent_problem(cells[_SEVENTH], cells[_EIGHTH])
        return None

    def run(self) -> Run:
        """The record of all blocks."""
        shape = self.shape or RunKind.EXTENTS  # if all results are missing
        topics, topic = self.topics.encode()
        names, document = self.documents.encode()
        line, rank, score, topic_lines = (
            column.take_array() for column in (self.line, self.rank, self.scores, self.topic_lines)
        )
        locations = [column.take_array() for column in (self.first, self.last, self.start, self.length)]
        first, last, start, length = (self._pad_column(column, len(line)) for column in locations)
        if self.width == _INEX_PATH:
            last = first
        exists: BoolArray = np.broadcast_to(np.True_, len(line))
        if self.width != TREC_COLUMNS:
            exists = (first >= 0) if shape is RunKind.ELEMENTS else (start != -1)
        columns = RunColumns(
            self.name, self.run_id, shape, topics, names, self.paths, topic.repeat(topic_lines),
            document, first, last, start, length, exists, score, line,
        )  # fmt: skip
        del topic, document, line, score, first, last, start, length, locations, exists  # `make_run` frees each column
        rank_by = self.rank_by or (RankBy.SCORE if self.width == TREC_COLUMNS else RankBy.FILE)
        rule = _ranking_rule(rank_by, self.width, columns.score, rank)
        del rank
        return make_run(columns, rule, self.problems, one_block=self.width != TREC_COLUMNS)

    def _pad_column(self, column: NarrowArray, lines: int) -> NarrowArray:
        """The column with `lines` numbers, -1 for missing results at its beginning; all -1 if it is empty."""
        if not len(column):
            return np.broadcast_to(np.int64(-1), lines)
        padding = np.full(self.missing_before, -1, dtype=column.dtype)
        return np.concatenate([padding, column]) if len(padding) else column


def _width(cells: Sequence[bytes]) -> int:
    """Number of columns that count if this is the first line; 0 if it is no result."""
    if has_extra_text(cells):
        return TREC_COLUMNS
    return len(cells) if TREC_COLUMNS <= len(cells) <= _INEX_PAIR else 0


def _names_paths(block: LineBlock) -> bool:
    """Whether the first line has a path: paths are looked up one by one, so that no other thread can work."""
    return any(cell.startswith(b"/") for cell in block.text[: block.text.index(b"\n")].split()[_SEVENTH:])


@dataclass(slots=True, eq=False, repr=False)
class _Fields:
    """The fields of some lines; those of all runs are parsed."""

    table: FastTable | PlainTable
    width: int  # columns
    topics: WordArray | list[bytes]  # one per contiguous block of lines of a topic
    topic_lines: IntArray  # number of lines of each
    documents: WordArray | list[bytes]
    scores: FloatArray


def _fields(table: FastTable | PlainTable, width: int) -> _Fields | None:
    """The fields of a table; None if a score is bad."""
    scores = table.decimals(_SCORE)
    if scores is None:
        return None
    changes = table.changed_rows(_TOPIC)
    topics, topic_lines = table.name_column(_TOPIC, changes), np.diff(changes, append=len(table))
    return _Fields(table, width, topics, topic_lines, table.name_column(_DOCUMENT), scores)


def _ranking_rule(rank_by: RankBy, width: int, score: FloatArray, rank: NarrowArray) -> RankingRule:
    if rank_by is RankBy.RANK:
        return RankingRule(rank.astype(np.float64))
    if rank_by is RankBy.FILE:
        return RankingRule(None)
    by_score = np.broadcast_to(np.True_, len(score))
    if width == TREC_COLUMNS:
        return RankingRule(-score, by_score, documents_descending=True)
    return RankingRule(-score, by_score)


def _detect_run_kind(cells: Iterable[bytes]) -> RunKind | None:
    """Kind of a run by its seventh column; None if there are only markers."""
    for cell in cells:
        if cell not in _MISSING:
            return RunKind.ELEMENTS if cell.startswith(b"/") else RunKind.EXTENTS
    return None


def _extents(rows: FastTable | PlainTable) -> tuple[IntArray, IntArray] | None:
    """Starts and lengths, both -1 for missing results; None if one is bad."""
    start, length = rows.integers(_SEVENTH), rows.integers(_EIGHTH)
    missing: list[bool] = []
    if start is None or length is None or (start == -1).any():
        offsets, lengths = rows.cells(_SEVENTH), rows.cells(_EIGHTH)
        missing = [offset in _MISSING for offset in offsets]
        start = parse_integers([b"-1" if no else cell for no, cell in zip(missing, offsets, strict=True)])
        length = parse_integers([b"-1" if no else cell for no, cell in zip(missing, lengths, strict=True)])
        if start is None or length is None:
            return None
    exists = start != -1
    starts, lengths = start[exists], length[exists]
    if (lengths < 0).any() or (lengths > MAX_OFFSET).any() or (starts < -MAX_OFFSET).any():
        return None
    if (starts > MAX_OFFSET - lengths).any():
        return None
    # Another spelling of -1, such as -01, is an integer but not the marker.
    return None if missing and np.count_nonzero(~exists) != sum(missing) else (start, length)


def _extent_problem(offset: bytes, length: bytes) -> str | None:
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


_MISSING_PATH = "X"


def write_run_trec(run: Run) -> bytes:
    """Lines of 6 columns: ``topic Q0 document rank score run-id``."""
    return encode_lines(_first_columns(run))


def write_run_paths(run: Run) -> bytes:
    """Lines of 7 columns, the last one a path, X if the result does not exist."""
    paths = [*run.paths, _MISSING_PATH]  # code -1 is the last
    return encode_lines(map("{} {}".format, _first_columns(run), (paths[code] for code in run.first_path.tolist())))


def write_run_ranges(run: Run) -> bytes:
    """Lines of 8 columns, the last two the paths of the first and last element."""
    paths = [*run.paths, _MISSING_PATH]
    ends = ((paths[code] for code in column.tolist()) for column in (run.first_path, run.last_path))
    return encode_lines(map("{} {} {}".format, _first_columns(run), *ends))


def write_run_offsets(run: Run) -> bytes:
    """Lines of 8 columns, the last two offset and length in characters, -1 if the result does not exist."""
    return encode_lines(map("{} {} {}".format, _first_columns(run), run.start.tolist(), run.length.tolist()))


def _first_columns(run: Run) -> Iterator[str]:
    """The first six columns of every line."""
    documents, scores = run.document.tolist(), run.score.tolist()
    for topic, rows in ranked_topics(run, Contents.FIRST_COLUMN, Contents.COLUMN):
        for rank, row in enumerate(rows, 1):
            yield f"{topic} Q0 {run.documents[documents[row]]} {rank} {scores[row]!r} {run.run_id}"
