"""Grades of documents, for measures of what assessors said rather than of gains.

Grades are whole numbers as the assessments have them; NaN stands for a document that they do not list. `gain_lists_by`
makes gains of them, of all judged documents, also of those that are not relevant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from prum_eval.arrays import FloatArray, IntArray, group_bounds
from prum_eval.measures.topic_data import TopicBatch, TopicData
from prum_eval.records import FlatTopic
from prum_eval.relevance.gains import GainLists, gain_lists
from prum_eval.text.names import find_document


def flat_topic(data: TopicData) -> FlatTopic:
    """The judged documents of the topic."""
    topic = data.judged.assessed_topic
    assert isinstance(topic, FlatTopic)  # noqa: S101 - measures with `Need.GRADES` get no other topic
    return topic


def judged_grades(data: TopicData) -> FloatArray:
    """Grade of each judged document."""
    return flat_topic(data).grades.astype(np.float64)


def judged_rows(data: TopicData) -> list[int | None]:
    """Row of each result among the judged documents; None if the assessments do not list it."""

    def compute() -> list[int | None]:
        names = flat_topic(data).documents
        row = dict(zip(names, range(len(names)), strict=True))
        return [find_document(row, name) for name in data.ranking.document_names()]

    return data.memo.get_or_compute("judged rows of results", compute)


def result_grades(data: TopicData) -> FloatArray:
    """Grade of the document of each result, NaN if it is not in the assessments."""
    grades = np.append(judged_grades(data), math.nan)
    return grades[[-1 if row is None else row for row in judged_rows(data)]]


def gain_lists_by(batch: TopicBatch, gain: Callable[[FloatArray], FloatArray]) -> GainLists:
    """Gain lists with the gains of grades; unjudged results and negative gains count 0.

    Args:
        batch: topics of graded documents.
        gain: element-wise function from grades to gains.
    """

    def gains(grades: Sequence[FloatArray]) -> tuple[FloatArray, IntArray]:
        column = np.concatenate([np.empty(0), *grades])
        gains = np.where(np.isnan(column), 0.0, gain(np.nan_to_num(column)))
        return gains, group_bounds(list(map(len, grades)))

    results = gains([result_grades(topic) for topic in batch.topics])
    return gain_lists(*results, *gains([judged_grades(topic) for topic in batch.topics]))
