"""The trees of many documents at once: arrays find the tags of documents that a serialiser wrote, and count characters.

In such a document every ``<`` begins a tag and every ``>`` ends one, which makes tags easy to find. To ask the tree of
lxml for the same, element by element, takes several times as long as parsing does.
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


# Documents as plain text: nothing but tags and characters, each reference one character.
#
# What the serialiser of a tree writes has no comments, instructions or CDATA, `<` and `>` stand in tags alone, and lines
# end with line feeds; so little is left to be done.


SEPARATOR = b"\x00"
"""Stands before, between and behind documents, none of which can hold it."""

_SINGLE_CHARACTER_ENTITIES = (b"&lt;", b"&gt;", b"&amp;")
_REFERENCE = re.compile(rb"&(?:#(x?)([0-9A-Fa-f]+)|[^;]*);")


def plain_markup(bodies: Iterable[bytes]) -> bytes:
    """Serialised documents with nothing but tags and text, padded to whole words."""
    parts = [PADDING, *map(_replace_references, bodies), PADDING]
    parts[-1] += bytes(-(sum(map(len, parts)) + len(parts) - 1) % WORD_BYTES)
    return SEPARATOR.join(parts)


def _replace_references(body: bytes) -> bytes:
    if b"&" not in body:
        return body
    for reference in _SINGLE_CHARACTER_ENTITIES:
        body = body.replace(reference, b"x")
    return _REFERENCE.sub(_reference_character, body) if b"&" in body else body


def _reference_character(reference: re.Match[bytes]) -> bytes:
    """Blank where the reference is to one; nothing for an entity that is not known."""
    if reference[2] is None:
        return b""
    return b" " if chr(int(reference[2], 16 if reference[1] else 10)).isspace() else b"x"


_LESS, _GREATER, _SLASH, _LAST_BLANK = b"<>/ "
_NAME = re.compile(rb"[^ />]+")
_LONG = (1 << 64) - 1  # second word of a name that is not there: no name has bytes that no text in UTF-8 has
_LONG_BLANKS = [chr(sign).encode() for sign in range(128, 0x3001) if chr(sign).isspace()]
_BLANK_WORDS = np.array([int.from_bytes(blank, "little") for blank in _LONG_BLANKS], dtype=np.uint64)
_BLANK_SECOND = np.zeros(256, dtype=np.bool_)
_BLANK_SECOND[[blank[1] for blank in _LONG_BLANKS]] = True


def scan_trees(names: Sequence[str], bodies: Sequence[bytes], *, raw: bool) -> TreeBatch:
    """Trees of documents, called so, that were serialised; with `raw`, a run of white space is more than one character.

    A character of a name that no path can have, as HTML allows it, is `_` in the tree.
    """
    return _Tags(plain_markup(bodies)).trees(tuple(names), raw=raw)


class _Tags:
    """The tags of a text and the stretches of characters before them."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.signs = np.frombuffer(text, dtype=np.uint8)
        self.marks = np.flatnonzero((self.signs | (_LESS ^ _GREATER)) == _GREATER)
        self.at = np.flatnonzero(self.signs[self.marks] == _LESS)  # the mark behind each ends the tag
        self.low, self.high = self.marks[self.at], self.marks[self.at + 1]
        self.closing = self.signs[self.low + 1] == _SLASH
        self.opening = np.flatnonzero(~self.closing)
        self.words = PackedText(text)
        self.names, long = tag_names(self.words, self.low[self.opening] + 1)
        self.long_names = self._long_name_numbers(np.flatnonzero(long))

    def _long_name_numbers(self, rows: IntArray) -> list[str]:
        """Names that are too long for two words, which have a number instead."""
        codes: dict[bytes, int] = {}
        for row, place in zip(rows.tolist(), (self.low[self.opening[rows]] + 1).tolist(), strict=True):
            name = _NAME.match(self.text, place)[0]  # type: ignore[index]
            self.names[:, row] = codes.setdefault(name, len(codes)), _LONG
        return [name.decode() for name in codes]

    def trees(self, names: tuple[str, ...], *, raw: bool) -> TreeBatch:
        """The trees of all documents, each of which has one root."""
        closing, opening = self.closing, self.opening
        empty = (self.signs[self.high - 1] == _SLASH) & ~closing
        closed = closing | empty
        level = np.cumsum(~closing) - np.cumsum(closed) + closed  # depth of the tag's own element
        roots = np.flatnonzero(level[opening] == 1)
        bounds = np.append(roots, len(opening))
        parent, size, last, order = match_tags(level, closing, empty)
        position = self._positions(opening[roots], raw=raw)
        start = position[opening]
        tag, tags = self._tags()
        rank = _ranks(parent, tag, order, len(tags))
        before = np.repeat(np.stack([roots, start[roots]]), group_sizes(bounds), axis=1)
        lines = np.full(len(names), -1, dtype=np.int64)
        up = np.where(parent < 0, -1, parent - before[0])
        return TreeBatch(names, lines, bounds, tags, tag, rank, up, size, start - before[1], position[last] - start)

    def _tags(self) -> tuple[IntArray, tuple[str, ...]]:
        """Code of each element's name, and the names."""
        tag, rows = group_names(self.names)
        first, second = self.names[:, rows]
        tags = [
            self.long_names[number] if mark == _LONG else name.decode()
            for number, mark, name in zip(
                first.tolist(), second.tolist(), unpack_names(self.names[:, rows]), strict=True
            )
        ]
        if not all(map(is_tag, tags)):
            codes: dict[str, int] = {}
            own = np.array([codes.setdefault(sanitise_tag(name), len(codes)) for name in tags], dtype=np.int64)
            tag, tags = own[tag], list(codes)
        return tag, tuple(tags)

    def _positions(self, roots: IntArray, *, raw: bool) -> IntArray:
        """Characters of text before each tag, all documents one after the other."""
        counted = self.signs.view(np.int8) >= -64  # no continuation of a character
        if not raw:
            solid = self._solid()
            solid[self.low[roots] - 1] = True  # a separator
            counted[1:] &= solid[1:] | solid[:-1]
        before = count_true_before(counted, self.marks)
        length = before[self.at]
        length[1:] -= before[self.at[:-1] + 1] + 1
        if not raw:  # a blank on both sides of some tags is one
            begin, end = self.high[:-1] + 1, self.low[1:]
            filled = np.flatnonzero(end > begin)
            length[filled[1:] + 1] -= ~(solid[begin[filled[1:]]] | solid[end[filled[:-1]] - 1])
        return np.cumsum(length)

    def _solid(self) -> BoolArray:
        """Whether each byte is of no white space."""
        signs = self.signs
        solid = signs > _LAST_BLANK
        if not self.text.isascii():
            # What begins with C2 has two bytes, what begins with E1, E2 or E3 has three: no blank begins otherwise.
            place = np.flatnonzero((signs == 0xC2) | (signs - np.uint8(0xE1) <= 2))
            place = place[_BLANK_SECOND[signs[place + 1]]]
            word = self.words.words_at(place)
            two, three = (place[np.isin(word & np.uint64(mask), _BLANK_WORDS)] for mask in (0xFFFF, 0xFFFFFF))
            for blank in (two, two + 1, three, three + 1, three + 2):
                solid[blank] = False
        return solid


def _ranks(parent: IntArray, tag: IntArray, order: IntArray, tags: int) -> IntArray:
    """Position of each element among its siblings of that tag; `order` has siblings together."""
    # Small numbers are sorted by their digits, in no time.
    by_tag = order[np.argsort(tag[order].astype(np.min_scalar_type(tags)), kind="stable")]
    fresh = np.ones(len(tag), dtype=np.bool_)
    fresh[1:] = (np.diff(tag[by_tag]) != 0) | (np.diff(parent[by_tag]) != 0)
    place = np.arange(len(tag))
    rank = np.empty(len(tag), dtype=np.int64)
    rank[by_tag] = place - np.maximum.accumulate(np.where(fresh, place, 0)) + 1
    rank[parent < 0] = 1
    return rank


# A document that is too large for a tree of its own: read element by element, with the memory of an open path.


_CHUNK = 1 << 20
_BLANKS = re.compile(r"\s+")
_COLUMNS = ("rank", "parent", "size", "start", "length")


def read_streamed(stream: BinaryIO | io.FileIO, shown: str, name: str, *, raw: bool) -> TreeBatch:
    """The tree of a document in XML; `shown` is its file in messages, `name` its name in the index.

    Raises:
        InputError: it is not well-formed, declares entities, cannot be decoded or read, or is nested too deep.
    """
    from lxml import etree

    elements = _Elements(raw=raw)
    parser: Any = etree.XMLPullParser(("start", "end"), recover=True, **PARSER_OPTIONS)  # of what nothing declares
    chunks = safe_chunks(utf_8_chunks(_chunks(stream, shown), shown), shown, standalone=False)
    for chunk in chain(chunks, (None,)):
        problem = feed_parser(parser, chunk, shown, undeclared=True)
        if problem is not None:
            raise problem
        elements.take(parser.read_events())
    return elements.trees(name)


def _chunks(stream: BinaryIO | io.FileIO, shown: str) -> Iterator[bytes]:
    try:
        while chunk := stream.read(_CHUNK):
            yield chunk
    except OSError as error:
        raise InputError(shown, None, f"cannot be read: {error.strerror}") from error


class _Elements:
    """Rows for elements as they begin and end; what was counted is taken out of the tree."""

    def __init__(self, *, raw: bool) -> None:
        self._raw = raw
        self._characters = 0
        self._after_blank = False
        self._names: dict[str, int] = {}
        self._codes: dict[tuple[str, str | None], int] = {}  # of names as the tree has them
        self._open: list[tuple[etree._Element, int, dict[int, int]]] = []  # with number, and children so far by tag
        self._inside = False  # whether the text of the innermost element is counted
        self._tag, self._rank, self._parent, self._size, self._start, self._length = (array("q") for _ in range(6))

    def take(self, events: Iterator[tuple[str, etree._Element]]) -> None:
        """Count what these events say."""
        for event, element in events:
            if event == "start":
                self._begin(element)
            else:
                self._end(element)

    def _begin(self, element: etree._Element) -> None:
        tag = self._code(str(element.tag), element.prefix)
        number, rank, parent = len(self._tag), 1, -1
        if self._open:
            around, parent, ranks = self._open[-1]
            rank = ranks[tag] = ranks.get(tag, 0) + 1
            self._count_inside(around)
            while (before := around[0]) is not element:
                self._count(before.tail)
                del around[0]
        self._open.append((element, number, {}))
        self._inside = False
        values = tag, rank, parent, 0, self._characters, 0
        columns = self._tag, self._rank, self._parent, self._size, self._start, self._length
        for column, value in zip(columns, values, strict=True):
            column.append(value)

    def _code(self, tag: str, prefix: str | None) -> int:
        code = self._codes.get((tag, prefix))
        if code is None:
            local = tag.rpartition("}")[2]
            code = self._names.setdefault(f"{prefix}:{local}" if prefix else local, len(self._names))
            self._codes[tag, prefix] = code
        return code

    def _end(self, element: etree._Element) -> None:
        _, number, _ = self._open.pop()
        self._count_inside(element)
        for inner in element:
            self._count(inner.tail)
        del element[:]
        self._inside = True  # of the element around
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
        """All elements, as the tree of a document called so."""
        columns: list[IntArray] = [
            np.array(column, dtype=np.int64)
            for column in (self._tag, self._rank, self._parent, self._size, self._start, self._length)
        ]
        return TreeBatch((name,), np.array([-1]), np.array([0, len(self._tag)]), tuple(self._names), *columns)


def concatenate_trees(parts: list[TreeBatch]) -> TreeBatch | None:
    """All the trees as one batch."""
    if len(parts) < 2:
        return parts[0] if parts else None
    codes: dict[str, int] = {}
    tag = []
    for part in parts:
        own = np.array([codes.setdefault(name, len(codes)) for name in part.tags], dtype=np.int64)
        tag.append(own[part.tag])
    counts = np.concatenate([group_sizes(part.bounds) for part in parts])
    rest = (np.concatenate([getattr(part, field) for part in parts]) for field in _COLUMNS)
    names = tuple(name for part in parts for name in part.names)
    lines = np.concatenate([part.lines for part in parts])
    retrievable = None
    if any(part.retrievable is not None for part in parts):
        retrievable = np.concatenate(
            [np.ones(len(part.tag), np.bool_) if part.retrievable is None else part.retrievable for part in parts]
        )
    return TreeBatch(
        names, lines, group_bounds(counts), tuple(codes), np.concatenate(tag), *rest, retrievable=retrievable
    )
