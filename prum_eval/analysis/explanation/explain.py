"""Why a topic's score is what it is: rank by rank, what the user sees and what that adds to each measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from prum_eval.analysis.explanation.excerpts import Excerpt
from prum_eval.analysis.explanation.named_locations import NamedLocation, named_results, named_targets
from prum_eval.analysis.explanation.rank_contributions import RankContributions, contributions
from prum_eval.analysis.explanation.read_documents import ReadDocument
from prum_eval.analysis.explanation.relations import CLOSEST, Connection, Relation, connect
from prum_eval.arrays import FloatArray
from prum_eval.errors import DataError
from prum_eval.evaluation.notices.notice import Notice
from prum_eval.evaluation.settings.setting import Setting
from prum_eval.measures.seen_states import SeenStates
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.topic_data import TopicData
from prum_eval.numerics.poisson_binomial import count_distribution
from prum_eval.records.run import Run
from prum_eval.tabular import RowValue, Tabular
from prum_eval.user_models.model import Ways
from prum_eval.user_models.modifiers import item_of_results, joins_items

TAIL = 0.05
"""The likely range of a count leaves out this much probability at either end."""
_SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class Reached:
    """A target that a rank leads to. `target`: its number, from 1; `before`, `after`: probability that it was seen."""

    target: int
    probability: float
    link: Connection
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Count:
    """The law of F_k, the number of targets seen: `law[f]` is P(F_k = f); it lies in `low`..`high` with 90 %."""

    mean: float
    low: int
    high: int
    law: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """A line of the run: what it points to, and whether that exists in the collection."""

    location: NamedLocation
    exists: bool
    line: int


@dataclass(frozen=True, slots=True)
class Rank:
    """A rank of the list: its result (several where results of an article form an item), what it reaches and adds.

    `count`: what was seen after it. `added`: one number a measure.
    """

    number: int
    results: tuple[Result, ...]
    reached: tuple[Reached, ...]
    count: Count
    added: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A target: its number from 1, P(x in I), the probability that it was seen at the end, the ranks that reach it."""

    number: int
    location: NamedLocation
    weight: float
    seen: float
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class OneTopic:
    """The data of a topic, the rows of the run that are its results, and the ways of its user model along links."""

    data: TopicData
    rows: slice
    ways: Ways | None = None


@dataclass(frozen=True, repr=False)
class Explanation(Tabular):
    """What `explain` returns: one topic of one run under one setting, rank by rank.

    `contributions` and every `Rank.added` are in the order of printing. `warnings` are what the user should know;
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
            words = "; ".join(result.location.words for result in rank.results)
            added = dict(zip(names, rank.added, strict=True))
            yield {"rank": rank.number, "result": words, "reached": len(rank.reached), "seen": rank.count.mean, **added}

    def _summary(self) -> str:
        values = ", ".join(f"{each.measure} {each.value:.4f}" for each in self.contributions)
        return f"topic {self.topic}, run {self.run_id}: {values}"


def explain_topic(
    one: OneTopic, run: Run, setting: Setting, measured: Sequence[tuple[ConfiguredMeasure, TopicData]]
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
    item = item_of_results(data.ranking.locations.document) if joins_items(setting.choice.values) else None
    found = contributions(measured, data.reach.ranks, item)
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


def _ranks(one: OneTopic, run: Run, setting: Setting, found: Sequence[RankContributions]) -> tuple[Rank, ...]:
    data = one.data
    seen, reach = data.seen, data.reach
    locations = data.ranking.locations
    items = joins_items(setting.choice.values)
    item = item_of_results(locations.document) if items else np.arange(len(data.ranking))
    named = named_results(run, one.rows, locations, data.judged.targets)
    lines = zip(named, data.ranking.exists.tolist(), data.ranking.lines.tolist(), strict=True)
    results = [Result(*line) for line in lines]
    p = _seen_by_state(seen, reach.targets)
    states = seen.states_at(np.arange(reach.ranks + 1))
    counts = _counts(seen)
    first = np.searchsorted(item, np.arange(reach.ranks + 1))
    entry = np.searchsorted(reach.rank, np.arange(reach.ranks + 1))
    beginnings = _beginnings(data) if one.ways is not None else []
    ranks = []
    for k in range(reach.ranks):
        before, after = p[:, states[k]], p[:, states[k + 1]]
        rows = range(first[k], first[k + 1])
        reached = []
        for e in range(entry[k], entry[k + 1]):
            x, probability = int(reach.target[e]), float(reach.probability[e])
            how = _best_link(data, setting, rows, x, probability, own=bool(reach.own[e]))
            if one.ways is not None and how.relation is Relation.GRAPH:
                begin = [node for row in rows for node in beginnings[row]]
                how = replace(how, way=one.ways(begin, data.judged.targets.nodes[x]))
            reached.append(Reached(x + 1, probability, how, float(before[x]), float(after[x])))
        added = tuple(float(each.added[k]) for each in found)
        ranks.append(
            Rank(k + 1, tuple(results[row] for row in rows), tuple(reached), counts[int(states[k + 1])], added)
        )
    return tuple(ranks)


def _best_link(data: TopicData, setting: Setting, rows: range, x: int, probability: float, *, own: bool) -> Connection:
    """The relation of a rank to a target; of several results that form the rank, the closest relation that one has."""
    results, targets = data.ranking.locations, data.judged.targets.locations
    links = [connect(setting.choice.model.leads, results, row, targets, x, probability, own=own) for row in rows]
    return min(links, key=lambda one: CLOSEST.index(one.relation))


def _beginnings(data: TopicData) -> list[Sequence[str]]:
    """The nodes from which a user leaves each result: its own, or those of what lies in it."""
    ranked = data.ranked
    entered = ranked.entered()
    return [entered.get(row, (node,)) for row, node in enumerate(ranked.result_nodes())]


def _seen_by_state(seen: SeenStates, targets: int) -> FloatArray:
    """P(x seen) by target, as numbered in the assessments, and state."""
    p = np.zeros((targets, seen.p.shape[1]))
    p[seen.active] = seen.p
    return p


def _counts(seen: SeenStates) -> list[Count]:
    """The law of F in every state; exact, whatever the mode of a measure."""
    law = count_distribution(seen.p)
    means = seen.p.sum(axis=0)
    below = np.cumsum(law, axis=0)
    low = (below > TAIL - _SLACK).argmax(axis=0)
    high = (below >= 1 - TAIL - _SLACK).argmax(axis=0)
    padding = (0.0,) * (seen.targets - len(seen.active))
    return [
        Count(float(means[j]), int(low[j]), int(high[j]), (*law[:, j].tolist(), *padding)) for j in range(law.shape[1])
    ]


def _targets(data: TopicData, ranks: Sequence[Rank]) -> tuple[Target, ...]:
    by_target: dict[int, list[int]] = {}
    for rank in ranks:
        for one in rank.reached:
            by_target.setdefault(one.target, []).append(rank.number)
    targets = data.judged.targets
    p = _seen_by_state(data.seen, len(targets))[:, -1]
    listed = zip(named_targets(targets), targets.weight.tolist(), p.tolist(), strict=True)
    return tuple(
        Target(x, location, weight, seen, tuple(by_target.get(x, ())))
        for x, (location, weight, seen) in enumerate(listed, 1)
    )
