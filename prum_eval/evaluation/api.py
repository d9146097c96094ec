"""The call that does it all: read, evaluate and return plain values. The command line uses it too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from prum_eval.errors import raise_first
from prum_eval.evaluation.evaluate_run import EvaluatedRun, OnFailure, OnProgress, evaluate_runs
from prum_eval.evaluation.notices import unmatched_runs_first
from prum_eval.evaluation.options import (
    CANONICAL_NAMES,
    EvaluationOptions,
    FilePath,
    TokenCount,
    TopicsInput,
    document_options,
)
from prum_eval.evaluation.plan import Plan, call_parameters, signature
from prum_eval.evaluation.prepare import prepare
from prum_eval.evaluation.results import Curve, Evaluation, answer_different_topics, different_topics_notice
from prum_eval.formats.reading import AssessmentsInput, RunInputs
from prum_eval.measures.specs import MeasuresInput
from prum_eval.records import NavigationFile, Structure
from prum_eval.version import __version__

if TYPE_CHECKING:  # few calls have some
    from prum_eval.formats.topic_files import ExclusionsInput, GroupsInput
    from prum_eval.user_models.registry import UserModelInput


@document_options
def evaluate(  # noqa: D417 - document_options adds the options
    assessments: AssessmentsInput | None = None,
    runs: RunInputs | None = None,
    *,
    config: FilePath | None = None,
    structure: FilePath | Structure | None = None,
    measures: MeasuresInput | None = None,
    task: str | Sequence[str] | None = None,
    settings: Mapping[str, str | float] | None = None,
    user_model: UserModelInput | None = None,
    navigation: FilePath | NavigationFile | None = None,
    navigation_kind: str = "reach",
    targets: str | None = None,
    quantisation: str | None = None,
    prum_mode: str | None = None,
    ideal_list: str | None = None,
    items: str | None = None,
    collection_size: int | None = None,
    complete: bool | None = None,
    limit: int | None = None,
    relevance_level: int | None = None,
    judged_only: bool = False,
    topics: TopicsInput | None = None,
    names: str = CANONICAL_NAMES,
    merge: str | None = None,
    exclude: ExclusionsInput | None = None,
    tokens: TokenCount | None = None,
    facets: str | None = None,
    rank_by: str | None = None,
    groups: GroupsInput | None = None,
    curves: bool = False,
    jobs: int = 1,
    cluster: str | None = None,
    cache: bool = True,
    problems: OnFailure = raise_first,
    progress: OnProgress | None = None,
) -> Evaluation:
    """Evaluate runs against assessments.

    Args:
        assessments: path (file, directory or ``-``), paths, what `read_assessments` returned, a DataFrame or other rows
            (see `prum_eval.frames`), or ``{topic: {document: grade}}``; may be left out if the configuration names
            them.
        runs: a run, or several in a list or by name in a dictionary; each a path, what `read_run` returned, a DataFrame
            or other rows, or ``{topic: {document: score}}``; may be left out likewise.
        {options}
        problems: called with the error of each run that fails, in order; if it returns, the other runs complete.
        progress: called with the number of runs that are done, and of all.

    Returns:
        Values by run, topic and measure, with averages under ``all``; `warnings` has all that the user should know, as
        a `Notice` each.

    Raises:
        InputError: bad data in a file, with file, line and reason.
        DataError: inputs that do not fit together.
        UsageError: an unknown name or a value that is not legal.
    """
    values = {name: value for name, value in locals().items() if name not in ("problems", "progress")}
    return evaluate_call(EvaluationOptions(**values), problems=problems, progress=progress)


def evaluate_call(
    call: EvaluationOptions | Plan,
    *,
    problems: OnFailure = raise_first,
    progress: OnProgress | None = None,
    extend: Callable[[Plan], Plan] | None = None,
) -> Evaluation:
    """Evaluate a call given by its options or its plan; the other arguments are those of `evaluate`.

    `extend` adds measures to the plan.

    Raises:
        InputError, DataError, UsageError: as `evaluate`.
    """
    plan = call if isinstance(call, Plan) else prepare(call)
    plan = plan if extend is None else extend(plan)
    single_run = plan is not call and len(plan.sources) == 1
    runs = evaluate_runs(plan, single_run=single_run, problems=problems, progress=progress)
    return assemble_evaluation(plan, runs, curves=isinstance(call, EvaluationOptions) and call.curves)


def assemble_evaluation(plan: Plan, runs: Sequence[EvaluatedRun], *, curves: bool = False) -> Evaluation:
    """The evaluation that consists of these runs of a plan; `curves`: with their curves."""
    results = tuple(run.result for run in runs)
    run_curves: tuple[tuple[Curve, ...], ...] = ()
    if curves:
        from prum_eval.evaluation import results as with_curves  # most calls print numbers

        instances = [instance for instance, _ in plan.pairs]
        run_curves = tuple(with_curves.run_curves(instances, result) for result in results)
        results = tuple(with_curves.select_names(result, plan.names) for result in results)
    notices = [*plan.warnings, *(notice for run in runs for notice in run.warnings)]
    warnings = tuple(unmatched_runs_first(notices))
    if len(results) > 1 and answer_different_topics(results):
        warnings = (*warnings, different_topics_notice(results))
    return Evaluation(
        __version__,
        signature(plan),
        call_parameters(plan),
        results,
        warnings,
        show_run_id=len(results) > 1 or len(plan.sources) > 1 or plan.includes_set,
        names=plan.names,
        requested_names=plan.requested_names,
        curves=run_curves,
        ranked_by=plan.ranked_by,
    )
