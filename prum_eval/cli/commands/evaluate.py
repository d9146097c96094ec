"""``prum-eval eval``: the main job."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.options import FILES, PATH, check_standard_input, evaluation_options, folders
from prum_eval.cli.output import announce, progress_bar, write_bytes, write_files, write_output
from prum_eval.cli.plotting import plot_options
from prum_eval.errors import PrumEvalError
from prum_eval.report.formats import FORMATS, WITH_CURVES, render
from prum_eval.report.layout import DIGITS, Layout


@click.command("eval")
@click.argument("assessments", required=False, type=PATH, metavar="ASSESSMENTS")
@click.argument("runs", nargs=-1, type=PATH, metavar="RUN [RUN ...]")
@evaluation_options
@click.option("-q", "per_topic", is_flag=True, help="Print every topic too.")
@click.option("-n", "no_averages", is_flag=True, help="Print no averages.")
@click.option(
    "-f",
    "--format",
    "style",
    type=click.Choice(list(FORMATS)),
    default="trec",
    show_default=True,
    help="Output format.",
)
@click.option("-o", "--output", type=PATH, metavar="FILE", help="Write to FILE, whole or not at all.")
@click.option(
    "--curves",
    metavar="DIR",
    shell_complete=folders,
    help="Write the curves of each run into a folder of DIR: a .dat file a measure with levels or cut-offs (with -q a "
    "topic too) and curves.gp, which draws them: gnuplot curves.gp.",
)
@plot_options("the curves of every selected measure with recall levels or cut-offs, a line a run, or with -q a topic")
@click.option("--digits", type=click.IntRange(0, 17), default=DIGITS, show_default=True, help="Digits after the point.")
def command(
    assessments: str | None,
    runs: tuple[str, ...],
    per_topic: bool,
    no_averages: bool,
    style: str,
    output: str | None,
    curves: str | None,
    plot: str | None,
    plot_size: str,
    digits: int,
    **options: Any,  # noqa: ANN401 - those that say what is computed
) -> None:
    """Evaluate RUNs against ASSESSMENTS (a file, a directory of XML files, or - for standard input).

    Runs are TREC or INEX files; formats and compression are recognised by content. Without -m the official set is
    printed; `prum-eval measures` lists all names. ASSESSMENTS and RUNs may be left out where --config names some.
    """
    from prum_eval.evaluation.api import evaluate

    check_standard_input(assessments, *runs, *(options[name] for name in FILES))
    context = click.get_current_context()
    for given, parameter in zip((assessments, runs), context.command.params, strict=False):
        if not given and options["config"] is None:
            raise click.MissingParameter(ctx=context, param=parameter)
    failures: list[PrumEvalError] = []
    with progress_bar("Runs") as progress:
        evaluation = evaluate(
            assessments,
            runs or None,
            **options,
            curves=curves is not None or plot is not None or style in WITH_CURVES,
            problems=failures.append,
            progress=progress,
        )
    if not evaluation.runs:
        _report(failures)
        context.exit(1)
    announce(evaluation)
    layout = Layout(per_topic, not no_averages, digits)
    text = render(evaluation, layout, style)
    if plot is not None:
        from prum_eval.report.plots.curves import curve_picture

        write_bytes(curve_picture(evaluation, layout, plot, plot_size), plot)
    if curves is not None:
        from prum_eval.report.data.gnuplot import curve_files

        write_files(curve_files(evaluation, layout), curves)
    write_output(text, output)
    if failures:
        _report(failures)
        context.exit(1)


def _report(failures: list[PrumEvalError]) -> None:
    """Say what is wrong with runs; what is wrong with all of them, once."""
    for message in dict.fromkeys(failure.message for failure in failures):
        click.echo(message, err=True)
