"""Thresholds of a gold file: what the averages of every run must reach, as ``map >= 0.30``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

_HOLDS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)"
_THRESHOLD = re.compile(rf"\s*(?P<measure>[^\s<>=][^\s<>]*?)\s*(?P<sign>>=|<=|>|<)\s*(?P<bound>{_NUMBER})\s*")
EXPECTED = "expected MEASURE >= NUMBER (or <=, >, <)"
"""What a threshold looks like, for messages."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A bound of the average of one measure, by its printed name. `text` is how it was written."""

    text: str
    measure: str
    sign: str
    bound: float

    def is_met(self, value: float | None) -> bool:
        """Whether an average keeps to it; one that has no number does not."""
        return value is not None and _HOLDS[self.sign](value, self.bound)


def read_threshold(text: str) -> Threshold | None:
    """The threshold that a text states; None where it states none.

    >>> read_threshold("map >= 0.30")
    Threshold(text='map >= 0.30', measure='map', sign='>=', bound=0.3)
    >>> read_threshold("map")
    """
    match = _THRESHOLD.fullmatch(text)
    return None if match is None else Threshold(text.strip(), match["measure"], match["sign"], float(match["bound"]))
