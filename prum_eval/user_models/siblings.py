"""The user model of users who also go on to neighbouring elements."""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.collection.locations import LocationRow, Locations, make_locations, same_document_pairs, same_place
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.user_models.model import (
    Leads,
    Model,
    ModelContext,
    ModelNeed,
    RankedTopic,
    Reach,
    UserModel,
    make_reach,
    overlap_ratio,
)


def _build(values: ParameterValues, _context: ModelContext) -> Model:
    fade = float(values["p"])

    def model(ranked: RankedTopic) -> Reach:
        target, factor, locations = _with_siblings(ranked, fade)
        results = ranked.results
        rows, columns = same_document_pairs(results.document, locations.document)
        own = (columns < len(ranked.targets)) & same_place(results, locations, rows, columns)
        alike = _same_extent(results, locations, rows, columns)
        ratio = np.where(alike, 1.0, overlap_ratio(results, locations, rows, columns))
        value = np.where(own, 1.0, ratio * factor[columns])
        order = np.lexsort((own, value, target[columns], rows))
        rank, reached = rows[order], target[columns][order]
        last = np.ones(len(order), dtype=np.bool_)  # the largest of each (rank, target)
        last[:-1] = (rank[1:] != rank[:-1]) | (reached[1:] != reached[:-1])
        chosen = order[last]
        return make_reach(len(results), len(ranked.targets), rank[last], reached[last], value[chosen], own[chosen])

    return model


def _same_extent(results: Locations, others: Locations, rows: IntArray, columns: IntArray) -> BoolArray:
    """Which pairs are one element or (where one is no element) have one extent, without length too."""
    elements = results.element[rows], others.element[columns]
    start, length = results.start[rows] == others.start[columns], results.length[rows] == others.length[columns]
    extents = start & length & results.located[rows] & others.located[columns]
    alike: BoolArray = np.where((elements[0] >= 0) & (elements[1] >= 0), elements[0] == elements[1], extents)
    return alike


def _with_siblings(ranked: RankedTopic, fade: float) -> tuple[IntArray, FloatArray, Locations]:
    """Each target with its siblings: (target, p^distance, place) columns, the target itself first."""
    own = np.arange(len(ranked.targets))
    target, factor = list(own.tolist()), [1.0] * len(own)
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
                factor.append(float(fade**away))
                rows.append((number, int(z), int(tree.end[z]), int(tree.start[z]), int(tree.length[z]), True))
    locations = make_locations([*ranked.targets.rows(), *rows])
    return np.array(target, dtype=np.int64), np.array(factor), locations


MODEL = UserModel(
    "siblings",
    "hierarchical, and on to neighbouring elements",
    "R[y, x] = max over siblings z of x at distance j >= 0 of p^j hierarchical(z, y), where hierarchical(z, z) is 1 of "
    "an empty element too.",
    "prum-eval",
    _build,
    (Parameter("p", 0.25, "probability to go on to the next sibling", low=0.0, high=1.0),),
    frozenset({ModelNeed.LENGTHS, ModelNeed.SIBLINGS}),
    leads=Leads.NEIGHBOURS,
)
