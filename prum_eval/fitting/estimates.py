"""Estimates with intervals clustered by session: sandwich variances, and the bootstrap where there are none."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray, sums_by
from prum_eval.fitting.likelihood import (
    DECAY,
    LEAK,
    PARAMETER,
    inverse_variance,
    jacobian_at,
    leaking,
    rank_decay_of,
    reach_of_cells,
    slope_at,
)
from prum_eval.fitting.logged.pairs import CellCounts, ViewPairs
from prum_eval.fitting.logged.walks import Counted
from prum_eval.fitting.reading import Readings, read_parameter, scores_of_readings
from prum_eval.fitting.solving import Solution, ten_digits
from prum_eval.fitting.views import thresholds_of
from prum_eval.numerics.estimation.clusters import half_width, sandwich, share_variance
from prum_eval.numerics.resampling import resamples
from prum_eval.user_models.model import ReadingLaw


@dataclass(frozen=True)
class ParameterEstimate:
    """A parameter: its value, and an interval where there is one.

    `se`: the clustered standard error on the scale that the interval is made on (logarithm, logit or the value itself);
    `naive`: that of independent views. `source`: what it was estimated from; empty where it was given.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    se: float | None = None
    naive: float | None = None
    source: str = ""


@dataclass(frozen=True)
class Resampling:
    """What the bootstrap needs, and how much intervals leave out."""

    seed: int
    trials: int
    alpha: float


def estimates_of_views(
    solution: Solution, counts: CellCounts, pairs: ViewPairs, names: tuple[str, str, str], alpha: float
) -> dict[int, ParameterEstimate]:
    """Estimates, by number, of the parameters that the likelihood told; `names`: of the three."""
    cells, point = counts.cells, solution.fit.point
    chosen = np.flatnonzero(solution.fit.free)
    slope = slope_at(solution.curve, cells, point, chosen)
    reach = reach_of_cells(solution.curve, cells, point)
    predicted = leaking(reach, float(point[LEAK]))
    weight = inverse_variance(predicted)
    jacobian = jacobian_at(solution.curve, cells, point, reach)[:, chosen]
    surprise = (pairs.viewed - predicted[counts.cell]) * weight[counts.cell]
    clusters, session = np.unique(pairs.session, return_inverse=True)
    scores = np.zeros((len(clusters), len(chosen)))
    for place, column in enumerate(jacobian.T):
        scores[:, place] = sums_by(session.ravel(), surprise * column[counts.cell], len(clusters))
    variance = sandwich(scores, slope.information) if len(chosen) else None
    naive = _naive(slope.information)
    found = {}
    for place, parameter in enumerate(chosen.tolist()):
        error = None if variance is None else math.sqrt(variance[place, place])
        half = None if variance is None else half_width(float(variance[place, place]), len(clusters), alpha)
        own = None if naive is None else float(naive[place])
        found[parameter] = _on_scale(solution, parameter, names[parameter], half, error, own)
    if LEAK not in found:
        found[LEAK] = ParameterEstimate(names[LEAK], float(point[LEAK]), source="views")
    if solution.decaying and DECAY not in found:
        found[DECAY] = ParameterEstimate(names[DECAY], rank_decay_of(float(point[DECAY])), source="views")
    return found


def _naive(information: FloatArray) -> FloatArray | None:
    """Standard errors of independent views: the roots of the inverse's diagonal."""
    if not len(information) or np.linalg.cond(information) > 1e14:
        return None
    found: FloatArray = np.sqrt(np.diag(np.linalg.inv(information)))
    return found


def _on_scale(
    solution: Solution, parameter: int, name: str, half: float | None, error: float | None, naive: float | None
) -> ParameterEstimate:
    """An estimate, with its interval taken back from its scale."""
    middle = float(solution.fit.point[parameter])
    back: Callable[[float], float] = {
        PARAMETER: solution.curve.value,
        LEAK: lambda leak: min(max(leak, 0.0), 0.5),
        DECAY: rank_decay_of,
    }[parameter]
    ends = (None, None) if half is None else sorted((back(middle - half), back(middle + half)))
    return ParameterEstimate(name, ten_digits(back(middle)), ends[0], ends[1], error, naive, "views")


def estimate_of_readings(
    name: str, law: ReadingLaw, readings: Readings, value: float, resampling: Resampling
) -> ParameterEstimate:
    """A parameter that readings tell: on a logarithmic scale, or a median by the bootstrap."""
    scored = scores_of_readings(law, readings, value)
    clusters, session = np.unique(readings.session, return_inverse=True)
    session = session.ravel()
    if scored is None:
        ends = bootstrapped(
            lambda weight: (found := read_parameter(law, readings, weight[session]), found), len(clusters), resampling
        )
        return ParameterEstimate(name, value, *ends, source="readings")
    scores = sums_by(session, scored[0], len(clusters))[:, None]
    variance = sandwich(scores, np.array([[scored[1]]]))
    naive = 1.0 / math.sqrt(scored[1]) if scored[1] > 0 else None
    if variance is None:
        return ParameterEstimate(name, value, naive=naive, source="readings")
    half = half_width(float(variance[0, 0]), len(clusters), resampling.alpha)
    error = math.sqrt(variance[0, 0])
    return ParameterEstimate(name, value, value * math.exp(-half), value * math.exp(half), error, naive, "readings")


def estimate_of_threshold(
    name: str, distance: FloatArray, pairs: ViewPairs, reached: BoolArray, value: float, resampling: Resampling
) -> ParameterEstimate:
    """A threshold by the bootstrap over sessions; `distance`: of each pair, `reached`: what counts at all."""
    thresholds = thresholds_of(np.where(reached, distance, np.inf))
    clusters, session = np.unique(pairs.session, return_inverse=True)
    own, gain = session.ravel(), np.where(pairs.viewed, 1.0, -1.0)

    def stretch(weight: FloatArray) -> tuple[float, float]:
        return thresholds.fewest_errors(gain * weight[own])

    return ParameterEstimate(name, value, *bootstrapped(stretch, len(clusters), resampling), source="views")


def bootstrapped(
    ends: Callable[[FloatArray], tuple[float | None, float | None]], clusters: int, resampling: Resampling
) -> tuple[float | None, float | None]:
    """Percentiles over resampled clusters: of the lower ends that `ends` gives for weights, and of the upper ones.

    None where an end is at times not known, or endless.
    """
    if clusters < 2:
        return None, None
    found = [ends(weight) for chunk in resamples(resampling.seed, resampling.trials, clusters) for weight in chunk]
    lows = np.array([np.nan if low is None else low for low, _ in found])
    highs = np.array([np.nan if high is None else high for _, high in found])
    low = float(np.quantile(lows, resampling.alpha / 2, method="inverted_cdf"))
    high = float(np.quantile(highs, 1 - resampling.alpha / 2, method="inverted_cdf"))
    return (low if math.isfinite(low) else None), (high if math.isfinite(high) else None)


def estimate_of_share(name: str, counted: Counted, source: str, alpha: float) -> ParameterEstimate | None:
    """A share that is counted; None where nothing was."""
    share = counted.share()
    if share is None:
        return None
    own: IntArray = np.flatnonzero(counted.whole > 0)
    variance = share_variance(counted.part[own], counted.whole[own])
    if variance is None:
        return ParameterEstimate(name, share, source=source)
    half, logit = half_width(variance, len(own), alpha), math.log(share / (1 - share))
    low, high = (1 / (1 + math.exp(-end)) for end in (logit - half, logit + half))
    naive = 1 / math.sqrt(counted.whole.sum() * share * (1 - share))
    return ParameterEstimate(name, share, low, high, math.sqrt(variance), naive, source)
