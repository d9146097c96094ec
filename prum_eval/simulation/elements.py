"""Steps in document trees, on the rows of a forest: up, down and aside."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from prum_eval.arrays import IntArray, sizes_of
from prum_eval.collection.forest import Forest
from prum_eval.text.document_names import document_of

NONE = -1


class Elements:
    """The elements of all documents of a structure, each by its row in the columns of the forest.

    Only those that a system may return are stepped on, and down and aside only those of positive length.
    """

    def __init__(self, forest: Forest) -> None:
        columns = forest.columns
        first = np.repeat(columns.bounds[:-1], sizes_of(columns.bounds))
        self.forest = forest
        possible = columns.length > 0  # to step down to or aside, and to be noise
        if columns.retrievable is not None:
            possible &= columns.retrievable
        # A memoryview gives plain integers, one at a time, much faster than an array.
        self._up = np.where(columns.parent < 0, NONE, columns.parent + first).data
        self._end = (columns.end + first).data
        self._possible = possible.data
        self._retrievable = None if columns.retrievable is None else columns.retrievable.data
        self._below: dict[int, list[int]] = {}

    @cached_property
    def possible(self) -> IntArray:
        """Rows of all elements of positive length."""
        return np.flatnonzero(self._possible)

    @cached_property
    def possible_roots(self) -> IntArray:
        """Rows of all documents of positive length."""
        return self.possible[np.isin(self.possible, self.forest.columns.bounds[:-1])]

    def is_possible(self, row: int) -> bool:
        """Whether an element has a positive length, and may be returned."""
        return bool(self._possible[row])

    def parent(self, row: int) -> int:
        """The nearest element around one; -1 for a root."""
        up: int = self._up[row]
        while up >= 0 and self._retrievable is not None and not self._retrievable[up]:
            up = self._up[up]
        return up

    def ancestors(self, row: int) -> list[int]:
        """All elements around one, the nearest first."""
        found = []
        while (row := self.parent(row)) >= 0:
            found.append(row)
        return found

    def children(self, row: int) -> list[int]:
        """The elements of positive length right below one, in document order."""
        found = self._below.get(row)
        if found is None:
            found, child, end = [], row + 1, self._end[row]
            while child < end:
                if self._possible[child]:
                    found.append(child)
                child = self._end[child]
            self._below[row] = found
        return found

    def row_of_siblings(self, row: int) -> list[int]:
        """An element between its siblings of positive length, in document order."""
        up = self._up[row]
        listed = self.children(up) if up >= 0 else []
        return listed if row in listed else sorted([*listed, row])

    def document(self, row: int) -> str:
        """Name of the document of an element."""
        columns = self.forest.columns
        return columns.names[int(np.searchsorted(columns.bounds, row, side="right")) - 1]

    def number(self, name: str) -> int:
        """Number of a document, which may be named by its file; -1 where it is not there."""
        found = self.forest.number(name)
        return self.forest.number(document_of(name)) if found < 0 else found

    def documents(self, rows: IntArray) -> list[str]:
        """Names of the documents of some elements."""
        number = np.searchsorted(self.forest.columns.bounds, rows, side="right") - 1
        return [*map(self.forest.columns.names.__getitem__, number.tolist())]

    def paths(self, rows: IntArray) -> list[str]:
        """Paths of some elements."""
        return [*map(self.forest.columns.paths.__getitem__, self.forest.columns.path[rows].tolist())]
