"""The command group, and the one place where errors become messages and exit statuses."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from prum_eval.errors import PrumEvalError
from prum_eval.version import __version__

COMMANDS = {
    "eval": ("evaluate", "Evaluate runs: the main job."),
    "check": ("check", "Validate inputs; name every problem."),
    "index": ("index", "Build an index of a collection structure."),
    "convert": ("convert", "Write runs, judgements, structures in another form."),
    "compare": ("compare", "Compare runs, with significance."),
    "correlate": ("correlate", "Correlate measures over runs."),
    "measures": ("measures", "List or explain measures, user models, tasks."),
    "gold": ("gold", "Guard numbers against change."),
    "explain": ("explain", "Explain why a run has its score on a topic."),
    "cache": ("cache", "Show or clear the kept assessments."),
}
"""Name of each command: the module of prum_eval.cli that holds it, imported when it is asked for, and what it does."""


class Commands(click.Group):
    """Commands found by name in `COMMANDS`, so that one is not slowed down by what another imports."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Names in the order of the documentation."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name."""
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"prum_eval.cli.{COMMANDS[name][0]}").command
        if ctx.resilient_parsing:  # a shell asks what may come next
            from prum_eval.cli.completion import with_completion

            return with_completion(command)
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


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="prum-eval")
def commands() -> None:
    """Evaluate retrieval systems whose answers are parts of documents.

    Start with: prum-eval eval ASSESSMENTS RUN
    """


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 bad data, 2 bad usage."""
    # numpy reads this when it is imported, worker processes inherit it. Its threads wait by spinning, which costs more
    # than many an evaluation; the few products of matrices here win little by them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # What is read lives until the call ends, and nothing in it refers back: looking for cycles often is in vain.
    gc.set_threshold(200_000, 50, 100)
    sys.exit(run(args))


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    try:
        status: Any = commands.main(args, prog_name="prum-eval", standalone_mode=False)
        sys.stdout.flush()
    except PrumEvalError as error:
        click.echo(error.message, err=True)
        return error.exit_status
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        click.echo("prum-eval: interrupted", err=True)
        return 130
    except (BrokenPipeError, SystemExit):
        # The reader has gone (click makes that a SystemExit): nothing to say, and nothing more to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status if isinstance(status, int) else 0
