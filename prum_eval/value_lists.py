"""Lists of values as options take them: one after the other, or from one number to another in steps."""

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


def parse_value_list(text: str) -> list[str]:
    """The values of a list, or of FIRST:LAST:STEP with LAST within 1e-9, or of FIRST:LAST:logN: N at equal ratios.

    >>> parse_value_list("0:.3:.1"), parse_value_list("1:100:log3"), parse_value_list("on,off")
    (['0', '0.1', '0.2', '0.3'], ['1', '10', '100'], ['on', 'off'])

    Raises:
        UsageError: a bad number, or more values than `MAX_VALUES`.
    """
    if ":" not in text:
        listed = text.split(",")
        if not all(listed):
            raise UsageError(f"{text!r} has an empty value; {_SYNTAX_HINT}")
        return listed
    parts = text.split(":")
    logarithmic = _LOGARITHMIC.fullmatch(parts[-1])
    ends = parts[: 2 if logarithmic else 3]
    if len(parts) != 3 or any(finite_number(end) is None for end in ends):
        raise UsageError(f"{text!r} is no list of values; {_SYNTAX_HINT}")
    first, last, *steps = map(Decimal, ends)  # in decimal, .1 + .1 + .1 is .3
    if logarithmic:
        count = int(logarithmic[1])
        if float(min(first, last)) <= 0 or count < 2:
            raise UsageError(f"{text!r}: logN takes two numbers above 0, and N from 2 up")
        _check_count(text, count)
        low, high = (math.log(float(end)) for end in (first, last))
        found = [math.exp(low + (high - low) * number / (count - 1)) for number in range(1, count - 1)]
        return [
            format_parameter(float(first)),
            *(format_parameter(float(f"{value:.12g}")) for value in found),
            format_parameter(float(last)),
        ]
    (step,) = steps
    if float(step) <= 0 or last < first:
        raise UsageError(f"{text!r}: FIRST:LAST:STEP takes a LAST from FIRST up, and a STEP above 0")
    steps_to_last = float(last - first) / float(step) + _LAST_TOLERANCE
    _check_count(text, steps_to_last)
    return [format_parameter(float(first + step * number)) for number in range(math.floor(steps_to_last) + 1)]


def _check_count(text: str, count: float) -> None:
    if not count < MAX_VALUES:
        raise UsageError(f"{text!r}: more than {MAX_VALUES} values")
