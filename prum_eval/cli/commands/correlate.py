"""``prum-eval correlate``: how measures and settings agree over runs."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.options import (
    METAVAR,
    PATH,
    WholeNumber,
    common_option,
    compare_arguments,
    digits_option,
    evaluation_options,
    format_option,
    join_arguments,
    output_option,
    plot_options,
    raw_csv_option,
    trial_options,
    values_option,
)
from prum_eval.cli.output import Output, progress_bar, show_result, trial_progress
from prum_eval.evaluation.options import LARGEST_COUNT
from prum_eval.report.layout import Layout
from prum_eval.report.registry import OutputFormat


@click.command("correlate")
@click.argument("inputs", nargs=-1, type=PATH, metavar=METAVAR)
@values_option
@common_option
@evaluation_options
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
@format_option("Correlations", "table")
@output_option
@plot_options("Correlations", "each pair of measures with its regression line, and maps of the coefficients")
@digits_option
@raw_csv_option
def command(
    inputs: tuple[str, ...],
    values: bool,
    common: bool,
    over: str,
    top: int | None,
    split: int | None,
    by: str | None,
    resample: str,
    join: tuple[str, ...],
    seed: int,
    trials: int,
    alpha: float,
    style: OutputFormat,
    output: str | None,
    plot: Output | None,
    plot_size: str,
    digits: int,
    raw_csv: bool,
    **options: Any,  # noqa: ANN401 - those of eval
) -> None:
    """Correlate measures, or settings of measures, over RUNs: Pearson, Kendall tau-b, tau-ap.

    Inputs are those of compare. Each -m is one measure or setting, as in -m eprum_map -m eprum_map:targets=bep. With
    --join, values of the same runs under several labels are correlated, as of two sets of assessments.
    """
    from prum_eval.analysis.compare import correlate

    if by is not None and top is None and split is None:
        raise click.UsageError("--by says which runs are best, and is for --top and --split")
    arguments = join_arguments(join, inputs, options) if join else compare_arguments(inputs, options, values=values)
    with progress_bar("Runs") as progress, trial_progress(trials) as watched:
        found = correlate(
            **arguments,
            common=common,
            over=over,
            top=top,
            by=by,
            split=split,
            resample=resample,
            seed=seed,
            trials=watched,
            alpha=alpha,
            progress=progress,
        )
    layout = Layout(digits=digits, size=plot_size, raw_csv=raw_csv)
    show_result(found, layout, style, output, plot)
