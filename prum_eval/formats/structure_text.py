"""Collection structures as text: one element per line, ``document<TAB>path<TAB>start<TAB>length``.

Elements are in document order: each lies inside a parent that is listed before it. Lines that start with ``#`` are
comments. Blocks of sound lines are read by columns, other blocks line by line; `NestingChecker` compares many documents
at once and leaves a document in which anything is unusual to `make_nested_document`, which reports what is wrong.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

import numpy as np

from prum_eval.arrays import (
    BoolArray,
    GrowingColumn,
    IntArray,
    concatenated_ranges,
    group_bounds,
    group_numbers,
    group_sizes,
)
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.numerics.intervals import nesting_from_depths
from prum_eval.records import ColumnDocuments, Structure, StructureDocument, TreeColumns
from prum_eval.text.element_paths import MAX_PATH_DEPTH, PATH_EXAMPLE, PathCount, normalise_path
from prum_eval.text.lines import BlankLines, FastTable, LineBlock, PlainTable, fast_table, line_blocks
from prum_eval.text.numbers import MAX_OFFSET, PAST_MAX_OFFSET, expected_message, parse_integer, quote_value
from prum_eval.text.streams import Contents, encode_lines

STRUCTURE_COLUMNS = 4
DOCUMENT, PATH, START, LENGTH = range(STRUCTURE_COLUMNS)
_COMMENT = b"#"
_HEADER = "#document\tpath\tstart\tlength"
_NONE = -1

ElementColumns = tuple[Sequence[bytes], IntArray, IntArray, IntArray]
"""Paths, starts, lengths and lines of some elements."""


def make_nested_document(
    document: str, parts: Sequence[ElementColumns], name: str, problems: ProblemHandler, *, damaged: bool
) -> StructureDocument:
    """The document with these parts, without elements that have no place in the tree, which are reported.

    A `damaged` document lost lines: an element whose parent is missing is left out without a report.
    """
    raw = [path for part in parts for path in part[0]]
    start, length, lines = (np.concatenate([part[column] for part in parts]) for column in (1, 2, 3))

    def report(row: int, reason: str) -> None:
        problems(InputError(name, int(lines[row]), reason))

    paths = _place_elements(raw, start.tolist(), (start + length).tolist(), lines, report, damaged=damaged)
    rows = list(paths.values())
    if len(rows) != len(raw):
        start, length, lines = start[rows], length[rows], lines[rows]
    return StructureDocument(document, tuple(paths), start, length, lines)


def _place_elements(
    paths: Sequence[bytes],
    start: list[int],
    end: list[int],
    lines: IntArray,
    report: Callable[[int, str], None],
    *,
    damaged: bool,
) -> dict[str, int]:
    """Normal paths and rows of the elements that have a place in the tree."""
    rows: dict[str, int] = {}
    valid_steps: set[str] = set()
    stack: list[str] = []  # paths of the previous element and its ancestors
    bad: set[str] = set()  # elements without a place; their descendants are not reported again
    for row, raw in enumerate(paths):
        path = raw.decode(errors="backslashreplace")
        parent, _, step = path.rpartition("/")
        if step not in valid_steps or parent not in rows:
            normal = normalise_path(path)
            if normal is None:
                report(row, expected_message("path", PATH_EXAMPLE, raw))
                bad.add(path)
                continue
            path = normal
            parent, _, step = path.rpartition("/")
            valid_steps.add(step)
        depth = path.count("/") - 1
        if path in rows:
            report(row, f"element {quote_value(path)} is listed twice (first on line {lines[rows[path]]})")
            continue
        if depth > len(stack) or (depth and stack[depth - 1] != parent) or (not depth and stack):
            if parent not in bad and not damaged:
                report(row, _misplaced_reason(path, parent, rows, lines))
            bad.add(path)
            continue
        if depth and (start[row] < start[rows[parent]] or end[row] > end[rows[parent]]):
            parent_extent = (start[rows[parent]], end[rows[parent]])
            report(row, outside_parent_message(path, (start[row], end[row]), parent, parent_extent))
        rows[path] = row
        stack[depth:] = [path]
    return rows


def _misplaced_reason(path: str, parent: str, rows: dict[str, int], lines: IntArray) -> str:
    if not parent:
        return f"element {quote_value(path)} is a second root of its document"
    if parent in rows:
        return (
            f"element {quote_value(path)} is out of document order: its parent {quote_value(parent)} "
            f"(line {lines[rows[parent]]}) ended before"
        )
    return f"element {quote_value(path)} stands without its parent {quote_value(parent)}"


def outside_parent_message(path: str, extent: tuple[int, int], parent: str, parent_extent: tuple[int, int]) -> str:
    """Reason of the problem that an element is outside its parent; extents are (start, end)."""
    return (
        f"element {quote_value(path)} from {extent[0]} to {extent[1]} is outside its parent {quote_value(parent)} "
        f"from {parent_extent[0]} to {parent_extent[1]}"
    )


_PendingDocument = tuple[str, Sequence[ElementColumns], bool]
"""Name of a document, parts of its elements, and whether it lost lines."""
_COLUMNS = ("path", "parent", "end", "start", "length", "lines")


class _PathCodes(dict[bytes, int]):
    """Codes of paths by their spelling, -1 if it is no path; documents share most of their paths.

    `paths`, `parent` and `depth` are indexed by code. The code of a parent is lower than those of its children; the
    parent of a root is -1, its depth 1.
    """

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []
        self.parent, self.depth = array("q"), array("q")
        self._normal: dict[str, int] = {}
        self.count = PathCount()

    def __missing__(self, raw: bytes) -> int:
        parent_raw, _, step = raw.rpartition(b"/")
        parent = self.get(parent_raw, _NONE)  # parents are listed first, as a rule: one step is left to normalise
        path = normalise_path((raw if parent < 0 else b"/" + step).decode(errors="backslashreplace"))
        if path is None:
            code = _NONE
        else:
            code = self._add(path) if parent < 0 else self._add_child(parent, self.paths[parent] + path)
        self[raw] = code
        return code

    def _add(self, path: str) -> int:
        """Code of a normal path; its ancestors get codes first."""
        code, end = _NONE, path.find("/", 1)
        while end >= 0:
            code = self._add_child(code, path[:end])
            end = path.find("/", end + 1)
        return self._add_child(code, path)

    def _add_child(self, parent: int, path: str) -> int:
        """Code of a normal path whose parent has the code `parent`."""
        code = self._normal.setdefault(path, len(self.paths))
        if code == len(self.paths):
            self.paths.append(path)
            self.count.add(path, 0)
            self.parent.append(parent)
            self.depth.append(self.depth[parent] + 1 if parent >= 0 else 1)
        return code


class NestingChecker:
    """Checks the nesting of documents, many at once; problems are reported in the order of the documents."""

    def __init__(self, name: str, problems: ProblemHandler) -> None:
        self._name = name
        self._problems = problems
        self._pending: list[_PendingDocument] = []
        self._codes = _PathCodes()
        self._names: list[str] = []
        self._sizes: list[int] = []
        self._columns = {name: GrowingColumn() for name in _COLUMNS}
        self._repaired: dict[str, StructureDocument] = {}
        self._order: list[str] = []

    def add(self, document: str, parts: Sequence[ElementColumns], *, damaged: bool) -> None:
        """Add the elements of a document; a `damaged` one lost lines, and what it lacks is not reported."""
        self._pending.append((document, parts, damaged))

    def check(self) -> None:
        """Check the documents added since the last check, and report."""
        pending, self._pending = self._pending, []
        if not pending:
            return
        all_parts = [part for _, parts, _ in pending for part in parts]
        codes, count = self._codes, sum(len(part[0]) for part in all_parts)
        codes.count.elements += count
        try:
            path = np.fromiter(
                map(codes.__getitem__, chain.from_iterable(part[0] for part in all_parts)), np.int64, count
            )
        except ValueError as error:
            raise InputError(self._name, int(all_parts[-1][3][-1]), str(error)) from None
        start, length, lines = (np.concatenate([part[column] for part in all_parts]) for column in (1, 2, 3))
        bounds = group_bounds([sum(len(part[0]) for part in parts) for _, parts, _ in pending])
        plausible = _all_per_document(self._are_plausible(path, bounds), bounds)
        rows = plausible[group_numbers(bounds)]
        path, start, length, lines = (column[rows] for column in (path, start, length, lines))
        plausible_bounds = group_bounds(group_sizes(bounds)[plausible])
        parent, size, nested = self._nest(path, start, start + length)
        sound = plausible.copy()
        sound[plausible] = _all_per_document(nested, plausible_bounds)
        for (document, parts, damaged), is_sound in zip(pending, sound.tolist(), strict=True):
            self._order.append(document)
            if is_sound:
                self._names.append(document)
            else:
                repaired = make_nested_document(document, parts, self._name, self._problems, damaged=damaged)
                self._repaired[document] = repaired
        self._sizes += group_sizes(bounds)[sound].tolist()
        rows = sound[plausible][group_numbers(plausible_bounds)]
        number = concatenated_ranges(0, group_sizes(plausible_bounds))
        parent_number = np.where(parent < 0, _NONE, parent - np.arange(len(path)) + number)
        for name, column in zip(_COLUMNS, (path, parent_number, number + size, start, length, lines), strict=True):
            self._columns[name].add(column[rows])

    def documents(self) -> Mapping[str, StructureDocument]:
        """All documents in the order in which they were added."""
        self.check()
        columns = {name: self._columns[name].take_array() for name in _COLUMNS}
        sound = ColumnDocuments(
            TreeColumns(tuple(self._names), group_bounds(self._sizes), self._codes.paths, **columns)
        )
        if not self._repaired:
            return sound
        return {name: self._repaired[name] if name in self._repaired else sound[name] for name in self._order}

    def _are_plausible(self, path: IntArray, bounds: IntArray) -> BoolArray:
        """Mask of the elements that can follow the previous one: a root first, no jump down, nothing twice."""
        is_path = path >= 0
        if not is_path.any():
            return is_path
        depth = np.frombuffer(self._codes.depth, np.int64)[path]
        first = np.zeros(len(path), dtype=np.bool_)
        first[bounds[:-1]] = True
        one_below = np.append(False, depth[1:] <= depth[:-1] + 1)
        key = group_numbers(bounds) * (len(self._codes.paths) + 1) + path
        order = np.argsort(key, kind="stable")
        new = np.ones(len(path), dtype=np.bool_)
        new[order[1:]] = key[order[1:]] != key[order[:-1]]
        plausible: BoolArray = is_path & np.where(first, depth == 1, (depth > 1) & one_below) & new
        return plausible

    def _nest(self, path: IntArray, start: IntArray, end: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
        """Row of the parent (-1 of a root), size of the subtree, and whether the element is in the parent of its path.

        The last element one level up has to be that parent, and its extent has to contain the element's.
        """
        if not len(path):
            return path, path, np.zeros(0, dtype=np.bool_)
        parent, size = nesting_from_depths(np.frombuffer(self._codes.depth, np.int64)[path])
        parent_path = np.frombuffer(self._codes.parent, np.int64)[path]
        inside = (path[parent] == parent_path) & (start >= start[parent]) & (end <= end[parent])
        return parent, size, inside | (parent < 0)


def _all_per_document(flags: BoolArray, bounds: IntArray) -> BoolArray:
    """Mask of the documents, none empty, all of whose flags are set."""
    result: BoolArray = np.logical_and.reduceat(flags, bounds[:-1]) if len(flags) else flags
    return result


def parse_extents(table: FastTable | PlainTable) -> tuple[IntArray, IntArray] | None:
    """Starts and lengths of the elements; None if a pair is no extent."""
    start, length = table.integers(START), table.integers(LENGTH)
    if start is None or length is None or start.min() < 0 or length.min() < 0 or (start > MAX_OFFSET - length).any():
        return None
    return start, length


def read_structure_text(
    stream: BinaryIO, name: str, wanted: Container[str] | None, problems: ProblemHandler
) -> Structure:
    """Read a structure, the trees of `wanted` documents (None: all); bad lines are reported and left out."""
    reader = _TextReader(name, wanted, problems)
    try:
        for block in line_blocks(stream, name, problems):
            reader.add(block)
        return reader.structure()
    except InputError as problem:
        problems(problem)
        return Structure(name, 0, 0, frozenset(), {}, ())


def parse_document_block(block: LineBlock, name: str, problems: ProblemHandler) -> list[StructureDocument]:
    """The documents of a block of lines, which contains them completely."""
    reader = _TextReader(name, None, problems)
    reader.add(block)
    return list(reader.finish_documents().values())


class _TextReader:
    """Splits blocks of lines into documents; collects the rows of the wanted documents."""

    def __init__(self, name: str, wanted: Container[str] | None, problems: ProblemHandler) -> None:
        self.name = name
        self.wanted = wanted
        self.problems = problems
        self.blanks = BlankLines(name, problems, "an element")
        self.elements = 0
        self.characters = 0
        self.first_lines: dict[str, int] = {}  # by document
        self.nested = NestingChecker(name, problems)
        self.current = b""  # the document with which the last block ended
        self.parts: list[ElementColumns] | None = None  # its elements; None if it is not wanted
        self.comments_only: bool | None = None  # None before the first line
        self.damaged: set[bytes] = set()  # documents next to bad lines: what they lack is not reported
        self.after_bad_line = False

    def add(self, block: LineBlock) -> None:
        """Read a block by columns if it is sound, else line by line."""
        if self.comments_only is None:
            self.comments_only = True
        # One byte is found many times faster than two in a row; most structures have no CR and few comments.
        if b"\r" in block.text:
            block = LineBlock(block.first_line, block.lines, block.text.replace(b"\r\n", b"\n"))
        first_line, lines, text = block
        while text.startswith(_COMMENT):
            text = text[text.index(b"\n") + 1 :]
            first_line, lines = first_line + 1, lines - 1
        if not lines:
            return
        block = LineBlock(first_line, lines, text)
        has_comments = b"#" in text and b"\n#" in text
        by_line = has_comments or self.blanks.pending or self.after_bad_line
        table = None if by_line else fast_table(block, STRUCTURE_COLUMNS, tabs=True)
        rows = None if table is None else _split_rows(table)
        if rows is None or not self._add_rows(rows):
            cells, numbers = self._valid_lines(block)
            rows = _split_rows(PlainTable(cells, np.array(numbers))) if cells else None
            if rows is not None:
                self._add_rows(rows)

    def _valid_lines(self, block: LineBlock) -> tuple[list[list[bytes]], list[int]]:
        """Cells and numbers of the valid lines; the others are reported."""
        rows, lines = [], []
        for line, text in block.numbered_lines():
            if text.startswith(_COMMENT) or self.blanks.skip(line, text):
                continue
            self.comments_only = False
            row = text.split(b"\t")
            reason = _line_problem(row)
            if reason is None:
                if self.after_bad_line:
                    self.damaged.add(row[DOCUMENT])
                rows.append(row)
                lines.append(line)
            else:
                self.damaged.update((rows[-1][DOCUMENT] if rows else self.current, row[DOCUMENT]))
                self.problems(InputError(self.name, line, reason))
            self.after_bad_line = reason is not None
        return rows, lines

    def _add_rows(self, rows: _StructureRows) -> bool:
        """Split sound rows into documents; False, with nothing done, if a path is too deep."""
        names, bounds = rows.names, rows.bounds
        parts = {
            number: rows.elements(bounds[number], bounds[number + 1])
            for number, name in enumerate(names)
            if self.wanted is None or name.decode(errors="replace") in self.wanted
        }
        if rows.long_paths and any(path.count(b"/") > MAX_PATH_DEPTH for paths, *_ in parts.values() for path in paths):
            return False
        self.comments_only = False
        self.elements += len(rows.table)
        first = int(names[0] == self.current)  # number of documents that have begun before these rows
        if first and self.parts is not None:
            self.parts.append(parts[0])
        if first < len(names) and not self._begin_all(rows, first, parts):
            for number in range(first, len(names)):
                self._finish()
                self.current = names[number]
                row = bounds[number]
                self._begin(rows.roots[number], int(rows.table.lines[row]), int(rows.length[row]))
                if self.parts is not None:
                    self.parts.append(parts[number])
        self.nested.check()
        return True

    def _begin_all(self, rows: _StructureRows, first: int, parts: Mapping[int, ElementColumns]) -> bool:
        """Begin all documents from number `first` on; False, with nothing done, if one is unusual."""
        names, begin = rows.names[first:], rows.bounds[first:-1]
        try:
            first_lines = dict(
                zip(b"\n".join(names).decode().split("\n"), rows.table.lines[begin].tolist(), strict=True)
            )
        except UnicodeDecodeError:
            return False
        repeated = len(first_lines) < len(names) or not self.first_lines.keys().isdisjoint(first_lines)
        if repeated or not all(map(_is_root, set(rows.roots[first:]))):
            return False
        self._finish()
        self.first_lines |= first_lines
        self.characters += sum(rows.length[begin].tolist())
        for number, part in parts.items():
            if number >= first:
                self.current, self.parts = rows.names[number], [part]
                if number < len(rows.names) - 1:
                    self._finish()
        self.current = rows.names[-1]
        return True

    def _begin(self, path: bytes, line: int, length: int) -> None:
        """Begin the current document, whose first element has to be its root."""
        try:
            document = self.current.decode()
        except UnicodeDecodeError:
            self._report(line, expected_message("document", "UTF-8 text", self.current))
            return
        first_line = self.first_lines.setdefault(document, line)
        if first_line != line:
            first_block = f"(its first began on line {first_line})"
            self._report(line, f"document {quote_value(document)} has a second block of lines {first_block}")
        elif not _is_root(path):
            if self.current not in self.damaged:
                root = f"the root element of document {quote_value(document)} first, as /article[1]"
                self._report(line, expected_message("path", root, path))
        else:
            self.characters += length
            if self.wanted is None or document in self.wanted:
                self.parts = []

    def _finish(self) -> None:
        if self.parts is not None:
            self.nested.add(self.current.decode(), self.parts, damaged=self.current in self.damaged)
            self.parts = None

    def _report(self, line: int, reason: str) -> None:
        """Report a problem of a document, after all problems of previous documents."""
        self.nested.check()
        self.problems(InputError(self.name, line, reason))

    def finish_documents(self) -> Mapping[str, StructureDocument]:
        """The wanted documents, including the last one."""
        self._finish()
        return self.nested.documents()

    def structure(self) -> Structure:
        """The record of all blocks."""
        documents = self.finish_documents()
        if self.comments_only:
            self.problems(InputError(self.name, 1, "the file is empty"))
        return Structure(self.name, self.elements, self.characters, frozenset(self.first_lines), documents, ())


@dataclass(frozen=True, slots=True, eq=False)
class _StructureRows:
    """Sound lines, split into documents: document i has the rows ``bounds[i]:bounds[i + 1]``."""

    table: FastTable | PlainTable
    start: IntArray
    length: IntArray
    bounds: list[int]
    names: list[bytes]
    roots: list[bytes]  # the first path of each document
    long_paths: bool  # whether a path may be too deep; False if all were checked

    def elements(self, begin: int, end: int) -> ElementColumns:
        """The elements in rows ``begin:end``."""
        table, part = self.table, slice(begin, end)
        if isinstance(table, FastTable):
            stop = int(table.begin[end - 1, LENGTH])
            paths = table.text[int(table.begin[begin, DOCUMENT]) : stop].split(b"\t")[PATH :: STRUCTURE_COLUMNS - 1]
        else:
            paths = table.cells(PATH, part)
        return paths, self.start[part], self.length[part], table.lines[part]


def _split_rows(table: FastTable | PlainTable) -> _StructureRows | None:
    """The lines, split into documents; None if a number is bad."""
    extents = parse_extents(table)
    if extents is None:
        return None
    first = table.changed_rows(DOCUMENT)
    long_paths = isinstance(table, FastTable) and bool(table.length[:, PATH].max() > 2 * MAX_PATH_DEPTH)
    names, roots = table.cells(DOCUMENT, first), table.cells(PATH, first)
    return _StructureRows(table, *extents, [*first.tolist(), len(table)], names, roots, long_paths)


def _is_root(path: bytes) -> bool:
    return path.count(b"/") == 1 and path.startswith(b"/")


def _line_problem(row: list[bytes]) -> str | None:
    """What is wrong with a line; None if nothing."""
    if len(row) != STRUCTURE_COLUMNS:
        return f"expected 4 columns separated by tabs, found {len(row)}"
    if not row[DOCUMENT]:
        return "the name of the document is empty"
    if row[PATH].count(b"/") > MAX_PATH_DEPTH:
        return f"elements are nested more than {MAX_PATH_DEPTH} deep"
    for field, cell in (("start", row[START]), ("length", row[LENGTH])):
        number = parse_integer(cell)
        if number is None or number < 0:
            return expected_message(field, "an integer, 0 or more", cell)
    if int(row[START]) > MAX_OFFSET - int(row[LENGTH]):
        return f"start {quote_value(row[START])} and length {quote_value(row[LENGTH])} end {PAST_MAX_OFFSET}"
    return None


def write_structure_text(structure: Structure) -> bytes:
    """Lines of a structure under a header; links are left out."""
    documents = list(structure.documents.values())
    names = structure.documents
    Contents.FIRST_TAB_COLUMN.check(structure.path, "document", names, lambda number: documents[number].lines[0])
    lines = (
        f"{document.name}\t{path}\t{start}\t{length}"
        for document in documents
        for path, start, length in zip(document.paths, document.start.tolist(), document.length.tolist(), strict=True)
    )
    return encode_lines((_HEADER, *lines))
