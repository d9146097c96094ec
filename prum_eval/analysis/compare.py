"""compare and correlate: the calls, of runs that are evaluated now or of values that there are already."""

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
from prum_eval.evaluation.api import evaluate
from prum_eval.evaluation.notices import DIFFERENT_TOPICS, Notice, summed
from prum_eval.evaluation.results import Evaluation, match_groups
from prum_eval.formats.reading import AssessmentsInput, PathName, RunInputs
from prum_eval.formats.scores import Scores, read_scores
from prum_eval.formats.topic_files import GroupsInput
from prum_eval.measures.base import Direction, Measure, Shape
from prum_eval.measures.registry import all_measures, measures_by_printed_name
from prum_eval.measures.specs import base_names, measure_list, requested_specs
from prum_eval.measures.tasks import TASKS
from prum_eval.parameters import did_you_mean
from prum_eval.tabular import is_dataframe
from prum_eval.version import __version__

# Runs at an equal budget: what each finds within so many characters or tokens.


LARGEST_BUDGET = 2**31 - 1
_BUDGET = re.compile(r"(?P<key>[a-z_]+)=(?P<amount>[0-9]{1,10})")


def parse_budget(at: str) -> tuple[Measure, int]:
    """The measure of what is found within a budget such as ``size=2000``, and how large the budget is.

    Raises:
        UsageError: it is none.
    """
    measures = {measure.budget: measure for measure in all_measures() if measure.budget}
    found = _BUDGET.fullmatch(at)
    if found is None or not 1 <= int(found["amount"]) <= LARGEST_BUDGET:
        known = " or ".join(f"{key}=N" for key in measures)
        raise UsageError(f"at={at}: a budget is {known}, N a whole number from 1 to {LARGEST_BUDGET}")
    if found["key"] not in measures:
        raise UsageError(f"at={at}: no budget of {found['key']}{did_you_mean(found['key'], measures)}")
    return measures[found["key"]], int(found["amount"])


def task_with_measure(measure: Measure) -> str | None:
    """The first task that has a measure."""
    return next(
        (name for name, task in TASKS.items() if any(_spec_names_measure(spec, measure.name) for spec in task.specs)),
        None,
    )


def _spec_names_measure(spec: str, name: str) -> bool:
    return re.fullmatch(rf"{re.escape(name)}([.:].*)?", spec) is not None


# Values of runs by topic that there are already: files, dictionaries, what an evaluation returned.


ByTopic = Mapping[str, Mapping[str, float | None]]
ValuesInput: TypeAlias = PathName | Iterable[PathName] | Mapping[str, ByTopic] | Evaluation
"""Files of values by topic, ``{run: {topic: {measure: value}}}``, or what `prum_eval.evaluate` returned."""


def load_scores(values: ValuesInput) -> Sequence[Scores]:
    """The values of every run.

    Raises:
        InputError: bad data in a file.
        UsageError: they are none of what can be given.
    """
    if isinstance(values, Evaluation):
        return [Scores(run.run_id, run.path, run.topics) for run in values.runs]
    if isinstance(values, Mapping):
        topics_of = [topics for topics in values.values() if isinstance(topics, Mapping)]
        if len(topics_of) < len(values) or not all(isinstance(one, Mapping) for of in topics_of for one in of.values()):
            raise UsageError(f"values: expected {{run: {{topic: {{measure: value}}}}}}, found {reprlib.repr(values)}")
        return [Scores(name, name, topics) for name, topics in values.items()]
    listed = [values] if isinstance(values, str | PathLike) or not isinstance(values, Iterable) else list(values)
    if is_dataframe(values) or not all(isinstance(one, str | PathLike) for one in listed):
        raise UsageError(f"values: expected files, a dict or what evaluate returned, found {reprlib.repr(values)}")
    return [run for path in listed for run in read_scores(str(path))]


def join_values(join: Mapping[str, ValuesInput]) -> Mapping[str, ByTopic]:
    """The values of runs that are called the same under every label: each measure once a label, ``measure:label``.

    Raises:
        InputError, UsageError: as `load_scores`; fewer than two labels, or two runs of one name under a label.
        DataError: the labels do not have the same runs.
    """
    if len(join) < 2:
        raise UsageError("join takes two labels or more")
    found: dict[str, dict[str, dict[str, float | None]]] = {}
    for label, values in join.items():
        scores = load_scores(values)
        names = [run.run_id for run in scores]
        twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
        if twice is not None:
            raise UsageError(f"{label}: two runs are called {twice}, so that none can be joined by its name")
        if found and found.keys() != set(names):
            missing = sorted(set(found).symmetric_difference(names))
            raise DataError(f"{label}: not the runs of the labels before: {', '.join(missing)}")
        for run in scores:
            topics = found.setdefault(run.run_id, {})
            for topic, own in run.topics.items():
                topics.setdefault(topic, {}).update({f"{name}:{label}": value for name, value in own.items()})
    return found


NameFilter: TypeAlias = Callable[[Sequence[str]], set[str]]
"""Which of the names of all runs are compared."""


def compare(
    assessments: AssessmentsInput | None = None,
    runs: RunInputs | None = None,
    *,
    values: ValuesInput | None = None,
    groups: GroupsInput | None = None,
    common: bool = False,
    at: str | None = None,
    pairs: str | None = None,
    baseline: str | None = None,
    interval: str = "t",
    family: str = "measure",
    seed: int = 1,
    trials: int = 100_000,
    alpha: float = 0.05,
    curves: bool = False,
    **options: Any,  # noqa: ANN401 - those of evaluate
) -> Comparison:
    """Compare runs with one of them, or each with each: means, differences, intervals, paired tests by topic.

    >>> from prum_eval import compare
    >>> found = compare(values=["fixtures/compare/self.txt", "fixtures/compare/cross.txt"], trials=1000)
    >>> found
    <Comparison: 2 runs, 15 topics, 1 measure, against self>
    >>> [row["mean"] for row in found.rows()]
    [17.575, 20.191666666666666]

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        runs: likewise.
        values: in place of both, values that there are already: files of them by topic, what `prum_eval.evaluate`
            returned, or ``{run: {topic: {measure: value}}}``; `measures` chooses among them.
        groups: means by group of topics too: a file of ``topic<TAB>group``, or ``{topic: group}``; the assessments'
            own if not given.
        common: compare on the topics that all runs have, even if more than a tenth are left out.
        at: compare at an equal budget, ``size=N`` characters or ``tokens=N``: what each run finds within it ranks the
            runs. Without measures and task, those of the task that has this measure are compared too.
        pairs: ``first``: each run with the first; ``best``: with the one of the best mean, by each measure; ``all``:
            each with each. If not given, the best where costs are among the measures, which lower is better of, else
            the first.
        baseline: name or path of the run that stands in place of the first.
        interval: ``t``: Student's; ``bootstrap``: studentised bootstrap.
        family: p-values are corrected for all comparisons of a ``measure``, or of the ``call``.
        seed: seed of all trials.
        trials: random trials of each test and interval.
        alpha: level of significance; intervals hold 1 - alpha.
        curves: as of `prum_eval.evaluate`, for pictures.
        options: the other arguments of `prum_eval.evaluate`. Without measures and task, those of the official set are
            compared that are one number a topic. Counts are compared only if measures name them, and not tested.

    Raises:
        InputError: bad data in a file.
        DataError: inputs that do not fit together, such as runs without a common topic, or with too few.
        UsageError: fewer than two runs, an unknown name, a value that is not legal.
    """
    settings = ComparisonSettings(seed, trials, alpha, pairs or "first", baseline, interval, family)
    headline = None
    if at is not None:
        measure, amount = parse_budget(at)
        headline = measure.printed_name(amount)
        options = _with_budget(options, measure, headline, evaluated=values is None)
    found = load_matrix(
        assessments, runs, values, options, groups, common=common, unasked=default_scores, curves=curves
    )
    if headline is not None and headline not in found.measures:
        raise UsageError(f"at={at}: the values have no {headline}")
    if pairs is None and baseline is None and rank_measures(found.measures).costs:
        settings = replace(settings, pairs="best")
    with attach_warnings(found.warnings):
        return compare_matrix(found, settings, headline)


def correlate(
    assessments: AssessmentsInput | None = None,
    runs: RunInputs | None = None,
    *,
    values: ValuesInput | None = None,
    common: bool = False,
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
    >>> found = correlate(values="fixtures/compare/systems.csv", measures=["map", "ndcg"])
    >>> print(found)
    2 measures over 12 runs
    first  second  pearson   tau_b  tau_ap
    map    ndcg     0.9870  0.9697  0.9636

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        runs: likewise, or `values` in place of both, as `prum_eval.compare` takes them.
        values: see there.
        common: likewise.
        over: ``means``: one point a run; or ``values``: one a run and topic.
        top: only so many best runs count, by their means.
        by: the measure by which they are best; the first if not given.
        split: the same too over so many best points, and over the rest.
        resample: intervals come from drawing ``runs`` anew, each with all its topics, or ``topics``, with all runs.
        join: in place of runs and values, the values of the same runs under several labels, ``{label: values}``: each
            measure appears once a label, as ``measure:label``.
        seed: seed of all trials.
        trials: resamples of each interval.
        alpha: intervals hold 1 - alpha.
        options: the other arguments of `prum_eval.evaluate`, each measure being one measure or setting, as in
            ``measures=["eprum_map", "eprum_map:targets=bep"]``.

    Raises:
        InputError: bad data in a file.
        DataError: inputs that do not fit together; fewer than two measures.
        UsageError: fewer than two runs, an unknown name, a value that is not legal.
    """
    settings = CorrelationSettings(seed, trials, alpha, over, top, by, split, resample)
    if join is not None:
        if assessments is not None or runs is not None or values is not None:
            raise UsageError("join takes the place of assessments, runs and values")
        values = join_values(join)
    matrix = load_matrix(assessments, runs, values, options, common=common, unasked=scalar_measures)
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
    unasked: NameFilter,
    curves: bool = False,
) -> Matrix:
    """The values of all runs side by side, with what there is to say of them.

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        runs: likewise.
        values: instead of these, values that there are already; of the options, `measures` chooses among them.
        options: the other arguments of `prum_eval.evaluate`.
        groups: of the topics.
        common: whatever share of the topics is left out.
        curves: compute the curves of measures too.
        unasked: which measures are worth it where none are asked for.

    Raises:
        InputError, DataError: the inputs are bad.
        UsageError: there is but one run, or an option has nothing to do.
    """
    specs = requested_specs(options.get("measures"))
    if values is None:
        evaluation = evaluate(assessments, runs, groups=groups, curves=curves, **options)
        _need_two(len(evaluation.runs))
        chosen = specs or options.get("task") or options.get("config")
        # compare has topics of its own, and says what it leaves out
        warnings = [one for one in evaluation.warnings if one.kind != DIFFERENT_TOPICS]
        with attach_warnings(warnings):
            worth = scores_and_named_counts(specs) if chosen else unasked
            every = common or options.get("complete", False)
            found = make_matrix(evaluation.runs, worth=worth, common=every, order=evaluation.requested_names)
        signature, said = evaluation.signature, (*warnings, *found.warnings)
        return replace(found, signature=signature, warnings=said, groups=evaluation.groups, curves=evaluation.curves)
    if assessments is not None or runs is not None or options.keys() - {"measures", "progress"}:
        raise UsageError("values are evaluated: beside them only measures has a meaning")
    scores = load_scores(values)
    if not scores:
        raise UsageError("no files of values")
    _need_two(len(scores))
    origin = values.signature if isinstance(values, Evaluation) else f"prum-eval {__version__}|values"
    found = make_matrix(scores, specs or None, common=common)
    if groups is not None:
        known, told = match_groups(groups, {topic for run in scores for topic in run.topics}, "the values")
        found = replace(found, groups=known, warnings=(*told, *found.warnings))
    elif isinstance(values, Evaluation):
        found = replace(found, groups=values.groups)
    return replace(found, signature=origin)


def _with_budget(options: Mapping[str, Any], measure: Measure, name: str, *, evaluated: bool) -> dict[str, Any]:
    """The options with what is found within a budget among the measures."""
    specs = measure_list(options.get("measures"))
    added: dict[str, Any] = {"measures": [*specs, name]} if evaluated or specs else {}
    if evaluated and not (specs or options.get("task") or options.get("config")):
        added["task"] = task_with_measure(measure)
    return {**options, **added}


@contextmanager
def attach_warnings(warnings: Iterable[Notice | str]) -> Iterator[None]:
    """Add warnings to an error that makes an end of the result that they are of."""
    try:
        yield
    except PrumEvalError as error:
        for warning in summed(warnings, hint=""):
            error.add_note(f"warning: {warning}")
        raise


def _need_two(runs: int) -> None:
    if runs < 2:
        raise UsageError("there is only one run; it takes two to compare")


def scores_and_named_counts(specs: Sequence[str]) -> NameFilter:
    """Scores, and those counts that were asked for by name or family."""
    heads = base_names(specs)

    def worth(names: Sequence[str]) -> set[str]:
        known = measures_by_printed_name(names)
        return select_scores(names) | {name for name, one in known.items() if heads & {one.family, one.name}}

    return worth


def default_scores(names: Sequence[str]) -> set[str]:
    """What is one number a topic; all scores where some are costs, which are compared with what they buy."""
    costs = any(measure.direction is Direction.LOWER for measure in measures_by_printed_name(names).values())
    return select_scores(names) if costs else scalar_measures(names)


def scalar_measures(names: Sequence[str]) -> set[str]:
    """Scores that are one number a topic, which is what is compared unasked: a curve would be eleven comparisons."""
    measures = measures_by_printed_name(names)
    one = {name for name, measure in measures.items() if name == measure.name and measure.shape is Shape.SCALAR}
    return select_scores(names) & one
