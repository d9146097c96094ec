"""What is highlighted in the articles of one topic, from assessments in text or XML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import IntArray, bounds_of, groups_of_rows, sizes_of
from prum_eval.collection.forest import Forest
from prum_eval.errors import DataError, InputError
from prum_eval.records.assessments import ElementTopic, FlatTopic, PassageTopic, Topic
from prum_eval.relevance.marks import extent_of_mark

FURTHEST = 2**40
"""No offset or length may be larger: sums of millions of them stay within 64 bits."""


@dataclass(frozen=True, slots=True)
class JudgedElements:
    """Elements with relevant text in the judged articles of a topic.

    `keys`: ascending, of each the row of its article times `width`, plus its number in the article's tree, which is
    below `width`. `relevant`: its relevant characters.
    """

    keys: IntArray
    width: int
    relevant: IntArray

    def relevant_of(self, row: IntArray, element: IntArray) -> IntArray:
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


def _sorted(owner: IntArray, start: IntArray, end: IntArray, articles: int) -> tuple[IntArray, IntArray, IntArray]:
    """Bounds, starts and ends of passages, ordered by article, then start."""
    order = np.lexsort((start, owner))
    bounds = bounds_of(np.bincount(owner, minlength=articles))
    return bounds, start[order], end[order]


def _from_text(topic: PassageTopic) -> JudgedArticles:
    owner = groups_of_rows(topic.bounds)
    large = topic.lengths > FURTHEST
    large[owner[(topic.start > FURTHEST) | (topic.length > FURTHEST)]] = True
    if large.any():
        line = int(topic.lines[int(np.flatnonzero(large)[0])])
        raise InputError(topic.path, line, f"a length or an offset above {FURTHEST}")
    holding = np.flatnonzero((topic.relevant > 0) | (sizes_of(topic.bounds) > 0)).tolist()
    by_name = {topic.documents[row]: row for row in holding}
    passages = _sorted(owner, topic.start, topic.start + topic.length, len(topic.documents))
    return JudgedArticles(topic.relevant, topic.lengths, topic.bep, *passages, by_name)


def _from_xml(topic: ElementTopic, trees: Forest) -> JudgedArticles:
    articles = len(topic.documents)
    marks = [(mark.document, *extent_of_mark(mark, topic, trees), mark.size) for mark in topic.highlights]
    owner, start, marked, size = np.array(marks, dtype=np.int64).reshape(-1, 4).T
    relevant = np.zeros(articles, dtype=np.int64)
    np.add.at(relevant, owner, np.where(size >= 0, size, marked))
    bep = np.full(articles, -1, dtype=np.int64)
    for point in reversed(topic.entry_points):  # of several in one article the first counts
        bep[point.document] = extent_of_mark(point, topic, trees)[0]
    numbers = trees.numbers(topic.documents)
    known = np.flatnonzero(numbers >= 0)
    length = np.full(articles, -1, dtype=np.int64)
    length[known] = trees.columns.length[trees.columns.bounds[numbers[known]]]
    row = groups_of_rows(topic.bounds)
    root = np.array([path.count("/") == 1 for path in topic.paths], dtype=np.bool_)
    relevant[row[root][::-1]] = topic.rsize[root][::-1]  # backwards, so that of several the first counts
    elements = _elements(topic, row, numbers, trees)
    held = np.unique(np.concatenate((owner, np.flatnonzero(relevant > 0), elements.keys // elements.width)))
    by_name = {topic.documents[article]: article for article in held.tolist()}
    passages = _sorted(owner, start, start + marked, articles)
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
