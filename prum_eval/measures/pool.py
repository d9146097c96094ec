"""Measures of what was judged: irrelevant documents count apart from those that nobody looked at.

A result is *judged irrelevant* if its document is judged with a grade from 0 up and is no target; a negative grade says
that nobody decided. ``irrelevant``, ``relevant``: flags of the results, best first, shape (o,).
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray
from prum_eval.measures.base import CUTOFFS, Direction, Measure, Need, Shape, TieOrder
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import ParameterValues
from prum_eval.records import FlatTopic
from prum_eval.text.names import find_document


def _topic(data: TopicData) -> FlatTopic:
    topic = data.judged.assessed_topic
    assert isinstance(topic, FlatTopic)  # noqa: S101 - these measures need grades, which no other topic has
    return topic


def _grades(data: TopicData) -> FloatArray:
    """Grade of the document of each result, NaN where it is not in the assessments."""

    def compute() -> FloatArray:
        topic = _topic(data)
        grade = dict(zip(topic.documents, topic.grades.tolist(), strict=True))
        found = (find_document(grade, name) for name in data.ranking.document_names())
        return np.array([math.nan if one is None else one for one in found], dtype=np.float64)

    return data.memo.get_or_compute("grades of results", compute)


def judged_irrelevant(data: TopicData) -> BoolArray:
    """Which results are judged irrelevant."""
    flags: BoolArray = (_grades(data) >= 0) & (data.gains <= 0)
    return flags


def binary_preference(irrelevant: BoolArray, relevant: BoolArray, judged: int, base: int) -> float:
    """(1 / R) times the sum over the relevant results of 1 - min(n, R) / min(N, R).

    n are the results before it that are judged irrelevant. R is `base`, the number of targets, N the number of
    documents judged irrelevant, `judged` less R. A relevant result with none before it counts 1.

    >>> binary_preference(np.array([0, 1, 0], bool), np.array([1, 0, 1], bool), 4, 2)
    0.75
    """
    before = np.cumsum(irrelevant)[relevant]
    least = max(min(judged - base, base), 1)  # where it is 0, none is before any
    return math.fsum((1.0 - np.minimum(before, base) / least).tolist()) / base if base else 0.0


def _bpref(data: TopicData, _values: ParameterValues, _cutoffs: FloatArray) -> float:
    judged = int(np.count_nonzero(_topic(data).grades >= 0))
    return binary_preference(judged_irrelevant(data), data.gains > 0, judged, len(data.judged.targets))


def _judged_share_at(data: TopicData, _values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    """Results among the first k that the assessments have, over k, or over their number where the list is shorter."""
    found = np.concatenate(([0], np.cumsum(~np.isnan(_grades(data)))))
    ranks = np.minimum(cutoffs, len(data.ranking)).astype(np.int64)
    values: FloatArray = found[ranks] / np.maximum(ranks, 1)
    return values


def _judged_share(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
    return float(_judged_share_at(data, values, np.array([math.inf]))[0])


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
        per_topic=_bpref,
    ),
    _judged_measure(
        name="judged",
        summary="share of the results that are judged",
        explanation="Results that the assessments of the topic have, with whatever grade, over results.",
        shape=Shape.SCALAR,
        per_topic=_judged_share,
    ),
    _judged_measure(
        name="judged_K",
        summary="share of the first K results that are judged",
        explanation="Results among the first K that the assessments of the topic have, with whatever grade, over K; of "
        "a shorter list over its length.",
        shape=Shape.AT_RANKS,
        per_topic=_judged_share_at,
        cutoffs=CUTOFFS,
        y_label="judged",
    ),
    _measure(
        name="num_nonrel_judged_ret",
        summary="number of results that are judged irrelevant",
        explanation="Results with a grade from 0 up that are no targets; summed over topics, not averaged.",
        shape=Shape.COUNT,
        per_topic=lambda data, _values, _cutoffs: float(np.count_nonzero(judged_irrelevant(data))),
        bounded=False,
        direction=Direction.NEITHER,
        is_count=True,
    ),
)
