"""``prum-eval help``: the help of a command, as its option --help shows it."""

from __future__ import annotations

import click


@click.command("help")
@click.argument("names", nargs=-1, metavar="[COMMAND]")
@click.pass_context
def command(context: click.Context, names: tuple[str, ...]) -> None:
    """Show the help of COMMAND, as COMMAND --help does; without one, the list of commands."""
    shown = context.find_root()
    for name in names:
        group = shown.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{shown.command_path} has no commands")
        found, inner, _ = group.resolve_command(shown, [name])
        assert inner is not None  # noqa: S101 -- what is not found is refused
        shown = click.Context(inner, info_name=found, parent=shown)
    click.echo(shown.get_help())
