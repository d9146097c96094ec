"""Why a topic's score is what it is: rank by rank, what the user sees and what that adds to each measure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import LocationRow, Locations
from prum_eval.errors import DataError, UnsupportedResultError
from prum_eval.evaluation.notices import Notice
from prum_eval.evaluation.settings import Setting
from prum_eval.measures.base import Need, split_by_rank
from prum_eval.measures.seen_states import SeenStates
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.topic_data import TopicData
from prum_eval.numerics.count_distributions import count_distribution
from prum_eval.records import Run
from prum_eval.relevance.targets import TargetSet
from prum_eval.tabular import RowValue, Tabular, plural
from prum_eval.user_models.model import NavigationBasis, PathFinder, item_numbers, joins_items, overlap_ratio

# What stands in a document where a result or a target is, with what the assessors highlighted there.


MAX_EXCERPT = 4000
"""Characters that an excerpt has at most."""
_FROM_POINT = 400
"""Characters that are shown from an entry point on."""
_BEFORE_MARK = 200

Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The text at a place.

    `start` is its offset in the document, `marks` are begin and end of what is highlighted in it.
    `before` and `after`: how many characters of the place are left out on either side of a long one.
    """

    start: int
    text: str
    marks: tuple[tuple[int, int], ...]
    before: int = 0
    after: int = 0

    def pieces(self, begin: int = 0) -> Iterator[tuple[str, bool]]:
        """The text from a character on, piece by piece, with each whether it is highlighted."""
        for low, high in self.marks:
            if high <= begin:
                continue
            if low > begin:
                yield self.text[begin:low], False
            yield self.text[max(low, begin) : high], True
            begin = high
        if begin < len(self.text):
            yield self.text[begin:], False


def make_excerpt(text: str, start: int, length: int | None, spans: Spans) -> Excerpt:
    """An excerpt of a document.

    Args:
        text: of the document.
        start: where the place begins.
        length: of the place; None for all that follows, 0 for a point, from which on some text is shown.
        spans: begin and end of what is highlighted in the document, in any order.

    >>> make_excerpt("abcdef", 1, 4, [(2, 3), (4, 9)])
    Excerpt(start=1, text='bcde', marks=((1, 2), (3, 4)), before=0, after=0)
    """
    end = len(text) if length is None else min(len(text), start + (length or _FROM_POINT))
    inside = merge_spans((max(low, start), min(high, end)) for low, high in spans)
    begin = start
    if inside and inside[0][0] > start + MAX_EXCERPT // 2 and end - start > MAX_EXCERPT:
        begin = inside[0][0] - _BEFORE_MARK
    stop = min(end, begin + MAX_EXCERPT)
    marks = tuple((low - begin, min(high, stop) - begin) for low, high in inside if low < stop)
    return Excerpt(begin, text[begin:stop], marks, begin - start, max(0, end - stop))


def merge_spans(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same characters, in order, without overlap and without borders between what touches."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(spans):
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(high, joined[-1][1])
        elif low < high:
            joined.append((low, high))
    return joined


# What results and targets are called.


@dataclass(frozen=True, slots=True)
class NamedLocation:
    """A document, an element of it by path, or some of its text by offset; None for what is not told.

    `last` is the path of the last element, where a range of elements is meant.
    """

    document: str
    path: str | None = None
    last: str | None = None
    start: int | None = None
    length: int | None = None

    @property
    def position_text(self) -> str:
        """Where in the document; empty for all of it.

        >>> NamedLocation("d", "/a[1]/p[2]").within, NamedLocation("d", start=20, length=5).within
        ('/a[1]/p[2]', '20+5')
        >>> NamedLocation("d", start=7, length=0).within
        '@7'
        """
        if self.path is not None:
            return self.path if self.last is None else f"{self.path} to {self.last}"
        if self.start is None:
            return ""
        return f"{self.start}+{self.length}" if self.length else f"@{self.start}"

    @property
    def description(self) -> str:
        """Document and place in it, in one text."""
        return f"{self.document} {self.position_text}".rstrip()


def name_results(run: Run, rows: slice, locations: Locations, targets: TargetSet) -> list[NamedLocation]:
    """What some rows of a run point to: in documents with targets as those name it, elsewhere as the run does."""
    named = []
    columns = (run.document[rows], run.first_path[rows], run.last_path[rows], run.start[rows], run.length[rows])
    listed = zip(locations.rows(), *(column.tolist() for column in columns), strict=True)
    for place, document, first, last, start, length in listed:
        name = targets.documents[place[0]] if 0 <= place[0] < len(targets.documents) else run.documents[document]
        known = _name_element(place, targets)
        if known is not None:
            named.append(known)
            continue
        path = run.paths[first] if first >= 0 else None
        to = run.paths[last] if last >= 0 and last != first else None
        extent = (place[3], place[4]) if place[5] else (start, length)  # placed: a range of elements, or a passage
        told = extent if min(extent) >= 0 else (None, None)
        named.append(NamedLocation(name, path, to, *told))
    return named


def name_targets(targets: TargetSet) -> list[NamedLocation]:
    """What targets are: elements by path, passages and points by offset, documents by name."""
    named = []
    for place in targets.locations.rows():
        extent = (place[3], place[4]) if place[5] else (None, None)
        named.append(_name_element(place, targets) or NamedLocation(targets.documents[place[0]], None, None, *extent))
    return named


def _name_element(place: LocationRow, targets: TargetSet) -> NamedLocation | None:
    """An element of a document whose tree is known."""
    document, element, _, start, length, located = place
    tree = targets.trees[document] if 0 <= document < len(targets.trees) else None
    if tree is None or element < 0:
        return None
    extent = (start, length) if located else (None, None)
    return NamedLocation(targets.documents[document], tree.paths[element], None, *extent)


# What each rank adds to a measure, so that the additions sum up to the value.


@dataclass(frozen=True, slots=True)
class RankContributions:
    """A printed measure: its value, what each rank adds, and what is there without any rank.

    `rest` is PRUM's gain from the elements after the list; of other measures the value of an empty list, 0. The sum of
    `additions` and `rest` is the value.
    """

    measure: str
    value: float
    additions: FloatArray
    rest: float


def rank_contributions(
    pairs: Sequence[tuple[ConfiguredMeasure, TopicData]], ranks: int, item: IntArray | None = None
) -> list[RankContributions]:
    """The shares of all printed names of measures; the topic has targets.

    Args:
        pairs: divisible measures, each with the data of the topic under its setting.
        ranks: how many ranks there are.
        item: the rank, from 0, that each result is a part of; a rank each where it is not given.

    Raises:
        RefusedError: a measure that was asked for refuses the run; those of a set that do are left out.
    """
    found = list[RankContributions]()
    for instance, data in pairs:
        try:
            found += _contributions(data, instance, ranks, np.arange(len(data.ranking)) if item is None else item)
        except UnsupportedResultError:
            if instance.explicit:
                raise
    return found


def _contributions(data: TopicData, instance: ConfiguredMeasure, ranks: int, item: IntArray) -> list[RankContributions]:
    measure, cutoffs = instance.measure, np.array(instance.cutoffs)
    values = np.atleast_1d(measure.per_topic(data, instance.values, cutoffs)).tolist()
    added, rest = split_by_rank(measure, data, instance.values, cutoffs)
    by_rank = np.zeros((ranks, added.shape[1]))
    follows = measure.split is not None and Need.REACH in measure.needs
    np.add.at(by_rank, data.seen.change_ranks - 1 if follows else item, added)
    columns = zip(instance.names, values, by_rank.T, rest.tolist(), strict=True)
    return [RankContributions(*column) for column in columns]


# Documents beside what a run returned of them: what is highlighted, at which ranks it is read, what is missed.


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters `start` to `end` of a document: all of them highlighted or none, and all read at the same `ranks`."""

    start: int
    end: int
    highlighted: bool
    ranks: tuple[int, ...]

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document: its `stretches`, in order, are the whole `text`."""

    name: str
    text: str
    stretches: tuple[Stretch, ...]

    @property
    def highlighted_size(self) -> int:
        """Characters that are highlighted."""
        return sum(len(one) for one in self.stretches if one.highlighted)

    @property
    def highlighted_read(self) -> int:
        """Of these, those that some rank has."""
        return sum(len(one) for one in self.stretches if one.highlighted and one.ranks)

    @property
    def read_size(self) -> int:
        """Characters that some rank has, highlighted or not."""
        return sum(len(one) for one in self.stretches if one.ranks)

    @property
    def reread_size(self) -> int:
        """Characters that are read once more, as often as they are."""
        return sum(len(one) * (len(one.ranks) - 1) for one in self.stretches if one.ranks)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks that have some of it."""
        return tuple(sorted({rank for one in self.stretches for rank in one.ranks}))


def make_read_document(name: str, text: str, spans: Spans, results: Iterable[tuple[int, int, int]]) -> ReadDocument:
    """A document beside the results that are in it.

    Args:
        name: of the document.
        text: of the document.
        spans: begin and end of what is highlighted, in any order.
        results: rank, begin and end of each result; what is outside the text does not count.

    >>> make_read_document("d", "abcdef", [(1, 3)], [(1, 2, 5), (2, 4, 5)]).stretches[1:3]
    (Stretch(start=1, end=2, highlighted=True, ranks=()), Stretch(start=2, end=3, highlighted=True, ranks=(1,)))
    """
    last = len(text)
    marks = merge_spans((max(low, 0), min(high, last)) for low, high in spans)
    events: dict[int, list[tuple[int, bool]]] = {0: [], last: []}  # by place: what begins or ends there; rank 0: a mark
    for rank, low, high in [(0, *mark) for mark in marks] + [(k, max(a, 0), min(b, last)) for k, a, b in results]:
        if low < high:
            events.setdefault(low, []).append((rank, True))
            events.setdefault(high, []).append((rank, False))
    here: list[int] = []
    stretches: list[Stretch] = []
    places = sorted(events)
    for start, end in pairwise(places):
        for rank, begins in events[start]:
            here.append(rank) if begins else here.remove(rank)
        stretches.append(Stretch(start, end, 0 in here, tuple(sorted({rank for rank in here if rank}))))
    return ReadDocument(name, text, tuple(stretches))


# How a result leads to a target: the relation of two places, as the user model follows it.


_SLACK_relations = 1e-12


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


RELATIONS_BY_CLOSENESS = tuple(Relation)
"""The relations, the closest first."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A relation; `distance` in characters between the beginnings, where the relation goes by it.

    `path`: the names of the places on the most probable way along links, from the result (or what lies in it) to the
    target, where there are links to follow.
    """

    relation: Relation
    distance: int | None = None
    path: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """The relation as it is printed.

        >>> Connection(Relation.AHEAD, 120).words, Connection(Relation.OWN).words
        ('ahead by 120', 'own')
        >>> Connection(Relation.GRAPH, way=("a", "b", "c")).words
        '2 links'
        """
        if len(self.path) > 1:
            return plural(len(self.path) - 1, "link")
        return str(self.relation) if self.distance is None else f"{self.relation} by {self.distance}"


def find_connection(
    leads: NavigationBasis,
    results: Locations,
    row: int,
    targets: Locations,
    column: int,
    probability: float,
    *,
    own: bool,
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
    if leads is NavigationBasis.GRAPH:
        return Connection(Relation.GRAPH)
    if results.document[row] < 0 or results.document[row] != targets.document[column]:
        return Connection(Relation.OTHER)
    located = bool(results.located[row] and targets.located[column])
    away = int(targets.start[column] - results.start[row]) if located else 0
    if (leads is NavigationBasis.NEARBY and away != 0) or (leads is NavigationBasis.FORWARD and away > 0):
        return _reading_relation(away)
    common = _spatial_relation(results, row, targets, column, located=located)
    ratio = _ratio(results, row, targets, column)
    if leads is NavigationBasis.NEIGHBOURS and (common is None or probability > ratio * (1 + _SLACK_relations)):
        common = Relation.SIBLING
    if common is None:
        return _reading_relation(away) if located else Connection(Relation.OTHER)
    return Connection(common)


def _reading_relation(away: int) -> Connection:
    return Connection(Relation.AHEAD if away >= 0 else Relation.BEHIND, abs(away))


def _spatial_relation(
    results: Locations, row: int, targets: Locations, column: int, *, located: bool
) -> Relation | None:
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


TAIL = 0.05
"""The likely range of a count leaves out this much probability at either end."""
_SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class ReachedTarget:
    """A target that a rank leads to. `target`: its number, from 1; `before`, `after`: probability that it was seen."""

    target: int
    probability: float
    link: Connection
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class SeenCount:
    """The law of F_k, the number of targets seen: `law[f]` is P(F_k = f); it lies in `low`..`high` with 90 %."""

    mean: float
    low: int
    high: int
    distribution: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """A line of the run: what it points to, and whether that exists in the collection."""

    location: NamedLocation
    exists: bool
    line: int


@dataclass(frozen=True, slots=True)
class Rank:
    """A rank of the list: its result (several where results of an article form an item), what it reaches and adds.

    `count`: what was seen after it. `additions`: one number a measure.
    """

    number: int
    results: tuple[Result, ...]
    reached_targets: tuple[ReachedTarget, ...]
    count: SeenCount
    additions: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A target: its number from 1, P(x in I), the probability that it was seen at the end, the ranks that reach it."""

    number: int
    location: NamedLocation
    weight: float
    seen: float
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class TopicOfRun:
    """The data of a topic, the rows of the run that are its results, and the ways of its user model along links."""

    data: TopicData
    rows: slice
    path_finder: PathFinder | None = None


@dataclass(frozen=True, repr=False)
class Explanation(Tabular):
    """What `explain` returns: one topic of one run under one setting, rank by rank.

    `rank_contributions` and every `Rank.added` are in the order of printing. `warnings` are what the user should know;
    `signature` has every choice that changes a number. Where texts were given, `excerpts` is what stands at results and
    targets, and `documents` are those that hold them, in the order in which they are read.
    """

    topic: str
    run_id: str
    path: str
    user_model: str
    targets_kind: str
    quantisation: str
    collection_size: int | None
    contributions: tuple[RankContributions, ...]
    ranks: tuple[Rank, ...]
    targets: tuple[Target, ...]
    signature: str = ""
    warnings: Sequence[Notice] = ()
    excerpts: Mapping[NamedLocation, Excerpt] = field(default_factory=dict)
    documents: tuple[ReadDocument, ...] = ()

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a rank: what it points to, how many targets it reaches and are seen after it, what it adds."""
        names = [each.measure for each in self.contributions]
        for rank in self.ranks:
            words = "; ".join(result.location.description for result in rank.results)
            added = dict(zip(names, rank.additions, strict=True))
            yield {
                "rank": rank.number,
                "result": words,
                "reached": len(rank.reached_targets),
                "seen": rank.count.mean,
                **added,
            }

    def _summary(self) -> str:
        values = ", ".join(f"{each.measure} {each.value:.4f}" for each in self.contributions)
        return f"topic {self.topic}, run {self.run_id}: {values}"


def explain_topic(
    one: TopicOfRun, run: Run, setting: Setting, measured: Sequence[tuple[ConfiguredMeasure, TopicData]]
) -> Explanation:
    """Explain the values that measures have on a topic.

    Args:
        one: the topic, as the evaluation has it under `setting`.
        run: the run.
        setting: the user model and the targets that ranks are shown to reach.
        measured: divisible measures, each with the data of the topic under its own setting.

    Raises:
        DataError: the topic has no targets, so that these measures have no value.
    """
    data = one.data
    if not len(data.judged.targets):
        raise DataError(f"topic {data.judged.name} has no targets: scores have no value there")
    item = item_numbers(data.ranking.locations.document) if joins_items(setting.choice.values) else None
    found = rank_contributions(measured, data.reach.ranks, item)
    ranks = _ranks(one, run, setting, found)
    return Explanation(
        data.judged.name,
        run.run_id,
        run.path,
        setting.choice.spec,
        setting.targets.value,
        setting.quantisation.name,
        data.collection_size,
        tuple(found),
        ranks,
        _targets(data, ranks),
    )


def _ranks(one: TopicOfRun, run: Run, setting: Setting, found: Sequence[RankContributions]) -> tuple[Rank, ...]:
    data = one.data
    seen, reach = data.seen, data.reach
    locations = data.ranking.locations
    items = joins_items(setting.choice.values)
    item = item_numbers(locations.document) if items else np.arange(len(data.ranking))
    named = name_results(run, one.rows, locations, data.judged.targets)
    lines = zip(named, data.ranking.exists.tolist(), data.ranking.lines.tolist(), strict=True)
    results = [Result(*line) for line in lines]
    p = _seen_by_state(seen, reach.targets)
    states = seen.states_at(np.arange(reach.ranks + 1))
    counts = _counts(seen)
    first = np.searchsorted(item, np.arange(reach.ranks + 1))
    entry = np.searchsorted(reach.rank, np.arange(reach.ranks + 1))
    beginnings = _start_nodes(data) if one.path_finder is not None else []
    ranks = []
    for k in range(reach.ranks):
        before, after = p[:, states[k]], p[:, states[k + 1]]
        rows = range(first[k], first[k + 1])
        reached = []
        for e in range(entry[k], entry[k + 1]):
            x, probability = int(reach.target[e]), float(reach.probability[e])
            how = _best_link(data, setting, rows, x, probability, own=bool(reach.exact[e]))
            if one.path_finder is not None and how.relation is Relation.GRAPH:
                begin = [node for row in rows for node in beginnings[row]]
                how = replace(how, path=one.path_finder(begin, data.judged.targets.nodes[x]))
            reached.append(ReachedTarget(x + 1, probability, how, float(before[x]), float(after[x])))
        added = tuple(float(each.additions[k]) for each in found)
        ranks.append(
            Rank(k + 1, tuple(results[row] for row in rows), tuple(reached), counts[int(states[k + 1])], added)
        )
    return tuple(ranks)


def _best_link(data: TopicData, setting: Setting, rows: range, x: int, probability: float, *, own: bool) -> Connection:
    """The relation of a rank to a target; of several results that form the rank, the closest relation that one has."""
    results, targets = data.ranking.locations, data.judged.targets.locations
    links = [
        find_connection(setting.choice.model.navigation_basis, results, row, targets, x, probability, own=own)
        for row in rows
    ]
    return min(links, key=lambda one: RELATIONS_BY_CLOSENESS.index(one.relation))


def _start_nodes(data: TopicData) -> list[Sequence[str]]:
    """The nodes from which a user leaves each result: its own, or those of what lies in it."""
    ranked = data.ranked_list
    entered = ranked.contained_nodes()
    return [entered.get(row, (node,)) for row, node in enumerate(ranked.result_nodes())]


def _seen_by_state(seen: SeenStates, targets: int) -> FloatArray:
    """P(x seen) by target, as numbered in the assessments, and state."""
    p = np.zeros((targets, seen.p.shape[1]))
    p[seen.active] = seen.p
    return p


def _counts(seen: SeenStates) -> list[SeenCount]:
    """The law of F in every state; exact, whatever the mode of a measure."""
    law = count_distribution(seen.p)
    means = seen.p.sum(axis=0)
    below = np.cumsum(law, axis=0)
    low = (below > TAIL - _SLACK).argmax(axis=0)
    high = (below >= 1 - TAIL - _SLACK).argmax(axis=0)
    padding = (0.0,) * (seen.targets - len(seen.active))
    return [
        SeenCount(float(means[j]), int(low[j]), int(high[j]), (*law[:, j].tolist(), *padding))
        for j in range(law.shape[1])
    ]


def _targets(data: TopicData, ranks: Sequence[Rank]) -> tuple[Target, ...]:
    by_target: dict[int, list[int]] = {}
    for rank in ranks:
        for one in rank.reached_targets:
            by_target.setdefault(one.target, []).append(rank.number)
    targets = data.judged.targets
    p = _seen_by_state(data.seen, len(targets))[:, -1]
    listed = zip(name_targets(targets), targets.weight.tolist(), p.tolist(), strict=True)
    return tuple(
        Target(x, location, weight, seen, tuple(by_target.get(x, ())))
        for x, (location, weight, seen) in enumerate(listed, 1)
    )
