"""``prum-eval correlate``: how measures and settings agree over runs."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.options import ComparedInputs, WholeNumber, compared_inputs, result_options, trial_options
from prum_eval.cli.output import ResultOutput, watched_settings
from prum_eval.evaluation.options import LARGEST_COUNT


@click.command("correlate")
@compared_inputs
@click.option(
    "--over",
    type=click.Choice(["means", "values"]),
    default="means",
    show_default=True,
    help="Correlate the runs' means, or the values of all runs on all topics.",
)
@click.option("--top", type=WholeNumber(2, LARGEST_COUNT), metavar="N", help="Only the N best runs, by their means.")
@click.option(
    "--split",
    type=WholeNumber(2, LARGEST_COUNT),
    metavar="N",
    help="Also over the N best runs or values, and the rest.",
)
@click.option("--by", metavar="NAME", help="Measure by which --top and --split are best.  [default: the first]")
@click.option(
    "--resample",
    type=click.Choice(["runs", "topics"]),
    default="runs",
    show_default=True,
    help="Intervals come from drawing runs anew, with all their topics, or topics, with all runs.",
)
@click.option(
    "--join",
    multiple=True,
    metavar="LABEL=FILE",
    help="Values of the same runs under this label, in place of RUNs; once a label.",
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
    """Correlate measures, or settings of measures, over RUNs: Pearson, Kendall tau-b, tau-ap.

    Inputs are those of compare. Each -m is one measure or setting, as in -m eprum_map -m eprum_map:targets=bep. With
    --join, values of the same runs under several labels are correlated, as of two sets of assessments.
    """
    from prum_eval.analysis.compare import correlate

    if settings["by"] is not None and settings["top"] is None and settings["split"] is None:
        raise click.UsageError("--by says which runs are best, and is for --top and --split")
    arguments = inputs.join_arguments(join) if join else inputs.arguments()
    with watched_settings(settings) as watched:
        correlations = correlate(**arguments, **watched)
    out.write(correlations)
