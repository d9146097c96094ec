"""The group of commands; each has a module here, which is imported when it runs."""

from __future__ import annotations

from importlib import import_module

import click

from prum_eval.version import __version__

COMMANDS = {
    "eval": ("evaluate", "Evaluate runs: the main job."),
    "check": ("check", "Validate inputs; name every problem."),
    "init": ("init", "Write a configuration for the files of a folder."),
    "index": ("index", "Build an index of a collection structure."),
    "convert": ("convert", "Write runs, assessments, structures in another form."),
    "spans": ("spans", "Make gold spans of quotes."),
    "simulate": ("simulate", "Make runs of which the truth is known."),
    "compare": ("compare", "Compare runs, with significance."),
    "correlate": ("correlate", "Correlate measures over runs."),
    "power": ("power", "Tell how well measures tell runs apart."),
    "sweep": ("sweep", "Sweep a parameter: how runs and measures answer."),
    "fit": ("fit", "Estimate user models from what users did."),
    "measures": ("measures", "List or explain measures, user models, tasks."),
    "gold": ("gold", "Guard numbers against change."),
    "explain": ("explain", "Explain why a run has its score on a topic."),
    "cache": ("cache", "Show or clear the kept assessments."),
}
"""By name: the module of prum_eval.cli.commands, imported when the command runs, and a description."""


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
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command for one that does not exist."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            if near and not args[0].startswith("-"):
                raise click.UsageError(f"No such command '{args[0]}'. Did you mean '{near[0]}'?", ctx) from error
            raise


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
