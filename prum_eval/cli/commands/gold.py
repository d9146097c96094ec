"""``prum-eval gold``: values kept in a file, and a check that they are still the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from prum_eval.cli.help import Command
from prum_eval.cli.options import (
    FILE_OPTIONS,
    OUTPUT_PATH,
    PATH,
    Number,
    accept_unmatched_option,
    check_paths,
    complete_folders,
    evaluation_options,
    verbosity_options,
)
from prum_eval.cli.output import (
    print_notices,
    print_summary,
    print_warnings,
    protect_inputs,
    refuse_input,
    write_output,
    write_results,
)
from prum_eval.errors import PrumEvalError, UsageError
from prum_eval.report.layout import Layout
from prum_eval.report.registry import OUTPUT_FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable

    from prum_eval.analysis.regression import UnmetThreshold
    from prum_eval.formats.gold import Threshold


def _read_thresholds(_ctx: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]) -> tuple[Threshold, ...]:
    from prum_eval.formats.gold import THRESHOLD_SYNTAX, parse_threshold

    thresholds = []
    for text in texts:
        threshold = parse_threshold(text)
        if threshold is None:
            raise click.BadParameter(f"{THRESHOLD_SYNTAX}, found {text!r}")
        thresholds.append(threshold)
    return tuple(thresholds)


_DIRECTORY = click.option(
    "--directory",
    default="",
    metavar="DIR",
    shell_complete=complete_folders,
    help="Folder of relative paths.  [default: the current one]",
)
_FULL = click.option(
    "--list-all", "--full", "full", is_flag=True, help="List all topics that moved, not ten per measure."
)


def _thresholds(text: str) -> Callable[..., Any]:
    return click.option(
        "--threshold", "thresholds", multiple=True, callback=_read_thresholds, metavar="CONDITION", help=text
    )


@click.group("gold")
def command() -> None:
    """Store results in a gold file once, and check later runs against it."""


@command.command("write", cls=Command)
@click.argument("file", type=OUTPUT_PATH, metavar="FILE")
@click.argument("assessments", type=PATH, metavar="ASSESSMENTS")
@click.argument("runs", nargs=-1, required=True, type=PATH, metavar="RUN [RUN ...]")
@_thresholds("Condition on the averages of every run in every check, for example 'map >= 0.30'. Repeatable.")
@accept_unmatched_option
@evaluation_options
def _write(
    file: str,
    assessments: str,
    runs: tuple[str, ...],
    thresholds: tuple[Threshold, ...],
    *,
    accept_unmatched: bool,
    **options: Any,  # noqa: ANN401 - those of eval
) -> None:
    """Evaluate as eval does, and write all values at full precision, the options and checksums of the inputs to FILE.

    Paths are stored as given. Give them relative to the folder in which gold check will run.
    """
    from prum_eval.analysis.regression import find_unmet, make_gold
    from prum_eval.formats.gold import format_gold
    from prum_eval.report.text_experiments import contents_sentence

    check_paths(assessments, *runs, *(options[name] for name in FILE_OPTIONS))
    gold, evaluation = make_gold(assessments, runs, options, thresholds, accept_unmatched=accept_unmatched)
    unmet = tuple(find_unmet(gold.thresholds, evaluation, file))
    print_notices(evaluation)
    write_output(format_gold(gold), file)
    _warn_unmet(unmet)
    print_summary(f"{file}: {contents_sentence(gold)}")


@command.command("check", cls=Command)
@click.argument("file", type=PATH, metavar="FILE")
@_DIRECTORY
@click.option("--absolute", type=Number(0), metavar="X", help="Allow changes of values up to X.")
@click.option(
    "--relative",
    type=Number(0),
    metavar="X",
    help="Allow relative changes of values up to X; with --absolute, allow the larger of the two.",
)
@click.option("--exact", is_flag=True, help="Allow no change of values.")
@click.option(
    "--topics-within",
    type=Number(0),
    metavar="X",
    help="Allow values per topic to change by X; the other options hold for averages.",
)
@click.option("--means", is_flag=True, help="Compare averages only.")
@click.option(
    "--only-worse",
    is_flag=True,
    help="Fail only if a value got worse or is gone. Counts cannot get worse.",
)
@click.option(
    "--significant",
    is_flag=True,
    help="Fail only if a run got significantly worse (randomisation test per topic, adjusted p < .05), a value is gone "
    "or a threshold is not met.",
)
@accept_unmatched_option
@verbosity_options
@_FULL
@click.option(
    "--junit",
    type=OUTPUT_PATH,
    metavar="REPORT",
    help="Also write a JUnit file with one test case per run and measure.",
)
def _check(file: str, directory: str, *, full: bool, junit: str | None, **rules: Any) -> int:  # noqa: ANN401 - check_gold's
    """Evaluate FILE again; print differences and exit with status 1 if a value changed or a threshold is not met.

    By default, relative changes up to 1e-12 (or absolute ones up to 1e-15) are allowed, as other processors round
    differently. A changed input, version or option is reported; the check fails only if a value changed.
    """
    from prum_eval.analysis.regression import check_gold, gold_paths
    from prum_eval.formats.gold import read_gold
    from prum_eval.report.text_experiments import check_sentence

    check_paths(file)
    if junit is not None:
        protect_inputs(gold_paths(read_gold(file), directory))
        refuse_input(junit)
    layout = Layout(per_topic=full, title=file)
    reports = [(OUTPUT_FORMATS["junit"], junit)] if junit is not None else []
    try:
        check = check_gold(file, directory, **rules)
    except PrumEvalError as error:
        if not isinstance(error, UsageError):
            write_results(error, layout, reports)
        raise
    write_results(check, layout, reports)
    if check.passed:
        print_summary(f"{file}: {'; '.join([check_sentence(check), *check.notes])}")
        return 0
    print_warnings(check.warnings)
    write_results(check, layout, [(OUTPUT_FORMATS["text"], None)])
    return 1


@command.command("update", cls=Command)
@click.argument("file", type=PATH, metavar="FILE")
@_DIRECTORY
@_thresholds("Condition to add, or to replace that of the same measure. Repeatable.")
@accept_unmatched_option
@verbosity_options
@_FULL
def _update(
    file: str, directory: str, thresholds: tuple[Threshold, ...], *, accept_unmatched: bool, full: bool
) -> None:
    """Evaluate FILE again, print what changed, and store the new values in FILE.

    Options, inputs and thresholds stay those of FILE. If no value changed, FILE is not written.
    """
    from prum_eval.analysis.regression import update_gold
    from prum_eval.formats.gold import format_gold
    from prum_eval.report.text_experiments import check_sentence, contents_sentence

    update = update_gold(file, directory, thresholds, accept_unmatched=accept_unmatched)
    print_warnings(update.check.warnings)
    if update.check.moved_count:
        write_results(update.check, Layout(per_topic=full, title=file), [(OUTPUT_FORMATS["text"], None)])
    if not update.is_unchanged:
        write_output(format_gold(update.gold), file)
    _warn_unmet(update.check.unmet_thresholds)
    contents = "left as it is" if update.is_unchanged else contents_sentence(update.gold)
    print_summary(f"{file}: {'; '.join([check_sentence(update.check), *update.check.notes, contents])}")


def _warn_unmet(unmet_thresholds: tuple[UnmetThreshold, ...]) -> None:
    from prum_eval.report.text_experiments import unmet_line

    print_warnings(unmet_line(unmet) for unmet in unmet_thresholds)
