"""``prum-eval power``: how well measures distinguish runs."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.options import ComparedInputs, Number, compared_inputs, result_options, trial_options
from prum_eval.cli.output import ResultOutput, watched_settings


@click.command("power")
@compared_inputs
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
@trial_options(5000)
@result_options("Power", "table", picture="all rates of the measures by the size of topic sets")
def command(
    inputs: ComparedInputs,
    out: ResultOutput,
    **settings: Any,  # noqa: ANN401 - those of prum_eval.power
) -> None:
    """Tell how well measures tell RUNs apart: discriminative power, swaps, errors, ties, the best measure first.

    Inputs are those of compare; all pairs of runs count. Every value comes by size of random topic sets too, of which
    as many are drawn as there are --trials.
    """
    from prum_eval.experiments.power import power

    with watched_settings(settings) as watched:
        result = power(**inputs.arguments(), **watched)
    out.write(result)
