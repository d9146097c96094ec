"""The door of the program: what is set before anything large is imported, and what becomes of errors."""

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


# Standard output and error of the process: what becomes of a failure to write to them.


STDOUT = "<stdout>"
_OUTPUT, _ERROR = 1, 2


def guard_standard_streams() -> None:
    """Replace `sys.stdout` and `sys.stderr` where they are the process's own.

    Standard output then raises an `InputError` where it is full, closed or broken, but a `BrokenPipeError` where its
    reader has gone; standard error loses what it cannot take: results do not depend on who reads messages.
    """
    open_before = [_reserve_descriptor(number) for number in (0, _OUTPUT, _ERROR)]
    if sys.stdout is sys.__stdout__:
        sys.stdout = _text(_Results(_OUTPUT, "w", closefd=False), sys.stdout if open_before[_OUTPUT] else None)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _text(_Messages(_ERROR, "w", closefd=False), sys.stderr if open_before[_ERROR] else None)


def discard_standard_output() -> None:
    """Let what is still to be written to standard output go nowhere, so that nothing fails as the process ends."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if isinstance(raw, _Results):
        raw.is_closed = False
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _reserve_descriptor(number: int) -> bool:
    """Whether that descriptor is open; if not, it is taken, or the next file that is opened would have its number."""
    try:
        os.fstat(number)
    except OSError:
        with suppress(OSError):
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, as those below are taken
        return False
    return True


def _text(raw: io.FileIO, before: TextIO | None) -> TextIO:
    """A text stream over `raw`, written as `before` was; None stands for one that was closed."""
    if isinstance(raw, _Results):
        raw.is_closed = before is None
    encoding, errors = (before.encoding, before.errors) if before is not None else ("utf-8", "backslashreplace")
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
    """Run the command line and exit: 0 done, 1 bad data, 2 bad usage."""
    # numpy reads this when it is imported, worker processes inherit it. Its threads wait by spinning, which costs more
    # than many an evaluation; the few products of matrices here win little by them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # What is imported and read lives until the call ends, and nothing in it refers back: looking for cycles often is
    # in vain. So is looking as the process ends, where what is frozen is passed over.
    gc.set_threshold(200_000, 50, 100)
    guard_standard_streams()
    status = run(args)
    gc.freeze()
    sys.exit(status)


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    import click

    from prum_eval.cli.group import commands
    from prum_eval.cli.output import QUIET, requested_colour

    try:
        status: Any = commands.main(args, prog_name="prum-eval", standalone_mode=False)
        sys.stdout.flush()
    except PrumEvalError as error:
        quiet = QUIET in (sys.argv if args is None else args)
        for warning in () if quiet else getattr(error, "__notes__", ()):  # of a result that did not come about
            click.echo(f"prum-eval: {warning}", err=True)
        from prum_eval.cli.output import is_coloured  # what fails may have failed before it was imported

        coloured = is_coloured(sys.stderr, requested_colour(sys.argv if args is None else args))
        click.echo(_colour_error(error) if coloured else error.message, err=True, color=coloured)
        return _final_status(error.exit_status)
    except click.ClickException as error:
        error.show(said := io.StringIO())
        click.echo(escape_unprintable(said.getvalue(), lines=True), err=True, nl=False)  # it quotes arguments
        return _final_status(error.exit_code)
    except click.Abort:
        click.echo("prum-eval: interrupted", err=True)
        return _final_status(130)
    except (BrokenPipeError, SystemExit):
        # The reader has gone (click makes that a SystemExit): nothing to say, and nothing more to flush at exit.
        discard_standard_output()
        return 0
    return status if isinstance(status, int) else 0


def _colour_error(error: PrumEvalError) -> str:
    """The message with who says it, or the place that it is about, in red."""
    import click

    reason = error.reason if isinstance(error, InputError) else str(error)
    place = error.message.removesuffix(reason)
    return click.style(place.rstrip(), fg="red") + place[len(place.rstrip()) :] + reason


def _final_status(status: int) -> int:
    """The exit status of a call that failed, whose error is told once: what was printed before may not fit either."""
    try:
        sys.stdout.flush()
    except (PrumEvalError, OSError):
        discard_standard_output()
    return status
