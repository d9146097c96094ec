"""EPRUM: expected precision recall with user modelling [EPRUM sections 2 and 5; INEX06 section 7.2].

ML_r is the first rank after which r targets are seen, A_r says whether that ever happens, a star marks the ideal list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.measures.seen_states import SeenStates
from prum_eval.numerics.growing_counts import means_of_laws, sums_of_laws, weighted_rows
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


def counts_by_level(seen: SeenStates, order: IntArray, levels: Sequence[Level]) -> list[int]:
    """How many of the targets that are ever seen are ideal at each level: the first so many of ``seen.active``.

    Adding targets in decreasing P(x in I) to the convolution passes through every ideal set on the way.
    """
    place = np.empty(int(order.max(initial=-1)) + 1, dtype=np.int64)
    place[order] = np.arange(len(order))
    ready: list[int] = np.searchsorted(place[seen.active], [level.targets for level in levels]).tolist()
    return ready


def search_quotients(seen: SeenStates, counts: Sequence[int], targets: Sequence[int], mode: str) -> list[FloatArray]:
    """E[A_r / ML_r] for r = 1..targets: sum_{k<o} P(F_k >= r) (1/k - 1/(k+1)) + P(F_o >= r) / o, at every level."""
    quotients = [np.zeros(number) for number in targets]
    if len(seen.change):
        inverse = 1.0 / seen.change
        weight = np.concatenate(([0.0], inverse - np.append(inverse[1:], 0.0)))
        sums = sums_of_laws(seen.p, counts, [weight] * len(counts), normal=mode == "normal")
        for quotient, count, found in zip(quotients, counts, sums, strict=True):
            quotient[:count] = np.cumsum(found[:0:-1])[::-1]
    return quotients


def search_lengths(seen: SeenStates, counts: Sequence[int], targets: Sequence[int], mode: str) -> list[FloatArray]:
    """E[ML_r] for r = 1..targets = sum_{k>=0} P(F_k < r), at every level; infinite unless r is reached surely.

    Where it is not, the search may never end and has no expected length.
    """
    lengths = [np.full(number, np.inf) for number in targets]
    last = np.zeros(seen.p.shape[1])
    last[-1] = 1.0
    weights = seen.dwell.astype(np.float64), last
    stays, ends = (sums_of_laws(seen.p, counts, [one] * len(counts), normal=mode == "normal") for one in weights)
    for length, count, below, end in zip(lengths, counts, stays, ends, strict=True):
        surely = np.cumsum(end[:0:-1])[::-1] >= 1.0 - SLACK
        length[:count] = np.where(surely, np.cumsum(below)[:-1], np.inf)
    return lengths


def precisions(
    seen: SeenStates,
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
    counts, targets = counts_by_level(seen, order, levels), [level.targets for level in levels]
    if at_recall == "product":
        quotients = search_quotients(seen, counts, targets, mode)
        return [ideal * own for ideal, own in zip(lengths, quotients, strict=True)]
    searches = search_lengths(seen, counts, targets, mode)
    return [ideal / own for ideal, own in zip(lengths, searches, strict=True)]


def at_recall_levels(values: Sequence[FloatArray], levels: Sequence[Level], recall: FloatArray) -> FloatArray:
    """Weighted mean over the satisfaction levels of the precision at each recall level (a step function)."""
    return _weighted(levels, [at_goals(value, recall) for value in values])


def mean_precision(values: Sequence[FloatArray], levels: Sequence[Level]) -> float:
    """Weighted mean over the satisfaction levels of the mean over all r: eprum_map."""
    return float(_weighted(levels, [value.mean(keepdims=True) for value in values])[0])


def at_ranks(
    seen: SeenStates,
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
    ideal = [np.concatenate(([0.0], own)) for own in lengths]
    counts = counts_by_level(seen, order, levels)
    earned = means_of_laws(seen.p[:, states], counts, ideal, normal=mode == "normal")
    return _weighted(levels, earned) / ranks


def _weighted(levels: Sequence[Level], parts: Sequence[FloatArray]) -> FloatArray:
    weights = np.array([level.weight for level in levels])
    return weighted_rows(weights, np.array(parts))
