"""Lines: blocks of them with their numbers, and their fields as Python splits them.

A reader takes the blocks of a stream, of each its columns at once (`fast_lines.fast_table`), and goes through the
lines of a block only where something is wrong; the lines that are good it then takes as a `PlainTable`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.text.numbers import parse_decimals, parse_integers

BLOCK_BYTES = 1 << 20  # what the processor's caches hold: larger blocks make reading slower
MAX_LINE_BYTES = 1 << 24

_LINE_END = ord("\n")


class LineBlock(NamedTuple):
    """Some whole lines of an input; the text ends with a line end."""

    first_line: int
    lines: int
    text: bytes

    def numbered_lines(self) -> Iterator[tuple[int, bytes]]:
        """The lines without their line ends, each with its number."""
        return enumerate(self.text[:-1].split(b"\n"), self.first_line)


def line_blocks(stream: BinaryIO, name: str, problems: ProblemHandler) -> Iterator[LineBlock]:
    """The lines of a stream in blocks of about `BLOCK_BYTES`; many blank lines may come as one.

    Failures to read and lines longer than `MAX_LINE_BYTES` are reported and end the iteration.
    """
    line = 1
    while True:
        try:
            text = stream.read(BLOCK_BYTES)
            final = len(text) < BLOCK_BYTES
            rest = b"" if final or text.endswith(b"\n") else stream.readline(MAX_LINE_BYTES)
        except InputError as problem:
            problems(problem)
            return
        if not text:
            return
        if len(rest) == MAX_LINE_BYTES:
            problems(InputError(name, line + text.count(b"\n"), f"a line longer than {MAX_LINE_BYTES} bytes"))
            return
        text += rest
        if not text.endswith(b"\n"):
            text += b"\n"
        lines = int(np.count_nonzero(np.frombuffer(text, dtype=np.uint8) == _LINE_END))
        # Of a block of nothing but blank lines the first says it all: files may have gigabytes of them.
        yield LineBlock(line, 1, b"\n") if text.isspace() else LineBlock(line, lines, text)
        if final:
            return
        line += lines


class BlankLines:
    """Blank lines of an input in which only the last lines may be blank: those before others are reported."""

    def __init__(self, name: str, problems: ProblemHandler, wanted: str) -> None:
        self._name = name
        self._problems = problems
        self._wanted = wanted
        self.pending = 0  # number of the first blank line since the last line with content, 0 for none

    def skip(self, line: int, text: bytes) -> bool:
        """Whether the line is blank; a line with content makes an earlier blank one a problem."""
        if not text or text.isspace():
            self.pending = self.pending or line
            return True
        if self.pending:
            problem = InputError(self._name, self.pending, f"a blank line, expected {self._wanted}")
            self.pending = 0
            self._problems(problem)
        return False


class Vocabulary(defaultdict[bytes, int]):
    """Distinct names in the order in which they were met; looking a new one up gives it the next code."""

    def __init__(self) -> None:
        super().__init__(count().__next__)

    def codes(self, cells: Sequence[bytes]) -> IntArray:
        """Code of each cell."""
        return np.fromiter(map(self.__getitem__, cells), dtype=np.int64, count=len(cells))


@dataclass(slots=True, eq=False, repr=False)
class PlainTable:
    """The fields of some lines, all equally many: slow, and what `fast_lines.FastTable` has to agree with."""

    rows: Sequence[Sequence[bytes]]
    lines: IntArray  # their numbers

    def __len__(self) -> int:
        return len(self.rows)

    def cell(self, row: int, column: int) -> bytes:
        """One field."""
        return self.rows[row][column]

    def cells(self, column: int, rows: IntArray | slice = slice(None)) -> list[bytes]:
        """The fields of a column, or of some rows of it."""
        return [self.rows[row][column] for row in np.arange(len(self.rows))[rows].tolist()]

    def name_column(self, column: int, rows: IntArray | slice = slice(None)) -> list[bytes]:
        """Fields of a column that are names."""
        return self.cells(column, rows)

    def integers(self, column: int) -> IntArray | None:
        """A column of plain integers that fit 64 bits, None where a field is anything else."""
        return parse_integers(self.cells(column))

    def decimals(self, column: int) -> FloatArray | None:
        """A column of plain, finite decimal numbers, None where a field is anything else."""
        return parse_decimals(self.cells(column))

    def changed_rows(self, column: int) -> IntArray:
        """Rows where a column is not what it is in the row before; the first is one."""
        cells = self.cells(column)
        return np.flatnonzero([True, *map(bytes.__ne__, cells, cells[1:])])

    def codes(self, column: int, vocabulary: Vocabulary) -> IntArray:
        """The code of each field of a column."""
        return vocabulary.codes(self.cells(column))

    def columns_equal(self, column: int, other: int) -> bool:
        """Whether two columns are equal."""
        return self.cells(column) == self.cells(other)


# Lines as columns of fields, fast: eight bytes at once, because a Python object a field is what makes readers slow.
#
# Conventions. A text has `PADDING` on both sides, so that a word can be read at any place. A word is eight bytes as a
# little-endian uint64: the first byte is the lowest. A field is the place where it begins and its length in bytes, both
# of shape (fields,). Names as words have shape (words of the longest, fields), NUL behind the shorter ones.
#
# What tricks with bits cannot do they leave to Python: methods return None, and readers go through the lines one by one
# and take a `lines.PlainTable`, the twin that tests compare this with.


WORD_BYTES = 8
_SPAN_SIZES = (WORD_BYTES, 2 * WORD_BYTES, 4 * WORD_BYTES, 8 * WORD_BYTES)
_MAX_SPAN = _SPAN_SIZES[-1]
PADDING = bytes(_MAX_SPAN)

BYTE_MASKS = np.array(
    [(1 << 8 * count) - 1 for count in range(WORD_BYTES + 1)], dtype=np.uint64
)  # the first bytes of a word
_LOW_BITS_OF_BYTES = np.uint64(0x0101010101010101)
_HIGH_BITS_OF_BYTES = _LOW_BITS_OF_BYTES * np.uint64(0x80)
_ZEROS, _POINTS, _LOW_BITS = (
    _LOW_BITS_OF_BYTES * np.uint64(ord("0")),
    _LOW_BITS_OF_BYTES * np.uint64(ord(".")),
    ~_HIGH_BITS_OF_BYTES,
)
_BYTE, _MINUS = np.uint64(0xFF), np.uint64(ord("-"))
_POWERS = 10 ** np.arange(WORD_BYTES + 1, dtype=np.int64)
_MAX_EXACT_INTEGER = 1 << 53  # up to here every integer is a float
_NUL, _LINE_END_fast_lines = b"\x00", ord("\n")
_BLANKS, _TABS = (np.isin(np.arange(signs[-1] + 1), list(signs)) for signs in (b"\t\n\v\f\r ", b"\t\n"))

WordArray = NDArray[np.uint64]


class PackedText:
    """The words of a padded text."""

    def __init__(self, text: bytes) -> None:
        self._at: WordArray = np.ndarray((len(text) - WORD_BYTES + 1,), dtype="<u8", buffer=text, strides=(1,))
        self._spans: dict[int, NDArray[np.void]] = {
            size: np.ndarray((len(text) - size + 1,), f"V{size}", text, strides=(1,)) for size in _SPAN_SIZES
        }

    def words_at(self, begin: IntArray) -> WordArray:
        """The eight bytes at each place."""
        found: WordArray = self._at[begin]
        return found

    def packed_names(self, begin: IntArray, length: IntArray) -> WordArray | None:
        """Fields as names; None where one is longer than eight words."""
        rows = -(-int(length.max(initial=1)) // WORD_BYTES)
        if rows * WORD_BYTES > _MAX_SPAN:
            return None
        names = np.empty((rows, len(begin)), dtype=np.uint64)
        shortest = int(length.min(initial=_MAX_SPAN))
        for row in range(rows):
            offset = row * WORD_BYTES
            names[row] = self._at[begin + offset]
            if shortest < offset + WORD_BYTES:
                names[row] &= BYTE_MASKS.take(length - offset, mode="clip")
        return names

    def integers(self, begin: IntArray, length: IntArray) -> IntArray | None:
        """Plain integers of up to eight digits and no sign; None where a field is anything else."""
        if ((length < 1) | (length > WORD_BYTES)).any():
            return None
        return self._digits(begin + length, length)

    def decimals(self, begin: IntArray, length: IntArray) -> FloatArray | None:
        """Plain numbers of up to eight digits before and behind a point, as `float` reads them to the last bit.

        None where a field is anything else, or where the digits without the point are no float: one such number
        divided by a power of ten up to 10^22 is rounded correctly.
        """
        negative = (self._at[begin] & _BYTE) == _MINUS
        end, length = begin + length, length - negative
        point, behind = self._points(end, length)
        before = length - behind - point
        if ((before < 0) | (before > WORD_BYTES) | (before + behind < 1)).any():
            return None
        whole, fraction = self._digits(end - behind - point, before), self._digits(end, behind)
        if whole is None or fraction is None:
            return None
        power = _POWERS[behind]
        number = whole * power + fraction
        if (number > _MAX_EXACT_INTEGER).any():
            return None
        values = number / power
        np.negative(values, out=values, where=negative)
        return values

    def _points(self, end: IntArray, length: IntArray) -> tuple[BoolArray, IntArray]:
        """Whether there is a point before the last one to eight bytes of each field, and how many they are."""
        text = self._at[end - WORD_BYTES - 1] ^ _POINTS
        points = ~(((text & _LOW_BITS) + _LOW_BITS) | text | _LOW_BITS)  # the highest bit of every byte that is one
        points &= ~BYTE_MASKS[WORD_BYTES - np.clip(length - 1, 0, WORD_BYTES)]
        bits = np.frexp(points.astype(np.float64))[1]
        point = bits > 0
        return point, np.where(point, WORD_BYTES + 1 - (bits >> 3), 0)

    def _digits(self, end: IntArray, length: IntArray) -> IntArray | None:
        """Numbers of up to eight digits, of none as well; None where a byte is no digit."""
        text = self._at[end - WORD_BYTES]  # the last digit in the highest byte
        digits = (text ^ _ZEROS) & ~BYTE_MASKS[WORD_BYTES - length]
        if (((digits + np.uint64(0x7676767676767676)) | digits) & _HIGH_BITS_OF_BYTES).any():
            return None
        # Neighbours are joined: digits to numbers of two digits, these to four, these to eight.
        pairs = (digits * np.uint64(10) + (digits >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
        fours = (pairs * np.uint64(100) + (pairs >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
        eights = (fours * np.uint64(10000) + (fours >> np.uint64(32))) & np.uint64(0x00000000FFFFFFFF)
        numbers: IntArray = eights.astype(np.int64)
        return numbers

    def starts_with_byte(self, begin: IntArray, sign: bytes) -> BoolArray:
        """Whether the byte at each place is this one."""
        found: BoolArray = self._at[begin] & _BYTE == np.uint64(sign[0])
        return found

    def all_start_with(self, begin: IntArray, text: bytes) -> bool:
        """Whether this text begins at every place."""
        for offset in range(0, len(text), WORD_BYTES):
            part = text[offset : offset + WORD_BYTES]
            word = np.uint64(int.from_bytes(part, "little"))
            if (self._at[begin + offset] & BYTE_MASKS[len(part)] != word).any():
                return False
        return True

    def fields_differ(self, begin: IntArray, other: IntArray, length: IntArray) -> BoolArray:
        """Whether each field differs from the one of the same length that begins at `other`."""
        differ: BoolArray = (self._at[begin] ^ self._at[other]) & BYTE_MASKS[np.minimum(length, WORD_BYTES)] != 0
        rows = np.flatnonzero(~differ & (length > WORD_BYTES))
        sizes = length[rows]
        for size, spans in self._spans.items():  # of a field up to twice as long the first and the last such span
            own = rows[(sizes > size) & (sizes <= 2 * size)]
            last = length[own] - size
            differ[own] = _unequal(spans, begin[own], other[own])
            differ[own] |= _unequal(spans, begin[own] + last, other[own] + last)
        rows, offset = rows[sizes > 2 * size], 0
        while len(rows):
            place = np.minimum(length[rows] - size, offset)
            differ[rows] = _unequal(spans, begin[rows] + place, other[rows] + place)
            offset += size
            rows = rows[~differ[rows] & (length[rows] > offset)]
        return differ

    def changed_rows(self, begin: IntArray, length: IntArray) -> IntArray:
        """Which fields differ from the one before; the first does."""
        words = self._at[begin] & BYTE_MASKS[np.minimum(length, WORD_BYTES)]
        changed = np.ones(len(begin), dtype=np.bool_)
        changed[1:] = (length[1:] != length[:-1]) | (words[1:] != words[:-1])
        if length.max(initial=0) > WORD_BYTES:
            rows = np.flatnonzero(~changed & (length > WORD_BYTES))
            changed[rows] = self.fields_differ(
                begin[rows] + WORD_BYTES, begin[rows - 1] + WORD_BYTES, length[rows] - WORD_BYTES
            )
        return np.flatnonzero(changed)


def _unequal(spans: NDArray[np.void], begin: IntArray, other: IntArray) -> BoolArray:
    """Whether the spans at some places are not those at other places."""
    words = spans.itemsize // WORD_BYTES
    here, there = (spans[places].view(np.uint64).reshape(-1, words) for places in (begin, other))
    unequal: BoolArray = here[:, 0] != there[:, 0]
    for word in range(1, words):
        unequal |= here[:, word] != there[:, word]
    return unequal


@dataclass(slots=True, eq=False, repr=False)
class CharacterPositions:
    """Where some signs are in a padded text, and the separators among them."""

    positions: IntArray
    characters: NDArray[np.uint8]
    separators: IntArray  # which of them is the separator behind each field, shape (lines, columns)


@dataclass(slots=True, eq=False, repr=False)
class FastTable:
    """The fields of whole lines: places and lengths of shape (lines, columns) in the padded text."""

    text: bytes
    words: PackedText
    begin: IntArray
    length: IntArray
    lines: IntArray  # their numbers
    marks: CharacterPositions | None = None  # where they were asked for

    def __len__(self) -> int:
        return len(self.begin)

    def cell(self, row: int, column: int) -> bytes:
        """One field."""
        begin = int(self.begin[row, column])
        return self.text[begin : begin + int(self.length[row, column])]

    def cells(self, column: int, rows: IntArray | slice = slice(None)) -> list[bytes]:
        """The fields of a column, or of some rows of it."""
        names = self.packed_names(column, rows)
        if names is not None:
            return unpack_names(names)
        begin, end = self.begin[rows, column], self.begin[rows, column] + self.length[rows, column]
        return [self.text[first:last] for first, last in zip(begin.tolist(), end.tolist(), strict=True)]

    def decimals(self, column: int) -> FloatArray | None:
        """A column of plain, finite decimal numbers, None where a field is anything else."""
        numbers = self.words.decimals(self.begin[:, column], self.length[:, column])
        return parse_decimals(self.cells(column)) if numbers is None else numbers

    def integers(self, column: int) -> IntArray | None:
        """A column of plain integers that fit 64 bits, None where a field is anything else."""
        numbers = self.words.integers(self.begin[:, column], self.length[:, column])
        return parse_integers(self.cells(column)) if numbers is None else numbers

    def changed_rows(self, column: int) -> IntArray:
        """Rows where a column is not what it is in the row before; the first is one."""
        return self.words.changed_rows(self.begin[:, column], self.length[:, column])

    def codes(self, column: int, vocabulary: Vocabulary) -> IntArray:
        """Codes of a column whose equal fields stand together, as topics do: only where it changes is one looked up."""
        rows = self.changed_rows(column)
        codes = np.array([vocabulary[cell] for cell in self.cells(column, rows)], dtype=np.int64)
        return np.repeat(codes, np.diff(rows, append=len(self)))

    def columns_equal(self, column: int, other: int) -> bool:
        """Whether two columns are equal."""
        length = self.length[:, column]
        if not np.array_equal(length, self.length[:, other]):
            return False
        return not self.words.fields_differ(self.begin[:, column], self.begin[:, other], length).any()

    def name_column(self, column: int, rows: IntArray | slice = slice(None)) -> WordArray | list[bytes]:
        """Fields of a column that are names: as words where all are short, else one by one."""
        names = self.packed_names(column, rows)
        return self.cells(column, rows) if names is None else names

    def packed_names(self, column: int, rows: IntArray | slice = slice(None)) -> WordArray | None:
        """Fields of a column as names, None where some are long or have bytes that might be no bytes."""
        if self.text.find(_NUL, len(PADDING), -len(PADDING)) >= 0:
            return None
        return self.words.packed_names(self.begin[rows, column], self.length[rows, column])


def fast_table(block: LineBlock, width: int, *, tabs: bool = False, marked: bytes = b"") -> FastTable | None:
    """A block whose every line has `width` fields, None for any other block.

    Fields are separated by white space, as by `bytes.split`; with `tabs` by one tab each, and all but the first may be
    empty. With `tabs` some other signs, no blanks, can be found on the way.
    """
    text = b"".join((PADDING, block.text, PADDING))
    separators, begins_at = _TABS if tabs else _BLANKS, len(PADDING)
    signs = np.frombuffer(text, dtype=np.uint8)
    body = signs[begins_at:-begins_at]
    found = body < len(separators)
    for sign in marked:
        found |= body == sign
    ends = places = np.flatnonzero(found) + begins_at
    kinds = found_signs = signs.take(places)
    behind = np.flatnonzero(kinds < len(separators)) if marked else places
    if marked:
        ends, kinds = places[behind], kinds[behind]
    if not (separates := separators.take(kinds)).all():  # other control characters are parts of fields
        ends, kinds, behind = ends[separates], kinds[separates], behind[separates]
    begin = np.concatenate(([begins_at], ends[:-1] + 1))
    length = ends - begin
    if len(ends) == block.lines * width:
        in_its_line = kinds[width - 1 :: width] == _LINE_END_fast_lines
    elif tabs:
        return None
    else:  # perhaps because several blanks stand together
        line_ends = ends[kinds == _LINE_END_fast_lines]
        begin, length = begin[length > 0], length[length > 0]
        if len(begin) != block.lines * width:
            return None
        in_its_line = begin[width - 1 :: width] + length[width - 1 :: width] <= line_ends
        in_its_line[1:] &= begin[width::width] > line_ends[:-1]
    begin, length = begin.reshape(-1, width), length.reshape(-1, width)
    if not in_its_line.all() or not length[:, : 1 if tabs else width].all():
        return None
    marks = CharacterPositions(places, found_signs, behind.reshape(-1, width)) if marked else None
    return FastTable(
        text, PackedText(text), begin, length, np.arange(block.first_line, block.first_line + block.lines), marks
    )


def unpack_names(names: WordArray) -> list[bytes]:
    """Names as bytes, without the NUL at their ends."""
    found: list[bytes] = (
        np.ascontiguousarray(names.T, dtype="<u8").view(f"S{WORD_BYTES * len(names)}").reshape(-1).tolist()
    )
    return found


# Tags of a text as arrays, eight bytes at once: their names, and how many characters stand before them.
#
# The conventions are those of `fast_lines`.


_LOW_BITS_OF_BYTES = np.uint64(0x0101010101010101)  # multiplied by it, a word has the sum of its bytes in the highest
_HIGH_BITS_OF_BYTES = np.uint64(0x8080808080808080)


def tag_names(words: PackedText, begin: IntArray) -> tuple[WordArray, BoolArray]:
    """Names in tags, of two words each, and which are too long for that."""
    names = np.zeros((2, len(begin)), dtype=np.uint64)
    names[0], long = _cut_at_name_end(words.words_at(begin))
    rows = np.flatnonzero(long)
    if len(rows):
        names[1, rows], long[rows] = _cut_at_name_end(words.words_at(begin[rows] + WORD_BYTES))
    return names, long


def _cut_at_name_end(words: WordArray) -> tuple[WordArray, BoolArray]:
    """Words up to the first sign that ends a name, and which have none."""
    # The highest bit of a byte is set where a sign is below "!" or is "/" or ">"; perhaps behind that, never before it.
    slash, greater = words ^ (_LOW_BITS_OF_BYTES * np.uint64(0x2F)), words ^ (_LOW_BITS_OF_BYTES * np.uint64(0x3E))
    ends = (
        ((words - _LOW_BITS_OF_BYTES * np.uint64(0x21)) & ~words)
        | ((slash - _LOW_BITS_OF_BYTES) & ~slash)
        | ((greater - _LOW_BITS_OF_BYTES) & ~greater)
    )
    ends &= _HIGH_BITS_OF_BYTES
    lowest = ends & (~ends + np.uint64(1))
    return words & ((lowest >> np.uint64(7)) - np.uint64(1)), ends == 0


def count_true_before(mask: BoolArray, places: IntArray) -> IntArray:
    """How many values of a mask of whole words are true before each place; much faster than summing byte by byte."""
    words = mask.view(np.uint64)
    sums = words * _LOW_BITS_OF_BYTES
    sums >>= np.uint64(56)
    in_words = np.empty(len(words) + 1, dtype=np.uint64)
    in_words[0] = 0
    np.cumsum(sums, out=in_words[1:])
    word = places >> 3
    in_rest = (words[word] & BYTE_MASKS[places & 7]) * _LOW_BITS_OF_BYTES >> np.uint64(56)
    found: IntArray = (in_words[word] + in_rest).view(np.int64)
    return found
