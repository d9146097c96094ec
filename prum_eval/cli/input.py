"""What concerns the inputs of a command before any of them is read."""

from __future__ import annotations

import click

_STDIN = "-"


def check_standard_input(*paths: str | None) -> None:
    """Refuse ``-`` for two inputs: the second would find nothing left.

    Raises:
        click.UsageError: standard input is given twice.
    """
    if paths.count(_STDIN) > 1:
        raise click.UsageError("- (standard input) can be one input only")
