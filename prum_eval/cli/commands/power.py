"""``prum-eval power``: how well measures tell runs apart."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.options import (
    METAVAR,
    PATH,
    Number,
    common_option,
    compare_arguments,
    digits_option,
    evaluation_options,
    format_option,
    output_option,
    plot_options,
    raw_csv_option,
    trial_options,
    values_option,
)
from prum_eval.cli.output import Output, progress_bar, show_result, trial_progress
from prum_eval.report.layout import Layout
from prum_eval.report.registry import OutputFormat


@click.command("power")
@click.argument("inputs", nargs=-1, type=PATH, metavar=METAVAR)
@values_option
@common_option
@evaluation_options
@click.option(
    "--sizes",
    metavar="VALUES",
    help="Sizes of topic sets: N,N,... or FIRST:LAST:STEP, at most half of the topics.  [default: 5,10,20... and half]",
)
@click.option(
    "--test",
    type=click.Choice(["bootstrap", "randomisation", "t"]),
    default="bootstrap",
    show_default=True,
    help="Test that tells a pair of runs apart.",
)
@click.option(
    "--fuzziness",
    type=Number(0, 1, max_open=True),
    default=0.05,
    show_default=True,
    metavar="X",
    help="Means tie that differ by no more than this share of the larger one.",
)
@trial_options(1000)
@format_option("Power", "table")
@output_option
@plot_options("Power", "all rates of the measures by the size of topic sets")
@digits_option
@raw_csv_option
def command(
    inputs: tuple[str, ...],
    values: bool,
    common: bool,
    sizes: str | None,
    test: str,
    fuzziness: float,
    seed: int,
    trials: int,
    alpha: float,
    style: OutputFormat,
    output: str | None,
    plot: Output | None,
    plot_size: str,
    digits: int,
    raw_csv: bool,
    **options: Any,  # noqa: ANN401 - those of eval
) -> None:
    """Tell how well measures tell RUNs apart: discriminative power, swaps, errors, ties, the best measure first.

    Inputs are those of compare; all pairs of runs count. Every value comes by size of random topic sets too, of which
    as many are drawn as there are --trials.
    """
    from prum_eval.experiments.power import power

    with progress_bar("Runs") as progress, trial_progress(trials) as watched:
        found = power(
            **compare_arguments(inputs, options, values=values),
            common=common,
            sizes=sizes,
            test=test,
            fuzziness=fuzziness,
            seed=seed,
            trials=watched,
            alpha=alpha,
            progress=progress,
        )
    layout = Layout(digits=digits, size=plot_size, raw_csv=raw_csv)
    show_result(found, layout, style, output, plot)
