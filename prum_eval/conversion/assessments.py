"""Assessments of another kind: passages of judged elements, disjoint spans, graded documents.

Every conversion returns the new assessments and its losses.
"""

from __future__ import annotations

import dataclasses
from array import array

import numpy as np

from prum_eval.arrays import group_bounds, group_numbers, group_sizes
from prum_eval.collection.locations import PointerError, ReversedError, pointer_extent, pointer_offset
from prum_eval.collection.trees import DocumentTree, Forest
from prum_eval.conversion.losses import Loss, count_loss, merge_losses
from prum_eval.errors import InputError
from prum_eval.formats.facets import without_facets
from prum_eval.numerics.intervals import Intervals, any_overlap, merge_intervals
from prum_eval.records import AssessmentKind, Assessments, ElementTopic, FlatTopic, FlatTopics, PassageTopic, Topic
from prum_eval.text.names import find_document

_OVERLAP = "documents with overlapping passages: these are joined"
_MISCOUNTED = "documents whose relevant characters are not those of their passages: the passages count"
_FAR_POINTS = "best entry points past the end of the document: they are left out"
_PAST_END = "documents with passages past their end: these are cut there"
_GROUPS = "topics with a group: it is left out"
_FACETS = "targets in facets: every one counts by itself"
_PASSAGES = "judged documents: only whether anything in them is relevant is kept"


def as_spans(judged: Assessments) -> tuple[Assessments, list[Loss]]:
    """Passages as JSON Lines hold them: disjoint, within the document, and complete."""
    losses: list[Loss] = []
    topics: dict[str, Topic] = {}
    for name, topic in judged.topics.items():
        if isinstance(topic, PassageTopic):
            topics[name], topic_losses = _separate_spans(topic)
            losses += topic_losses
    return dataclasses.replace(judged, topics=topics), merge_losses(losses)


def _separate_spans(topic: PassageTopic) -> tuple[PassageTopic, list[Loss]]:
    lost: dict[str, list[bool]] = {kind: [] for kind in (_OVERLAP, _PAST_END, _MISCOUNTED, _FAR_POINTS)}
    spans: list[Intervals] = []
    for row, length in enumerate(topic.lengths.tolist()):
        begin, end = topic.bounds[row : row + 2].tolist()
        starts, lengths = topic.start[begin:end].tolist(), topic.length[begin:end].tolist()
        passages = [(start, start + size) for start, size in zip(starts, lengths, strict=True)]
        cut = [(min(low, length), min(high, length)) for low, high in passages] if length >= 0 else passages
        overlap = any_overlap(cut)
        spans.append(merge_intervals(cut) if overlap else cut)
        lost[_PAST_END].append(cut != passages)
        lost[_OVERLAP].append(overlap)
        lost[_MISCOUNTED].append(int(topic.relevant[row]) != sum(high - low for low, high in spans[-1]))
        lost[_FAR_POINTS].append(int(topic.bep[row]) > length >= 0)
    extents = np.array([span for row_spans in spans for span in row_spans], dtype=np.int64).reshape(-1, 2)
    changed = dataclasses.replace(
        topic,
        relevant=np.array([sum(high - low for low, high in row_spans) for row_spans in spans], dtype=np.int64),
        bep=np.where(np.array(lost[_FAR_POINTS], dtype=np.bool_), -1, topic.bep),
        bounds=group_bounds(list(map(len, spans))),
        start=extents[:, 0],
        length=extents[:, 1] - extents[:, 0],
    )
    return changed, [
        loss
        for kind, rows in lost.items()
        for loss in count_loss(topic.path, topic.lines[np.array(rows, dtype=bool)], kind)
    ]


def without_groups(judged: Assessments) -> tuple[Assessments, list[Loss]]:
    """The assessments without groups of topics."""
    if not judged.groups:
        return judged, []
    lines = [topic.lines[:1] for name, topic in judged.topics.items() if name in judged.groups]
    losses = count_loss(judged.path, np.concatenate(lines), _GROUPS)
    return dataclasses.replace(judged, groups={}), losses


def drop_facets(judged: Assessments) -> tuple[Assessments, list[Loss]]:
    """The assessments without facets."""
    if not judged.has_facets:
        return judged, []
    if isinstance(judged.topics, FlatTopics):
        facets = list(judged.topics.facets.values())
    else:
        known = [topic.facets for topic in judged.topics.values() if not isinstance(topic, ElementTopic)]
        facets = [each for each in known if each is not None]
    losses = count_loss(judged.path, np.concatenate([each.lines for each in facets]), _FACETS)
    return dataclasses.replace(judged, topics=without_facets(judged.topics)), losses


def as_grades(judged: Assessments) -> tuple[Assessments, list[Loss]]:
    """Graded documents: 1 if anything in the document is relevant, else 0."""
    losses: list[Loss] = []
    topics: dict[str, Topic] = {}
    for name, topic in judged.topics.items():
        if isinstance(topic, FlatTopic):
            topics[name] = topic
            continue
        if isinstance(topic, PassageTopic):
            relevant, lines = (topic.relevant > 0) | (group_sizes(topic.bounds) > 0), topic.lines
        else:
            owner = group_numbers(topic.bounds)
            graded = (
                (topic.rsize > 0) | ((topic.rsize < 0) & (topic.exhaustivity != 0))
                if judged.kind.has_sizes
                else (topic.exhaustivity > 0) & (topic.specificity > 0)
            )
            relevant, lines = np.zeros(len(topic.documents), dtype=np.bool_), topic.document_lines
            relevant[owner[graded]] = True
            relevant[[passage.document for passage in topic.highlights]] = True
        topics[name] = FlatTopic(topic.path, topic.documents, relevant.astype(np.int64), lines)
        losses += count_loss(topic.path, lines, _PASSAGES)
    return dataclasses.replace(judged, kind=AssessmentKind.FLAT, topics=topics), merge_losses(losses)


# Judged elements as passages.


_MISSING_DOCUMENTS = "judged documents that the structure lacks: they are left out"
_OTHER_SIZES = "passages of another size than the text between their ends: that is what counts"
_UNEXPLAINED_ELEMENTS = "assessments of elements that do not follow from the passages: the passages count"
_EXTRA_ENTRY_POINTS = "best entry points beside another one, or without a passage: they are left out"


def as_passages(judged: Assessments, trees: Forest) -> tuple[Assessments, list[Loss]]:
    """The passages that XML assessments of 2005 to 2007 highlight, as offsets and lengths.

    Raises:
        InputError: a pointer has no target.
    """
    losses: list[Loss] = []
    topics: dict[str, Topic] = {}
    for name, topic in judged.topics.items():
        if isinstance(topic, ElementTopic):
            builder = _PassageBuilder(topic, trees)
            topics[name] = builder.make_topic()
            losses += [
                loss for kind, lines in builder.lost.items() for loss in count_loss(topic.path, np.array(lines), kind)
            ]
    return dataclasses.replace(judged, kind=AssessmentKind.PASSAGES, topics=topics), merge_losses(losses)


class _PassageBuilder:
    """Builds the passages of a topic, document by document; notes losses with their lines."""

    def __init__(self, topic: ElementTopic, trees: Forest) -> None:
        self.topic = topic
        self.trees = trees
        self.lost: dict[str, list[int]] = {}
        self.documents: list[str] = []
        self.numbers = tuple(array("q") for _ in range(4))  # relevant, length, bep, line
        self.spans: Intervals = []
        self.bounds = array("q", [0])

    def make_topic(self) -> PassageTopic:
        """The topic with passages."""
        topic = self.topic
        points: list[list[tuple[str, int]]] = [[] for _ in topic.documents]
        for point in topic.entry_points:
            points[point.document].append((point.pointer, point.line))
        passages: list[list[tuple[str, str, int, int]]] = [[] for _ in topic.documents]
        for passage in topic.highlights:
            passages[passage.document].append((passage.first, passage.last, passage.size, passage.line))
        for number, name in enumerate(topic.documents):
            tree, line = find_document(self.trees, name), int(topic.document_lines[number])
            if tree is None:
                self._note_loss(_MISSING_DOCUMENTS, line)
                continue
            spans = [self._span(tree, *passage) for passage in passages[number]]
            relevant = sum(end - start for start, end in merge_intervals(spans))
            self._compare_elements(tree, number, spans)
            self.documents.append(name)
            columns = (
                relevant,
                int(tree.length[0]),
                self._entry_point(tree, points[number], has_spans=bool(spans)),
                line,
            )
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

    def _note_loss(self, kind: str, line: int) -> None:
        self.lost.setdefault(kind, []).append(line)

    def _span(self, tree: DocumentTree, first: str, last: str, size: int, line: int) -> tuple[int, int]:
        try:
            start, length = pointer_extent(tree, first, last)
        except ReversedError as error:
            reason = f"the passage {first} to {last} ends before it begins"
            raise InputError(self.topic.path, line, reason) from error
        except PointerError as error:
            raise InputError(self.topic.path, line, str(error)) from error
        if length != size:
            self._note_loss(_OTHER_SIZES, line)
        return start, start + length

    def _entry_point(self, tree: DocumentTree, points: list[tuple[str, int]], *, has_spans: bool) -> int:
        """Offset of the first best entry point of a document with passages, else -1."""
        for _, line in points[1 if has_spans else 0 :]:
            self._note_loss(_EXTRA_ENTRY_POINTS, line)
        if not has_spans or not points:
            return -1
        pointer, line = points[0]
        try:
            return pointer_offset(tree, pointer)
        except PointerError as error:
            raise InputError(self.topic.path, line, str(error)) from error

    def _compare_elements(self, tree: DocumentTree, number: int, spans: Intervals) -> None:
        """Note judged elements whose exhaustivity, size or rsize differ from those of the passages."""
        topic, relevant = self.topic, merge_intervals(spans)
        for row in range(int(topic.bounds[number]), int(topic.bounds[number + 1])):
            element = tree.find(topic.paths[row])
            size = int(tree.length[element]) if element >= 0 else -1
            begin = int(tree.start[element])
            rsize = sum(max(0, min(end, begin + size) - max(start, begin)) for start, end in relevant)
            given = [(topic.size[row], size), (topic.rsize[row], rsize)]
            if any(own not in (-1, other) for own, other in given) or topic.exhaustivity[row] != (2 if rsize else 0):
                self._note_loss(_UNEXPLAINED_ELEMENTS, int(topic.lines[row]))
