"""PRUM: precision recall with user modelling [PRUM equations 5-8]."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray, IntArray, LongArray
from prum_eval.measures.base import TENTHS, Measure, Need, Shape, measure_of_states
from prum_eval.measures.seen_states import SeenStates
from prum_eval.measures.topic_data import TopicData
from prum_eval.numerics.count_distributions import (
    NORMAL_MIN_EVENTS,
    CountDistribution,
    count_distribution,
    count_distributions,
    events_by_turn,
    missing_given_count,
    normal_cell,
    normal_count_distributions,
    probability_of_any,
    scatter,
)
from prum_eval.numerics.curves import ceiling_interpolation, required_targets
from prum_eval.parameters import Parameter, ParameterValues

TABLE_CELLS = 1 << 20
"""Largest number of probabilities (targets times states) in one block of distributions."""
PAIRS_CELLS = 1 << 19
"""Largest number of cells of one block of the leave-one-out table."""


def prum_precisions(seen: SeenStates, size: int, existing: int, mode: str = "paper") -> FloatArray:
    """Precision at r = 1..t targets: (a + b) / (c + d).

    With F_k the number of targets seen after k of o ranks, N = `size` the elements of the collection and
    u = N - `existing` those that the list leaves unranked:

        a = sum_{s<r} sum_k P(F_{k-1} = s) g_k(s)        c = sum_{s<r} sum_k P(F_{k-1} = s)
        b = sum_{s<r} P(F_o = s) (r - s)                 d = sum_{s<r} P(F_o = s) (r - s) (1 + (u - (t-s)) / (t-s+1))

    where g_k(s) = P(F_k > s | F_{k-1} = s): by hypothesis 2.3 of the article (`paper`: a noisy-or over first
    sightings), without it (`exact`: the targets are independent), or as `paper` with normal distributions (`normal`).

    Args:
        seen: the states of the user.
        size: N, at least the existing results plus the targets that are not among them.
        existing: number of results that exist in the collection.
        mode: paper, exact or normal.

    Returns:
        Shape (t,); empty where there is no target.
    """
    a, c, end = np.zeros((3, len(seen.active) + 1))
    for states in _state_blocks(seen):
        distribution = _count_distribution(seen, states, mode)
        a += sum(
            scatter(cells, distribution.least[part], len(a))
            for part, cells in _new_target_cells(seen, states, distribution, mode)
        )
        c += distribution.weighted_sum(seen.dwell[states].astype(np.float64))
        end = distribution.weighted_sum(
            (np.arange(len(distribution.least)) == len(distribution.least) - 1).astype(np.float64)
        )
    b, whole = _precision_terms(_pad_to_length(c, seen.targets), _pad_to_length(end, seen.targets), size - existing)
    precision: FloatArray = ((np.cumsum(_pad_to_length(a, seen.targets), dtype=np.longdouble) + b) / whole).astype(
        np.float64
    )
    return precision


def prum_shares(seen: SeenStates, size: int, existing: int, mode: str = "paper") -> tuple[FloatArray, FloatArray]:
    """Shares of each rank, and of the elements after the list, in the precisions.

    With a_k(r) the term of rank k in a, rank k adds a_k(r) / (c + d) and what is not ranked b / (c + d): their sum is
    the precision. Only ranks where the user's state changes add anything.

    Args: those of `prum_precisions`.

    Returns:
        Shapes (J, t), a row a rank of ``seen.change``, and (t,).
    """
    added = np.zeros((len(seen.change_ranks), seen.targets))
    c, end = np.zeros((2, len(seen.active) + 1))
    for states in _state_blocks(seen):
        distribution = _count_distribution(seen, states, mode)
        for part, cells in _new_target_cells(seen, states, distribution, mode):
            for j in range(cells.shape[1]):
                state = part.start + j
                new = scatter(cells[:, j : j + 1], distribution.least[state : state + 1], len(c))
                added[states.start + state] = np.cumsum(_pad_to_length(new, seen.targets))
        c += distribution.weighted_sum(seen.dwell[states].astype(np.float64))
        end = distribution.weighted_sum(
            (np.arange(len(distribution.least)) == len(distribution.least) - 1).astype(np.float64)
        )
    b, whole = _precision_terms(_pad_to_length(c, seen.targets), _pad_to_length(end, seen.targets), size - existing)
    return (added / whole).astype(np.float64), (b / whole).astype(np.float64)


def _state_blocks(seen: SeenStates) -> Iterator[slice]:
    """The states 0..J in blocks of at most `TABLE_CELLS` cells."""
    together = max(1, TABLE_CELLS // (len(seen.active) + 1))
    for low in range(0, len(seen.change_ranks) + 1, together):
        yield slice(low, min(low + together, len(seen.change_ranks) + 1))


def _count_distribution(seen: SeenStates, states: slice, mode: str) -> CountDistribution:
    p = seen.probabilities.columns(states.start, states.stop)
    return normal_count_distributions(p) if mode == "normal" else count_distributions(p)


def _precision_terms(c: FloatArray, end: FloatArray, unranked: int) -> tuple[LongArray, LongArray]:
    """The sums b and c + d for r = 1..t, in longer numbers: sums of sums of thousands would lose two digits.

    Args:
        c: sum over the ranks k of P(F_{k-1} = s), for s = 0..t-1.
        end: P(F_o = s), for the same s.
        unranked: u.
    """
    t = len(c)
    s = np.arange(t)
    per_draw = 1.0 + (unranked - (t - s)) / (t - s + 1)
    # sum_{s<r} w(s) (r - s) = sum of the running sums of w: a double cumulative sum, of non-negative terms only.
    b = np.cumsum(np.cumsum(end, dtype=np.longdouble))
    d = np.cumsum(np.cumsum(end * per_draw, dtype=np.longdouble))
    return b, np.cumsum(c, dtype=np.longdouble) + d


def _pad_to_length(values: FloatArray, t: int) -> FloatArray:
    """The values for s = 0..t-1, zeros where there are fewer."""
    padded = np.zeros(t)
    padded[: min(len(values), t)] = values[:t]
    return padded


def _new_target_cells(
    seen: SeenStates, states: slice, distribution: CountDistribution, mode: str
) -> Iterator[tuple[slice, FloatArray]]:
    """P(F_{k-1} = s) g_k(s), for stretches of states k - 1 among these; row i of a column stands for s = least + i.

    Stretches are counted from the first of the states on; nothing follows the last state of all.
    """
    changes = min(states.stop, len(seen.change_ranks)) - states.start
    if not changes:
        return iter(())
    if mode == "exact":
        return iter(
            [
                (
                    slice(0, changes),
                    _new_target_cells_exact(seen, slice(states.start, states.start + changes), distribution),
                )
            ]
        )
    return _new_target_cells_paper(seen, states.start, changes, distribution, normal=mode == "normal")


def _new_target_cells_exact(seen: SeenStates, states: slice, distribution: CountDistribution) -> FloatArray:
    """P(F_{k-1} = s, something new at k): no hypothesis, by independence of the targets.

    P(F_{k-1} = s and nothing new) = [z^s] prod_x (p_{k-1}(x) z + 1 - p_k(x)).
    """
    p = seen.probabilities.columns(states.start, states.stop + 1)
    return distribution.subtract(count_distributions(p[:, :-1], 1.0 - p[:, 1:]))


def _new_target_cells_paper(
    seen: SeenStates, first: int, changes: int, distribution: CountDistribution, *, normal: bool
) -> Iterator[tuple[slice, FloatArray]]:
    """P(F_{k-1} = s) g_k(s) with g_k(s) = 1 - prod_x (1 - R[k, x] P(x unseen | F_{k-1} = s))."""
    steps, p = seen.reach.select_states(first, first + changes), seen.probabilities.columns(first, first + changes)
    bounds = np.searchsorted(steps.state, np.arange(changes + 1))
    rows = int(distribution.span[:changes].max(initial=0)) + 1
    held = slice(0, rows) if normal else _nonzero_rows(distribution.cells[:rows, :changes])
    cells = distribution.cells[held]
    low = 0
    while low < changes:  # whole states, as many as fit a block
        high = max(low + 1, int(np.searchsorted(bounds, bounds[low] + PAIRS_CELLS // len(cells), side="right")) - 1)
        pair, sizes = events_by_turn(bounds[low : high + 1])
        state, target = steps.state[pair] - low, steps.target[pair]
        sightings = _unseen_given_count(p[:, low:high], cells[:, low:high], state, target, normal=normal)
        sightings *= steps.probability[pair]
        found = np.zeros((held.stop, high - low))
        own = state[: sizes[0]]
        found[held, own] = cells[:, low + own] * probability_of_any(sightings, sizes)
        yield slice(low, high), found
        low = high


def _nonzero_rows(cells: FloatArray) -> slice:
    """The rows from the first to the last nonzero one: most cells of a distribution of many events are 0."""
    rows = np.flatnonzero(cells.any(axis=1))
    return slice(int(rows[0]), int(rows[-1]) + 1) if len(rows) else slice(0, 1)


def _unseen_given_count(
    p: FloatArray, cells: FloatArray, state: IntArray, target: IntArray, *, normal: bool
) -> FloatArray:
    """P(x unseen | F = least + i) for pairs (x, state): shape (rows of the cells, pairs); `p` as in `SeenStates`."""
    return _normal_unseen(p, cells, state, target) if normal else missing_given_count(p[target, state], cells, state)


def _normal_unseen(p: FloatArray, cells: FloatArray, state: IntArray, target: IntArray) -> FloatArray:
    """The same with the normal distribution of the count of the other targets, if more than ten are uncertain."""
    count = np.arange(len(cells))[:, None]
    unseen = np.zeros((len(count), len(state)))
    for pair, (j, x) in enumerate(zip(state.tolist(), target.tolist(), strict=True)):
        others = np.delete(p[:, j], x)
        spread = others * (1 - others)
        if np.count_nonzero(spread) > NORMAL_MIN_EVENTS:
            cell = normal_cell(count, others.sum(keepdims=True), np.sqrt(spread.sum(keepdims=True)))[:, 0]
        else:
            cell = np.append(count_distribution(others[:, None])[:, 0], 0.0)
        joint = (1.0 - p[x, j]) * cell
        np.divide(joint, cells[:, j], out=unseen[:, pair], where=cells[:, j] > 0)
    clipped: FloatArray = np.clip(unseen, 0.0, 1.0)
    return clipped


def _precisions(data: TopicData, values: ParameterValues) -> FloatArray:
    mode, size = str(values["mode"]), data.size
    return data.memo.get_or_compute(("prum", mode), lambda: prum_precisions(data.seen, size, data.existing_count, mode))


def _mean(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
    return float(_precisions(data, values).mean())


def _at_recall(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    return ceiling_interpolation(_precisions(data, values), cutoffs)


def _split(
    measure: Measure, data: TopicData, values: ParameterValues, cutoffs: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What rank k adds is its term of the precision; at a recall level that of the r of the highest precision."""
    added, rest = prum_shares(data.seen, data.size, data.existing_count, str(values["mode"]))
    if measure.shape is Shape.SCALAR:
        return added.mean(axis=1, keepdims=True), rest.mean(keepdims=True)
    precision = _precisions(data, values)
    best = [r + int(precision[r:].argmax()) for r in (required_targets(cutoffs, len(precision)) - 1).tolist()]
    return added[:, best], rest[best]


_TEXT = (
    "Precision at r of t targets is (a + b) / (c + d), with F_k the number of distinct targets seen after k ranks: "
    "a expects the ranks at which a user who wants r targets sees a new one, c the ranks consulted, b and d the "
    "draws from the unranked elements after the list. N is the number of retrievable elements. With R the identity "
    "it is classic precision (Raghavan, Bollmann, Jung 1989). A target is every x with P(x in I) > 0."
)
_measure = partial(
    Measure,
    family="prum",
    source="Piwowarski, Gallinari, Dupret, TOIS 25(1), 2007, equations 5-8",
    needs=frozenset({Need.REACH, Need.SIZE}),
    parameters=(
        Parameter(
            "mode",
            "paper",
            "paper: hypothesis 2.3; exact: without it; normal: the normal law where more than 10 targets are uncertain",
            ("paper", "exact", "normal"),
            option="prum_mode",
        ),
    ),
    empty_list="(t + 1) / (N + 1) at every recall, for t targets: what drawing at random gives",
    split=_split,
)

MEASURES = (
    _measure(
        name="prum_map",
        summary="PRUM precision, mean over all r",
        explanation=f"Mean of the PRUM precision over r = 1..t, without interpolation. {_TEXT}",
        shape=Shape.SCALAR,
        per_batch=measure_of_states(_mean),
    ),
    _measure(
        name="prum_prec_at_recall",
        summary="PRUM precision at recall X",
        explanation=f"Ceiling interpolation: the highest PRUM precision at any r >= max(1, ceil(X t)). {_TEXT}",
        shape=Shape.AT_LEVELS,
        per_batch=measure_of_states(_at_recall),
        cutoffs=TENTHS,
        y_label="PRUM precision",
    ),
)
