"""Measures of all results as a set, whatever their order, equal to those of trec_eval 9.

``gains``: gain of each result, shape (o,). ``base``: gains of the recall base. A result is relevant if its gain is
positive; R is the number of positive gains in the base. 0/0 is 0.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import Measure, Need, Shape
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import Parameter, ParameterValues


def set_precision(gains: FloatArray) -> float:
    """Relevant results over results."""
    return int(np.count_nonzero(gains > 0)) / max(len(gains), 1)


def set_recall(gains: FloatArray, base: FloatArray) -> float:
    """Relevant results over R."""
    return int(np.count_nonzero(gains > 0)) / max(int(np.count_nonzero(base > 0)), 1)


def set_f(gains: FloatArray, base: FloatArray, beta: float) -> float:
    """(beta + 1) P R / (R + beta P), of precision P and recall R of the set.

    >>> set_f(np.array([1.0, 0.0]), np.array([1.0, 1.0, 1.0, 1.0]), 1.0)
    0.3333333333333333
    """
    precision, recall = set_precision(gains), set_recall(gains, base)
    together = recall + beta * precision
    return (beta + 1) * precision * recall / together if together > 0 else 0.0


def _base(data: TopicData) -> FloatArray:
    return data.judged.targets.weight


def _f(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
    return set_f(data.gains, _base(data), float(values["beta"]))


_measure = partial(
    Measure,
    family="sets",
    source="trec_eval 9 (NIST)",
    shape=Shape.SCALAR,
    needs=frozenset({Need.GAINS}),
    without_targets=True,
)

MEASURES = (
    _measure(
        name="set_P",
        summary="precision of all results",
        explanation="Relevant results over results.",
        per_topic=lambda data, _values, _cutoffs: set_precision(data.gains),
        aliases=("SetP",),
    ),
    _measure(
        name="set_recall",
        summary="recall of all results",
        explanation="Relevant results over R, the number of relevant assessments of the topic.",
        per_topic=lambda data, _values, _cutoffs: set_recall(data.gains, _base(data)),
        aliases=("SetR",),
    ),
    _measure(
        name="set_F",
        summary="harmonic mean of precision and recall of all results",
        explanation="(beta + 1) P R / (R + beta P), P being set_P and R set_recall: beta itself is the weight, as in "
        "trec_eval, not its square.",
        per_topic=_f,
        parameters=(Parameter("beta", 1.0, "importance of recall to that of precision", low=0.0),),
        aliases=("SetF", "F1"),
    ),
)
