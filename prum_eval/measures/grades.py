"""Grades of the results of a topic, and their gains: of measures of graded documents.

``levels``: grade of each result, best first, shape (o,); -1 for a document that the assessments lack, -2 for one with a
negative grade. ``ideal``: positive gains of the judged documents, in the order of the ideal list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.measures.judged_rows import flat_topic, result_grades
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import ParameterValues, parse_gains

_MOST_LEVELS = 1000
"""Largest grade up to which grades that no document has are sorted as well, as trec_eval does."""


def result_levels(data: TopicData) -> IntArray:
    """Grade of each result; -1 for documents that are not in the assessments, -2 for those with a negative grade.

    A topic that the run lacks has one result that is not in the assessments, as trec_eval makes one up with ``-c``.
    """

    def compute() -> IntArray:
        if data.ranking.absent:
            return np.array([-1], dtype=np.int64)
        grades = result_grades(data)
        levels: IntArray = np.where(np.isnan(grades), -1.0, np.where(grades < 0, -2.0, grades)).astype(np.int64)
        return levels

    return data.memo.get_or_compute("levels of results", compute)


def ideal_gains(grades: IntArray, gain_of: Mapping[int, float]) -> FloatArray:
    """Positive gains of judged documents in the order in which trec_eval sorts them, shape (n,).

    trec_eval sorts the levels of gain by the whole part of their differences, so levels that differ by less than 1 can
    stand in any order, and what follows the first gain of 0 or less does not count.

    >>> ideal_gains(np.array([0, 2, 1, 1]), {}), ideal_gains(np.array([0, 1, 2, 3, 4]), {1: 3.5, 2: 9.0, 4: 7.0})
    (array([2., 1., 1.]), array([9. , 7. , 3. , 3.5]))

    Args:
        grades: grades of all judged documents; those below 0 are left out.
        gain_of: gains of grades; of other grades the gain is the grade.
    """
    positive = np.sort(grades[grades > 0])[::-1].astype(np.float64)
    if not gain_of:
        return positive
    values, sizes = np.unique(grades[grades >= 0], return_counts=True)
    count = dict(zip(values.tolist(), sizes.tolist(), strict=True))
    others = range(max(count, default=-1) + 1) if max(count, default=0) <= _MOST_LEVELS else sorted(count)
    levels = [*gain_of.items(), *((level, float(level)) for level in others if level not in gain_of)]
    found: list[float] = []
    for place, (level, gain) in enumerate(reversed(_merge_sorted(levels))):
        if gain <= 0 and (place == 0 or level in count):
            break
        found += [gain] * count.get(level, 0)
    return np.array(found)


def _merge_sorted(levels: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Levels by gain, in a merge sort that takes gains with a difference below 1 for equal, as the C library has it."""
    if len(levels) < 2:
        return list(levels)
    half = len(levels) // 2
    low, high = _merge_sorted(levels[:half]), _merge_sorted(levels[half:])
    merged: list[tuple[int, float]] = []
    while low and high:
        merged.append((low if int(low[0][1] - high[0][1]) <= 0 else high).pop(0))
    return [*merged, *low, *high]


def discounts(n: int) -> FloatArray:
    """log2(k + 1) of the first n ranks k."""
    logarithms: FloatArray = np.log2(np.arange(n) + 2.0)
    return logarithms


def discounted_share(gains: FloatArray, ideal: FloatArray) -> float:
    """Discounted gain of the results over that of the ideal list.

    >>> round(discounted_share(np.array([0.0, 1.0]), np.array([1.0])), 4)
    0.6309
    """
    below = float((ideal / discounts(len(ideal))).sum())
    return float((gains / discounts(len(gains))).sum()) / below if below > 0 else 0.0


def discounted_share_at(gains: FloatArray, ideal: FloatArray, ranks: FloatArray) -> FloatArray:
    """The same of the first k results and the first k of the ideal list, for each rank k."""
    return np.array([discounted_share(gains[:rank], ideal[:rank]) for rank in ranks.astype(np.int64).tolist()])


def cumulated_gains(gains: FloatArray) -> FloatArray:
    """Discounted gain of the first 0, 1, ... results."""
    sums: FloatArray = np.append(0.0, np.cumsum(gains / discounts(len(gains))))
    return sums


def gains_of_topic(data: TopicData, values: ParameterValues) -> tuple[FloatArray, FloatArray]:
    """Gains of the results and of the ideal list, by the parameter `gains`."""
    gain_of = parse_gains(str(values.get("gains", "")))
    levels = result_levels(data)
    results = np.maximum(levels, 0).astype(np.float64)
    for level, gain in gain_of.items():
        results[levels == level] = gain
    key = "ideal gains", values.get("gains")
    return results, data.judged.memo.get_or_compute(key, lambda: ideal_gains(flat_topic(data).grades, gain_of))
