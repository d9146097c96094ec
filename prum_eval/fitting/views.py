"""Parameters estimated from views: the most likely ones, or of a threshold that of the fewest errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray, sums_by
from prum_eval.fitting.likelihood import (
    DECAY,
    FASTEST_DECAY,
    LARGEST_LEAK,
    LEAK,
    PARAMETER,
    WIDEST,
    ReachCurve,
    leaking,
    log_likelihood,
    reach_of_cells,
    slope_at,
)
from prum_eval.fitting.logged.pairs import Cells
from prum_eval.numerics.estimation.scoring import Maximum, Slope, scored_maximum

_STEPS = 33
_LEAKS = (0.0, 0.003, 0.03, 0.15, 0.4)
_STARTS = 3
_TOO_LITTLE = 1e-9
"""Information on a scaled parameter with which nothing is known of it."""


@dataclass(frozen=True, eq=False)
class ViewFit:
    """The most likely point, and the likelihood there.

    `free`: which of the three parameters were estimated, are not held by a bound, and matter to the likelihood.
    """

    point: FloatArray
    value: float
    free: BoolArray


def most_likely(curve: ReachCurve, cells: Cells, start: FloatArray, chosen: IntArray, *, near: bool = False) -> ViewFit:
    """The most likely point; `chosen` ones of its parameters are estimated, the others stay as in `start`.

    `near`: it is looked for from `start` on, and nowhere else.
    """
    low = np.array([-WIDEST[curve.share], 0.0, 0.0])
    high = np.array([WIDEST[curve.share], LARGEST_LEAK, FASTEST_DECAY])
    best: Maximum | None = None
    for one in [start] if near else _starts(curve, cells, start, chosen):
        begin = one.copy()

        def there(values: FloatArray, begin: FloatArray = begin) -> Slope:
            point = begin.copy()
            point[chosen] = values
            return slope_at(curve, cells, point, chosen)

        found = scored_maximum(there, begin[chosen], low[chosen], high[chosen])
        if best is None or found.slope.value > best.slope.value:
            best = found
    assert best is not None  # noqa: S101 -- there is one start at least
    point, free = start.copy(), np.zeros(3, dtype=np.bool_)
    point[chosen] = best.point
    free[chosen] = best.free & (np.diag(best.slope.information) > _TOO_LITTLE)
    return ViewFit(point, best.slope.value, free)


def _starts(curve: ReachCurve, cells: Cells, start: FloatArray, chosen: IntArray) -> list[FloatArray]:
    """The best points of a coarse grid of the parameter and the leak, peaks apart from each other."""
    scaled = np.linspace(-WIDEST[curve.share], WIDEST[curve.share], _STEPS)
    values = scaled if PARAMETER in chosen else start[[PARAMETER]]
    leaks = np.array(_LEAKS) if LEAK in chosen else start[[LEAK]]
    decay = 0.05 if DECAY in chosen else start[DECAY]
    heights = np.empty((len(values), len(leaks)))
    for row, value in enumerate(values):
        reach = reach_of_cells(curve, cells, np.array([value, 0.0, decay]))
        heights[row] = [log_likelihood(leaking(reach, float(leak)), cells) for leak in leaks]
    best_leak = heights.argmax(axis=1)
    profile = heights.max(axis=1)
    padded = np.concatenate(([-np.inf], profile, [-np.inf]))
    peaks = np.flatnonzero((profile >= padded[:-2]) & (profile > padded[2:]))
    if not len(peaks):
        peaks = np.array([int(profile.argmax())])
    order = peaks[np.argsort(-profile[peaks], kind="stable")][:_STARTS]
    return [np.array([values[row], min(leaks[best_leak[row]], LARGEST_LEAK), decay]) for row in order.tolist()]


@dataclass(frozen=True, eq=False)
class Thresholds:
    """The values that tell thresholds on distances apart: `values`, rising, and the `place` of each distance in them.

    `known`: which distances a threshold reaches at all; `place` is of these.
    """

    values: FloatArray
    place: IntArray
    known: BoolArray

    def fewest_errors(self, gain: FloatArray) -> tuple[float, float]:
        """Between which values a threshold makes the fewest errors, from the first and below the second.

        `gain`: of each distance, how many errors fewer are made by reaching it. Of several such stretches the first.
        """
        sums = sums_by(self.place, gain[self.known], len(self.values))
        saved = np.concatenate(([0.0], np.cumsum(sums)))  # errors fewer than with a threshold below all
        if len(self.values) and self.values[0] <= 0:
            saved[0] = -np.inf  # no threshold is below
        best = int(saved.argmax())
        low = self.values[best - 1] if best else 0.0
        return float(low), float(self.values[best]) if best < len(self.values) else np.inf


def thresholds_of(distance: FloatArray) -> Thresholds:
    """The thresholds on distances, of which those that are infinite are never reached."""
    known = np.isfinite(distance)
    values, place = np.unique(distance[known], return_inverse=True)
    return Thresholds(values, place.ravel(), known)


def fewest_errors(distance: FloatArray, viewed: FloatArray, trials: FloatArray) -> tuple[float, float]:
    """Between which values a threshold makes the fewest errors, from the first and below the second.

    An error is a view behind the threshold, or none up to it.

    Args:
        distance: of pairs, infinite where no threshold reaches.
        viewed: how many of them were viewed.
        trials: how many there are.

    Returns:
        Of several such stretches the first. The first value is 0 where the smallest distance is too far already.

    >>> fewest_errors(np.array([10.0, 30.0, 20.0]), np.array([1.0, 0.0, 1.0]), np.ones(3))
    (20.0, 30.0)
    """
    return thresholds_of(distance).fewest_errors(2.0 * viewed - trials)


def middle(low: float, high: float) -> float:
    """The threshold in the middle of a stretch; its beginning where it has no end."""
    return low if np.isinf(high) else (low + high) / 2
