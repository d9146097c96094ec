"""The documents of a structure as columns: one array for all of them, a document made only when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, IntArray, NarrowArray
from prum_eval.records.structure import StructureDocument


@dataclass(frozen=True, slots=True)
class TreeColumns:
    """Elements of many documents; document i has rows ``bounds[i]:bounds[i + 1]`` of the element columns."""

    names: tuple[str, ...]
    bounds: IntArray
    paths: Sequence[str]  # distinct
    path: NarrowArray  # codes of `paths`
    parent: NarrowArray  # number in its document, -1 for the root
    end: NarrowArray  # of the subtree
    start: NarrowArray
    length: NarrowArray
    retrievable: BoolArray | None = None  # elements that a system may return; None: all
    lines: NarrowArray | None = None  # of the file that lists them; None: of none

    def paths_of(self, number: int) -> tuple[str, ...]:
        """Paths of a document's elements."""
        low, high = self.bounds[number : number + 2].tolist()
        return tuple(map(self.paths.__getitem__, self.path[low:high].tolist()))


class ColumnDocuments(Mapping[str, StructureDocument]):
    """The same as records, by name."""

    def __init__(self, columns: TreeColumns) -> None:
        self.columns = columns
        self._number = {name: number for number, name in enumerate(columns.names)}

    def __len__(self) -> int:
        return len(self._number)

    def __iter__(self) -> Iterator[str]:
        return iter(self._number)

    def __getitem__(self, name: str) -> StructureDocument:
        number, columns = self._number[name], self.columns
        rows = slice(*columns.bounds[number : number + 2].tolist())
        lines = np.full(rows.stop - rows.start, -1) if columns.lines is None else columns.lines[rows].astype(np.int64)
        bits = None if columns.retrievable is None else columns.retrievable[rows]
        start, length = columns.start[rows].astype(np.int64), columns.length[rows].astype(np.int64)
        return StructureDocument(name, columns.paths_of(number), start, length, lines, retrievable=bits)
