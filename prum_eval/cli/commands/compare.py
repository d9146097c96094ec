"""``prum-eval compare``: runs beside the first of them, with tests of significance."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.options import (
    TABLE_OPTIONS,
    ComparedInputs,
    check_date,
    check_table_options,
    compared_inputs,
    groups_option,
    page_date,
    result_options,
    trial_options,
)
from prum_eval.cli.output import ResultOutput, print_message, watched_settings
from prum_eval.errors import UsageError

_FULL = click.option(
    "--full",
    is_flag=True,
    help="In the table every measure with its statistics, also where costs are; in latex and markdown a row a measure "
    "and run with all statistics, in place of a row a run with marks.",
)


@click.command("compare")
@compared_inputs
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
    help="Compare at an equal budget, size=N (or chars=N, characters) or tokens=N: runs are ranked by what each finds "
    "within it.",
)
@click.option("--baseline", metavar="RUN", help="The run, by name or path, that stands in place of the first.")
@click.option(
    "--test",
    type=click.Choice(["randomisation", "t", "bootstrap"]),
    default="randomisation",
    show_default=True,
    help="Test that decides, and whose p-values tables show; csv, json and trec have all. With --pairs all, randomised "
    "Tukey HSD decides.",
)
@click.option(
    "--interval",
    type=click.Choice(["t", "bootstrap", "single"]),
    default="t",
    show_default=True,
    help="Intervals of mean differences: Student's or by the studentised bootstrap, simultaneous for the family of the "
    "p-values; or single, Student's without correction.",
)
@click.option(
    "--family",
    type=click.Choice(["measure", "call"]),
    default="measure",
    show_default=True,
    help="Correct p-values for the comparisons of each measure, or for all of the call.",
)
@click.option(
    "--fail-if-worse",
    is_flag=True,
    help="Exit with 1 if a run is significantly worse than the first, or the baseline, by a measure that is no cost.",
)
@trial_options(100_000)
@result_options(
    "Comparison",
    "table",
    "Format.",
    picture="mean differences with their intervals and differences by topic as bars, or quality and its cost",
    more=(_FULL, *TABLE_OPTIONS),
)
def command(
    inputs: ComparedInputs,
    out: ResultOutput,
    groups: str | None,
    full: bool,
    fail_if_worse: bool,
    **settings: Any,  # noqa: ANN401 - those of prum_eval.compare
) -> int:
    """Compare RUNs with the first, the best, or all: means, differences, intervals, tests by topic.

    Runs are evaluated against ASSESSMENTS as eval does; with --values the arguments are files of values by topic
    instead, and -m chooses among their measures. Only topics that every run has count. Without -m and -t those measures
    that eval prints are compared that are one number a topic, and for assessments in JSON Lines the task chunks. Counts
    are shown if -m names them, and never tested. Where some measures are costs, the table is one leaderboard of quality
    and cost.
    """
    from prum_eval.analysis.compare import compare

    if fail_if_worse and settings["pairs"] not in {None, "first"}:
        raise UsageError(f"--fail-if-worse compares with the baseline, not with --pairs {settings['pairs']}")
    if fail_if_worse:
        settings["pairs"] = "first"
    has_date = out.style.has_date
    check_date(bears=has_date)
    sort = None if has_date else out.layout.sort
    check_table_options("Comparison", out.style, sort=sort, transpose=out.layout.transpose)
    arguments = inputs.arguments(groups)
    needs_curves = out.plot is not None and out.plot[0].needs_curves and not inputs.has_values
    with watched_settings(settings) as watched:
        comparison = compare(**arguments, **watched, groups=groups, curves=needs_curves).ranked(out.layout.sort)
    date = page_date([arguments.get("assessments"), *comparison.matrix.paths]) if has_date else ""
    out.write(comparison, full=full, date=date)
    worse = comparison.significantly_worse if fail_if_worse else ()
    for row in worse:
        print_message(f"prum-eval: {comparison.describe(row)}")
    return 1 if worse else 0
