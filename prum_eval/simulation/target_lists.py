"""Targets as lists of results: by weight, or by exhaustivity among the most specific elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

import numpy as np

from prum_eval.errors import UsageError
from prum_eval.records.assessments import AssessmentKind
from prum_eval.records.run import RunKind
from prum_eval.relevance.quantisations import Quantisation
from prum_eval.relevance.targets import TargetKind, TargetSet
from prum_eval.simulation.results import ListedResult, NamedResult, Ranks, each_alone

_MOST_SPECIFIC: Mapping[AssessmentKind, float] = {
    AssessmentKind.ELEMENTS_2002: 3.0,  # exact coverage
    AssessmentKind.ELEMENTS_2003: 3.0,
    AssessmentKind.ELEMENTS_2005: 1.0,
}


def kind_of_results(kind: AssessmentKind, targets: TargetKind) -> RunKind:
    """What results are that are targets."""
    if targets in (TargetKind.BEP, TargetKind.PASSAGES):
        return RunKind.EXTENTS
    return RunKind.FLAT if kind is AssessmentKind.FLAT else RunKind.ELEMENTS


def exhaustivity_of_most_specific(kind: AssessmentKind) -> Quantisation:
    """Exhaustivity, as a quantisation, where specificity is the highest that can be given, else 0.

    Raises:
        UsageError: what is assessed are documents or passages.
    """
    if kind not in _MOST_SPECIFIC:
        raise UsageError(f"a perfect run needs elements assessed in two dimensions, these are assessments of {kind}")
    highest = _MOST_SPECIFIC[kind]
    return Quantisation(
        "perfect",
        "exhaustivity of the most specific elements",
        "Goevert, Fuhr, Lalmas, Kazai 2006, section 4.1",
        lambda first, second: np.where((second == highest) & (first > 0), first, 0.0),
    )


def ranks_of_targets(targets: TargetSet, kind: RunKind, *, shared: bool = False) -> Ranks:
    """Targets by decreasing weight, equal ones in the order of the assessments, with `shared` in one rank."""
    listed = list(_items_of(targets, kind))
    order = np.argsort(-targets.weight, kind="stable").tolist()
    if shared:
        weight = targets.weight.tolist()
        return [[listed[row] for row in rows] for _, rows in groupby(order, key=weight.__getitem__)]
    return each_alone(listed[row] for row in order)


def _items_of(targets: TargetSet, kind: RunKind) -> Iterator[ListedResult]:
    places, forest = targets.locations, targets.forest
    names = [targets.documents[number] for number in places.document.tolist()]
    if kind is RunKind.FLAT:
        yield from map(NamedResult, names)
    elif kind is RunKind.EXTENTS:
        extents = zip(names, places.start.tolist(), places.length.tolist(), strict=True)
        yield from (NamedResult(name, start=start, length=length) for name, start, length in extents)
    elif forest is not None and forest.complete:
        yield from (forest.columns.bounds[targets.numbers[places.document]] + places.element).tolist()
    else:
        trees = targets.trees
        for name, number, element in zip(names, places.document.tolist(), places.element.tolist(), strict=True):
            tree = trees[number]
            path = tree.paths[element] if tree is not None else ""
            yield NamedResult(name, path, path)
