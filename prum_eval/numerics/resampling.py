"""Seeded draws for tests and intervals: the same numbers on every machine and with every version of numpy.

They are made from the raw words of the PCG64 generator, whose stream numpy never changes; the streams of its
distributions may. A trial always takes the same number of words, so that results do not depend on the size of chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import EMPTY_INTS, BoolArray, FloatArray, IntArray

CELLS_PER_CHUNK = 1 << 20
"""About so many cells a chunk."""
PERMUTATIONS_PER_CHUNK = 512
"""So many permutations of each row of a table are drawn, a power of 2."""


class WatchedTrials(int):
    """A number of trials, and what is called after each chunk of them with how many it had."""

    watch: Callable[[int], object]

    def __new__(cls, trials: int, watch: Callable[[int], object]) -> Self:
        """The number."""
        made = super().__new__(cls, trials)
        made.watch = watch
        return made


def random_signs(seed: int, trials: int, n: int) -> Iterator[FloatArray]:
    """Random signs in chunks of shape (some trials, n), each -1 or +1 with probability 1/2."""
    source = np.random.PCG64(seed)
    words = -(-n // 64)
    for count in _chunks(trials, n):
        raw = source.random_raw(count * words).astype("<u8").view(np.uint8)
        bits = np.unpackbits(raw.reshape(count, 8 * words), axis=1, count=n)
        yield 1.0 - 2.0 * bits.astype(np.float64)


def bootstrap_counts(seed: int, trials: int, n: int) -> Iterator[FloatArray]:
    """How often each of n items is drawn in n draws with replacement: chunks of shape (some trials, n)."""
    source = np.random.PCG64(seed)
    for count in _chunks(trials, n):
        uniform = (source.random_raw(count * n) >> np.uint64(11)) * 2.0**-53
        drawn = (uniform * n).astype(np.int64).reshape(count, n) + n * np.arange(count)[:, None]
        yield np.bincount(drawn.ravel(), minlength=count * n).reshape(count, n).astype(np.float64)


def random_orders(seed: int, trials: int, n: int) -> Iterator[IntArray]:
    """Random orders of n items, by number: chunks of shape (some trials, n)."""
    source = np.random.PCG64(seed)
    for count in _chunks(trials, n):
        yield np.argsort(source.random_raw(count * n).reshape(count, n), axis=1, kind="stable")


def permuted_sums(seed: int, trials: int, rows: FloatArray) -> Iterator[NDArray[np.float32]]:
    """Column sums of a table whose rows are permuted, each for itself: chunks of shape (some trials, columns).

    Sums are of single precision. A permutation is one of `PERMUTATIONS_PER_CHUNK` that are drawn for its row at first: to draw
    and sort anew takes ten times as long. What does not depend on the order of columns, such as the range of the sums,
    does not depend on what is drawn for any one row alone: to the variance of a share p of trials this adds at most
    p (1 - p) / `PERMUTATIONS_PER_CHUNK` squared, as much as a quarter of a million trials have.
    """
    source = np.random.PCG64(seed)
    n, k = rows.shape
    tables = np.empty((n, PERMUTATIONS_PER_CHUNK, k), dtype=np.float32)
    for row, table in zip(rows, tables, strict=True):
        table[:] = row[
            np.argsort(
                source.random_raw(PERMUTATIONS_PER_CHUNK * k).reshape(PERMUTATIONS_PER_CHUNK, k), axis=1, kind="stable"
            )
        ]
    for count in _chunks(trials, max(n, 5 * k)):
        words = source.random_raw(count * n) & np.uint64(PERMUTATIONS_PER_CHUNK - 1)
        drawn = np.ascontiguousarray(words.view(np.int64).reshape(count, n).T)
        sums, taken = np.zeros((count, k), dtype=np.float32), np.empty((count, k), dtype=np.float32)
        for table, chosen in zip(tables, drawn, strict=True):
            np.take(table, chosen, axis=0, out=taken, mode="clip")  # any other mode makes a copy
            sums += taken
        yield sums


def _chunks(trials: int, n: int) -> Iterator[int]:
    size = max(1, CELLS_PER_CHUNK // max(1, n))
    for start in range(0, trials, size):
        count = min(size, trials - start)
        yield count
        if isinstance(trials, WatchedTrials):
            trials.watch(count)


# Differences of pairs of runs by topic: when sums over runs stand for sums over their many more differences.


PairOrigin = tuple[FloatArray, IntArray]
"""What differences are of: values of shape (runs, n), and places of the two runs of each, shape (k, 2)."""
COMPARISONS_PER_BLOCK = 64
"""So many comparisons are computed at a time: they stay in the processor's cache."""
_ROUNDING_contrasts = 1e-14


def same_origin(differences: FloatArray, origin: PairOrigin | None) -> BoolArray:
    """Of which differences, shape (k, n), a sum is as good as the difference of two sums.

    Not of those of nearly equal runs, which cancel out; and of none if there are no more differences than runs.
    """
    if origin is None or len(origin[1]) <= len(origin[0]):
        return np.zeros(len(differences), dtype=np.bool_)
    first, second = (origin[0][column] for column in origin[1].T)
    scale = np.abs(differences).sum(axis=1)
    size = np.abs(first).sum(axis=1) + np.abs(second).sum(axis=1)
    off = np.abs(first - second - differences).sum(axis=1)
    found: BoolArray = (off <= _ROUNDING_contrasts * scale) & (scale >= size / 100)
    return found


def weighted_sums(
    weights: FloatArray, differences: FloatArray, quick: BoolArray, origin: PairOrigin | None
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Some differences at a time: which, and their sums under each row of weights, shape (some, trials).

    `weights` has shape (trials, n), `differences` (k, n); `quick` says which of them are made of `origin`.
    """
    for own in _blocks(~quick):
        yield own, differences[own] @ weights.T
    if origin is not None and quick.any():
        values, pairs = origin
        sums = values @ weights.T
        for own in _blocks(quick):
            yield own, sums[pairs[own, 0]] - sums[pairs[own, 1]]


def _blocks(chosen: BoolArray) -> Iterator[IntArray]:
    rows = np.flatnonzero(chosen)
    for start in range(0, len(rows), COMPARISONS_PER_BLOCK):
        yield rows[start : start + COMPARISONS_PER_BLOCK]


# The bootstrap of mean differences, studentised: a test, and an interval that is the set of means it does not reject.
#
# Conventions. ``differences`` has shape (k, n): k comparisons over the same n topics. Results have shape (k,); NaN stands
# for what is not defined: where all topics differ by the same amount, which leaves nothing to divide by, or where there
# are too few of them.


_ROUNDING = 1e-12
_SINGLE_ROUNDING, _DOUBLE_ROUNDING = 2.0**-24, 2.0**-50
"""What a number in single precision, or a step of a sum in double precision, may be off by."""
_COMPARISONS_PER_PRODUCT = 256
"""So many comparisons are multiplied at a time: the resamples are laid out anew for each time."""
_MEANS_PER_BLOCK = 1 << 24
"""About so many studentised means of trials are held at a time."""


def is_constant(differences: FloatArray) -> BoolArray:
    """Whether all topics differ by the same amount, but for rounding.

    >>> is_constant(np.array([[0.1, 0.1], [0.1, 0.2]])).tolist()
    [True, False]
    """
    found: BoolArray = np.ptp(differences, axis=1) <= _ROUNDING * np.abs(differences).max(axis=1)
    return found


def bootstrap_test(differences: FloatArray, trials: int, seed: int, origin: PairOrigin | None = None) -> FloatArray:
    """Two-sided p-values of the paired bootstrap test.

    Topics are drawn with replacement from the differences shifted to mean 0. p is (1 + m) / (1 + trials), m trials
    having a studentised mean |mean / standard error| that is at least the observed one (Sakai, Evaluating evaluation
    metrics based on the bootstrap, SIGIR 2006, figure 1); a trial in which all topics drawn differ by the same amount
    but 0 is as far as can be. `origin`, what the differences are of, saves time where pairs are many more than runs.
    """
    found, rows = _split_defined(differences)
    if not len(rows):
        return found
    centred, mean, size = _centre_differences(differences[rows])
    # |shifted| / deviation >= observed, squared and with the variance as mean square less squared mean
    square = mean**2 / (centred**2).mean(axis=1)
    share, least = square / (1 + square) * (1 - _ROUNDING), (_ROUNDING * size) ** 2
    far = np.zeros(len(rows))
    origin = None if origin is None else (origin[0], origin[1][rows])
    quick = same_origin(differences[rows], origin)
    screen = None if origin is None or not quick.any() else _Screen.for_pairs(origin, centred, mean, share, least)
    if screen is not None:
        quick &= screen.is_decisive
    slow = np.flatnonzero(~quick)
    none = np.zeros(len(slow), dtype=np.bool_)
    for weights in bootstrap_counts(seed, trials, differences.shape[1]):
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
    found, rows = _split_defined(differences)
    n = differences.shape[1]
    if n < 3:
        return found
    step = max(1, _MEANS_PER_BLOCK // trials)
    for own in (rows[start : start + step] for start in range(0, len(rows), step)):
        centred, mean, size = _centre_differences(differences[own])
        drawn = np.empty((len(own), trials))
        start = 0
        slow = np.zeros(len(own), dtype=np.bool_)
        for weights in bootstrap_counts(seed, trials, n):
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
    of `unit`; `floor`, shape (k,), what rounding may do to the square of a mean in these units; `is_decisive` says where that
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
    is_decisive: BoolArray

    @staticmethod
    def for_pairs(
        origin: PairOrigin, centred: FloatArray, mean: FloatArray, share: FloatArray, least: FloatArray
    ) -> _Screen:
        """For comparisons of pairs of runs; arguments as in `bootstrap_test`."""
        values, pairs = origin
        n = values.shape[1]
        around = values - values.mean(axis=1)[:, None]
        unit = float(np.abs(around).max()) or 1.0
        squares = (centred / unit) ** 2 * (share / n)[:, None]
        # a mean of values of one unit is one at most: rounded to single precision, and before to double
        largest = np.abs(values).max(axis=1)[pairs].sum(axis=1) / unit
        noise = 4 * _SINGLE_ROUNDING + n * _DOUBLE_ROUNDING * largest
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
        for own in (
            rows[start : start + _COMPARISONS_PER_PRODUCT] for start in range(0, len(rows), _COMPARISONS_PER_PRODUCT)
        ):
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
        for start in range(0, len(rows), COMPARISONS_PER_BLOCK):
            own, least = rows[start : start + COMPARISONS_PER_BLOCK], needed[start : start + COMPARISONS_PER_BLOCK]
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
        some, trial = (np.concatenate([EMPTY_INTS, *parts]) for parts in (list(zip(*places, strict=True)) or [(), ()]))
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
    return (n + 16) * 2 * _SINGLE_ROUNDING


def _roots_of_quantiles(drawn: FloatArray, share: float) -> FloatArray:
    """Quantile of the square roots of each row, of those that are defined."""
    found = np.full(len(drawn), np.nan)
    for row, values in enumerate(drawn):
        known = values[~np.isnan(values)]
        if len(known):
            found[row] = np.quantile(np.sqrt(known), share)
    return found


def _split_defined(differences: FloatArray) -> tuple[FloatArray, IntArray]:
    """Results that are NaN yet, and the rows that are defined."""
    k, n = differences.shape
    rows = np.flatnonzero(~is_constant(differences)) if n > 1 else np.empty(0, dtype=np.int64)
    return np.full(k, np.nan), rows


def _centre_differences(differences: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Differences shifted to mean 0, their means, and the size of the largest."""
    mean = differences.mean(axis=1)
    return differences - mean[:, None], mean, np.abs(differences).max(axis=1)


def _moments(
    weights: FloatArray, mean: FloatArray, centred: FloatArray, quick: BoolArray, origin: PairOrigin | None
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """Some comparisons at a time: which, and means and mean squares in the resamples, shape (some, resamples)."""
    n = centred.shape[1]
    above = np.where(quick, mean, 0.0)[:, None]  # what is made of runs is not centred yet
    for own, sums in weighted_sums(weights, centred, quick, origin):
        yield own, sums / n - above[own], (centred[own] ** 2 / n) @ weights.T
