"""Laws of counts of more and more events: what is read off them on the way, for whole blocks of situations.

The satisfaction levels of EPRUM count the targets that are ideal there, a growing set. Each level needs no more than
sums over situations, or expectations in a few, so that no law is kept. Sums are taken row by row: a product of matrices
may be shared by threads, and then its last digit depends on their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.numerics.halved_counts import SMALLEST_CELL, sums_by_halves
from prum_eval.numerics.poisson_binomial import normal_count_distribution

_TOGETHER = 64
"""Situations whose cells grow together: few enough to stay in the caches."""
_LONG = 64
"""Laws of at least so many cells are cut where they hold nothing, in small ones it saves nothing."""
_BETWEEN_CUTS = 16
"""So many events are counted before the ends of laws are looked at again."""
_CELLS_TOGETHER = 1 << 20
"""Cells that are weighted at once."""
_MANY_EVENTS = 128
"""Laws of so many events have long ends that hold nothing; those of fewer are right relative to themselves."""
_MANY_STEPS = 1 << 28
"""Steps of growing a law cell by cell that are more work than halving the situations."""


def sums_of_laws(
    p: FloatArray,
    counts: Sequence[int],
    weights: Sequence[FloatArray],
    *,
    normal: bool = False,
    smallest: float = 0.0,
) -> list[FloatArray]:
    """Sum over the situations of weights[i] P(F = f), for f = 0..counts[i], F counting the first counts[i] events.

    Args:
        p: the probabilities of t independent events in n situations, shape (t, n), each row never falling.
        counts: numbers of events, never falling.
        weights: for each of them a weight of every situation.
        normal: by the normal law where more than ten events are uncertain.
        smallest: what is at most this at either end of a law may be cut off; of many events, at most 1e-40.
    """
    if len(p) >= _MANY_EVENTS:
        smallest = max(smallest, SMALLEST_CELL)
    many = len(p) * p.size > _MANY_STEPS * len(counts)
    if not normal and (many or len(counts) == 1):  # with one number there is nothing to read off on the way
        return [sums_by_halves(p[:count], own, smallest) for count, own in zip(counts, weights, strict=True)]
    sums = [np.zeros(count + 1) for count in counts]
    used = [int(np.flatnonzero(own).max(initial=-1)) + 1 for own in weights]
    for begin in range(0, p.shape[1], _TOGETHER):
        part = slice(begin, begin + _TOGETHER)
        for i, (least, cells) in enumerate(_laws(p[:, part], counts, normal=normal, smallest=smallest)):
            if begin < used[i]:
                sums[i][least : least + len(cells)] += np.vecdot(cells, weights[i][part])
    return sums


def means_of_laws(
    p: FloatArray, counts: Sequence[int], values: Sequence[FloatArray], *, normal: bool = False
) -> list[FloatArray]:
    """Sum over f of P(F = f) values[i][f], in each situation, F counting the first counts[i] events.

    Args: those of `sums_of_laws`, but ``values[i]`` has a value for each f = 0..counts[i], or more.
    """
    laws = zip(values, _laws(p, counts, normal=normal), strict=True)
    return [weighted_rows(own[least : least + len(cells)], cells) for own, (least, cells) in laws]


def weighted_rows(weights: FloatArray, rows: FloatArray) -> FloatArray:
    """Sum of the rows, each times its weight, one after the other: rows of nothing but 0 change no digit of it."""
    together = max(_TOGETHER, _CELLS_TOGETHER // max(1, len(rows)))
    parts = np.split(rows, range(together, rows.shape[1] - _TOGETHER, together), axis=1)
    result: FloatArray = np.concatenate([(weights[:, None] * part).sum(axis=0) for part in parts])
    return result


def _laws(
    p: FloatArray, counts: Sequence[int], *, normal: bool, smallest: float = 0.0
) -> Iterator[tuple[int, FloatArray]]:
    """For each number of events the least count, and cells: row i is P(F = least + i), a column a situation."""
    if normal:
        return ((0, normal_count_distribution(p[:count])) for count in counts)
    return _growing(p, counts, smallest)


def _growing(p: FloatArray, counts: Sequence[int], smallest: float) -> Iterator[tuple[int, FloatArray]]:
    """By convolution; events that happen surely in all situations, or in none, cost nothing.

    Cells that are at most `smallest` in all situations, at either end, are left out: with 0 those of no probability.
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
