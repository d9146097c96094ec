"""Each quote with the places where it stands: in its own document, or in any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType

from prum_eval.chunks.near import Near, nearest_places, rapidfuzz
from prum_eval.chunks.quotes import Quote
from prum_eval.chunks.search import Place, Sought, search, search_document
from prum_eval.chunks.sources import GivenTexts, NamedTexts, opened_texts
from prum_eval.errors import InputError, Problems
from prum_eval.text.numbers import shown

EXACT, FOLDED, FUZZY = "exact", "folded", "fuzzy"
_ANYWHERE = "the texts"


@dataclass(frozen=True, slots=True)
class PlacedQuote:
    """A quote, how it was found (None: it was not) and where; where it was not, the places most like it, if any."""

    quote: Quote
    found: str | None
    places: tuple[Place, ...]
    score: float  # how like the quote the places are, of 100
    text: str  # what stands at the first place, where that is found fuzzily or not at all
    within: str  # where it was looked for, in words


def placed(
    quotes: Sequence[Quote], texts: GivenTexts, threshold: float, problems: Problems
) -> tuple[list[PlacedQuote], dict[str, int], bool]:
    """Find quotes in texts.

    Returns:
        The quotes in their order; the lengths of all documents; and whether it was looked for what is nearly the same.
    """
    anywhere = any(quote.document is None for quote in quotes)
    documents = None if anywhere else {quote.document for quote in quotes if quote.document is not None}
    with opened_texts(texts, documents) as source:
        finder = _Finder(source, quotes, problems)
        finder.search()
        fuzz = rapidfuzz()
        if fuzz is not None:
            finder.search_fuzzily(fuzz)
        return [finder.placed(number, threshold) for number in range(len(quotes))], finder.lengths, fuzz is not None


class _Finder:
    """Goes through texts, and keeps of each what its quotes need."""

    def __init__(self, source: NamedTexts, quotes: Sequence[Quote], problems: Problems) -> None:
        self._source = source
        self._quotes = quotes
        self._problems: Problems = problems
        self._found = [Sought(quote.text) for quote in quotes]
        self._near: list[Near | None] = [None] * len(quotes)
        self._anywhere = [number for number, quote in enumerate(quotes) if quote.document is None]
        self._files = source.documents() if self._anywhere else {}
        self._within: dict[str, list[int]] = {}  # document: its quotes
        for number, quote in enumerate(quotes):
            if quote.document is not None:
                self._within.setdefault(quote.document, []).append(number)
        self.lengths: dict[str, int] = {}

    def search(self) -> None:
        """Find quotes exactly and folded."""
        for document, text in self._read(self._within):
            search_document([self._found[number] for number in self._within[document]], document, text)
        search([self._found[number] for number in self._anywhere], self._read(self._files))
        self._problems = _pass_over  # they are told once

    def search_fuzzily(self, fuzz: ModuleType) -> None:
        """Find what is most like the other quotes."""
        for document, text in self._read(self._within):
            self._look(self._within[document], [(document, text)], fuzz)
        self._look(self._anywhere, self._read(self._files), fuzz)

    def _look(self, numbers: Iterable[int], documents: Iterable[tuple[str, str]], fuzz: ModuleType) -> None:
        missing = [number for number in numbers if not self._found[number].folded]
        if missing:
            texts = [self._quotes[number].text for number in missing]
            for number, near in zip(missing, nearest_places(texts, documents, self._text, fuzz), strict=True):
                self._near[number] = near

    def _read(self, documents: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Those of some documents that there are, with their texts."""
        for document in documents:
            try:
                text = self._source.text(self._files.get(document, document))
            except InputError as problem:
                self._problems(problem)
                continue
            if text is not None:
                self.lengths[document] = len(text)
                yield document, text

    def _text(self, document: str) -> str:
        return self._source.text(self._files.get(document, document)) or ""

    def placed(self, number: int, threshold: float) -> PlacedQuote:
        """What was found of a quote."""
        quote, found, near = self._quotes[number], self._found[number], self._near[number]
        within = _ANYWHERE
        if quote.document is not None:
            known = quote.document in self.lengths
            within = f"document {shown(quote.document)}" + ("" if known else f", which {_ANYWHERE} lack")
        if found.folded:
            how, places = (EXACT, found.exact) if found.exact else (FOLDED, found.folded)
            return PlacedQuote(quote, how, tuple(places), 100.0, "", within)
        if near is None:
            return PlacedQuote(quote, None, (), 0.0, "", within)
        return PlacedQuote(quote, FUZZY if near.score >= threshold else None, *_parts(near), within)


def _parts(near: Near) -> tuple[tuple[Place, ...], float, str]:
    return near.places, near.score, near.text


def _pass_over(_problem: InputError) -> None:
    pass
