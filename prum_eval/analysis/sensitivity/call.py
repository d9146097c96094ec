"""sweep: the call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from prum_eval.analysis.calls import scores_or_named, telling_scores, warned
from prum_eval.analysis.paired import t_margin
from prum_eval.analysis.sensitivity.observed import Observed, observed_series, observed_settings
from prum_eval.analysis.sensitivity.places import place_changes, taus
from prum_eval.analysis.sensitivity.result import Sweep, SweptMean
from prum_eval.analysis.sensitivity.series import Series, SimulatedRuns, only_series, series_among, shown_value
from prum_eval.analysis.sensitivity.varied import SIMULATED_VALUE, GivenVary, varied
from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.api import ComputingKeywords
from prum_eval.evaluation.evaluate_runs import OnProgress
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.results import MeasuredValue, RunResult
from prum_eval.formats.given import GivenAssessments, GivenRuns
from prum_eval.measures.base import Shape
from prum_eval.measures.registry import printed_by
from prum_eval.measures.specs import names_asked
from prum_eval.parameters import nearest, show


def sweep(
    assessments: GivenAssessments | None = None,
    runs: GivenRuns | SimulatedRuns | None = None,
    *,
    vary: GivenVary | None = None,
    reference: str | float | None = None,
    alpha: float = 0.05,
    progress: OnProgress | None = None,
    **options: Unpack[ComputingKeywords],
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
    given = series_among(runs)
    if vary is None:
        if not given or not all(isinstance(one, Series) for one in given):
            raise UsageError("--vary says what is varied: --vary KEY=VALUES")
        vary = SIMULATED_VALUE
    chosen = varied(vary, options)
    series = [one for one in given if isinstance(one, Series)]
    if chosen.key == SIMULATED_VALUE:
        given = series = only_series(given, chosen.values)
    whole: Any = runs  # simulated runs are runs too, whatever is varied
    if series:
        whole = tuple(source for one in given for source in (one.sources if isinstance(one, Series) else [one]))
    call = EvaluationOptions(assessments=assessments, runs=whole, **options, variants=chosen.variants(options))
    if chosen.key == SIMULATED_VALUE:
        observed = observed_series(chosen, series, call, progress)
    else:
        observed = observed_settings(chosen, call, progress)
    with warned(observed.warnings):
        return _sweep(observed, options, reference, alpha)


def _sweep(observed: Observed, options: ComputingKeywords, reference: str | float | None, alpha: float) -> Sweep:
    specs = names_asked(options.get("measures"))
    chosen = specs or options.get("task") or options.get("config")
    worth = (scores_or_named(specs) if chosen else telling_scores)(observed.computed)
    measures = tuple(name for name in observed.names if name in worth)
    if not measures:
        if not observed.names:
            raise DataError("no measure has a value")
        raise DataError(f"there are only counts, which are shown if asked for: {', '.join(observed.names)}")
    values = observed.varied.values
    place = _reference(reference, values)
    means = tuple(
        _mean(number, value, run, name, own, alpha, copies=observed.copies)
        for number, name in enumerate(measures)
        for value, at_value in enumerate(observed.results)
        for run, own in enumerate(at_value)
    )
    shape = len(measures), len(values), len(observed.runs)
    table = np.array([np.nan if one.mean is None else float(one.mean) for one in means]).reshape(shape)
    numbers, logarithmic = observed.varied.numbers, observed.varied.logarithmic
    changes = [
        change
        for name, own in zip(measures, table, strict=True)
        for change in place_changes(name, own, numbers, logarithmic=logarithmic)
    ]
    said = f"{observed.label}:{','.join(values)}"
    parts = [observed.signature, f"sweep|{said}", f"reference:{values[place]}", f"alpha:{alpha}"]
    return Sweep(
        observed.varied,
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
    text = shown_value(reference) if isinstance(reference, str) else show(reference)
    if text not in values:
        raise UsageError(f"reference={text}: no such value (there are: {', '.join(values)}){nearest(text, values)}")
    return values.index(text)


def _mean(
    measure: int, value: int, run: int, name: str, own: Sequence[RunResult], alpha: float, *, copies: bool
) -> SweptMean:
    """The mean of a run, or of the copies of a simulated one, with its interval."""
    found = [one.all[name] for one in own if one.all.get(name) is not None]
    if copies or not own:
        return SweptMean(measure, value, run, _average(found), _margin(found, alpha), len(found))
    known = [values[name] for values in own[0].topics.values() if values.get(name) is not None]
    is_sum = name in (measured := printed_by([name])) and measured[name].shape is Shape.COUNT
    return SweptMean(measure, value, run, own[0].all.get(name), None if is_sum else _margin(known, alpha), len(known))


def _average(values: Sequence[MeasuredValue]) -> MeasuredValue:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def _margin(values: Sequence[MeasuredValue], alpha: float) -> float | None:
    """Half the width of Student's interval of the mean; None for fewer than two values."""
    if len(values) < 2:
        return None
    return float(t_margin(np.array([values], dtype=np.float64), alpha)[0])
