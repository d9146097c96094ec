"""The evaluations behind a sweep: of every value and run the result, or those of all copies of a simulated run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from prum_eval.analysis.sensitivity.affected import affected_names
from prum_eval.analysis.sensitivity.series import Series, shown_value
from prum_eval.analysis.sensitivity.varied import LIMIT, Varied, numbers_of
from prum_eval.errors import DataError
from prum_eval.evaluation.api import evaluated
from prum_eval.evaluation.evaluate_runs import OnProgress, read_source
from prum_eval.evaluation.notices.notice import Notice
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.plan import signature
from prum_eval.evaluation.prepare import Prepared, prepare
from prum_eval.evaluation.results import Evaluation, RunResult
from prum_eval.measures.specs import names_asked
from prum_eval.version import __version__


@dataclass(frozen=True)
class Observed:
    """What was evaluated.

    `results`: by value and run, one a copy; names of measures are the same at every value. `names`: those that the
    parameter has a part in, and those asked for by name, in the order of printing; `computed`: all. `inputs`: paths of
    assessments, structure and navigation file.
    """

    varied: Varied
    label: str
    runs: tuple[str, ...]
    paths: tuple[str, ...]
    results: Sequence[Sequence[Sequence[RunResult]]]
    names: tuple[str, ...]
    computed: tuple[str, ...]
    inputs: Mapping[str, str | None]
    signature: str
    warnings: Sequence[Notice | str]

    @property
    def copies(self) -> bool:
        """Whether there are several of some value and run."""
        return any(len(own) > 1 for at_value in self.results for own in at_value)


def observed_settings(varied: Varied, options: EvaluationOptions, progress: OnProgress | None) -> Observed:
    """Every run at every value of a parameter: everything is read once, and what values share is computed once.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.evaluate`; the parameter is none of these measures.
    """
    if varied.key == LIMIT:
        return _limits(varied, options, progress)
    prepared = prepare(options)
    labels = [variant.label for variant in options.variants]
    asked = names_asked(options.measures)
    affected = affected_names(varied, prepared.plan.pairs, labels, asked)
    evaluation = evaluated(prepared, progress=progress)
    results = [[[_renamed(run, affected.at[label])] for run in evaluation.runs] for label in labels]
    first = replace(prepared.plan, pairs=[pair for pair in prepared.plan.pairs if pair[0].variant == labels[0]])
    said = signature(__version__, first, prepared.rank_by)
    warnings: list[Notice | str] = [*evaluation.warnings, *affected.warnings]
    return _of_runs(varied, evaluation, results, affected.names, affected.computed, said, warnings)


def _limits(varied: Varied, options: EvaluationOptions, progress: OnProgress | None) -> Observed:
    prepared = prepare(options)
    if len(varied.values) > 1:
        read = [run for source in prepared.sources for run in read_source(source, prepared.rank_by)]
        prepared = replace(prepared, sources=read)
    found: list[Evaluation] = []
    every = [replace(prepared, plan=replace(prepared.plan, limit=int(value))) for value in varied.values]
    for number, at_value in enumerate(every):
        found.append(evaluated(at_value, progress=_part(progress, number, len(varied.values))))
    results = [[[run] for run in evaluation.runs] for evaluation in found]
    warnings = dict.fromkeys(notice for evaluation in found for notice in evaluation.warnings)
    names = prepared.names
    return _of_runs(varied, found[0], results, names, names, _signature(every[0]), tuple(warnings))


def observed_series(
    varied: Varied, series: Sequence[Series], options: EvaluationOptions, progress: OnProgress | None
) -> Observed:
    """Every series of simulated runs at each of its values; `options` name their runs, one series after the other.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.evaluate`; a file holds several runs.
    """
    prepared = prepare(options)
    evaluation = evaluated(prepared, progress=progress)
    listed = [(place, one) for place, own in enumerate(series) for one in own.listed]
    if len(evaluation.runs) != len(listed):
        raise DataError("not every file of simulated runs holds one run")
    found: dict[tuple[str, int], list[RunResult]] = {}
    for (place, one), run in zip(listed, evaluation.runs, strict=True):
        found.setdefault((shown_value(one.value), place), []).append(run)
    values = list(dict.fromkeys(value for value, _ in found))
    if numbers_of(values):
        values.sort(key=float)
    results = [[found.get((value, place), []) for place in range(len(series))] for value in values]
    labels = dict.fromkeys(one.parameter for one in series)
    label = next(iter(labels)) if len(labels) == 1 else None
    return Observed(
        replace(varied, values=tuple(values)),
        label or varied.key,
        tuple(one.name for one in series),
        tuple(one.path for one in series),
        results,
        _valued(prepared.names, results),
        prepared.names,
        _inputs(evaluation),
        _signature(prepared),
        evaluation.warnings,
    )


def _of_runs(
    varied: Varied,
    evaluation: Evaluation,
    results: Sequence[Sequence[Sequence[RunResult]]],
    names: tuple[str, ...],
    computed: tuple[str, ...],
    said: str,
    warnings: Sequence[Notice | str],
) -> Observed:
    runs, paths = zip(*((run.run_id, run.path) for run in evaluation.runs), strict=True)
    shown, inputs = _valued(names, results), _inputs(evaluation)
    return Observed(varied, varied.key, runs, paths, results, shown, computed, inputs, said, warnings)


def _inputs(evaluation: Evaluation) -> dict[str, str | None]:
    return {name: evaluation.parameters[name] for name in ("assessments", "structure", "navigation")}


def _valued(names: Sequence[str], results: Sequence[Sequence[Sequence[RunResult]]]) -> tuple[str, ...]:
    """Those of some names that are among the values of a run: not those that are left out, or refuse all runs."""
    known = {name for at_value in results for own in at_value for run in own for name in run.all}
    return tuple(name for name in names if name in known)


def _signature(prepared: Prepared) -> str:
    return signature(__version__, prepared.plan, prepared.rank_by)


def _renamed(run: RunResult, names: Mapping[str, str]) -> RunResult:
    """The values of one variant, under the names that they have without it."""
    topics = {topic: _under(values, names) for topic, values in run.topics.items()}
    return RunResult(run.run_id, run.path, topics, _under(run.all, names))


def _under(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {own: values[name] for name, own in names.items() if name in values}


def _part(progress: OnProgress | None, number: int, of: int) -> OnProgress | None:
    """How far all are, when one of several evaluations says how far it is."""
    if progress is None:
        return None
    told = progress
    return lambda done, total: told(number * total + done, of * total)
