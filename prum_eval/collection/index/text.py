"""Structure text to trees, some whole documents at once, all of their lines at a time.

What this does not understand (a comment between the lines, a path without positions, any mistake) it leaves to the
reader of structure text, which takes it or says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from prum_eval.arrays import IntArray, sizes_of
from prum_eval.errors import raise_first
from prum_eval.formats.structures.index_trees import Trees
from prum_eval.formats.structures.text import COLUMNS_A_LINE, DOCUMENT, PATH, extents
from prum_eval.numerics.preorder import nesting
from prum_eval.text.element_paths import is_tag
from prum_eval.text.fast_lines import FastTable, fast_table
from prum_eval.text.lines import LineBlock, line_blocks
from prum_eval.text.names import grouped
from prum_eval.text.numbers import LARGEST

CHUNK = 1 << 21
_NEAR = 1 << 12
"""Bytes at the end of a chunk in which its last document is likely to begin."""
_STEP = b"/["
_SLASH, _OPEN, _CLOSE, _ZERO = b"/[]0"
_DEEPEST = 1 << 9


def chunks(stream: BinaryIO, name: str, first_line: int = 1) -> Iterator[LineBlock]:
    """The lines of a structure in blocks of whole documents, about `CHUNK` bytes each.

    Raises:
        InputError: the stream cannot be read.
    """
    held: list[bytes] = []
    size, lines, line, wanted = 0, 0, first_line, CHUNK
    for block in line_blocks(stream, name, raise_first):
        held.append(block.text)
        size, lines = size + len(block.text), lines + block.lines
        if size < wanted:
            continue
        text = b"".join(held)
        cut = _last_border(text)
        wanted = CHUNK if cut else 2 * size  # one document fills it all: look again when there is twice as much
        if cut:
            left = text.count(b"\n", cut)
            yield LineBlock(line, lines - left, text[:cut])
            line, lines = line + lines - left, left
        held, size = [text[cut:]], len(text) - cut
    text = b"".join(held)
    if text:
        yield LineBlock(line, lines, text)


def _last_border(text: bytes) -> int:
    """Where the last document begins, together with comments and blank lines before it; 0 where there is one only."""
    end = len(text)
    while end:
        begin = text.rfind(b"\n", 0, end - 1) + 1
        if not text.startswith((b"#", b"\n", b"\r"), begin):
            break
        end = begin
    else:
        return 0
    document = text[begin : text.find(b"\t", begin, end) + 1] or text[begin:end]
    if text.startswith(document):
        return 0
    near = end
    while near:  # look further and further back for a line of another document: from the front it is far
        near = text.rfind(b"\n", 0, max(0, 2 * near - end - _NEAR)) + 1
        if not text.startswith((document, b"#", b"\n", b"\r"), near):
            break
    border = text.find(b"\n" + document, near) + 1
    while border and text.startswith((b"#", b"\n", b"\r"), before := text.rfind(b"\n", 0, border - 1) + 1):
        border = before
    return border


def parse(block: LineBlock) -> Trees | None:
    """Trees of a block of whole documents, None where there is anything unusual in it."""
    first_line, lines, text = block
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    while text.startswith(b"#"):
        text = text[text.index(b"\n") + 1 :]
        first_line, lines = first_line + 1, lines - 1
    table = fast_table(LineBlock(first_line, lines, text), COLUMNS_A_LINE, tabs=True, marked=_STEP) if lines else None
    found = None if table is None else extents(table)
    return None if table is None or found is None else _Rows(table, *found).trees(first_line)


class _Rows:
    """Lines as trees."""

    def __init__(self, table: FastTable, start: IntArray, length: IntArray) -> None:
        self.table, self.start, self.length = table, start, length
        self.signs = np.frombuffer(table.text, dtype=np.uint8)
        self.words = table.words

    def trees(self, first_line: int) -> Trees | None:
        """The trees, None where anything is unusual."""
        try:
            return self._trees(first_line)
        except _UnusualError:
            return None

    def _trees(self, first_line: int) -> Trees:
        table, start, length = self.table, self.start, self.length
        path = table.begin[:, PATH]
        path_end = path + table.length[:, PATH]
        depth, last_slash, last_open = self._steps(path, path_end)
        roots = table.changes(DOCUMENT)
        _usual(np.array_equal(np.flatnonzero(depth == 1), roots) and (np.diff(depth) <= 1).all())
        parent, size = nesting(depth)
        inner = np.flatnonzero(parent >= 0)
        above = parent[inner]
        self._check_prefixes(path, path_end, last_slash, inner, above)
        end = start + length
        _usual((start[inner] >= start[above]).all() and (end[inner] <= end[above]).all())
        rank = self._numbers(last_open + 1, path_end - 1)
        _usual((self.signs[last_open + 1] != _ZERO).all())
        tag, tags = self._tags(last_slash + 1, last_open)
        _usual(not _repeated(parent, tag, rank, len(tags)))
        bounds = np.append(roots, len(depth))
        begin = table.begin[roots, DOCUMENT]
        names = self._texts(begin, begin + table.length[roots, DOCUMENT])
        parent[inner] -= np.repeat(roots, sizes_of(bounds))[inner]
        return Trees(names, roots + first_line, bounds, tags, tag, rank, parent, size, start, length)

    def _numbers(self, begin: IntArray, end: IntArray) -> IntArray:
        numbers = self.words.integers(begin, end - begin)
        if numbers is None:
            raise _UnusualError
        return numbers

    def _texts(self, begin: IntArray, end: IntArray) -> tuple[str, ...]:
        try:
            spans = zip(begin.tolist(), end.tolist(), strict=True)
            return tuple(self.table.text[first:stop].decode() for first, stop in spans)
        except UnicodeDecodeError:
            raise _UnusualError from None

    def _steps(self, begin: IntArray, end: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Depth of each path, and where the name and the position of its last step begin."""
        marks = self.table.marks
        assert marks is not None  # noqa: S101 - they are asked for
        behind = marks.behind[:, PATH]
        signs = behind - marks.behind[:, PATH - 1] - 1  # two a step: what the path of the parent is compared with
        depth = signs >> 1
        _usual((signs >= 2).all() and not (signs & 1).any() and depth.max() <= _DEEPEST)
        _usual((marks.signs[behind - 2] == _SLASH).all() and (marks.signs[behind - 1] == _OPEN).all())
        _usual((self.signs[begin] == _SLASH).all() and (self.signs[end - 1] == _CLOSE).all())
        return depth, marks.places[behind - 2], marks.places[behind - 1]

    def _check_prefixes(
        self, begin: IntArray, end: IntArray, last_slash: IntArray, inner: IntArray, above: IntArray
    ) -> None:
        """Every path but its last step is the path of the parent."""
        length = (last_slash - begin)[inner]
        _usual((length == (end - begin)[above]).all())
        _usual(not self.words.differ(begin[inner], begin[above], length).any())

    def _tags(self, begin: IntArray, end: IntArray) -> tuple[IntArray, tuple[str, ...]]:
        names = self.words.names(begin, end - begin)
        if names is None:
            raise _UnusualError
        code, rows = grouped(names)
        tags = self._texts(begin[rows], end[rows])
        _usual(all(map(is_tag, tags)))
        return code, tags


class _UnusualError(Exception):
    """What is left to the other reader."""


def _usual(condition: object) -> None:
    if not condition:
        raise _UnusualError


def _repeated(parent: IntArray, tag: IntArray, rank: IntArray, tags: int) -> bool:
    """Whether two siblings have one tag and one rank."""
    ranks = int(rank.max()) + 1
    if len(parent) * tags * ranks >= LARGEST:
        return True  # perhaps: the other reader looks closer
    key = np.sort((parent * tags + tag) * ranks + rank)  # below 0 for roots
    return bool(((key[1:] == key[:-1]) & (key[1:] >= 0)).any())
