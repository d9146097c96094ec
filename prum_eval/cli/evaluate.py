"""``prum-eval eval``: the main job."""

from __future__ import annotations

import click

from prum_eval.cli.input import check_standard_input
from prum_eval.cli.output import write_bytes, write_files, write_output
from prum_eval.cli.plotting import plot_options
from prum_eval.cli.progress import progress_bar
from prum_eval.errors import PrumEvalError
from prum_eval.report.curves import curve_files
from prum_eval.report.formats import FORMATS, WITH_CURVES, render
from prum_eval.report.values import DIGITS, Layout


def _settings(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    settings = {}
    for text in values:
        key, equals, value = text.partition("=")
        if not (key and equals and value):
            raise click.BadParameter(f"{text!r} is no setting; write KEY=VALUE")
        settings[key] = value
    return settings


def _jobs(_ctx: click.Context, _parameter: click.Parameter, value: str) -> int:
    if value == "auto":
        return 0
    if not (value.isascii() and value.isdigit()):
        raise click.BadParameter(f"{value!r} is neither a whole number from 0 up nor auto")
    return int(value)


def _require(assessments: str | None, runs: tuple[str, ...]) -> None:
    """Refuse a call that names no inputs, where no configuration file can name them."""
    context = click.get_current_context()
    for given, parameter in zip((assessments, runs), context.command.params, strict=False):
        if not given:
            raise click.MissingParameter(ctx=context, param=parameter)


@click.command("eval")
@click.argument("assessments", required=False, metavar="ASSESSMENTS")
@click.argument("runs", nargs=-1, metavar="RUN [RUN ...]")
@click.option(
    "--config",
    metavar="FILE",
    help="Measures with labels and parameters, perhaps inputs too: in TOML, or a file of EvalJ's.",
)
@click.option("-s", "--structure", metavar="PATH", help="Collection structure: text or XML.")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="SPEC",
    help="Measure, family or set: NAME, NAME.5,10 or NAME_5; :key=value,... after it sets parameters. Repeatable.  "
    "[default: official]",
)
@click.option("-t", "--task", metavar="NAME", help="A campaign's official measures and settings; see measures --tasks.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    callback=_settings,
    help="Set a parameter of every selected measure that has it. Repeatable.",
)
@click.option(
    "-u",
    "--user-model",
    metavar="SPEC",
    help="none, hierarchical, t2i:tolerance=300, bep-distance:A=1, logistic, siblings, graph, or a registered name.  "
    "[default: from the inputs]",
)
@click.option("--navigation", metavar="FILE", help="Probabilities for -u graph, which it stands for.")
@click.option(
    "--navigation-kind",
    type=click.Choice(["reach", "step"]),
    default="reach",
    show_default=True,
    help="What the numbers of that file are.",
)
@click.option("--targets", metavar="NAME", help="ideal, relevant, bep or passages.  [default: from the judgements]")
@click.option("--quantisation", metavar="NAME", help="How judgements become values.  [default: gen]")
@click.option("--prum-mode", type=click.Choice(["paper", "exact", "normal"]), help="How PRUM is computed.")
@click.option("--ideal-list", type=click.Choice(["targets", "greedy"]), help="The ideal list of EPRUM.")
@click.option("--items", type=click.Choice(["article"]), help="Successive results of one article form one item.")
@click.option("--collection-size", type=click.IntRange(min=1), metavar="N", help="Number of retrievable elements.")
@click.option("-q", "per_topic", is_flag=True, help="Print every topic too.")
@click.option("-c", "complete", is_flag=True, help="Average over all judged topics; missing ones as empty lists.")
@click.option("-n", "no_averages", is_flag=True, help="Print no averages.")
@click.option("-M", "limit", type=click.IntRange(min=1), metavar="N", help="Use at most N results a topic.")
@click.option("--rank-by", type=click.Choice(["file", "rank", "score"]), help="What orders the results of a run.")
@click.option(
    "-f",
    "--format",
    "style",
    type=click.Choice(list(FORMATS)),
    default="trec",
    show_default=True,
    help="Output format.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to FILE, whole or not at all.")
@click.option(
    "--curves",
    metavar="DIR",
    help="Write the curves of each run into a folder of DIR: a .dat file a measure with levels or cut-offs (with -q a "
    "topic too) and curves.gp, which draws them: gnuplot curves.gp.",
)
@plot_options("the curves of every selected measure with recall levels or cut-offs, a line a run, or with -q a topic")
@click.option(
    "-j",
    "--jobs",
    metavar="N",
    default="1",
    show_default=True,
    callback=_jobs,
    help="Evaluate N runs at a time, each in a process of its own; 0 or auto: one a processor.",
)
@click.option(
    "--no-cache",
    "cache",  # by the name that the evaluation has for it, and the other way round
    is_flag=True,
    callback=lambda _ctx, _parameter, value: not value,
    help="Parse the assessments, whatever the cache has, and keep nothing.",
)
@click.option("--digits", type=click.IntRange(0, 17), default=DIGITS, show_default=True, help="Digits after the point.")
def command(
    assessments: str | None,
    runs: tuple[str, ...],
    config: str | None,
    structure: str | None,
    measures: tuple[str, ...],
    task: str | None,
    settings: dict[str, str],
    user_model: str | None,
    navigation: str | None,
    navigation_kind: str,
    targets: str | None,
    quantisation: str | None,
    prum_mode: str | None,
    ideal_list: str | None,
    items: str | None,
    collection_size: int | None,
    per_topic: bool,
    complete: bool,
    no_averages: bool,
    limit: int | None,
    rank_by: str | None,
    style: str,
    output: str | None,
    curves: str | None,
    plot: str | None,
    plot_size: str,
    jobs: int,
    cache: bool,
    digits: int,
) -> None:
    """Evaluate RUNs against ASSESSMENTS (a file, a directory of XML files, or - for standard input).

    Runs are TREC or INEX files; formats and compression are recognised by content. Without -m the official set is
    printed; `prum-eval measures` lists all names. ASSESSMENTS and RUNs may be left out where --config names some.
    """
    from prum_eval.evaluation.api import evaluate

    check_standard_input(config, assessments, structure, navigation, *runs)
    if config is None:
        _require(assessments, runs)
    failures: list[PrumEvalError] = []
    with progress_bar("Runs") as progress:
        evaluation = evaluate(
            assessments,
            runs or None,
            config=config,
            structure=structure,
            measures=measures,
            task=task,
            user_model=user_model,
            navigation=navigation,
            navigation_kind=navigation_kind,
            targets=targets,
            quantisation=quantisation,
            items=items,
            settings=settings,
            prum_mode=prum_mode,
            ideal_list=ideal_list,
            collection_size=collection_size,
            complete=complete,
            limit=limit,
            rank_by=rank_by,
            curves=curves is not None or plot is not None or style in WITH_CURVES,
            jobs=jobs,
            cache=cache,
            problems=failures.append,
            progress=progress,
        )
    if not evaluation.runs:
        _report(failures)
        click.get_current_context().exit(1)
    for warning in evaluation.warnings:
        click.echo(f"prum-eval: warning: {warning}", err=True)
    click.echo(evaluation.signature, err=True)
    layout = Layout(per_topic, not no_averages, digits)
    text = render(evaluation, layout, style)
    if plot is not None:
        from prum_eval.report.plot_curves import curve_picture

        write_bytes(curve_picture(evaluation, layout, plot, plot_size), plot)
    if curves is not None:
        write_files(curve_files(evaluation, layout), curves)
    write_output(text, output)
    if failures:
        _report(failures)
        click.get_current_context().exit(1)


def _report(failures: list[PrumEvalError]) -> None:
    """Say what is wrong with runs; what is wrong with all of them, once."""
    for message in dict.fromkeys(failure.message for failure in failures):
        click.echo(message, err=True)
