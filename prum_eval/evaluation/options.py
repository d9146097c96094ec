"""What a call asks for, and all of it that is read and chosen before a run is evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

from prum_eval.errors import UsageError
from prum_eval.evaluation.configuration.common import Configuration
from prum_eval.evaluation.curves import widened
from prum_eval.evaluation.evaluate_runs import RunSource, read_documents
from prum_eval.evaluation.inputs import Inputs
from prum_eval.evaluation.parallel.workplaces import place_of
from prum_eval.evaluation.plan import Plan, make_plan
from prum_eval.formats import RankBy, read_navigation, read_structure
from prum_eval.formats.assessments.cache import read_cached, user_cache
from prum_eval.formats.given import GivenAssessments, GivenRuns, given_assessments, given_runs
from prum_eval.measures.base import Need
from prum_eval.measures.registry import SETS
from prum_eval.measures.specs import COMMON, Defaults, MeasureSpec, select
from prum_eval.measures.tasks import Task, task_of
from prum_eval.parameters import show
from prum_eval.records.assessments import AssessmentKind, Assessments
from prum_eval.records.navigation import NavigationFile
from prum_eval.records.run import Run
from prum_eval.records.structure import Structure
from prum_eval.relevance.targets import target_documents
from prum_eval.text.document_names import documents_of
from prum_eval.user_models.registry import NAVIGATION_GRAPH, parse_choice

if TYPE_CHECKING:  # a call with one run starts without it
    from prum_eval.evaluation.parallel.executors import Workplace

Path = str | PathLike[str]


@dataclass(frozen=True, kw_only=True, eq=False)
class Call:
    """The arguments of `prum_eval.evaluate`, which explains them."""

    assessments: GivenAssessments | None = None
    runs: GivenRuns | None = None
    config: Path | None = None
    structure: Path | Structure | None = None
    measures: str | Sequence[str] | None = None
    task: str | None = None
    user_model: str | None = None
    navigation: Path | NavigationFile | None = None
    navigation_kind: str = "reach"
    targets: str | None = None
    quantisation: str | None = None
    items: str | None = None
    settings: Mapping[str, str | float] | None = None
    prum_mode: str | None = None
    ideal_list: str | None = None
    collection_size: int | None = None
    complete: bool = False
    limit: int | None = None
    rank_by: str | None = None
    curves: bool = False
    jobs: int = 1
    cluster: str | None = None
    cache: bool = True


@dataclass(frozen=True, eq=False)
class Prepared:
    """A call ready to be computed.

    `sources`: its runs. `names`: the printed names that were asked for. `listed`: whether a set or a task asked for
    measures, so that the output tells more than their values.
    """

    plan: Plan
    sources: Sequence[RunSource]
    rank_by: RankBy | None
    place: Workplace | None
    names: tuple[str, ...]
    warnings: tuple[str, ...]
    listed: bool


def prepare(call: Call) -> Prepared:
    """Read what all runs share, and choose measures and settings.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.evaluate`.
    """
    ranking = RankBy(_one_of("rank_by", call.rank_by, list(RankBy))) if call.rank_by is not None else None
    _one_of("navigation_kind", call.navigation_kind, ("reach", "step"))
    if call.items is not None:
        _one_of("items", call.items, ("article",))
    if (
        call.navigation is not None
        and (name := parse_choice(call.user_model or NAVIGATION_GRAPH)[0]) != NAVIGATION_GRAPH
    ):
        raise UsageError(f"a navigation file is for user model {NAVIGATION_GRAPH}, not {name}")
    given = _configuration(call.config)
    assessments = given.assessments if call.assessments is None else call.assessments
    runs = given.runs if call.runs is None else call.runs
    structure = given.structure if call.structure is None else call.structure
    if assessments is None or runs is None:
        missing = "assessments" if assessments is None else "runs"
        raise UsageError(f"no {missing}: give them, or a configuration file that names some")
    chosen = task_of(call.task) if call.task is not None else given.task or Task("", "", "", ())
    asked = [call.measures] if isinstance(call.measures, str) else call.measures or ()
    specs: list[str | MeasureSpec] = [*chosen.specs, *given.requests, *asked] or ["official"]
    heads = [spec.spec if isinstance(spec, MeasureSpec) else spec for spec in specs]
    defaults = _defaults(call, chosen)
    asked_for = select(specs, defaults)
    instances = widened(asked_for) if call.curves else asked_for
    listed = [runs] if isinstance(runs, str | PathLike | Run) else given_runs(runs, ranking)
    place = place_of(call.jobs, len(listed), call.cluster)
    sources: Sequence[RunSource] = listed
    named: set[str] = set()
    if any(Need.EXTENTS in instance.needs for instance in instances):
        # Such measures look into every document that a run names, so the runs come before the structure.
        sources, named = read_documents(listed, ranking, place)
        named = documents_of(named)
    from_call = (call.navigation, call.navigation_kind, call.collection_size)
    inputs = read_inputs(assessments, structure, *from_call, also=named, cache=call.cache)
    plan = make_plan(
        inputs,
        instances,
        defaults.everywhere,
        complete=call.complete or given.complete,
        limit=next((one for one in (call.limit, given.limit, chosen.limit) if one is not None), None),
        task=chosen.name or None,
    )
    return Prepared(
        plan,
        sources,
        ranking,
        place,
        tuple(dict.fromkeys(name for instance in asked_for for name in instance.names)),
        (*given.warnings, *_plan_warnings(plan)),
        listed=bool(chosen.name) or any(name in SETS for name in heads),
    )


def _configuration(path: Path | None) -> Configuration:
    if path is None:
        return Configuration()
    from prum_eval.evaluation.configuration.read import configuration  # few calls have one

    return configuration(str(path))


def _defaults(call: Call, task: Task) -> Defaults:
    """What the options and the task set for all measures."""
    modes = {"prum": ("mode", call.prum_mode), "eprum": ("ideal_list", call.ideal_list)}
    own = {family: {key: value} for family, (key, value) in modes.items() if value is not None}
    settings = call.settings or {}
    user_model = call.user_model or (NAVIGATION_GRAPH if call.navigation is not None else None)
    return Defaults(
        _common(task.common, user_model, call.targets, call.quantisation, call.items),
        {family: {**task.of_family.get(family, {}), **own.get(family, {})} for family in {**task.of_family, **own}},
        {key: value if isinstance(value, str) else show(value) for key, value in settings.items()},
    )


def _one_of(option: str, value: str, legal: Sequence[str]) -> str:
    if value not in legal:
        raise UsageError(f"{option}={value}: {option} is {' or '.join(legal)}")
    return value


def _common(
    of_task: Mapping[str, str], user_model: str | None, targets: str | None, quantisation: str | None, items: str | None
) -> dict[str, str]:
    """What the task sets, overridden by the options; another user model brings its own parameters."""
    common = dict(of_task)
    common |= {key: value for key, value in (("targets", targets), ("quantisation", quantisation)) if value is not None}
    if user_model is not None:
        name, own = parse_choice(user_model)
        common = {key: value for key, value in common.items() if key in COMMON} | {**own, "user_model": name}
    if items is not None:
        common["items"] = items
    return common


def read_inputs(
    assessments: GivenAssessments,
    structure: Path | Structure | None = None,
    navigation: Path | NavigationFile | None = None,
    navigation_kind: str = "reach",
    collection_size: int | None = None,
    *,
    also: AbstractSet[str] = frozenset(),
    cache: bool = True,
) -> Inputs:
    """Read what all runs share; of the structure only the documents that may hold a target, and those in `also`."""
    if not isinstance(assessments, Assessments):
        given = [str(assessments)] if isinstance(assessments, str | PathLike) else given_assessments(assessments)
        assessments = given if isinstance(given, Assessments) else read_cached(given, user_cache() if cache else None)
    if structure is not None and not isinstance(structure, Structure):
        structure = read_structure(str(structure), target_documents(assessments) | also)
    if navigation is not None and not isinstance(navigation, NavigationFile):
        navigation = read_navigation(str(navigation))
    return Inputs(assessments, structure, navigation, navigation_kind, collection_size)


def _plan_warnings(plan: Plan) -> list[str]:
    warnings = list(plan.warnings)
    if plan.left_out:
        warnings.insert(0, f"left out, because an input is missing: {', '.join(plan.left_out)}")
    if plan.inputs.structure is None and plan.inputs.assessments.kind not in (
        AssessmentKind.FLAT,
        AssessmentKind.PASSAGES,
    ):
        warnings.append("no structure: document trees are taken from the assessments, as far as they tell")
    return warnings
