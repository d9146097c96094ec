"""Lists of values in options: ``VALUE,VALUE,...``, ``FIRST:LAST:STEP`` or ``FIRST:LAST:logN``."""

from __future__ import annotations

import math
import re
from decimal import Decimal

from prum_eval.errors import UsageError
from prum_eval.parameters import finite_number, format_parameter

MAX_VALUES = 10_000
_LAST_TOLERANCE = 1e-9
_SYNTAX_HINT = "write VALUE,VALUE,..., FIRST:LAST:STEP or FIRST:LAST:logN"
_LOGARITHMIC = re.compile(r"log([0-9]{1,9})")

_PREFIXED = re.compile(r"[a-z]+:[^:]+")
"""A number with a word before it, as in ``useful:0.5``."""


def parse_value_list(text: str) -> list[str]:
    """Parse a list of values.

    FIRST:LAST:STEP includes LAST (to 1e-9 of a step); FIRST:LAST:logN are N values with equal ratios.

    >>> parse_value_list("0:.3:.1"), parse_value_list("1:100:log3"), parse_value_list("on,off")
    (['0', '0.1', '0.2', '0.3'], ['1', '10', '100'], ['on', 'off'])

    Raises:
        UsageError: a value is bad, or there are more than `MAX_VALUES`.
    """
    values = text.split(",")
    if all(":" not in value or _PREFIXED.fullmatch(value) for value in values):
        if not all(values):
            raise UsageError(f"{text!r} has an empty value; {_SYNTAX_HINT}")
        return values
    parts = text.split(":")
    logarithmic = _LOGARITHMIC.fullmatch(parts[-1])
    ends = parts[: 2 if logarithmic else 3]
    if len(parts) != 3 or any(finite_number(end) is None for end in ends):
        raise UsageError(f"{text!r} is not a list of values; {_SYNTAX_HINT}")
    first, last, *steps = map(Decimal, ends)  # in decimal, .1 + .1 + .1 is .3
    if logarithmic:
        count = int(logarithmic[1])
        if float(min(first, last)) <= 0 or count < 2:
            raise UsageError(f"{text!r}: logN takes two numbers above 0, and N from 2 up")
        _check_count(text, count)
        low, high = math.log(float(first)), math.log(float(last))
        inner = (math.exp(low + (high - low) * number / (count - 1)) for number in range(1, count - 1))
        return list(map(format_parameter, [float(first), *(float(f"{value:.12g}") for value in inner), float(last)]))
    (step,) = steps
    if float(step) <= 0 or last < first:
        raise UsageError(f"{text!r}: FIRST:LAST:STEP takes a LAST from FIRST up, and a STEP above 0")
    steps_to_last = float(last - first) / float(step) + _LAST_TOLERANCE
    _check_count(text, steps_to_last)
    return [format_parameter(float(first + step * number)) for number in range(math.floor(steps_to_last) + 1)]


def _check_count(text: str, count: float) -> None:
    if not count < MAX_VALUES:
        raise UsageError(f"{text!r}: more than {MAX_VALUES} values")
