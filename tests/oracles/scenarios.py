"""Every way a user can go down a list, one by one: the slow truth behind PRUM, EPRUM and generalised recall.

R is a list of rows, one a rank, of probabilities, one a target: R[k][x] = P(rank k + 1 leads to x). A scenario says
for each target at which rank (from 1) it is first seen, NEVER if it is not. Targets are independent.
"""

import math
from itertools import pairwise, product
from math import comb, fsum, inf, prod

NEVER = inf


def first_seen(column):
    """Probability of each first-seen rank of one target, NEVER included."""
    unseen, ranks = 1.0, {}
    for k, probability in enumerate(column, 1):
        ranks[k] = unseen * probability
        unseen *= 1.0 - probability
    ranks[NEVER] = unseen
    return {k: probability for k, probability in ranks.items() if probability > 0}


def scenarios(R, t):
    """All scenarios that can happen, as (probability, first-seen ranks in increasing order)."""
    laws = [first_seen([row[x] for row in R]) for x in range(t)]
    return [(prod(law[rank] for law, rank in zip(laws, ranks, strict=True)), sorted(ranks)) for ranks in product(*laws)]


def expectation(R, t, value):
    """Expected value of a function of the sorted first-seen ranks."""
    return fsum(probability * value(ranks) for probability, ranks in scenarios(R, t))


def count_law(R, t, k):
    """P(F_k = f) for f = 0..t."""
    return [expectation(R, t, lambda ranks, f=f: sum(rank <= k for rank in ranks) == f) for f in range(t + 1)]


def expected_draws(unranked, ideal, wanted):
    """Draws from an urn of `unranked` elements, `ideal` of them ideal, until `wanted` ideal ones are out."""
    ways = comb(unranked, ideal)
    return fsum(
        n * comb(n - 1, wanted - 1) * comb(unranked - n, ideal - wanted) / ways
        for n in range(wanted, unranked - ideal + wanted + 1)
    )


def prum(R, t, size, existing):
    """Precision at r = 1..t: expected ranks that lead to something new over expected ranks consulted."""
    unranked = size - existing
    values = []
    for r in range(1, t + 1):

        def consulted(ranks, r=r):
            if ranks[r - 1] is not NEVER:
                return ranks[r - 1]
            found = sum(rank is not NEVER for rank in ranks)
            return len(R) + expected_draws(unranked, t - found, r - found)

        def leading(ranks, r=r):
            stop = ranks[r - 1]
            found = sum(rank is not NEVER for rank in ranks)
            return len({rank for rank in ranks if rank is not NEVER and rank <= stop}) + max(0, r - found)

        values.append(expectation(R, t, leading) / expectation(R, t, consulted))
    return values


def quotient(R, t, r):
    """E[A_r / ML_r]."""
    return expectation(R, t, lambda ranks: 1 / ranks[r - 1])


def length(R, t, r):
    """E[ML_r]; infinite where r may stay unreached."""
    return expectation(R, t, lambda ranks: ranks[r - 1])


def eprum_at_rank(R, t, k, ideal_lengths):
    """(1/k) sum_f P(F_k = f) E[ML*_f]; `ideal_lengths` holds E[ML*_r], r = 1..t."""
    earned = [0.0, *ideal_lengths]
    return expectation(R, t, lambda ranks: earned[sum(rank <= k for rank in ranks)]) / k


def generalised_recall(R, weights, k):
    """Expected share of the weight seen after k ranks."""
    seen = [fsum(p for rank, p in first_seen([row[x] for row in R]).items() if rank <= k) for x in range(len(weights))]
    return fsum(w * p for w, p in zip(weights, seen, strict=True)) / fsum(weights)


def satisfaction_sets(weights):
    """(share of the users, their ideal set) for a satisfaction level uniform on (0, largest weight]."""
    bounds = sorted({0.0, *weights})
    return [
        ((high - low) / bounds[-1], [x for x, weight in enumerate(weights) if weight >= (low + high) / 2])
        for low, high in pairwise(bounds)
    ]


def goal(level, t):
    """r that a recall level asks for, with the slack that every comparison of recall has."""
    return max(1, math.ceil(level * t - 1e-9))
