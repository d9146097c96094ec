"""The calls `compare` and `correlate`, and how they obtain values by topic.

Values come from an evaluation made by the call, from files, from dictionaries ``{run: {topic: {measure: value}}}`` or
from the result of `prum_eval.evaluate`. `load_matrix` makes a matrix of all of them; `default_scores` and
`scalar_measures` select the measures if the user names none. Errors carry the warnings collected so far as notes.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from typing import Any, TypeAlias

from prum_eval.analysis.comparison import Comparison, compare_matrix, rank_measures
from prum_eval.analysis.correlation import Correlations, CorrelationSettings, correlate_matrix
from prum_eval.analysis.matrix import ComparisonSettings, Matrix, make_matrix, select_scores
from prum_eval.errors import DataError, PrumEvalError, UsageError
from prum_eval.evaluation.api import evaluate_call
from prum_eval.evaluation.notices import DIFFERENT_TOPICS, Notice, refuse_unmatched_runs, summed
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.plan import Plan
from prum_eval.evaluation.prepare import with_token_measures
from prum_eval.evaluation.results import Evaluation, match_groups
from prum_eval.formats.reading import AssessmentsInput, PathName, RunInputs
from prum_eval.formats.scores import Scores, read_scores
from prum_eval.formats.topic_files import GroupsInput
from prum_eval.measures.base import Direction, Measure, Shape
from prum_eval.measures.registry import all_measures, measures_by_printed_name
from prum_eval.measures.specs import base_names, first_requested_name, measure_list, requested_specs, split_specs
from prum_eval.measures.tasks import TASKS
from prum_eval.parameters import did_you_mean
from prum_eval.tabular import is_dataframe
from prum_eval.version import __version__

LARGEST_BUDGET = 2**31 - 1
ByTopic = Mapping[str, Mapping[str, float | None]]
ValuesInput: TypeAlias = PathName | Iterable[PathName] | Mapping[str, ByTopic] | Evaluation
"""Files of values by topic, ``{run: {topic: {measure: value}}}``, or the result of `prum_eval.evaluate`."""
NameFilter: TypeAlias = Callable[[Sequence[str]], set[str]]
"""Selects measures to compare from the names of all runs."""


def compare(
    assessments: AssessmentsInput | None = None,
    runs: RunInputs | None = None,
    *,
    values: ValuesInput | None = None,
    groups: GroupsInput | None = None,
    common: bool = False,
    accept_unmatched: bool = False,
    at: str | None = None,
    pairs: str | None = None,
    baseline: str | None = None,
    interval: str = "t",
    family: str = "measure",
    test: str = "randomisation",
    seed: int = 1,
    trials: int = 100_000,
    alpha: float = 0.05,
    curves: bool = False,
    **options: Any,  # noqa: ANN401 - those of evaluate
) -> Comparison:
    """Compare runs with one of them, or each with each: means, differences, intervals, paired tests by topic.

    >>> from prum_eval import compare
    >>> result = compare(values=["fixtures/compare/self.txt", "fixtures/compare/cross.txt"], trials=1000)
    >>> result
    <Comparison: 2 runs, 15 topics, 1 measure, against self; 1 warning>
    >>> [row["mean"] for row in result.rows()]
    [17.575, 20.191666666666666]

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        runs: likewise.
        values: existing values instead of both: files of values by topic, the result of `prum_eval.evaluate`, or
            ``{run: {topic: {measure: value}}}``; `measures` selects among them.
        groups: compute means by group of topics too: a file of ``topic<TAB>group``, or ``{topic: group}``; by default
            the groups of the assessments.
        common: compare on the topics that all runs have, even if more than a tenth are left out.
        accept_unmatched: continue with runs that have no result in a judged document: names that do not match, as a
            rule, and no bad system.
        at: compare at an equal budget, ``size=N`` characters, ``tokens=N``, or ``read=N`` characters with those
            beyond results: the measure within this budget ranks the runs. Without measures and task, the measures of
            the task with this measure are compared too.
        pairs: ``first``: each run with the first; ``best``: with the run of the best mean, by each measure; ``all``:
            each with each. By default ``best`` if some measures are costs (lower is better), else ``first``.
        baseline: name or path of the run that replaces the first.
        interval: ``t``: Student's, at 1 - alpha / (2 m) of m comparisons (the family of the p-values), so that all
            hold together; ``bootstrap``: studentised bootstrap, at 1 - alpha / m; ``single``: Student's, of each alone.
        family: p-values are corrected for all comparisons of a ``measure``, or of the ``call``.
        test: ``randomisation``, ``t`` or ``bootstrap``: the test that decides what is significant; all are computed.
            Of all pairs, randomised Tukey HSD decides.
        seed: seed of all trials.
        trials: random trials of each test and interval.
        alpha: level of significance; intervals have level 1 - alpha.
        curves: as in `prum_eval.evaluate`, for plots.
        options: the other arguments of `prum_eval.evaluate`. Without measures and task, the measures of the official
            set with one number per topic are compared. Counts are compared only by name, and not tested.

    Raises:
        InputError: bad data in a file.
        DataError: inputs that do not fit together, such as runs without a common topic, or with too few.
        UsageError: fewer than two runs, an unknown name, a value that is not legal.
    """
    settings = ComparisonSettings(seed, trials, alpha, pairs or "first", baseline, interval, family, test)
    headline = None
    if at is not None:
        measure, amount = parse_budget(at)
        headline = measure.printed_name(amount)
        specs = measure_list(options.get("measures"))
        if values is None or specs:
            options = {**options, "measures": [*specs, headline]}
        if values is None and not (specs or options.get("task") or options.get("config")):
            tasks = (task_with_measure(other) for other in (measure, *all_measures()) if other.budget)
            options = {**options, "task": next(filter(None, tasks), None)}
    matrix = load_matrix(
        assessments,
        runs,
        values,
        options,
        groups,
        common=common,
        accept_unmatched=accept_unmatched,
        default=default_scores,
        curves=curves,
        extend=with_token_measures,
    )
    if headline is not None and headline not in matrix.measures:
        raise UsageError(f"at={at}: the values have no {headline}")
    if pairs is None and baseline is None and rank_measures(matrix.measures).costs:
        settings = replace(settings, pairs="best")
    with attach_warnings(matrix.warnings):
        return compare_matrix(matrix, settings, headline, None if headline else matrix.ranked_by)


def correlate(
    assessments: AssessmentsInput | None = None,
    runs: RunInputs | None = None,
    *,
    values: ValuesInput | None = None,
    common: bool = False,
    accept_unmatched: bool = False,
    over: str = "means",
    top: int | None = None,
    by: str | None = None,
    split: int | None = None,
    resample: str = "runs",
    join: Mapping[str, ValuesInput] | None = None,
    seed: int = 1,
    trials: int = 1000,
    alpha: float = 0.05,
    **options: Any,  # noqa: ANN401 - those of evaluate
) -> Correlations:
    """Correlate measures, or settings of measures, over runs: Pearson's r, Kendall's tau-b, tau-ap.

    >>> from prum_eval import correlate
    >>> result = correlate(values="fixtures/compare/systems.csv", measures=["map", "ndcg"])
    >>> print(result)
    2 measures over 12 runs
    first  second  pearson   tau_b  tau_ap
    map    ndcg     0.9870  0.9697  0.9636

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        runs: likewise, or `values` instead of both, as in `prum_eval.compare`.
        values: existing values, as in `prum_eval.compare`.
        common: as in `prum_eval.compare`.
        accept_unmatched: likewise.
        over: ``means``: one point per run; or ``values``: one per run and topic.
        top: use only the n best runs, by their means.
        by: the measure that defines the best runs; by default the first.
        split: correlate the n best points and the rest as well.
        resample: intervals come from resampling ``runs``, each with all its topics, or ``topics``, with all runs.
        join: instead of runs and values, the values of the same runs under several labels, ``{label: values}``: each
            measure appears once per label, as ``measure:label``.
        seed: seed of all trials.
        trials: resamples of each interval.
        alpha: intervals have level 1 - alpha.
        options: the other arguments of `prum_eval.evaluate`. Each measure is one measure or setting, as in
            ``measures=["eprum_map", "eprum_map:targets=bep"]``.

    Raises:
        InputError: bad data in a file.
        DataError: inputs that do not fit together; fewer than two measures.
        UsageError: fewer than two runs, an unknown name, a value that is not legal.
    """
    settings = CorrelationSettings(seed, trials, alpha, over, top, by, split, resample)
    if join is not None:
        if assessments is not None or runs is not None or values is not None:
            raise UsageError("join replaces assessments, runs and values")
        values = join_values(join)
    matrix = load_matrix(
        assessments, runs, values, options, common=common, accept_unmatched=accept_unmatched, default=scalar_measures
    )
    with attach_warnings(matrix.warnings):
        return correlate_matrix(matrix, settings)


def load_matrix(
    assessments: AssessmentsInput | None,
    runs: RunInputs | None,
    values: ValuesInput | None,
    options: Mapping[str, Any],
    groups: GroupsInput | None = None,
    *,
    common: bool,
    accept_unmatched: bool,
    default: NameFilter,
    curves: bool = False,
    extend: Callable[[Plan], Plan] | None = None,
) -> Matrix:
    """The matrix of the values of all runs, with its warnings.

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        runs: likewise.
        values: existing values instead of both; of the options, only `measures` applies to them.
        options: the other arguments of `prum_eval.evaluate`.
        groups: groups of the topics.
        common: accept any number of omitted topics.
        accept_unmatched: accept runs without a result in a judged document.
        default: selects measures if the user names none.
        curves: compute curves of measures too.
        extend: adds measures to the plan of the evaluation.

    Raises:
        InputError, DataError: bad inputs.
        UsageError: only one run, or options that do not apply.
    """
    specs = requested_specs(options.get("measures"))
    if values is None:
        if common and options.get("complete") is None:
            options = {**options, "complete": False}
        handlers = {name: options[name] for name in ("problems", "progress") if name in options}
        others = {name: value for name, value in options.items() if name not in handlers}
        call = EvaluationOptions(assessments=assessments, runs=runs, groups=groups, curves=curves, **others)
        evaluation = evaluate_call(call, **handlers, extend=extend)
        _require_two_runs(len(evaluation.runs))
        refuse_unmatched_runs(evaluation.warnings, accept=accept_unmatched)
        explicit = specs or options.get("task") or options.get("config")
        # the matrix has its own common topics and its own warning about the others
        warnings = [notice for notice in evaluation.warnings if notice.kind != DIFFERENT_TOPICS]
        with attach_warnings(warnings):
            matrix = make_matrix(
                evaluation.runs,
                select=scores_and_named_counts(specs) if explicit else default,
                common=common or bool(evaluation.parameters["complete"]),
                order=evaluation.requested_names,
            )
        return replace(
            matrix,
            ranked_by=evaluation.ranked_by if evaluation.ranked_by in matrix.measures else first_score(specs, matrix),
            signature=evaluation.signature,
            warnings=(*warnings, *matrix.warnings),
            groups=evaluation.groups,
            curves=evaluation.curves,
        )
    if assessments is not None or runs is not None or options.keys() - {"measures", "progress"}:
        raise UsageError("values are evaluated already: only measures applies to them")
    if isinstance(values, Evaluation):
        refuse_unmatched_runs(values.warnings, accept=accept_unmatched)
    scores = load_scores(values)
    if not scores:
        raise UsageError("no files of values")
    _require_two_runs(len(scores))
    matrix = make_matrix(scores, specs or None, common=common)
    matrix = replace(matrix, ranked_by=first_score(specs, matrix))
    if groups is not None:
        topic_groups, notices = match_groups(groups, {topic for run in scores for topic in run.topics}, "the values")
        matrix = replace(matrix, groups=topic_groups, warnings=(*notices, *matrix.warnings))
    if isinstance(values, Evaluation):
        return replace(matrix, signature=values.signature, groups=values.groups if groups is None else matrix.groups)
    return replace(matrix, signature=f"prum-eval {__version__}|values")


def first_score(specs: Sequence[str], matrix: Matrix) -> str | None:
    """The first score of the first specification that has one; None without specifications."""
    scores = [name for name in matrix.measures if name not in matrix.counts]
    for spec in (part for text in specs for part in split_specs(text)):
        if name := first_requested_name(spec, scores):
            return name
    return None


def load_scores(values: ValuesInput) -> Sequence[Scores]:
    """The values of every run.

    Raises:
        InputError: bad data in a file.
        UsageError: `values` has none of the accepted types.
    """
    if isinstance(values, Evaluation):
        return [Scores(run.run_id, run.path, run.numbers, run.truncated) for run in values.runs]
    if isinstance(values, Mapping):
        for topics in values.values():
            if not isinstance(topics, Mapping) or not all(isinstance(row, Mapping) for row in topics.values()):
                raise UsageError(
                    f"values: expected {{run: {{topic: {{measure: value}}}}}}, found {reprlib.repr(values)}"
                )
        return [Scores(name, name, topics) for name, topics in values.items()]
    paths = [values] if isinstance(values, str | PathLike) or not isinstance(values, Iterable) else list(values)
    if is_dataframe(values) or not all(isinstance(path, str | PathLike) for path in paths):
        raise UsageError(f"values: expected files, a dict or what evaluate returned, found {reprlib.repr(values)}")
    return [run for path in paths for run in read_scores(str(path))]


def join_values(join: Mapping[str, ValuesInput]) -> Mapping[str, ByTopic]:
    """Values of the runs with the same names under every label; measures become ``measure:label``.

    Raises:
        InputError, UsageError: as `load_scores`; fewer than two labels, or two runs with one name under a label.
        DataError: the labels do not have the same runs.
    """
    if len(join) < 2:
        raise UsageError("join needs two labels or more")
    joined: dict[str, dict[str, dict[str, float | None]]] = {}
    for label, values in join.items():
        scores = load_scores(values)
        names = [run.run_id for run in scores]
        duplicate = next((name for number, name in enumerate(names) if name in names[:number]), None)
        if duplicate is not None:
            raise UsageError(f"{label}: two runs are called {duplicate}, so that none can be joined by its name")
        if joined and joined.keys() != set(names):
            missing = sorted(set(joined).symmetric_difference(names))
            raise DataError(f"{label}: not the runs of the labels before: {', '.join(missing)}")
        for run in scores:
            topics = joined.setdefault(run.run_id, {})
            for topic, row in run.topics.items():
                topics.setdefault(topic, {}).update({f"{name}:{label}": value for name, value in row.items()})
    return joined


@contextmanager
def attach_warnings(warnings: Iterable[Notice | str]) -> Iterator[None]:
    """Add warnings as notes to an error raised in the block."""
    try:
        yield
    except PrumEvalError as error:
        for warning in summed(warnings, hint=""):
            error.add_note(f"warning: {warning}")
        raise


def _require_two_runs(runs: int) -> None:
    if runs < 2:
        raise UsageError("only one run; a comparison needs two")


# Measures to compare


def parse_budget(at: str) -> tuple[Measure, int]:
    """The measure and the amount of a budget such as ``size=2000``.

    Raises:
        UsageError: it is no budget.
    """
    measures = {measure.budget: measure for measure in reversed(all_measures()) if measure.budget}  # the first of each
    measures = dict(reversed(measures.items()))
    at = at.replace("chars=", "size=", 1) if at.startswith("chars=") else at
    match = re.fullmatch(r"(?P<key>[a-z_]+)=(?P<amount>[0-9]{1,10})", at)
    if match is None or not 1 <= int(match["amount"]) <= LARGEST_BUDGET:
        *others, last = (f"{key}=N" for key in measures)
        forms = f"{', '.join(others)} or {last}"
        raise UsageError(f"at={at}: a budget is {forms}, N a whole number from 1 to {LARGEST_BUDGET}")
    if match["key"] not in measures:
        raise UsageError(f"at={at}: no budget of {match['key']}{did_you_mean(match['key'], measures)}")
    return measures[match["key"]], int(match["amount"])


def task_with_measure(measure: Measure) -> str | None:
    """The first task with a measure; None if there is none."""
    spec = re.compile(rf"{re.escape(measure.name)}([.:].*)?")
    return next((name for name, task in TASKS.items() if any(map(spec.fullmatch, task.specs))), None)


def scores_and_named_counts(specs: Sequence[str]) -> NameFilter:
    """A filter for scores, and for counts that `specs` request by name or family."""
    heads = base_names(specs)

    def select(names: Sequence[str]) -> set[str]:
        measures = measures_by_printed_name(names)
        return select_scores(names) | {
            name for name, measure in measures.items() if heads & {measure.family, measure.name}
        }

    return select


def default_scores(names: Sequence[str]) -> set[str]:
    """All scores if some are costs, else the scores with one number per topic."""
    costs = any(measure.direction is Direction.LOWER for measure in measures_by_printed_name(names).values())
    return select_scores(names) if costs else scalar_measures(names)


def scalar_measures(names: Sequence[str]) -> set[str]:
    """Scores with one number per topic; a curve would add eleven comparisons."""
    measures = measures_by_printed_name(names)
    scalar = {name for name, measure in measures.items() if name == measure.name and measure.shape is Shape.SCALAR}
    return select_scores(names) & scalar
