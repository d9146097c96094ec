"""Logs of what users did: which results they consulted, what they viewed from there, and where they stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from prum_eval.tabular import plural


class LoggedPlace(NamedTuple):
    """A place as a log names it: a document, an element of it by its path, or an extent in characters.

    `path` is in normal form, empty where there is none; `start` and `length` are -1 where there is no extent.
    """

    document: str
    path: str = ""
    start: int = -1
    length: int = -1

    @property
    def text(self) -> str:
        """As logs write it.

        >>> LoggedPlace("a", "/x[1]/p[2]").text, LoggedPlace("a", start=5, length=7).text, LoggedPlace("a").text
        ('a#/x[1]/p[2]', 'a@5:7', 'a')
        """
        if self.start >= 0:
            return f"{self.document}@{self.start}:{self.length}"
        return f"{self.document}#{self.path}" if self.path else self.document


class Consultation(NamedTuple):
    """A line of a log: a result that a user consulted.

    `viewed`: places that the user saw from there, in this order. `read`: characters that were read from the beginning
    of the result, None where the log does not say. `stop`: the user went no further in the list.
    """

    session: str
    topic: str
    rank: int
    result: LoggedPlace
    viewed: tuple[LoggedPlace, ...]
    read: int | None
    stop: bool
    line: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UserLog:
    """A log, in the order of its lines."""

    path: str
    lines: tuple[Consultation, ...]

    @property
    def summary(self) -> str:
        """How much there is of it."""
        users = plural(len({one.session for one in self.lines}), "session")
        return f"{users}, {plural(len(self.lines), 'line')}"

    def __repr__(self) -> str:
        return f"<UserLog {self.path}: {self.summary}>"
