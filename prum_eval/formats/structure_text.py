"""Collection structures as text: one element a line, ``document<TAB>path<TAB>start<TAB>length``, in document order."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, overload

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
from prum_eval.text.element_paths import MAX_PATH_DEPTH, PATH_EXAMPLE, normalise_path
from prum_eval.text.lines import BlankLines, FastTable, LineBlock, PlainTable, fast_table, line_blocks
from prum_eval.text.numbers import MAX_OFFSET, PAST_MAX_OFFSET, expected_message, parse_integer, quote_value
from prum_eval.text.streams import Contents, encode_lines

# The elements of one document, listed in document order: is every one inside a parent that is listed before it?


ElementColumns = tuple[Sequence[bytes], IntArray, IntArray, IntArray]
"""Paths, starts, lengths and lines of some elements."""


def make_nested_document(
    document: str, parts: Sequence[ElementColumns], name: str, problems: ProblemHandler, *, damaged: bool
) -> StructureDocument:
    """The document that consists of these parts; every element without a place in the tree is reported and left out.

    Of a `damaged` document, which lost lines, nothing is reported that may be for want of these lines.
    """
    raw = [path for part in parts for path in part[0]]
    start, length, lines = (np.concatenate([part[column] for part in parts]) for column in (1, 2, 3))

    def problem(row: int, reason: str) -> None:
        problems(InputError(name, int(lines[row]), reason))

    paths = _place_elements(raw, start.tolist(), (start + length).tolist(), lines, problem, damaged=damaged)
    kept = list(paths.values())
    if len(kept) != len(raw):
        start, length, lines = start[kept], length[kept], lines[kept]
    return StructureDocument(document, tuple(paths), start, length, lines)


def _place_elements(
    paths: Sequence[bytes],
    start: list[int],
    end: list[int],
    lines: IntArray,
    problem: Callable[[int, str], None],
    *,
    damaged: bool,
) -> dict[str, int]:
    """Paths in normal form and rows of the elements that have a place in the tree."""
    rows: dict[str, int] = {}  # elements so far
    steps: set[str] = set()  # known to be well-formed
    stack: list[str] = []  # the element before and its ancestors
    bad: set[str] = set()  # elements without a place: what lies in them is not reported again
    for row, raw in enumerate(paths):
        path = raw.decode(errors="backslashreplace")
        parent, _, step = path.rpartition("/")
        if step not in steps or parent not in rows:
            normal = normalise_path(path)
            if normal is None:
                problem(row, expected_message("path", PATH_EXAMPLE, raw))
                bad.add(path)
                continue
            path = normal
            parent, _, step = path.rpartition("/")
            steps.add(step)
        depth = path.count("/") - 1
        if path in rows:
            problem(row, f"element {quote_value(path)} is listed twice (first on line {lines[rows[path]]})")
            continue
        if depth > len(stack) or (depth and stack[depth - 1] != parent) or (not depth and stack):
            if parent not in bad and not damaged:
                problem(row, _misplaced_reason(path, parent, rows, lines))
            bad.add(path)
            continue
        if depth and (start[row] < start[rows[parent]] or end[row] > end[rows[parent]]):
            problem(row, _outside_reason(path, parent, row, rows[parent], start, end))
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


def _outside_reason(path: str, parent: str, row: int, parent_row: int, start: list[int], end: list[int]) -> str:
    return (
        f"element {quote_value(path)} from {start[row]} to {end[row]} is outside its parent {quote_value(parent)} "
        f"from {start[parent_row]} to {end[parent_row]}"
    )


# The elements of many documents checked at once: is every one inside a parent that is listed before it?
#
# Documents share most of their paths, so each distinct path is looked at once and has a code. A document in which
# anything is unusual is left to `prum_eval.formats.structure_text`, element by element, which says what is wrong.


_NONE = -1
_PendingDocument = tuple[str, Sequence[ElementColumns], bool]
"""A document, the parts of its elements, and whether it lost lines."""
_COLUMNS = ("path", "parent", "end", "start", "length", "lines")


class _Codes(dict[bytes, int]):
    """The code of each path as it is written; -1 of what is no path. `paths`, `parent`, `depth`: by code.

    A parent has a lower code than its children, -1 of a root; a root has depth 1.
    """

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []
        self.parent, self.depth = array("q"), array("q")
        self._normal: dict[str, int] = {}

    def __missing__(self, raw: bytes) -> int:
        above, _, step = raw.rpartition(b"/")
        parent = self.get(above, _NONE)  # the rule: parents are listed first, and few steps are many paths'
        path = normalise_path((raw if parent < 0 else b"/" + step).decode(errors="backslashreplace"))
        if path is None:
            code = _NONE
        else:
            code = self._code(path) if parent < 0 else self._below(parent, self.paths[parent] + path)
        self[raw] = code
        return code

    def _below(self, parent: int, path: str) -> int:
        """The code of a path whose parent has a code."""
        code = self._normal.setdefault(path, len(self.paths))
        if code == len(self.paths):
            self.paths.append(path)
            self.parent.append(parent)
            self.depth.append(self.depth[parent] + 1)
        return code

    def _code(self, path: str) -> int:
        if path not in self._normal:
            inner, parent = [path], path.rpartition("/")[0]
            while parent and parent not in self._normal:
                inner.append(parent)
                parent = parent.rpartition("/")[0]
            for one in reversed(inner):
                parent = one.rpartition("/")[0]
                above = self._normal[parent] if parent else _NONE
                self._normal[one] = len(self.paths)
                self.paths.append(one)
                self.parent.append(above)
                self.depth.append(self.depth[above] + 1 if parent else 1)
        return self._normal[path]


class NestingChecker:
    """Takes documents, and hands out what is sound in them; every problem is reported in the order of the documents."""

    def __init__(self, name: str, problems: ProblemHandler) -> None:
        self._name = name
        self._problems = problems
        self._waiting: list[_PendingDocument] = []
        self._codes = _Codes()
        self._names: list[str] = []
        self._sizes: list[int] = []
        self._columns = {name: GrowingColumn() for name in _COLUMNS}
        self._odd: dict[str, StructureDocument] = {}
        self._order: list[str] = []

    def add(self, document: str, parts: Sequence[ElementColumns], *, damaged: bool) -> None:
        """Take the elements of a document; of a `damaged` one, which lost lines, nothing that it may lack for that."""
        self._waiting.append((document, parts, damaged))

    def check(self) -> None:
        """Check what was taken since the last check, and report."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        listed = [part for _, parts, _ in waiting for part in parts]
        codes, count = self._codes, sum(len(part[0]) for part in listed)
        path = np.fromiter(map(codes.__getitem__, chain.from_iterable(part[0] for part in listed)), np.int64, count)
        start, length, lines = (np.concatenate([part[column] for part in listed]) for column in (1, 2, 3))
        bounds = group_bounds([sum(len(part[0]) for part in parts) for _, parts, _ in waiting])
        whole = _all_per_document(self._are_plausible(path, bounds), bounds)
        path, start, length, lines = (column[whole[group_numbers(bounds)]] for column in (path, start, length, lines))
        kept = group_bounds(group_sizes(bounds)[whole])
        parent, size, placed = self._place_in_trees(path, start, start + length)
        sound = whole.copy()
        sound[whole] = _all_per_document(placed, kept)
        for (document, parts, damaged), good in zip(waiting, sound.tolist(), strict=True):
            self._order.append(document)
            if good:
                self._names.append(document)
            else:
                self._odd[document] = make_nested_document(document, parts, self._name, self._problems, damaged=damaged)
        self._sizes += group_sizes(bounds)[sound].tolist()
        rows = sound[whole][group_numbers(kept)]
        place = concatenated_ranges(0, group_sizes(kept))
        up = np.where(parent < 0, _NONE, parent - np.arange(len(path)) + place)
        for name, column in zip(_COLUMNS, (path, up, place + size, start, length, lines), strict=True):
            self._columns[name].add(column[rows])

    def documents(self) -> Mapping[str, StructureDocument]:
        """All documents that were taken, in that order."""
        self.check()
        path, parent, end, start, length, lines = (self._columns[name].take_array() for name in _COLUMNS)
        columns = TreeColumns(
            tuple(self._names),
            group_bounds(self._sizes),
            self._codes.paths,
            path,
            parent,
            end,
            start,
            length,
            lines=lines,
        )
        found = ColumnDocuments(columns)
        if not self._odd:
            return found
        return {name: self._odd[name] if name in self._odd else found[name] for name in self._order}

    def _are_plausible(self, path: IntArray, bounds: IntArray) -> BoolArray:
        """Whether each element is the root and first, or is at most one level below the one before, and is new."""
        coded = path >= 0
        if not coded.any():
            return coded
        depth = np.frombuffer(self._codes.depth, np.int64)[path]
        first = np.zeros(len(path), dtype=np.bool_)
        first[bounds[:-1]] = True
        below = np.append(False, depth[1:] <= depth[:-1] + 1)
        listed: BoolArray = coded & np.where(first, depth == 1, (depth > 1) & below)
        return listed & _is_first_occurrence(path, group_numbers(bounds), len(self._codes.paths))

    def _place_in_trees(self, path: IntArray, start: IntArray, end: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
        """Row of the parent, -1 of a root, size of the subtree, and whether the element is in the parent of its path.

        The last element one level up has to be that parent, and its extent to hold the element's.
        """
        if not len(path):
            return path, path, np.zeros(0, dtype=np.bool_)
        parent, size = nesting_from_depths(np.frombuffer(self._codes.depth, np.int64)[path])
        above = np.frombuffer(self._codes.parent, np.int64)[path]
        inside = (path[parent] == above) & (start >= start[parent]) & (end <= end[parent])
        return parent, size, inside | (parent < 0)


def _is_first_occurrence(path: IntArray, document: IntArray, paths: int) -> BoolArray:
    """Whether no element before has the same document and path."""
    key = document * (paths + 1) + path
    order = np.argsort(key, kind="stable")
    found = np.ones(len(path), dtype=np.bool_)
    found[order[1:]] = key[order[1:]] != key[order[:-1]]
    return found


def _all_per_document(flags: BoolArray, bounds: IntArray) -> BoolArray:
    """Whether all flags of each document are set; every document has some."""
    found: BoolArray = np.logical_and.reduceat(flags, bounds[:-1]) if len(flags) else flags
    return found


STRUCTURE_COLUMNS = 4
DOCUMENT, PATH, START, LENGTH = range(STRUCTURE_COLUMNS)


def parse_extents(table: FastTable | PlainTable) -> tuple[IntArray, IntArray] | None:
    """Starts and lengths of the elements; None where a pair is not two numbers, 0 or more, that make an extent."""
    start, length = table.integers(START), table.integers(LENGTH)
    if start is None or length is None or start.min() < 0 or length.min() < 0 or (start > MAX_OFFSET - length).any():
        return None
    return start, length


_COMMENT = b"#"
_HEAD = "#document\tpath\tstart\tlength"

_Row = list[bytes]


def read_structure_text(
    stream: BinaryIO, name: str, wanted: Container[str] | None, problems: ProblemHandler
) -> Structure:
    """Read a structure of lines; those that start with ``#`` are comments.

    Every bad line is reported and left out. The nesting of elements is checked in wanted documents.
    """
    reader = _TextReader(name, wanted, problems)
    for block in line_blocks(stream, name, problems):
        reader.add(block)
    return reader.structure()


def parse_document_block(block: LineBlock, name: str, problems: ProblemHandler) -> list[StructureDocument]:
    """The documents of a block of lines that holds them whole."""
    reader = _TextReader(name, None, problems)
    reader.add(block)
    return list(reader.finish_documents().values())


class _TextReader:
    """Takes blocks of lines, cuts them at the borders of documents, keeps the rows of the wanted ones."""

    def __init__(self, name: str, wanted: Container[str] | None, problems: ProblemHandler) -> None:
        self.name = name
        self.wanted = wanted
        self.problems = problems
        self.blanks = BlankLines(name, problems, "an element")
        self.elements = 0
        self.characters = 0
        self.names: dict[str, int] = {}  # and the line on which the document begins
        self.nested = NestingChecker(name, problems)
        self.current = b""  # the document that the last block ended with
        self.parts: list[ElementColumns] | None = None  # its elements, where it is wanted
        self.comments_only: bool | None = None  # None before the first line
        self.damaged: set[bytes] = set()  # documents around bad lines: what they lack is not reported
        self.after_bad_line = False

    def add(self, block: LineBlock) -> None:
        """Take a block: at once where it is sound, else line by line."""
        if self.comments_only is None:
            self.comments_only = True
        # One byte is found many times faster than two in a row, and most structures have neither of these.
        if b"\r" in block.text:
            block = LineBlock(block.first_line, block.lines, block.text.replace(b"\r\n", b"\n"))
        block = _without_head(block)
        if not block.lines:
            return
        commented = b"#" in block.text and b"\n#" in block.text
        by_line = commented or self.blanks.pending or self.after_bad_line
        table = None if by_line else fast_table(block, STRUCTURE_COLUMNS, tabs=True)
        sound = None if table is None else _rows(table)
        if sound is None or not self._take(sound):
            good, lines = self._good_lines(block)
            rows = _rows(PlainTable(good, np.array(lines))) if good else None
            if rows is not None:
                self._take(rows)

    def _good_lines(self, block: LineBlock) -> tuple[list[_Row], list[int]]:
        rows, lines = [], []
        for line, text in block.numbered_lines():
            if text.startswith(_COMMENT) or self.blanks.skip(line, text):
                continue
            self.comments_only = False
            row = text.split(b"\t")
            reason = _reason(row)
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

    def _take(self, rows: _StructureRows) -> bool:
        """Cut sound rows at the borders of documents; False, with nothing done, where a path is too deep."""
        names, bounds = rows.names, rows.bounds
        wanted = [
            place for place, name in enumerate(names)
            if self.wanted is None or name.decode(errors="replace") in self.wanted
        ]  # fmt: skip
        parts = {place: rows.elements(bounds[place], bounds[place + 1]) for place in wanted}
        if rows.long_paths and any(_is_deep(path) for own, *_ in parts.values() for path in own):
            return False
        self.comments_only = False
        self.elements += len(rows.table)
        before = int(names[0] == self.current)  # documents that have begun before these rows
        if before and self.parts is not None:
            self.parts.append(parts[0])
        if before < len(names) and not self._begin_all(rows, before, parts):
            for place in range(before, len(names)):
                self._finish()
                self.current = names[place]
                self._begin(rows.roots[place], *rows.document_start(place))
                if self.parts is not None:
                    self.parts.append(parts[place])
        self.nested.check()
        return True

    def _begin_all(self, rows: _StructureRows, first: int, parts: Mapping[int, ElementColumns]) -> bool:
        """Take all documents of some rows but the first ones; False, with nothing done, where one is unusual."""
        names, lines, lengths = rows.names[first:], *(column[first:] for column in rows.document_start(slice(None)))
        try:
            new = dict(zip(b"\n".join(names).decode().split("\n"), lines, strict=True))
        except UnicodeDecodeError:
            return False
        known = len(new) < len(names) or not self.names.keys().isdisjoint(new)
        if known or not all(map(_is_root, set(rows.roots[first:]))):
            return False
        self._finish()
        self.names |= new
        self.characters += sum(lengths)
        for place, part in parts.items():
            if place >= first:
                self.current, self.parts = rows.names[place], [part]
                if place < len(rows.names) - 1:
                    self._finish()
        self.current = rows.names[-1]
        return True

    def _begin(self, path: bytes, line: int, length: int) -> None:
        """Note a document, whose first element has to be its root, and look whether it is wanted."""
        try:
            document = self.current.decode()
        except UnicodeDecodeError:
            self._report(line, expected_message("document", "UTF-8 text", self.current))
            return
        before = self.names.setdefault(document, line)
        if before != line:
            reason = f"document {quote_value(document)} has a second block of lines (its first began on line {before})"
            self._report(line, reason)
        elif not _is_root(path):
            if self.current not in self.damaged:
                reason = expected_message(
                    "path", f"the root element of document {quote_value(document)} first, as /article[1]", path
                )
                self._report(line, reason)
        else:
            self.characters += length
            if self.wanted is None or document in self.wanted:
                self.parts = []

    def _finish(self) -> None:
        if self.parts is not None:
            self.nested.add(self.current.decode(), self.parts, damaged=self.current in self.damaged)
            self.parts = None

    def _report(self, line: int, reason: str) -> None:
        """Report what is wrong with a document, after all that is wrong with those before it."""
        self.nested.check()
        self.problems(InputError(self.name, line, reason))

    def finish_documents(self) -> Mapping[str, StructureDocument]:
        """The wanted documents, the last one too."""
        self._finish()
        return self.nested.documents()

    def structure(self) -> Structure:
        """The record of all that was taken."""
        documents = self.finish_documents()
        if self.comments_only:
            self.problems(InputError(self.name, 1, "the file is empty"))
        return Structure(self.name, self.elements, self.characters, frozenset(self.names), documents, ())


@dataclass(frozen=True, slots=True, eq=False)
class _StructureRows:
    """Sound lines, cut where documents begin: document i has the rows ``bounds[i]:bounds[i + 1]``."""

    table: FastTable | PlainTable
    start: IntArray
    length: IntArray
    bounds: list[int]
    names: list[bytes]
    roots: list[bytes]  # the first path of each document
    long_paths: bool  # whether any is as long as a path that is too deep

    def elements(self, begin: int, end: int) -> ElementColumns:
        """The elements in some rows that follow each other."""
        table, part = self.table, slice(begin, end)
        if isinstance(table, FastTable):
            stop = int(table.begin[end - 1, LENGTH])
            paths = table.text[int(table.begin[begin, DOCUMENT]) : stop].split(b"\t")[PATH :: STRUCTURE_COLUMNS - 1]
        else:
            paths = table.cells(PATH, part)
        return paths, self.start[part], self.length[part], table.lines[part]

    @overload
    def document_start(self, place: int) -> tuple[int, int]: ...
    @overload
    def document_start(self, place: slice) -> tuple[list[int], list[int]]: ...
    def document_start(self, place: int | slice) -> tuple[int | list[int], int | list[int]]:
        """The line on which a document begins here, or some do, and the length of its first element."""
        first = np.array(self.bounds[:-1])[place]
        return self.table.lines[first].tolist(), self.length[first].tolist()


def _rows(table: FastTable | PlainTable) -> _StructureRows | None:
    """None where a number is bad."""
    found = parse_extents(table)
    if found is None:
        return None
    borders = table.changed_rows(DOCUMENT)
    bounds = [*borders.tolist(), len(table)]
    long = isinstance(table, FastTable) and bool(
        table.length[:, PATH].max() > 2 * MAX_PATH_DEPTH
    )  # others were looked at
    return _StructureRows(table, *found, bounds, table.cells(DOCUMENT, borders), table.cells(PATH, borders), long)


def _without_head(block: LineBlock) -> LineBlock:
    """The block from its first line that is no comment."""
    first_line, lines, text = block
    while text.startswith(_COMMENT):
        text = text[text.index(b"\n") + 1 :]
        first_line, lines = first_line + 1, lines - 1
    return LineBlock(first_line, lines, text)


def _is_root(path: bytes) -> bool:
    return path.count(b"/") == 1 and path.startswith(b"/")


def _is_deep(path: bytes) -> bool:
    return path.count(b"/") > MAX_PATH_DEPTH


def _reason(row: _Row) -> str | None:
    """What is wrong with one line, None where nothing is."""
    if len(row) != STRUCTURE_COLUMNS:
        return f"expected 4 columns separated by tabs, found {len(row)}"
    if not row[DOCUMENT]:
        return "the name of the document is empty"
    if _is_deep(row[PATH]):
        return f"elements are nested more than {MAX_PATH_DEPTH} deep"
    for field, cell in (("start", row[START]), ("length", row[LENGTH])):
        number = parse_integer(cell)
        if number is None or number < 0:
            return expected_message(field, "an integer, 0 or more", cell)
    if int(row[START]) > MAX_OFFSET - int(row[LENGTH]):
        return f"start {quote_value(row[START])} and length {quote_value(row[LENGTH])} end {PAST_MAX_OFFSET}"
    return None


def write_structure_text(structure: Structure) -> bytes:
    """An element a line: ``document<TAB>path<TAB>start<TAB>length``; links have no place in it."""
    documents = list(structure.documents.values())
    Contents.FIRST_TAB_COLUMN.check(
        structure.path, "document", structure.documents, lambda number: documents[number].lines[0]
    )
    return encode_lines((_HEAD, *_text_lines(documents)))


def _text_lines(documents: Sequence[StructureDocument]) -> Iterator[str]:
    for document in documents:
        rows = zip(document.paths, document.start.tolist(), document.length.tolist(), strict=True)
        for path, start, length in rows:
            yield f"{document.name}\t{path}\t{start}\t{length}"
