"""The number of independent events that happen: exact distributions by convolution.

Conventions. ``p`` has shape (t, n): the probabilities of t independent events in n situations at once (for prum-eval:
t targets after n different ranks). Results have shape (t + 1, n): row f holds P(F = f), the probability that exactly
f events happen. Situations run along the last axis, so that every step is one contiguous array operation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.numerics.divide_and_conquer import (
    SMALLEST_CELL,
    divide_and_conquer_distributions,
    divide_and_conquer_sums,
    trim_ends,
)

NORMAL_MIN_EVENTS = 10
"""The normal law stands in where more than this many events are uncertain."""


def count_distribution(p: FloatArray) -> FloatArray:
    """P(F = f) for f = 0..t, the Poisson-binomial law, by adding one event at a time.

    Only sums of products of probabilities: no cancellation, so every value is accurate relative to itself.

    >>> count_distribution(np.array([[0.5], [0.5]])).ravel().tolist()
    [0.25, 0.5, 0.25]
    """
    t, n = p.shape
    law = np.zeros((t + 1, n))
    law[0] = 1.0
    for x in range(t):
        grown = law[: x + 1] * p[x]
        law[: x + 1] *= 1.0 - p[x]
        law[1 : x + 2] += grown
    return law


def normal_count_distribution(p: FloatArray) -> FloatArray:
    """P(F = f) with the normal law where more than ten events are uncertain, exact elsewhere.

    Mean sum p, variance sum p (1 - p), continuity correction 0.5, tails not renormalised ([PRUM] eq. 7 and after).
    """
    t, n = p.shape
    law = np.empty((t + 1, n))
    many = ((p > 0) & (p < 1)).sum(axis=0) > NORMAL_MIN_EVENTS
    law[:, ~many] = count_distribution(p[:, ~many])
    mean = p[:, many].sum(axis=0)
    deviation = np.sqrt((p[:, many] * (1 - p[:, many])).sum(axis=0))
    law[:, many] = normal_cell(np.arange(t + 1)[:, None], mean, deviation)
    return law


def normal_cell(count: IntArray, mean: FloatArray, deviation: FloatArray) -> FloatArray:
    """Probability that the normal law gives [count - 1/2, count + 1/2]."""
    scaled = (np.asarray(count) - 0.5 - mean) / deviation, (np.asarray(count) + 0.5 - mean) / deviation
    lower, upper = (np.array([0.5 * math.erfc(-z / math.sqrt(2)) for z in side.ravel()]) for side in scaled)
    cells: FloatArray = np.maximum(upper - lower, 0.0).reshape(scaled[0].shape)
    return cells


def missing_given_count(p: FloatArray, law: FloatArray, situation: IntArray) -> FloatArray:
    """P(event i did not happen | F = s) for s = 0..t: leave one out, by deconvolution.

    ``p`` has shape (m,): the probability, in (0, 1), of event i in its own situation; ``law`` has shape (t + 1, n): the
    law of the count in each situation, ``situation[i]`` that of event i, which is counted there. The result has the
    shape (t + 1, m). With Q the law without the event, P(F = s) = p Q(s - 1) + (1 - p) Q(s) is solved for
    w(s) = (1 - p) Q(s) / P(F = s), upwards where p < 1/2 and downwards elsewhere, so that an error shrinks by the odds
    at each step when weighed by P(F = s). The clamp to [0, 1] keeps the quotient from exploding in the tails, where
    P(F = s) is nearly nothing. Where P(F = s) = 0 it is 0.
    """
    ratio = np.zeros(law.shape)  # P(s - 1) / P(s)
    largest = np.finfo(np.float64).max  # in place of infinity, which times 0 is no number
    up = p < 0.5
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        np.divide(law[:-1], law[1:], out=ratio[1:], where=law[1:] > 0)
        np.minimum(ratio, largest, out=ratio)
        if up.all():
            missing = _deconvolve_upwards(ratio.take(situation, axis=1), p / (1 - p))
        else:
            missing = np.zeros((len(law), len(p)))
            inverse = np.minimum(1 / ratio, largest)
            inverse[ratio <= 0] = 0.0
            missing[:, up] = _deconvolve_upwards(ratio.take(situation[up], axis=1), p[up] / (1 - p[up]))
            missing[:, ~up] = _deconvolve_downwards(inverse.take(situation[~up], axis=1), (1 - p[~up]) / p[~up])
    nothing = law <= 0
    rows = np.flatnonzero(nothing.any(axis=1))  # few: a law holds nothing at its ends
    missing[rows] *= ~nothing[rows].take(situation, axis=1)
    return missing


def _deconvolve_upwards(ratio: FloatArray, odds: FloatArray) -> FloatArray:
    """w(s) = 1 - odds ratio(s) w(s - 1) from w(0) = 1, at least 0; `ratio` is overwritten."""
    w = ratio
    w[0] = 1.0
    for s in range(1, len(w)):
        w[s] *= odds
        w[s] *= w[s - 1]
        np.subtract(1.0, w[s], out=w[s])
        np.maximum(w[s], 0.0, out=w[s])
    return w


def _deconvolve_downwards(ratio: FloatArray, odds: FloatArray) -> FloatArray:
    """w(s - 1) = odds ratio(s) (1 - w(s)), at most 1; from 0 at the top: if every event happened, this one did too."""
    w = np.zeros(ratio.shape)
    for s in range(len(w) - 1, 0, -1):
        np.subtract(1.0, w[s], out=w[s - 1])
        ratio[s] *= odds
        w[s - 1] *= ratio[s]
        np.minimum(w[s - 1], 1.0, out=w[s - 1])
    return w


def events_by_turn(bounds: IntArray) -> tuple[IntArray, list[int]]:
    """The events of situations in turns: the first of each, the second of each that has two, ...

    Args:
        bounds: where the events of each situation begin, and where the last ones end; each situation has some.

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
    """The probability that any of the independent events of a situation happens.

    A column stands for a situation, as in the first turn. No product is taken from one, so that small ones are accurate
    relative to themselves.

    Args:
        chances: of the events, in columns, as `events_by_turn` has them; they are overwritten.
        sizes: number of columns of each turn.
    """
    happened, begin = chances[:, : sizes[0]], sizes[0]
    for size in sizes[1:]:
        other = chances[:, begin : begin + size]
        other *= 1.0 - happened[:, :size]
        happened[:, :size] += other
        begin += size
    return happened


# Laws of counts of more and more events: what is read off them on the way, for whole blocks of situations.
#
# The satisfaction levels of EPRUM count the targets that are ideal there, a growing set. Each level needs no more than
# sums over situations, or expectations in a few, so that no law is kept. Sums are taken row by row: a product of matrices
# may be shared by threads, and then its last digit depends on their number.


_SITUATIONS_PER_BLOCK = 64
"""Situations whose cells grow together: few enough to stay in the caches."""
_LONG = 64
"""Laws of at least so many cells are cut where they hold nothing, in small ones it saves nothing."""
_BETWEEN_CUTS = 16
"""So many events are counted before the ends of laws are looked at again."""
_CELLS_TOGETHER = 1 << 20
"""Cells that are weighted at once."""
_NO_CELLS = np.zeros(0)
_MANY_EVENTS = 128
"""Laws of so many events have long ends that hold nothing; those of fewer are right relative to themselves."""
_MANY_STEPS = 1 << 28
"""Steps of growing a law cell by cell that are more work than halving the situations."""


def sums_of_distributions(
    p: FloatArray,
    counts: Sequence[int],
    bounds: FloatArray,
    ends: Sequence[float] | None = None,
    *,
    normal: bool = False,
    smallest: float = 0.0,
) -> list[FloatArray]:
    """Sum over the situations of weight P(F = f), for f = 0..counts[i], F counting the first counts[i] events.

    Args:
        p: the probabilities of t independent events in n situations, shape (t, n), each row never falling.
        counts: numbers of events, never falling.
        bounds: situation j lasts from bounds[j] to bounds[j + 1], which is its weight; never falling, shape (n + 1,).
        ends: for each of the counts where the last situation ends that counts, never falling; by default they all do.
        normal: by the normal law where more than ten events are uncertain.
        smallest: what is at most this at either end of a law may be cut off; of many events, at most 1e-40.
    """
    if len(p) >= _MANY_EVENTS:
        smallest = max(smallest, SMALLEST_CELL)
    ends = [np.inf] * len(counts) if ends is None else ends
    many = len(p) * p.size > _MANY_STEPS * len(counts)
    if not normal and (many or len(counts) == 1):  # with one number there is nothing to read off on the way
        weights = (np.diff(np.minimum(bounds, end)) for end in ends)
        return [divide_and_conquer_sums(p[:count], own, smallest) for count, own in zip(counts, weights, strict=True)]
    sums = [np.zeros(count + 1) for count in counts]
    for begin in range(0, p.shape[1], _SITUATIONS_PER_BLOCK):
        part, own = p[:, begin : begin + _SITUATIONS_PER_BLOCK], bounds[begin : begin + _SITUATIONS_PER_BLOCK + 1]
        lasting = np.clip(ends, own[0], own[-1]).tolist()
        if lasting[-1] <= own[0]:  # none of these situations counts
            continue
        of_some = _normal_sums(part, counts, own, lasting) if normal else _sums(part, counts, own, lasting, smallest)
        for total, (least, cells) in zip(sums, of_some, strict=True):
            total[least : least + len(cells)] += cells
    return sums


def _weights_before(end: float, bounds: FloatArray) -> FloatArray:
    """The weights of situations that lie between these bounds, of which only what is before the end counts."""
    ended = np.minimum(bounds, end)
    return ended[1:] - ended[:-1]


def _normal_sums(
    p: FloatArray, counts: Sequence[int], bounds: FloatArray, ends: Sequence[float]
) -> Iterator[tuple[int, FloatArray]]:
    """What `_sums` yields, by the normal law."""
    for count, end in zip(counts, ends, strict=True):
        yield 0, np.vecdot(normal_count_distribution(p[:count]), _weights_before(end, bounds))


def _sums(
    p: FloatArray, counts: Sequence[int], bounds: FloatArray, ends: Sequence[float], smallest: float
) -> Iterator[tuple[int, FloatArray]]:
    """For each number of events the sum over some situations: its least count, and cells from there on.

    Most events are as likely in the first of the situations as in the last. These are counted in the sum itself, the
    others in each situation. As an event that happens to the one and to the other commutes, the sum is begun anew from
    both laws where one of the others comes.
    """
    first, last = p[:, 0], p[:, -1]
    moving, uncertain = first != last, (first == last) & (first > 0) & (first < 1)
    chances = list(np.stack((1.0 - first[uncertain], first[uncertain]), axis=1))
    before = [np.append(0, np.cumsum(kind))[counts].tolist() for kind in (moving, uncertain, first >= 1)]
    common, total, counted, known = _Cells(0, np.ones(1), smallest), None, 0, (0, bounds[0])
    weights = np.zeros(len(first))
    laws = _growing_distributions(p[moving], before[0], smallest)
    for moved, settled, sure, (least, cells), end in zip(*before, laws, ends, strict=True):
        if known != (moved, end):
            weights = weights if end == known[1] else _weights_before(end, bounds)
            total, known = None, (moved, end)
        for chance in chances[counted:settled]:
            common.count(chance)
            if total is not None:
                total.count(chance)
        counted = settled
        if total is None and end > bounds[0]:
            sums = np.convolve(common.cells, np.vecdot(cells, weights))
            total = _Cells(common.least + least, sums, smallest)
        yield (0, _NO_CELLS) if total is None else (sure + total.least, total.cells)


class _Cells:
    """Values of counts, the first of them of `least`, while events are counted."""

    def __init__(self, least: int, cells: FloatArray, smallest: float) -> None:
        self.least = least
        self.cells = cells
        self._smallest = smallest
        self._events = 0

    def count(self, chances: FloatArray) -> None:
        """Count an event; `chances`: that it does not happen, and that it does."""
        self.cells = np.convolve(self.cells, chances)
        self._events += 1
        if len(self.cells) >= _LONG and not self._events % _BETWEEN_CUTS:
            cut, self.cells = trim_ends(self.cells, self._smallest)
            self.least += cut


def means_of_distributions(
    p: FloatArray, counts: Sequence[int], values: Sequence[FloatArray], *, normal: bool = False
) -> list[FloatArray]:
    """Sum over f of P(F = f) values[i][f], in each situation, F counting the first counts[i] events.

    Args: those of `sums_of_distributions`; ``values[i]`` has a value for each f = 0..counts[i], or more.
    """
    laws = (
        ((0, normal_count_distribution(p[:count])) for count in counts) if normal else _growing_distributions(p, counts)
    )
    listed = zip(values, laws, strict=True)
    return [sum_weighted_rows(own[least : least + len(cells)], cells) for own, (least, cells) in listed]


def sum_weighted_rows(weights: FloatArray, rows: FloatArray) -> FloatArray:
    """Sum of the rows, each times its weight, one after the other: rows of nothing but 0 change no digit of it."""
    together = max(_SITUATIONS_PER_BLOCK, _CELLS_TOGETHER // max(1, len(rows)))
    parts = np.split(rows, range(together, rows.shape[1] - _SITUATIONS_PER_BLOCK, together), axis=1)
    result: FloatArray = np.concatenate([(weights[:, None] * part).sum(axis=0) for part in parts])
    return result


def _growing_distributions(
    p: FloatArray, counts: Sequence[int], smallest: float = 0.0
) -> Iterator[tuple[int, FloatArray]]:
    """For each number of events the least count, and cells: row i is P(F = least + i), a column a situation.

    By convolution; events that happen surely in all situations, or in none, cost nothing. Cells that are at most
    `smallest` in all situations, at either end, are left out: with 0 those of no probability.
    """
    sure, possible = p[:, 0] >= 1, p[:, -1] > 0
    first = np.count_nonzero(p <= 0, axis=1).tolist()
    cells = np.zeros((np.count_nonzero(possible & ~sure) + 1, p.shape[1]))
    cells[0] = 1.0
    q = 1.0 - p
    least, low, rows, events = 0, 0, 1, 0  # of the cells, those from row `low` on, so many rows
    for count in counts:
        for x in range(events, count):
            if sure[x]:
                least += 1
            elif possible[x]:
                here = cells[low:rows, first[x] :]
                grown = here * p[x, first[x] :]
                here *= q[x, first[x] :]
                rows += 1
                cells[low + 1 : rows, first[x] :] += grown
                if rows - low >= _LONG and not x % _BETWEEN_CUTS:
                    held = low + np.flatnonzero((cells[low:rows] > smallest).any(axis=1))
                    cells[held[-1] + 1 : rows] = 0.0
                    low, rows = int(held[0]), int(held[-1]) + 1
        events = count
        yield least + low, cells[low:rows]


# The law of a count of events in many situations at once.
#
# A user who goes down a list has seen each target with a probability that never falls. So the situations (states along
# the list) of one event come in three stretches: impossible, uncertain, sure. Only the uncertain stretch costs a
# convolution; a sure event moves the count by one.


_MANY_STEPS_counting = 1 << 22
"""Steps of growing a law cell by cell that are more work than halving the situations."""


@dataclass(slots=True, eq=False, repr=False)
class CountDistribution:
    """P(F = f) in n situations, F the number of `events` that happen.

    Row i of `cells` is P(F = least + i): each situation has its own number `least` of events that happen surely there,
    or as good as surely, and holds nothing beyond row `span`: only uncertain events take room.
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
        """The cells less those of a joint law of the same events in the first of the situations."""
        n = part.cells.shape[1]
        if not n:
            return self.cells[:, :0]
        shift = int(part.least[0] - self.least[0])  # the same everywhere
        rest = self.cells[:, :n].copy()
        low, high = max(shift, 0), min(shift + len(part.cells), len(rest))
        rest[low:high] -= part.cells[low - shift : high - shift]
        return rest


def scatter(cells: FloatArray, offset: IntArray, length: int) -> FloatArray:
    """Sum columns that each start at their own offset: result[f] = sum of cells[i, j] with i + offset[j] = f.

    Cells that would land at `length` or beyond must be 0.
    """
    index = np.arange(len(cells))[:, None] + offset
    sums: FloatArray = np.bincount(index.ravel(), weights=cells.ravel(), minlength=length)[:length].astype(np.float64)
    return sums


def count_distributions(p: FloatArray, does_not: FloatArray | None = None) -> CountDistribution:
    """The law of the count of independent events.

    Args:
        p: the probabilities of t events in n situations, shape (t, n), each row never falling.
        does_not: the probabilities that they do not happen, 1 - p by default. Smaller ones make `cells` a joint law:
            of the count, and of nothing else that may befall the events.
    """
    sure, uncertain = (p >= 1).sum(axis=0), ((p > 0) & (p < 1)).sum(axis=0)
    rows = int(uncertain.max(initial=0)) + 1
    if rows * p.size > _MANY_STEPS_counting:
        least, cells = divide_and_conquer_distributions(p, does_not, SMALLEST_CELL)
        return CountDistribution(len(p), sure + least, np.clip(uncertain - least, 0, len(cells) - 1), cells)
    cells = np.zeros((rows, p.shape[1]))
    cells[0] = 1.0
    before = np.zeros(p.shape[1], dtype=np.int64)  # the events of each situation that were uncertain so far
    stretches = np.count_nonzero(p <= 0, axis=1), np.count_nonzero(p < 1, axis=1)
    for x, (low, high) in enumerate(zip(*(column.tolist() for column in stretches), strict=True)):
        if does_not is not None and low > 0:
            cells[:, :low] *= does_not[x, :low]
        if low < high:
            before[low:high] += 1
            top = int(before[low:high].max())
            here = cells[:top, low:high]
            grown = here * p[x, low:high]
            here *= 1.0 - p[x, low:high] if does_not is None else does_not[x, low:high]
            cells[1 : top + 1, low:high] += grown
    return CountDistribution(len(p), sure, uncertain, cells)


def normal_count_distributions(p: FloatArray) -> CountDistribution:
    """The law of the count of events with probabilities p, by the normal law where more than ten are uncertain."""
    t, n = p.shape
    return CountDistribution(
        t, np.zeros(n, dtype=np.int64), np.full(n, t, dtype=np.int64), normal_count_distribution(p)
    )
