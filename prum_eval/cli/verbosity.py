"""How much a command says beside its results, and whether in colour: --quiet, --verbose, --color."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import click


class Verbosity(Enum):
    """How much is said beside the results."""

    QUIET = "quiet"
    NORMAL = "normal"
    VERBOSE = "verbose"


QUIET = "--quiet"
COLOUR, ALWAYS, NEVER = "--color", "always", "never"
_VERBOSITY = "prum_eval.verbosity"
COLOUR_ASKED = "prum_eval.colour"
"""Where the value of --color is kept while a command runs."""


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


def colour_asked(arguments: Sequence[str]) -> str | None:
    """The value of --color among the arguments of a call, None without one."""
    found = None
    for place, argument in enumerate(arguments):
        if argument.startswith(f"{COLOUR}="):
            found = argument.removeprefix(f"{COLOUR}=")
        elif argument == COLOUR and place + 1 < len(arguments):
            found = arguments[place + 1]
    return found


def _keep_colour(context: click.Context, _parameter: click.Parameter, value: str) -> None:
    context.meta[COLOUR_ASKED] = value


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
    click.option(
        COLOUR,
        type=click.Choice(["auto", ALWAYS, NEVER]),
        default="auto",
        show_default=True,
        expose_value=False,
        callback=_keep_colour,
        help="Bold and coloured letters; auto: on terminals, unless NO_COLOR is set.",
    ),
)
"""The options; what prints asks `verbosity`."""
