"""Registry entries: the classic measures."""

from __future__ import annotations

from collections.abc import Callable

from prum_eval.arrays import FloatArray
from prum_eval.measures import classic
from prum_eval.measures.base import Compute, Measure, Need, Shape
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import ParameterValues

CUTOFFS = (5.0, 10.0, 15.0, 20.0, 30.0, 100.0)
NDCG_CUTOFFS = (*CUTOFFS, 200.0, 500.0, 1000.0)
LEVELS = tuple(round(0.1 * i, 1) for i in range(11))
TREC = "trec_eval 9 (NIST)"
_GAINS = frozenset({Need.GAINS})


def _scalar(compute: Callable[[FloatArray, FloatArray], float]) -> Compute:
    return lambda data, _values, _points: compute(data.gains, data.judged.targets.weight)


def _points(compute: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]) -> Compute:
    def per_topic(data: TopicData, _values: ParameterValues, points: FloatArray) -> FloatArray:
        return compute(data.gains, data.judged.targets.weight, points)

    return per_topic


def _classic(
    name: str,
    summary: str,
    explanation: str,
    shape: Shape,
    compute: Compute,
    points: tuple[float, ...] = (),
    y_label: str = "",
) -> Measure:
    return Measure(
        name,
        "classic",
        summary,
        explanation,
        TREC,
        shape,
        compute,
        _GAINS,
        points,
        without_targets=True,
        y_label=y_label,
    )


MEASURES = (
    _classic(
        "map",
        "mean average precision",
        "AP = (1/R) sum over the relevant results of the precision at their rank; R counts the relevant judgements. "
        "A judged element is relevant if its quantised value is positive.",
        Shape.SCALAR,
        _scalar(classic.average_precision),
    ),
    _classic(
        "Rprec",
        "precision after R results",
        "R is the number of relevant judgements of the topic.",
        Shape.SCALAR,
        _scalar(classic.r_precision),
    ),
    _classic(
        "recip_rank",
        "reciprocal rank of the first relevant result",
        "1 / rank; 0 where nothing relevant is retrieved.",
        Shape.SCALAR,
        _scalar(classic.reciprocal_rank),
    ),
    _classic(
        "P",
        "precision at K results",
        "Relevant results among the first K, divided by K; a shorter list is filled with irrelevant results.",
        Shape.AT_RANKS,
        _points(classic.precision_at),
        CUTOFFS,
        "precision",
    ),
    _classic(
        "recall",
        "recall at K results",
        "Relevant results among the first K, divided by R.",
        Shape.AT_RANKS,
        _points(classic.recall_at),
        CUTOFFS,
        "recall",
    ),
    _classic(
        "iprec_at_recall",
        "interpolated precision at recall X",
        "Highest precision at any rank where recall is at least X; X R is rounded as trec_eval does, int(X R + 0.9).",
        Shape.AT_LEVELS,
        _points(classic.interpolated_precision),
        LEVELS,
        "interpolated precision",
    ),
    _classic(
        "ndcg",
        "normalised discounted cumulated gain",
        "sum of gain / log2(rank + 1) over the same sum of an ideal list; the gain is the quantised value.",
        Shape.SCALAR,
        _scalar(classic.ndcg),
    ),
    _classic(
        "ndcg_cut",
        "ndcg of the first K results",
        "As ndcg, with the list and the ideal list cut after K results.",
        Shape.AT_RANKS,
        _points(classic.ndcg_at),
        NDCG_CUTOFFS,
        "ndcg",
    ),
)
