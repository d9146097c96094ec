"""Assessments in the shape that a form holds: passages apart from each other, graded documents."""

from __future__ import annotations

import dataclasses

import numpy as np

from prum_eval.arrays import bounds_of, groups_of_rows, sizes_of
from prum_eval.conversion.losses import Loss, lost, merged
from prum_eval.numerics.intervals import Ranges, any_overlap, union
from prum_eval.records.assessments import AssessmentKind, Assessments, FlatTopic, PassageTopic, Topic

_OVERLAP = "documents with overlapping passages: these are joined"
_COUNTS = "documents whose relevant characters are not those of their passages: the passages count"
_FAR_POINTS = "best entry points past the end of the document: they are left out"
_LONG = "documents with passages past their end: these are cut there"
_GROUPS = "topics with a group: it is left out"
_PASSAGES = "judged documents: only whether anything in them is relevant is kept"


def as_spans(judged: Assessments) -> tuple[Assessments, list[Loss]]:
    """Passages as JSON Lines hold them: apart, within the document, and all that is relevant."""
    losses: list[Loss] = []
    topics: dict[str, Topic] = {}
    for name, topic in judged.topics.items():
        if isinstance(topic, PassageTopic):
            topics[name], own = _spans_of(topic)
            losses += own
    return dataclasses.replace(judged, topics=topics), merged(losses)


def _spans_of(topic: PassageTopic) -> tuple[PassageTopic, list[Loss]]:
    marks: dict[str, list[bool]] = {what: [] for what in (_OVERLAP, _LONG, _COUNTS, _FAR_POINTS)}
    spans: list[Ranges] = []
    for row, length in enumerate(topic.lengths.tolist()):
        begin, end = topic.bounds[row : row + 2].tolist()
        starts, lengths = topic.start[begin:end].tolist(), topic.length[begin:end].tolist()
        own = [(start, start + size) for start, size in zip(starts, lengths, strict=True)]
        cut = [(min(low, length), min(high, length)) for low, high in own] if length >= 0 else own
        joined = any_overlap(cut)
        spans.append(union(cut) if joined else cut)
        marks[_LONG].append(cut != own)
        marks[_OVERLAP].append(joined)
        marks[_COUNTS].append(int(topic.relevant[row]) != sum(high - low for low, high in spans[-1]))
        marks[_FAR_POINTS].append(int(topic.bep[row]) > length >= 0)
    extents = np.array([span for own in spans for span in own], dtype=np.int64).reshape(-1, 2)
    changed = dataclasses.replace(
        topic,
        relevant=np.array([sum(high - low for low, high in own) for own in spans], dtype=np.int64),
        bep=np.where(np.array(marks[_FAR_POINTS], dtype=np.bool_), -1, topic.bep),
        bounds=bounds_of([len(own) for own in spans]),
        start=extents[:, 0],
        length=extents[:, 1] - extents[:, 0],
    )
    return changed, [
        loss
        for what, found in marks.items()
        for loss in lost(topic.path, topic.lines[np.array(found, dtype=bool)], what)
    ]


def without_groups(judged: Assessments) -> tuple[Assessments, list[Loss]]:
    """The same for a form that has no place for groups of topics."""
    if not judged.groups:
        return judged, []
    lines = [topic.lines[:1] for name, topic in judged.topics.items() if name in judged.groups]
    losses = lost(judged.path, np.concatenate(lines), _GROUPS)
    return dataclasses.replace(judged, groups={}), losses


def as_grades(judged: Assessments) -> tuple[Assessments, list[Loss]]:
    """Documents of grade 1 where anything in them is relevant, else 0."""
    losses: list[Loss] = []
    topics: dict[str, Topic] = {}
    for name, topic in judged.topics.items():
        if isinstance(topic, FlatTopic):
            topics[name] = topic
            continue
        if isinstance(topic, PassageTopic):
            relevant, lines = (topic.relevant > 0) | (sizes_of(topic.bounds) > 0), topic.lines
        else:
            owner = groups_of_rows(topic.bounds)
            graded = (
                topic.rsize > 0
                if judged.kind is AssessmentKind.ELEMENTS_2005
                else (topic.exhaustivity > 0) & (topic.specificity > 0)
            )
            relevant, lines = np.zeros(len(topic.documents), dtype=np.bool_), topic.document_lines
            relevant[owner[graded]] = True
            relevant[[mark.document for mark in topic.highlights]] = True
        topics[name] = FlatTopic(topic.path, topic.documents, relevant.astype(np.int64), lines)
        losses += lost(topic.path, lines, _PASSAGES)
    return dataclasses.replace(judged, kind=AssessmentKind.FLAT, topics=topics), merged(losses)
