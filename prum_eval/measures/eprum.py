"""EPRUM: expected precision recall with user modelling [EPRUM sections 2 and 5; INEX06 section 7.2].

ML_r is the first rank after which r targets are seen, A_r says whether that ever happens, a star marks the ideal list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prum_eval.measures.seen import Seen
from prum_eval.numerics.levels import SLACK, at_goals
from prum_eval.numerics.poisson_binomial import normal_count_distribution

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MODES = ("exact", "normal")


@dataclass(frozen=True, slots=True)
class Level:
    """One satisfaction level: the targets with P(x in I) from some value on are ideal.

    `targets`: how many of the targets, in decreasing P(x in I), are ideal; `weight`: share of the levels.
    """

    targets: int
    weight: float


def satisfaction_levels(weights: FloatArray, *, graded: bool) -> tuple[IntArray, list[Level]]:
    """Targets by decreasing P(x in I), ties as they stand, and the levels at which the ideal set changes.

    With distinct values v_1 > ... > v_m > 0 = v_{m+1} the set {P >= v_i} has weight (v_i - v_{i+1}) / v_1. Not graded,
    all targets are ideal at the one level.
    """
    order = np.argsort(-weights, kind="stable")
    if not graded or not len(weights):
        return order, [Level(len(weights), 1.0)]
    ranked = weights[order]
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    following = np.append(ranked[last][1:], 0.0)
    shares = (ranked[last] - following) / ranked[0]
    return order, [Level(int(n) + 1, float(share)) for n, share in zip(last, shares, strict=True)]


def laws_by_level(seen: Seen, order: IntArray, levels: Sequence[Level], mode: str) -> Iterator[FloatArray]:
    """P(F_k = f) over the states for the ideal set of each level, shape (active of the level + 1, J + 1).

    Adding targets in decreasing P(x in I) to the convolution passes through every ideal set on the way.
    """
    place = np.full(seen.targets, len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    rank_of_active = place[seen.active]
    if mode == "normal":
        for level in levels:
            yield normal_count_distribution(seen.p[rank_of_active < level.targets])
        return
    states = seen.p.shape[1]
    law = np.zeros((len(seen.active) + 1, states))
    law[0] = 1.0
    added = 0
    for level in levels:
        ready = int(np.searchsorted(rank_of_active, level.targets))
        for x in range(added, ready):
            grown = law[: x + 1] * seen.p[x]
            law[: x + 1] *= 1.0 - seen.p[x]
            law[1 : x + 2] += grown
        added = max(added, ready)
        yield law[: added + 1]


def search_quotients(law: FloatArray, seen: Seen, targets: int) -> FloatArray:
    """E[A_r / ML_r] for r = 1..targets: sum_{k<o} P(F_k >= r) (1/k - 1/(k+1)) + P(F_o >= r) / o."""
    quotients = np.zeros(targets)
    if len(seen.change):
        inverse = 1.0 / seen.change
        weight = inverse - np.append(inverse[1:], 0.0)
        per_count = law[1:, 1:] @ weight
        quotients[: len(per_count)] = np.cumsum(per_count[::-1])[::-1]
    return quotients


def search_lengths(law: FloatArray, seen: Seen, targets: int) -> FloatArray:
    """E[ML_r] for r = 1..targets = sum_{k>=0} P(F_k < r); infinite unless r is reached surely.

    Where it is not, the search may never end and has no expected length.
    """
    lengths = np.full(targets, np.inf)
    below = np.cumsum(law @ seen.dwell)
    surely = np.cumsum(law[:0:-1, -1])[::-1] >= 1.0 - SLACK
    lengths[: len(surely)] = np.where(surely, below[:-1], np.inf)
    return lengths


@dataclass(frozen=True, slots=True)
class LevelValues:
    """EPRUM at one satisfaction level.

    `precision`: for r = 1..t of its targets. `earned`: sum_f P(F = f) E[ML*_f] in each state, the length of ideal
    search that equals what was seen. `weight`: share of the level.
    """

    precision: FloatArray
    earned: FloatArray
    weight: float


def level_values(
    seen: Seen,
    order: IntArray,
    levels: Sequence[Level],
    lengths: Sequence[FloatArray],
    *,
    mode: str = "exact",
    at_recall: str = "product",
) -> list[LevelValues]:
    """EPRUM at every satisfaction level.

    Args:
        seen: states over all targets, `active` ordered by decreasing P(x in I).
        order: the targets in that order.
        levels: the satisfaction levels.
        lengths: E[ML*_r] of the ideal list of each level, r = 1..its targets.
        mode: exact, or normal for the normal law.
        at_recall: product, E[ML*_r] E[A_r / ML_r]; or ratio, E[ML*_r] / E[ML_r], 0 unless r is reached surely.
    """
    values = []
    for level, law, ideal in zip(levels, laws_by_level(seen, order, levels, mode), lengths, strict=True):
        if at_recall == "product":
            precision = ideal * search_quotients(law, seen, level.targets)
        else:
            precision = ideal / search_lengths(law, seen, level.targets)
        values.append(LevelValues(precision, ideal[: len(law) - 1] @ law[1:], level.weight))
    return values


def precision_at_recall(values: Sequence[LevelValues], recall: FloatArray) -> FloatArray:
    """Weighted mean over the satisfaction levels of the precision at each recall level (a step function)."""
    return _weighted(values, [at_goals(value.precision, recall) for value in values])


def precision_at_ranks(values: Sequence[LevelValues], seen: Seen, ranks: FloatArray) -> FloatArray:
    """Precision at rank k: (1/k) sum_f P(F_k = f) E[ML*_f], E[ML*_0] = 0; past the end F stays and k grows."""
    states = seen.states_at(ranks.astype(np.int64))
    return _weighted(values, [value.earned[states] for value in values]) / ranks


def mean_precision(values: Sequence[LevelValues]) -> float:
    """Weighted mean over the satisfaction levels of the mean over all r: eprum_map."""
    return float(_weighted(values, [value.precision.mean(keepdims=True) for value in values])[0])


def _weighted(values: Sequence[LevelValues], parts: Sequence[FloatArray]) -> FloatArray:
    weights = np.array([value.weight for value in values])
    result: FloatArray = weights @ np.array(parts)
    return result
