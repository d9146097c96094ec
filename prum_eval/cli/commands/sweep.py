"""``prum-eval sweep``: how measures of runs answer to one parameter."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.options import (
    FILE_OPTIONS,
    PATH,
    alpha_option,
    check_paths,
    complete_from,
    digits_option,
    evaluation_options,
    format_option,
    output_option,
    plot_options,
    raw_csv_option,
)
from prum_eval.cli.output import Output, progress_bar, show_result
from prum_eval.report.layout import Layout
from prum_eval.report.registry import OutputFormat


@click.command("sweep")
@click.argument("assessments", required=False, type=PATH, metavar="ASSESSMENTS")
@click.argument("runs", nargs=-1, type=PATH, metavar="RUN [RUN ...]")
@evaluation_options
@click.option(
    "--vary",
    metavar="KEY=VALUES",
    shell_complete=complete_from("varied"),
    help="What is varied: a parameter of a measure or user model, user_model, quantisation, targets, limit, or value "
    "of simulated runs. VALUES: V,V,... or FIRST:LAST:STEP or FIRST:LAST:logN.  [default: value, of simulated RUNs]",
)
@click.option(
    "--reference",
    metavar="VALUE",
    help="The value with whose order of runs the others are compared.  [default: the first]",
)
@alpha_option
@format_option("Sweep", "table")
@output_option
@plot_options(
    "Sweep", "means by value with their intervals, a line a run; of a single run, curves over recall or rank by value"
)
@digits_option
@raw_csv_option
def command(
    assessments: str | None,
    runs: tuple[str, ...],
    vary: str | None,
    reference: str | None,
    alpha: float,
    style: OutputFormat,
    output: str | None,
    plot: Output | None,
    plot_size: str,
    digits: int,
    raw_csv: bool,
    **options: Any,  # noqa: ANN401 - those of eval
) -> None:
    """Evaluate RUNs at each value of a parameter: means, how the order of runs changes, which runs change places.

    Inputs are those of eval. RUN may be a folder of simulate, or its simulated.tsv: then the value of each run can be
    the parameter, and means are over its copies. Without -m and -t those measures are taken that are one number a topic
    of the official set, and for assessments in JSON Lines the task chunks.
    """
    from prum_eval.experiments.sweep import sweep

    check_paths(assessments, *runs, *(options[name] for name in FILE_OPTIONS))
    context = click.get_current_context()
    for given, parameter in zip((assessments, runs), context.command.params, strict=False):
        if not given and options["config"] is None:
            raise click.MissingParameter(ctx=context, param=parameter)
    with progress_bar("Runs") as progress:
        found = sweep(
            assessments, runs or None, vary=vary, reference=reference, alpha=alpha, progress=progress, **options
        )
    layout = Layout(digits=digits, size=plot_size, raw_csv=raw_csv)
    show_result(found, layout, style, output, plot)
