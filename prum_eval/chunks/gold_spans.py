"""Gold spans from quotes: where the words that answer each question stand in the texts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from os import PathLike
from types import ModuleType
from typing import Any, BinaryIO, TypeAlias

from prum_eval.chunks.search import (
    MAX_PLACES,
    NearestPlaces,
    Place,
    SearchedText,
    nearest_places,
    rapidfuzz,
    search_document,
    search_documents,
)
from prum_eval.chunks.sources import DocumentTexts, TextsInput, open_texts
from prum_eval.errors import DataError, InputError, ProblemHandler, PrumEvalError, UsageError, raise_first
from prum_eval.formats.assessments_json import write_qrels_json
from prum_eval.formats.reading import PathName, read_assessment_files
from prum_eval.records import Assessments
from prum_eval.tabular import DataFrameLike, RowValue, Tabular, is_dataframe, plural
from prum_eval.text.json_lines import PLACE_KEYS, BadValueError, JsonKeys, JsonObject, json_objects
from prum_eval.text.lines import BlankLines, line_blocks
from prum_eval.text.numbers import expected_message, quote_value
from prum_eval.text.streams import Content, display_name, open_with_head

# Quotes: for each question the words of the texts that answer it, from a file or from Python.


QuotesInput: TypeAlias = "PathName | Mapping[str, str | Iterable[str]] | Iterable[Any] | DataFrameLike"
"""A path; `{question: quote or quotes}`; rows: (topic, quote), (topic, document, quote), mappings or a DataFrame."""

_KEYS = {"topic": PLACE_KEYS["topic"], "doc": PLACE_KEYS["doc"], "quote": (), "group": ()}
_FORMS = "topic TAB quote, topic TAB document TAB quote, or JSON Lines with topic, quote and perhaps doc"


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that answer a question."""

    topic: str
    text: str  # not blank, nor are its ends
    document: str | None  # where it stands, if that is known
    group: str | None  # of the topic
    line: int


def read_quotes(path: str | Content, problems: ProblemHandler) -> list[Quote]:
    """The quotes of a file: columns between tabs, or JSON Lines; every bad line is reported and left out."""
    name = display_name(path)
    stream, head = open_with_head(path, problems)
    if not head:
        return []
    with stream:
        return list(
            _quotes_from_json(stream, name, problems)
            if head[:1] in b"{["
            else _quotes_from_columns(stream, name, problems)
        )


def read_quotes_input(given: QuotesInput, problems: ProblemHandler) -> tuple[str, list[Quote]]:
    """Name and quotes of whatever is given; of rows, lines are their numbers.

    Raises:
        DataError: it is nothing of the kind.
    """
    if isinstance(given, str | PathLike):
        return display_name(str(given)), read_quotes(str(given), problems)
    name, found, keys = "quotes", [], JsonKeys(_KEYS)
    for number, row in enumerate(_rows(given), 1):
        values = row if isinstance(row, Mapping) else dict(zip(_columns(row, number), row, strict=True))
        try:
            known = keys.select_members({key: value for key, value in values.items() if value is not None})
            found.append(_quote(JsonObject(number, known)))
        except BadValueError as error:
            problems(InputError(name, number, str(error)))
    return name, found


def _rows(given: Any) -> Iterator[Any]:  # noqa: ANN401 -- whatever the caller has
    if isinstance(given, Mapping):
        for topic, quotes in given.items():
            yield from ((topic, quote) for quote in ([quotes] if isinstance(quotes, str) else quotes))
    elif is_dataframe(given):
        names = list(given.columns)
        yield from (dict(zip(names, row, strict=True)) for row in zip(*(given[one] for one in names), strict=True))
    elif isinstance(given, Iterable):
        yield from given
    else:
        raise DataError(f"quotes: expected a path, rows or {{question: quotes}}, found {given!r}")


def _columns(row: Any, number: int) -> tuple[str, ...]:  # noqa: ANN401
    if not isinstance(row, tuple | list) or len(row) not in {2, 3}:
        raise DataError(f"quotes: row {number}: expected (topic, quote) or (topic, document, quote), found {row!r}")
    return ("topic", "quote") if len(row) == 2 else ("topic", "doc", "quote")


def _quotes_from_json(stream: BinaryIO, name: str, problems: ProblemHandler) -> Iterator[Quote]:
    for item in json_objects(stream, name, problems, JsonKeys(_KEYS), "a quote"):
        try:
            yield _quote(item)
        except BadValueError as error:
            problems(InputError(name, item.line, str(error)))


def _quote(item: JsonObject) -> Quote:
    document, group = (item.name(key).decode() if key in item else None for key in ("doc", "group"))
    return Quote(item.name("topic").decode(), _strip_quote(item.text("quote").decode()), document, group, item.line)


def _strip_quote(text: str) -> str:
    """The quote without blanks at its ends."""
    words = text.strip()
    if not words:
        raise BadValueError(expected_message("quote", "words of a text", text))
    return words


def _quotes_from_columns(stream: BinaryIO, name: str, problems: ProblemHandler) -> Iterator[Quote]:
    """Quotes of lines with as many columns as the first has, which may be a head; an empty cell is no document."""
    blanks = BlankLines(name, problems, "a quote")
    count = first = 0
    for block in line_blocks(stream, name, problems):
        for line, text in block.numbered_lines():
            if blanks.skip(line, text):
                continue
            try:
                cells = [cell.strip() for cell in text.decode().split("\t")]
                if not count:
                    count, first = _count(cells), line
                    if cells[0].lower() in ("topic", *_KEYS["topic"]) and cells[-1].lower() == "quote":
                        continue
                if len(cells) != count:
                    raise BadValueError(f"expected {count} columns as on line {first}, found {len(cells)}")  # noqa: TRY301
                values = dict(zip(_columns(cells, line), cells, strict=True))
                yield _quote(JsonObject(line, {key: value for key, value in values.items() if value or key != "doc"}))
            except UnicodeDecodeError:
                problems(InputError(name, line, "the line is not UTF-8 text"))
            except BadValueError as error:
                problems(InputError(name, line, str(error)))


def _count(cells: list[str]) -> int:
    if len(cells) not in {2, 3}:
        raise BadValueError(f"expected {_FORMS}; found {plural(len(cells), 'column')}")
    return len(cells)


# Each quote with the places where it stands: in its own document, or in any.


EXACT, FOLDED, FUZZY = "exact", "folded", "fuzzy"
_ANYWHERE = "the texts"


@dataclass(frozen=True, slots=True)
class PlacedQuote:
    """A quote, how it was found (None: it was not) and where; where it was not, the places most like it, if any."""

    quote: Quote
    match_kind: str | None
    places: tuple[Place, ...]
    score: float  # how like the quote the places are, of 100
    text: str  # what stands at the first place, where that is found fuzzily or not at all
    searched_in: str  # where it was looked for, in words


def place_quotes(
    quotes: Sequence[Quote], texts: TextsInput, threshold: float, problems: ProblemHandler
) -> tuple[list[PlacedQuote], dict[str, int], bool]:
    """Find quotes in texts.

    Returns:
        The quotes in their order; the lengths of all documents; and whether it was looked for what is nearly the same.
    """
    anywhere = any(quote.document is None for quote in quotes)
    documents = None if anywhere else {quote.document for quote in quotes if quote.document is not None}
    with open_texts(texts, documents) as source:
        finder = _Finder(source, quotes, problems)
        finder.search()
        fuzz = rapidfuzz()
        if fuzz is not None:
            finder.search_fuzzily(fuzz)
        return (
            [finder.place_quote(number, threshold) for number in range(len(quotes))],
            finder.lengths,
            fuzz is not None,
        )


class _Finder:
    """Goes through texts, and keeps of each what its quotes need."""

    def __init__(self, source: DocumentTexts, quotes: Sequence[Quote], problems: ProblemHandler) -> None:
        self._source = source
        self._quotes = quotes
        self._problems: ProblemHandler = problems
        self._found = [SearchedText(quote.text) for quote in quotes]
        self._near: list[NearestPlaces | None] = [None] * len(quotes)
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
        search_documents([self._found[number] for number in self._anywhere], self._read(self._files))
        self._problems = _ignore_problem  # they are told once

    def search_fuzzily(self, fuzz: ModuleType) -> None:
        """Find what is most like the other quotes."""
        for document, text in self._read(self._within):
            self._search_near(self._within[document], [(document, text)], fuzz)
        self._search_near(self._anywhere, self._read(self._files), fuzz)

    def _search_near(self, numbers: Iterable[int], documents: Iterable[tuple[str, str]], fuzz: ModuleType) -> None:
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

    def place_quote(self, number: int, threshold: float) -> PlacedQuote:
        """What was found of a quote."""
        quote, found, near = self._quotes[number], self._found[number], self._near[number]
        within = _ANYWHERE
        if quote.document is not None:
            known = quote.document in self.lengths
            within = f"document {quote_value(quote.document)}" + ("" if known else f", which {_ANYWHERE} lack")
        if found.folded:
            how, places = (EXACT, found.exact) if found.exact else (FOLDED, found.folded)
            return PlacedQuote(quote, how, tuple(places), 100.0, "", within)
        if near is None:
            return PlacedQuote(quote, None, (), 0.0, "", within)
        return PlacedQuote(quote, FUZZY if near.score >= threshold else None, *_near_parts(near), within)


def _near_parts(near: NearestPlaces) -> tuple[tuple[Place, ...], float, str]:
    return near.places, near.score, near.text


def _ignore_problem(_problem: InputError) -> None:
    pass


# Gold from places: those of a topic that overlap become one span.


def make_gold_assessments(
    name: str, taken: Iterable[tuple[Quote, Place]], lengths: Mapping[str, int]
) -> tuple[Assessments, list[str]]:
    """Assessments of the places of quotes, and a note on each that overlaps one before.

    Topics and their documents are in the order of the quotes, spans in that of the text.

    Raises:
        InputError: a topic is in two groups.
    """
    spans: dict[tuple[str, str], list[tuple[Place, int]]] = {}
    groups: dict[str, tuple[str, int]] = {}
    notes = []
    for quote, place in taken:
        own = spans.setdefault((quote.topic, place.document), [])
        for other in [one for one in own if one[0].start < place.end and place.start < one[0].end]:
            before, line = other
            where = f"{before.document} {before.start}:{before.end}"
            notes.append(f"{name}:{quote.line}: overlaps the quote of line {line}, {where}; they are merged")
            own.remove(other)
            place = Place(place.document, min(place.start, before.start), max(place.end, before.end))  # noqa: PLW2901
        own.append((place, quote.line))
        if quote.group is not None:
            known, line = groups.setdefault(quote.topic, (quote.group, quote.line))
            if known != quote.group:
                reason = f"group {quote_value(quote.group)} of topic {quote_value(quote.topic)}, but {quote_value(known)} on line {line}"
                raise InputError(name, quote.line, reason)
    order = {topic: number for number, topic in enumerate(dict.fromkeys(topic for topic, _ in spans))}
    lines = [
        {
            "topic": topic,
            "doc": document,
            "doc_length": lengths[document],
            "spans": sorted([place.start, place.end] for place, _ in spans[topic, document]),
            **({"group": groups[topic][0]} if topic in groups else {}),
        }
        for topic, document in sorted(spans, key=lambda key: order[key[0]])
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    return read_assessment_files([(Content(name, text), False)], name), notes


THRESHOLD = 90.0
"""How like a quote its place has to be, of 100."""
_MAX_LISTED_PLACES = 5
_FUZZY_HINT = "what is nearly the same is found with rapidfuzz: pip install 'prum-eval[chunks]'"


class Ambiguous(StrEnum):
    """What becomes of a quote that stands in several places."""

    FIRST = "first"
    ALL = "all"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, repr=False)
class GoldSpans(Tabular):
    """What `spans` returns: gold spans, where each quote was found, and what there is to say of them."""

    assessments: Assessments
    quotes: tuple[PlacedQuote, ...]
    notes: tuple[str, ...]
    lost: tuple[InputError, ...]  # quotes that are in no gold span, and texts that cannot be read

    @property
    def text(self) -> str:
        """The gold spans as JSON Lines."""
        return write_qrels_json(self.assessments).decode()

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a quote: how it was found, how like it the text is (of 100), in how many places, and the first."""
        for one in self.quotes:
            place = one.places[0] if one.places else None
            yield {
                "line": one.quote.line,
                "topic": one.quote.topic,
                "quote": one.quote.text,
                "found": one.match_kind,
                "score": one.score if one.places else None,
                "places": len(one.places),
                "doc": None if place is None else place.document,
                "start": None if place is None else place.start,
                "end": None if place is None else place.end,
            }

    def _summary(self) -> str:
        return summarise_matches(self.quotes)


class LostQuotesError(PrumEvalError):
    """Quotes without a place, or with several, and no leave to go on without them."""

    def __init__(self, lost: Sequence[InputError], quotes: Sequence[PlacedQuote], *, extra: bool) -> None:
        self.lost = tuple(lost)
        self.quotes = tuple(quotes)
        self._extra = extra
        super().__init__(*map(str, lost))

    @property
    def message(self) -> str:
        """A line a quote, and the ways out."""
        several = any(one.match_kind is not None and len(one.places) > 1 for one in self.quotes)
        ambiguous = "--ambiguous first or all takes those in several places, " if several else ""
        said = [summarise_matches(self.quotes), f"nothing is written; {ambiguous}--lossy leaves out what has no place"]
        return "\n".join([str(self), *(f"prum-eval: {one}" for one in [*said, *[_FUZZY_HINT] * self._extra])])


def spans(
    quotes: QuotesInput,
    texts: TextsInput,
    *,
    ambiguous: str = Ambiguous.REFUSE,
    threshold: float = THRESHOLD,
    lossy: bool = False,
) -> GoldSpans:
    r"""Find quotes in texts: exactly, else with white space, quotation marks, dashes and case folded, else fuzzily.

    >>> found = spans({"fee": ["The fine is 60."]}, {"tickets": "Please note: the  fine is 60."})
    >>> found.text
    '{"topic": "fee", "doc": "tickets", "doc_length": 29, "spans": [[13, 29]]}\n'

    Args:
        quotes: the path of a file, `topic TAB quote` or `topic TAB document TAB quote` or JSON Lines with `topic`,
            `quote` and perhaps `doc`; rows of these; or `{topic: quotes}`.
        texts: a directory, an archive or JSON Lines with `doc` and `text`; or texts by the names of their documents.
        ambiguous: what becomes of a quote that stands in several places: `refuse`, take the `first`, or `all`.
        threshold: how like a quote its place has to be, of 100, where it is found neither exactly nor folded: 100 times
            1 - (insertions and deletions) / (lengths of both), by rapidfuzz.
        lossy: go on without the quotes that have no place.

    Raises:
        LostQuotesError: quotes have no place, or texts cannot be read, and `lossy` is not set; or none has one.
        InputError: a bad line of the quotes, or texts that are none.
        DataError, UsageError: a bad row, an illegal value.
    """
    if ambiguous not in list(Ambiguous):
        raise UsageError(f"ambiguous={ambiguous}: ambiguous is {', '.join(Ambiguous)}")
    if not 0 < threshold <= 100:
        raise UsageError(f"threshold={threshold:g}: threshold is above 0, at most 100")
    name, listed = read_quotes_input(quotes, raise_first)
    lost: list[InputError] = []
    found, lengths, fuzzy = place_quotes(listed, texts, threshold, lost.append)
    unread = len(lost)
    notes, taken = [], []
    for one in found:
        several = len(one.places) > 1
        countless = len(one.places) == MAX_PLACES and ambiguous == Ambiguous.ALL
        if one.match_kind is None or (several and ambiguous == Ambiguous.REFUSE) or countless:
            lost.append(InputError(name, one.quote.line, _place_problem(one)))
            continue
        places = one.places if ambiguous == Ambiguous.ALL else one.places[:1]
        if several:
            fate = "all are taken" if len(places) > 1 else "the first is taken"
            notes.append(f"{name}:{one.quote.line}: {_place_problem(one)}; {fate}")
        if one.match_kind == FUZZY:
            notes.append(f"{name}:{one.quote.line}: found fuzzily ({one.score:.0f} of 100): {_place_preview(one)}")
        taken += [(one.quote, place) for place in places]
    if lost and not (lossy and taken):
        raise LostQuotesError(lost, found, extra=not fuzzy and any(one.match_kind is None for one in found))
    if not fuzzy and len(lost) > unread:
        notes.append(_FUZZY_HINT)
    judged, merged = make_gold_assessments(name, taken, lengths)
    return GoldSpans(judged, tuple(found), (*notes, *merged), tuple(lost))


def summarise_matches(quotes: Sequence[PlacedQuote]) -> str:
    """How many quotes were found how.

    >>> summarise_matches([])
    '0 quotes: 0 exact, 0 folded, 0 fuzzy, 0 not found'
    """
    how = Counter(one.match_kind for one in quotes)
    several = sum(one.match_kind is not None and len(one.places) > 1 for one in quotes)
    told = ", ".join(f"{how[kind]} {kind or 'not found'}" for kind in ("exact", "folded", FUZZY, None))
    return f"{plural(len(quotes), 'quote')}: {told}{f'; {several} in several places' if several else ''}"


def _place_problem(one: PlacedQuote) -> str:
    """What is wrong with the places of a quote."""
    if one.match_kind is not None:
        count = f"{len(one.places)}{' or more' * (len(one.places) == MAX_PLACES)}"
        return f"the quote stands in {count} places: {_place_preview(one)}"
    if one.places:
        return f"the quote is not in {one.searched_in}; most like it ({one.score:.0f} of 100): {_place_preview(one)}"
    return f"the quote is not in {one.searched_in}"


def _place_preview(one: PlacedQuote) -> str:
    """The first places of a quote, and what stands there if that is something else."""
    listed = ", ".join(f"{place.document} {place.start}:{place.end}" for place in one.places[:_MAX_LISTED_PLACES])
    more = ", ..." if len(one.places) > _MAX_LISTED_PLACES else ""
    return f"{listed}{more}{f' {quote_value(one.text)}' if one.text else ''}"
