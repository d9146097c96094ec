"""Fields of a text as numpy sees them: eight bytes at once, because a Python object a field is what makes readers slow.

A field is where it begins in the buffer and how many bytes it has.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import BoolArray, FloatArray, IntArray

WORD = 8
_MOST_WORDS = 8
_SPAN = _MOST_WORDS * WORD
PADDING = b"\x00" * _SPAN  # before and behind a text, so that as many bytes may be read anywhere

_MASKS = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], dtype=np.uint64)  # the first bytes of a word
_ZEROS = np.uint64(0x3030303030303030)
_POINTS = np.uint64(0x2E2E2E2E2E2E2E2E)
_LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
_MINUS = np.uint64(0x2D)
_BYTE = np.uint64(0xFF)
_POWERS = 10 ** np.arange(WORD + 1, dtype=np.int64)
_EXACT = 1 << 53  # up to here every integer is a float
_ONES = np.uint64(0x0101010101010101)  # multiplied by it, a word has the sum of its bytes in the highest
_HIGH = np.uint64(0x8080808080808080)
_BUCKETS = 1 << 12
_MIXER = np.uint64(0x9E3779B97F4A7C15)

_SPAN_MASKS = (0xFF * np.tri(_SPAN + 1, _SPAN, -1, dtype=np.uint8)).view(f"V{_SPAN}").reshape(-1)

Words = NDArray[np.uint64]
Spans = NDArray[np.void]  # many bytes each


def texts(words: Words) -> list[bytes]:
    """Fields given as columns of words, without the NUL bytes at their ends."""
    found: list[bytes] = np.ascontiguousarray(words.T, dtype="<u8").view(f"S{WORD * len(words)}").reshape(-1).tolist()
    return found


def true_before(mask: BoolArray, places: IntArray) -> IntArray:
    """How many values of a mask of whole words are true before each place; much faster than summing byte by byte."""
    words = mask.view(np.uint64)
    sums = words * _ONES
    sums >>= np.uint64(56)
    in_words = np.empty(len(words) + 1, dtype=np.uint64)
    in_words[0] = 0
    np.cumsum(sums, out=in_words[1:])
    word = places >> 3
    in_rest = (words[word] & _MASKS[places & 7]) * _ONES >> np.uint64(56)
    found: IntArray = (in_words[word] + in_rest).view(np.int64)
    return found


class Fields:
    """A padded text of which words can be read at any place."""

    def __init__(self, text: bytes) -> None:
        self._words: Words = np.ndarray((len(text) - WORD + 1,), dtype="<u8", buffer=text, strides=(1,))
        self._spans: Spans = np.ndarray((len(text) - _SPAN + 1,), dtype=f"V{_SPAN}", buffer=text, strides=(1,))

    def word(self, begin: IntArray) -> Words:
        """The eight bytes at each place."""
        found: Words = self._words[begin]
        return found

    def numbers(self, begin: IntArray, length: IntArray) -> IntArray | None:
        """Plain numbers of up to eight digits; None where a field is anything else."""
        if ((length < 1) | (length > WORD)).any():
            return None
        return self._digits(begin + length, length)

    def decimals(self, begin: IntArray, length: IntArray) -> FloatArray | None:
        """Plain numbers of up to eight digits before and behind a point, as `float` reads them to the last bit.

        None where a field is anything else, or where the digits without the point are no float: one such number
        divided by a power of ten up to 10^22 is rounded correctly.
        """
        negative = (self._words[begin] & _BYTE) == _MINUS
        end, length = begin + length, length - negative
        point, behind = self._points(end, length)
        before = length - behind - point
        if ((before < 0) | (before > WORD) | (before + behind < 1)).any():
            return None
        whole, fraction = self._digits(end - behind - point, before), self._digits(end, behind)
        if whole is None or fraction is None:
            return None
        power = _POWERS[behind]
        number = whole * power + fraction
        if (number > _EXACT).any():
            return None
        values = number / power
        np.negative(values, out=values, where=negative)
        return values

    def _points(self, end: IntArray, length: IntArray) -> tuple[BoolArray, IntArray]:
        """Whether there is a point before the last one to eight bytes of each field, and how many they are."""
        text = self._words[end - WORD - 1] ^ _POINTS
        points = ~(((text & _LOW_BITS) + _LOW_BITS) | text | _LOW_BITS)  # the highest bit of every byte that is one
        points &= ~_MASKS[WORD - np.clip(length - 1, 0, WORD)]
        bits = np.frexp(points.astype(np.float64))[1]
        point = bits > 0
        return point, np.where(point, WORD + 1 - (bits >> 3), 0)

    def _digits(self, end: IntArray, length: IntArray) -> IntArray | None:
        """Numbers of up to eight digits, of none as well; None where a byte is no digit."""
        text = self._words[end - WORD]  # the last digit in the highest byte
        digits = (text ^ _ZEROS) & ~_MASKS[WORD - length]
        if (((digits + np.uint64(0x7676767676767676)) | digits) & _HIGH).any():
            return None
        # Neighbours are joined: digits to numbers of two digits, these to four, these to eight.
        pairs = (digits * np.uint64(10) + (digits >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
        fours = (pairs * np.uint64(100) + (pairs >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
        eights = (fours * np.uint64(10000) + (fours >> np.uint64(32))) & np.uint64(0x00000000FFFFFFFF)
        numbers: IntArray = eights.astype(np.int64)
        return numbers

    def words(self, begin: IntArray, length: IntArray) -> Words | None:
        """The bytes of each field, in as many rows of words as the longest needs; None where those are too many."""
        rows = -(-int(length.max(initial=0)) // WORD)
        if rows > _MOST_WORDS:
            return None
        words = np.empty((rows, len(begin)), dtype=np.uint64)
        for row in range(rows):
            offset = row * WORD
            words[row] = self._words[begin + offset] & _MASKS[np.clip(length - offset, 0, WORD)]
        return words

    def equal(self, begin: IntArray, other: IntArray, length: IntArray) -> bool:
        """Whether every field equals the one of the same length that begins at `other`."""
        while len(length):
            differing = self._spans[begin].view(np.uint64) ^ self._spans[other].view(np.uint64)
            if (differing & _SPAN_MASKS[np.minimum(length, _SPAN)].view(np.uint64)).any():
                return False
            longer = length > _SPAN
            begin, other, length = begin[longer] + _SPAN, other[longer] + _SPAN, length[longer] - _SPAN
        return True

    def changes(self, begin: IntArray, length: IntArray) -> BoolArray:
        """Whether each field differs from the one before; the first does."""
        changed = np.ones(len(begin), dtype=np.bool_)
        changed[1:] = length[1:] != length[:-1]
        open_rows = np.flatnonzero(~changed)
        offset = 0
        while len(open_rows):
            left = np.minimum(length[open_rows] - offset, WORD)
            here, before = (self._words[begin[rows] + offset] for rows in (open_rows, open_rows - 1))
            differing = ((here ^ before) & _MASKS[left]) != 0
            changed[open_rows[differing]] = True
            offset += WORD
            open_rows = open_rows[~differing & (length[open_rows] > offset)]
        return changed

    def grouped(self, begin: IntArray, length: IntArray) -> tuple[IntArray, IntArray] | None:
        """Code of each field and, by code, a row that has it; None where a field has more than sixteen bytes."""
        if not len(begin) or length.max() > 2 * WORD:
            return None
        first = self._words[begin] & _MASKS[np.minimum(length, WORD)]
        second = self._words[begin + WORD] & _MASKS[np.clip(length - WORD, 0, WORD)]
        return coded(first, second)

    def names(self, begin: IntArray) -> tuple[Words, Words, BoolArray]:
        """Names in tags as two words each, and which are too long for that."""
        first, longer = _cut(self._words[begin])
        second, long = np.zeros_like(first), np.zeros_like(longer)
        rows = np.flatnonzero(longer)
        if len(rows):
            second[rows], long[rows] = _cut(self._words[begin[rows] + WORD])
        return first, second, long


def _cut(words: Words) -> tuple[Words, BoolArray]:
    """Words up to the first sign that ends a name, and which have none."""
    # The highest bit of a byte is set where a sign is below "!" or is "/" or ">"; perhaps behind that, never before it.
    slash, greater = words ^ (_ONES * np.uint64(0x2F)), words ^ (_ONES * np.uint64(0x3E))
    ends = ((words - _ONES * np.uint64(0x21)) & ~words) | ((slash - _ONES) & ~slash) | ((greater - _ONES) & ~greater)
    ends &= _HIGH
    lowest = ends & (~ends + np.uint64(1))
    return words & ((lowest >> np.uint64(7)) - np.uint64(1)), ends == 0


def coded(first: Words, second: Words) -> tuple[IntArray, IntArray]:
    """Code of each pair of words and, by code, a row that has it."""
    mixed = (first ^ (second * np.uint64(0xC2B2AE3D27D4EB4F))) * _MIXER
    bucket = (mixed >> np.uint64(52)).astype(np.int64)
    row_of = np.full(_BUCKETS, -1, dtype=np.int64)
    row_of[bucket] = np.arange(len(first))
    rows = row_of[bucket]
    if (first[rows] != first).any() or (second[rows] != second).any():  # two fields in one bucket
        _, rows, code = np.unique(np.stack([first, second]), axis=1, return_index=True, return_inverse=True)
        return code.reshape(-1), rows
    used = np.flatnonzero(row_of >= 0)
    place = np.empty(_BUCKETS, dtype=np.int64)
    place[used] = np.arange(len(used))
    return place[bucket], row_of[used]
