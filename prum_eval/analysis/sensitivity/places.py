"""How the order of runs changes with a parameter: tau against a reference, and where two runs change places."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from prum_eval.analysis.correlation.rank_correlation import order
from prum_eval.analysis.matrix import settled
from prum_eval.analysis.sensitivity.result import PlaceChange
from prum_eval.arrays import FloatArray
from prum_eval.numerics.crossings import exchanges


def taus(means: FloatArray, reference: int) -> list[float | None]:
    """Kendall's tau-b of the order of the runs at each value with that at the reference.

    Args:
        means: of each run at each value, shape (values, runs); NaN where a run has none, which then does not count.
        reference: the row to compare with.

    Returns:
        One a value; None where fewer than two runs count, or all tie.

    >>> taus(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2]]), 0)
    [1.0, -1.0, None]
    """
    found: list[float | None] = []
    rows = settled(means)
    for row in rows:
        known = ~np.isnan(row) & ~np.isnan(rows[reference])
        count = int(known.sum())
        if count < 2:
            found.append(None)
            continue
        one, each = np.ones((1, count)), np.arange(count)
        tau = float(order(rows[reference][known], row[known], each, count).tau_b(one)[0])
        found.append(None if math.isnan(tau) else tau)
    return found


def place_changes(
    measure: str, means: FloatArray, numbers: Sequence[float] | None, *, logarithmic: bool
) -> list[PlaceChange]:
    """Where two runs change places by a measure, from one value to the next at which they differ again.

    Args:
        measure: its name.
        means: as above.
        numbers: the values, if they are numbers: the place between two of them is where straight lines through the
            means cross, or the first value at which the means are equal.
        logarithmic: lines are straight over the logarithm of the values.
    """
    rows = settled(means)
    axis = None if numbers is None else np.log(numbers) if logarithmic else np.array(numbers)
    found = []
    for one in exchanges(rows):
        at = None
        if axis is not None and numbers is not None:
            gaps = rows[:, one.upper] - rows[:, one.lower]
            ties = np.flatnonzero(gaps[one.before : one.after + 1] == 0)
            if ties.size:
                at = float(numbers[one.before + int(ties[0])])
            else:
                share = gaps[one.before] / (gaps[one.before] - gaps[one.after])
                place = float(axis[one.before] + share * (axis[one.after] - axis[one.before]))
                at = math.exp(place) if logarithmic else place
        found.append(PlaceChange(measure, one.upper, one.lower, one.before, one.after, at))
    return found
