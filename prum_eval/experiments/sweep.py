"""sweep: the call."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from prum_eval.analysis.compare import attach_warnings, default_scores, scores_and_named_counts
from prum_eval.analysis.comparison import t_margin
from prum_eval.analysis.correlation import pairwise_order
from prum_eval.analysis.matrix import round_significant
from prum_eval.arrays import FloatArray
from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.api import evaluate_call
from prum_eval.evaluation.evaluate_run import OnProgress, read_source
from prum_eval.evaluation.notices import Notice
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.plan import signature
from prum_eval.evaluation.prepare import prepare
from prum_eval.evaluation.results import Evaluation, MeasuredValue, RunResult
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

# Means of runs at the values of one parameter, how their order changes, and which runs change places.


@dataclass(frozen=True)
class SweptMean:
    """A run on a measure at a value; `measure`, `value` and `run` are places.

    `mean` is what `prum_eval.evaluate` gives as the average at that setting, or the mean of that over copies. `margin`:
    half the width of its interval, None where there is none; `sample_size` how many topics or copies that is.
    """

    measure: int
    value: int
    run: int
    mean: MeasuredValue
    margin: float | None
    sample_size: int


@dataclass(frozen=True)
class PlaceChange:
    """By `measure`, run `upper` is above run `lower` at value `before`, and below it at value `after` (all places).

    `at`: where between these values their means are equal, by straight lines; None where values are no numbers.
    """

    measure: str
    upper: int
    lower: int
    before: int
    after: int
    at: float | None


@dataclass(frozen=True, repr=False, eq=False)
class Sweep(Tabular):
    """What `sweep` returns.

    Attributes:
        parameter: the parameter and its values.
        label: what the parameter is called: its key, or of simulated runs what was varied in them.
        reference: the place of the value with which orders of runs are compared.
        runs, paths: names of runs and their files, or of series of simulated runs and their lists.
        measures: names as they print.
        means: measure by measure, value by value, one a run.
        copies: intervals are over copies of simulated runs, and not over topics.
        alpha: they hold 1 - alpha.
        tau: of each measure one a value: Kendall's tau-b between the orders of the runs there and at the reference.
        changes: wherever two runs change places.
        inputs: assessments, structure and navigation file, as json of eval has them.
        topics: how many topics some run has values of.
        signature: every choice that changes a number.
        warnings: what the user should know.
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
        """All means, shape (measures, values, runs); NaN where there is none."""
        return self._array([one.mean for one in self.means])

    @cached_property
    def margins(self) -> FloatArray:
        """Half the widths of their intervals, likewise."""
        return self._array([one.margin for one in self.means])

    def _array(self, values: list[MeasuredValue]) -> FloatArray:
        shape = len(self.measures), len(self.parameter.values), len(self.runs)
        return np.array([np.nan if value is None else float(value) for value in values]).reshape(shape)

    @property
    def values(self) -> tuple[str, ...]:
        """The values of the parameter, in text."""
        return self.parameter.values

    def value(self, place: int) -> str | float:
        """A value as a number where all are some."""
        numbers = self.parameter.numbers
        if numbers is None:
            return self.values[place]
        return int(numbers[place]) if numbers[place].is_integer() else numbers[place]

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a measure, value and run."""
        for one in self.means:
            low = high = None
            if one.mean is not None and one.margin is not None:
                low, high = one.mean - one.margin, one.mean + one.margin
            name = self.measures[one.measure]
            yield {
                "value": self.value(one.value),
                "run": self.runs[one.run],
                "measure": name,
                "mean": one.mean,
                "low": low,
                "high": high,
                "copies" if self.copies else "topics": one.sample_size,
                "tau": self.tau[name][one.value],
            }

    def _summary(self) -> str:
        values, runs = plural(len(self.values), "value"), plural(len(self.runs), "run")
        return f"{values} of {self.label}, {runs}, {plural(len(self.measures), 'measure')}"

    def _table(self) -> Table:
        columns = ("run", "measure", "mean", "low", "high", "tau")
        pairs = zip(self.means, self.rows(), strict=True)
        return ("value", *columns), ([self.values[one.value], *map(row.get, columns)] for one, row in pairs)


# How the order of runs changes with a parameter: tau against a reference, and where two runs change places.


def taus(means: FloatArray, reference: int) -> list[float | None]:
    """Kendall's tau-b of the order of the runs at each value with that at the reference.

    Args:
        means: of each run at each value, shape (values, runs); NaN where a run has none, which then does not count.
        reference: the row to compare with.

    Returns:
        One a value; None where fewer than two runs count, or all tie.

    >>> taus(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2]]), 0)
    [1.0, -1.0, None]
    """
    found: list[float | None] = []
    rows = round_significant(means)
    for row in rows:
        known = ~np.isnan(row) & ~np.isnan(rows[reference])
        count = int(known.sum())
        if count < 2:
            found.append(None)
            continue
        one, each = np.ones((1, count)), np.arange(count)
        tau = float(pairwise_order(rows[reference][known], row[known], each, count).tau_b(one)[0])
        found.append(None if math.isnan(tau) else tau)
    return found


def place_changes(
    measure: str, means: FloatArray, numbers: Sequence[float] | None, *, logarithmic: bool
) -> list[PlaceChange]:
    """Where two runs change places by a measure, from one value to the next at which they differ again.

    Args:
        measure: its name.
        means: as above.
        numbers: the values, if they are numbers: the place between two of them is where straight lines through the
            means cross, or the first value at which the means are equal.
        logarithmic: lines are straight over the logarithm of the values.
    """
    rows = round_significant(means)
    axis = None if numbers is None else np.log(numbers) if logarithmic else np.array(numbers)
    found = []
    for one in exchanges(rows):
        at = None
        if axis is not None and numbers is not None:
            gaps = rows[:, one.upper] - rows[:, one.lower]
            ties = np.flatnonzero(gaps[one.before : one.after + 1] == 0)
            if ties.size:
                at = float(numbers[one.before + int(ties[0])])
            else:
                share = gaps[one.before] / (gaps[one.before] - gaps[one.after])
                place = float(axis[one.before] + share * (axis[one.after] - axis[one.before]))
                at = math.exp(place) if logarithmic else place
        found.append(PlaceChange(measure, one.upper, one.lower, one.before, one.after, at))
    return found


# The evaluations behind a sweep: of every value and run the result, or those of all copies of a simulated run.


@dataclass(frozen=True)
class SweepResults:
    """What was evaluated.

    `results`: by value and run, one a copy; names of measures are the same at every value. `names`: those that the
    parameter has a part in, and those asked for by name, in the order of printing; `computed_names`: all. `inputs`: paths of
    assessments, structure and navigation file.
    """

    parameter: VariedParameter
    label: str
    runs: tuple[str, ...]
    paths: tuple[str, ...]
    results: Sequence[Sequence[Sequence[RunResult]]]
    names: tuple[str, ...]
    computed_names: tuple[str, ...]
    inputs: Mapping[str, str | None]
    signature: str
    warnings: Sequence[Notice | str]

    @property
    def copies(self) -> bool:
        """Whether there are several of some value and run."""
        return any(len(own) > 1 for at_value in self.results for own in at_value)


def evaluate_settings(varied: VariedParameter, options: EvaluationOptions, progress: OnProgress | None) -> SweepResults:
    """Every run at every value of a parameter: everything is read once, and what values share is computed once.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.evaluate`; the parameter is none of these measures.
    """
    if varied.key == LIMIT:
        return _evaluate_limits(varied, options, progress)
    prepared = prepare(options)
    labels = [variant.label for variant in options.variants]
    asked = requested_specs(options.measures)
    affected = find_affected(varied, prepared.pairs, labels, asked)
    evaluation = evaluate_call(prepared, progress=progress)
    results = [[[_rename_run(run, affected.names_by_variant[label])] for run in evaluation.runs] for label in labels]
    first = replace(prepared, pairs=[pair for pair in prepared.pairs if pair[0].variant == labels[0]])
    said = signature(first)
    warnings: list[Notice | str] = [*evaluation.warnings, *affected.warnings]
    return _make_sweep_results(varied, evaluation, results, affected.names, affected.computed_names, said, warnings)


def _evaluate_limits(varied: VariedParameter, options: EvaluationOptions, progress: OnProgress | None) -> SweepResults:
    prepared = prepare(options)
    if len(varied.values) > 1:
        read = [run for source in prepared.sources for run in read_source(source, prepared.rank_by)]
        prepared = replace(prepared, sources=read)
    found: list[Evaluation] = []
    every = [replace(prepared, limit=int(value)) for value in varied.values]
    for number, at_value in enumerate(every):
        found.append(evaluate_call(at_value, progress=_partial_progress(progress, number, len(varied.values))))
    results = [[[run] for run in evaluation.runs] for evaluation in found]
    warnings = dict.fromkeys(notice for evaluation in found for notice in evaluation.warnings)
    names = prepared.names
    return _make_sweep_results(varied, found[0], results, names, names, signature(every[0]), tuple(warnings))


def evaluate_series(
    varied: VariedParameter, series: Sequence[Series], options: EvaluationOptions, progress: OnProgress | None
) -> SweepResults:
    """Every series of simulated runs at each of its values; `options` name their runs, one series after the other.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.evaluate`; a file holds several runs.
    """
    prepared = prepare(options)
    evaluation = evaluate_call(prepared, progress=progress)
    listed = [(place, one) for place, own in enumerate(series) for one in own.run_records]
    if len(evaluation.runs) != len(listed):
        raise DataError("not every file of simulated runs holds one run")
    found: dict[tuple[str, int], list[RunResult]] = {}
    for (place, one), run in zip(listed, evaluation.runs, strict=True):
        found.setdefault((normalise_value(one.value), place), []).append(run)
    values = list(dict.fromkeys(value for value, _ in found))
    if parse_numbers(values):
        values.sort(key=float)
    results = [[found.get((value, place), []) for place in range(len(series))] for value in values]
    labels = dict.fromkeys(one.parameter for one in series)
    label = next(iter(labels)) if len(labels) == 1 else None
    return SweepResults(
        replace(varied, values=tuple(values)),
        label or varied.key,
        tuple(one.name for one in series),
        tuple(one.path for one in series),
        results,
        _names_with_values(prepared.names, results),
        prepared.names,
        _inputs(evaluation),
        signature(prepared),
        evaluation.warnings,
    )


def _make_sweep_results(
    varied: VariedParameter,
    evaluation: Evaluation,
    results: Sequence[Sequence[Sequence[RunResult]]],
    names: tuple[str, ...],
    computed: tuple[str, ...],
    said: str,
    warnings: Sequence[Notice | str],
) -> SweepResults:
    runs, paths = zip(*((run.run_id, run.path) for run in evaluation.runs), strict=True)
    shown, inputs = _names_with_values(names, results), _inputs(evaluation)
    return SweepResults(varied, varied.key, runs, paths, results, shown, computed, inputs, said, warnings)


def _inputs(evaluation: Evaluation) -> dict[str, str | None]:
    return {name: evaluation.parameters[name] for name in ("assessments", "structure", "navigation")}


def _names_with_values(names: Sequence[str], results: Sequence[Sequence[Sequence[RunResult]]]) -> tuple[str, ...]:
    """Those of some names that are among the values of a run: not those that are left out, or refuse all runs."""
    known = {name for at_value in results for own in at_value for run in own for name in run.all}
    return tuple(name for name in names if name in known)


def _rename_run(run: RunResult, names: Mapping[str, str]) -> RunResult:
    """The values of one variant, under the names that they have without it."""
    topics = {topic: _rename_values(values, names) for topic, values in run.topics.items()}
    return RunResult(run.run_id, run.path, topics, _rename_values(run.all, names))


def _rename_values(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {own: values[name] for name, own in names.items() if name in values}


def _partial_progress(progress: OnProgress | None, number: int, of: int) -> OnProgress | None:
    """How far all are, when one of several evaluations says how far it is."""
    if progress is None:
        return None
    told = progress
    return lambda done, total: told(number * total + done, of * total)


def sweep(
    assessments: AssessmentsInput | None = None,
    runs: RunInputs | SimulatedRuns | None = None,
    *,
    vary: VaryInput | None = None,
    reference: str | float | None = None,
    alpha: float = 0.05,
    progress: OnProgress | None = None,
    **options: Any,  # noqa: ANN401 - those of evaluate
) -> Sweep:
    """How measures of runs answer to one parameter: means at each of its values, and how the order of runs changes.

    >>> from prum_eval import sweep
    >>> found = sweep("fixtures/toy/qrels", "fixtures/toy/run", vary="p=.5,.8,.95", measures="rbp")
    >>> print(found)
    3 values of p, 1 run, 1 measure
    value  run  measure    mean      low    high  tau
    0.5    toy  rbp      0.5312  -2.2482  3.3107
    0.8    toy  rbp      0.3112  -0.3089  0.9313
    0.95   toy  rbp      0.0939   0.0486  0.1392

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        runs: likewise; or simulated runs: folders that ``prum-eval simulate`` wrote, or what `prum_eval.simulate`
            returned.
        vary: ``KEY=VALUES``, values as in ``0,.5,1``, ``0:.9:.1`` or ``1:100:log5``; or ``{KEY: values}``. KEY is a
            parameter of a measure or user model, ``user_model``, ``quantisation``, ``targets``, ``limit``; or
            ``value``, what simulated runs were varied by: all values if none are listed, and what is meant where
            nothing is said of simulated runs.
        reference: the value with whose order of runs the others are compared; the first if not given.
        alpha: intervals hold 1 - alpha: Student's over topics, or over copies of simulated runs where there are some.
        progress: as of `prum_eval.evaluate`.
        options: its other arguments. Without measures and task, those of the official set are
            taken that are one number a topic; counts only if measures name them.

    Raises:
        InputError: bad data in a file.
        DataError: inputs that do not fit together.
        UsageError: an unknown name, a value that is not legal, or a parameter that the measures do not have.
    """
    if not 0 < alpha < 1:
        raise UsageError(f"alpha={alpha}: alpha is a number between 0 and 1")
    given = find_series(runs)
    if vary is None:
        if not given or not all(isinstance(one, Series) for one in given):
            raise UsageError("--vary says what is varied: --vary KEY=VALUES")
        vary = SIMULATED_VALUE
    chosen = parse_varied(vary, options)
    series = [one for one in given if isinstance(one, Series)]
    if chosen.key == SIMULATED_VALUE:
        given = series = require_series(given, chosen.values)
    whole: Any = runs  # simulated runs are runs too, whatever is varied
    if series:
        whole = tuple(source for one in given for source in (one.sources if isinstance(one, Series) else [one]))
    call = EvaluationOptions(assessments=assessments, runs=whole, **options, variants=chosen.variants(options))
    if chosen.key == SIMULATED_VALUE:
        observed = evaluate_series(chosen, series, call, progress)
    else:
        observed = evaluate_settings(chosen, call, progress)
    with attach_warnings(observed.warnings):
        return _sweep(observed, options, reference, alpha)


def _sweep(observed: SweepResults, options: Mapping[str, Any], reference: str | float | None, alpha: float) -> Sweep:
    specs = requested_specs(options.get("measures"))
    chosen = specs or options.get("task") or options.get("config")
    worth = (scores_and_named_counts(specs) if chosen else default_scores)(observed.computed_names)
    measures = tuple(name for name in observed.names if name in worth)
    if not measures:
        if not observed.names:
            raise DataError("no measure has a value")
        raise DataError(f"there are only counts, which are shown if asked for: {', '.join(observed.names)}")
    values = observed.parameter.values
    place = _reference(reference, values)
    means = tuple(
        _mean(number, value, run, name, own, alpha, copies=observed.copies)
        for number, name in enumerate(measures)
        for value, at_value in enumerate(observed.results)
        for run, own in enumerate(at_value)
    )
    shape = len(measures), len(values), len(observed.runs)
    table = np.array([np.nan if one.mean is None else float(one.mean) for one in means]).reshape(shape)
    numbers, logarithmic = observed.parameter.numbers, observed.parameter.logarithmic
    changes = [
        change
        for name, own in zip(measures, table, strict=True)
        for change in place_changes(name, own, numbers, logarithmic=logarithmic)
    ]
    said = f"{observed.label}:{','.join(values)}"
    parts = [observed.signature, f"sweep|{said}", f"reference:{values[place]}", f"alpha:{alpha}"]
    return Sweep(
        observed.parameter,
        observed.label,
        place,
        observed.runs,
        observed.paths,
        measures,
        means,
        observed.copies,
        alpha,
        {name: tuple(taus(own, place)) for name, own in zip(measures, table, strict=True)},
        tuple(changes),
        observed.inputs,
        len({topic for at_value in observed.results for own in at_value for run in own for topic in run.topics}),
        "|".join(parts),
        observed.warnings,
    )


def _reference(reference: str | float | None, values: Sequence[str]) -> int:
    if reference is None:
        return 0
    text = normalise_value(reference) if isinstance(reference, str) else format_parameter(reference)
    if text not in values:
        raise UsageError(
            f"reference={text}: no such value (there are: {', '.join(values)}){did_you_mean(text, values)}"
        )
    return values.index(text)


def _mean(
    measure: int, value: int, run: int, name: str, own: Sequence[RunResult], alpha: float, *, copies: bool
) -> SweptMean:
    """The mean of a run, or of the copies of a simulated one, with its interval."""
    found = [one.all[name] for one in own if one.all.get(name) is not None]
    if copies or not own:
        return SweptMean(measure, value, run, _average(found), _margin(found, alpha), len(found))
    known = [values[name] for values in own[0].topics.values() if values.get(name) is not None]
    is_sum = name in (measured := measures_by_printed_name([name])) and measured[name].shape is Shape.COUNT
    return SweptMean(measure, value, run, own[0].all.get(name), None if is_sum else _margin(known, alpha), len(known))


def _average(values: Sequence[MeasuredValue]) -> MeasuredValue:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def _margin(values: Sequence[MeasuredValue], alpha: float) -> float | None:
    """Half the width of Student's interval of the mean; None for fewer than two values."""
    if len(values) < 2:
        return None
    return float(t_margin(np.array([values], dtype=np.float64), alpha)[0])
