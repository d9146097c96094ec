"""Exceptions of prum-eval: one tree, and every error a user can cause says where and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# What terminals obey (escape sequences begin with such signs), what starts a line, what turns the direction of writing.
_CONTROL_CHARACTERS = r"\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_UNPRINTABLE = re.compile(rf"[\x00-\x1f{_CONTROL_CHARACTERS}]")
UNPRINTABLE_IN_LINES = re.compile(rf"[\x00-\x08\x0b-\x1f{_CONTROL_CHARACTERS}]")
"""The same without tabs and ends of lines."""

_PLAIN_ASCII = bytes([9, 10, *range(32, 127)])
_LONG_WORD = re.compile(r"(\S{40})\S{180,}(\S{37})")


class PrintableText(str):
    """A text that is printable but for what a terminal is meant to obey."""

    __slots__ = ()


def escape_unprintable(text: str, *, lines: bool = False) -> str:
    r"""A text that a terminal shows and never obeys: control characters and the like as ``\x1b``.

    >>> escape_unprintable("a\x1b[2Jb\n"), escape_unprintable("a\x1b[2Jb\n", lines=True)
    ('a\\x1b[2Jb\\n', 'a\\x1b[2Jb\n')

    Args:
        text: any text; what is printable already stays as it is.
        lines: whether ends of lines and tabs stay.
    """
    if isinstance(text, PrintableText):
        return text
    if text.isascii() and (text.isprintable() or (lines and not text.encode().translate(None, _PLAIN_ASCII))):
        return text  # nearly all, and quicker to see so
    return (UNPRINTABLE_IN_LINES if lines else _UNPRINTABLE).sub(lambda found: repr(found[0])[1:-1], text)


class PrumEvalError(Exception):
    """Base of every error that a user can cause; its texts are what the user reads, a line each."""

    exit_status = 1

    def __init__(self, *texts: str) -> None:
        super().__init__("\n".join(map(_clean_message, texts)))

    @property
    def message(self) -> str:
        """What the command line prints."""
        return f"prum-eval: {self}"


class InputError(PrumEvalError):
    """Bad data in an input, printed as ``FILE:LINE: reason`` (``FILE: reason`` where no line is meant)."""

    def __init__(self, path: str, line: int | None, reason: str) -> None:
        self.path = path
        self.line = line
        self.reason = _clean_message(reason)
        place = path if line is None else f"{path}:{line}"
        Exception.__init__(self, f"{escape_unprintable(place)}: {self.reason}")

    @property
    def message(self) -> str:
        """``FILE:LINE: reason``, nothing before it: editors and CI systems find the place."""
        return str(self)

    def __reduce__(self) -> tuple[type[InputError], tuple[str, int | None, str]]:
        # Exceptions travel between worker processes; the default would lose the three parts.
        return (type(self), (self.path, self.line, self.reason))


class UnsupportedResultError(InputError):
    """A result that a measure refuses and others accept: where the measure came with a set, it is left out."""


class DataError(PrumEvalError):
    """Inputs that are each well formed but do not fit together, such as a missing collection size."""


class UsageError(PrumEvalError):
    """A request that names something unknown or impossible; exit status 2."""

    exit_status = 2


SourceLine = tuple[str, int]
"""A file and a line of it."""


@contextmanager
def errors_at(place: SourceLine | None) -> Iterator[None]:
    """Turn what is wrong with a request into an `InputError` at the place where the request was written, if any.

    Raises:
        InputError: for a `UsageError` or `DataError`, which pass as they are where there is no place.
    """
    try:
        yield
    except (UsageError, DataError) as error:
        if place is None:
            raise
        raise InputError(*place, str(error)) from error


def _clean_message(text: str) -> str:
    """A text fit to be a message: printable, in one line, without endless words."""
    return _LONG_WORD.sub(r"\1...\2", escape_unprintable(text))


ProblemHandler = Callable[[InputError], None]
"""What a reader calls with each problem it finds; it may raise (the default) or collect."""


def raise_first(problem: PrumEvalError) -> None:
    """Stop at the first problem: what every command but ``check`` wants."""
    raise problem
