"""The options of tables of runs and measures, for every command that prints one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from prum_eval.report.registry import OutputFormat, format_names, output_format


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--sort`` and ``--transpose``, as parameters of these names."""
    sort = click.option("--sort", metavar="MEASURE", help="In tables, put the runs that are best by it first.")
    transpose = click.option(
        "--transpose", is_flag=True, help="In tables, let rows and columns change places; all measures are shown then."
    )
    return sort(transpose(command))


def check_table_options(result: str, style: OutputFormat, **options: object) -> None:
    """Refuse options that have nothing to do in a format.

    Args:
        result: the class of results that are printed.
        style: the format.
        options: by name; those that are not given are None or False.

    Raises:
        click.UsageError: one is given, and the format is no table.
    """
    tables = [name for name in format_names(result, plugins=False) if output_format(name).is_table]
    for name, given in options.items():
        if given and not style.is_table:
            raise click.UsageError(f"--{name} is for -f {', '.join(tables[:-1])} and {tables[-1]}")
