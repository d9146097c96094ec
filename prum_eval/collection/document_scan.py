"""Scanning of documents: tags, nesting and counted characters, as `TreeBatch`.

Two ways lead from a document to a batch. `scan_trees` takes many serialised documents and finds their tags with array
operations: the serialiser of lxml writes no comments, instructions or CDATA, ``<`` begins a tag and ``>`` ends one, and
lines end with line feeds. Asking the tree of lxml element by element takes several times as long as parsing does.
`read_streamed` reads one document that is too large for a tree, with the memory of a path of open elements.

Positions count characters (not bytes), with every run of white space as one unless `raw`; `concatenate_trees` joins
batches.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from prum_eval.arrays import BoolArray, IntArray, group_bounds, group_sizes
from prum_eval.collection.trees import match_tags
from prum_eval.errors import InputError
from prum_eval.formats.structure_index import TreeBatch
from prum_eval.text.element_paths import is_tag, sanitise_tag
from prum_eval.text.lines import PADDING, WORD_BYTES, PackedText, count_true_before, tag_names, unpack_names
from prum_eval.text.names import group_names
from prum_eval.text.xml import PARSER_OPTIONS, feed_parser, safe_chunks, utf_8_chunks

if TYPE_CHECKING:
    import io

    from lxml import etree


_SEPARATOR = b"\x00"  # before, between and behind documents, none of which can contain it
_SINGLE_CHARACTER_ENTITIES = (b"&lt;", b"&gt;", b"&amp;")
_REFERENCE = re.compile(rb"&(?:#(x?)([0-9A-Fa-f]+)|[^;]*);")
_LESS, _GREATER, _SLASH, _LAST_BLANK = b"<>/ "
_NAME = re.compile(rb"[^ />]+")
_LONG = (1 << 64) - 1  # second word of the code of a long name: bytes that no UTF-8 text contains
_LONG_BLANKS = [chr(code).encode() for code in range(128, 0x3001) if chr(code).isspace()]
_BLANK_WORDS = np.array([int.from_bytes(blank, "little") for blank in _LONG_BLANKS], dtype=np.uint64)
_BLANK_SECOND = np.zeros(256, dtype=np.bool_)
_BLANK_SECOND[[blank[1] for blank in _LONG_BLANKS]] = True
_CHUNK = 1 << 20  # bytes per read of a streamed document
_BLANKS = re.compile(r"\s+")
_COLUMNS = ("rank", "parent", "size", "start", "length")


def scan_trees(names: Sequence[str], bodies: Sequence[bytes], *, raw: bool) -> TreeBatch:
    """Trees of named serialised documents; `raw` counts each white-space character.

    A character that HTML allows in a name and no path can have is `_` in the tree.
    """
    return _Tags(plain_markup(bodies)).trees(tuple(names), raw=raw)


def plain_markup(bodies: Iterable[bytes]) -> bytes:
    """Joined documents with one character per reference, padded to whole words."""
    parts = [PADDING, *map(_replace_references, bodies), PADDING]
    parts[-1] += bytes(-(sum(map(len, parts)) + len(parts) - 1) % WORD_BYTES)
    return _SEPARATOR.join(parts)


def _replace_references(body: bytes) -> bytes:
    """Serialised document with a blank or `x` per reference; unknown entities are dropped."""

    def character(reference: re.Match[bytes]) -> bytes:
        if reference[2] is None:
            return b""
        return b" " if chr(int(reference[2], 16 if reference[1] else 10)).isspace() else b"x"

    if b"&" in body:
        for entity in _SINGLE_CHARACTER_ENTITIES:
            body = body.replace(entity, b"x")
    return _REFERENCE.sub(character, body) if b"&" in body else body


class _Tags:
    """The tags of a text and the characters before each."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.bytes = np.frombuffer(text, dtype=np.uint8)
        self.marks = np.flatnonzero((self.bytes | (_LESS ^ _GREATER)) == _GREATER)
        self.at = np.flatnonzero(self.bytes[self.marks] == _LESS)  # the next mark ends the tag
        self.low, self.high = self.marks[self.at], self.marks[self.at + 1]
        self.closing = self.bytes[self.low + 1] == _SLASH
        self.opening = np.flatnonzero(~self.closing)
        self.words = PackedText(text)
        self.names, is_long = tag_names(self.words, self.low[self.opening] + 1)
        # Names that are too long for two words get a number instead.
        rows = np.flatnonzero(is_long)
        codes: dict[bytes, int] = {}
        for row, place in zip(rows.tolist(), (self.low[self.opening[rows]] + 1).tolist(), strict=True):
            name = _NAME.match(self.text, place)[0]  # type: ignore[index]
            self.names[:, row] = codes.setdefault(name, len(codes)), _LONG
        self.long_names = [name.decode() for name in codes]

    def trees(self, names: tuple[str, ...], *, raw: bool) -> TreeBatch:
        """Trees of all documents, each with one root."""
        closing, opening = self.closing, self.opening
        empty = (self.bytes[self.high - 1] == _SLASH) & ~closing
        closed = closing | empty
        level = np.cumsum(~closing) - np.cumsum(closed) + closed  # depth of the element of the tag
        roots = np.flatnonzero(level[opening] == 1)
        bounds = np.append(roots, len(opening))
        parent, size, last, order = match_tags(level, closing, empty)
        position = self._positions(opening[roots], raw=raw)
        start = position[opening]
        tag, tags = self._tags()
        rank = _ranks(parent, tag, order, len(tags))
        offsets = np.repeat(np.stack([roots, start[roots]]), group_sizes(bounds), axis=1)
        lines = np.full(len(names), -1, dtype=np.int64)
        up = np.where(parent < 0, -1, parent - offsets[0])
        return TreeBatch(names, lines, bounds, tags, tag, rank, up, size, start - offsets[1], position[last] - start)

    def _tags(self) -> tuple[IntArray, tuple[str, ...]]:
        """Name code of each element, and the names."""
        tag, rows = group_names(self.names)
        names = self.names[:, rows]
        tags = [
            self.long_names[number] if mark == _LONG else name.decode()
            for number, mark, name in zip(*names.tolist(), unpack_names(names), strict=True)
        ]
        if not all(map(is_tag, tags)):
            codes: dict[str, int] = {}
            sanitised = np.array([codes.setdefault(sanitise_tag(name), len(codes)) for name in tags], dtype=np.int64)
            tag, tags = sanitised[tag], list(codes)
        return tag, tuple(tags)

    def _positions(self, roots: IntArray, *, raw: bool) -> IntArray:
        """Number of characters of text before each tag, over all documents."""
        counted = self.bytes.view(np.int8) >= -64  # not the continuation of a character
        if not raw:
            solid = self._solid()
            solid[self.low[roots] - 1] = True  # separators
            counted[1:] &= solid[1:] | solid[:-1]
        before = count_true_before(counted, self.marks)
        length = before[self.at]
        length[1:] -= before[self.at[:-1] + 1] + 1
        if not raw:  # blanks on both sides of a tag count once
            begin, end = self.high[:-1] + 1, self.low[1:]
            filled = np.flatnonzero(end > begin)
            length[filled[1:] + 1] -= ~(solid[begin[filled[1:]]] | solid[end[filled[:-1]] - 1])
        return np.cumsum(length)

    def _solid(self) -> BoolArray:
        """Mask of the bytes that are not white space."""
        solid = self.bytes > _LAST_BLANK
        if not self.text.isascii():
            # White space beyond ASCII has two bytes after C2, three after E1, E2 or E3.
            place = np.flatnonzero((self.bytes == 0xC2) | (self.bytes - np.uint8(0xE1) <= 2))
            place = place[_BLANK_SECOND[self.bytes[place + 1]]]
            word = self.words.words_at(place)
            two, three = (place[np.isin(word & np.uint64(mask), _BLANK_WORDS)] for mask in (0xFFFF, 0xFFFFFF))
            for blank in (two, two + 1, three, three + 1, three + 2):
                solid[blank] = False
        return solid


def _ranks(parent: IntArray, tag: IntArray, order: IntArray, tags: int) -> IntArray:
    """Position of each element among siblings of its tag; `order` groups siblings."""
    by_tag = order[np.argsort(tag[order].astype(np.min_scalar_type(tags)), kind="stable")]  # a fast radix sort
    is_first = np.ones(len(tag), dtype=np.bool_)
    is_first[1:] = (np.diff(tag[by_tag]) != 0) | (np.diff(parent[by_tag]) != 0)
    place = np.arange(len(tag))
    rank = np.empty(len(tag), dtype=np.int64)
    rank[by_tag] = place - np.maximum.accumulate(np.where(is_first, place, 0)) + 1
    rank[parent < 0] = 1
    return rank


def read_streamed(stream: BinaryIO | io.FileIO, shown: str, name: str, *, raw: bool) -> TreeBatch:
    """Tree of an XML document, read in chunks.

    Args:
        stream: the bytes of the document.
        shown: name of the file in messages.
        name: name of the document in the index.
        raw: count each white-space character.

    Raises:
        InputError: it is not well-formed, declares entities, cannot be decoded or read, or is nested too deep.
    """
    from lxml import etree

    elements = _Elements(raw=raw)
    parser: Any = etree.XMLPullParser(("start", "end"), recover=True, **PARSER_OPTIONS)  # recovers undeclared prefixes
    chunks = safe_chunks(utf_8_chunks(_chunks(stream, shown), shown), shown, standalone=False)
    for chunk in chain(chunks, (None,)):
        problem = feed_parser(parser, chunk, shown, undeclared=True)
        if problem is not None:
            raise problem
        for event, element in parser.read_events():
            (elements.begin if event == "start" else elements.end)(element)
    return elements.trees(name)


def _chunks(stream: BinaryIO | io.FileIO, shown: str) -> Iterator[bytes]:
    try:
        while chunk := stream.read(_CHUNK):
            yield chunk
    except OSError as error:
        raise InputError(shown, None, f"cannot be read: {error.strerror}") from error


class _Elements:
    """Rows of elements as they begin and end; counted elements are removed from the tree."""

    def __init__(self, *, raw: bool) -> None:
        self._raw = raw
        self._characters = 0
        self._after_blank = False
        self._names: dict[str, int] = {}
        self._codes: dict[tuple[str, str | None], int] = {}  # by tag and prefix in the tree
        self._open: list[tuple[etree._Element, int, dict[int, int]]] = []  # element, number, number of children by tag
        self._inside = False  # whether the text of the innermost element is counted
        self._columns = tuple(array("q") for _ in range(6))
        self._tag, _, _, self._size, self._start, self._length = self._columns

    def begin(self, element: etree._Element) -> None:
        """Add a row for an element; count the text before it."""
        key = str(element.tag), element.prefix
        tag = self._codes.get(key)
        if tag is None:
            local, prefix = key[0].rpartition("}")[2], element.prefix
            name = f"{prefix}:{local}" if prefix else local
            tag = self._codes[key] = self._names.setdefault(name, len(self._names))
        number, rank, parent = len(self._tag), 1, -1
        if self._open:
            outer, parent, ranks = self._open[-1]
            rank = ranks[tag] = ranks.get(tag, 0) + 1
            self._count_inside(outer)
            while (before := outer[0]) is not element:
                self._count(before.tail)
                del outer[0]
        self._open.append((element, number, {}))
        self._inside = False
        for column, value in zip(self._columns, (tag, rank, parent, 0, self._characters, 0), strict=True):
            column.append(value)

    def end(self, element: etree._Element) -> None:
        """Complete the row of an element; count the rest of its text."""
        _, number, _ = self._open.pop()
        self._count_inside(element)
        for child in element:
            self._count(child.tail)
        del element[:]
        self._inside = True  # of the enclosing element
        self._size[number] = len(self._tag) - number
        self._length[number] = self._characters - self._start[number]

    def _count_inside(self, element: etree._Element) -> None:
        if not self._inside:
            self._count(element.text)
            self._inside = True

    def _count(self, text: str | None) -> None:
        if text and self._raw:
            self._characters += len(text)
        elif text:
            text = _BLANKS.sub(" ", text)
            self._characters += len(text) - (self._after_blank and text[0] == " ")
            self._after_blank = text[-1] == " "

    def trees(self, name: str) -> TreeBatch:
        """All elements, as the tree of the document `name`."""
        columns: list[IntArray] = [np.array(column, dtype=np.int64) for column in self._columns]
        return TreeBatch((name,), np.array([-1]), np.array([0, len(self._tag)]), tuple(self._names), *columns)


def concatenate_trees(parts: list[TreeBatch]) -> TreeBatch | None:
    """All trees as one batch; None if there are none."""
    if len(parts) < 2:
        return parts[0] if parts else None
    codes: dict[str, int] = {}
    tag = []
    for part in parts:
        common_codes = np.array([codes.setdefault(name, len(codes)) for name in part.tags], dtype=np.int64)
        tag.append(common_codes[part.tag])
    counts = np.concatenate([group_sizes(part.bounds) for part in parts])
    columns = (np.concatenate([getattr(part, field) for part in parts]) for field in _COLUMNS)
    names = tuple(name for part in parts for name in part.names)
    lines = np.concatenate([part.lines for part in parts])
    retrievable = None
    if any(part.retrievable is not None for part in parts):
        retrievable = np.concatenate(
            [np.ones(len(part.tag), np.bool_) if part.retrievable is None else part.retrievable for part in parts]
        )
    bounds = group_bounds(counts)
    return TreeBatch(names, lines, bounds, tuple(codes), np.concatenate(tag), *columns, retrievable=retrievable)
