"""What is varied: one parameter and its values, as ``KEY=VALUES`` says it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from prum_eval.errors import UsageError
from prum_eval.evaluation.api import ComputingKeywords
from prum_eval.evaluation.options import OptionVariant
from prum_eval.parameters import finite_number, show
from prum_eval.value_lists import values_listed

GivenVary: TypeAlias = "str | Mapping[str, str | float | Sequence[str | float]]"
"""``KEY=VALUES`` in text, or ``{KEY: VALUES}``, values in text or one by one."""

SIMULATED_VALUE = "value"
"""The key that stands for what simulated runs were varied by: a column of their list."""
LIMIT = "limit"
VARIED_OPTIONS = ("user_model", "quantisation", "targets", LIMIT)
"""Keys that are arguments of `prum_eval.evaluate` themselves; all others are parameters, as `settings` takes them."""
_MODEL = "user_model"
_WHOLE = re.compile(r"[0-9]{1,10}")
_MOST = 2**31 - 1


@dataclass(frozen=True)
class Varied:
    """A parameter and its values as they are shown: numbers increase, others are in the order given.

    No values, of `SIMULATED_VALUE` only, are all that there are.
    """

    key: str
    values: tuple[str, ...]

    @cached_property
    def numbers(self) -> tuple[float, ...] | None:
        """The values, where all are numbers."""
        return numbers_of(self.values)

    @cached_property
    def logarithmic(self) -> bool:
        """Whether the values are spaced more evenly by their ratios than by their differences."""
        return self.numbers is not None and _more_even_by_ratios(self.numbers)

    def variants(self, options: ComputingKeywords) -> list[OptionVariant]:
        """The options of an evaluation at each value; none for keys that no measure and no setting takes part in."""
        if self.key in (SIMULATED_VALUE, LIMIT):
            return []
        if self.key in VARIED_OPTIONS:
            return [OptionVariant(f"{self.key}={value}", {self.key: value}) for value in self.values]
        settings = options.get("settings") or {}
        return [
            OptionVariant(f"{self.key}={value}", {"settings": {**settings, self.key: value}}) for value in self.values
        ]


def numbers_of(values: Sequence[str]) -> tuple[float, ...] | None:
    """The numbers that texts stand for; None where one is no number, or too large for one, or there is none.

    >>> numbers_of(["0", "0.5"]), numbers_of(["none", "t2i"])
    ((0.0, 0.5), None)
    """
    numbers = [number for number in map(finite_number, values) if number is not None]
    return tuple(numbers) if values and len(numbers) == len(values) else None


def varied(vary: GivenVary, options: ComputingKeywords) -> Varied:
    """What is varied, checked against the options of the evaluation.

    Raises:
        UsageError: it is no ``KEY=VALUES``, a value comes twice, or an option says the key already.
    """
    key, text, values = _parts(vary)
    about = f"--vary {text}"
    if not values and key != SIMULATED_VALUE:
        raise UsageError(f"{about}: write KEY=VALUES")
    if numbers_of(values):
        values = [show(number) for number in sorted(map(float, values))]
    again = next((value for number, value in enumerate(values) if value in values[:number]), None)
    if again is not None:
        raise UsageError(f"{about}: {again} is listed twice")
    if key == LIMIT and (bad := [one for one in values if not (_WHOLE.fullmatch(one) and 1 <= int(one) <= _MOST)]):
        raise UsageError(f"{about}: {LIMIT}={bad[0]}: {LIMIT} is a whole number from 1 to {_MOST}")
    own = {name: options.get(name) for name in VARIED_OPTIONS}
    given: Mapping[str, object] = {**(options.get("settings") or {}), **own}
    if given.get(key) is not None:
        raise UsageError(f"{about}: {key} is varied, and given as {given[key]} too")
    return Varied(key, tuple(values))


def _parts(vary: GivenVary) -> tuple[str, str, list[str]]:
    """Key, the whole in text for messages, and the values in text."""
    if isinstance(vary, str):
        key, equals, text = vary.partition("=")
        if not key or (equals and not text):
            raise UsageError(f"--vary {vary}: write KEY=VALUES")
        return key, vary, _listed(key, text, vary)
    if len(vary) != 1:
        raise UsageError(f"vary: {len(vary)} parameters; one is varied at a time")
    ((key, given),) = vary.items()
    if isinstance(given, str):
        return key, f"{key}={given}", _listed(key, given, f"{key}={given}")
    values = [
        one if isinstance(one, str) else show(one) for one in ([given] if isinstance(given, float | int) else given)
    ]
    return key, f"{key}={','.join(values)}", values


def _listed(key: str, text: str, about: str) -> list[str]:
    if not text:
        return []
    if key == _MODEL:
        return _models(text)
    try:
        return values_listed(text)
    except UsageError as error:
        raise UsageError(f"--vary {about}: {error}") from error


def _models(text: str) -> list[str]:
    """User models with their settings: a comma before ``key=value`` goes on with the settings of the one before it.

    >>> _models("none,t2i:tolerance=300,once=on,coverage")
    ['none', 't2i:tolerance=300,once=on', 'coverage']
    """
    found: list[str] = []
    for part in text.split(","):
        if found and "=" in part and ":" not in part and ":" in found[-1]:
            found[-1] += f",{part}"
        else:
            found.append(part)
    if not all(found):
        raise UsageError(f"--vary {_MODEL}={text}: {text!r} has an empty value; write MODEL,MODEL,...")
    return found


def _more_even_by_ratios(numbers: Sequence[float]) -> bool:
    if len(numbers) < 3 or min(numbers) <= 0:
        return False
    gaps = [high - low for low, high in pairwise(numbers)]
    ratios = np.diff(np.log(numbers)).tolist()
    return bool(max(ratios) / min(ratios) < max(gaps) / min(gaps) * (1 - 1e-9))
