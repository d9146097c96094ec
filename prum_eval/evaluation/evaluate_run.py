"""One run: the data of each topic, the values of each measure on it, the averages."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np

from prum_eval.errors import DataError, RefusedError
from prum_eval.evaluation.inputs import check_run, check_topic, may_refuse
from prum_eval.evaluation.notices.notice import Notice
from prum_eval.evaluation.notices.run_notices import run_notices
from prum_eval.evaluation.plan import Plan
from prum_eval.evaluation.results import GroupResult, MeasuredValue, RunResult
from prum_eval.evaluation.settings.setting import Setting, SettingKey
from prum_eval.evaluation.values.of_lists import NO_VALUES, values_of_lists
from prum_eval.evaluation.values.run_topics import RunTopics
from prum_eval.evaluation.values.topic_values import MOST_DICTIONARIES, TopicValues
from prum_eval.measures.base import Shape
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.topic_data import TopicData
from prum_eval.records.assessments import AssessmentKind
from prum_eval.records.run import Run, RunKind

Pairs = Sequence[tuple[ConfiguredMeasure, Setting]]


@dataclass(frozen=True)
class Evaluated:
    """A run's values, and what the user should be told about it."""

    result: RunResult
    warnings: tuple[Notice, ...]


def evaluate_run(plan: Plan, run: Run, *, alone: bool = False) -> Evaluated:
    """All values of one run; `alone`: no other follows, so that what is known of a topic is not kept for it.

    Raises:
        DataError: run and assessments do not fit, have no topic in common, or all measures are for other tasks.
        InputError: a result that a measure cannot place.
    """
    inputs = plan.inputs
    assessed, chosen = inputs.assessments.topics, plan.topics
    if chosen is not None:
        assessed = {topic: assessed[topic] for topic in assessed if topic in chosen}
    run = checked_run(plan, run)
    common = sorted(set(assessed).intersection(run.topics))
    if not common:
        among = "" if chosen is None else " among those that are chosen"
        raise DataError(f"{run.path}: no topic in common with {inputs.assessments.path}{among}")
    tasks = ", ".join(dict.fromkeys(instance.only for instance, _ in plan.pairs if instance.only))
    plan = plan.for_task(run.task) if tasks else plan
    if not plan.pairs:
        raise DataError(f"{run.path}: no measure is left for a run of task {run.task}: all are for {tasks} only")
    checked = frozenset(instance.called for instance, _ in plan.pairs if may_refuse(instance, inputs, run))
    topics = _Values(RunTopics(plan, run), checked, alone)
    counted = sorted(assessed) if plan.complete else common
    listed = inputs.structure is None and inputs.assessments.kind is AssessmentKind.FLAT and run.kind is RunKind.FLAT
    of_lists = values_of_lists(plan, run, counted) if listed and plan.tokens is None else NO_VALUES
    columns = dict(of_lists.columns)
    rest = [pair for pair in plan.pairs if pair[0].called not in of_lists.called]
    for topic in counted if rest else ():
        for name, value in topics.of(topic, rest).items():
            columns.setdefault(name, []).append(value)
    over_all = [pair for pair in plan.pairs if pair[0].over_all]
    row_of = dict(zip(counted, range(len(counted)), strict=True)) if over_all or inputs.assessments.groups else {}
    beside = {topic: topics.of(topic, over_all) for topic in assessed if topic not in row_of} if over_all else {}
    kept = [instance for instance, _ in plan.pairs if instance.called not in topics.refused]
    columns = {name: columns[name] for instance in kept for name in instance.names}
    averages = _averages(kept, columns, beside.values())
    groups = {}
    if inputs.assessments.groups:
        from prum_eval.evaluation.groups import by_group  # few calls have some

        for group, of_group in by_group(inputs.assessments.groups, [*counted, *beside]).items():
            own = tuple(topic for topic in of_group if topic in row_of)
            if own:
                rows = [row_of[topic] for topic in own]
                part = {name: [column[row] for row in rows] for name, column in columns.items()}
                others = [beside[topic] for topic in of_group if topic in beside]
                groups[group] = GroupResult(own, _averages(kept, part, others))
    only_average = {name for one, _ in plan.pairs if one.measure.only_average for name in one.names}
    printed = {name: column for name, column in columns.items() if name not in only_average}
    placed = list(topics.topics.counts.values())
    overlapping = max((sum(by_topic.values()) for by_topic in topics.topics.overlapping.values()), default=0)
    return Evaluated(
        RunResult(run.run_id, run.path, _by_topic(counted, printed), averages, groups),
        tuple(run_notices(plan, run, placed, topics.refused, list(printed.values()), of_lists.held, overlapping)),
    )


def checked_run(plan: Plan, run: Run) -> Run:
    """The run as the plan takes it: of chosen topics, in judged documents, merged, where that was asked for.

    Raises:
        DataError: its results cannot be placed.
    """
    check_run(run, plan.inputs)
    if plan.topics is not None or plan.judged_only:
        from prum_eval.evaluation.subsets.results import in_judged_documents, of_topics  # few calls leave some out

        run = run if plan.topics is None else of_topics(run, plan.topics)
        run = in_judged_documents(run, plan.inputs.assessments, plan.limit) if plan.judged_only else run
    if plan.merge is None:
        return run
    from prum_eval.conversion.merging import by_document  # few calls merge

    return by_document(run, plan.inputs.trees, plan.limit)


@dataclass(frozen=True, eq=False)
class _Values:
    """The values of a run, topic by topic.

    `checked`: the measures that look at a topic before they are computed, as they are called. `refused`: those of a set
    that refuse the run. `alone`: as in `evaluate_run`.
    """

    topics: RunTopics
    checked: frozenset[str]
    alone: bool = False
    refused: dict[str, RefusedError] = field(default_factory=dict)

    def of(self, topic: str, pairs: Pairs) -> dict[str, MeasuredValue]:
        """The values of a topic by printed name; of one that the run lacks, those of an empty list."""
        plan, run, rows = self.topics.plan, self.topics.run, self.topics.rows(topic)
        data: dict[SettingKey, TopicData] = {}
        values: dict[str, MeasuredValue] = {}
        for instance, setting in pairs:
            if instance.called in self.refused:
                continue
            if setting.key not in data:
                data[setting.key] = self.topics.data(topic, setting, rows)
            own = data[setting.key]
            try:
                if rows is not None and instance.called in self.checked:
                    check_topic(instance, own, plan.inputs, run, rows)
                if instance.measure.counts_overlap:
                    self._count_overlap(topic, setting, own)
                values.update(zip(instance.names, _values(instance, own), strict=True))
            except RefusedError as error:
                if instance.explicit:
                    raise
                self.refused[instance.called] = error.with_traceback(None)  # which would keep the run in memory
        if self.alone:
            for own in data.values():
                own.judged.memo.clear()
        return values

    def _count_overlap(self, topic: str, setting: Setting, data: TopicData) -> None:
        from prum_eval.measures.coverage import overlapping

        counted = self.topics.overlapping[setting.key]
        if topic not in counted:
            counted[topic] = overlapping(data.ranking.cover)


def _values(instance: ConfiguredMeasure, data: TopicData) -> list[MeasuredValue]:
    measure = instance.measure
    if not measure.without_targets and not len(data.judged.targets):
        return [None] * len(instance.names)
    found = measure.per_topic(data, instance.values, np.array(instance.cutoffs))
    listed = np.atleast_1d(found).tolist()
    if measure.shape is Shape.COUNT:
        return [int(value) for value in listed]
    return [None if math.isnan(value) else value for value in listed]


def _by_topic(
    topics: Sequence[str], columns: Mapping[str, Sequence[MeasuredValue]]
) -> Mapping[str, Mapping[str, MeasuredValue]]:
    """The values of each topic by name, from columns with a row a topic."""
    if len(topics) > MOST_DICTIONARIES:
        return TopicValues(topics, columns)
    rows = zip(*columns.values(), strict=True) if columns else repeat(())
    return {topic: dict(zip(columns, row, strict=True)) for topic, row in zip(topics, rows, strict=False)}


def _averages(
    instances: Sequence[ConfiguredMeasure],
    columns: Mapping[str, Sequence[MeasuredValue]],
    beside: Collection[Mapping[str, MeasuredValue]],
) -> dict[str, MeasuredValue]:
    """The average of each name that the measures print.

    Args:
        instances: the measures.
        columns: by name the value of each topic.
        beside: some values of other topics that count too.
    """
    return {
        name: _average(instance, [*columns[name], *(values[name] for values in beside if name in values)])
        for instance in instances
        for name in instance.names
    }


def _average(instance: ConfiguredMeasure, values: list[MeasuredValue]) -> MeasuredValue:
    known = [value for value in values if value is not None]
    if instance.measure.shape is Shape.COUNT:
        return int(sum(known))
    if known and instance.measure.average is not None:
        return instance.measure.average(known)
    return math.fsum(known) / len(known) if known else None
