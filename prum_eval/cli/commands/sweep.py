"""``prum-eval sweep``: how measures of runs depend on one parameter."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.options import (
    FILE_OPTIONS,
    PATH,
    accept_unmatched_option,
    alpha_option,
    check_paths,
    complete_from,
    evaluation_options,
    require_inputs,
    result_options,
)
from prum_eval.cli.output import ResultOutput, progress_bar


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
@accept_unmatched_option
@alpha_option
@result_options(
    "Sweep",
    "table",
    picture="means by value with their intervals, a line a run; of a single run, curves over recall or rank by value",
)
def command(
    assessments: str | None,
    runs: tuple[str, ...],
    out: ResultOutput,
    **options: Any,  # noqa: ANN401 - those of prum_eval.sweep
) -> None:
    """Evaluate RUNs at each value of a parameter: means, how the order of runs changes, which runs change places.

    Inputs are those of eval. RUN may be a folder of simulate, or its simulated.tsv: then the value of each run can be
    the parameter, and means are over its copies. Without -m and -t those measures that eval prints are
    taken that are one number a topic, and for assessments in JSON Lines the task chunks.
    """
    from prum_eval.experiments.sweep import sweep

    check_paths(assessments, *runs, *(options[name] for name in FILE_OPTIONS))
    require_inputs(assessments, runs, options["config"])
    with progress_bar("Runs") as progress:
        result = sweep(assessments, runs or None, progress=progress, **options)
    out.write(result)
