"""Curves over recall levels, crossings of curves, and Pareto fronts."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray

ROUNDING_SLACK = 1e-9
"""Tolerance of comparisons with recall levels: 0.7 of 10 is 7 despite rounding."""
PERCENT_LEVELS = np.arange(1, 101) / 100
"""Recall levels .01, .02, ... 1.00."""


def required_targets(levels: FloatArray, total: int | IntArray) -> IntArray:
    """Numbers of targets required for recall levels in [0, 1]: max(1, ceil(level total)).

    >>> required_targets(np.array([0.0, 0.1, 0.7, 1.0]), 10).tolist()
    [1, 1, 7, 10]
    """
    return np.maximum(1, np.ceil(np.asarray(levels) * total - ROUNDING_SLACK)).astype(np.int64)


def values_at_targets(values: FloatArray, levels: FloatArray) -> FloatArray:
    """Values at recall levels without interpolation; values[r - 1] belongs to r of len(values) targets."""
    return values[required_targets(levels, len(values)) - 1]


def ceiling_interpolation(values: FloatArray, levels: FloatArray) -> FloatArray:
    """Highest value at a recall level or any later one ([PRUM] ceiling interpolation).

    >>> ceiling_interpolation(np.array([0.5, 0.2, 0.4]), np.array([0.0, 0.5, 1.0])).tolist()
    [0.5, 0.4, 0.4]
    """
    envelope = np.maximum.accumulate(values[::-1])[::-1]
    return values_at_targets(envelope, levels)


def values_at_levels(values: FloatArray, levels: FloatArray) -> FloatArray:
    """Values at recall levels of curves given at 0, 1/k, ..., 1 (last axis); between two points the later one.

    >>> values_at_levels(np.array([3.0, 2.0, 1.0]), np.array([0.0, 0.5, 0.7])).tolist()
    [3.0, 2.0, 1.0]
    """
    return values[..., np.ceil(levels * (values.shape[-1] - 1) - ROUNDING_SLACK).astype(np.int64)]


class Crossing(NamedTuple):
    """Column `upper` is above column `lower` in row `above`, and below it in row `below`."""

    upper: int
    lower: int
    above: int
    below: int


def widest_crossing(values: FloatArray) -> Crossing | None:
    """The pair of columns that cross most clearly; None if no pair crosses.

    Args:
        values: shape (rows, columns); NaN is ignored.

    Returns:
        The pair whose smaller one of the largest distances in either direction is largest; of ties the first pair, its
        upper column before the lower one.

    >>> widest_crossing(np.array([[0.5, 0.3, 0.1], [0.2, 0.3, 0.4]]))
    Crossing(upper=0, lower=2, above=0, below=1)
    """
    crossing, widest = None, 0.0
    for column in range(values.shape[1]):
        distances = values[:, column, None] - values[:, column + 1 :]
        defined = ~np.isnan(distances)
        above, below = np.where(defined, distances, -np.inf), np.where(defined, -distances, -np.inf)
        if not distances.size:
            continue
        smaller = np.minimum(above.max(axis=0), below.max(axis=0))
        other = int(np.argmax(smaller))
        if smaller[other] > widest:
            widest = float(smaller[other])
            rows = int(np.argmax(above[:, other])), int(np.argmax(below[:, other]))
            crossing = Crossing(column, column + 1 + other, *rows)
    return crossing


class Exchange(NamedTuple):
    """Column `upper` is above `lower` in row `before` and below it in row `after`; they are equal in between."""

    upper: int
    lower: int
    before: int
    after: int


def exchanges(values: FloatArray) -> list[Exchange]:
    """All changes of order of two columns from one row to a later one, sorted by `before`, then by columns.

    Args:
        values: shape (rows, columns), rows in order; NaN is ignored.

    >>> exchanges(np.array([[0.5, 0.3], [0.4, 0.4], [0.2, 0.3]]))
    [Exchange(upper=0, lower=1, before=0, after=2)]
    """
    changes = []
    for column in range(values.shape[1]):
        sides = np.nan_to_num(np.sign(values[:, column, None] - values[:, column + 1 :]))
        for other in np.flatnonzero((sides > 0).any(axis=0) & (sides < 0).any(axis=0)).tolist():
            for before, after in pairwise(np.flatnonzero(sides[:, other]).tolist()):
                if sides[before, other] != sides[after, other]:
                    first, second = column, column + 1 + other
                    upper, lower = (first, second) if sides[before, other] > 0 else (second, first)
                    changes.append(Exchange(upper, lower, before, after))
    return sorted(changes, key=lambda change: (change.before, *sorted(change[:2])))


def pareto_mask(cost: FloatArray, quality: FloatArray) -> BoolArray:
    """Mask of the Pareto-optimal points: no other has the same quality at less cost, or more at no more cost.

    Both arguments have shape (n,). Equal points are on the front together.

    >>> pareto_mask(np.array([1.0, 2.0, 3.0, 3.0]), np.array([0.2, 0.5, 0.5, 0.6])).tolist()
    [True, True, False, True]
    """
    order = np.lexsort((-quality, cost))
    optimal = np.zeros(len(cost), dtype=np.bool_)
    best, best_cost = -np.inf, np.nan  # highest quality so far, and its least cost
    for point in order:
        if quality[point] > best:
            best, best_cost = quality[point], cost[point]
        optimal[point] = quality[point] == best and cost[point] == best_cost
    return optimal
