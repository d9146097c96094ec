"""Distinct names kept as words (see `fast_lines`): of the many documents of a run few are ever asked for by name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar, overload

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.text.fast_lines import WORD, WordArray, texts

_T = TypeVar("_T", bytes, str)

_HIGH = np.uint64(0x8080808080808080)
_MIXER = np.uint64(0x9E3779B97F4A7C15)
_CELLS = 1 << 20


class _Names(Sequence[_T]):
    """What both kinds of names have in common; all are made at once where somebody goes through them."""

    words: WordArray

    @abstractmethod
    def of(self, words: WordArray) -> list[_T]:
        """The names that these words are."""

    @cached_property
    def all(self) -> list[_T]:
        """All names."""
        return self.of(self.words)

    def some(self, codes: IntArray) -> list[_T]:
        """The names with these codes."""
        return self.of(self.words[:, codes])

    def __len__(self) -> int:
        return len(self.words[0])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __iter__(self) -> Iterator[_T]:
        return iter(self.all)

    @overload
    def __getitem__(self, place: int) -> _T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[_T]: ...
    def __getitem__(self, place: int | slice) -> _T | Sequence[_T]:
        """A name, or some; who wants few of many asks for `some`, since where one is asked for others often follow."""
        return self.all[place]


@dataclass(frozen=True, eq=False, repr=False)
class WordNames(_Names[bytes]):
    """Distinct names as they are in an input; `words` has shape (words of the longest, names)."""

    words: WordArray

    def of(self, words: WordArray) -> list[bytes]:
        """The names that these words are."""
        return texts(words)

    @cached_property
    def text(self) -> TextNames | None:
        """The same names as text; None where a byte has its highest bit, so that it may be none."""
        return None if any((row & _HIGH).any() for row in self.words) else TextNames(self.words)


@dataclass(frozen=True, eq=False, repr=False)
class TextNames(_Names[str]):
    """Distinct names in ASCII as text; `words` as those of `WordNames`."""

    words: WordArray

    def of(self, words: WordArray) -> list[str]:
        """The names that these words are."""
        return list(map(bytes.decode, texts(words)))

    def codes(self, wanted: AbstractSet[str]) -> dict[str, int]:
        """The codes of those of the wanted names that are there, in ascending order of the codes."""
        longest = WORD * len(self.words)
        encoded = [name.encode(errors="replace") for name in wanted]
        short = np.array([name for name in encoded if len(name) <= longest], dtype=f"S{longest}")
        marked = np.zeros(_CELLS, dtype=np.bool_)
        marked[_cells(short.view("<u8").reshape(-1, len(self.words)).T)] = True
        near = np.flatnonzero(marked[_cells(self.words)])  # and a few others that have a cell with one in common
        return {name: code for name, code in zip(self.some(near), near.tolist(), strict=True) if name in wanted}

    def hold(self, parts: Iterable[str]) -> bool:
        """Whether one of these texts is part of a name: seldom true where none is."""
        joined = np.ascontiguousarray(self.words.T).tobytes()
        return any(part.encode() in joined for part in parts)


def hashes(names: WordArray) -> WordArray:
    """A number of each name, seldom the same for two."""
    found = np.zeros(names.shape[1], dtype=np.uint64)
    for row in names:
        found = (found ^ row) * _MIXER
        found ^= found >> np.uint64(32)
    return found


def _cells(names: WordArray) -> IntArray:
    cells: IntArray = (hashes(names) >> np.uint64(64 - _CELLS.bit_length() + 1)).astype(np.int64)
    return cells
