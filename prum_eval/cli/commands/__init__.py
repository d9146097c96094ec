"""The group of commands; each has a module here, which is imported when it runs."""

from __future__ import annotations

from importlib import import_module

import click

from prum_eval.version import __version__

COMMAND_GROUPS = {
    "Evaluate and compare": {
        "eval": ("evaluate", "Score runs against assessments."),
        "compare": ("compare", "Compare runs, with tests of significance."),
        "explain": ("explain", "Explain the score of a run on a topic."),
        "measures": ("measures", "List or explain measures, user models and tasks."),
        "gold": ("gold", "Store results, and check later runs against them."),
    },
    "Prepare and check": {
        "check": ("check", "Check inputs and report every problem."),
        "init": ("init", "Write a configuration for the files of a folder."),
        "index": ("index", "Build an index of a collection structure."),
        "convert": ("convert", "Convert runs, assessments and structures."),
        "spans": ("spans", "Find relevant spans from quotes."),
        "cache": ("cache", "Show or clear the cache of assessments."),
    },
    "Study": {
        "simulate": ("simulate", "Generate runs with known properties."),
        "sweep": ("sweep", "Evaluate across values of a parameter."),
        "power": ("power", "Measure how well measures separate runs."),
        "fit": ("fit", "Estimate user models from logs."),
        "correlate": ("correlate", "Correlate measures over runs."),
    },
}
"""By heading and name: the module of prum_eval.cli.commands, imported when the command runs, and a description."""
COMMANDS = {name: command for commands in COMMAND_GROUPS.values() for name, command in commands.items()}


class Commands(click.Group):
    """Group of the commands in `COMMANDS`, of which only the one that runs is imported."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Names in the order of the documentation."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name."""
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"prum_eval.cli.commands.{COMMANDS[name][0]}").command
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        for heading, commands in COMMAND_GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:9}", summary) for name, (_, summary) in commands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command for one that does not exist."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib
            import os
            import shlex

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            if args[0].startswith("-"):
                raise
            hint = f"Did you mean '{near[0]}'?" if near else ""
            if os.path.exists(args[0]) or (not near and len(args) > 1):  # noqa: PTH110 - any text
                hint = f"To score runs: {shlex.join(['prum-eval', 'eval', *args])}"
            if not hint:
                raise
            raise click.UsageError(f"No such command '{args[0]}'. {hint}", ctx) from error


def _version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """Print the versions of prum-eval, Python, numpy and lxml without importing them."""
    if not value or context.resilient_parsing:
        return
    from importlib.metadata import version  # few calls ask
    from platform import python_version

    others = [f"Python {python_version()}", *(f"{name} {version(name)}" for name in ("numpy", "lxml"))]
    click.echo(f"prum-eval, version {__version__}\n{', '.join(others)}")
    context.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "-V",
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_version,
    help="Show the version and exit.",
)
def commands() -> None:
    """Evaluate retrieval systems whose answers are parts of documents.

    Start with: prum-eval eval ASSESSMENTS RUN
    """
