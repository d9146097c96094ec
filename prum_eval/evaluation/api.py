"""The one call that does it all: read, evaluate, and hand back plain values. The command line uses it too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from os import PathLike

from prum_eval.errors import UsageError
from prum_eval.evaluation.configuration import Configuration, configuration
from prum_eval.evaluation.curves import curves_of, narrowed, widened
from prum_eval.evaluation.executors import place_of
from prum_eval.evaluation.inputs import Inputs
from prum_eval.evaluation.many_runs import Job, Problems, Progress, Source, evaluate_runs, raise_first, read_documents
from prum_eval.evaluation.plan import Plan, make_plan
from prum_eval.evaluation.results import Evaluation
from prum_eval.evaluation.signature import parameters, signature
from prum_eval.formats import RankBy, read_assessments, read_navigation, read_structure
from prum_eval.formats.records import Assessments, Kind, NavigationFile, Run, Structure
from prum_eval.measures.measure import Need
from prum_eval.measures.registry import SETS
from prum_eval.measures.selection import COMMON, Defaults, Request, select
from prum_eval.measures.tasks import Task, task_of
from prum_eval.navigation.models import parse
from prum_eval.parameters import show
from prum_eval.relevance.targets import target_documents
from prum_eval.version import __version__

Path = str | PathLike[str]


def evaluate(  # noqa: PLR0913 - the options of the command line, by name
    assessments: Path | Sequence[Path] | Assessments | None = None,
    runs: Path | Run | Sequence[Path | Run] | None = None,
    *,
    config: Path | None = None,
    structure: Path | Structure | None = None,
    measures: str | Sequence[str] | None = None,
    task: str | None = None,
    user_model: str | None = None,
    navigation: Path | NavigationFile | None = None,
    navigation_kind: str = "reach",
    targets: str | None = None,
    quantisation: str | None = None,
    items: str | None = None,
    settings: Mapping[str, str | float] | None = None,
    prum_mode: str | None = None,
    ideal_list: str | None = None,
    collection_size: int | None = None,
    complete: bool = False,
    limit: int | None = None,
    rank_by: str | None = None,
    curves: bool = False,
    jobs: int = 1,
    problems: Problems = raise_first,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate runs against assessments.

    Args:
        assessments: path (file, directory or ``-``), paths, or what `read_assessments` returned; may be left out
            where the configuration names them.
        runs: a run or several, as paths or as what `read_run` returned; may be left out likewise.
        config: configuration file: measures with labels and parameters, inputs; whatever else is given comes first.
        structure: the collection structure; without it, trees are taken from the assessments as far as they tell.
        measures: specifications as ``-m`` takes them: names, families, sets, cut-offs, parameters; the set
            ``official`` if neither these nor a task are given.
        task: a campaign's official measures and settings; whatever else is given comes before them.
        user_model: specification as ``-u`` takes it; chosen from the inputs if not given.
        navigation: navigation file of the ``graph`` user model, which it stands for.
        navigation_kind: ``reach`` or ``step``, what the numbers of that file are.
        targets: ideal, relevant, bep or passages; chosen from the kind of judgements if not given.
        quantisation: how judgements become values in [0, 1]; ``gen`` if not given.
        items: ``article`` for fetch and browse.
        settings: parameters for every selected measure that has them, as ``--set``.
        prum_mode: paper, exact or normal.
        ideal_list: targets or greedy.
        collection_size: N, where no structure tells it.
        complete: average over all judged topics; those that a run lacks count as empty lists.
        limit: use at most so many results a topic.
        rank_by: file, rank or score; each format's own rule if not given.
        curves: also compute the curve of every measure with levels or cut-offs, at all its default levels.
        jobs: number of processes that share the runs; 0: one a processor. The values are the same.
        problems: called with the error of each run that fails, in order; where it returns, the other runs complete.
        progress: called with how many runs are done, of how many.

    Returns:
        Values by run, topic and measure, with averages under ``all``.

    Raises:
        InputError: bad data in a file, with file, line and reason.
        DataError: inputs that do not fit together.
        UsageError: an unknown name or a value that is not legal.
    """
    ranking = RankBy(_one_of("rank_by", rank_by, list(RankBy))) if rank_by is not None else None
    _one_of("navigation_kind", navigation_kind, ("reach", "step"))
    if items is not None:
        _one_of("items", items, ("article",))
    if navigation is not None and (name := parse(user_model or "graph")[0]) != "graph":
        raise UsageError(f"a navigation file is for user model graph, not {name}")
    everywhere = {key: value if isinstance(value, str) else show(value) for key, value in (settings or {}).items()}
    given = configuration(str(config)) if config is not None else Configuration()
    assessments = given.assessments if assessments is None else assessments
    runs = given.runs if runs is None else runs
    structure = given.structure if structure is None else structure
    if assessments is None or runs is None:
        missing = "assessments" if assessments is None else "runs"
        raise UsageError(f"no {missing}: give them, or a configuration file that names some")
    chosen = task_of(task) if task is not None else given.task or Task("", "", "", ())
    asked = [measures] if isinstance(measures, str) else measures or ()
    specs: list[str | Request] = [*chosen.specs, *given.requests, *asked] or ["official"]
    heads = [spec.spec if isinstance(spec, Request) else spec for spec in specs]
    limit = next((one for one in (limit, given.limit, chosen.limit) if one is not None), None)
    modes = {"prum": ("mode", prum_mode), "eprum": ("ideal_list", ideal_list)}
    own = {family: {key: value} for family, (key, value) in modes.items() if value is not None}
    defaults = Defaults(
        _common(
            chosen.common, user_model or ("graph" if navigation is not None else None), targets, quantisation, items
        ),
        {family: {**chosen.of_family.get(family, {}), **own.get(family, {})} for family in {**chosen.of_family, **own}},
        everywhere,
    )
    asked_for = select(specs, defaults)
    instances = widened(asked_for) if curves else asked_for
    listed = [runs] if isinstance(runs, str | PathLike | Run) else list(runs)
    place = place_of(jobs, len(listed))
    sources: Sequence[Source] = listed
    named: set[str] = set()
    if any(Need.EXTENTS in instance.needs for instance in instances):
        # Such measures look into every document that a run names, so the runs come before the structure.
        sources, named = read_documents(listed, ranking, place)
        named |= {name.removesuffix(".xml") for name in named}
    inputs = read_inputs(assessments, structure, navigation, navigation_kind, collection_size, also=named)
    complete = complete or given.complete
    plan = make_plan(inputs, instances, everywhere, complete=complete, limit=limit, task=chosen.name or None)
    evaluated = evaluate_runs(Job(plan, ranking), sources, place, problems=problems, progress=progress)
    warnings = [*given.warnings, *_plan_warnings(plan), *(text for one in evaluated for text in one.warnings)]
    names = tuple(dict.fromkeys(name for instance in asked_for for name in instance.printed()))
    return Evaluation(
        __version__,
        signature(__version__, plan, rank_by),
        parameters(plan, rank_by),
        tuple(narrowed(one.result, names) for one in evaluated) if curves else tuple(one.result for one in evaluated),
        tuple(warnings),
        show_run_id=len(listed) > 1 or bool(chosen.name) or any(name in SETS for name in heads),
        names=names,
        curves=tuple(curves_of(plan.instances, one.result) for one in evaluated) if curves else (),
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
        name, own = parse(user_model)
        common = {key: value for key, value in common.items() if key in COMMON} | {**own, "user_model": name}
    if items is not None:
        common["items"] = items
    return common


def read_inputs(
    assessments: Path | Sequence[Path] | Assessments,
    structure: Path | Structure | None = None,
    navigation: Path | NavigationFile | None = None,
    navigation_kind: str = "reach",
    collection_size: int | None = None,
    *,
    also: AbstractSet[str] = frozenset(),
) -> Inputs:
    """Read what all runs share; of the structure only the documents that may hold a target, and those in `also`."""
    if not isinstance(assessments, Assessments):
        paths = [assessments] if isinstance(assessments, str | PathLike) else assessments
        assessments = read_assessments([str(path) for path in paths])
    if structure is not None and not isinstance(structure, Structure):
        structure = read_structure(str(structure), target_documents(assessments) | also)
    if navigation is not None and not isinstance(navigation, NavigationFile):
        navigation = read_navigation(str(navigation))
    return Inputs(assessments, structure, navigation, navigation_kind, collection_size)


def _plan_warnings(plan: Plan) -> list[str]:
    warnings = list(plan.warnings)
    if plan.left_out:
        warnings.insert(0, f"left out, because an input is missing: {', '.join(plan.left_out)}")
    if plan.inputs.structure is None and plan.inputs.assessments.kind not in (Kind.FLAT, Kind.PASSAGES):
        warnings.append("no structure: document trees are taken from the assessments, as far as they tell")
    return warnings
