"""User models that look at pairs of places in one document: what they share, and how far apart they begin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import Locations, same_document_pairs, same_place
from prum_eval.user_models.model import Model, RankedTopic
from prum_eval.user_models.reach import Reach, make_reach

PairProbability = Callable[[Locations, Locations, IntArray, IntArray], FloatArray]
"""(results, targets, rows, columns) -> R of the pairs of result ``rows[i]`` and target ``columns[i]``."""


def model_of_pairs(probability: PairProbability, *, located: bool = False) -> Model:
    """The model that gives pairs of one document these probabilities, and all others 0.

    Args:
        probability: R of pairs; what it says of a result that is the target itself does not count.
        located: pairs whose positions are not known have 0.
    """

    def model(ranked: RankedTopic) -> Reach:
        results, targets = ranked.results, ranked.targets
        rows, columns = same_document_pairs(results.document, targets.document)
        own = same_place(results, targets, rows, columns)
        value = probability(results, targets, rows, columns)
        if located:
            value[~(results.located[rows] & targets.located[columns])] = 0.0
        return make_reach(len(results), len(targets), rows, columns, value, own)

    return model


def overlap_ratio(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
    """Length shared by each pair over the longer length of the two; 0 where that is 0.

    Elements of one tree share the inner one or nothing; anything else is measured by its extents.
    """
    y, x = results.element[rows], targets.element[columns]
    sizes = results.length[rows], targets.length[columns]
    start, other = results.start[rows], targets.start[columns]
    shared = np.minimum(start + sizes[0], other + sizes[1]) - np.maximum(start, other)
    shared[~(results.located[rows] & targets.located[columns])] = 0
    inside = (y <= x) & (x < results.end[rows]), (x <= y) & (y < targets.end[columns])
    trees = (y >= 0) & (x >= 0)
    shared = np.where(trees, np.where(inside[0] | inside[1], np.minimum(*sizes), 0), shared)
    longest = np.maximum(*sizes)
    ratio = np.zeros(len(rows))
    np.divide(shared, longest, out=ratio, where=(longest > 0) & (shared > 0))
    return ratio


def distance(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
    """Characters between the beginnings of each pair."""
    gap: FloatArray = np.abs(results.start[rows] - targets.start[columns]).astype(np.float64)
    return gap
