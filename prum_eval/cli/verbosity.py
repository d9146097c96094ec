"""How much a command says beside its results: --quiet and --verbose."""

from __future__ import annotations

from enum import Enum

import click


class Verbosity(Enum):
    """How much is said beside the results."""

    QUIET = "quiet"
    NORMAL = "normal"
    VERBOSE = "verbose"


QUIET = "--quiet"
_VERBOSITY = "prum_eval.verbosity"


def verbosity() -> Verbosity:
    """How much the command that runs should say."""
    context = click.get_current_context(silent=True)
    found: Verbosity = Verbosity.NORMAL if context is None else context.meta.get(_VERBOSITY, Verbosity.NORMAL)
    return found


def _say_more_or_less(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if not value:
        return
    asked = Verbosity(parameter.name)
    if context.meta.setdefault(_VERBOSITY, asked) is not asked:
        raise click.UsageError("--quiet and --verbose do not go together")


VERBOSITY = (
    click.option(
        QUIET,
        is_flag=True,
        expose_value=False,
        callback=_say_more_or_less,
        help="Print results and errors only: no warnings, no signature.",
    ),
    click.option(
        "-v",
        "--verbose",
        is_flag=True,
        expose_value=False,
        callback=_say_more_or_less,
        help="Print every warning of every run, where one line would sum them up.",
    ),
)
"""The options; what prints asks `verbosity`."""
