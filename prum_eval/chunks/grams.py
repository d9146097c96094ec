"""Many strings looked for at once: numbers for all sequences of 1, 2, 4 ... 32 signs of a text, and a table of some.

A gram of a text is a sequence of so many signs; its number is a sum of products modulo 2^32. Equal grams have equal
numbers, and different ones seldom.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import IntArray

Numbers: TypeAlias = NDArray[np.uint32]

LARGEST_GRAM = 32
_FACTORS = (2654435761, 2246822519, 3266489917, 668265263, 374761393, 2860486313)
_BITS = 20


def gram_size(length: int) -> int:
    """The longest gram that a string of that length, 1 at least, has: a power of two, at most `LARGEST_GRAM`."""
    return min(LARGEST_GRAM, 1 << (length.bit_length() - 1))


def gram_numbers(text: str, sizes: Iterable[int]) -> Iterator[tuple[int, Numbers]]:
    """Of some sizes, in ascending order, the number of the gram at each place of a text."""
    wanted = sorted(sizes)
    signs = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    numbers: Numbers = signs * np.uint32(_FACTORS[0])
    size, step = 1, 1
    for one in wanted:
        while size < one:
            following = numbers[size:]
            numbers = numbers[: len(following)] * np.uint32(_FACTORS[step]) + following
            size, step = 2 * size, step + 1
        yield one, numbers


class GramTable:
    """Some grams of one size, to be found in texts."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self.numbers: Numbers = np.unique(np.fromiter(numbers, dtype=np.uint32))
        self._some = np.zeros(1 << _BITS, dtype=bool)
        self._some[self.numbers >> (32 - _BITS)] = True

    def find(self, numbers: Numbers) -> tuple[IntArray, IntArray]:
        """Places where a text has one of the grams, and which: an index of `self.numbers`."""
        places = np.flatnonzero(self._some[numbers >> (32 - _BITS)])
        which = np.searchsorted(self.numbers, numbers[places])
        which[which == len(self.numbers)] = 0
        same = self.numbers[which] == numbers[places] if len(self.numbers) else np.zeros(len(places), dtype=bool)
        return places[same], which[same]
