"""Collection structures as text: one element a line, ``document<TAB>path<TAB>start<TAB>length``, in document order."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, overload

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.errors import InputError, Problems
from prum_eval.formats.structures.nested_columns import NestedColumns
from prum_eval.formats.structures.nesting import ListedElements
from prum_eval.records.structure import Structure, StructureDocument
from prum_eval.text.element_paths import DEEPEST
from prum_eval.text.fast_lines import FastTable, fast_table
from prum_eval.text.lines import BlankLines, LineBlock, PlainTable, line_blocks
from prum_eval.text.numbers import FARTHEST, PAST, expected, integer, shown
from prum_eval.text.writing import Holds, joined_lines

COLUMNS_A_LINE = 4
DOCUMENT, PATH, START, LENGTH = range(COLUMNS_A_LINE)


def extents(table: FastTable | PlainTable) -> tuple[IntArray, IntArray] | None:
    """Starts and lengths of the elements; None where a pair is not two numbers, 0 or more, that make an extent."""
    start, length = table.integers(START), table.integers(LENGTH)
    if start is None or length is None or start.min() < 0 or length.min() < 0 or (start > FARTHEST - length).any():
        return None
    return start, length


_COMMENT = b"#"
_HEAD = "#document\tpath\tstart\tlength"

_Row = list[bytes]


def read_structure_text(stream: BinaryIO, name: str, wanted: Container[str] | None, problems: Problems) -> Structure:
    """Read a structure of lines; those that start with ``#`` are comments.

    Every bad line is reported and left out. The nesting of elements is checked in wanted documents.
    """
    reader = _TextReader(name, wanted, problems)
    for block in line_blocks(stream, name, problems):
        reader.add(block)
    return reader.structure()


def documents_of(block: LineBlock, name: str, problems: Problems) -> list[StructureDocument]:
    """The documents of a block of lines that holds them whole."""
    reader = _TextReader(name, None, problems)
    reader.add(block)
    return list(reader.finished().values())


class _TextReader:
    """Takes blocks of lines, cuts them at the borders of documents, keeps the rows of the wanted ones."""

    def __init__(self, name: str, wanted: Container[str] | None, problems: Problems) -> None:
        self.name = name
        self.wanted = wanted
        self.problems = problems
        self.blanks = BlankLines(name, problems, "an element")
        self.elements = 0
        self.characters = 0
        self.names: dict[str, int] = {}  # and the line on which the document begins
        self.nested = NestedColumns(name, problems)
        self.current = b""  # the document that the last block ended with
        self.parts: list[ListedElements] | None = None  # its elements, where it is wanted
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
        table = None if by_line else fast_table(block, COLUMNS_A_LINE, tabs=True)
        sound = None if table is None else _rows(table)
        if sound is None or not self._take(sound):
            good, lines = self._good_lines(block)
            rows = _rows(PlainTable(good, np.array(lines))) if good else None
            if rows is not None:
                self._take(rows)

    def _good_lines(self, block: LineBlock) -> tuple[list[_Row], list[int]]:
        rows, lines = [], []
        for line, text in block.numbered():
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

    def _take(self, rows: _Rows) -> bool:
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
                self._begin(rows.roots[place], *rows.at(place))
                if self.parts is not None:
                    self.parts.append(parts[place])
        self.nested.check()
        return True

    def _begin_all(self, rows: _Rows, first: int, parts: Mapping[int, ListedElements]) -> bool:
        """Take all documents of some rows but the first ones; False, with nothing done, where one is unusual."""
        names, lines, lengths = rows.names[first:], *(column[first:] for column in rows.at(slice(None)))
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
            self._report(line, expected("document", "UTF-8 text", self.current))
            return
        before = self.names.setdefault(document, line)
        if before != line:
            reason = f"document {shown(document)} has a second block of lines (its first began on line {before})"
            self._report(line, reason)
        elif not _is_root(path):
            if self.current not in self.damaged:
                reason = expected("path", f"the root element of document {shown(document)} first, as /article[1]", path)
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

    def finished(self) -> Mapping[str, StructureDocument]:
        """The wanted documents, the last one too."""
        self._finish()
        return self.nested.documents()

    def structure(self) -> Structure:
        """The record of all that was taken."""
        documents = self.finished()
        if self.comments_only:
            self.problems(InputError(self.name, 1, "the file is empty"))
        return Structure(self.name, self.elements, self.characters, frozenset(self.names), documents, ())


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Sound lines, cut where documents begin: document i has the rows ``bounds[i]:bounds[i + 1]``."""

    table: FastTable | PlainTable
    start: IntArray
    length: IntArray
    bounds: list[int]
    names: list[bytes]
    roots: list[bytes]  # the first path of each document
    long_paths: bool  # whether any is as long as a path that is too deep

    def elements(self, begin: int, end: int) -> ListedElements:
        """The elements in some rows that follow each other."""
        table, part = self.table, slice(begin, end)
        if isinstance(table, FastTable):
            stop = int(table.begin[end - 1, LENGTH])
            paths = table.text[int(table.begin[begin, DOCUMENT]) : stop].split(b"\t")[PATH :: COLUMNS_A_LINE - 1]
        else:
            paths = table.cells(PATH, part)
        return paths, self.start[part], self.length[part], table.lines[part]

    @overload
    def at(self, place: int) -> tuple[int, int]: ...
    @overload
    def at(self, place: slice) -> tuple[list[int], list[int]]: ...
    def at(self, place: int | slice) -> tuple[int | list[int], int | list[int]]:
        """The line on which a document begins here, or some do, and the length of its first element."""
        first = np.array(self.bounds[:-1])[place]
        return self.table.lines[first].tolist(), self.length[first].tolist()


def _rows(table: FastTable | PlainTable) -> _Rows | None:
    """None where a number is bad."""
    found = extents(table)
    if found is None:
        return None
    borders = table.changes(DOCUMENT)
    bounds = [*borders.tolist(), len(table)]
    long = isinstance(table, FastTable) and bool(table.length[:, PATH].max() > 2 * DEEPEST)  # others were looked at
    return _Rows(table, *found, bounds, table.cells(DOCUMENT, borders), table.cells(PATH, borders), long)


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
    return path.count(b"/") > DEEPEST


def _reason(row: _Row) -> str | None:
    """What is wrong with one line, None where nothing is."""
    if len(row) != COLUMNS_A_LINE:
        return f"expected 4 columns separated by tabs, found {len(row)}"
    if not row[DOCUMENT]:
        return "the name of the document is empty"
    if _is_deep(row[PATH]):
        return f"elements are nested more than {DEEPEST} deep"
    for field, cell in (("start", row[START]), ("length", row[LENGTH])):
        number = integer(cell)
        if number is None or number < 0:
            return expected(field, "an integer, 0 or more", cell)
    if int(row[START]) > FARTHEST - int(row[LENGTH]):
        return f"start {shown(row[START])} and length {shown(row[LENGTH])} end {PAST}"
    return None


def write_structure_text(structure: Structure) -> bytes:
    """An element a line: ``document<TAB>path<TAB>start<TAB>length``; links have no place in it."""
    documents = list(structure.documents.values())
    Holds.FIRST_TAB_COLUMN.check(
        structure.path, "document", structure.documents, lambda number: documents[number].lines[0]
    )
    return joined_lines((_HEAD, *_text_lines(documents)))


def _text_lines(documents: Sequence[StructureDocument]) -> Iterator[str]:
    for document in documents:
        rows = zip(document.paths, document.start.tolist(), document.length.tolist(), strict=True)
        for path, start, length in rows:
            yield f"{document.name}\t{path}\t{start}\t{length}"
