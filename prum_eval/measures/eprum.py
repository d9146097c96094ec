"""EPRUM: expected precision recall with user modelling [EPRUM sections 2 and 5; INEX06 section 7.2].

ML_r is the first rank after which r targets are seen, A_r says whether that ever happens, a star marks the ideal list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.measures.seen import Seen
from prum_eval.numerics.counting import CountLaw, normal_law, room_for
from prum_eval.numerics.levels import SLACK, at_goals

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


def laws_by_level(seen: Seen, order: IntArray, levels: Sequence[Level], mode: str) -> Iterator[CountLaw]:
    """The law of F over the states for the ideal set of each level.

    Adding targets in decreasing P(x in I) to the convolution passes through every ideal set on the way. The law is the
    same object at every level, as it stands then.
    """
    place = np.full(seen.targets, len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    rank_of_active = place[seen.active]
    law = CountLaw(room_for(seen.p), seen.p.shape[1])
    for level in levels:
        ready = int(np.searchsorted(rank_of_active, level.targets))
        if mode == "normal":
            yield normal_law(seen.p[:ready])
            continue
        for happens in seen.p[law.events : ready]:
            law.add(happens)
        yield law


def search_quotients(law: CountLaw, seen: Seen, targets: int) -> FloatArray:
    """E[A_r / ML_r] for r = 1..targets: sum_{k<o} P(F_k >= r) (1/k - 1/(k+1)) + P(F_o >= r) / o."""
    quotients = np.zeros(targets)
    if len(seen.change):
        inverse = 1.0 / seen.change
        per_count = law.weighted(np.concatenate(([0.0], inverse - np.append(inverse[1:], 0.0))))[1:]
        quotients[: len(per_count)] = np.cumsum(per_count[::-1])[::-1]
    return quotients


def search_lengths(law: CountLaw, seen: Seen, targets: int) -> FloatArray:
    """E[ML_r] for r = 1..targets = sum_{k>=0} P(F_k < r); infinite unless r is reached surely.

    Where it is not, the search may never end and has no expected length.
    """
    lengths = np.full(targets, np.inf)
    below = np.cumsum(law.weighted(seen.dwell.astype(np.float64)))
    last = (np.arange(len(law.sure)) == len(law.sure) - 1).astype(np.float64)
    surely = np.cumsum(law.weighted(last)[:0:-1])[::-1] >= 1.0 - SLACK
    lengths[: len(surely)] = np.where(surely, below[:-1], np.inf)
    return lengths


def precisions(
    seen: Seen,
    order: IntArray,
    levels: Sequence[Level],
    lengths: Sequence[FloatArray],
    *,
    mode: str = "exact",
    at_recall: str = "product",
) -> list[FloatArray]:
    """EPRUM precision at r = 1..t of its targets, for every satisfaction level.

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
            values.append(ideal * search_quotients(law, seen, level.targets))
        else:
            values.append(ideal / search_lengths(law, seen, level.targets))
    return values


def at_recall_levels(values: Sequence[FloatArray], levels: Sequence[Level], recall: FloatArray) -> FloatArray:
    """Weighted mean over the satisfaction levels of the precision at each recall level (a step function)."""
    return _weighted(levels, [at_goals(value, recall) for value in values])


def mean_precision(values: Sequence[FloatArray], levels: Sequence[Level]) -> float:
    """Weighted mean over the satisfaction levels of the mean over all r: eprum_map."""
    return float(_weighted(levels, [value.mean(keepdims=True) for value in values])[0])


def at_ranks(
    seen: Seen,
    order: IntArray,
    levels: Sequence[Level],
    lengths: Sequence[FloatArray],
    ranks: FloatArray,
    *,
    mode: str = "exact",
) -> FloatArray:
    """Precision at rank k: (1/k) sum_f P(F_k = f) E[ML*_f], E[ML*_0] = 0; past the end F stays and k grows.

    `ranks` never fall. The other arguments are those of `precisions`.
    """
    states = seen.states_at(ranks.astype(np.int64))
    there = replace(seen, p=seen.p[:, states])
    earned = [
        law.expected(np.concatenate(([0.0], ideal)))
        for law, ideal in zip(laws_by_level(there, order, levels, mode), lengths, strict=True)
    ]
    return _weighted(levels, earned) / ranks


def _weighted(levels: Sequence[Level], parts: Sequence[FloatArray]) -> FloatArray:
    weights = np.array([level.weight for level in levels])
    result: FloatArray = weights @ np.array(parts)
    return result
