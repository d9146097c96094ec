"""Options are declared once: the table of them, and what is made from it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

import click
import pytest

from prum_eval import UsageError, evaluate
from prum_eval.cli.options import click_options
from prum_eval.evaluation.options import (
    EvaluationOptions,
    check_options,
    declared_options,
    keyword_documentation,
    option,
)


def test_the_signature_of_evaluate_is_the_table():
    others = ("assessments", "runs", "problems", "progress")
    parameters = inspect.signature(evaluate).parameters.values()
    keywords = [(one.name, one.default, one.annotation) for one in parameters if one.name not in others]
    types = EvaluationOptions.__annotations__
    assert keywords == [(name, default, types[name]) for name, (_, default) in declared_options().items()]


def test_the_documentation_of_evaluate_has_all_options():
    assert keyword_documentation() in evaluate.__doc__
    for name in inspect.signature(evaluate).parameters:
        assert f"\n        {name}: " in evaluate.__doc__


@dataclass(kw_only=True, slots=True, eq=False, repr=False)
class MoreOptions(EvaluationOptions):
    """The options, and one more."""

    order: str = option(
        "which topics are first.", "--order", default="up", help="Which topics are first.", values=("up", "down")
    )


def test_an_option_of_the_table_is_on_the_command_line_in_the_documentation_and_checked():
    function = lambda **values: click.echo(values["order"])  # noqa: E731 - a command
    for add in reversed(click_options(MoreOptions)):
        function = add(function)
    command = click.command("any")(function)
    assert [one.name for one in command.params][-1] == "order"
    with click.Context(command) as context:
        assert "--order [up|down]" in command.get_help(context)
        assert "Which topics are first.  [default: up]" in command.get_help(context)
    assert "\n        order: which topics are first." in keyword_documentation(MoreOptions)
    check_options(MoreOptions(order="down"))
    with pytest.raises(UsageError, match="order=left: order is up or down"):
        check_options(MoreOptions(order="left"))
