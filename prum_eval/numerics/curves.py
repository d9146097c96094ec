"""Recall levels: which count a level asks for, and how a curve is read between its points."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray

ROUNDING_SLACK = 1e-9
"""Slack of every comparison with a recall goal: 0.7 of 10 is 7, whatever the doubles say."""

PERCENT_LEVELS = np.arange(1, 101) / 100
"""The recall levels .01, .02, ... 1.00."""


def required_targets(level: float, total: int) -> int:
    """Number of targets that recall ``level`` in [0, 1] asks for: max(1, ceil(level total)).

    >>> [required_targets(level, 10) for level in (0.0, 0.1, 0.7, 1.0)]
    [1, 1, 7, 10]
    """
    return max(1, math.ceil(level * total - ROUNDING_SLACK))


def required_targets_array(levels: FloatArray, total: int) -> IntArray:
    """Numbers of targets for many levels, the array form of `required_targets`."""
    return np.maximum(1, np.ceil(np.asarray(levels) * total - ROUNDING_SLACK)).astype(np.int64)


def values_at_targets(values: FloatArray, levels: FloatArray) -> FloatArray:
    """Read a step function: values[r - 1] belongs to r targets of len(values); no interpolation."""
    return values[required_targets_array(levels, len(values)) - 1]


def ceiling_interpolation(values: FloatArray, levels: FloatArray) -> FloatArray:
    """Highest value at the level's goal or any later one ([PRUM] ceiling interpolation).

    >>> ceiling_interpolation(np.array([0.5, 0.2, 0.4]), np.array([0.0, 0.5, 1.0])).tolist()
    [0.5, 0.4, 0.4]
    """
    envelope = np.maximum.accumulate(values[::-1])[::-1]
    return values_at_targets(envelope, levels)


def values_at_levels(values: FloatArray, levels: FloatArray) -> FloatArray:
    """Values at recall levels, of a curve at 0, 1/k, ..., 1; a level between two points is read at the next one.

    >>> values_at_levels(np.array([3.0, 2.0, 1.0]), np.array([0.0, 0.5, 0.7])).tolist()
    [3.0, 2.0, 1.0]
    """
    return values[np.ceil(levels * (len(values) - 1) - ROUNDING_SLACK).astype(np.int64)]


# Columns of which one is above the other in some rows and below it in others.


class Crossing(NamedTuple):
    """Column `upper` is above column `lower` in row `above`, and below it in row `below`."""

    upper: int
    lower: int
    above: int
    below: int


def widest_crossing(values: FloatArray) -> Crossing | None:
    """The pair of columns that changes places most; None where no pair does.

    Args:
        values: shape (rows, columns); NaN is compared with nothing.

    Returns:
        Of all pairs, the one of which the smaller of the two distances is largest, each taken where it is widest; of
        equal ones the first, its upper column before the lower one.

    >>> widest_crossing(np.array([[0.5, 0.3, 0.1], [0.2, 0.3, 0.4]]))
    Crossing(upper=0, lower=2, above=0, below=1)
    """
    found, widest = None, 0.0
    for column in range(values.shape[1]):
        distances = values[:, column, None] - values[:, column + 1 :]
        known = ~np.isnan(distances)
        above, below = np.where(known, distances, -np.inf), np.where(known, -distances, -np.inf)
        if not distances.size:
            continue
        smaller = np.minimum(above.max(axis=0), below.max(axis=0))
        other = int(np.argmax(smaller))
        if smaller[other] > widest:
            widest = float(smaller[other])
            rows = int(np.argmax(above[:, other])), int(np.argmax(below[:, other]))
            found = Crossing(column, column + 1 + other, *rows)
    return found


class Exchange(NamedTuple):
    """Column `upper` is above column `lower` in row `before`, and below it in row `after`; in none between either."""

    upper: int
    lower: int
    before: int
    after: int


def exchanges(values: FloatArray) -> list[Exchange]:
    """Wherever two columns change places from one row to a later one, by `before`, then by columns.

    Args:
        values: shape (rows, columns), rows in their order; NaN is compared with nothing.

    >>> exchanges(np.array([[0.5, 0.3], [0.4, 0.4], [0.2, 0.3]]))
    [Exchange(upper=0, lower=1, before=0, after=2)]
    """
    found = []
    for column in range(values.shape[1]):
        sides = np.nan_to_num(np.sign(values[:, column, None] - values[:, column + 1 :]))
        for other in np.flatnonzero((sides > 0).any(axis=0) & (sides < 0).any(axis=0)).tolist():
            told = np.flatnonzero(sides[:, other]).tolist()
            for before, after in pairwise(told):
                if sides[before, other] != sides[after, other]:
                    first, second = column, column + 1 + other
                    upper, lower = (first, second) if sides[before, other] > 0 else (second, first)
                    found.append(Exchange(upper, lower, before, after))
    return sorted(found, key=lambda one: (one.before, *sorted(one[:2])))


# What no other beats in quality and in cost at once.


def pareto_mask(cost: FloatArray, quality: FloatArray) -> BoolArray:
    """The Pareto front: those of which no other has as much quality for less, or more quality for no more.

    Both have shape (n,); of equal ones each is on the front, or none.

    >>> pareto_mask(np.array([1.0, 2.0, 3.0, 3.0]), np.array([0.2, 0.5, 0.5, 0.6])).tolist()
    [True, True, False, True]
    """
    order = np.lexsort((-quality, cost))
    found = np.zeros(len(cost), dtype=np.bool_)
    best, paid = -np.inf, np.nan  # the most quality so far, and the least that it costs
    for place in order:
        if quality[place] > best:
            best, paid = quality[place], cost[place]
        found[place] = quality[place] == best and cost[place] == paid
    return found
