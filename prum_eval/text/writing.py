"""What the writers share: names that a form can hold, numbers as they are read back."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum

from prum_eval.errors import InputError
from prum_eval.text.numbers import shown


class Holds(Enum):
    """Names that a form cannot hold: a pattern, and what to say of them."""

    COLUMN = re.compile(r"[ \t\n\v\f\r]"), "columns cannot hold white space"
    FIRST_COLUMN = re.compile(r"[ \t\n\v\f\r]|^[<{\ufeff]"), "a line cannot begin so, nor hold white space in a name"
    TAB_COLUMN = re.compile(r"[\t\n\r]"), "columns cannot hold tabs and line ends"
    FIRST_TAB_COLUMN = re.compile(r"[\t\n\r]|^[#<\ufeff]|^\s*$"), "a line cannot begin so, nor hold tabs in a name"
    XML = (
        re.compile(r"[\x00-\x1f\x7f\ufffe\uffff]|^\s|\s$"),
        "XML cannot hold control characters and blanks at the ends",
    )
    JSON = re.compile(r"[\x00-\x1f\x7f]"), "JSON Lines cannot hold control characters in a name"

    def first_bad(self, names: Iterable[str]) -> str | None:
        """The first name that the form cannot hold."""
        return next(filter(self.value[0].search, names), None)


def refuse(path: str, line: int, field: str, name: str, holds: Holds) -> InputError:
    """The error of a name that a form cannot hold; a line below 1 is none."""
    return InputError(path, line if line > 0 else None, f"{field} {shown(name)}: {holds.value[1]}")


def joined_lines(lines: Iterable[str]) -> bytes:
    """Lines as UTF-8, each with its end."""
    return "".join(f"{line}\n" for line in lines).encode()
