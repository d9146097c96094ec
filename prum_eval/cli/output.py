"""What a command shows: results, what there is to say of them; on a terminal, how far it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

import click

from prum_eval.errors import InputError, escape_unprintable
from prum_eval.report.registry import OutputFormat, render

if TYPE_CHECKING:
    from prum_eval.evaluation.notices import Notice
    from prum_eval.report.layout import Layout


Output = tuple[OutputFormat, str | None]
"""A format, and the path that it is written to; None is standard output."""

# Files that results go to: regular ones appear whole or not at all, devices and pipes are written into.


STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def write_output(text: str, path: str | None) -> None:
    """Write a result; without a path, or to ``-``, to standard output, where a terminal obeys nothing in it.

    Raises:
        InputError: the file cannot be written.
    """
    if path is None or path in STANDARD_OUTPUT:
        sys.stdout.write(escape_unprintable(text, lines=True) if sys.stdout.isatty() else text)
        return
    write_bytes(text.encode(), path)


def write_bytes(content: bytes, path: str) -> None:
    """Write a file, whole or not at all; what is there and is no regular file, such as a pipe, is written into.

    A symbolic link is followed: the file that it leads to is written.

    Raises:
        InputError: the file cannot be written.
    """
    target = Path(path)
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            target.write_bytes(content)
        else:
            _replace(Path(os.path.realpath(target)), content)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(path, None, f"cannot be written: {reason}") from error


def _replace(target: Path, content: bytes) -> None:
    import tempfile  # most calls print

    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_files(files: Mapping[str, str], folder: str) -> None:
    """Write files, each whole or not at all, into a folder that is made if need be; names may have folders.

    Raises:
        InputError: a folder cannot be made, or a file cannot be written.
    """
    for name, text in files.items():
        target = Path(folder) / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(str(target.parent), None, f"cannot be made: {error.strerror}") from error
        write_output(text, str(target))


def same_file(path: str, other: str) -> bool:
    """Whether two paths lead to one file that is there; ``-`` as the second is standard input."""
    try:
        here = Path(path).stat()
        there = os.fstat(0) if other == "-" else Path(other).stat()
    except (OSError, ValueError):
        return False
    return os.path.samestat(here, there) and Path(path).is_file()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# How much a command says beside its results, and whether in colour: --quiet, --verbose, --color.


class Verbosity(Enum):
    """How much is said beside the results."""

    QUIET = "quiet"
    NORMAL = "normal"
    VERBOSE = "verbose"


QUIET = "--quiet"
COLOUR, ALWAYS, NEVER = "--color", "always", "never"
_VERBOSITY_KEY = "prum_eval.verbosity"
COLOUR_KEY = "prum_eval.colour"
"""Where the value of --color is kept while a command runs."""


def verbosity() -> Verbosity:
    """How much the command that runs should say."""
    context = click.get_current_context(silent=True)
    found: Verbosity = Verbosity.NORMAL if context is None else context.meta.get(_VERBOSITY_KEY, Verbosity.NORMAL)
    return found


def _set_verbosity(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if not value:
        return
    asked = Verbosity(parameter.name)
    if context.meta.setdefault(_VERBOSITY_KEY, asked) is not asked:
        raise click.UsageError("--quiet and --verbose do not go together")


def requested_colour(arguments: Sequence[str]) -> str | None:
    """The value of --color among the arguments of a call, None without one."""
    found = None
    for place, argument in enumerate(arguments):
        if argument.startswith(f"{COLOUR}="):
            found = argument.removeprefix(f"{COLOUR}=")
        elif argument == COLOUR and place + 1 < len(arguments):
            found = arguments[place + 1]
    return found


def _store_colour(context: click.Context, _parameter: click.Parameter, value: str) -> None:
    context.meta[COLOUR_KEY] = value


VERBOSITY_OPTIONS = (
    click.option(
        QUIET,
        is_flag=True,
        expose_value=False,
        callback=_set_verbosity,
        help="Print results and errors only: no warnings, no signature.",
    ),
    click.option(
        "-v",
        "--verbose",
        is_flag=True,
        expose_value=False,
        callback=_set_verbosity,
        help="Print every warning of every run, where one line would sum them up.",
    ),
    click.option(
        COLOUR,
        type=click.Choice(["auto", ALWAYS, NEVER]),
        default="auto",
        show_default=True,
        expose_value=False,
        callback=_store_colour,
        help="Bold and coloured letters; auto: on terminals, unless NO_COLOR is set.",
    ),
)
"""The options; what prints asks `verbosity`."""


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
    asked = wanted if context is None else context.meta.get(COLOUR_KEY)
    if asked in (ALWAYS, NEVER):
        return asked == ALWAYS
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class ResultWithNotices(Protocol):
    """A result that says what there is to say of it."""

    @property
    def warnings(self) -> Iterable[Notice | str]:
        """What the user should know."""

    @property
    def signature(self) -> str:
        """Every choice that changes a number, in one line."""


def print_notices(result: ResultWithNotices) -> None:
    """Print a result's warnings and its signature on standard error, as much as was asked for."""
    print_warnings(result.warnings)
    if verbosity() is not Verbosity.QUIET:
        print_message(result.signature)


def show_result(
    result: ResultWithNotices, layout: Layout, style: OutputFormat, output: str | None, plot: Output | None
) -> None:
    """Say what there is to say of a result, draw it if a picture was asked for, and write it.

    Raises:
        UsageError, InputError: as `write_results`.
    """
    print_notices(result)
    write_results(result, layout, [*filter(None, [plot]), (style, output)])


def print_warnings(notices: Iterable[Notice | str]) -> None:
    """Print warnings: those of many runs in few lines, all of them with --verbose, none with --quiet."""
    listed = list(notices)
    if not listed or verbosity() is Verbosity.QUIET:
        return
    from prum_eval.evaluation.notices import summed  # most calls have nothing to say

    for line in map(str, listed) if verbosity() is Verbosity.VERBOSE else summed(listed):
        print_message(line, warning=True)


def print_message(text: str, *, warning: bool = False) -> None:
    """Print on standard error; a terminal obeys nothing in it but ends of lines, and what makes a warning yellow."""
    shown = escape_unprintable(text, lines=True)
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
def trial_progress(trials: int) -> Iterator[int]:
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
