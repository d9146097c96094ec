"""Student's t distribution, Tukey's HSD by randomisation, and the power of the paired t test.

Tails are accurate to some twelve digits: regularised incomplete beta functions by their continued fraction (Didonato
and Morris, ACM Transactions on Mathematical Software 18, 1992; evaluated after Lentz). Quantiles come from tails by
Newton's method, the power from the noncentral t distribution.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.numerics.resampling import permuted_sums

_TINY = 1e-300
_NODES = 60
"""Nodes of Gauss-Legendre quadrature in each piece of an integral."""
_SLACK = 1e-6
"""Tolerance of ranges in single precision, relative to the largest possible range."""


def two_sided_p(t: float, degrees: int) -> float:
    """P(|T| >= |t|) for `degrees` degrees of freedom.

    >>> round(two_sided_p(2.0, 3), 10)
    0.1393259686
    """
    square = t * t
    if math.isinf(square):
        return 0.0
    near, far = square / (degrees + square), degrees / (degrees + square)
    # use the continued fraction that converges fast
    if far < (degrees / 2 + 1) / (degrees / 2 + 2.5):
        return _beta_share(degrees / 2, 0.5, far, near, degrees)
    return 1.0 - _beta_share(0.5, degrees / 2, near, far, degrees)


def t_quantile(tail: float, degrees: int) -> float:
    """The t with P(T > t) = `tail`, where 0 < tail <= 1/2.

    >>> round(t_quantile(0.025, 9), 10)
    2.2621571628
    """
    if tail == 0.5:
        return 0.0
    low, high = 0.0, 1.0
    while two_sided_p(high, degrees) > 2 * tail:
        low, high = high, 2 * high
    t = (low + high) / 2
    for _ in range(100):
        share = two_sided_p(t, degrees) / 2
        low, high = (t, high) if share > tail else (low, t)
        # Newton's step for log tail as a function of log t, which is nearly linear if tails are heavy
        log_kernel = -_log_beta(degrees) - (degrees + 1) / 2 * math.log1p(t * t / degrees)
        slope = math.exp(log_kernel) / math.sqrt(degrees) * t
        step = math.log(share / tail) * share / slope if slope > 0 and share > 0 else math.inf
        following = t * math.exp(step) if abs(step) < 50 else low
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - t) <= 1e-15 * t:
            return following
        t = following
    return t


def _log_beta(degrees: int) -> float:
    """Logarithm of B(degrees / 2, 1 / 2)."""
    half = degrees / 2
    if half < 50:
        return math.lgamma(half) + math.log(math.pi) / 2 - math.lgamma(half + 0.5)
    # the difference of two large, nearly equal logarithms, by its series
    difference = math.log(half) / 2 - 1 / (8 * half) + 1 / (192 * half**3) - 1 / (640 * half**5)
    return math.log(math.pi) / 2 - difference


def _beta_share(a: float, b: float, x: float, rest: float, degrees: int) -> float:
    """I_x(a, b), with rest = 1 - x; a and b are degrees / 2 and 1 / 2 in either order."""
    if x == 0:
        return 0.0
    front = math.exp(a * math.log(x) + b * math.log(rest) - _log_beta(degrees)) / a if rest else 0.0
    c, d = 1.0, 1.0 / _avoid_zero(1.0 - (a + b) * x / (a + 1.0))
    fraction = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            c, d = _avoid_zero(1.0 + term / c), 1.0 / _avoid_zero(1.0 + term * d)
            fraction *= c * d
        if abs(c * d - 1.0) < 1e-16:
            break
    return front * fraction


def _avoid_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def tukey_hsd(values: FloatArray, pairs: IntArray, trials: int, seed: int) -> FloatArray:
    """p-values of pairs of runs, corrected for all pairs (Tukey's HSD by randomisation).

    Under the null hypothesis the runs can be permuted in each topic. p of a pair is the share of arrangements in which
    the best and the worst mean are at least as far apart as the means of the pair (Carterette, Multiple testing in
    statistical analysis of systems-based information retrieval experiments, TOIS 2012, section 4.2). It is estimated as
    (1 + m) / (1 + trials) if m of the random arrangements are such.

    Args:
        values: shape (runs, topics), without NaN.
        pairs: indices of the two runs of each pair, shape (pairs, 2).
        trials: number of random arrangements.
        seed: seed of the random arrangements.

    Returns:
        Shape (pairs,).
    """
    centred = values - values.mean(axis=0)
    widths = [np.ptp(sums, axis=1) for sums in permuted_sums(seed, trials, centred.T)]
    ranges = np.sort(np.concatenate(widths))
    sums = centred.sum(axis=1)
    goal = np.abs(sums[pairs[:, 0]] - sums[pairs[:, 1]]) - _SLACK * np.ptp(centred, axis=0).sum()
    far = trials - np.searchsorted(ranges, goal)
    p: FloatArray = (1 + far) / (1 + trials)
    return p


def t_test_power(effect: float, n: int, alpha: float) -> float:
    """Power of the two-sided paired t test of n differences at level alpha.

    With effect = mean / standard deviation of the differences, T = (Z + effect sqrt n) / S, where Z is normal and
    (n - 1) S^2 is chi-squared with n - 1 degrees of freedom. The power is P(|T| >= t), t the critical value: the
    integral over S of the conditional normal probability.

    >>> round(t_test_power(0.5, 34, 0.05), 4)
    0.8078
    """
    return _power(effect * math.sqrt(n), n - 1, t_quantile(alpha / 2, n - 1))


@lru_cache(maxsize=1 << 10)  # measures share the number of topics
def detectable_effect(n: int, power: float, alpha: float) -> float:
    """Effect (mean / standard deviation) that the two-sided paired t test of n differences detects with this power.

    >>> round(detectable_effect(34, 0.8, 0.05), 4)
    0.495
    """
    critical = t_quantile(alpha / 2, n - 1)
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
    """P(|T| >= critical) by quadrature over S, in pieces so that nodes are dense where the integrand changes."""
    spread = 12 / math.sqrt(2 * degrees)
    least, most = max(0.0, 1 - spread), 1 + spread
    inner = (point for point in ((shift - 9) / critical, (shift + 9) / critical, 1.0) if least < point < most)
    points = sorted({least, *inner, most})
    log_front = math.log(2) + degrees / 2 * math.log(degrees / 2) - math.lgamma(degrees / 2)
    nodes, weights = (column.tolist() for column in np.polynomial.legendre.leggauss(_NODES))
    terms = []
    for start, end in pairwise(points):
        half = (end - start) / 2
        for node, weight in zip(nodes, weights, strict=True):
            s = start + half * (1 + node)
            density = half * weight * math.exp(log_front + (degrees - 1) * math.log(s) - degrees * s * s / 2)
            upper, lower = shift - critical * s, -shift - critical * s
            terms.append(density * (math.erfc(-upper / math.sqrt(2)) / 2 + math.erfc(-lower / math.sqrt(2)) / 2))
    return math.fsum(terms)
