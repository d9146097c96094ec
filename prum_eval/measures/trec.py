"""Measures that trec_eval alone has: gains by grade, against the list of all judged documents by decreasing gain.

``levels``: grade of each result, best first, shape (o,); -1 for a document that the assessments lack, -2 for one with a
negative grade. ``ideal``: positive gains of the judged documents, in the order of the ideal list.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.measures.base import Direction, Measure, Need, Shape
from prum_eval.measures.grades import cumulated_gains, gains_of_topic, result_levels
from prum_eval.measures.topic_data import TopicBatch, TopicData
from prum_eval.parameters import GAINS, Parameter, ParameterValues

GainFormula = Callable[[FloatArray, FloatArray], float]
"""(gains of the results, gains of the ideal list) -> value."""
_DEFAULT_LENGTH = 10
"""Results whose grades are shown."""
_LARGEST_DIGIT = 9


def normalised_gain(gains: FloatArray, ideal: FloatArray) -> float:
    """G: (1 / I) sum over the results of g_k / log2(2 + C_k - S_k).

    S_k and C_k are sums over the first k ranks: of the gains of the results, and of the larger of 1 and the gain of the
    ideal list. I is the sum of the gains of the ideal list.

    >>> round(normalised_gain(np.array([0.0, 1.0]), np.array([1.0])), 4)
    0.6309
    """
    cost = np.ones(len(gains))
    shared = min(len(gains), len(ideal))
    cost[:shared] = np.maximum(ideal[:shared], 1.0)
    cost, seen = np.cumsum(cost), np.cumsum(gains)
    rows = gains != 0
    total = float(ideal.sum())
    return float((gains[rows] / np.log2(2.0 + cost[rows] - seen[rows])).sum()) / total if total > 0 else 0.0


def mean_over_relevant(gains: FloatArray, ideal: FloatArray) -> float:
    """ndcg_rel: mean over the relevant documents of ndcg at their rank; that of the whole list for missing ones.

    The ideal list is cut at the rank too; for missing documents it is whole.

    >>> round(mean_over_relevant(np.array([0.0, 1.0]), np.array([1.0, 1.0])), 4)
    0.3869
    """
    if not len(ideal):
        return 0.0
    sums, ideal_sums = cumulated_gains(gains), cumulated_gains(ideal)
    ranks = np.flatnonzero(gains > 0) + 1
    found = sums[ranks] / ideal_sums[np.minimum(ranks, len(ideal))]
    total = float(found.sum()) + (len(ideal) - len(ranks)) * float(sums[-1] / ideal_sums[-1])
    return max(total, 0.0) / len(ideal)


def mean_over_levels(gains: FloatArray, ideal: FloatArray) -> float:
    """Rndcg: mean of ndcg at each rank where the gain of the ideal list changes, and after the whole list.

    The latter counts only for a list that is longer than the ideal one by two results or more.

    >>> round(mean_over_levels(np.array([0.0, 1.0, 0.0]), np.array([1.0])), 4)
    0.3155
    """
    if not len(ideal):
        return 0.0
    sums, ideal_sums = cumulated_gains(gains), cumulated_gains(ideal)
    ranks = np.append(np.flatnonzero(np.diff(ideal)) + 1, len(ideal))
    values = (sums[np.minimum(ranks, len(gains))] / ideal_sums[ranks]).tolist()
    if len(gains) > len(ideal) + 1:
        values.append(float(sums[-1] / ideal_sums[-1]))
    return math.fsum(values) / len(values)


def _of_gains(formula: GainFormula, *, of_relevant: bool = False) -> Callable[..., float]:
    """The function of a topic from one of gains; `of_relevant`: 0 for a topic without relevant documents."""

    def compute(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
        if of_relevant and not len(data.judged.targets):
            return 0.0
        return formula(*gains_of_topic(data, values))

    return compute


def _binary_gain(batch: TopicBatch, _values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    """(1 / R) sum over the relevant results of 1 / log2(2 + results before it that are not relevant)."""
    lists = batch.gain_lists
    parts = 1.0 / np.log2(2.0 + lists.ranks - lists.places)
    return (lists.sums(parts) / np.maximum(lists.relevant, 1))[:, None]


def relevance_string(levels: IntArray) -> str:
    """A character per result: the grade, > above 9, - where it is not judged, . for a negative grade; in quotes.

    >>> relevance_string(np.array([0, 12, -1, -2]))
    "'0>-.'"
    """
    digits = (">" if level > _LARGEST_DIGIT else "-."[-1 - level] if level < 0 else str(level) for level in levels)
    return f"'{''.join(digits)}'"


def _relevance_string(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> str:
    if data.ranking.absent and "length" not in values:
        return relevance_string(np.zeros(0, dtype=np.int64))
    levels = result_levels(data)
    return relevance_string(levels[: int(min(float(values.get("length", _DEFAULT_LENGTH)), len(levels)))])


_SOURCE = "trec_eval 10 (NIST)"
_measure = partial(Measure, family="trec_eval", source=_SOURCE, without_targets=True)
_gain_measure = partial(
    _measure,
    shape=Shape.SCALAR,
    needs=frozenset({Need.GAINS, Need.GRADES}),
    parameters=(GAINS,),
    point="gains",
    without_level=True,
)

MEASURES = (
    _measure(
        name="relstring",
        summary="grades of the first results as a text",
        explanation="A character per result: the grade, > above 9, - if the assessments lack the document, . if its "
        "grade is negative. Printed per topic only.",
        shape=Shape.TEXT,
        per_topic=_relevance_string,
        needs=frozenset({Need.GAINS, Need.GRADES}),
        parameters=(Parameter("length", None, "number of results; 10 by default", low=0, whole=True),),
        point="length",
        bounded=False,
        direction=Direction.NEITHER,
        without_level=True,
        empty_list="no characters",
    ),
    _measure(
        name="binG",
        summary="binary G: relevant results by the irrelevant ones before them",
        explanation="(1/R) sum over the relevant results of 1 / log2(2 + n), n the results before it that are not "
        "relevant.",
        shape=Shape.SCALAR,
        per_batch=_binary_gain,
        needs=frozenset({Need.GAINS}),
    ),
    _gain_measure(
        name="G",
        summary="normalised gain: results by the gain that an ideal list is ahead",
        explanation="(1/I) sum over the results of g_k / log2(2 + C_k - S_k). g_k is the gain of result k, S_k the sum "
        "of the gains up to rank k, C_k that of the ideal list with at least 1 per rank, I the sum of all gains of the "
        "ideal list.",
        per_topic=_of_gains(normalised_gain),
    ),
    _gain_measure(
        name="ndcg_rel",
        summary="ndcg averaged over the relevant documents",
        explanation="Mean over the documents with a gain of ndcg after their rank, the ideal list cut there as well; a "
        "document that is not retrieved counts ndcg of the whole list.",
        per_topic=_of_gains(mean_over_relevant),
    ),
    _gain_measure(
        name="Rndcg",
        summary="ndcg averaged over the ranks where the gain of the ideal list changes",
        explanation="Mean of ndcg after the number of documents of the largest gain, of the two largest, and so on to "
        "all documents with a gain; and of the whole list, if it is longer by two results or more. 0 if no document is "
        "relevant.",
        per_topic=_of_gains(mean_over_levels, of_relevant=True),
        without_level=False,
    ),
)
