"""Data for fitting user models to a log: places, sessions, pairs of a result and an unseen target, walks, remarks.

Conventions. Rows of `ViewPairs` are pairs of a consulted result and a target that the user had not seen, in the order
of sessions, topics, ranks and targets; `viewed` marks targets viewed from the result. Distinct pairs of a place and a
target of a topic are numbered; R of a user model is computed once for each. `Cells` count pairs that are the same to a
model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby, pairwise

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray, group_bounds, grouped_sums
from prum_eval.collection.locations import Locations, exact_entries, same_document_pairs
from prum_eval.evaluation.inputs import check_places
from prum_eval.evaluation.resolution import ListLocator, LocatedList
from prum_eval.measures.topic_data import ranked_topic
from prum_eval.records import Consultation, LoggedPlace, NavigationFile, Run, RunKind, UserLog
from prum_eval.relevance.targets import TargetSet
from prum_eval.tabular import join_names
from prum_eval.text.names import candidate_documents
from prum_eval.user_models.model import RankedTopic, located_pairs

FOLDS = 5
"""Number of folds of sessions for cross-validation."""

# Places


@dataclass(frozen=True, eq=False)
class TopicPlaces:
    """Distinct places of a topic of a log, as a list for user models.

    `number`: of each place. `identical_targets`: targets identical to each. `shown_targets`: targets shown by a view of
    it: these, and targets of the same extent. `in_known_document`: its document is in the collection or the
    assessments; `exists`: the place is in the document, as far as known.
    """

    topic: str
    number: Mapping[LoggedPlace, int]
    targets: TargetSet
    ranked: RankedTopic
    identical_targets: Sequence[tuple[int, ...]]
    shown_targets: Sequence[tuple[int, ...]]
    in_known_document: BoolArray
    exists: BoolArray

    @property
    def document(self) -> IntArray:
        """Document number of each place; documents with targets come first."""
        return self.ranked.results.document


def locate_places(log: UserLog, locator: ListLocator, *, graph: bool) -> dict[str, TopicPlaces]:
    """Places of every assessed topic of a log, by name.

    Raises:
        DataError: places cannot be located without a structure.
        InputError: a target that cannot be located.
    """
    inputs = locator.inputs
    place_sets: dict[str, set[LoggedPlace]] = {}
    for line in log.lines:
        if line.topic in inputs.assessments.topics:
            place_sets.setdefault(line.topic, set()).update((line.result, *line.viewed))
    topics = {topic: sorted(place_sets[topic]) for topic in sorted(place_sets)}
    if inputs.structure is not None:
        document_names: AbstractSet[str] = inputs.structure.names
    else:
        document_names = {name for topic in inputs.assessments.topics.values() for name in topic.documents}
    documents = sorted({place.document for places in topics.values() for place in places})
    parts = [_run_of_kind(log.path, kind, topics, documents) for kind in RunKind]
    for part in parts:
        if len(part.line):
            check_places(part.path, part.kind, inputs, "log")
    located: dict[str, list[LocatedList]] = {}
    for part in parts:
        for located_list in locator.lists(part, graph=graph, repeats=True):
            located.setdefault(located_list.topic, []).append(located_list)
    return {
        topic: _join_places(topic, topics[topic], lists, document_names) for topic, lists in sorted(located.items())
    }


def _kind(place: LoggedPlace) -> RunKind:
    if place.start >= 0:
        return RunKind.EXTENTS
    return RunKind.ELEMENTS if place.path else RunKind.FLAT


def _run_of_kind(
    path: str, kind: RunKind, topics: Mapping[str, Sequence[LoggedPlace]], documents: Sequence[str]
) -> Run:
    """Places of one kind as a run, to be located like results; all kinds have the same documents."""
    places_by_topic = {topic: [place for place in places if _kind(place) is kind] for topic, places in topics.items()}
    places_by_topic = {topic: places for topic, places in places_by_topic.items() if places}
    rows = [place for places in places_by_topic.values() for place in places]
    code = {name: number for number, name in enumerate(documents)}
    paths = sorted({place.path for place in rows if place.path})
    path_code = {name: number for number, name in enumerate(paths)} | {"": -1}
    path_codes = _column(path_code[place.path] for place in rows)
    return Run(
        path=path, run_id=path, kind=kind, topics=tuple(places_by_topic),
        bounds=group_bounds([*map(len, places_by_topic.values())]), documents=tuple(documents),
        document=_column(code[place.document] for place in rows), paths=tuple(paths), first_path=path_codes,
        last_path=path_codes, start=_column(place.start for place in rows),
        length=_column(place.length for place in rows), exists=np.ones(len(rows), dtype=np.bool_),
        score=np.zeros(len(rows)), line=np.arange(len(rows)), tied=0,
    )  # fmt: skip


def _column(numbers: Iterable[int]) -> IntArray:
    return np.array([*numbers], dtype=np.int64)


def _join_places(
    topic: str, places: Sequence[LoggedPlace], lists: Sequence[LocatedList], document_names: AbstractSet[str]
) -> TopicPlaces:
    """Places of all kinds as one list, by kind."""
    kinds = {kind: number for number, kind in enumerate(RunKind)}
    order = sorted(places, key=lambda place: kinds[_kind(place)])
    columns = [[getattr(place.ranked_topic.results, name) for place in lists] for name in Locations.__slots__]
    locations = Locations(*(np.concatenate(column) for column in columns))

    def nodes() -> list[str]:
        return [name for place in lists for name in place.ranked_topic.result_nodes()]

    def contained_nodes() -> dict[int, Sequence[str]]:
        contained: dict[int, Sequence[str]] = {}
        first = 0
        for place in lists:
            contained |= {first + rank: names for rank, names in place.ranking.contained_nodes().items()}
            first += len(place.ranking)
        return contained

    targets = lists[0].targets
    identical = _columns_by_row(len(order), *exact_entries(locations, targets.locations))
    same_extent = _columns_by_row(len(order), *_same_extents(locations, targets.locations))
    shown = [tuple(sorted({*place, *others})) for place, others in zip(identical, same_extent, strict=True)]
    in_document = [not document_names.isdisjoint(candidate_documents([place.document])) for place in order]
    return TopicPlaces(
        topic, {place: number for number, place in enumerate(order)}, targets,
        ranked_topic(topic, targets, locations, nodes, contained_nodes), identical, shown,
        np.array(in_document, dtype=np.bool_), np.concatenate([place.ranking.exists for place in lists]),
    )  # fmt: skip


def _same_extents(places: Locations, targets: Locations) -> tuple[IntArray, IntArray]:
    """Pairs of a place and a target with one extent, whatever their elements."""
    rows, columns = same_document_pairs(places.document, targets.document)
    same = located_pairs(places, targets, rows, columns) & (places.start[rows] == targets.start[columns])
    same &= places.length[rows] == targets.length[columns]
    return rows[same], columns[same]


def _columns_by_row(count: int, rows: IntArray, columns: IntArray) -> list[tuple[int, ...]]:
    columns_by_row: list[list[int]] = [[] for _ in range(count)]
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        columns_by_row[row].append(column)
    return [tuple(sorted(row_columns)) for row_columns in columns_by_row]


# Remarks on lines of a log that are ignored or corrected


class Remark(Enum):
    """Kinds of remarks: texts for one and for several."""

    UNASSESSED = "result is of a topic without assessments", "results are of topics without assessments"
    UNKNOWN_RESULT = "result is in an unknown document", "results are in unknown documents"
    MISSING_RESULT = "result is not in the structure", "results are not in the structure"
    UNLISTED_RESULT = "result is not in the assessments, so of unknown extent", \
        "results are not in the assessments, so of unknown extent"  # fmt: skip
    NO_TARGET = "result is no target itself", "results are no targets themselves"
    UNKNOWN_VIEW = "view is in an unknown document", "views are in unknown documents"
    STRAY_VIEW = "view is no target", "views are no targets"
    REPEATED_VIEW = "view is of a target seen before", "views are of targets seen before"
    OWN_VIEW = "view is of the result itself", "views are of the result itself"
    OUTSIDE_VIEW = "view is of a target in another document", "views are of targets in other documents"
    OUT_OF_ORDER = (
        "line is out of order, and taken by rank in its session",
        "lines are out of order, and taken by rank in their sessions",
    )
    EARLY_STOP = "stop is before the last rank of its list, and no stop", \
        "stops are before the last rank of their lists, and no stops"  # fmt: skip
    NO_NODE = "place is no node of a graph", "places are no nodes of a graph"
    LOST_READING = "reading is of a result whose place is unknown", "readings are of results whose places are unknown"
    LONG_READING = (
        "reading is past the end of its document, and cut off there",
        "readings are past the ends of their documents, and cut off there",
    )
    ENDLESS_READING = (
        "reading is of a document of unknown length, and counts as stopped",
        "readings are of documents of unknown length, and count as stopped",
    )


@dataclass(frozen=True)
class LogReport:
    """A remark and its `lines`, repeated per occurrence."""

    remark: Remark
    lines: tuple[int, ...]

    @property
    def text(self) -> str:
        """The report as a sentence."""
        distinct = list(dict.fromkeys(self.lines))
        where = f"line{'s'[: len(distinct) != 1]} {join_names([str(line) for line in distinct])}"
        return f"{len(self.lines)} {self.remark.value[len(self.lines) != 1]} ({where})"


@dataclass
class Remarks:
    """Collects lines with remarks."""

    lines: dict[Remark, list[int]] = field(default_factory=dict)

    def add(self, remark: Remark, line: int, times: int = 1) -> None:
        """Add a line."""
        if times:
            self.lines.setdefault(remark, []).extend([line] * times)

    def reports(self) -> Sequence[LogReport]:
        """All reports, in the order of kinds and lines."""
        return tuple(LogReport(remark, tuple(sorted(self.lines[remark]))) for remark in Remark if remark in self.lines)


# Sessions


@dataclass(frozen=True, eq=False)
class VisitedList:
    """Lines of a session for a topic, by rank. `session`: its number; `stopped`: after the last rank."""

    session: int
    places: TopicPlaces
    lines: tuple[Consultation, ...]
    stopped: bool


@dataclass(frozen=True, eq=False)
class Visits:
    """All lists of a log, by names of session and topic. `sessions`: their names, in order."""

    sessions: tuple[str, ...]
    lists: Sequence[VisitedList]

    @property
    def consulted_count(self) -> int:
        """Number of consulted results."""
        return sum(len(visited.lines) for visited in self.lists)


def collect_visits(log: UserLog, places: Mapping[str, TopicPlaces], remarks: Remarks) -> Visits:
    """Lists of assessed topics; remarks on lines out of order or with an early `stop`."""
    grouped: dict[tuple[str, str], list[Consultation]] = {}
    last: tuple[str, str] | None = None
    for line in log.lines:
        key = line.session, line.topic
        if line.topic not in places:
            remarks.add(Remark.UNASSESSED, line.line)
            last = key
            continue
        earlier = grouped.setdefault(key, [])
        if earlier and (key != last or earlier[-1].rank > line.rank):
            remarks.add(Remark.OUT_OF_ORDER, line.line)
        earlier.append(line)
        last = key
    sessions = sorted({line.session for line in log.lines})
    number = {name: index for index, name in enumerate(sessions)}
    lists = []
    for session, topic in sorted(grouped):
        lines = sorted(grouped[session, topic], key=lambda line: line.rank)
        for line in lines[:-1]:
            remarks.add(Remark.EARLY_STOP, line.line, int(line.stop))
        lists.append(VisitedList(number[session], places[topic], tuple(lines), lines[-1].stop))
    return Visits(tuple(sessions), lists)


# Pairs


@dataclass(frozen=True, eq=False)
class TopicPairs:
    """Distinct pairs of a topic: `place` and `target` of each; `inside`: in the same document."""

    places: TopicPlaces
    place: IntArray
    target: IntArray
    inside: BoolArray


@dataclass(frozen=True, eq=False)
class ViewPairs:
    """All pairs of a log.

    `pair`: number of the distinct pair; `ranks_before`: ranks before the result; `document_opened`: an earlier result
    was in its document; `viewed`: the target was viewed from the result; `session`: its number, of `sessions`.
    `distinct_pairs`: by topic, in the order of their numbers.
    """

    pair: IntArray
    ranks_before: IntArray
    document_opened: BoolArray
    viewed: BoolArray
    session: IntArray
    sessions: int
    distinct_pairs: Sequence[TopicPairs]

    def __len__(self) -> int:
        return len(self.pair)

    @property
    def inside(self) -> BoolArray:
        """Whether both parts of each distinct pair are in the same document."""
        return np.concatenate([np.zeros(0, dtype=np.bool_), *(pairs.inside for pairs in self.distinct_pairs)])


def collect_pairs(visits: Visits, remarks: Remarks, *, everywhere: bool) -> ViewPairs:
    """The pairs of all lists; remarks on views that form none.

    `everywhere`: pair a result with the targets of all documents, not just of its own.
    """
    rows: dict[str, list[_Row]] = {}
    candidates: dict[str, _Candidates] = {}
    for visited in visits.lists:
        topic = visited.places.topic
        if topic not in candidates:
            candidates[topic] = _Candidates(visited.places, everywhere=everywhere)
        rows.setdefault(topic, []).extend(_pair_rows(visited, candidates[topic], remarks))
    return _pair_columns(rows, {topic: candidates[topic].places for topic in rows}, len(visits.sessions))


_Row = tuple[int, int, int, int, bool, bool]
"""Session, ranks before, place, target, document opened before, viewed."""


class _Candidates:
    """Targets that may be viewed from each place of a topic."""

    def __init__(self, places: TopicPlaces, *, everywhere: bool) -> None:
        self.places = places
        self._everywhere = everywhere
        self._targets: dict[int, list[int]] = {}

    def targets_from(self, place: int) -> list[int]:
        """Other targets in its document, or in all."""
        if place not in self._targets:
            documents = self.places.targets.locations.document
            mask = np.ones(len(documents), np.bool_) if self._everywhere else documents == self.places.document[place]
            if self.places.document[place] < 0 and not self._everywhere:
                mask[:] = False
            identical = set(self.places.identical_targets[place])
            self._targets[place] = [target for target in np.flatnonzero(mask).tolist() if target not in identical]
        return self._targets[place]


def _pair_rows(visited: VisitedList, candidates: _Candidates, remarks: Remarks) -> list[_Row]:
    places = visited.places
    seen: set[int] = set()
    opened: set[int] = set()
    rows = []
    for line in visited.lines:
        place = places.number[line.result]
        _remark_on_result(line, places, place, remarks)
        identical, document = set(places.identical_targets[place]), int(places.document[place])
        viewed = _newly_viewed(line, places, seen, identical, set(candidates.targets_from(place)), remarks)
        seen |= identical
        reopened = document in opened
        rows += [
            (visited.session, line.rank - 1, place, target, reopened, target in viewed)
            for target in candidates.targets_from(place)
            if target not in seen
        ]
        seen |= viewed
        if document >= 0:
            opened.add(document)
    return rows


def _newly_viewed(
    line: Consultation,
    places: TopicPlaces,
    seen: set[int],
    identical: set[int],
    candidates: set[int],
    remarks: Remarks,
) -> set[int]:
    """Targets viewed for the first time, from a result; remarks on other views."""
    new: set[int] = set()
    for view in line.viewed:
        number = places.number[view]
        targets = set(places.shown_targets[number])
        if not targets:
            remarks.add(Remark.STRAY_VIEW if places.in_known_document[number] else Remark.UNKNOWN_VIEW, line.line)
        elif targets <= identical:
            remarks.add(Remark.OWN_VIEW, line.line)
        elif targets <= seen | new:
            remarks.add(Remark.REPEATED_VIEW, line.line)
        elif not targets & candidates:
            remarks.add(Remark.OUTSIDE_VIEW, line.line)
        new |= targets - seen - identical
    return new


def _remark_on_result(line: Consultation, places: TopicPlaces, place: int, remarks: Remarks) -> None:
    results = places.ranked.results
    if not places.in_known_document[place]:
        remarks.add(Remark.UNKNOWN_RESULT, line.line)
    elif not places.exists[place]:
        remarks.add(Remark.MISSING_RESULT, line.line)
    elif results.element[place] < 0 and not results.located[place] and line.result.path:
        remarks.add(Remark.UNLISTED_RESULT, line.line)
    elif not places.identical_targets[place]:
        remarks.add(Remark.NO_TARGET, line.line)


def _pair_columns(rows: Mapping[str, list[_Row]], places: Mapping[str, TopicPlaces], sessions: int) -> ViewPairs:
    """Columns of the rows of all topics, ordered by session."""
    columns, distinct, first = [], [], 0
    for topic in sorted(rows):
        topic_rows = np.array(rows[topic], dtype=np.int64).reshape(-1, 6)
        targets = max(1, len(places[topic].targets))
        unique, number = np.unique(topic_rows[:, 2] * targets + topic_rows[:, 3], return_inverse=True)
        place, target = np.divmod(unique, targets)
        inside = places[topic].document[place] == places[topic].targets.locations.document[target]
        distinct.append(TopicPairs(places[topic], place, target, inside))
        columns.append(np.column_stack((topic_rows, first + number.ravel())))
        first += len(unique)
    table = np.concatenate([np.zeros((0, 7), dtype=np.int64), *columns])
    table = table[np.argsort(table[:, 0], kind="stable")]
    session, before, _, _, reopened, viewed, pair = table.T
    return ViewPairs(pair, before, reopened > 0, viewed > 0, session, sessions, distinct)


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts of pairs that are the same to a user model: `trials`, of which `views`.

    `pair` and `ranks_before` as in `ViewPairs`; `unopened_document`: no earlier result was in the document, or this
    does not matter.
    """

    pair: IntArray
    ranks_before: IntArray
    unopened_document: BoolArray
    trials: FloatArray
    views: FloatArray

    def take(self, rows: BoolArray) -> Cells:
        """The cells of a mask."""
        return Cells(
            self.pair[rows], self.ranks_before[rows], self.unopened_document[rows], self.trials[rows], self.views[rows]
        )


@dataclass(frozen=True, eq=False)
class CellCounts:
    """Cells of all pairs, with the `cell` and the `fold` of each pair."""

    cells: Cells
    cell: IntArray
    fold: IntArray

    def split_fold(self, fold: int, viewed: BoolArray) -> tuple[Cells, Cells]:
        """Cells of all folds but one, and of that one."""
        in_fold = self.fold == fold
        size = len(self.cells.pair)
        trials = np.bincount(self.cell[in_fold], minlength=size).astype(np.float64)
        views = grouped_sums(self.cell[in_fold], viewed[in_fold], size)
        cells = self.cells
        held_out = Cells(cells.pair, cells.ranks_before, cells.unopened_document, trials, views)
        others = Cells(
            cells.pair, cells.ranks_before, cells.unopened_document, cells.trials - trials, cells.views - views
        )
        return others, held_out


def count_cells(pairs: ViewPairs, *, once: bool) -> CellCounts:
    """Count the pairs; `once`: opened documents do not lead on."""
    opened = ~pairs.document_opened if once else np.ones(len(pairs), dtype=np.bool_)
    deepest = int(pairs.ranks_before.max(initial=0)) + 1
    unique, cell = np.unique((pairs.pair * deepest + pairs.ranks_before) * 2 + opened, return_inverse=True)
    cell = cell.ravel()
    trials = np.bincount(cell, minlength=len(unique)).astype(np.float64)
    views = grouped_sums(cell, pairs.viewed, len(unique))
    pair, before = np.divmod(unique // 2, deepest)
    cells = Cells(pair, before, unique % 2 > 0, trials, views)
    return CellCounts(cells, cell, pairs.session % FOLDS)


# Steps between nodes and between ranks


@dataclass(frozen=True, eq=False)
class ShareCounts:
    """Counts by session, shape (sessions,): `part` of `whole`."""

    part: FloatArray
    whole: FloatArray

    def share(self) -> float | None:
        """Share over all sessions; None without counts."""
        whole = float(self.whole.sum())
        return float(self.part.sum()) / whole if whole > 0 else None


@dataclass(frozen=True, eq=False)
class Walks:
    """Steps n_ij between nodes and departures n_i, with their sessions.

    `nodes`: names; `source`, `target` and `session` of each step; `departure_node` and `departure_session`: nodes from
    which a session went on or stopped. The last position of a list without a stop is censored.
    """

    nodes: tuple[str, ...]
    source: IntArray
    target: IntArray
    session: IntArray
    departure_node: IntArray
    departure_session: IntArray
    sessions: int

    def navigation(self, sessions: Iterable[int] | None = None) -> NavigationFile:
        """Probabilities n_ij / n_i as a navigation file of steps, from some sessions or all."""
        step, departure = np.ones(len(self.source), dtype=np.bool_), np.ones(len(self.departure_node), dtype=np.bool_)
        if sessions is not None:
            numbers = np.array(sorted(sessions), dtype=np.int64)
            step, departure = np.isin(self.session, numbers), np.isin(self.departure_session, numbers)
        size = max(1, len(self.nodes))
        keys, counts = np.unique(self.source[step] * size + self.target[step], return_counts=True)
        source, target = np.divmod(keys, size)
        whole = np.bincount(self.departure_node[departure], minlength=size)
        return NavigationFile(
            "steps", (None,) * len(keys), tuple(self.nodes[node] for node in source.tolist()),
            tuple(self.nodes[node] for node in target.tolist()), counts / whole[source], np.arange(1, len(keys) + 1),
        )  # fmt: skip

    def damping(self) -> ShareCounts:
        """Steps among departures, by session."""
        steps = np.bincount(self.session, minlength=self.sessions).astype(np.float64)
        return ShareCounts(steps, np.bincount(self.departure_session, minlength=self.sessions).astype(np.float64))

    def step(self, source: str, target: str) -> ShareCounts:
        """Steps to a node among departures from another, by session."""
        number = {name: index for index, name in enumerate(self.nodes)}
        from_source = self.source == number[source]
        taken = from_source & (self.target == number[target])
        part = np.bincount(self.session[taken], minlength=self.sessions).astype(np.float64)
        whole = np.bincount(self.departure_session[self.departure_node == number[source]], minlength=self.sessions)
        return ShareCounts(part, whole.astype(np.float64))


def collect_walks(visits: Visits, remarks: Remarks) -> Walks:
    """Walks of all lists, from each result along its views; places without a node are skipped."""
    names: dict[str, list[str]] = {}
    codes: dict[str, int] = defaultdict(lambda: len(codes))
    steps: list[tuple[int, int, int]] = []
    departures: list[tuple[int, int]] = []
    for visited in visits.lists:
        places = visited.places
        if places.topic not in names:
            names[places.topic] = list(places.ranked.result_nodes())
        for number, line in enumerate(visited.lines):
            names_of_line = [names[places.topic][places.number[place]] for place in (line.result, *line.viewed)]
            remarks.add(Remark.NO_NODE, line.line, sum(not name for name in names_of_line))
            nodes = [codes[name] for name, _ in groupby(filter(None, names_of_line))]  # without adjacent repetitions
            steps += [(first, second, visited.session) for first, second in pairwise(nodes)]
            censored = number == len(visited.lines) - 1 and not visited.stopped
            departures += [(node, visited.session) for node in (nodes[:-1] if censored else nodes)]
    order = np.argsort(np.array(list(codes)), kind="stable") if codes else np.zeros(0, dtype=np.int64)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    node_names = list(codes)
    source, target, session = np.array(steps, dtype=np.int64).reshape(-1, 3).T
    departure_nodes, departure_sessions = np.array(departures, dtype=np.int64).reshape(-1, 2).T
    return Walks(
        tuple(node_names[node] for node in order.tolist()), place[source], place[target], session,
        place[departure_nodes], departure_sessions, len(visits.sessions),
    )  # fmt: skip


def count_persistence(visits: Visits) -> ShareCounts:
    """Steps to the next rank among steps and stops, by session."""
    steps, stops = np.zeros((2, len(visits.sessions)))
    for visited in visits.lists:
        steps[visited.session] += visited.lines[-1].rank - 1
        stops[visited.session] += visited.stopped
    return ShareCounts(steps, steps + stops)
