"""Typed parameters of measures and user models, and the syntax of numbers and settings."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral

from prum_eval.errors import UsageError
from prum_eval.plugins import deprecated_fields

ParameterValue = float | str
ParameterValues = Mapping[str, ParameterValue]
NUMBER_PATTERN = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
"""Syntax of numbers: ASCII digits only, and no `_`, which Python would accept."""
_NUMBER = f"(?:{NUMBER_PATTERN.pattern})"
NUMBERS_PATTERN = f"{_NUMBER}(?:/{_NUMBER}){{}}"
"""Syntax of several numbers with / between them; format it with how many follow the first."""
_GAIN = f"-?[0-9]+={_NUMBER}"
GAINS_PATTERN = f"{_GAIN}(?:/{_GAIN})*"
"""Syntax of gains by grade: ``1=3/2=9``."""


@deprecated_fields(law="distribution")
@dataclass(slots=True, eq=False, repr=False)
class Parameter:
    """A parameter: name, default, meaning and legal values (one of `choices`, or a number in [low, high]).

    Attributes:
        name: key in ``key=value``.
        default: None if the inputs determine it.
        meaning: one line of documentation.
        choices: legal words; empty for a number.
        low: lower bound.
        high: upper bound.
        open_low: whether the lower bound itself is excluded.
        whole: whether the number must be an integer.
        distribution: optional prefix of the number, as in ``geometric:0.5``.
        form: prefix that gives the number another meaning, as in ``useful:0.5``; the value is then this text.
        file: whether the value is a path, which shells complete.
        option: argument of `prum_eval.evaluate` that also sets this parameter.
        pattern: regular expression of a text that is legal, in place of a number.
        in_words: such a text in words.
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
    form: str = ""
    file: bool = False
    option: str = ""
    pattern: str = ""
    in_words: str = ""

    @property
    def legal_values(self) -> str:
        """Legal values in words."""
        if self.file:
            return "the path of a file"
        if self.pattern:
            return self.in_words
        if self.choices:
            return " or ".join(self.choices)
        number = "a whole number" if self.whole else "a number"
        if not math.isinf(self.low):
            number += f" {'above' if self.open_low else 'from'} {format_parameter(self.low)}"
            if not math.isinf(self.high):
                number += f" to {format_parameter(self.high)}"
            elif not self.open_low:
                number += " up"
        return f"{number}, or {self.form}: and such a number" if self.form else number

    def parse(self, text: str) -> ParameterValue:
        """Parse a value.

        Raises:
            UsageError: the value is not legal.
        """
        if self.distribution:
            text = text.removeprefix(f"{self.distribution}:")
        if self.file and text:
            return text
        if self.choices or self.pattern:
            if text in self.choices or (self.pattern and re.fullmatch(self.pattern, text)):
                return text
        else:
            form, _, rest = text.rpartition(":")
            has_form = bool(self.form) and form == self.form
            number = finite_number(rest if has_form else text)
            if (
                number is not None
                and self.low <= number <= self.high
                and not (self.open_low and number == self.low)
                and not (self.whole and number % 1)
            ):
                return f"{form}:{format_parameter(number)}" if has_form else number
        raise UsageError(f"{self.name}={text}: {self.name} is {self.legal_values}")

    def accepts(self, text: str) -> bool:
        """Whether the text is a legal value."""
        try:
            self.parse(text)
        except UsageError:
            return False
        return True


GAINS = Parameter(
    "gains",
    None,
    "gains of grades, as in 1=3/2=9; of other grades the grade",
    pattern=GAINS_PATTERN,
    in_words="gains of grades, as in 1=3/2=9",
)
"""What a grade is worth."""


def parse_numbers(text: str) -> tuple[float, ...]:
    """The numbers in a text with / between them.

    >>> parse_numbers("1/-.5")
    (1.0, -0.5)
    """
    return tuple(map(float, text.split("/")))


def parse_gains(text: str) -> dict[int, float]:
    """Gains by grade; the first one of a grade counts.

    >>> parse_gains("1=3/2=4.5"), parse_gains("")
    ({1: 3.0, 2: 4.5}, {})
    """
    gains: dict[int, float] = {}
    for grade, gain in (part.split("=") for part in text.split("/") if part):
        gains.setdefault(int(grade), float(gain))
    return gains


def format_parameter(value: ParameterValue) -> str:
    """The value as names and signatures print it: the shortest text that parses to the same value.

    >>> format_parameter(300.0), format_parameter(0.1), format_parameter("exact"), format_parameter(float("inf"))
    ('300', '0.1', 'exact', 'inf')
    """
    if isinstance(value, str):
        return value
    return str(int(value)) if abs(value) < 1e15 and value == int(value) else repr(float(value))


def finite_number(text: str) -> float | None:
    """The number in a text; None if it is no number or overflows.

    >>> finite_number(".5"), finite_number("1e999"), finite_number("on")
    (0.5, None, None)
    """
    number = float(text) if NUMBER_PATTERN.fullmatch(text) else math.nan
    return number if math.isfinite(number) else None


def did_you_mean(name: str, choices: Iterable[str]) -> str:
    """``; did you mean X?`` with the closest choice, ignoring case; empty if none is close.

    >>> did_you_mean("MAP", ["map", "P"]), did_you_mean("mode", ["user_model"])
    ('; did you mean map?', '')
    """
    import difflib  # needed for misspelt names only

    by_case = {choice.casefold(): choice for choice in reversed(list(choices))}  # of equal ones the first
    matches = difflib.get_close_matches(name.casefold(), by_case, n=1)
    return f"; did you mean {by_case[matches[0]]}?" if matches else ""


def split_outside_brackets(text: str) -> list[str]:
    """Parts of a text between the commas outside parentheses and braces.

    >>> split_outside_brackets("gains={1:2,2:5},p=1")
    ['gains={1:2,2:5}', 'p=1']
    """
    parts, depth, begin = list[str](), 0, 0
    for place, character in enumerate(text):
        depth += (character in "({") - (character in ")}")
        if character == "," and depth <= 0:
            parts.append(text[begin:place])
            begin = place + 1
    return [*parts, text[begin:]]


def partition_settings(text: str) -> tuple[str, str, str]:
    """Text before the first colon outside parentheses, the colon, and the text after it.

    >>> partition_settings("nDCG(gains={1:2})@10"), partition_settings("map:rel=2")
    (('nDCG(gains={1:2})@10', '', ''), ('map', ':', 'rel=2'))
    """
    head, colon, tail = text.partition(":")
    while colon and head.count("(") > head.count(")"):
        more, next_colon, rest = tail.partition(":")
        head, colon, tail = f"{head}{colon}{more}", next_colon, rest
    return head, colon, tail


def split_settings(text: str) -> dict[str, str]:
    """Parse ``key=value,key=value``; commas in parentheses and braces belong to values.

    Raises:
        UsageError: a part is not ``key=value``, or a key is repeated.
    """
    settings: dict[str, str] = {}
    for part in split_outside_brackets(text):
        key, equals, value = part.partition("=")
        if not (key and equals and value):
            raise UsageError(f"{part or text!r} is not a setting; write key=value")
        if key in settings:
            raise UsageError(f"{key} is set twice")
        settings[key] = value
    return settings


def text_counter(tokens: object) -> Callable[[str], int] | None:
    """The function, if it counts the tokens of a text; None for a number and a function of (document, start, end).

    >>> text_counter(len) is len, text_counter(lambda document, start, end: 1), text_counter(0.25)
    (True, None, None)

    Raises:
        UsageError: the function takes neither.
    """
    if not callable(tokens):
        return None
    takes = {n: _takes_arguments(tokens, n) for n in (1, 3)}
    if not any(takes.values()):
        raise UsageError("tokens: expected a function of a text, or of (document, start, end)")
    return None if takes[3] else tokens


def _takes_arguments(function: Callable[..., object], count: int) -> bool:
    """Whether a function takes so many arguments; of one without a signature, whether this is one."""
    import inspect  # few calls pass functions

    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # built in, without a signature
        return count == 1
    return True


def count_tokens(function: Callable[..., object], *arguments: object, where: str) -> int:
    """The number of tokens that a user's function returns for a result.

    >>> count_tokens(lambda text: len(text.split()), "a day ticket", where="result 1")
    3

    Raises:
        UsageError: the function fails, or returns no whole number above 0.
    """
    try:
        count = function(*arguments)
    except Exception as error:
        raise UsageError(f"tokens: the function failed for {where}: {type(error).__name__}: {error}") from error
    if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
        raise UsageError(f"tokens: the function returned {count!r} for {where}: expected a whole number above 0")
    return int(count)
