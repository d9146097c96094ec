"""Quotes looked for in texts: all of them at once, exactly and folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from prum_eval.arrays import IntArray, bounds_of
from prum_eval.chunks.folding import Offsets, fold
from prum_eval.chunks.grams import LARGEST_GRAM, GramTable, gram_numbers, gram_size

MOST_PLACES = 1000
"""Places of a quote that are kept; whoever looks for more has a quote that says nothing."""
_BATCH = 1 << 20  # characters that are searched at once


class Place(NamedTuple):
    """Where something stands."""

    document: str
    start: int
    end: int


@dataclass(slots=True)
class Sought:
    """Where a text to look for was found: as it is, and folded; none of the places of a list overlap."""

    text: str
    exact: list[Place] = field(default_factory=list)
    folded: list[Place] = field(default_factory=list)

    def add(self, place: Place, *, exact: bool) -> None:
        """Take a place, if it does not overlap the one before."""
        for places in (self.exact, self.folded) if exact else (self.folded,):
            before = places[-1] if places else None
            overlaps = before is not None and before.document == place.document and place.start < before.end
            if not overlaps and len(places) < MOST_PLACES:
                places.append(place)

    def take(self, document: str, text: str, offsets: Offsets, folded: tuple[int, int]) -> None:
        """Take begin and end in a folded text, if these are whole characters of the text."""
        if offsets.whole(*folded):
            start, end = offsets.span(*folded)
            self.add(Place(document, start, end), exact=text[start:end] == self.text)

    @property
    def full(self) -> bool:
        """Whether no more places are kept."""
        return len(self.exact) == MOST_PLACES


class FoldedTexts(NamedTuple):
    """Some documents, folded, one after the other: document i has characters ``bounds[i]:bounds[i + 1]``."""

    names: list[str]
    texts: list[str]
    folded: str
    bounds: IntArray

    def document_at(self, places: IntArray) -> IntArray:
        """Number of the document of each place."""
        return np.searchsorted(self.bounds, places, side="right") - 1


def folded_batches(documents: Iterable[tuple[str, str]]) -> Iterator[FoldedTexts]:
    """Names and texts in batches, so that memory is bounded and arrays are long."""
    names: list[str] = []
    texts: list[str] = []
    size = 0
    for name, text in documents:
        names.append(name)
        texts.append(text)
        size += len(text)
        if size >= _BATCH:
            yield _batch(names, texts)
            names, texts, size = [], [], 0
    if names:
        yield _batch(names, texts)


def _batch(names: list[str], texts: list[str]) -> FoldedTexts:
    folded = list(map(fold, texts))
    return FoldedTexts(names, texts, "".join(folded), bounds_of(list(map(len, folded))))


def search(wanted: Sequence[Sought], documents: Iterable[tuple[str, str]]) -> None:
    """Find texts, none of which is blank, in documents; what is found is added to `wanted`."""
    patterns: dict[str, list[Sought]] = {}
    for one in wanted:
        patterns.setdefault(fold(one.text), []).append(one)
    tables = _Tables(patterns)
    for batch in folded_batches(documents):
        offsets: dict[int, Offsets] = {}
        for place, pattern in tables.candidates(batch.folded):
            if not batch.folded.startswith(pattern, place):
                continue
            number = int(np.searchsorted(batch.bounds, place, side="right")) - 1
            begin = place - int(batch.bounds[number])
            if place + len(pattern) > batch.bounds[number + 1]:
                continue  # it goes on in the next document
            if number not in offsets:
                offsets[number] = Offsets(batch.texts[number])
            for one in patterns[pattern]:
                one.take(batch.names[number], batch.texts[number], offsets[number], (begin, begin + len(pattern)))
        done = [pattern for pattern, found in patterns.items() if all(one.full for one in found)]
        if done:
            for pattern in done:
                del patterns[pattern]
            tables = _Tables(patterns)


def search_document(wanted: Iterable[Sought], document: str, text: str) -> None:
    """The same for one document, in which few texts are looked for."""
    folded, offsets = fold(text), Offsets(text)
    for one in wanted:
        pattern = fold(one.text)
        place = folded.find(pattern)
        while place >= 0 and not one.full:
            one.take(document, text, offsets, (place, place + len(pattern)))
            place = folded.find(pattern, place + 1)


class _Tables:
    """What texts begin with that are looked for, by the size of these grams."""

    def __init__(self, patterns: Iterable[str]) -> None:
        by_size: dict[int, list[str]] = {}
        for pattern in patterns:
            by_size.setdefault(gram_size(len(pattern)), []).append(pattern)
        self._tables: dict[int, tuple[GramTable, list[list[str]]]] = {}
        for size, some in by_size.items():
            numbers = [int(next(gram_numbers(pattern[:size], [size]))[1][0]) for pattern in some]
            table = GramTable(numbers)
            owners: list[list[str]] = [[] for _ in table.numbers]
            for number, pattern in zip(np.searchsorted(table.numbers, numbers).tolist(), some, strict=True):
                owners[number].append(pattern)
            self._tables[size] = table, owners

    def candidates(self, text: str) -> Iterator[tuple[int, str]]:
        """Places in a text where one of the strings may begin; of each string in ascending order."""
        for begin in range(0, len(text), _BATCH):  # long texts have long arrays
            for size, numbers in gram_numbers(text[begin : begin + _BATCH + LARGEST_GRAM - 1], self._tables):
                table, owners = self._tables[size]
                places, which = table.find(numbers[:_BATCH])
                for place, number in zip(places.tolist(), which.tolist(), strict=True):
                    for pattern in owners[number]:
                        yield begin + place, pattern
