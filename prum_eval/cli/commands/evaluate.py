"""``prum-eval eval``: the main job."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from prum_eval.cli.dates import check_date, page_date
from prum_eval.cli.option_types import PATH, folders
from prum_eval.cli.options import (
    FILES,
    Output,
    check_paths,
    digits_option,
    evaluation_options,
    format_option,
    groups_option,
    output_option,
    raw_csv_option,
)
from prum_eval.cli.output import announce, progress_bar, say, warn, write_results
from prum_eval.cli.plotting import plot_options
from prum_eval.cli.tables import check_table_options, table_options
from prum_eval.errors import PrumEvalError, UsageError
from prum_eval.report.layout import Layout
from prum_eval.report.registry import OUTPUT_FORMATS, OutputFormat

if TYPE_CHECKING:
    from prum_eval.analysis.comparison import Comparison
    from prum_eval.evaluation.results import Evaluation


@click.command("eval")
@click.argument("assessments", required=False, type=PATH, metavar="ASSESSMENTS")
@click.argument("runs", nargs=-1, type=PATH, metavar="RUN [RUN ...]")
@evaluation_options
@groups_option
@click.option("-q", "per_topic", is_flag=True, help="Print every topic too.")
@click.option("-n", "no_averages", is_flag=True, help="Print no averages.")
@format_option("Evaluation", "trec")
@output_option
@click.option(
    "--output-dir",
    "folder",
    metavar="DIR",
    shell_complete=folders,
    help="Write each run into a file of DIR as soon as it is done: what -f json prints of it, and the sums of its "
    "inputs. -f jsonl writes the same as lines.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Leave out runs that are in DIR, or in the file of -f jsonl, made of the same inputs for the same measures "
    "and with the same signature.",
)
@click.option(
    "--curves",
    metavar="DIR",
    shell_complete=folders,
    help="Write the curves of each run into a folder of DIR: a .dat file a measure with levels or cut-offs (with -q a "
    "topic too) and curves.gp, which draws them: gnuplot curves.gp.",
)
@plot_options(
    "Evaluation",
    "the curves of every selected measure with recall levels or cut-offs, a line a run, or with -q a topic; where "
    "measures are costs, recall by what is read and quality by cost",
)
@click.option(
    "--explain-worst",
    type=click.IntRange(min=1),
    metavar="N",
    help="With -f html -o FILE: a page of explain for each of the N topics on which a run is worst by the first "
    "measure that explain is about, in the folder FILE-topics, linked from FILE.",
)
@click.option(
    "--texts",
    type=PATH,
    metavar="SOURCE",
    help="With --explain-worst, show texts as explain does: a directory or archive of documents, or JSON Lines with "
    "doc and text.",
)
@click.option(
    "--baseline",
    metavar="RUN",
    help="In tables, mark averages that differ from those of this run, by name or path: paired randomisation test, p "
    "corrected by Holm for the runs, below 0.05. compare has other tests.",
)
@table_options
@digits_option
@raw_csv_option
def command(
    assessments: str | None,
    runs: tuple[str, ...],
    groups: str | None,
    per_topic: bool,
    no_averages: bool,
    style: OutputFormat,
    output: str | None,
    folder: str | None,
    resume: bool,
    curves: str | None,
    plot: Output | None,
    plot_size: str,
    explain_worst: int | None,
    texts: str | None,
    baseline: str | None,
    sort: str | None,
    transpose: bool,
    digits: int,
    raw_csv: bool,
    **options: Any,  # noqa: ANN401 - those that say what is computed
) -> None:
    """Evaluate RUNs against ASSESSMENTS (a file, a directory of XML files, or - for standard input).

    Runs are TREC or INEX files; formats and compression are recognised by content. Without -m the official set is
    printed, for assessments in JSON Lines the task chunks; `prum-eval measures` lists all names. ASSESSMENTS and RUNs
    may be left out where --config names some.
    """
    from prum_eval.evaluation.api import evaluate

    outputs = _outputs(plot, curves, (style, output), drawn=per_topic or not no_averages)
    check_paths(assessments, *runs, groups, *(options[name] for name in FILES), texts)
    if explain_worst is not None or texts is not None:
        from prum_eval.cli.evaluating.worst_topics import check_worst  # few calls explain

        check_worst(explain_worst, texts, style, output, assessments or "", *runs)
    if style.has_date or baseline or sort or transpose:
        check_table_options("Evaluation", style, baseline=baseline, sort=sort, transpose=transpose)
        check_date(bears=style.has_date)
    context = click.get_current_context()
    if options["config"] is None:
        _require(context, assessments, runs)
    if folder is not None or resume or style.is_streamed:
        from prum_eval.cli.evaluating.each_run import check_each, write_each  # most calls print all runs together
        from prum_eval.evaluation.options import EvaluationOptions

        others = {"--plot": plot, "--curves": curves, "--explain-worst": explain_worst, "--baseline": baseline}
        check_each(style, folder, output, resume=resume, others=others)
        call = EvaluationOptions(assessments=assessments, runs=runs or None, groups=groups, **options)
        context.exit(write_each(call, folder, output, resume=resume))
    failures: list[PrumEvalError] = []
    with progress_bar("Runs") as progress:
        evaluation = evaluate(
            assessments,
            runs or None,
            **options,
            groups=groups,
            curves=any(one.needs_curves for one, _ in outputs),
            problems=failures.append,
            progress=progress,
        )
    if not evaluation.runs:
        _report(failures)
        context.exit(1)
    if options["config"] is not None:  # it may have named inputs
        named = [evaluation.parameters[name] for name in ("assessments", "structure", "navigation")]
        check_paths(*named, *(run.path for run in evaluation.runs))
    marks = None if baseline is None else _marks(evaluation, baseline)
    announce(evaluation if marks is None else marks)
    unseen = {
        f"{style.name} has no averages by group; the other formats have": groups is not None and not style.has_groups,
        "-n leaves out the averages, and topics need -q: nothing is left to print": no_averages
        and not (per_topic or style.has_all),
    }
    if any(unseen.values()):
        warn(text for text, is_so in unseen.items() if is_so)
    read = [options["config"], *map(evaluation.parameters.get, FILES), *(run.path for run in evaluation.runs)]
    date = page_date([evaluation.parameters["assessments"], *read]) if style.has_date else ""
    layout = Layout(
        per_topic,
        not no_averages,
        digits,
        size=plot_size,
        raw_csv=raw_csv,
        date=date,
        sort=sort,
        transpose=transpose,
        marks=marks,
    )
    if explain_worst is not None and output is not None:
        from prum_eval.cli.evaluating.worst_topics import with_worst_topics

        inputs = assessments, runs or None
        layout = with_worst_topics(evaluation, explain_worst, inputs, texts, options, layout, style, output)
    write_results(evaluation, layout, outputs)
    if failures:
        _report(failures)
        context.exit(1)


def _outputs(plot: Output | None, curves: str | None, printed: Output, *, drawn: bool) -> list[Output]:
    """All that is written, what is printed last; `drawn`: whether there are topics or averages to draw.

    Raises:
        UsageError: a picture of neither is asked for.
    """
    if plot is not None and not drawn:
        raise UsageError("--plot: nothing to draw: -n leaves out the averages, and topics need -q")
    files = [] if curves is None else [(OUTPUT_FORMATS["gnuplot"], curves)]
    return [*filter(None, [plot]), *files, printed]


def _require(context: click.Context, *arguments: str | tuple[str, ...] | None) -> None:
    """Refuse a call that lacks one of the arguments, which are the command's first parameters."""
    for given, parameter in zip(arguments, context.command.params, strict=False):
        if not given:
            raise click.MissingParameter(ctx=context, param=parameter)


def _marks(evaluation: Evaluation, baseline: str) -> Comparison:
    """The comparison of the runs with one of them, which says what tables mark and has all warnings."""
    from prum_eval.analysis.calls import compare

    found = compare(values=evaluation, baseline=baseline, common=True)
    return replace(found, matrix=replace(found.matrix, warnings=(*evaluation.warnings, *found.matrix.warnings)))


def _report(failures: list[PrumEvalError]) -> None:
    """Say what is wrong with runs; what is wrong with all of them, once."""
    for message in dict.fromkeys(failure.message for failure in failures):
        say(message)
