"""JSON Lines: one object a line, with keys that are known; every value is checked where it is asked for."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from prum_eval.errors import InputError, Problems
from prum_eval.text.json_values import BadValueError, no_number, once
from prum_eval.text.lines import BlankLines, line_blocks
from prum_eval.text.numbers import FARTHEST, expected, shown

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TYPES = {list: "an array", str: "a string", bool: "true or false", int: "a number", float: "a number"}


@dataclass(frozen=True, slots=True)
class JsonObject:
    """The object of one line."""

    line: int
    values: dict[str, Any]

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def name(self, key: str) -> bytes:
        """A name: text without control characters; an integer is taken as its digits."""
        value = self._get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value or _CONTROL.search(value):
            raise BadValueError(expected(key, "a name, text without control characters", written(value)))
        try:
            return value.encode()
        except UnicodeEncodeError:  # half of a surrogate pair
            raise BadValueError(expected(key, "text that UTF-8 can write", written(value))) from None

    def text(self, key: str) -> bytes:
        """Any text, in UTF-8."""
        value = self._get(key)
        if not isinstance(value, str):
            raise BadValueError(expected(key, "text", written(value)))
        try:
            return value.encode()
        except UnicodeEncodeError:  # half of a surrogate pair
            raise BadValueError(f"{key}: expected text that UTF-8 can write, found half of a surrogate pair") from None

    def count(self, key: str, least: int = 0) -> int:
        """An integer from `least` to the largest offset."""
        return count(key, self._get(key), least)

    def number(self, key: str) -> float:
        """A finite number."""
        value = self._get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                number = float(value)
            except OverflowError:
                number = math.inf
            if math.isfinite(number):
                return number
        raise BadValueError(expected(key, "a finite number", written(value)))

    def array(self, key: str, what: str) -> list[Any]:
        """An array."""
        value = self._get(key)
        if not isinstance(value, list):
            raise BadValueError(expected(key, what, written(value)))
        return value

    def _get(self, key: str) -> Any:  # noqa: ANN401 -- whatever the line holds
        if key not in self.values:
            raise BadValueError(f"the key {shown(key)} is missing")
        return self.values[key]


def count(field: str, value: Any, least: int = 0) -> int:  # noqa: ANN401 -- whatever the line holds
    """A value that has to be an integer from `least` to the largest offset."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise BadValueError(expected(field, f"an integer, {least} or more", written(value)))
    if value > FARTHEST:
        raise BadValueError(expected(field, f"at most {FARTHEST}", written(value)))
    return value


def written(value: Any) -> str:  # noqa: ANN401 -- whatever the line holds
    """A value as JSON writes it, for messages."""
    return json.dumps(value, ensure_ascii=False)


def json_objects(
    stream: BinaryIO, name: str, problems: Problems, keys: Sequence[str], wanted: str, *, others: bool = False
) -> Iterator[JsonObject]:
    """The objects of an input, with no key but these unless `others`; every other line is reported and left out."""
    blanks = BlankLines(name, problems, wanted)
    decoder = json.JSONDecoder(object_pairs_hook=once, parse_constant=no_number)
    known = frozenset(keys)
    for block in line_blocks(stream, name, problems):
        for line, text in block.numbered():
            if blanks.skip(line, text):
                continue
            try:
                values = _decoded(decoder, text)
            except BadValueError as error:
                problems(InputError(name, line, str(error)))
                continue
            if others or known.issuperset(values):
                yield JsonObject(line, values)
            else:
                unknown = next(key for key in values if key not in known)
                problems(InputError(name, line, _unknown(unknown, keys)))


def _decoded(decoder: json.JSONDecoder, text: bytes) -> dict[str, Any]:
    """The object of a line."""
    try:
        values = decoder.decode(text.decode())
    except UnicodeDecodeError:
        reason = "the line is not UTF-8 text"
    except json.JSONDecodeError as error:
        reason = f"no JSON object: {error.msg} at column {error.colno}"
    except RecursionError:
        reason = "no JSON object: nested too deeply"
    except BadValueError:
        raise
    except ValueError:
        reason = "no JSON object: a number has too many digits"
    else:
        if isinstance(values, dict):
            return values
        reason = f"expected a JSON object, found {_TYPES.get(type(values), 'null')}"
    raise BadValueError(reason)


def _unknown(key: str, keys: Sequence[str]) -> str:
    near = difflib.get_close_matches(key, keys, n=1)
    hint = f"did you mean {shown(near[0])}?" if near else f"known: {', '.join(keys)}"
    return f"unknown key {shown(key)} ({hint})"
