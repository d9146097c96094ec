"""Axes of pictures: where they begin and end, what is marked on them. Every drawing hand uses the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

LOGARITHMIC_FROM = 8
"""Ranks that span this factor are drawn on a logarithmic axis: the first ranks are those that users see."""

_CLOSEST = 0.07
"""Marks stand at least this part of the axis apart, so that their numbers do not touch."""


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, with a mark and its text at each of `ticks`."""

    low: float
    high: float
    ticks: tuple[float, ...]
    texts: tuple[str, ...]
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Where a value lies: 0 at the low end, 1 at the high one."""
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return (value - low) / (high - low)


def linear_axis(low: float, high: float, marks: int = 5) -> Axis:
    """An axis that holds both values and ends on marks, at steps of 1, 2 or 5 times a power of ten.

    >>> linear_axis(0, 0.63).texts
    ('0.0', '0.2', '0.4', '0.6', '0.8')
    >>> linear_axis(-0.3, 12).texts
    ('-5', '0', '5', '10', '15')
    """
    size = max(abs(low), abs(high))
    if high - low <= 1e-9 * size:  # one value: an axis from 0 shows how large it is
        low, high = min(low, 0.0), max(high, 0.0)
    if size < 1e-300:
        low, high = 0.0, 1.0
    step = _step((high - low) / marks)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(number * step for number in range(first, last + 1))
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    plain = decimals <= 4 and max(map(abs, ticks)) < 1e6
    texts = tuple(f"{tick:.{decimals}f}" if plain else f"{tick:.6g}" for tick in ticks)
    return Axis(ticks[0], ticks[-1], ticks, texts)


def rank_axis(ranks: Sequence[float]) -> Axis:
    """An axis of ranks, marked at those that are drawn, as far as there is room.

    >>> rank_axis([5, 10, 15, 20, 30, 100]).texts
    ('5', '10', '15', '20', '30', '100')
    >>> rank_axis([1, 2, 3]).logarithmic
    False
    """
    first, last = min(ranks), max(ranks)
    logarithmic = last >= LOGARITHMIC_FROM * first
    around = Axis(first / 1.15, last * 1.15, (), (), logarithmic=True) if logarithmic else Axis(0, last + 1, (), ())
    kept: list[float] = []
    for rank in sorted(set(ranks), reverse=True):  # the last is the one whose number is longest and is missed most
        if not kept or around.place(kept[-1]) - around.place(rank) >= _CLOSEST:
            kept.append(rank)
    ticks = tuple(reversed(kept))
    return Axis(around.low, around.high, ticks, tuple(f"{tick:g}" for tick in ticks), logarithmic)


def budget_axis(budgets: Sequence[float]) -> Axis:
    """A logarithmic axis of amounts, marked at powers of ten, and where these are few between them.

    >>> budget_axis([500, 8000]).texts, budget_axis([10, 200_000]).texts
    (('500', '1,000', '2,000', '5,000'), ('10', '100', '1,000', '10,000', '100,000'))
    >>> budget_axis([100, 20_000]).texts
    ('100', '300', '1,000', '3,000', '10,000')
    """
    low, high = min(budgets), max(budgets)
    steps = (1, 2, 5) if high < 30 * low else (1, 3) if high < 1000 * low else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = tuple(step * 10.0**power for power in powers for step in steps if low <= step * 10.0**power <= high)
    texts = tuple(f"{tick:,.0f}" if tick >= 1 else f"{tick:g}" for tick in ticks)
    return Axis(low / 1.1, high * 1.1, ticks, texts, logarithmic=True)


def _step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below `least`."""
    power = math.floor(math.log10(least))
    for factor in (1, 2, 5, 10):
        step = float(f"{factor}e{power}")  # parsed, not multiplied: 0.1 and not 0.1 + 1e-17
        if step >= least * (1 - 1e-9):
            return step
    return 10.0 ** (power + 1)
