"""PRUM: precision recall with user modelling [PRUM equations 5-8]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from prum_eval.measures.seen import Seen
from prum_eval.numerics.poisson_binomial import (
    NORMAL_FROM,
    count_distribution,
    joint_count_distribution,
    missing_given_count,
    normal_cell,
    normal_count_distribution,
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MODES = ("paper", "exact", "normal")
BLOCK = 1 << 22
"""Largest number of cells of the leave-one-out table that is held at once."""


def prum_precisions(seen: Seen, size: int, existing: int, mode: str = "paper") -> FloatArray:
    """Precision at r = 1..t targets: (a + b) / (c + d).

    With F_k the number of targets seen after k of o ranks, N = `size` the elements of the collection and
    u = N - `existing` those that the list leaves unranked:

        a = sum_{s<r} sum_k P(F_{k-1} = s) g_k(s)        c = sum_{s<r} sum_k P(F_{k-1} = s)
        b = sum_{s<r} P(F_o = s) (r - s)                 d = sum_{s<r} P(F_o = s) (r - s) (1 + (u - (t-s)) / (t-s+1))

    where g_k(s) = P(F_k > s | F_{k-1} = s): by hypothesis 2.3 of the article (`paper`: a noisy-or over first
    sightings), without it (`exact`: the targets are independent), or as `paper` with the normal law (`normal`).

    Args:
        seen: the states of the user.
        size: N, at least the existing results plus the targets that are not among them.
        existing: number of results that exist in the collection.
        mode: paper, exact or normal.

    Returns:
        Shape (t,); empty where there is no target.
    """
    t = seen.targets
    law = normal_count_distribution(seen.p) if mode == "normal" else count_distribution(seen.p)
    gained = _gained_exact(seen, law) if mode == "exact" else _gained_paper(seen, law, normal=mode == "normal")
    active = len(seen.active)
    a, c, end = np.zeros(t), np.zeros(t), np.zeros(t)
    a[:active] = gained
    reachable = min(active + 1, t)
    c[:reachable] = law[:reachable] @ seen.dwell
    end[:reachable] = law[:reachable, -1]
    s = np.arange(t)
    unranked = size - existing
    per_draw = 1.0 + (unranked - (t - s)) / (t - s + 1)
    # sum_{s<r} w(s) (r - s) = sum of the running sums of w: a double cumulative sum, of non-negative terms only.
    b = np.cumsum(np.cumsum(end))
    d = np.cumsum(np.cumsum(end * per_draw))
    return (np.cumsum(a) + b) / (np.cumsum(c) + d)


def _gained_exact(seen: Seen, law: FloatArray) -> FloatArray:
    """sum_k P(F_{k-1} = s, something new at k), shape (active,): no hypothesis, by independence of the targets."""
    before, after = seen.p[:, :-1], seen.p[:, 1:]
    nothing = joint_count_distribution(before, 1.0 - after)
    return (law[:-1, :-1] - nothing[:-1]).sum(axis=1)


def _gained_paper(seen: Seen, law: FloatArray, *, normal: bool) -> FloatArray:
    """sum_k P(F_{k-1} = s) g_k(s), shape (active,), g_k(s) = 1 - prod_x (1 - R[k, x] P(x unseen | F_{k-1} = s))."""
    active, changes = seen.reach.shape
    gained = np.zeros(active)
    state, target = np.nonzero(((seen.reach > 0) & (seen.p[:, :-1] < 1)).T)
    bounds = np.searchsorted(state, np.arange(changes + 1))
    per_block = max(1, BLOCK // max(active, 1))
    low = 0
    while low < changes:  # whole states, as many as fit a block
        high = max(low + 1, int(np.searchsorted(bounds, bounds[low] + per_block, side="right")) - 1)
        rows = slice(bounds[low], bounds[high])
        unseen = _unseen_given_count(seen, law, state[rows], target[rows], normal=normal)
        missed = 1.0 - seen.reach[target[rows], state[rows]] * unseen
        nothing = np.multiply.reduceat(missed, bounds[low:high] - bounds[low], axis=1)
        gained += (law[:-1, low:high] * (1.0 - nothing)).sum(axis=1)
        low = high
    return gained


def _unseen_given_count(
    seen: Seen, law: FloatArray, state: IntArray, target: IntArray, *, normal: bool
) -> FloatArray:
    """P(x unseen | F = s) for pairs (x, state), shape (active, pairs)."""
    p = seen.p[target, state]
    if normal:
        return _normal_unseen(seen, law, state, target)
    unseen = np.ones((law.shape[0] - 1, len(p)))
    known = p > 0  # a target of which nothing was seen is unseen for sure
    unseen[:, known] = missing_given_count(p[known], law[:, state[known]])
    return unseen


def _normal_unseen(seen: Seen, law: FloatArray, state: IntArray, target: IntArray) -> FloatArray:
    """The same with the normal law for the count of the other targets, where more than ten are uncertain."""
    count = np.arange(law.shape[0] - 1)[:, None]
    unseen = np.zeros((len(count), len(state)))
    for pair, (j, x) in enumerate(zip(state.tolist(), target.tolist(), strict=True)):
        others = np.delete(seen.p[:, j], x)
        spread = others * (1 - others)
        if np.count_nonzero(spread) > NORMAL_FROM:
            cell = normal_cell(count, others.sum(keepdims=True), np.sqrt(spread.sum(keepdims=True)))[:, 0]
        else:
            cell = count_distribution(others[:, None])[:, 0]
        joint = (1.0 - seen.p[x, j]) * cell
        np.divide(joint, law[:-1, j], out=unseen[:, pair], where=law[:-1, j] > 0)
    return np.clip(unseen, 0.0, 1.0)
