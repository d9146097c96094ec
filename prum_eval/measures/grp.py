"""GRP, generalised recall-precision: the INEX 2002 metric, precall of graded relevance; expected search length.

Sources: [ING] Goevert, Fuhr, Lalmas, Kazai 2006, equations 6-9; [PRUM] C.1; Raghavan, Bollmann, Jung 1989; Cooper 1968.

Overlap is not treated: nested results count twice what they share, the metric's known flaw.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from prum_eval.arrays import (
    FloatArray,
    IntArray,
    accumulate_groups,
    exact_means,
    exact_sums_of_groups,
    first_rows_at_least,
    group_bounds,
    group_numbers,
    sums_of_groups,
)
from prum_eval.errors import UsageError
from prum_eval.measures.base import TENTHS, Direction, Measure, Need, Shape, refuse_level_zero
from prum_eval.measures.topic_data import TopicBatch
from prum_eval.numerics.curves import PERCENT_LEVELS, ROUNDING_SLACK
from prum_eval.parameters import Parameter, ParameterValues


@dataclass(frozen=True, slots=True)
class WeakOrders:
    """Rankings where several elements may share one rank; the last rank of each is all that was not retrieved.

    Topic i has the ranks ``bounds[i]:bounds[i + 1]``. `relevant`: sum of q of each rank, `irrelevant`: sum of 1 - q;
    `total`: n of each topic, the sum of q over its recall base.
    """

    bounds: IntArray
    relevant: FloatArray
    irrelevant: FloatArray
    total: FloatArray


def weak_orders(
    gains: FloatArray, score: FloatArray, bounds: IntArray, total: FloatArray, size: int, existing: IntArray
) -> WeakOrders:
    """The ranks of lists: consecutive results of equal score share one, and one more holds what was not retrieved.

    Args:
        gains: q of each result, in [0, 1].
        score: score of each result; NaN shares its rank with nothing.
        bounds: bounds of the results of each topic.
        total: sum of q over the recall base of each topic.
        size: N, the number of retrievable elements.
        existing: how many results are in the collection; the last rank has N - existing elements.
    """
    fresh = np.ones(len(gains), dtype=np.bool_)
    fresh[1:] = score[1:] != score[:-1]  # NaN differs from itself
    fresh[bounds[:-1][np.diff(bounds) > 0]] = True
    first = np.flatnonzero(fresh)
    ranks = group_bounds(sums_of_groups(fresh.astype(np.int64), bounds) + 1)
    last = ranks[1:] - 1
    relevant, irrelevant = np.zeros((2, ranks[-1]))
    retrieved = np.delete(np.arange(ranks[-1]), last)
    if len(first):
        relevant[retrieved], irrelevant[retrieved] = np.add.reduceat(gains, first), np.add.reduceat(1.0 - gains, first)
    relevant[last] = np.maximum(total - exact_sums_of_groups(gains, bounds), 0.0)
    irrelevant[last] = np.maximum(size - existing - relevant[last], 0.0)
    return WeakOrders(ranks, relevant, irrelevant, total)


def _search(orders: WeakOrders, levels: FloatArray, *, ceiling: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
    """NR, and the irrelevant elements before and in the rank where NR is reached, of shape (topics, levels).

    NR = l n. In that rank r is the sum of q and i that of 1 - q; s = NR - the q before it (with `ceiling`, ceil(NR) -
    that, for q of 0 and 1 only). The user sees s i / (r + 1) irrelevant elements of it, in expectation.
    """
    wanted, bounds = levels * orders.total[:, None], orders.bounds
    cumulated = accumulate_groups(orders.relevant, bounds)
    first, end, least = np.broadcast_arrays(bounds[:-1, None], bounds[1:, None], wanted - ROUNDING_SLACK)
    rank = np.minimum(first_rows_at_least(cumulated, first, end, least), end - 1)
    before = cumulated[rank] - orders.relevant[rank]
    passed = (accumulate_groups(orders.irrelevant, bounds) - orders.irrelevant)[rank]
    goal = np.maximum(np.ceil(wanted - ROUNDING_SLACK), 1.0) if ceiling else wanted
    share = np.maximum(goal - before, 0.0) / (orders.relevant[rank] + 1.0)
    return wanted, passed, share * orders.irrelevant[rank]


def precision(orders: WeakOrders, levels: FloatArray, *, ceiling: bool = False) -> FloatArray:
    """NR / (NR + j + s i / (r + 1)) at recall levels l in (0, 1]; symbols as in `_search`, j is before the rank."""
    wanted, passed, inside = _search(orders, levels, ceiling=ceiling)
    return wanted / (wanted + passed + inside)


def search_length(orders: WeakOrders, levels: FloatArray, *, ceiling: bool = False) -> FloatArray:
    """NR (1 / precision - 1) = j + s i / (r + 1) at recall levels l in (0, 1]."""
    _, passed, inside = _search(orders, levels, ceiling=ceiling)
    return passed + inside


def _orders(batch: TopicBatch, values: ParameterValues) -> WeakOrders:
    graded = np.flatnonzero((batch.weights > 0) & (batch.weights < 1))
    if values["s"] == "ceiling" and len(graded):
        judged = batch.topics[int(group_numbers(batch.target_bounds)[graded[0]])].judged
        raise UsageError(
            f"s=ceiling counts elements, so it takes a quantisation into 0 and 1, not {judged.quantisation} "
            f"(topic {judged.name} has other values)"
        )

    def compute() -> WeakOrders:
        score = np.concatenate([topic.ranking.score for topic in batch.topics])
        total = exact_sums_of_groups(batch.weights, batch.target_bounds)
        return weak_orders(batch.gains, score, batch.bounds, total, batch.topics[0].size, batch.existing_counts)

    return batch.memo.get_or_compute("grp", compute)


def _mean(batch: TopicBatch, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    return exact_means(precision(_orders(batch, values), PERCENT_LEVELS, ceiling=values["s"] == "ceiling"))


def _curve(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    refuse_level_zero("grp_prec_at_recall", cutoffs)
    return precision(_orders(batch, values), cutoffs, ceiling=values["s"] == "ceiling")


def _search_lengths(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    refuse_level_zero("esl_at_recall", cutoffs)
    return search_length(_orders(batch, values), cutoffs, ceiling=values["s"] == "ceiling")


_TEXT = (
    "NR / (NR + j + s i / (r + 1)) at NR = X n, n the sum of q over the recall base. In the rank where cumulated q "
    "reaches NR, r is the sum of q, i that of 1 - q, s = NR - the q before it; j is the sum of 1 - q before it. "
    "Consecutive results of equal score share one rank; what is not retrieved forms one last rank, so an empty list "
    "scores (n + 1) / (N + 1). Overlap of results is not treated."
)
_measure = partial(
    Measure,
    family="grp",
    source="Goevert, Fuhr, Lalmas, Kazai, Information Retrieval 9(6), 2006, equations 6-9; Piwowarski, Gallinari, "
    "Dupret, TOIS 25(1), 2007, C.1; Raghavan, Bollmann, Jung, TOIS 7(3), 1989",
    needs=frozenset({Need.GAINS, Need.SIZE}),
    parameters=(
        Parameter(
            "s",
            "real",
            "what is wanted of the last rank: real, NR - what is before it; ceiling, ceil(NR) - that, as the "
            "historical tool did; for quantisations into 0 and 1 only",
            ("real", "ceiling"),
        ),
    ),
    empty_list="(n + 1) / (N + 1), n the sum of the quantised values: what drawing at random gives",
)
_esl = partial(
    _measure,
    family="esl",
    source="Cooper, American Documentation 19(1), 1968; Goevert, Fuhr, Lalmas, Kazai, Information Retrieval 9(6), "
    "2006, equation 6",
    empty_list="X n (N - n) / (n + 1), n the sum of the quantised values: what drawing at random gives",
)

MEASURES = (
    _measure(
        name="grp_map",
        summary="generalised recall-precision (precall), mean",
        explanation=f"Mean over X = .01, .02, ... 1.00 of the precision {_TEXT}",
        shape=Shape.SCALAR,
        per_batch=_mean,
    ),
    _measure(
        name="grp_prec_at_recall",
        summary="generalised precision at recall X",
        explanation=f"{_TEXT} Defined for X above 0.",
        shape=Shape.AT_LEVELS,
        per_batch=_curve,
        cutoffs=TENTHS[1:],
        curve_levels=tuple(PERCENT_LEVELS.tolist()),
        y_label="generalised precision",
    ),
    _esl(
        name="esl_at_recall",
        summary="expected search length up to recall X",
        explanation="The expected number of irrelevant elements that a user sees before recall X, X n (1 / p - 1), p "
        "being grp_prec_at_recall_X. Graded elements count as irrelevant by 1 - q. Consecutive results of equal score "
        "are in random order, and so are the elements that are not listed, after the list. Defined for X above 0.",
        shape=Shape.AT_LEVELS,
        per_batch=_search_lengths,
        cutoffs=TENTHS[1:],
        curve_levels=tuple(PERCENT_LEVELS.tolist()),
        bounded=False,
        direction=Direction.LOWER,
        y_label="expected search length",
    ),
)
