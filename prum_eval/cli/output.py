"""What a command shows: results, what there is to say of them; on a terminal, how far it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TextIO

import click

from prum_eval.cli.files import write_bytes, write_files, write_output
from prum_eval.cli.options import Output
from prum_eval.cli.verbosity import ALWAYS, COLOUR_ASKED, NEVER, Verbosity, verbosity
from prum_eval.errors import printable
from prum_eval.report.layout import Layout
from prum_eval.report.registry import OutputFormat, render

if TYPE_CHECKING:
    from prum_eval.evaluation.notices.notice import Notice


def write_results(result: object, layout: Layout, outputs: Iterable[Output]) -> None:
    """Write a result in each of these formats, in this order; nothing is written unless all can be made.

    Raises:
        UsageError: a format cannot show the result.
        InputError: a file cannot be written.
    """
    shown = replace(layout, bold=is_coloured(sys.stdout))
    for rendered, path in [(render(result, output, layout if path else shown), path) for output, path in outputs]:
        if isinstance(rendered, str) and path is None:
            sys.stdout.write(rendered)
        elif isinstance(rendered, str):
            write_output(rendered, path)
        elif path is not None:
            write_bytes(rendered, path) if isinstance(rendered, bytes) else write_files(rendered, path)


def is_coloured(stream: TextIO, wanted: str | None = None) -> bool:
    """Whether letters may be bold or in colour there.

    On a terminal that can show it, unless NO_COLOR is set; --color comes before both. `wanted`: its value, where no
    command runs that has it.
    """
    context = click.get_current_context(silent=True)
    asked = wanted if context is None else context.meta.get(COLOUR_ASKED)
    if asked in (ALWAYS, NEVER):
        return asked == ALWAYS
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class Announced(Protocol):
    """A result that says what there is to say of it."""

    @property
    def warnings(self) -> Iterable[Notice | str]:
        """What the user should know."""

    @property
    def signature(self) -> str:
        """Every choice that changes a number, in one line."""


def announce(result: Announced) -> None:
    """Print a result's warnings and its signature on standard error, as much as was asked for."""
    warn(result.warnings)
    if verbosity() is not Verbosity.QUIET:
        say(result.signature)


def show_result(
    result: Announced, layout: Layout, style: OutputFormat, output: str | None, plot: Output | None
) -> None:
    """Say what there is to say of a result, draw it if a picture was asked for, and write it.

    Raises:
        UsageError, InputError: as `write_results`.
    """
    announce(result)
    write_results(result, layout, [*filter(None, [plot]), (style, output)])


def warn(notices: Iterable[Notice | str]) -> None:
    """Print warnings: those of many runs in few lines, all of them with --verbose, none with --quiet."""
    listed = list(notices)
    if not listed or verbosity() is Verbosity.QUIET:
        return
    from prum_eval.evaluation.notices.notice import summed  # most calls have nothing to say

    for line in map(str, listed) if verbosity() is Verbosity.VERBOSE else summed(listed):
        say(line, warning=True)


def say(text: str, *, warning: bool = False) -> None:
    """Print on standard error; a terminal obeys nothing in it but ends of lines, and what makes a warning yellow."""
    shown = printable(text, lines=True)
    if warning:
        coloured = is_coloured(sys.stderr)
        head = "prum-eval: warning:"
        click.echo(f"{click.style(head, fg='yellow') if coloured else head} {shown}", err=True, color=coloured)
        return
    click.echo(shown, err=True)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A function to call with (how many are done, of how many); None where no one watches."""
    if not sys.stderr.isatty() or verbosity() is Verbosity.QUIET:
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
            if done >= total:
                stack.close()  # what is said next begins a line

        yield show


@contextmanager
def counted_trials(trials: int) -> Iterator[int]:
    """A number of trials, which a terminal is told of while they are drawn."""
    if not sys.stderr.isatty() or verbosity() is Verbosity.QUIET:
        yield trials
        return
    from prum_eval.numerics.resampling import WatchedTrials  # where someone watches

    drawn, shown = 0, ""

    def watch(count: int) -> None:
        nonlocal drawn, shown
        drawn += count
        shown = f"Trials  {drawn:,}"
        click.echo(f"\r{shown}", err=True, nl=False)

    try:
        yield WatchedTrials(trials, watch)
    finally:
        if shown:
            click.echo(f"\r{' ' * len(shown)}\r", err=True, nl=False)
