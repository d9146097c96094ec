"""Lines of JSON objects as columns, fast, where all lines of a block are written as its first one.

Of the first line what stands between the values is kept; every other line has to have the same there, to the byte. The
quotation marks of a block, so many a line, say where that is. What is written otherwise, and whatever may be wrong, is
left to `json_lines`, with which tests compare this. The conventions are those of `fast_lines`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import EMPTY_INTS, FloatArray, IntArray
from prum_eval.text.lines import PADDING, FastTable, LineBlock, PackedText

_QUOTE, _ESCAPE, _LINE_END = (ord(sign) for sign in '"\\\n')
_OPENING, _BLANKS = re.compile(rb"[ \t\r]*\{"), re.compile(rb"[ \t\r]*")
_MEMBER = re.compile(rb'[ \t\r]*"([^"\\\x00-\x1f]*)"[ \t\r]*:[ \t\r]*("(?:[^"\\]|\\.)*"|[-+.0-9eE]+)[ \t\r]*([,}])')
_NUMBER_CHARACTERS = b"0123456789+-.eE"
_ESCAPES = np.isin(np.arange(256), list(b'"\\/bfnrt'))


@dataclass(frozen=True, slots=True, eq=False)
class FastObjects:
    """The values of whole lines, a column a key, all strings without their marks, or all numbers."""

    table: FastTable
    column: dict[str, int]
    strings: frozenset[str]
    escapes: IntArray  # where a string has an escape sequence, which was not looked into

    def __len__(self) -> int:
        return len(self.table)

    def are_names(self, key: str) -> bool:
        """Whether all values under a key are names as they stand: strings, or whole numbers from 0 up."""
        column = self.column[key]
        if key not in self.strings:
            return self.counts(key) is not None
        begin, length = self.table.begin[:, column], self.table.length[:, column]
        if not length.all():
            return False
        inside = np.searchsorted(self.escapes, begin) != np.searchsorted(self.escapes, begin + length)
        return not inside.any()

    def are_valid(self, key: str) -> bool:
        """Whether all values under a key are JSON; strings are."""
        return key in self.strings or self.numbers(key) is not None

    def counts(self, key: str) -> IntArray | None:
        """Whole numbers of up to eight digits; None where a value is anything else."""
        column = self.column[key]
        if key in self.strings:
            return None
        begin, length = self.table.begin[:, column], self.table.length[:, column]
        numbers = self.table.words.integers(begin, length)
        if numbers is None or ((self.table.words.words_at(begin) & 0xFF == ord("0")) & (length > 1)).any():
            return None
        return numbers

    def numbers(self, key: str) -> FloatArray | None:
        """Finite numbers; None where a value is anything else."""
        column = self.column[key]
        if key in self.strings:
            return None
        cells = self.table.cells(column)
        text = b",".join(cells)
        if text.translate(None, _NUMBER_CHARACTERS + b","):
            return None
        try:
            values = json.loads(b"[%b]" % text)
            found = np.array(values, dtype=np.float64)
        except (ValueError, OverflowError):
            return None
        return found if len(found) == len(cells) and np.isfinite(found).all() else None


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a line is written: its keys, what stands before, between and behind the values, which of them are strings."""

    keys: list[str]
    separators: list[bytes]
    strings: frozenset[int]

    def counts(self, signs: bytes) -> int:
        """How many of these signs stand around the values."""
        return sum(part.count(bytes([sign])) for part in self.separators for sign in signs)


def fast_objects(block: LineBlock) -> FastObjects | None:
    """A block of objects whose members are strings and numbers, all written alike; None for any other block.

    Strings are those of JSON; numbers are looked at when they are asked for.
    """
    shape = _shape(block.text[: block.text.index(b"\n")])
    if shape is None:
        return None
    text = PADDING + block.text + PADDING
    signs = np.frombuffer(text, dtype=np.uint8)
    inner = signs[len(PADDING) : -len(PADDING)]
    # Control characters that stand around the values of each line are all that there are: none is in a string.
    controls = block.lines * (shape.counts(b"\t\r") + 1)
    if np.count_nonzero(inner < ord(" ")) != controls or b"\x7f" in block.text or not _is_utf8(block.text):
        return None
    marks = np.flatnonzero(inner == _QUOTE) + len(PADDING)
    escapes = np.flatnonzero(inner == _ESCAPE) + len(PADDING) if b"\\" in block.text else EMPTY_INTS
    if len(escapes):
        marks = marks[signs[marks - 1] != _ESCAPE]
    if len(marks) != block.lines * shape.counts(b'"') or not _valid_escapes(signs, escapes):
        return None
    words, line_ends = PackedText(text), np.flatnonzero(inner == _LINE_END) + len(PADDING)
    places = _places(words, shape, marks.reshape(block.lines, -1), line_ends)
    if places is None:
        return None
    lines = np.arange(block.first_line, block.first_line + block.lines)
    columns = dict(zip(shape.keys, range(len(shape.keys)), strict=True))
    strings = frozenset(shape.keys[number] for number in shape.strings)
    return FastObjects(FastTable(text, words, *places, lines), columns, strings, escapes)


def _places(words: PackedText, shape: _Shape, marks: IntArray, line_ends: IntArray) -> tuple[IntArray, IntArray] | None:
    """Where each value of each line begins, and its length, of shape (lines, keys); None where a line is not alike.

    `marks`: the quotation marks of each line, of shape (lines, marks of the first).
    """
    begin = np.empty((len(line_ends), len(shape.keys)), dtype=np.int64)
    length = np.empty_like(begin)
    at: IntArray = np.concatenate(([len(PADDING)], line_ends[:-1] + 1))
    before = 0  # marks in front of what stands around the next value
    for number, part in enumerate(shape.separators):
        if number:
            # A string ends with a mark; a number where what stands behind it begins, which the next mark in it tells.
            if number - 1 in shape.strings:
                at = marks[:, before]
            else:
                at = marks[:, before] - part.index(b'"') if b'"' in part else line_ends - len(part)
            length[:, number - 1] = at - begin[:, number - 1]
        if (at < len(PADDING)).any() or (at + len(part) > line_ends).any() or not words.all_start_with(at, part):
            return None
        before += part.count(b'"')
        at = at + len(part)
        if number < len(shape.keys):
            begin[:, number] = at
    shortest = [0 if number in shape.strings else 1 for number in range(len(shape.keys))]
    if (at != line_ends).any() or (length < shortest).any():
        return None
    return begin, length


def _shape(line: bytes) -> _Shape | None:
    """How a line is written; None where a value is neither a string nor a number."""
    opened = _OPENING.match(line)
    if opened is None:
        return None
    keys: list[str] = []
    around: list[bytes] = []
    strings: set[int] = set()
    at, value_end, sign = opened.end(), 0, b","
    while sign == b",":
        member = _MEMBER.match(line, at)
        if member is None or not _is_utf8(member[1]):
            return None
        begin, end = member.span(2)
        if line[begin] == _QUOTE:
            strings.add(len(keys))
            begin, end = begin + 1, end - 1
        keys.append(member[1].decode())
        around.append(line[value_end:begin])
        at, value_end, sign = member.end(), end, member[3]
    if _BLANKS.fullmatch(line, at) is None or len(set(keys)) < len(keys):
        return None
    return _Shape(keys, [*around, line[value_end:]], frozenset(strings))


def _is_utf8(text: bytes) -> bool:
    try:
        return text.isascii() or bool(text.decode())
    except UnicodeDecodeError:
        return False


def _valid_escapes(signs: np.typing.NDArray[np.uint8], escapes: IntArray) -> bool:
    """Whether no backslash follows another and each begins an escape sequence of one sign, or of four digits."""
    following = signs[escapes + 1]
    if (np.diff(escapes) == 1).any() or (following == _ESCAPE).any():
        return False
    unicode = following == ord("u")
    if not (_ESCAPES[following] | unicode).all():
        return False
    digits = signs[escapes[unicode][:, None] + np.arange(2, 6)]
    return bool(np.isin(digits, list(b"0123456789abcdefABCDEF")).all())
