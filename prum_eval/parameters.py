"""Typed parameters of measures and user models: parsed from text, checked, documented from one record."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from prum_eval.errors import UsageError
from prum_eval.plugins import deprecated_fields

ParameterValue = float | str
ParameterValues = Mapping[str, ParameterValue]
NUMBER_PATTERN = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
"""How numbers are written: in the digits 0 to 9, without `_`, which Python takes too."""


@deprecated_fields(law="distribution")
@dataclass(slots=True, eq=False, repr=False)
class Parameter:
    """A parameter with its default, meaning and legal values: one of `choices`, or a number in [low, high].

    Where `open_low`, the lower bound itself is excluded; where `whole`, the number is an integer. A default of None
    stands for "chosen from the inputs". A number may be written after `distribution` and a colon (``geometric:0.5``). The value
    of a `file` is a path; shells complete it. `option`: the argument of `prum_eval.evaluate` that sets it too.
    """

    name: str
    default: ParameterValue | None
    meaning: str
    choices: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    whole: bool = False
    distribution: str = ""
    file: bool = False
    option: str = ""

    @property
    def legal_values(self) -> str:
        """The legal values in words."""
        if self.file:
            return "the path of a file"
        if self.choices:
            return " or ".join(self.choices)
        number = "a whole number" if self.whole else "a number"
        if math.isinf(self.low) and math.isinf(self.high):
            return number
        if math.isinf(self.high):
            return f"{number} {'above' if self.open_low else 'from'} {format_parameter(self.low)}{'' if self.open_low else ' up'}"
        return f"{number} {'above' if self.open_low else 'from'} {format_parameter(self.low)} to {format_parameter(self.high)}"

    def parse(self, text: str) -> ParameterValue:
        """The value that a text stands for.

        Raises:
            UsageError: it is none of the legal values.
        """
        if self.distribution:
            text = text.removeprefix(f"{self.distribution}:")
        if self.file and text:
            return text
        if self.choices:
            if text in self.choices:
                return text
        else:
            number = finite_number(text)
            above = number is not None and (number > self.low if self.open_low else number >= self.low)
            if number is not None and above and number <= self.high and not (self.whole and number % 1):
                return number
        raise UsageError(f"{self.name}={text}: {self.name} is {self.legal_values}")

    def accepts(self, text: str) -> bool:
        """Whether that text is one of the legal values."""
        try:
            self.parse(text)
        except UsageError:
            return False
        return True


def format_parameter(value: ParameterValue) -> str:
    """A value as it is written in names and signatures: the shortest text that reads back the same.

    >>> format_parameter(300.0), format_parameter(0.1), format_parameter("exact"), format_parameter(float("inf"))
    ('300', '0.1', 'exact', 'inf')
    """
    if isinstance(value, str):
        return value
    return str(int(value)) if abs(value) < 1e15 and value == int(value) else repr(float(value))


def finite_number(text: str) -> float | None:
    """The number that a text stands for; None where it is none, or too large for one.

    >>> finite_number(".5"), finite_number("1e999"), finite_number("on")
    (0.5, None, None)
    """
    number = float(text) if NUMBER_PATTERN.fullmatch(text) else math.nan
    return number if math.isfinite(number) else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean X?`` with the nearest known name, upper case or lower, or nothing.

    >>> did_you_mean("MAP", ["map", "P"]), did_you_mean("mode", ["user_model"])
    ('; did you mean map?', '')
    """
    import difflib  # only what is misspelt needs it

    folded = {one.casefold(): one for one in known}
    near = difflib.get_close_matches(name.casefold(), folded, n=1)
    return f"; did you mean {folded[near[0]]}?" if near else ""


def split_settings(text: str) -> dict[str, str]:
    """``key=value,key=value`` as a dictionary.

    Raises:
        UsageError: a part is no ``key=value``, or a key comes twice.
    """
    settings: dict[str, str] = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if not (key and equals and value):
            raise UsageError(f"{part or text!r} is no setting; write key=value")
        if key in settings:
            raise UsageError(f"{key} is set twice")
        settings[key] = value
    return settings
