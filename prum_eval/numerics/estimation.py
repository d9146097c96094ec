"""Variances of estimates whose observations come in clusters that are independent of each other.

Conventions: a cluster is a row; scores have shape (clusters, parameters), their sum over clusters is 0 at the estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray
from prum_eval.numerics.significance import t_quantile


def sandwich_variances(scores: FloatArray, information: FloatArray) -> FloatArray | None:
    """Variances of the estimates: H^-1 (sum of s s') H^-1 times G / (G - 1), H the information, s a cluster's score.

    Liang and Zeger, Biometrika 73, 1986. None where the information is singular or there is one cluster.

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
    found: FloatArray = bread @ (scores.T @ scores) @ bread * (clusters / (clusters - 1))
    return found


def logit_share_variance(part: FloatArray, whole: FloatArray) -> float | None:
    """Variance of the logit of sum(part) / sum(whole), each with an entry a cluster; None where it is 0 or 1.

    >>> round(logit_share_variance(np.array([1.0, 3.0]), np.array([4.0, 4.0])), 12)
    1.0
    """
    share = part.sum() / whole.sum()
    if len(part) < 2 or not 0 < share < 1:
        return None
    found = sandwich_variances((part - share * whole)[:, None], np.array([[float(whole.sum()) * share * (1 - share)]]))
    return None if found is None else float(found[0, 0])


def half_width(variance: float, clusters: int, alpha: float) -> float:
    """Half of an interval that holds 1 - alpha, by Student's t with clusters - 1 degrees of freedom."""
    return t_quantile(alpha / 2, clusters - 1) * math.sqrt(variance)


# The root of a falling function: Newton's method, kept between bounds that close in on it.


_ROUNDS = 200


def decreasing_root(function: Callable[[float], tuple[float, float]], low: float, high: float) -> float:
    """Where a function that never rises changes from above 0 to below, between `low` and `high`.

    `function` returns its value and its derivative; where that leads out of the bounds, they are halved. The result is
    `low` or `high` where the function is below 0, or above, throughout.

    >>> round(decreasing_root(lambda x: (2 - x * x, -2 * x), 0.0, 4.0), 12)
    1.414213562373
    """
    if function(low)[0] <= 0:
        return low
    if function(high)[0] >= 0:
        return high
    x = (low + high) / 2
    for _ in range(_ROUNDS):
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


# Maxima of likelihoods within bounds, by Fisher's scoring.


_ROUNDS_scoring = 500
_HALVINGS = 60
_CLOSE = 1e-7
"""So near to a maximum, in squared standard errors, what is gained is lost in the rounding of the likelihood."""
_MIN_GAIN = 1e-24


@dataclass(frozen=True)
class Slope:
    """A log-likelihood at a point: its `value`, its `gradient`, and the Fisher `information`, a matrix."""

    value: float
    gradient: FloatArray
    information: FloatArray


@dataclass(frozen=True)
class Maximum:
    """A maximum: the point, the likelihood there, and which parameters are `free`, not held by a bound."""

    point: FloatArray
    slope: Slope
    free: BoolArray


def maximise_likelihood(
    slope_at: Callable[[FloatArray], Slope], start: FloatArray, low: FloatArray, high: FloatArray
) -> Maximum:
    """The maximum that scoring finds from a point on; all arrays have one entry a parameter.

    A step is the gradient over the information, halved until the likelihood rises; very near to the maximum until the
    gradient falls. A parameter at a bound that the gradient leads out of stays there.
    """
    point = np.clip(start, low, high)
    slope = slope_at(point)
    for _ in range(_ROUNDS_scoring):
        free = _free_parameters(point, slope, low, high)
        step = _step(slope, free)
        gain = float(slope.gradient @ step)
        if gain <= _MIN_GAIN:
            break
        found = _improved_point(slope_at, point, step, slope, gain, (low, high))
        if found is None:
            break
        point, slope = found
    return Maximum(point, slope, _free_parameters(point, slope, low, high))


def _free_parameters(point: FloatArray, slope: Slope, low: FloatArray, high: FloatArray) -> BoolArray:
    held: BoolArray = ((point <= low) & (slope.gradient <= 0)) | ((point >= high) & (slope.gradient >= 0))
    return ~held


def _step(slope: Slope, free: BoolArray) -> FloatArray:
    step = np.zeros(len(free))
    own = np.flatnonzero(free)
    if len(own):
        information = slope.information[np.ix_(own, own)]
        scale = np.sqrt(np.maximum(np.diag(information), 1e-300))
        scaled = information / np.outer(scale, scale)  # units apart, it is singular where parameters are the same
        solved = np.linalg.lstsq(scaled, slope.gradient[own] / scale, rcond=1e-12)[0]
        step[own] = solved / scale
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


# Kaplan and Meier's estimate of a survival function, and its median.


def survival_median(time: FloatArray, ended: BoolArray, weight: FloatArray) -> float | None:
    """The first time at which half or less survive; None where more than half always do.

    Args:
        time: when each was last seen.
        ended: whether it ended then; else it was lost from sight, and survived at least so long.
        weight: how often each counts.

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
