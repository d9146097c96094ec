"""Results from one shape to another: paths to offsets and back, parts to whole documents and back.

Every function here takes the columns of one result and says where it is in the other shape, and what became of it.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import numpy as np

from prum_eval.collection.trees import DocumentTree

_NONE = -1


class Fate(Enum):
    """What becomes of a result; each value says of which results, and what."""

    HELD = ""
    ABSENT = "results that the structure lacks: they are marked X or left out"
    SHARED = "results that share their extent with an element around them: offsets name that one"
    NO_ELEMENT = "results that are no element: each becomes the smallest element around it"
    NO_RANGE = "results that are neither an element nor a range: each becomes the smallest element around it"
    RANGE = "ranges of elements: only their first elements are kept"
    PART = "parts of documents: only the documents are kept"


class Extent(NamedTuple):
    """Offset and length of a result, -1 where it does not exist."""

    start: int
    length: int
    fate: Fate


class ElementEnds(NamedTuple):
    """Paths of the first and last element of a result, empty where it does not exist."""

    first: str
    last: str
    fate: Fate


class ReversedRangeError(ValueError):
    """A range of elements that ends before it begins."""


_NO_EXTENT = Extent(_NONE, _NONE, Fate.ABSENT)
_NO_ELEMENTS = ElementEnds("", "", Fate.ABSENT)


def extent_of(tree: DocumentTree | None, first: str, last: str) -> Extent:
    """Where an element, a range of elements or (with no path) a whole document is.

    Raises:
        ReversedRangeError: the range ends before it begins.
    """
    if tree is None:
        return _NO_EXTENT
    ends = [tree.find(path) if path else 0 for path in (first, last)]
    if min(ends) < 0:
        return _NO_EXTENT
    extent = tree.extent(*ends)
    if extent is None:
        raise ReversedRangeError(f"the range {first} to {last} ends before it begins")
    # Read back, an extent is the outermost element that has it.
    outermost = tree.find_extent(*extent)
    own = ends[0] if ends[0] == ends[1] else _NONE
    return Extent(*extent, Fate.HELD if outermost == own else Fate.SHARED)


def elements_at(tree: DocumentTree | None, start: int, length: int, *, ranges: bool) -> ElementEnds:
    """The element that has an extent, else with `ranges` a range that has it, else the smallest element around it."""
    if tree is None:
        return _NO_ELEMENTS
    element = tree.find_extent(start, length)
    if element >= 0:
        return ElementEnds(tree.paths[element], tree.paths[element], Fate.HELD)
    ends, stop = tree.start + tree.length, start + length
    if ranges:
        firsts = np.flatnonzero((tree.start == start) & (ends <= stop))
        lasts = np.flatnonzero((ends == stop) & (tree.start >= start))
        if len(firsts) and len(lasts) and firsts[0] < lasts[0]:  # the outermost of each
            return ElementEnds(tree.paths[firsts[0]], tree.paths[lasts[0]], Fate.HELD)
    around = np.flatnonzero((tree.start <= start) & (ends >= stop))
    if not len(around):
        return _NO_ELEMENTS
    path = tree.paths[around[np.argmin(tree.length[around])]]
    return ElementEnds(path, path, Fate.NO_RANGE if ranges else Fate.NO_ELEMENT)


def root_of(tree: DocumentTree | None) -> ElementEnds:
    """The whole document, as an element."""
    return _NO_ELEMENTS if tree is None else ElementEnds(tree.paths[0], tree.paths[0], Fate.HELD)


def is_whole(tree: DocumentTree | None, start: int, length: int) -> bool:
    """Whether an extent is that of the whole document, as far as a structure tells."""
    return tree is not None and (start, length) == (int(tree.start[0]), int(tree.length[0]))
