"""One topic of one run: the data that an evaluation has of it, and the call that explains its values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from prum_eval.analysis.explanation.explain import Explanation, OneTopic, explain_topic
from prum_eval.errors import DataError, InputError, RefusedError, UsageError
from prum_eval.evaluation.api import MeasuringKeywords
from prum_eval.evaluation.evaluate_run import checked_run
from prum_eval.evaluation.evaluate_runs import read_source
from prum_eval.evaluation.notices.notice import LEFT_OUT, Notice, ignored_keys
from prum_eval.evaluation.notices.run_notices import few_judged, refusals
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.plan import Plan, signature
from prum_eval.evaluation.prepare import Prepared, prepare
from prum_eval.evaluation.settings.setting import Setting, everywhere, user_setting
from prum_eval.evaluation.values.run_topics import RunTopics
from prum_eval.formats.given import GivenAssessments, GivenRun, PathName, chosen_run, given_runs
from prum_eval.measures.base import Need, Shape
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.splits import is_divisible
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import nearest
from prum_eval.records.assessments import AssessmentKind
from prum_eval.records.run import Run
from prum_eval.version import __version__

Measured = tuple[ConfiguredMeasure, Setting]
"""A measure, and the setting under which it is computed."""


def explain(
    assessments: GivenAssessments,
    run: GivenRun,
    topic: str,
    *,
    run_id: str | None = None,
    texts: PathName | None = None,
    **options: Unpack[MeasuringKeywords],
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
    prepared = prepare(EvaluationOptions(assessments=assessments, runs=given_runs(run), **options))
    if len({one.path if isinstance(one, Run) else one for one in prepared.sources}) != 1:
        raise UsageError(f"explain is about one run, not {len(prepared.sources)}")
    read: list[Run] = []
    for each in (each for source in prepared.sources for each in read_source(source, prepared.rank_by)):
        if isinstance(each, InputError):
            raise each
        read.append(each)
    found = chosen_run(read, run_id, "explain is about one")
    return explain_run(prepared, found, str(topic), texts, options)


def explain_run(
    prepared: Prepared,
    found: Run,
    topic: str,
    texts: PathName | None,
    options: MeasuringKeywords,
    *,
    whole_list: bool = True,
) -> Explanation:
    """Explain a topic of a run that was read; arguments and errors are those of `explain`.

    `whole_list`: measures that nobody asked for are explained over the whole list, not at their cut-offs.
    """
    asked = any(options.get(name) for name in ("measures", "task", "config"))
    pairs, setting = _chosen(prepared.plan.for_task(found.task), asked=asked)
    found = checked_run(prepared.plan, found)
    topics = RunTopics(prepared.plan, found)
    one = one_topic(topics, setting, topic)
    if whole_list and not asked:
        whole = (float(max(len(one.data.ranking), 1)),)
        pairs = [
            (replace(each, cutoffs=whole) if each.measure.shape is Shape.AT_RANKS else each, own) for each, own in pairs
        ]
    kept, refused = _not_refused(_measured(topics, topic, one, setting, pairs))
    called = {instance.called for instance, _ in kept}
    plan = replace(prepared.plan, pairs=[pair for pair in pairs if pair[0].called in called])
    explanation = replace(
        explain_topic(one, found, setting, kept),
        signature=signature(__version__, plan, options.get("rank_by")),
        warnings=(
            *prepared.warnings,
            *_no_scores(prepared.plan),
            *refusals(found, refused),
            *few_judged(prepared.plan, found),
            *ignored_keys(found.path, found.ignored),
        ),
    )
    return explanation if texts is None else _with_texts(explanation, str(texts), prepared, one, setting)


def _no_scores(plan: Plan) -> Iterator[Notice]:
    """That measures which were asked for by name cannot be explained, where others can."""
    names = [instance.called for instance, _ in plan.pairs if instance.explicit and not is_divisible(instance.measure)]
    if names:
        yield Notice(LEFT_OUT, f"explain is about scores; left out: {', '.join(names)}")


def _with_texts(
    explanation: Explanation, source: str, prepared: Prepared, one: OneTopic, setting: Setting
) -> Explanation:
    from prum_eval.analysis.explanation.with_texts import highlights, locations_of, with_excerpts
    from prum_eval.collection.texts.reading import reading_of_index
    from prum_eval.collection.texts.texts import Texts

    structure = prepared.plan.inputs.structure
    spans = highlights(prepared.plan.inputs.assessments.topics[explanation.topic], one.data.judged.targets, setting)
    documents = {location.document for location in locations_of(explanation)}
    with Texts(source, documents, reading_of_index(structure.path if structure is not None else None)) as texts:
        return with_excerpts(explanation, texts, spans)


def _chosen(plan: Plan, *, asked: bool) -> tuple[list[Measured], Setting]:
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
        names = ", ".join(instance.called for instance, _ in plan.pairs)
        raise UsageError(f"explain is about scores, not {names}")
    following = [setting for instance, setting in pairs if Need.REACH in instance.needs]
    if len({setting.user for setting in following}) > 1:
        names = ", ".join(instance.called for instance, _ in pairs if Need.REACH in instance.needs)
        raise UsageError(f"explain follows one user in one call; choose with -m measures of one setting among {names}")
    if following:
        setting = max(following, key=lambda one: one.extents)
    elif {Need.SPANS, Need.PASSAGES}.isdisjoint(pairs[0][0].needs):
        setting = pairs[0][1]
    else:
        setting = user_setting(pairs[0][0], plan.inputs)
    shared = all(Need.REACH in instance.needs for instance, _ in pairs)
    shown = setting if shared else everywhere(setting)
    return [(instance, shown if Need.REACH in instance.needs else own) for instance, own in pairs], shown


def _measured(
    topics: RunTopics, topic: str, one: OneTopic, setting: Setting, pairs: Sequence[Measured]
) -> Iterator[tuple[ConfiguredMeasure, TopicData]]:
    """Each measure with the data of the topic under its own setting, made once a setting; not those without targets."""
    known = {setting.key: one.data}
    for instance, own in pairs:
        if own.key not in known:
            known[own.key] = topics.data(topic, own, one.rows)
        if instance.measure.without_targets or len(known[own.key].judged.targets):
            yield instance, known[own.key]


def _not_refused(
    measured: Iterable[tuple[ConfiguredMeasure, TopicData]],
) -> tuple[list[tuple[ConfiguredMeasure, TopicData]], dict[str, RefusedError]]:
    """The measures that take such results; those of a set that refuse them, by name, and why.

    Raises:
        RefusedError: none is left.
    """
    taken, refused = list[tuple[ConfiguredMeasure, TopicData]](), dict[str, RefusedError]()
    for instance, data in measured:
        try:
            if not instance.explicit and len(data.judged.targets):  # without targets nothing is explained
                instance.measure.per_topic(data, instance.values, np.array(instance.cutoffs))
        except RefusedError as error:
            refused[instance.called] = error
        else:
            taken.append((instance, data))
    if refused and not taken:
        raise next(iter(refused.values()))
    return taken, refused


def one_topic(topics: RunTopics, setting: Setting, topic: str) -> OneTopic:
    """The data of a topic of a run under a setting, the same that an evaluation has.

    Raises:
        UsageError: the topic has no assessments; the nearest that has some is named.
        DataError: run and assessments do not fit, or the run does not answer the topic.
        InputError: a result that cannot be placed.
    """
    assessed = topics.plan.inputs.assessments.topics
    if topic not in assessed:
        raise UsageError(f"topic {topic} has no assessments{nearest(topic, assessed)}")
    rows = topics.rows(topic)
    if rows is None:
        raise DataError(f"{topics.run.path}: the run has no results for topic {topic}")
    choice, data = setting.choice, topics.data(topic, setting, rows)
    ways = None if choice.model.ways is None else choice.model.ways(choice.values, topics.plan.inputs.context)
    return OneTopic(data, rows, None if ways is None else ways(topic))
