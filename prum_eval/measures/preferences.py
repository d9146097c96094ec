"""Measures of preferences: how far a list agrees with the order of the grades.

``row``: row of each result among the judged documents, None if unjudged.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.measures.base import CUTOFFS, Measure, Need, Shape, TieOrder
from prum_eval.measures.judged_rows import judged_grades, judged_rows
from prum_eval.measures.topic_data import TopicBatch, TopicData
from prum_eval.parameters import Parameter, ParameterValues


def rank_biased_overlap(ranks: IntArray, places: IntArray, depth: int, p: float) -> float:
    """Rank-biased overlap of two lists, cut at `depth` and divided by the sum of its weights.

    Sum over d up to `depth` of p^(d-1) |A_d and B_d| / d, over the sum of p^(d-1); A_d and B_d are the first d items.

    >>> round(rank_biased_overlap(np.array([1, 3]), np.array([2, 1]), 3, 0.5), 4)
    0.2381

    Args:
        ranks: rank from 1 of each item that is in both lists, in the first one.
        places: the same in the second one.
        depth: number of ranks that are compared.
        p: persistence, in [0, 1].
    """
    depths = np.arange(1.0, depth + 1)
    weights = p ** (depths - 1)
    common = np.cumsum(np.bincount(np.maximum(ranks, places), minlength=depth + 1)[1:])
    return math.fsum((weights * common / depths).tolist()) / math.fsum(weights.tolist())


def ideal_rows(grades: FloatArray, score: FloatArray) -> IntArray:
    """Rows of the documents with positive grades, best first; those of one grade by score, then as they are listed.

    Args:
        grades: grade of each judged document.
        score: its score in the run, 0 without one.
    """
    order = np.lexsort((-score, -grades))
    return order[: np.count_nonzero(grades > 0)]


def _compatibility(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
    grades = judged_grades(data)
    rank_of_row = np.zeros(len(grades), dtype=np.int64)
    for rank, row in enumerate(judged_rows(data), start=1):
        if row is not None:
            rank_of_row[row] = rank
    ideal = ideal_rows(grades, _scores_of_rows(data, rank_of_row))
    depth = max(len(data.ranking), len(ideal))
    if not len(ideal):
        return 0.0
    places = np.arange(1, len(ideal) + 1)
    found = rank_of_row[ideal] > 0
    p = float(values["p"])
    overlap = rank_biased_overlap(rank_of_row[ideal][found], places[found], depth, p)
    return overlap / rank_biased_overlap(places, places, depth, p) if values["normalize"] == "on" else overlap


def _scores_of_rows(data: TopicData, rank_of_row: IntArray) -> FloatArray:
    """Score of each judged document in the run, 0 if the run lacks it; by rank where scores do not order the run."""
    score, scores = data.ranking.score, np.zeros(len(rank_of_row))
    retrieved = rank_of_row > 0
    if not np.all(np.diff(score) <= 0) or np.isnan(score).any():
        score = np.arange(len(score), 0.0, -1.0)
    scores[retrieved] = score[rank_of_row[retrieved] - 1]
    return scores


def pair_accuracy(relevant: FloatArray) -> float:
    """Share of the pairs of a relevant and another result that have the relevant one first; NaN without pairs.

    >>> pair_accuracy(np.array([1.0, 0.0, 1.0, 0.0]))
    0.75
    """
    others = np.cumsum(relevant <= 0)
    hits = np.flatnonzero(relevant > 0)
    pairs = len(hits) * (len(relevant) - len(hits))
    return 1 - int(others[hits].sum()) / pairs if pairs else math.nan


def _accuracy(batch: TopicBatch, _values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    points: list[int | None] = [int(point) for point in cutoffs.tolist()] or [None]
    lists = np.split(batch.gains, batch.bounds[1:-1])
    return np.array([[pair_accuracy(gains[:point]) for point in points] for gains in lists])


_ACCURACY = (
    "Of all pairs of a relevant result and one that is not (not judged counts so), the share with the relevant one "
    "first. A topic without a pair has no value. Results with equal scores keep the order of the file."
)
_measure = partial(Measure, family="preferences", source="ir_measures", without_targets=True)

MEASURES = (
    _measure(
        name="Compat",
        summary="compatibility: rank-biased overlap with the ideal list",
        explanation="sum over depths d of p^(d-1) |A_d and I_d| / d, over sum of p^(d-1), down to the length of the "
        "longer list; A_d are the first d results, I_d those of the ideal list: all documents with positive grades, by "
        "grade, then by score in the run (0 without one). With normalize=on it is divided by the overlap of the ideal "
        "list with itself. Results with equal scores are ordered by name, ascending.",
        source="Clarke, Vtyurina, Smucker, TOIS 39(3), 2021",
        shape=Shape.SCALAR,
        per_topic=_compatibility,
        needs=frozenset({Need.GAINS, Need.GRADES}),
        parameters=(
            Parameter("p", 0.95, "persistence", low=0.0, high=1.0),
            Parameter("normalize", "on", "divide by the overlap of the ideal list with itself", ("on", "off")),
        ),
        without_level=True,
        ties=TieOrder.NAME_ASCENDING,
    ),
    _measure(
        name="Accuracy",
        summary="share of the pairs of results with the relevant one first",
        explanation=_ACCURACY,
        shape=Shape.SCALAR,
        per_batch=_accuracy,
        needs=frozenset({Need.GAINS}),
        needs_relevance=True,
        ties=TieOrder.FILE,
        empty_list="no value",
    ),
    _measure(
        name="Accuracy_K",
        summary="Accuracy of the first K results",
        explanation=f"{_ACCURACY} Only the first K results count.",
        shape=Shape.AT_RANKS,
        per_batch=_accuracy,
        needs=frozenset({Need.GAINS}),
        cutoffs=CUTOFFS,
        y_label="accuracy",
        needs_relevance=True,
        ties=TieOrder.FILE,
        empty_list="no value",
    ),
)
