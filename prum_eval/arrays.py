"""Array types, columns that grow, and columns whose rows come in groups.

Convention: group i has the rows ``bounds[i]:bounds[i + 1]``; their number is ``sizes[i]``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
LongArray = NDArray[np.longdouble]
IntArray = NDArray[np.int64]

NarrowArray = NDArray[np.int32] | NDArray[np.int64]
"""Integers in 32 bits if all are small, which halves the memory of long columns."""
_GROUPS_PER_BLOCK = 1 << 15  # whose values become Python numbers at once, which take four times the memory
_MAX_NARROW = 2**30  # the sum of two such numbers still fits 32 bits

EMPTY_INTS: IntArray = np.empty(0, dtype=np.int64)
"""First part of a concatenation that may have no other parts."""


def narrow(column: NarrowArray) -> NarrowArray:
    """The column in 32 bits if all its numbers are small enough.

    >>> narrow(np.array([1, -1])).dtype, narrow(np.array([2**31])).dtype
    (dtype('int32'), dtype('int64'))
    """
    return column.astype(np.int32) if _are_small(column) else column


def _are_small(column: NarrowArray | FloatArray) -> bool:
    return not len(column) or bool(column.max() < _MAX_NARROW and column.min() > -_MAX_NARROW)


@dataclass(slots=True, eq=False, repr=False)
class GrowingColumn:
    """A column that grows in place; a list of parts and their concatenation would need twice the memory.

    Integers take 32 bits as long as all are small.

    >>> column = GrowingColumn()
    >>> column.add(np.array([1, 2])); column.add(np.array([3])); column.take_array()
    array([1, 2, 3], dtype=int32)
    """

    dtype: type[np.int32 | np.float64] = np.int32
    _count: int = field(default=0, init=False)
    _buffer: NDArray[Any] | None = field(default=None, init=False)  # with spare capacity

    def __len__(self) -> int:
        return self._count

    def add(self, part: NarrowArray | FloatArray) -> None:
        """Append values."""
        buffer = np.empty(0, dtype=self.dtype) if self._buffer is None else self._buffer
        if buffer.dtype == np.int32 and part.dtype != np.int32 and not _are_small(part):
            buffer = buffer.astype(np.int64)
        before, self._count = self._count, self._count + len(part)
        if self._count > len(buffer):  # no view of the buffer exists
            buffer.resize(max(self._count, len(buffer) * 9 // 8), refcheck=False)
        buffer[before : self._count] = part
        self._buffer = buffer

    def take_array(self) -> NDArray[Any]:
        """Return the column and reset this object to empty."""
        column = np.empty(0, dtype=self.dtype) if self._buffer is None else self._buffer
        column.resize(self._count, refcheck=False)
        self._count, self._buffer = 0, None
        return column


def group_sizes(bounds: IntArray) -> IntArray:
    """Number of rows of each group.

    >>> group_sizes(np.array([0, 2, 2, 5])).tolist()
    [2, 0, 3]
    """
    return np.diff(bounds)


def group_numbers(bounds: IntArray) -> IntArray:
    """Group number of each row.

    >>> group_numbers(np.array([0, 2, 2, 5])).tolist()
    [0, 0, 2, 2, 2]
    """
    return np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))


def group_bounds(sizes: Sequence[int] | IntArray) -> IntArray:
    """Bounds of groups with these sizes.

    >>> group_bounds([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    bounds = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=bounds[1:])
    return bounds


def concatenated_ranges(first: IntArray | int, sizes: IntArray) -> IntArray:
    """Concatenated ranges ``first[i], ..., first[i] + sizes[i] - 1`` of all i.

    >>> concatenated_ranges(np.array([7, 0, 4]), np.array([2, 0, 3])).tolist()
    [7, 8, 4, 5, 6]
    """
    ends = np.cumsum(sizes)
    numbers: IntArray = np.arange(int(sizes.sum())) + np.repeat(first - (ends - sizes), sizes)
    return numbers


def sorted_unique(codes: NarrowArray) -> IntArray:
    """Distinct numbers, ascending (`numpy.unique` would import masked arrays).

    >>> sorted_unique(np.array([3, 0, 3])).tolist()
    [0, 3]
    """
    ordered = np.sort(codes.astype(np.int64, copy=False))
    return ordered[np.diff(ordered, prepend=ordered[:1] - 1) > 0]


def sums_of_groups(values: IntArray, bounds: IntArray) -> IntArray:
    """Sum of the integers of each group.

    >>> sums_of_groups(np.array([1, 2, 4]), np.array([0, 2, 2, 3])).tolist()
    [3, 0, 4]
    """
    sums = np.concatenate(([0], np.cumsum(values)))
    return np.asarray(sums[bounds[1:]] - sums[bounds[:-1]])


def accumulate_groups(values: FloatArray, bounds: IntArray, ufunc: np.ufunc = np.add) -> FloatArray:
    """Cumulative sums (or maxima, ...) within each group, in order, so that they do not depend on other groups.

    >>> accumulate_groups(np.array([0.5, 1.0, 2.0]), np.array([0, 2, 2, 3])).tolist()
    [0.5, 1.5, 2.0]
    """
    result = np.empty(len(values))
    sizes = np.diff(bounds)
    order = np.argsort(sizes, kind="stable")
    low = int(np.count_nonzero(sizes == 0))
    while low < len(order):  # groups together of which the largest has at most twice as many rows as the smallest
        high = int(np.searchsorted(sizes[order], 2 * sizes[order[low]], side="right"))
        groups = order[low:high]
        place = np.arange(sizes[groups[-1]])
        filled = place < sizes[groups][:, None]
        rows = (bounds[groups][:, None] + place)[filled]
        table = np.zeros(filled.shape)
        table[filled] = values[rows]
        result[rows] = ufunc.accumulate(table, axis=1)[filled]
        low = high
    return result


def exact_sums_of_groups(values: FloatArray, bounds: IntArray) -> FloatArray:
    """Sum of each group, rounded once.

    >>> exact_sums_of_groups(np.array([0.1, 0.2, 0.3, 1.0]), np.array([0, 3, 3, 4])).tolist()
    [0.6, 0.0, 1.0]
    """
    sums = np.zeros(len(bounds) - 1)
    for first in range(0, len(sums), _GROUPS_PER_BLOCK):
        part = bounds[first : first + _GROUPS_PER_BLOCK + 1]
        numbers = values[part[0] : part[-1]].tolist()
        edges = pairwise((part - part[0]).tolist())
        sums[first : first + len(part) - 1] = [math.fsum(numbers[low:high]) for low, high in edges]
    return sums


def exact_means(rows: FloatArray) -> FloatArray:
    """Mean of each row, its sum rounded once; shape (rows, 1).

    >>> exact_means(np.array([[0.1, 0.2, 0.3]])).tolist()
    [[0.19999999999999998]]
    """
    sums = exact_sums_of_groups(rows.ravel(), np.arange(len(rows) + 1) * rows.shape[1])
    means: FloatArray = sums[:, None] / rows.shape[1]
    return means


def float_sums_of_groups(values: FloatArray, bounds: IntArray) -> FloatArray:
    """Sum of the rows of each group; it depends on no other group.

    >>> float_sums_of_groups(np.array([[0.5], [1.0], [2.0]]), np.array([0, 2, 2, 3])).tolist()
    [[1.5], [0.0], [2.0]]
    """
    sums = np.zeros((len(bounds) - 1, *values.shape[1:]))
    groups = np.flatnonzero(np.diff(bounds))
    if len(groups):  # else reduceat refuses
        sums[groups] = np.add.reduceat(values, bounds[groups], axis=0)
    return sums


def first_rows_at_least(values: FloatArray, first: IntArray, end: IntArray, least: FloatArray) -> IntArray:
    """The first row with a value of at least `least` among the rows first, ..., end - 1, whose values ascend; else end.

    The arguments but `values` have equal shapes.

    >>> values, first, end = np.array([1.0, 2.0, 0.5]), np.array([0, 0, 2]), np.array([2, 2, 3])
    >>> first_rows_at_least(values, first, end, np.array([1.5, 3.0, 0.0])).tolist()
    [1, 2, 2]
    """
    low, high = first, end
    for _ in range(int((end - first).max(initial=0)).bit_length()):
        middle = (low + high) // 2
        below = (middle < high) & (values[np.minimum(middle, len(values) - 1)] < least)
        low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
    return low


def grouped_sums(codes: IntArray, values: FloatArray | BoolArray, size: int) -> FloatArray:
    """Sum of the values per code, for the codes 0 to size - 1.

    >>> grouped_sums(np.array([0, 2, 2]), np.array([1.0, 2.0, 0.5]), 3).tolist()
    [1.0, 0.0, 2.5]
    """
    sums: FloatArray = np.bincount(codes, weights=values.astype(np.float64), minlength=size).astype(np.float64)
    return sums
