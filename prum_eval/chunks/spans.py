"""Gold spans from quotes: where the words that answer each question stand in the texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from prum_eval.chunks.merging import gold_of
from prum_eval.chunks.placing import FUZZY, PlacedQuote, placed
from prum_eval.chunks.quotes import GivenQuotes, given_quotes
from prum_eval.chunks.search import MOST_PLACES
from prum_eval.chunks.sources import GivenTexts
from prum_eval.errors import InputError, PrumEvalError, UsageError, raise_first
from prum_eval.formats.assessments.json_lines import write_qrels_json
from prum_eval.records.assessments import Assessments
from prum_eval.tabular import RowValue, Tabular, plural
from prum_eval.text.numbers import shown

THRESHOLD = 90.0
"""How like a quote its place has to be, of 100."""
_LISTED = 5
_EXTRA = "what is nearly the same is found with rapidfuzz: pip install 'prum-eval[chunks]'"


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
                "found": one.found,
                "score": one.score if one.places else None,
                "places": len(one.places),
                "doc": None if place is None else place.document,
                "start": None if place is None else place.start,
                "end": None if place is None else place.end,
            }

    def _summary(self) -> str:
        return how_found(self.quotes)


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
        several = any(one.found is not None and len(one.places) > 1 for one in self.quotes)
        ambiguous = "--ambiguous first or all takes those in several places, " if several else ""
        said = [how_found(self.quotes), f"nothing is written; {ambiguous}--lossy leaves out what has no place"]
        return "\n".join([str(self), *(f"prum-eval: {one}" for one in [*said, *[_EXTRA] * self._extra])])


def spans(
    quotes: GivenQuotes,
    texts: GivenTexts,
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
    name, listed = given_quotes(quotes, raise_first)
    lost: list[InputError] = []
    found, lengths, fuzzy = placed(listed, texts, threshold, lost.append)
    unread = len(lost)
    notes, taken = [], []
    for one in found:
        several = len(one.places) > 1
        countless = len(one.places) == MOST_PLACES and ambiguous == Ambiguous.ALL
        if one.found is None or (several and ambiguous == Ambiguous.REFUSE) or countless:
            lost.append(InputError(name, one.quote.line, _trouble(one)))
            continue
        places = one.places if ambiguous == Ambiguous.ALL else one.places[:1]
        if several:
            fate = "all are taken" if len(places) > 1 else "the first is taken"
            notes.append(f"{name}:{one.quote.line}: {_trouble(one)}; {fate}")
        if one.found == FUZZY:
            notes.append(f"{name}:{one.quote.line}: found fuzzily ({one.score:.0f} of 100): {_candidate(one)}")
        taken += [(one.quote, place) for place in places]
    if lost and not (lossy and taken):
        raise LostQuotesError(lost, found, extra=not fuzzy and any(one.found is None for one in found))
    if not fuzzy and len(lost) > unread:
        notes.append(_EXTRA)
    judged, merged = gold_of(name, taken, lengths)
    return GoldSpans(judged, tuple(found), (*notes, *merged), tuple(lost))


def how_found(quotes: Sequence[PlacedQuote]) -> str:
    """How many quotes were found how.

    >>> how_found([])
    '0 quotes: 0 exact, 0 folded, 0 fuzzy, 0 not found'
    """
    how = Counter(one.found for one in quotes)
    several = sum(one.found is not None and len(one.places) > 1 for one in quotes)
    told = ", ".join(f"{how[kind]} {kind or 'not found'}" for kind in ("exact", "folded", FUZZY, None))
    return f"{plural(len(quotes), 'quote')}: {told}{f'; {several} in several places' if several else ''}"


def _trouble(one: PlacedQuote) -> str:
    """What is wrong with the places of a quote."""
    if one.found is not None:
        count = f"{len(one.places)}{' or more' * (len(one.places) == MOST_PLACES)}"
        return f"the quote stands in {count} places: {_candidate(one)}"
    if one.places:
        return f"the quote is not in {one.within}; most like it ({one.score:.0f} of 100): {_candidate(one)}"
    return f"the quote is not in {one.within}"


def _candidate(one: PlacedQuote) -> str:
    """The first places of a quote, and what stands there if that is something else."""
    listed = ", ".join(f"{place.document} {place.start}:{place.end}" for place in one.places[:_LISTED])
    more = ", ..." if len(one.places) > _LISTED else ""
    return f"{listed}{more}{f' {shown(one.text)}' if one.text else ''}"
