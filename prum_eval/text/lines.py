"""Lines of text as columns of fields: a fast reader and its plain twin.

A reader takes the lines of a stream in blocks (`line_blocks`) and splits each block into columns at once
(`fast_table`), eight bytes at a time, because one Python object per field would be slow. If a block has an error or
another form, methods of the fast reader return None; the reader then goes through the block line by line and collects
the valid lines in a `PlainTable`, which has the methods of `FastTable`. Tests compare the two.

Conventions:

* A padded text has `PADDING` on both sides, so that a word can be read at any position.
* A word is eight bytes as a little-endian uint64: the first byte is the lowest.
* Fields are given by the positions where they begin and their lengths in bytes, both of shape (fields,).
* Packed names are names as words, of shape (words of the longest, names), shorter ones filled with NUL.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.text.numbers import parse_decimals, parse_integers

BLOCK_BYTES = 1 << 20  # larger blocks exceed the processor's caches and are slower
MAX_LINE_BYTES = 1 << 24
WORD_BYTES = 8
_SPAN_SIZES = (WORD_BYTES, 2 * WORD_BYTES, 4 * WORD_BYTES, 8 * WORD_BYTES)
_MAX_SPAN = _SPAN_SIZES[-1]
PADDING = bytes(_MAX_SPAN)

BYTE_MASKS = np.array([(1 << 8 * count) - 1 for count in range(WORD_BYTES + 1)], dtype=np.uint64)
"""Masks of the first 0 to 8 bytes of a word."""
LOW_BITS_OF_BYTES = np.uint64(0x0101010101010101)
"""Lowest bit of every byte; a word times this has the sum of its bytes in the highest byte."""
HIGH_BITS_OF_BYTES = LOW_BITS_OF_BYTES * np.uint64(0x80)
_ZEROS, _POINTS = LOW_BITS_OF_BYTES * np.uint64(ord("0")), LOW_BITS_OF_BYTES * np.uint64(ord("."))
_BYTE, _MINUS = np.uint64(0xFF), np.uint64(ord("-"))
_POWERS = 10 ** np.arange(WORD_BYTES + 1, dtype=np.int64)
_MAX_EXACT_INTEGER = 1 << 53  # up to here every integer is a float
_LINE_END = ord("\n")
_BLANKS, _TABS = (np.isin(np.arange(chars[-1] + 1), list(chars)) for chars in (b"\t\n\v\f\r ", b"\t\n"))

WordArray = NDArray[np.uint64]


class LineBlock(NamedTuple):
    """Consecutive whole lines of an input; the text ends with a line feed."""

    first_line: int
    lines: int
    text: bytes

    def numbered_lines(self) -> Iterator[tuple[int, bytes]]:
        """Line numbers and lines without line feeds."""
        return enumerate(self.text[:-1].split(b"\n"), self.first_line)


_COMMENTS = re.compile(rb"^[ \t]*#[^\n]*\n", re.MULTILINE)


def without_comments(blocks: Iterable[LineBlock]) -> Iterator[LineBlock]:
    """The blocks divided at lines that begin with ``#``, which are left out; line numbers stay.

    >>> list(without_comments([LineBlock(1, 2, b"# comment" + bytes([10]) + b"text # text" + bytes([10]))]))[0][:2]
    (2, 1)
    """
    for block in blocks:
        if b"#" not in block.text:
            yield block
            continue
        begin, line = 0, block.first_line
        for comment in _COMMENTS.finditer(block.text):
            if begin < comment.start():
                lines = block.text.count(b"\n", begin, comment.start())
                yield LineBlock(line, lines, block.text[begin : comment.start()])
                line += lines
            begin, line = comment.end(), line + 1
        if not begin:
            yield block
        elif begin < len(block.text):
            yield LineBlock(line, block.first_line + block.lines - line, block.text[begin:])


def line_blocks(stream: BinaryIO, name: str, problems: ProblemHandler) -> Iterator[LineBlock]:
    """Lines of a stream in blocks of about `BLOCK_BYTES`; a block of blank lines comes as one blank line.

    Read errors and lines longer than `MAX_LINE_BYTES` are reported and end the iteration.
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
        # One blank line stands for a whole block of them: files may have gigabytes.
        yield LineBlock(line, 1, b"\n") if text.isspace() else LineBlock(line, lines, text)
        if final:
            return
        line += lines


class BlankLines:
    """Skips blank lines; reports those before lines with content.

    Args:
        name: name of the input, for messages.
        problems: receives the reports.
        expected: content of a line in words, for messages.
    """

    def __init__(self, name: str, problems: ProblemHandler, expected: str) -> None:
        self._name = name
        self._problems = problems
        self._expected = expected
        self.pending = 0  # first blank line since the last line with content; 0 if none

    def skip(self, line: int, text: bytes) -> bool:
        """Whether the line is blank; for a line with content, report earlier blank ones."""
        if not text or text.isspace():
            self.pending = self.pending or line
            return True
        if self.pending:
            problem = InputError(self._name, self.pending, f"a blank line, expected {self._expected}")
            self.pending = 0
            self._problems(problem)
        return False


class Vocabulary(defaultdict[bytes, int]):
    """Codes of distinct names in order of first occurrence; a look-up adds a new name."""

    def __init__(self) -> None:
        super().__init__(count().__next__)

    def codes(self, cells: Sequence[bytes]) -> IntArray:
        """Code of each cell."""
        return np.fromiter(map(self.__getitem__, cells), dtype=np.int64, count=len(cells))


@dataclass(slots=True, eq=False, repr=False)
class PlainTable:
    """Fields of lines of equal width, as Python splits them; the slow twin of `FastTable`."""

    rows: Sequence[Sequence[bytes]]
    lines: IntArray  # line numbers

    def __len__(self) -> int:
        return len(self.rows)

    def cell(self, row: int, column: int) -> bytes:
        """One field."""
        return self.rows[row][column]

    def cells(self, column: int, rows: IntArray | slice = slice(None)) -> list[bytes]:
        """Fields of a column, for all rows or some."""
        return [self.rows[row][column] for row in np.arange(len(self.rows))[rows].tolist()]

    name_column = cells

    def integers(self, column: int) -> IntArray | None:
        """A column of plain 64-bit integers; None if a field is anything else."""
        return parse_integers(self.cells(column))

    def decimals(self, column: int) -> FloatArray | None:
        """A column of plain, finite decimal numbers; None if a field is anything else."""
        return parse_decimals(self.cells(column))

    def changed_rows(self, column: int) -> IntArray:
        """Rows whose field differs from that of the row before; includes the first row."""
        cells = self.cells(column)
        return np.flatnonzero([True, *map(bytes.__ne__, cells, cells[1:])])

    def codes(self, column: int, vocabulary: Vocabulary) -> IntArray:
        """Code of each field of a column."""
        return vocabulary.codes(self.cells(column))

    def columns_equal(self, column: int, other: int) -> bool:
        """Whether two columns are equal."""
        return self.cells(column) == self.cells(other)


class PackedText:
    """Words of a padded text, and operations on many fields at once."""

    def __init__(self, text: bytes) -> None:
        self._words: WordArray = np.ndarray((len(text) - WORD_BYTES + 1,), dtype="<u8", buffer=text, strides=(1,))
        self._spans: dict[int, NDArray[np.void]] = {
            size: np.ndarray((len(text) - size + 1,), f"V{size}", text, strides=(1,)) for size in _SPAN_SIZES
        }

    def words_at(self, begin: IntArray) -> WordArray:
        """The eight bytes at each position."""
        words: WordArray = self._words[begin]
        return words

    def packed_names(self, begin: IntArray, length: IntArray) -> WordArray | None:
        """Fields as packed names; None if one is longer than eight words."""
        rows = -(-int(length.max(initial=1)) // WORD_BYTES)
        if rows * WORD_BYTES > _MAX_SPAN:
            return None
        names = np.empty((rows, len(begin)), dtype=np.uint64)
        shortest = int(length.min(initial=_MAX_SPAN))
        for row in range(rows):
            offset = row * WORD_BYTES
            names[row] = self._words[begin + offset]
            if shortest < offset + WORD_BYTES:
                names[row] &= BYTE_MASKS.take(length - offset, mode="clip")
        return names

    def integers(self, begin: IntArray, length: IntArray) -> IntArray | None:
        """Integers of one to eight digits without sign; None if a field is anything else."""
        if ((length < 1) | (length > WORD_BYTES)).any():
            return None
        return self._digits(begin + length, length)

    def decimals(self, begin: IntArray, length: IntArray) -> FloatArray | None:
        """Numbers of up to eight digits before and after a point, equal to Python's `float` to the last bit.

        None if a field is anything else, or if the digits without the point exceed 2^53: an exact integer divided by a
        power of ten up to 10^22 is rounded correctly.
        """
        negative = (self._words[begin] & _BYTE) == _MINUS
        end, length = begin + length, length - negative
        # Position of the last point among the last nine bytes of each field: `behind` digits follow it.
        words = self._words[end - WORD_BYTES - 1] ^ _POINTS
        points = ~(((words & ~HIGH_BITS_OF_BYTES) + ~HIGH_BITS_OF_BYTES) | words | ~HIGH_BITS_OF_BYTES)
        points &= ~BYTE_MASKS[WORD_BYTES - np.clip(length - 1, 0, WORD_BYTES)]
        bits = np.frexp(points.astype(np.float64))[1]
        point = bits > 0
        behind = np.where(point, WORD_BYTES + 1 - (bits >> 3), 0)
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

    def _digits(self, end: IntArray, length: IntArray) -> IntArray | None:
        """Numbers of zero to eight digits; None if a byte is no digit."""
        words = self._words[end - WORD_BYTES]  # the last digit in the highest byte
        digits = (words ^ _ZEROS) & ~BYTE_MASKS[WORD_BYTES - length]
        if (((digits + np.uint64(0x7676767676767676)) | digits) & HIGH_BITS_OF_BYTES).any():
            return None
        # Join neighbours: digits to numbers of two digits, these to four, these to eight.
        pairs = (digits * np.uint64(10) + (digits >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
        fours = (pairs * np.uint64(100) + (pairs >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
        eights = (fours * np.uint64(10000) + (fours >> np.uint64(32))) & np.uint64(0x00000000FFFFFFFF)
        numbers: IntArray = eights.astype(np.int64)
        return numbers

    def all_start_with(self, begin: IntArray, text: bytes) -> bool:
        """Whether this text begins at every position."""
        for offset in range(0, len(text), WORD_BYTES):
            part = text[offset : offset + WORD_BYTES]
            word = np.uint64(int.from_bytes(part, "little"))
            if (self._words[begin + offset] & BYTE_MASKS[len(part)] != word).any():
                return False
        return True

    def fields_differ(self, begin: IntArray, other: IntArray, length: IntArray) -> BoolArray:
        """Whether each field differs from the field of the same length that begins at `other`."""
        differ: BoolArray = (self._words[begin] ^ self._words[other]) & BYTE_MASKS[np.minimum(length, WORD_BYTES)] != 0
        rows = np.flatnonzero(~differ & (length > WORD_BYTES))
        sizes = length[rows]
        for size, spans in self._spans.items():  # two spans of this size cover a field of up to twice the size
            covered = rows[(sizes > size) & (sizes <= 2 * size)]
            last = length[covered] - size
            differ[covered] = _spans_differ(spans, begin[covered], other[covered])
            differ[covered] |= _spans_differ(spans, begin[covered] + last, other[covered] + last)
        rows, offset = rows[sizes > 2 * size], 0
        while len(rows):
            shift = np.minimum(length[rows] - size, offset)
            differ[rows] = _spans_differ(spans, begin[rows] + shift, other[rows] + shift)
            offset += size
            rows = rows[~differ[rows] & (length[rows] > offset)]
        return differ

    def changed_rows(self, begin: IntArray, length: IntArray) -> IntArray:
        """Fields that differ from the one before; includes the first."""
        words = self._words[begin] & BYTE_MASKS[np.minimum(length, WORD_BYTES)]
        changed = np.ones(len(begin), dtype=np.bool_)
        changed[1:] = (length[1:] != length[:-1]) | (words[1:] != words[:-1])
        if length.max(initial=0) > WORD_BYTES:
            rows = np.flatnonzero(~changed & (length > WORD_BYTES))
            changed[rows] = self.fields_differ(
                begin[rows] + WORD_BYTES, begin[rows - 1] + WORD_BYTES, length[rows] - WORD_BYTES
            )
        return np.flatnonzero(changed)


def _spans_differ(spans: NDArray[np.void], begin: IntArray, other: IntArray) -> BoolArray:
    """Whether the spans at `begin` differ from those at `other`."""
    words = spans.itemsize // WORD_BYTES
    left, right = (spans[positions].view(np.uint64).reshape(-1, words) for positions in (begin, other))
    differ: BoolArray = left[:, 0] != right[:, 0]
    for word in range(1, words):
        differ |= left[:, word] != right[:, word]
    return differ


@dataclass(slots=True, eq=False, repr=False)
class CharacterPositions:
    """Positions of chosen characters and of separators in a padded text."""

    positions: IntArray
    characters: NDArray[np.uint8]
    separators: IntArray  # index in `positions` of the separator after each field, shape (lines, columns)


@dataclass(slots=True, eq=False, repr=False)
class FastTable:
    """Fields of whole lines: positions and lengths of shape (lines, columns) in the padded text."""

    text: bytes
    words: PackedText
    begin: IntArray
    length: IntArray
    lines: IntArray  # line numbers
    marks: CharacterPositions | None = None  # of the characters passed to `fast_table`

    def __len__(self) -> int:
        return len(self.begin)

    def cell(self, row: int, column: int) -> bytes:
        """One field."""
        begin = int(self.begin[row, column])
        return self.text[begin : begin + int(self.length[row, column])]

    def cells(self, column: int, rows: IntArray | slice = slice(None)) -> list[bytes]:
        """Fields of a column, for all rows or some."""
        names = self.packed_names(column, rows)
        if names is not None:
            return unpack_names(names)
        begin, end = self.begin[rows, column], self.begin[rows, column] + self.length[rows, column]
        return [self.text[first:last] for first, last in zip(begin.tolist(), end.tolist(), strict=True)]

    def decimals(self, column: int) -> FloatArray | None:
        """A column of plain, finite decimal numbers; None if a field is anything else."""
        numbers = self.words.decimals(self.begin[:, column], self.length[:, column])
        return parse_decimals(self.cells(column)) if numbers is None else numbers

    def integers(self, column: int) -> IntArray | None:
        """A column of plain 64-bit integers; None if a field is anything else."""
        numbers = self.words.integers(self.begin[:, column], self.length[:, column])
        return parse_integers(self.cells(column)) if numbers is None else numbers

    def changed_rows(self, column: int) -> IntArray:
        """Rows whose field differs from that of the row before; includes the first row."""
        return self.words.changed_rows(self.begin[:, column], self.length[:, column])

    def codes(self, column: int, vocabulary: Vocabulary) -> IntArray:
        """Code of each field of a column; fast if equal fields are adjacent, as topics are."""
        rows = self.changed_rows(column)
        return np.repeat(vocabulary.codes(self.cells(column, rows)), np.diff(rows, append=len(self)))

    def columns_equal(self, column: int, other: int) -> bool:
        """Whether two columns are equal."""
        length = self.length[:, column]
        if not np.array_equal(length, self.length[:, other]):
            return False
        return not self.words.fields_differ(self.begin[:, column], self.begin[:, other], length).any()

    def name_column(self, column: int, rows: IntArray | slice = slice(None)) -> WordArray | list[bytes]:
        """Fields of a column as packed names if all are short, else as bytes."""
        names = self.packed_names(column, rows)
        return self.cells(column, rows) if names is None else names

    def packed_names(self, column: int, rows: IntArray | slice = slice(None)) -> WordArray | None:
        """Fields of a column as packed names; None if one is long or the text has a NUL."""
        if self.text.find(b"\x00", len(PADDING), -len(PADDING)) >= 0:
            return None
        return self.words.packed_names(self.begin[rows, column], self.length[rows, column])


def fast_table(block: LineBlock, width: int, *, tabs: bool = False, marked: bytes = b"") -> FastTable | None:
    """Split a block whose every line has `width` fields; None for any other block.

    Args:
        block: the lines.
        width: number of fields per line.
        tabs: separate the fields by single tabs, and allow empty ones except the first; by default white space
            separates fields, as in `bytes.split`.
        marked: characters, no blanks, whose positions are recorded; only with `tabs`.
    """
    text = b"".join((PADDING, block.text, PADDING))
    separators, text_begin = _TABS if tabs else _BLANKS, len(PADDING)
    chars = np.frombuffer(text, dtype=np.uint8)
    body = chars[text_begin:-text_begin]
    mask = body < len(separators)
    for char in marked:
        mask |= body == char
    ends = positions = np.flatnonzero(mask) + text_begin
    kinds = characters = chars.take(positions)
    behind = np.flatnonzero(kinds < len(separators)) if marked else positions
    if marked:
        ends, kinds = positions[behind], kinds[behind]
    if not (separates := separators.take(kinds)).all():  # other control characters are parts of fields
        ends, kinds, behind = ends[separates], kinds[separates], behind[separates]
    begin = np.concatenate(([text_begin], ends[:-1] + 1))
    length = ends - begin
    if len(ends) == block.lines * width:
        in_line = kinds[width - 1 :: width] == _LINE_END
    elif tabs:
        return None
    else:  # perhaps because of adjacent blanks
        line_ends = ends[kinds == _LINE_END]
        begin, length = begin[length > 0], length[length > 0]
        if len(begin) != block.lines * width:
            return None
        in_line = begin[width - 1 :: width] + length[width - 1 :: width] <= line_ends
        in_line[1:] &= begin[width::width] > line_ends[:-1]
    begin, length = begin.reshape(-1, width), length.reshape(-1, width)
    if not in_line.all() or not length[:, : 1 if tabs else width].all():
        return None
    lines = np.arange(block.first_line, block.first_line + block.lines)
    marks = CharacterPositions(positions, characters, behind.reshape(-1, width)) if marked else None
    return FastTable(text, PackedText(text), begin, length, lines, marks)


def unpack_names(names: WordArray) -> list[bytes]:
    """Packed names as bytes, without NUL at their ends."""
    cells = np.ascontiguousarray(names.T, dtype="<u8").view(f"S{WORD_BYTES * len(names)}")
    unpacked: list[bytes] = cells.reshape(-1).tolist()
    return unpacked


# Tags of marked-up text.


def tag_names(words: PackedText, begin: IntArray) -> tuple[WordArray, BoolArray]:
    """Element names at these positions, packed in two words, and whether each is longer."""
    names = np.zeros((2, len(begin)), dtype=np.uint64)
    names[0], long = _cut_at_name_end(words.words_at(begin))
    rows = np.flatnonzero(long)
    if len(rows):
        names[1, rows], long[rows] = _cut_at_name_end(words.words_at(begin[rows] + WORD_BYTES))
    return names, long


def _cut_at_name_end(words: WordArray) -> tuple[WordArray, BoolArray]:
    """Words up to the first character that ends a name, and whether they have none."""
    # The highest bit of a byte is set at the first character below "!" or equal to "/" or ">"; perhaps also after it.
    slash, greater = words ^ (LOW_BITS_OF_BYTES * np.uint64(0x2F)), words ^ (LOW_BITS_OF_BYTES * np.uint64(0x3E))
    ends = (
        ((words - LOW_BITS_OF_BYTES * np.uint64(0x21)) & ~words)
        | ((slash - LOW_BITS_OF_BYTES) & ~slash)
        | ((greater - LOW_BITS_OF_BYTES) & ~greater)
    )
    ends &= HIGH_BITS_OF_BYTES
    lowest = ends & (~ends + np.uint64(1))
    return words & ((lowest >> np.uint64(7)) - np.uint64(1)), ends == 0


def count_true_before(mask: BoolArray, positions: IntArray) -> IntArray:
    """Number of true values before each position; the length of `mask` is a multiple of 8.

    Much faster than a cumulative sum of bytes.
    """
    words = mask.view(np.uint64)
    sums = words * LOW_BITS_OF_BYTES
    sums >>= np.uint64(56)
    in_words = np.empty(len(words) + 1, dtype=np.uint64)
    in_words[0] = 0
    np.cumsum(sums, out=in_words[1:])
    word = positions >> 3
    in_rest = (words[word] & BYTE_MASKS[positions & 7]) * LOW_BITS_OF_BYTES >> np.uint64(56)
    counts: IntArray = (in_words[word] + in_rest).view(np.int64)
    return counts
