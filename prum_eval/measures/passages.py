"""What is highlighted in the articles of one topic, from assessments in text or XML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from prum_eval.arrays import BoolArray, IntArray, concatenated_ranges, group_bounds, group_numbers, group_sizes
from prum_eval.collection.trees import Forest
from prum_eval.errors import DataError, InputError, UnsupportedResultError
from prum_eval.measures.topic_data import Ranking, TopicData
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

    `position_keys`: ascending, of each the row of its article times `width`, plus its number in the article's tree, which is
    below `width`. `relevant`: its relevant characters.
    """

    keys: IntArray
    width: int
    relevant: IntArray

    def relevant_characters(self, row: IntArray, element: IntArray) -> IntArray:
        """Relevant characters of elements of some articles; 0 where none are listed."""
        if not len(self.keys):
            return np.zeros_like(row)
        wanted = row * self.width + element
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        listed = (self.keys[place] == wanted) & (element < self.width)
        return np.where(listed, self.relevant[place], 0)


@dataclass(frozen=True, slots=True)
class JudgedArticles:
    """The judged articles of a topic, one a row (m), and their passages, sorted by start within an article.

    `relevant`: relevant characters T_d; an article is relevant if T_d > 0. `length`: in characters, -1 unknown.
    `bep`: offset of the best entry point, -1 where none. Passages of row i are ``bounds[i]:bounds[i + 1]`` of `start`
    and `end`. `by_name`: row of each article that is relevant or has passages. `elements`: those that XML assessments
    list; assessments in text know none.
    """

    relevant: IntArray
    length: IntArray
    bep: IntArray
    bounds: IntArray
    start: IntArray
    end: IntArray
    by_name: Mapping[str, int]
    elements: JudgedElements | None = None

    @property
    def total(self) -> int:
        """T: relevant characters of the topic."""
        return int(self.relevant.sum())

    @property
    def count(self) -> int:
        """Number of relevant articles."""
        return int(np.count_nonzero(self.relevant > 0))


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
    owner = group_numbers(topic.bounds)
    large = topic.lengths > MAX_POSITION
    large[owner[(topic.start > MAX_POSITION) | (topic.length > MAX_POSITION)]] = True
    if large.any():
        line = int(topic.lines[int(np.flatnonzero(large)[0])])
        raise InputError(topic.path, line, f"a length or an offset above {MAX_POSITION}")
    holding = np.flatnonzero((topic.relevant > 0) | (group_sizes(topic.bounds) > 0)).tolist()
    by_name = {topic.documents[row]: row for row in holding}
    passages = _sort_passages(owner, topic.start, topic.start + topic.length, len(topic.documents))
    return JudgedArticles(topic.relevant, topic.lengths, topic.bep, *passages, by_name)


def _from_xml(topic: ElementTopic, trees: Forest) -> JudgedArticles:
    articles = len(topic.documents)
    marks = [(mark.document, *mark_extent(mark, topic, trees), mark.size) for mark in topic.highlights]
    owner, start, marked, size = np.array(marks, dtype=np.int64).reshape(-1, 4).T
    relevant = np.zeros(articles, dtype=np.int64)
    np.add.at(relevant, owner, np.where(size >= 0, size, marked))
    bep = np.full(articles, -1, dtype=np.int64)
    for point in reversed(topic.entry_points):  # of several in one article the first counts
        bep[point.document] = mark_extent(point, topic, trees)[0]
    numbers = trees.numbers(topic.documents)
    known = np.flatnonzero(numbers >= 0)
    length = np.full(articles, -1, dtype=np.int64)
    length[known] = trees.columns.length[trees.columns.bounds[numbers[known]]]
    row = group_numbers(topic.bounds)
    root = np.array([path.count("/") == 1 for path in topic.paths], dtype=np.bool_)
    relevant[row[root][::-1]] = topic.rsize[root][::-1]  # backwards, so that of several the first counts
    elements = _elements(topic, row, numbers, trees)
    held = np.unique(np.concatenate((owner, np.flatnonzero(relevant > 0), elements.keys // elements.width)))
    by_name = {topic.documents[article]: article for article in held.tolist()}
    passages = _sort_passages(owner, start, start + marked, articles)
    return JudgedArticles(relevant, length, bep, *passages, by_name, elements)


def _elements(topic: ElementTopic, row: IntArray, numbers: IntArray, trees: Forest) -> JudgedElements:
    """The elements that have relevant text, by their rsize.

    Args:
        topic: the assessments.
        row: of each judged element the row of its article.
        numbers: of the documents in the structure, -1 where it has none.
        trees: of the structure.
    """
    found = trees.rows(numbers[row], trees.codes(topic.paths))
    element = np.where(found < 0, -1, found - trees.columns.bounds[numbers[row]])
    for lost in np.flatnonzero(found < 0).tolist():
        tree = trees.get(topic.documents[row[lost]])
        element[lost] = -1 if tree is None else tree.find(topic.paths[lost])
        if element[lost] < 0 and topic.rsize[lost] > 0:
            raise InputError(topic.path, int(topic.lines[lost]), f"element {topic.paths[lost]} is not in the structure")
    width = int(element.max(initial=0)) + 1
    there = np.flatnonzero(element >= 0)[::-1]  # backwards, so that of several the last counts
    keys, last = np.unique(row[there] * width + element[there], return_index=True)
    relevant = topic.rsize[there][last]
    return JudgedElements(keys[relevant > 0], width, relevant[relevant > 0])


# What a run retrieved for one topic, as stretches of text in articles: the data of all passage measures.


UNKNOWN_SIZE = 18
"""Size that the official tool gives to a result that points to nothing (X or -1)."""


@dataclass(frozen=True)
class RetrievedText:
    """The results of one topic (n), best first, in the articles (A), numbered in the order of their first result.

    `article`: number of each result's article. `row`: row of each article in `judged`, -1 where nothing in it is
    relevant. `start`, `end`: the text of each result; nothing (0, 0) where it is not `has_extent`. `element`: from XML
    assessments, the number of the element that a result is, -1 where it is none.
    """

    topic: str
    ranking: Ranking
    judged: JudgedArticles
    article: IntArray
    row: IntArray
    has_extent: BoolArray
    start: IntArray
    end: IntArray
    element: IntArray

    def __len__(self) -> int:
        return len(self.article)

    @property
    def articles(self) -> int:
        """Number A of distinct articles."""
        return len(self.row)

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
        """Does each article hold relevant text? Shape (A,)."""
        return self.article_relevant > 0

    def passages(self, articles: IntArray) -> tuple[IntArray, IntArray]:
        """The passages of some articles that are judged: their rows in the assessments, and the article of each."""
        bounds, row = self.judged.bounds, self.row[articles]
        count = bounds[row + 1] - bounds[row]
        return concatenated_ranges(bounds[row], count), np.repeat(articles, count)

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
        found: IntArray = sums[last] - sums[last - count]
        return found

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


def retrieved_text(data: TopicData) -> RetrievedText:
    """The retrieved text of a topic, made once and shared by all its measures.

    Raises:
        RefusedError: a result of unknown extent, or a number too large.
        DataError: assessments that highlight no text.
    """
    return data.memo.get_or_compute("retrieved text", lambda: _make_retrieved_text(data))


def _make_retrieved_text(data: TopicData) -> RetrievedText:
    topic, ranking = data.judged, data.ranking
    judged = topic.memo.get_or_compute("judged articles", lambda: judged_articles(topic.assessed_topic, topic.trees))
    locations, known = ranking.locations, ranking.exists
    _refuse_unplaced(ranking)
    number = _document_numbers(ranking, topic.targets.documents)
    distinct, first, code = np.unique(number, return_index=True, return_inverse=True)
    order = np.argsort(first)  # articles in the order of their first result
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    row = _assessment_rows(ranking, judged, topic.targets.documents, distinct, first)
    start = np.where(known, locations.start, 0)
    end = np.where(known, locations.start + locations.length, 0)
    return RetrievedText(topic.name, ranking, judged, place[code], row[order], known, start, end, locations.element)


def _refuse_unplaced(ranking: Ranking) -> None:
    locations = ranking.locations
    lost = np.flatnonzero(ranking.exists & ~locations.located)
    if len(lost):
        rank = int(lost[0])
        reason = (
            f"where document {quote_value(ranking.document_names()[rank])} is retrieved is not known in characters; "
            "passage measures need offset and length, or element paths and a structure"
        )
        raise UnsupportedResultError(ranking.path, int(ranking.lines[rank]), reason)
    large = np.flatnonzero(ranking.exists & ((abs(locations.start) > MAX_POSITION) | (locations.length > MAX_POSITION)))
    if len(large):
        reason = f"an offset or a length above {MAX_POSITION}"
        raise UnsupportedResultError(ranking.path, int(ranking.lines[int(large[0])]), reason)


def _document_numbers(ranking: Ranking, documents: Sequence[str]) -> IntArray:
    """Number of the document of each result, of those that point to nothing too."""
    number = ranking.locations.document
    lost = np.flatnonzero(number < 0)
    if not len(lost):
        return number
    number, names = number.copy(), ranking.document_names()
    known = {name: code for code, name in enumerate(documents)}
    for rank in np.flatnonzero(number >= len(documents)).tolist():
        known.setdefault(names[rank], int(number[rank]))
    unused = max(len(documents), int(number.max()) + 1)
    for rank in lost.tolist():
        code = find_document(known, names[rank])
        if code is None:
            code = known[names[rank]] = unused
            unused += 1
        number[rank] = code
    return number


def _assessment_rows(
    ranking: Ranking, judged: JudgedArticles, documents: Sequence[str], distinct: IntArray, first: IntArray
) -> IntArray:
    """Row in the assessments of each of the distinct document numbers, whose first results are given; -1 for none."""
    numbered = np.array([judged.by_name.get(name, -1) for name in documents], dtype=np.int64)
    row = np.full(len(distinct), -1, dtype=np.int64)
    inside = distinct < len(documents)
    row[inside] = numbered[distinct[inside]]
    others = np.flatnonzero(~inside)
    if len(others) and judged.by_name.keys() - set(documents):  # judged, but without a target of the kind asked for
        names = ranking.document_names()
        for code in others.tolist():
            found = find_document(judged.by_name, names[int(first[code])])
            row[code] = -1 if found is None else found
    return row


# Cutting the texts of several articles where anything begins or ends: what lies between two cuts is uniform.
#
# Conventions: an article is a number from 0 up, a position an offset in characters. Intervals are half open. Segment j
# goes from cut j to cut j + 1; the one after the last cut of an article has no length.


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
        """How many of the intervals from cut `low` to cut `high` cover each segment, shape (S,)."""
        size = len(self.start) + 1
        change = np.bincount(low, minlength=size) - np.bincount(high, minlength=size)
        return np.cumsum(change)[:-1]


def cut_segments(article: IntArray, position: IntArray) -> tuple[Segments, IntArray]:
    """The segments between points, and for each point the number of its cut."""
    _, first, number = np.unique(position_keys(article, position), return_index=True, return_inverse=True)
    owner, start = article[first], position[first]
    length = np.zeros(len(first), dtype=np.int64)
    np.subtract(start[1:], start[:-1], out=length[:-1], where=owner[1:] == owner[:-1])
    return Segments(owner, start, length), number


def first_cover(low: IntArray, high: IntArray, segments: int) -> IntArray:
    """For each segment the first interval that covers it, len(low) where none does.

    Every interval is the union of two stretches of 2^k segments, so it marks two cells of level k; then each
    level hands what it holds down to the two halves of its stretches. O((n + S) log S), without a loop over results.

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
        half, own, held = 1 << (above - 1), marks[above - 1], marks[above]
        np.minimum(own, held, out=own)
        np.minimum(own[half:], held[:-half], out=own[half:])
    first: IntArray = marks[0]
    return first


# What the passage tasks do not accept, each refused with the line of the run: no number is made of it.
#
# Focused and in-context tasks refuse text retrieved twice; in-context tasks refuse an article that comes back after
# another one; best in context refuses a second result of an article.


class Requirement(Enum):
    """What a task demands of the results of a topic; each demand includes those before it."""

    NOTHING = 0  # thorough
    NO_OVERLAP = 1  # focused
    BLOCKS = 2  # in context: and the results of an article stand together
    ONE_RESULT = 3  # best in context: and there is one an article


_REQUIREMENTS = {"ranks": Requirement.BLOCKS, "points": Requirement.ONE_RESULT, "reject": Requirement.NO_OVERLAP}
"""What values of the parameters `counts` and `overlap` demand of a run; other values demand nothing."""


def validated_results(data: TopicData, value: str) -> RetrievedText:
    """The retrieved text of a topic, after a look at what that value of `counts` or `overlap` refuses."""
    return checked_results(data, _REQUIREMENTS.get(value, Requirement.NOTHING))


def checked_results(data: TopicData, wanted: Requirement, overlap: str = "novel") -> RetrievedText:
    """The retrieved text of a topic, after a look at what its task refuses; `overlap`: the setting that takes it."""
    found = retrieved_text(data)
    data.memo.get_or_compute(("demand", wanted), lambda: enforce_requirement(found, wanted, overlap))
    return found


def enforce_requirement(found: RetrievedText, wanted: Requirement, overlap: str) -> None:
    """Refuse the first result that breaks a demand.

    Raises:
        RefusedError: with the line of that result.
    """
    broken = len(found) > found.articles if wanted is Requirement.ONE_RESULT else False
    if wanted is Requirement.BLOCKS:
        broken = int(np.count_nonzero(np.diff(found.article))) + 1 > max(1, found.articles)
    if broken or (wanted in (Requirement.NO_OVERLAP, Requirement.BLOCKS) and _has_overlap(found)):
        _raise_first_violation(found, wanted, overlap)


def _has_overlap(found: RetrievedText) -> bool:
    """Whether two results share text: start < other's end and end > other's start, in one article.

    Results that touch do not; one without length does strictly inside another one. Sorted by start, then end, a
    result overlaps an earlier one iff it starts before the furthest end so far.
    """
    rows = np.flatnonzero(found.has_extent)
    article, start, end = found.article[rows], found.start[rows], found.end[rows]
    locations = position_keys(np.concatenate((article, article)), np.concatenate((start, end)))
    begin, stop = locations[: len(rows)], locations[len(rows) :]
    order = np.lexsort((stop, begin))
    reached = np.maximum.accumulate(stop[order])  # keys of a later article are larger than all of this one
    return bool((reached[:-1] > begin[order][1:]).any())


def _raise_first_violation(found: RetrievedText, wanted: Requirement, overlap: str) -> None:
    """Find the first result that breaks a demand, in the order of the run, and say so."""
    before: dict[int, list[int]] = {}
    articles = found.article.tolist()
    for rank, article in enumerate(articles):
        earlier = before.setdefault(article, [])
        if earlier and wanted is not Requirement.NO_OVERLAP and articles[rank - 1] != article:
            what = "comes back after another one; in context, the results of a document stand together"
            what += ": --merge document brings them there"
            raise _refusal(found, rank, earlier[-1], what)
        if earlier and wanted is Requirement.ONE_RESULT:
            raise _refusal(found, rank, earlier[-1], "has a second result; best in context takes one a document")
        for other in earlier:
            if _results_overlap(found, rank, other):
                type_ = f"--set overlap={overlap}" if wanted is Requirement.NO_OVERLAP else "--merge document"
                raise _refusal(found, rank, other, f"has results that overlap; {type_} takes them")
        earlier.append(rank)


def _results_overlap(found: RetrievedText, one: int, other: int) -> bool:
    both = found.has_extent[one] and found.has_extent[other]
    return bool(both and found.start[other] < found.end[one] and found.end[other] > found.start[one])


def _refusal(found: RetrievedText, rank: int, other: int, what: str) -> UnsupportedResultError:
    ranking = found.ranking
    name = quote_value(ranking.document_names()[rank])
    reason = f"document {name} of topic {quote_value(found.topic)}, retrieved on line {ranking.lines[other]}, {what}"
    return UnsupportedResultError(ranking.path, int(ranking.lines[rank]), reason)


# Focused and thorough tasks: a user reads the results in order, all of each; what is read is counted in characters.
#
# Source: inex_eval 3.1, tasks -f and -t; Lalmas et al., INEX 2006 Evaluation Measures.


PASSAGE_OVERLAP_PARAMETER = Parameter(
    "overlap",
    "reject",
    "reject: text retrieved twice is an error (focused); novel: in a relevant article only what no earlier result "
    "covers counts, elsewhere every result in full (thorough)",
    ("reject", "novel"),
)


@dataclass(frozen=True, slots=True)
class Lengths:
    """Characters `size` and relevant characters `relevant` of each result, shape (n,), and their topic's total T."""

    size: IntArray
    relevant: IntArray
    total: int


def full_lengths(found: RetrievedText) -> Lengths:
    """Every result counts in full: right where no text is retrieved twice."""
    return Lengths(found.size, found.relevant_size, found.judged.total)


def novel_lengths(found: RetrievedText) -> Lengths:
    """In relevant articles only what no earlier result of the article covers counts; elsewhere every result, in full.

    A result that points to nothing counts 0 characters in a relevant article. From XML assessments a result's relevant
    characters are its rsize less the highlighted ones that earlier results cover, never below 0.
    """
    inside = found.is_relevant[found.article]
    size = np.where(inside & ~found.has_extent, 0, found.size)
    relevant = found.relevant_size.copy()
    rows = np.flatnonzero(inside & found.has_extent)
    judged = found.judged
    passages, owner = found.passages(np.flatnonzero(found.is_relevant))
    article = np.concatenate((found.article[rows], found.article[rows], owner, owner))
    position = (found.start[rows], found.end[rows], judged.start[passages], judged.end[passages])
    segments, number = cut_segments(article, np.concatenate(position))
    low, high, begin, stop = np.split(number, np.cumsum([len(rows), len(rows), len(passages)]))
    first = first_cover(low, high, len(segments.start))
    covered = np.flatnonzero(first < len(rows))
    own = np.zeros((2, len(rows)), dtype=np.int64)
    length = segments.length[covered]
    np.add.at(own[0], first[covered], length)
    np.add.at(own[1], first[covered], length * segments.count_covering(begin, stop)[covered])
    size[rows] = own[0]
    relevant[rows] = np.maximum(0, relevant[rows] - (found.highlighted_size[rows] - own[1]))
    return Lengths(size, relevant, judged.total)


def result_lengths(data: TopicData, values: ParameterValues) -> Lengths:
    """The lengths of a topic's results, as its `PASSAGE_OVERLAP_PARAMETER` parameter has them; made once for all measures.

    Raises:
        RefusedError: text is retrieved twice, and the parameter does not take that.
    """
    overlap = str(values["overlap"])
    found = validated_results(data, overlap)
    return data.memo.get_or_compute(
        ("lengths", overlap), lambda: (novel_lengths if overlap == "novel" else full_lengths)(found)
    )
