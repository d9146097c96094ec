"""Laws of counts of more and more events: what is read off them on the way, for whole blocks of situations.

The satisfaction levels of EPRUM count the targets that are ideal there, a growing set. Each level needs no more than
sums over situations, or expectations in a few, so that no law is kept. Sums are taken row by row: a product of matrices
may be shared by threads, and then its last digit depends on their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.numerics.halved_counts import SMALLEST_CELL, cut_ends, sums_by_halves
from prum_eval.numerics.poisson_binomial import normal_count_distribution

_TOGETHER = 64
"""Situations whose cells grow together: few enough to stay in the caches."""
_LONG = 64
"""Laws of at least so many cells are cut where they hold nothing, in small ones it saves nothing."""
_BETWEEN_CUTS = 16
"""So many events are counted before the ends of laws are looked at again."""
_CELLS_TOGETHER = 1 << 20
"""Cells that are weighted at once."""
_NOTHING = np.zeros(0)
_MANY_EVENTS = 128
"""Laws of so many events have long ends that hold nothing; those of fewer are right relative to themselves."""
_MANY_STEPS = 1 << 28
"""Steps of growing a law cell by cell that are more work than halving the situations."""


def sums_of_laws(
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
        return [sums_by_halves(p[:count], own, smallest) for count, own in zip(counts, weights, strict=True)]
    sums = [np.zeros(count + 1) for count in counts]
    for begin in range(0, p.shape[1], _TOGETHER):
        part, own = p[:, begin : begin + _TOGETHER], bounds[begin : begin + _TOGETHER + 1]
        lasting = np.clip(ends, own[0], own[-1]).tolist()
        if lasting[-1] <= own[0]:  # none of these situations counts
            continue
        of_some = _normal_sums(part, counts, own, lasting) if normal else _sums(part, counts, own, lasting, smallest)
        for total, (least, cells) in zip(sums, of_some, strict=True):
            total[least : least + len(cells)] += cells
    return sums


def _until(end: float, bounds: FloatArray) -> FloatArray:
    """The weights of situations that lie between these bounds, of which only what is before the end counts."""
    ended = np.minimum(bounds, end)
    return ended[1:] - ended[:-1]


def _normal_sums(
    p: FloatArray, counts: Sequence[int], bounds: FloatArray, ends: Sequence[float]
) -> Iterator[tuple[int, FloatArray]]:
    """What `_sums` yields, by the normal law."""
    for count, end in zip(counts, ends, strict=True):
        yield 0, np.vecdot(normal_count_distribution(p[:count]), _until(end, bounds))


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
    laws = _growing(p[moving], before[0], smallest)
    for moved, settled, sure, (least, cells), end in zip(*before, laws, ends, strict=True):
        if known != (moved, end):
            weights = weights if end == known[1] else _until(end, bounds)
            total, known = None, (moved, end)
        for chance in chances[counted:settled]:
            common.count(chance)
            if total is not None:
                total.count(chance)
        counted = settled
        if total is None and end > bounds[0]:
            sums = np.convolve(common.cells, np.vecdot(cells, weights))
            total = _Cells(common.least + least, sums, smallest)
        yield (0, _NOTHING) if total is None else (sure + total.least, total.cells)


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
            cut, self.cells = cut_ends(self.cells, self._smallest)
            self.least += cut


def means_of_laws(
    p: FloatArray, counts: Sequence[int], values: Sequence[FloatArray], *, normal: bool = False
) -> list[FloatArray]:
    """Sum over f of P(F = f) values[i][f], in each situation, F counting the first counts[i] events.

    Args: those of `sums_of_laws`; ``values[i]`` has a value for each f = 0..counts[i], or more.
    """
    laws = ((0, normal_count_distribution(p[:count])) for count in counts) if normal else _growing(p, counts)
    listed = zip(values, laws, strict=True)
    return [weighted_rows(own[least : least + len(cells)], cells) for own, (least, cells) in listed]


def weighted_rows(weights: FloatArray, rows: FloatArray) -> FloatArray:
    """Sum of the rows, each times its weight, one after the other: rows of nothing but 0 change no digit of it."""
    together = max(_TOGETHER, _CELLS_TOGETHER // max(1, len(rows)))
    parts = np.split(rows, range(together, rows.shape[1] - _TOGETHER, together), axis=1)
    result: FloatArray = np.concatenate([(weights[:, None] * part).sum(axis=0) for part in parts])
    return result


def _growing(p: FloatArray, counts: Sequence[int], smallest: float = 0.0) -> Iterator[tuple[int, FloatArray]]:
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
