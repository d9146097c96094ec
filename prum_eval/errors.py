"""Exceptions of prum-eval: one tree, and every error a user can cause says where and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class PrumEvalError(Exception):
    """Base of every error that a user can cause; its text is what the user reads."""

    exit_status = 1

    @property
    def message(self) -> str:
        """What the command line prints."""
        return f"prum-eval: {self}"


class InputError(PrumEvalError):
    """Bad data in an input, printed as ``FILE:LINE: reason`` (``FILE: reason`` where no line is meant)."""

    def __init__(self, path: str, line: int | None, reason: str) -> None:
        self.path = path
        self.line = line
        self.reason = reason
        place = path if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {reason}")

    @property
    def message(self) -> str:
        """``FILE:LINE: reason``, nothing before it: editors and CI systems find the place."""
        return str(self)

    def __reduce__(self) -> tuple[type[InputError], tuple[str, int | None, str]]:
        # Exceptions travel between worker processes; the default would lose the three parts.
        return (type(self), (self.path, self.line, self.reason))


class RefusedError(InputError):
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


Problems = Callable[[InputError], None]
"""What a reader calls with each problem it finds; it may raise (the default) or collect."""


def raise_first(problem: PrumEvalError) -> None:
    """Stop at the first problem: what every command but ``check`` wants."""
    raise problem
