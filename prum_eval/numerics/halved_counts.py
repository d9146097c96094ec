"""Laws of counts in very many situations: events that stay as they are through a stretch of them are counted once.

Situations are halved again and again. What does not change within a half goes into the law that the half begins with;
what does goes on to its halves. So t events that change e times in n situations cost about e log(n) steps, not t n,
each of as many cells as can hold anything: what is below 1e-40 at either end of a law is cut off.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import BoolArray, FloatArray, IntArray

LongArray = NDArray[np.longdouble]
_Number = TypeVar("_Number", bound=np.floating)
_VERY_FEW = 16
"""The same where every law is kept, so that growing them takes all of their cells."""
_FEW = 64
"""So few events that change are grown, situation by situation; for more the situations are halved again."""
SMALLEST_CELL = 1e-40
_DEGREE = 16
"""Events that are multiplied together for many groups at once; larger products one by one."""


class _Sums:
    """Sum over the situations of weight P(F = f)."""

    def __init__(self, p: FloatArray, weights: FloatArray, smallest: float) -> None:
        self.p = p
        self.smallest = smallest
        self.weights = weights
        self.sums = np.zeros(len(p) + 1)

    def add(self, begin: int, end: int, events: IntArray, least: int, law: FloatArray) -> None:
        """Add the situations begin, ..., end - 1, where `events` are still to be counted and all others are.

        ``law[i]`` is the probability that least + i of these others happen.
        """
        first, last = self.p[events, begin], self.p[events, end - 1]
        settled = first == last  # rows never fall
        least += int(np.count_nonzero(settled & (first >= 1)))
        uncertain = settled & (first > 0) & (first < 1)
        if uncertain.any():
            cut, law = _cut(np.convolve(law, _product(first[uncertain], 1.0 - first[uncertain])), self.smallest)
            least += cut
        events = events[~settled]
        if end - begin > 1 and len(events) > _FEW:
            middle = (begin + end) // 2
            self.add(begin, middle, events, least, law)
            self.add(middle, end, events, least, law)
            return
        cells = np.zeros((len(law) + len(events), end - begin))
        cells[: len(law)] = law[:, None]
        rows = len(law)
        for chance in self.p[events, begin:end]:
            grown = cells[:rows] * chance
            cells[:rows] *= 1.0 - chance
            rows += 1
            cells[1:rows] += grown
        self.sums[least : least + rows] += np.vecdot(cells, self.weights[begin:end])


def sums_by_halves(p: FloatArray, weights: FloatArray, smallest: float = SMALLEST_CELL) -> FloatArray:
    """Sum over the situations of weights P(F = f), for f = 0..t.

    Args:
        p: the probabilities of t independent events in n > 0 situations, shape (t, n), each row never falling.
        weights: of the situations, shape (n,).
        smallest: what is below it at either end of a law is cut off; with 0 every cell is right relative to itself.
    """
    sums = _Sums(p, weights, smallest)
    sums.add(0, p.shape[1], np.arange(len(p)), 0, np.ones(1))
    return sums.sums


class _Laws:
    """The laws of each situation, in columns of `cells`: see `laws_by_halves`."""

    def __init__(self, p: FloatArray, does_not: FloatArray | None, cells: FloatArray) -> None:
        self.p = p
        self.does_not = 1.0 - p if does_not is None else does_not
        self.cells = cells

    def fill(self, begin: int, end: int, events: IntArray, law: LongArray) -> None:
        """Fill the columns begin, ..., end - 1, where `events` are still to be counted; `law` is that of all others.

        It serves many situations, so that its errors would not even out between them: hence the longer numbers.
        """
        first, does_not = self.p[events, begin], self.does_not[events, begin]
        settled = (first == self.p[events, end - 1]) & (does_not == self.does_not[events, end - 1])
        uncertain = settled & (first > 0) & (first < 1)
        if uncertain.any():
            chances = first[uncertain].astype(np.longdouble)
            law = np.convolve(law, _product(chances, does_not[uncertain].astype(np.longdouble)))
        law = law * np.prod(does_not[settled & (first <= 0)])
        events = events[~settled]
        if end - begin > 1 and len(events) > _VERY_FEW:
            middle = (begin + end) // 2
            self.fill(begin, middle, events, law)
            self.fill(middle, end, events, law)
            return
        common = law.astype(np.float64)
        held = np.flatnonzero(common)
        low, top = (int(held[0]), int(held[-1]) + 1) if len(held) else (0, 1)
        cells = self.cells[:, begin:end]
        cells[low:top] = common[low:top, None]
        tops = np.full(end - begin, top)
        for x in events.tolist():
            p, misses = self.p[x, begin:end], self.does_not[x, begin:end]
            possible, unsure = int(np.count_nonzero(p <= 0)), int(np.count_nonzero(p < 1))
            if possible:
                cells[low : tops[:possible].max(), :possible] *= misses[:possible]
            if possible < unsure:
                top = int(tops[possible:unsure].max())
                here = cells[low:top, possible:unsure]
                grown = here * p[possible:unsure]
                here *= misses[possible:unsure]
                cells[low + 1 : top + 1, possible:unsure] += grown
                tops[possible:unsure] += 1


def laws_by_halves(p: FloatArray, does_not: FloatArray | None, rows: int) -> FloatArray:
    """The law of the count of uncertain events in each situation: row i is the probability that i of them happen.

    Args:
        p: the probabilities of t independent events in n > 0 situations, shape (t, n), each row never falling.
        does_not: the probabilities that they do not happen, 1 - p by default; else each row never rises.
        rows: one more than the largest number of events that are uncertain in one situation.
    """
    cells = np.zeros((rows, p.shape[1]))
    _Laws(p, does_not, cells).fill(0, p.shape[1], np.arange(len(p)), np.ones(1, dtype=np.longdouble))
    return cells


def _product(chances: NDArray[_Number], does_not: NDArray[_Number]) -> NDArray[_Number]:
    """The law of how many of these events happen, from the probabilities that each does and that it does not."""
    groups = -(-len(chances) // _DEGREE)
    laws = np.zeros((2, groups * _DEGREE), dtype=chances.dtype)  # row i: P(i happen), a column a group
    laws[0] = 1.0
    laws[:, : len(chances)] = does_not, chances
    while laws.shape[1] > groups:
        even, odd = laws[:, ::2], laws[:, 1::2]
        laws = np.zeros((len(even) + len(odd) - 1, even.shape[1]), dtype=chances.dtype)
        for i, row in enumerate(odd):
            laws[i : i + len(even)] += even * row
    product = laws[:, 0]
    for law in laws.T[1:]:
        product = np.convolve(product, law)
    return product[: len(chances) + 1]


def _cut(law: FloatArray, smallest: float) -> tuple[int, FloatArray]:
    """The cells from the first to the last that hold anything, and how many are left out before them."""
    held: BoolArray = law > smallest
    first = int(held.argmax())
    return first, law[first : len(law) - int(held[::-1].argmax())]
