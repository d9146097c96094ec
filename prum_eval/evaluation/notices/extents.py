"""Extents that cannot be: results that leave their documents, documents of two lengths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from prum_eval.arrays import BoolArray, groups_of_rows
from prum_eval.collection.forest import Forest
from prum_eval.records.assessments import Assessments, PassageTopic
from prum_eval.records.run import Run, RunKind
from prum_eval.text.document_names import find_document


def document_lengths(assessments: Assessments | None, trees: Forest | None) -> dict[str, int]:
    """Characters of each document whose length is known: from the structure, else the largest that was assessed."""
    lengths: dict[str, int] = {}
    judged = _passage_topics(assessments)
    for topic in judged:
        lengths |= topic.known_lengths()
    for topic in judged if _contradicted(judged, lengths) else ():
        for name, length in topic.known_lengths().items():
            lengths[name] = max(lengths[name], length)
    return lengths | _root_lengths(trees)


def _passage_topics(assessments: Assessments | None) -> list[PassageTopic]:
    topics = assessments.topics.values() if assessments is not None else ()
    return [topic for topic in topics if isinstance(topic, PassageTopic)]


def _contradicted(judged: Iterable[PassageTopic], lengths: Mapping[str, int]) -> bool:
    """Whether any document has another length there than that one."""
    return any(not topic.known_lengths().items() <= lengths.items() for topic in judged)


def _root_lengths(trees: Forest | None) -> dict[str, int]:
    if trees is None or not trees.complete:
        return {}
    columns = trees.columns
    first, end = columns.bounds[:-1], columns.bounds[1:]
    names = [name for name, some in zip(columns.names, (first < end).tolist(), strict=True) if some]
    roots = first[first < end]
    return dict(zip(names, (columns.start[roots] + columns.length[roots]).tolist(), strict=True))


class Leaving(NamedTuple):
    """Rows of a run whose extents leave their document: flags of shape (results,), at its end or before it."""

    past_end: BoolArray
    negative: BoolArray
    lengths: Mapping[str, int]

    def reasons(self, run: Run) -> Iterator[tuple[int, str]]:
        """Line and reason of each such result."""
        for row in np.flatnonzero(self.past_end | self.negative).tolist():
            name, start, length = run.documents[run.document[row]], int(run.start[row]), int(run.length[row])
            extent = f"offset {start}, length {length}"
            if self.negative[row]:
                yield int(run.line[row]), f"{extent} begin before document {name}"
            else:
                characters = find_document(self.lengths, name)
                yield int(run.line[row]), f"{extent} end past the end of document {name}, {characters} characters long"


def leaving(run: Run, lengths: Mapping[str, int]) -> Leaving | None:
    """Which results leave their documents; None for a run without offsets, where none can."""
    if run.kind is not RunKind.EXTENTS:
        return None
    known = zip(run.documents, map(lengths.get, run.documents), strict=True)  # quick for names that are written so
    listed = [find_document(lengths, name) if one is None else one for name, one in known]
    size = np.array([-1 if one is None else one for one in listed], dtype=np.int64)[run.document]
    past = run.exists & (size >= 0) & (run.start > size - run.length)
    return Leaving(past, run.exists & (run.start < 0), lengths)


def passages_past_end(assessments: Assessments) -> Iterator[tuple[PassageTopic, int, str]]:
    """Assessed passages that end past the end of their document: topic, row of its document, reason."""
    for topic in _passage_topics(assessments):
        owner = groups_of_rows(topic.bounds)
        size = topic.lengths[owner]
        for row in np.flatnonzero((size >= 0) & (topic.start > size - topic.length)).tolist():
            document = int(owner[row])
            name, characters = topic.documents[document], int(topic.lengths[document])
            passage = f"passage {int(topic.start[row])}:{int(topic.length[row])}"
            yield topic, document, f"{passage} ends past the end of document {name}, {characters} characters long"


def two_lengths(assessments: Assessments, trees: Forest | None) -> Iterator[tuple[PassageTopic, int, str]]:
    """Documents that are of one length here and another there: topic, row of its document, reason."""
    told = {name: (length, "the structure") for name, length in _root_lengths(trees).items()}
    for topic in _passage_topics(assessments):
        for row, (name, length) in enumerate(zip(topic.documents, topic.lengths.tolist(), strict=True)):
            if length < 0:
                continue
            other, place = told.setdefault(name, (length, f"line {topic.lines[row]} of {topic.path}"))
            if other != length:
                yield topic, row, f"document {name} has {length} characters here, {other} in {place}"


def have_two_lengths(assessments: Assessments, trees: Forest | None, lengths: Mapping[str, int]) -> int:
    """How many documents have more than one length; quick where none has. `lengths`: their `document_lengths`."""
    if not _contradicted(_passage_topics(assessments), lengths):
        return 0
    return len({topic.documents[row] for topic, row, _ in two_lengths(assessments, trees)})
