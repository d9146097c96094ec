"""The bootstrap of mean differences, studentised: a test, and an interval that is the set of means it does not reject.

Conventions. ``differences`` has shape (k, n): k comparisons over the same n topics. Results have shape (k,); NaN stands
for what is not defined: where all topics differ by the same amount, which leaves nothing to divide by, or where there
are too few of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import EMPTY, BoolArray, FloatArray, IntArray
from prum_eval.numerics.contrasts import NEAR_PAIRS, Origin, is_made_of, weighted_sums
from prum_eval.numerics.resampling import resamples

_ROUNDING = 1e-12
_SINGLE, _DOUBLE = 2.0**-24, 2.0**-50
"""What a number in single precision, or a step of a sum in double precision, may be off by."""
_TOGETHER = 256
"""So many comparisons are multiplied at a time: the resamples are laid out anew for each time."""
_CELLS = 1 << 24
"""About so many studentised means of trials are held at a time."""


def is_constant(differences: FloatArray) -> BoolArray:
    """Whether all topics differ by the same amount, but for rounding.

    >>> is_constant(np.array([[0.1, 0.1], [0.1, 0.2]])).tolist()
    [True, False]
    """
    found: BoolArray = np.ptp(differences, axis=1) <= _ROUNDING * np.abs(differences).max(axis=1)
    return found


def bootstrap_test(differences: FloatArray, trials: int, seed: int, origin: Origin | None = None) -> FloatArray:
    """Two-sided p-values of the paired bootstrap test.

    Topics are drawn with replacement from the differences shifted to mean 0. p is (1 + m) / (1 + trials), m trials
    having a studentised mean |mean / standard error| that is at least the observed one (Sakai, Evaluating evaluation
    metrics based on the bootstrap, SIGIR 2006, figure 1); a trial in which all topics drawn differ by the same amount
    but 0 is as far as can be. `origin`, what the differences are of, saves time where pairs are many more than runs.
    """
    found, rows = _defined(differences)
    if not len(rows):
        return found
    centred, mean, size = _centred(differences[rows])
    # |shifted| / deviation >= observed, squared and with the variance as mean square less squared mean
    square = mean**2 / (centred**2).mean(axis=1)
    share, least = square / (1 + square) * (1 - _ROUNDING), (_ROUNDING * size) ** 2
    far = np.zeros(len(rows))
    origin = None if origin is None else (origin[0], origin[1][rows])
    quick = is_made_of(differences[rows], origin)
    screen = None if origin is None or not quick.any() else _Screen.of(origin, centred, mean, share, least)
    if screen is not None:
        quick &= screen.sharp
    slow = np.flatnonzero(~quick)
    none = np.zeros(len(slow), dtype=np.bool_)
    for weights in resamples(seed, trials, differences.shape[1]):
        for some, shifted, squares in _moments(weights, mean[slow], centred[slow], none, None):
            own = slow[some]
            far[own] += (shifted**2 >= np.maximum(squares * share[own, None], least[own, None])).sum(axis=1)
        if screen is not None:
            for own, counted in screen.counts(weights, np.flatnonzero(quick)):
                far[own] += counted
    far[np.abs(mean) <= _ROUNDING * size] = trials
    found[rows] = (1 + far) / (1 + trials)
    return found


def bootstrap_margin(differences: FloatArray, trials: int, seed: int, alpha: float) -> FloatArray:
    """Half the width of the symmetric studentised interval of the mean, which holds 1 - alpha.

    It is the 1 - alpha quantile of |mean / standard error| over resamples, times the standard error observed (Hall, On
    symmetric bootstrap confidence intervals, Journal of the Royal Statistical Society B 50, 1988). Resamples that have
    no standard error do not count: with three topics they are one in nine, with ten one in a billion. With two topics
    the others all have the mean observed: nothing is defined.
    """
    found, rows = _defined(differences)
    n = differences.shape[1]
    if n < 3:
        return found
    step = max(1, _CELLS // trials)
    for own in (rows[start : start + step] for start in range(0, len(rows), step)):
        centred, mean, size = _centred(differences[own])
        drawn = np.empty((len(own), trials))
        start = 0
        slow = np.zeros(len(own), dtype=np.bool_)
        for weights in resamples(seed, trials, n):
            for some, shifted, squares in _moments(weights, mean, centred, slow, None):
                variance = squares - shifted**2
                variance[variance <= _ROUNDING * size[some, None] ** 2] = np.nan
                drawn[some, start : start + len(weights)] = shifted**2 / variance
            start += len(weights)
        found[own] = _roots_of_quantiles(drawn, 1 - alpha) * centred.std(axis=1)
    return found


@dataclass(frozen=True, eq=False)
class _Screen:
    """Counts the trials that are as far as those observed in single precision, twice as fast as in double.

    Trials that come so near to the border that rounding may have moved them are looked at again in double precision;
    they are few. Of k comparisons: `squares`, shape (k, n), the squares of centred differences times `share`, in units
    of `unit`; `floor`, shape (k,), what rounding may do to the square of a mean in these units; `sharp` says where that
    is little.
    """

    values: FloatArray
    pairs: IntArray
    centred: FloatArray
    mean: FloatArray
    share: FloatArray
    least: FloatArray
    unit: float
    squares: NDArray[np.float32]
    floor: FloatArray
    sharp: BoolArray

    @staticmethod
    def of(origin: Origin, centred: FloatArray, mean: FloatArray, share: FloatArray, least: FloatArray) -> _Screen:
        """For comparisons of pairs of runs; arguments as in `bootstrap_test`."""
        values, pairs = origin
        n = values.shape[1]
        around = values - values.mean(axis=1)[:, None]
        unit = float(np.abs(around).max()) or 1.0
        squares = (centred / unit) ** 2 * (share / n)[:, None]
        # a mean of values of one unit is one at most: rounded to single precision, and before to double
        largest = np.abs(values).max(axis=1)[pairs].sum(axis=1) / unit
        noise = 4 * _SINGLE + n * _DOUBLE * largest
        slack = _slack(n)
        floor = 2 * least / unit**2 + 2 * noise**2 / slack
        sharp = (slack < 0.01) & (floor < 0.01 * squares.sum(axis=1))
        with np.errstate(over="ignore", under="ignore"):
            single = squares.astype(np.float32)
        return _Screen(values, pairs, centred, mean, share, least, unit, single, floor, sharp)

    def counts(self, weights: FloatArray, rows: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Some of these comparisons at a time: which, and how many of the resamples are as far as observed."""
        n = weights.shape[1]
        sums, single = self.values @ weights.T, weights.astype(np.float32)
        means = (sums / n - self.values.mean(axis=1)[:, None]) / self.unit
        rounded = means.astype(np.float32)
        for own in (rows[start : start + _TOGETHER] for start in range(0, len(rows), _TOGETHER)):
            needed = self.squares[own] @ single.T
            counted, some, trial = self._compared(own, rounded, needed)
            np.add.at(counted, some, self._decide(weights, sums, own[some], trial))
            yield own, counted

    def _compared(
        self, rows: IntArray, means: NDArray[np.float32], needed: NDArray[np.float32]
    ) -> tuple[IntArray, IntArray, IntArray]:
        """How many trials of each of these comparisons are surely beyond what is needed; and the open ones, as pairs.

        `means` are those of runs, shape (runs, trials), `needed` the squares that the differences must have.
        """
        counted: list[int] = []
        places = []
        for start in range(0, len(rows), NEAR_PAIRS):
            own, least = rows[start : start + NEAR_PAIRS], needed[start : start + NEAR_PAIRS]
            first, second = self.pairs[own].T
            beyond = means[first]
            beyond -= means[second]
            beyond *= beyond
            near = 6 * _slack(self.values.shape[1]) * least.max(axis=1) + self.floor[own]
            beyond -= least
            border = near.astype(np.float32)[:, None]
            counted += map(np.count_nonzero, beyond > border)
            unsure = np.abs(beyond, out=beyond) <= border
            for row in np.flatnonzero(unsure.any(axis=1)).tolist():
                trial = np.flatnonzero(unsure[row])
                places.append((np.full(len(trial), start + row), trial))
        some, trial = (np.concatenate([EMPTY, *parts]) for parts in (list(zip(*places, strict=True)) or [(), ()]))
        return np.array(counted), some, trial

    def _decide(self, weights: FloatArray, sums: FloatArray, rows: IntArray, trial: IntArray) -> BoolArray:
        """Whether these trials of these comparisons are as far as observed."""
        n = weights.shape[1]
        first, second = self.pairs[rows].T
        shifted = (sums[first, trial] - sums[second, trial]) / n - self.mean[rows]
        squares = np.einsum("ij,ij->i", self.centred[rows] ** 2 / n, weights[trial])
        found: BoolArray = shifted**2 >= np.maximum(squares * self.share[rows], self.least[rows])
        return found


def _slack(n: int) -> float:
    """What rounding to single precision may do to a sum of n squares, relative to it."""
    return (n + 16) * 2 * _SINGLE


def _roots_of_quantiles(drawn: FloatArray, share: float) -> FloatArray:
    """Quantile of the square roots of each row, of those that are defined."""
    found = np.full(len(drawn), np.nan)
    for row, values in enumerate(drawn):
        known = values[~np.isnan(values)]
        if len(known):
            found[row] = np.quantile(np.sqrt(known), share)
    return found


def _defined(differences: FloatArray) -> tuple[FloatArray, IntArray]:
    """Results that are NaN yet, and the rows that are defined."""
    k, n = differences.shape
    rows = np.flatnonzero(~is_constant(differences)) if n > 1 else np.empty(0, dtype=np.int64)
    return np.full(k, np.nan), rows


def _centred(differences: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Differences shifted to mean 0, their means, and the size of the largest."""
    mean = differences.mean(axis=1)
    return differences - mean[:, None], mean, np.abs(differences).max(axis=1)


def _moments(
    weights: FloatArray, mean: FloatArray, centred: FloatArray, quick: BoolArray, origin: Origin | None
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """Some comparisons at a time: which, and means and mean squares in the resamples, shape (some, resamples)."""
    n = centred.shape[1]
    above = np.where(quick, mean, 0.0)[:, None]  # what is made of runs is not centred yet
    for own, sums in weighted_sums(weights, centred, quick, origin):
        yield own, sums / n - above[own], (centred[own] ** 2 / n) @ weights.T
