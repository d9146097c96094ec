"""Notices: what a user should know beside the values, as data; and lines that sum up those of many runs.

Also the checks of extents and spans that notices and `prum-eval check` share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from prum_eval.arrays import BoolArray, group_numbers
from prum_eval.collection.trees import Forest
from prum_eval.errors import DataError, escape_unprintable
from prum_eval.records import Assessments, ElementTopic, PassageTopic, Run, RunKind
from prum_eval.tabular import join_names, plural
from prum_eval.text.names import find_document

__path__: list[str] = []  # old modules were below this one: prum_eval.moved

VERBOSE_HINT = "-v lists them"
"""The end of a line that sums up several notices."""


class _CountPhrase(NamedTuple):
    """The words of a kind of notice that counts: the noun, and what follows one and several."""

    noun: str
    singular_words: str
    plural_words: str

    def words(self, count: int) -> str:
        return self.singular_words if count == 1 else self.plural_words


TIES = "ties"
UNASSESSED = "unassessed topics"
MISSING_TOPICS = "missing topics"
EMPTY_TOPICS = "empty topics"
NO_TARGETS = "topics without targets"
NOT_IN_STRUCTURE = "not in the structure"
NOT_RETRIEVABLE = "not retrievable"
UNLISTED = "not in the assessments"
OVERLAP = "overlap"
PAST_END = "past the end"
NEGATIVE = "negative start"
FEW_JUDGED = "few judged"
REFUSED = "refused"
LEFT_OUT = "left out"
LENGTHS = "two lengths"
EMPTY_SPANS = "empty spans"
LISTED_ONLY = "listed results only"
NO_STRUCTURE = "no structure"
CONFIGURATION = "configuration"
DIFFERENT_TOPICS = "different topics"
CACHE = "cache"
GROUPS = "groups"
TOPICS = "chosen topics"
MERGED = "merged spans"
IGNORED = "ignored keys"
IGNORED_IN_SPANS = "ignored keys of assessments"
EARLY_ENDS = "lists end early"
EXCLUDED = "excluded results"
FACETS = "measures without facets"

_DETAILS = frozenset({IGNORED})
"""Kinds that nobody needs to know who does not ask for all."""

_COUNT_PHRASES = {
    UNASSESSED: _CountPhrase("topic", "has no assessments and is left out", "have no assessments and are left out"),
    MISSING_TOPICS: _CountPhrase(
        "assessed topic",
        "has no results and is left out; -c counts it as empty",
        "have no results and are left out; -c counts them as empty",
    ),
    EMPTY_TOPICS: _CountPhrase(
        "assessed topic", "has no results and counts as an empty list", "have no results and count as empty lists"
    ),
    NO_TARGETS: _CountPhrase(
        "topic",
        "has no targets and is left out of averages of measures that need targets",
        "have no targets and are left out of averages of measures that need targets",
    ),
    NOT_IN_STRUCTURE: _CountPhrase(
        "result",
        "is not in the structure: it keeps its rank and finds nothing",
        "are not in the structure: they keep their rank and find nothing",
    ),
    NOT_RETRIEVABLE: _CountPhrase(
        "result",
        "is an element that is not retrievable: it keeps its rank and finds nothing",
        "are elements that are not retrievable: they keep their rank and find nothing",
    ),
    UNLISTED: _CountPhrase(
        "result",
        "is not in the assessments: its extent is unknown, so it finds nothing",
        "are not in the assessments: their extent is unknown, so they find nothing",
    ),
    OVERLAP: _CountPhrase(
        "result",
        "lies in another or holds another, in documents with relevance",
        "lie in others or hold others, in documents with relevance",
    ),
    PAST_END: _CountPhrase("result", "ends past the end of its document", "end past the end of their document"),
    NEGATIVE: _CountPhrase("result", "begins before its document", "begin before their document"),
    TIES: _CountPhrase("result", "ties in score", "tie in score"),
}
"""The kinds that count something of a run, in the order of printing."""
_TOPIC_SUMMARIES = {
    UNASSESSED: "without assessments",
    MISSING_TOPICS: "without results (left out; -c counts them as empty)",
    EMPTY_TOPICS: "without results (counted as empty lists)",
}
"""What follows the noun of kinds that count topics, in a line on several runs."""


@dataclass(frozen=True)
class Notice:
    """One thing to know.

    Attributes:
        kind: what it is about, the same for all runs.
        text: the sentence, after the path of the run if it is about one.
        run: path of the run; None if it is about the call.
        count: n of results, topics or documents; None if nothing is counted.
        topics: the counted topics, if it is about some: a sum over runs counts each once.
    """

    kind: str
    text: str
    run: str | None = None
    count: int | None = None
    topics: frozenset[str] = field(default=frozenset(), repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", escape_unprintable(self.text))

    def __str__(self) -> str:
        return self.text


def count_notice(kind: str, run: str, count: int, detail: str = "", topics: frozenset[str] = frozenset()) -> Notice:
    """The notice of a kind that counts; `detail` ends the sentence of one run only; `topics` are the counted ones.

    >>> print(count_notice(TIES, "a.run", 2, ", ordered by document name"))
    a.run: 2 results tie in score, ordered by document name
    """
    phrase = _COUNT_PHRASES[kind]
    return Notice(kind, f"{run}: {plural(count, phrase.noun)} {phrase.words(count)}{detail}", run, count, topics)


_RELEVANCE_KEYS = frozenset({"grade", "relevance", "relevant", "rel", "label", "rating", "score", "weight", "gain"})
"""Keys of relevant spans that look like grades; they change no number, so the notice is always printed."""


def ignored_key_notices(path: str, keys: Iterable[str], *, of_run: bool = False) -> Iterator[Notice]:
    """The notice of keys of a file that mean nothing, if it has any.

    >>> print(*ignored_key_notices("a.jsonl", ["rank", "metadata"]))
    a.jsonl: ignored keys: 'rank', 'metadata'
    """
    from prum_eval.text.numbers import quote_value  # it needs numpy, for which --help does not wait

    keys = list(keys)
    of_relevance = [] if of_run else [key for key in keys if key.casefold() in _RELEVANCE_KEYS]
    for kind, part in ((IGNORED_IN_SPANS, of_relevance), (IGNORED, [key for key in keys if key not in of_relevance])):
        if names := ", ".join(map(quote_value, part)):
            yield Notice(kind, f"{path}: ignored keys: {names}", path if of_run else None)


def spans_file_notices(judged: Assessments) -> Iterator[Notice]:
    """Notices of relevant spans: those that were merged, and keys that mean nothing."""
    if judged.merged_note is not None:
        yield Notice(MERGED, judged.merged_note)
    topics = [topic for topic in judged.topics.values() if isinstance(topic, PassageTopic)]
    yield from ignored_key_notices(judged.path, dict.fromkeys(key for topic in topics for key in topic.ignored))


def names_unmatched_run(notice: Notice | str) -> bool:
    """Whether a notice is about a run without a single result in a judged document: its names are wrong."""
    return isinstance(notice, Notice) and notice.kind == FEW_JUDGED and notice.count == 0


def unmatched_runs_first(notices: Iterable[Notice]) -> list[Notice]:
    """The notices, those of runs without a result in a judged document before all others."""
    return sorted(notices, key=lambda notice: not names_unmatched_run(notice))


def refuse_unmatched_runs(notices: Iterable[Notice | str], *, accept: bool) -> None:
    """Refuse runs without a single result in a judged document, unless the user accepts them.

    Raises:
        DataError: with the nearest match of the first, and the others by name.
    """
    unmatched = [notice for notice in notices if names_unmatched_run(notice)]
    if accept or not unmatched:
        return
    others = [str(notice).partition(": 0 of ")[0] for notice in unmatched[1:]]
    likewise = f"; likewise {join_names(others)}" if others else ""
    raise DataError(f"{unmatched[0]}{likewise}; --accept-unmatched continues")


def summed(notices: Iterable[Notice | str], *, hint: str = VERBOSE_HINT) -> list[str]:
    """Lines for a user: one per kind for all runs, in the order of the first of each, without details.

    >>> ties = [count_notice(TIES, "a.run", 2), count_notice(TIES, "b.run", 1200)]
    >>> summed([*ties, Notice(NO_STRUCTURE, "no structure")])
    ['1,202 results of 2 runs tie in score; -v lists them', 'no structure']

    Args:
        notices: of a call and its runs; a text is printed as it is.
        hint: how to see them all, added to lines that sum up; may be empty.
    """
    groups: dict[object, list[Notice]] = {}
    for item in notices:
        notice = Notice("", item) if isinstance(item, str) else item
        if notice.kind not in _DETAILS:
            groups.setdefault(notice.text if notice.run is None else (notice.kind,), []).append(notice)
    return [line for group in groups.values() for line in _lines(group, f"; {hint}" if hint else "")]


def _lines(group: list[Notice], end: str) -> list[str]:
    """The lines of the notices of one kind."""
    first, phrase = group[0], _COUNT_PHRASES.get(group[0].kind)
    if phrase is not None and len(group) > 1:
        if first.topics:
            topics = frozenset[str]().union(*(notice.topics for notice in group))
            return [
                f"{plural(len(topics), phrase.noun)} {_TOPIC_SUMMARIES[first.kind]}, in {len(group)} runs{end}",
            ]
        total = sum(notice.count or 0 for notice in group)
        return [f"{total:,} {phrase.noun}s of {len(group)} runs {phrase.plural_words}{end}"]
    others = len({notice.run for notice in group} - {first.run})
    if others:
        return [f"{first.text}; likewise {plural(others, 'more run')}{end}"]
    return list(dict.fromkeys(notice.text for notice in group))


# Impossible extents: results that leave their documents, documents of two lengths


def document_lengths(assessments: Assessments | None, trees: Forest | None) -> dict[str, int]:
    """Characters of each document of known length: from the structure, else the largest in the assessments."""
    lengths: dict[str, int] = {}
    judged = _passage_topics(assessments)
    for topic in judged:
        lengths |= topic.known_lengths()
    for topic in judged if _has_other_lengths(judged, lengths) else ():
        for name, length in topic.known_lengths().items():
            lengths[name] = max(lengths[name], length)
    return lengths | _root_lengths(trees)


def _passage_topics(assessments: Assessments | None) -> list[PassageTopic]:
    topics = assessments.topics.values() if assessments is not None else ()
    return [topic for topic in topics if isinstance(topic, PassageTopic)]


def _has_other_lengths(judged: Iterable[PassageTopic], lengths: Mapping[str, int]) -> bool:
    """Whether any judged document has another length than in `lengths`."""
    return any(not topic.known_lengths().items() <= lengths.items() for topic in judged)


def _root_lengths(trees: Forest | None) -> dict[str, int]:
    if trees is None or not trees.complete:
        return {}
    columns = trees.columns
    first, end = columns.bounds[:-1], columns.bounds[1:]
    names = [name for name, some in zip(columns.names, (first < end).tolist(), strict=True) if some]
    roots = first[first < end]
    return dict(zip(names, (columns.start[roots] + columns.length[roots]).tolist(), strict=True))


class OutOfRangeResults(NamedTuple):
    """Rows of a run whose extents leave their document: flags of shape (results,), at its end or before it."""

    past_end: BoolArray
    negative_start: BoolArray
    lengths: Mapping[str, int]

    def reasons(self, run: Run) -> Iterator[tuple[int, str]]:
        """Line and reason of each such result."""
        for row in np.flatnonzero(self.past_end | self.negative_start).tolist():
            name, start, length = run.documents[run.document[row]], int(run.start[row]), int(run.length[row])
            extent = f"offset {start}, length {length}"
            if self.negative_start[row]:
                yield int(run.line[row]), f"{extent} begin before document {name}"
            else:
                characters = find_document(self.lengths, name)
                yield int(run.line[row]), f"{extent} end past the end of document {name}, {characters} characters long"


def find_out_of_range(run: Run, lengths: Mapping[str, int]) -> OutOfRangeResults | None:
    """The results that leave their documents; None for a run without offsets."""
    if run.kind is not RunKind.EXTENTS:
        return None
    exact = zip(run.documents, map(lengths.get, run.documents), strict=True)  # fast for exact names
    found = [find_document(lengths, name) if length is None else length for name, length in exact]
    size = np.array([-1 if length is None else length for length in found], dtype=np.int64)[run.document]
    past = run.exists & (size >= 0) & (run.start > size - run.length)
    return OutOfRangeResults(past, run.exists & (run.start < 0), lengths)


def passages_past_end(assessments: Assessments) -> Iterator[tuple[PassageTopic, int, str]]:
    """Assessed passages that end past the end of their document: topic, row of its document, reason."""
    for topic in _passage_topics(assessments):
        owner = group_numbers(topic.bounds)
        size = topic.lengths[owner]
        for row in np.flatnonzero((size >= 0) & (topic.start > size - topic.length)).tolist():
            document = int(owner[row])
            name, characters = topic.documents[document], int(topic.lengths[document])
            passage = f"passage {int(topic.start[row])}:{int(topic.length[row])}"
            yield topic, document, f"{passage} ends past the end of document {name}, {characters} characters long"


def length_conflicts(assessments: Assessments, trees: Forest | None) -> Iterator[tuple[PassageTopic, int, str]]:
    """Documents of several lengths: topic, row of its document, reason."""
    lengths = {name: (length, "the structure") for name, length in _root_lengths(trees).items()}
    for topic in _passage_topics(assessments):
        for row, (name, length) in enumerate(zip(topic.documents, topic.lengths.tolist(), strict=True)):
            if length < 0:
                continue
            other, place = lengths.setdefault(name, (length, f"line {topic.lines[row]} of {topic.path}"))
            if other != length:
                yield topic, row, f"document {name} has {length} characters here, {other} in {place}"


def count_length_conflicts(assessments: Assessments, trees: Forest | None, lengths: Mapping[str, int]) -> int:
    """Number of documents with more than one length, fast if it is 0. `lengths`: their `document_lengths`."""
    if not _has_other_lengths(_passage_topics(assessments), lengths):
        return 0
    return len({topic.documents[row] for topic, row, _ in length_conflicts(assessments, trees)})


def span_notices(assessments: Assessments) -> Iterator[Notice]:
    """Notices of highlighted text that measures of spans change: empty passages, and passages that overlap.

    Raises:
        InputError: a number too large.
    """
    from prum_eval.measures.chunks import relevant_spans  # few calls measure spans
    from prum_eval.measures.passages import join_articles, judged_articles

    joined = join_articles([judged_articles(topic, None) for topic in _passage_topics(assessments)])
    empty = int(np.count_nonzero(joined.end <= joined.start))
    overlapping = len(joined.start) - empty - len(relevant_spans(joined).row)
    for topic in assessments.topics.values():
        if isinstance(topic, ElementTopic):
            empty += sum(mark.size == 0 for mark in topic.highlights)
    if overlapping:
        what = "overlaps another one and is" if overlapping == 1 else "overlap others and are"
        text = f"{assessments.path}: {plural(overlapping, 'span')} {what} merged in measures of chunks"
        yield Notice(MERGED, text, count=overlapping)
    if empty:
        what = (
            f"{plural(empty, 'span')} of length 0, which {'counts' if empty == 1 else 'count'} in no measure of chunks"
        )
        yield Notice(EMPTY_SPANS, f"{assessments.path}: {what}", count=empty)
