"""The law of a count of events in many situations at once.

A user who goes down a list has seen each target with a probability that never falls. So the situations (states along
the list) of one event come in three stretches: impossible, uncertain, sure. Only the uncertain stretch costs a
convolution; a sure event moves the count by one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.numerics.halved_counts import SMALLEST_CELL, laws_by_halves
from prum_eval.numerics.poisson_binomial import normal_count_distribution

_MANY_STEPS = 1 << 22
"""Steps of growing a law cell by cell that are more work than halving the situations."""


@dataclass(frozen=True, slots=True)
class CountLaw:
    """P(F = f) in n situations, F the number of `events` that happen.

    Row i of `cells` is P(F = least + i): each situation has its own number `least` of events that happen surely there,
    or as good as surely, and holds nothing beyond row `span`: only uncertain events take room.
    """

    events: int
    least: IntArray
    span: IntArray
    cells: FloatArray

    def weighted(self, weight: FloatArray) -> FloatArray:
        """Sum over the situations of weight P(F = f), for f = 0..events."""
        width = int(np.flatnonzero(weight).max(initial=-1)) + 1
        rows = int(self.span[:width].max(initial=0)) + 1
        return scatter(self.cells[:rows, :width] * weight[:width], self.least[:width], self.events + 1)

    def without(self, part: CountLaw) -> FloatArray:
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


def count_law(p: FloatArray, does_not: FloatArray | None = None) -> CountLaw:
    """The law of the count of independent events.

    Args:
        p: the probabilities of t events in n situations, shape (t, n), each row never falling.
        does_not: the probabilities that they do not happen, 1 - p by default. Smaller ones make `cells` a joint law:
            of the count, and of nothing else that may befall the events.
    """
    sure, uncertain = (p >= 1).sum(axis=0), ((p > 0) & (p < 1)).sum(axis=0)
    rows = int(uncertain.max(initial=0)) + 1
    if rows * p.size > _MANY_STEPS:
        least, cells = laws_by_halves(p, does_not, SMALLEST_CELL)
        return CountLaw(len(p), sure + least, np.clip(uncertain - least, 0, len(cells) - 1), cells)
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
    return CountLaw(len(p), sure, uncertain, cells)


def normal_law(p: FloatArray) -> CountLaw:
    """The law of the count of events with probabilities p, by the normal law where more than ten are uncertain."""
    t, n = p.shape
    return CountLaw(t, np.zeros(n, dtype=np.int64), np.full(n, t, dtype=np.int64), normal_count_distribution(p))
