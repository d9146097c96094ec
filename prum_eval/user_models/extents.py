"""User models that read the extents of results and targets: hierarchical, t2i, bep-distance, logistic, siblings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import Locations, Row, make_locations, same_document_pairs, same_place
from prum_eval.errors import DataError
from prum_eval.parameters import ParameterValues
from prum_eval.user_models.model import Model, ModelContext, RankedTopic
from prum_eval.user_models.reach import Reach, identity, make_reach

PairProbability = Callable[[Locations, Locations, IntArray, IntArray], FloatArray]


def none(_values: ParameterValues, _surroundings: ModelContext) -> Model:
    """No navigation: R is the identity."""
    return lambda scene: identity(scene.results, scene.targets)


def hierarchical(_values: ParameterValues, _surroundings: ModelContext) -> Model:
    """|x n y| / max(|x|, |y|) within a document ([PRUM] eq. 9, [EPRUM] section 7)."""
    return lambda scene: _within_documents(scene, overlap_ratio)


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


def t2i(values: ParameterValues, _surroundings: ModelContext) -> Model:
    """Read forward from the result's start with a tolerance to irrelevance ([PRUM] 2.2)."""
    tolerance, inverse = float(values["tolerance"]), values["decay"] == "inverse"

    def probability(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
        start = targets.start[columns]
        away = (start - results.start[rows]).astype(np.float64)
        ahead = start + targets.length[columns] > results.start[rows]
        if inverse:
            gap = np.maximum(away, 0.0)
            value = np.ones(len(rows))
            np.divide(tolerance, tolerance + gap, out=value, where=tolerance + gap > 0)
        else:
            value = (away <= tolerance).astype(np.float64)
        value[~ahead] = 0.0
        return value

    return lambda scene: _within_documents(scene, probability, located=True)


def distance(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
    """Characters between the beginnings of each pair."""
    gap: FloatArray = np.abs(results.start[rows] - targets.start[columns]).astype(np.float64)
    return gap


def bep_distance(values: ParameterValues, surroundings: ModelContext) -> Model:
    """A L / (A L + d) ([INEX06] section 7); L the mean document length."""
    length = values.get("L", surroundings.mean_length)
    if length is None:
        raise DataError("user model bep-distance needs the mean document length: give --structure or set L")
    scale = float(values["A"]) * float(length)

    def probability(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
        return scale / (scale + distance(results, targets, rows, columns))

    return lambda scene: _within_documents(scene, probability, located=True)


def logistic(values: ParameterValues, _surroundings: ModelContext) -> Model:
    """2 / (1 + exp(lambda d)): 1 at the target, falling with the distance (the article's form gives 1/2 there)."""
    rate = float(values["lambda"])
    largest = 700.0  # exp of more overflows; the value is 0 to the last digit long before

    def probability(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
        return 2.0 / (1.0 + np.exp(np.minimum(rate * distance(results, targets, rows, columns), largest)))

    return lambda scene: _within_documents(scene, probability, located=True)


def siblings(values: ParameterValues, _surroundings: ModelContext) -> Model:
    """The largest over siblings z of x at distance j >= 0 of p^j times hierarchical(z, y)."""
    fade = float(values["p"])

    def model(scene: RankedTopic) -> Reach:
        target, factor, locations = _with_siblings(scene, fade)
        rows, columns = same_document_pairs(scene.results.document, locations.document)
        own = (columns < len(scene.targets)) & same_place(scene.results, locations, rows, columns)
        value = np.where(own, 1.0, overlap_ratio(scene.results, locations, rows, columns) * factor[columns])
        order = np.lexsort((own, value, target[columns], rows))
        rank, reached = rows[order], target[columns][order]
        last = np.ones(len(order), dtype=np.bool_)  # the largest of each (rank, target)
        last[:-1] = (rank[1:] != rank[:-1]) | (reached[1:] != reached[:-1])
        chosen = order[last]
        return make_reach(len(scene.results), len(scene.targets), rank[last], reached[last], value[chosen], own[chosen])

    return model


def _with_siblings(scene: RankedTopic, fade: float) -> tuple[IntArray, FloatArray, Locations]:
    """Each target with its siblings: (target, p^distance, place) columns, the target itself first."""
    own = np.arange(len(scene.targets))
    target, factor = list(own.tolist()), [1.0] * len(own)
    rows: list[Row] = []
    for x in own.tolist():
        number, element = int(scene.targets.document[x]), int(scene.targets.element[x])
        tree = scene.trees[number]
        if tree is None or element < 0 or tree.parent[element] < 0:
            continue
        family = np.flatnonzero(tree.parent == tree.parent[element])
        for away, z in zip(np.abs(np.arange(len(family)) - np.searchsorted(family, element)), family, strict=True):
            if away > 0 and fade**away > 0:
                target.append(x)
                factor.append(float(fade**away))
                rows.append((number, int(z), int(tree.end[z]), int(tree.start[z]), int(tree.length[z]), True))
    locations = make_locations([*scene.targets.rows(), *rows])
    return np.array(target, dtype=np.int64), np.array(factor), locations


def _within_documents(scene: RankedTopic, probability: PairProbability, *, located: bool = False) -> Reach:
    """Reach of a model that looks at pairs of one document; `located` restricts it to pairs of known position."""
    results, targets = scene.results, scene.targets
    rows, columns = same_document_pairs(results.document, targets.document)
    value = probability(results, targets, rows, columns)
    if located:
        value[~(results.located[rows] & targets.located[columns])] = 0.0
    own = same_place(results, targets, rows, columns)
    return make_reach(len(results), len(targets), rows, columns, value, own)
