"""Quotes that stand in texts with other words or letters here and there: the places most like them, by rapidfuzz.

Texts are cut into blocks. Only the blocks that share most sequences of 8 signs (4 for short quotes) with a quote are
looked at with rapidfuzz: in a text of a gigabyte it would take ten seconds for each quote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappush, heappushpop
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prum_eval.arrays import IntArray, bounds_of, groups_of_rows, sizes_of, stretches
from prum_eval.chunks.folding import Offsets, fold
from prum_eval.chunks.grams import GramTable, gram_numbers
from prum_eval.chunks.search import FoldedTexts, Place, folded_batches

if TYPE_CHECKING:
    from types import ModuleType

_BLOCK = 512
_LONG = 16  # quotes of so many signs are told by large grams, others by small ones
_LEAST = {8: 10, 4: 4}  # size of grams: a block has to share one in so many with the quote
_COMMON, _COMMON_IN = 8, 4096  # grams that are more often than that, or than once in so many signs, tell nothing
_LOOKED_AT = 16  # blocks of each quote
_WIDER = 64  # signs by which a place may be shorter or longer than the quote


class Near(NamedTuple):
    """The places most like a quote, equally so."""

    score: float  # 100 for what is the same when folded
    places: tuple[Place, ...]
    text: str  # what stands at the first


class _Region(NamedTuple):
    """Part of a folded text that may hold a quote; the more it shares the later it is sorted."""

    shared: int
    order: int  # descending, so that of equal ones the first is kept
    document: str
    begin: int
    text: str


def rapidfuzz() -> ModuleType | None:
    """Its functions, None where it is not installed."""
    try:
        from rapidfuzz import fuzz
    except ModuleNotFoundError:
        return None
    return fuzz


def nearest_places(
    quotes: Sequence[str],
    documents: Iterable[tuple[str, str]],
    text_of: Callable[[str], str],
    fuzz: ModuleType,
) -> Iterator[Near | None]:
    """For each quote, none of which is blank, the places most like it, None where no block is like it at all.

    Args:
        quotes: what is looked for.
        documents: names and texts, which are gone through once.
        text_of: one of these texts again.
        fuzz: what `rapidfuzz` found.
    """
    folded = list(map(fold, quotes))
    for quote, regions in zip(folded, _regions(folded, documents), strict=True):
        aligned = [(_aligned(quote, one.text, fuzz), one) for one in sorted(regions, reverse=True)]
        top = max((score for (score, _, _), _ in aligned), default=0)
        places: list[Place] = []
        for (score, begin, end), one in aligned:
            offsets = Offsets(text_of(one.document)) if score == top else None
            while offsets is not None and score == top:
                place = Place(one.document, *offsets.span(one.begin + begin, one.begin + end))
                if not any(_overlap(place, other) for other in places):
                    places.append(place)
                score, more, length = _aligned(quote, one.text[end:], fuzz)  # noqa: PLW2901
                begin, end = end + more, end + length  # noqa: PLW2901
        places.sort()
        yield Near(top, tuple(places), text_of(places[0].document)[places[0].start : places[0].end]) if places else None


def _overlap(one: Place, other: Place) -> bool:
    return one.document == other.document and one.start < other.end and other.start < one.end


def _aligned(quote: str, text: str, fuzz: ModuleType) -> tuple[float, int, int]:
    """The part of a text most like a quote: its score, begin and end."""
    if not text:
        return 0, 0, 0
    found = fuzz.partial_ratio_alignment(quote, text)  # of the length of the quote
    begin, end = found.dest_start, found.dest_end
    wider = min(_WIDER, len(quote) // 4 + 4)
    for _ in range(2):
        ends = range(max(begin + 1, end - wider), min(len(text), end + wider) + 1)
        end = max(ends, key=lambda one: (fuzz.ratio(quote, text[begin:one]), -one))
        begins = range(max(0, begin - wider), min(end - 1, begin + wider) + 1)
        begin = max(begins, key=lambda one: (fuzz.ratio(quote, text[one:end]), one))
    begin += text[begin:end].startswith(" ")
    end -= text[begin:end].endswith(" ")
    return fuzz.ratio(quote, text[begin:end]), begin, end


def _regions(folded: Sequence[str], documents: Iterable[tuple[str, str]]) -> list[list[_Region]]:
    """The regions of each quote that are looked at."""
    indexes = [_Index(folded, size) for size in _LEAST]
    heaps: list[list[_Region]] = [[] for _ in folded]
    order = 0
    for batch in folded_batches(documents):
        first_block = bounds_of(-(-sizes_of(batch.bounds) // _BLOCK))
        owner = groups_of_rows(first_block)
        for index in indexes:
            for quote, block, shared in index.shared(batch, first_block, owner):
                order -= 1
                heap, document = heaps[quote], int(owner[block])
                if len(heap) == _LOOKED_AT and shared < heap[0].shared:
                    continue
                low, high = batch.bounds[document : document + 2].tolist()
                at = low + (block - int(first_block[document])) * _BLOCK
                begin = max(low, at - len(folded[quote]))
                text = batch.folded[begin : min(high, at + 2 * _BLOCK + len(folded[quote]))]
                region = _Region(shared, order, batch.names[document], begin - low, text)
                (heappush if len(heap) < _LOOKED_AT else heappushpop)(heap, region)
    return heaps


class _Index:
    """The grams of quotes, those of one size."""

    def __init__(self, folded: Sequence[str], size: int) -> None:
        self._size = size
        large = size == max(_LEAST)
        grams: list[list[int]] = [
            np.unique(next(gram_numbers(text, [size]))[1]).tolist() if (len(text) >= _LONG) == large else []
            for text in folded
        ]
        self._table = GramTable(number for some in grams for number in some)
        self._wanted = len(grams)
        quote = np.repeat(np.arange(len(grams)), [len(some) for some in grams])
        which = np.searchsorted(self._table.numbers, [number for some in grams for number in some])
        ordered = np.argsort(which, kind="stable")
        self._quotes: IntArray = quote[ordered]  # the quotes of each gram, one gram after the other
        self._count: IntArray = np.bincount(which, minlength=len(self._table.numbers))
        self._gram: IntArray = which[ordered]

    def shared(self, batch: FoldedTexts, first_block: IntArray, owner: IntArray) -> Iterator[tuple[int, int, int]]:
        """Quote, block and how many grams of the quote this and the next block have, best blocks of a quote first."""
        places, which = self._table.find(next(gram_numbers(batch.folded, [self._size]))[1])
        common = np.bincount(which, minlength=len(self._count)) > max(_COMMON, len(batch.folded) // _COMMON_IN)
        places, which = places[~common[which]], which[~common[which]]
        if not len(places):
            return
        least = np.bincount(self._quotes[~common[self._gram]], minlength=self._wanted) / _LEAST[self._size]
        document = batch.document_at(places)
        block = first_block[document] + (places - batch.bounds[document]) // _BLOCK
        block, which = np.divmod(np.unique(block * len(self._count) + which), len(self._count))
        quote = self._quotes[stretches(bounds_of(self._count)[which], self._count[which])]
        key, count = np.unique(np.repeat(block, self._count[which]) * self._wanted + quote, return_counts=True)
        block, quote = np.divmod(key, self._wanted)
        kept = count >= least[quote]
        following = np.searchsorted(key, key + self._wanted)
        following[following == len(key)] = 0
        goes_on = (key[following] == key + self._wanted) & (owner[block[following]] == owner[block])
        count = count + np.where(goes_on, count[following], 0)
        block, quote, count = block[kept], quote[kept], count[kept]
        ordered = np.lexsort([-count, quote])
        block, quote, count = block[ordered], quote[ordered], count[ordered]
        few = np.arange(len(quote)) - np.searchsorted(quote, quote) < _LOOKED_AT
        yield from zip(quote[few].tolist(), block[few].tolist(), count[few].tolist(), strict=True)
