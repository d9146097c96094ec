"""Tags of a text as arrays, eight bytes at once: their names, and how many characters stand before them.

The conventions are those of `fast_lines`.
"""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import BoolArray, IntArray
from prum_eval.text.fast_lines import MASKS, WORD, WordArray, Words

_ONES = np.uint64(0x0101010101010101)  # multiplied by it, a word has the sum of its bytes in the highest
_HIGH = np.uint64(0x8080808080808080)


def tag_names(words: Words, begin: IntArray) -> tuple[WordArray, BoolArray]:
    """Names in tags, of two words each, and which are too long for that."""
    names = np.zeros((2, len(begin)), dtype=np.uint64)
    names[0], long = _cut(words.at(begin))
    rows = np.flatnonzero(long)
    if len(rows):
        names[1, rows], long[rows] = _cut(words.at(begin[rows] + WORD))
    return names, long


def _cut(words: WordArray) -> tuple[WordArray, BoolArray]:
    """Words up to the first sign that ends a name, and which have none."""
    # The highest bit of a byte is set where a sign is below "!" or is "/" or ">"; perhaps behind that, never before it.
    slash, greater = words ^ (_ONES * np.uint64(0x2F)), words ^ (_ONES * np.uint64(0x3E))
    ends = ((words - _ONES * np.uint64(0x21)) & ~words) | ((slash - _ONES) & ~slash) | ((greater - _ONES) & ~greater)
    ends &= _HIGH
    lowest = ends & (~ends + np.uint64(1))
    return words & ((lowest >> np.uint64(7)) - np.uint64(1)), ends == 0


def true_before(mask: BoolArray, places: IntArray) -> IntArray:
    """How many values of a mask of whole words are true before each place; much faster than summing byte by byte."""
    words = mask.view(np.uint64)
    sums = words * _ONES
    sums >>= np.uint64(56)
    in_words = np.empty(len(words) + 1, dtype=np.uint64)
    in_words[0] = 0
    np.cumsum(sums, out=in_words[1:])
    word = places >> 3
    in_rest = (words[word] & MASKS[places & 7]) * _ONES >> np.uint64(56)
    found: IntArray = (in_words[word] + in_rest).view(np.int64)
    return found
