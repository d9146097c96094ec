"""Sweep of a parameter: means of runs at each value, changes of their order, and the call `sweep`.

Conventions. Tables of means have shape (values, runs) for one measure and (measures, values, runs) for all; NaN marks
an undefined mean. Measures, values and runs are addressed by index.

`evaluate_settings` and `evaluate_series` evaluate all values; what values share is computed once. `taus` compares the
order of the runs with that at a reference value, `place_changes` finds where two runs change places.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from prum_eval.analysis.compare import attach_warnings, default_scores, scores_and_named_counts
from prum_eval.analysis.comparison import t_margin, t_test
from prum_eval.analysis.correlation import pairwise_order
from prum_eval.analysis.matrix import round_significant
from prum_eval.arrays import FloatArray
from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.api import evaluate_call
from prum_eval.evaluation.evaluate_run import OnProgress, read_source
from prum_eval.evaluation.notices import Notice, refuse_unmatched_runs
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.plan import signature
from prum_eval.evaluation.prepare import prepare
from prum_eval.evaluation.results import Evaluation, MeasuredValue, RunResult, Value
from prum_eval.experiments.sweep_variants import (
    LIMIT,
    SIMULATED_VALUE,
    Series,
    SimulatedRuns,
    VariedParameter,
    VaryInput,
    find_affected,
    find_series,
    normalise_value,
    parse_numbers,
    parse_varied,
    require_series,
)
from prum_eval.formats.reading import AssessmentsInput, RunInputs
from prum_eval.measures.base import Shape
from prum_eval.measures.registry import measures_by_printed_name
from prum_eval.measures.specs import requested_specs
from prum_eval.numerics.curves import exchanges
from prum_eval.parameters import did_you_mean, format_parameter
from prum_eval.tabular import RowValue, Table, Tabular, plural

# Results


@dataclass(frozen=True)
class SweptMean:
    """Mean of a run on a measure at a value; `measure`, `value` and `run` are indices.

    `mean`: the average of `prum_eval.evaluate` at that setting, or its mean over copies. `margin`: half width of its
    interval, None if undefined; `sample_size`: number of topics or copies.
    """

    measure: int
    value: int
    run: int
    mean: MeasuredValue
    margin: float | None
    sample_size: int


@dataclass(frozen=True)
class PlaceChange:
    """By `measure`, run `upper` is above run `lower` at value `before`, and below it at value `after` (indices).

    `at`: where their means are equal, by linear interpolation; None if values are no numbers. `differs`: a paired t
    test finds a difference at one of the two values at least, or all topics differ equally.
    """

    measure: str
    upper: int
    lower: int
    before: int
    after: int
    at: float | None
    differs: bool = False


@dataclass(frozen=True, repr=False, eq=False)
class Sweep(Tabular):
    """The result of `sweep`.

    Attributes:
        parameter: the parameter and its values.
        label: name of the parameter: its key, or for simulated runs the varied parameter of the change.
        reference: index of the reference value, with whose order of runs the others are compared.
        runs, paths: names of runs and their files, or of series of simulated runs and their lists.
        measures: printed names.
        means: by measure, value and run.
        copies: intervals are over copies of simulated runs, not over topics.
        alpha: intervals have level 1 - alpha.
        tau: by measure, one per value: Kendall's tau-b between the orders of the runs there and at the reference.
        changes: all places where two runs change places.
        inputs: assessments, structure and navigation file, as in the json output of eval.
        topics: number of topics of all runs.
        signature: every choice that changes a number.
        warnings: notices for the user.
    """

    parameter: VariedParameter
    label: str
    reference: int
    runs: tuple[str, ...]
    paths: tuple[str, ...]
    measures: tuple[str, ...]
    means: tuple[SweptMean, ...]
    copies: bool
    alpha: float
    tau: Mapping[str, tuple[float | None, ...]]
    changes: tuple[PlaceChange, ...]
    inputs: Mapping[str, str | None]
    topics: int
    signature: str
    warnings: Sequence[Notice | str]

    @cached_property
    def table(self) -> FloatArray:
        """All means, shape (measures, values, runs); NaN if undefined."""
        return self._array([row.mean for row in self.means])

    @cached_property
    def margins(self) -> FloatArray:
        """Half widths of their intervals, likewise."""
        return self._array([row.margin for row in self.means])

    def _array(self, values: Sequence[MeasuredValue]) -> FloatArray:
        shape = len(self.measures), len(self.parameter.values), len(self.runs)
        return np.array(values, dtype=np.float64).reshape(shape)  # None becomes NaN

    @property
    def values(self) -> tuple[str, ...]:
        """Texts of the values of the parameter."""
        return self.parameter.values

    def value(self, index: int) -> str | float:
        """A value, as a number if all values are numbers."""
        numbers = self.parameter.numbers
        if numbers is None:
            return self.values[index]
        return int(numbers[index]) if numbers[index].is_integer() else numbers[index]

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per measure, value and run."""
        for mean in self.means:
            low = high = None
            if mean.mean is not None and mean.margin is not None:
                low, high = mean.mean - mean.margin, mean.mean + mean.margin
            name = self.measures[mean.measure]
            yield {
                "value": self.value(mean.value),
                "run": self.runs[mean.run],
                "measure": name,
                "mean": mean.mean,
                "low": low,
                "high": high,
                "copies" if self.copies else "topics": mean.sample_size,
                "tau": self.tau[name][mean.value],
            }

    def _summary(self) -> str:
        values, runs = plural(len(self.values), "value"), plural(len(self.runs), "run")
        return f"{values} of {self.label}, {runs}, {plural(len(self.measures), 'measure')}"

    def _table(self) -> Table:
        columns = ("run", "measure", "mean", "low", "high", "tau")
        pairs = zip(self.means, self.rows(), strict=True)
        return ("value", *columns), ([self.values[mean.value], *map(row.get, columns)] for mean, row in pairs)


# Order of runs


def taus(means: FloatArray, reference: int) -> list[float | None]:
    """Kendall's tau-b between the orders of the runs at each value and at the reference.

    Args:
        means: means, shape (values, runs); runs with NaN are left out.
        reference: index of the reference value.

    Returns:
        One per value; None for fewer than two runs, or if all tie.

    >>> taus(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2]]), 0)
    [1.0, -1.0, None]
    """
    coefficients: list[float | None] = []
    rows = round_significant(means)
    for row in rows:
        defined = ~np.isnan(row) & ~np.isnan(rows[reference])
        count = int(defined.sum())
        if count < 2:
            coefficients.append(None)
            continue
        sample, group = np.ones((1, count)), np.arange(count)
        tau = float(pairwise_order(rows[reference][defined], row[defined], group, count).tau_b(sample)[0])
        coefficients.append(None if math.isnan(tau) else tau)
    return coefficients


def place_changes(
    measure: str, means: FloatArray, numbers: Sequence[float] | None, *, logarithmic: bool
) -> list[PlaceChange]:
    """Places where two runs change places by a measure, each from one value to the next at which they differ.

    Args:
        measure: its name.
        means: means, shape (values, runs).
        numbers: the values, if they are numbers; then `at` is where the straight lines through the means cross, or the
            first value at which the means are equal.
        logarithmic: lines are straight over the logarithm of the values.
    """
    rows = round_significant(means)
    axis = None if numbers is None else np.log(numbers) if logarithmic else np.array(numbers)
    changes = []
    for exchange in exchanges(rows):
        at = None
        if axis is not None and numbers is not None:
            gaps = rows[:, exchange.upper] - rows[:, exchange.lower]
            ties = np.flatnonzero(gaps[exchange.before : exchange.after + 1] == 0)
            if ties.size:
                at = float(numbers[exchange.before + int(ties[0])])
            else:
                share = gaps[exchange.before] / (gaps[exchange.before] - gaps[exchange.after])
                place = float(axis[exchange.before] + share * (axis[exchange.after] - axis[exchange.before]))
                at = math.exp(place) if logarithmic else place
        changes.append(PlaceChange(measure, exchange.upper, exchange.lower, exchange.before, exchange.after, at))
    return changes


# Evaluation at every value

Results = Sequence[Sequence[Sequence[RunResult]]]
"""Results by value and run, one per copy."""


@dataclass(frozen=True)
class SweepResults:
    """Results of the evaluations of a sweep.

    `results`: names of measures are the same at every value. `names`: measures that the parameter affects, and
    requested ones, in the order of printing; `computed_names`: all. `inputs`: paths of assessments, structure and
    navigation file.
    """

    parameter: VariedParameter
    label: str
    runs: tuple[str, ...]
    paths: tuple[str, ...]
    results: Results
    names: tuple[str, ...]
    computed_names: tuple[str, ...]
    inputs: Mapping[str, str | None]
    signature: str
    warnings: Sequence[Notice | str]

    @property
    def copies(self) -> bool:
        """Whether a value and run has several copies."""
        return any(len(copies) > 1 for runs in self.results for copies in runs)


def evaluate_settings(varied: VariedParameter, options: EvaluationOptions, progress: OnProgress | None) -> SweepResults:
    """Evaluate every run at every value; read inputs and compute shared parts once.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.evaluate`; no measure has the parameter.
    """
    if varied.key == LIMIT:
        return _evaluate_limits(varied, options, progress)
    prepared = prepare(options)
    labels = [variant.label for variant in options.variants]
    requested = requested_specs(options.measures)
    affected = find_affected(varied, prepared.pairs, labels, requested)
    evaluation = evaluate_call(prepared, progress=progress)
    results = [[[_rename_run(run, affected.names_by_variant[label])] for run in evaluation.runs] for label in labels]
    first = replace(prepared, pairs=[pair for pair in prepared.pairs if pair[0].variant == labels[0]])
    return _make_sweep_results(
        varied,
        evaluation,
        results,
        affected.names,
        affected.computed_names,
        signature(first),
        [*evaluation.warnings, *affected.warnings],
    )


def _evaluate_limits(varied: VariedParameter, options: EvaluationOptions, progress: OnProgress | None) -> SweepResults:
    prepared = prepare(options)
    if len(varied.values) > 1:
        read = [run for source in prepared.sources for run in read_source(source, prepared.rank_by, prepared.tokens)]
        prepared = replace(prepared, sources=read)
    count = len(varied.values)
    calls = [replace(prepared, limit=int(value)) for value in varied.values]
    evaluations = []
    for number, call in enumerate(calls):

        def report(done: int, total: int, number: int = number) -> None:
            if progress is not None:
                progress(number * total + done, count * total)

        evaluations.append(evaluate_call(call, progress=None if progress is None else report))
    results = [[[run] for run in evaluation.runs] for evaluation in evaluations]
    warnings = dict.fromkeys(notice for evaluation in evaluations for notice in evaluation.warnings)
    names, text = prepared.names, signature(calls[0])
    return _make_sweep_results(varied, evaluations[0], results, names, names, text, tuple(warnings))


def evaluate_series(
    varied: VariedParameter, series: Sequence[Series], options: EvaluationOptions, progress: OnProgress | None
) -> SweepResults:
    """Evaluate every series of simulated runs; `options` name their runs, series by series.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.evaluate`; a file has several runs.
    """
    prepared = prepare(options)
    evaluation = evaluate_call(prepared, progress=progress)
    entries = [(index, entry) for index, one_series in enumerate(series) for entry in one_series.run_records]
    if len(evaluation.runs) != len(entries):
        raise DataError("not every file of simulated runs holds one run")
    copies: dict[tuple[str, int], list[RunResult]] = {}
    for (index, entry), run in zip(entries, evaluation.runs, strict=True):
        copies.setdefault((normalise_value(entry.value), index), []).append(run)
    values = list(dict.fromkeys(value for value, _ in copies))
    if parse_numbers(values):
        values.sort(key=float)
    results = [[copies.get((value, index), []) for index in range(len(series))] for value in values]
    labels = dict.fromkeys(one_series.parameter for one_series in series)
    label = next(iter(labels)) if len(labels) == 1 else None
    return SweepResults(
        replace(varied, values=tuple(values)),
        label or varied.key,
        tuple(one_series.name for one_series in series),
        tuple(one_series.path for one_series in series),
        results,
        _names_with_values(prepared.names, results),
        prepared.names,
        _input_paths(evaluation),
        signature(prepared),
        evaluation.warnings,
    )


def _make_sweep_results(
    varied: VariedParameter,
    evaluation: Evaluation,
    results: Results,
    names: tuple[str, ...],
    computed_names: tuple[str, ...],
    text: str,
    warnings: Sequence[Notice | str],
) -> SweepResults:
    runs, paths = zip(*((run.run_id, run.path) for run in evaluation.runs), strict=True)
    shown, inputs = _names_with_values(names, results), _input_paths(evaluation)
    return SweepResults(varied, varied.key, runs, paths, results, shown, computed_names, inputs, text, warnings)


def _input_paths(evaluation: Evaluation) -> dict[str, str | None]:
    return {name: evaluation.parameters[name] for name in ("assessments", "structure", "navigation")}


def _names_with_values(names: Sequence[str], results: Results) -> tuple[str, ...]:
    """Names of measures with a value in some run: neither left out nor refused by all runs."""
    printed = {name for runs in results for copies in runs for run in copies for name in run.all}
    return tuple(name for name in names if name in printed)


def _rename_run(run: RunResult, names: Mapping[str, str]) -> RunResult:
    """The values of one variant, under the names of measures without its label."""

    def rename(values: Mapping[str, Value]) -> dict[str, Value]:
        return {plain: values[name] for name, plain in names.items() if name in values}

    topics = {topic: rename(values) for topic, values in run.topics.items()}
    return RunResult(run.run_id, run.path, topics, rename(run.all))


# The call


def sweep(
    assessments: AssessmentsInput | None = None,
    runs: RunInputs | SimulatedRuns | None = None,
    *,
    vary: VaryInput | None = None,
    reference: str | float | None = None,
    alpha: float = 0.05,
    accept_unmatched: bool = False,
    progress: OnProgress | None = None,
    **options: Any,  # noqa: ANN401 - those of evaluate
) -> Sweep:
    """Evaluate runs across the values of one parameter: means, and changes of the order of runs.

    >>> from prum_eval import sweep
    >>> result = sweep("fixtures/toy/qrels", "fixtures/toy/run", vary="p=.5,.8,.95", measures="rbp")
    >>> print(result)
    3 values of p, 1 run, 1 measure
    value  run  measure    mean      low    high  tau
    0.5    toy  rbp      0.5312  -2.2482  3.3107
    0.8    toy  rbp      0.3112  -0.3089  0.9313
    0.95   toy  rbp      0.0939   0.0486  0.1392

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        runs: likewise; or simulated runs: folders written by ``prum-eval simulate``, or the result of
            `prum_eval.simulate`.
        vary: ``KEY=VALUES``, values as in ``0,.5,1``, ``0:.9:.1`` or ``1:100:log5``; or ``{KEY: values}``. KEY is a
            parameter of a measure or user model, perhaps with its owner, as ``rbp.p``; ``user_model``,
            ``quantisation``, ``targets``, ``limit``; or ``value``, the varied parameter of simulated runs, by default
            with all values. ``value`` is the default for simulated runs.
        reference: the value with whose order of runs the others are compared; by default the first.
        alpha: Student's intervals have level 1 - alpha, over topics, or over copies of simulated runs.
        accept_unmatched: as in `prum_eval.compare`.
        progress: as in `prum_eval.evaluate`.
        options: its other arguments. Without measures and task, the measures of the official set with one number per
            topic are used; counts only by name.

    Raises:
        InputError: bad data in a file.
        DataError: inputs that do not fit together.
        UsageError: an unknown name, a value that is not legal, or a parameter that the measures do not have.
    """
    if not 0 < alpha < 1:
        raise UsageError(f"alpha={alpha}: alpha is a number between 0 and 1")
    sources = find_series(runs)
    if vary is None:
        if not sources or not all(isinstance(source, Series) for source in sources):
            raise UsageError("--vary says what is varied: --vary KEY=VALUES")
        vary = SIMULATED_VALUE
    parameter = parse_varied(vary, options)
    options = parameter.owner_options(options)
    series = [source for source in sources if isinstance(source, Series)]
    if parameter.key == SIMULATED_VALUE:
        sources = series = require_series(sources, parameter.values)
    all_runs: Any = runs  # simulated runs are also accepted if another parameter is varied
    if series:
        all_runs = tuple(
            run for source in sources for run in (source.sources if isinstance(source, Series) else [source])
        )
    call = EvaluationOptions(assessments=assessments, runs=all_runs, **options, variants=parameter.variants(options))
    if parameter.key == SIMULATED_VALUE:
        results = evaluate_series(parameter, series, call, progress)
    else:
        results = evaluate_settings(parameter, call, progress)
    refuse_unmatched_runs(results.warnings, accept=accept_unmatched)
    with attach_warnings(results.warnings):
        return _make_sweep(results, options, reference, alpha)


def _make_sweep(
    results: SweepResults, options: Mapping[str, Any], reference: str | float | None, alpha: float
) -> Sweep:
    specs = requested_specs(options.get("measures"))
    explicit = specs or options.get("task") or options.get("config")
    selected = (scores_and_named_counts(specs) if explicit else default_scores)(results.computed_names)
    measures = tuple(name for name in results.names if name in selected)
    if not measures:
        if not results.names:
            raise DataError("no measure has a value")
        raise DataError(f"there are only counts, which are shown if asked for: {', '.join(results.names)}")
    parameter = results.parameter
    values, index = parameter.values, _reference_index(reference, parameter.values)
    parts = [results.signature, f"sweep|{results.label}:{','.join(values)}", f"reference:{values[index]}"]
    result = Sweep(
        parameter,
        results.label,
        index,
        results.runs,
        results.paths,
        measures,
        tuple(
            _mean(number, value, run, name, copies, alpha, of_copies=results.copies)
            for number, name in enumerate(measures)
            for value, runs in enumerate(results.results)
            for run, copies in enumerate(runs)
        ),
        results.copies,
        alpha,
        tau={},
        changes=(),
        inputs=results.inputs,
        topics=len({topic for runs in results.results for copies in runs for run in copies for topic in run.topics}),
        signature="|".join([*parts, f"alpha:{alpha}"]),
        warnings=results.warnings,
    )
    tables = dict(zip(measures, result.table, strict=True))
    changes = (
        place_changes(name, means, parameter.numbers, logarithmic=parameter.logarithmic)
        for name, means in tables.items()
    )
    tested = (
        replace(change, differs=_differs(results, change, alpha)) for by_measure in changes for change in by_measure
    )
    tau = {name: tuple(taus(means, index)) for name, means in tables.items()}
    return replace(result, tau=tau, changes=tuple(tested))


def _differs(results: SweepResults, change: PlaceChange, alpha: float) -> bool:
    """Whether a paired t test over topics, or over copies, finds a difference before or after the change."""
    for value in (change.before, change.after):
        first, second = (results.results[value][run] for run in (change.upper, change.lower))
        if results.copies:
            rows = [(one.all, other.all) for one, other in zip(first, second, strict=False)]
        else:
            others = second[0].numbers
            rows = [(row, others[topic]) for topic, row in first[0].numbers.items() if topic in others]
        pairs = [(row.get(change.measure), other.get(change.measure)) for row, other in rows]
        differences = np.array([x - y for x, y in pairs if x is not None and y is not None], dtype=np.float64)
        if len(differences) < 2:
            continue
        p = float(t_test(differences[None])[0])
        if p < alpha or (math.isnan(p) and differences[0] != 0):
            return True
    return False


def _reference_index(reference: str | float | None, values: Sequence[str]) -> int:
    if reference is None:
        return 0
    text = normalise_value(reference) if isinstance(reference, str) else format_parameter(reference)
    if text not in values:
        raise UsageError(
            f"reference={text}: no such value (there are: {', '.join(values)}){did_you_mean(text, values)}"
        )
    return values.index(text)


def _mean(
    measure: int, value: int, run: int, name: str, copies: Sequence[RunResult], alpha: float, *, of_copies: bool
) -> SweptMean:
    """The mean of a run, or of the copies of a simulated one, with its interval."""
    averages = [average for result in copies if (average := result.all.get(name)) is not None]
    if of_copies or not copies:
        mean = math.fsum(averages) / len(averages) if averages else None
        return SweptMean(measure, value, run, mean, _margin(averages, alpha), len(averages))
    sample = [number for row in copies[0].numbers.values() if (number := row.get(name)) is not None]
    record = measures_by_printed_name([name]).get(name)
    is_sum = record is not None and record.shape is Shape.COUNT
    margin = None if is_sum else _margin(sample, alpha)
    return SweptMean(measure, value, run, copies[0].all.get(name), margin, len(sample))


def _margin(values: Sequence[float], alpha: float) -> float | None:
    """Half width of Student's interval of the mean; None for fewer than two values."""
    if len(values) < 2:
        return None
    return float(t_margin(np.array([values], dtype=np.float64), alpha)[0])
