"""Distributions of counts in very many situations, by divide and conquer.

Conventions as in `count_distributions`. The situations are halved recursively. Events whose probability does not change
within a half are added to the distribution that both its halves begin with; the others are passed on to the halves. So
t events that change e times in n situations cost about e log(n) steps instead of t n. Cells below 1e-40 at either end
of a distribution are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import BoolArray, FloatArray, IntArray

_Distribution = NDArray[np.floating[Any]]
_Number = TypeVar("_Number", bound=np.floating[Any])
_FEW = 64
"""Up to this many changing events are added situation by situation instead of halving again."""
SMALLEST_CELL = 1e-40
_DEGREE = 16
"""Number of events in a group; products within groups are computed for many groups at once."""
_LONG = 128
"""Minimum length of distributions whose ends are trimmed."""
_CELLS_TOGETHER = 1 << 20
"""Largest number of probabilities in memory."""
_LONG_NUMBERS = 16
"""Halves with smaller numbers contain many situations and use extended precision."""


@dataclass(slots=True, eq=False, repr=False)
class StepTable:
    """A table whose rows change in few of their `width` columns.

    A row is ``value[i]`` from column ``begin[i]`` on, up to the next value of that row; its first value begins at 0.
    """

    width: int
    begin: IntArray
    value: FloatArray

    def __len__(self) -> int:
        """Number of rows."""
        return int(np.count_nonzero(self.begin == 0))

    def columns(self, low: int, high: int) -> FloatArray:
        """Columns low, ..., high - 1 of the table."""
        end = np.append(self.begin, 0)[1:]
        end[end == 0] = self.width
        lengths = np.clip(end, low, high) - np.clip(self.begin, low, high)
        return np.repeat(self.value, lengths).reshape(-1, high - low)

    def take(self, columns: IntArray, rows: IntArray | None = None) -> FloatArray:
        """Some columns, of shape (n,) or per row (rows, n), of some rows, all by default; shape (rows, n)."""
        keys = (np.cumsum(self.begin == 0) - 1) * self.width + self.begin
        rows = np.arange(len(self)) if rows is None else rows
        places = np.searchsorted(keys, rows[:, None] * self.width + columns, side="right") - 1
        return np.asarray(self.value[places])


def step_table(p: FloatArray) -> StepTable:
    """A table with these rows."""
    return StepTable(p.shape[1], np.tile(np.arange(p.shape[1]), len(p)), p.ravel())


class _Sums:
    """Sum over the situations of weight P(F = f)."""

    def __init__(self, p: StepTable, events: int, weights: FloatArray, smallest: float) -> None:
        self.p = p
        self.together = max(_FEW, _CELLS_TOGETHER // max(1, len(p)))
        self.begin, self.block = 0, np.empty((0, 0))  # first situation and probabilities of some situations
        self.smallest = smallest
        self.weights = weights
        self.sums = np.zeros(events + 1)

    def _situations(self, begin: int, end: int) -> FloatArray:
        """Probabilities of all events in few situations; they are computed for as many as fit in memory."""
        if not self.begin <= begin < end <= self.begin + self.block.shape[1]:
            self.begin, self.block = begin, self.p.columns(begin, end)
        return self.block[:, begin - self.begin : end - self.begin]

    def add(self, begin: int, end: int, events: IntArray, least: int, distribution: FloatArray) -> None:
        """Add the situations begin, ..., end - 1.

        Args:
            begin: first situation.
            end: situation after the last one.
            events: events that are not yet in the distribution.
            least: least number of the other events that happen.
            distribution: ``distribution[i]`` is the probability that least + i of the other events happen.
        """
        few = end - begin <= self.together
        ends = (
            self._situations(begin, end)[events][:, [0, -1]] if few else self.p.take(np.array([begin, end - 1]), events)
        )
        first, last = ends.T
        fixed = first == last  # rows never fall
        least += int(np.count_nonzero(fixed & (first >= 1)))
        uncertain = fixed & (first > 0) & (first < 1)
        if uncertain.any():
            cut, distribution = trim_ends(
                np.convolve(distribution, _product(first[uncertain], 1.0 - first[uncertain])), self.smallest
            )
            least += cut
        events = events[~fixed]
        if end - begin > 1 and len(events) > _FEW:
            middle = (begin + end) // 2
            self.add(begin, middle, events, least, distribution)
            self.add(middle, end, events, least, distribution)
            return
        cells = np.zeros((len(distribution) + len(events), end - begin))
        cells[: len(distribution)] = distribution[:, None]
        rows = len(distribution)
        for chance in self._situations(begin, end)[events]:
            grown = cells[:rows] * chance
            cells[:rows] *= 1.0 - chance
            rows += 1
            cells[1:rows] += grown
        self.sums[least : least + rows] += np.vecdot(cells, self.weights[begin:end])


def divide_and_conquer_sums(
    p: StepTable, events: int, weights: FloatArray, smallest: float = SMALLEST_CELL
) -> FloatArray:
    """Sum over the situations of weights P(F = f), for f = 0..t.

    Args:
        p: the probabilities of independent events in n > 0 situations, each row never falling.
        events: t, the number of events that count, the first rows.
        weights: of the situations, shape (n,).
        smallest: cells below this at either end are dropped; with 0 every cell is accurate relative to itself.
    """
    sums = _Sums(p, events, weights, smallest)
    sums.add(0, p.width, np.arange(events), 0, np.ones(1))
    return sums.sums


def divide_and_conquer_distributions(
    p: FloatArray, does_not: FloatArray | None = None, smallest: float = SMALLEST_CELL
) -> tuple[int, FloatArray]:
    """Distributions of the number of uncertain events in each situation.

    Rounding errors of distributions shared by many situations would not average out: hence extended precision there.

    Args:
        p: the probabilities of t independent events in n > 0 situations, shape (t, n), each row never falling.
        does_not: the probabilities that they do not happen, 1 - p by default; else no row ever rises.
        smallest: cells up to this at either end may be dropped.

    Returns:
        The least count, and P(F = least + i) as row i, a column per situation.
    """
    n = p.shape[1]
    bottom = 1 << (n - 1).bit_length()  # half 1 is all, 2 i and 2 i + 1 halve i; `bottom` is situation 0
    factors = _factors(p, 1.0 - p if does_not is None else does_not, bottom)
    distributions: list[tuple[int, FloatArray]] = []
    open_halves: list[tuple[int, int, _Distribution]] = [(1, 0, np.ones(1, dtype=np.longdouble))]
    while open_halves:
        half, least, distribution = open_halves.pop()
        if half >= _LONG_NUMBERS:
            distribution = distribution.astype(np.float64, copy=False)
        for factor in factors.get(half, ()):
            distribution = np.convolve(distribution, factor)
            if len(distribution) > _LONG:
                cut, distribution = trim_ends(distribution, smallest)
                least += cut
        if half >= bottom:
            distributions.append((least, distribution.astype(np.float64, copy=False)))
            continue
        level = bottom.bit_length() - half.bit_length() - 1
        open_halves += ((i, least, distribution) for i in (2 * half + 1, 2 * half) if i << level < bottom + n)
    least = min(begin for begin, _ in distributions)
    cells = np.zeros((n, max(begin + len(distribution) for begin, distribution in distributions) - least))
    for row, (begin, distribution) in zip(cells, distributions, strict=True):
        row[begin - least : begin - least + len(distribution)] = distribution
    if does_not is not None:
        cells *= np.where(p <= 0, does_not, 1.0).prod(axis=0)[:, None]
    return least, np.ascontiguousarray(cells.T)


def _factors(p: FloatArray, does_not: FloatArray, bottom: int) -> dict[int, list[_Distribution]]:
    """Distributions of groups of uncertain events, by the half in which their probabilities are constant.

    Arguments as for `divide_and_conquer_distributions`; `bottom` is the half that is the first situation.
    """
    begins = np.ones(p.shape, dtype=np.bool_)
    begins[:, 1:] = (p[:, 1:] != p[:, :-1]) | (does_not[:, 1:] != does_not[:, :-1])
    event, begin = np.nonzero(begins)
    end = np.append(begin, 0)[1:]
    end[end == 0] = bottom  # the last stretch of an event ends after the last situation
    chance, misses = p[event, begin], does_not[event, begin]
    uncertain = (chance > 0) & (chance < 1)
    half, stretch = _largest_halves(begin[uncertain] + bottom, end[uncertain] + bottom)
    chance, misses = chance[uncertain][stretch], misses[uncertain][stretch]
    factors: dict[int, list[_Distribution]] = {}
    upper = half < _LONG_NUMBERS
    long = chance[upper].astype(np.longdouble), misses[upper].astype(np.longdouble)
    groups = _products(half[upper], *long), _products(half[~upper], chance[~upper], misses[~upper])
    for first, degree, distributions in groups:
        for i, top, distribution in zip(first.tolist(), degree.tolist(), distributions, strict=True):
            factors.setdefault(i, []).append(distribution[: top + 1])
    return factors


def _largest_halves(begin: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
    """Largest halves that make up stretches of situations, sorted, and the stretch of each.

    Args:
        begin: halves that are the first situations of the stretches.
        end: halves after the last ones.
    """
    halves, stretches = [], []
    stretch = np.arange(len(begin))
    while len(stretch):
        begins_right, ends_right = begin % 2 == 1, end % 2 == 1  # is the right one of two halves
        end = end - ends_right
        halves += [begin[begins_right], end[ends_right]]
        stretches += [stretch[begins_right], stretch[ends_right]]
        begin = (begin + begins_right) // 2
        end = end // 2
        more = begin < end
        begin, end, stretch = begin[more], end[more], stretch[more]
    half = np.concatenate([np.zeros(0, dtype=np.int64), *halves])
    order = np.argsort(half, kind="stable")
    return half[order], np.concatenate([stretch, *stretches])[order]


def _products(
    half: IntArray, chances: NDArray[_Number], does_not: NDArray[_Number]
) -> tuple[IntArray, IntArray, NDArray[_Number]]:
    """Distributions of groups of up to `_DEGREE` events of one half: half, number of events, row of probabilities.

    Args:
        half: half of each event, never falling.
        chances: probabilities of the events.
        does_not: probabilities that they do not happen.
    """
    place = np.arange(len(half)) - np.searchsorted(half, half)
    group = np.cumsum(place % _DEGREE == 0) - 1
    begins = np.flatnonzero(place % _DEGREE == 0)
    distributions = np.zeros((2, _DEGREE, len(begins)), dtype=chances.dtype)
    distributions[0] = 1.0
    distributions[0, place % _DEGREE, group] = does_not
    distributions[1, place % _DEGREE, group] = chances
    return (
        half[begins],
        np.diff(np.append(begins, len(half))),
        np.ascontiguousarray(_multiply_distributions(distributions).T),
    )


def _product(chances: FloatArray, does_not: FloatArray) -> FloatArray:
    """Distribution of the number of events, from the probabilities that each does and does not happen."""
    groups = -(-len(chances) // _DEGREE)
    distributions = np.zeros((2, groups * _DEGREE))
    distributions[0] = 1.0
    distributions[:, : len(chances)] = does_not, chances
    first, *others = _multiply_distributions(distributions.reshape(2, groups, _DEGREE).swapaxes(1, 2)).T
    product: FloatArray = reduce(np.convolve, others, first)
    return product[: len(chances) + 1]


def _multiply_distributions(distributions: NDArray[_Number]) -> NDArray[_Number]:
    """Distributions of groups of `_DEGREE` events, a column per group, from those of single events."""
    while distributions.shape[1] > 1:
        even, odd = distributions[:, ::2], distributions[:, 1::2]
        distributions = np.zeros((2 * len(even) - 1, *even.shape[1:]), dtype=distributions.dtype)
        for i, row in enumerate(odd):
            distributions[i : i + len(even)] += even * row
    return distributions[:, 0]


def trim_ends(distribution: NDArray[_Number], smallest: float) -> tuple[int, NDArray[_Number]]:
    """Number of cells dropped at the beginning, and the cells from the first to the last above `smallest`."""
    mask: BoolArray = distribution > smallest
    first = int(mask.argmax())
    return first, distribution[first : len(distribution) - int(mask[::-1].argmax())]
