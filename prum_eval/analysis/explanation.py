"""Explanation of a topic's scores rank by rank: reached targets, targets seen, and the contribution to each measure.

Conventions. Ranks and targets have numbers from 1. Spans are pairs of begin and end in characters of a document. The
contributions of the ranks to a measure, and its rest, sum up to its value.

The module has excerpts of documents (`make_excerpt`, `make_read_document`), names of places (`NamedLocation`),
contributions (`rank_contributions`), the relation by which a result leads to a target (`find_connection`), and
`explain_topic`, which makes an `Explanation` of a topic of a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import LocationRow, Locations
from prum_eval.errors import NoTargetsError, UnsupportedResultError
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

MAX_EXCERPT = 4000
"""Maximal length of an excerpt in characters."""
TAIL = 0.05
"""Probability outside the likely range of a count, at either end."""
_POINT_EXCERPT = 400
"""Length of the excerpt at an entry point in characters."""
_BEFORE_MARK = 200
_TOLERANCE = 1e-12

Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The text at a place.

    `start`: its offset in the document. `marks`: spans of highlighted text in it. `before` and `after`: characters of a
    long place omitted on either side.
    """

    start: int
    text: str
    marks: tuple[tuple[int, int], ...]
    before: int = 0
    after: int = 0

    def pieces(self, begin: int = 0) -> Iterator[tuple[str, bool]]:
        """Pieces of the text from offset `begin`, each with a flag for highlighted."""
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
        text: text of the document.
        start: offset of the place.
        length: length of the place; None for all text after `start`, 0 for a point, which shows some text after it.
        spans: highlighted spans of the document, in any order.

    >>> make_excerpt("abcdef", 1, 4, [(2, 3), (4, 9)])
    Excerpt(start=1, text='bcde', marks=((1, 2), (3, 4)), before=0, after=0)
    """
    end = len(text) if length is None else min(len(text), start + (length or _POINT_EXCERPT))
    inside = merge_spans((max(low, start), min(high, end)) for low, high in spans)
    begin = start
    if inside and inside[0][0] > start + MAX_EXCERPT // 2 and end - start > MAX_EXCERPT:
        begin = inside[0][0] - _BEFORE_MARK
    stop = min(end, begin + MAX_EXCERPT)
    marks = tuple((low - begin, min(high, stop) - begin) for low, high in inside if low < stop)
    return Excerpt(begin, text[begin:stop], marks, begin - start, max(0, end - stop))


def merge_spans(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of the same characters in order, without overlap or contact."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(spans):
        if merged and low <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(high, merged[-1][1])
        elif low < high:
            merged.append((low, high))
    return merged


# Names of results and targets


@dataclass(frozen=True, slots=True)
class NamedLocation:
    """A document, an element of it by path, or text in it by offset; None for unknown parts.

    `last`: path of the last element of a range of elements.
    """

    document: str
    path: str | None = None
    last: str | None = None
    start: int | None = None
    length: int | None = None

    @property
    def position_text(self) -> str:
        """The place in the document; empty for all of it.

        >>> NamedLocation("d", "/a[1]/p[2]").position_text, NamedLocation("d", start=20, length=5).position_text
        ('/a[1]/p[2]', '20+5')
        >>> NamedLocation("d", start=7, length=0).position_text
        '@7'
        """
        if self.path is not None:
            return self.path if self.last is None else f"{self.path} to {self.last}"
        if self.start is None:
            return ""
        return f"{self.start}+{self.length}" if self.length else f"@{self.start}"

    @property
    def description(self) -> str:
        """Document and place in it."""
        return f"{self.document} {self.position_text}".rstrip()


def name_results(run: Run, rows: slice, locations: Locations, targets: TargetSet) -> list[NamedLocation]:
    """Names of results: by the targets in documents with targets, elsewhere by the run."""
    names = []
    columns = (run.document[rows], run.first_path[rows], run.last_path[rows], run.start[rows], run.length[rows])
    lines = zip(locations.rows(), *(column.tolist() for column in columns), strict=True)
    for place, document, first, last, start, length in lines:
        name = targets.documents[place[0]] if 0 <= place[0] < len(targets.documents) else run.documents[document]
        element = _name_element(place, targets)
        if element is not None:
            names.append(element)
            continue
        path = run.paths[first] if first >= 0 else None
        range_end = run.paths[last] if last >= 0 and last != first else None
        extent = (place[3], place[4]) if place[5] else (start, length)  # placed: a range of elements, or a passage
        position = extent if min(extent) >= 0 else (None, None)
        names.append(NamedLocation(name, path, range_end, *position))
    return names


def name_targets(targets: TargetSet) -> list[NamedLocation]:
    """Names of targets: elements by path, passages and points by offset, documents by name."""
    names = []
    for place in targets.locations.rows():
        extent = (place[3], place[4]) if place[5] else (None, None)
        names.append(_name_element(place, targets) or NamedLocation(targets.documents[place[0]], None, None, *extent))
    return names


def _name_element(place: LocationRow, targets: TargetSet) -> NamedLocation | None:
    """Name of an element of a document with a tree; None without."""
    document, element, _, start, length, located = place
    tree = targets.trees[document] if 0 <= document < len(targets.trees) else None
    if tree is None or element < 0:
        return None
    extent = (start, length) if located else (None, None)
    return NamedLocation(targets.documents[document], tree.paths[element], None, *extent)


# Contributions of ranks


@dataclass(frozen=True, slots=True)
class RankContributions:
    """Value of a printed measure, with the addition of each rank; `additions` and `rest` sum up to it.

    `rest`: PRUM's gain from elements after the list; for other measures the value of an empty list, 0.
    """

    measure: str
    value: float
    additions: FloatArray
    rest: float


def rank_contributions(
    pairs: Sequence[tuple[ConfiguredMeasure, TopicData]], ranks: int, item: IntArray | None = None
) -> list[RankContributions]:
    """Contributions of the ranks to all printed names of measures; the topic has targets.

    Args:
        pairs: divisible measures, each with the data of the topic under its setting.
        ranks: number of ranks.
        item: index of the rank of each result; by default one rank per result.

    Raises:
        RefusedError: a requested measure does not support the run; those of a set are left out.
    """
    contributions: list[RankContributions] = []
    for instance, data in pairs:
        measure, cutoffs = instance.measure, np.array(instance.cutoffs)
        try:
            values = measure.compute_topic(data, instance.values, cutoffs).tolist()
            added, rest = split_by_rank(measure, data, instance.values, cutoffs)
        except UnsupportedResultError:
            if instance.explicit:
                raise
            continue
        by_rank = np.zeros((ranks, added.shape[1]))
        follows_user = measure.split is not None and Need.REACH in measure.needs
        states = data.goal_states if measure.over_facets else data.seen
        if not follows_user:
            rows = np.arange(len(data.ranking)) if item is None else item
        else:
            rows = np.arange(ranks) if len(added) == ranks else states.change_ranks - 1
        np.add.at(by_rank, rows, added)
        columns = zip(instance.names, values, by_rank.T, rest.tolist(), strict=True)
        contributions += [RankContributions(*column) for column in columns]
    return contributions


# Documents with the ranks at which their text is read


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters `start` to `end` of a document, all highlighted or none, all read at the same `ranks`."""

    start: int
    end: int
    highlighted: bool
    ranks: tuple[int, ...]

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document; its `stretches`, in order, cover the whole `text`."""

    name: str
    text: str
    stretches: tuple[Stretch, ...]

    @property
    def highlighted_size(self) -> int:
        """Number of highlighted characters."""
        return sum(len(stretch) for stretch in self.stretches if stretch.highlighted)

    @property
    def highlighted_read(self) -> int:
        """Number of highlighted characters in results."""
        return sum(len(stretch) for stretch in self.stretches if stretch.highlighted and stretch.ranks)

    @property
    def read_size(self) -> int:
        """Number of characters in results."""
        return sum(len(stretch) for stretch in self.stretches if stretch.ranks)

    @property
    def reread_size(self) -> int:
        """Number of characters read again, counted once per repetition."""
        return sum(len(stretch) * (len(stretch.ranks) - 1) for stretch in self.stretches if stretch.ranks)

    @property
    def ranks(self) -> tuple[int, ...]:
        """Ranks of results in the document."""
        return tuple(sorted({rank for stretch in self.stretches for rank in stretch.ranks}))


def make_read_document(name: str, text: str, spans: Spans, results: Iterable[tuple[int, int, int]]) -> ReadDocument:
    """Split a document by highlighted spans and results.

    Args:
        name: name of the document.
        text: text of the document.
        spans: highlighted spans, in any order.
        results: rank, begin and end of each result; text outside the document is ignored.

    >>> make_read_document("d", "abcdef", [(1, 3)], [(1, 2, 5), (2, 4, 5)]).stretches[1:3]
    (Stretch(start=1, end=2, highlighted=True, ranks=()), Stretch(start=2, end=3, highlighted=True, ranks=(1,)))
    """
    last = len(text)
    marks = merge_spans((max(low, 0), min(high, last)) for low, high in spans)
    events: dict[int, list[tuple[int, bool]]] = {0: [], last: []}  # by offset: rank (0 for a highlight), begins or ends
    for rank, low, high in [(0, *mark) for mark in marks] + [(k, max(a, 0), min(b, last)) for k, a, b in results]:
        if low < high:
            events.setdefault(low, []).append((rank, True))
            events.setdefault(high, []).append((rank, False))
    current: list[int] = []
    stretches: list[Stretch] = []
    for start, end in pairwise(sorted(events)):
        for rank, begins in events[start]:
            current.append(rank) if begins else current.remove(rank)
        stretches.append(Stretch(start, end, 0 in current, tuple(sorted({rank for rank in current if rank}))))
    return ReadDocument(name, text, tuple(stretches))


# Relations of results and targets


class Relation(StrEnum):
    """Why a user who consults a result sees a target."""

    OWN = "own"  # the result is the target
    CONTAINS = "contains"  # the target lies in the result
    INSIDE = "inside"  # the result lies in the target
    OVERLAP = "overlap"  # they share some text
    SIBLING = "sibling"  # from a neighbouring element
    AHEAD = "ahead"  # the target begins n characters after the result
    BEHIND = "behind"  # the target begins n characters before the result
    GRAPH = "graph"  # along the navigation graph
    OTHER = "other"  # of a user model of a plug-in


RELATIONS_BY_CLOSENESS = tuple(Relation)
"""The relations, closest first."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A relation of a result to a target, with `distance` in characters between their beginnings if it depends on it.

    `path`: names of the nodes on the most probable path along links, from the result (or its contents) to the target.
    """

    relation: Relation
    distance: int | None = None
    path: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """The relation as printed.

        >>> Connection(Relation.AHEAD, 120).description, Connection(Relation.OWN).description
        ('ahead by 120', 'own')
        >>> Connection(Relation.GRAPH, path=("a", "b", "c")).description
        '2 links'
        """
        if len(self.path) > 1:
            return plural(len(self.path) - 1, "link")
        return str(self.relation) if self.distance is None else f"{self.relation} by {self.distance}"


def find_connection(
    basis: NavigationBasis,
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
        basis: navigation basis of the user model.
        results: places of the results.
        row: index of the result.
        targets: places of the targets.
        column: index of the target.
        probability: R of the pair by the model, without its discount of later ranks.
        own: the result points to the target itself.
    """
    if own:
        return Connection(Relation.OWN)
    if basis is NavigationBasis.GRAPH:
        return Connection(Relation.GRAPH)
    if results.document[row] < 0 or results.document[row] != targets.document[column]:
        return Connection(Relation.OTHER)
    located = bool(results.located[row] and targets.located[column])
    distance = int(targets.start[column] - results.start[row]) if located else 0
    by_distance = Connection(Relation.AHEAD if distance >= 0 else Relation.BEHIND, abs(distance))
    if (basis is NavigationBasis.NEARBY and distance != 0) or (basis is NavigationBasis.FORWARD and distance > 0):
        return by_distance
    relation = _spatial_relation(results, row, targets, column, located=located)
    ratio = float(overlap_ratio(results, targets, np.array([row]), np.array([column]))[0])
    if basis is NavigationBasis.NEIGHBOURS and (relation is None or probability > ratio * (1 + _TOLERANCE)):
        relation = Relation.SIBLING
    if relation is None:
        return by_distance if located else Connection(Relation.OTHER)
    return Connection(relation)


def _spatial_relation(
    results: Locations, row: int, targets: Locations, column: int, *, located: bool
) -> Relation | None:
    """Containment or overlap of a result and a target; None if they are disjoint."""
    y, x = int(results.element[row]), int(targets.element[column])
    if y >= 0 and x >= 0:
        if y <= x < results.end[row]:
            return Relation.CONTAINS
        return Relation.INSIDE if x <= y < targets.end[column] else None
    if not located:
        return None
    start, target_start = int(results.start[row]), int(targets.start[column])
    end, target_end = start + int(results.length[row]), target_start + int(targets.length[column])
    if start <= target_start and target_end <= end:
        return Relation.CONTAINS
    if target_start <= start and end <= target_end:
        return Relation.INSIDE
    return Relation.OVERLAP if max(start, target_start) < min(end, target_end) else None


# The explanation of a topic


@dataclass(frozen=True, slots=True)
class ReachedTarget:
    """A target that a rank leads to: its number, R, the link, and P(seen) before and after the rank."""

    target: int
    probability: float
    link: Connection
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class SeenCount:
    """Distribution of F_k, the number of targets seen: `distribution[f]` is P(F_k = f).

    F_k lies in `low`..`high` with probability 90 %.
    """

    mean: float
    low: int
    high: int
    distribution: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """A line of the run: the place that it points to, and whether that exists in the collection."""

    location: NamedLocation
    exists: bool
    line: int


@dataclass(frozen=True, slots=True)
class ResultGain:
    """What a result gains for measures without a user model.

    `gain`: of the judged element or document that it is; None if the measures count characters. `size`: its characters;
    `relevant`: those that are highlighted; `overlap`: those that earlier results have too. None if they are unknown.
    """

    gain: float | None
    size: int | None = None
    relevant: int | None = None
    overlap: int | None = None


@dataclass(frozen=True, slots=True)
class Rank:
    """A rank of the list: its results, the targets that it reaches, and its additions.

    It has several results if the results of an article form an item. `count`: targets seen after it. `additions`: one
    number per measure.
    """

    number: int
    results: tuple[Result, ...]
    reached_targets: tuple[ReachedTarget, ...]
    count: SeenCount
    additions: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A target: its number, P(x in I) as `weight`, P(seen) at the end, and the ranks that reach it."""

    number: int
    location: NamedLocation
    weight: float
    seen: float
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ExplainedAlternative:
    """An alternative of a facet: its name, numbers of its targets, and P(all seen) at the end.

    `rank`: the first rank after which it is as likely as at the end; None if it can never be seen in full. `missing`:
    targets that are not surely seen.
    """

    name: str
    targets: tuple[int, ...]
    satisfied: float
    rank: int | None
    missing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ExplainedFacet:
    """A facet: its number and name, weight (of the largest), P(satisfied) at the end, and its alternatives."""

    number: int
    name: str
    weight: float
    satisfied: float
    alternatives: tuple[ExplainedAlternative, ...]

    @property
    def best(self) -> ExplainedAlternative:
        """The alternative most likely to be seen in full, of equal ones the earliest seen, then the first."""
        return min(self.alternatives, key=lambda each: (-each.satisfied, each.rank or 0))


@dataclass(frozen=True)
class TopicOfRun:
    """Data of a topic, rows of the run for it, and the path finder of a user model that follows links."""

    data: TopicData
    rows: slice
    path_finder: PathFinder | None = None


@dataclass(frozen=True, repr=False)
class Explanation(Tabular):
    """The result of `explain`: one topic of one run under one setting, rank by rank.

    `contributions` and every `Rank.additions` are in the order of printing. `warnings`: notices for the user.
    `signature`: every choice that changes a number. With texts, `excerpts` has the text of results and targets, and
    `documents` has their documents in the order of reading. `gains`: if no measure follows a user, what the results of
    each rank gain, in place of what they reach. `facets`: those that the judgements of the topic declare.
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
    gains: tuple[tuple[ResultGain, ...], ...] = ()
    facets: tuple[ExplainedFacet, ...] = ()

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per rank: its results, numbers of targets reached and seen, and its additions."""
        names = [contribution.measure for contribution in self.contributions]
        for rank in self.ranks:
            yield {
                "rank": rank.number,
                "result": "; ".join(result.location.description for result in rank.results),
                "reached": len(rank.reached_targets),
                "seen": rank.count.mean,
                **dict(zip(names, rank.additions, strict=True)),
            }

    def _summary(self) -> str:
        values = ", ".join(f"{contribution.measure} {contribution.value:.4f}" for contribution in self.contributions)
        return f"topic {self.topic}, run {self.run_id}: {values}"


def result_gains(
    ranks: Sequence[Rank], gains: Sequence[float], spans: Mapping[str, Spans], *, of_characters: bool
) -> tuple[tuple[ResultGain, ...], ...]:
    """What each result of each rank gains.

    Args:
        ranks: the ranks.
        gains: gain of each result, in their order.
        spans: highlighted spans by document.
        of_characters: the measures count highlighted characters, not gains.
    """
    read: dict[str, list[tuple[int, int]]] = {}
    numbers = iter(gains)
    by_rank = []
    for rank in ranks:
        of_results = []
        for result in rank.results:
            place, gain = result.location, next(numbers)
            if not result.exists or place.start is None or place.length is None:
                of_results.append(ResultGain(None if of_characters else gain))
                continue
            extent = place.start, place.start + place.length
            before = read.setdefault(place.document, [])
            relevant, overlap = (_shared(extent, other) for other in (spans.get(place.document, ()), before))
            of_results.append(ResultGain(None if of_characters else gain, place.length, relevant, overlap))
            before.append(extent)
        by_rank.append(tuple(of_results))
    return tuple(by_rank)


def _shared(extent: tuple[int, int], spans: Spans) -> int:
    """Number of characters of an extent that are in some of the spans."""
    return sum(max(0, min(high, extent[1]) - max(low, extent[0])) for low, high in merge_spans(spans))


def explain_topic(
    topic: TopicOfRun, run: Run, setting: Setting, measured: Sequence[tuple[ConfiguredMeasure, TopicData]]
) -> Explanation:
    """Explain the values of measures on a topic.

    Args:
        topic: data of the topic under `setting`.
        run: the run.
        setting: the user model and the targets that ranks reach.
        measured: divisible measures, each with the data of the topic under its setting.

    Raises:
        NoTargetsError: the topic has no targets, so that these measures have no value.
    """
    whole, topic = topic.data, replace(topic, data=topic.data.navigated)
    data = topic.data
    if not len(data.judged.targets):
        raise NoTargetsError(f"topic {data.judged.name} has no targets: scores have no value there")
    item = item_numbers(data.ranking.locations.document) if joins_items(setting.choice.values) else None
    contributions = rank_contributions(measured, data.reach.ranks, item)
    ranks = _ranks(topic, run, setting, contributions)
    return Explanation(
        data.judged.name,
        run.run_id,
        run.path,
        setting.choice.spec,
        setting.targets.value,
        setting.quantisation.name,
        data.collection_size,
        tuple(contributions),
        ranks,
        _targets(data, ranks),
        facets=_facets(whole),
    )


def _facets(data: TopicData) -> tuple[ExplainedFacet, ...]:
    """The facets of a topic; empty if its judgements declare none."""
    facets = data.judged.facets
    if facets is None:
        return ()
    seen, goals = data.navigated.seen, data.goal_states
    p, satisfied = _seen_by_state(seen, len(facets.targets)), np.zeros(len(facets))
    satisfied[goals.active] = goals.p[:, -1]
    explained, names = [], iter(facets.alternative_names)
    for number in range(len(facets)):
        alternatives = []
        for targets in facets.alternatives(number):
            chance = p[targets].prod(axis=0)
            state = int(np.argmax(chance >= chance[-1]))
            rank = int(seen.change_ranks[state - 1]) if state else None
            missing = tuple(target + 1 for target in targets if p[target, -1] < 1)
            numbers = tuple(target + 1 for target in targets)
            alternatives.append(ExplainedAlternative(next(names), numbers, float(chance[-1]), rank, missing))
        weight = float(facets.weight[number])
        chances = float(satisfied[number])
        explained.append(ExplainedFacet(number + 1, facets.names[number], weight, chances, tuple(alternatives)))
    return tuple(explained)


def _ranks(
    topic: TopicOfRun, run: Run, setting: Setting, contributions: Sequence[RankContributions]
) -> tuple[Rank, ...]:
    data, path_finder = topic.data, topic.path_finder
    seen, reach, ranking = data.seen, data.reach, data.ranking
    numbers = np.arange(reach.ranks + 1)
    forms_items = joins_items(setting.choice.values)
    item = item_numbers(ranking.locations.document) if forms_items else np.arange(len(ranking))
    names = name_results(run, topic.rows, ranking.locations, data.judged.targets)
    results = list(map(Result, names, ranking.exists.tolist(), ranking.lines.tolist()))
    p = _seen_by_state(seen, reach.targets)
    states = seen.states_at(numbers)
    counts = _counts(seen)
    first_row, first_entry = np.searchsorted(item, numbers), np.searchsorted(reach.rank, numbers)
    start_nodes: list[Sequence[str]] = []  # of each result: its own node, or the nodes in it
    if path_finder is not None:
        contained = data.ranked_list.contained_nodes()
        start_nodes = [contained.get(row, (node,)) for row, node in enumerate(data.ranked_list.result_nodes())]
    ranks = []
    for k in range(reach.ranks):
        before, after = p[:, states[k]], p[:, states[k + 1]]
        rows = range(first_row[k], first_row[k + 1])
        reached = []
        for entry in range(first_entry[k], first_entry[k + 1]):
            x, probability = int(reach.target[entry]), float(reach.probability[entry])
            link = _best_link(data, setting, rows, x, probability, own=bool(reach.exact[entry]))
            if path_finder is not None and link.relation is Relation.GRAPH:
                nodes = [node for row in rows for node in start_nodes[row]]
                link = replace(link, path=path_finder(nodes, data.judged.targets.nodes[x]))
            reached.append(ReachedTarget(x + 1, probability, link, float(before[x]), float(after[x])))
        additions = tuple(float(contribution.additions[k]) for contribution in contributions)
        count = counts[int(states[k + 1])]
        ranks.append(Rank(k + 1, tuple(results[row] for row in rows), tuple(reached), count, additions))
    return tuple(ranks)


def _best_link(data: TopicData, setting: Setting, rows: range, x: int, probability: float, *, own: bool) -> Connection:
    """The closest relation of the results of a rank to a target."""
    results, targets = data.ranking.locations, data.judged.targets.locations
    links = [
        find_connection(setting.choice.model.navigation_basis, results, row, targets, x, probability, own=own)
        for row in rows
    ]
    return min(links, key=lambda link: RELATIONS_BY_CLOSENESS.index(link.relation))


def _seen_by_state(seen: SeenStates, targets: int) -> FloatArray:
    """P(x seen) by target, as numbered in the assessments, and state."""
    p = np.zeros((targets, seen.p.shape[1]))
    p[seen.active] = seen.p
    return p


def _counts(seen: SeenStates) -> list[SeenCount]:
    """The exact distribution of F in every state."""
    distributions = count_distribution(seen.p)
    means = seen.p.sum(axis=0)
    cumulative = np.cumsum(distributions, axis=0)
    low = (cumulative > TAIL - _TOLERANCE).argmax(axis=0)
    high = (cumulative >= 1 - TAIL - _TOLERANCE).argmax(axis=0)
    padding = (0.0,) * (seen.targets - len(seen.active))
    return [
        SeenCount(float(means[j]), int(low[j]), int(high[j]), (*distributions[:, j].tolist(), *padding))
        for j in range(distributions.shape[1])
    ]


def _targets(data: TopicData, ranks: Sequence[Rank]) -> tuple[Target, ...]:
    by_target: dict[int, list[int]] = {}
    for rank in ranks:
        for reached in rank.reached_targets:
            by_target.setdefault(reached.target, []).append(rank.number)
    targets = data.judged.targets
    p = _seen_by_state(data.seen, len(targets))[:, -1]
    columns = zip(name_targets(targets), targets.weight.tolist(), p.tolist(), strict=True)
    return tuple(
        Target(x, location, weight, seen, tuple(by_target.get(x, ())))
        for x, (location, weight, seen) in enumerate(columns, 1)
    )
