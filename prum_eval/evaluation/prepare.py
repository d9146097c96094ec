"""From options to what is computed: all that is read and chosen before a run is evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING

from prum_eval.errors import UsageError
from prum_eval.evaluation.configuration import MERGE, Configuration
from prum_eval.evaluation.inputs import Inputs, Judged, read_inputs, read_judged
from prum_eval.evaluation.notices import CONFIGURATION, LEFT_OUT, Notice
from prum_eval.evaluation.options import AS_GIVEN, PRINTED_NAMES, EvaluationOptions, check_tokens
from prum_eval.evaluation.parallel import read_documents
from prum_eval.evaluation.plan import Plan, make_plan
from prum_eval.evaluation.settings import Defaults, configure_variants, defaults_of, requested
from prum_eval.formats import RankBy
from prum_eval.formats.reading import GivenAssessments, given_runs
from prum_eval.measures.base import Need
from prum_eval.measures.registry import LACKING
from prum_eval.measures.specs import ConfiguredMeasure, MeasureSpec, heads_of, listed_measures
from prum_eval.measures.tasks import Task, default_task, task_of
from prum_eval.text.names import possible_documents
from prum_eval.user_models.model import ModelNeed
from prum_eval.user_models.registry import NAVIGATION_GRAPH, parse_choice, takes_navigation, user_model

if TYPE_CHECKING:  # a call with one run starts without it
    from prum_eval.evaluation.options import GivenTopics
    from prum_eval.evaluation.parallel import RunSource, Workplace


@dataclass(frozen=True, eq=False)
class Prepared:
    """A call ready to be computed.

    `sources`: its runs. `names`: the printed names that were asked for; `asked`: in that order. `listed`: whether a set
    or a task asked for measures, so that the output tells more than their values.
    """

    plan: Plan
    sources: Sequence[RunSource]
    rank_by: RankBy | None
    place: Workplace | None
    names: tuple[str, ...]
    asked: tuple[str, ...]
    warnings: tuple[Notice, ...]
    listed: bool


def prepare(options: EvaluationOptions) -> Prepared:
    """Read what all runs share, and choose measures and settings.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.evaluate`.
    """
    rank_by = _rank_by(options)
    given = _configuration(options)
    assessments = given.assessments if options.assessments is None else options.assessments
    runs = given.runs if options.runs is None else options.runs
    if assessments is None or runs is None:
        missing = "assessments" if assessments is None else "runs"
        raise UsageError(f"no {missing}: give them, or a configuration file that names some")
    task = task_of(options.task) if options.task is not None else given.task or Task("", "", "", ())
    asked = _asked(options)
    judged: GivenAssessments | Judged = assessments
    wanted = bool(task.specs or given.requests or asked)
    if not wanted:
        judged = read_judged(assessments, cache=options.cache)
        task = default_task(chunks=judged.assessments.chunks)
    specs: list[str | MeasureSpec] = [*task.specs, *given.requests, *asked]
    defaults, asked_for, in_order = _configured(specs, options, task)
    measures = asked_for = [replace(one, explicit=one.explicit and wanted) for one in asked_for]
    if options.curves:
        from prum_eval.evaluation.results import widened  # most calls print numbers

        measures = widened(asked_for)
    sources: Sequence[RunSource]
    if isinstance(runs, tuple) and all(isinstance(run, str) for run in runs):  # as from the command line
        sources = runs
    else:
        sources = given_runs(runs, rank_by)
    place = None
    if options.jobs != 1 or options.cluster is not None:
        from prum_eval.evaluation.parallel import place_of  # few calls share runs out

        place = place_of(options.jobs, len(sources), options.cluster)
    structure = given.structure if options.structure is None else options.structure
    documents: set[str] = set()
    everywhere = any(Need.EXTENTS in measure.needs for measure in measures)
    merge = given.merge if options.merge is None else options.merge
    everywhere = everywhere or merge is not None
    leaves = any(_leaves_passages(measure) for measure in measures if "user_model" in measure.asked)
    if structure is not None and (everywhere or leaves):
        # Such measures look into every document that a run names, so the runs come before the structure.
        sources, named = read_documents(sources, rank_by, place, of_passages=not everywhere)
        documents = possible_documents(named)
    inputs = read_inputs(
        judged,
        structure,
        options.navigation,
        options.navigation_kind,
        options.collection_size,
        also=documents,
        cache=options.cache,
    )
    told: list[Notice] = []
    if options.groups is not None or inputs.assessments.groups:
        inputs, told = _grouped(inputs, options)
    plan = make_plan(
        inputs,
        measures,
        defaults.everywhere,
        complete=options.complete or given.complete,
        limit=next((one for one in (options.limit, given.limit, task.limit) if one is not None), None),
        task=task.name or None,
        asked=wanted,
    )
    plan = replace(plan, merge=merge, tokens=options.tokens, judged_only=options.judged_only)
    if options.topics is not None:
        plan, told = _of_topics(plan, options.topics, told)
    if asked and not all(measure.explicit for measure in in_order):
        told = told + _lacking(asked)
    printed = dict.fromkeys(name for measure in asked_for for name in measure.names)
    return Prepared(
        plan,
        sources,
        rank_by,
        place,
        tuple(printed),
        tuple(dict.fromkeys(name for measure in in_order for name in measure.names if name in printed)),
        (*(Notice(CONFIGURATION, text) for text in given.warnings), *told, *plan.warnings),
        listed=bool(task.name) or not all(measure.explicit for measure in in_order),
    )


def _configured(
    specs: Sequence[str | MeasureSpec], options: EvaluationOptions, task: Task
) -> tuple[Defaults, list[ConfiguredMeasure], list[ConfiguredMeasure]]:
    """What is set for the call, the measures in the order of printing, and as they are asked for."""
    defaults = defaults_of(options, task)
    if options.variants:
        found = configure_variants(specs, options, task)
        return defaults, found, found
    return defaults, *requested(specs, defaults, as_given=options.names == AS_GIVEN)


def _lacking(asked: Sequence[str | MeasureSpec]) -> list[Notice]:
    """What trec_eval has in the sets that were asked for, and we do not."""
    heads = heads_of(one for one in asked if isinstance(one, str))
    text = "left out of {}, because prum-eval has no such measures: {}"
    return [Notice(LEFT_OUT, text.format(name, LACKING[name])) for name in LACKING if name in heads]


def _asked(options: EvaluationOptions) -> Sequence[str | MeasureSpec]:
    """The specifications of measures, as they were given."""
    given = options.measures
    if isinstance(given, tuple) and all(isinstance(one, str) for one in given):  # as from the command line
        return given
    return listed_measures(given)


def _grouped(inputs: Inputs, options: EvaluationOptions) -> tuple[Inputs, list[Notice]]:
    """The inputs with the groups of topics that there are, and what there is to say of them."""
    from prum_eval.evaluation.results import grouped  # few calls have some

    given = options.groups if options.groups is not None else inputs.assessments.groups or {}
    groups, told = grouped(given, inputs.assessments.topics, inputs.assessments.path)
    return replace(inputs, assessments=replace(inputs.assessments, groups=groups)), told


def _of_topics(plan: Plan, given: GivenTopics, told: list[Notice]) -> tuple[Plan, list[Notice]]:
    """The plan for some topics, and what there is to say of others, after what is told."""
    from prum_eval.evaluation.options import chosen_topics  # few calls choose some

    assessments = plan.inputs.assessments
    chosen, more = chosen_topics(given, assessments.topics, assessments.path)
    return replace(plan, topics=chosen), told + more


def _leaves_passages(measure: ConfiguredMeasure) -> bool:
    """Whether the user model asked for goes on from the elements that lie in a passage, in whatever document."""
    return Need.REACH in measure.needs and ModelNeed.GRAPH in user_model(measure.asked["user_model"]).needs


def _rank_by(options: EvaluationOptions) -> RankBy | None:
    """What orders the results of a run, after a look at the options that take one of few values, or counts."""
    for name, value, legal in (
        ("rank_by", options.rank_by, list(RankBy)),
        ("navigation_kind", options.navigation_kind, ["reach", "step"]),
        ("items", options.items, ["article"]),
        ("merge", options.merge, [MERGE]),
        ("names", options.names, PRINTED_NAMES),
    ):
        if value is not None and value not in legal:
            raise UsageError(f"{name}={value}: {name} is {' or '.join(legal)}")
    if options.tokens is not None:
        check_tokens(options.tokens)
    for name, number, most in (
        ("limit", options.limit, 2**31 - 1),
        ("collection_size", options.collection_size, 2**53),
    ):
        if number is not None and not (isinstance(number, Integral) and 1 <= number <= most):
            raise UsageError(f"{name}={number}: {name} is a whole number from 1 to {most}")
    if options.navigation is not None and options.user_model:
        model = parse_choice(options.user_model)[0]
        if model != NAVIGATION_GRAPH and not takes_navigation(model):
            raise UsageError(f"a navigation file is for user model {NAVIGATION_GRAPH}, not {model}")
    return None if options.rank_by is None else RankBy(options.rank_by)


def _configuration(options: EvaluationOptions) -> Configuration:
    if options.config is None:
        return Configuration()
    from prum_eval.evaluation.configuration import configuration  # few calls have one

    return configuration(str(options.config))
