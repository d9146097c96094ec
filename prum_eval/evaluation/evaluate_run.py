"""One run: the facts of each topic, the values of each measure, the averages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from prum_eval.collection.locations import Locations
from prum_eval.errors import DataError, RefusedError
from prum_eval.evaluation.plan import Plan
from prum_eval.evaluation.requirements import check_topic, fits
from prum_eval.evaluation.resolution import Resolver
from prum_eval.evaluation.results import MeasuredValue, RunResult
from prum_eval.evaluation.run_warnings import counted, refusals
from prum_eval.evaluation.settings import Setting, SettingKey
from prum_eval.measures.base import Shape
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.topic_data import Ranking, TopicData
from prum_eval.numerics.levels import mean
from prum_eval.records.run import Run

Pairs = Sequence[tuple[ConfiguredMeasure, Setting]]


@dataclass(frozen=True)
class Evaluated:
    """A run's values, and what the user should be told about it."""

    result: RunResult
    warnings: tuple[str, ...]


def evaluate_run(plan: Plan, run: Run) -> Evaluated:
    """All values of one run.

    Raises:
        DataError: run and judgements do not fit, have no topic in common, or all measures are for other tasks.
        InputError: a result that a measure cannot place.
    """
    reason = fits(run.kind, plan.inputs)
    if reason is not None:
        raise DataError(f"{run.path}: {reason}")
    judged = plan.inputs.assessments.topics
    common = sorted(judged.keys() & set(run.topics))
    if not common:
        raise DataError(f"{run.path}: no topic in common with {plan.inputs.assessments.path}")
    whole, plan = plan, plan.for_task(run.task)
    if not plan.instances:
        tasks = ", ".join(dict.fromkeys(instance.only for instance in whole.instances if instance.only))
        raise DataError(f"{run.path}: no measure is left for a run of task {run.task}: all are for {tasks} only")
    pairs = list(zip(plan.instances, plan.settings, strict=True))
    topics = _Topics(plan, run)
    values = {topic: topics.values(topic, pairs) for topic in (sorted(judged) if plan.complete else common)}
    over_all = [pair for pair in pairs if pair[0].over_all]
    beside = [topics.values(topic, over_all) for topic in judged if over_all and topic not in values]
    averages = {
        name: _average(instance, [topic[name] for topic in [*values.values(), *beside] if name in topic])
        for instance in plan.instances
        if instance.called not in topics.refused
        for name in instance.names
    }
    only_average = {one.measure.name for one in plan.instances if one.measure.only_average}
    per_topic = {
        topic: {name: value for name, value in found.items() if name in averages and name not in only_average}
        for topic, found in values.items()
    }
    warnings = (*refusals(topics.refused), *counted(plan, run, per_topic, topics.resolvers.values()))
    return Evaluated(RunResult(run.run_id, run.path, per_topic, averages), warnings)


@dataclass(eq=False)
class _Topics:
    """The topics of one run while they are evaluated.

    `resolvers`: one a setting. `refused`: measures of a set that refuse the run, by the name that they are called.
    """

    plan: Plan
    run: Run
    resolvers: dict[SettingKey, Resolver] = field(init=False)
    refused: dict[str, RefusedError] = field(default_factory=dict)

    def __post_init__(self) -> None:
        trees, holding = self.plan.inputs.trees, self.plan.inputs.holding
        settings = self.plan.distinct().items()
        self.resolvers = {
            key: Resolver(self.run, holding, trees if setting.extents else None) for key, setting in settings
        }
        self._position = {topic: number for number, topic in enumerate(self.run.topics)}

    def values(self, topic: str, pairs: Pairs) -> dict[str, MeasuredValue]:
        """The values of a topic by printed name; of one that the run lacks, those of an empty list."""
        rows = self._rows(topic)
        data: dict[SettingKey, TopicData] = {}
        values: dict[str, MeasuredValue] = {}
        for instance, setting in pairs:
            if instance.called in self.refused:
                continue
            resolver = self.resolvers[setting.key]
            if setting.key not in data:
                data[setting.key] = self._facts(topic, setting, resolver, rows)
            own = data[setting.key]
            try:
                if rows is not None:
                    check_topic(instance, own, self.plan.inputs, self.run, rows)
                if instance.measure.counts_overlap and topic not in resolver.overlapping:
                    from prum_eval.measures.coverage import overlapping

                    resolver.overlapping[topic] = overlapping(own.ranking.locations)
                values.update(zip(instance.names, _values(instance, own), strict=True))
            except RefusedError as error:
                if instance.explicit:
                    raise
                self.refused[instance.called] = error
        return values

    def _rows(self, topic: str) -> slice | None:
        if topic not in self._position:
            return None
        low, high = self.run.bounds[self._position[topic] :][:2].tolist()
        return slice(low, high if self.plan.limit is None else min(high, low + self.plan.limit))

    def _facts(self, topic: str, setting: Setting, resolver: Resolver, rows: slice | None) -> TopicData:
        judged = self.plan.judged(setting, topic)
        ranking = empty_ranking(self.run.path) if rows is None else resolver.rank(rows, judged.targets)
        return TopicData(judged, ranking, self.plan.inputs.collection_size)


def empty_ranking(path: str) -> Ranking:
    """The ranking of a topic that a run does not answer."""
    nothing = np.zeros(0, dtype=np.int64)
    flags = np.zeros(0, dtype=np.bool_)
    locations = Locations(nothing, nothing, nothing, nothing, nothing, flags)
    return Ranking(locations, flags, np.zeros(0), list, path, nothing, list)


def _values(instance: ConfiguredMeasure, data: TopicData) -> list[MeasuredValue]:
    measure = instance.measure
    if not measure.without_targets and not len(data.judged.targets):
        return [None] * len(instance.names)
    found = measure.per_topic(data, instance.values, np.array(instance.cutoffs))
    listed = np.atleast_1d(found).tolist()
    if measure.shape is Shape.COUNT:
        return [int(value) for value in listed]
    return [None if math.isnan(value) else value for value in listed]


def _average(instance: ConfiguredMeasure, values: list[MeasuredValue]) -> MeasuredValue:
    known = [value for value in values if value is not None]
    if instance.measure.shape is Shape.COUNT:
        return int(sum(known))
    return mean(known)
