"""``prum-eval fit``: user models from what users did."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from prum_eval.cli.help import Command
from prum_eval.cli.options import (
    OUTPUT_PATH,
    PATH,
    check_paths,
    complete_from,
    result_options,
    target_options,
    trial_options,
    verbosity_options,
)
from prum_eval.cli.output import (
    ResultOutput,
    Verbosity,
    print_message,
    print_notices,
    print_warnings,
    verbosity,
    write_bytes,
    write_results,
)


@click.command("fit", cls=Command)
@click.argument("assessments", type=PATH)
@click.argument("log", type=PATH)
@click.option(
    "-u",
    "--user-model",
    "user_models",
    multiple=True,
    required=True,
    metavar="SPEC",
    shell_complete=complete_from("user models"),
    help="User model. Parameters that it sets are kept, the others are estimated. Repeatable.",
)
@click.option("-s", "--structure", type=PATH, metavar="PATH", help="Collection structure: text, XML or an index.")
@target_options
@click.option(
    "--evidence",
    type=click.Choice(["auto", "views", "reading"]),
    default="auto",
    show_default=True,
    help="Evidence of how far users read: their views, or read= of the log; auto: read= if present.",
)
@click.option(
    "--graph",
    type=click.Choice(["steps", "links"]),
    default="steps",
    show_default=True,
    help="Steps that -u graph follows: those of the log, or the links of the structure.",
)
@click.option(
    "--write-navigation",
    type=OUTPUT_PATH,
    metavar="FILE",
    help="Write the steps of -u graph as a navigation file for eval --navigation-kind step.",
)
@trial_options(1000)
@result_options("FittedModels", "table", picture="observed against predicted views, by deciles")
@verbosity_options
def command(
    assessments: str,
    log: str,
    user_models: tuple[str, ...],
    write_navigation: str | None,
    out: ResultOutput,
    **settings: Any,  # noqa: ANN401 - those of prum_eval.fit
) -> None:
    """Estimate parameters of user models from a LOG, with confidence intervals; the best model first.

    LOG has a consulted result a line: session, topic, rank, result and what was viewed from it, separated by tabs, with
    read=CHARS and stop=1 where they are known; or JSON Lines. Results and views are written file#path,
    file@offset:length or, for whole documents, file. The first line of the output is what eval takes.
    """
    from prum_eval.experiments.fit import fit

    check_paths(assessments, log, settings["structure"])
    fitted = fit(assessments, log, user_models, **settings)
    print_notices(fitted)
    if verbosity() is Verbosity.VERBOSE:
        for report in fitted.reports:
            for line in report.lines:
                print_message(f"{fitted.path}:{line}: {report.remark.value[0]}")
    steps = next((model.navigation for model in fitted.models if model.navigation is not None), None)
    if write_navigation is not None and steps is None:
        raise click.UsageError("--write-navigation: no model follows steps; give -u graph")
    if fitted.best.navigation is not None and write_navigation is None:
        print_warnings([f"{fitted.best.name}: eval needs the steps; write them with --write-navigation FILE"])
    if write_navigation is not None and steps is not None:  # before the result names it
        from prum_eval.formats.navigation import write_navigation_lines

        write_bytes(write_navigation_lines(steps), write_navigation)
    write_results(fitted, replace(out.layout, title=write_navigation or ""), out.outputs)
