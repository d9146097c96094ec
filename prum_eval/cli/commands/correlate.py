"""``prum-eval correlate``: how measures and settings agree over runs."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.help import Command
from prum_eval.cli.options import ComparedInputs, WholeNumber, compared_inputs, result_options, trial_options
from prum_eval.cli.output import ResultOutput, watched_settings
from prum_eval.evaluation.options import LARGEST_COUNT


@click.command("correlate", cls=Command)
@compared_inputs
@click.option(
    "--over",
    type=click.Choice(["means", "values"]),
    default="means",
    show_default=True,
    help="Correlate the means of runs, or all values per run and topic.",
)
@click.option("--top", type=WholeNumber(2, LARGEST_COUNT), metavar="N", help="Use only the N best runs.")
@click.option(
    "--split",
    type=WholeNumber(2, LARGEST_COUNT),
    metavar="N",
    help="Correlate the N best runs (or values) and the rest separately too.",
)
@click.option("--by", metavar="NAME", help="Measure that --top and --split sort by.  [default: the first]")
@click.option(
    "--resample",
    type=click.Choice(["runs", "topics"]),
    default="runs",
    show_default=True,
    help="Resample runs or topics for the confidence intervals.",
)
@click.option(
    "--join",
    multiple=True,
    metavar="LABEL=FILE",
    help="Read values of the runs from FILE under this label, instead of RUNs. Repeatable.",
)
@trial_options(1000)
@result_options(
    "Correlations",
    "table",
    picture="each pair of measures with its regression line, and maps of the coefficients",
)
def command(
    inputs: ComparedInputs,
    out: ResultOutput,
    join: tuple[str, ...],
    **settings: Any,  # noqa: ANN401 - those of prum_eval.correlate
) -> None:
    """Correlate measures over RUNs: Pearson, Kendall tau-b, tau-ap.

    The inputs are those of compare. --join correlates values of the same runs from several files, for example under two
    sets of assessments.

    \b
    Examples:
      prum-eval correlate -m map -m ndcg qrels runs/*
      prum-eval correlate -m eprum_map -m eprum_map:targets=bep assessments runs/*
    """
    from prum_eval.analysis.compare import correlate

    if settings["by"] is not None and settings["top"] is None and settings["split"] is None:
        raise click.UsageError("--by needs --top or --split")
    arguments = inputs.join_arguments(join) if join else inputs.arguments()
    with watched_settings(settings) as watched:
        correlations = correlate(**arguments, **watched)
    out.write(correlations)
