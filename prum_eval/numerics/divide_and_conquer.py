"""Laws of counts in very many situations: events that stay as they are through a stretch of them are counted once.

Situations are halved again and again. What does not change within a half goes into the law that the half begins with;
what does goes on to its halves. So t events that change e times in n situations cost about e log(n) steps, not t n,
each of as many cells as can hold anything: what is below 1e-40 at either end of a law is cut off.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import BoolArray, FloatArray, IntArray

_Distributions = NDArray[np.floating[Any]]
_Number = TypeVar("_Number", bound=np.floating[Any])
_FEW = 64
"""So few events that change are grown, situation by situation; for more the situations are halved again."""
SMALLEST_CELL = 1e-40
_DEGREE = 16
"""Events that are multiplied together for many groups at once; larger products one by one."""
_LONG = 128
"""Laws of more cells than these are cut where they hold nothing, in small ones it saves nothing."""
_LONG_NUMBERS = 16
"""Halves from this one on are few situations each."""


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
            cut, law = trim_ends(np.convolve(law, _product(first[uncertain], 1.0 - first[uncertain])), self.smallest)
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


def divide_and_conquer_sums(p: FloatArray, weights: FloatArray, smallest: float = SMALLEST_CELL) -> FloatArray:
    """Sum over the situations of weights P(F = f), for f = 0..t.

    Args:
        p: the probabilities of t independent events in n > 0 situations, shape (t, n), each row never falling.
        weights: of the situations, shape (n,).
        smallest: what is below it at either end of a law is cut off; with 0 every cell is right relative to itself.
    """
    sums = _Sums(p, weights, smallest)
    sums.add(0, p.shape[1], np.arange(len(p)), 0, np.ones(1))
    return sums.sums


def divide_and_conquer_distributions(
    p: FloatArray, does_not: FloatArray | None = None, smallest: float = SMALLEST_CELL
) -> tuple[int, FloatArray]:
    """The laws of the count of uncertain events in each situation.

    What the law of many situations gets wrong would not even out between them: hence longer numbers for these.

    Args:
        p: the probabilities of t independent events in n > 0 situations, shape (t, n), each row never falling.
        does_not: the probabilities that they do not happen, 1 - p by default; else each row never rises.
        smallest: what is at most this at either end of a law may be cut off.

    Returns:
        A count from which on the laws hold something, and P(F = count + i) as row i, a column a situation.
    """
    n = p.shape[1]
    bottom = 1 << (n - 1).bit_length()  # half 1 is everything, 2 i and 2 i + 1 are the halves of i; alone from here on
    factors = _factors(p, 1.0 - p if does_not is None else does_not, bottom)
    laws: list[tuple[int, FloatArray]] = []
    open_halves: list[tuple[int, int, _Distributions]] = [(1, 0, np.ones(1, dtype=np.longdouble))]
    while open_halves:
        half, least, law = open_halves.pop()
        if half >= _LONG_NUMBERS:
            law = law.astype(np.float64, copy=False)
        for factor in factors.get(half, ()):
            law = np.convolve(law, factor)
            if len(law) > _LONG:
                cut, law = trim_ends(law, smallest)
                least += cut
        if half >= bottom:
            laws.append((least, law.astype(np.float64, copy=False)))
            continue
        level = bottom.bit_length() - half.bit_length() - 1
        open_halves += ((i, least, law) for i in (2 * half + 1, 2 * half) if i << level < bottom + n)
    least = min(begin for begin, _ in laws)
    cells = np.zeros((n, max(begin + len(law) for begin, law in laws) - least))
    for row, (begin, law) in zip(cells, laws, strict=True):
        row[begin - least : begin - least + len(law)] = law
    if does_not is not None:
        cells *= np.where(p <= 0, does_not, 1.0).prod(axis=0)[:, None]
    return least, np.ascontiguousarray(cells.T)


def _factors(p: FloatArray, does_not: FloatArray, bottom: int) -> dict[int, list[_Distributions]]:
    """Laws of a few uncertain events each, by the halves of the situations through which these stay as they are.

    Args: those of `divide_and_conquer_distributions`, and the number of the half that is the first situation alone.
    """
    begins = np.ones(p.shape, dtype=np.bool_)
    begins[:, 1:] = (p[:, 1:] != p[:, :-1]) | (does_not[:, 1:] != does_not[:, :-1])
    event, begin = np.nonzero(begins)
    end = np.append(begin, 0)[1:]
    end[end == 0] = bottom  # of the last stretch of an event; there is nothing beyond the last situation
    chance, misses = p[event, begin], does_not[event, begin]
    uncertain = (chance > 0) & (chance < 1)
    half, stretch = _largest_halves(begin[uncertain] + bottom, end[uncertain] + bottom)
    chance, misses = chance[uncertain][stretch], misses[uncertain][stretch]
    factors: dict[int, list[_Distributions]] = {}
    upper = half < _LONG_NUMBERS
    long = chance[upper].astype(np.longdouble), misses[upper].astype(np.longdouble)
    groups = _products(half[upper], *long), _products(half[~upper], chance[~upper], misses[~upper])
    for first, degree, laws in groups:
        for i, top, law in zip(first.tolist(), degree.tolist(), laws, strict=True):
            factors.setdefault(i, []).append(law[: top + 1])
    return factors


def _largest_halves(begin: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
    """The largest halves that together make up stretches, by half, and which stretch each belongs to.

    Args:
        begin: the halves that are the first situations of the stretches.
        end: those after the last ones.
    """
    halves, stretches = [], []
    stretch = np.arange(len(begin))
    while len(stretch):
        begins_right, ends_right = begin % 2 == 1, end % 2 == 1  # in the right one of two halves
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
    """Laws of up to `_DEGREE` events of the same half: that half, their number, and a row of probabilities.

    Args:
        half: of each event, never falling.
        chances: the probabilities that the events happen.
        does_not: those that they do not.
    """
    place = np.arange(len(half)) - np.searchsorted(half, half)
    group = np.cumsum(place % _DEGREE == 0) - 1
    begins = np.flatnonzero(place % _DEGREE == 0)
    laws = np.zeros((2, _DEGREE, len(begins)), dtype=chances.dtype)
    laws[0] = 1.0
    laws[0, place % _DEGREE, group] = does_not
    laws[1, place % _DEGREE, group] = chances
    return half[begins], np.diff(np.append(begins, len(half))), np.ascontiguousarray(_multiply_distributions(laws).T)


def _product(chances: FloatArray, does_not: FloatArray) -> FloatArray:
    """The law of how many of these events happen, from the probabilities that each does and that it does not."""
    groups = -(-len(chances) // _DEGREE)
    laws = np.zeros((2, groups * _DEGREE))
    laws[0] = 1.0
    laws[:, : len(chances)] = does_not, chances
    first, *others = _multiply_distributions(laws.reshape(2, groups, _DEGREE).swapaxes(1, 2)).T
    product: FloatArray = reduce(np.convolve, others, first)
    return product[: len(chances) + 1]


def _multiply_distributions(laws: NDArray[_Number]) -> NDArray[_Number]:
    """The laws of the counts of `_DEGREE` events, a column a group, from those of each: row i is P(i happen)."""
    while laws.shape[1] > 1:
        even, odd = laws[:, ::2], laws[:, 1::2]
        laws = np.zeros((2 * len(even) - 1, *even.shape[1:]), dtype=laws.dtype)
        for i, row in enumerate(odd):
            laws[i : i + len(even)] += even * row
    return laws[:, 0]


def trim_ends(law: NDArray[_Number], smallest: float) -> tuple[int, NDArray[_Number]]:
    """The cells from the first to the last that hold anything, and how many are left out before them."""
    held: BoolArray = law > smallest
    first = int(held.argmax())
    return first, law[first : len(law) - int(held[::-1].argmax())]
