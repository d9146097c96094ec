"""User model of navigation to neighbouring elements too: R[y, x] = max over z of p^j hierarchical(z, y).

z runs over the siblings of x at distance j, with the target x itself at distance 0.
"""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
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
        target, steps, locations = _with_siblings(ranked, fade)
        results = ranked.results
        rows, columns, ratio = _ratios(results, locations)
        exact = (columns < len(ranked.targets)) & same_place(results, locations, rows, columns)
        value = np.where(exact, 1.0, ratio * _fade_powers(fade, int(steps.max(initial=0)))[steps[columns]])
        order = np.lexsort((exact, value, target[columns], rows))
        rank, target = rows[order], target[columns][order]
        last = np.ones(len(order), dtype=np.bool_)  # the largest value per rank and target
        last[:-1] = (rank[1:] != rank[:-1]) | (target[1:] != target[:-1])
        largest = order[last]
        return make_reach(len(results), len(ranked.targets), rank[last], target[last], value[largest], exact[largest])

    return model


def _estimable_parameter(_values: ParameterValues, _context: ModelContext) -> EstimableParameter:
    """Estimation of p; features of a pair are the largest ratios at sibling distances 0, 1, ..."""

    def features(ranked: RankedTopic, rows: IntArray, columns: IntArray) -> FloatArray:
        target, steps, locations = _with_siblings(ranked, 1.0)
        results, place, ratio = _ratios(ranked.results, locations)
        largest = np.zeros((len(rows), int(steps.max(initial=0)) + 1))
        if not len(rows):
            return largest
        keys, pair_keys = results * len(ranked.targets) + target[place], rows * len(ranked.targets) + columns
        order = np.argsort(pair_keys)
        pair = np.searchsorted(pair_keys, keys, sorter=order).clip(max=len(pair_keys) - 1)
        valid = pair_keys[order[pair]] == keys
        np.maximum.at(largest, (order[pair[valid]], steps[place[valid]]), ratio[valid])
        return largest

    def faded(ratios: FloatArray, fade: float) -> FloatArray:
        return ratios * _fade_powers(fade, ratios.shape[1] - 1)

    def reach(ratios: FloatArray, fade: float) -> FloatArray:
        largest: FloatArray = faded(ratios, fade).max(axis=1)
        return largest

    def slope(ratios: FloatArray, fade: float) -> FloatArray:
        steps = faded(ratios, fade).argmax(axis=1)
        derivative: FloatArray = steps * reach(ratios, fade) * (1.0 - fade)
        return derivative

    return EstimableParameter(FADE.name, features, reach, slope, is_share=True)


def _fade_powers(fade: float, last: int) -> FloatArray:
    """1, p, p^2, ..., p^last."""
    return np.array([fade**steps for steps in range(last + 1)])


def _ratios(results: Locations, locations: Locations) -> tuple[IntArray, IntArray, FloatArray]:
    """Rows of all pairs in one document, and hierarchical(location, result); 1 for equal extents."""
    rows, columns = same_document_pairs(results.document, locations.document)
    elements = results.element[rows], locations.element[columns]
    start, length = results.start[rows] == locations.start[columns], results.length[rows] == locations.length[columns]
    extents = start & length & results.located[rows] & locations.located[columns]
    same = np.where((elements[0] >= 0) & (elements[1] >= 0), elements[0] == elements[1], extents)
    return rows, columns, np.where(same, 1.0, overlap_ratio(results, locations, rows, columns))


def _with_siblings(ranked: RankedTopic, fade: float) -> tuple[IntArray, IntArray, Locations]:
    """Target, distance and location of all targets, then of their siblings while p^distance is above 0."""
    target = list(range(len(ranked.targets)))
    distances = [0] * len(target)
    rows: list[LocationRow] = []
    for x in range(len(ranked.targets)):
        number, element = int(ranked.targets.document[x]), int(ranked.targets.element[x])
        tree = ranked.trees[number]
        if tree is None or element < 0 or tree.parent[element] < 0:
            continue
        family = np.flatnonzero(tree.parent == tree.parent[element])
        for steps, z in zip(np.abs(np.arange(len(family)) - np.searchsorted(family, element)), family, strict=True):
            if steps > 0 and fade**steps > 0:
                target.append(x)
                distances.append(int(steps))
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
