"""Columns of which one is above the other in some rows and below it in others."""

from __future__ import annotations

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
