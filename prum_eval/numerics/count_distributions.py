"""Exact distributions of the number of independent events that happen, by convolution.

Conventions. ``p`` has shape (t, n): the probabilities of t independent events in n situations at once (in prum-eval t
targets after n ranks). F is the number of events that happen. Distributions have shape (t + 1, n): row f is P(F = f).
Situations run along the last axis, so that every step is one contiguous array operation.

"Rows never fall" means that a probability never decreases from one situation to the next: a user who goes down a list
has seen a target with such a probability. Each event is then impossible in the first situations, uncertain in the next
ones and sure in the last ones, and only the uncertain ones cost a convolution.

Sums over situations are computed row by row: a matrix product may be split between threads, and its last digit would
depend on their number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.numerics.divide_and_conquer import (
    SMALLEST_CELL,
    StepTable,
    divide_and_conquer_distributions,
    divide_and_conquer_sums,
    trim_ends,
)

NORMAL_MIN_EVENTS = 10
"""The normal approximation replaces distributions of more than this many uncertain events."""

_SITUATIONS_PER_BLOCK = 128
"""Situations that are processed together: few enough for the processor's caches."""
_LONG = 64
"""Minimum length of distributions whose ends are trimmed."""
_BETWEEN_CUTS = 16
"""Number of events between two trims."""
_CELLS_TOGETHER = 1 << 20
"""Cells that are multiplied by weights at once."""
_MANY_EVENTS = 128
"""Distributions of this many events have long ends of nearly nothing; smaller ones keep their relative accuracy."""
_MANY_SUM_STEPS, _MANY_CELL_STEPS = 1 << 28, 1 << 22
"""Steps of adding events one by one from which divide and conquer is faster, for sums and for distributions."""


@dataclass(slots=True, eq=False, repr=False)
class CountDistribution:
    """P(F = f) in n situations, F the number of `events` that happen.

    Row i of `cells` is P(F = least + i): `least` is the number of events that (nearly) surely happen in each situation.
    Rows beyond `span` are 0 in each situation. So only uncertain events take memory.
    """

    events: int
    least: IntArray
    span: IntArray
    cells: FloatArray

    def weighted_sum(self, weight: FloatArray) -> FloatArray:
        """Sum over the situations of weight P(F = f), for f = 0..events."""
        width = int(np.flatnonzero(weight).max(initial=-1)) + 1
        rows = int(self.span[:width].max(initial=0)) + 1
        return scatter(self.cells[:rows, :width] * weight[:width], self.least[:width], self.events + 1)

    def subtract(self, part: CountDistribution) -> FloatArray:
        """Cells minus those of a joint distribution of the same events in the first of the situations."""
        n = part.cells.shape[1]
        if not n:
            return self.cells[:, :0]
        shift = int(part.least[0] - self.least[0])  # the same in all situations
        rest = self.cells[:, :n].copy()
        low, high = max(shift, 0), min(shift + len(part.cells), len(rest))
        rest[low:high] -= part.cells[low - shift : high - shift]
        return rest


def count_distributions(p: FloatArray, does_not: FloatArray | None = None) -> CountDistribution:
    """Distribution of the number of events, compact and fast if rows never fall.

    Args:
        p: the probabilities of t events in n situations, shape (t, n); rows never fall.
        does_not: the probabilities that they do not happen, 1 - p by default. With smaller ones `cells` is the joint
            distribution of the count and of nothing else happening to the events.
    """
    sure, uncertain = (p >= 1).sum(axis=0), ((p > 0) & (p < 1)).sum(axis=0)
    rows = int(uncertain.max(initial=0)) + 1
    if rows * p.size > _MANY_CELL_STEPS:
        least, cells = divide_and_conquer_distributions(p, does_not, SMALLEST_CELL)
        return CountDistribution(len(p), sure + least, np.clip(uncertain - least, 0, len(cells) - 1), cells)
    cells = np.zeros((rows, p.shape[1]))
    cells[0] = 1.0
    added = np.zeros(p.shape[1], dtype=np.int64)  # number of uncertain events added in each situation
    stretches = np.count_nonzero(p <= 0, axis=1), np.count_nonzero(p < 1, axis=1)
    for x, (low, high) in enumerate(zip(*(column.tolist() for column in stretches), strict=True)):
        if does_not is not None and low > 0:
            cells[:, :low] *= does_not[x, :low]
        if low < high:
            added[low:high] += 1
            top = int(added[low:high].max())
            here = cells[:top, low:high]
            grown = here * p[x, low:high]
            here *= 1.0 - p[x, low:high] if does_not is None else does_not[x, low:high]
            cells[1 : top + 1, low:high] += grown
    return CountDistribution(len(p), sure, uncertain, cells)


def normal_count_distributions(p: FloatArray) -> CountDistribution:
    """Distribution of the number of events as in `normal_count_distribution`."""
    t, n = p.shape
    least, span = np.zeros(n, dtype=np.int64), np.full(n, t, dtype=np.int64)
    return CountDistribution(t, least, span, normal_count_distribution(p))


def count_distribution(p: FloatArray) -> FloatArray:
    """P(F = f) for f = 0..t, the Poisson-binomial distribution, by adding one event at a time.

    Only sums of products of probabilities: without cancellation every value is accurate relative to itself.

    >>> count_distribution(np.array([[0.5], [0.5]])).ravel().tolist()
    [0.25, 0.5, 0.25]
    """
    t, n = p.shape
    distribution = np.zeros((t + 1, n))
    distribution[0] = 1.0
    for x in range(t):
        grown = distribution[: x + 1] * p[x]
        distribution[: x + 1] *= 1.0 - p[x]
        distribution[1 : x + 2] += grown
    return distribution


def normal_count_distribution(p: FloatArray) -> FloatArray:
    """P(F = f), by the normal approximation for more than ten uncertain events, else exact.

    Mean sum p, variance sum p (1 - p), continuity correction 0.5, tails not renormalised ([PRUM] eq. 7 and after).
    """
    t, n = p.shape
    distribution = np.empty((t + 1, n))
    many = ((p > 0) & (p < 1)).sum(axis=0) > NORMAL_MIN_EVENTS
    distribution[:, ~many] = count_distribution(p[:, ~many])
    mean = p[:, many].sum(axis=0)
    deviation = np.sqrt((p[:, many] * (1 - p[:, many])).sum(axis=0))
    distribution[:, many] = normal_cell(np.arange(t + 1)[:, None], mean, deviation)
    return distribution


def normal_cell(count: IntArray, mean: FloatArray, deviation: FloatArray) -> FloatArray:
    """Probability of [count - 1/2, count + 1/2] under the normal distribution."""
    scaled = (np.asarray(count) - 0.5 - mean) / deviation, (np.asarray(count) + 0.5 - mean) / deviation
    lower, upper = (np.array([0.5 * math.erfc(-z / math.sqrt(2)) for z in side.ravel()]) for side in scaled)
    cells: FloatArray = np.maximum(upper - lower, 0.0).reshape(scaled[0].shape)
    return cells


def scatter(cells: FloatArray, offset: IntArray, length: int) -> FloatArray:
    """Sum columns that each start at their own offset: result[f] = sum of cells[i, j] with i + offset[j] = f.

    Cells at `length` or beyond must be 0.
    """
    index = np.arange(len(cells))[:, None] + offset
    sums: FloatArray = np.bincount(index.ravel(), weights=cells.ravel(), minlength=length)[:length].astype(np.float64)
    return sums


def missing_given_count(p: FloatArray, distribution: FloatArray, situation: IntArray) -> FloatArray:
    """P(event i did not happen | F = s) for s = 0..t, by deconvolution (leave one out).

    With Q the distribution without the event, P(F = s) = p Q(s - 1) + (1 - p) Q(s) is solved for
    w(s) = (1 - p) Q(s) / P(F = s), upwards if p < 1/2, else downwards, so that an error weighted by P(F = s) shrinks by
    the odds at each step. Clamping to [0, 1] keeps the quotient from exploding in the tails, where P(F = s) is near 0.
    If P(F = s) = 0, the result is 0.

    Args:
        p: the probability, in (0, 1), of event i in its situation, shape (m,).
        distribution: of the count in each situation, shape (t + 1, n).
        situation: situation of event i, which the count there includes, shape (m,).

    Returns:
        Shape (t + 1, m).
    """
    ratio = np.zeros(distribution.shape)  # P(s - 1) / P(s)
    largest = np.finfo(np.float64).max  # in place of infinity, since infinity times 0 is NaN
    up = p < 0.5
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        np.divide(distribution[:-1], distribution[1:], out=ratio[1:], where=distribution[1:] > 0)
        np.minimum(ratio, largest, out=ratio)
        if up.all():
            missing = _deconvolve_upwards(ratio.take(situation, axis=1), p / (1 - p))
        else:
            missing = np.zeros((len(distribution), len(p)))
            inverse = np.minimum(1 / ratio, largest)
            inverse[ratio <= 0] = 0.0
            missing[:, up] = _deconvolve_upwards(ratio.take(situation[up], axis=1), p[up] / (1 - p[up]))
            missing[:, ~up] = _deconvolve_downwards(inverse.take(situation[~up], axis=1), (1 - p[~up]) / p[~up])
    impossible = distribution <= 0
    rows = np.flatnonzero(impossible.any(axis=1))  # few, at the ends
    missing[rows] *= ~impossible[rows].take(situation, axis=1)
    return missing


def _deconvolve_upwards(ratio: FloatArray, odds: FloatArray) -> FloatArray:
    """w(s) = 1 - odds ratio(s) w(s - 1) from w(0) = 1, at least 0; overwrites `ratio`."""
    w = ratio
    w[0] = 1.0
    for s in range(1, len(w)):
        w[s] *= odds
        w[s] *= w[s - 1]
        np.subtract(1.0, w[s], out=w[s])
        np.maximum(w[s], 0.0, out=w[s])
    return w


def _deconvolve_downwards(ratio: FloatArray, odds: FloatArray) -> FloatArray:
    """w(s - 1) = odds ratio(s) (1 - w(s)), at most 1, from w(t) = 0: if every event happened, this one did too."""
    w = np.zeros(ratio.shape)
    for s in range(len(w) - 1, 0, -1):
        np.subtract(1.0, w[s], out=w[s - 1])
        ratio[s] *= odds
        w[s - 1] *= ratio[s]
        np.minimum(w[s - 1], 1.0, out=w[s - 1])
    return w


def events_by_turn(bounds: IntArray) -> tuple[IntArray, list[int]]:
    """Events of situations in turns: the first of each, the second of each that has two, ...

    Args:
        bounds: the events of situation j are bounds[j], ..., bounds[j + 1] - 1; each situation has some.

    Returns:
        The events in that order, those of the situations with most of them first in every turn, and their number in
        each turn.
    """
    events = np.diff(bounds)
    order = np.argsort(-events, kind="stable")
    begin = bounds[:-1][order]
    sizes: list[int] = np.searchsorted(-events[order], -np.arange(events.max())).tolist()  # with more than that many
    return np.concatenate([begin[:size] + turn for turn, size in enumerate(sizes)]), sizes


def probability_of_any(chances: FloatArray, sizes: list[int]) -> FloatArray:
    """Probability per situation that any of its independent events happens.

    Columns are situations, ordered as in the first turn. Nothing is subtracted from 1, so small results are accurate
    relative to themselves.

    Args:
        chances: probabilities of the events, a column per event, ordered as in `events_by_turn`; overwritten.
        sizes: number of columns of each turn.
    """
    happened, begin = chances[:, : sizes[0]], sizes[0]
    for size in sizes[1:]:
        other = chances[:, begin : begin + size]
        other *= 1.0 - happened[:, :size]
        happened[:, :size] += other
        begin += size
    return happened


# Sums over situations and expectations for a growing set of events (EPRUM's targets per satisfaction level), computed
# on the way without storing distributions.


def sums_of_distributions(
    p: StepTable,
    counts: Sequence[int],
    bounds: FloatArray,
    ends: Sequence[float] | None = None,
    *,
    normal: bool = False,
    smallest: float = 0.0,
) -> list[FloatArray]:
    """Sum over the situations of weight P(F = f), for f = 0..counts[i], F counting the first counts[i] events.

    Args:
        p: the probabilities of t independent events in n situations; rows never fall.
        counts: numbers of events, never falling.
        bounds: situation j lasts from bounds[j] to bounds[j + 1], which is its weight; never falling, shape (n + 1,).
        ends: end of the situations that count, per entry of `counts`, never falling; by default all count.
        normal: use the normal approximation for more than ten uncertain events.
        smallest: cells up to this at either end of a distribution may be dropped; of many events, up to 1e-40.
    """
    if len(p) >= _MANY_EVENTS:
        smallest = max(smallest, SMALLEST_CELL)
    ends = [np.inf] * len(counts) if ends is None else ends
    many = len(p) ** 2 * p.width > _MANY_SUM_STEPS * len(counts)
    if not normal and (many or len(counts) == 1):  # one set of events has no intermediate results
        weights = (np.diff(np.minimum(bounds, end)) for end in ends)
        return [divide_and_conquer_sums(p, count, w, smallest) for count, w in zip(counts, weights, strict=True)]
    sums = [np.zeros(count + 1) for count in counts]
    for begin in range(0, p.width, _SITUATIONS_PER_BLOCK):
        block_bounds = bounds[begin : begin + _SITUATIONS_PER_BLOCK + 1]
        block_ends = np.clip(ends, block_bounds[0], block_bounds[-1]).tolist()
        if block_ends[-1] <= block_bounds[0]:  # none of these situations counts
            continue
        block = p.columns(begin, min(begin + _SITUATIONS_PER_BLOCK, p.width))
        if normal:
            block_sums = _normal_block_sums(block, counts, block_bounds, block_ends)
        else:
            block_sums = _block_sums(block, counts, block_bounds, block_ends, smallest)
        for total, (least, cells) in zip(sums, block_sums, strict=True):
            total[least : least + len(cells)] += cells
    return sums


def _weights_before(end: float, bounds: FloatArray) -> FloatArray:
    """Weights of the parts of situations before `end`."""
    clipped = np.minimum(bounds, end)
    return clipped[1:] - clipped[:-1]


def _normal_block_sums(
    p: FloatArray, counts: Sequence[int], bounds: FloatArray, ends: Sequence[float]
) -> Iterator[tuple[int, FloatArray]]:
    """`_block_sums` by the normal approximation."""
    for count, end in zip(counts, ends, strict=True):
        yield 0, np.vecdot(normal_count_distribution(p[:count]), _weights_before(end, bounds))


def _block_sums(
    p: FloatArray, counts: Sequence[int], bounds: FloatArray, ends: Sequence[float], smallest: float
) -> Iterator[tuple[int, FloatArray]]:
    """Per number of events the sum over the situations of a block: its least count, and the cells from there on.

    Most events are as likely in the last of the situations as in the first. These fixed events are added to the sum
    itself, the moving ones in each situation. Convolutions commute, so after a moving event the sum is computed anew
    from the distributions of both kinds.
    """
    first, last = p[:, 0], p[:, -1]
    moving, fixed = first != last, (first == last) & (first > 0) & (first < 1)
    chances = list(np.stack((first[fixed], 1.0 - first[fixed]), axis=1))
    before = [np.append(0, np.cumsum(kind))[counts].tolist() for kind in (moving, fixed, first >= 1)]
    common, total, added = _Cells(0, np.ones(1), smallest), None, 0
    state, weights = (0, bounds[0]), np.zeros(len(first))  # moving events and end of the current `total` and weights
    distributions = _growing_distributions(p[moving], before[0], smallest)
    for n_moving, n_fixed, n_sure, (least, cells), end in zip(*before, distributions, ends, strict=True):
        if state != (n_moving, end):
            weights = weights if end == state[1] else _weights_before(end, bounds)
            total, state = None, (n_moving, end)
        for chance in chances[added:n_fixed]:
            common.add_event(chance)
            if total is not None:
                total.add_event(chance)
        added = n_fixed
        if total is None and end > bounds[0]:
            sums = np.correlate(common.cells, np.vecdot(cells, weights)[::-1], "full")
            total = _Cells(common.least + least, sums, smallest)
        yield (0, np.zeros(0)) if total is None else (n_sure + total.least, total.cells)


class _Cells:
    """Values per count, from the count `least` on, to which events are added."""

    def __init__(self, least: int, cells: FloatArray, smallest: float) -> None:
        self.least = least
        self.cells = cells
        self._smallest = smallest
        self._events = 0

    def add_event(self, chances: FloatArray) -> None:
        """Add an event with these probabilities to happen and not to happen."""
        self.cells = np.correlate(self.cells, chances, "full")  # a convolution, without its checks
        self._events += 1
        if len(self.cells) >= _LONG and not self._events % _BETWEEN_CUTS:
            cut, self.cells = trim_ends(self.cells, self._smallest)
            self.least += cut


def means_of_distributions(
    p: FloatArray, counts: Sequence[int], values: Sequence[FloatArray], *, normal: bool = False
) -> list[FloatArray]:
    """Sum over f of P(F = f) values[i][f], in each situation, F counting the first counts[i] events.

    Arguments as for `sums_of_distributions`; ``values[i]`` has a value for each f = 0..counts[i], or more.
    """
    distributions = (
        ((0, normal_count_distribution(p[:count])) for count in counts) if normal else _growing_distributions(p, counts)
    )
    return [
        sum_weighted_rows(weights[least : least + len(cells)], cells)
        for weights, (least, cells) in zip(values, distributions, strict=True)
    ]


def sum_weighted_rows(weights: FloatArray, rows: FloatArray) -> FloatArray:
    """Sum of the rows times their weights, in row order, so that rows of 0 change no digit."""
    together = max(_SITUATIONS_PER_BLOCK, _CELLS_TOGETHER // max(1, len(rows)))
    edges = [0, *range(together, rows.shape[1] - _SITUATIONS_PER_BLOCK, together), rows.shape[1]]
    parts = [(weights[:, None] * rows[:, low:high]).sum(axis=0) for low, high in pairwise(edges)]
    sums: FloatArray = np.concatenate(parts)
    return sums


def _growing_distributions(
    p: FloatArray, counts: Sequence[int], smallest: float = 0.0
) -> Iterator[tuple[int, FloatArray]]:
    """Per number of events the least count, and cells: row i is P(F = least + i), a column per situation.

    Events that surely happen in all situations, or in none, cost nothing. Rows of at most `smallest` in all situations
    are dropped at either end: with 0 those of no probability.
    """
    sure, possible = p[:, 0] >= 1, p[:, -1] > 0
    first = np.count_nonzero(p <= 0, axis=1)
    first[3 * first < 2 * p.shape[1]] = 0  # whole rows are contiguous: up to three times as fast per cell
    first = first.tolist()
    cells = np.zeros((np.count_nonzero(possible & ~sure) + 1, p.shape[1]))
    cells[0] = 1.0
    q = 1.0 - p
    least, low, high, added = 0, 0, 1, 0  # rows low to high - 1 of the cells are in use
    for count in counts:
        for x in range(added, count):
            if sure[x]:
                least += 1
            elif possible[x]:
                here = cells[low:high, first[x] :]
                grown = here * p[x, first[x] :]
                here *= q[x, first[x] :]
                high += 1
                cells[low + 1 : high, first[x] :] += grown
                if high - low >= _LONG and not x % _BETWEEN_CUTS:
                    used = low + np.flatnonzero((cells[low:high] > smallest).any(axis=1))
                    cells[used[-1] + 1 : high] = 0.0
                    low, high = int(used[0]), int(used[-1]) + 1
        added = count
        yield least + low, cells[low:high]
