"""The entry point of the program: settings before anything large is imported, standard streams, exit status.

Errors of prum-eval and of click become one message on standard error. A failure to write to standard output is
an error, but a broken pipe ends the program quietly.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO

from prum_eval.errors import InputError, PrumEvalError, escape_unprintable

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


STDOUT = "<stdout>"
_OUTPUT, _ERROR = 1, 2
UNFORESEEN = 3
"""Exit status after an error of prum-eval itself."""
DEBUG_VARIABLE = "PRUM_EVAL_DEBUG"
"""Environment variable: 1 prints the traceback of such an error."""


def guard_standard_streams() -> None:
    """Replace `sys.stdout` and `sys.stderr` unless a caller has replaced them.

    Standard output then raises `InputError` if it is full or closed, `BrokenPipeError` if its reader has gone; standard
    error drops what it cannot write: results do not depend on readers of messages.
    """
    open_before = [_reserve_descriptor(number) for number in (0, _OUTPUT, _ERROR)]
    if sys.stdout is sys.__stdout__:
        sys.stdout = _text(_Results(_OUTPUT, "w", closefd=False), sys.stdout if open_before[_OUTPUT] else None)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _text(_Messages(_ERROR, "w", closefd=False), sys.stderr if open_before[_ERROR] else None)


def discard_standard_output() -> None:
    """Discard what is still to be written to standard output, so that the end of the process does not fail."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if isinstance(raw, _Results):
        raw.is_closed = False
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _reserve_descriptor(number: int) -> bool:
    """Whether a descriptor is open; if not, open it, or the next file opened would get its number."""
    try:
        os.fstat(number)
    except OSError:
        with suppress(OSError):
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, as those below are taken
        return False
    return True


def _text(raw: io.FileIO, before: TextIO | None) -> TextIO:
    """Text stream over `raw` with the encoding of `before`; None if that was closed."""
    if isinstance(raw, _Results):
        raw.is_closed = before is None
    encoding, errors = (before.encoding, before.errors) if before is not None else ("utf-8", "backslashreplace")
    if encoding.lower().replace("-", "") != "utf8" or errors == "strict":
        errors = "backslashreplace"  # for letters that a terminal of another encoding does not have
    lines = raw.isatty() or isinstance(raw, _Messages)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, errors, line_buffering=lines)


class _Results(io.FileIO):
    is_closed = False

    def write(self, data: ReadableBuffer, /) -> int:
        if self.is_closed:
            raise InputError(STDOUT, None, "cannot be written: it is closed")
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError(STDOUT, None, f"cannot be written: {error.strerror}") from error


class _Messages(io.FileIO):
    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 bad data, 2 bad usage, 3 an error of prum-eval itself."""
    # numpy reads this when it is imported, worker processes inherit it. Its threads wait by spinning, which costs more
    # than many an evaluation; the few products of matrices here win little by them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # What is imported and read lives until the call ends, and nothing in it refers back: looking for cycles often is
    # in vain. So is looking as the process ends, where what is frozen is passed over.
    gc.set_threshold(200_000, 50, 100)
    guard_standard_streams()
    try:
        status = run(args)
    except BaseException as error:  # while click was imported
        if not _was_interrupted(error):
            raise
        status = _report_interrupt()
    gc.freeze()
    sys.exit(status)


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    import click

    from prum_eval.cli.commands import commands
    from prum_eval.cli.output import QUIET, is_coloured, requested_colour

    stdout = sys.stdout
    try:
        status: Any = commands.main(args, prog_name="prum-eval", standalone_mode=False)
        sys.stdout.flush()
    except PrumEvalError as error:
        quiet = QUIET in (sys.argv if args is None else args)
        for warning in () if quiet else getattr(error, "__notes__", ()):  # of a result that failed
            click.echo(f"prum-eval: {warning}", err=True)
        coloured = is_coloured(sys.stderr, requested_colour(sys.argv if args is None else args))
        click.echo(_colour_error(error) if coloured else error.message, err=True, color=coloured)
        return _final_status(error.exit_status)
    except click.ClickException as error:
        error.show(message := io.StringIO())
        click.echo(escape_unprintable(message.getvalue(), lines=True), err=True, nl=False)  # it quotes arguments
        return _final_status(error.exit_code)
    except click.Abort:
        return _report_interrupt()
    except BrokenPipeError:
        discard_standard_output()  # its reader has gone: nothing to print, nothing to flush at exit
        return 0
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the last defence
        # click ends so when the reader has gone, and after it has told a shell what it may offer
        if isinstance(error, SystemExit) and (sys.stdout is not stdout or "_PRUM_EVAL_COMPLETE" in os.environ):
            discard_standard_output()
            return 0
        if _was_interrupted(error):
            return _report_interrupt()
        _report_unforeseen(error, sys.argv[1:] if args is None else args)
        return _final_status(UNFORESEEN)
    return status if isinstance(status, int) else 0


def _was_interrupted(error: BaseException | None) -> bool:
    """Whether an error is Ctrl-C or comes of it, as from the import of a module that it interrupts."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _report_interrupt() -> int:
    """Print one line about Ctrl-C; returns the exit status."""
    sys.stderr.write("prum-eval: interrupted\n")
    return _final_status(130)


def _report_unforeseen(error: BaseException, arguments: Sequence[str]) -> None:
    """Print one line about an error that should not be, with the command to report; with DEBUG its traceback."""
    import shlex
    import traceback

    import click

    if os.environ.get(DEBUG_VARIABLE) == "1":
        click.echo(escape_unprintable(traceback.format_exc(), lines=True), err=True)
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    command = shlex.join(["prum-eval", *arguments])
    text = f"prum-eval: unforeseen error, please report it ({DEBUG_VARIABLE}=1 prints more): {reason}, from: {command}"
    click.echo(escape_unprintable(text, lines=True), err=True)


def _colour_error(error: PrumEvalError) -> str:
    """Message with its beginning (program or place) in red."""
    import click

    reason = error.reason if isinstance(error, InputError) else str(error)
    place = error.message.removesuffix(reason)
    return click.style(place.rstrip(), fg="red") + place[len(place.rstrip()) :] + reason


def _final_status(status: int) -> int:
    """Exit status of a failed call; discard printed results that cannot be written either."""
    try:
        sys.stdout.flush()
    except (PrumEvalError, OSError):
        discard_standard_output()
    return status
