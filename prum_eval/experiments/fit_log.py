"""Pairs of a consulted result and a target that the user had not seen: was it viewed from there?

Conventions. Rows are pairs, in the order of sessions, topics, ranks and targets. Distinct pairs of a place and a target
of a topic are numbered; what a user model says of them is computed once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray, group_bounds, grouped_sums
from prum_eval.collection.locations import Locations, exact_entries, same_document_pairs
from prum_eval.evaluation.inputs import Inputs, check_places
from prum_eval.evaluation.resolution import ListLocator, LocatedList
from prum_eval.measures.topic_data import ranked_topic
from prum_eval.records import Consultation, LoggedPlace, NavigationFile, Run, RunKind, UserLog
from prum_eval.relevance.targets import TargetSet
from prum_eval.tabular import join_names
from prum_eval.text.names import candidate_documents
from prum_eval.user_models.model import RankedTopic, located_pairs

# The places that a log names, topic by topic: which of the collection they are, and which targets.


@dataclass(frozen=True, eq=False)
class TopicPlaces:
    """The places of a topic, each once, as a list that user models can be asked about.

    `number`: of each place. `identical_targets`: targets that each is. `shown_targets`: targets that a view of it shows: these, and those of
    the same extent. `in_known_document`: its document is one of the collection's, or of the
    assessments'; `exists`: and it is in the document, as far as is known. `names`: nodes of a navigation graph, empty
    where a place is none; asked for only where there is a graph.
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
        """Number of the document of each place; below the number of the targets' documents, it holds a target."""
        return self.ranked.results.document


def locate_places(log: UserLog, placing: ListLocator, *, graph: bool) -> dict[str, TopicPlaces]:
    """The places of every topic of a log that is assessed, by name.

    Raises:
        DataError: places cannot be found without a structure.
        InputError: a target that cannot be placed.
    """
    named: dict[str, set[LoggedPlace]] = {}
    for one in log.lines:
        if one.topic in placing.inputs.assessments.topics:
            named.setdefault(one.topic, set()).update((one.result, *one.viewed))
    topics = {topic: sorted(named[topic]) for topic in sorted(named)}
    known = _known_documents(placing.inputs)
    documents = sorted({place.document for listed in topics.values() for place in listed})
    parts = [_run_of_kind(log.path, kind, topics, documents) for kind in RunKind]
    for part in parts:
        if len(part.line):
            check_places(part.path, part.kind, placing.inputs, "log")
    found: dict[str, list[LocatedList]] = {}
    for part in parts:
        for placed in placing.lists(part, graph=graph, repeats=True):
            found.setdefault(placed.topic, []).append(placed)
    return {topic: _join_places(topic, topics[topic], placed, known) for topic, placed in sorted(found.items())}


def _known_documents(inputs: Inputs) -> AbstractSet[str]:
    if inputs.structure is not None:
        return inputs.structure.names
    return {name for topic in inputs.assessments.topics.values() for name in topic.documents}


def _kind(place: LoggedPlace) -> RunKind:
    if place.start >= 0:
        return RunKind.EXTENTS
    return RunKind.ELEMENTS if place.path else RunKind.FLAT


def _run_of_kind(
    path: str, kind: RunKind, topics: Mapping[str, Sequence[LoggedPlace]], documents: Sequence[str]
) -> Run:
    """The places of one kind as a run, so that they are found as results are; all parts have the same documents."""
    own = {topic: [one for one in listed if _kind(one) is kind] for topic, listed in topics.items()}
    own = {topic: listed for topic, listed in own.items() if listed}
    rows = [one for listed in own.values() for one in listed]
    code = {name: number for number, name in enumerate(documents)}
    paths = sorted({one.path for one in rows if one.path})
    path_code = {name: number for number, name in enumerate(paths)} | {"": -1}
    element = _column(path_code[one.path] for one in rows)
    return Run(
        path=path, run_id=path, kind=kind, topics=tuple(own), bounds=group_bounds([*map(len, own.values())]),
        documents=tuple(documents), document=_column(code[one.document] for one in rows), paths=tuple(paths),
        first_path=element, last_path=element, start=_column(one.start for one in rows),
        length=_column(one.length for one in rows), exists=np.ones(len(rows), dtype=np.bool_),
        score=np.zeros(len(rows)), line=np.arange(len(rows)), tied=0,
    )  # fmt: skip


def _column(numbers: Iterable[int]) -> IntArray:
    return np.array([*numbers], dtype=np.int64)


def _join_places(
    topic: str, listed: Sequence[LoggedPlace], placed: Sequence[LocatedList], known: AbstractSet[str]
) -> TopicPlaces:
    """The places of all kinds as one list, in the order of the parts."""
    kinds = {kind: number for number, kind in enumerate(RunKind)}
    order = sorted(listed, key=lambda one: kinds[_kind(one)])
    columns = [[getattr(one.ranked_topic.results, name) for one in placed] for name in Locations.__slots__]
    locations = Locations(*(np.concatenate(column) for column in columns))

    def nodes() -> list[str]:
        return [name for one in placed for name in one.ranked_topic.result_nodes()]

    def entered() -> dict[int, Sequence[str]]:
        found: dict[int, Sequence[str]] = {}
        first = 0
        for one in placed:
            found |= {first + rank: names for rank, names in one.ranking.contained_nodes().items()}
            first += len(one.ranking)
        return found

    targets = placed[0].targets
    own = _columns_by_row(len(order), *exact_entries(locations, targets.locations))
    alike = _columns_by_row(len(order), *_same_extents(locations, targets.locations))
    shown = [tuple(sorted({*one, *others})) for one, others in zip(own, alike, strict=True)]
    there = [not known.isdisjoint(candidate_documents([one.document])) for one in order]
    return TopicPlaces(
        topic, {one: number for number, one in enumerate(order)}, targets,
        ranked_topic(topic, targets, locations, nodes, entered), own, shown,
        np.array(there, dtype=np.bool_), np.concatenate([one.ranking.exists for one in placed]),
    )  # fmt: skip


def _same_extents(places: Locations, targets: Locations) -> tuple[IntArray, IntArray]:
    """Pairs of a place and a target of one extent, whatever elements they are."""
    rows, columns = same_document_pairs(places.document, targets.document)
    same = located_pairs(places, targets, rows, columns) & (places.start[rows] == targets.start[columns])
    same &= places.length[rows] == targets.length[columns]
    return rows[same], columns[same]


def _columns_by_row(count: int, rows: IntArray, columns: IntArray) -> list[tuple[int, ...]]:
    found: list[list[int]] = [[] for _ in range(count)]
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        found[row].append(column)
    return [tuple(sorted(one)) for one in found]


# What of a log does not count, by line: counted and told, never dropped in silence.


class Remark(Enum):
    """Kinds of remarks: what one is, what several are."""

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
    """So many times something was met in a log; `lines`: the numbers of the lines, a line once for each time."""

    remark: Remark
    lines: tuple[int, ...]

    @property
    def text(self) -> str:
        """As a sentence."""
        distinct = list(dict.fromkeys(self.lines))
        where = f"line{'s'[: len(distinct) != 1]} {join_names([str(line) for line in distinct])}"
        return f"{len(self.lines)} {self.remark.value[len(self.lines) != 1]} ({where})"


@dataclass
class Remarks:
    """Collects the lines that something is to be said of."""

    lines: dict[Remark, list[int]] = field(default_factory=dict)

    def add(self, remark: Remark, line: int, times: int = 1) -> None:
        """Note a line."""
        if times:
            self.lines.setdefault(remark, []).extend([line] * times)

    def reports(self) -> Sequence[LogReport]:
        """All of them, in the order of the kinds, lines in that of the file."""
        return tuple(LogReport(one, tuple(sorted(self.lines[one]))) for one in Remark if one in self.lines)


# Sessions of a log in order: each list by rank, whatever the order of the lines.


@dataclass(frozen=True, eq=False)
class VisitedList:
    """What a user did with the list of a topic, by rank. `session`: its number; `stopped`: after the last rank."""

    session: int
    places: TopicPlaces
    lines: tuple[Consultation, ...]
    stopped: bool


@dataclass(frozen=True, eq=False)
class Visits:
    """All lists of a log, by name of session and topic. `sessions`: their names, in order."""

    sessions: tuple[str, ...]
    lists: Sequence[VisitedList]

    @property
    def consulted_count(self) -> int:
        """Results consulted."""
        return sum(len(one.lines) for one in self.lists)


def collect_visits(log: UserLog, places: Mapping[str, TopicPlaces], remarks: Remarks) -> Visits:
    """The lists of the topics that are assessed; remarks on lines that are not in order, or say `stop` too early."""
    grouped: dict[tuple[str, str], list[Consultation]] = {}
    last: tuple[str, str] | None = None
    for one in log.lines:
        key = one.session, one.topic
        if one.topic not in places:
            remarks.add(Remark.UNASSESSED, one.line)
            last = key
            continue
        before = grouped.setdefault(key, [])
        if before and (key != last or before[-1].rank > one.rank):
            remarks.add(Remark.OUT_OF_ORDER, one.line)
        before.append(one)
        last = key
    sessions = sorted({one.session for one in log.lines})
    number = {name: place for place, name in enumerate(sessions)}
    lists = []
    for session, topic in sorted(grouped):
        lines = sorted(grouped[session, topic], key=lambda one: one.rank)
        for one in lines[:-1]:
            remarks.add(Remark.EARLY_STOP, one.line, int(one.stop))
        lists.append(VisitedList(number[session], places[topic], tuple(lines), lines[-1].stop))
    return Visits(tuple(sessions), lists)


FOLDS = 5


@dataclass(frozen=True, eq=False)
class TopicPairs:
    """Distinct pairs of a topic: `place` and `target` of each; `inside`: they are in the same document."""

    places: TopicPlaces
    place: IntArray
    target: IntArray
    inside: BoolArray


@dataclass(frozen=True, eq=False)
class ViewPairs:
    """All pairs of a log.

    `pair`: number of the distinct pair; `ranks_before`: ranks before that of the result; `document_opened`: an earlier result was in
    its document; `viewed`: the target was viewed from it; `session`: its number, of `sessions`. `distinct_pairs`: topic by
    topic, in the order of their numbers.
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
        """Of distinct pairs: both are in the same document."""
        return np.concatenate([np.zeros(0, dtype=np.bool_), *(one.inside for one in self.distinct_pairs)])


def collect_pairs(visits: Visits, remarks: Remarks, *, everywhere: bool) -> ViewPairs:
    """The pairs of all lists; remarks on views that are none.

    `everywhere`: of a result with the targets of all documents, not just those of its own.
    """
    rows: dict[str, list[_Row]] = {}
    candidates: dict[str, _Candidates] = {}
    for one in visits.lists:
        topic = one.places.topic
        if topic not in candidates:
            candidates[topic] = _Candidates(one.places, everywhere=everywhere)
        rows.setdefault(topic, []).extend(_pair_rows(one, candidates[topic], remarks))
    return _pair_columns(rows, {topic: candidates[topic].places for topic in rows}, len(visits.sessions))


_Row = tuple[int, int, int, int, bool, bool]
"""Session, ranks before, place, target, again, viewed."""


class _Candidates:
    """By place of a topic: targets that may be viewed from it."""

    def __init__(self, places: TopicPlaces, *, everywhere: bool) -> None:
        self.places = places
        self._everywhere = everywhere
        self._found: dict[int, list[int]] = {}

    def targets_from(self, place: int) -> list[int]:
        """Targets of its document, or of all, that it is not itself."""
        if place not in self._found:
            documents = self.places.targets.locations.document
            there = np.ones(len(documents), np.bool_) if self._everywhere else documents == self.places.document[place]
            if self.places.document[place] < 0 and not self._everywhere:
                there[:] = False
            own = set(self.places.identical_targets[place])
            self._found[place] = [target for target in np.flatnonzero(there).tolist() if target not in own]
        return self._found[place]


def _pair_rows(one: VisitedList, candidates: _Candidates, remarks: Remarks) -> list[_Row]:
    places = one.places
    seen: set[int] = set()
    opened: set[int] = set()
    rows = []
    for line in one.lines:
        place = places.number[line.result]
        _remark_on_result(line, places, place, remarks)
        own, document = set(places.identical_targets[place]), int(places.document[place])
        viewed = _newly_viewed(line, places, seen, own, set(candidates.targets_from(place)), remarks)
        seen |= own
        again = document in opened
        rows += [
            (one.session, line.rank - 1, place, target, again, target in viewed)
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
    own: set[int],
    candidates: set[int],
    remarks: Remarks,
) -> set[int]:
    """Targets that were viewed from a result for the first time, and remarks on the other views."""
    found: set[int] = set()
    for view in line.viewed:
        number = places.number[view]
        targets = set(places.shown_targets[number])
        if not targets:
            remarks.add(Remark.STRAY_VIEW if places.in_known_document[number] else Remark.UNKNOWN_VIEW, line.line)
        elif targets <= own:
            remarks.add(Remark.OWN_VIEW, line.line)
        elif targets <= seen | found:
            remarks.add(Remark.REPEATED_VIEW, line.line)
        elif not targets & candidates:
            remarks.add(Remark.OUTSIDE_VIEW, line.line)
        found |= targets - seen - own
    return found


def _remark_on_result(line: Consultation, places: TopicPlaces, place: int, remarks: Remarks) -> None:
    results = places.ranked.results
    if not places.in_known_document[place]:
        remarks.add(Remark.UNKNOWN_RESULT, line.line)
    elif not places.exists[place]:
        remarks.add(Remark.MISSING_RESULT, line.line)
    elif results.element[place] < 0 and not results.located[place] and _is_part(line.result):
        remarks.add(Remark.UNLISTED_RESULT, line.line)
    elif not places.identical_targets[place]:
        remarks.add(Remark.NO_TARGET, line.line)


def _is_part(place: LoggedPlace) -> bool:
    return bool(place.path)


def _pair_columns(rows: Mapping[str, list[_Row]], places: Mapping[str, TopicPlaces], sessions: int) -> ViewPairs:
    """Columns of the rows of all topics, ordered by session."""
    columns, distinct, first = [], [], 0
    for topic in sorted(rows):
        own = np.array(rows[topic], dtype=np.int64).reshape(-1, 6)
        targets = max(1, len(places[topic].targets))
        unique, number = np.unique(own[:, 2] * targets + own[:, 3], return_inverse=True)
        place, target = np.divmod(unique, targets)
        inside = places[topic].document[place] == places[topic].targets.locations.document[target]
        distinct.append(TopicPairs(places[topic], place, target, inside))
        columns.append(np.column_stack((own, first + number.ravel())))
        first += len(unique)
    whole = np.concatenate([np.zeros((0, 7), dtype=np.int64), *columns])
    whole = whole[np.argsort(whole[:, 0], kind="stable")]
    session, before, _, _, again, viewed, pair = whole.T
    return ViewPairs(pair, before, again > 0, viewed > 0, session, sessions, distinct)


@dataclass(frozen=True, eq=False)
class Cells:
    """Pairs that are the same to a user model, counted: `trials`, and of these `views`.

    `pair` and `ranks_before` as in `ViewPairs`, of each cell; `unopened_document`: no earlier result was in the document, or that does not
    matter.
    """

    pair: IntArray
    ranks_before: IntArray
    unopened_document: BoolArray
    trials: FloatArray
    views: FloatArray

    def take(self, rows: BoolArray) -> Cells:
        """Some of them."""
        return Cells(
            self.pair[rows], self.ranks_before[rows], self.unopened_document[rows], self.trials[rows], self.views[rows]
        )


@dataclass(frozen=True, eq=False)
class CellCounts:
    """Cells of all pairs, and of each fold of the sessions: `cell` is that of each row of the pairs."""

    cells: Cells
    cell: IntArray
    fold: IntArray

    def split_fold(self, fold: int, viewed: BoolArray) -> tuple[Cells, Cells]:
        """Counts of all folds but one, and of that one."""
        own = self.fold == fold
        size = len(self.cells.pair)
        trials = np.bincount(self.cell[own], minlength=size).astype(np.float64)
        views = grouped_sums(self.cell[own], viewed[own], size)
        cells = self.cells
        held_out = Cells(cells.pair, cells.ranks_before, cells.unopened_document, trials, views)
        others = Cells(
            cells.pair, cells.ranks_before, cells.unopened_document, cells.trials - trials, cells.views - views
        )
        return others, held_out


def count_cells(pairs: ViewPairs, *, once: bool) -> CellCounts:
    """Count the pairs; `once`: nothing leads on from a document that an earlier result opened."""
    opened = ~pairs.document_opened if once else np.ones(len(pairs), dtype=np.bool_)
    deepest = int(pairs.ranks_before.max(initial=0)) + 1
    unique, cell = np.unique((pairs.pair * deepest + pairs.ranks_before) * 2 + opened, return_inverse=True)
    cell = cell.ravel()
    trials = np.bincount(cell, minlength=len(unique)).astype(np.float64)
    views = grouped_sums(cell, pairs.viewed, len(unique))
    pair, before = np.divmod(unique // 2, deepest)
    cells = Cells(pair, before, unique % 2 > 0, trials, views)
    return CellCounts(cells, cell, pairs.session % FOLDS)


# Steps of users from node to node, and from rank to rank: how often they go on.


@dataclass(frozen=True, eq=False)
class ShareCounts:
    """What happened in each session: `part` of `whole` times. Shape (sessions,)."""

    part: FloatArray
    whole: FloatArray

    def share(self) -> float | None:
        """Of all sessions; None where nothing happened."""
        whole = float(self.whole.sum())
        return float(self.part.sum()) / whole if whole > 0 else None


@dataclass(frozen=True, eq=False)
class Walks:
    """Steps n_ij from node to node, departures n_i, and by session: columns of one entry for each of its steps.

    `nodes`: names; `source`, `target` and `session` of each step; `departure_node` and `departure_session`: nodes from which a session
    went on or stopped. The last position of a list that does not end with a stop is none of them.
    """

    nodes: tuple[str, ...]
    source: IntArray
    target: IntArray
    session: IntArray
    departure_node: IntArray
    departure_session: IntArray
    sessions: int

    def navigation(self, sessions: Iterable[int] | None = None) -> NavigationFile:
        """Probabilities n_ij / n_i of all steps, as a navigation file of single steps; of some sessions, or of all."""
        step, departure = np.ones(len(self.source), dtype=np.bool_), np.ones(len(self.departure_node), dtype=np.bool_)
        if sessions is not None:
            own = np.array(sorted(sessions), dtype=np.int64)
            step, departure = np.isin(self.session, own), np.isin(self.departure_session, own)
        size = max(1, len(self.nodes))
        keys, counts = np.unique(self.source[step] * size + self.target[step], return_counts=True)
        source, target = np.divmod(keys, size)
        whole = np.bincount(self.departure_node[departure], minlength=size)
        return NavigationFile(
            "steps", (None,) * len(keys), tuple(self.nodes[one] for one in source.tolist()),
            tuple(self.nodes[one] for one in target.tolist()), counts / whole[source], np.arange(1, len(keys) + 1),
        )  # fmt: skip

    def damping(self) -> ShareCounts:
        """Of all departures those that are steps, by session."""
        steps = np.bincount(self.session, minlength=self.sessions).astype(np.float64)
        return ShareCounts(steps, np.bincount(self.departure_session, minlength=self.sessions).astype(np.float64))

    def step(self, source: str, target: str) -> ShareCounts:
        """Of the departures from a node those to another one, by session."""
        number = {name: place for place, name in enumerate(self.nodes)}
        here = self.source == number[source]
        along = here & (self.target == number[target])
        part = np.bincount(self.session[along], minlength=self.sessions).astype(np.float64)
        whole = np.bincount(self.departure_session[self.departure_node == number[source]], minlength=self.sessions)
        return ShareCounts(part, whole.astype(np.float64))


def collect_walks(visits: Visits, remarks: Remarks) -> Walks:
    """The walks of all lists, from each result along the views to the last; places that are no node are passed over."""
    names: dict[str, list[str]] = {}
    codes: dict[str, int] = defaultdict(lambda: len(codes))
    steps: list[tuple[int, int, int]] = []
    left: list[tuple[int, int]] = []
    for one in visits.lists:
        places = one.places
        if places.topic not in names:
            names[places.topic] = list(places.ranked.result_nodes())
        for number, line in enumerate(one.lines):
            listed = [names[places.topic][places.number[place]] for place in (line.result, *line.viewed)]
            remarks.add(Remark.NO_NODE, line.line, sum(not name for name in listed))
            nodes = [codes[name] for name in _drop_adjacent_repeats(name for name in listed if name)]
            steps += [(here, there, one.session) for here, there in pairwise(nodes)]
            censored = number == len(one.lines) - 1 and not one.stopped
            left += [(node, one.session) for node in (nodes[:-1] if censored else nodes)]
    order = np.argsort(np.array(list(codes)), kind="stable") if codes else np.zeros(0, dtype=np.int64)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    listed_names = list(codes)
    source, target, session = np.array(steps, dtype=np.int64).reshape(-1, 3).T
    departed, by = np.array(left, dtype=np.int64).reshape(-1, 2).T
    return Walks(
        tuple(listed_names[one] for one in order.tolist()), place[source], place[target], session, place[departed], by,
        len(visits.sessions),
    )  # fmt: skip


def _drop_adjacent_repeats(names: Iterable[str]) -> list[str]:
    """Names without those that are like the one before."""
    found: list[str] = []
    for name in names:
        if not found or found[-1] != name:
            found.append(name)
    return found


def count_persistence(visits: Visits) -> ShareCounts:
    """By session, how often a user went on to the next rank, of all times that one went on or stopped."""
    on, stops = np.zeros((2, len(visits.sessions)))
    for one in visits.lists:
        on[one.session] += one.lines[-1].rank - 1
        stops[one.session] += one.stopped
    return ShareCounts(on, on + stops)
