"""``prum-eval sweep``: how measures of runs depend on one parameter."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.help import Command
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


@click.command("sweep", cls=Command)
@click.argument("assessments", required=False, type=PATH, metavar="ASSESSMENTS")
@click.argument("runs", nargs=-1, type=PATH, metavar="RUN [RUN ...]")
@evaluation_options
@click.option(
    "--vary",
    metavar="KEY=VALUES",
    shell_complete=complete_from("varied"),
    help="Vary a parameter of a measure or user model, or user_model, quantisation, targets, limit, or value (of "
    "simulated runs). VALUES: V,V,... or FIRST:LAST:STEP or FIRST:LAST:logN.  [default: value, for simulated RUNs]",
)
@click.option(
    "--reference",
    metavar="VALUE",
    help="Compare the order of runs with that at this value.  [default: the first]",
)
@accept_unmatched_option
@alpha_option
@result_options(
    "Sweep",
    "table",
    picture="means by value with intervals, one line per run; for a single run curves by value",
)
def command(
    assessments: str | None,
    runs: tuple[str, ...],
    out: ResultOutput,
    **options: Any,  # noqa: ANN401 - those of prum_eval.sweep
) -> None:
    """Evaluate RUNs across values of a parameter: means, the order of runs, and which runs change places.

    The inputs are those of eval. RUN may be a folder that simulate wrote, or its simulated.tsv: then the parameter can
    be the value of each simulated run, and means are over its copies.

    \b
    Examples:
      prum-eval sweep --vary rbp.p=.5:.95:.05 -m rbp qrels run1 run2
      prum-eval sweep --vary user_model=none,t2i -m eprum_map -s c.index qrels a b
    """
    from prum_eval.experiments.sweep import sweep

    check_paths(assessments, *runs, *(options[name] for name in FILE_OPTIONS))
    require_inputs(assessments, runs, options["config"])
    with progress_bar("Runs") as progress:
        result = sweep(assessments, runs or None, progress=progress, **options)
    out.write(result)
