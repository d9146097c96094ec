"""The user model of users who also go on to neighbouring elements."""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.collection.locations import LocationRow, Locations, make_locations, same_document_pairs, same_place
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.user_models.model import (
    EstimableParameter,
    Model,
    ModelContext,
    ModelNeed,
    NavigationBasis,
    RankedTopic,
    Reach,
    UserModel,
    make_reach,
    overlap_ratio,
)

FADE = Parameter("p", 0.25, "probability to go on to the next sibling", low=0.0, high=1.0)


def _build(values: ParameterValues, _context: ModelContext) -> Model:
    fade = float(values[FADE.name])

    def model(ranked: RankedTopic) -> Reach:
        target, away, locations = _with_siblings(ranked, fade)
        results = ranked.results
        rows, columns, ratio = _ratios(results, locations)
        own = (columns < len(ranked.targets)) & same_place(results, locations, rows, columns)
        value = np.where(own, 1.0, ratio * _fade_powers(fade, int(away.max(initial=0)))[away[columns]])
        order = np.lexsort((own, value, target[columns], rows))
        rank, reached = rows[order], target[columns][order]
        last = np.ones(len(order), dtype=np.bool_)  # the largest of each (rank, target)
        last[:-1] = (rank[1:] != rank[:-1]) | (reached[1:] != reached[:-1])
        chosen = order[last]
        return make_reach(len(results), len(ranked.targets), rank[last], reached[last], value[chosen], own[chosen])

    return model


def _estimable_parameter(_values: ParameterValues, _context: ModelContext) -> EstimableParameter:
    """Features of a pair: the largest ratio of the result and siblings at distance 0, 1, ... from the target."""

    def features(ranked: RankedTopic, rows: IntArray, columns: IntArray) -> FloatArray:
        target, away, locations = _with_siblings(ranked, 1.0)
        results, place, ratio = _ratios(ranked.results, locations)
        found = np.zeros((len(rows), int(away.max(initial=0)) + 1))
        if not len(rows):
            return found
        keys, wanted = results * len(ranked.targets) + target[place], rows * len(ranked.targets) + columns
        order = np.argsort(wanted)
        pair = np.searchsorted(wanted, keys, sorter=order).clip(max=len(wanted) - 1)
        there = wanted[order[pair]] == keys
        np.maximum.at(found, (order[pair[there]], away[place[there]]), ratio[there])
        return found

    def slope(ratios: FloatArray, fade: float) -> FloatArray:
        steps = _faded_ratio(ratios, fade).argmax(axis=1)
        found: FloatArray = steps * _farthest(ratios, fade) * (1.0 - fade)
        return found

    return EstimableParameter(FADE.name, features, _farthest, slope, is_share=True)


def _fade_powers(fade: float, most: int) -> FloatArray:
    """1, p, p^2, ..., p^most."""
    return np.array([fade**away for away in range(most + 1)])


def _faded_ratio(ratios: FloatArray, fade: float) -> FloatArray:
    return ratios * _fade_powers(fade, ratios.shape[1] - 1)


def _farthest(ratios: FloatArray, fade: float) -> FloatArray:
    farthest: FloatArray = _faded_ratio(ratios, fade).max(axis=1)
    return farthest


def _ratios(results: Locations, locations: Locations) -> tuple[IntArray, IntArray, FloatArray]:
    """Pairs of results and places in one document: rows of both, and hierarchical(place, result)."""
    rows, columns = same_document_pairs(results.document, locations.document)
    alike = _same_extent(results, locations, rows, columns)
    return rows, columns, np.where(alike, 1.0, overlap_ratio(results, locations, rows, columns))


def _same_extent(results: Locations, others: Locations, rows: IntArray, columns: IntArray) -> BoolArray:
    """Which pairs are one element or (where one is no element) have one extent, without length too."""
    elements = results.element[rows], others.element[columns]
    start, length = results.start[rows] == others.start[columns], results.length[rows] == others.length[columns]
    extents = start & length & results.located[rows] & others.located[columns]
    alike: BoolArray = np.where((elements[0] >= 0) & (elements[1] >= 0), elements[0] == elements[1], extents)
    return alike


def _with_siblings(ranked: RankedTopic, fade: float) -> tuple[IntArray, IntArray, Locations]:
    """Each target with its siblings, as far as p^distance is above 0: target, distance, place; first all targets."""
    own = np.arange(len(ranked.targets))
    target, distances = list(own.tolist()), [0] * len(own)
    rows: list[LocationRow] = []
    for x in own.tolist():
        number, element = int(ranked.targets.document[x]), int(ranked.targets.element[x])
        tree = ranked.trees[number]
        if tree is None or element < 0 or tree.parent[element] < 0:
            continue
        family = np.flatnonzero(tree.parent == tree.parent[element])
        for away, z in zip(np.abs(np.arange(len(family)) - np.searchsorted(family, element)), family, strict=True):
            if away > 0 and fade**away > 0:
                target.append(x)
                distances.append(int(away))
                rows.append((number, int(z), int(tree.end[z]), int(tree.start[z]), int(tree.length[z]), True))
    locations = make_locations([*ranked.targets.rows(), *rows])
    return np.array(target, dtype=np.int64), np.array(distances, dtype=np.int64), locations


MODEL = UserModel(
    "siblings",
    "hierarchical, and on to neighbouring elements",
    "R[y, x] = max over siblings z of x at distance j >= 0 of p^j hierarchical(z, y), where hierarchical(z, z) is 1 of "
    "an empty element too.",
    "prum-eval",
    _build,
    (FADE,),
    frozenset({ModelNeed.LENGTHS, ModelNeed.SIBLINGS}),
    navigation_basis=NavigationBasis.NEIGHBOURS,
    estimable_parameter=_estimable_parameter,
)
