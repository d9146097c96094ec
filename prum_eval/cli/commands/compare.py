"""``prum-eval compare``: runs beside the first of them, with tests of significance."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.options import (
    METAVAR,
    PATH,
    check_date,
    check_table_options,
    common_option,
    compare_arguments,
    digits_option,
    evaluation_options,
    format_option,
    groups_option,
    output_option,
    page_date,
    plot_options,
    raw_csv_option,
    table_options,
    trial_options,
    values_option,
)
from prum_eval.cli.output import Output, progress_bar, show_result, trial_progress
from prum_eval.report.layout import Layout
from prum_eval.report.registry import OutputFormat


@click.command("compare")
@click.argument("inputs", nargs=-1, type=PATH, metavar=METAVAR)
@values_option
@common_option
@evaluation_options
@groups_option
@click.option(
    "--pairs",
    type=click.Choice(["first", "best", "all"]),
    help="Compare each run with the first, with the best by each measure, or all with all.  [default: best where costs "
    "are among the measures, else first]",
)
@click.option(
    "--at",
    metavar="BUDGET=N",
    help="Compare at an equal budget, size=N (characters) or tokens=N: runs are ranked by what each finds within it.",
)
@click.option("--baseline", metavar="RUN", help="The run, by name or path, that stands in place of the first.")
@click.option(
    "--test",
    type=click.Choice(["randomisation", "t", "bootstrap"]),
    default="randomisation",
    show_default=True,
    help="Test whose p-values tables show; the other formats have all.",
)
@click.option(
    "--interval",
    type=click.Choice(["t", "bootstrap"]),
    default="t",
    show_default=True,
    help="Intervals of mean differences: Student's, or by the studentised bootstrap.",
)
@click.option(
    "--family",
    type=click.Choice(["measure", "call"]),
    default="measure",
    show_default=True,
    help="Correct p-values for the comparisons of each measure, or for all of the call.",
)
@trial_options(100_000)
@format_option("Comparison", "table", "Format.")
@output_option
@plot_options(
    "Comparison", "mean differences with their intervals and differences by topic as bars, or quality and its cost"
)
@click.option(
    "--full",
    is_flag=True,
    help="In the table every measure with its statistics, also where costs are; in latex and markdown a row a measure "
    "and run with all statistics, in place of a row a run with marks.",
)
@table_options
@digits_option
@raw_csv_option
def command(
    inputs: tuple[str, ...],
    values: bool,
    common: bool,
    groups: str | None,
    pairs: str | None,
    at: str | None,
    baseline: str | None,
    test: str,
    interval: str,
    family: str,
    seed: int,
    trials: int,
    alpha: float,
    style: OutputFormat,
    output: str | None,
    plot: Output | None,
    plot_size: str,
    full: bool,
    sort: str | None,
    transpose: bool,
    digits: int,
    raw_csv: bool,
    **options: Any,  # noqa: ANN401 - those of eval
) -> None:
    """Compare RUNs with the first, the best, or all: means, differences, intervals, tests by topic.

    Runs are evaluated against ASSESSMENTS as eval does; with --values the arguments are files of values by topic
    instead, and -m chooses among their measures. Only topics that every run has count. Without -m and -t those measures
    are compared that are one number a topic of the official set, and for assessments in JSON Lines the task chunks.
    Counts are shown if -m names them, and never tested. Where some measures are costs, the table is one leaderboard of
    quality and cost.
    """
    from prum_eval.analysis.compare import compare

    if style.has_date:
        check_date()
    check_table_options("Comparison", style, sort=sort if not style.has_date else None, transpose=transpose)
    arguments = compare_arguments(inputs, options, groups, values=values)
    with progress_bar("Runs") as progress, trial_progress(trials) as watched:
        comparison = compare(
            **arguments,
            common=common,
            groups=groups,
            pairs=pairs,
            at=at,
            baseline=baseline,
            interval=interval,
            family=family,
            seed=seed,
            trials=watched,
            alpha=alpha,
            curves=plot is not None and plot[0].needs_curves and not values,
            progress=progress,
        )
    date = page_date([arguments.get("assessments"), *comparison.matrix.paths]) if style.has_date else ""
    layout = Layout(
        digits=digits, full=full, test=test, size=plot_size, raw_csv=raw_csv, sort=sort, transpose=transpose, date=date
    )
    show_result(comparison, layout, style, output, plot)
