"""Seeded resampling, and the studentised bootstrap of mean differences: a test and an interval.

Draws are the same on every machine and with every version of numpy: they use the raw words of the PCG64 generator,
whose stream numpy never changes, unlike those of its distributions. A trial always takes the same number of words, so
results do not depend on the size of chunks.

Conventions. ``differences`` has shape (k, n): k comparisons (pairs of runs) over the same n topics. Results have shape
(k,). NaN means undefined: all topics differ by the same amount, so that the standard error is 0, or there are too few.

There may be many more pairs than runs. If a difference is that of two runs without cancellation (`same_origin`), sums
over runs replace sums over pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import EMPTY_INTS, BoolArray, FloatArray, IntArray

CELLS_PER_CHUNK = 1 << 20
"""Approximate number of cells per chunk."""
PERMUTATIONS_PER_CHUNK = 512
"""Number of permutations drawn for each row of a table, a power of 2."""
COMPARISONS_PER_BLOCK = 64
"""Comparisons computed at a time, which fit the processor's caches."""
_COMPARISONS_PER_PRODUCT = 256
"""Comparisons multiplied at a time: each product copies the resamples."""
_MEANS_PER_BLOCK = 1 << 24
"""Approximate number of studentised means in memory."""
_ROUNDING, _ORIGIN_ROUNDING = 1e-12, 1e-14
_SINGLE_ROUNDING, _DOUBLE_ROUNDING = 2.0**-24, 2.0**-50
"""Relative errors of a number in single precision, and of a step of a sum in double precision."""

PairOrigin = tuple[FloatArray, IntArray]
"""Origin of differences: values of runs, shape (runs, n), and indices of the runs of each pair, shape (k, 2)."""


class WatchedTrials(int):
    """A number of trials with a callback: `watch` is called after each chunk with its number of trials."""

    watch: Callable[[int], object]

    def __new__(cls, trials: int, watch: Callable[[int], object]) -> Self:
        """A number with this callback."""
        number = super().__new__(cls, trials)
        number.watch = watch
        return number

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        """A copy, as in the dictionaries of a result, is a plain number."""
        return int, (int(self),)


def random_signs(seed: int, trials: int, n: int) -> Iterator[FloatArray]:
    """Random signs, -1 or +1, in chunks of shape (some trials, n)."""
    source = np.random.PCG64(seed)
    words = -(-n // 64)
    for count in _chunks(trials, n):
        raw = source.random_raw(count * words).astype("<u8").view(np.uint8)
        bits = np.unpackbits(raw.reshape(count, 8 * words), axis=1, count=n)
        yield 1.0 - 2.0 * bits.astype(np.float64)


def bootstrap_counts(seed: int, trials: int, n: int) -> Iterator[FloatArray]:
    """How often each of n items occurs in n draws with replacement, in chunks of shape (some trials, n)."""
    source = np.random.PCG64(seed)
    for count in _chunks(trials, n):
        uniform = (source.random_raw(count * n) >> np.uint64(11)) * 2.0**-53
        drawn = (uniform * n).astype(np.int64).reshape(count, n) + n * np.arange(count)[:, None]
        yield np.bincount(drawn.ravel(), minlength=count * n).reshape(count, n).astype(np.float64)


def random_orders(seed: int, trials: int, n: int) -> Iterator[IntArray]:
    """Random permutations of n items, in chunks of shape (some trials, n)."""
    source = np.random.PCG64(seed)
    for count in _chunks(trials, n):
        yield np.argsort(source.random_raw(count * n).reshape(count, n), axis=1, kind="stable")


def permuted_sums(seed: int, trials: int, rows: FloatArray) -> Iterator[NDArray[np.float32]]:
    """Column sums of a table with independently permuted rows, in chunks of shape (some trials, columns).

    Sums have single precision. Each permutation is one of `PERMUTATIONS_PER_CHUNK` drawn for its row in advance;
    drawing and sorting anew takes ten times as long. A statistic that ignores the order of columns, such as the range
    of the sums, does not depend on the permutations of any single row: this adds at most
    p (1 - p) / `PERMUTATIONS_PER_CHUNK` squared to the variance of a share p of trials, as much as a quarter of a
    million trials have.
    """
    source = np.random.PCG64(seed)
    n, k = rows.shape
    tables = np.empty((n, PERMUTATIONS_PER_CHUNK, k), dtype=np.float32)
    for row, table in zip(rows, tables, strict=True):
        raw = source.random_raw(PERMUTATIONS_PER_CHUNK * k).reshape(PERMUTATIONS_PER_CHUNK, k)
        table[:] = row[np.argsort(raw, axis=1, kind="stable")]
    for count in _chunks(trials, max(n, 5 * k)):
        words = source.random_raw(count * n) & np.uint64(PERMUTATIONS_PER_CHUNK - 1)
        choices = np.ascontiguousarray(words.view(np.int64).reshape(count, n).T)
        sums, permuted = np.zeros((count, k), dtype=np.float32), np.empty((count, k), dtype=np.float32)
        for table, choice in zip(tables, choices, strict=True):
            np.take(table, choice, axis=0, out=permuted, mode="clip")  # any other mode makes a copy
            sums += permuted
        yield sums


def _chunks(trials: int, n: int) -> Iterator[int]:
    size = max(1, CELLS_PER_CHUNK // max(1, n))
    for start in range(0, trials, size):
        count = min(size, trials - start)
        yield count
        if isinstance(trials, WatchedTrials):
            trials.watch(count)


def same_origin(differences: FloatArray, origin: PairOrigin | None) -> BoolArray:
    """Whether sums of each difference may be computed as differences of sums over runs.

    False for nearly equal runs, which cancel, and if there are no more pairs than runs.
    """
    if origin is None or len(origin[1]) <= len(origin[0]):
        return np.zeros(len(differences), dtype=np.bool_)
    first, second = (origin[0][column] for column in origin[1].T)
    scale = np.abs(differences).sum(axis=1)
    size = np.abs(first).sum(axis=1) + np.abs(second).sum(axis=1)
    off = np.abs(first - second - differences).sum(axis=1)
    same: BoolArray = (off <= _ORIGIN_ROUNDING * scale) & (scale >= size / 100)
    return same


def weighted_sums(
    weights: FloatArray, differences: FloatArray, quick: BoolArray, origin: PairOrigin | None
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Weighted sums of differences in blocks: the rows, and their sums of shape (rows, trials).

    Args:
        weights: shape (trials, n).
        differences: shape (k, n).
        quick: rows that may be computed from `origin` (`same_origin`).
        origin: runs and pairs.
    """
    for rows in _blocks(np.flatnonzero(~quick), COMPARISONS_PER_BLOCK):
        yield rows, differences[rows] @ weights.T
    if origin is not None and quick.any():
        values, pairs = origin
        sums = values @ weights.T
        for rows in _blocks(np.flatnonzero(quick), COMPARISONS_PER_BLOCK):
            yield rows, sums[pairs[rows, 0]] - sums[pairs[rows, 1]]


def _blocks(rows: IntArray, size: int) -> Iterator[IntArray]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


def power_of_two_unit(values: FloatArray) -> float:
    """The power of two nearest above the largest absolute value; 1 if all are 0 or NaN.

    Division by it is exact: squares of any data then neither overflow nor vanish, and no other result changes.

    >>> power_of_two_unit(np.array([3e160, -1.0])) > 3e160, power_of_two_unit(np.zeros(2))
    (True, 1.0)
    """
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    return float(np.ldexp(1.0, min(int(np.frexp(largest)[1]), 1023))) if largest else 1.0


def is_constant(differences: FloatArray) -> BoolArray:
    """Whether all topics differ by the same amount, up to rounding.

    >>> is_constant(np.array([[0.1, 0.1], [0.1, 0.2]])).tolist()
    [True, False]
    """
    constant: BoolArray = np.ptp(differences, axis=1) <= _ROUNDING * np.abs(differences).max(axis=1)
    return constant


def bootstrap_test(differences: FloatArray, trials: int, seed: int, origin: PairOrigin | None = None) -> FloatArray:
    """Two-sided p-values of the paired bootstrap test.

    Topics are drawn with replacement from the differences shifted to mean 0. p is (1 + m) / (1 + trials), where m is
    the number of trials with a studentised mean |mean / standard error| of at least the observed one (Sakai, Evaluating
    evaluation metrics based on the bootstrap, SIGIR 2006, figure 1). A trial with standard error 0 counts if its mean
    is not 0. `origin` saves time if there are many more pairs than runs.
    """
    p, rows = _split_defined(differences)
    if not len(rows):
        return p
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
    for weights in bootstrap_counts(seed, trials, differences.shape[1]):
        for block, shifted, squares in _moments(weights, centred[slow]):
            chosen = slow[block]
            far[chosen] += (shifted**2 >= np.maximum(squares * share[chosen, None], least[chosen, None])).sum(axis=1)
        if screen is not None:
            for block, counts in screen.counts(weights, np.flatnonzero(quick)):
                far[block] += counts
    far[np.abs(mean) <= _ROUNDING * size] = trials
    p[rows] = (1 + far) / (1 + trials)
    return p


def bootstrap_margin(differences: FloatArray, trials: int, seed: int, alpha: float) -> FloatArray:
    """Half the width of the symmetric studentised 1 - alpha interval of the mean.

    It is the 1 - alpha quantile of |mean / standard error| over resamples, times the observed standard error (Hall, On
    symmetric bootstrap confidence intervals, Journal of the Royal Statistical Society B 50, 1988). Resamples with
    standard error 0 are ignored: one in nine of three topics, one in a billion of ten. With two topics all others have
    the observed mean, so the result is undefined.
    """
    margins, rows = _split_defined(differences)
    n = differences.shape[1]
    if n < 3:
        return margins
    for part in _blocks(rows, max(1, _MEANS_PER_BLOCK // trials)):
        centred, _, size = _centre_differences(differences[part])
        squared_ratios = np.empty((len(part), trials))
        start = 0
        for weights in bootstrap_counts(seed, trials, n):
            for block, shifted, squares in _moments(weights, centred):
                variance = squares - shifted**2
                variance[variance <= _ROUNDING * size[block, None] ** 2] = np.nan
                squared_ratios[block, start : start + len(weights)] = shifted**2 / variance
            start += len(weights)
        quantiles = np.full(len(part), np.nan)
        for row, values in enumerate(squared_ratios):
            defined = values[~np.isnan(values)]
            if len(defined):
                quantiles[row] = np.quantile(np.sqrt(defined), 1 - alpha)
        margins[part] = quantiles * centred.std(axis=1)
    return margins


@dataclass(frozen=True, eq=False)
class _Screen:
    """Counts trials at least as extreme as observed in single precision, twice as fast as in double.

    The few trials so near to the limit that rounding may matter are decided in double precision.

    Attributes (k comparisons, see `bootstrap_test` for the others):
        unit: unit of the squares.
        squares: squares of centred differences times `share`, shape (k, n).
        floor: possible rounding error of the square of a mean, shape (k,).
        is_decisive: whether this error is small, shape (k,).
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
        """Screen of pairs of runs; arguments as in `bootstrap_test`."""
        values, pairs = origin
        n = values.shape[1]
        around = values - values.mean(axis=1)[:, None]
        unit = float(np.abs(around).max()) or 1.0
        squares = (centred / unit) ** 2 * (share / n)[:, None]
        # means are at most one unit; they are rounded to double precision, then to single
        largest = np.abs(values).max(axis=1)[pairs].sum(axis=1) / unit
        noise = 4 * _SINGLE_ROUNDING + n * _DOUBLE_ROUNDING * largest
        slack = _slack(n)
        floor = 2 * least / unit**2 + 2 * noise**2 / slack
        sharp = (slack < 0.01) & (floor < 0.01 * squares.sum(axis=1))
        with np.errstate(over="ignore", under="ignore"):
            single = squares.astype(np.float32)
        return _Screen(values, pairs, centred, mean, share, least, unit, single, floor, sharp)

    def counts(self, weights: FloatArray, rows: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Numbers of trials at least as extreme as observed, for blocks of these comparisons."""
        n = weights.shape[1]
        sums, single = self.values @ weights.T, weights.astype(np.float32)
        means = (sums / n - self.values.mean(axis=1)[:, None]) / self.unit
        rounded = means.astype(np.float32)
        for block in _blocks(rows, _COMPARISONS_PER_PRODUCT):
            counts, open_row, open_trial = self._compare(block, rounded, self.squares[block] @ single.T)
            np.add.at(counts, open_row, self._decide(weights, sums, block[open_row], open_trial))
            yield block, counts

    def _compare(
        self, rows: IntArray, means: NDArray[np.float32], limits: NDArray[np.float32]
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Numbers of trials surely above the limit per comparison; rows and trials of the undecided ones.

        `means` are those of runs, shape (runs, trials); `limits` apply to squared differences of means.
        """
        counts: list[int] = []
        undecided = []
        for start in range(0, len(rows), COMPARISONS_PER_BLOCK):
            block, limit = rows[start : start + COMPARISONS_PER_BLOCK], limits[start : start + COMPARISONS_PER_BLOCK]
            first, second = self.pairs[block].T
            beyond = means[first]
            beyond -= means[second]
            beyond *= beyond
            near = 6 * _slack(self.values.shape[1]) * limit.max(axis=1) + self.floor[block]
            beyond -= limit
            border = near.astype(np.float32)[:, None]
            counts += map(np.count_nonzero, beyond > border)
            unsure = np.abs(beyond, out=beyond) <= border
            for row in np.flatnonzero(unsure.any(axis=1)).tolist():
                trial = np.flatnonzero(unsure[row])
                undecided.append((np.full(len(trial), start + row), trial))
        columns = list(zip(*undecided, strict=True)) or [(), ()]
        open_row, open_trial = (np.concatenate([EMPTY_INTS, *parts]) for parts in columns)
        return np.array(counts), open_row, open_trial

    def _decide(self, weights: FloatArray, sums: FloatArray, rows: IntArray, trial: IntArray) -> BoolArray:
        """Whether these trials of these comparisons are at least as extreme as observed, in double precision."""
        n = weights.shape[1]
        first, second = self.pairs[rows].T
        shifted = (sums[first, trial] - sums[second, trial]) / n - self.mean[rows]
        squares = np.einsum("ij,ij->i", self.centred[rows] ** 2 / n, weights[trial])
        extreme: BoolArray = shifted**2 >= np.maximum(squares * self.share[rows], self.least[rows])
        return extreme


def _slack(n: int) -> float:
    """Relative error of a sum of n squares in single precision."""
    return (n + 16) * 2 * _SINGLE_ROUNDING


def _split_defined(differences: FloatArray) -> tuple[FloatArray, IntArray]:
    """Results initialised with NaN, and the rows with defined results."""
    k, n = differences.shape
    rows = np.flatnonzero(~is_constant(differences)) if n > 1 else np.empty(0, dtype=np.int64)
    return np.full(k, np.nan), rows


def _centre_differences(differences: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Differences shifted to mean 0, their means, and their largest absolute values."""
    mean = differences.mean(axis=1)
    return differences - mean[:, None], mean, np.abs(differences).max(axis=1)


def _moments(weights: FloatArray, centred: FloatArray) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """Means and mean squares in resamples, both of shape (rows, resamples), for blocks of rows."""
    n = centred.shape[1]
    for rows in _blocks(np.arange(len(centred)), COMPARISONS_PER_BLOCK):
        yield rows, (centred[rows] @ weights.T) / n, (centred[rows] ** 2 / n) @ weights.T
