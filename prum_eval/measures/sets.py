"""Measures of all results as a set, whatever their order, equal to those of trec_eval.

A result is relevant if its gain is positive; R is the number of positive gains in the recall base. 0/0 is 0.
"""

from __future__ import annotations

import math
import operator
from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import Measure, Need, Shape
from prum_eval.measures.topic_data import TopicBatch
from prum_eval.parameters import NUMBERS_PATTERN, Parameter, ParameterValues, parse_numbers


def set_precision(batch: TopicBatch, _values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    """Relevant results over results."""
    return np.diff(batch.gain_lists.bounds)[:, None] / np.maximum(np.diff(batch.bounds), 1)[:, None]


def set_recall(batch: TopicBatch, _values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    """Relevant results over R."""
    return np.diff(batch.gain_lists.bounds)[:, None] / np.maximum(batch.gain_lists.relevant, 1)[:, None]


def relative_set_precision(batch: TopicBatch, _values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    """Relevant results over the smaller of results and R."""
    lists = batch.gain_lists
    return np.diff(lists.bounds)[:, None] / np.maximum(np.minimum(np.diff(batch.bounds), lists.relevant), 1)[:, None]


def _precision(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    return (relative_set_precision if values["relative"] == "on" else set_precision)(batch, values, cutoffs)


def set_average_precision(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    """Precision times recall of the set."""
    return set_precision(batch, values, cutoffs) * set_recall(batch, values, cutoffs)


def utility(batch: TopicBatch, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    """Weighted sum of four counts of documents: relevant results, other results, missing relevant ones, all others.

    For a topic that the run lacks it is 0 by default; with other weights it has one irrelevant result, which trec_eval
    makes up with ``-c``.
    """
    absent = np.array([topic.ranking.absent for topic in batch.topics], dtype=np.bool_)
    size = batch.topics[0].collection_size or 0 if len(batch) else 0
    found, relevant = np.diff(batch.gain_lists.bounds), batch.gain_lists.relevant
    retrieved = np.diff(batch.bounds) + absent
    counts = (found, retrieved - found, relevant - found, size + found - retrieved - relevant)
    weights = parse_numbers(str(values.get("weights", _UTILITY_WEIGHTS)))
    sums = [
        math.fsum(map(operator.mul, weights, row)) for row in zip(*(count.tolist() for count in counts), strict=True)
    ]
    return np.where(absent & ("weights" not in values), 0.0, np.array(sums))[:, None]


def set_f(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    """(beta + 1) P R / (R + beta P), of precision P and recall R of the set."""
    beta = float(values["beta"])
    precision, recall = set_precision(batch, values, cutoffs), set_recall(batch, values, cutoffs)
    together = recall + beta * precision
    return (beta + 1) * precision * recall / np.where(together > 0, together, 1.0)


_UTILITY_WEIGHTS = "1/-1/0/0"
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
        per_batch=_precision,
        parameters=(Parameter("relative", "off", "on: over the highest that is possible", ("on", "off")),),
        aliases=("SetP", "SetRelP:relative=on"),
    ),
    _measure(
        name="set_relative_P",
        summary="precision of all results over the highest that is possible",
        explanation="Relevant results over the smaller of the number of results and R.",
        per_batch=relative_set_precision,
    ),
    _measure(
        name="set_recall",
        summary="recall of all results",
        explanation="Relevant results over R, the number of relevant assessments of the topic.",
        per_batch=set_recall,
        aliases=("SetR",),
    ),
    _measure(
        name="set_map",
        summary="precision times recall of all results",
        explanation="set_P times set_recall: average precision if the order of the results is unknown.",
        per_batch=set_average_precision,
        aliases=("SetAP",),
    ),
    _measure(
        name="set_F",
        summary="harmonic mean of precision and recall of all results",
        explanation="(beta + 1) P R / (R + beta P), P being set_P and R set_recall: beta itself is the weight, as in "
        "trec_eval, not its square.",
        per_batch=set_f,
        parameters=(Parameter("beta", 1.0, "importance of recall to that of precision", low=0.0),),
        point="beta",
        aliases=("SetF", "F1"),
    ),
    _measure(
        name="utility",
        summary="weighted sum of the counts of relevant and other documents, retrieved or not",
        explanation="a times the relevant results, plus b times the others, plus c times the relevant documents that "
        "are missing, plus d times all other documents of the collection (-N). A mean over topics, no sum.",
        per_batch=utility,
        point="weights",
        parameters=(
            Parameter(
                "weights",
                None,
                "a/b/c/d; 1/-1/0/0 by default",
                pattern=NUMBERS_PATTERN.format("{3}"),
                in_words="four numbers a/b/c/d",
            ),
        ),
        bounded=False,
    ),
)
