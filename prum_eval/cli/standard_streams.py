"""Standard output and error of the process: what becomes of a failure to write to them."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from prum_eval.errors import InputError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

STDOUT = "<stdout>"
_OUTPUT, _ERROR = 1, 2


def guard_standard_streams() -> None:
    """Replace `sys.stdout` and `sys.stderr` where they are the process's own.

    Standard output then raises an `InputError` where it is full, closed or broken, but a `BrokenPipeError` where its
    reader has gone; standard error loses what it cannot take: results do not depend on who reads messages.
    """
    open_before = [_keep_taken(number) for number in (0, _OUTPUT, _ERROR)]
    if sys.stdout is sys.__stdout__:
        sys.stdout = _text(_Results(_OUTPUT, "w", closefd=False), sys.stdout if open_before[_OUTPUT] else None)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _text(_Messages(_ERROR, "w", closefd=False), sys.stderr if open_before[_ERROR] else None)


def leave_standard_output() -> None:
    """Let what is still to be written to standard output go nowhere, so that nothing fails as the process ends."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if isinstance(raw, _Results):
        raw.is_closed = False
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _keep_taken(number: int) -> bool:
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
