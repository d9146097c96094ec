"""Differences of pairs of runs by topic: when sums over runs stand for sums over their many more differences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray

Origin = tuple[FloatArray, IntArray]
"""What differences are of: values of shape (runs, n), and places of the two runs of each, shape (k, 2)."""
NEAR_PAIRS = 64
"""So many comparisons are computed at a time: they stay in the processor's cache."""
_ROUNDING = 1e-14


def is_made_of(differences: FloatArray, origin: Origin | None) -> BoolArray:
    """Of which differences, shape (k, n), a sum is as good as the difference of two sums.

    Not of those of nearly equal runs, which cancel out; and of none if there are no more differences than runs.
    """
    if origin is None or len(origin[1]) <= len(origin[0]):
        return np.zeros(len(differences), dtype=np.bool_)
    first, second = (origin[0][column] for column in origin[1].T)
    scale = np.abs(differences).sum(axis=1)
    size = np.abs(first).sum(axis=1) + np.abs(second).sum(axis=1)
    off = np.abs(first - second - differences).sum(axis=1)
    found: BoolArray = (off <= _ROUNDING * scale) & (scale >= size / 100)
    return found


def weighted_sums(
    weights: FloatArray, differences: FloatArray, quick: BoolArray, origin: Origin | None
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Some differences at a time: which, and their sums under each row of weights, shape (some, trials).

    `weights` has shape (trials, n), `differences` (k, n); `quick` says which of them are made of `origin`.
    """
    for own in _blocks(~quick):
        yield own, differences[own] @ weights.T
    if origin is not None and quick.any():
        values, pairs = origin
        sums = values @ weights.T
        for own in _blocks(quick):
            yield own, sums[pairs[own, 0]] - sums[pairs[own, 1]]


def _blocks(chosen: BoolArray) -> Iterator[IntArray]:
    rows = np.flatnonzero(chosen)
    for start in range(0, len(rows), NEAR_PAIRS):
        yield rows[start : start + NEAR_PAIRS]
