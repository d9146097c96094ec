"""The classic measures of ranked lists, equal to trec_eval 9 to the printed digit.

``gains``: gain of each result, best first, shape (o,). ``base``: gains of the whole recall base, any order. A result is
relevant if its gain is positive; R is the number of positive gains in the base. Without relevance every value is 0.
``ranks``, ``levels``: cut-offs or recall levels, shape (n,), as are the values at them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.measures.base import CUTOFFS, TENTHS, Measure, Need, Shape

_NEARLY_ONE = 0.9
"""trec_eval's own rounding of a recall level to a count: int(X R + 0.9), so that 0.7 of 33 is 23, not 24."""
_LEAST = 0.00001
"""What a topic counts at least in a geometric mean, which one topic of 0 would make 0."""
_DEEP = (*CUTOFFS, 200.0, 500.0, 1000.0)
"""The cut-offs of trec_eval."""


def _relevant(base: FloatArray) -> int:
    return int(np.count_nonzero(base > 0))


def average_precision(gains: FloatArray, base: FloatArray, _: FloatArray) -> float:
    """(1 / R) times the sum of the precision at the rank of each relevant result."""
    ranks, relevant = np.flatnonzero(gains > 0) + 1, _relevant(base)
    return math.fsum((np.arange(1, len(ranks) + 1) / ranks).tolist()) / relevant if len(ranks) else 0.0


def average_precision_at(gains: FloatArray, base: FloatArray, ranks: FloatArray) -> FloatArray:
    """(1 / R) times the sum of the precision at the rank of each relevant result among the first k."""
    found = np.flatnonzero(gains > 0) + 1
    sums = np.array([0.0, *accumulate((np.arange(1, len(found) + 1) / found).tolist())])
    values: FloatArray = sums[np.searchsorted(found, ranks, side="right")] / max(_relevant(base), 1)
    return values


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean, in which no value counts less than 0.00001.

    >>> round(geometric_mean([0.25, 1.0]), 10), round(geometric_mean([0.0, 1.0]), 10)
    (0.5, 0.0031622777)
    """
    return math.exp(math.fsum(math.log(max(value, _LEAST)) for value in values) / len(values))


def r_precision(gains: FloatArray, base: FloatArray, _: FloatArray) -> float:
    """Precision after R results."""
    wanted = _relevant(base)
    return int(np.count_nonzero(gains[:wanted] > 0)) / wanted if wanted else 0.0


def reciprocal_rank(gains: FloatArray, _base: FloatArray, _: FloatArray) -> float:
    """1 / rank of the first relevant result."""
    ranks = np.flatnonzero(gains > 0)
    return 1.0 / (int(ranks[0]) + 1) if len(ranks) else 0.0


def reciprocal_rank_at(gains: FloatArray, _base: FloatArray, ranks: FloatArray) -> FloatArray:
    """1 / rank of the first relevant result, if it is among the first k."""
    found = np.flatnonzero(gains > 0)
    first = int(found[0]) + 1 if len(found) else math.inf
    return np.where(ranks >= first, 1.0 / first, 0.0)


def _found(gains: FloatArray, ranks: FloatArray) -> IntArray:
    """Relevant results among the first k, for each k."""
    found = np.concatenate(([0], np.cumsum(gains > 0)))
    return found[np.minimum(ranks.astype(np.int64), len(gains))]


def precision_at(gains: FloatArray, _base: FloatArray, ranks: FloatArray) -> FloatArray:
    """Relevant results among the first k, over k; ranks past the end count as not relevant."""
    return _found(gains, ranks) / ranks


def success_at(gains: FloatArray, _base: FloatArray, ranks: FloatArray) -> FloatArray:
    """1 if there is a relevant result among the first k."""
    return (_found(gains, ranks) > 0).astype(np.float64)


def recall_at(gains: FloatArray, base: FloatArray, ranks: FloatArray) -> FloatArray:
    """Relevant results among the first k, over R."""
    return _found(gains, ranks) / max(_relevant(base), 1)


def interpolated_precision(gains: FloatArray, base: FloatArray, levels: FloatArray) -> FloatArray:
    """Highest precision at any rank where recall is at least X; 0 where that recall is never reached."""
    ranks = np.flatnonzero(gains > 0) + 1
    best = np.maximum.accumulate((np.arange(1, len(ranks) + 1) / ranks)[::-1])[::-1]
    wanted = np.maximum((levels * _relevant(base) + _NEARLY_ONE).astype(np.int64), 1)
    values: FloatArray = np.concatenate((best, [0.0]))[np.minimum(wanted - 1, len(best))]
    return values


def _discounted(gains: FloatArray) -> FloatArray:
    """Running sums of gain / log2(rank + 1), from rank 0 (nothing) on."""
    return np.concatenate(([0.0], np.cumsum(gains / np.log2(np.arange(2, len(gains) + 2)))))


def ndcg_at(gains: FloatArray, base: FloatArray, ranks: FloatArray) -> FloatArray:
    """Discounted gain of the first k results over that of an ideal list cut at k as well."""
    own, ideal = _discounted(gains), _discounted(np.sort(base)[::-1])
    k = ranks.astype(np.int64)
    best = ideal[np.minimum(k, len(base))]
    values = np.zeros(len(k))
    np.divide(own[np.minimum(k, len(gains))], best, out=values, where=best > 0)
    return values


def ndcg(gains: FloatArray, base: FloatArray, _: FloatArray) -> float:
    """Discounted gain of all results over that of an ideal list of the whole recall base."""
    ideal = _discounted(np.sort(base)[::-1])[-1]
    return float(_discounted(gains)[-1] / ideal) if ideal > 0 else 0.0


def _measure(
    name: str,
    shape: Shape,
    formula: Callable[[FloatArray, FloatArray, FloatArray], FloatArray | float],
    summary: str,
    explanation: str,
    cutoffs: tuple[float, ...] = (),
    y_label: str = "",
    *,
    source: str = "trec_eval 9 (NIST)",
    **more: Any,  # noqa: ANN401 - other fields of the record
) -> Measure:
    return Measure(
        name,
        "classic",
        summary,
        explanation,
        source,
        shape,
        lambda data, _values, cutoffs: formula(data.gains, data.judged.targets.weight, cutoffs),
        frozenset({Need.GAINS}),
        cutoffs,
        without_targets=True,
        y_label=y_label,
        **more,
    )


MEASURES = (
    _measure(
        "map",
        Shape.SCALAR,
        average_precision,
        "mean average precision",
        "AP = (1/R) sum over the relevant results of the precision at their rank; R counts the relevant assessments. "
        "A judged element is relevant if its quantised value is positive.",
        also=("AP", "average_precision"),
        at_cutoffs="map_cut",
    ),
    _measure(
        "gm_map",
        Shape.SCALAR,
        average_precision,
        "geometric mean of average precision",
        "exp of the mean over topics of log max(AP, 0.00001), AP as in map: topics on which a run does badly weigh "
        "more than in map. A topic alone has no value of it.",
        only_average=True,
        average=geometric_mean,
    ),
    _measure(
        "Rprec",
        Shape.SCALAR,
        r_precision,
        "precision after R results",
        "R is the number of relevant assessments of the topic.",
        also=("r-precision",),
    ),
    _measure(
        "recip_rank",
        Shape.SCALAR,
        reciprocal_rank,
        "reciprocal rank of the first relevant result",
        "1 / rank; 0 where nothing relevant is retrieved.",
        also=("RR", "MRR", "reciprocal_rank"),
        at_cutoffs="recip_rank_cut",
    ),
    _measure(
        "P",
        Shape.AT_RANKS,
        precision_at,
        "precision at K results",
        "Relevant results among the first K, divided by K; a shorter list is filled with irrelevant results.",
        CUTOFFS,
        "precision",
        also=("precision",),
    ),
    _measure(
        "recall",
        Shape.AT_RANKS,
        recall_at,
        "recall at K results",
        "Relevant results among the first K, divided by R.",
        CUTOFFS,
        "recall",
        also=("R",),
    ),
    _measure(
        "iprec_at_recall",
        Shape.AT_LEVELS,
        interpolated_precision,
        "interpolated precision at recall X",
        "Highest precision at any rank where recall is at least X; X R is rounded as trec_eval does, int(X R + 0.9).",
        TENTHS,
        "interpolated precision",
        also=("IPrec",),
    ),
    _measure(
        "ndcg",
        Shape.SCALAR,
        ndcg,
        "normalised discounted cumulated gain",
        "sum of gain / log2(rank + 1) over the same sum of an ideal list; the gain is the quantised value.",
        at_cutoffs="ndcg_cut",
        graded=True,
    ),
    _measure(
        "ndcg_cut",
        Shape.AT_RANKS,
        ndcg_at,
        "ndcg of the first K results",
        "As ndcg, with the list and the ideal list cut after K results.",
        _DEEP,
        "ndcg",
        graded=True,
    ),
    _measure(
        "map_cut",
        Shape.AT_RANKS,
        average_precision_at,
        "average precision of the first K results",
        "As map, with the list cut after K results; R counts all relevant assessments.",
        _DEEP,
        "average precision",
    ),
    _measure(
        "success",
        Shape.AT_RANKS,
        success_at,
        "whether the first K results have a relevant one",
        "1 if some result among the first K is relevant, else 0.",
        (1.0, 5.0, 10.0),
        "success",
        also=("hit_rate",),
    ),
    _measure(
        "recip_rank_cut",
        Shape.AT_RANKS,
        reciprocal_rank_at,
        "reciprocal rank of the first relevant result among the first K",
        "As recip_rank, with the list cut after K results: 0 where the first relevant result comes later.",
        (10.0, 100.0),
        "reciprocal rank",
        source="MS MARCO",
    ),
)
