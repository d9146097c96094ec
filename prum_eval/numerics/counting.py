"""The law of a count that grows event by event, in many situations at once.

A user who goes down a list has seen each target with a probability that never falls. So the situations (states along
the list) of one event come in three stretches: impossible, uncertain, sure. Only the uncertain stretch costs a
convolution; a sure event moves the count by one.
"""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.numerics.poisson_binomial import normal_count_distribution


class CountLaw:
    """P(F = f) in n situations, F the number of events that happen, while events are added.

    Row i of `cells`, shape (uncertain + 1, n), is P(F = sure + i): each situation has its own number `sure` of events
    that happen surely there, and only the uncertain ones take room.
    """

    def __init__(self, room: int, situations: int) -> None:
        """No event yet; `room` is the largest number of events that will be uncertain in one situation."""
        self.cells = np.zeros((room + 1, situations))
        self.cells[0] = 1.0
        self.sure = np.zeros(situations, dtype=np.int64)
        self.uncertain = np.zeros(situations, dtype=np.int64)
        self.events = 0

    def add(self, happens: FloatArray, does_not: FloatArray | None = None) -> None:
        """Add an independent event.

        Args:
            happens: its probability in each situation, never falling along them.
            does_not: the probability that it does not, 1 - happens by default. A smaller one makes `cells` a joint
                law: of the count, and of nothing else that may befall the event.
        """
        low = int(happens.searchsorted(0.0, side="right"))
        high = int(happens.searchsorted(1.0, side="left"))
        if does_not is not None and low > 0:
            self.cells[:, :low] *= does_not[:low]
        if low < high:
            top = int(self.uncertain[low:high].max()) + 1
            p = happens[low:high]
            q = 1.0 - p if does_not is None else does_not[low:high]
            grown = self.cells[:top, low:high] * p
            self.cells[:top, low:high] *= q
            self.cells[1 : top + 1, low:high] += grown
            self.uncertain[low:high] += 1
        self.sure[high:] += 1
        self.events += 1

    def weighted(self, weight: FloatArray) -> FloatArray:
        """Sum over the situations of weight P(F = f), for f = 0..events."""
        width = int(np.flatnonzero(weight).max(initial=-1)) + 1
        rows = int(self.uncertain[:width].max(initial=0)) + 1
        return scatter(self.cells[:rows, :width] * weight[:width], self.sure[:width], self.events + 1)

    def expected(self, values: FloatArray) -> FloatArray:
        """Sum over f of P(F = f) values[f], in each situation; values has a place for each f = 0..events."""
        rows = int(self.uncertain.max(initial=0)) + 1
        index = np.minimum(np.arange(rows)[:, None] + self.sure, len(values) - 1)
        result: FloatArray = (self.cells[:rows] * values[index]).sum(axis=0)
        return result


def scatter(cells: FloatArray, offset: IntArray, length: int) -> FloatArray:
    """Sum columns that each start at their own offset: result[f] = sum of cells[i, j] with i + offset[j] = f.

    Cells that would land at `length` or beyond must be 0.
    """
    index = np.arange(len(cells))[:, None] + offset
    sums: FloatArray = np.bincount(index.ravel(), weights=cells.ravel(), minlength=length)[:length].astype(np.float64)
    return sums


def count_law(p: FloatArray) -> CountLaw:
    """The law of the count of events with probabilities p, shape (t, n), each row never falling."""
    law = CountLaw(room_for(p), p.shape[1])
    for happens in p:
        law.add(happens)
    return law


def normal_law(p: FloatArray) -> CountLaw:
    """The law of the count of events with probabilities p, by the normal law where more than ten are uncertain."""
    law = CountLaw(*p.shape)
    law.cells[:] = normal_count_distribution(p)
    law.uncertain[:] = law.events = len(p)
    return law


def room_for(p: FloatArray) -> int:
    """Largest number of events that are uncertain in one situation."""
    return int(((p > 0) & (p < 1)).sum(axis=0).max(initial=0))
