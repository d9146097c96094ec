"""Measures of what was judged: irrelevant documents count apart from those that nobody looked at.

A result is *judged irrelevant* if its document is judged with a grade from 0 up and is no target; a negative grade says
that nobody decided.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray, IntArray, exact_sums_of_groups, group_numbers, sums_of_groups
from prum_eval.measures.base import CUTOFFS, Direction, Measure, Need, Shape, TieOrder
from prum_eval.measures.judged_rows import judged_grades, result_grades
from prum_eval.measures.topic_data import TopicBatch
from prum_eval.parameters import ParameterValues


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
    judged = np.concatenate(([0], np.cumsum(~np.isnan(_grades(batch)))))
    first = batch.bounds[:-1, None]
    ranks = np.minimum(cutoffs if len(cutoffs) else np.inf, np.diff(batch.bounds)[:, None]).astype(np.int64)
    return np.asarray((judged[first + ranks] - judged[first]) / np.maximum(ranks, 1))


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
