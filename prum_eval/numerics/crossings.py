"""Columns of which one is above the other in some rows and below it in others."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from prum_eval.arrays import FloatArray


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
