"""``prum-eval compare``: runs beside the first of them, with tests of significance."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.options import PATH, evaluation_options, trial_options
from prum_eval.cli.output import announce, progress_bar, write_bytes, write_output
from prum_eval.cli.plotting import plot_options
from prum_eval.cli.scores import METAVAR, compared, values_option
from prum_eval.report.layout import DIGITS

STYLES = ("table", "trec", "json", "csv", "latex", "markdown")


@click.command("compare")
@click.argument("inputs", nargs=-1, type=PATH, metavar=METAVAR)
@values_option
@evaluation_options
@click.option(
    "--test",
    type=click.Choice(["randomisation", "bootstrap"]),
    default="randomisation",
    show_default=True,
    help="Test whose p-values tables show; the other formats have both.",
)
@trial_options(100_000)
@click.option("-f", "--format", "style", type=click.Choice(STYLES), default="table", show_default=True, help="Format.")
@click.option("-o", "--output", type=PATH, metavar="FILE", help="Write to FILE, whole or not at all.")
@plot_options("mean differences with their intervals, and differences by topic as bars")
@click.option("--digits", type=click.IntRange(0, 17), default=DIGITS, show_default=True, help="Digits after the point.")
def command(
    inputs: tuple[str, ...],
    values: bool,
    test: str,
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
    """Compare RUNs with the first: means, differences, intervals, tests by topic.

    Runs are evaluated against ASSESSMENTS as eval does; with --values the arguments are files of values by topic
    instead, and -m chooses among their measures. Only topics that every run has count. Without -m and -t those measures
    of the official set are compared that are one number a topic.
    """
    from prum_eval.analysis.calls import compare
    from prum_eval.report.text.comparison import FORMATS, Printing

    arguments = compared(inputs, options, values=values)
    with progress_bar("Runs") as progress:
        comparison = compare(**arguments, seed=seed, trials=trials, alpha=alpha, progress=progress)
    announce(comparison)
    if plot is not None:
        from prum_eval.report.plots.comparison import comparison_picture

        write_bytes(comparison_picture(comparison, plot, plot_size), plot)
    write_output(FORMATS[style](comparison, Printing(digits, test, comparison.signature)), output)
