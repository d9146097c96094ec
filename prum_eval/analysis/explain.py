"""One topic of one run: the data that an evaluation has of it, and the call that explains its values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
)
from prum_eval.collection.texts import Texts
from prum_eval.errors import DataError, InputError, UnsupportedResultError, UsageError
from prum_eval.evaluation.api import evaluate
from prum_eval.evaluation.evaluate_run import RunTopics, prepare_run, read_source
from prum_eval.evaluation.notices import LEFT_OUT, Notice, ignored_key_notices
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.plan import Plan, signature
from prum_eval.evaluation.prepare import prepare
from prum_eval.evaluation.results import Evaluation, RunResult
from prum_eval.evaluation.run_notices import few_judged_notices, refusal_notices
from prum_eval.evaluation.settings import Setting, user_setting, with_all_extents
from prum_eval.formats.reading import AssessmentsInput, PathName, RunInput, RunInputs, resolve_run_inputs, select_run
from prum_eval.measures.base import Direction, Need, Shape, is_divisible
from prum_eval.measures.registry import measures_by_printed_name
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import did_you_mean
from prum_eval.records import AssessmentKind, ElementTopic, PassageTopic, Run, Topic
from prum_eval.relevance.targets import TargetKind, TargetSet, make_targets
from prum_eval.tabular import RowValue, Table, Tabular, plural

MeasureWithSetting = tuple[ConfiguredMeasure, Setting]
"""A measure, and the setting under which it is computed."""


def explain(
    assessments: AssessmentsInput,
    run: RunInput,
    topic: str,
    *,
    run_id: str | None = None,
    texts: PathName | None = None,
    **options: Any,  # noqa: ANN401 - those of evaluate
) -> Explanation:
    """Explain why a run has its values on a topic: what each rank reaches, what is seen by then, what that adds.

    >>> from prum_eval import explain
    >>> explain("fixtures/demo/assessments", "fixtures/demo/run-a.xml", "101", measures="eprum_map")
    <Explanation: topic 101, run bm25-sections: eprum_map 0.5798>

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        run: one run, likewise.
        topic: the topic.
        run_id: which run it is about, where a file holds several.
        texts: a directory, a tar or zip archive of documents, or JSON Lines with `doc` and `text`: then
            `Explanation.excerpts` has what stands at results and targets.
        options: the other arguments of `prum_eval.evaluate`, but those of its work and of averages. Measures are
            scores; those of a navigating user are all of one user model and to the same targets. Without measures,
            task and config they are those of a navigating user and of chunks that an evaluation has, of flat
            assessments all scores, over the whole list, without recall levels and budgets.

    Raises:
        InputError: bad data in a file.
        DataError: inputs that do not fit together; the topic has no targets, or the run no results for it.
        UsageError: the topic has no assessments; no measure that can be explained, or measures of navigating users
            that differ in their user model, targets or quantisation.
    """
    prepared = prepare(EvaluationOptions(assessments=assessments, runs=resolve_run_inputs(run), **options))
    if len({one.path if isinstance(one, Run) else one for one in prepared.sources}) != 1:
        raise UsageError(f"explain is about one run, not {len(prepared.sources)}")
    read: list[Run] = []
    for each in (each for source in prepared.sources for each in read_source(source, prepared.rank_by)):
        if isinstance(each, InputError):
            raise each
        read.append(each)
    found = select_run(read, run_id, "explain is about one")
    return explain_run(prepared, found, str(topic), texts, options)


def explain_run(
    prepared: Plan,
    found: Run,
    topic: str,
    texts: PathName | None,
    options: Mapping[str, Any],
    *,
    whole_list: bool = True,
) -> Explanation:
    """Explain a topic of a run that was read; arguments and errors are those of `explain`.

    `whole_list`: measures that nobody asked for are explained over the whole list, not at their cut-offs.
    """
    asked = any(options.get(name) for name in ("measures", "task", "config"))
    pairs, setting = _select_explained(prepared.for_task(found.task), asked=asked)
    found = prepare_run(prepared, found)
    topics = RunTopics(prepared, found)
    one = topic_of_run(topics, setting, topic)
    if whole_list and not asked:
        whole = (float(max(len(one.data.ranking), 1)),)
        pairs = [
            (replace(each, cutoffs=whole) if each.measure.shape is Shape.AT_RANKS else each, own) for each, own in pairs
        ]
    kept, refused = _split_refused(_measure_data(topics, topic, one, setting, pairs))
    called = {instance.label for instance, _ in kept}
    plan = replace(prepared, pairs=[pair for pair in pairs if pair[0].label in called])
    explanation = replace(
        explain_topic(one, found, setting, kept),
        signature=signature(plan),
        warnings=(
            *prepared.warnings,
            *_unexplained_notices(prepared),
            *refusal_notices(found, refused),
            *few_judged_notices(prepared, found),
            *ignored_key_notices(found.path, found.ignored),
        ),
    )
    return explanation if texts is None else _with_texts(explanation, str(texts), prepared, one, setting)


def _unexplained_notices(plan: Plan) -> Iterator[Notice]:
    """That measures which were asked for by name cannot be explained, where others can."""
    names = [instance.label for instance, _ in plan.pairs if instance.explicit and not is_divisible(instance.measure)]
    if names:
        yield Notice(LEFT_OUT, f"explain is about scores; left out: {', '.join(names)}")


def _with_texts(
    explanation: Explanation, source: str, prepared: Plan, one: TopicOfRun, setting: Setting
) -> Explanation:
    from prum_eval.collection.texts import Texts, reading_options_of_index

    structure = prepared.inputs.structure
    spans = highlights(prepared.inputs.assessments.topics[explanation.topic], one.data.judged.targets, setting)
    documents = {location.document for location in explained_locations(explanation)}
    with Texts(source, documents, reading_options_of_index(structure.path if structure is not None else None)) as texts:
        return with_excerpts(explanation, texts, spans)


def _select_explained(plan: Plan, *, asked: bool) -> tuple[list[MeasureWithSetting], Setting]:
    """The measures that are explained, each with the setting of its values, and the one under which ranks are shown.

    The latter is that of the measures that follow a user; without one, the setting of a user of the first measure.
    """
    flat = plan.inputs.assessments.kind is AssessmentKind.FLAT
    pairs = [
        (instance, setting)
        for instance, setting in plan.pairs
        if is_divisible(instance.measure)
        and (asked or ((flat or instance.measure.split) and instance.measure.shape in (Shape.SCALAR, Shape.AT_RANKS)))
    ]
    if not pairs:
        names = ", ".join(instance.label for instance, _ in plan.pairs)
        raise UsageError(f"explain is about scores, not {names}")
    following = [setting for instance, setting in pairs if Need.REACH in instance.needs]
    if len({setting.user_key for setting in following}) > 1:
        names = ", ".join(instance.label for instance, _ in pairs if Need.REACH in instance.needs)
        raise UsageError(f"explain follows one user in one call; choose with -m measures of one setting among {names}")
    if following:
        setting = max(following, key=lambda one: one.extents)
    elif {Need.SPANS, Need.PASSAGES}.isdisjoint(pairs[0][0].needs):
        setting = pairs[0][1]
    else:
        setting = user_setting(pairs[0][0], plan.inputs)
    shared = all(Need.REACH in instance.needs for instance, _ in pairs)
    shown = setting if shared else with_all_extents(setting)
    return [(instance, shown if Need.REACH in instance.needs else own) for instance, own in pairs], shown


def _measure_data(
    topics: RunTopics, topic: str, one: TopicOfRun, setting: Setting, pairs: Sequence[MeasureWithSetting]
) -> Iterator[tuple[ConfiguredMeasure, TopicData]]:
    """Each measure with the data of the topic under its own setting, made once a setting; not those without targets."""
    known = {setting.key: one.data}
    for instance, own in pairs:
        if own.key not in known:
            known[own.key] = topics.data(topic, own, one.rows)
        if instance.measure.without_targets or len(known[own.key].judged.targets):
            yield instance, known[own.key]


def _split_refused(
    measured: Iterable[tuple[ConfiguredMeasure, TopicData]],
) -> tuple[list[tuple[ConfiguredMeasure, TopicData]], dict[str, UnsupportedResultError]]:
    """The measures that take such results; those of a set that refuse them, by name, and why.

    Raises:
        RefusedError: none is left.
    """
    taken, refused = list[tuple[ConfiguredMeasure, TopicData]](), dict[str, UnsupportedResultError]()
    for instance, data in measured:
        try:
            if not instance.explicit and len(data.judged.targets):  # without targets nothing is explained
                instance.measure.per_topic(data, instance.values, np.array(instance.cutoffs))
        except UnsupportedResultError as error:
            refused[instance.label] = error
        else:
            taken.append((instance, data))
    if refused and not taken:
        raise next(iter(refused.values()))
    return taken, refused


def topic_of_run(topics: RunTopics, setting: Setting, topic: str) -> TopicOfRun:
    """The data of a topic of a run under a setting, the same that an evaluation has.

    Raises:
        UsageError: the topic has no assessments; the nearest that has some is named.
        DataError: run and assessments do not fit, or the run does not answer the topic.
        InputError: a result that cannot be placed.
    """
    assessed = topics.plan.inputs.assessments.topics
    if topic not in assessed:
        raise UsageError(f"topic {topic} has no assessments{did_you_mean(topic, assessed)}")
    rows = topics.rows(topic)
    if rows is None:
        raise DataError(f"{topics.run.path}: the run has no results for topic {topic}")
    choice, data = setting.choice, topics.data(topic, setting, rows)
    ways = None if choice.model.paths is None else choice.model.paths(choice.values, topics.plan.inputs.context)
    return TopicOfRun(data, rows, None if ways is None else ways(topic))


# The topics on which runs are worst, explained.


@dataclass(frozen=True)
class WorstTopic:
    """A topic on which a run is bad: the number of the run in the evaluation, from 0, and the value of a measure."""

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
    """Explain the topics of each run that are worst by the first measure that `explain` is about, the worst first.

    Runs are read again. A topic without a value, or that a run does not answer, is none of them.

    Args:
        evaluation: the result of `prum_eval.evaluate` for the same assessments, runs and options.
        count: so many topics of each run.
        assessments: as `prum_eval.evaluate` takes them.
        runs: likewise.
        texts: as `prum_eval.explain` takes them.
        options: the other arguments of `prum_eval.explain`.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.explain`.
    """
    name, sign = explainable_measure(evaluation)
    prepared = prepare(EvaluationOptions(assessments=assessments, runs=runs, **options))
    found: list[WorstTopic] = []
    waiting = list(enumerate(evaluation.runs))
    for run in _runs(prepared):
        place = next((one for one in waiting if (one[1].path, one[1].run_id) == (run.path, run.run_id)), None)
        if place is not None:
            waiting.remove(place)
            for topic, value in _worst_topics(place[1], set(run.topics), name, sign)[:count]:
                explanation = explain_run(prepared, run, topic, texts, options, whole_list=False)
                found.append(WorstTopic(place[0], topic, name, value, explanation))
    return found


def explainable_measure(evaluation: Evaluation) -> tuple[str, int]:
    """The first printed name that can be explained and says which values are better, and 1 where those are higher."""
    names = [name for name in evaluation.names if any(name in run.all for run in evaluation.runs)]
    measures = measures_by_printed_name(names)
    scores = [name for name in names if name in measures and is_divisible(measures[name])]
    for name in sorted(scores, key=lambda one: measures[one].split is None):  # of a navigating user before all others
        return name, 1 if measures[name].direction is Direction.HIGHER else -1
    raise UsageError(f"explain says nothing about the measures {', '.join(names)}")


def _runs(prepared: Plan) -> Iterator[Run]:
    """The runs that can be read."""
    for source in prepared.sources:
        yield from (one for one in read_source(source, prepared.rank_by) if not isinstance(one, InputError))


def _worst_topics(run: RunResult, answered: set[str], name: str, sign: int) -> list[tuple[str, float]]:
    """Topics with their values, the worst first, equal ones by name."""
    values = ((topic, found.get(name)) for topic, found in run.topics.items() if topic in answered)
    known = [(topic, float(value)) for topic, value in values if value is not None]
    return sorted(known, key=lambda one: (sign * one[1], one[0].encode()))


# The topics of a run, those first that are worth explaining: the worst, or those on which two runs differ most.


_MAX_OTHER_MEASURES = 3
"""How many other measures stand beside the first."""


@dataclass(frozen=True, slots=True)
class TopicListEntry:
    """A topic: its values by measure; `against`: the other run's value of the first measure, None without one."""

    topic: str
    values: tuple[float | None, ...]
    against: float | None = None

    @property
    def difference(self) -> float | None:
        """The run minus the other one, on the first measure; None where one of them has no value."""
        return None if self.values[0] is None or self.against is None else self.values[0] - self.against


@dataclass(frozen=True, repr=False)
class TopicList(Tabular):
    """What `explain_topics` returns.

    `measures`: the one that orders the topics, then others that stand beside it. `paths` and `runs`: of the run, and of
    the one that it is compared with. `topics`: without another run the worst first; with one the largest difference
    first. `unanswered`: topics with assessments for which the run, or the other one, has no results.
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
        """In how many topics the first value is higher, equal, lower than the other run's."""
        found = [one.difference for one in self.topics if one.difference is not None]
        return sum(one > 0 for one in found), sum(one == 0 for one in found), sum(one < 0 for one in found)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a topic."""
        for one in self.topics:
            row: dict[str, RowValue] = {"topic": one.topic, **dict(zip(self.measures, one.values, strict=True))}
            yield row | ({"against": one.against, "difference": one.difference} if len(self.runs) > 1 else {})

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
    """List the topics of a run, those first whose values are worth an explanation.

    The first measure that `explain` is about orders them: the worst value first; against another run the largest
    difference, whichever way it points. Equal ones stand by name. Topics that a run does not answer are told apart.

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        run: one run, likewise.
        against: another run to compare with.
        options: the other arguments of `prum_eval.explain`.

    Raises:
        InputError, DataError: as `prum_eval.evaluate`.
        UsageError: a file holds several runs; no measure can be explained.
    """
    given = [*resolve_run_inputs(run), *(resolve_run_inputs(against) if against is not None else ())]
    found = evaluate(assessments, given, **options)
    if len(found.runs) != (1 if against is None else 2):
        raise UsageError(f"explain is about one run, and about one other with --against, not {len(found.runs)}")
    plan = prepare(EvaluationOptions(assessments=assessments, runs=given, **options))
    assessed = plan.inputs.assessments.topics if plan.topics is None else plan.topics
    name, sign = explainable_measure(found)
    names = (name,) if against is not None else (name, *_other_scores(name, found.runs[0]))
    first, last = found.runs[0].topics, found.runs[-1].topics
    listed = [
        TopicListEntry(
            topic,
            tuple(_number(first[topic].get(one)) for one in names),
            None if against is None else _number(last[topic].get(name)),
        )
        for topic in first
        if topic in last
    ]
    return TopicList(
        names,
        tuple(one.run_id for one in found.runs),
        tuple(one.path for one in found.runs),
        tuple(sorted(listed, key=lambda one: (*_interest_key(one, sign, alone=against is None), one.topic.encode()))),
        tuple(topic for topic in sorted(assessed, key=str.encode) if topic not in first or topic not in last),
        found.signature,
        found.warnings,
    )


def _interest_key(one: TopicListEntry, sign: int, *, alone: bool) -> tuple[bool, float]:
    """What orders topics: those without a value come last."""
    value = one.values[0] if alone else one.difference
    if value is None:
        return True, 0.0
    return False, sign * value if alone else -abs(value)


def _other_scores(name: str, run: RunResult) -> list[str]:
    """Other scores that stand beside a measure, in the order of printing."""
    measures = measures_by_printed_name(run.all)
    scores = [other for other, one in measures.items() if other != name and is_divisible(one)]
    return [other for other in run.all if other in scores and measures[other].direction is Direction.HIGHER][
        :_MAX_OTHER_MEASURES
    ]


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


# One topic of two runs, explained side by side.


@dataclass(frozen=True, repr=False)
class TwoExplanations(Tabular):
    """What `explain_against` returns: the explanations of two runs on one topic, under the same measures."""

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
        """What the user should know of either."""
        return (*self.first.warnings, *(one for one in self.second.warnings if one not in self.first.warnings))

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a rank of each run."""
        for one in (self.first, self.second):
            yield from ({"run": one.run_id, **row} for row in one.rows())

    def _summary(self) -> str:
        return f"topic {self.topic}, runs {self.first.run_id} and {self.second.run_id}"

    def _table(self) -> Table:
        second = {each.measure: each.value for each in self.second.contributions}
        return ("measure", self.first.run_id, self.second.run_id), (
            [each.measure, each.value, second.get(each.measure)] for each in self.first.contributions
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
    """Explain a topic of two runs, to be read side by side.

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
    first, second = (explain(assessments, one, topic, texts=texts, **options) for one in (run, against))
    return TwoExplanations(first, second)


# The texts at the results and targets of an explanation.


_MAX_NAMES = 5


def highlights(topic: Topic, targets: TargetSet, setting: Setting) -> dict[str, list[tuple[int, int]]]:
    """Begin and end of what is relevant in each document: what was highlighted, else the targets."""
    found = targets
    has_passages = isinstance(topic, PassageTopic) or (isinstance(topic, ElementTopic) and len(topic.highlights) > 0)
    if has_passages and (isinstance(topic, PassageTopic) or (targets.forest is not None and targets.forest.complete)):
        try:
            found = make_targets(topic, TargetKind.PASSAGES, setting.quantisation, targets.forest)
        except InputError:  # a pointer that leads nowhere, in a document that no target is in
            found = targets
    spans: dict[str, list[tuple[int, int]]] = {}
    for document, _, _, start, length, located in found.locations.rows():
        if located and length > 0:
            spans.setdefault(found.documents[document], []).append((start, start + length))
    return spans


def explained_locations(explanation: Explanation) -> list[NamedLocation]:
    """Where the targets and the results are, without those that do not exist."""
    places = [target.location for target in explanation.targets]
    return places + [one.location for rank in explanation.ranks for one in rank.results if one.exists]


def with_excerpts(explanation: Explanation, texts: Texts, spans: Mapping[str, Spans]) -> Explanation:
    """The explanation with documents and the text at every result and target; warnings say what texts lack.

    Args:
        explanation: as it is without texts.
        texts: of its documents.
        spans: what is highlighted in each document; where nothing is known of one, its targets.

    Raises:
        InputError: a document cannot be read.
    """
    by_document: dict[str, dict[NamedLocation, None]] = {}
    for place in explained_locations(explanation):
        by_document.setdefault(place.document, {})[place] = None
    targets = {target.location for target in explanation.targets}
    ranks: dict[NamedLocation, list[int]] = {}
    for rank in explanation.ranks:
        for one in rank.results:
            ranks.setdefault(one.location, []).append(rank.number)
    excerpts: dict[NamedLocation, Excerpt] = {}
    documents: list[str] = []
    elements: list[str] = []
    read: list[ReadDocument] = []
    for document, inside in by_document.items():
        text = texts.text(document)
        if text is None:
            documents.append(document)
            continue
        extents = {place: _extent(place, texts) for place in inside}
        elements += [place.description for place, extent in extents.items() if extent is None]
        placed = [(place, *extent) for place, extent in extents.items() if extent is not None]
        own = [(start, start + (length or 0)) for place, start, length in placed if place in targets]
        marks = spans.get(document, own)
        for place, start, length in placed:
            excerpts[place] = make_excerpt(text, start, length, marks)
        results = [
            (rank, start, len(text) if length is None else start + length)
            for place, start, length in placed
            for rank in ranks.get(place, ())
        ]
        read.append(make_read_document(document, text, marks, results))
    lacking = [
        _missing_text_notice(texts.name, kind, named)
        for kind, named in (("documents", documents), ("elements", elements))
    ]
    read.sort(key=lambda one: (not one.ranks, one.ranks[:1]))  # what no rank has comes last
    warnings = [*explanation.warnings, *filter(None, lacking)]
    return replace(explanation, excerpts=excerpts, documents=tuple(read), warnings=warnings)


def _extent(place: NamedLocation, texts: Texts) -> tuple[int, int | None] | None:
    """Where a place begins and how long it is, None for all of the document; None where the texts lack it."""
    if place.start is not None:
        return place.start, place.length
    return (0, None) if place.path is None else texts.element(place.document, place.path, place.last)


def _missing_text_notice(source: str, kind: str, named: Sequence[str]) -> Notice | None:
    if not named:
        return None
    more = f", {len(named) - _MAX_NAMES} more" if len(named) > _MAX_NAMES else ""
    return Notice("no text", f"{source}: {kind} that it lacks: {len(named)} ({', '.join(named[:_MAX_NAMES])}{more})")
