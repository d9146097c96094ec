"""How a result leads to a target: the relation of two places, as the user model follows it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from prum_eval.collection.locations import Locations
from prum_eval.tabular import plural
from prum_eval.user_models.model import Leads, overlap_ratio

_SLACK = 1e-12


class Relation(StrEnum):
    """Why a user who consults a result sees a target."""

    OWN = "own"  # the result is the target
    CONTAINS = "contains"  # the target lies in the result
    INSIDE = "inside"  # the result lies in the target
    OVERLAP = "overlap"  # they share some text
    SIBLING = "sibling"  # from a neighbouring element
    AHEAD = "ahead"  # the target begins so many characters on
    BEHIND = "behind"  # the target begins so many characters before
    GRAPH = "graph"  # along the navigation graph
    OTHER = "other"  # as a user model of one's own says


CLOSEST = tuple(Relation)
"""The relations, the closest first."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A relation; `distance` in characters between the beginnings, where the relation goes by it.

    `way`: the names of the places on the most probable way along links, from the result (or what lies in it) to the
    target, where there are links to follow.
    """

    relation: Relation
    distance: int | None = None
    way: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The relation as it is printed.

        >>> Connection(Relation.AHEAD, 120).words, Connection(Relation.OWN).words
        ('ahead by 120', 'own')
        >>> Connection(Relation.GRAPH, way=("a", "b", "c")).words
        '2 links'
        """
        if len(self.way) > 1:
            return plural(len(self.way) - 1, "link")
        return str(self.relation) if self.distance is None else f"{self.relation} by {self.distance}"


def connect(
    leads: Leads, results: Locations, row: int, targets: Locations, column: int, probability: float, *, own: bool
) -> Connection:
    """The relation by which a result leads to a target.

    Args:
        leads: by what the user model leads to targets.
        results: places of the results.
        row: the result.
        targets: places of the targets.
        column: the target.
        probability: R of the pair, as the model gives it (without what it does to later ranks).
        own: the result points to the target itself.
    """
    if own:
        return Connection(Relation.OWN)
    if leads is Leads.GRAPH:
        return Connection(Relation.GRAPH)
    if results.document[row] < 0 or results.document[row] != targets.document[column]:
        return Connection(Relation.OTHER)
    located = bool(results.located[row] and targets.located[column])
    away = int(targets.start[column] - results.start[row]) if located else 0
    if (leads is Leads.NEARBY and away != 0) or (leads is Leads.FORWARD and away > 0):
        return _along(away)
    common = _common(results, row, targets, column, located=located)
    ratio = _ratio(results, row, targets, column)
    if leads is Leads.NEIGHBOURS and (common is None or probability > ratio * (1 + _SLACK)):
        common = Relation.SIBLING
    if common is None:
        return _along(away) if located else Connection(Relation.OTHER)
    return Connection(common)


def _along(away: int) -> Connection:
    return Connection(Relation.AHEAD if away >= 0 else Relation.BEHIND, abs(away))


def _common(results: Locations, row: int, targets: Locations, column: int, *, located: bool) -> Relation | None:
    """What the two share: one lies in the other, or they overlap; None where they are apart."""
    y, x = int(results.element[row]), int(targets.element[column])
    if y >= 0 and x >= 0:
        if y <= x < results.end[row]:
            return Relation.CONTAINS
        return Relation.INSIDE if x <= y < targets.end[column] else None
    if not located:
        return None
    start, other = int(results.start[row]), int(targets.start[column])
    stop, end = start + int(results.length[row]), other + int(targets.length[column])
    if start <= other and end <= stop:
        return Relation.CONTAINS
    if other <= start and stop <= end:
        return Relation.INSIDE
    return Relation.OVERLAP if max(start, other) < min(stop, end) else None


def _ratio(results: Locations, row: int, targets: Locations, column: int) -> float:
    return float(overlap_ratio(results, targets, np.array([row]), np.array([column]))[0])
