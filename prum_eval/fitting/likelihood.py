"""The likelihood of views: y log R' + (1 - y) log(1 - R'), R' = e + (1 - 2 e) R, R = reach rank_decay^(rank - 1).

Parameters are points of three numbers: the scaled parameter of the user model (its logarithm, or its logit where it is
a share), the leak e in [0, .5), and minus the logarithm of rank_decay, from 0 up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.fitting.logged.pairs import Cells
from prum_eval.numerics.estimation.scoring import Slope

LARGEST_LEAK = 0.5 - 1e-9
PARAMETER, LEAK, DECAY = range(3)
FASTEST_DECAY = 50.0
"""The largest minus logarithm of rank_decay: nothing is left of anything, rank_decay is 0."""
WIDEST = {False: 8 * math.log(10.0), True: 12.0}
"""How far a scaled parameter goes in either direction: from 1e-8 to 1e8; a share that far is 0 or 1."""
_CERTAIN = 1e-280
"""A variance so small is none."""


@dataclass(frozen=True, eq=False)
class ReachCurve:
    """R of distinct pairs as a function of a parameter: `reach`, and its derivative by the scaled parameter, `slope`.

    `share`: the scale is the logit, else the logarithm. Where nothing is to be estimated, `slope` is None, and `reach`
    the same for all values.
    """

    reach: Callable[[float], FloatArray]
    slope: Callable[[float], FloatArray] | None
    share: bool = False

    def value(self, scaled: float) -> float:
        """The parameter of a number on its scale."""
        if not self.share:
            return math.exp(scaled)
        if abs(scaled) >= WIDEST[True]:
            return float(scaled > 0)
        return 1.0 / (1.0 + math.exp(-scaled))

    def at(self, value: float) -> ReachCurve:
        """The curve of a parameter that is known."""
        reach = self.reach(value)
        return ReachCurve(lambda _: reach, None, self.share)


def rank_decay_of(scaled: float) -> float:
    """rank_decay, of minus its logarithm.

    >>> rank_decay_of(0.0), rank_decay_of(50.0)
    (1.0, 0.0)
    """
    return 0.0 if scaled >= FASTEST_DECAY else math.exp(-max(scaled, 0.0))


def reach_of_cells(curve: ReachCurve, cells: Cells, point: FloatArray) -> FloatArray:
    """R of each cell."""
    fades = np.exp(-point[DECAY] * cells.before)
    found: FloatArray = np.where(cells.open, curve.reach(curve.value(float(point[PARAMETER])))[cells.pair] * fades, 0.0)
    return found


def leaking(reach: FloatArray, leak: float) -> FloatArray:
    """R' of R."""
    return leak + (1.0 - 2.0 * leak) * reach


def log_likelihood(predicted: FloatArray, cells: Cells) -> float:
    """Of the views of cells with these probabilities; minus infinity where something impossible happened."""
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = np.where(cells.views > 0, cells.views * np.log(predicted), 0.0)
        passed = cells.trials - cells.views
        missed = np.where(passed > 0, passed * np.log1p(-predicted), 0.0)
    return float((seen + missed).sum())


def slope_at(curve: ReachCurve, cells: Cells, point: FloatArray, chosen: IntArray) -> Slope:
    """Value, gradient and information of the likelihood in the chosen ones of the three parameters.

    The information is the expected one, without that of what is certain, which has no bound. Of what is certain, and
    happened so, the gradient is that of log R' or log(1 - R').
    """
    reach = reach_of_cells(curve, cells, point)
    predicted = leaking(reach, float(point[LEAK]))
    jacobian = jacobian_at(curve, cells, point, reach)[:, chosen]
    weight = inverse_variance(predicted)
    surprise = (cells.views - cells.trials * predicted) * weight
    surprise += np.where((weight == 0) & (predicted < 0.5) & (cells.views == 0), -cells.trials, 0.0)
    surprise += np.where((weight == 0) & (predicted > 0.5) & (cells.views == cells.trials), cells.trials, 0.0)
    weighted = jacobian * (cells.trials * weight)[:, None]
    return Slope(log_likelihood(predicted, cells), jacobian.T @ surprise, weighted.T @ jacobian)


def inverse_variance(predicted: FloatArray) -> FloatArray:
    """1 / (R' (1 - R')); 0 where that is certain, which tells nothing."""
    spread = predicted * (1.0 - predicted)
    return np.divide(1.0, spread, out=np.zeros(len(spread)), where=spread > _CERTAIN)


def jacobian_at(curve: ReachCurve, cells: Cells, point: FloatArray, reach: FloatArray) -> FloatArray:
    """Derivatives of R' by the three parameters, shape (cells, 3)."""
    leak = float(point[LEAK])
    found = np.zeros((len(cells.pair), 3))
    if curve.slope is not None:
        slope = curve.slope(curve.value(float(point[PARAMETER])))[cells.pair] * np.exp(-point[DECAY] * cells.before)
        found[:, PARAMETER] = (1.0 - 2.0 * leak) * np.where(cells.open, slope, 0.0)
    found[:, LEAK] = 1.0 - 2.0 * reach
    found[:, DECAY] = -(1.0 - 2.0 * leak) * cells.before * reach
    return found


def leaked_views(reach: FloatArray, predicted: FloatArray, cells: Cells, leak: float) -> float:
    """Share of the views that the leak explains: the sum of e (1 - R) / R' over the views; 0 where there are none."""
    views = float(cells.views.sum())
    if views == 0 or leak == 0:
        return 0.0
    return float((cells.views * leak * (1.0 - reach) / predicted).sum()) / views
