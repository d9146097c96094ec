"""``prum-eval power``: how well measures distinguish runs."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.help import Command
from prum_eval.cli.options import ComparedInputs, Number, compared_inputs, result_options, trial_options
from prum_eval.cli.output import ResultOutput, watched_settings


@click.command("power", cls=Command)
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
    help="Test of the difference of two runs.",
)
@click.option(
    "--fuzziness",
    type=Number(0, 1, max_open=True),
    default=0.05,
    show_default=True,
    metavar="X",
    help="Means tie if they differ by at most this share of the larger one.",
)
@trial_options(5000)
@result_options("Power", "table", picture="the rates of all measures by number of topics")
def command(
    inputs: ComparedInputs,
    out: ResultOutput,
    **settings: Any,  # noqa: ANN401 - those of prum_eval.power
) -> None:
    """Measure how well measures separate RUNs: discriminative power, swaps, errors, ties; the best measure first.

    The inputs are those of compare; all pairs of runs count. All rates are printed per size of random topic sets too.

    \b
    Example:
      prum-eval power -m map -m ndcg -m P.10 qrels runs/*
    """
    from prum_eval.experiments.power import power

    with watched_settings(settings) as watched:
        result = power(**inputs.arguments(), **watched)
    out.write(result)
