"""Distinct names kept as words (see `fast_lines`): of the many documents of a run few are ever asked for by name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar, overload

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.text.fast_lines import WORD, WordArray, texts

_T = TypeVar("_T", bytes, str)

_HIGH = np.uint64(0x8080808080808080)


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

    def hold(self, parts: Iterable[str]) -> bool:
        """Whether one of these texts is part of a name: seldom true where none is."""
        joined = np.ascontiguousarray(self.words.T).tobytes()
        return any(part.encode() in joined for part in parts)


def words_of(names: Iterable[str], longest: int) -> WordArray:
    """Those of the names that have so many words at most, of shape (longest, names); none may hold a NUL."""
    encoded = [name.encode(errors="replace") for name in names]
    cells = np.array([name for name in encoded if len(name) <= longest * WORD], dtype=f"S{longest * WORD}")
    return np.ascontiguousarray(cells.view("<u8").reshape(-1, longest).T)
