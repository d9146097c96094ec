"""Locations of results and targets in the documents of a topic, and pairs of them in one document.

A location is an element of a document tree or an extent of characters. Documents are numbered per topic; -1 stands for
what does not exist or is unknown. Pairs are arrays of rows: ``rows[i]`` of the left locations, ``columns[i]`` of the
right ones. Pointers of XML assessments name an element, or a point k characters into its n-th stretch of direct
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, IntArray, concatenated_ranges
from prum_eval.collection.trees import DocumentTree

NOWHERE = -1
PAIRS_PER_BLOCK = 1 << 18
"""Pairs per block: few enough for the processor cache and for memory."""
_FEW = 8  # counting beats searching up to numbers of _FEW times their count
POINT_PATTERN = re.compile(r"(?P<path>.*)/text\(\)\[(?P<stretch>[0-9]+)\](?:\.(?P<offset>[0-9]+))?", re.DOTALL)
LocationRow = tuple[int, int, int, int, int, bool]


@dataclass(slots=True, eq=False, repr=False)
class Locations:
    """Columns of locations, one per row.

    `document`: number of the document within its topic (-1: a result that does not exist). `element`: number in the
    tree of the document (-1: no element, or not looked up), `end`: end of its subtree. `start`, `length`: the extent in
    characters, -1 if unknown; `located`: both are known.
    """

    document: IntArray
    element: IntArray
    end: IntArray
    start: IntArray
    length: IntArray
    located: BoolArray

    def __len__(self) -> int:
        return len(self.document)

    def take(self, rows: IntArray | slice) -> Locations:
        """The locations of some rows, in that order; of a slice in the same memory."""
        return Locations(*(getattr(self, name)[rows] for name in self.__slots__))

    def rows(self) -> list[LocationRow]:
        """The locations as tuples (document, element, end, start, length, located)."""
        columns = self.document, self.element, self.end, self.start, self.length, self.located
        return list(zip(*(column.tolist() for column in columns), strict=True))


def join_locations(parts: Sequence[Locations]) -> Locations:
    """The rows of several locations, one after the other."""
    parts = parts or [make_locations([])]
    columns = ([getattr(part, name) for part in parts] for name in Locations.__slots__)
    return Locations(*map(np.concatenate, columns))


def make_locations(rows: Sequence[LocationRow]) -> Locations:
    """Locations from tuples (document, element, end, start, length, located)."""
    columns: Sequence[Sequence[int]] = list(zip(*rows, strict=True)) or [()] * len(Locations.__slots__)
    document, element, end, start, length = (np.array(column, dtype=np.int64) for column in columns[:-1])
    return Locations(document, element, end, start, length, np.array(columns[-1], dtype=np.bool_))


# Pairs


def same_document_pairs(left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
    """All pairs (i, j) of rows with left[i] == right[j] >= 0, ordered by i, then j."""
    (pairs,) = _blocks(left, right, None)
    return pairs


def same_document_blocks(left: IntArray, right: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Blocks (at least one) of about `PAIRS_PER_BLOCK` of these pairs, each with all pairs of its rows i."""
    return _blocks(left, right, PAIRS_PER_BLOCK)


def _blocks(left: IntArray, right: IntArray, block_size: int | None) -> Iterator[tuple[IntArray, IntArray]]:
    order = np.argsort(right, kind="stable")
    low, count = _matching_ranges(left, right[order])
    pairs = np.concatenate(([0], np.cumsum(count)))
    end = 0
    while True:
        begin, end = end, len(left)
        if block_size is not None and begin < end:
            end = max(begin + 1, int(np.searchsorted(pairs, pairs[begin] + block_size, side="right")) - 1)
        rows = np.repeat(np.arange(begin, end), count[begin:end])
        yield rows, order[concatenated_ranges(low[begin:end], count[begin:end])]
        if end == len(left):
            return


def _matching_ranges(numbers: IntArray, ordered: IntArray) -> tuple[IntArray, IntArray]:
    """First place and count of each number among ordered ones of -1 or more; -1 never matches.

    Small numbers are counted, others are searched.

    >>> [column.tolist() for column in _matching_ranges(np.array([1, -1, 7, 0]), np.array([-1, 0, 1, 1]))]
    [[2, 0, 4, 1], [2, 0, 0, 1]]
    """
    last = int(ordered[-1]) if len(ordered) else NOWHERE
    if last < _FEW * (len(numbers) + len(ordered)):
        bounds = np.cumsum(np.bincount(ordered + 2, minlength=last + 4))  # [number + 1]: count of smaller ones
        place = np.minimum(numbers, last + 1) + 1
        low = bounds[place]
        return low, np.where(numbers >= 0, bounds[place + 1] - low, 0)
    low = np.searchsorted(ordered, numbers, side="left")
    return low, np.where(numbers >= 0, np.searchsorted(ordered, numbers, side="right") - low, 0)


def same_place(left: Locations, right: Locations, rows: IntArray, columns: IntArray) -> BoolArray:
    """Mask of the pairs in one document whose left location is the right one.

    Two elements must be the same; if one is no element, the extents must be equal. A point (an extent without length,
    such as a best entry point) is the same as anything that begins there.
    """
    same: BoolArray = left.start[rows] == right.start[columns]  # unknown starts are equal too
    candidates = np.flatnonzero(same)
    rows, columns = rows[candidates], columns[candidates]
    elements = left.element[rows], right.element[columns]
    both = (elements[0] >= 0) & (elements[1] >= 0)
    located = left.located[rows] & right.located[columns]
    length = right.length[columns]
    extents = located & ((length == 0) | (left.length[rows] == length))
    same[candidates] = np.where(both, elements[0] == elements[1], extents)
    return same


def exact_entries(results: Locations, targets: Locations) -> tuple[IntArray, IntArray]:
    """Pairs (rank, target) of rows in which the result is the target itself."""
    parts = []
    for rows, columns in same_document_blocks(results.document, targets.document):
        same = same_place(results, targets, rows, columns)
        parts.append((rows[same], columns[same]))
    ranks, matched = (np.concatenate(column) for column in zip(*parts, strict=True))
    return ranks, matched


# Pointers


class PointerError(ValueError):
    """Error of a pointer to something that does not exist."""


class ReversedError(PointerError):
    """Error of a second pointer to text before that of the first."""


def pointer_extent(tree: DocumentTree, first: str, last: str) -> tuple[int, int]:
    """Start and length of the text from one pointer to the end of another.

    Raises:
        PointerError: no such element or text, or it ends before it begins.
    """
    start, end = pointer_offset(tree, first), pointer_offset(tree, last, at_end=True)
    if end < start:
        raise ReversedError(f"the passage ends before it begins ({first} to {last})")
    return start, end - start


def pointer_offset(tree: DocumentTree, pointer: str, *, at_end: bool = False) -> int:
    """Offset of a pointer in the document; `at_end`: the end of an element instead of its start.

    Raises:
        PointerError: no such element or text.
    """
    point = POINT_PATTERN.fullmatch(pointer)
    if point is None:
        element = _find_element(tree, pointer)
        return int(tree.start[element] + (tree.length[element] if at_end else 0))
    stretches = direct_text(tree, _find_element(tree, point["path"]))
    number = int(point["stretch"])
    if not 1 <= number <= len(stretches):
        raise PointerError(f"{pointer}: the element has {len(stretches)} stretches of text in the structure")
    start, end = stretches[number - 1]
    if point["offset"] is None:
        return end if at_end else start
    if int(point["offset"]) > end - start:
        raise PointerError(f"{pointer}: that stretch of text has {end - start} characters in the structure")
    return start + int(point["offset"])


def direct_text(tree: DocumentTree, element: int) -> list[tuple[int, int]]:
    """Non-empty stretches (start, end) of the text of an element between its children."""
    offset, stretches = int(tree.start[element]), []
    child, end = element + 1, int(tree.end[element])
    while child < end:
        start = int(tree.start[child])
        stretches.append((offset, start))
        offset = start + int(tree.length[child])
        child = int(tree.end[child])
    stretches.append((offset, int(tree.start[element] + tree.length[element])))
    return [(low, high) for low, high in stretches if high > low]


def _find_element(tree: DocumentTree, path: str) -> int:
    element = tree.find(path)
    if element < 0:
        raise PointerError(f"{path} is not in the structure of document {tree.name}")
    return element
