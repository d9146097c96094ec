"""Coefficients of agreement of two measures with bootstrap intervals, over runs or over topics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from prum_eval.analysis.correlation.rank_correlation import Order, order, pearson
from prum_eval.analysis.matrix import settled
from prum_eval.analysis.settings import TrialSettings
from prum_eval.arrays import FloatArray, IntArray
from prum_eval.numerics.resampling import resamples

COEFFICIENTS = ("pearson", "tau_b", "tau_ap", "tau_ap_first", "tau_ap_second")
"""The last two are tau-ap of the order by one of the measures, the other's being the truth."""
FEWEST_RUNS = 3
"""With fewer runs, or topics where these are drawn, no interval: resamples would be little but one of them repeated."""
_CELLS = 1 << 22

_Coefficients = tuple[Callable[[FloatArray], FloatArray], ...]


@dataclass(frozen=True)
class Estimate:
    """A coefficient and its bootstrap interval; None where it is not defined."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Points:
    """Two measures over runs, or runs and topics: values of shape (points,), and the run or topic that is drawn."""

    x: FloatArray
    y: FloatArray
    group: IntArray


def estimates_by_group(points: Points, settings: TrialSettings) -> list[Estimate]:
    """The coefficients, with percentile intervals from drawing groups with all their points."""
    known = ~(np.isnan(points.x) | np.isnan(points.y))
    x, y = points.x[known], points.y[known]
    if not len(x):
        return [Estimate(None, None, None)] * len(COEFFICIENTS)
    drawn, group = np.unique(points.group[known], return_inverse=True)
    coefficients = _of(x, y, group, order(x, y, group, len(drawn)))
    once = np.ones((1, len(drawn)))
    values = [float(coefficient(once)[0]) for coefficient in coefficients]
    if len(drawn) < FEWEST_RUNS:
        return _estimates(values, np.empty((len(values), 0)), settings)
    found = np.empty((len(coefficients), settings.trials))
    start = 0
    for chunk in resamples(settings.seed, settings.trials, len(drawn)):
        for low in range(0, len(chunk), step := max(1, _CELLS // len(x))):
            weights = chunk[low : low + step]
            for number, coefficient in enumerate(coefficients):
                found[number, start : start + len(weights)] = coefficient(weights)
            start += len(weights)
    return _estimates(values, found, settings)


def estimates_of_means(x: FloatArray, y: FloatArray, settings: TrialSettings) -> list[Estimate]:
    """The coefficients of the means of runs, with percentile intervals from drawing topics.

    Args:
        x: values of a measure, shape (runs, topics); NaN on a topic that has none, for all runs.
        y: the same of the other.
        settings: seed, trials and alpha.
    """
    topics = x.shape[1]

    def means(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        return _means(x, weights), _means(y, weights)

    def coefficients(first: FloatArray, second: FloatArray) -> list[float]:
        each, once = np.arange(len(first)), np.ones((1, len(first)))
        lie = order(first, second, each, len(first))
        return [float(coefficient(once)[0]) for coefficient in _of(first, second, each, lie)]

    values = coefficients(*means(np.ones(topics)))
    if topics < FEWEST_RUNS:
        return _estimates(values, np.empty((len(values), 0)), settings)
    drawn = (weights for chunk in resamples(settings.seed, settings.trials, topics) for weights in chunk)
    found = [coefficients(*pair) for pair in map(means, drawn) if not np.isnan(pair).any()]
    return _estimates(values, np.array(found).reshape(-1, len(values)).T, settings)


def _of(x: FloatArray, y: FloatArray, group: IntArray, lie: Order) -> _Coefficients:
    return (
        lambda weights: pearson(x, y, group, weights),
        lie.tau_b,
        lie.tau_ap,
        lie.tau_ap_of_x,
        lie.tau_ap_of_y,
    )


def _means(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Means of the runs over topics that count as often as their weights say; NaN where none of them has a value."""
    known = ~np.isnan(values[0])
    count = weights[known].sum()
    if not count:
        return np.full(len(values), np.nan)
    return settled((values[:, known] * weights[known]).sum(axis=1) / count)


def _estimates(values: list[float], trials: FloatArray, settings: TrialSettings) -> list[Estimate]:
    """Resamples in which a coefficient is not defined, such as one run repeated, do not count."""
    ends = (settings.alpha / 2, 1 - settings.alpha / 2)
    found = []
    for value, own in zip(values, trials, strict=True):
        known = own[~np.isnan(own)]
        low, high = np.quantile(known, ends).tolist() if len(known) else (None, None)
        found.append(Estimate(None if np.isnan(value) else value, low, high))
    return found
