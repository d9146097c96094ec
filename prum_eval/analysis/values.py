"""Where compare and correlate take values from: runs evaluated now, an evaluation, files or dictionaries of values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from typing import TypeAlias

from prum_eval.analysis.matrix import Matrix, is_score, matrix
from prum_eval.errors import PrumEvalError, UsageError
from prum_eval.evaluation.api import EvaluationKeywords, evaluate
from prum_eval.evaluation.results import Evaluation
from prum_eval.formats.given import GivenAssessments, GivenRuns, PathName
from prum_eval.formats.values.scores import Scores, read_scores
from prum_eval.measures.base import Shape
from prum_eval.measures.registry import BY_NAME
from prum_eval.version import __version__

ByTopic = Mapping[str, Mapping[str, float | None]]
GivenValues: TypeAlias = PathName | Iterable[PathName] | Mapping[str, ByTopic] | Evaluation
"""Files of values by topic, ``{run: {topic: {measure: value}}}``, or what `prum_eval.evaluate` returned."""


def values_of(
    assessments: GivenAssessments | None,
    runs: GivenRuns | None,
    values: GivenValues | None,
    options: EvaluationKeywords,
) -> Matrix:
    """The values of all runs side by side, with what there is to say of them.

    Args:
        assessments: as `prum_eval.evaluate` takes them.
        runs: likewise.
        values: instead of these, values that there are already; of the options, `measures` chooses among them.
        options: the other arguments of `prum_eval.evaluate`.

    Raises:
        InputError, DataError: the inputs are bad.
        UsageError: there is but one run, or an option has nothing to do.
    """
    asked = options.get("measures")
    specs = [asked] if isinstance(asked, str) else asked or ()
    if values is None:
        evaluation = evaluate(assessments, runs, **options)
        _need_two(len(evaluation.runs))
        chosen = specs or options.get("task") or options.get("config")
        with warned(evaluation.warnings):
            found = matrix(evaluation.runs, worth=_asked(specs) if chosen else _one_number)
        return replace(found, signature=evaluation.signature, warnings=(*evaluation.warnings, *found.warnings))
    if assessments is not None or runs is not None or options.keys() - {"measures", "progress"}:
        raise UsageError("values are evaluated: beside them only measures has a meaning")
    if isinstance(values, Evaluation):
        scores: Sequence[Scores] = [Scores(run.run_id, run.path, run.topics) for run in values.runs]
    elif isinstance(values, Mapping):
        scores = [Scores(name, name, topics) for name, topics in values.items()]
    else:
        paths = [values] if isinstance(values, str | PathLike) else values
        scores = [run for path in paths for run in read_scores(str(path))]
    if not scores:
        raise UsageError("no files of values")
    _need_two(len(scores))
    origin = values.signature if isinstance(values, Evaluation) else f"prum-eval {__version__}|values"
    return replace(matrix(scores, specs or None), signature=origin)


@contextmanager
def warned(warnings: Iterable[str]) -> Iterator[None]:
    """Add warnings to an error that makes an end of the result that they are of."""
    try:
        yield
    except PrumEvalError as error:
        for warning in warnings:
            error.add_note(f"warning: {warning}")
        raise


def _need_two(runs: int) -> None:
    if runs < 2:
        raise UsageError("there is only one run; it takes two to compare")


def _asked(specs: Sequence[str]) -> Callable[[str], bool]:
    """Scores, and those counts that were asked for by name."""
    heads = {spec.partition(":")[0] for spec in specs}
    return lambda name: is_score(name) or bool(heads & {name.partition(":")[0], "counts"})


def _one_number(name: str) -> bool:
    """Scores that are one number a topic, which is what is compared unasked: a curve would be eleven comparisons."""
    return is_score(name) and name in BY_NAME and BY_NAME[name].shape is Shape.SCALAR
