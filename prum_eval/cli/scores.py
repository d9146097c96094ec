"""The arguments of compare and correlate: runs that are evaluated now, or files of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource

from prum_eval.cli.options import FILES, check_paths
from prum_eval.errors import UsageError

METAVAR = "[ASSESSMENTS] RUN RUN [RUN ...]"

values_option = click.option(
    "--values", is_flag=True, help="RUNs are values by topic: trec_eval's three columns, or CSV or JSON of eval."
)

common_option = click.option(
    "--common", is_flag=True, help="Compare on the topics that all runs have, even if more than a tenth are left out."
)


def compared(
    inputs: Sequence[str], options: Mapping[str, Any], groups: str | None = None, *, values: bool
) -> dict[str, Any]:
    """What `prum_eval.compare` is called with, as far as it says what is compared; `groups` is one more input.

    Raises:
        UsageError: an option has nothing to do.
    """
    if values:
        _refuse(options)
        check_paths(*inputs, groups)
        return {"values": inputs, "measures": options["measures"]}
    check_paths(*inputs, groups, *(options[name] for name in FILES))
    return {"assessments": inputs[0] if inputs else None, "runs": inputs[1:] or None, **options}


def joined(join: Sequence[str], inputs: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """What `prum_eval.correlate` is called with for files of values under labels.

    Raises:
        UsageError: an option has nothing to do.
        click.UsageError: there are RUNs too, a label is given twice, or there is none.
    """
    if inputs:
        raise click.UsageError("--join takes the place of ASSESSMENTS and RUNs")
    _refuse(options)
    labels: dict[str, str] = {}
    for one in join:
        label, equals, file = one.partition("=")
        if not label or not equals or not file:
            raise click.UsageError(f"--join {one}: expected LABEL=FILE")
        if label in labels:
            raise click.UsageError(f"--join: the label {label} is given twice")
        labels[label] = file
    check_paths(*labels.values())
    return {"join": labels, "measures": options["measures"]}


def _refuse(options: Mapping[str, Any]) -> None:
    context = click.get_current_context()
    for parameter in context.command.params:
        name = str(parameter.name)
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name in options and name != "measures":
            raise UsageError(f"{parameter.opts[-1]} is for evaluating runs, and values are evaluated")
