"""Judged elements to passages: what XML assessments of 2005 to 2007 highlight, by offsets."""

from __future__ import annotations

import dataclasses
from array import array

import numpy as np

from prum_eval.collection.forest import Forest
from prum_eval.collection.pointers import PointerError, ReversedError, extent, position
from prum_eval.collection.trees import DocumentTree
from prum_eval.conversion.losses import Loss, lost, merged
from prum_eval.errors import InputError
from prum_eval.numerics.intervals import Ranges, union
from prum_eval.records.assessments import AssessmentKind, Assessments, ElementTopic, PassageTopic, Topic
from prum_eval.text.document_names import find_document

_ABSENT = "judged documents that the structure lacks: they are left out"
_SIZES = "passages of another size than the text between their ends: that is what counts"
_ELEMENTS = "assessments of elements that do not follow from the passages: the passages count"
_POINTS = "best entry points beside another one, or without a passage: they are left out"


def as_passages(judged: Assessments, trees: Forest) -> tuple[Assessments, list[Loss]]:
    """What XML assessments of 2005 to 2007 highlight, as offsets and lengths.

    Raises:
        InputError: a pointer leads nowhere.
    """
    losses: list[Loss] = []
    topics: dict[str, Topic] = {}
    for name, topic in judged.topics.items():
        if isinstance(topic, ElementTopic):
            converter = _Passages(topic, trees)
            topics[name] = converter.topic_of_all()
            losses += converter.losses()
    return dataclasses.replace(judged, kind=AssessmentKind.PASSAGES, topics=topics), merged(losses)


class _Passages:
    """The passages of one topic, document by document, and the lines of what they do not tell."""

    def __init__(self, topic: ElementTopic, trees: Forest) -> None:
        self.topic = topic
        self.trees = trees
        self.lost: dict[str, list[int]] = {}
        self.documents: list[str] = []
        self.numbers = tuple(array("q") for _ in range(4))  # relevant, length, bep, line
        self.spans: Ranges = []
        self.bounds = array("q", [0])

    def topic_of_all(self) -> PassageTopic:
        """Take every document."""
        topic = self.topic
        points: list[list[tuple[str, int]]] = [[] for _ in topic.documents]
        for point in topic.entry_points:
            points[point.document].append((point.pointer, point.line))
        marks: list[list[tuple[str, str, int, int]]] = [[] for _ in topic.documents]
        for mark in topic.highlights:
            marks[mark.document].append((mark.first, mark.last, mark.size, mark.line))
        for number, name in enumerate(topic.documents):
            tree, line = find_document(self.trees, name), int(topic.document_lines[number])
            if tree is None:
                self._lose(_ABSENT, line)
                continue
            spans = [self._span(tree, *mark) for mark in marks[number]]
            relevant = sum(end - start for start, end in union(spans))
            self._compare_elements(tree, number, spans)
            self.documents.append(name)
            columns = (relevant, int(tree.length[0]), self._point(tree, points[number], known=bool(spans)), line)
            for column, value in zip(self.numbers, columns, strict=True):
                column.append(value)
            self.spans += spans
            self.bounds.append(len(self.spans))
        relevant_column, lengths, bep, lines = (np.array(column, dtype=np.int64) for column in self.numbers)
        extents = np.array(self.spans, dtype=np.int64).reshape(-1, 2)
        return PassageTopic(
            topic.path, tuple(self.documents), relevant_column, lengths, bep, np.array(self.bounds, dtype=np.int64),
            extents[:, 0], extents[:, 1] - extents[:, 0], lines,
        )  # fmt: skip

    def losses(self) -> list[Loss]:
        """What was lost, by kind."""
        return [loss for what, lines in self.lost.items() for loss in lost(self.topic.path, np.array(lines), what)]

    def _lose(self, what: str, line: int) -> None:
        self.lost.setdefault(what, []).append(line)

    def _span(self, tree: DocumentTree, first: str, last: str, size: int, line: int) -> tuple[int, int]:
        try:
            start, length = extent(tree, first, last)
        except ReversedError as error:
            reason = f"the passage {first} to {last} ends before it begins"
            raise InputError(self.topic.path, line, reason) from error
        except PointerError as error:
            raise InputError(self.topic.path, line, str(error)) from error
        if length != size:
            self._lose(_SIZES, line)
        return start, start + length

    def _point(self, tree: DocumentTree, points: list[tuple[str, int]], *, known: bool) -> int:
        for _, line in points[1 if known else 0 :]:
            self._lose(_POINTS, line)
        if not known or not points:
            return -1
        pointer, line = points[0]
        try:
            return position(tree, pointer)
        except PointerError as error:
            raise InputError(self.topic.path, line, str(error)) from error

    def _compare_elements(self, tree: DocumentTree, number: int, spans: Ranges) -> None:
        """Name the judged elements whose exhaustivity, size or rsize the passages do not tell."""
        topic, relevant = self.topic, union(spans)
        for row in range(int(topic.bounds[number]), int(topic.bounds[number + 1])):
            element = tree.find(topic.paths[row])
            size = int(tree.length[element]) if element >= 0 else -1
            begin = int(tree.start[element])
            rsize = sum(max(0, min(end, begin + size) - max(start, begin)) for start, end in relevant)
            if (topic.size[row], topic.rsize[row]) != (size, rsize) or topic.exhaustivity[row] != (2 if rsize else 0):
                self._lose(_ELEMENTS, int(topic.lines[row]))
