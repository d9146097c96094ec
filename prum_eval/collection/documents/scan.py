"""The trees of many documents at once: arrays find the tags of documents that a serialiser wrote, and count characters.

In such a document every ``<`` begins a tag and every ``>`` ends one, which makes tags easy to find. To ask the tree of
lxml for the same, element by element, takes several times as long as parsing does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from prum_eval.arrays import BoolArray, IntArray, sizes_of
from prum_eval.collection.documents.markup import plain
from prum_eval.collection.trees import matched
from prum_eval.formats.structures.index_trees import Trees
from prum_eval.text.element_paths import is_tag, usual_tag
from prum_eval.text.fast_lines import Words, texts
from prum_eval.text.fast_tags import tag_names, true_before
from prum_eval.text.names import grouped

_LESS, _GREATER, _SLASH, _LAST_BLANK = b"<>/ "
_NAME = re.compile(rb"[^ />]+")
_LONG = (1 << 64) - 1  # second word of a name that is not there: no name has bytes that no text in UTF-8 has
_LONG_BLANKS = [chr(sign).encode() for sign in range(128, 0x3001) if chr(sign).isspace()]
_BLANK_WORDS = np.array([int.from_bytes(blank, "little") for blank in _LONG_BLANKS], dtype=np.uint64)
_BLANK_SECOND = np.zeros(256, dtype=np.bool_)
_BLANK_SECOND[[blank[1] for blank in _LONG_BLANKS]] = True


def scan(names: Sequence[str], bodies: Sequence[bytes], *, raw: bool) -> Trees:
    """Trees of documents, called so, that were serialised; with `raw`, a run of white space is more than one character.

    A character of a name that no path can have, as HTML allows it, is `_` in the tree.
    """
    return _Tags(plain(bodies)).trees(tuple(names), raw=raw)


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
        self.names, long = tag_names(self.words, self.low[self.opening] + 1)
        self.long_names = self._shortened(np.flatnonzero(long))

    def _shortened(self, rows: IntArray) -> list[str]:
        """Names that are too long for two words, which have a number instead."""
        codes: dict[bytes, int] = {}
        for row, place in zip(rows.tolist(), (self.low[self.opening[rows]] + 1).tolist(), strict=True):
            name = _NAME.match(self.text, place)[0]  # type: ignore[index]
            self.names[:, row] = codes.setdefault(name, len(codes)), _LONG
        return [name.decode() for name in codes]

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
        tag, tags = self._tags()
        rank = _ranks(parent, tag, order, len(tags))
        before = np.repeat(np.stack([roots, start[roots]]), sizes_of(bounds), axis=1)
        lines = np.full(len(names), -1, dtype=np.int64)
        up = np.where(parent < 0, -1, parent - before[0])
        return Trees(names, lines, bounds, tags, tag, rank, up, size, start - before[1], position[last] - start)

    def _tags(self) -> tuple[IntArray, tuple[str, ...]]:
        """Code of each element's name, and the names."""
        tag, rows = grouped(self.names)
        first, second = self.names[:, rows]
        tags = [
            self.long_names[number] if mark == _LONG else name.decode()
            for number, mark, name in zip(first.tolist(), second.tolist(), texts(self.names[:, rows]), strict=True)
        ]
        if not all(map(is_tag, tags)):
            codes: dict[str, int] = {}
            own = np.array([codes.setdefault(usual_tag(name), len(codes)) for name in tags], dtype=np.int64)
            tag, tags = own[tag], list(codes)
        return tag, tuple(tags)

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
