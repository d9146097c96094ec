"""``prum-eval fit``: user models from what users did."""

from __future__ import annotations

import click

from prum_eval.cli.options import (
    OUTPUT_PATH,
    PATH,
    check_paths,
    complete_from,
    digits_option,
    format_option,
    output_option,
    plot_options,
    raw_csv_option,
    trial_options,
    verbosity_options,
)
from prum_eval.cli.output import (
    Output,
    Verbosity,
    print_message,
    print_notices,
    print_warnings,
    verbosity,
    write_bytes,
    write_results,
)
from prum_eval.report.layout import Layout
from prum_eval.report.registry import OutputFormat


@click.command("fit")
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
    help="User model, as for eval; what it sets is held, what it does not is estimated where that can be. Repeatable.",
)
@click.option("-s", "--structure", type=PATH, metavar="PATH", help="Collection structure: text, XML or an index.")
@click.option(
    "--targets",
    metavar="NAME",
    shell_complete=complete_from("targets"),
    help="ideal, relevant, bep or passages.  [default: from the assessments]",
)
@click.option(
    "--quantisation",
    metavar="NAME",
    default="gen",
    show_default=True,
    shell_complete=complete_from("quantisations"),
    help="How assessments become values.",
)
@click.option(
    "--evidence",
    type=click.Choice(["auto", "views", "reading"]),
    default="auto",
    show_default=True,
    help="What tells how far users read on: what they viewed, or read= of the log; auto: read= where it is there.",
)
@click.option(
    "--graph",
    type=click.Choice(["steps", "links"]),
    default="steps",
    show_default=True,
    help="What -u graph follows: the steps of the log, or the links of the structure, with the damping of the log.",
)
@click.option(
    "--write-navigation",
    type=OUTPUT_PATH,
    metavar="FILE",
    help="Write the steps of -u graph as a navigation file, for eval with --navigation-kind step.",
)
@trial_options(1000)
@format_option("FittedModels", "table")
@output_option
@plot_options("FittedModels", "how many views there were against how many were predicted, by tenths")
@digits_option
@raw_csv_option
@verbosity_options
def command(
    assessments: str,
    log: str,
    user_models: tuple[str, ...],
    structure: str | None,
    targets: str | None,
    quantisation: str,
    evidence: str,
    graph: str,
    write_navigation: str | None,
    seed: int,
    trials: int,
    alpha: float,
    style: OutputFormat,
    output: str | None,
    plot: Output | None,
    plot_size: str,
    digits: int,
    raw_csv: bool,
) -> None:
    """Estimate parameters of user models from what users did, with intervals; the best model first.

    LOG has a consulted result a line: session, topic, rank, result and what was viewed from it, separated by tabs, with
    read=CHARS and stop=1 where they are known; or JSON Lines. Results and views are written file#path,
    file@offset:length or, for whole documents, file. The first line of the output is what eval takes.
    """
    from prum_eval.experiments.fit import fit

    check_paths(assessments, log, structure)
    found = fit(
        assessments, log, user_models, structure=structure, targets=targets, quantisation=quantisation,
        evidence=evidence, graph=graph, seed=seed, trials=trials, alpha=alpha,
    )  # fmt: skip
    print_notices(found)
    if verbosity() is Verbosity.VERBOSE:
        for report in found.reports:
            for line in report.lines:
                print_message(f"{found.path}:{line}: {report.remark.value[0]}")
    steps = next((one.navigation for one in found.models if one.navigation is not None), None)
    if write_navigation is not None and steps is None:
        raise click.UsageError("--write-navigation: no model follows steps; give -u graph")
    if found.best.navigation is not None and write_navigation is None:
        print_warnings([f"{found.best.name}: eval needs the steps; write them with --write-navigation FILE"])
    layout = Layout(digits=digits, size=plot_size, raw_csv=raw_csv, title=write_navigation or "")
    if write_navigation is not None and steps is not None:  # before what names it
        from prum_eval.formats.navigation import write_navigation_lines

        write_bytes(write_navigation_lines(steps), write_navigation)
    write_results(found, layout, [*filter(None, [plot]), (style, output)])
