"""The one call that does it all: read, evaluate, and hand back plain values. The command line uses it too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

from prum_eval.errors import raise_first
from prum_eval.evaluation.evaluate_run import EvaluatedRun
from prum_eval.evaluation.options import CANONICAL_NAMES, EvaluationOptions, FilePath, TokenCount
from prum_eval.evaluation.parallel import Job, OnFailure, OnProgress, evaluate_runs
from prum_eval.evaluation.plan import call_parameters, signature
from prum_eval.evaluation.prepare import PreparedCall, prepare
from prum_eval.evaluation.results import Curve, Evaluation, answer_different_topics, different_topics_notice
from prum_eval.formats.reading import AssessmentsInput, RunInputs
from prum_eval.measures.specs import MeasuresInput
from prum_eval.records import NavigationFile, Structure
from prum_eval.version import __version__

if TYPE_CHECKING:  # few calls have some
    from prum_eval.evaluation.options import TopicsInput
    from prum_eval.formats.topic_files import GroupsInput


class MeasuringKeywords(TypedDict, total=False):
    """Those arguments of `evaluate` that say what is measured, for functions that hand them on."""

    config: FilePath | None
    structure: FilePath | Structure | None
    measures: MeasuresInput | None
    task: str | None
    user_model: str | None
    navigation: FilePath | NavigationFile | None
    navigation_kind: str
    targets: str | None
    quantisation: str | None
    items: str | None
    settings: Mapping[str, str | float] | None
    prum_mode: str | None
    ideal_list: str | None
    collection_size: int | None
    limit: int | None
    relevance_level: int | None
    names: str
    judged_only: bool
    topics: TopicsInput | None
    merge: str | None
    tokens: TokenCount | None
    rank_by: str | None
    cache: bool


class ComputingKeywords(MeasuringKeywords, total=False):
    """Those that say what is measured, over which topics, and where."""

    complete: bool
    jobs: int
    cluster: str | None


class EvaluationKeywords(ComputingKeywords, total=False):
    """All arguments of `evaluate` but the assessments, the runs, the groups and the curves."""

    problems: OnFailure
    progress: OnProgress | None


def evaluate(
    assessments: AssessmentsInput | None = None,
    runs: RunInputs | None = None,
    *,
    config: FilePath | None = None,
    structure: FilePath | Structure | None = None,
    measures: MeasuresInput | None = None,
    task: str | None = None,
    user_model: str | None = None,
    navigation: FilePath | NavigationFile | None = None,
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
    relevance_level: int | None = None,
    names: str = CANONICAL_NAMES,
    judged_only: bool = False,
    topics: TopicsInput | None = None,
    merge: str | None = None,
    tokens: TokenCount | None = None,
    rank_by: str | None = None,
    groups: GroupsInput | None = None,
    curves: bool = False,
    jobs: int = 1,
    cluster: str | None = None,
    problems: OnFailure = raise_first,
    progress: OnProgress | None = None,
    cache: bool = True,
) -> Evaluation:
    """Evaluate runs against assessments.

    Args:
        assessments: path (file, directory or ``-``), paths, what `read_assessments` returned, a DataFrame or other rows
            (see `prum_eval.frames`), or ``{topic: {document: grade}}``; may be left out where the configuration names
            them.
        runs: a run, or several in a list or by name in a dictionary; each a path, what `read_run` returned, a DataFrame
            or other rows, or ``{topic: {document: score}}``; may be left out likewise.
        config: configuration file: measures with labels and parameters, inputs; whatever else is given comes first.
        structure: the collection structure; without it, trees are taken from the assessments as far as they tell.
        measures: specifications as ``-m`` takes them: names, families, sets, cut-offs, parameters, in the notations of
            other tools too, or measures of ir_measures; the set ``official`` if neither these nor a task are given,
            for assessments in JSON Lines the task ``chunks``.
        task: a campaign's official measures and settings; whatever else is given comes before them.
        user_model: specification as ``-u`` takes it; chosen from the inputs if not given.
        navigation: navigation file of the ``graph`` user model, which it stands for.
        navigation_kind: ``reach`` or ``step``, what the numbers of that file are.
        targets: ideal, relevant, bep or passages; chosen from the kind of assessments if not given.
        quantisation: how assessments become values in [0, 1]; ``gen`` if not given.
        items: ``article`` for fetch and browse.
        settings: parameters for every selected measure that has them, as ``--set``.
        prum_mode: paper, exact or normal.
        ideal_list: targets or greedy.
        collection_size: N, where no structure tells it.
        complete: average over all judged topics; those that a run lacks count as empty lists.
        limit: use at most so many results a topic.
        relevance_level: of graded documents, the smallest grade that is relevant, 1 if not given; the gains of ndcg
            are grades whatever it is, as those of trec_eval.
        names: ``ours``, or ``as-given``: a measure prints under the name that asks for it.
        judged_only: use only results in documents that are judged for their topic, as the switch ``-J`` of trec_eval;
            `limit` counts before.
        topics: only these count: names, or in a text a file with a topic a line, or a list ``301,307,310-320``.
        merge: ``document``: a document's results are brought together at the rank of its first, and those that overlap
            or touch are one passage; what tasks in context ask for.
        tokens: of results whose run does not count them: tokens a character, rounded up, at least 1; or a function of
            (document, start, end), the offsets in characters.
        rank_by: file, rank or score; each format's own rule if not given.
        groups: averages by group of topics too: a file of ``topic<TAB>group``, or ``{topic: group}``; the assessments'
            own if not given.
        curves: also compute the curve of every measure with levels or cut-offs, at all levels of its curve.
        jobs: number of processes that share the runs; 0: one a processor. The values are the same.
        cluster: address of a Dask scheduler whose workers evaluate the runs, or ``local``; the values are the same.
        problems: called with the error of each run that fails, in order; where it returns, the other runs complete.
        progress: called with how many runs are done, of how many.
        cache: look for parsed assessments in the user's cache folder, and keep them there.

    Returns:
        Values by run, topic and measure, with averages under ``all``; `warnings` has all that the user should know, as
        a `Notice` each.

    Raises:
        InputError: bad data in a file, with file, line and reason.
        DataError: inputs that do not fit together.
        UsageError: an unknown name or a value that is not legal.
    """
    call = EvaluationOptions(
        assessments=assessments,
        runs=runs,
        config=config,
        structure=structure,
        measures=measures,
        task=task,
        user_model=user_model,
        navigation=navigation,
        navigation_kind=navigation_kind,
        targets=targets,
        quantisation=quantisation,
        items=items,
        settings=settings,
        prum_mode=prum_mode,
        ideal_list=ideal_list,
        collection_size=collection_size,
        complete=complete,
        limit=limit,
        relevance_level=relevance_level,
        names=names,
        judged_only=judged_only,
        topics=topics,
        merge=merge,
        tokens=tokens,
        rank_by=rank_by,
        groups=groups,
        curves=curves,
        jobs=jobs,
        cluster=cluster,
        cache=cache,
    )
    return evaluate_call(call, curves=curves, problems=problems, progress=progress)


def evaluate_call(
    call: EvaluationOptions | PreparedCall,
    *,
    curves: bool = False,
    problems: OnFailure = raise_first,
    progress: OnProgress | None = None,
) -> Evaluation:
    """The evaluation of a call, or of one that is ready to be computed; the arguments are those of `evaluate`.

    Raises:
        InputError, DataError, UsageError: as `evaluate`.
    """
    prepared = call if isinstance(call, PreparedCall) else prepare(call)
    job = Job(prepared.plan, prepared.rank_by, single_run=prepared is not call and len(prepared.sources) == 1)
    found = evaluate_runs(job, prepared.sources, prepared.backend, problems=problems, progress=progress)
    return assemble_evaluation(prepared, found, curves=curves)


def assemble_evaluation(prepared: PreparedCall, found: Sequence[EvaluatedRun], *, curves: bool = False) -> Evaluation:
    """The evaluation that consists of these runs of a call; `curves`: with their curves."""
    plan, rank_by = prepared.plan, prepared.rank_by
    results = tuple(one.result for one in found)
    drawn: tuple[tuple[Curve, ...], ...] = ()
    if curves:
        from prum_eval.evaluation.results import run_curves, select_names  # most calls print numbers

        drawn = tuple(run_curves([measure for measure, _ in plan.pairs], one) for one in results)
        results = tuple(select_names(one, prepared.names) for one in results)
    warnings = (*prepared.warnings, *(notice for one in found for notice in one.warnings))
    if len(results) > 1 and answer_different_topics(results):
        warnings = (*warnings, different_topics_notice(results))
    return Evaluation(
        __version__,
        signature(__version__, plan, rank_by),
        call_parameters(plan, rank_by),
        results,
        warnings,
        show_run_id=len(results) > 1 or len(prepared.sources) > 1 or prepared.includes_set,
        names=prepared.names,
        requested_names=prepared.requested_names,
        curves=drawn,
    )
