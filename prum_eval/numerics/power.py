"""Power of the paired t test, by the noncentral t distribution."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from prum_eval.numerics.student import quantile

_NODES = 60
"""Nodes of Gauss and Legendre's rule in each of the pieces that an integral is cut into."""


def t_test_power(effect: float, n: int, alpha: float) -> float:
    """Probability that the two-sided paired t test finds a difference.

    With effect = mean difference / standard deviation of the differences, n of them, T = (Z + effect sqrt n) / S, where
    Z is normal and n - 1 times the square of S is chi-squared with n - 1 degrees of freedom; the power is
    P(|T| >= t), the integral over S of the normal probability that is left.

    >>> round(t_test_power(0.5, 34, 0.05), 4)
    0.8078
    """
    return _power(effect * math.sqrt(n), n - 1, quantile(alpha / 2, n - 1))


def detectable_effect(n: int, power: float, alpha: float) -> float:
    """The effect (mean by standard deviation) that the two-sided paired t test of n differences finds with that power.

    >>> round(detectable_effect(34, 0.8, 0.05), 4)
    0.495
    """
    critical = quantile(alpha / 2, n - 1)
    low, high = 0.0, 1.0
    while _power(high, n - 1, critical) < power:
        low, high = high, 2 * high
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if _power(middle, n - 1, critical) < power else (low, middle)
    return (low + high) / 2 / math.sqrt(n)


def _power(shift: float, degrees: int, critical: float) -> float:
    return math.fsum(
        weight * (_normal(shift - critical * s) + _normal(-shift - critical * s))
        for s, weight in _deviations(shift, degrees, critical)
    )


def _deviations(shift: float, degrees: int, critical: float) -> Iterator[tuple[float, float]]:
    """Values of S and their weights, dense where the normal probability falls from 1 to 0."""
    spread = 12 / math.sqrt(2 * degrees)
    least, most = max(0.0, 1 - spread), 1 + spread
    inner = (point for point in ((shift - 9) / critical, (shift + 9) / critical, 1.0) if least < point < most)
    points = sorted({least, *inner, most})
    log_front = math.log(2) + degrees / 2 * math.log(degrees / 2) - math.lgamma(degrees / 2)
    nodes, weights = (column.tolist() for column in np.polynomial.legendre.leggauss(_NODES))
    for start, end in pairwise(points):
        half = (end - start) / 2
        for node, weight in zip(nodes, weights, strict=True):
            s = start + half * (1 + node)
            yield s, half * weight * math.exp(log_front + (degrees - 1) * math.log(s) - degrees * s * s / 2)


def _normal(x: float) -> float:
    """P(Z <= x)."""
    return math.erfc(-x / math.sqrt(2)) / 2
