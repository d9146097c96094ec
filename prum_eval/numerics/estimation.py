"""Estimation: clustered variances, roots, maximum likelihood within bounds, and survival medians.

Conventions: observations come in independent clusters, one per row. Scores have shape (clusters, parameters); at the
estimate their sum over clusters is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray
from prum_eval.numerics.significance import t_quantile

_ROOT_ROUNDS, _SCORING_ROUNDS, _HALVINGS = 200, 500, 60
_CLOSE = 1e-7
"""Gain in squared standard errors below which rounding of the likelihood hides an improvement."""
_MIN_GAIN = 1e-24


def sandwich_variances(scores: FloatArray, information: FloatArray) -> FloatArray | None:
    """Covariance H^-1 (sum of s s') H^-1 G / (G - 1): H the information, s the score of each of G clusters.

    Liang and Zeger, Biometrika 73, 1986. None if the information is singular or there is one cluster.

    >>> sandwich_variances(np.array([[1.0], [-1.0]]), np.array([[4.0]])).tolist()
    [[0.25]]
    """
    clusters = len(scores)
    scale = np.sqrt(np.diag(information))
    if clusters < 2 or not (scale > 0).all():
        return None
    scaled = information / np.outer(scale, scale)
    if np.linalg.cond(scaled) > 1e10:
        return None
    bread = np.linalg.inv(scaled) / np.outer(scale, scale)
    variances: FloatArray = bread @ (scores.T @ scores) @ bread * (clusters / (clusters - 1))
    return variances


def logit_share_variance(part: FloatArray, whole: FloatArray) -> float | None:
    """Variance of the logit of sum(part) / sum(whole), one entry per cluster; None if the share is 0 or 1.

    >>> round(logit_share_variance(np.array([1.0, 3.0]), np.array([4.0, 4.0])), 12)
    1.0
    """
    share = part.sum() / whole.sum()
    if len(part) < 2 or not 0 < share < 1:
        return None
    information = np.array([[float(whole.sum()) * share * (1 - share)]])
    variances = sandwich_variances((part - share * whole)[:, None], information)
    return None if variances is None else float(variances[0, 0])


def half_width(variance: float, clusters: int, alpha: float) -> float:
    """Half width of the 1 - alpha interval, by Student's t with clusters - 1 degrees of freedom."""
    return t_quantile(alpha / 2, clusters - 1) * math.sqrt(variance)


def decreasing_root(function: Callable[[float], tuple[float, float]], low: float, high: float) -> float:
    """Root of a decreasing function between `low` and `high`, by Newton's method with bisection.

    `function` returns its value and its derivative; if Newton's step leaves the bounds, they are bisected. The result
    is `low` or `high` if the function is below or above 0 throughout.

    >>> round(decreasing_root(lambda x: (2 - x * x, -2 * x), 0.0, 4.0), 12)
    1.414213562373
    """
    if function(low)[0] <= 0:
        return low
    if function(high)[0] >= 0:
        return high
    x = (low + high) / 2
    for _ in range(_ROOT_ROUNDS):
        value, derivative = function(x)
        if value == 0:
            return x
        low, high = (x, high) if value > 0 else (low, x)
        following = x - value / derivative if derivative < 0 else low
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - x) <= 2e-16 * abs(x) or following in {low, high}:
            return following
        x = following
    return x


@dataclass(frozen=True)
class Slope:
    """Log-likelihood at a point: its `value`, its `gradient`, and the Fisher `information` matrix."""

    value: float
    gradient: FloatArray
    information: FloatArray


@dataclass(frozen=True)
class Maximum:
    """A maximum: the point, the likelihood there, and which parameters are `free`, not at a bound."""

    point: FloatArray
    slope: Slope
    free: BoolArray


def maximise_likelihood(
    slope_at: Callable[[FloatArray], Slope], start: FloatArray, low: FloatArray, high: FloatArray
) -> Maximum:
    """Maximise a likelihood within bounds by Fisher scoring; arrays have one entry per parameter.

    A step is the gradient over the information, halved until the likelihood rises, or very near to the maximum until
    the gradient falls. A parameter stays at a bound if the gradient points outwards.
    """
    point = np.clip(start, low, high)
    slope = slope_at(point)
    for _ in range(_SCORING_ROUNDS):
        free = _free_parameters(point, slope, low, high)
        step = _step(slope, free)
        gain = float(slope.gradient @ step)
        if gain <= _MIN_GAIN:
            break
        improved = _improved_point(slope_at, point, step, slope, gain, (low, high))
        if improved is None:
            break
        point, slope = improved
    return Maximum(point, slope, _free_parameters(point, slope, low, high))


def _free_parameters(point: FloatArray, slope: Slope, low: FloatArray, high: FloatArray) -> BoolArray:
    at_bound: BoolArray = ((point <= low) & (slope.gradient <= 0)) | ((point >= high) & (slope.gradient >= 0))
    return ~at_bound


def _step(slope: Slope, free: BoolArray) -> FloatArray:
    step = np.zeros(len(free))
    rows = np.flatnonzero(free)
    if len(rows):
        information = slope.information[np.ix_(rows, rows)]
        scale = np.sqrt(np.maximum(np.diag(information), 1e-300))
        scaled = information / np.outer(scale, scale)  # without units; singular if parameters are redundant
        solution = np.linalg.lstsq(scaled, slope.gradient[rows] / scale, rcond=1e-12)[0]
        step[rows] = solution / scale
    return step


def _improved_point(
    slope_at: Callable[[FloatArray], Slope],
    point: FloatArray,
    step: FloatArray,
    slope: Slope,
    gain: float,
    bounds: tuple[FloatArray, FloatArray],
) -> tuple[FloatArray, Slope] | None:
    for halving in range(_HALVINGS):
        following = np.clip(point + step * 0.5**halving, *bounds)
        if (following == point).all():
            return None
        there = slope_at(following)
        if gain > _CLOSE:
            better = there.value > slope.value
        else:
            left = float(there.gradient @ _step(there, _free_parameters(following, there, *bounds)))
            better = left < gain
        if better:
            return following, there
    return None


def survival_median(time: FloatArray, ended: BoolArray, weight: FloatArray) -> float | None:
    """Median of the Kaplan-Meier survival function; None if more than half always survive.

    Args:
        time: last observation of each case.
        ended: whether the case ended then; else it is censored and survived at least as long.
        weight: weight of each case.

    >>> survival_median(np.array([3.0, 1.0, 2.0]), np.array([True, True, False]), np.ones(3))
    3.0
    """
    order = np.argsort(time, kind="stable")
    times, first = np.unique(time[order], return_index=True)
    ends = np.add.reduceat((weight * ended)[order], first)
    leaving = np.add.reduceat(weight[order], first)
    at_risk = np.cumsum(leaving[::-1])[::-1]
    surviving = np.cumprod(1.0 - np.divide(ends, at_risk, out=np.zeros(len(ends)), where=at_risk > 0))
    half = np.flatnonzero(surviving <= 0.5 + 1e-12)
    return float(times[half[0]]) if len(half) else None
