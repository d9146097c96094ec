"""What is highlighted in the articles of one topic, from assessments in text or XML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from prum_eval.arrays import IntArray, bounds_of, groups_of_rows, sizes_of
from prum_eval.collection.trees import DocumentTree
from prum_eval.errors import DataError, InputError
from prum_eval.records.assessments import ElementTopic, FlatTopic, PassageTopic, Topic
from prum_eval.relevance.marks import extent_of_mark

FURTHEST = 2**40
"""No offset or length may be larger: sums of millions of them stay within 64 bits."""


@dataclass(frozen=True, slots=True)
class JudgedArticles:
    """The judged articles of a topic, one a row (m), and their passages, sorted by start within an article.

    `relevant`: relevant characters T_d; an article is relevant if T_d > 0. `length`: in characters, -1 unknown.
    `bep`: offset of the best entry point, -1 where none. Passages of row i are ``bounds[i]:bounds[i + 1]`` of `start`
    and `end`. `by_name`: row of each article that is relevant or has passages. From XML assessments, element e of row i
    has ``element_relevant[element_bounds[i] + e]`` relevant characters; assessments in text know no elements.
    """

    relevant: IntArray
    length: IntArray
    bep: IntArray
    bounds: IntArray
    start: IntArray
    end: IntArray
    by_name: Mapping[str, int]
    element_bounds: IntArray | None = None
    element_relevant: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def total(self) -> int:
        """T: relevant characters of the topic."""
        return int(self.relevant.sum())

    @property
    def count(self) -> int:
        """Number of relevant articles."""
        return int(np.count_nonzero(self.relevant > 0))


def judged_articles(topic: Topic, trees: Mapping[str, DocumentTree] | None) -> JudgedArticles:
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


def _from_xml(topic: ElementTopic, trees: Mapping[str, DocumentTree]) -> JudgedArticles:
    articles = len(topic.documents)
    marks = [(mark.document, *extent_of_mark(mark, topic, trees), mark.size) for mark in topic.highlights]
    owner, start, marked, size = np.array(marks, dtype=np.int64).reshape(-1, 4).T
    relevant = np.zeros(articles, dtype=np.int64)
    np.add.at(relevant, owner, np.where(size >= 0, size, marked))
    bep = np.full(articles, -1, dtype=np.int64)
    for point in reversed(topic.entry_points):  # of several in one article the first counts
        bep[point.document] = extent_of_mark(point, topic, trees)[0]
    length = np.full(articles, -1, dtype=np.int64)
    elements: list[IntArray] = []
    for row, name in enumerate(topic.documents):
        tree = trees.get(name)
        if tree is not None:
            length[row] = int(tree.length[0])
        rows = range(int(topic.bounds[row]), int(topic.bounds[row + 1]))
        elements.append(_of_elements(topic, rows, tree))
        root = [int(topic.rsize[i]) for i in rows if topic.paths[i].count("/") == 1]
        if root:
            relevant[row] = root[0]
    bounds = bounds_of([len(part) for part in elements])
    flat = np.concatenate([np.zeros(0, dtype=np.int64), *elements])
    held = set(owner.tolist()) | set(np.flatnonzero(relevant > 0).tolist())
    held |= {row for row in range(articles) if elements[row].any()}
    by_name = {topic.documents[row]: row for row in sorted(held)}
    passages = _sorted(owner, start, start + marked, articles)
    return JudgedArticles(relevant, length, bep, *passages, by_name, bounds, flat)


def _of_elements(topic: ElementTopic, rows: Sequence[int], tree: DocumentTree | None) -> IntArray:
    """Relevant characters of every element of a tree: its rsize, 0 where it is not listed."""
    found = np.zeros(len(tree.paths) if tree is not None else 0, dtype=np.int64)
    for row in rows:
        element = tree.find(topic.paths[row]) if tree is not None else -1
        if element >= 0:
            found[element] = max(0, int(topic.rsize[row]))
        elif topic.rsize[row] > 0:
            raise InputError(topic.path, int(topic.lines[row]), f"element {topic.paths[row]} is not in the structure")
    return found
