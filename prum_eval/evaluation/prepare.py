"""From options to what is computed: all that is read and chosen before a run is evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING

from prum_eval.errors import UsageError
from prum_eval.evaluation.configuration import MERGE_BY_DOCUMENT, Configuration
from prum_eval.evaluation.inputs import Inputs, LoadedAssessments, load_assessments, read_inputs
from prum_eval.evaluation.notices import CONFIGURATION, LEFT_OUT, Notice
from prum_eval.evaluation.options import PRINTED_NAMES, TYPED_NAMES, EvaluationOptions, check_tokens
from prum_eval.evaluation.parallel import read_documents
from prum_eval.evaluation.plan import Plan, make_plan
from prum_eval.evaluation.settings import Defaults, configure_requested, configure_variants, make_defaults
from prum_eval.formats import RankBy
from prum_eval.formats.reading import AssessmentsInput, resolve_run_inputs
from prum_eval.measures.base import Need
from prum_eval.measures.registry import MISSING_MEASURES
from prum_eval.measures.specs import ConfiguredMeasure, MeasureSpec, base_names, measure_list
from prum_eval.measures.tasks import Task, default_task, find_task
from prum_eval.text.names import candidate_documents
from prum_eval.user_models.model import ModelNeed
from prum_eval.user_models.registry import GRAPH_MODEL, find_user_model, parse_model_spec, takes_navigation

if TYPE_CHECKING:  # a call with one run starts without it
    from prum_eval.evaluation.options import TopicsInput
    from prum_eval.evaluation.parallel import RunSource, WorkerBackend


@dataclass(eq=False, repr=False)
class PreparedCall:
    """A call ready to be computed.

    `sources`: its runs. `names`: the printed names that were asked for; `requested_names`: in that order. `includes_set`: whether a set
    or a task asked for measures, so that the output tells more than their values.
    """

    plan: Plan
    sources: Sequence[RunSource]
    rank_by: RankBy | None
    backend: WorkerBackend | None
    names: tuple[str, ...]
    requested_names: tuple[str, ...]
    warnings: tuple[Notice, ...]
    includes_set: bool


def prepare(options: EvaluationOptions) -> PreparedCall:
    """Read what all runs share, and choose measures and settings.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.evaluate`.
    """
    rank_by = _parse_rank_by(options)
    given = _configuration(options)
    assessments = given.assessments if options.assessments is None else options.assessments
    runs = given.runs if options.runs is None else options.runs
    if assessments is None or runs is None:
        missing = "assessments" if assessments is None else "runs"
        raise UsageError(f"no {missing}: give them, or a configuration file that names some")
    task = find_task(options.task) if options.task is not None else given.task or Task("", "", "", ())
    asked = _requested_specs(options)
    judged: AssessmentsInput | LoadedAssessments = assessments
    wanted = bool(task.specs or given.requests or asked)
    if not wanted:
        judged = load_assessments(assessments, cache=options.cache)
        task = default_task(chunks=judged.assessments.chunks)
    specs: list[str | MeasureSpec] = [*task.specs, *given.requests, *asked]
    defaults, asked_for, in_order = _call_measures(specs, options, task)
    measures = asked_for = [replace(one, explicit=one.explicit and wanted) for one in asked_for]
    if options.curves:
        from prum_eval.evaluation.results import with_curve_levels  # most calls print numbers

        measures = with_curve_levels(asked_for)
    sources: Sequence[RunSource]
    if isinstance(runs, tuple) and all(isinstance(run, str) for run in runs):  # as from the command line
        sources = runs
    else:
        sources = resolve_run_inputs(runs, rank_by)
    place = None
    if options.jobs != 1 or options.cluster is not None:
        from prum_eval.evaluation.parallel import make_executor  # few calls share runs out

        place = make_executor(options.jobs, len(sources), options.cluster)
    structure = given.structure if options.structure is None else options.structure
    documents: set[str] = set()
    everywhere = any(Need.EXTENTS in measure.needs for measure in measures)
    merge = given.merge if options.merge is None else options.merge
    everywhere = everywhere or merge is not None
    leaves = any(
        _continues_from_passages(measure) for measure in measures if "user_model" in measure.requested_settings
    )
    if structure is not None and (everywhere or leaves):
        # Such measures look into every document that a run names, so the runs come before the structure.
        sources, named = read_documents(sources, rank_by, place, of_passages=not everywhere)
        documents = candidate_documents(named)
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
        inputs, told = _with_groups(inputs, options)
    plan = make_plan(
        inputs,
        measures,
        defaults.global_settings,
        complete=options.complete or given.complete,
        limit=next((one for one in (options.limit, given.limit, task.limit) if one is not None), None),
        task=task.name or None,
        asked=wanted,
    )
    plan = replace(plan, merge=merge, tokens=options.tokens, judged_only=options.judged_only)
    if options.topics is not None:
        plan, told = _restrict_topics(plan, options.topics, told)
    if asked and not all(measure.explicit for measure in in_order):
        told = told + _missing_measure_notices(asked)
    printed = dict.fromkeys(name for measure in asked_for for name in measure.names)
    return PreparedCall(
        plan,
        sources,
        rank_by,
        place,
        tuple(printed),
        tuple(dict.fromkeys(name for measure in in_order for name in measure.names if name in printed)),
        (*(Notice(CONFIGURATION, text) for text in given.warnings), *told, *plan.warnings),
        includes_set=bool(task.name) or not all(measure.explicit for measure in in_order),
    )


def _call_measures(
    specs: Sequence[str | MeasureSpec], options: EvaluationOptions, task: Task
) -> tuple[Defaults, list[ConfiguredMeasure], list[ConfiguredMeasure]]:
    """What is set for the call, the measures in the order of printing, and as they are asked for."""
    defaults = make_defaults(options, task)
    if options.variants:
        found = configure_variants(specs, options, task)
        return defaults, found, found
    return defaults, *configure_requested(specs, defaults, as_given=options.names == TYPED_NAMES)


def _missing_measure_notices(asked: Sequence[str | MeasureSpec]) -> list[Notice]:
    """What trec_eval has in the sets that were asked for, and we do not."""
    heads = base_names(one for one in asked if isinstance(one, str))
    text = "left out of {}, because prum-eval has no such measures: {}"
    return [Notice(LEFT_OUT, text.format(name, MISSING_MEASURES[name])) for name in MISSING_MEASURES if name in heads]


def _requested_specs(options: EvaluationOptions) -> Sequence[str | MeasureSpec]:
    """The specifications of measures, as they were given."""
    given = options.measures
    if isinstance(given, tuple) and all(isinstance(one, str) for one in given):  # as from the command line
        return given
    return measure_list(given)


def _with_groups(inputs: Inputs, options: EvaluationOptions) -> tuple[Inputs, list[Notice]]:
    """The inputs with the groups of topics that there are, and what there is to say of them."""
    from prum_eval.evaluation.results import match_groups  # few calls have some

    given = options.groups if options.groups is not None else inputs.assessments.groups or {}
    groups, told = match_groups(given, inputs.assessments.topics, inputs.assessments.path)
    return replace(inputs, assessments=replace(inputs.assessments, groups=groups)), told


def _restrict_topics(plan: Plan, given: TopicsInput, told: list[Notice]) -> tuple[Plan, list[Notice]]:
    """The plan for some topics, and what there is to say of others, after what is told."""
    from prum_eval.evaluation.options import select_topics  # few calls choose some

    assessments = plan.inputs.assessments
    chosen, more = select_topics(given, assessments.topics, assessments.path)
    return replace(plan, topics=chosen), told + more


def _continues_from_passages(measure: ConfiguredMeasure) -> bool:
    """Whether the user model asked for goes on from the elements that lie in a passage, in whatever document."""
    return (
        Need.REACH in measure.needs
        and ModelNeed.GRAPH in find_user_model(measure.requested_settings["user_model"]).needs
    )


def _parse_rank_by(options: EvaluationOptions) -> RankBy | None:
    """What orders the results of a run, after a look at the options that take one of few values, or counts."""
    for name, value, legal in (
        ("rank_by", options.rank_by, list(RankBy)),
        ("navigation_kind", options.navigation_kind, ["reach", "step"]),
        ("items", options.items, ["article"]),
        ("merge", options.merge, [MERGE_BY_DOCUMENT]),
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
        model = parse_model_spec(options.user_model)[0]
        if model != GRAPH_MODEL and not takes_navigation(model):
            raise UsageError(f"a navigation file is for user model {GRAPH_MODEL}, not {model}")
    return None if options.rank_by is None else RankBy(options.rank_by)


def _configuration(options: EvaluationOptions) -> Configuration:
    if options.config is None:
        return Configuration()
    from prum_eval.evaluation.configuration import load_configuration  # few calls have one

    return load_configuration(str(options.config))
