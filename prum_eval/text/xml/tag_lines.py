"""On which lines start tags stand, from the bytes alone: beyond line 65,535 the parser itself can only guess.

In what lies behind the prolog, `<` and a name are a start tag wherever they stand outside comments, CDATA sections and
instructions, since `<` cannot stand in a value. So the k-th start tag that is found is the k-th that the parser tells.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import IntArray

_OPENS = re.compile(rb"<!--|<!\[CDATA\[|<\?")
_CLOSES = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_NAME_ENDS = re.compile(rb"[\s/>]")
_LINE_FEED, _LESS, _SLASH = b"\n</"
_PREFIX = rb"(?:[^\s<>/]*:)?"
_XMLNS = b"xmlns:"  # what declares a prefix


class TagColumns(NamedTuple):
    """Start tags in the order of the document."""

    line: IntArray
    name: NDArray[np.uint8]  # its place among the names that were asked for; 0 where these are all


class TagLines:
    """The lines of all start tags of some names, with any prefix, in the order of the document.

    Args:
        tags: the names; None for all that there are.
        line: of the first byte that `feed` is given, which stands behind the prolog.
    """

    def __init__(self, tags: Sequence[str] | None, line: int) -> None:
        self._all = tags is None
        names = "|".join(map(re.escape, tags or ())).encode()
        self._plain = re.compile(rb"<(%b)(?=[\s/>])" % names)
        self._prefixed = re.compile(rb"<%b(%b)(?=[\s/>])" % (_PREFIX, names))
        self._codes = {tag.encode(): code for code, tag in enumerate(tags or ())}
        self._pattern = self._plain
        self._line = line
        self._lines, self._names = array("q"), bytearray()
        self._taken = 0
        self._end = b""  # the last bytes, in which a declaration may begin
        self._held = b""  # the end of the last bytes, where more is needed to know what it is
        self._closes = b""  # the end of what is passed over, where it has not come yet

    @property
    def line(self) -> int:
        """On which the last byte stands."""
        return self._line + self._held.count(b"\n")

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes, in UTF-8."""
        text = self._held + chunk if self._held else chunk
        if self._pattern is self._plain and (_XMLNS in text or _XMLNS in self._end + chunk[: len(_XMLNS)]):
            self._pattern = self._prefixed
        self._end = (self._end + chunk)[1 - len(_XMLNS) :] if len(chunk) < len(_XMLNS) else chunk[1 - len(_XMLNS) :]
        if self._closes or b"<!" in text or b"<?" in text:
            text = self._without_markup(text)
        else:
            self._held = b""
        if not self._closes:
            last = text.rfind(b"<")
            if last >= 0 and _NAME_ENDS.search(text, last) is None:
                text, self._held = text[:last], text[last:]
        signs = np.frombuffer(text, dtype=np.uint8)
        ends = np.flatnonzero(signs == _LINE_FEED)
        places: IntArray | list[int]
        if self._all:
            places = np.flatnonzero(signs == _LESS)
            places = places[
                signs[np.minimum(places + 1, len(signs) - 1)] != _SLASH
            ]  # the last sign: no XML, said later
            self._names += bytes(len(places))
        else:
            found = list(self._pattern.finditer(text))
            places = [tag.start() for tag in found]
            self._names += bytes([self._codes[tag[1]] for tag in found])
        self._lines.frombytes((np.searchsorted(ends, places) + self._line).astype(np.int64).tobytes())
        self._line += len(ends)

    def _without_markup(self, text: bytes) -> bytes:
        """The text with nothing but line feeds for comments, CDATA sections and instructions."""
        parts, at, begin = [], 0, 0
        self._held = b""
        while True:
            if not self._closes:
                opens = _OPENS.search(text, at)
                if opens is None:
                    break
                parts.append(text[at : opens.start()])
                at, begin, self._closes = opens.start(), opens.end(), _CLOSES[opens[0]]
            end = text.find(self._closes, begin)
            if end < 0:
                known = max(begin, len(text) - len(self._closes) + 1)
                self._held = text[known:]
                return b"".join((*parts, b"\n" * text.count(b"\n", at, known)))
            end += len(self._closes)
            parts.append(b"\n" * text.count(b"\n", at, end))
            at, begin, self._closes = end, end, b""
        return b"".join((*parts, text[at:]))

    def take(self, count: int | None = None) -> TagColumns:
        """The next `count` tags, or all."""
        end = len(self._lines) if count is None else self._taken + count
        lines = np.frombuffer(self._lines[self._taken : end], dtype=np.int64)
        names = np.frombuffer(self._names[self._taken : end], dtype=np.uint8)
        self._taken = end
        if self._taken == len(self._lines):
            self._lines, self._names, self._taken = array("q"), bytearray(), 0
        return TagColumns(lines, names)
