"""The classic measures of ranked lists, equal to trec_eval 9 to the printed digit.

``gains``: gain of each result, best first, shape (o,). ``base``: gains of the whole recall base, any order. A result is
relevant if its gain is positive; R is the number of positive gains in the base. Without relevance every value is 0.
``ranks``, ``levels``: cut-offs or recall levels, shape (n,), as are the values at them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.measures.base import CUTOFFS, TENTHS, Measure, Need, Shape

_NEARLY_ONE = 0.9
"""trec_eval's own rounding of a recall level to a count: int(X R + 0.9), so that 0.7 of 33 is 23, not 24."""


def _relevant(base: FloatArray) -> int:
    return int(np.count_nonzero(base > 0))


def average_precision(gains: FloatArray, base: FloatArray, _: FloatArray) -> float:
    """(1 / R) times the sum of the precision at the rank of each relevant result."""
    ranks, relevant = np.flatnonzero(gains > 0) + 1, _relevant(base)
    return math.fsum((np.arange(1, len(ranks) + 1) / ranks).tolist()) / relevant if len(ranks) else 0.0


def r_precision(gains: FloatArray, base: FloatArray, _: FloatArray) -> float:
    """Precision after R results."""
    wanted = _relevant(base)
    return int(np.count_nonzero(gains[:wanted] > 0)) / wanted if wanted else 0.0


def reciprocal_rank(gains: FloatArray, _base: FloatArray, _: FloatArray) -> float:
    """1 / rank of the first relevant result."""
    ranks = np.flatnonzero(gains > 0)
    return 1.0 / (int(ranks[0]) + 1) if len(ranks) else 0.0


def _found(gains: FloatArray, ranks: FloatArray) -> IntArray:
    """Relevant results among the first k, for each k."""
    found = np.concatenate(([0], np.cumsum(gains > 0)))
    return found[np.minimum(ranks.astype(np.int64), len(gains))]


def precision_at(gains: FloatArray, _base: FloatArray, ranks: FloatArray) -> FloatArray:
    """Relevant results among the first k, over k; ranks past the end count as not relevant."""
    return _found(gains, ranks) / ranks


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
) -> Measure:
    return Measure(
        name,
        "classic",
        summary,
        explanation,
        "trec_eval 9 (NIST)",
        shape,
        lambda data, _values, cutoffs: formula(data.gains, data.judged.targets.weight, cutoffs),
        frozenset({Need.GAINS}),
        cutoffs,
        without_targets=True,
        y_label=y_label,
    )


MEASURES = (
    _measure(
        "map",
        Shape.SCALAR,
        average_precision,
        "mean average precision",
        "AP = (1/R) sum over the relevant results of the precision at their rank; R counts the relevant assessments. "
        "A judged element is relevant if its quantised value is positive.",
    ),
    _measure(
        "Rprec",
        Shape.SCALAR,
        r_precision,
        "precision after R results",
        "R is the number of relevant assessments of the topic.",
    ),
    _measure(
        "recip_rank",
        Shape.SCALAR,
        reciprocal_rank,
        "reciprocal rank of the first relevant result",
        "1 / rank; 0 where nothing relevant is retrieved.",
    ),
    _measure(
        "P",
        Shape.AT_RANKS,
        precision_at,
        "precision at K results",
        "Relevant results among the first K, divided by K; a shorter list is filled with irrelevant results.",
        CUTOFFS,
        "precision",
    ),
    _measure(
        "recall",
        Shape.AT_RANKS,
        recall_at,
        "recall at K results",
        "Relevant results among the first K, divided by R.",
        CUTOFFS,
        "recall",
    ),
    _measure(
        "iprec_at_recall",
        Shape.AT_LEVELS,
        interpolated_precision,
        "interpolated precision at recall X",
        "Highest precision at any rank where recall is at least X; X R is rounded as trec_eval does, int(X R + 0.9).",
        TENTHS,
        "interpolated precision",
    ),
    _measure(
        "ndcg",
        Shape.SCALAR,
        ndcg,
        "normalised discounted cumulated gain",
        "sum of gain / log2(rank + 1) over the same sum of an ideal list; the gain is the quantised value.",
    ),
    _measure(
        "ndcg_cut",
        Shape.AT_RANKS,
        ndcg_at,
        "ndcg of the first K results",
        "As ndcg, with the list and the ideal list cut after K results.",
        (*CUTOFFS, 200.0, 500.0, 1000.0),
        "ndcg",
    ),
)
