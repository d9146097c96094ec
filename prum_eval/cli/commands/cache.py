"""``prum-eval cache``: show or clear the cache of parsed assessments."""

from __future__ import annotations

import click

from prum_eval.cli.help import Command
from prum_eval.cli.output import write_output


@click.command("cache", cls=Command)
@click.argument("action", required=False, type=click.Choice(["clear"]), metavar="[clear]")
def command(action: str | None) -> None:
    """Show folder and size of the cache of parsed assessments; `prum-eval cache clear` deletes its files.

    The environment variable PRUM_EVAL_CACHE sets another folder; off disables the cache.
    """
    from prum_eval.formats.assessments_cache import CACHE_VARIABLE, user_cache

    cache = user_cache()
    if cache is None:
        write_output(f"the cache is off ({CACHE_VARIABLE})\n", None)
        return
    if action == "clear":
        cache.clear()
    entries = cache.entries()
    size = sum(state.st_size for _, state in entries)
    write_output(f"folder: {cache.folder}\nfiles: {len(entries)}\nsize: {size / 1e6:.1f} MB\n", None)
