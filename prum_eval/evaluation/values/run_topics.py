"""The topics of one run: what is known of each under a setting, and where its results are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache, cached_property, partial

import numpy as np

from prum_eval.collection.forest import NamedPlaces
from prum_eval.collection.locations import Locations
from prum_eval.evaluation.plan import Plan
from prum_eval.evaluation.resolution import Resolver
from prum_eval.evaluation.settings.setting import Setting, SettingKey
from prum_eval.evaluation.tokens import with_tokens
from prum_eval.measures.topic_data import JudgedTopic, Ranking, TopicData
from prum_eval.records.assessments import AssessmentKind
from prum_eval.records.run import Run, RunKind
from prum_eval.relevance.targets import TargetSet, make_targets
from prum_eval.user_models.model import ModelNeed
from prum_eval.user_models.registry import build

MOST_KEPT = 1 << 15
"""Topics under settings that are kept for the next run: a call with a million topics makes them again."""


@dataclass(frozen=True, eq=False)
class _Placed:
    """Some rows of the run as a ranking, what this counted, and what it depends on beside the rows."""

    resolver: Resolver
    targets: TargetSet
    ranking: Ranking
    counts: Counter[str]

    def serves(self, resolver: Resolver, targets: TargetSet) -> bool:
        """Is the ranking the same with these targets? It is where they are in the same documents."""
        own = self.targets
        same = own.forest is targets.forest and own.documents == targets.documents and own.lengths == targets.lengths
        return same and resolver is self.resolver


@dataclass(eq=False)
class RunTopics:
    """The topics of one run while it is evaluated.

    `counts`: what resolvers counted, under each setting; `overlapping`: the same for results that lie in others or hold
    others, by topic, where a measure asked.
    """

    plan: Plan
    run: Run
    counts: dict[SettingKey, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    overlapping: dict[SettingKey, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    _resolvers: dict[SettingKey, Resolver] = field(default_factory=dict)
    _placed: list[_Placed] = field(default_factory=list)  # the rows that were asked for last, under any setting
    _rows: slice | None = None

    @cached_property
    def _position(self) -> Mapping[str, int]:
        return {topic: number for number, topic in enumerate(self.run.topics)}

    @cached_property
    def _named_places(self) -> NamedPlaces | None:
        inputs = self.plan.inputs
        if inputs.structure is None or inputs.trees is None:
            return None
        return NamedPlaces(inputs.trees, self.run)

    def rows(self, topic: str) -> slice | None:
        """The rows of the run that are a topic's results; None where it answers nothing."""
        if topic not in self._position:
            return None
        low, high = self.run.bounds[self._position[topic] :][:2].tolist()
        return slice(low, high if self.plan.limit is None else min(high, low + self.plan.limit))

    def data(self, topic: str, setting: Setting, rows: slice | None) -> TopicData:
        """The data of a topic under a setting, with those rows of the run as results.

        Raises:
            InputError: a result or a target that cannot be placed.
        """
        size, holding = self.plan.inputs.collection_size, self.plan.inputs.holding
        if setting.key not in self._resolvers:
            self._resolvers[setting.key] = self._resolver(setting, holding)
        resolver = self._resolvers[setting.key]
        judged = judged_topic(self.plan, setting, topic)
        if rows != self._rows:
            self._rows, self._placed = rows, []
        placed = next((one for one in self._placed if one.serves(resolver, judged.targets)), None)
        if placed is None and rows is not None:
            placed = _Placed(resolver, judged.targets, resolver.rank(rows, judged.targets), resolver.counts)
            self._placed.append(placed)
        ranking = _empty_ranking(self.run.path) if placed is None else placed.ranking
        if placed is not None:
            self.counts[setting.key].update(placed.counts)
        if self.plan.tokens is not None:
            ranking = with_tokens(ranking, self.plan.tokens)
        return TopicData(judged, ranking, size)

    def _resolver(self, setting: Setting, holding: AbstractSet[str]) -> Resolver:
        """One that looks results up as the setting asks; another setting's, where it asks the same."""
        inputs = self.plan.inputs
        graph = ModelNeed.GRAPH in setting.choice.model.needs
        trees = inputs.trees if setting.extents else None
        inside = inputs.trees if graph else None
        linked = inputs.structure.names if graph and inputs.structure and inputs.navigation is None else None
        lengths = inputs.lengths if setting.extents and self.run.kind is RunKind.FLAT else None
        for other in self._resolvers.values():
            if other.trees is trees and other.inside is inside and other.linked is linked and other.lengths is lengths:
                return other
        return Resolver(self.run, holding, trees, inside, linked, lengths, named=self._named_places)


def judged_topic(plan: Plan, setting: Setting, topic: str) -> JudgedTopic:
    """What a topic is under a setting, for all runs; made when it is first asked for.

    Raises:
        InputError: a target that cannot be placed.
    """
    inputs, key = plan.inputs, setting.key
    if (key, topic) in plan.judged:
        return plan.judged[key, topic]
    assessed = inputs.assessments.topics[topic]
    aim = (setting.quantisation.name, setting.quantisation.level, setting.targets), topic
    if aim not in plan.targets:  # settings that differ in the user alone share them
        if len(plan.targets) >= MOST_KEPT:
            del plan.targets[next(iter(plan.targets))]
        plan.targets[aim] = make_targets(
            assessed, setting.targets, setting.quantisation, inputs.trees, largest_grade=inputs.largest_grade
        )
    targets = plan.targets[aim]
    if key not in plan.models:
        plan.models[key] = cache(partial(build, setting.choice, inputs.context))
    graph = ModelNeed.GRAPH in setting.choice.model.needs and inputs.navigation is not None
    graded = inputs.assessments.kind is AssessmentKind.FLAT and not setting.choice.model.navigates
    if len(plan.judged) >= MOST_KEPT:
        del plan.judged[next(iter(plan.judged))]
    plan.judged[key, topic] = JudgedTopic(
        topic,
        assessed,
        setting.quantisation.name,
        targets,
        plan.models[key],
        setting.choice.memoryless,
        tuple(dict.fromkeys(inputs.navigation.source)) if graph and inputs.navigation else (),
        inputs.assessments.kind,
        inputs.mean_length,
        inputs.largest_grade if graded else None,
        inputs.trees,
    )
    return plan.judged[key, topic]


def _empty_ranking(path: str) -> Ranking:
    """The ranking of a topic that a run does not answer."""
    nothing = np.zeros(0, dtype=np.int64)
    flags = np.zeros(0, dtype=np.bool_)
    locations = Locations(nothing, nothing, nothing, nothing, nothing, flags)
    return Ranking(locations, flags, np.zeros(0), list, path, nothing, list)
