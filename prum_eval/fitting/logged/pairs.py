"""Pairs of a consulted result and a target that the user had not seen: was it viewed from there?

Conventions. Rows are pairs, in the order of sessions, topics, ranks and targets. Distinct pairs of a place and a target
of a topic are numbered; what a user model says of them is computed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray, sums_by
from prum_eval.fitting.logged.places import TopicPlaces
from prum_eval.fitting.logged.reports import Remark, Remarks
from prum_eval.fitting.logged.visits import VisitedList, Visits
from prum_eval.records.log import Consultation, LoggedPlace

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

    `pair`: number of the distinct pair; `before`: ranks before that of the result; `again`: an earlier result was in
    its document; `viewed`: the target was viewed from it; `session`: its number, of `sessions`. `distinct`: topic by
    topic, in the order of their numbers.
    """

    pair: IntArray
    before: IntArray
    again: BoolArray
    viewed: BoolArray
    session: IntArray
    sessions: int
    distinct: Sequence[TopicPairs]

    def __len__(self) -> int:
        return len(self.pair)

    @property
    def inside(self) -> BoolArray:
        """Of distinct pairs: both are in the same document."""
        return np.concatenate([np.zeros(0, dtype=np.bool_), *(one.inside for one in self.distinct)])


def pairs_of(visits: Visits, remarks: Remarks, *, everywhere: bool) -> ViewPairs:
    """The pairs of all lists; remarks on views that are none.

    `everywhere`: of a result with the targets of all documents, not just those of its own.
    """
    rows: dict[str, list[_Row]] = {}
    candidates: dict[str, _Candidates] = {}
    for one in visits.lists:
        topic = one.places.topic
        if topic not in candidates:
            candidates[topic] = _Candidates(one.places, everywhere=everywhere)
        rows.setdefault(topic, []).extend(_rows(one, candidates[topic], remarks))
    return _columns(rows, {topic: candidates[topic].places for topic in rows}, len(visits.sessions))


_Row = tuple[int, int, int, int, bool, bool]
"""Session, ranks before, place, target, again, viewed."""


class _Candidates:
    """By place of a topic: targets that may be viewed from it."""

    def __init__(self, places: TopicPlaces, *, everywhere: bool) -> None:
        self.places = places
        self._everywhere = everywhere
        self._found: dict[int, list[int]] = {}

    def of(self, place: int) -> list[int]:
        """Targets of its document, or of all, that it is not itself."""
        if place not in self._found:
            documents = self.places.targets.locations.document
            there = np.ones(len(documents), np.bool_) if self._everywhere else documents == self.places.document[place]
            if self.places.document[place] < 0 and not self._everywhere:
                there[:] = False
            own = set(self.places.own[place])
            self._found[place] = [target for target in np.flatnonzero(there).tolist() if target not in own]
        return self._found[place]


def _rows(one: VisitedList, candidates: _Candidates, remarks: Remarks) -> list[_Row]:
    places = one.places
    seen: set[int] = set()
    opened: set[int] = set()
    rows = []
    for line in one.lines:
        place = places.number[line.result]
        _remark_on_result(line, places, place, remarks)
        own, document = set(places.own[place]), int(places.document[place])
        viewed = _viewed(line, places, seen, own, set(candidates.of(place)), remarks)
        seen |= own
        again = document in opened
        rows += [
            (one.session, line.rank - 1, place, target, again, target in viewed)
            for target in candidates.of(place)
            if target not in seen
        ]
        seen |= viewed
        if document >= 0:
            opened.add(document)
    return rows


def _viewed(
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
        targets = set(places.shown[number])
        if not targets:
            remarks.add(Remark.STRAY_VIEW if places.known[number] else Remark.UNKNOWN_VIEW, line.line)
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
    if not places.known[place]:
        remarks.add(Remark.UNKNOWN_RESULT, line.line)
    elif not places.exists[place]:
        remarks.add(Remark.MISSING_RESULT, line.line)
    elif results.element[place] < 0 and not results.located[place] and _is_part(line.result):
        remarks.add(Remark.UNLISTED_RESULT, line.line)
    elif not places.own[place]:
        remarks.add(Remark.NO_TARGET, line.line)


def _is_part(place: LoggedPlace) -> bool:
    return bool(place.path)


def _columns(rows: Mapping[str, list[_Row]], places: Mapping[str, TopicPlaces], sessions: int) -> ViewPairs:
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

    `pair` and `before` as in `ViewPairs`, of each cell; `open`: no earlier result was in the document, or that does not
    matter.
    """

    pair: IntArray
    before: IntArray
    open: BoolArray
    trials: FloatArray
    views: FloatArray

    def take(self, rows: BoolArray) -> Cells:
        """Some of them."""
        return Cells(self.pair[rows], self.before[rows], self.open[rows], self.trials[rows], self.views[rows])


@dataclass(frozen=True, eq=False)
class CellCounts:
    """Cells of all pairs, and of each fold of the sessions: `cell` is that of each row of the pairs."""

    cells: Cells
    cell: IntArray
    fold: IntArray

    def of_folds(self, fold: int, viewed: BoolArray) -> tuple[Cells, Cells]:
        """Counts of all folds but one, and of that one."""
        own = self.fold == fold
        size = len(self.cells.pair)
        trials = np.bincount(self.cell[own], minlength=size).astype(np.float64)
        views = sums_by(self.cell[own], viewed[own], size)
        cells = self.cells
        held_out = Cells(cells.pair, cells.before, cells.open, trials, views)
        others = Cells(cells.pair, cells.before, cells.open, cells.trials - trials, cells.views - views)
        return others, held_out


def cells_of(pairs: ViewPairs, *, once: bool) -> CellCounts:
    """Count the pairs; `once`: nothing leads on from a document that an earlier result opened."""
    opened = ~pairs.again if once else np.ones(len(pairs), dtype=np.bool_)
    deepest = int(pairs.before.max(initial=0)) + 1
    unique, cell = np.unique((pairs.pair * deepest + pairs.before) * 2 + opened, return_inverse=True)
    cell = cell.ravel()
    trials = np.bincount(cell, minlength=len(unique)).astype(np.float64)
    views = sums_by(cell, pairs.viewed, len(unique))
    pair, before = np.divmod(unique // 2, deepest)
    cells = Cells(pair, before, unique % 2 > 0, trials, views)
    return CellCounts(cells, cell, pairs.session % FOLDS)
