"""``prum-eval compare``: runs beside the first of them, with tests of significance."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.help import Command
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
    help="Print all statistics: one row per measure and run.",
)


@click.command("compare", cls=Command)
@compared_inputs
@groups_option
@click.option(
    "--pairs",
    type=click.Choice(["first", "best", "all"]),
    help="Compare each run with the first, with the best by each measure, or all with all.  [default: best if costs "
    "are among the measures, else first]",
)
@click.option(
    "--at",
    metavar="BUDGET=N",
    help="Compare chunks at an equal budget: chars=N (or size=N) characters, tokens=N, or read=N characters with "
    "those beyond results.",
)
@click.option("--baseline", metavar="RUN", help="Compare with this run (name or path) instead of the first.")
@click.option(
    "--test",
    type=click.Choice(["randomisation", "t", "bootstrap"]),
    default="randomisation",
    show_default=True,
    help="Test of significance. --pairs all uses randomised Tukey HSD.",
)
@click.option(
    "--interval",
    type=click.Choice(["t", "bootstrap", "single"]),
    default="t",
    show_default=True,
    help="Confidence intervals of differences: simultaneous Student's t, simultaneous bootstrap, or single (Student's "
    "t without correction).",
)
@click.option(
    "--family",
    type=click.Choice(["measure", "call"]),
    default="measure",
    show_default=True,
    help="Adjust p-values for the comparisons per measure, or of the whole call.",
)
@click.option(
    "--fail-if-worse",
    is_flag=True,
    help="Exit with status 1 if a run is significantly worse than the baseline by a measure that is no cost.",
)
@trial_options(100_000)
@result_options(
    "Comparison",
    "table",
    "Output format.",
    picture="mean differences with their intervals and differences per topic, or quality and its cost",
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
    """Compare RUNs topic by topic: means, differences, confidence intervals, tests of significance, and a verdict.

    The inputs and measures are those of eval. With --values, RUNs are files of values per topic. Only topics that all
    runs have are compared. Counts are never tested. If some measures are costs, the table is a leaderboard of quality
    and cost.

    \b
    Examples:
      prum-eval compare -m map -m ndcg qrels baseline.run new.run
      prum-eval compare --pairs all -f html -o page.html qrels run1 run2 run3
      prum-eval compare --fail-if-worse -m map qrels baseline.run new.run
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
