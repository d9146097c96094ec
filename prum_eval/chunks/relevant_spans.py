"""Relevant spans from quotes: places of the answers to questions in the texts.

Quotes come from a file or from Python objects (`read_quotes_input`), are found in the texts exactly, folded or fuzzily
(`place_quotes`), and become assessments in which overlapping places of a topic are one span (`spans`). Places count
characters; scores are percentages of similarity, of 100.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from prum_eval.formats.facets import FACET_KEYS, FacetLines, parse_facet
from prum_eval.formats.reading import PathName, read_assessment_files
from prum_eval.records import Assessments
from prum_eval.tabular import DataFrameLike, RowValue, Tabular, is_dataframe, join_names, plural
from prum_eval.text.json_lines import PLACE_KEYS, BadValueError, JsonKeys, JsonObject, json_objects
from prum_eval.text.lines import BlankLines, line_blocks
from prum_eval.text.numbers import expected_message, quote_value
from prum_eval.text.streams import Content, display_name, open_with_head

QuotesInput: TypeAlias = "PathName | Mapping[str, str | Iterable[str]] | Iterable[Any] | DataFrameLike"
"""A path; `{question: quote or quotes}`; rows: (topic, quote), (topic, document, quote), mappings or a DataFrame."""

_KEYS = {"topic": PLACE_KEYS["topic"], "doc": PLACE_KEYS["doc"], "quote": (), "group": (), **FACET_KEYS}
_NAMES = {name: key for key, aliases in _KEYS.items() for name in (key, *aliases)}
"""Keys by their names and aliases, as headers have them."""
_FORMS = "topic TAB quote, topic TAB document TAB quote, or JSON Lines with topic, quote and perhaps doc"
EXACT, FOLDED, FUZZY = "exact", "folded", "fuzzy"
_ANYWHERE = "the texts"
THRESHOLD = 90.0
"""Minimal similarity of a quote and its place, of 100."""
_MAX_LISTED_PLACES = 5
_FUZZY_HINT = "what is nearly the same is found with rapidfuzz: pip install rapidfuzz"


# Quotes


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote that answers a question."""

    topic: str
    text: str  # without white space at its ends, not empty
    document: str | None  # that contains it; None: any
    group: str | None  # of the topic
    line: int
    facet: str | None = None
    alternative: str | None = None
    weight: float | None = None


def read_quotes(path: str | Content, problems: ProblemHandler) -> list[Quote]:
    """Quotes of a file with tab-separated columns or JSON Lines; bad lines are reported and skipped."""
    name = display_name(path)
    stream, head = open_with_head(path, problems)
    if not head:
        return []
    with stream:
        parse = _quotes_from_json if head[:1] in b"{[" else _quotes_from_columns
        return list(parse(stream, name, problems))


def read_quotes_input(quotes: QuotesInput, problems: ProblemHandler) -> tuple[str, list[Quote]]:
    """Name and quotes of an input; rows are numbered as lines.

    Raises:
        DataError: the input has another form.
    """
    if isinstance(quotes, str | PathLike):
        return display_name(str(quotes)), read_quotes(str(quotes), problems)
    name, parsed, keys = "quotes", [], JsonKeys(_KEYS)
    for number, row in enumerate(_rows(quotes), 1):
        values = row if isinstance(row, Mapping) else dict(zip(_columns(row, number), row, strict=True))
        try:
            members = keys.select_members({key: value for key, value in values.items() if value is not None})
            parsed.append(_quote(JsonObject(number, members)))
        except BadValueError as error:
            problems(InputError(name, number, str(error)))
    return name, parsed


def _rows(quotes: Any) -> Iterator[Any]:  # noqa: ANN401 -- any input of the caller
    if isinstance(quotes, Mapping):
        for topic, texts in quotes.items():
            yield from ((topic, text) for text in ([texts] if isinstance(texts, str) else texts))
    elif is_dataframe(quotes):
        names = list(quotes.columns)
        yield from (dict(zip(names, row, strict=True)) for row in zip(*(quotes[name] for name in names), strict=True))
    elif isinstance(quotes, Iterable):
        yield from quotes
    else:
        raise DataError(f"quotes: expected a path, rows or {{question: quotes}}, found {quotes!r}")


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
    topic, text = item.name("topic").decode(), item.text("quote").decode()
    if not text.strip():
        raise BadValueError(expected_message("quote", "words of a text", text))
    return Quote(topic, text.strip(), document, group, item.line, *parse_facet(item))


def _quotes_from_columns(stream: BinaryIO, name: str, problems: ProblemHandler) -> Iterator[Quote]:
    """Quotes of tab-separated lines, the first of which may be a header; only topic and quote may not be empty."""
    blanks = BlankLines(name, problems, "a quote")
    count = first = 0
    keys: tuple[str, ...] = ()
    for block in line_blocks(stream, name, problems):
        for line, text in block.numbered_lines():
            if blanks.skip(line, text):
                continue
            try:
                cells = [cell.strip() for cell in text.decode().split("\t")]
                if not count:
                    header = tuple(_NAMES.get(cell.lower(), "") for cell in cells)
                    has_header = {"topic", "quote"} <= set(header) and "" not in header
                    if not has_header and len(cells) not in {2, 3}:
                        raise BadValueError(f"expected {_FORMS}; found {plural(len(cells), 'column')}")  # noqa: TRY301
                    count, first = len(cells), line
                    keys = header if has_header else _columns(cells, line)
                    if has_header:
                        continue
                if len(cells) != count:
                    raise BadValueError(f"expected {count} columns as on line {first}, found {len(cells)}")  # noqa: TRY301
                values = {key: cell for key, cell in zip(keys, cells, strict=True) if cell or key in ("topic", "quote")}
                yield _quote(JsonObject(line, {key: _cell_value(key, value) for key, value in values.items()}))
            except UnicodeDecodeError:
                problems(InputError(name, line, "the line is not UTF-8 text"))
            except BadValueError as error:
                problems(InputError(name, line, str(error)))


def _cell_value(key: str, cell: str) -> str | float:
    """The value of a cell: a number for a weight, if it is one."""
    if key != "weight":
        return cell
    try:
        return float(cell)
    except ValueError:
        return cell


# Search


@dataclass(frozen=True, slots=True)
class PlacedQuote:
    """A quote with its places, or with the most similar ones if `match_kind` is None."""

    quote: Quote
    match_kind: str | None  # exact, folded, fuzzy; None: not found
    places: tuple[Place, ...]
    score: float  # similarity of quote and places, of 100
    text: str  # at the first place, unless found exactly or folded
    searched_in: str  # description of the searched texts


def place_quotes(
    quotes: Sequence[Quote], texts: TextsInput, threshold: float, problems: ProblemHandler, *, measure_all: bool = False
) -> tuple[list[PlacedQuote], dict[str, int], list[str], bool]:
    """Find quotes in texts; `measure_all`: read the documents without a quote too, for their lengths.

    Returns:
        The quotes in their order, the lengths of the documents that were read, the files that are skipped because they
        are not text, and whether the search was fuzzy too.
    """
    anywhere = any(quote.document is None for quote in quotes)
    documents = None if anywhere or measure_all else {quote.document for quote in quotes if quote.document is not None}
    with open_texts(texts, documents) as source:
        finder = _Finder(source, quotes, problems)
        finder.search()
        fuzz = rapidfuzz()
        if fuzz is not None:
            finder.search_fuzzily(fuzz)
        placed = [finder.place_quote(number, threshold) for number in range(len(quotes))]
        if measure_all:
            finder.measure_all()
        return placed, finder.lengths, finder.skipped, fuzz is not None


class _Finder:
    """Search of the texts for all quotes, one pass per kind of search."""

    def __init__(self, source: DocumentTexts, quotes: Sequence[Quote], problems: ProblemHandler) -> None:
        self._source = source
        self._quotes = quotes
        self._problems = problems
        self._searched = [SearchedText(quote.text) for quote in quotes]
        self._nearest: list[NearestPlaces | None] = [None] * len(quotes)
        self._anywhere = [number for number, quote in enumerate(quotes) if quote.document is None]
        self._files: dict[str, str] = {}
        self.skipped: list[str] = []  # files that are not text, in which nobody looks for quotes
        for document, file in source.documents().items() if self._anywhere else ():
            try:
                is_text = source.is_text(file)
            except InputError:
                is_text = True  # the search reports it
            if is_text:
                self._files[document] = file
            else:
                self.skipped.append(file)
        self._by_document: dict[str, list[int]] = {}
        for number, quote in enumerate(quotes):
            if quote.document is not None:
                self._by_document.setdefault(quote.document, []).append(number)
        self.lengths: dict[str, int] = {}

    def search(self) -> None:
        """Find quotes exactly and folded."""
        for document, text in self._read(self._by_document):
            search_document([self._searched[number] for number in self._by_document[document]], document, text)
        search_documents([self._searched[number] for number in self._anywhere], self._read(self._files))
        self._problems = lambda _: None  # already reported

    def search_fuzzily(self, fuzz: ModuleType) -> None:
        """Find the places most similar to the missing quotes."""
        for document, text in self._read(self._by_document):
            self._search_nearest(self._by_document[document], [(document, text)], fuzz)
        self._search_nearest(self._anywhere, self._read(self._files), fuzz)

    def _search_nearest(self, numbers: Iterable[int], documents: Iterable[tuple[str, str]], fuzz: ModuleType) -> None:
        missing = [number for number in numbers if not self._searched[number].folded]
        if missing:
            texts = [self._quotes[number].text for number in missing]
            for number, nearest in zip(missing, nearest_places(texts, documents, self._text, fuzz), strict=True):
                self._nearest[number] = nearest

    def _read(self, documents: Iterable[str]) -> Iterator[tuple[str, str]]:
        """The existing and readable documents with their texts."""
        for document in documents:
            try:
                text = self._source.text(self._files.get(document, document))
            except InputError as problem:
                self._problems(problem)
                continue
            if text is not None:
                self.lengths[document] = len(text)
                yield document, text

    def measure_all(self) -> None:
        """Find the lengths of all documents; they are named as in the quotes, by their files or without endings."""
        names = self._source.documents()
        by_file = not set(names.values()).isdisjoint(self._by_document)
        for document, file in names.items():
            name = file if by_file else document
            try:
                if name not in self.lengths and self._source.is_text(file):
                    self.lengths[name] = len(self._source.text(file) or "")
            except InputError as problem:
                self._problems(problem)

    def _text(self, document: str) -> str:
        return self._source.text(self._files.get(document, document)) or ""

    def place_quote(self, number: int, threshold: float) -> PlacedQuote:
        """The quote with the results of the search."""
        quote, searched, nearest = self._quotes[number], self._searched[number], self._nearest[number]
        searched_in = _ANYWHERE
        if quote.document is not None:
            lack = "" if quote.document in self.lengths else f", which {_ANYWHERE} lack"
            searched_in = f"document {quote_value(quote.document)}{lack}"
        if searched.folded:
            kind, places = (EXACT, searched.exact) if searched.exact else (FOLDED, searched.folded)
            return PlacedQuote(quote, kind, tuple(places), 100.0, "", searched_in)
        if nearest is None:
            return PlacedQuote(quote, None, (), 0.0, "", searched_in)
        fuzzy = FUZZY if nearest.score >= threshold else None
        return PlacedQuote(quote, fuzzy, nearest.places, nearest.score, nearest.text, searched_in)


# Relevant spans


def make_gold_assessments(
    name: str, matches: Iterable[tuple[Quote, Place]], lengths: Mapping[str, int], *, all_lengths: bool = False
) -> tuple[Assessments, list[str]]:
    """Assessments of the places of quotes, and a note per overlap with an earlier place.

    `all_lengths`: the first topic has the documents without a quote too, without spans.

    Topics and their documents are in the order of the quotes, spans in that of the text.

    Topics with facets have a line per quote and document instead, and nothing is merged.

    Raises:
        InputError: a topic is in two groups, or lines contradict each other about a facet.
    """
    matches = list(matches)
    facets = FacetLines()
    for quote, _ in matches:
        if quote.facet is not None:
            try:
                facets.declare(quote.topic.encode(), quote.line, quote.facet, quote.alternative, quote.weight)
            except BadValueError as error:
                raise InputError(name, quote.line, str(error)) from error
    spans: dict[tuple[str, str], list[tuple[Place, int]]] = {}
    groups: dict[str, tuple[str, int]] = {}
    notes = []
    for quote, place in matches:
        merged = spans.setdefault((quote.topic, place.document), [])
        overlapping = [] if quote.topic.encode() in facets.topics else merged
        for span in [span for span in overlapping if span[0].start < place.end and place.start < span[0].end]:
            before, line = span
            where = f"{before.document} {before.start}:{before.end}"
            notes.append(f"{name}:{quote.line}: overlaps the quote of line {line}, {where}; they are merged")
            merged.remove(span)
            place = Place(place.document, min(place.start, before.start), max(place.end, before.end))  # noqa: PLW2901
        merged.append((place, quote.line))
        if quote.group is not None:
            first_group, line = groups.setdefault(quote.topic, (quote.group, quote.line))
            if first_group != quote.group:
                reason = f"group {quote_value(quote.group)} of topic {quote_value(quote.topic)}"
                raise InputError(name, quote.line, f"{reason}, but {quote_value(first_group)} on line {line}")
    order = {topic: number for number, topic in enumerate(dict.fromkeys(topic for topic, _ in spans))}
    lines: list[dict[str, object]] = [
        {
            "topic": topic,
            "doc": document,
            "doc_length": lengths[document],
            "spans": sorted([place.start, place.end] for place, _ in spans[topic, document]),
            **({"group": groups[topic][0]} if topic in groups else {}),
        }
        for topic, document in sorted(spans, key=lambda key: order[key[0]])
        if topic.encode() not in facets.topics
    ]
    lines += _lines_with_facets(
        [match for match in matches if match[0].topic.encode() in facets.topics], lengths, groups
    )
    if all_lengths and lines:
        found = {document for _, document in spans}
        lines += [
            {"topic": lines[0]["topic"], "doc": document, "doc_length": lengths[document], "spans": []}
            for document in sorted(lengths.keys() - found)
        ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    return read_assessment_files([(Content(name, text), False)], name), notes


def _lines_with_facets(
    matches: Iterable[tuple[Quote, Place]], lengths: Mapping[str, int], groups: Mapping[str, tuple[str, int]]
) -> Iterator[dict[str, object]]:
    """One line of relevant spans per quote and document."""
    places: dict[tuple[Quote, str], list[list[int]]] = {}
    for quote, place in matches:
        places.setdefault((quote, place.document), []).append([place.start, place.end])
    for (quote, document), extents in places.items():
        declared = {"facet": quote.facet, "alternative": quote.alternative, "weight": quote.weight}
        yield {
            "topic": quote.topic,
            "doc": document,
            "doc_length": lengths[document],
            "spans": extents,
            **{key: value for key, value in declared.items() if value is not None},
            **({"group": groups[quote.topic][0]} if quote.topic in groups else {}),
        }


class Ambiguous(StrEnum):
    """Treatment of a quote with several places."""

    FIRST = "first"
    ALL = "all"
    ANY = "any"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, repr=False)
class RelevantSpans(Tabular):
    """Relevant spans with the places of the quotes, notes and errors."""

    assessments: Assessments
    quotes: tuple[PlacedQuote, ...]
    notes: tuple[str, ...]
    lost: tuple[InputError, ...]  # unreadable texts, and quotes in no relevant span

    @property
    def text(self) -> str:
        """The relevant spans as JSON Lines."""
        return write_qrels_json(self.assessments).decode()

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per quote: match kind, similarity (of 100), number of places, the first place."""
        for placed in self.quotes:
            place = placed.places[0] if placed.places else None
            yield {
                "line": placed.quote.line,
                "topic": placed.quote.topic,
                "quote": placed.quote.text,
                "found": placed.match_kind,
                "score": placed.score if placed.places else None,
                "places": len(placed.places),
                "doc": None if place is None else place.document,
                "start": None if place is None else place.start,
                "end": None if place is None else place.end,
            }

    def _summary(self) -> str:
        return summarise_matches(self.quotes)


class LostQuotesError(PrumEvalError):
    """Error of quotes without a place, or with several."""

    def __init__(self, lost: Sequence[InputError], quotes: Sequence[PlacedQuote], *, extra: bool) -> None:
        self.lost = tuple(lost)
        self.quotes = tuple(quotes)
        self._extra = extra
        super().__init__(*map(str, lost))

    @property
    def message(self) -> str:
        """One line per quote, and advice."""
        several = any(placed.match_kind is not None and len(placed.places) > 1 for placed in self.quotes)
        ambiguous = "--ambiguous first, all or any takes those in several places, " if several else ""
        advice = f"nothing is written; {ambiguous}--lossy leaves out what has no place"
        lines = [summarise_matches(self.quotes), advice, *[_FUZZY_HINT] * self._extra]
        return "\n".join([str(self), *(f"prum-eval: {line}" for line in lines)])


def spans(
    quotes: QuotesInput,
    texts: TextsInput,
    *,
    ambiguous: str = Ambiguous.REFUSE,
    threshold: float = THRESHOLD,
    lossy: bool = False,
    lengths: bool = False,
) -> RelevantSpans:
    r"""Find quotes in texts: exactly, else with white space, quotation marks, dashes and case folded, else fuzzily.

    >>> found = spans({"fee": ["The fine is 60."]}, {"tickets": "Please note: the  fine is 60."})
    >>> found.text
    '{"topic": "fee", "doc": "tickets", "doc_length": 29, "spans": [[13, 29]]}\n'

    Args:
        quotes: the path of a file, `topic TAB quote` or `topic TAB document TAB quote` or JSON Lines with `topic`,
            `quote` and perhaps `doc`; rows of these; or `{topic: quotes}`.
        texts: a directory, an archive, JSON Lines with `doc` and `text`, or an index of documents, which are then read
            as the index did; or texts by the names of their documents. Files that are not text are skipped.
        ambiguous: for a quote in several places: `refuse`, take the `first`, or `all`; `any`: each place is an
            alternative of the quote's facet, or of a facet of its own.
        threshold: minimal similarity of quote and place, of 100, if the quote is found neither exactly nor folded: 100
            times 1 - (insertions and deletions) / (lengths of both), by rapidfuzz.
        lossy: skip the quotes without a place.
        lengths: write the lengths of documents without a quote too, for user models that read on.

    Raises:
        LostQuotesError: quotes have no place, or texts cannot be read, and `lossy` is off; or no quote has a place.
        InputError: a bad line of the quotes, or texts of another form.
        DataError, UsageError: a bad row, an illegal value.
    """
    if ambiguous not in list(Ambiguous):
        raise UsageError(f"ambiguous={ambiguous}: ambiguous is {', '.join(Ambiguous)}")
    if not 0 < threshold <= 100:
        raise UsageError(f"threshold={threshold:g}: threshold is above 0, at most 100")
    name, parsed_quotes = read_quotes_input(quotes, raise_first)
    lost: list[InputError] = []
    placed_quotes, known_lengths, skipped, fuzzy = place_quotes(
        parsed_quotes, texts, threshold, lost.append, measure_all=lengths
    )
    unreadable = len(lost)
    notes = [_skipped_note(skipped)] if skipped else []
    matches = []
    for placed in placed_quotes:
        quote, several = placed.quote, len(placed.places) > 1
        too_many = len(placed.places) == MAX_PLACES and ambiguous in (Ambiguous.ALL, Ambiguous.ANY)
        if several and ambiguous == Ambiguous.ANY and quote.alternative is not None:
            lost.append(InputError(name, quote.line, f"{_place_problem(placed)}; a quote of an alternative has one"))
            continue
        if placed.match_kind is None or (several and ambiguous == Ambiguous.REFUSE) or too_many:
            lost.append(InputError(name, quote.line, _place_problem(placed)))
            continue
        places = placed.places if ambiguous in (Ambiguous.ALL, Ambiguous.ANY) else placed.places[:1]
        if several and ambiguous == Ambiguous.ANY and quote.facet is None:
            quote = replace(quote, facet=f"line {quote.line}")
        if several:
            taken = "any of them suffices" if ambiguous == Ambiguous.ANY else "all are taken"
            outcome = taken if len(places) > 1 else "the first is taken"
            notes.append(f"{name}:{quote.line}: {_place_problem(placed)}; {outcome}")
        if placed.match_kind == FUZZY:
            notes.append(f"{name}:{quote.line}: found fuzzily ({placed.score:.0f} of 100): {_place_preview(placed)}")
        matches += [(quote, place) for place in places]
    if lost and not (lossy and matches):
        extra = not fuzzy and any(placed.match_kind is None for placed in placed_quotes)
        raise LostQuotesError(lost, placed_quotes, extra=extra)
    if not fuzzy and len(lost) > unreadable:
        notes.append(_FUZZY_HINT)
    assessments, overlap_notes = make_gold_assessments(name, matches, known_lengths, all_lengths=lengths)
    return RelevantSpans(assessments, tuple(placed_quotes), (*notes, *overlap_notes), tuple(lost))


def _skipped_note(files: Sequence[str]) -> str:
    verb = "is" if len(files) == 1 else "are"
    return f"{plural(len(files), 'file')} that {verb} not text {verb} skipped: {join_names(files)}"


def summarise_matches(quotes: Sequence[PlacedQuote]) -> str:
    """Number of quotes per match kind.

    >>> summarise_matches([])
    '0 quotes: 0 exact, 0 folded, 0 fuzzy, 0 not found'
    """
    counts = Counter(placed.match_kind for placed in quotes)
    several = sum(placed.match_kind is not None and len(placed.places) > 1 for placed in quotes)
    kinds = ", ".join(f"{counts[kind]} {kind or 'not found'}" for kind in (EXACT, FOLDED, FUZZY, None))
    return f"{plural(len(quotes), 'quote')}: {kinds}{f'; {several} in several places' if several else ''}"


def _place_problem(placed: PlacedQuote) -> str:
    """Reason why a quote has no single place."""
    if placed.match_kind is not None:
        count = f"{len(placed.places)}{' or more' * (len(placed.places) == MAX_PLACES)}"
        return f"the quote occurs in {count} places: {_place_preview(placed)}"
    similar = f"; most like it ({placed.score:.0f} of 100): {_place_preview(placed)}" if placed.places else ""
    return f"the quote is not in {placed.searched_in}{similar}"


def _place_preview(placed: PlacedQuote) -> str:
    """The first places of a quote, and their text if it differs."""
    places = ", ".join(f"{place.document} {place.start}:{place.end}" for place in placed.places[:_MAX_LISTED_PLACES])
    more = ", ..." if len(placed.places) > _MAX_LISTED_PLACES else ""
    return f"{places}{more}{f' {quote_value(placed.text)}' if placed.text else ''}"
