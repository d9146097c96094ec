"""Blocks of JSON Lines as columns, fast, if all lines have the form of the first one.

The parts of the first line between its values (`_Form`) must occur in every other line, byte for byte. The quotation
marks of the block, equally many per line, tell where. Blocks of another form, and blocks that may be wrong, are left to
`json_lines`; tests compare the two. The conventions are those of `prum_eval.text.lines`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import EMPTY_INTS, FloatArray, IntArray
from prum_eval.text.lines import PADDING, FastTable, LineBlock, PackedText

_QUOTE, _ESCAPE, _LINE_END = b'"\\' + b"\n"
_OPENING, _BLANKS = re.compile(rb"[ \t\r]*\{"), re.compile(rb"[ \t\r]*")
_MEMBER = re.compile(rb'[ \t\r]*"([^"\\\x00-\x1f]*)"[ \t\r]*:[ \t\r]*("(?:[^"\\]|\\.)*"|[-+.0-9eE]+)[ \t\r]*([,}])')
_NUMBER_CHARACTERS = b"0123456789+-.eE"
_ESCAPES = np.isin(np.arange(256), list(b'"\\/bfnrt'))


@dataclass(frozen=True, slots=True, eq=False)
class FastObjects:
    """Members of JSON objects, one per line: a column per key, all strings (without quotes) or all numbers."""

    table: FastTable
    column: dict[str, int]
    strings: frozenset[str]
    escapes: IntArray  # positions of escape sequences in strings, which are not decoded

    def __len__(self) -> int:
        return len(self.table)

    def are_names(self, key: str) -> bool:
        """Whether all values of a key are names: strings without escape sequences, or integers from 0."""
        if key not in self.strings:
            return self.counts(key) is not None
        begin, length = self._fields(key)
        if not length.all():
            return False
        inside = np.searchsorted(self.escapes, begin) != np.searchsorted(self.escapes, begin + length)
        return not inside.any()

    def are_valid(self, key: str) -> bool:
        """Whether all values of a key are valid JSON."""
        return key in self.strings or self.numbers(key) is not None

    def counts(self, key: str) -> IntArray | None:
        """Integers of up to eight digits; None if a value is anything else."""
        if key in self.strings:
            return None
        begin, length = self._fields(key)
        counts = self.table.words.integers(begin, length)
        leading_zero = (self.table.words.words_at(begin) & np.uint64(0xFF)) == ord("0")
        return None if counts is None or (leading_zero & (length > 1)).any() else counts

    def numbers(self, key: str) -> FloatArray | None:
        """Finite numbers; None if a value is anything else."""
        if key in self.strings:
            return None
        cells = self.table.cells(self.column[key])
        text = b",".join(cells)
        if text.translate(None, _NUMBER_CHARACTERS + b","):
            return None
        try:
            numbers = np.array(json.loads(b"[%b]" % text), dtype=np.float64)
        except (ValueError, OverflowError):
            return None
        return numbers if len(numbers) == len(cells) and np.isfinite(numbers).all() else None

    def _fields(self, key: str) -> tuple[IntArray, IntArray]:
        column = self.column[key]
        return self.table.begin[:, column], self.table.length[:, column]


@dataclass(frozen=True, slots=True)
class _Form:
    """Form of a line: its keys, the text before, between and after the values, and the columns that are strings."""

    keys: list[str]
    separators: list[bytes]
    strings: frozenset[int]

    def count(self, characters: bytes) -> int:
        """Number of these characters in the separators."""
        return sum(part.count(bytes([char])) for part in self.separators for char in characters)


def fast_objects(block: LineBlock) -> FastObjects | None:
    """Objects of strings and numbers, all in the form of the first line; None for any other block.

    Strings are valid JSON; numbers are checked on access.
    """
    form = _form_of_line(block.text[: block.text.index(b"\n")])
    if form is None:
        return None
    text = PADDING + block.text + PADDING
    chars = np.frombuffer(text, dtype=np.uint8)
    inner = chars[len(PADDING) : -len(PADDING)]
    # No string has a control character if the separators account for all of them.
    controls = block.lines * (form.count(b"\t\r") + 1)
    if np.count_nonzero(inner < ord(" ")) != controls or b"\x7f" in block.text or not _is_utf8(block.text):
        return None
    quotes = np.flatnonzero(inner == _QUOTE) + len(PADDING)
    escapes = np.flatnonzero(inner == _ESCAPE) + len(PADDING) if b"\\" in block.text else EMPTY_INTS
    if len(escapes):
        quotes = quotes[chars[quotes - 1] != _ESCAPE]
    if len(quotes) != block.lines * form.count(b'"') or not _are_valid_escapes(chars, escapes):
        return None
    words, line_ends = PackedText(text), np.flatnonzero(inner == _LINE_END) + len(PADDING)
    fields = _locate_values(words, form, quotes.reshape(block.lines, -1), line_ends)
    if fields is None:
        return None
    lines = np.arange(block.first_line, block.first_line + block.lines)
    columns = dict(zip(form.keys, range(len(form.keys)), strict=True))
    strings = frozenset(form.keys[number] for number in form.strings)
    return FastObjects(FastTable(text, words, *fields, lines), columns, strings, escapes)


def _form_of_line(line: bytes) -> _Form | None:
    """Form of a line; None if a value is neither a string nor a number."""
    opening = _OPENING.match(line)
    if opening is None:
        return None
    keys: list[str] = []
    separators: list[bytes] = []
    strings: set[int] = set()
    at, value_end, delimiter = opening.end(), 0, b","
    while delimiter == b",":
        member = _MEMBER.match(line, at)
        if member is None or not _is_utf8(member[1]):
            return None
        begin, end = member.span(2)
        if line[begin] == _QUOTE:
            strings.add(len(keys))
            begin, end = begin + 1, end - 1
        keys.append(member[1].decode())
        separators.append(line[value_end:begin])
        at, value_end, delimiter = member.end(), end, member[3]
    if _BLANKS.fullmatch(line, at) is None or len(set(keys)) < len(keys):
        return None
    return _Form(keys, [*separators, line[value_end:]], frozenset(strings))


def _locate_values(
    words: PackedText, form: _Form, quotes: IntArray, line_ends: IntArray
) -> tuple[IntArray, IntArray] | None:
    """Begin and length of each value, of shape (lines, keys); None if a line has another form.

    `quotes` are the positions of quotation marks, of shape (lines, quotation marks per line).
    """
    begin = np.empty((len(line_ends), len(form.keys)), dtype=np.int64)
    length = np.empty_like(begin)
    at: IntArray = np.concatenate(([len(PADDING)], line_ends[:-1] + 1))
    quote = 0  # number of quotation marks before the separator
    for number, part in enumerate(form.separators):
        if number:
            # A string ends at a quotation mark, a number at a known distance before the next one or the line end.
            if number - 1 in form.strings:
                at = quotes[:, quote]
            else:
                at = quotes[:, quote] - part.index(b'"') if b'"' in part else line_ends - len(part)
            length[:, number - 1] = at - begin[:, number - 1]
        if (at < len(PADDING)).any() or (at + len(part) > line_ends).any() or not words.all_start_with(at, part):
            return None
        quote += part.count(b'"')
        at = at + len(part)
        if number < len(form.keys):
            begin[:, number] = at
    shortest = [0 if number in form.strings else 1 for number in range(len(form.keys))]
    return None if (at != line_ends).any() or (length < shortest).any() else (begin, length)


def _is_utf8(text: bytes) -> bool:
    try:
        return text.isascii() or bool(text.decode())
    except UnicodeDecodeError:
        return False


def _are_valid_escapes(chars: np.typing.NDArray[np.uint8], escapes: IntArray) -> bool:
    """Whether each backslash begins an escape sequence and none follows another."""
    following = chars[escapes + 1]
    if (np.diff(escapes) == 1).any() or (following == _ESCAPE).any():
        return False
    unicode = following == ord("u")
    if not (_ESCAPES[following] | unicode).all():
        return False
    digits = chars[escapes[unicode][:, None] + np.arange(2, 6)]
    return bool(np.isin(digits, list(b"0123456789abcdefABCDEF")).all())
