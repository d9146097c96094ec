"""Equations 5 to 8 of the PRUM article, word for word, in any exact or extended arithmetic.

Numbers are fractions.Fraction, mpmath.mpf or decimal.Decimal: `number` makes one from a float or an integer.
"""

from fractions import Fraction
from functools import reduce
from math import fsum, sqrt
from statistics import NormalDist


def multiply(left, right):
    """Product of two polynomials given by their coefficients."""
    result = [left[0] * 0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            result[i + j] += a * b
    return result


def law(p, number=Fraction):
    """P(F = s) of independent events with probabilities p."""
    return reduce(multiply, ([1 - x, x] for x in p), [number(1)])


def laws_without(p, number=Fraction):
    """For each event the law of the others, computed from scratch."""
    return [law(p[:x] + p[x + 1 :], number) for x in range(len(p))]


def laws_without_by_halves(p, number=Fraction):
    """The same with fewer products: whatever is outside a half is multiplied once for all of the half."""

    def descend(outside, events):
        if len(events) == 1:
            return [outside]
        middle = len(events) // 2
        left, right = events[:middle], events[middle:]
        return [
            *descend(multiply(outside, law(right, number)), left),
            *descend(multiply(outside, law(left, number)), right),
        ]

    return descend([number(1)], p) if p else []


def seen(R, t, number=Fraction):
    """p_k(x) for k = 0..o [eq. 1]."""
    unseen = [number(1)] * t
    states = [[1 - x for x in unseen]]
    for row in R:
        unseen = [u * (1 - number(probability)) for u, probability in zip(unseen, row, strict=True)]
        states.append([1 - x for x in unseen])
    return states


def prum_paper(R, t, size, existing, number=Fraction, without=laws_without):
    """Precision at r = 1..t under hypothesis 2.3."""
    p = seen(R, t, number)
    count = [law(state, number) for state in p]
    gained, consulted = [number(0)] * t, [number(0)] * t
    for k in range(1, len(p)):
        others = without(p[k - 1], number)
        for s in range(t):
            if count[k - 1][s] == 0:
                continue
            nothing_new = number(1)
            for x in range(t):
                nothing_new *= 1 - (p[k][x] - p[k - 1][x]) * others[x][s] / count[k - 1][s]
            gained[s] += count[k - 1][s] * (1 - nothing_new)
            consulted[s] += count[k - 1][s]
    return _precisions(gained, consulted, count[-1], t, size - existing)


def prum_exact(R, t, size, existing, number=Fraction):
    """Precision at r = 1..t without hypothesis 2.3: a target unseen at k - 1 stays so at k with 1 - R[k, x]."""
    p = seen(R, t, number)
    count = [law(state, number) for state in p]
    gained, consulted = [number(0)] * t, [number(0)] * t
    for k in range(1, len(p)):
        stay = ([(1 - p[k - 1][x]) * (1 - number(R[k - 1][x])), p[k - 1][x]] for x in range(t))
        nothing_new = reduce(multiply, stay, [number(1)])
        for s in range(t):
            gained[s] += count[k - 1][s] - nothing_new[s]
            consulted[s] += count[k - 1][s]
    return _precisions(gained, consulted, count[-1], t, size - existing)


def _precisions(gained, consulted, end, t, unranked):
    values = []
    for r in range(1, t + 1):
        a, c = sum(gained[:r]), sum(consulted[:r])
        b = sum(end[s] * (r - s) for s in range(r))
        d = sum(end[s] * (r - s) * (unranked + 1) / (t - s + 1) for s in range(r))
        values.append((a + b) / (c + d))
    return values


def search_quotients(R, t, number=Fraction):
    """E[A_r / ML_r], r = 1..t, as EPRUM defines it: sum_k (1/k) (P(F_k >= r) - P(F_{k-1} >= r))."""
    tails = [[sum(count[r:]) for r in range(t + 1)] for count in (law(state, number) for state in seen(R, t, number))]
    return [sum((tails[k][r] - tails[k - 1][r]) / k for k in range(1, len(tails))) for r in range(1, t + 1)]


def normal_law(p, up_to=10):
    """P(F = s), s = 0..t, with the normal law where more than ten events are uncertain; in floats."""
    if sum(0 < x < 1 for x in p) <= up_to:
        return [float(value) for value in law([Fraction(x) for x in p])]
    counts = NormalDist(fsum(p), sqrt(fsum(x * (1 - x) for x in p)))
    return [counts.cdf(s + 0.5) - counts.cdf(s - 0.5) for s in range(len(p) + 1)]


def prum_normal(R, t, size, existing):
    """As the paper's, with the normal law for the count and for that of the others; P(x unseen | F = s) at most 1."""
    p = seen(R, t, float)
    count = [normal_law(state) for state in p]
    gained, consulted = [0.0] * t, [0.0] * t
    for k in range(1, len(p)):
        others = [normal_law(p[k - 1][:x] + p[k - 1][x + 1 :]) for x in range(t)]
        for s in range(t):
            if count[k - 1][s] == 0:
                continue
            nothing_new = 1.0
            for x in range(t):
                nothing_new *= 1 - R[k - 1][x] * min(1.0, (1 - p[k - 1][x]) * others[x][s] / count[k - 1][s])
            gained[s] += count[k - 1][s] * (1 - nothing_new)
            consulted[s] += count[k - 1][s]
    return _precisions(gained, consulted, count[-1], t, size - existing)
