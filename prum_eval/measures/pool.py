"""Measures of what was judged: irrelevant documents count apart from those that nobody looked at.

A result is *judged irrelevant* if its document is judged with a grade from 0 up and is no target; a negative grade says
that nobody decided.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray, exact_sums_of_groups, group_numbers, sums_of_groups
from prum_eval.measures.base import CUTOFFS, Direction, Measure, Need, Shape, TieOrder
from prum_eval.measures.classic import geometric_mean
from prum_eval.measures.grades import result_levels
from prum_eval.measures.judged_rows import judged_grades, result_grades
from prum_eval.measures.topic_data import TopicBatch, TopicData
from prum_eval.parameters import ParameterValues

_NOT_POOLED = -1
"""Level of a result that is not in the assessments."""
_SMOOTHING = 0.00001
"""What infAP adds to counts, so that no share is 0 / 0."""


def _grades(batch: TopicBatch) -> FloatArray:
    """Grade of the document of each result, NaN where it is not in the assessments."""
    return batch.memo.get_or_compute(
        "grades of results", lambda: np.concatenate([result_grades(topic) for topic in batch.topics])
    )


def judged_irrelevant(batch: TopicBatch) -> IntArray:
    """1 for each result that is judged irrelevant, else 0."""
    return ((_grades(batch) >= 0) & (batch.gains <= 0)).astype(np.int64)


def binary_preference(batch: TopicBatch, _values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    """(1 / R) times the sum over the relevant results of 1 - min(n, R) / min(N, R).

    n are the results before it that are judged irrelevant. R is the number of targets, N the number of documents judged
    irrelevant. A relevant result with none before it counts 1.
    """
    base = batch.target_counts
    judged = np.array([np.count_nonzero(judged_grades(topic) >= 0) for topic in batch.topics])
    least = np.maximum(np.minimum(judged - base, base), 1)  # where it is 0, none is before any
    rows = np.flatnonzero(batch.gains > 0)
    topic = group_numbers(batch.bounds)[rows]
    irrelevant = np.concatenate(([0], np.cumsum(judged_irrelevant(batch))))
    before = irrelevant[rows] - irrelevant[batch.bounds[topic]]
    parts = 1.0 - np.minimum(before, base[topic]) / least[topic]
    sums = exact_sums_of_groups(parts, np.searchsorted(rows, batch.bounds))
    return np.asarray(sums / np.maximum(base, 1))[:, None]


def judged_share(batch: TopicBatch, _values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    """Results among the first k that the assessments have, over k, or over their number where the list is shorter."""
    ranks = np.minimum(cutoffs if len(cutoffs) else np.inf, np.diff(batch.bounds)[:, None]).astype(np.int64)
    return np.asarray(_counts_at(batch, ~np.isnan(_grades(batch)), ranks) / np.maximum(ranks, 1))


def unjudged_share(batch: TopicBatch, _values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    """Results among the first k that are not judged, or have a negative grade, over k."""
    ranks = np.minimum(cutoffs, np.diff(batch.bounds)[:, None]).astype(np.int64)
    return np.asarray(_counts_at(batch, ~(_grades(batch) >= 0), ranks) / cutoffs)


def _counts_at(batch: TopicBatch, flags: BoolArray, ranks: IntArray) -> IntArray:
    """Number of flagged results among the first k of each topic, shape (topics, n), as `ranks` has."""
    counts, first = np.concatenate(([0], np.cumsum(flags))), batch.bounds[:-1, None]
    return np.asarray(counts[first + ranks] - counts[first])


def inferred_average_precision(levels: IntArray, relevant: BoolArray, base: int) -> float:
    """(1 / R) times the sum over the relevant results of the expected precision at their rank k.

    It is 1 / k + (k - 1) / k times the share of the results before it that are in the pool times the share of relevant
    ones among the judged of these, both counts of which are raised by 0.00001.

    >>> round(inferred_average_precision(np.array([1, -2, 0, 1]), np.array([1, 0, 0, 1], bool), 2), 4)
    0.8125
    """
    before = np.arange(len(levels))
    found, pooled, judged = (np.cumsum(flags) - flags for flags in (relevant, levels != _NOT_POOLED, levels >= 0))
    share = (found + _SMOOTHING) / (judged + 2 * _SMOOTHING)
    values = (1.0 + pooled * share) / (before + 1.0)
    return math.fsum(values[relevant].tolist()) / base if base else 0.0


def _infap(data: TopicData, _values: ParameterValues, _cutoffs: FloatArray) -> float:
    if data.ranking.absent:
        return 0.0
    return inferred_average_precision(result_levels(data), data.gains > 0, len(data.judged.targets))


def _count_irrelevant(batch: TopicBatch, _values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    return sums_of_groups(judged_irrelevant(batch), batch.bounds)[:, None].astype(np.float64)


_measure = partial(
    Measure,
    family="pool",
    needs=frozenset({Need.GAINS, Need.GRADES}),
    without_targets=True,
    source="trec_eval 9 (NIST)",
)
_judged_measure = partial(
    _measure,
    source="ir_measures",
    direction=Direction.NEITHER,
    without_level=True,
    ties=TieOrder.NAME_ASCENDING,
)

MEASURES = (
    _measure(
        name="bpref",
        summary="binary preference: judged results alone",
        explanation="(1/R) sum over the relevant results of 1 - min(n, R) / min(N, R), n the results before it that "
        "are judged irrelevant, N the documents that are judged irrelevant, R the relevant ones. What is not judged, "
        "or has a negative grade, is passed over.",
        shape=Shape.SCALAR,
        per_batch=binary_preference,
    ),
    _measure(
        name="gm_bpref",
        summary="geometric mean of bpref",
        explanation="exp of the mean over topics of log max(bpref, 0.00001). A topic alone has no value of it.",
        shape=Shape.SCALAR,
        per_batch=binary_preference,
        only_average=True,
        average=geometric_mean,
    ),
    _measure(
        name="infAP",
        summary="inferred average precision, of pools that are judged in part",
        explanation="(1/R) sum over the relevant results of 1/k + (j/k) (r + e) / (r + n + 2 e) at their rank k. Of "
        "the results before it j are in the assessments, whatever their grade, r are relevant, n are judged "
        "irrelevant; e is 0.00001. A negative grade marks a document of the pool that nobody judged.",
        source="Yilmaz, Aslam, CIKM 2006; trec_eval 10 (NIST)",
        shape=Shape.SCALAR,
        per_topic=_infap,
    ),
    _measure(
        name="unj",
        summary="share of the first K results that are not judged",
        explanation="Results among the first K that the assessments lack or grade below 0, over K; a shorter list is "
        "filled with judged results.",
        source="trec_eval 10 (NIST)",
        shape=Shape.AT_RANKS,
        per_batch=unjudged_share,
        cutoffs=(5.0, 10.0, 20.0),
        y_label="not judged",
        direction=Direction.NEITHER,
        without_level=True,
    ),
    _judged_measure(
        name="judged",
        summary="share of the results that are judged",
        explanation="Results that the assessments of the topic have, with whatever grade, over results.",
        shape=Shape.SCALAR,
        per_batch=judged_share,
    ),
    _judged_measure(
        name="judged_K",
        summary="share of the first K results that are judged",
        explanation="Results among the first K that the assessments of the topic have, with whatever grade, over K; of "
        "a shorter list over its length.",
        shape=Shape.AT_RANKS,
        per_batch=judged_share,
        cutoffs=CUTOFFS,
        y_label="judged",
    ),
    _measure(
        name="num_nonrel_judged_ret",
        summary="number of results that are judged irrelevant",
        explanation="Results with a grade from 0 up that are no targets; summed over topics, not averaged.",
        shape=Shape.COUNT,
        per_batch=_count_irrelevant,
        bounded=False,
        direction=Direction.NEITHER,
        is_count=True,
    ),
)
