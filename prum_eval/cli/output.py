"""What commands print and write: results, warnings and messages, progress on a terminal.

Results go to standard output or to files, which appear whole or not at all; devices and pipes are written into.
Everything else goes to standard error: as much as --quiet and --verbose say, in colour as --color says.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import click

from prum_eval.errors import InputError, escape_unprintable
from prum_eval.report.layout import LINE_WIDTH
from prum_eval.report.registry import OutputFormat, render

if TYPE_CHECKING:
    from prum_eval.evaluation.notices import Notice
    from prum_eval.report.layout import Layout


Output = tuple[OutputFormat, str | None]
"""A format and a path; None is standard output."""

STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def write_output(text: str, path: str | None) -> None:
    """Write text to a file, or without a path or to ``-`` to standard output, escaped on terminals.

    Raises:
        InputError: the file cannot be written.
    """
    if path is None or path in STANDARD_OUTPUT:
        sys.stdout.write(escape_unprintable(text, lines=True) if sys.stdout.isatty() else text)
        return
    write_bytes(text.encode(errors="backslashreplace"), path)  # of names that are not UTF-8, as JSON escapes them


def write_bytes(content: bytes, path: str) -> None:
    """Write a file, whole or not at all; write into what is no regular file, such as a pipe.

    Symbolic links are followed.

    Raises:
        InputError: the file cannot be written.
    """
    refuse_input(path)
    target = Path(path)
    try:
        if is_special(path):
            target.write_bytes(content)
        else:
            target.parent.resolve(strict=True)  # `none/../run` is no file if the folder `none` does not exist
            _replace(Path(os.path.realpath(target)), content)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(path, None, f"cannot be written: {reason}") from error


def is_special(path: str) -> bool:
    """Whether a path is a device or a pipe, which is written into and never replaced."""
    target = Path(path)
    return os.path.exists(path) and not target.is_file() and not target.is_dir()  # noqa: PTH110 - of any name


def _replace(target: Path, content: bytes) -> None:
    import tempfile  # most calls print

    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        copy_mode(target, Path(name))
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def copy_mode(target: Path, new: Path) -> None:
    """Give a new file the mode and, if allowed, the owner of the file that it replaces; else those of any new file."""
    try:
        state = target.stat()
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        new.chmod(0o666 & ~mask)
        return
    if hasattr(os, "chown"):
        with suppress(OSError):  # only the superuser gives files away
            os.chown(new, state.st_uid, state.st_gid)
    new.chmod(stat.S_IMODE(state.st_mode))


def write_files(files: Mapping[str, str], folder: str) -> None:
    """Write files into a folder, which is made if missing; names may have folders.

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
    """Whether two paths are the same existing file; ``-`` as the second is standard input."""
    try:
        here = Path(path).stat()
        there = os.fstat(0) if other == "-" else Path(other).stat()
    except (OSError, ValueError):
        return False
    return os.path.samestat(here, there) and Path(path).is_file()


def overwrites(output: str, source: str) -> bool:
    """Whether an output would replace an input: the same existing file, or an existing file in that folder."""
    try:
        target = os.path.realpath(output)  # where it is written, also if a folder on the way does not exist
        if same_file(target, source):
            return True
        is_inside = Path(source).is_dir() and Path(target).is_relative_to(os.path.realpath(source))
        return is_inside and Path(target).is_file()
    except (OSError, ValueError):  # no path of this system
        return False


def protect_inputs(inputs: Iterable[str | None]) -> None:
    """Let no output of the running command replace these inputs."""
    context = click.get_current_context()
    context.meta.setdefault(_INPUTS_KEY, []).extend(path for path in inputs if path is not None)


def refuse_input(output: str) -> None:
    """Refuse an output that would replace an input of the running command.

    Raises:
        click.UsageError: it would.
    """
    context = click.get_current_context(silent=True)
    for path in () if context is None else context.meta.get(_INPUTS_KEY, ()):
        if overwrites(output, path):
            what = "an input" if same_file(os.path.realpath(output), path) else f"in the input {path}"
            raise click.UsageError(f"{output} is {what} and would be overwritten")


# --quiet, --verbose, --color.


class Verbosity(Enum):
    """How much is printed beside the results."""

    QUIET = "quiet"
    NORMAL = "normal"
    VERBOSE = "verbose"


QUIET = "--quiet"
COLOUR, ALWAYS, NEVER = "--color", "always", "never"
_VERBOSITY_KEY = "prum_eval.verbosity"
_INPUTS_KEY = "prum_eval.inputs"
COLOUR_KEY = "prum_eval.colour"
"""Key of the value of --color in the context of a command."""


def verbosity() -> Verbosity:
    """How much the running command prints."""
    context = click.get_current_context(silent=True)
    level: Verbosity = Verbosity.NORMAL if context is None else context.meta.get(_VERBOSITY_KEY, Verbosity.NORMAL)
    return level


def _set_verbosity(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if not value:
        return
    level = Verbosity(parameter.name)
    if context.meta.setdefault(_VERBOSITY_KEY, level) is not level:
        raise click.UsageError("--quiet and --verbose cannot be combined")


def requested_colour(arguments: Sequence[str]) -> str | None:
    """The value of --color among the arguments of a call; None if there is none."""
    colour = None
    for place, argument in enumerate(arguments):
        if argument.startswith(f"{COLOUR}="):
            colour = argument.removeprefix(f"{COLOUR}=")
        elif argument == COLOUR and place + 1 < len(arguments):
            colour = arguments[place + 1]
    return colour


def _store_colour(context: click.Context, _parameter: click.Parameter, value: str) -> None:
    context.meta[COLOUR_KEY] = value


VERBOSITY_OPTIONS = (
    click.option(
        QUIET,
        is_flag=True,
        expose_value=False,
        callback=_set_verbosity,
        help="Print results and errors only.",
    ),
    click.option(
        "-v",
        "--verbose",
        is_flag=True,
        expose_value=False,
        callback=_set_verbosity,
        help="Print each warning of each run, not one summary line.",
    ),
    click.option(
        COLOUR,
        type=click.Choice(["auto", ALWAYS, NEVER]),
        default="auto",
        show_default=True,
        expose_value=False,
        callback=_store_colour,
        help="Colour the output; auto: on terminals, unless NO_COLOR is set.",
    ),
)
"""The options of every command that prints messages; see `verbosity`."""


def is_coloured(stream: TextIO, colour: str | None = None) -> bool:
    """Whether a stream may have bold and coloured letters.

    --color decides, else it must be a terminal that can show them and NO_COLOR not set. `colour`: the value of --color
    if no command is running.
    """
    context = click.get_current_context(silent=True)
    choice = colour if context is None else context.meta.get(COLOUR_KEY)
    if choice in (ALWAYS, NEVER):
        return choice == ALWAYS
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


# Results.


class ResultWithNotices(Protocol):
    """A result with warnings and a signature."""

    @property
    def warnings(self) -> Iterable[Notice | str]:
        """What the user should know."""

    @property
    def signature(self) -> str:
        """Every choice that changes a number, in one line."""


@dataclass(eq=False, repr=False)
class ResultOutput:
    """Where and how a command writes its result: the values of the options of `result_options`."""

    style: OutputFormat
    path: str | None
    plot: Output | None
    layout: Layout

    @property
    def outputs(self) -> list[Output]:
        """All formats and paths; what is printed comes last."""
        return [*filter(None, [self.plot]), (self.style, self.path)]

    def write(self, result: ResultWithNotices, **layout: Any) -> None:  # noqa: ANN401 - fields of Layout
        """Print warnings and signature, then draw and write the result; `layout` has more fields of it.

        Raises:
            UsageError, InputError: as `write_results`.
        """
        print_notices(result)
        write_results(result, replace(self.layout, **layout), self.outputs)


def write_results(result: object, layout: Layout, outputs: Iterable[Output]) -> None:
    """Write a result in several formats, in this order, after all were rendered.

    Raises:
        UsageError: a format cannot show the result.
        InputError: a file cannot be written.
    """
    printed = replace(layout, bold=is_coloured(sys.stdout))
    if sys.stdout.isatty():
        import shutil  # most calls print elsewhere, or start without it

        printed = replace(printed, width=max(LINE_WIDTH, shutil.get_terminal_size().columns))
    for rendered, path in [(render(result, output, layout if path else printed), path) for output, path in outputs]:
        if isinstance(rendered, str) and path is None:
            sys.stdout.write(rendered)
        elif isinstance(rendered, str):
            write_output(rendered, path)
        elif path is not None:
            write_bytes(rendered, path) if isinstance(rendered, bytes) else write_files(rendered, path)


# Messages.


def print_notices(result: ResultWithNotices) -> None:
    """Print the warnings of a result and its signature on standard error."""
    print_warnings(result.warnings)
    if verbosity() is not Verbosity.QUIET:
        print_message(result.signature)


def print_summary(text: str) -> None:
    """Print what was done on standard error, unless --quiet."""
    if verbosity() is not Verbosity.QUIET:
        print_message(f"prum-eval: {text}")


def print_warnings(notices: Iterable[Notice | str]) -> None:
    """Print warnings: summed up over runs, all of them with --verbose, none with --quiet."""
    notices = list(notices)
    if not notices or verbosity() is Verbosity.QUIET:
        return
    from prum_eval.evaluation.notices import summed  # most calls have none

    for line in map(str, notices) if verbosity() is Verbosity.VERBOSE else summed(notices):
        print_message(line, warning=True)


def print_message(text: str, *, warning: bool = False) -> None:
    """Print a line on standard error, escaped; a warning begins in yellow."""
    escaped = escape_unprintable(text, lines=True)
    if warning:
        coloured = is_coloured(sys.stderr)
        head = "prum-eval: warning:"
        click.echo(f"{click.style(head, fg='yellow') if coloured else head} {escaped}", err=True, color=coloured)
        return
    click.echo(escaped, err=True)


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Function of (number done, total) that shows progress; None if standard error is no terminal."""
    if not sys.stderr.isatty() or verbosity() is Verbosity.QUIET:
        yield None
        return
    with ExitStack() as stack:
        bars: list[click._termui_impl.ProgressBar[int]] = []

        def show(done: int, total: int) -> None:
            if total == 1:
                return
            if not bars:  # the total is known only now
                bars.append(stack.enter_context(click.progressbar(length=total, label=label, file=sys.stderr)))
            bars[0].update(done - bars[0].pos)
            if done >= total:
                stack.close()  # the next message begins a line

        yield show


@contextmanager
def watched_settings(settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Keyword arguments `settings` with `progress` of runs and with `trials` that a terminal watches being drawn."""
    with progress_bar("Runs") as progress, _trial_progress(settings["trials"]) as trials:
        yield {**settings, "trials": trials, "progress": progress}


@contextmanager
def _trial_progress(trials: int) -> Iterator[int]:
    """A number of trials; a terminal shows how many were drawn."""
    if not sys.stderr.isatty() or verbosity() is Verbosity.QUIET:
        yield trials
        return
    from prum_eval.numerics.resampling import WatchedTrials  # only on terminals

    drawn, line = 0, ""

    def watch(count: int) -> None:
        nonlocal drawn, line
        drawn += count
        line = f"Trials  {drawn:,}"
        click.echo(f"\r{line}", err=True, nl=False)

    try:
        yield WatchedTrials(trials, watch)
    finally:
        if line:
            click.echo(f"\r{' ' * len(line)}\r", err=True, nl=False)
