"""``prum-eval correlate``: how measures and settings agree over runs."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.options import PATH, evaluation_options, trial_options
from prum_eval.cli.output import announce, progress_bar, write_bytes, write_output
from prum_eval.cli.plotting import plot_options
from prum_eval.cli.scores import METAVAR, compared, values_option
from prum_eval.report.layout import DIGITS


@click.command("correlate")
@click.argument("inputs", nargs=-1, type=PATH, metavar=METAVAR)
@values_option
@evaluation_options
@click.option(
    "--over",
    type=click.Choice(["means", "values"]),
    default="means",
    show_default=True,
    help="Correlate the runs' means, or the values of all runs on all topics.",
)
@click.option("--top", type=click.IntRange(min=2), metavar="N", help="Only the N best runs, by their means.")
@click.option("--by", metavar="NAME", help="Measure by which --top runs are best.  [default: the first]")
@trial_options(1000)
@click.option(
    "-f",
    "--format",
    "style",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    show_default=True,
    help="Output format.",
)
@click.option("-o", "--output", type=PATH, metavar="FILE", help="Write to FILE, whole or not at all.")
@plot_options("each pair of measures with its regression line, and maps of the coefficients")
@click.option("--digits", type=click.IntRange(0, 17), default=DIGITS, show_default=True, help="Digits after the point.")
def command(
    inputs: tuple[str, ...],
    values: bool,
    over: str,
    top: int | None,
    by: str | None,
    seed: int,
    trials: int,
    alpha: float,
    style: str,
    output: str | None,
    plot: str | None,
    plot_size: str,
    digits: int,
    **options: Any,  # noqa: ANN401 - those of eval
) -> None:
    """Correlate measures, or settings of measures, over RUNs: Pearson, Kendall tau-b, tau-ap.

    Inputs are those of compare. Each -m is one measure or setting, as in -m eprum_map -m eprum_map:targets=bep.
    """
    from prum_eval.analysis.calls import correlate
    from prum_eval.report.text.comparison import Printing
    from prum_eval.report.text.correlations import FORMATS

    if by is not None and top is None:
        raise click.UsageError("--by says which runs are best, and is for --top")
    arguments = compared(inputs, options, values=values)
    with progress_bar("Runs") as progress:
        found = correlate(
            **arguments, over=over, top=top, by=by, seed=seed, trials=trials, alpha=alpha, progress=progress
        )
    announce(found)
    if plot is not None:
        from prum_eval.report.plots.correlations import correlation_picture

        write_bytes(correlation_picture(found, plot, plot_size), plot)
    write_output(FORMATS[style](found, Printing(digits, signature=found.signature)), output)
