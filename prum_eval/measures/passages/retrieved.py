"""What a run retrieved for one topic, as stretches of text in articles: the data of all passage measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from prum_eval.arrays import BoolArray, IntArray, stretches
from prum_eval.errors import RefusedError
from prum_eval.measures.passages.judged import FURTHEST, JudgedArticles, judged_articles
from prum_eval.measures.topic_data import Ranking, TopicData
from prum_eval.text.document_names import find_document
from prum_eval.text.numbers import shown

UNKNOWN_SIZE = 18
"""Size that the official tool gives to a result that points to nothing (X or -1)."""


@dataclass(frozen=True)
class Retrieved:
    """The results of one topic (n), best first, in the articles (A), numbered in the order of their first result.

    `article`: number of each result's article. `row`: row of each article in `judged`, -1 where nothing in it is
    relevant. `start`, `end`: the text of each result; nothing (0, 0) where it is not `known`. `element`: from XML
    assessments, the number of the element that a result is, -1 where it is none.
    """

    topic: str
    ranking: Ranking
    judged: JudgedArticles
    article: IntArray
    row: IntArray
    known: BoolArray
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
        return np.where(self.known, self.end - self.start, UNKNOWN_SIZE)

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
        return stretches(bounds[row], count), np.repeat(articles, count)

    @cached_property
    def highlighted(self) -> IntArray:
        """Highlighted characters in each result, by the passages, shape (n,).

        sum over the passages [a, b) of its article of max(0, min(end, b) - max(start, a)).
        """
        judged, row = self.judged, self.row[self.article]
        inside = (row >= 0) & self.known
        count = np.where(inside, np.diff(judged.bounds, append=judged.bounds[-1:])[row], 0)
        last = np.cumsum(count)
        results = np.repeat(np.arange(len(self)), count)
        passages = stretches(judged.bounds[row], count)
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
            return self.highlighted
        row = self.row[self.article]
        listed = self.known & (self.element >= 0)
        found = np.where(listed, 0, self.highlighted)
        inside = np.flatnonzero(listed & (row >= 0))
        found[inside] = judged.elements.relevant_of(row[inside], self.element[inside])
        return found


def retrieved(data: TopicData) -> Retrieved:
    """The retrieved text of a topic, made once and shared by all its measures.

    Raises:
        RefusedError: a result of unknown extent, or a number too large.
        DataError: assessments that highlight no text.
    """
    return data.memo.once("retrieved text", lambda: _retrieved(data))


def _retrieved(data: TopicData) -> Retrieved:
    topic, ranking = data.judged, data.ranking
    judged = topic.memo.once("judged articles", lambda: judged_articles(topic.assessed, topic.trees))
    locations, known = ranking.locations, ranking.exists
    _refuse_unplaced(ranking)
    number = _numbers(ranking, topic.targets.documents)
    distinct, first, code = np.unique(number, return_index=True, return_inverse=True)
    order = np.argsort(first)  # articles in the order of their first result
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    row = _rows(ranking, judged, topic.targets.documents, distinct, first)
    start = np.where(known, locations.start, 0)
    end = np.where(known, locations.start + locations.length, 0)
    return Retrieved(topic.name, ranking, judged, place[code], row[order], known, start, end, locations.element)


def _refuse_unplaced(ranking: Ranking) -> None:
    locations = ranking.locations
    lost = np.flatnonzero(ranking.exists & ~locations.located)
    if len(lost):
        rank = int(lost[0])
        reason = (
            f"where document {shown(ranking.document_names()[rank])} is retrieved is not known in characters; "
            "passage measures need offset and length, or element paths and a structure"
        )
        raise RefusedError(ranking.path, int(ranking.lines[rank]), reason)
    large = np.flatnonzero(ranking.exists & ((abs(locations.start) > FURTHEST) | (locations.length > FURTHEST)))
    if len(large):
        reason = f"an offset or a length above {FURTHEST}"
        raise RefusedError(ranking.path, int(ranking.lines[int(large[0])]), reason)


def _numbers(ranking: Ranking, documents: Sequence[str]) -> IntArray:
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


def _rows(
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
