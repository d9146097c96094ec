"""What measures are functions of: reach, seen states and gains of a topic, each computed once, if a measure asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.collection.locations import Locations, own_entries
from prum_eval.collection.trees import DocumentTree
from prum_eval.measures.coverage import Coverage, coverage
from prum_eval.records.assessments import AssessmentKind, Topic
from prum_eval.relevance.gain_lists import GainLists, gain_list
from prum_eval.relevance.targets import TargetSet
from prum_eval.user_models.model import Model, RankedTopic, Reach


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Entries of R, ordered by state, then target: in state `state` a rank leads to row `target` of `active`."""

    state: IntArray
    target: IntArray
    probability: FloatArray

    def within(self, low: int, high: int) -> Steps:
        """Those of the states low, ..., high - 1, counted from low on."""
        part = slice(*np.searchsorted(self.state, (low, high)).tolist())
        return Steps(self.state[part] - low, self.target[part], self.probability[part])


@dataclass(frozen=True, slots=True, eq=False)
class SeenStates:
    """States 0..J of a user who goes down a list; state 0 is before the first rank.

    p_k(x) = P(x seen after k ranks) = 1 - prod_{j <= k} (1 - R[j, x])   [PRUM eq. 1, EPRUM eq. 1]

    `ranks`: length o of the list. `targets`: number t of targets. `active`: the targets that are ever seen, in
    the given order. `change`: the J ranks (from 1) where something changes. `p`: shape (active, J + 1), the probability
    that each is seen in each state. `reach`: the entries of R that change something.
    """

    ranks: int
    targets: int
    active: IntArray
    change: IntArray
    p: FloatArray
    reach: Steps

    @property
    def dwell(self) -> IntArray:
        """For how many ranks k the user is in each state before looking at rank k; sums to o."""
        return np.diff(np.concatenate(([0], self.change, [self.ranks])))

    def ever_seen(self, order: IntArray, sizes: Sequence[int]) -> list[int]:
        """How many of the first so many targets in that order are ever seen, for each of the sizes.

        Where `active` follows the order, these are the first so many of `active`.
        """
        place = np.empty(int(order.max(initial=-1)) + 1, dtype=np.int64)
        place[order] = np.arange(len(order))
        counts: list[int] = np.searchsorted(place[self.active], sizes).tolist()
        return counts

    def states_at(self, ranks: IntArray) -> IntArray:
        """State after each of these ranks; past the end of the list the last one."""
        return np.searchsorted(self.change, ranks, side="right")


def make_seen(reach: Reach, order: IntArray | None = None) -> SeenStates:
    """The states that a reach matrix leads through.

    Args:
        reach: R of one list and topic.
        order: targets in the order in which `active` shall name them; all of them, as numbered, by default.
    """
    wanted = np.arange(reach.targets) if order is None else order
    touched = np.zeros(reach.targets, dtype=np.bool_)
    touched[reach.target] = True
    active = wanted[touched[wanted]]
    place = np.full(reach.targets, -1, dtype=np.int64)
    place[active] = np.arange(len(active))
    row = place[reach.target]
    sure = (row >= 0) & (reach.probability >= 1)
    first_sure = np.full(len(active), reach.ranks)
    np.minimum.at(first_sure, row[sure], reach.rank[sure])
    used = np.flatnonzero(row >= 0)
    used = used[reach.rank[used] <= first_sure[row[used]]]  # who has seen a target for sure sees nothing new
    used = used[np.lexsort((row[used], reach.rank[used]))]
    row, probability = row[used], reach.probability[used]
    ranks, column = np.unique(reach.rank[used], return_inverse=True)
    p, changes = _states(row, column, probability, (len(active), len(ranks)))
    state = np.cumsum(changes) - 1
    kept = changes[column]
    steps = Steps(state[column[kept]], row[kept], probability[kept])
    return SeenStates(reach.ranks, len(wanted), active, ranks[changes] + 1, p, steps)


def _states(
    row: IntArray, column: IntArray, probability: FloatArray, shape: tuple[int, int]
) -> tuple[FloatArray, BoolArray]:
    """P(x seen) before the first and after each rank that changes something, and which ranks do.

    A target stays as it is from one entry of R to the next, so that only at entries there is something to compute.

    Args:
        row: the target of each entry of R.
        column: its rank, never falling.
        probability: its value.
        shape: number of targets, each with an entry, and of ranks.
    """
    events, n = shape
    order = np.argsort(row, kind="stable")
    row, column = row[order], column[order]
    bounds = np.searchsorted(row, np.arange(events + 1))
    seen = _seen_after(probability[order], bounds)
    before = np.concatenate((np.zeros(1), seen))[:-1]
    before[bounds[:-1]] = 0.0
    fresh = seen > before
    changes = np.zeros(n, dtype=np.bool_)
    changes[column[fresh]] = True
    state, width = np.cumsum(changes), int(np.count_nonzero(changes)) + 1
    begin = row[fresh] * width + state[column[fresh]]  # of each value, in the rows of the table one after the other
    rows = np.arange(events) * width
    first = np.searchsorted(begin, rows)  # every row begins with 0
    lengths = np.diff(np.append(np.insert(begin, first, rows), events * width))
    return np.repeat(np.insert(seen[fresh], first, 0.0), lengths).reshape(events, width), changes


def _seen_after(probability: FloatArray, bounds: IntArray) -> FloatArray:
    """P(x seen) after each entry of R; the entries of the i-th target are bounds[i]:bounds[i + 1], by rank."""
    seen = np.empty(len(probability))
    sizes = np.diff(bounds)
    order = np.argsort(sizes, kind="stable")
    ranked, low = sizes[order], 0
    while low < len(order):  # targets together of which the last has at most twice as many entries as the first
        high = int(np.searchsorted(ranked, 2 * ranked[low], side="right"))
        own = order[low:high]
        place = np.arange(ranked[high - 1])
        filled = place < sizes[own][:, None]
        entries = (bounds[own][:, None] + place)[filled]
        steps = np.zeros(filled.shape)
        steps[filled] = probability[entries]
        seen[entries] = _ever(steps)[filled]
        low = high
    return seen


def _ever(steps: FloatArray) -> FloatArray:
    """1 - prod_{j <= k} (1 - steps_j) along the last axis, accurate relative to itself and never falling.

    Where it is small, one minus a product would lose it: there it is the sum of the first sightings.
    """
    unseen = np.cumprod(1.0 - steps, axis=1)
    first = steps.copy()
    first[:, 1:] *= unseen[:, :-1]
    p: FloatArray = np.where(unseen < 0.5, 1.0 - unseen, np.cumsum(first, axis=1))
    return np.maximum.accumulate(p, axis=1)


T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Ranking:
    """The results of one topic, best first.

    `exists`: the result is in the collection. `score`: NaN where the run gives none. `nodes`: their names in navigation
    files. `path`, `lines`, `document_names`: the file of the run, the line and the document of each result, for
    messages. `entered`: as in `RankedTopic`, of the results in documents without targets. `tokens`: of each result, 0
    where the run does not say, None where it never does.
    """

    locations: Locations
    exists: BoolArray
    score: FloatArray
    nodes: Callable[[], Sequence[str]]
    path: str
    lines: IntArray
    document_names: Callable[[], Sequence[str]]
    entered: Callable[[], Mapping[int, Sequence[str]]] = dict
    tokens: IntArray | None = None

    def __len__(self) -> int:
        return len(self.exists)

    def first(self, results: int) -> Ranking:
        """The same, cut after so many results."""
        entered = self.entered
        return Ranking(
            self.locations.take(np.arange(results)),
            self.exists[:results],
            self.score[:results],
            lambda: self.nodes()[:results],
            self.path,
            self.lines[:results],
            lambda: self.document_names()[:results],
            lambda: {row: nodes for row, nodes in entered().items() if row < results},
            None if self.tokens is None else self.tokens[:results],
        )


class Memo(dict[object, object]):
    """Values that several measures of one topic share; kept by name as long as the topic."""

    def once(self, key: object, compute: Callable[[], T]) -> T:
        """The value under that key, computed at the first call."""
        if key not in self:
            self[key] = compute()
        return self[key]  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class JudgedTopic:
    """What is known of a topic before any run: shared by all runs.

    `assessed`: the assessments as they were read, of that `kind`. `quantisation`: the name of the one that made the
    weights of `targets`. `targets`: what the user should find; for gain measures the full recall base. `model`: makes
    the user model at the first call; `memoryless` says that it looks at no earlier rank. `elsewhere`: nodes of a
    navigation graph that may lie in no known document. `trees`: of the structure, by document name, None without one.
    `mean_length`: of the documents, in characters, None where it is not known. `largest_grade`: of graded documents to
    a user who does not navigate, over all topics; None for all others.
    """

    name: str
    assessed: Topic
    quantisation: str
    targets: TargetSet
    model: Callable[[], Model]
    memoryless: bool = True
    elsewhere: Sequence[str] = ()
    kind: AssessmentKind = AssessmentKind.FLAT
    mean_length: float | None = None
    largest_grade: int | None = None
    trees: Mapping[str, DocumentTree] | None = field(default=None, repr=False)
    memo: Memo = field(default_factory=Memo, repr=False, compare=False)

    def ranked(
        self,
        locations: Locations,
        nodes: Callable[[], Sequence[str]],
        elsewhere: Callable[[], Mapping[int, Sequence[str]]] = dict,
    ) -> RankedTopic:
        """Any list of places of this topic, as user models see it; `elsewhere`: what they enter in other documents."""
        return ranked_topic(self.name, self.targets, locations, nodes, elsewhere)

    def reach(self, locations: Locations, nodes: Callable[[], Sequence[str]]) -> Reach:
        """The user model on any list of places of this topic."""
        ranked = self.ranked(locations, nodes)
        return self.model()(ranked)

    def reach_of_targets(self, rows: IntArray) -> Reach:
        """The user model on a list of targets."""
        nodes = [self.targets.nodes[row] for row in rows.tolist()]
        return self.reach(self.targets.locations.take(rows), lambda: nodes)


def ranked_topic(
    name: str,
    targets: TargetSet,
    locations: Locations,
    nodes: Callable[[], Sequence[str]],
    elsewhere: Callable[[], Mapping[int, Sequence[str]]] = dict,
) -> RankedTopic:
    """A list of places and the targets of a topic as user models see them; arguments as in `Ranking`."""

    def entered() -> dict[int, Sequence[str]]:
        inside = locations.located & (locations.element < 0) & (locations.document >= 0)
        found: dict[int, Sequence[str]] = {}
        for rank in np.flatnonzero(inside & (locations.document < len(targets.trees))).tolist():
            tree = targets.trees[locations.document[rank]]
            if tree is not None and tree.complete:
                found[rank] = tree.nodes_within(int(locations.start[rank]), int(locations.length[rank]))
        return found | dict(elsewhere())

    return RankedTopic(name, locations, targets.locations, targets.trees, nodes, targets.nodes, entered)


@dataclass(frozen=True, eq=False)
class TopicData:
    """One topic of one run. `collection_size`: N, None where it is not known."""

    judged: JudgedTopic
    ranking: Ranking
    collection_size: int | None = None
    memo: Memo = field(default_factory=Memo, repr=False, compare=False)

    @property
    def size(self) -> int:
        """N, for measures with `Need.SIZE`: the evaluation computes none of them without it."""
        assert self.collection_size is not None  # noqa: S101 - see above
        return self.collection_size

    @property
    def ranked(self) -> RankedTopic:
        """The run's list as user models see it."""
        return self.judged.ranked(self.ranking.locations, self.ranking.nodes, self.ranking.entered)

    @cached_property
    def reach(self) -> Reach:
        """R of the run's list."""
        ranked = self.ranked
        return self.judged.model()(ranked)

    @cached_property
    def order(self) -> IntArray:
        """Targets by decreasing P(x in I), ties in the order of the assessments."""
        return np.argsort(-self.judged.targets.weight, kind="stable")

    @cached_property
    def seen(self) -> SeenStates:
        """The states of a user who goes down the run's list; targets by decreasing P(x in I)."""
        order = self.order
        return make_seen(self.reach, order)

    @cached_property
    def existing(self) -> int:
        """Number of results that exist in the collection."""
        return int(np.count_nonzero(self.ranking.exists))

    @cached_property
    def own(self) -> tuple[IntArray, IntArray]:
        """The pairs (rank from 0, target) where the result is the target itself."""
        return own_entries(self.ranking.locations, self.judged.targets.locations)

    @cached_property
    def cover(self) -> Coverage:
        """Which results lie in others."""
        return coverage(self.ranking.locations)

    @cached_property
    def found(self) -> IntArray:
        """For each target the rank (from 0) of the first result that is it, -1 where there is none."""
        rank, target = self.own
        first = np.full(len(self.judged.targets), -1, dtype=np.int64)
        first[target[::-1]] = rank[::-1]  # written backwards, so that the first rank stays
        return first

    @cached_property
    def gains(self) -> FloatArray:
        """Gain of each result: the quantised value of the judged element or document that it is, else 0."""
        gains = np.zeros(len(self.ranking))
        rank, target = self.own
        gains[rank] = self.judged.targets.weight[target]
        return gains

    @cached_property
    def gain_list(self) -> GainLists:
        """The list that these gains make."""
        return gain_list(self.gains, self.judged.targets.weight)
