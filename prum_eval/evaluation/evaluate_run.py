"""Evaluate runs: the data of each topic, the values of each measure on it, the averages, for one run after another.

Measures that are functions of gains on graded documents are computed for all topics of a run at once, others topic by
topic. What is known of a topic under a setting is kept for the next run in a `TopicCache`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache as cached
from functools import cached_property, partial
from itertools import repeat
from numbers import Integral

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, group_bounds
from prum_eval.collection.locations import Locations
from prum_eval.collection.trees import RunPlaces
from prum_eval.errors import DataError, InputError, UnsupportedResultError, UsageError, raise_first
from prum_eval.evaluation.inputs import check_run, check_topic, needs_validation
from prum_eval.evaluation.notices import Notice
from prum_eval.evaluation.options import TokenCount
from prum_eval.evaluation.plan import Pairs, Plan, RunSource, TopicCache
from prum_eval.evaluation.resolution import Resolver
from prum_eval.evaluation.results import GroupResult, MeasuredValue, RunResult
from prum_eval.evaluation.run_notices import run_notices
from prum_eval.evaluation.settings import Setting, SettingKey
from prum_eval.formats import RankBy
from prum_eval.formats.reading import read_runs
from prum_eval.measures.base import Shape
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.topic_data import JudgedTopic, Ranking, TopicData
from prum_eval.records import (
    AssessmentKind,
    Assessments,
    FlatTopic,
    Run,
    RunKind,
    Topic,
    select_columns,
    topic_numbers,
)
from prum_eval.relevance.gains import GainLists, RelevantDocuments, flat_topics, gain_lists_of_run, relevant_documents
from prum_eval.relevance.targets import TargetSet, make_targets
from prum_eval.text.names import FILE_ENDINGS
from prum_eval.text.streams import Content
from prum_eval.user_models.model import ModelNeed
from prum_eval.user_models.registry import build_model

MAX_CACHED_TOPICS = 1 << 15
"""Most topics under settings that are kept for the next run."""


@dataclass(eq=False, repr=False)
class _CachedRanking:
    """Some rows of a run as a ranking, its counts, and what else it depends on."""

    resolver: Resolver
    targets: TargetSet
    ranking: Ranking
    counts: Counter[str]

    def is_valid_for(self, resolver: Resolver, targets: TargetSet) -> bool:
        """Whether the ranking is the same with these targets: they are in the same documents."""
        old = self.targets
        same = old.forest is targets.forest and old.documents == targets.documents and old.lengths == targets.lengths
        return same and resolver is self.resolver


@dataclass(eq=False, repr=False)
class RunTopics:
    """The topics of one run while it is evaluated.

    `counts`: counts of resolvers, by setting; `overlap_counts`: results that lie in others or contain others, by
    setting and topic, if a measure counts them.
    """

    plan: Plan
    run: Run
    cache: TopicCache = field(default_factory=TopicCache)
    counts: dict[SettingKey, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    overlap_counts: dict[SettingKey, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    _resolvers: dict[SettingKey, Resolver] = field(default_factory=dict)
    _cached_rankings: list[_CachedRanking] = field(default_factory=list)  # of the last rows, under any setting
    _rows: slice | None = None

    @cached_property
    def _position(self) -> Mapping[str, int]:
        return {topic: number for number, topic in enumerate(self.run.topics)}

    @cached_property
    def _run_places(self) -> RunPlaces | None:
        inputs = self.plan.inputs
        if inputs.structure is None or inputs.trees is None:
            return None
        return RunPlaces(inputs.trees, self.run)

    def rows(self, topic: str) -> slice | None:
        """The rows of the run that are a topic's results; None if it has none."""
        if topic not in self._position:
            return None
        low, high = self.run.bounds[self._position[topic] :][:2].tolist()
        return slice(low, high if self.plan.limit is None else min(high, low + self.plan.limit))

    def data(self, topic: str, setting: Setting, rows: slice | None) -> TopicData:
        """The data of a topic under a setting, with some rows of the run as results.

        Raises:
            InputError: a result or a target that cannot be placed.
        """
        inputs = self.plan.inputs
        if setting.key not in self._resolvers:
            self._resolvers[setting.key] = self._resolver(setting)
        resolver = self._resolvers[setting.key]
        judged = judged_topic(self.plan, self.cache, setting, topic)
        if rows != self._rows:
            self._rows, self._cached_rankings = rows, []
        entry = next((old for old in self._cached_rankings if old.is_valid_for(resolver, judged.targets)), None)
        if entry is None and rows is not None:
            ranking = resolver.make_ranking(rows, judged.targets)
            entry = _CachedRanking(resolver, judged.targets, ranking, resolver.counts)
            self._cached_rankings.append(entry)
        ranking = _empty_ranking(self.run.path) if entry is None else entry.ranking
        if entry is not None:
            self.counts[setting.key].update(entry.counts)
        if self.plan.tokens is not None:
            ranking = with_tokens(ranking, self.plan.tokens)
        return TopicData(judged, ranking, inputs.collection_size)

    def _resolver(self, setting: Setting) -> Resolver:
        """The resolver for a setting; that of another setting if it does the same."""
        inputs = self.plan.inputs
        graph = ModelNeed.GRAPH in setting.choice.model.needs
        trees = inputs.trees if setting.extents else None
        inside = inputs.trees if graph else None
        linked = inputs.structure.names if graph and inputs.structure and inputs.navigation is None else None
        lengths = inputs.lengths if setting.extents and self.run.kind is RunKind.FLAT else None
        for other in self._resolvers.values():
            if (
                other.trees is trees
                and other.nested_trees is inside
                and other.linked_documents is linked
                and other.lengths is lengths
            ):
                return other
        return Resolver(
            self.run, inputs.documents_with_targets, trees, inside, linked, lengths, run_places=self._run_places
        )


def judged_topic(plan: Plan, cache: TopicCache, setting: Setting, topic: str) -> JudgedTopic:
    """A judged topic under a setting, for all runs; computed once.

    Raises:
        InputError: a target that cannot be placed.
    """
    inputs, key = plan.inputs, setting.key
    if (key, topic) in cache.judged_topics:
        return cache.judged_topics[key, topic]
    assessed = inputs.assessments.topics[topic]
    target_key = (setting.quantisation.name, setting.quantisation.level, setting.targets), topic
    if target_key not in cache.target_sets:  # settings that differ only in the user share them
        if len(cache.target_sets) >= MAX_CACHED_TOPICS:
            del cache.target_sets[next(iter(cache.target_sets))]
        cache.target_sets[target_key] = make_targets(
            assessed, setting.targets, setting.quantisation, inputs.trees, largest_grade=inputs.largest_grade
        )
    targets = cache.target_sets[target_key]
    if key not in cache.models:
        cache.models[key] = cached(partial(build_model, setting.choice, inputs.context))
    graph = ModelNeed.GRAPH in setting.choice.model.needs and inputs.navigation is not None
    graded = inputs.assessments.kind is AssessmentKind.FLAT and not setting.choice.model.navigates
    if len(cache.judged_topics) >= MAX_CACHED_TOPICS:
        del cache.judged_topics[next(iter(cache.judged_topics))]
    cache.judged_topics[key, topic] = JudgedTopic(
        topic,
        assessed,
        setting.quantisation.name,
        targets,
        cache.models[key],
        setting.choice.memoryless,
        tuple(dict.fromkeys(inputs.navigation.source)) if graph and inputs.navigation else (),
        inputs.assessments.kind,
        inputs.mean_length,
        inputs.largest_grade if graded else None,
        inputs.trees,
    )
    return cache.judged_topics[key, topic]


_NOISE = 1e-9  # of a product that should be a whole number


def with_tokens(ranking: Ranking, tokens: TokenCount) -> Ranking:
    """The ranking with tokens where its run has none: of the function, or max(1, ceil(tokens * characters)).

    Results whose characters are unknown get none.

    Raises:
        UsageError: the function returns no whole number above 0.
    """
    locations = ranking.locations
    counts = np.zeros(len(ranking), dtype=np.int64) if ranking.tokens is None else ranking.tokens.copy()
    rows = np.flatnonzero((counts <= 0) & locations.located & ranking.exists)
    if not callable(tokens):
        counts[rows] = np.maximum(1, np.ceil(tokens * locations.length[rows] - _NOISE))
        return replace(ranking, tokens=counts)
    names = ranking.document_names()
    starts, ends = locations.start[rows].tolist(), (locations.start + locations.length)[rows].tolist()
    for row, start, end in zip(rows.tolist(), starts, ends, strict=True):
        count = tokens(names[row], start, end)
        if not isinstance(count, Integral) or isinstance(count, bool) or count < 1:
            what = f"tokens: the function returned {count!r} for document {names[row]}, {start} to {end}"
            raise UsageError(f"{what}: expected a whole number above 0")
        counts[row] = count
    return replace(ranking, tokens=counts)


def _empty_ranking(path: str) -> Ranking:
    """The ranking of a topic that a run does not answer."""
    nothing = np.zeros(0, dtype=np.int64)
    flags = np.zeros(0, dtype=np.bool_)
    locations = Locations(nothing, nothing, nothing, nothing, nothing, flags)
    return Ranking(locations, flags, np.zeros(0), list, path, nothing, list)


MAX_DICTIONARIES = 1 << 15
"""Most topics whose values are dictionaries; those of more are columns, as dictionaries would fill the memory."""


@dataclass(eq=False, repr=False)
class TopicValues(Mapping[str, Mapping[str, MeasuredValue]]):
    """The values of each topic by printed name, made on demand.

    Topic ``topics[i]`` has the value ``columns[name][i]`` under each name.
    """

    topics: Sequence[str]
    columns: Mapping[str, Sequence[MeasuredValue]]

    @cached_property
    def _row_of(self) -> Mapping[str, int]:
        return dict(zip(self.topics, range(len(self.topics)), strict=True))

    def __getitem__(self, topic: str) -> Mapping[str, MeasuredValue]:
        row = self._row_of[topic]
        return {name: column[row] for name, column in self.columns.items()}

    def __contains__(self, topic: object) -> bool:
        return topic in self._row_of

    def __iter__(self) -> Iterator[str]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    def __repr__(self) -> str:
        return repr(dict(self))


# Measures of gains, for all topics of a run at once


@dataclass(eq=False, repr=False)
class ValuesOfLists:
    """Values computed for all topics at once.

    `columns`: by printed name a value per topic. `labels`: of their measures. `results_with_gain`: number of results in
    documents with a gain, under the setting that has most.
    """

    columns: Mapping[str, list[MeasuredValue]]
    labels: frozenset[str]
    results_with_gain: int = 0


NO_VALUES = ValuesOfLists({}, frozenset())


def values_of_lists(plan: Plan, cache: TopicCache, run: Run, topics: Sequence[str]) -> ValuesOfLists:
    """The values of all measures that can be computed for all topics at once.

    Args:
        plan: what is computed, on graded documents.
        cache: what other runs of the plan left.
        run: its results, documents, as the plan takes them.
        topics: assessed ones; those that the run lacks count as empty lists.
    """
    columns, labels, results = _arrays_of_lists(plan, cache, run, topics)
    return ValuesOfLists({name: column.tolist() for name, column in columns.items()}, labels, results)


def _arrays_of_lists(
    plan: Plan, cache: TopicCache, run: Run, topics: Sequence[str]
) -> tuple[Mapping[str, FloatArray], frozenset[str], int]:
    """The same as arrays: the gain lists are freed before the values of many topics become Python numbers."""
    pairs = [pair for pair in plan.pairs if pair[0].measure.of_lists is not None]
    lists: dict[SettingKey, GainLists | None] = {}
    columns: dict[str, FloatArray] = {}
    labels: set[str] = set()
    for instance, setting in pairs:
        if setting.key not in lists:
            lists[setting.key] = gain_lists_of_run(_relevant_documents(plan, cache, setting), run, topics, plan.limit)
        gains = lists[setting.key]
        if gains is not None and instance.measure.of_lists is not None:
            values = instance.measure.of_lists(gains, np.array(instance.cutoffs))
            columns |= zip(instance.names, values.T, strict=True)
            labels.add(instance.label)
    results = max((len(gains.ranks) for gains in lists.values() if gains is not None), default=0)
    return columns, frozenset(labels), results


def _relevant_documents(plan: Plan, cache: TopicCache, setting: Setting) -> RelevantDocuments:
    """The relevant documents under a setting; computed once."""
    inputs, key = plan.inputs, setting.key

    def value(grades: FloatArray) -> FloatArray:
        return setting.quantisation.values(grades, np.full(len(grades), float(inputs.largest_grade)))

    if key not in cache.relevant_documents:
        cache.relevant_documents[key] = relevant_documents(flat_topics(inputs.assessments.topics), value)
    return cache.relevant_documents[key]


@dataclass(repr=False)
class EvaluatedRun:
    """The values of a run, and what the user should know of it."""

    result: RunResult
    warnings: tuple[Notice, ...]


def evaluate_run(plan: Plan, run: Run, cache: TopicCache, *, single_run: bool = False) -> EvaluatedRun:
    """All values of one run; `single_run`: no other follows, so nothing is kept for it.

    Raises:
        DataError: run and assessments do not fit, have no topic in common, or all measures are for other tasks.
        InputError: a result that a measure cannot place.
    """
    inputs = plan.inputs
    assessed = inputs.assessments.topics
    if plan.topics is not None:
        assessed = {topic: assessed[topic] for topic in assessed if topic in plan.topics}
    run = prepare_run(plan, run)
    common = sorted(set(assessed).intersection(run.topics))
    if not common:
        among = "" if plan.topics is None else " among those that are chosen"
        raise DataError(f"{run.path}: no topic in common with {inputs.assessments.path}{among}")
    tasks = ", ".join(dict.fromkeys(instance.task for instance, _ in plan.pairs if instance.task))
    plan = plan.for_task(run.task) if tasks else plan
    if not plan.pairs:
        raise DataError(f"{run.path}: no measure is left for a run of task {run.task}: all are for {tasks} only")
    checked = frozenset(instance.label for instance, _ in plan.pairs if needs_validation(instance, inputs, run))
    topics = _RunValues(RunTopics(plan, run, cache), checked, single_run)
    counted = sorted(assessed) if plan.complete else common
    flat = inputs.structure is None and inputs.assessments.kind is AssessmentKind.FLAT and run.kind is RunKind.FLAT
    of_lists = values_of_lists(plan, cache, run, counted) if flat and plan.tokens is None else NO_VALUES
    columns = dict(of_lists.columns)
    rest = [pair for pair in plan.pairs if pair[0].label not in of_lists.labels]
    for topic in counted if rest else ():
        for name, value in topics.compute(topic, rest).items():
            columns.setdefault(name, []).append(value)
    over_all = [pair for pair in plan.pairs if pair[0].over_all]
    row_of = dict(zip(counted, range(len(counted)), strict=True)) if over_all or inputs.assessments.groups else {}
    others = {topic: topics.compute(topic, over_all) for topic in assessed if topic not in row_of} if over_all else {}
    measures = [instance for instance, _ in plan.pairs if instance.label not in topics.refused]
    columns = {name: columns[name] for instance in measures for name in instance.names}
    averages = _averages(measures, columns, others.values())
    groups = {}
    if inputs.assessments.groups:
        from prum_eval.evaluation.results import topics_by_group  # few calls have some

        for group, of_group in topics_by_group(inputs.assessments.groups, [*counted, *others]).items():
            group_topics = tuple(topic for topic in of_group if topic in row_of)
            if group_topics:
                rows = [row_of[topic] for topic in group_topics]
                part = {name: [column[row] for row in rows] for name, column in columns.items()}
                group_others = [others[topic] for topic in of_group if topic in others]
                groups[group] = GroupResult(group_topics, _averages(measures, part, group_others))
    only_average = {name for one, _ in plan.pairs if one.measure.only_average for name in one.names}
    printed = {name: column for name, column in columns.items() if name not in only_average}
    placed = list(topics.topics.counts.values())
    overlapping = max((sum(by_topic.values()) for by_topic in topics.topics.overlap_counts.values()), default=0)
    return EvaluatedRun(
        RunResult(run.run_id, run.path, _by_topic(counted, printed), averages, groups),
        tuple(
            run_notices(
                plan, run, placed, topics.refused, list(printed.values()), of_lists.results_with_gain, overlapping
            )
        ),
    )


def prepare_run(plan: Plan, run: Run) -> Run:
    """The run as the plan takes it: restricted to topics and judged documents, and merged, if the plan says so.

    Raises:
        DataError: its results cannot be placed.
    """
    check_run(run, plan.inputs)
    if plan.topics is not None or plan.judged_only:
        run = run if plan.topics is None else restrict_to_topics(run, plan.topics)
        run = restrict_to_judged(run, plan.inputs.assessments, plan.limit) if plan.judged_only else run
    if plan.merge is None:
        return run
    from prum_eval.conversion.runs import merge_by_document  # few calls merge

    return merge_by_document(run, plan.inputs.trees, plan.limit)


@dataclass(eq=False, repr=False)
class _RunValues:
    """The values of a run, topic by topic.

    `needs_checks`: labels of the measures that check a topic before they are computed. `refused`: those of a set that
    refuse the run. `single_run`: as in `evaluate_run`.
    """

    topics: RunTopics
    needs_checks: frozenset[str]
    single_run: bool = False
    refused: dict[str, UnsupportedResultError] = field(default_factory=dict)

    def compute(self, topic: str, pairs: Pairs) -> dict[str, MeasuredValue]:
        """The values of a topic by printed name; of one that the run lacks, those of an empty list."""
        plan, run, rows = self.topics.plan, self.topics.run, self.topics.rows(topic)
        data: dict[SettingKey, TopicData] = {}
        values: dict[str, MeasuredValue] = {}
        for instance, setting in pairs:
            if instance.label in self.refused:
                continue
            if setting.key not in data:
                data[setting.key] = self.topics.data(topic, setting, rows)
            topic_data = data[setting.key]
            try:
                if rows is not None and instance.label in self.needs_checks:
                    check_topic(instance, topic_data, plan.inputs, run, rows)
                if instance.measure.counts_overlap:
                    self._count_overlap(topic, setting, topic_data)
                values.update(zip(instance.names, _values(instance, topic_data), strict=True))
            except UnsupportedResultError as error:
                if instance.explicit:
                    raise
                self.refused[instance.label] = error.with_traceback(None)  # which would keep the run in memory
        if self.single_run:
            for topic_data in data.values():
                topic_data.judged.memo.clear()
        return values

    def _count_overlap(self, topic: str, setting: Setting, data: TopicData) -> None:
        from prum_eval.measures.coverage import count_overlapping

        counted = self.topics.overlap_counts[setting.key]
        if topic not in counted:
            counted[topic] = count_overlapping(data.ranking.cover)


def _values(instance: ConfiguredMeasure, data: TopicData) -> list[MeasuredValue]:
    measure = instance.measure
    if not measure.without_targets and not len(data.judged.targets):
        return [None] * len(instance.names)
    values = np.atleast_1d(measure.per_topic(data, instance.values, np.array(instance.cutoffs))).tolist()
    if measure.shape is Shape.COUNT:
        return [int(value) for value in values]
    return [None if math.isnan(value) else value for value in values]


def _by_topic(
    topics: Sequence[str], columns: Mapping[str, Sequence[MeasuredValue]]
) -> Mapping[str, Mapping[str, MeasuredValue]]:
    """The values of each topic by name, from columns with a row per topic."""
    if len(topics) > MAX_DICTIONARIES:
        return TopicValues(topics, columns)
    rows = zip(*columns.values(), strict=True) if columns else repeat(())
    return {topic: dict(zip(columns, row, strict=True)) for topic, row in zip(topics, rows, strict=False)}


def _averages(
    instances: Sequence[ConfiguredMeasure],
    columns: Mapping[str, Sequence[MeasuredValue]],
    others: Collection[Mapping[str, MeasuredValue]],
) -> dict[str, MeasuredValue]:
    """The average of each name that the measures print.

    Args:
        instances: the measures.
        columns: by name the value of each topic.
        others: values of other topics that count too.
    """
    return {
        name: _average(instance, [*columns[name], *(values[name] for values in others if name in values)])
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


# All runs of a plan


Failure = InputError | DataError
"""An error of one run. Other errors are about the call, and end it."""
Outcomes = Sequence[EvaluatedRun | Failure]
"""What the runs of one source give."""
OnFailure = Callable[[Failure], object]
"""Called with the error of a run; it may raise (the default), or let the other runs complete."""
OnProgress = Callable[[int, int], object]
"""Called with the number of runs that are done, and of all."""


def evaluate_runs(
    plan: Plan,
    *,
    single_run: bool = False,
    problems: OnFailure = raise_first,
    progress: OnProgress | None = None,
) -> list[EvaluatedRun]:
    """The values of all runs of a plan, in order, without runs that fail; `problems` gets their errors, in order.

    `single_run`: no other run follows, so that nothing is kept for one.
    """
    evaluated = []
    for done, outcomes in enumerate(run_outcomes(plan, single_run=single_run), start=1):
        for outcome in outcomes:
            if isinstance(outcome, EvaluatedRun):
                evaluated.append(outcome)
            else:
                problems(outcome)
        if progress is not None:
            progress(done, len(plan.sources))
    return evaluated


def run_outcomes(plan: Plan, *, single_run: bool = False) -> Iterator[Outcomes]:
    """The outcomes of each source, in order, as soon as it and those before it are done."""
    if plan.backend is None:
        cache = TopicCache()
        yield from (source_outcomes(plan, cache, source, single_run=single_run) for source in plan.sources)
    else:
        from prum_eval.evaluation.parallel import parallel_outcomes  # few calls share runs out

        yield from parallel_outcomes(plan, plan.backend)


def source_outcomes(plan: Plan, cache: TopicCache, source: RunSource, *, single_run: bool = False) -> Outcomes:
    """The outcome of each run of a source; `single_run`: no other source follows."""
    outcomes: list[EvaluatedRun | Failure] = []
    runs = read_source(source, plan.rank_by)
    for run in runs:
        if isinstance(run, InputError):
            outcomes.append(run)
            continue
        try:
            outcomes.append(evaluate_run(plan, run, cache, single_run=single_run and len(runs) == 1))
        except (InputError, DataError) as error:
            outcomes.append(error.with_traceback(None))  # which would keep the run in memory
    return outcomes


def read_source(source: RunSource, rank_by: RankBy | None) -> Sequence[Run | InputError]:
    """The runs of a source, or why it cannot be read."""
    if isinstance(source, Run | InputError):
        return (source,)
    try:
        return read_runs(source if isinstance(source, Content) else str(source), rank_by=rank_by)
    except InputError as error:
        return (error.with_traceback(None),)


# Parts of a run


def restrict_to_topics(run: Run, topics: Collection[str]) -> Run:
    """The run restricted to some topics."""
    mask = np.array([topic in topics for topic in run.topics], dtype=np.bool_)
    sizes = np.diff(run.bounds)[mask]
    names = tuple(topic for topic in run.topics if topic in topics)
    return select_columns(run, mask[topic_numbers(run)], names, group_bounds(sizes))


def restrict_to_judged(run: Run, assessments: Assessments, limit: int | None) -> Run:
    """The run restricted to results in documents judged for their topic, as with the switch -J of trec_eval.

    A document with a negative grade is not judged. A topic of which nothing is left stays, as an empty list; `limit`:
    most results per topic, before some are dropped.
    """
    topic = topic_numbers(run)
    mask = _judged_mask(run, assessments)
    if limit is not None:
        mask &= np.arange(len(topic)) - run.bounds[topic] < limit
    sizes = np.bincount(topic[mask], minlength=len(run.topics))
    return select_columns(run, mask, run.topics, group_bounds(sizes))


def _judged_mask(run: Run, assessments: Assessments) -> BoolArray:
    """Mask of the results in documents that are judged for their topic."""
    number = {name: code for code, name in enumerate(run.documents)}
    files = any(name.endswith(FILE_ENDINGS) for name in number)
    flag = np.zeros(len(number), dtype=np.bool_)
    mask = np.zeros(len(run.line), dtype=np.bool_)
    for topic, low, high in zip(run.topics, run.bounds[:-1].tolist(), run.bounds[1:].tolist(), strict=True):
        if topic not in assessments.topics:
            continue
        judged = _judged_documents(assessments.topics[topic])
        names = [*judged, *(name + ending for name in judged for ending in FILE_ENDINGS if files)]
        codes = [number[name] for name in names if name in number]
        flag[codes] = True
        mask[low:high] = flag[run.document[low:high]] & run.exists[low:high]
        flag[codes] = False
    return mask


def _judged_documents(topic: Topic) -> list[str]:
    """The judged documents of a topic."""
    if isinstance(topic, FlatTopic):
        return [name for name, grade in zip(topic.documents, topic.grades.tolist(), strict=True) if grade >= 0]
    return list(topic.documents)
