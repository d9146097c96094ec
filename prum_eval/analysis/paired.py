"""Paired tests of differences by topic: randomisation, Student's t, effect size, wins, correction for many tests.

Conventions. ``differences`` has shape (k, n): k comparisons over the same n topics, each the value of one run minus
that of another. Results have shape (k,); NaN stands for a value that is not defined. Differences that are nothing but
rounding are taken for 0 by `paired_difference`, before anything else is computed.
"""

from __future__ import annotations

import math

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.numerics.bootstrap import is_constant
from prum_eval.numerics.contrasts import Origin, is_made_of, weighted_sums
from prum_eval.numerics.resampling import signs
from prum_eval.numerics.student import quantile, two_sided

EXACT_UP_TO = 20
"""All arrangements of signs are gone through where at most so many topics differ: half a million sums."""
ROUNDING = 1e-12
"""Relative to the size of what is compared: sums of doubles in another order differ by less."""


def paired_difference(values: FloatArray, base: FloatArray) -> FloatArray:
    """Values minus base, 0 where they are equal but for rounding.

    >>> paired_difference(np.array([0.1 + 0.2, 1.0]), np.array([0.3, 0.5])).tolist()
    [0.0, 0.5]
    """
    found = values - base
    found[np.abs(found) <= ROUNDING * np.maximum(np.abs(values), np.abs(base))] = 0.0
    return found


def randomisation_test(
    differences: FloatArray, trials: int, seed: int, origin: Origin | None = None
) -> tuple[FloatArray, BoolArray]:
    """Two-sided p-values of the paired randomisation (sign-flip) test, and which of them are exact.

    If two runs were the same, each topic's difference could as well have the other sign: p is the share of all
    arrangements of signs whose sum is at least as far from 0 as the sum observed (Fisher, The Design of Experiments,
    1935, section 21). It is exact where at most `EXACT_UP_TO` differences are not 0; elsewhere it is estimated as
    (1 + m) / (1 + trials) from m of so many random arrangements, the observed one counted among them (Davison and
    Hinkley, Bootstrap Methods and their Application, 1997, section 4.2).

    `origin`, what the differences are of, saves time where pairs are many more than runs, and changes no result.

    >>> randomisation_test(np.array([[1.0, 2.0, 3.0]]), 1000, 1)[0].tolist()
    [0.25]
    """
    scale = np.abs(differences).sum(axis=1)
    goal = np.abs(differences.sum(axis=1)) - ROUNDING * scale
    exact = (differences != 0).sum(axis=1) <= EXACT_UP_TO
    found = np.empty(len(differences))
    for row in np.flatnonzero(exact):
        found[row] = _share_of_arrangements(differences[row], goal[row])
    if not exact.all():
        drawn = np.flatnonzero(~exact)
        origin = None if origin is None else (origin[0], origin[1][drawn])
        known, far = differences[drawn], np.zeros(len(drawn))
        quick = is_made_of(known, origin)
        for chunk in signs(seed, trials, differences.shape[1]):
            for own, sums in weighted_sums(chunk, known, quick, origin):
                far[own] += (np.abs(sums) >= goal[drawn[own], None]).sum(axis=1)
        found[drawn] = (1 + far) / (1 + trials)
    return found, exact


def _share_of_arrangements(differences: FloatArray, goal: float) -> float:
    moving = differences[differences != 0]
    if not len(moving):
        return 1.0
    # the other sign of the first one only mirrors every sum; each sum is one of the first half and one of the second
    half = (len(moving) + 1) // 2
    some, others = _sums(moving[1:half], moving[:1]), np.sort(_sums(moving[half:], np.zeros(1)))
    above = len(others) - np.searchsorted(others, goal - some)
    below = np.searchsorted(others, -goal - some, side="right")
    return min(float((above + below).sum() / (len(some) * len(others))), 1.0)


def _sums(values: FloatArray, sums: FloatArray) -> FloatArray:
    """Sums and values added to them, with either sign."""
    for value in values:
        sums = np.concatenate((sums + value, sums - value))
    return sums


def t_test(differences: FloatArray) -> FloatArray:
    """Two-sided p-values of the paired t test; NaN for a single topic and where all topics differ by the same amount.

    >>> t_test(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]])).round(4).tolist()
    [0.0742, nan]
    """
    n = differences.shape[1]
    found = np.full(len(differences), np.nan)
    for row in np.flatnonzero(~is_constant(differences)):
        found[row] = two_sided(differences[row].mean() / differences[row].std(ddof=1) * math.sqrt(n), n - 1)
    return found


def t_margin(differences: FloatArray, alpha: float) -> FloatArray:
    """Half the width of Student's interval of the mean, which holds 1 - alpha; NaN for a single topic.

    >>> t_margin(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]), 0.05).round(4).tolist()
    [2.4841, 0.0]
    """
    n = differences.shape[1]
    if n < 2:
        return np.full(len(differences), np.nan)
    found: FloatArray = quantile(alpha / 2, n - 1) / math.sqrt(n) * differences.std(axis=1, ddof=1)
    return found


def cohen_d(differences: FloatArray) -> FloatArray:
    """Effect size of paired values, d_z: mean difference by the standard deviation of the differences (n - 1).

    0 where nothing differs; NaN for a single topic and where all topics differ by the same amount (Cohen, Statistical
    Power Analysis for the Behavioral Sciences, 1988, section 2.3.5).

    >>> cohen_d(np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])).tolist()
    [2.0, 0.0]
    """
    k, n = differences.shape
    if n < 2:
        return np.full(k, np.nan)
    mean, size = differences.mean(axis=1), np.abs(differences).max(axis=1)
    deviation = differences.std(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(deviation > ROUNDING * size, mean / deviation, np.nan)
    return np.where(size == 0, 0.0, found)


def wins_ties_losses(differences: FloatArray) -> IntArray:
    """Topics on which the run is better than, equal to and worse than the other; shape (k, 3)."""
    return np.stack([(differences > 0).sum(axis=1), (differences == 0).sum(axis=1), (differences < 0).sum(axis=1)], 1)


def holm(p: FloatArray) -> FloatArray:
    """p-values corrected for their number, step by step (Holm, Scandinavian Journal of Statistics 6, 1979).

    The smallest of m is multiplied by m, the next by m - 1 and so on; none falls below the one before it, none exceeds
    1. NaN stays NaN and does not count.

    >>> holm(np.array([0.04, 0.01, 0.03])).tolist()
    [0.06, 0.03, 0.06]
    """
    found = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    found[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1)), 1.0)
    return found
