"""Facets of a topic: what may be seen instead of each other, and what only together.

A facet has alternatives, an alternative has targets that are needed together. A facet is satisfied when all targets of
one of its alternatives are seen. In topics whose judgements declare no facet, measures count targets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from prum_eval.arrays import FloatArray, IntArray, group_bounds
from prum_eval.collection.locations import Locations
from prum_eval.numerics.intervals import merge_intervals
from prum_eval.records import Facets, FlatTopic, PassageTopic, Topic
from prum_eval.relevance.quantisations import Quantisation
from prum_eval.relevance.targets import TargetSet


@dataclass(eq=False, repr=False)
class FacetSet:
    """The facets of a topic, their alternatives and targets, each in the order in which the file first names them.

    Facet i has the alternatives ``bounds[i]:bounds[i + 1]``, alternative j the targets
    ``members[member_bounds[j]:member_bounds[j + 1]]``. `weight`: of each facet, divided by the largest. `names`,
    `alternative_names`: empty where the file gives none.
    """

    names: tuple[str, ...]
    weight: FloatArray
    bounds: IntArray
    alternative_names: tuple[str, ...]
    member_bounds: IntArray
    members: IntArray
    targets: TargetSet

    def __len__(self) -> int:
        return len(self.weight)

    @cached_property
    def order(self) -> IntArray:
        """Facets by decreasing weight, equal ones in file order."""
        return np.argsort(-self.weight, kind="stable")

    @cached_property
    def shared(self) -> IntArray:
        """Targets that belong to more than one alternative."""
        return np.flatnonzero(np.bincount(self.members, minlength=len(self.targets)) > 1)

    def alternatives(self, facet: int) -> list[list[int]]:
        """Targets of each alternative of a facet."""
        low, high = self.bounds[facet : facet + 2].tolist()
        return [self.members[slice(*self.member_bounds[j : j + 2])].tolist() for j in range(low, high)]

    def first_satisfied(self, target: IntArray, rank: IntArray) -> IntArray:
        """The first rank after which each facet is satisfied, if the targets are seen at these ranks, else surely not.

        The largest integer if it never is.
        """
        first = np.full(len(self.targets), np.iinfo(np.int64).max)
        np.minimum.at(first, target, rank)
        together = np.maximum.reduceat(first[self.members], self.member_bounds[:-1])
        return np.asarray(np.minimum.reduceat(together, self.bounds[:-1]))

    def ideal_list(self, *, shortest_first: bool = False) -> tuple[IntArray, IntArray]:
        """Targets that satisfy all facets, and how many of them are listed after the first n facets, n = 0, 1, ...

        Facets come by decreasing weight. Each adds the alternative with the fewest targets that are not yet listed, of
        equal ones the one with the fewest characters, then the first. Of facets of equal weight the first in the file
        comes first; with `shortest_first` the one whose alternative has the fewest characters.
        """
        listed: list[int] = []
        sizes, left = [0], self.order.tolist()
        while left:
            equal = [facet for facet in left if self.weight[facet] == self.weight[left[0]]]
            choices = [(facet, *self._best_alternative(facet, listed)) for facet in equal]
            facet, targets, _ = min(choices, key=lambda choice: choice[2]) if shortest_first else choices[0]
            listed += [target for target in sorted(targets) if target not in listed]
            sizes.append(len(listed))
            left.remove(facet)
        return np.array(listed, dtype=np.int64), np.array(sizes)

    def _best_alternative(self, facet: int, listed: Sequence[int]) -> tuple[list[int], int]:
        """The alternative that a list adds for a facet: its targets, and its characters, 0 if they are unknown."""
        alternatives = [(targets, self._characters(targets)) for targets in self.alternatives(facet)]
        return min(alternatives, key=lambda each: (len(set(each[0]).difference(listed)), each[1]))

    def _characters(self, targets: Sequence[int]) -> int:
        """Characters of the union of targets; 0 if lengths are unknown."""
        places = self.targets.locations
        if (places.length < 0).any():
            return 0
        by_document: dict[int, list[tuple[int, int]]] = {}
        for target in targets:
            start, length = int(places.start[target]), int(places.length[target])
            by_document.setdefault(int(places.document[target]), []).append((start, start + length))
        return sum(end - start for spans in by_document.values() for start, end in merge_intervals(spans))


def make_facet_set(
    topic: Topic, targets: TargetSet, quantisation: Quantisation, largest_grade: int = 1
) -> FacetSet | None:
    """The facets of a topic; None if its judgements declare none.

    Args:
        topic: the assessments of the topic.
        targets: its targets without facets, in documents that hold those of the facets too.
        quantisation: function from grades to P(x in I), which decides what documents are relevant.
        largest_grade: largest grade of the whole file.
    """
    facets = topic.facets if isinstance(topic, FlatTopic | PassageTopic) else None
    if facets is None:
        return None
    rows = _relevant_rows(topic, facets, quantisation, largest_grade)
    if not len(rows):
        return None
    places: dict[tuple[int, ...], int] = {}
    alternatives: dict[int, list[int]] = {}
    extents = zip(*(column[rows].tolist() for column in (facets.document, facets.start, facets.length)), strict=True)
    for alternative, extent in zip(facets.alternative[rows].tolist(), extents, strict=True):
        alternatives.setdefault(alternative, []).append(places.setdefault(extent, len(places)))
    by_facet: dict[int, list[int]] = {}
    for alternative in alternatives:
        by_facet.setdefault(int(facets.facet_of[alternative]), []).append(alternative)
    in_order = [alternative for group in by_facet.values() for alternative in group]
    weight = facets.weights[list(by_facet)]
    return FacetSet(
        tuple(facets.names[facet] for facet in by_facet),
        weight / weight.max(),
        group_bounds([len(group) for group in by_facet.values()]),
        tuple(facets.alternatives[alternative] for alternative in in_order),
        group_bounds([len(alternatives[alternative]) for alternative in in_order]),
        np.array([target for alternative in in_order for target in alternatives[alternative]], dtype=np.int64),
        _facet_targets(topic, targets, np.array(list(places), dtype=np.int64)),
    )


def _relevant_rows(topic: Topic, facets: Facets, quantisation: Quantisation, largest_grade: int) -> IntArray:
    if not isinstance(topic, FlatTopic):
        return np.arange(len(facets.lines))
    largest = np.full(len(facets.grades), float(largest_grade))
    return np.flatnonzero(quantisation.values(facets.grades.astype(np.float64), largest) > 0)


def _facet_targets(topic: Topic, targets: TargetSet, places: IntArray) -> TargetSet:
    """Targets at (document of the topic, start, length); documents are numbered as those of `targets`."""
    number = {name: number for number, name in enumerate(targets.documents)}
    names = tuple(topic.documents[row] for row in places[:, 0].tolist())
    document = np.array([number[name] for name in names], dtype=np.int64)
    if isinstance(topic, FlatTopic):
        locations = targets.locations.take(document)
    else:
        none = np.full(len(places), -1)
        locations = Locations(document, none, none, places[:, 1], places[:, 2], none < 0)
    return replace(targets, locations=locations, weight=np.ones(len(places)), nodes=names)
