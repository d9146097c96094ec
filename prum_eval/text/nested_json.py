"""JSON objects of objects, ``{topic: {document: number}}``, as columns with the line of every member.

Python's own parser reports no lines. A pattern reads the usual members, the parser everything else.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from prum_eval.errors import InputError, ProblemHandler
from prum_eval.text.json_lines import BadValueError, check_name, decoding_error, encode_json_value
from prum_eval.text.numbers import FIRST_INEXACT_INTEGER, expected_message, quote_value

_BLANK = r"[ \t\n\r]*+"
_STRING = r'"(?:[^"\\\x00-\x1f]|\\.)*+"'
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
_KEY = re.compile(rf"{_BLANK}({_STRING}){_BLANK}:{_BLANK}")
_USUAL_MEMBER = re.compile(rf'{_BLANK}"([^"\\\x00-\x1f\x7f]++)"{_BLANK}:{_BLANK}({_NUMBER}){_BLANK},{_BLANK}(?=")')
_NEXT = re.compile(rf"{_BLANK}(.?)", re.DOTALL)
_FIRST_OBJECT = re.compile(rf"\{{{_BLANK}{_STRING}{_BLANK}:{_BLANK}(?=\{{)")
_OTHER_MEMBER = re.compile(rf"{_BLANK},{_BLANK}{_STRING}{_BLANK}:{_BLANK}[^{{ \t\n\r]")
_DECODER = json.JSONDecoder()


def is_nested_object(head: bytes) -> bool:
    """Whether a text begins with an object of objects; an object with other values, too, is a line of JSON Lines.

    >>> is_nested_object(b'{"q1": {"moon": 1}, "q2": {'), is_nested_object(b'{"metadata": {"page": 3}, "doc": "a"}')
    (True, False)
    """
    text = head.decode(errors="replace")
    first = _FIRST_OBJECT.match(text)
    if first is None:
        return False
    try:
        _, end = _DECODER.raw_decode(text, first.end())
    except (ValueError, RecursionError):  # its end is further on, or it is bad, which the reader reports
        return True
    return _OTHER_MEMBER.match(text, end) is None


@dataclass(slots=True, eq=False, repr=False)
class NestedColumns:
    """The members of all inner objects; outer object i has the next ``sizes[i]`` of them."""

    outer: list[bytes] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    inner: list[bytes] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


class NestedReader:
    """Reader of an object of objects of numbers; bad members are reported and left out.

    Args:
        text: the JSON.
        name: name of the input, for messages.
        problems: receives the reports. What is no JSON is reported and ends the reading.
        fields: what an outer name, an inner name and a number are, for messages.
        whole: only whole numbers are good.
    """

    def __init__(
        self, text: str, name: str, problems: ProblemHandler, fields: tuple[str, str, str], *, whole: bool
    ) -> None:
        self._text, self._name, self._problems = text, name, problems
        self._outer, self._inner, self._value = fields
        self._expected = "a whole number" if whole else "a finite number"
        self._whole = whole
        self._at = 0
        self._line, self._counted = 1, 0  # the line of a position up to `_at`
        self._columns = NestedColumns()
        self._first_lines: dict[bytes, int] = {}

    def read(self) -> NestedColumns:
        """The columns of the whole text."""
        try:
            self._expect("{")
            self._read_members(self._read_outer)
            if self._next_character():
                raise self._problem("something after the object")
        except InputError as problem:
            self._problems(problem)
        self._drop_members(sum(self._columns.sizes))  # of an inner object without end
        return self._columns

    def _read_members(self, read_member: Callable[[], str]) -> None:
        """Consume the rest of an object; the function consumes a member and returns the character behind it."""
        if self._next_character() == "}":
            self._at += 1
            return
        while read_member() == ",":
            pass

    def _read_outer(self) -> str:
        columns, before = self._columns, len(self._columns.inner)
        key, label = self._key(self._outer)
        if label is not None and label in self._first_lines:
            first = self._first_lines[label]
            self._report(f"{self._outer} {quote_value(key)} appears twice (first on line {first})", self._line)
            label = None
        if label is not None:
            self._first_lines[label] = self._line
        self._expect("{")
        self._read_usual_members()
        self._read_members(self._read_inner)
        if label is None:
            self._drop_members(before)
        else:
            columns.outer.append(label)
            columns.sizes.append(len(columns.inner) - before)
        return self._separator()

    def _drop_members(self, first: int) -> None:
        del self._columns.inner[first:], self._columns.numbers[first:], self._columns.lines[first:]

    def _read_usual_members(self) -> None:
        """Consume members of plain names and good numbers that others follow, as many as there are."""
        text, at, names, digits, places = self._text, self._at, list[str](), list[str](), list[int]()
        while (member := _USUAL_MEMBER.match(text, at)) is not None:
            names.append(member[1])
            digits.append(member[2])
            places.append(member.start(1))
            at = member.end()
        numbers = list(map(float, digits))
        if not at > self._at or None in map(self._number, numbers):
            return  # which `_read_inner` reports
        self._columns.inner += [name.encode() for name in names]
        self._columns.numbers += numbers
        for place in places:
            self._advance(place)
            self._columns.lines.append(self._line)
        self._advance(at)

    def _read_inner(self) -> str:
        key, label = self._key(self._inner)
        line, value = self._line, self._any_value()
        number = self._number(value)
        if number is None:
            what = f"{self._value} of {self._inner} {quote_value(key)}"
            self._report(expected_message(what, self._expected, encode_json_value(value)), line)
        elif label is not None:
            self._columns.inner.append(label)
            self._columns.numbers.append(number)
            self._columns.lines.append(line)
        return self._separator()

    def _number(self, value: Any) -> float | None:  # noqa: ANN401 - any JSON
        """The value as a number; None if it is not good."""
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > sys.float_info.max:
            return None
        number = float(value)
        whole = number.is_integer() and abs(number) < FIRST_INEXACT_INTEGER
        bad = math.isnan(number) or (self._whole and not whole)
        return None if bad else number

    # Parts of the text.

    def _key(self, what: str) -> tuple[str, bytes | None]:
        """Consume a key and its colon; the key, and its bytes or None if it is no good name, which is reported."""
        match = _KEY.match(self._text, self._at)
        if match is None:
            raise self._unexpected(f"the name of a {what} in quotes and a colon")
        self._advance(match.start(1))
        try:
            key: str = json.loads(match[1])
        except json.JSONDecodeError as error:
            raise self._problem(error.msg) from error
        label = None
        try:
            label = check_name(what, key)
        except BadValueError as error:
            self._report(str(error), self._line)
        self._at = match.end()
        return key, label

    def _any_value(self) -> Any:  # noqa: ANN401 - any JSON
        try:
            value, end = _DECODER.raw_decode(self._text, self._at)
        except (ValueError, RecursionError) as error:
            if isinstance(error, json.JSONDecodeError):
                raise self._unexpected(self._expected) from error
            raise InputError(self._name, self._line, str(decoding_error(error))) from error
        self._advance(end)
        return value

    def _separator(self) -> str:
        """Consume what follows a member: ``,`` or ``}``."""
        character = self._next_character()
        if not character or character not in ",}":
            raise self._unexpected("',' or '}'")
        self._at += 1
        return character

    def _expect(self, character: str) -> None:
        if self._next_character() != character:
            raise self._unexpected(repr(character))
        self._at += 1

    def _next_character(self) -> str:
        """The next character that is not blank; empty at the end."""
        match = _NEXT.match(self._text, self._at)
        self._advance(match.start(1))  # type: ignore[union-attr]
        return self._text[self._at : self._at + 1]

    def _advance(self, end: int) -> None:
        self._line += self._text.count("\n", self._counted, end)
        self._at = self._counted = end

    def _unexpected(self, expected: str) -> InputError:
        character = self._next_character()
        return self._problem(f"expected {expected}, found {quote_value(character) if character else 'the end'}")

    def _problem(self, reason: str) -> InputError:
        return InputError(self._name, self._line, f"not JSON: {reason}")

    def _report(self, reason: str, line: int) -> None:
        self._problems(InputError(self._name, line, reason))
