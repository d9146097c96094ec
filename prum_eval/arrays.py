"""The types of arrays, and columns whose rows come in groups.

Group i has rows ``bounds[i]:bounds[i + 1]``, and ``sizes[i]`` of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
LongArray = NDArray[np.longdouble]
IntArray = NDArray[np.int64]

NarrowArray = NDArray[np.int32] | NDArray[np.int64]
"""Long columns that are kept: whole numbers of 32 bits where all are small, so that they take half the memory."""
_MAX_NARROW = 2**30  # the sum of two such numbers has 32 bits too

EMPTY_INTS: IntArray = np.empty(0, dtype=np.int64)
"""Put first where parts of a column are concatenated, of which there may be none."""


def narrow(column: NarrowArray) -> NarrowArray:
    """The same numbers in 32 bits, if all are small enough.

    >>> narrow(np.array([1, -1])).dtype, narrow(np.array([2**31])).dtype
    (dtype('int32'), dtype('int64'))
    """
    return column.astype(np.int32) if _are_small(column) else column


def _are_small(column: NarrowArray | FloatArray) -> bool:
    return not len(column) or bool(column.max() < _MAX_NARROW and column.min() > -_MAX_NARROW)


@dataclass(slots=True, eq=False, repr=False)
class GrowingColumn:
    """A column that grows part by part, in one place: its parts and their whole would be twice as much to hold.

    Whole numbers take 32 bits as long as all are small.

    >>> column = GrowingColumn()
    >>> column.add(np.array([1, 2])); column.add(np.array([3])); column.whole()
    array([1, 2, 3], dtype=int32)
    """

    dtype: type[np.int32 | np.float64] = np.int32
    _count: int = field(default=0, init=False)
    _buffer: NDArray[Any] | None = field(default=None, init=False)  # and room for more

    def __len__(self) -> int:
        return self._count

    def add(self, part: NarrowArray | FloatArray) -> None:
        """Put a part behind what is there."""
        held = np.empty(0, dtype=self.dtype) if self._buffer is None else self._buffer
        if held.dtype == np.int32 and part.dtype != np.int32 and not _are_small(part):
            held = held.astype(np.int64)
        before, self._count = self._count, self._count + len(part)
        if self._count > len(held):  # no view of it is anywhere
            held.resize(max(self._count, len(held) * 9 // 8), refcheck=False)
        held[before : self._count] = part
        self._buffer = held

    def take_array(self) -> NDArray[Any]:
        """The column, which is no longer here then."""
        found = np.empty(0, dtype=self.dtype) if self._buffer is None else self._buffer
        found.resize(self._count, refcheck=False)
        self._count, self._buffer = 0, None
        return found


def group_sizes(bounds: IntArray) -> IntArray:
    """Number of rows of each group.

    >>> group_sizes(np.array([0, 2, 2, 5])).tolist()
    [2, 0, 3]
    """
    return np.diff(bounds)


def group_numbers(bounds: IntArray) -> IntArray:
    """Number of the group of each row.

    >>> group_numbers(np.array([0, 2, 2, 5])).tolist()
    [0, 0, 2, 2, 2]
    """
    return np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))


def group_bounds(sizes: Sequence[int] | IntArray) -> IntArray:
    """Where groups of these numbers of rows begin and end.

    >>> group_bounds([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    bounds = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=bounds[1:])
    return bounds


def concatenated_ranges(first: IntArray | int, sizes: IntArray) -> IntArray:
    """The numbers ``first[i]``, ``first[i] + 1``, ..., ``sizes[i]`` of them, of one group after the other.

    >>> concatenated_ranges(np.array([7, 0, 4]), np.array([2, 0, 3])).tolist()
    [7, 8, 4, 5, 6]
    """
    ends = np.cumsum(sizes)
    found: IntArray = np.arange(int(sizes.sum())) + np.repeat(first - (ends - sizes), sizes)
    return found


def sorted_unique(codes: NarrowArray) -> IntArray:
    """The different ones of some numbers, ascending; `numpy.unique` would import masked arrays for it.

    >>> sorted_unique(np.array([3, 0, 3])).tolist()
    [0, 3]
    """
    ordered = np.sort(codes.astype(np.int64, copy=False))
    return ordered[np.diff(ordered, prepend=ordered[:1] - 1) > 0]


def grouped_sums(codes: IntArray, values: FloatArray | BoolArray, size: int) -> FloatArray:
    """Sum of the values with each code, 0 to size - 1.

    >>> grouped_sums(np.array([0, 2, 2]), np.array([1.0, 2.0, 0.5]), 3).tolist()
    [1.0, 0.0, 2.5]
    """
    sums: FloatArray = np.bincount(codes, weights=values.astype(np.float64), minlength=size).astype(np.float64)
    return sums
