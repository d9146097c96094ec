"""The documents of an explanation as small trees: targets, results that lead to one, and what encloses what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from prum_eval.analysis.explanation.explain import Explanation, Rank
from prum_eval.analysis.explanation.named_locations import NamedLocation
from prum_eval.collection.trees import node_name
from prum_eval.text.document_names import document_of


@dataclass(frozen=True, slots=True)
class Node:
    """A document, or a place in one. `label` leads on from the node that encloses it, `depth` nodes up from it.

    `targets`: numbers of the targets that it is. `ranks`: those that point to it and lead to a target. `name`: what it
    is called on ways along links; of passages and ranges none.
    """

    label: str
    depth: int
    targets: tuple[int, ...]
    ranks: tuple[int, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class FollowedLink:
    """A link on the way of some ranks to some targets, from one place to another by their names."""

    source: str
    target: str
    ranks: tuple[int, ...]
    targets: tuple[int, ...]


@dataclass
class _Place:
    location: NamedLocation
    targets: list[int] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)


_NUMBER = re.compile("([0-9]+)")
Key = tuple[str | None, int | None, int | None]
_ALL: Key = (None, None, None)
_NEVER = 1 << 62


def leading(explanation: Explanation) -> list[Rank]:
    """The ranks that lead to a target."""
    return [rank for rank in explanation.ranks if rank.reached]


def documents(explanation: Explanation, ranks: Sequence[Rank]) -> tuple[tuple[Node, ...], ...]:
    """The documents that hold a target, a result of those ranks, or what links lead by, as the ranks get there.

    A document is its nodes in document order, each behind the one that encloses it; the first is the document itself.
    """
    found: dict[str, dict[Key, _Place]] = {}

    known = {target.location.document for target in explanation.targets}
    known.update(_named(node).document for rank in ranks for one in rank.reached for node in one.link.way)

    def place(location: NamedLocation) -> _Place:
        if location.document not in known and document_of(location.document) in known:  # the run names the file
            location = replace(location, document=document_of(location.document))
        inside = found.setdefault(location.document, {_ALL: _Place(NamedLocation(location.document))})
        return inside.setdefault(_key(location), _Place(location))

    first: dict[str, int] = {}
    for target in explanation.targets:
        place(target.location).targets.append(target.number)
        first[target.location.document] = min((first.get(target.location.document, _NEVER), *target.ranks[:1]))
    for rank in ranks:
        for result in rank.results:
            if result.exists:
                place(result.location).ranks.append(rank.number)
        for name in dict.fromkeys(name for one in rank.reached for name in one.link.way):
            place(_named(name))
            first.setdefault(_named(name).document, rank.number)
    ordered = sorted(found, key=lambda name: first.get(name, _NEVER))
    return tuple(tuple(_nodes(found[name])) for name in ordered)


def followed_links(ranks: Sequence[Rank]) -> list[FollowedLink]:
    """The links by which those ranks lead to targets, in the order in which they are followed first."""
    used: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
    for rank in ranks:
        for one in rank.reached:
            for step in pairwise(one.link.way):
                by, to = used.setdefault(step, ([], []))
                by.append(rank.number)
                to.append(one.target)
    return [FollowedLink(*step, tuple(dict.fromkeys(by)), tuple(dict.fromkeys(to))) for step, (by, to) in used.items()]


def _named(name: str) -> NamedLocation:
    """The place of a name on a way: a document, or an element of it behind ``#``."""
    document, _, path = name.rpartition("#/")
    return NamedLocation(document, f"/{path}") if document else NamedLocation(name)


def _name(key: Key, location: NamedLocation) -> str:
    """The other way round; empty for what is no element."""
    if key == _ALL:
        return location.document
    return node_name(location.document, location.path) if location.path and location.last is None else ""


def _key(location: NamedLocation) -> Key:
    """What makes two spots of a document the same place; its root element is the document."""
    if location.path is None:
        return (None, location.start, location.length)
    return (location.within, None, None) if location.path.count("/") > 1 or location.last else _ALL


def _nodes(inside: Mapping[Key, _Place]) -> Iterator[Node]:
    children: dict[Key, list[Key]] = {}
    for key, place in inside.items():
        if key != _ALL:
            children.setdefault(_enclosing(place.location, inside), []).append(key)
    stack: list[tuple[Key, Key, int]] = [(_ALL, _ALL, 0)]
    while stack:
        key, above, depth = stack.pop()
        place = inside[key]
        label = place.location.document if key == _ALL else _label(place.location, inside[above].location)
        yield Node(label, depth, tuple(place.targets), tuple(place.ranks), _name(key, place.location))
        within = children.get(key, [])
        known = all(_known(inside[child].location) for child in within)
        ordered = sorted(within, key=lambda one: _order(inside[one].location, known=known), reverse=True)
        stack += [(child, key, depth + 1) for child in ordered]


def _enclosing(location: NamedLocation, inside: Mapping[Key, _Place]) -> Key:
    """The smallest place that encloses a spot: by path where both have one, else by extent."""
    best, size = _ALL, float("inf")
    for key, place in inside.items():
        other = place.location
        if key == _ALL or other is location or not _encloses(other, location):
            continue
        extent = float("inf") if other.length is None else other.length
        deeper = other.path is not None and (inside[best].location.path or "") < other.path
        if extent < size or (extent == size and deeper):
            best, size = key, extent
    return best


def _encloses(outer: NamedLocation, inner: NamedLocation) -> bool:
    if outer.path is not None and inner.path is not None and outer.last is None and inner.last is None:
        return inner.path.startswith(f"{outer.path}/")
    if outer.start is None or outer.length is None or inner.start is None or inner.length is None:
        return False
    larger = (outer.length, outer.path is not None) > (inner.length, inner.path is not None)
    return larger and outer.start <= inner.start and inner.start + inner.length <= outer.start + outer.length


def _label(location: NamedLocation, above: NamedLocation) -> str:
    if location.path is None:
        return f"characters {location.within}" if location.length else f"character {location.within}"
    if above.path is not None and location.path.startswith(f"{above.path}/"):
        return location.within[len(above.path) + 1 :]
    parts = location.within.split("/", 2)  # the root goes without saying
    return parts[2] if len(parts) > 2 and location.last is None else location.within


def _known(location: NamedLocation) -> bool:
    return location.start is not None and location.length is not None


def _order(location: NamedLocation, *, known: bool) -> tuple[int, int, list[str]]:
    """Places by where they begin, then the larger first; where not all extents are known by path: p[2] before p[10]."""
    path = [step.zfill(9) if step.isdigit() else step for step in _NUMBER.split(location.path or "")]
    return (location.start or 0, -(location.length or 0), path) if known else (-1, 0, path)
