"""How many pairs of runs a test tells apart, and the difference that it takes (Sakai, SIGIR 2006).

Conventions. ``differences`` has shape (pairs, topics), without NaN, 0 where runs are equal but for rounding.
"""

from __future__ import annotations

import math

import numpy as np

from prum_eval.analysis.paired import randomisation_test, t_test
from prum_eval.analysis.power.settings import PowerSettings
from prum_eval.arrays import FloatArray
from prum_eval.numerics.bootstrap import bootstrap_test, is_constant
from prum_eval.numerics.contrasts import Origin
from prum_eval.numerics.resampling import orders, resamples

SETS = 10
"""Topic sets of a size over which discriminative power is averaged."""
_CELLS = 1 << 22
_ROUNDING = 1e-12


def discriminative_power(differences: FloatArray, settings: PowerSettings, origin: Origin | None = None) -> float:
    """Share of the pairs whose p is below alpha; pairs without a p are told apart by none.

    p is that of each pair alone. `origin`, what the differences are of, only saves time.
    """
    if settings.test == "t":
        found = t_test(differences)
    elif settings.test == "bootstrap":
        found = bootstrap_test(differences, settings.trials, settings.seed, origin)
    else:
        found, _ = randomisation_test(differences, settings.trials, settings.seed, origin)
    return float((found < settings.alpha).mean())


def power_of_sets(differences: FloatArray, size: int, settings: PowerSettings, origin: Origin) -> float:
    """Mean discriminative power over `SETS` random sets of so many topics."""
    values, pairs = origin
    sets = np.concatenate([chunk[:, :size] for chunk in orders(settings.seed, SETS, differences.shape[1])])
    return math.fsum(
        discriminative_power(differences[:, own], settings, (values[:, own], pairs)) for own in sets
    ) / len(sets)


def difference_required(differences: FloatArray, settings: PowerSettings) -> float | None:
    """The mean difference that the paired bootstrap test takes for significance, the largest of all pairs.

    Of the trials of a pair, in which topics are drawn from its differences shifted to mean 0, the one whose studentised
    mean is the (alpha trials)-th largest by amount: its mean, by amount (Sakai, SIGIR 2006, figure 5). None where no
    pair has differences that vary.
    """
    known = differences[~is_constant(differences)] if differences.shape[1] > 1 else differences[:0]
    place = max(1, int(settings.trials * settings.alpha + 1e-9)) - 1
    step = max(1, _CELLS // settings.trials)
    found = [_required(known[start : start + step], place, settings) for start in range(0, len(known), step)]
    return max(found, default=None)


def _required(differences: FloatArray, place: int, settings: PowerSettings) -> float:
    n = differences.shape[1]
    centred = differences - differences.mean(axis=1, keepdims=True)
    means, squares = np.empty((2, len(differences), settings.trials))
    start = 0
    for weights in resamples(settings.seed, settings.trials, n):
        chunk = slice(start, start + len(weights))
        means[:, chunk], squares[:, chunk] = centred @ weights.T / n, centred**2 @ weights.T / n
        start += len(weights)
    # a trial of equal differences has no variance, and is as far as can be unless its mean is 0 too
    square, variance = means**2, squares - means**2
    least = _ROUNDING * squares
    studentised = np.divide(square, variance, out=np.full_like(square, np.inf), where=variance > least)
    studentised[square <= least] = 0.0
    chosen = np.argsort(-studentised, axis=1, kind="stable")[:, place, None]
    return float(np.abs(np.take_along_axis(means, chosen, axis=1)).max())
