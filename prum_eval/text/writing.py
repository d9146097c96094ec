"""What the writers share: names that a form can hold, numbers as they are read back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import Enum

from prum_eval.errors import InputError
from prum_eval.text.numbers import shown


class Holds(Enum):
    """Names that a form cannot hold: a pattern, and what to say of them."""

    COLUMN = r"[ \t\n\v\f\r]", "columns cannot hold white space"
    FIRST_COLUMN = r"[ \t\n\v\f\r]|^[<{\ufeff]|^\[[{\]]", "a line cannot begin so, nor hold white space in a name"
    FIRST_TAB_COLUMN = r"[\t\n\r]|^[#<\ufeff]|^\s*$", "a line cannot begin so, nor hold tabs in a name"
    XML = (
        r"[\x00-\x1f\x7f\ufffe\uffff]|^\s|\s$",
        "XML cannot hold control characters and blanks at the ends",
    )
    JSON = r"[\x00-\x1f\x7f]", "JSON Lines cannot hold control characters in a name"

    def check(self, path: str, field: str, names: Iterable[str], line_of: Callable[[int], int]) -> None:
        """Refuse names that the form cannot hold; `line_of` tells the line of the name of a number, below 1 for none.

        Raises:
            InputError: on the first such name.
        """
        pattern, reason = re.compile(self.value[0]), self.value[1]  # now: most calls write nothing
        for number, name in enumerate(names):
            if pattern.search(name):
                line = int(line_of(number))
                raise InputError(path, line if line > 0 else None, f"{field} {shown(name)}: {reason}")


def joined_lines(lines: Iterable[str]) -> bytes:
    """Lines as UTF-8, each with its end."""
    return "".join(f"{line}\n" for line in lines).encode()
