"""Objects of JSON, a line each or in an array, with keys that are known; a value is checked when it is asked for."""

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
from prum_eval.text.numbers import MAX_OFFSET, PAST_MAX_OFFSET, expected_message, parse_integer, quote_value
from prum_eval.text.streams import READ_BYTES

# JSON, strictly: no key twice in an object, no NaN, no number that a double or 64 bits cannot hold.


class BadValueError(ValueError):
    """Something in JSON is bad; the text says what."""


def json_error(error: ValueError | RecursionError) -> BadValueError:
    """What is wrong with an object of one line, from what its decoder raised."""
    if isinstance(error, BadValueError):
        return error
    if isinstance(error, RecursionError):
        return BadValueError("no JSON object: nested too deeply")
    if isinstance(error, json.JSONDecodeError):
        return BadValueError(f"no JSON object: {error.msg} at column {error.colno}")
    return BadValueError("no JSON object: a number has too many digits")


def json_document(text: str, name: str, *, nan: bool = False) -> Any:  # noqa: ANN401 -- whatever the file holds
    """What a JSON text holds, read from the input of that name; with `nan` this constant is None.

    Raises:
        InputError: it is no JSON, nested too deeply, or holds a value that is refused.
    """

    def constant(word: str) -> None:
        return None if nan and word == "NaN" else reject_constant(word)

    try:
        return json.loads(
            text, object_pairs_hook=unique_members, parse_constant=constant, parse_float=_finite, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        raise InputError(name, error.lineno, f"no JSON: {error.msg}") from error
    except BadValueError as error:
        raise InputError(name, None, f"no JSON: {error}") from error
    except RecursionError as error:
        raise InputError(name, None, "no JSON: nested too deeply") from error


def unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of these members.

    Raises:
        BadValueError: a key is there twice.
    """
    values = dict(pairs)
    if len(values) != len(pairs):
        keys: set[str] = set()
        twice = next(key for key, _ in pairs if key in keys or keys.add(key))  # type: ignore[func-returns-value]
        raise BadValueError(f"the key {quote_value(twice)} is there twice")
    return values


def reject_constant(text: str) -> NoReturn:
    """Refuse a constant.

    Raises:
        BadValueError: always.
    """
    raise BadValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BadValueError(f"{quote_value(text)} is no finite number")
    return number


def _integer(text: str) -> int:
    number = parse_integer(text.encode())
    if number is None:
        raise BadValueError(f"{quote_value(text)} is no integer of 64 bits")
    return number


STRICT_DECODER = json.JSONDecoder(object_pairs_hook=unique_members, parse_constant=reject_constant)
"""Of values whose objects have no key twice."""


# An array of JSON, value by value, each with the line on which it begins: of any length, with one value in memory.


_BLANKS = re.compile(r"[ \t\n\r]*")
_LENIENT = json.JSONDecoder()
_CUT = 16  # signs before the end of what was read in which a value may look bad for want of the rest
_COLUMN = re.compile(r" at column \d+$")


def starts_with_array(stream: BinaryIO) -> bool:
    """Whether the first sign of a stream opens an array; of one that cannot be peeked into, it does not."""
    return isinstance(stream, io.BufferedReader) and stream.peek(READ_BYTES).lstrip().startswith(b"[")


def array_values(stream: BinaryIO, name: str, problems: ProblemHandler) -> Iterator[tuple[int, Any]]:
    """The values of an array with the lines on which they begin; a `BadValueError` where one is refused.

    What is no JSON is reported and ends the iteration, and so does a value longer than `MAX_LINE_BYTES`.
    """
    text = _ArrayBuffer(stream, name)
    try:
        text.expect("[")
        while text.next_character() not in ("]", ""):
            yield text.line, text.value()
            if text.next_character() != "]":
                text.expect(",")
                if text.next_character() == "]":
                    raise text.problem("a comma before the end of the array")
        text.expect("]")
        if text.next_character():
            raise text.problem("something after the array")
    except InputError as problem:
        problems(problem)


class _ArrayBuffer:
    """What was read of the array and not yet taken."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0
        self._ended = False
        self.line = 1

    def problem(self, reason: str) -> InputError:
        """A problem at this line."""
        return InputError(self._name, self.line, reason)

    def next_character(self) -> str:
        """The next sign that is not blank; none at the end."""
        while True:
            self._advance(_BLANKS.match(self._text, self._at).end())  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._read():
                return ""

    def expect(self, sign: str) -> None:
        """Take this sign."""
        found = self.next_character()
        if found != sign:
            raise self.problem(f"expected {sign!r} in the array, found {repr(found) if found else 'its end'}")
        self._at += 1

    def value(self) -> Any:  # noqa: ANN401 -- whatever the array holds
        """Take a value, or what is wrong with it."""
        while True:
            try:
                found, end = STRICT_DECODER.raw_decode(self._text, self._at)
            except BadValueError as error:
                found = error
                try:
                    end = _LENIENT.raw_decode(self._text, self._at)[1]
                except (ValueError, RecursionError) as other:
                    self._read_more(other)
                    continue
            except (ValueError, RecursionError) as error:
                self._read_more(error)
                continue
            self._advance(end)
            return found

    def _read_more(self, error: ValueError | RecursionError) -> None:
        """Read on where a value looks bad because its end was not read; else it is bad, and what follows is lost."""
        if isinstance(error, json.JSONDecodeError):
            cut = error.msg.startswith("Unterminated") or error.pos > len(self._text) - _CUT
            if cut and len(self._text) - self._at > MAX_LINE_BYTES:
                raise self.problem(f"a value longer than {MAX_LINE_BYTES} characters") from error
            if cut and self._read(max(READ_BYTES, len(self._text) - self._at)):
                return
            self._advance(error.pos)
        raise self.problem(_COLUMN.sub("", str(json_error(error)))) from error

    def _advance(self, end: int) -> None:
        """Take all up to a place."""
        self.line += self._text.count("\n", self._at, end)
        self._at = end

    def _read(self, size: int = READ_BYTES) -> bool:
        """Read on; whether there was more."""
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


_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TYPES = {list: "an array", str: "a string", bool: "true or false", int: "a number", float: "a number"}


PLACE_KEYS = {
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

    def select_members(self, values: Mapping[str, Any]) -> dict[str, Any]:
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
                raise BadValueError(
                    f"both {quote_value(other)} and {quote_value(name)} are given, expected one of them"
                )
            else:
                found[key] = value
        return found


@dataclass(frozen=True, slots=True)
class JsonObject:
    """An object: the line on which it begins, its known members by key, its other keys."""

    line: int
    values: dict[str, Any]
    unknown_keys: tuple[str, ...] = ()

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def name(self, key: str) -> bytes:
        """A name: text without control characters; an integer is taken as its digits."""
        value = self.value(key)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value or _CONTROL.search(value):
            raise BadValueError(
                expected_message(key, "a name, text without control characters", encode_json_value(value))
            )
        try:
            return value.encode()
        except UnicodeEncodeError:  # half of a surrogate pair
            raise BadValueError(expected_message(key, "text that UTF-8 can write", encode_json_value(value))) from None

    def text(self, key: str) -> bytes:
        """Any text, in UTF-8."""
        try:
            return self._string(key).encode()
        except UnicodeEncodeError:  # half of a surrogate pair
            raise BadValueError(f"{key}: expected text that UTF-8 can write, found half of a surrogate pair") from None

    def _string(self, key: str) -> str:
        value = self.value(key)
        if not isinstance(value, str):
            raise BadValueError(expected_message(key, "text", encode_json_value(value)))
        return value

    def count(self, key: str, least: int = 0) -> int:
        """An integer from `least` to the largest offset."""
        return check_count(key, self.value(key), least)

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
            raise BadValueError(f"the key 'end' (or 'length') is missing{self._key_hint('end')}")
        length = self.count("length") if "length" in self else len(self._string("text"))
        if start > MAX_OFFSET - length:
            raise BadValueError(f"start {start} and length {length} end {PAST_MAX_OFFSET}")
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
        raise BadValueError(expected_message(key, "a finite number", encode_json_value(value)))

    def array(self, key: str, what: str) -> list[Any]:
        """An array."""
        value = self.value(key)
        if not isinstance(value, list):
            raise BadValueError(expected_message(key, what, encode_json_value(value)))
        return value

    def value(self, key: str) -> Any:  # noqa: ANN401 -- whatever the line holds
        """What is there, of whatever type.

        Raises:
            BadValueError: the key is missing.
        """
        if key not in self.values:
            raise BadValueError(f"the key {quote_value(key)} is missing{self._key_hint(key)}")
        return self.values[key]

    def _key_hint(self, key: str) -> str:
        """What to say of an unknown key that may be meant for one that is missing."""
        near = difflib.get_close_matches(key, self.unknown_keys, n=1)
        return f" (is {quote_value(near[0])} meant for it?)" if near else ""


def check_count(field: str, value: Any, least: int = 0) -> int:  # noqa: ANN401 -- whatever the line holds
    """A value that has to be an integer from `least` to the largest offset."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise BadValueError(expected_message(field, f"an integer, {least} or more", encode_json_value(value)))
    if value > MAX_OFFSET:
        raise BadValueError(expected_message(field, f"at most {MAX_OFFSET}", encode_json_value(value)))
    return value


def encode_json_value(value: Any) -> str:  # noqa: ANN401 -- whatever the line holds
    """A value as JSON writes it, for messages."""
    return json.dumps(value, ensure_ascii=False)


def json_objects(
    stream: BinaryIO,
    name: str,
    problems: ProblemHandler,
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
        array = starts_with_array(stream)
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
                known = value if keys.keys.issuperset(value) else keys.select_members(value)
            except BadValueError as error:
                problems(InputError(name, line, str(error)))
            else:
                unknown = () if known is value else tuple(key for key in value if key not in keys.named)
                yield JsonObject(line, known, unknown)


def _line_values(
    stream: BinaryIO, name: str, problems: ProblemHandler, wanted: str, take: Callable[[LineBlock], bool]
) -> Iterator[tuple[int, Any]]:
    """The value of each line with its number, or what is wrong with it."""
    blanks = BlankLines(name, problems, wanted)
    for block in line_blocks(stream, name, problems):
        if block.text[0] == ord("{"):
            blanks.skip(block.first_line, block.text)
            if take(block):
                continue
        for line, text in block.numbered_lines():
            if not blanks.skip(line, text):
                yield line, _decoded(text)


def _decoded(text: bytes) -> Any:  # noqa: ANN401 -- whatever the line holds
    """The value of a line, or what is wrong with it."""
    try:
        return STRICT_DECODER.decode(text.decode())
    except UnicodeDecodeError:
        return BadValueError("the line is not UTF-8 text")
    except (ValueError, RecursionError) as error:
        return json_error(error)
