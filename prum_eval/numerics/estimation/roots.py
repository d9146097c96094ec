"""The root of a falling function: Newton's method, kept between bounds that close in on it."""

from __future__ import annotations

from collections.abc import Callable

_ROUNDS = 200


def falling_root(function: Callable[[float], tuple[float, float]], low: float, high: float) -> float:
    """Where a function that never rises changes from above 0 to below, between `low` and `high`.

    `function` returns its value and its derivative; where that leads out of the bounds, they are halved. The result is
    `low` or `high` where the function is below 0, or above, throughout.

    >>> round(falling_root(lambda x: (2 - x * x, -2 * x), 0.0, 4.0), 12)
    1.414213562373
    """
    if function(low)[0] <= 0:
        return low
    if function(high)[0] >= 0:
        return high
    x = (low + high) / 2
    for _ in range(_ROUNDS):
        value, derivative = function(x)
        if value == 0:
            return x
        low, high = (x, high) if value > 0 else (low, x)
        following = x - value / derivative if derivative < 0 else low
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - x) <= 2e-16 * abs(x) or following in {low, high}:
            return following
        x = following
    return x
