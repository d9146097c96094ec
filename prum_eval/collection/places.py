"""Where things are: results and targets alike are places in the documents of a topic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Places:
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

    def take(self, rows: IntArray) -> Places:
        """The places in those rows, in that order."""
        return Places(*(getattr(self, name)[rows] for name in self.__slots__))


def same_document_pairs(left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
    """All pairs (i, j) of rows with left[i] == right[j] >= 0, ordered by i, then j."""
    order = np.argsort(right, kind="stable")
    ranked = right[order]
    low = np.searchsorted(ranked, left, side="left")
    count = np.where(left >= 0, np.searchsorted(ranked, left, side="right") - low, 0)
    rows = np.repeat(np.arange(len(left)), count)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
    return rows, order[np.repeat(low, count) + within]


def same_place(left: Places, right: Places, rows: IntArray, columns: IntArray) -> BoolArray:
    """For pairs in one document: does the left one point to the right one itself?

    It does if both are the same element; where one is no element, if both have the same extent. A point (an extent
    without length, such as a best entry point) is pointed to by whatever begins there.
    """
    elements = left.element[rows], right.element[columns]
    both = (elements[0] >= 0) & (elements[1] >= 0)
    located = left.located[rows] & right.located[columns]
    starts = located & (left.start[rows] == right.start[columns])
    wanted = right.length[columns]
    extents = starts & ((wanted == 0) | (left.length[rows] == wanted))
    return np.where(both, elements[0] == elements[1], extents)
