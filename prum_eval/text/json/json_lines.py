"""Objects of JSON, a line each or in an array, with keys that are known; a value is checked when it is asked for."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from prum_eval.errors import InputError, Problems
from prum_eval.text.json.json_arrays import array_values, begins_array
from prum_eval.text.json.json_values import DECODER, BadValueError, bad_json
from prum_eval.text.lines import BlankLines, LineBlock, line_blocks
from prum_eval.text.numbers import FARTHEST, PAST, expected, shown

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TYPES = {list: "an array", str: "a string", bool: "true or false", int: "a number", float: "a number"}


PLACES = {
    "topic": ("query_id", "qid", "question_id"),
    "doc": ("doc_id", "document"),
    "start": ("start_char_idx", "start_index", "begin"),
    "end": ("end_char_idx",),
    "length": (),
    "text": (),
}
"""The keys that say where a stretch of text is, of results and of gold spans, with their other names."""


class JsonKeys:
    """The keys that a reader knows, each with its other names; those that it passed over are kept, each once."""

    def __init__(self, keys: Mapping[str, Sequence[str]]) -> None:
        self.keys = frozenset(keys)
        self.named = {name: key for key, others in keys.items() for name in (key, *others)}
        self.ignored: dict[str, None] = {}

    def known(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The members that are known, by key.

        Raises:
            BadValueError: two of them are names of one key.
        """
        found: dict[str, Any] = {}
        for name, value in values.items():
            key = self.named.get(name)
            if key is None:
                self.ignored[name] = None
            elif key in found:
                other = next(one for one in values if self.named.get(one) == key)
                raise BadValueError(f"both {shown(other)} and {shown(name)} are given, expected one of them")
            else:
                found[key] = value
        return found


@dataclass(frozen=True, slots=True)
class JsonObject:
    """An object: the line on which it begins, its known members by key, its other keys."""

    line: int
    values: dict[str, Any]
    unknown: tuple[str, ...] = ()

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def name(self, key: str) -> bytes:
        """A name: text without control characters; an integer is taken as its digits."""
        value = self.value(key)
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
        try:
            return self._string(key).encode()
        except UnicodeEncodeError:  # half of a surrogate pair
            raise BadValueError(f"{key}: expected text that UTF-8 can write, found half of a surrogate pair") from None

    def _string(self, key: str) -> str:
        value = self.value(key)
        if not isinstance(value, str):
            raise BadValueError(expected(key, "text", written(value)))
        return value

    def count(self, key: str, least: int = 0) -> int:
        """An integer from `least` to the largest offset."""
        return count(key, self.value(key), least)

    def extent(self) -> tuple[int, int]:
        """Where a stretch of text starts and ends: ``start`` and ``end``, or ``length``, or the ``text`` itself."""
        start = self.count("start")
        if "end" in self and "length" in self:
            raise BadValueError("both 'end' and 'length' are given, expected one of them")
        if "end" in self:
            end = self.count("end")
            if end < start:
                raise BadValueError(f"the end {end} is before the start {start}")
            return start, end
        if "length" not in self and "text" not in self:
            raise BadValueError(f"the key 'end' (or 'length') is missing{self._meant('end')}")
        length = self.count("length") if "length" in self else len(self._string("text"))
        if start > FARTHEST - length:
            raise BadValueError(f"start {start} and length {length} end {PAST}")
        return start, start + length

    def number(self, key: str) -> float:
        """A finite number."""
        value = self.value(key)
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
        value = self.value(key)
        if not isinstance(value, list):
            raise BadValueError(expected(key, what, written(value)))
        return value

    def value(self, key: str) -> Any:  # noqa: ANN401 -- whatever the line holds
        """What is there, of whatever type.

        Raises:
            BadValueError: the key is missing.
        """
        if key not in self.values:
            raise BadValueError(f"the key {shown(key)} is missing{self._meant(key)}")
        return self.values[key]

    def _meant(self, key: str) -> str:
        """What to say of an unknown key that may be meant for one that is missing."""
        near = difflib.get_close_matches(key, self.unknown, n=1)
        return f" (is {shown(near[0])} meant for it?)" if near else ""


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
    stream: BinaryIO,
    name: str,
    problems: Problems,
    keys: JsonKeys,
    wanted: str,
    *,
    take: Callable[[LineBlock], bool] = lambda _: False,
) -> Iterator[JsonObject]:
    """The objects of an input, a line each or in an array; what is none is reported and left out.

    `wanted`: what an object is, for messages. `take`: gets each block of lines first, and says whether it took all of
    its objects, which then are not among these; of an array there are no blocks.
    """
    try:
        array = begins_array(stream)
    except InputError as problem:
        problems(problem)
        return
    values = array_values(stream, name, problems) if array else _line_values(stream, name, problems, wanted, take)
    for line, value in values:
        if isinstance(value, BadValueError):
            problems(InputError(name, line, str(value)))
        elif not isinstance(value, dict):
            problems(InputError(name, line, f"expected a JSON object, found {_TYPES.get(type(value), 'null')}"))
        else:
            try:
                known = value if keys.keys.issuperset(value) else keys.known(value)
            except BadValueError as error:
                problems(InputError(name, line, str(error)))
            else:
                unknown = () if known is value else tuple(key for key in value if key not in keys.named)
                yield JsonObject(line, known, unknown)


def _line_values(
    stream: BinaryIO, name: str, problems: Problems, wanted: str, take: Callable[[LineBlock], bool]
) -> Iterator[tuple[int, Any]]:
    """The value of each line with its number, or what is wrong with it."""
    blanks = BlankLines(name, problems, wanted)
    for block in line_blocks(stream, name, problems):
        if block.text[0] == ord("{"):
            blanks.skip(block.first_line, block.text)
            if take(block):
                continue
        for line, text in block.numbered():
            if not blanks.skip(line, text):
                yield line, _decoded(text)


def _decoded(text: bytes) -> Any:  # noqa: ANN401 -- whatever the line holds
    """The value of a line, or what is wrong with it."""
    try:
        return DECODER.decode(text.decode())
    except UnicodeDecodeError:
        return BadValueError("the line is not UTF-8 text")
    except (ValueError, RecursionError) as error:
        return bad_json(error)
