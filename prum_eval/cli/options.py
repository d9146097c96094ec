"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from prum_eval.cli.evaluate import command as evaluation

F = TypeVar("F", bound=Callable[..., Any])

PRINTING = frozenset(
    {"assessments", "runs", "per_topic", "no_averages", "style", "output", "curves", "plot", "plot_size", "digits"}
)
"""What eval takes and an evaluation alone does not: its inputs, and how values are printed."""
EVALUATION = tuple(one for one in evaluation.params if one.name not in PRINTING)
"""The options of eval that say what is computed, by the names that `prum_eval.evaluate` has."""


def evaluation_options(function: F) -> F:
    """Give a command the options that say what is computed."""
    return _with(EVALUATION, function)


def trial_options(trials: int) -> Callable[[F], F]:
    """Give a command the options of drawing at random; so many trials are the default."""
    options = (
        click.Option(
            ["--seed"],
            type=click.IntRange(min=0),
            default=1,
            show_default=True,
            metavar="N",
            help="Seed of all trials.",
        ),
        click.Option(
            ["--trials"],
            type=click.IntRange(min=1),
            default=trials,
            show_default=True,
            metavar="N",
            help="Random trials of each test and interval.",
        ),
        click.Option(
            ["--alpha"],
            type=click.FloatRange(0, 1, min_open=True, max_open=True),
            default=0.05,
            show_default=True,
            metavar="X",
            help="Level of significance; intervals hold 1 - X.",
        ),
    )
    return lambda function: _with(options, function)


def _with(options: tuple[click.Parameter, ...], function: F) -> F:
    held: list[click.Parameter] = getattr(function, "__click_params__", [])
    function.__click_params__ = [*held, *reversed(options)]  # type: ignore[attr-defined]
    return function
