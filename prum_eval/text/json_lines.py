"""Strict JSON: whole documents, and objects of known keys, one per line or in an array of any length.

Strict means: no repeated key in an object, no NaN, no number that a double or 64 bits cannot represent. The values of a
`JsonObject` are checked on access, so that an error names the line and the key.
"""

from __future__ import annotations

import codecs
import difflib
import io
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NoReturn

from prum_eval.errors import InputError, ProblemHandler
from prum_eval.text.lines import MAX_LINE_BYTES, BlankLines, LineBlock, line_blocks
from prum_eval.text.numbers import MAX_INT64, MAX_OFFSET, PAST_MAX_OFFSET, expected_message, parse_integer, quote_value
from prum_eval.text.streams import READ_BYTES

PLACE_KEYS = {
    "topic": ("query_id", "qid", "question_id"),
    "doc": ("doc_id", "document"),
    "start": ("start_char_idx", "start_index", "begin"),
    "end": ("end_char_idx",),
    "length": (),
    "text": (),
}
"""Keys of a text extent in results and relevant spans, with their aliases."""

_BLANKS = re.compile(r"[ \t\n\r]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_COLUMN = re.compile(r" at column \d+$")
_TRUNCATION_MARGIN = 16  # an error this close to the end of the text read so far may be due to a missing rest
_TYPES = {list: "an array", str: "a string", bool: "true or false", int: "a number", float: "a number"}


class BadValueError(ValueError):
    """A bad JSON value; the text is the reason."""


def json_document(text: str, name: str, *, nan: bool = False) -> Any:  # noqa: ANN401 -- any JSON
    """Value of a JSON text.

    Args:
        text: the content of the input.
        name: name of the input, for messages.
        nan: whether NaN is accepted, as None.

    Raises:
        InputError: the text is no strict JSON, or is nested too deeply.
    """

    def constant(word: str) -> None:
        return None if nan and word == "NaN" else _reject_constant(word)

    def finite(digits: str) -> float:
        number = float(digits)
        if not math.isfinite(number):
            raise BadValueError(f"{quote_value(digits)} is not a finite number")
        return number

    def integer(digits: str) -> int:
        number = parse_integer(digits.encode())
        if number is None:
            raise BadValueError(f"{quote_value(digits)} is not an integer of 64 bits")
        return number

    try:
        return json.loads(
            text, object_pairs_hook=unique_members, parse_constant=constant, parse_float=finite, parse_int=integer
        )
    except json.JSONDecodeError as error:
        raise InputError(name, error.lineno, f"not JSON: {error.msg}") from error
    except BadValueError as error:
        raise InputError(name, None, f"not JSON: {error}") from error
    except RecursionError as error:
        raise InputError(name, None, "not JSON: nested too deeply") from error


def unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object, as a hook of `json`.

    Raises:
        BadValueError: a key appears twice.
    """
    values = dict(pairs)
    if len(values) != len(pairs):
        keys: set[str] = set()
        repeated = next(key for key, _ in pairs if key in keys or keys.add(key))  # type: ignore[func-returns-value]
        raise BadValueError(f"the key {quote_value(repeated)} appears twice")
    return values


def _reject_constant(text: str) -> NoReturn:
    raise BadValueError(f"{text} is not a number of JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=unique_members, parse_constant=_reject_constant)
_LENIENT_DECODER = json.JSONDecoder()


def decoding_error(error: ValueError | RecursionError) -> BadValueError:
    """What a decoder raised for one object, as a `BadValueError`."""
    if isinstance(error, BadValueError):
        return error
    if isinstance(error, RecursionError):
        return BadValueError("not a JSON object: nested too deeply")
    if isinstance(error, json.JSONDecodeError):
        return BadValueError(f"not a JSON object: {error.msg} at column {error.colno}")
    return BadValueError("not a JSON object: a number has too many digits")


class JsonKeys:
    """Keys that a reader knows, with their aliases; `ignored` collects all other keys."""

    def __init__(self, keys: Mapping[str, Sequence[str]]) -> None:
        self.keys = frozenset(keys)
        self.named = {name: key for key, aliases in keys.items() for name in (key, *aliases)}
        self.ignored: dict[str, None] = {}

    def select_members(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Members with known keys, aliases replaced.

        Raises:
            BadValueError: two members have the same key.
        """
        members: dict[str, Any] = {}
        for name, value in values.items():
            key = self.named.get(name)
            if key is None:
                self.ignored[name] = None
            elif key in members:
                other = next(alias for alias in values if self.named.get(alias) == key)
                raise BadValueError(
                    f"both {quote_value(other)} and {quote_value(name)} are given, expected one of them"
                )
            else:
                members[key] = value
        return members


@dataclass(frozen=True, slots=True)
class JsonObject:
    """A JSON object: the line where it begins, its known members by key, and its unknown keys.

    Methods raise `BadValueError` if the key is missing or its value is bad.
    """

    line: int
    values: dict[str, Any]
    unknown_keys: tuple[str, ...] = ()

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def value(self, key: str) -> Any:  # noqa: ANN401 -- any JSON
        """Value of any type."""
        if key not in self.values:
            raise BadValueError(f"the key {quote_value(key)} is missing{self._key_hint(key)}")
        return self.values[key]

    def name(self, key: str) -> bytes:
        """Name: text without control characters, or an integer as its digits."""
        value = self.value(key)
        return check_name(key, str(value) if isinstance(value, int) and not isinstance(value, bool) else value)

    def text(self, key: str) -> bytes:
        """Any text, in UTF-8."""
        try:
            return self._string(key).encode()
        except UnicodeEncodeError:  # half of a surrogate pair
            raise BadValueError(f"{key}: expected text that UTF-8 can write, found half of a surrogate pair") from None

    def _string(self, key: str) -> str:
        value = self.value(key)
        if not isinstance(value, str):
            raise _unexpected(key, "text", value)
        return value

    def integer(self, key: str) -> int:
        """Integer of 64 bits."""
        value = self.value(key)
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MAX_INT64:
            raise _unexpected(key, "an integer", value)
        return value

    def count(self, key: str, least: int = 0) -> int:
        """Integer from `least` to the largest offset."""
        return check_count(key, self.value(key), least)

    def extent(self) -> tuple[int, int]:
        """Start and end of a text extent: ``start``, and ``end``, ``length`` or the ``text`` itself."""
        start = self.count("start")
        if "end" in self and "length" in self:
            raise BadValueError("both 'end' and 'length' are given, expected one of them")
        if "end" in self:
            end = self.count("end")
            if end < start:
                raise BadValueError(f"the end {end} is before the start {start}")
            return start, end
        if "length" not in self and "text" not in self:
            raise BadValueError(f"the key 'end' (or 'length') is missing{self._key_hint('end')}")
        length = self.count("length") if "length" in self else len(self._string("text"))
        if start > MAX_OFFSET - length:
            raise BadValueError(f"start {start} and length {length} end {PAST_MAX_OFFSET}")
        return start, start + length

    def number(self, key: str) -> float:
        """Finite number."""
        value = self.value(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                number = float(value)
            except OverflowError:
                number = math.inf
            if math.isfinite(number):
                return number
        raise _unexpected(key, "a finite number", value)

    def array(self, key: str, expected: str) -> list[Any]:
        """Array; `expected` describes it in messages."""
        value = self.value(key)
        if not isinstance(value, list):
            raise _unexpected(key, expected, value)
        return value

    def _key_hint(self, key: str) -> str:
        """Hint about an unknown key that resembles a missing one."""
        matches = difflib.get_close_matches(key, self.unknown_keys, n=1)
        return f" (is {quote_value(matches[0])} meant for it?)" if matches else ""


def check_name(field: str, value: Any) -> bytes:  # noqa: ANN401 -- any JSON
    """Return the bytes of the value if it is a name: text without control characters.

    Raises:
        BadValueError: it is not.
    """
    if not isinstance(value, str) or not value or _CONTROL.search(value):
        raise _unexpected(field, "a name, text without control characters", value)
    try:
        return value.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        raise _unexpected(field, "text that UTF-8 can write", value) from None


def check_count(field: str, value: Any, least: int = 0) -> int:  # noqa: ANN401 -- any JSON
    """Return the value if it is an integer from `least` to the largest offset.

    Raises:
        BadValueError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise _unexpected(field, f"an integer, {least} or more", value)
    if value > MAX_OFFSET:
        raise _unexpected(field, f"at most {MAX_OFFSET}", value)
    return value


def _unexpected(field: str, expected: str, value: Any) -> BadValueError:  # noqa: ANN401 -- any JSON
    return BadValueError(expected_message(field, expected, encode_json_value(value)))


def encode_json_value(value: Any) -> str:  # noqa: ANN401 -- any JSON
    """The value as JSON, for messages."""
    return json.dumps(value, ensure_ascii=False)


def json_objects(
    stream: BinaryIO,
    name: str,
    problems: ProblemHandler,
    keys: JsonKeys,
    expected: str,
    *,
    take: Callable[[LineBlock], bool] = lambda _: False,
) -> Iterator[JsonObject]:
    """Objects of an input, one per line or in an array; anything else is reported and skipped.

    Args:
        stream: the input.
        name: name of the input, for messages.
        problems: receives the reports.
        keys: known keys.
        expected: an object in words, for messages.
        take: receives each block of lines first; if it returns True, the objects of the block are not yielded. Arrays
            have no blocks.
    """
    try:
        array = isinstance(stream, io.BufferedReader) and stream.peek(READ_BYTES).lstrip().startswith(b"[")
    except InputError as problem:
        problems(problem)
        return
    values = _array_values(stream, name, problems) if array else _line_values(stream, name, problems, expected, take)
    for line, value in values:
        if isinstance(value, BadValueError):
            problems(InputError(name, line, str(value)))
        elif not isinstance(value, dict):
            problems(InputError(name, line, f"expected a JSON object, found {_TYPES.get(type(value), 'null')}"))
        elif keys.keys.issuperset(value):
            yield JsonObject(line, value)
        else:
            try:
                members = keys.select_members(value)
            except BadValueError as error:
                problems(InputError(name, line, str(error)))
            else:
                yield JsonObject(line, members, tuple(key for key in value if key not in keys.named))


def _line_values(
    stream: BinaryIO, name: str, problems: ProblemHandler, expected: str, take: Callable[[LineBlock], bool]
) -> Iterator[tuple[int, Any]]:
    """Line numbers and values; a `BadValueError` in place of a bad value."""
    blanks = BlankLines(name, problems, expected)
    for block in line_blocks(stream, name, problems):
        if block.text[0] == ord("{"):
            blanks.skip(block.first_line, block.text)
            if take(block):
                continue
        for line, text in block.numbered_lines():
            if blanks.skip(line, text):
                continue
            try:
                value = _DECODER.decode(text.decode())
            except UnicodeDecodeError:
                value = BadValueError("the line is not UTF-8 text")
            except (ValueError, RecursionError) as error:
                value = decoding_error(error)
            yield line, value


def _array_values(stream: BinaryIO, name: str, problems: ProblemHandler) -> Iterator[tuple[int, Any]]:
    """Values of an array with the lines where they begin; a `BadValueError` in place of a bad value.

    Invalid JSON and values longer than `MAX_LINE_BYTES` are reported and end the iteration.
    """
    buffer = _ArrayBuffer(stream, name)
    try:
        buffer.expect("[")
        while buffer.next_character() not in ("]", ""):
            yield buffer.line, buffer.value()
            if buffer.next_character() != "]":
                buffer.expect(",")
                if buffer.next_character() == "]":
                    raise buffer.problem("a comma before the end of the array")
        buffer.expect("]")
        if buffer.next_character():
            raise buffer.problem("something after the array")
    except InputError as problem:
        problems(problem)


class _ArrayBuffer:
    """The part of an array that was read and not yet consumed; holds one value in memory."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0
        self._ended = False
        self.line = 1

    def problem(self, reason: str) -> InputError:
        """An error in this line."""
        return InputError(self._name, self.line, reason)

    def next_character(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            self._advance(_BLANKS.match(self._text, self._at).end())  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._read():
                return ""

    def expect(self, character: str) -> None:
        """Consume this character."""
        following = self.next_character()
        if following != character:
            raise self.problem(
                f"expected {character!r} in the array, found {repr(following) if following else 'its end'}"
            )
        self._at += 1

    def value(self) -> Any:  # noqa: ANN401 -- any JSON
        """Consume a value; return it, or a `BadValueError` if it is bad."""
        while True:
            try:
                try:
                    value, end = _DECODER.raw_decode(self._text, self._at)
                except BadValueError as error:
                    value, end = error, _LENIENT_DECODER.raw_decode(self._text, self._at)[1]
            except (ValueError, RecursionError) as error:
                self._read_more(error)
                continue
            self._advance(end)
            return value

    def _read_more(self, error: ValueError | RecursionError) -> None:
        """Read on if a value may be bad only because its end is missing; else raise, since the rest is lost."""
        if isinstance(error, json.JSONDecodeError):
            truncated = error.msg.startswith("Unterminated") or error.pos > len(self._text) - _TRUNCATION_MARGIN
            if truncated and len(self._text) - self._at > MAX_LINE_BYTES:
                raise self.problem(f"a value longer than {MAX_LINE_BYTES} characters") from error
            if truncated and self._read(max(READ_BYTES, len(self._text) - self._at)):
                return
            self._advance(error.pos)
        raise self.problem(_COLUMN.sub("", str(decoding_error(error)))) from error

    def _advance(self, end: int) -> None:
        """Consume the text up to a position."""
        self.line += self._text.count("\n", self._at, end)
        self._at = end

    def _read(self, size: int = READ_BYTES) -> bool:
        """Read on; False at the end of the stream."""
        while not self._ended:
            data = self._stream.read(size)
            self._ended = not data
            try:
                more = self._decoder.decode(data, final=self._ended)
            except UnicodeDecodeError as error:
                self.line += self._text.count("\n", self._at) + data.count(b"\n", 0, error.start)
                raise self.problem("the line is not UTF-8 text") from error
            if more:
                self._text = self._text[self._at :] + more
                self._at = 0
                return True
        return False
