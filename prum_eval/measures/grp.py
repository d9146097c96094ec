"""GRP, generalised recall-precision: the INEX 2002 metric, precall of graded relevance; expected search length.

Sources: [ING] Goevert, Fuhr, Lalmas, Kazai 2006, equations 6-9; [PRUM] C.1; Raghavan, Bollmann, Jung 1989; Cooper 1968.

Arrays. ``gains``: q of each result, in [0, 1], best first, shape (o,). ``score``: what ranked it, NaN where nothing
did, shape (o,). ``base``: q of the whole recall base, any order. Overlap is not treated: nested results count twice
what they share, the metric's known flaw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.errors import UsageError
from prum_eval.measures.base import TENTHS, Direction, Measure, Need, Shape, refuse_level_zero
from prum_eval.measures.topic_data import TopicData
from prum_eval.numerics.curves import PERCENT_LEVELS, ROUNDING_SLACK
from prum_eval.parameters import Parameter, ParameterValues


@dataclass(frozen=True, slots=True)
class WeakOrder:
    """A ranking where several elements may share one rank; the last rank is all that was not retrieved.

    `relevant`: sum of q of each rank, `irrelevant`: sum of 1 - q, both of shape (ranks,); `total`: n, the sum of q over
    the recall base.
    """

    relevant: FloatArray
    irrelevant: FloatArray
    total: float


def weak_order(gains: FloatArray, score: FloatArray, base: FloatArray, size: int, existing: int) -> WeakOrder:
    """The ranks of a list: consecutive results of equal score share one, and one more holds what was not retrieved.

    Args:
        gains: q of each result.
        score: score of each result; NaN shares its rank with nothing.
        base: q of each element of the recall base.
        size: N, the number of retrievable elements.
        existing: how many results are in the collection; the last rank has N - existing elements.
    """
    fresh = np.ones(len(gains), dtype=np.bool_)
    fresh[1:] = score[1:] != score[:-1]  # NaN differs from itself
    first = np.flatnonzero(fresh)
    relevant = np.add.reduceat(gains, first) if len(first) else np.zeros(0)
    irrelevant = np.add.reduceat(1.0 - gains, first) if len(first) else np.zeros(0)
    n = math.fsum(base.tolist())
    left = max(n - math.fsum(gains.tolist()), 0.0)
    rest = max(size - existing - left, 0.0)
    return WeakOrder(np.append(relevant, left), np.append(irrelevant, rest), n)


def _search(order: WeakOrder, levels: FloatArray, *, ceiling: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
    """NR, and the irrelevant elements before and in the rank where NR is reached, at each recall level.

    NR = l n. In that rank r is the sum of q and i that of 1 - q; s = NR - the q before it (with `ceiling`, ceil(NR) -
    that, for q of 0 and 1 only). The user sees s i / (r + 1) irrelevant elements of it, in expectation.
    """
    wanted = levels * order.total
    cumulated = np.cumsum(order.relevant)
    rank = np.minimum(np.searchsorted(cumulated, wanted - ROUNDING_SLACK), len(cumulated) - 1)
    before = cumulated[rank] - order.relevant[rank]
    passed = (np.cumsum(order.irrelevant) - order.irrelevant)[rank]
    goal = np.maximum(np.ceil(wanted - ROUNDING_SLACK), 1.0) if ceiling else wanted
    share = np.maximum(goal - before, 0.0) / (order.relevant[rank] + 1.0)
    return wanted, passed, share * order.irrelevant[rank]


def precision(order: WeakOrder, levels: FloatArray, *, ceiling: bool = False) -> FloatArray:
    """NR / (NR + j + s i / (r + 1)) at recall levels l in (0, 1]; symbols as in `_search`, j is before the rank."""
    wanted, passed, inside = _search(order, levels, ceiling=ceiling)
    return wanted / (wanted + passed + inside)


def search_length(order: WeakOrder, levels: FloatArray, *, ceiling: bool = False) -> FloatArray:
    """NR (1 / precision - 1) = j + s i / (r + 1) at recall levels l in (0, 1]."""
    _, passed, inside = _search(order, levels, ceiling=ceiling)
    return passed + inside


def _order(data: TopicData, values: ParameterValues) -> WeakOrder:
    weights = data.judged.targets.weight
    if values["s"] == "ceiling" and ((weights > 0) & (weights < 1)).any():
        raise UsageError(
            f"s=ceiling counts elements, so it takes a quantisation into 0 and 1, not {data.judged.quantisation} "
            f"(topic {data.judged.name} has other values)"
        )
    return data.memo.get_or_compute(
        "grp", lambda: weak_order(data.gains, data.ranking.score, weights, data.size, data.existing_count)
    )


def _mean(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
    curve = precision(_order(data, values), PERCENT_LEVELS, ceiling=values["s"] == "ceiling")
    return math.fsum(curve.tolist()) / len(curve)


def _curve(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    refuse_level_zero("grp_prec_at_recall", cutoffs)
    return precision(_order(data, values), cutoffs, ceiling=values["s"] == "ceiling")


def _search_lengths(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    refuse_level_zero("esl_at_recall", cutoffs)
    return search_length(_order(data, values), cutoffs, ceiling=values["s"] == "ceiling")


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
        per_topic=_mean,
    ),
    _measure(
        name="grp_prec_at_recall",
        summary="generalised precision at recall X",
        explanation=f"{_TEXT} Defined for X above 0.",
        shape=Shape.AT_LEVELS,
        per_topic=_curve,
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
        per_topic=_search_lengths,
        cutoffs=TENTHS[1:],
        curve_levels=tuple(PERCENT_LEVELS.tolist()),
        bounded=False,
        direction=Direction.LOWER,
        y_label="expected search length",
    ),
)
