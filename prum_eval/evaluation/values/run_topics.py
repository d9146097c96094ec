"""The topics of one run: what is known of each under a setting, and where its results are."""

from __future__ import annotations

from collections.abc import Mapping
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
from prum_eval.relevance.targets import make_targets
from prum_eval.user_models.model import ModelNeed
from prum_eval.user_models.registry import build

MOST_KEPT = 1 << 15
"""Topics under settings that are kept for the next run: a call with a million topics makes them again."""


@dataclass(eq=False)
class RunTopics:
    """The topics of one run while it is evaluated. `resolvers`: one a setting."""

    plan: Plan
    run: Run
    resolvers: dict[SettingKey, Resolver] = field(default_factory=dict)

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
        inputs, key = self.plan.inputs, setting.key
        size = inputs.collection_size
        if key not in self.resolvers:
            trees = inputs.trees if setting.extents else None
            graph = ModelNeed.GRAPH in setting.choice.model.needs
            inside = inputs.trees if graph else None
            linked = inputs.structure.names if graph and inputs.structure and inputs.navigation is None else None
            lengths = inputs.lengths if setting.extents and self.run.kind is RunKind.FLAT else None
            self.resolvers[key] = Resolver(
                self.run, inputs.holding, trees, inside, linked, lengths, named=self._named_places
            )
        judged = judged_topic(self.plan, setting, topic)
        ranking = _empty_ranking(self.run.path) if rows is None else self.resolvers[key].rank(rows, judged.targets)
        if self.plan.tokens is not None:
            ranking = with_tokens(ranking, self.plan.tokens)
        return TopicData(judged, ranking, size)


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
