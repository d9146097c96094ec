"""Evaluate runs: the data of each topic, the values of each measure on it, the averages, for one run after another.

Measures are computed for a batch of topics at once; the number of its results and judgements bounds memory. The gains
of graded documents are looked up for all topics of a run at once. What is known of a topic under a setting is kept for
the next run in a `TopicCache`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache as cached
from functools import cached_property, partial
from itertools import repeat
from typing import Any

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray, group_bounds
from prum_eval.collection.locations import Locations
from prum_eval.collection.trees import RunPlaces
from prum_eval.errors import DataError, InputError, UnsupportedResultError, raise_first
from prum_eval.evaluation.inputs import check_run, check_topics, needs_validation
from prum_eval.evaluation.notices import EXCLUDED, Notice
from prum_eval.evaluation.options import TokenCount
from prum_eval.evaluation.plan import Pairs, Plan, RunSource, TopicCache
from prum_eval.evaluation.resolution import Resolver
from prum_eval.evaluation.results import GroupResult, MeasuredValue, RunResult, TopicValue
from prum_eval.evaluation.run_notices import run_notices
from prum_eval.evaluation.settings import Setting, SettingKey
from prum_eval.formats import RankBy
from prum_eval.formats.reading import read_runs
from prum_eval.formats.topic_files import Exclusions
from prum_eval.measures.base import Need, Shape, TieOrder
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.topic_data import JudgedTopic, Ranking, TopicBatch, TopicData
from prum_eval.parameters import count_tokens, text_counter
from prum_eval.records import (
    AssessmentKind,
    Assessments,
    FlatTopic,
    FlatTopics,
    Run,
    RunKind,
    Topic,
    select_columns,
    topic_numbers,
)
from prum_eval.relevance.facets import make_facet_set
from prum_eval.relevance.gains import GainLists, RelevantDocuments, flat_topics, gain_lists_of_run, relevant_documents
from prum_eval.relevance.targets import TargetKind, TargetSet, make_targets
from prum_eval.text.names import FILE_ENDINGS
from prum_eval.text.streams import Content
from prum_eval.user_models.model import ModelNeed
from prum_eval.user_models.registry import build_model, build_reading

MAX_CACHED_TOPICS = 1 << 15
"""Most topics under settings that are kept for the next run."""
MAX_BATCH_ROWS = 1 << 15
"""Most results and judgements of a batch of topics, which bounds memory."""


@dataclass(eq=False, repr=False)
class _CachedRankings:
    """Some rows of a run as rankings, their counts, and what else they depend on."""

    resolver: Resolver
    targets: Sequence[TargetSet]
    rankings: Sequence[Ranking]
    counts: Counter[str]

    def are_valid_for(self, resolver: Resolver, targets: Sequence[TargetSet]) -> bool:
        """Whether the rankings are the same with these targets: they are in the same documents."""
        return resolver is self.resolver and all(
            old.forest is new.forest and old.documents == new.documents and old.lengths == new.lengths
            for old, new in zip(self.targets, targets, strict=True)
        )


@dataclass(eq=False, repr=False)
class RunTopics:
    """The topics of one run while it is evaluated.

    `counts`: counts of resolvers, by setting; `overlap_counts`: number of results that lie in others or contain
    others, by setting, if a measure counts them. `cached_rankings`: rankings under any setting, by their rows.
    """

    plan: Plan
    run: Run
    cache: TopicCache = field(default_factory=TopicCache)
    counts: dict[SettingKey, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    overlap_counts: Counter[SettingKey] = field(default_factory=Counter)
    _resolvers: dict[SettingKey, Resolver] = field(default_factory=dict)
    cached_rankings: dict[tuple[tuple[int, int], ...], list[_CachedRankings]] = field(default_factory=dict)
    _views: dict[tuple[bool, TieOrder], RunTopics | None] = field(default_factory=dict)

    def under(self, setting: Setting) -> RunTopics:
        """The topics with the results that a setting uses, in its order of equal scores."""
        key = setting.judged_only, setting.ties
        if key not in self._views:
            run = order_ties(self.run, setting.ties)
            if setting.judged_only:
                run = restrict_to_judged(run, self.plan.inputs.assessments, self.plan.limit)
            self._views[key] = None if run is self.run else RunTopics(self.plan, run, self.cache)
        return self._views[key] or self

    def all_views(self) -> list[RunTopics]:
        """These topics, and those of all settings whose results differ."""
        return [self, *filter(None, self._views.values())]

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

    def bounds(self, topics: Sequence[str]) -> IntArray:
        """Bounds of the results of topics."""
        rows = map(self.rows, topics)
        return group_bounds([0 if row is None else row.stop - row.start for row in rows])

    def batch_bounds(self, topics: Sequence[str]) -> Iterator[tuple[int, int]]:
        """First and end of batches of topics, each of at most `MAX_BATCH_ROWS` results and judgements, or one topic."""
        sizes = np.cumsum(self._row_counts(topics))
        low = 0
        while low < len(topics):
            limit = MAX_BATCH_ROWS + (sizes[low - 1] if low else 0)
            high = max(low + 1, int(np.searchsorted(sizes, limit, side="right")))
            yield low, high
            low = high

    def _row_counts(self, topics: Sequence[str]) -> IntArray:
        """Number of results and judgements of each topic."""
        assessed = self.plan.inputs.assessments.topics
        if isinstance(assessed, FlatTopics):
            number, counts = assessed.number, np.diff(assessed.bounds)
        else:
            number = dict(zip(assessed, range(len(assessed)), strict=True))
            counts = np.array([len(topic.lines) for topic in assessed.values()])
        answered = np.fromiter(map(number.get, self.run.topics, repeat(-1)), np.int64, len(self.run.topics))
        results = np.diff(self.run.bounds)[answered >= 0]
        counts = counts.astype(np.int64)
        counts[answered[answered >= 0]] += results if self.plan.limit is None else np.minimum(results, self.plan.limit)
        return counts[np.fromiter(map(number.__getitem__, topics), np.int64, len(topics))]

    def data_of_topics(self, names: Sequence[str], setting: Setting) -> list[TopicData]:
        """The data of topics under a setting, with the results of the run."""
        topics = self.under(setting)
        return topics.data(names, setting, [topics.rows(name) for name in names])

    def data(self, names: Sequence[str], setting: Setting, rows: Sequence[slice | None]) -> list[TopicData]:
        """The data of topics under a setting, with some rows of the run as results.

        Raises:
            InputError: a result or a target that cannot be placed.
        """
        inputs = self.plan.inputs
        if setting.key not in self._resolvers:
            self._resolvers[setting.key] = self._resolver(setting)
        resolver = self._resolvers[setting.key]
        judged = [judged_topic(self.plan, self.cache, setting, name) for name in names]
        parts = [(part, topic.targets) for part, topic in zip(rows, judged, strict=True) if part is not None]
        rankings = iter(self._rankings(resolver, parts, setting) if parts else [])
        topics = []
        for part, topic in zip(rows, judged, strict=True):
            ranking = _empty_ranking(self.run.path) if part is None else next(rankings)
            if self.plan.tokens is not None:
                ranking = with_tokens(ranking, self.plan.tokens)
            topics.append(TopicData(topic, ranking, inputs.collection_size))
        return topics

    def _rankings(
        self, resolver: Resolver, parts: Sequence[tuple[slice, TargetSet]], setting: Setting
    ) -> Sequence[Ranking]:
        """Rankings of some rows of the run, or the same ones that another setting has."""
        targets = [target_set for _, target_set in parts]
        cached_rankings = self.cached_rankings.setdefault(tuple((part.start, part.stop) for part, _ in parts), [])
        entry = next((old for old in cached_rankings if old.are_valid_for(resolver, targets)), None)
        if entry is None:
            entry = _CachedRankings(resolver, targets, resolver.make_rankings(parts), resolver.counts)
            cached_rankings.append(entry)
        self.counts[setting.key].update(entry.counts)
        return entry.rankings

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
            self.run,
            inputs.documents_with_targets,
            trees,
            inside,
            linked,
            lengths,
            run_places=self._run_places,
            known_lengths=lambda: inputs.lengths,
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
    facets = None
    if setting.targets is not TargetKind.BEP:
        facets = make_facet_set(assessed, targets, setting.quantisation, inputs.largest_grade)
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
        partial(build_reading, setting.choice, inputs.context),
        lambda: inputs.lengths,
        facets=facets,
    )
    return cache.judged_topics[key, topic]


_NOISE = 1e-9  # of a product that should be a whole number


def with_tokens(ranking: Ranking, tokens: TokenCount) -> Ranking:
    """The ranking with tokens where its run has none: of the function, or max(1, ceil(tokens * characters)).

    Results whose characters are unknown get none. A function of texts has counted them when the run was read.

    Raises:
        UsageError: the function returns no whole number above 0.
        InputError: a result has no text for it.
    """
    locations = ranking.locations
    counts = np.zeros(len(ranking), dtype=np.int64) if ranking.tokens is None else ranking.tokens.copy()
    rows = np.flatnonzero((counts <= 0) & locations.located & ranking.exists)
    if text_counter(tokens) is not None:
        for row in rows[:1].tolist():
            reason = "the result has neither tokens nor a text to count them in"
            raise InputError(ranking.path, int(ranking.lines[row]), reason)
        return ranking
    if not callable(tokens):
        counts[rows] = np.maximum(1, np.ceil(tokens * locations.length[rows] - _NOISE))
        return replace(ranking, tokens=counts)
    names = ranking.document_names()
    starts, ends = locations.start[rows].tolist(), (locations.start + locations.length)[rows].tolist()
    for row, start, end in zip(rows.tolist(), starts, ends, strict=True):
        counts[row] = count_tokens(tokens, names[row], start, end, where=f"document {names[row]}, {start} to {end}")
    return replace(ranking, tokens=counts)


def _empty_ranking(path: str) -> Ranking:
    """The ranking of a topic that a run does not answer."""
    nothing = np.zeros(0, dtype=np.int64)
    flags = np.zeros(0, dtype=np.bool_)
    locations = Locations(nothing, nothing, nothing, nothing, nothing, flags)
    return Ranking(locations, flags, np.zeros(0), list, path, nothing, list, absent=True)


MAX_DICTIONARIES = 1 << 15
"""Most topics whose values are dictionaries; those of more are columns, as dictionaries would fill the memory."""


@dataclass(eq=False, repr=False)
class TopicValues(Mapping[str, Mapping[str, TopicValue]]):
    """The values of each topic by printed name, made on demand.

    Topic ``topics[i]`` has the value ``columns[name][i]`` under each name.
    """

    topics: Sequence[str]
    columns: Mapping[str, Sequence[TopicValue]]

    @cached_property
    def _row_of(self) -> Mapping[str, int]:
        return dict(zip(self.topics, range(len(self.topics)), strict=True))

    def __getitem__(self, topic: str) -> Mapping[str, TopicValue]:
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
    whole_run, run = run, prepare_run(plan, run)
    exclusion_notices = []
    if plan.exclude is not None and len(without_excluded(whole_run, plan.exclude).line) == len(whole_run.line):
        exclusion_notices = [Notice(EXCLUDED, f"{run.path}: no result is in {plan.exclude.source}")]
    common = sorted(set(assessed).intersection(run.topics))
    if not common:
        among = "" if plan.topics is None else " among those that are chosen"
        raise DataError(f"{run.path}: no topic in common with {inputs.assessments.path}{among}")
    tasks = ", ".join(dict.fromkeys(instance.task for instance, _ in plan.pairs if instance.task))
    plan = plan.for_task(run.task) if tasks else plan
    if (inputs.assessments.chunks or "chunks" in plan.tasks) and run.tokens is None and plan.tokens is None:
        plan = plan.without_tokens()
    if not plan.pairs:
        raise DataError(f"{run.path}: no measure is left for a run of task {run.task}: all are for {tasks} only")
    checked = frozenset(instance.label for instance, _ in plan.pairs if needs_validation(instance, inputs, run))
    topics = _RunValues(RunTopics(plan, run, cache), checked, single_run)
    counted = sorted(assessed) if plan.complete else common
    length_pairs: Pairs = ()
    if inputs.assessments.chunks:
        from prum_eval.evaluation.list_ends import early_end_notices, early_ends, list_length_pairs

        length_pairs = list_length_pairs(plan.pairs)
    columns = topics.compute(counted, [*plan.pairs, *length_pairs])
    over_all = [pair for pair in plan.pairs if pair[0].over_all]
    others = sorted(set(assessed).difference(counted)) if over_all else []
    of_others = topics.compute(others, over_all)
    for length, _ in length_pairs:
        topics.refused.pop(length.label, None)
    measures = [instance for instance, _ in plan.pairs if instance.label not in topics.refused]
    truncated, end_notices = None, list[Notice]()
    if inputs.assessments.chunks:
        rows = [topics.topics.rows(topic) for topic in counted]
        results = [0 if row is None else row.stop - row.start for row in rows]
        truncated, lists = early_ends(measures, counted, results, columns, length_pairs)
        shown = {name: early for name, early in truncated.items() if name in plan.names}  # others are of curves
        end_notices = list(early_end_notices(run.run_id, run.path, measures, shown, lists))
    columns = {name: columns[name] for instance in measures for name in instance.names}
    averages = _averages(measures, columns, of_others)
    groups = {}
    if inputs.assessments.groups:
        from prum_eval.evaluation.results import topics_by_group  # few calls have some

        row_of, other_row_of = ({topic: row for row, topic in enumerate(names)} for names in (counted, others))
        for group, of_group in topics_by_group(inputs.assessments.groups, [*counted, *others]).items():
            group_topics = tuple(topic for topic in of_group if topic in row_of)
            if group_topics:
                part = _select_rows(columns, row_of, of_group)
                group_others = _select_rows(of_others, other_row_of, of_group)
                groups[group] = GroupResult(group_topics, _averages(measures, part, group_others))
    only_average = {name for one, _ in plan.pairs if one.measure.only_average for name in one.names}
    printed = {name: column for name, column in columns.items() if name not in only_average}
    placed = [counts for view in topics.topics.all_views() for counts in view.counts.values()]
    overlapping = max(topics.topics.overlap_counts.values(), default=0)
    return EvaluatedRun(
        RunResult(run.run_id, run.path, _by_topic(counted, printed), averages, groups, truncated),
        (
            *run_notices(
                plan,
                run,
                placed,
                topics.refused,
                list(printed.values()),
                topics.results_with_gain,
                overlapping,
                whole_run if plan.judged_only else None,
            ),
            *exclusion_notices,
            *end_notices,
        ),
    )


def prepare_run(plan: Plan, run: Run) -> Run:
    """The run as the plan takes it: without other topics and results, and merged, if the plan says so.

    Raises:
        DataError: its results cannot be placed.
    """
    assessments = plan.inputs.assessments
    as_documents = plan.merge is not None and assessments.kind is AssessmentKind.FLAT
    if not as_documents:
        check_run(run, plan.inputs)
    if plan.topics is not None:
        run = restrict_to_topics(run, plan.topics)
    if plan.exclude is not None:
        run = without_excluded(run, plan.exclude)
    if plan.judged_only:
        run = restrict_to_judged(run, assessments, plan.limit)
    if plan.merge is None:
        return run
    from prum_eval.conversion.runs import first_results, merge_by_document  # few calls merge

    return first_results(run, plan.limit) if as_documents else merge_by_document(run, plan.inputs.trees, plan.limit)


@dataclass(eq=False, repr=False)
class _LazyTopics(Sequence[TopicData]):
    """The topics of a batch, made at the first access."""

    names: Sequence[str]
    make: Callable[[Sequence[str]], Sequence[TopicData]]

    @cached_property
    def made(self) -> Sequence[TopicData]:
        """The topics."""
        return self.make(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, row: Any) -> Any:  # noqa: ANN401 - a row or a slice, as of any sequence
        return self.made[row]

    def __iter__(self) -> Iterator[TopicData]:  # that of a sequence asks for one row after the other
        return iter(self.made)


@dataclass(eq=False, repr=False)
class _RunValues:
    """The values of a run, batch by batch.

    `needs_checks`: labels of the measures that check a topic before they are computed. `refused`: those of a set that
    refuse the run. `single_run`: as in `evaluate_run`. `results_with_gain`: number of results in documents with a gain,
    under the setting that has most, if they were looked up for all topics at once.
    """

    topics: RunTopics
    needs_checks: frozenset[str]
    single_run: bool = False
    refused: dict[str, UnsupportedResultError] = field(default_factory=dict)
    results_with_gain: int = 0

    def compute(self, topics: Sequence[str], pairs: Pairs) -> dict[str, list[TopicValue]]:
        """A value of each topic by printed name; of topics that the run lacks, those of an empty list."""
        parts: dict[str, list[FloatArray]] = {name: [] for instance, _ in pairs for name in instance.names}
        known = self._known_gains(topics, pairs)
        for low, high in self.topics.batch_bounds(topics) if pairs else ():
            names, batches = topics[low:high], dict[SettingKey, TopicBatch]()
            values: dict[str, FloatArray] = {}
            for instance, setting in pairs:
                if instance.label in self.refused:
                    continue
                key = setting.key
                if key not in batches:
                    lazy = _LazyTopics(names, partial(self.topics.data_of_topics, setting=setting))
                    gains = known[key].part(low, high) if key in known else None
                    bounds = partial(self.topics.under(setting).bounds, names)
                    batches[key] = TopicBatch(lazy, gains, None if gains is None else bounds)
                try:
                    if instance.label in self.needs_checks:
                        self._check(instance, setting, batches[key], names)
                    if instance.measure.counts_overlap:
                        self._count_overlap(setting, batches[key])
                    values |= zip(instance.names, _values(instance, batches[key]).T, strict=True)
                except UnsupportedResultError as error:
                    if instance.explicit:
                        raise
                    self.refused[instance.label] = error.with_traceback(None)  # which would keep the run in memory
            for name, column in values.items():
                parts[name].append(column)
            self._forget_topics(batches.values())
        known.clear()  # before the values of many topics become Python numbers
        shapes = {name: instance.measure.shape for instance, _ in pairs for name in instance.names}
        return {name: _measured_values(parts.pop(name), shape) for name, shape in shapes.items()}

    def _known_gains(self, topics: Sequence[str], pairs: Pairs) -> dict[SettingKey, GainLists]:
        """The gain lists of all topics under each setting, where results are graded documents."""
        plan, is_flat_run = self.topics.plan, self.topics.run.kind is RunKind.FLAT
        inputs, known = plan.inputs, dict[SettingKey, GainLists]()
        flat = inputs.structure is None and inputs.assessments.kind is AssessmentKind.FLAT and is_flat_run
        for instance, setting in pairs if flat and plan.tokens is None else ():
            if setting.key not in known and instance.needs <= {Need.GAINS, Need.RECALL_BASE} and instance.needs:
                documents = _relevant_documents(plan, self.topics.cache, setting)
                lists = gain_lists_of_run(documents, self.topics.under(setting).run, topics, plan.limit)
                if lists is not None:
                    known[setting.key] = lists
        self.results_with_gain = max([self.results_with_gain, *(len(lists.ranks) for lists in known.values())])
        return known

    def _check(self, instance: ConfiguredMeasure, setting: Setting, batch: TopicBatch, names: Sequence[str]) -> None:
        """Refuse topics that a measure cannot be computed for; once for all measures of the same needs."""
        topics = self.topics.under(setting)

        def check() -> None:
            rows = [row for row, name in enumerate(names) if topics.rows(name) is not None]
            answered = batch if len(rows) == len(batch) else batch.select(np.array(rows, dtype=np.int64))
            check_topics(instance, answered, topics.plan.inputs, topics.run)

        batch.memo.get_or_compute(("checked", instance.needs), check)

    def _count_overlap(self, setting: Setting, batch: TopicBatch) -> None:
        """Count the results that overlap others, once for all measures."""
        from prum_eval.measures.coverage import count_overlapping

        counts = self.topics.overlap_counts
        batch.memo.get_or_compute("overlap", lambda: counts.update({setting.key: count_overlapping(batch.cover)}))

    def _forget_topics(self, batches: Iterable[TopicBatch]) -> None:
        """Free what is known of the topics of a batch."""
        for view in self.topics.all_views():
            view.cached_rankings.clear()
        if self.single_run:
            for batch in batches:
                for topic in batch.topics if "made" in vars(batch.topics) else ():
                    topic.judged.memo.clear()


def _values(instance: ConfiguredMeasure, batch: TopicBatch) -> FloatArray:
    """Values of each topic, shape (topics, names); NaN where there is none."""
    measure, cutoffs = instance.measure, np.array(instance.cutoffs)
    rows = np.arange(len(batch)) if measure.without_targets else batch.rows_with_targets
    if len(rows) == len(batch):
        return measure.compute(batch, instance.values, cutoffs)
    zero = measure.zero_for_documents and batch.topics[0].judged.kind is AssessmentKind.FLAT
    values = np.full((len(batch), len(instance.names)), 0.0 if zero else np.nan)
    if len(rows):
        values[rows] = measure.compute(batch.with_targets, instance.values, cutoffs)
    return values


def _measured_values(parts: Sequence[FloatArray], shape: Shape) -> list[TopicValue]:
    """The values of all topics; None where there is none."""
    if shape is Shape.TEXT:
        return [value for part in parts for value in part.tolist()]
    column = np.concatenate([np.empty(0), *parts])
    missing = np.isnan(column)
    values: list[TopicValue] = (
        np.where(missing, 0.0, column).astype(np.int64) if shape is Shape.COUNT else column
    ).tolist()
    for row in np.flatnonzero(missing).tolist():
        values[row] = None
    return values


def _by_topic(
    topics: Sequence[str], columns: Mapping[str, Sequence[TopicValue]]
) -> Mapping[str, Mapping[str, TopicValue]]:
    """The values of each topic by name, from columns with a row per topic."""
    if len(topics) > MAX_DICTIONARIES:
        return TopicValues(topics, columns)
    rows = zip(*columns.values(), strict=True) if columns else repeat(())
    return {topic: dict(zip(columns, row, strict=True)) for topic, row in zip(topics, rows, strict=False)}


def _select_rows(
    columns: Mapping[str, Sequence[TopicValue]], row_of: Mapping[str, int], topics: Sequence[str]
) -> dict[str, list[TopicValue]]:
    """Columns of some topics, without those that have no row."""
    rows = [row_of[topic] for topic in topics if topic in row_of]
    return {name: [column[row] for row in rows] for name, column in columns.items()}


def _averages(
    instances: Sequence[ConfiguredMeasure],
    columns: Mapping[str, Sequence[TopicValue]],
    others: Mapping[str, Sequence[TopicValue]],
) -> dict[str, MeasuredValue]:
    """The average of each name that the measures print, over its column and that of other topics that count too.

    Texts have none.
    """
    return {
        name: _average(instance, [*columns[name], *others.get(name, ())])
        for instance in instances
        if instance.measure.shape is not Shape.TEXT
        for name in instance.names
    }


def _average(instance: ConfiguredMeasure, values: list[TopicValue]) -> MeasuredValue:
    known = [value for value in values if isinstance(value, int | float)]
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
    runs = read_source(source, plan.rank_by, plan.tokens)
    for run in runs:
        if isinstance(run, InputError):
            outcomes.append(run)
            continue
        try:
            evaluated = evaluate_run(plan, run, cache, single_run=single_run and len(runs) == 1)
        except InputError as error:
            outcomes.append(error.with_traceback(None))  # which would keep the run in memory
        except DataError as error:
            outcomes.append(DataError(name_run(str(error), run)) if len(runs) > 1 else error.with_traceback(None))
        else:
            if len(runs) > 1:
                notices = [replace(notice, text=name_run(notice.text, run)) for notice in evaluated.warnings]
                evaluated = replace(evaluated, warnings=tuple(notices))
            outcomes.append(evaluated)
    return outcomes


def name_run(text: str, run: Run) -> str:
    """A message that begins with the path of a run, with the run's name after it: the file holds several."""
    prefix = f"{run.path}: "
    return f"{prefix}run {run.run_id}: {text.removeprefix(prefix)}" if text.startswith(prefix) else text


def read_source(
    source: RunSource, rank_by: RankBy | None, tokens: TokenCount | None = None
) -> Sequence[Run | InputError]:
    """The runs of a source, or why it cannot be read; a function of texts counts the tokens of their results."""
    if isinstance(source, Run | InputError):
        return (source,)
    try:
        path = source if isinstance(source, Content) else str(source)
        return read_runs(path, rank_by=rank_by, count_text=text_counter(tokens))
    except InputError as error:
        return (error.with_traceback(None),)


# Parts of a run


def restrict_to_topics(run: Run, topics: Collection[str]) -> Run:
    """The run restricted to some topics."""
    mask = np.array([topic in topics for topic in run.topics], dtype=np.bool_)
    sizes = np.diff(run.bounds)[mask]
    names = tuple(topic for topic in run.topics if topic in topics)
    return select_columns(run, mask[topic_numbers(run)], names, group_bounds(sizes))


def order_ties(run: Run, ties: TieOrder) -> Run:
    """The run with results of equal scores in that order; the run itself if their order is the same.

    Only results of documents that scores order are moved.
    """
    if ties is TieOrder.NAME_DESCENDING or not run.tied or run.kind is not RunKind.FLAT:
        return run
    topic = topic_numbers(run)
    follows = (np.diff(run.score) == 0) & (np.diff(topic) == 0)  # equal to the result before it
    tied = np.flatnonzero(np.append(follows, False) | np.insert(follows, 0, False))
    group = np.cumsum(~np.insert(follows, 0, False))[tied]
    place = run.line[tied]
    if ties is TieOrder.NAME_ASCENDING:
        names = [run.documents[code] for code in run.document[tied].tolist()]
        place = np.unique(np.array(names, dtype=np.object_), return_inverse=True)[1]
    rows = np.arange(len(topic))
    rows[tied] = tied[np.lexsort((place, group))]
    return select_columns(run, rows, run.topics, run.bounds)


def without_excluded(run: Run, exclude: Exclusions) -> Run:
    """The run without results in excluded documents; a topic of which nothing is left stays, as an empty list."""
    mask = ~_results_in(run, lambda topic: exclude.documents.get(topic, ()))
    return select_columns(
        run, mask, run.topics, group_bounds(np.bincount(topic_numbers(run)[mask], minlength=len(run.topics)))
    )


def restrict_to_judged(run: Run, assessments: Assessments, limit: int | None) -> Run:
    """The run restricted to results in documents judged for their topic, as with the switch -J of trec_eval.

    A document with a negative grade is not judged. A topic of which nothing is left stays, as an empty list; `limit`:
    most results per topic, before some are dropped.
    """
    topic = topic_numbers(run)
    assessed = assessments.topics
    mask = run.exists & _results_in(run, lambda name: _judged_documents(assessed[name]) if name in assessed else ())
    if limit is not None:
        mask &= np.arange(len(topic)) - run.bounds[topic] < limit
    sizes = np.bincount(topic[mask], minlength=len(run.topics))
    return select_columns(run, mask, run.topics, group_bounds(sizes))


def _results_in(run: Run, documents: Callable[[str], Collection[str]]) -> BoolArray:
    """Mask of the results in some documents, by topic; the run may name their files."""
    number = {name: code for code, name in enumerate(run.documents)}
    files = any(name.endswith(FILE_ENDINGS) for name in number)
    flag = np.zeros(len(number), dtype=np.bool_)
    mask = np.zeros(len(run.line), dtype=np.bool_)
    for topic, low, high in zip(run.topics, run.bounds[:-1].tolist(), run.bounds[1:].tolist(), strict=True):
        of_topic = documents(topic)
        names = [*of_topic, *(name + ending for name in of_topic for ending in FILE_ENDINGS if files)]
        codes = [number[name] for name in names if name in number]
        flag[codes] = True
        mask[low:high] = flag[run.document[low:high]]
        flag[codes] = False
    return mask


def _judged_documents(topic: Topic) -> list[str]:
    """The judged documents of a topic."""
    if isinstance(topic, FlatTopic):
        return [name for name, grade in zip(topic.documents, topic.grades.tolist(), strict=True) if grade >= 0]
    return list(topic.documents)
