"""Real documents at once, as bytes: the parser only says that each is well-formed, then arrays find its elements.

In a well-formed document every ``<`` outside comments, instructions and CDATA begins a tag, which makes tags easy to
find. What would need a closer look (a quoted ``'`` or ``>`` in a tag, a very long name, another encoding than UTF-8) is
left to the reader that follows the events of the parser.
"""

from __future__ import annotations

import re

import numpy as np

from prum_eval.arrays import BoolArray, IntArray
from prum_eval.collection.index.document import DocumentParser
from prum_eval.collection.index.nesting import nesting
from prum_eval.errors import raise_first
from prum_eval.formats.fields import PADDING, WORD, Fields, true_before
from prum_eval.formats.index_trees import Trees

_MARKUP = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_REFERENCE = re.compile(rb"&([^;]*);")
_BLANKS = [int.from_bytes(chr(sign).encode()) for sign in range(128, 0x3001) if chr(sign).isspace()]
_PREDEFINED = frozenset((b"lt", b"gt", b"amp", b"apos", b"quot"))
_UTF_8 = frozenset((None, "utf-8", "utf8", "us-ascii", "ascii"))
_OTHER_MARKS = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")
_SEPARATOR = b"\x00"  # between documents: no document may hold it
_LONGEST_NAME = 2 * WORD
_LAST_BLANK = ord(" ")  # of the signs below, a document holds only other blanks

_NAME_END = np.zeros(256, dtype=np.bool_)
_NAME_END[list(b" \t\n/>")] = True


class _Checker(DocumentParser):
    """Notes where the root begins and which encoding is declared; the parser does the rest alone."""

    def __init__(self, name: str) -> None:
        super().__init__(name, raise_first)
        self.root = 0
        self.encoding: str | None = None
        self._parser.StartElementHandler = self._note_root
        self._parser.EndElementHandler = None
        self._parser.XmlDeclHandler = self._note_encoding

    def _note_root(self, _tag: str, _attributes: dict[str, str]) -> None:
        self.root = self._parser.CurrentByteIndex
        self._parser.StartElementHandler = None

    def _note_encoding(self, _version: str, encoding: str | None, _standalone: int) -> None:
        self.encoding = encoding.lower() if encoding is not None else None


def body(data: bytes, name: str) -> bytes | None:
    """A document from its root on; None where its encoding needs the other reader.

    Raises:
        InputError: the document is not well-formed or declares entities.
    """
    checker = _Checker(name)
    checker.parse_whole(data)
    if checker.encoding not in _UTF_8 or data.startswith(_OTHER_MARKS):
        return None
    return data[checker.root :]


def scan(names: list[str], bodies: list[bytes], *, raw: bool) -> tuple[Trees | None, list[int]]:
    """Trees of the bodies, and the places in the list of those that need the other reader."""
    tags = _Tags(PADDING + _plain(_SEPARATOR.join([b"", *bodies, b""])) + PADDING, len(bodies))
    unusual = tags.unusual()
    if not unusual:
        return tags.trees(tuple(names), raw=raw), []
    rest = [place for place in range(len(bodies)) if place not in unusual]
    found = scan([names[place] for place in rest], [bodies[place] for place in rest], raw=raw)[0] if rest else None
    return found, sorted(unusual)


def _plain(text: bytes) -> bytes:
    """Documents with nothing but tags and text, each reference one character."""
    if b"<!" in text or b"<?" in text:
        text = _MARKUP.sub(_unmarked, text)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"&" in text:
        text = _REFERENCE.sub(_one_character, text)
    return text


def _unmarked(match: re.Match[bytes]) -> bytes:
    """Nothing for a comment or an instruction, escaped text for CDATA."""
    text: bytes | None = match[1]
    return b"" if text is None else text.replace(b"&", b"&amp;").replace(b"<", b"&lt;")


def _one_character(match: re.Match[bytes]) -> bytes:
    """A character for a reference: blank where it refers to one; nothing for an entity that is not known."""
    name: bytes = match[1]
    if name in _PREDEFINED:
        return b"x"
    if not name.startswith(b"#"):
        return b""
    digits, base = (name[2:], 16) if name.startswith(b"#x") else (name[1:], 10)
    return b" " if chr(int(digits, base)).isspace() else b"x"


class _Tags:
    """The tags of a text and the stretches of characters before them."""

    def __init__(self, text: bytes, documents: int) -> None:
        self.text = text
        self.signs = np.frombuffer(text, dtype=np.uint8)
        self.low, ends = (np.flatnonzero(self.signs == sign) for sign in b"<>")
        self.high = ends[np.searchsorted(ends, self.low)]
        borders = len(PADDING) + np.flatnonzero(self.signs[len(PADDING) : -len(PADDING)] == 0)
        self.first = np.searchsorted(self.low, borders)[:documents]  # tag of each document
        self.closing = self.signs[self.low + 1] == ord("/")
        self.opening = np.flatnonzero(~self.closing)
        names = np.lib.stride_tricks.sliding_window_view(self.signs, _LONGEST_NAME + 1)[self.low[self.opening] + 1]
        is_end = _NAME_END[names]
        self.name_length = is_end.argmax(axis=1)
        self._long = ~is_end.any(axis=1)
        self._loose = np.diff(np.searchsorted(ends, borders)) != np.diff(np.searchsorted(self.low, borders))

    def unusual(self) -> set[int]:
        """Documents with a long name, or where a quoted ``>`` may lie before the end of a tag."""
        document = np.repeat(np.arange(len(self.first)), np.diff(np.append(self.first, len(self.low))))
        found = set(document[self.opening[self._long]].tolist())
        if self._loose.any():  # some > ends no tag, and may be text
            tags = np.flatnonzero(self._loose[document])
            span = np.stack([self.low[tags], self.high[tags]])
            single, double = (
                np.diff(np.searchsorted(np.flatnonzero(self.signs == sign), span), axis=0)[0] for sign in b"'\""
            )
            found |= set(document[tags[(single > 0) | (double % 2 == 1)]].tolist())
        return found

    def trees(self, names: tuple[str, ...], *, raw: bool) -> Trees:
        """The trees of all documents, each of which has one root."""
        opening, position = self.opening, self._positions(raw=raw)
        empty = (self.signs[self.high - 1] == ord("/")) & ~self.closing
        closed = self.closing | empty
        level = np.cumsum(~self.closing) - np.cumsum(closed) + closed  # depth of the tag's own element
        depth = level[opening]
        parent, size = nesting(depth)
        # Before the element ends, all before it ended but its ancestors, and so did all within it.
        last = np.flatnonzero(closed)[np.arange(len(opening)) + size - depth]
        start = position[opening]
        grouped = Fields(self.text).grouped(self.low[opening] + 1, self.name_length)
        if grouped is None:
            raise AssertionError("names are shorter than this")
        tag, rows = grouped
        spans = zip((self.low[opening[rows]] + 1).tolist(), self.name_length[rows].tolist(), strict=True)
        tags = tuple(self.text[begin : begin + length].decode() for begin, length in spans)
        rank = _ranks(parent, tag, len(tags))
        roots = np.flatnonzero(parent < 0)
        bounds = np.append(roots, len(parent))
        inner = parent >= 0
        parent[inner] -= np.repeat(roots, np.diff(bounds))[inner]
        base = np.repeat(start[roots], np.diff(bounds))
        lines = np.full(len(names), -1, dtype=np.int64)
        return Trees(names, lines, bounds, tags, tag, rank, parent, size, start - base, position[last] - start)

    def _positions(self, *, raw: bool) -> IntArray:
        """Characters of text before each tag."""
        begin, end = np.append(self.low[0], self.high[:-1] + 1), self.low
        begin[self.first] = end[self.first]  # what lies before a root is of another document
        counted = self.signs.view(np.int8) >= -64  # no continuation of a character
        if not raw:
            blank = self._blank()
            counted[1:] &= ~(blank[1:] & blank[:-1])
        length = true_before(counted, end) - true_before(counted, begin)
        if not raw:
            document = np.repeat(np.arange(len(self.first)), np.diff(np.append(self.first, len(self.low))))
            filled = np.flatnonzero(end > begin)
            across = blank[begin[filled[1:]]] & blank[end[filled[:-1]] - 1]
            length[filled[1:]] -= across & (document[filled[1:]] == document[filled[:-1]])
        return np.cumsum(length)

    def _blank(self) -> BoolArray:
        """Whether each byte is of white space."""
        signs, blank = self.signs, self.signs <= _LAST_BLANK
        for lead, last, width in ((0xC2, 0xC2, 2), (0xE1, 0xE3, 3)):  # all that begins a longer one
            place = np.flatnonzero((signs >= lead) & (signs <= last))
            if len(place):
                code = np.zeros(len(place), dtype=np.int64)
                for offset in range(width):
                    code = code << 8 | signs[place + offset]
                place = place[np.isin(code, _BLANKS)]
                for offset in range(width):
                    blank[place + offset] = True
        return blank


def _ranks(parent: IntArray, tag: IntArray, tags: int) -> IntArray:
    """Position of each element among its siblings of that tag."""
    key = parent * tags + tag
    order = np.argsort(key, kind="stable")
    fresh = np.append(True, np.diff(key[order]) != 0)
    place = np.arange(len(key))
    rank = np.empty(len(key), dtype=np.int64)
    rank[order] = place - np.maximum.accumulate(np.where(fresh, place, 0)) + 1
    rank[parent < 0] = 1
    return rank
