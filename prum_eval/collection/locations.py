"""Where things are: results and targets alike are places in the documents of a topic."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, IntArray, concatenated_ranges
from prum_eval.collection.trees import DocumentTree

NOWHERE = -1
PAIRS_PER_BLOCK = 1 << 18
"""So many pairs are looked at together: few enough to stay near the processor, and no memory for all of them."""
_FEW = 8
"""Numbers up to so many times those that there are count as small."""
LocationRow = tuple[int, int, int, int, int, bool]


@dataclass(slots=True, eq=False, repr=False)
class Locations:
    """A column of places, one a row.

    `document`: number of the document within its topic (-1: nowhere, a result that does not exist). `element`: its
    number in the document's tree (-1: not an element, or a document that nobody needed to look up), `end` the end of
    its subtree. `start`, `length`: the extent in characters, -1 where unknown; `located` says that both are known.
    """

    document: IntArray
    element: IntArray
    end: IntArray
    start: IntArray
    length: IntArray
    located: BoolArray

    def __len__(self) -> int:
        return len(self.document)

    def take(self, rows: IntArray) -> Locations:
        """The places in those rows, in that order."""
        document, element, end = self.document[rows], self.element[rows], self.end[rows]
        return Locations(document, element, end, self.start[rows], self.length[rows], self.located[rows])

    def rows(self) -> list[LocationRow]:
        """The places one by one: (document, element, end, start, length, located)."""
        columns = self.document, self.element, self.end, self.start, self.length, self.located
        return list(zip(*(column.tolist() for column in columns), strict=True))


def same_document_pairs(left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
    """All pairs (i, j) of rows with left[i] == right[j] >= 0, ordered by i, then j."""
    (pairs,) = _blocks(left, right, None)
    return pairs


def same_document_blocks(left: IntArray, right: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """The pairs of `same_document_pairs` in blocks of about `PAIRS_PER_BLOCK`, each with all pairs of its rows i.

    There is one block at least.
    """
    return _blocks(left, right, PAIRS_PER_BLOCK)


def _blocks(left: IntArray, right: IntArray, together: int | None) -> Iterator[tuple[IntArray, IntArray]]:
    order = np.argsort(right, kind="stable")
    low, count = _matching_ranges(left, right[order])
    pairs = np.concatenate(([0], np.cumsum(count)))
    end = 0
    while True:
        begin, end = end, len(left)
        if together is not None and begin < end:
            end = max(begin + 1, int(np.searchsorted(pairs, pairs[begin] + together, side="right")) - 1)
        rows = np.repeat(np.arange(begin, end), count[begin:end])
        yield rows, order[concatenated_ranges(low[begin:end], count[begin:end])]
        if end == len(left):
            return


def _matching_ranges(wanted: IntArray, ordered: IntArray) -> tuple[IntArray, IntArray]:
    """Where each number wanted begins among ordered ones of -1 or more, and how often it is there; of -1 no time.

    Small numbers are counted, which takes a step each; others are searched for.

    >>> [column.tolist() for column in _matching_ranges(np.array([1, -1, 7, 0]), np.array([-1, 0, 1, 1]))]
    [[2, 0, 4, 1], [2, 0, 0, 1]]
    """
    last = int(ordered[-1]) if len(ordered) else NOWHERE
    if last < _FEW * (len(wanted) + len(ordered)):
        bounds = np.cumsum(np.bincount(ordered + 2, minlength=last + 4))  # [number + 1]: how many are below it
        place = np.minimum(wanted, last + 1) + 1
        low = bounds[place]
        return low, np.where(wanted >= 0, bounds[place + 1] - low, 0)
    low = np.searchsorted(ordered, wanted, side="left")
    return low, np.where(wanted >= 0, np.searchsorted(ordered, wanted, side="right") - low, 0)


def same_place(left: Locations, right: Locations, rows: IntArray, columns: IntArray) -> BoolArray:
    """For pairs in one document: does the left one point to the right one itself?

    It does if both are the same element; where one is no element, if both have the same extent. A point (an extent
    without length, such as a best entry point) is pointed to by whatever begins there.
    """
    own: BoolArray = left.start[rows] == right.start[columns]  # one element has one start, unknown ones are equal too
    near = np.flatnonzero(own)
    rows, columns = rows[near], columns[near]
    elements = left.element[rows], right.element[columns]
    both = (elements[0] >= 0) & (elements[1] >= 0)
    located = left.located[rows] & right.located[columns]
    wanted = right.length[columns]
    extents = located & ((wanted == 0) | (left.length[rows] == wanted))
    own[near] = np.where(both, elements[0] == elements[1], extents)
    return own


def exact_entries(results: Locations, targets: Locations) -> tuple[IntArray, IntArray]:
    """The pairs (rank, target) of rows where the result is the target itself."""
    parts = []
    for rows, columns in same_document_blocks(results.document, targets.document):
        own = same_place(results, targets, rows, columns)
        parts.append((rows[own], columns[own]))
    ranks, found = (np.concatenate(column) for column in zip(*parts, strict=True))
    return ranks, found


def make_locations(rows: Sequence[LocationRow]) -> Locations:
    """Places from rows (document, element, end, start, length, located)."""
    columns: Sequence[Sequence[int]] = list(zip(*rows, strict=True)) or [()] * len(Locations.__slots__)
    document, element, end, start, length = (np.array(column, dtype=np.int64) for column in columns[:-1])
    return Locations(document, element, end, start, length, np.array(columns[-1], dtype=np.bool_))


# Pointers of XML assessments: an element, or a point k characters into its n-th stretch of own text.


POINT_PATTERN = re.compile(r"(?P<path>.*)/text\(\)\[(?P<stretch>[0-9]+)\](?:\.(?P<offset>[0-9]+))?", re.DOTALL)


class PointerError(ValueError):
    """The pointer leads nowhere; the text says why."""


class ReversedError(PointerError):
    """The second pointer leads to text before that of the first."""


def pointer_extent(tree: DocumentTree, first: str, last: str) -> tuple[int, int]:
    """Start and length of the text from one pointer to the end of what another names.

    Raises:
        PointerError: no such element or text, or it ends before it begins.
    """
    start, end = pointer_offset(tree, first), pointer_offset(tree, last, at_end=True)
    if end < start:
        raise ReversedError(f"the passage ends before it begins ({first} to {last})")
    return start, end - start


def pointer_offset(tree: DocumentTree, pointer: str, *, at_end: bool = False) -> int:
    """Offset in the document that a pointer names; an element's own end instead of its start with `at_end`.

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
    """Non-empty stretches (start, end) of text that stand directly in an element, between its children."""
    at, stretches = int(tree.start[element]), []
    child, end = element + 1, int(tree.end[element])
    while child < end:
        start = int(tree.start[child])
        stretches.append((at, start))
        at = start + int(tree.length[child])
        child = int(tree.end[child])
    stretches.append((at, int(tree.start[element] + tree.length[element])))
    return [(low, high) for low, high in stretches if high > low]


def _find_element(tree: DocumentTree, path: str) -> int:
    element = tree.find(path)
    if element < 0:
        raise PointerError(f"{path} is not in the structure of document {tree.name}")
    return element
