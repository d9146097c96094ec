"""Where compare and correlate take values from: runs that are evaluated now, or files of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from prum_eval.cli.options import FILES, check_standard_input
from prum_eval.cli.output import progress_bar
from prum_eval.errors import UsageError
from prum_eval.version import __version__

if TYPE_CHECKING:
    from prum_eval.analysis.matrix import Matrix
    from prum_eval.evaluation.results import Evaluation

METAVAR = "[ASSESSMENTS] RUN RUN [RUN ...]"

values_option = click.option(
    "--values", is_flag=True, help="RUNs are values by topic: trec_eval's three columns, or CSV or JSON of eval."
)


def read_matrix(inputs: Sequence[str], options: Mapping[str, Any], *, values: bool) -> tuple[Matrix, str]:
    """The values of all runs, and the signature of where they come from; warnings are printed.

    Raises:
        InputError, DataError: the inputs are bad.
        UsageError: there is but one run, or an option has nothing to do.
    """
    from prum_eval.analysis.matrix import matrix

    if values:
        from prum_eval.formats.values.scores import read_scores

        _refuse(options)
        check_standard_input(*inputs)
        if not inputs:
            raise UsageError("no files of values")
        runs = [run for path in inputs for run in read_scores(path)]
        _need_two(len(runs))
        found, signature = matrix(runs, options["measures"] or None), f"prum-eval {__version__}|values"
    else:
        evaluation = _evaluate(inputs, options)
        asked = options["measures"] or options["task"] or options["config"]
        worth = _asked(options["measures"]) if asked else _one_number
        found, signature = matrix(evaluation.runs, worth=worth), evaluation.signature
    for warning in found.warnings:
        click.echo(f"prum-eval: warning: {warning}", err=True)
    return found, signature


def _need_two(runs: int) -> None:
    if runs < 2:
        raise UsageError("there is only one run; it takes two to compare")


def _refuse(options: Mapping[str, Any]) -> None:
    context = click.get_current_context()
    for parameter in context.command.params:
        name = str(parameter.name)
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name in options and name != "measures":
            raise UsageError(f"{parameter.opts[-1]} is for evaluating runs, and --values are evaluated")


def _evaluate(inputs: Sequence[str], options: Mapping[str, Any]) -> Evaluation:
    from prum_eval.evaluation.api import evaluate

    assessments, runs = (inputs[0] if inputs else None), inputs[1:]
    check_standard_input(*inputs, *(options[name] for name in FILES))
    with progress_bar("Runs") as progress:
        evaluation = evaluate(assessments, runs or None, **options, progress=progress)
    _need_two(len(evaluation.runs))
    for warning in evaluation.warnings:
        click.echo(f"prum-eval: warning: {warning}", err=True)
    return evaluation


def _asked(specs: Sequence[str]) -> Callable[[str], bool]:
    """Scores, and those counts that were asked for by name."""
    from prum_eval.analysis.matrix import is_score

    heads = {spec.partition(":")[0] for spec in specs}
    return lambda name: is_score(name) or bool(heads & {name.partition(":")[0], "counts"})


def _one_number(name: str) -> bool:
    """Scores that are one number a topic, which is what is compared unasked: a curve would be eleven comparisons."""
    from prum_eval.analysis.matrix import is_score
    from prum_eval.measures.base import Shape
    from prum_eval.measures.registry import BY_NAME

    return is_score(name) and name in BY_NAME and BY_NAME[name].shape is Shape.SCALAR
