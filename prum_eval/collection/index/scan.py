"""Real documents at once, as bytes: the parser only says that each is well-formed, then arrays find its elements.

In a well-formed document every ``<`` outside comments, instructions and CDATA begins a tag, which makes tags easy to
find. What would need a closer look (a quoted ``'`` or ``>`` in a tag, a very long name) is left to the reader that
follows the events of the parser.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from prum_eval.arrays import BoolArray, IntArray, sizes_of
from prum_eval.collection.index.markup import SEPARATOR, plain
from prum_eval.collection.trees import matched
from prum_eval.formats.structures.index_trees import Trees
from prum_eval.text.fast_lines import PADDING, Words, grouped, texts
from prum_eval.text.fast_tags import tag_names, true_before

_LESS, _GREATER, _SLASH, _LAST_BLANK, _BORDER = b"<>/ " + SEPARATOR
_LONG_BLANKS = [chr(sign).encode() for sign in range(128, 0x3001) if chr(sign).isspace()]
_BLANK_WORDS = np.array([int.from_bytes(blank, "little") for blank in _LONG_BLANKS], dtype=np.uint64)
_BLANK_SECOND = np.zeros(256, dtype=np.bool_)
_BLANK_SECOND[[blank[1] for blank in _LONG_BLANKS]] = True


def scan(names: list[str], bodies: Sequence[bytes | memoryview], *, raw: bool) -> tuple[Trees | None, list[int]]:
    """Trees of the bodies, and the places in the list of those that need the other reader."""
    tags = _Tags(plain(bodies))
    unusual = tags.unusual()
    if not unusual:
        return tags.trees(tuple(names), raw=raw), []
    rest = [place for place in range(len(bodies)) if place not in unusual]
    found = scan([names[place] for place in rest], [bodies[place] for place in rest], raw=raw)[0] if rest else None
    return found, sorted(unusual)


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
        self.words = Words(text)
        self.names, self.long = tag_names(self.words, self.low[self.opening] + 1)

    def unusual(self) -> set[int]:
        """Documents with a long name, or where a quoted ``>`` may lie before the end of a tag."""
        loose = len(self.marks) > 2 * len(self.at)  # some > ends no tag, and may be text
        if not loose and not self.long.any():
            return set()
        borders = len(PADDING) + np.flatnonzero(self.signs[len(PADDING) :] == _BORDER)
        document = np.searchsorted(borders, self.low) - 1
        found = set(document[self.opening[self.long]].tolist())
        if loose:
            more = np.diff(np.searchsorted(self.marks, borders)) > 2 * np.diff(np.searchsorted(self.low, borders))
            tags = np.flatnonzero(more[document])
            span = np.stack([self.low[tags], self.high[tags]])
            single, double = (
                np.diff(np.searchsorted(np.flatnonzero(self.signs == sign), span), axis=0)[0] for sign in b"'\""
            )
            found |= set(document[tags[(single > 0) | (double % 2 == 1)]].tolist())
        return found

    def trees(self, names: tuple[str, ...], *, raw: bool) -> Trees:
        """The trees of all documents, each of which has one root."""
        closing, opening = self.closing, self.opening
        empty = (self.signs[self.high - 1] == _SLASH) & ~closing
        closed = closing | empty
        level = np.cumsum(~closing) - np.cumsum(closed) + closed  # depth of the tag's own element
        roots = np.flatnonzero(level[opening] == 1)
        bounds = np.append(roots, len(opening))
        parent, size, last, order = matched(level, closing, empty)
        position = self._positions(opening[roots], raw=raw)
        start = position[opening]
        tag, rows = grouped(self.names)
        tags = tuple(map(bytes.decode, texts(self.names[:, rows])))
        rank = _ranks(parent, tag, order, len(tags))
        before = np.repeat(np.stack([roots, start[roots]]), sizes_of(bounds), axis=1)
        lines = np.full(len(names), -1, dtype=np.int64)
        up = np.where(parent < 0, -1, parent - before[0])
        return Trees(names, lines, bounds, tags, tag, rank, up, size, start - before[1], position[last] - start)

    def _positions(self, roots: IntArray, *, raw: bool) -> IntArray:
        """Characters of text before each tag, all documents one after the other."""
        counted = self.signs.view(np.int8) >= -64  # no continuation of a character
        if not raw:
            solid = self._solid()
            solid[self.low[roots] - 1] = True  # a separator
            counted[1:] &= solid[1:] | solid[:-1]
        before = true_before(counted, self.marks)
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
            word = self.words.at(place)
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
