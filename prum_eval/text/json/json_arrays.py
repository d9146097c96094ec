"""An array of JSON, value by value, each with the line on which it begins: of any length, with one value in memory."""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from prum_eval.errors import InputError, Problems
from prum_eval.text.json.json_values import DECODER, BadValueError, bad_json
from prum_eval.text.lines import LONGEST_LINE
from prum_eval.text.streams import READ_BYTES

_BLANKS = re.compile(r"[ \t\n\r]*")
_LENIENT = json.JSONDecoder()
_CUT = 16  # signs before the end of what was read in which a value may look bad for want of the rest
_COLUMN = re.compile(r" at column \d+$")


def begins_array(stream: BinaryIO) -> bool:
    """Whether the first sign of a stream opens an array; of one that cannot be peeked into, it does not."""
    return isinstance(stream, io.BufferedReader) and stream.peek(READ_BYTES).lstrip().startswith(b"[")


def array_values(stream: BinaryIO, name: str, problems: Problems) -> Iterator[tuple[int, Any]]:
    """The values of an array with the lines on which they begin; a `BadValueError` where one is refused.

    What is no JSON is reported and ends the iteration, and so does a value longer than `LONGEST_LINE`.
    """
    text = _Text(stream, name)
    try:
        text.expect("[")
        while text.sign() not in ("]", ""):
            yield text.line, text.value()
            if text.sign() != "]":
                text.expect(",")
                if text.sign() == "]":
                    raise text.bad("a comma before the end of the array")
        text.expect("]")
        if text.sign():
            raise text.bad("something after the array")
    except InputError as problem:
        problems(problem)


class _Text:
    """What was read of the array and not yet taken."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0
        self._ended = False
        self.line = 1

    def bad(self, reason: str) -> InputError:
        """A problem at this line."""
        return InputError(self._name, self.line, reason)

    def sign(self) -> str:
        """The next sign that is not blank; none at the end."""
        while True:
            self._pass(_BLANKS.match(self._text, self._at).end())  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._read():
                return ""

    def expect(self, sign: str) -> None:
        """Take this sign."""
        found = self.sign()
        if found != sign:
            raise self.bad(f"expected {sign!r} in the array, found {repr(found) if found else 'its end'}")
        self._at += 1

    def value(self) -> Any:  # noqa: ANN401 -- whatever the array holds
        """Take a value, or what is wrong with it."""
        while True:
            try:
                found, end = DECODER.raw_decode(self._text, self._at)
            except BadValueError as error:
                found = error
                try:
                    end = _LENIENT.raw_decode(self._text, self._at)[1]
                except (ValueError, RecursionError) as other:
                    self._more(other)
                    continue
            except (ValueError, RecursionError) as error:
                self._more(error)
                continue
            self._pass(end)
            return found

    def _more(self, error: ValueError | RecursionError) -> None:
        """Read on where a value looks bad because its end was not read; else it is bad, and what follows is lost."""
        if isinstance(error, json.JSONDecodeError):
            cut = error.msg.startswith("Unterminated") or error.pos > len(self._text) - _CUT
            if cut and len(self._text) - self._at > LONGEST_LINE:
                raise self.bad(f"a value longer than {LONGEST_LINE} characters") from error
            if cut and self._read(max(READ_BYTES, len(self._text) - self._at)):
                return
            self._pass(error.pos)
        raise self.bad(_COLUMN.sub("", str(bad_json(error)))) from error

    def _pass(self, end: int) -> None:
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
                raise self.bad("the line is not UTF-8 text") from error
            if more:
                self._text = self._text[self._at :] + more
                self._at = 0
                return True
        return False
