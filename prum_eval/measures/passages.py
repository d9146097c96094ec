"""Highlighted and retrieved text of a batch of topics: the data of all passage measures.

Conventions. An article is a document of one topic, a number from 0 up, a position an offset in characters; intervals
are half open. Assessments in text or XML become `JudgedArticles`, the results of a run `RetrievedText`. `cut_segments`
cuts the texts of articles wherever an interval begins or ends: text between two cuts is uniform. Segment j goes from
cut j to cut j + 1; the one after the last cut of an article has no length.

Tasks reject what breaks their rules, with the line of the run: focused and in-context tasks reject text retrieved
twice; in-context tasks reject an article that comes back after another one; best in context rejects a second result of
an article. Source: inex_eval 3.1; Lalmas et al., INEX 2006 Evaluation Measures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from prum_eval.arrays import (
    EMPTY_INTS,
    BoolArray,
    IntArray,
    concatenated_ranges,
    group_bounds,
    group_numbers,
    group_sizes,
    sorted_unique,
    sums_of_groups,
)
from prum_eval.collection.trees import Forest
from prum_eval.errors import DataError, InputError, UnsupportedResultError
from prum_eval.measures.topic_data import JudgedTopic, Ranking, TopicBatch
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.records import ElementTopic, FlatTopic, PassageTopic, Topic
from prum_eval.relevance.targets import mark_extent
from prum_eval.text.names import find_document
from prum_eval.text.numbers import quote_value

MAX_POSITION = 2**40
"""No offset or length may be larger: sums of millions of them stay within 64 bits."""


@dataclass(frozen=True, slots=True)
class JudgedElements:
    """Elements with relevant text in the judged articles of a topic.

    `keys`: ascending; row of the article times `width`, plus the number of the element in the article's tree, which is
    below `width`. `relevant`: relevant characters of each.
    """

    keys: IntArray
    width: int
    relevant: IntArray

    def relevant_characters(self, row: IntArray, element: IntArray) -> IntArray:
        """Relevant characters of elements of some articles; 0 for elements that are not listed."""
        if not len(self.keys):
            return np.zeros_like(row)
        keys = row * self.width + element
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        listed = (self.keys[place] == keys) & (element < self.width)
        return np.where(listed, self.relevant[place], 0)


@dataclass(frozen=True, slots=True)
class JudgedArticles:
    """The judged articles of one or more topics, one per row (m), and their passages, sorted by article and start.

    `relevant`: relevant characters T_d; an article is relevant if T_d > 0. `length`: in characters, -1 if unknown.
    `bep`: offset of the best entry point, -1 if none. Passages of row i are ``bounds[i]:bounds[i + 1]`` of `start`
    and `end`. `by_name`: of one topic, row of each article that is relevant or has passages. `elements`: those that XML
    assessments list; assessments in text know none.
    """

    relevant: IntArray
    length: IntArray
    bep: IntArray
    bounds: IntArray
    start: IntArray
    end: IntArray
    by_name: Mapping[str, int]
    elements: JudgedElements | None = None


def join_articles(parts: Sequence[JudgedArticles]) -> JudgedArticles:
    """The judged articles of several topics, one topic after the other."""
    articles = group_bounds([len(part.relevant) for part in parts])
    passages = group_bounds([len(part.start) for part in parts])
    columns = ("relevant", "length", "bep", "start", "end")
    relevant, length, bep, start, end = (
        np.concatenate([EMPTY_INTS, *(getattr(part, column) for part in parts)]) for column in columns
    )
    bounds = [part.bounds[:-1] + first for part, first in zip(parts, passages.tolist(), strict=False)]
    return JudgedArticles(
        relevant,
        length,
        bep,
        np.concatenate([*bounds, passages[-1:]]),
        start,
        end,
        {},
        _join_elements([(part.elements, first) for part, first in zip(parts, articles.tolist(), strict=False)]),
    )


def _join_elements(parts: Sequence[tuple[JudgedElements | None, int]]) -> JudgedElements | None:
    """Elements of several topics, each with the row of its first article; None if the assessments list none."""
    listed = [(elements, first) for elements, first in parts if elements is not None]
    if not listed:
        return None
    width = max(elements.width for elements, _ in listed)
    rows = ((elements.keys // elements.width + first, elements.keys % elements.width) for elements, first in listed)
    keys = np.concatenate([row * width + element for row, element in rows])
    return JudgedElements(keys, width, np.concatenate([elements.relevant for elements, _ in listed]))


def judged_articles(topic: Topic, trees: Forest | None) -> JudgedArticles:
    """The judged articles of a topic.

    Args:
        topic: assessments of passages in text, or of elements in XML (2005 and later).
        trees: trees of the structure; XML assessments need them.

    Raises:
        InputError: a number too large, or a pointer that leads nowhere in the structure.
        DataError: assessments that highlight nothing.
    """
    if isinstance(topic, FlatTopic):
        raise DataError(f"{topic.path}: assessments of documents highlight no text")
    if isinstance(topic, PassageTopic):
        return _from_text(topic)
    if trees is None:
        raise DataError(f"{topic.path}: XML assessments give no positions in the text: give --structure")
    return _from_xml(topic, trees)


def _sort_passages(
    owner: IntArray, start: IntArray, end: IntArray, articles: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Bounds, starts and ends of passages, ordered by article, then start."""
    order = np.lexsort((start, owner))
    bounds = group_bounds(np.bincount(owner, minlength=articles))
    return bounds, start[order], end[order]


def _from_text(topic: PassageTopic) -> JudgedArticles:
    article = group_numbers(topic.bounds)
    large = topic.lengths > MAX_POSITION
    large[article[(topic.start > MAX_POSITION) | (topic.length > MAX_POSITION)]] = True
    if large.any():
        line = int(topic.lines[int(np.flatnonzero(large)[0])])
        raise InputError(topic.path, line, f"a length or an offset above {MAX_POSITION}")
    rows = np.flatnonzero((topic.relevant > 0) | (group_sizes(topic.bounds) > 0)).tolist()
    by_name = {topic.documents[row]: row for row in rows}
    passages = _sort_passages(article, topic.start, topic.start + topic.length, len(topic.documents))
    return JudgedArticles(topic.relevant, topic.lengths, topic.bep, *passages, by_name)


def _from_xml(topic: ElementTopic, trees: Forest) -> JudgedArticles:
    article_count = len(topic.documents)
    marks = [(mark.document, *mark_extent(mark, topic, trees), mark.size) for mark in topic.highlights]
    article, start, marked, size = np.array(marks, dtype=np.int64).reshape(-1, 4).T
    relevant = np.zeros(article_count, dtype=np.int64)
    np.add.at(relevant, article, np.where(size >= 0, size, marked))
    bep = np.full(article_count, -1, dtype=np.int64)
    for point in reversed(topic.entry_points):  # of several in one article the first counts
        bep[point.document] = mark_extent(point, topic, trees)[0]
    numbers = trees.numbers(topic.documents)
    in_structure = np.flatnonzero(numbers >= 0)
    length = np.full(article_count, -1, dtype=np.int64)
    length[in_structure] = trees.columns.length[trees.columns.bounds[numbers[in_structure]]]
    row = group_numbers(topic.bounds)
    root = np.array([path.count("/") == 1 for path in topic.paths], dtype=np.bool_)
    relevant[row[root][::-1]] = topic.rsize[root][::-1]  # backwards, so that of several the first counts
    elements = _elements(topic, row, numbers, trees)
    rows = np.unique(np.concatenate((article, np.flatnonzero(relevant > 0), elements.keys // elements.width)))
    by_name = {topic.documents[article]: article for article in rows.tolist()}
    passages = _sort_passages(article, start, start + marked, article_count)
    return JudgedArticles(relevant, length, bep, *passages, by_name, elements)


def _elements(topic: ElementTopic, row: IntArray, numbers: IntArray, trees: Forest) -> JudgedElements:
    """Elements with relevant text, by their rsize.

    Args:
        topic: the assessments.
        row: row of the article of each judged element.
        numbers: numbers of the documents in the structure, -1 if they are not in it.
        trees: trees of the structure.
    """
    tree_rows = trees.rows(numbers[row], trees.codes(topic.paths))
    element = np.where(tree_rows < 0, -1, tree_rows - trees.columns.bounds[numbers[row]])
    for missing in np.flatnonzero(tree_rows < 0).tolist():
        tree = trees.get(topic.documents[row[missing]])
        element[missing] = -1 if tree is None else tree.find(topic.paths[missing])
        if element[missing] < 0 and topic.rsize[missing] > 0:
            raise InputError(
                topic.path, int(topic.lines[missing]), f"element {topic.paths[missing]} is not in the structure"
            )
    width = int(element.max(initial=0)) + 1
    listed = np.flatnonzero(element >= 0)[::-1]  # backwards, so that of several the last counts
    keys, last = np.unique(row[listed] * width + element[listed], return_index=True)
    relevant = topic.rsize[listed][last]
    return JudgedElements(keys[relevant > 0], width, relevant[relevant > 0])


# Text that a run retrieved.

UNKNOWN_SIZE = 18
"""Size that the official tool gives to a result that points to nothing (X or -1)."""


@dataclass(frozen=True)
class RetrievedText:
    """The results of a batch of topics (n), best first, in the articles (A), numbered in the order of first results.

    `judged`: the judged articles of all topics; topic i has the rows ``judged_bounds[i]:judged_bounds[i + 1]``.
    `article`: number of each result's article. `row`: row of each article in `judged`, -1 where nothing in it is
    relevant. `start`, `end`: the text of each result; nothing (0, 0) where it is not `has_extent`. `element`: from XML
    assessments, the number of the element that a result is, -1 where it is none.
    """

    batch: TopicBatch
    judged: JudgedArticles
    judged_bounds: IntArray
    article: IntArray
    row: IntArray
    has_extent: BoolArray
    start: IntArray
    end: IntArray
    element: IntArray

    def __len__(self) -> int:
        return len(self.article)

    @property
    def bounds(self) -> IntArray:
        """Bounds of the results of each topic."""
        return self.batch.bounds

    @cached_property
    def article_bounds(self) -> IntArray:
        """Bounds of the articles of each topic."""
        return np.concatenate(([0], np.maximum.accumulate(self.article) + 1))[self.bounds]

    @cached_property
    def relevant_counts(self) -> IntArray:
        """Number of relevant articles among the results of each topic."""
        return sums_of_groups(self.is_relevant.astype(np.int64), self.article_bounds)

    @cached_property
    def judged_relevant_counts(self) -> IntArray:
        """Number of relevant articles of each topic."""
        return sums_of_groups((self.judged.relevant > 0).astype(np.int64), self.judged_bounds)

    @cached_property
    def totals(self) -> IntArray:
        """T: relevant characters of each topic."""
        return sums_of_groups(self.judged.relevant, self.judged_bounds)

    @cached_property
    def size(self) -> IntArray:
        """Characters of each result, shape (n,)."""
        return np.where(self.has_extent, self.end - self.start, UNKNOWN_SIZE)

    @cached_property
    def article_relevant(self) -> IntArray:
        """T_d, relevant characters of each article, shape (A,)."""
        return np.append(self.judged.relevant, 0)[self.row]  # row -1: the 0 at the end

    @cached_property
    def is_relevant(self) -> BoolArray:
        """Whether each article holds relevant text, shape (A,)."""
        return self.article_relevant > 0

    def passages(self, articles: IntArray) -> tuple[IntArray, IntArray]:
        """Passages of some judged articles: their rows in the assessments, and the article of each."""
        bounds, row = self.judged.bounds, self.row[articles]
        count = bounds[row + 1] - bounds[row]
        return concatenated_ranges(bounds[row], count), np.repeat(articles, count)

    @cached_property
    def has_overlap(self) -> bool:
        """Whether two results share text: start < other's end and end > other's start, in one article.

        Results that touch do not; one without length does strictly inside another one. Sorted by start, then end, a
        result overlaps an earlier one iff it starts before the furthest end so far.
        """
        rows = np.flatnonzero(self.has_extent)
        article, start, end = self.article[rows], self.start[rows], self.end[rows]
        locations = position_keys(np.concatenate((article, article)), np.concatenate((start, end)))
        begin, stop = locations[: len(rows)], locations[len(rows) :]
        order = np.lexsort((stop, begin))
        furthest = np.maximum.accumulate(stop[order])  # keys of a later article are larger than all of this one
        return bool((furthest[:-1] > begin[order][1:]).any())

    @cached_property
    def highlighted_size(self) -> IntArray:
        """Highlighted characters in each result, by the passages, shape (n,).

        sum over the passages [a, b) of its article of max(0, min(end, b) - max(start, a)).
        """
        judged, row = self.judged, self.row[self.article]
        inside = (row >= 0) & self.has_extent
        count = np.where(inside, np.diff(judged.bounds, append=judged.bounds[-1:])[row], 0)
        last = np.cumsum(count)
        results = np.repeat(np.arange(len(self)), count)
        passages = concatenated_ranges(judged.bounds[row], count)
        shared = np.minimum(self.end[results], judged.end[passages])
        shared -= np.maximum(self.start[results], judged.start[passages])
        sums = np.concatenate(([0], np.cumsum(np.maximum(shared, 0))))
        return np.asarray(sums[last] - sums[last - count])

    @cached_property
    def relevant_size(self) -> IntArray:
        """Relevant characters of each result, (n,): the rsize of an element of XML assessments, else highlighted."""
        judged = self.judged
        if judged.elements is None:
            return self.highlighted_size
        row = self.row[self.article]
        listed = self.has_extent & (self.element >= 0)
        found = np.where(listed, 0, self.highlighted_size)
        inside = np.flatnonzero(listed & (row >= 0))
        found[inside] = judged.elements.relevant_characters(row[inside], self.element[inside])
        return found


def retrieved_text(batch: TopicBatch) -> RetrievedText:
    """Retrieved text of topics, computed once for all measures.

    Raises:
        UnsupportedResultError: a result of unknown extent, or a number too large.
        DataError: assessments that highlight no text.
    """
    return batch.memo.get_or_compute("retrieved text", lambda: _make_retrieved_text(batch))


def _make_retrieved_text(batch: TopicBatch) -> RetrievedText:
    parts = [_judged_articles_of_topic(topic.judged) for topic in batch.topics]
    judged_bounds = group_bounds([len(part.relevant) for part in parts])
    _check_positions(batch)
    owner, number = group_numbers(batch.bounds), batch.results.document.copy()
    for row in sorted_unique(owner[number < 0]).tolist():
        topic, part = batch.topics[row], slice(*batch.bounds[row : row + 2].tolist())
        number[part] = _document_numbers(topic.ranking, topic.judged.targets.documents)
    width = int(number.max(initial=0)) + 1
    keys = owner * width + number
    distinct, first, code = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)  # articles in the order of their first result
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    owner, document = np.divmod(distinct, width)
    row = _assessment_rows(batch, parts, owner, document, first)
    row[row >= 0] += judged_bounds[owner[row >= 0]]
    results, exists = batch.results, batch.exists
    start = np.where(exists, results.start, 0)
    end = np.where(exists, results.start + results.length, 0)
    joined = join_articles(parts)
    own = TopicBatch(batch.topics)  # the memo of the batch holds this text: no cycle
    return RetrievedText(own, joined, judged_bounds, place[code], row[order], exists, start, end, results.element)


def _judged_articles_of_topic(topic: JudgedTopic) -> JudgedArticles:
    return topic.memo.get_or_compute("judged articles", lambda: judged_articles(topic.assessed_topic, topic.trees))


def _check_positions(batch: TopicBatch) -> None:
    """Reject results of unknown extent, and numbers too large."""
    results, exists = batch.results, batch.exists
    unlocated = np.flatnonzero(exists & ~results.located)
    if len(unlocated):
        row = int(unlocated[0])
        reason = (
            f"where document {quote_value(batch.document_name(row))} is retrieved is not known in characters; "
            "passage measures need offset and length, or element paths and a structure"
        )
        raise batch.unsupported(row, reason)
    large = np.flatnonzero(exists & ((abs(results.start) > MAX_POSITION) | (results.length > MAX_POSITION)))
    if len(large):
        raise batch.unsupported(int(large[0]), f"an offset or a length above {MAX_POSITION}")


def _document_numbers(ranking: Ranking, documents: Sequence[str]) -> IntArray:
    """Number of the document of each result, also of results that point to nothing."""
    number, names = ranking.locations.document.copy(), ranking.document_names()
    nameless = np.flatnonzero(number < 0)
    codes = {name: code for code, name in enumerate(documents)}
    for rank in np.flatnonzero(number >= len(documents)).tolist():
        codes.setdefault(names[rank], int(number[rank]))
    next_code = max(len(documents), int(number.max()) + 1)
    for rank in nameless.tolist():
        code = find_document(codes, names[rank])
        if code is None:
            code = codes[names[rank]] = next_code
            next_code += 1
        number[rank] = code
    return number


def _assessment_rows(
    batch: TopicBatch, parts: Sequence[JudgedArticles], owner: IntArray, document: IntArray, first: IntArray
) -> IntArray:
    """Row in the assessments of its topic of each distinct document, -1 if none.

    Args:
        batch: the topics.
        parts: their judged articles.
        owner: number of the topic of each document.
        document: its number in the topic.
        first: its first result.
    """
    known = [_rows_of_target_documents(topic.judged, part) for topic, part in zip(batch.topics, parts, strict=True)]
    sizes = np.array([len(rows) for rows, _ in known], dtype=np.int64)
    row = np.full(len(document), -1, dtype=np.int64)
    has_target = document < sizes[owner]
    places = (group_bounds(sizes)[owner] + document)[has_target]
    row[has_target] = np.concatenate([EMPTY_INTS, *(rows for rows, _ in known)])[places]
    has_others = np.array([others for _, others in known], dtype=np.bool_)
    for place in np.flatnonzero(~has_target & has_others[owner]).tolist():
        judged_row = find_document(parts[owner[place]].by_name, batch.document_name(int(first[place])))
        row[place] = -1 if judged_row is None else judged_row
    return row


def _rows_of_target_documents(topic: JudgedTopic, judged: JudgedArticles) -> tuple[IntArray, bool]:
    """Row in the assessments of each document with targets, -1 if none, and whether others are judged."""

    def compute() -> tuple[IntArray, bool]:
        documents = topic.targets.documents
        rows = np.array([judged.by_name.get(name, -1) for name in documents], dtype=np.int64)
        return rows, bool(judged.by_name.keys() - set(documents))  # judged, but without a target of the requested kind

    return topic.memo.get_or_compute("judged rows", compute)


# Segments: the texts of several articles, cut where any interval begins or ends.

_KEY_LIMIT = 2**62


def position_keys(article: IntArray, position: IntArray) -> IntArray:
    """Numbers that order pairs (article, position) by article, then position; equal for equal pairs only.

    >>> position_keys(np.array([1, 0, 1]), np.array([5, 9, -3])).argsort().tolist()
    [1, 2, 0]
    """
    if not len(article):
        return article
    lowest = int(position.min())
    width = int(position.max()) - lowest + 1
    if (int(article.max()) + 1) * width >= _KEY_LIMIT:
        distinct, position = np.unique(position, return_inverse=True)
        lowest, width = 0, len(distinct)
    return article * width + (position - lowest)


@dataclass(frozen=True, slots=True)
class Segments:
    """Uniform stretches of text, ordered by article and position: columns of shape (S,)."""

    article: IntArray
    start: IntArray
    length: IntArray

    def count_covering(self, low: IntArray, high: IntArray) -> IntArray:
        """Number of intervals from cut `low` to cut `high` that cover each segment, shape (S,)."""
        size = len(self.start) + 1
        change = np.bincount(low, minlength=size) - np.bincount(high, minlength=size)
        return np.cumsum(change)[:-1]


def cut_segments(article: IntArray, position: IntArray) -> tuple[Segments, IntArray]:
    """Segments between points, and the number of the cut at each point."""
    _, first, number = np.unique(position_keys(article, position), return_index=True, return_inverse=True)
    owner, start = article[first], position[first]
    length = np.zeros(len(first), dtype=np.int64)
    np.subtract(start[1:], start[:-1], out=length[:-1], where=owner[1:] == owner[:-1])
    return Segments(owner, start, length), number


def first_cover(low: IntArray, high: IntArray, segments: int) -> IntArray:
    """First interval that covers each segment, len(low) if none does.

    Every interval is the union of two stretches of 2^k segments, so it marks two cells of level k; then each
    level passes its cells down to the two halves of its stretches. O((n + S) log S), without a loop over results.

    >>> first_cover(np.array([1, 0]), np.array([3, 5]), 6).tolist()
    [1, 0, 0, 1, 1, 2]
    """
    count = len(low)
    width = high - low
    rows = np.flatnonzero(width > 0)
    level = np.zeros(count, dtype=np.int64)
    level[rows] = np.frexp(width[rows])[1] - 1  # floor of log2, exact
    marks = np.full((int(level.max(initial=0)) + 1, segments), count, dtype=np.int64)
    base = level[rows] * segments
    cells = np.concatenate((base + low[rows], base + high[rows] - (1 << level[rows])))
    np.minimum.at(marks.reshape(-1), cells, np.concatenate((rows, rows)))
    for above in range(len(marks) - 1, 0, -1):
        half, lower, upper = 1 << (above - 1), marks[above - 1], marks[above]
        np.minimum(lower, upper, out=lower)
        np.minimum(lower[half:], upper[:-half], out=lower[half:])
    return np.asarray(marks[0])


# Rules of the passage tasks.


class Requirement(Enum):
    """A rule of a task for the results of a topic; each includes those before it."""

    NOTHING = 0  # thorough
    NO_OVERLAP = 1  # focused
    BLOCKS = 2  # in context: and the results of an article stand together
    ONE_RESULT = 3  # best in context: and there is one an article


_REQUIREMENTS = {"ranks": Requirement.BLOCKS, "points": Requirement.ONE_RESULT, "reject": Requirement.NO_OVERLAP}
"""Rule by value of the parameters `counts` and `overlap`; other values have none."""


def validated_results(batch: TopicBatch, value: str) -> RetrievedText:
    """Retrieved text of topics, checked against the rule of a value of `counts` or `overlap`."""
    return checked_results(batch, _REQUIREMENTS.get(value, Requirement.NOTHING))


def checked_results(batch: TopicBatch, requirement: Requirement, overlap: str = "novel") -> RetrievedText:
    """Retrieved text of topics, checked; `overlap`: the setting that accepts overlap, for messages."""
    retrieved = retrieved_text(batch)
    key = "violation", requirement, overlap
    violation = batch.memo.get_or_compute(key, lambda: find_violation(retrieved, requirement, overlap))
    if violation is not None:
        raise violation
    return retrieved


def find_violation(retrieved: RetrievedText, requirement: Requirement, overlap: str) -> UnsupportedResultError | None:
    """An error of the first result that breaks a rule, None if none does."""
    broken = len(retrieved) > len(retrieved.row) if requirement is Requirement.ONE_RESULT else False
    if requirement is Requirement.BLOCKS:
        broken = int(np.count_nonzero(np.diff(retrieved.article))) + 1 > max(1, len(retrieved.row))
    if broken or (requirement in (Requirement.NO_OVERLAP, Requirement.BLOCKS) and retrieved.has_overlap):
        return _first_violation(retrieved, requirement, overlap)
    return None


def _first_violation(retrieved: RetrievedText, requirement: Requirement, overlap: str) -> UnsupportedResultError | None:
    """An error of the first result, in the order of the run, that breaks a rule."""
    ranks_by_article: dict[int, list[int]] = {}
    articles = retrieved.article.tolist()
    for rank, article in enumerate(articles):
        earlier = ranks_by_article.setdefault(article, [])
        if earlier and requirement is not Requirement.NO_OVERLAP and articles[rank - 1] != article:
            what = "comes back after another one; in context, the results of a document stand together"
            what += ": --merge document brings them there"
            return _violation(retrieved, rank, earlier[-1], what)
        if earlier and requirement is Requirement.ONE_RESULT:
            return _violation(retrieved, rank, earlier[-1], "has a second result; best in context takes one a document")
        for other in earlier if retrieved.has_extent[rank] else ():
            overlaps = retrieved.start[other] < retrieved.end[rank] and retrieved.end[other] > retrieved.start[rank]
            if overlaps and retrieved.has_extent[other]:
                setting = f"--set overlap={overlap}" if requirement is Requirement.NO_OVERLAP else "--merge document"
                return _violation(retrieved, rank, other, f"has results that overlap; {setting} takes them")
        earlier.append(rank)
    return None


def _violation(retrieved: RetrievedText, row: int, other: int, what: str) -> UnsupportedResultError:
    batch = retrieved.batch
    name, (topic, rank) = quote_value(batch.document_name(row)), batch.result(other)
    line = topic.ranking.lines[rank]
    reason = f"document {name} of topic {quote_value(topic.judged.name)}, retrieved on line {line}, {what}"
    return batch.unsupported(row, reason)


# Lengths of results: the user reads them in order, each to its end.

PASSAGE_OVERLAP_PARAMETER = Parameter(
    "overlap",
    "reject",
    "reject: text retrieved twice is an error (focused); novel: in a relevant article only what no earlier result "
    "covers counts, elsewhere every result in full (thorough)",
    ("reject", "novel"),
)


@dataclass(frozen=True, slots=True)
class Lengths:
    """Characters `size` and relevant characters `relevant` of each result, shape (n,), and T of each topic, `total`.

    Topic i has the results ``bounds[i]:bounds[i + 1]``.
    """

    bounds: IntArray
    size: IntArray
    relevant: IntArray
    total: IntArray


def full_lengths(retrieved: RetrievedText) -> Lengths:
    """Lengths with every result in full: correct if no text is retrieved twice."""
    return Lengths(retrieved.bounds, retrieved.size, retrieved.relevant_size, retrieved.totals)


def novel_lengths(retrieved: RetrievedText) -> Lengths:
    """Lengths that count, in relevant articles, only text that no earlier result covers; elsewhere all results.

    A result that points to nothing counts 0 characters in a relevant article. From XML assessments a result's relevant
    characters are its rsize less the highlighted ones that earlier results cover, never below 0.
    """
    inside = retrieved.is_relevant[retrieved.article]
    size = np.where(inside & ~retrieved.has_extent, 0, retrieved.size)
    relevant = retrieved.relevant_size.copy()
    rows = np.flatnonzero(inside & retrieved.has_extent)
    judged = retrieved.judged
    passages, owner = retrieved.passages(np.flatnonzero(retrieved.is_relevant))
    article = np.concatenate((retrieved.article[rows], retrieved.article[rows], owner, owner))
    position = (retrieved.start[rows], retrieved.end[rows], judged.start[passages], judged.end[passages])
    segments, number = cut_segments(article, np.concatenate(position))
    low, high, begin, stop = np.split(number, np.cumsum([len(rows), len(rows), len(passages)]))
    first = first_cover(low, high, len(segments.start))
    covered = np.flatnonzero(first < len(rows))
    new = np.zeros((2, len(rows)), dtype=np.int64)
    length = segments.length[covered]
    np.add.at(new[0], first[covered], length)
    np.add.at(new[1], first[covered], length * segments.count_covering(begin, stop)[covered])
    size[rows] = new[0]
    relevant[rows] = np.maximum(0, relevant[rows] - (retrieved.highlighted_size[rows] - new[1]))
    return Lengths(retrieved.bounds, size, relevant, retrieved.totals)


def result_lengths(batch: TopicBatch, values: ParameterValues) -> Lengths:
    """Lengths of the results by the parameter `overlap`; computed once for all measures.

    Raises:
        UnsupportedResultError: text is retrieved twice, and overlap=reject.
    """
    overlap = str(values["overlap"])
    retrieved, measure = validated_results(batch, overlap), novel_lengths if overlap == "novel" else full_lengths
    return batch.memo.get_or_compute(("lengths", overlap), lambda: measure(retrieved))
