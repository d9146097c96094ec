"""Exceptions of prum-eval and the form of their messages.

All exceptions that a user can cause derive from `PrumEvalError`. Messages are printable, one line per problem.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Control characters of terminals, line separators, marks that change the direction of writing, lone surrogates.
_CONTROL_CHARACTERS = r"\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_UNPRINTABLE = re.compile(rf"[\x00-\x1f{_CONTROL_CHARACTERS}]")
UNPRINTABLE_IN_LINES = re.compile(rf"[\x00-\x08\x0b-\x1f{_CONTROL_CHARACTERS}]")
"""Unprintable characters other than tabs and line feeds."""

_PLAIN_ASCII = bytes([9, 10, *range(32, 127)])
_LONG_WORD = re.compile(r"(\S{40})\S{180,}(\S{37})")


class PrintableText(str):
    """Text whose escape sequences a terminal is meant to obey; it is never escaped."""

    __slots__ = ()


def escape_unprintable(text: str, *, lines: bool = False) -> str:
    r"""The text with control characters written out, as ``\x1b``.

    >>> escape_unprintable("a\x1b[2Jb\n"), escape_unprintable("a\x1b[2Jb\n", lines=True)
    ('a\\x1b[2Jb\\n', 'a\\x1b[2Jb\n')

    Args:
        text: any text; printable text is returned unchanged.
        lines: whether line feeds and tabs stay.
    """
    if isinstance(text, PrintableText):
        return text
    if text.isascii() and (text.isprintable() or (lines and not text.encode().translate(None, _PLAIN_ASCII))):
        return text  # the usual case, and faster than the pattern
    return (UNPRINTABLE_IN_LINES if lines else _UNPRINTABLE).sub(lambda match: repr(match[0])[1:-1], text)


class PrumEvalError(Exception):
    """Base of every error that a user can cause; each text is printed on one line."""

    exit_status = 1

    def __init__(self, *texts: str) -> None:
        super().__init__("\n".join(map(_clean_message, texts)))

    @property
    def message(self) -> str:
        """Message as the command line prints it."""
        return f"prum-eval: {self}"


class InputError(PrumEvalError):
    """Bad data in an input, printed as ``FILE:LINE: reason`` (``FILE: reason`` without a line)."""

    def __init__(self, path: str, line: int | None, reason: str) -> None:
        self.path = path
        self.line = line
        self.reason = _clean_message(reason)
        place = path if line is None else f"{path}:{line}"
        Exception.__init__(self, f"{escape_unprintable(place)}: {self.reason}")

    @property
    def message(self) -> str:
        """``FILE:LINE: reason`` without a prefix, as editors and CI systems expect."""
        return str(self)

    def __reduce__(self) -> tuple[type[InputError], tuple[str, int | None, str]]:
        # Worker processes pickle exceptions; the default would lose the three parts.
        return (type(self), (self.path, self.line, self.reason))


class UnsupportedResultError(InputError):
    """A result that one measure cannot score; a measure selected through a set is then left out."""


class DataError(PrumEvalError):
    """Well-formed inputs that do not fit together, such as a missing collection size."""


class NoTargetsError(DataError):
    """A topic without targets, whose scores nothing explains."""


class UsageError(PrumEvalError):
    """An unknown name or an impossible setting; exit status 2."""

    exit_status = 2


SourceLine = tuple[str, int]
"""A file and a line number."""


@contextmanager
def errors_at(source: SourceLine | None) -> Iterator[None]:
    """Add the file and line where a setting was written to errors about it.

    Raises:
        InputError: in place of a `UsageError` or `DataError`, unless `source` is None.
    """
    try:
        yield
    except (UsageError, DataError) as error:
        if source is None:
            raise
        raise InputError(*source, str(error)) from error


def _clean_message(text: str) -> str:
    """The text without unprintable characters and line ends, very long words shortened."""
    return _LONG_WORD.sub(r"\1...\2", escape_unprintable(text))


ProblemHandler = Callable[[InputError], None]
"""A reader's callback for each problem; it raises (the default) or collects."""


def raise_first(problem: PrumEvalError) -> None:
    """Raise the problem; the handler of all commands but ``check``."""
    raise problem
