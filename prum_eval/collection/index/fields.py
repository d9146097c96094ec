"""Fields of a text as numpy sees them: eight bytes at once, because a Python object a field is what makes readers slow.

A field is where it begins in the buffer and how many bytes it has.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import BoolArray, IntArray

PADDING = b"\x00" * 16  # before and behind a text, so that eight bytes may be read anywhere

WORD = 8
_MASKS = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], dtype=np.uint64)  # the first bytes of a word
_ZEROS = np.uint64(0x3030303030303030)
_ONES = np.uint64(0x0101010101010101)  # multiplied by it, a word has the sum of its bytes in the highest
_BUCKETS = 1 << 12
_MIXER = np.uint64(0x9E3779B97F4A7C15)

Words = NDArray[np.uint64]


def true_before(mask: BoolArray, places: IntArray) -> IntArray:
    """How many values of a mask are true before each place; many times faster than summing the mask byte by byte."""
    padded = np.zeros(-(-len(mask) // WORD) + 1, dtype=np.uint64)
    padded.view(np.bool_)[: len(mask)] = mask
    in_words = np.concatenate([[np.uint64(0)], np.cumsum((padded * _ONES) >> np.uint64(56), dtype=np.uint64)])
    word, rest = places >> 3, places & 7
    in_rest = (padded[word] & _MASKS[rest]) * _ONES >> np.uint64(56)
    found: IntArray = (in_words[word] + in_rest).astype(np.int64)
    return found


class Fields:
    """A padded text of which words can be read at any place."""

    def __init__(self, text: bytes) -> None:
        self._words: Words = np.ndarray((len(text) - WORD + 1,), dtype="<u8", buffer=text, strides=(1,))

    def numbers(self, begin: IntArray, length: IntArray) -> IntArray | None:
        """Plain numbers of up to eight digits; None where a field is anything else."""
        if ((length < 1) | (length > WORD)).any():
            return None
        text = self._words[begin + length - WORD]  # the last digit in the highest byte
        front = _MASKS[WORD - length]
        digits = ((text & ~front) | (_ZEROS & front)) ^ _ZEROS
        if (((digits + np.uint64(0x7676767676767676)) | digits) & np.uint64(0x8080808080808080)).any():
            return None
        # Neighbours are joined: digits to numbers of two digits, these to four, these to eight.
        pairs = (digits * np.uint64(10) + (digits >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
        fours = (pairs * np.uint64(100) + (pairs >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
        eights = (fours * np.uint64(10000) + (fours >> np.uint64(32))) & np.uint64(0x00000000FFFFFFFF)
        numbers: IntArray = eights.astype(np.int64)
        return numbers

    def equal(self, begin: IntArray, other: IntArray, length: IntArray) -> bool:
        """Whether every field equals the one of the same length that begins at `other`."""
        while len(length):
            differing = (self._words[begin] ^ self._words[other]) & _MASKS[np.minimum(length, WORD)]
            if differing.any():
                return False
            longer = length > WORD
            begin, other, length = begin[longer] + WORD, other[longer] + WORD, length[longer] - WORD
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
        mixed = (first ^ (second * np.uint64(0xC2B2AE3D27D4EB4F))) * _MIXER
        bucket = (mixed >> np.uint64(52)).astype(np.int64)
        row_of = np.full(_BUCKETS, -1, dtype=np.int64)
        row_of[bucket] = np.arange(len(begin))
        rows = row_of[bucket]
        if (first[rows] != first).any() or (second[rows] != second).any():  # two fields in one bucket
            _, rows, code = np.unique(np.stack([first, second]), axis=1, return_index=True, return_inverse=True)
            return code.reshape(-1), rows
        used = np.flatnonzero(row_of >= 0)
        place = np.empty(_BUCKETS, dtype=np.int64)
        place[used] = np.arange(len(used))
        return place[bucket], row_of[used]
