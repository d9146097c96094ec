"""Student's t distribution: tails and quantiles, to some twelve digits.

Tails are regularised incomplete beta functions by their continued fraction (Didonato and Morris, ACM Transactions on
Mathematical Software 18, 1992; evaluated after Lentz), quantiles come from tails by Newton's method.
"""

from __future__ import annotations

import math

_TINY = 1e-300


def two_sided(t: float, degrees: int) -> float:
    """P(|T| >= |t|) of T with so many degrees of freedom.

    >>> round(two_sided(2.0, 3), 10)
    0.1393259686
    """
    if math.isinf(t):
        return 0.0
    square = t * t
    near, far = square / (degrees + square), degrees / (degrees + square)
    # of the two fractions the one that converges fast
    if far < (degrees / 2 + 1) / (degrees / 2 + 2.5):
        return _beta_share(degrees / 2, 0.5, far, near, degrees)
    return 1.0 - _beta_share(0.5, degrees / 2, near, far, degrees)


def quantile(tail: float, degrees: int) -> float:
    """The t above which T lies with probability `tail`, from above 0 to 1/2.

    >>> round(quantile(0.025, 9), 10)
    2.2621571628
    """
    if tail == 0.5:
        return 0.0
    low, high = 0.0, 1.0
    while two_sided(high, degrees) > 2 * tail:
        low, high = high, 2 * high
    t = (low + high) / 2
    for _ in range(100):
        share = two_sided(t, degrees) / 2
        low, high = (t, high) if share > tail else (low, t)
        # Newton's step for the logarithm of the tail by that of t, nearly a line where tails are heavy
        step = math.log(share / tail) * share / (_density(t, degrees) * t)
        following = t * math.exp(step) if abs(step) < 50 else low
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - t) <= 1e-15 * t:
            return following
        t = following
    return t


def _density(t: float, degrees: int) -> float:
    return math.exp(-_log_beta(degrees) - (degrees + 1) / 2 * math.log1p(t * t / degrees)) / math.sqrt(degrees)


def _log_beta(degrees: int) -> float:
    """Logarithm of B(degrees / 2, 1 / 2)."""
    half = degrees / 2
    if half < 50:
        return math.lgamma(half) + math.log(math.pi) / 2 - math.lgamma(half + 0.5)
    # the two logarithms are large and nearly equal: their difference by its series
    difference = math.log(half) / 2 - 1 / (8 * half) + 1 / (192 * half**3) - 1 / (640 * half**5)
    return math.log(math.pi) / 2 - difference


def _beta_share(a: float, b: float, x: float, rest: float, degrees: int) -> float:
    """I_x(a, b), with rest = 1 - x, where a and b are degrees / 2 and 1 / 2 in either order."""
    if x == 0:
        return 0.0
    front = math.exp(a * math.log(x) + b * math.log(rest) - _log_beta(degrees)) / a if rest else 0.0
    c, d = 1.0, 1.0 / _not_zero(1.0 - (a + b) * x / (a + 1.0))
    fraction = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            c, d = _not_zero(1.0 + term / c), 1.0 / _not_zero(1.0 + term * d)
            fraction *= c * d
        if abs(c * d - 1.0) < 1e-16:
            break
    return front * fraction


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
