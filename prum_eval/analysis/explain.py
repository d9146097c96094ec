"""The calls that explain values: `explain`, `explain_worst`, `explain_topics` and `explain_against`.

`explain` evaluates one topic of one run like `prum_eval.evaluate` and shows the contribution of each rank.
`explain_worst` explains the worst topics of every run; `explain_topics` lists the topics of a run in the order of
interest; `explain_against` explains one topic of two runs. With texts, explanations have excerpts of documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from prum_eval.analysis.explanation import (
    Excerpt,
    Explanation,
    NamedLocation,
    ReadDocument,
    Spans,
    TopicOfRun,
    explain_topic,
    make_excerpt,
    make_read_document,
    result_gains,
)
from prum_eval.collection.texts import Texts
from prum_eval.errors import DataError, InputError, NoTargetsError, UnsupportedResultError, UsageError
from prum_eval.evaluation.api import evaluate
from prum_eval.evaluation.evaluate_run import RunTopics, name_run, prepare_run, read_source
from prum_eval.evaluation.notices import LEFT_OUT, Notice, ignored_key_notices
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.plan import Plan, signature
from prum_eval.evaluation.prepare import prepare
from prum_eval.evaluation.results import Evaluation, MeasuredValue, RunResult
from prum_eval.evaluation.run_notices import few_judged_notices, refusal_notices
from prum_eval.evaluation.settings import Setting, user_setting, with_all_extents
from prum_eval.formats.reading import AssessmentsInput, PathName, RunInput, RunInputs, resolve_run_inputs, select_run
from prum_eval.measures.base import Direction, Need, Shape, is_divisible
from prum_eval.measures.registry import measures_by_printed_name
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import did_you_mean, text_counter
from prum_eval.records import AssessmentKind, ElementTopic, PassageTopic, Run, Topic
from prum_eval.relevance.targets import TargetKind, TargetSet, make_targets
from prum_eval.tabular import RowValue, Table, Tabular, plural

MeasureWithSetting = tuple[ConfiguredMeasure, Setting]
"""A measure and its setting."""
_MAX_OTHER_MEASURES = 3
"""Maximal number of other measures in a list of topics."""
_MAX_NAMES = 5


def explain(
    assessments: AssessmentsInput,
    run: RunInput,
    topic: str,
    *,
    run_id: str | None = None,
    texts: PathName | None = None,
    **options: Any,  # noqa: ANN401 - those of evaluate
) -> Explanation:
    """Explain the values of a run on a topic: targets reached, targets seen and contributions by rank.

    >>> from prum_eval import explain
    >>> explain("fixtures/demo/assessments", "fixtures/demo/run-a.xml", "101", measures="eprum_map")
    <Explanation: topic 101, run bm25-sections: eprum_map 0.5798; 1 warning>

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        run: one run, likewise.
        topic: the topic.
        run_id: the run, if the file has several.
        texts: a directory, a tar or zip archive of documents, or JSON Lines with `doc` and `text`; then
            `Explanation.excerpts` has the text of results and targets.
        options: the other arguments of `prum_eval.evaluate`, except those of processing and averages. Measures must be
            scores; those of a navigating user must share user model and targets. Without measures, task and config,
            explain the default measures of a navigating user and of chunks, or for flat assessments all scores, over
            the whole list, without recall levels and budgets.

    Raises:
        InputError: bad data in a file.
        DataError: inputs that do not fit together; the topic has no targets, or the run no results for it.
        UsageError: the topic has no assessments; no measure that can be explained, or measures of navigating users
            that differ in their user model, targets or quantisation.
    """
    sources = resolve_run_inputs(run, count_text=text_counter(options.get("tokens")))
    prepared = prepare(EvaluationOptions(assessments=assessments, runs=sources, **options))
    if len({source.path if isinstance(source, Run) else source for source in prepared.sources}) != 1:
        raise UsageError(f"explain needs one run, found {len(prepared.sources)}")
    runs: list[Run] = []
    for source in prepared.sources:
        for item in read_source(source, prepared.rank_by, prepared.tokens):
            if isinstance(item, InputError):
                raise item
            runs.append(item)
    selected = select_run(runs, run_id, "explain is about one")
    if len(runs) == 1:
        return explain_run(prepared, selected, str(topic), texts, options)
    try:
        return _naming_run(explain_run(prepared, selected, str(topic), texts, options), selected)
    except DataError as error:
        raise DataError(name_run(str(error), selected)) from error


def _naming_run(explanation: Explanation, run: Run) -> Explanation:
    """The explanation of a run of a file with several; its notices name the run."""
    notices = (replace(notice, text=name_run(notice.text, run)) for notice in explanation.warnings)
    return replace(explanation, warnings=tuple(notices))


def explain_run(
    prepared: Plan,
    run: Run,
    topic: str,
    texts: PathName | None,
    options: Mapping[str, Any],
    *,
    whole_list: bool = True,
) -> Explanation:
    """Explain a topic of a run in memory; arguments and errors are those of `explain`.

    `whole_list`: explain default measures over the whole list, not at their cut-offs.
    """
    explicit = any(options.get(name) for name in ("measures", "task", "config"))
    pairs, setting = _select_explained(prepared.for_task(run.task), explicit=explicit)
    topics = RunTopics(prepared, prepare_run(prepared, run))
    pairs = _with_results_of(topics, setting, topic, pairs)
    topics = topics.under(setting)
    run = topics.run
    topic_data = topic_of_run(topics, setting, topic)
    if whole_list and not explicit:
        depth = (float(max(len(topic_data.data.ranking), 1)),)
        pairs = [
            (
                replace(instance, cutoffs=depth) if instance.measure.shape is Shape.AT_RANKS else instance,
                measure_setting,
            )
            for instance, measure_setting in pairs
        ]
    measured, refused = _split_refused(_measure_data(topics, topic, topic_data, setting, pairs))
    labels = {instance.label for instance, _ in measured}
    plan = replace(prepared, pairs=[pair for pair in pairs if pair[0].label in labels])
    explained = explain_topic(topic_data, run, setting, measured)
    spans = highlights(prepared.inputs.assessments.topics[topic], topic_data.data.judged.targets, setting)
    if not any(Need.REACH in instance.needs for instance, _ in measured):
        of_characters = all({Need.PASSAGES, Need.SPANS} & instance.needs for instance, _ in measured)
        gains = result_gains(explained.ranks, topic_data.data.gains.tolist(), spans, of_characters=of_characters)
        explained = replace(explained, gains=gains)
    explanation = replace(
        explained,
        signature=signature(plan),
        warnings=(
            *prepared.warnings,
            *_unexplained_notices(prepared),
            *refusal_notices(run, refused),
            *few_judged_notices(prepared, run),
            *ignored_key_notices(run.path, run.ignored),
        ),
    )
    if texts is None:
        return explanation
    structure = prepared.inputs.structure
    documents = {location.document for location in explained_locations(explanation)}
    from prum_eval.collection.texts import Texts, reading_options_of_index  # only with texts

    with Texts(
        str(texts), documents, reading_options_of_index(None if structure is None else structure.path)
    ) as reader:
        return with_excerpts(explanation, reader, spans)


def _unexplained_notices(plan: Plan) -> Iterator[Notice]:
    """A notice of requested measures that cannot be explained, if others can."""
    names = [instance.label for instance, _ in plan.pairs if instance.explicit and not is_divisible(instance.measure)]
    if names:
        yield Notice(LEFT_OUT, f"explain supports scores; left out: {', '.join(names)}")


def _select_explained(plan: Plan, *, explicit: bool) -> tuple[list[MeasureWithSetting], Setting]:
    """The explained measures with their settings, and the setting under which ranks are shown.

    The latter is that of the measures that follow a user, else the setting of a user for the first measure.
    """
    flat = plan.inputs.assessments.kind is AssessmentKind.FLAT
    pairs = [
        (instance, setting)
        for instance, setting in plan.pairs
        if is_divisible(instance.measure)
        and (
            explicit or ((flat or instance.measure.split) and instance.measure.shape in (Shape.SCALAR, Shape.AT_RANKS))
        )
    ]
    if not pairs:
        names = ", ".join(instance.label for instance, _ in plan.pairs)
        raise UsageError(f"explain supports scores, not {names}")
    following = [setting for instance, setting in pairs if Need.REACH in instance.needs]
    if len({setting.user_key for setting in following}) > 1:
        names = ", ".join(instance.label for instance, _ in pairs if Need.REACH in instance.needs)
        raise UsageError(f"explain follows one user per call; choose measures of one setting with -m: {names}")
    if following:
        setting = max(following, key=lambda candidate: candidate.extents)
    elif {Need.SPANS, Need.PASSAGES}.isdisjoint(pairs[0][0].needs):
        setting = pairs[0][1]
    else:
        setting = user_setting(pairs[0][0], plan.inputs)
    shared = all(Need.REACH in instance.needs for instance, _ in pairs)
    shown = setting if shared else with_all_extents(setting)
    return [
        (instance, shown if Need.REACH in instance.needs else measure_setting) for instance, measure_setting in pairs
    ], shown


def _with_results_of(
    topics: RunTopics, shown: Setting, topic: str, pairs: Sequence[MeasureWithSetting]
) -> list[MeasureWithSetting]:
    """The measures that use the same results in the same order as the shown setting.

    Raises:
        UsageError: another one was requested by name.
    """

    def documents(setting: Setting) -> list[int]:
        view = topics.under(setting)
        rows = view.rows(topic)
        return [] if rows is None else view.run.line[rows].tolist()

    expected = documents(shown)
    others = [instance for instance, setting in pairs if documents(setting) != expected]
    if named := [instance.label for instance in others if instance.explicit]:
        raise UsageError(
            f"explain shows one list of results, and {named[0]} drops other results or orders equal scores otherwise "
            f"than {pairs[0][0].label}; explain them separately"
        )
    return [pair for pair in pairs if pair[0] not in others]


def _measure_data(
    topics: RunTopics, topic: str, topic_data: TopicOfRun, setting: Setting, pairs: Sequence[MeasureWithSetting]
) -> Iterator[tuple[ConfiguredMeasure, TopicData]]:
    """Each measure with the data of the topic under its setting; not those that need targets without any."""
    data_by_setting = {setting.key: topic_data.data}
    for instance, measure_setting in pairs:
        if measure_setting.key not in data_by_setting:
            (data_by_setting[measure_setting.key],) = topics.data([topic], measure_setting, [topic_data.rows])
        if instance.measure.without_targets or len(data_by_setting[measure_setting.key].judged.targets):
            yield instance, data_by_setting[measure_setting.key]


def _split_refused(
    measured: Iterable[tuple[ConfiguredMeasure, TopicData]],
) -> tuple[list[tuple[ConfiguredMeasure, TopicData]], dict[str, UnsupportedResultError]]:
    """The measures that support the results, and by name the errors of those that do not.

    Raises:
        RefusedError: no measure supports them.
    """
    supported, refused = list[tuple[ConfiguredMeasure, TopicData]](), dict[str, UnsupportedResultError]()
    for instance, data in measured:
        try:
            if not instance.explicit and len(data.judged.targets):  # without targets nothing is computed
                instance.measure.compute_topic(data, instance.values, np.array(instance.cutoffs))
        except UnsupportedResultError as error:
            refused[instance.label] = error
        else:
            supported.append((instance, data))
    if refused and not supported:
        raise next(iter(refused.values()))
    return supported, refused


def topic_of_run(topics: RunTopics, setting: Setting, topic: str) -> TopicOfRun:
    """The data of a topic of a run under a setting, as in an evaluation.

    Raises:
        UsageError: the topic has no assessments; the message suggests a similar topic.
        DataError: run and assessments do not match, or the run does not answer the topic.
        InputError: a result that cannot be located.
    """
    assessed = topics.plan.inputs.assessments.topics
    if topic not in assessed:
        raise UsageError(f"topic {topic} has no assessments{did_you_mean(topic, assessed)}")
    rows = topics.rows(topic)
    if rows is None:
        raise DataError(f"{topics.run.path}: the run has no results for topic {topic}")
    choice, (data,) = setting.choice, topics.data([topic], setting, [rows])
    finder_by_topic = (
        None if choice.model.paths is None else choice.model.paths(choice.values, topics.plan.inputs.context)
    )
    return TopicOfRun(data, rows, None if finder_by_topic is None else finder_by_topic(topic))


# The worst topics of runs


@dataclass(frozen=True)
class WorstTopic:
    """A bad topic of a run: index of the run in the evaluation, value of the measure, explanation."""

    run: int
    topic: str
    measure: str
    value: float
    explanation: Explanation


def explain_worst(
    evaluation: Evaluation,
    count: int,
    assessments: AssessmentsInput | None,
    runs: RunInputs | None,
    *,
    texts: PathName | None = None,
    **options: Any,  # noqa: ANN401 - those of evaluate
) -> list[WorstTopic]:
    """Explain the worst topics of each run by the first measure that can be explained, worst first.

    Runs are read again. Topics without a value, targets or results are left out.

    Args:
        evaluation: the result of `prum_eval.evaluate` for the same assessments, runs and options.
        count: number of topics per run.
        assessments: as `prum_eval.evaluate` takes them.
        runs: likewise.
        texts: as `prum_eval.explain` takes them.
        options: the other arguments of `prum_eval.explain`.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.explain`.
    """
    name, sign = explainable_measure(evaluation)
    prepared = prepare(EvaluationOptions(assessments=assessments, runs=runs, **options))
    worst: list[WorstTopic] = []
    remaining = list(enumerate(evaluation.runs))
    files = (read_source(source, prepared.rank_by, prepared.tokens) for source in prepared.sources)
    for run, together in ((run, len(runs_of_file)) for runs_of_file in files for run in runs_of_file):
        if isinstance(run, InputError):
            continue
        entry = next((entry for entry in remaining if (entry[1].path, entry[1].run_id) == (run.path, run.run_id)), None)
        if entry is None:
            continue
        remaining.remove(entry)
        number, result = entry
        scores = ((topic, result.topics[topic].get(name)) for topic in result.topics if topic in run.topics)
        values = [(topic, float(value)) for topic, value in scores if value is not None]
        badness = topic_badness(evaluation, name, result.numbers, prepared.inputs.assessments.topics)
        values.sort(key=lambda pair: (sign * pair[1], *badness(pair[0])))
        explained = 0
        for topic, value in values:
            if explained == count:
                break
            try:
                explanation = explain_run(prepared, run, topic, texts, options, whole_list=False)
            except NoTargetsError:
                continue
            explained += 1
            if together > 1:
                explanation = _naming_run(explanation, run)
            worst.append(WorstTopic(number, topic, name, value, explanation))
    return worst


def explainable_measure(evaluation: Evaluation) -> tuple[str, int]:
    """The first printed name that can be explained, and 1 if higher values are better, else -1."""
    names = [name for name in evaluation.names if any(name in run.all for run in evaluation.runs)]
    measures = measures_by_printed_name(names)
    scores = [name for name in names if name in measures and is_divisible(measures[name])]
    if evaluation.ranked_by in scores:
        scores = [evaluation.ranked_by]
    for name in sorted(scores, key=lambda name: measures[name].split is None):  # a navigating user first
        return name, 1 if measures[name].direction is Direction.HIGHER else -1
    raise UsageError(f"explain does not support the measures {', '.join(names)}")


def topic_badness(
    evaluation: Evaluation, name: str, values: Mapping[str, Mapping[str, MeasuredValue]], judged: Mapping[str, Topic]
) -> Callable[[str], tuple[float | bytes, ...]]:
    """A key that orders topics with equal values of a measure, the worst first.

    By the other measures in the order of the request, then by highlighted text, the most first, then by name.
    """
    others = [other for other in evaluation.requested_names or evaluation.names if other != name]
    records = measures_by_printed_name(others)
    signs = {
        other: 1 if records[other].direction is Direction.HIGHER else -1
        for other in others
        if other in records and is_divisible(records[other])
    }

    def badness(topic: str) -> tuple[float | bytes, ...]:
        row, assessed = values[topic], judged.get(topic)
        known = ((sign, row.get(other)) for other, sign in signs.items())
        keys = [0.0 if value is None else sign * float(value) for sign, value in known]
        size = int(assessed.length.sum()) if isinstance(assessed, PassageTopic) else 0
        return (*keys, float(-size), topic.encode())

    return badness


# Topics in the order of interest: the worst first, or those on which two runs differ most


@dataclass(frozen=True, slots=True)
class TopicListEntry:
    """A topic with its values by measure.

    `against`: the other run's value of the first measure, None without one.
    """

    topic: str
    values: tuple[float | None, ...]
    against: float | None = None

    @property
    def difference(self) -> float | None:
        """The run minus the other one on the first measure; None if one has no value."""
        return None if self.values[0] is None or self.against is None else self.values[0] - self.against


@dataclass(frozen=True, repr=False)
class TopicList(Tabular):
    """The result of `explain_topics`.

    `measures`: the one that orders the topics, then others for information. `paths` and `runs`: of the run, and of the
    other run if there is one. `topics`: worst first; with another run, largest difference first. `unanswered`: topics
    with assessments for which a run has no results.
    """

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    paths: tuple[str, ...]
    topics: tuple[TopicListEntry, ...]
    unanswered: tuple[str, ...]
    signature: str
    warnings: Sequence[Notice] = ()

    @property
    def wins(self) -> tuple[int, int, int]:
        """Numbers of topics on which the first value is higher, equal, lower than the other run's."""
        values = [entry.difference for entry in self.topics if entry.difference is not None]
        return (
            sum(value > 0 for value in values),
            sum(value == 0 for value in values),
            sum(value < 0 for value in values),
        )

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per topic."""
        for entry in self.topics:
            row: dict[str, RowValue] = {"topic": entry.topic, **dict(zip(self.measures, entry.values, strict=True))}
            yield row | ({"against": entry.against, "difference": entry.difference} if len(self.runs) > 1 else {})

    def _summary(self) -> str:
        return f"{plural(len(self.topics), 'topic')} by {self.measures[0]}"

    def _table(self) -> Table:
        more = ("against", "difference") if len(self.runs) > 1 else ()
        return ("topic", *self.measures, *more), (list(row.values()) for row in self.rows())


def explain_topics(
    assessments: AssessmentsInput,
    run: RunInput,
    against: RunInput | None = None,
    **options: Any,  # noqa: ANN401 - those of evaluate
) -> TopicList:
    """List the topics of a run in the order of interest.

    The first measure that can be explained orders them: the worst value first; against another run, the largest
    absolute difference first. Ties are broken by the next measures, then by the size of the answer. Topics that a run
    does not answer are listed separately.

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        run: one run, likewise.
        against: another run to compare with.
        options: the other arguments of `prum_eval.explain`.

    Raises:
        InputError, DataError: as `prum_eval.evaluate`.
        UsageError: a file holds several runs; no measure can be explained.
    """
    count_text = text_counter(options.get("tokens"))
    listed = [run] if against is None else [run, against]
    runs = [source for each in listed for source in resolve_run_inputs(each, count_text=count_text)]
    evaluation = evaluate(assessments, runs, complete=False, **options)  # what is not answered is listed apart
    if len(evaluation.runs) != (1 if against is None else 2):
        raise UsageError(f"explain needs one run, and another with --against, found {len(evaluation.runs)}")
    plan = prepare(EvaluationOptions(assessments=assessments, runs=runs, **options))
    assessed = plan.inputs.assessments.topics if plan.topics is None else plan.topics
    name, sign = explainable_measure(evaluation)
    names = (name,) if against is not None else (name, *_other_scores(name, evaluation.runs[0]))
    first, last = evaluation.runs[0].numbers, evaluation.runs[-1].numbers
    entries = [
        TopicListEntry(
            topic,
            tuple(_number(first[topic].get(measure)) for measure in names),
            None if against is None else _number(last[topic].get(name)),
        )
        for topic in first
        if topic in last
    ]

    badness = topic_badness(evaluation, name, first, plan.inputs.assessments.topics)

    def interest(entry: TopicListEntry) -> tuple[float | bytes, ...]:
        value = entry.values[0] if against is None else entry.difference
        key = 0.0 if value is None else sign * value if against is None else -abs(value)
        return value is None, key, *badness(entry.topic)

    return TopicList(
        names,
        tuple(result.run_id for result in evaluation.runs),
        tuple(result.path for result in evaluation.runs),
        tuple(sorted(entries, key=interest)),
        tuple(topic for topic in sorted(assessed, key=str.encode) if topic not in first or topic not in last),
        evaluation.signature,
        evaluation.warnings,
    )


def _other_scores(name: str, run: RunResult) -> list[str]:
    """The first other scores of which higher values are better, in the order of printing."""
    measures = measures_by_printed_name(run.all)
    others = [other for other in run.all if other != name and other in measures and is_divisible(measures[other])]
    return [other for other in others if measures[other].direction is Direction.HIGHER][:_MAX_OTHER_MEASURES]


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


# One topic of two runs


@dataclass(frozen=True, repr=False)
class TwoExplanations(Tabular):
    """The result of `explain_against`: explanations of two runs on one topic, with the same measures."""

    first: Explanation
    second: Explanation

    @property
    def topic(self) -> str:
        """The topic."""
        return self.first.topic

    @property
    def signature(self) -> str:
        """Every choice that changes a number, in one line."""
        return self.first.signature

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """Notices for the user on either run."""
        return (*self.first.warnings, *(notice for notice in self.second.warnings if notice not in self.first.warnings))

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per rank of each run."""
        for explanation in (self.first, self.second):
            yield from ({"run": explanation.run_id, **row} for row in explanation.rows())

    def _summary(self) -> str:
        return f"topic {self.topic}, runs {self.first.run_id} and {self.second.run_id}"

    def _table(self) -> Table:
        second_values = {contribution.measure: contribution.value for contribution in self.second.contributions}
        return ("measure", self.first.run_id, self.second.run_id), (
            [contribution.measure, contribution.value, second_values.get(contribution.measure)]
            for contribution in self.first.contributions
        )


def explain_against(
    assessments: AssessmentsInput,
    run: RunInput,
    against: RunInput,
    topic: str,
    *,
    texts: PathName | None = None,
    **options: Any,  # noqa: ANN401 - those of evaluate
) -> TwoExplanations:
    """Explain a topic of two runs.

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        run: one run, likewise.
        against: another run.
        topic: the topic.
        texts: as `prum_eval.explain` takes them.
        options: the other arguments of `prum_eval.explain`.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.explain`, for either run.
    """
    first, second = (explain(assessments, source, topic, texts=texts, **options) for source in (run, against))
    return TwoExplanations(first, second)


# Texts of results and targets


def highlights(topic: Topic, targets: TargetSet, setting: Setting) -> dict[str, list[tuple[int, int]]]:
    """Spans of relevant text by document: highlighted passages, else the targets."""
    relevant = targets
    has_passages = isinstance(topic, PassageTopic) or (isinstance(topic, ElementTopic) and len(topic.highlights) > 0)
    if has_passages and (isinstance(topic, PassageTopic) or (targets.forest is not None and targets.forest.complete)):
        try:
            relevant = make_targets(topic, TargetKind.PASSAGES, setting.quantisation, targets.forest)
        except InputError:  # a broken pointer, in a document without targets
            relevant = targets
    spans: dict[str, list[tuple[int, int]]] = {}
    for document, _, _, start, length, located in relevant.locations.rows():
        if located and length > 0:
            spans.setdefault(relevant.documents[document], []).append((start, start + length))
    return spans


def explained_locations(explanation: Explanation) -> list[NamedLocation]:
    """Locations of the targets and of the results that exist."""
    locations = [target.location for target in explanation.targets]
    return locations + [result.location for rank in explanation.ranks for result in rank.results if result.exists]


def with_excerpts(explanation: Explanation, texts: Texts, spans: Mapping[str, Spans]) -> Explanation:
    """The explanation with documents and the text of every result and target; warnings list missing texts.

    Args:
        explanation: an explanation without texts.
        texts: texts of its documents.
        spans: highlighted spans by document; by default its targets.

    Raises:
        InputError: a document cannot be read.
    """
    by_document: dict[str, dict[NamedLocation, None]] = {}
    for place in explained_locations(explanation):
        by_document.setdefault(place.document, {})[place] = None
    targets = {target.location for target in explanation.targets}
    ranks: dict[NamedLocation, list[int]] = {}
    for rank in explanation.ranks:
        for result in rank.results:
            ranks.setdefault(result.location, []).append(rank.number)
    excerpts: dict[NamedLocation, Excerpt] = {}
    missing: dict[str, list[str]] = {"documents": [], "elements": []}
    read: list[ReadDocument] = []
    for document, locations in by_document.items():
        text = texts.text(document)
        if text is None:
            missing["documents"].append(document)
            continue
        placed = []
        for place in locations:
            extent = _extent(place, texts)
            if extent is None:
                missing["elements"].append(place.description)
            else:
                placed.append((place, *extent))
        default = [(start, start + (length or 0)) for place, start, length in placed if place in targets]
        marks = spans.get(document, default)
        for place, start, length in placed:
            excerpts[place] = make_excerpt(text, start, length, marks)
        results = [
            (rank, start, len(text) if length is None else start + length)
            for place, start, length in placed
            for rank in ranks.get(place, ())
        ]
        read.append(make_read_document(document, text, marks, results))
    warnings = list(explanation.warnings)
    for kind, names in missing.items():
        if names:
            more = f", {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
            listing = f"{len(names)} ({', '.join(names[:_MAX_NAMES])}{more})"
            warnings.append(Notice("no text", f"{texts.name}: {kind} that it lacks: {listing}"))
    read.sort(key=lambda document: (not document.ranks, document.ranks[:1]))  # unread documents last
    return replace(explanation, excerpts=excerpts, documents=tuple(read), warnings=warnings)


def _extent(place: NamedLocation, texts: Texts) -> tuple[int, int | None] | None:
    """Begin and length of a place, length None for the whole document; None if the text lacks it."""
    if place.start is not None:
        return place.start, place.length
    return (0, None) if place.path is None else texts.element(place.document, place.path, place.last)
