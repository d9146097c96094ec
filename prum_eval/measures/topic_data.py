"""Data of topics for measures: reach, seen states, gains and reading costs, each computed once, if needed.

`TopicData` is one topic of a run. `TopicBatch` has the results and targets of many topics as columns, topic after
topic: topic i has the results ``bounds[i]:bounds[i + 1]``. A value must not depend on the other topics of its batch:
take differences of cumulative sums of integers only, and sum floats per topic.

Reading costs, in characters: every result counts in full, also if it overlaps another one. ``costs[k]`` is the cost of
the first k ranks, shape (o + 1,), ``costs[0]`` = 0. A result that points to nothing costs 0; an item of successive
results of an article costs their sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray, group_bounds, group_numbers, sums_of_groups
from prum_eval.collection.locations import Locations, exact_entries, join_locations
from prum_eval.collection.trees import Forest
from prum_eval.errors import DataError, UnsupportedResultError
from prum_eval.measures.seen_states import SeenStates, make_seen_states, split_states
from prum_eval.records import AssessmentKind, Topic
from prum_eval.relevance.facets import FacetSet
from prum_eval.relevance.gains import GainLists, gain_lists
from prum_eval.relevance.targets import TargetSet
from prum_eval.text.names import find_document
from prum_eval.text.numbers import quote_value
from prum_eval.user_models.model import Model, ModifiedModel, PairModel, RankedTopic, Reach, Reading

if TYPE_CHECKING:
    from prum_eval.measures.coverage import Coverage


T = TypeVar("T")


@dataclass(eq=False, repr=False)
class Ranking:
    """The results of one topic, best first.

    `exists`: the result is in the collection. `score`: NaN where the run gives none. `nodes`: their names in navigation
    files. `path`, `lines`, `document_names`: the file of the run, the line and the document of each result, for
    messages. `contained_nodes`: as in `RankedTopic`, of the results in documents without targets. `tokens`: of each
    result, 0 if unknown; None if the run has none at all. `document_lengths`: as in `RankedTopic`. `absent`: the run
    lacks the topic.
    """

    locations: Locations
    exists: BoolArray
    score: FloatArray
    nodes: Callable[[], Sequence[str]]
    path: str
    lines: IntArray
    document_names: Callable[[], Sequence[str]]
    contained_nodes: Callable[[], Mapping[int, Sequence[str]]] = dict
    tokens: IntArray | None = None
    document_lengths: Callable[[], IntArray] | None = None
    absent: bool = False

    def __len__(self) -> int:
        return len(self.exists)

    def truncate(self, results: int) -> Ranking:
        """The first n results."""
        entered, lengths = self.contained_nodes, self.document_lengths
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
            None if lengths is None else lambda: lengths()[:results],
        )


class Memo(dict[object, object]):
    """Values that measures of one topic share, by key."""

    def get_or_compute(self, key: object, compute: Callable[[], T]) -> T:
        """The value under that key, computed at the first call."""
        if key not in self:
            self[key] = compute()
        return self[key]  # type: ignore[return-value]


@dataclass(eq=False, repr=False)
class JudgedTopic:
    """Assessments and targets of a topic: shared by all runs.

    `assessed_topic`: the assessments as they were read, of that `kind`. `quantisation`: name of the quantisation of the
    weights of `targets`. `targets`: the targets of the user; for gain measures the full recall base. `model`: makes
    the user model at the first call; `memoryless`: it looks at no earlier rank. `unplaced_nodes`: nodes of a
    navigation graph that may lie in no known document. `trees`: trees of the structure, None without one.
    `mean_length`: mean length of the documents in characters, None if unknown. `largest_grade`: of graded documents
    under user model none, over all topics; else None. `reading`: makes what the user reads beyond results, None if that
    is what they reach. `document_lengths`: makes the known lengths of documents in characters. `facets`: None if the
    judgements declare none.
    """

    name: str
    assessed_topic: Topic
    quantisation: str
    targets: TargetSet
    model: Callable[[], Model]
    memoryless: bool = True
    unplaced_nodes: Sequence[str] = ()
    kind: AssessmentKind = AssessmentKind.FLAT
    mean_length: float | None = None
    largest_grade: int | None = None
    trees: Forest | None = field(default=None, repr=False)
    reading: Callable[[], Reading | None] = field(default=lambda: None, repr=False)
    document_lengths: Callable[[], Mapping[str, int]] = field(default=dict, repr=False)
    memo: Memo = field(default_factory=Memo, repr=False, compare=False)
    facets: FacetSet | None = None

    @property
    def navigated(self) -> JudgedTopic:
        """The topic with the targets of its facets; itself without facets."""
        return self._of_facets or self  # not cached: a reference to itself would keep it in memory

    @cached_property
    def _of_facets(self) -> JudgedTopic | None:
        if self.facets is None:
            return None
        return replace(self, targets=self.facets.targets, facets=None, memo=Memo())

    @property
    def goal_weights(self) -> FloatArray:
        """Weights of what a user should get: of the facets, else of the targets."""
        return self.targets.weight if self.facets is None else self.facets.weight

    @property
    def goal_order(self) -> IntArray:
        """Facets, else targets, by decreasing weight, ties in the order of the assessments."""
        return self.order if self.facets is None else self.facets.order

    @cached_property
    def order(self) -> IntArray:
        """Targets by decreasing P(x in I), ties in the order of the assessments."""
        return np.argsort(-self.targets.weight, kind="stable")

    def as_ranked_topic(
        self,
        locations: Locations,
        nodes: Callable[[], Sequence[str]],
        elsewhere: Callable[[], Mapping[int, Sequence[str]]] = dict,
        document_lengths: Callable[[], IntArray] | None = None,
    ) -> RankedTopic:
        """A list of places of this topic as user models see it; `elsewhere`: nodes contained in other documents."""
        return ranked_topic(self.name, self.targets, locations, nodes, elsewhere, document_lengths)

    def reach(self, locations: Locations, nodes: Callable[[], Sequence[str]]) -> Reach:
        """R of a list of places of this topic."""
        return self.model()(self.as_ranked_topic(locations, nodes))

    def reach_of_targets(self, rows: IntArray) -> Reach:
        """R of a list of targets."""
        return self.model()(self.list_of_targets(rows))

    def list_of_targets(self, rows: IntArray) -> RankedTopic:
        """A list of targets as user models see it."""
        nodes, locations = self.targets.nodes, self.targets.locations.take(rows)

        def document_lengths() -> IntArray:
            known, names = self.document_lengths(), self.targets.documents
            lengths = [find_document(known, names[number]) for number in locations.document.tolist()]
            return np.array([-1 if length is None else length for length in lengths], dtype=np.int64)

        return self.as_ranked_topic(
            locations, lambda: [nodes[row] for row in rows.tolist()], document_lengths=document_lengths
        )


def ranked_topic(
    name: str,
    targets: TargetSet,
    locations: Locations,
    nodes: Callable[[], Sequence[str]],
    elsewhere: Callable[[], Mapping[int, Sequence[str]]] = dict,
    document_lengths: Callable[[], IntArray] | None = None,
) -> RankedTopic:
    """A list of places and the targets of a topic as user models see them; arguments as in `Ranking`."""

    def contained_nodes() -> dict[int, Sequence[str]]:
        inside = locations.located & (locations.element < 0) & (locations.document >= 0)
        nodes_by_rank: dict[int, Sequence[str]] = {}
        for rank in np.flatnonzero(inside & (locations.document < len(targets.trees))).tolist():
            tree = targets.trees[locations.document[rank]]
            if tree is not None and tree.complete:
                nodes_by_rank[rank] = tree.nodes_within(int(locations.start[rank]), int(locations.length[rank]))
        return nodes_by_rank | dict(elsewhere())

    return RankedTopic(
        name, locations, targets.locations, targets.trees, nodes, targets.nodes, contained_nodes, document_lengths
    )


@dataclass(eq=False, repr=False)
class TopicData:
    """One topic of one run. `collection_size`: N, None if unknown. `costs`: of its ranks, by effort."""

    judged: JudgedTopic
    ranking: Ranking
    collection_size: int | None = None
    memo: Memo = field(default_factory=Memo, repr=False, compare=False)
    costs: dict[str, FloatArray] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def size(self) -> int:
        """N, for measures with `Need.SIZE`: the evaluation computes none of them without it."""
        assert self.collection_size is not None  # noqa: S101 - see above
        return self.collection_size

    @property
    def ranked_list(self) -> RankedTopic:
        """The run's list as user models see it."""
        ranking = self.ranking
        return self.judged.as_ranked_topic(
            ranking.locations, ranking.nodes, ranking.contained_nodes, ranking.document_lengths
        )

    @cached_property
    def reach(self) -> Reach:
        """R of the run's list."""
        return self.judged.model()(self.ranked_list)

    @cached_property
    def seen(self) -> SeenStates:
        """States of a user who goes down the run's list; targets by decreasing P(x in I)."""
        return make_seen_states(self.reach, self.judged.order)

    @property
    def navigated(self) -> TopicData:
        """The data with the targets of the topic's facets; itself without facets."""
        return self._of_facets or self

    @cached_property
    def _of_facets(self) -> TopicData | None:
        if self.judged.facets is None:
            return None
        return TopicData(self.judged.navigated, self.ranking, self.collection_size)

    @cached_property
    def goal_states(self) -> SeenStates:
        """States of a user who goes down the run's list: of facets, else of targets, by decreasing weight."""
        facets = self.judged.facets
        if facets is None:
            return self.seen
        from prum_eval.measures.facet_states import shared_facet_states  # few topics have facets

        return shared_facet_states(self.navigated.seen, facets, f"{self.ranking.path}: topic {self.judged.name}")

    @cached_property
    def existing_count(self) -> int:
        """Number of results that exist in the collection."""
        return int(np.count_nonzero(self.ranking.exists))

    @property
    def gains(self) -> FloatArray:
        """Gain of each result: the quantised value of the judged element or document that it is, else 0."""
        return TopicBatch([self]).gains


@dataclass(eq=False, repr=False)
class TopicBatch:
    """Topics of one run under one setting; columns are made from the topics when a measure asks for them.

    `known_gains`, `known_bounds`: the gain lists, and what makes the `bounds`, if they are known without the topics.
    """

    topics: Sequence[TopicData]
    known_gains: GainLists | None = None
    known_bounds: Callable[[], IntArray] | None = None
    memo: Memo = field(default_factory=Memo, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.topics)

    @cached_property
    def bounds(self) -> IntArray:
        """Bounds of the results of each topic."""
        if self.known_bounds is not None:
            return self.known_bounds()
        return group_bounds([len(topic.ranking) for topic in self.topics])

    @cached_property
    def target_bounds(self) -> IntArray:
        """Bounds of the targets of each topic."""
        return group_bounds([len(topic.judged.targets) for topic in self.topics])

    @cached_property
    def weights(self) -> FloatArray:
        """P(x in I) of the targets of all topics."""
        return np.concatenate([np.zeros(0), *(topic.judged.targets.weight for topic in self.topics)])

    @cached_property
    def results(self) -> Locations:
        """The results of all topics; documents are numbered within each topic."""
        return join_locations([topic.ranking.locations for topic in self.topics])

    @cached_property
    def exists(self) -> BoolArray:
        """Whether each result is in the collection."""
        return np.concatenate([np.zeros(0, dtype=np.bool_), *(topic.ranking.exists for topic in self.topics)])

    @cached_property
    def places(self) -> tuple[Locations, Locations]:
        """The results and the targets of all topics; no document is of two topics, those with targets come first."""
        results, targets = self.results, join_locations([topic.judged.targets.locations for topic in self.topics])
        first = group_bounds([len(topic.judged.targets.documents) for topic in self.topics])
        others = int(first[-1]) + np.arange(len(self)) * (int(results.document.max(initial=0)) + 1)

        def apart(locations: Locations, bounds: IntArray) -> Locations:
            topic, document = group_numbers(bounds), locations.document
            numbers = document + np.where(document < np.diff(first)[topic], first[topic], others[topic])
            return replace(locations, document=np.where(document < 0, document, numbers))

        return apart(results, self.bounds), apart(targets, self.target_bounds)

    @cached_property
    def hits(self) -> tuple[IntArray, IntArray]:
        """Pairs (result, target) of results that are the target itself."""
        return exact_entries(*self.places)

    @cached_property
    def gains(self) -> FloatArray:
        """Gain of each result: the quantised value of the judged element or document that it is, else 0."""
        gains = np.zeros(len(self.results))
        result, target = self.hits
        gains[result] = self.weights[target]
        return gains

    @cached_property
    def cover(self) -> Coverage:
        """Which results lie in others of their topic."""
        from prum_eval.measures.coverage import coverage  # few measures ask

        return coverage(self.places[0])

    @cached_property
    def existing_counts(self) -> IntArray:
        """Number of results of each topic that exist in the collection."""
        return sums_of_groups(self.exists.astype(np.int64), self.bounds)

    @cached_property
    def target_counts(self) -> IntArray:
        """Number of targets of each topic."""
        return np.diff(self.target_bounds) if self.known_gains is None else self.known_gains.relevant

    @cached_property
    def retrieved_counts(self) -> IntArray:
        """Number of targets of each topic that are results."""
        if self.known_gains is not None:
            return np.diff(self.known_gains.bounds)
        is_retrieved = np.zeros(len(self.weights), dtype=np.int64)
        is_retrieved[self.hits[1]] = 1
        return sums_of_groups(is_retrieved, self.target_bounds)

    def result(self, row: int) -> tuple[TopicData, int]:
        """The topic of a result, and its rank from 0."""
        number = int(np.searchsorted(self.bounds, row, side="right")) - 1
        return self.topics[number], row - int(self.bounds[number])

    def unsupported(self, row: int, reason: str) -> UnsupportedResultError:
        """An error of a result, with its line."""
        topic, rank = self.result(row)
        return UnsupportedResultError(topic.ranking.path, int(topic.ranking.lines[rank]), reason)

    def document_name(self, row: int) -> str:
        """Name of the document of a result."""
        topic, rank = self.result(row)
        return topic.ranking.document_names()[rank]

    @cached_property
    def gain_lists(self) -> GainLists:
        """Gains of the results and of the recall base of each topic."""
        if self.known_gains is not None:
            return self.known_gains
        return gain_lists(self.gains, self.bounds, self.weights, self.target_bounds)

    @cached_property
    def rows_with_targets(self) -> IntArray:
        """Numbers of the topics with targets."""
        return np.flatnonzero([len(topic.judged.targets) > 0 for topic in self.topics])

    @cached_property
    def with_targets(self) -> TopicBatch:
        """The batch of the topics with targets."""
        return self.select(self.rows_with_targets)

    def compute_states(self) -> None:
        """Compute the states of all topics at once, if the user model looks at pairs in one document only."""
        owners = [topic for topic in self.topics if "seen" not in vars(topic.navigated)]
        topics = [topic.navigated for topic in owners]
        model = joint_model([topic.judged for topic in topics])
        if model is None:
            return
        batch = self if topics == list(self.topics) else TopicBatch(topics)
        order = np.lexsort((-batch.weights, group_numbers(batch.target_bounds)))
        states = make_seen_states(model(RankedTopic("", *batch.places, (), tuple, ())), order)
        for topic, seen in zip(topics, split_states(states, batch.bounds, batch.target_bounds), strict=True):
            vars(topic)["seen"] = seen
        if any(topic.judged.facets is not None for topic in owners):
            from prum_eval.measures.facet_states import split_facet_states  # few topics have facets

            facets = [topic.judged.facets for topic in owners]
            parts = split_facet_states(states, facets, batch.bounds, batch.target_bounds)
            for topic, goals in zip(owners, parts, strict=True):
                if goals is not None:
                    vars(topic)["goal_states"] = goals

    def select(self, rows: IntArray) -> TopicBatch:
        """The batch of some topics."""
        return TopicBatch([self.topics[row] for row in rows.tolist()])


def states_of_targets(topics: Sequence[JudgedTopic], orders: Sequence[IntArray]) -> list[SeenStates]:
    """States of a user who goes down the targets of each topic in an order, in which they are counted."""
    pair_model = joint_model(topics)
    if pair_model is None:
        return [
            make_seen_states(topic.reach_of_targets(order), order) for topic, order in zip(topics, orders, strict=True)
        ]
    bounds = group_bounds([len(order) for order in orders])
    documents = group_bounds([len(topic.targets.documents) for topic in topics])
    targets = join_locations([topic.targets.locations for topic in topics])
    targets = replace(targets, document=targets.document + np.repeat(documents[:-1], np.diff(bounds)))
    order = np.concatenate(orders) + np.repeat(bounds[:-1], np.diff(bounds))
    states = make_seen_states(pair_model(RankedTopic("", targets.take(order), targets, (), tuple, ())), order)
    return split_states(states, bounds, bounds)


def joint_model(topics: Sequence[JudgedTopic]) -> PairModel | None:
    """The user model of several topics if it looks at pairs in one document only, else None."""
    model = topics[0].model() if len(topics) > 1 and topics[0].memoryless else None
    return model if isinstance(model, PairModel) else None


def reading_costs(data: TopicData, effort: str = "size") -> FloatArray:
    """Reading costs of a run's list; with `effort` read, of what is read beyond the results too.

    Raises:
        UnsupportedResultError: a result of unknown length, or in a document of unknown length, if the user reads on.
    """
    if effort in data.costs:
        return data.costs[effort]
    ranking = data.ranking
    length = np.where(ranking.exists, ranking.locations.length, 0)
    _refuse_unknown(ranking, length < 0, "the length of this result, of document {}, is not known")
    amounts = length.astype(np.float64)
    if effort == "read":
        from prum_eval.measures.reading import READING_ON, read_beyond  # few calls count what is read beyond results

        beyond = np.where(ranking.exists, read_beyond(data.judged.navigated, data.navigated.ranked_list), 0.0)
        _refuse_unknown(ranking, np.isnan(beyond), f"the length of document {{}} is not known, {READING_ON}")
        amounts += beyond
    data.costs[effort] = _costs_by_rank(data.judged, ranking.locations, amounts)
    return data.costs[effort]


def _refuse_unknown(ranking: Ranking, mask: BoolArray, reason: str) -> None:
    """Refuse the first result of a mask; `reason` has a place for the name of its document."""
    for rank in np.flatnonzero(mask)[:1].tolist():
        name = quote_value(ranking.document_names()[rank])
        raise UnsupportedResultError(ranking.path, int(ranking.lines[rank]), reason.format(name))


def ideal_costs(judged: JudgedTopic, rows: IntArray, effort: str = "size") -> FloatArray:
    """Reading costs of a list of targets.

    Raises:
        DataError: a target of unknown length, or in a document of unknown length, if the user reads on.
    """
    targets, where = judged.targets.locations.take(rows), f"{judged.assessed_topic.path}: topic {judged.name}"
    unknown = rows[targets.length < 0]
    if len(unknown):
        name = quote_value(judged.targets.nodes[int(unknown[0])])
        raise DataError(f"{where}: the length of target {name} is not known")
    amounts = targets.length.astype(np.float64)
    if effort == "read":
        from prum_eval.measures.reading import READING_ON, read_beyond  # few calls count what is read beyond results

        beyond = read_beyond(judged, judged.list_of_targets(rows))
        for document in targets.document[np.isnan(beyond)][:1].tolist():
            name = quote_value(judged.targets.documents[document])
            raise DataError(f"{where}: the length of document {name} is not known, {READING_ON}")
        amounts += beyond
    return _costs_by_rank(judged, targets, amounts)


def _costs_by_rank(judged: JudgedTopic, listed: Locations, amounts: FloatArray) -> FloatArray:
    """Running sums of what places of a list cost, by rank: a place or an item."""
    sums = np.concatenate(([0.0], np.cumsum(amounts)))
    model = judged.model()
    if not isinstance(model, ModifiedModel):
        return sums
    numbers = model.rank_numbers(listed.document)
    return sums[np.searchsorted(numbers, np.arange(int(numbers.max(initial=-1)) + 2))]


def positive_costs(costs: FloatArray) -> FloatArray:
    """Costs c_k of at least one character, so that a search can be divided by them; c_0 is 0."""
    return np.append(costs[:1], np.maximum(costs[1:], 1.0))
