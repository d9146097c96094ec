"""``prum-eval gold``: values kept in a file, and a check that they are still the same."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.files import write_output
from prum_eval.cli.option_types import OUTPUT_PATH, PATH, Number, folders
from prum_eval.cli.options import FILES, check_paths, evaluation_options, verbosity_options
from prum_eval.cli.output import announce, say, warn, write_results
from prum_eval.cli.verbosity import Verbosity, verbosity
from prum_eval.errors import PrumEvalError
from prum_eval.report.registry import OUTPUT_FORMATS, Layout


@click.group("gold")
def command() -> None:
    """Guard numbers against change: write them to a gold file once, check them ever after."""


@command.command("write")
@click.argument("file", type=OUTPUT_PATH, metavar="FILE")
@click.argument("assessments", type=PATH, metavar="ASSESSMENTS")
@click.argument("runs", nargs=-1, required=True, type=PATH, metavar="RUN [RUN ...]")
@evaluation_options
def _write(file: str, assessments: str, runs: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - those of eval
    """Evaluate as eval does, and write FILE: every value at full precision, the options, the inputs' SHA-256 sums.

    Paths are written down as they are given: give those that lead on from where gold check will run.
    """
    from prum_eval.analysis.regression.evaluating import make_gold
    from prum_eval.formats.values.gold import gold_text

    check_paths(assessments, *runs, *(options[name] for name in FILES))
    gold, found = make_gold(assessments, runs, options)
    announce(found)
    write_output(gold_text(gold), file)


@command.command("check")
@click.argument("file", type=PATH, metavar="FILE")
@click.option(
    "--directory",
    default="",
    metavar="DIR",
    shell_complete=folders,
    help="Where relative paths lead on from.  [default: here]",
)
@click.option("--absolute", type=Number(min=0), metavar="X", help="Values may move by X.")
@click.option(
    "--relative",
    type=Number(min=0),
    metavar="X",
    help="Values may move by X times the larger magnitude; with --absolute by the larger of the two.",
)
@click.option("--exact", is_flag=True, help="Values may not move at all.")
@verbosity_options
@click.option("--full", is_flag=True, help="Name all topics that moved, not the first ten of a measure.")
@click.option(
    "--junit",
    type=OUTPUT_PATH,
    metavar="REPORT",
    help="Also write a JUnit file: a test case for every run and measure.",
)
def _check(
    file: str,
    directory: str,
    absolute: float | None,
    relative: float | None,
    exact: bool,
    full: bool,
    junit: str | None,
) -> int:
    """Evaluate again what FILE tells; exit with 1 and print a difference if a value moved.

    By default values may move by 1e-12 of themselves (or by 1e-15), as the rounding of another processor may do.
    A changed input, version or option is named, and fails nothing as long as every value stays.
    """
    from prum_eval.analysis.regression.checking import check_gold
    from prum_eval.analysis.regression.moved import EXACT, Tolerance
    from prum_eval.report.text.gold import notes_line, summary

    if exact and (absolute is not None or relative is not None):
        raise click.UsageError("--exact leaves no room for --absolute or --relative")
    check_paths(file)
    given = absolute is not None or relative is not None
    tolerance = Tolerance(absolute or 0.0, relative or 0.0) if given else EXACT if exact else Tolerance()
    layout = Layout(per_topic=full, title=file)
    reports = [(OUTPUT_FORMATS["junit"], junit)] if junit is not None else []
    try:
        found = check_gold(file, directory, tolerance)
    except PrumEvalError as error:
        write_results(error, layout, reports)
        raise
    write_results(found, layout, reports)
    if not found.moved:
        if verbosity() is not Verbosity.QUIET:
            say(f"prum-eval: {file}: {notes_line([summary(found), *found.notes])}")
        return 0
    warn(found.warnings)
    write_results(found, layout, [(OUTPUT_FORMATS["text"], None)])
    return 1
