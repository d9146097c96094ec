"""Collection structures as text: one element a line, ``document<TAB>path<TAB>start<TAB>length``, in document order."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import BinaryIO

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
        sound = None if commented or self.blanks.pending else fast_table(block, COLUMNS_A_LINE, tabs=True)
        if sound is None or not self._take(sound):
            good, lines = self._good_lines(block)
            if good:
                self._take(PlainTable(good, np.array(lines)))

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

    def _take(self, table: FastTable | PlainTable) -> bool:
        """Cut sound rows at the borders of documents; False, with nothing done, where a number is bad."""
        found = extents(table)
        if found is None:
            return False
        (start, length), lines = found, table.lines
        borders = table.changes(DOCUMENT)
        names, roots = table.cells(DOCUMENT, borders), table.cells(PATH, borders)
        bounds = np.append(borders, len(lines)).tolist()
        wanted = [self.wanted is None or name.decode(errors="replace") in self.wanted for name in names]
        found_paths = table.cells(PATH, np.flatnonzero(np.repeat(wanted, np.diff(bounds))))
        if max(map(len, found_paths), default=0) > 2 * DEEPEST and any(map(_is_deep, found_paths)):
            return False
        self.comments_only = False
        self.elements += len(lines)
        paths = iter(found_paths)
        for name, root, is_wanted, (begin, end) in zip(names, roots, wanted, pairwise(bounds), strict=True):
            part = slice(begin, end)
            own = list(islice(paths, end - begin)) if is_wanted else []
            if name != self.current:
                self._finish()
                self.current = name
                self._begin(root, int(length[begin]), int(lines[begin]))
            if self.parts is not None:
                self.parts.append((own, start[part], length[part], lines[part]))
        self.nested.check()
        return True

    def _begin(self, path: bytes, length: int, line: int) -> None:
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
        elif path.count(b"/") != 1 or not path.startswith(b"/"):
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


def _without_head(block: LineBlock) -> LineBlock:
    """The block from its first line that is no comment."""
    first_line, lines, text = block
    while text.startswith(_COMMENT):
        text = text[text.index(b"\n") + 1 :]
        first_line, lines = first_line + 1, lines - 1
    return LineBlock(first_line, lines, text)


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
