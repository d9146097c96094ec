"""Measures of all results as a set, whatever their order, equal to those of trec_eval 9.

A result is relevant if its gain is positive; R is the number of positive gains in the recall base. 0/0 is 0.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import Measure, Need, Shape
from prum_eval.measures.topic_data import TopicBatch
from prum_eval.parameters import Parameter, ParameterValues


def set_precision(batch: TopicBatch, _values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    """Relevant results over results."""
    return np.diff(batch.gain_lists.bounds)[:, None] / np.maximum(np.diff(batch.bounds), 1)[:, None]


def set_recall(batch: TopicBatch, _values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    """Relevant results over R."""
    return np.diff(batch.gain_lists.bounds)[:, None] / np.maximum(batch.gain_lists.relevant, 1)[:, None]


def set_f(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    """(beta + 1) P R / (R + beta P), of precision P and recall R of the set."""
    beta = float(values["beta"])
    precision, recall = set_precision(batch, values, cutoffs), set_recall(batch, values, cutoffs)
    together = recall + beta * precision
    return (beta + 1) * precision * recall / np.where(together > 0, together, 1.0)


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
        per_batch=set_precision,
        aliases=("SetP",),
    ),
    _measure(
        name="set_recall",
        summary="recall of all results",
        explanation="Relevant results over R, the number of relevant assessments of the topic.",
        per_batch=set_recall,
        aliases=("SetR",),
    ),
    _measure(
        name="set_F",
        summary="harmonic mean of precision and recall of all results",
        explanation="(beta + 1) P R / (R + beta P), P being set_P and R set_recall: beta itself is the weight, as in "
        "trec_eval, not its square.",
        per_batch=set_f,
        parameters=(Parameter("beta", 1.0, "importance of recall to that of precision", low=0.0),),
        aliases=("SetF", "F1"),
    ),
)
