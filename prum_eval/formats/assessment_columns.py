"""The columns of assessments of any format: decode names, find repeated judgements, make one record per topic."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from prum_eval.arrays import EMPTY_INTS, IntArray, NarrowArray, concatenated_ranges, group_bounds
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.formats.run_columns import decode_names, repeated_rows
from prum_eval.records import AssessmentKind, Assessments, ElementTopic, FlatTopics, LabelledRows, PassageTopic, Topic
from prum_eval.text.numbers import quote_value
from prum_eval.text.streams import Contents


@dataclass(slots=True, eq=False, repr=False)
class AssessmentColumns:
    """Assessments in the order of the file; each list holds parts of a column.

    `numbers` are grades, or rows of relevant, length, best entry point and number of passages; `passages` has rows
    (start, length). `labels`, `label`: the second column of qrels, if they were read; no codes if there is one label.
    """

    topics: Collection[bytes] = ()
    documents: Collection[bytes] = ()
    topic: list[NarrowArray] = field(default_factory=list)
    document: list[NarrowArray] = field(default_factory=list)
    line: list[NarrowArray] = field(default_factory=list)
    numbers: list[NarrowArray] = field(default_factory=list)
    passages: list[IntArray] = field(default_factory=list)
    labels: Collection[bytes] = ()
    label: NarrowArray | None = None


def make_topics(
    kind: AssessmentKind, columns: AssessmentColumns, name: str, problems: ProblemHandler
) -> tuple[AssessmentKind, FlatTopics | dict[str, PassageTopic]]:
    """The topics in the order of the file; documents judged twice in a topic are reported and count once."""
    topic, document, line = map(_concatenate_parts, (columns.topic, columns.document, columns.line))
    grades = _concatenate_parts(columns.numbers) if kind is AssessmentKind.FLAT else EMPTY_INTS
    topics = tuple(decode_names(columns.topics, "topic", lambda code: int(line[topic == code][0]), name, problems)[:])
    documents = decode_names(columns.documents, "document", lambda code: int(line[document == code][0]), name, problems)
    first = np.ones(len(line), dtype=bool)
    label, conflicts = columns.label, []
    for row, before in repeated_rows([topic, document]):
        if label is not None and label[row] != label[before]:
            conflicts.append((row, before))
            first[row] = False
            continue
        names = quote_value(documents[document[row]]), quote_value(topics[topic[row]])
        reason = f"document {names[0]} is judged twice in topic {names[1]} (first on line {line[before]})"
        problems(InputError(name, int(line[row]), reason))
        first[row] = False
    labelled = None
    if columns.labels:
        labels = tuple(raw.decode(errors="backslashreplace") for raw in columns.labels)
        labelled = LabelledRows(labels, label, topic, document, grades, line, tuple(conflicts))
        if conflicts:
            grades = grades.copy()
            rows, firsts = np.array(conflicts, dtype=np.int64).T
            np.maximum.at(grades, firsts, grades[rows])
    if kind is AssessmentKind.FLAT and first.all() and (topic[1:] >= topic[:-1]).all():
        bounds, paths = group_bounds(np.bincount(topic, minlength=len(topics))), (name,) * len(topics)
        return kind, FlatTopics(topics, paths, bounds, documents, document, grades, line, labelled=labelled)
    order = np.argsort(topic, kind="stable")
    order = order[first[order]]
    bounds = group_bounds(np.bincount(topic[order], minlength=len(topics)))
    if kind is AssessmentKind.FLAT:
        paths = (name,) * len(topics)
        columns_ = document[order], grades[order], line[order]
        return kind, FlatTopics(topics, paths, bounds, documents, *columns_, labelled=labelled)
    parts = np.split(order, bounds[1:-1]) if topics else []
    numbers = np.concatenate([np.empty((4, 0), dtype=np.int64), *columns.numbers], axis=1, dtype=np.int64)
    passages = np.concatenate(columns.passages) if columns.passages else np.empty((0, 2), dtype=np.int64)
    return kind, {
        topic_name: _passage_topic(
            name, tuple(map(documents.__getitem__, document[rows].tolist())), rows, numbers, passages, line
        )
        for topic_name, rows in zip(topics, parts, strict=True)
    }


def _concatenate_parts(parts: list[NarrowArray]) -> NarrowArray:
    """The column with these parts; a single part is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate([EMPTY_INTS, *parts])


def _passage_topic(
    name: str, documents: tuple[str, ...], rows: IntArray, numbers: IntArray, passages: IntArray, line: NarrowArray
) -> PassageTopic:
    relevant, length, bep, counts = numbers
    selected = concatenated_ranges(group_bounds(counts)[rows], counts[rows])  # passages of a line are contiguous
    return PassageTopic(
        path=name,
        documents=documents,
        relevant=relevant[rows],
        lengths=length[rows],
        bep=bep[rows],
        bounds=group_bounds(counts[rows]),
        start=passages[selected, 0],
        length=passages[selected, 1],
        lines=line[rows].astype(np.int64),
    )


def topic_groups(topics: Mapping[str, Topic]) -> dict[str, str] | None:
    """The groups of the topics that have one; None if none has."""
    groups = {name: topic.group for name, topic in topics.items() if isinstance(topic, PassageTopic)}
    return {name: group for name, group in groups.items() if group} or None


def passage_rows(judged: Assessments) -> Iterator[tuple[str, PassageTopic, int]]:
    """Name and record of the topic, and row, of each document with passages."""
    for name, topic in judged.topics.items():
        if isinstance(topic, PassageTopic):
            for row in range(len(topic.documents)):
                yield name, topic, row


def check_assessment_names(judged: Assessments, topics: Contents, documents: Contents) -> None:
    """Refuse assessments with a name that a format cannot hold.

    Raises:
        InputError: on the first such name.
    """
    for name, topic in judged.topics.items():
        lines = topic.document_lines if isinstance(topic, ElementTopic) else topic.lines
        first = int(lines[0]) if len(lines) else 1
        topics.check(topic.path, "topic", [name], [first].__getitem__)
        documents.check(topic.path, "document", topic.documents, lines.__getitem__)
