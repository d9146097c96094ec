"""A progress bar on standard error, where that is a terminal, for calls that do many things."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import click


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A function to call with (how many are done, of how many); None where no one watches."""
    if not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        bars: list[click._termui_impl.ProgressBar[int]] = []

        def show(done: int, total: int) -> None:
            if total == 1:
                return
            if not bars:  # how many there are is known only now
                bars.append(stack.enter_context(click.progressbar(length=total, label=what, file=sys.stderr)))
            bars[0].update(done - bars[0].pos)

        yield show
