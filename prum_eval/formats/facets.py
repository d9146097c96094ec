"""Facets in assessments: which documents or spans satisfy a facet of a topic, alone or together with others."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from prum_eval.errors import InputError, ProblemHandler, UsageError
from prum_eval.numerics.intervals import Intervals
from prum_eval.records import AssessmentKind, Assessments, ElementTopic, Facets, FlatTopics, Topic
from prum_eval.text.json_lines import BadValueError, JsonObject, encode_json_value
from prum_eval.text.numbers import expected_message, quote_value

FACET_KEYS: Mapping[str, tuple[str, ...]] = {"facet": (), "alternative": (), "weight": ()}
"""Keys of relevant spans that declare facets."""
WHOLE_DOCUMENT = (-1, -1)
"""Start and length of a target that is a document."""


@dataclass(slots=True)
class FacetRow:
    """A target on a line: its document's number in the topic, its extent, and what it belongs to, None if to none."""

    line: int
    document: int
    start: int
    length: int
    facet: str | None
    alternative: str | None
    grade: int = 1


def make_facets(rows: Iterable[FacetRow], weights: Mapping[str, float]) -> Facets:
    """Facets of one topic from its targets, in file order.

    A facet without named alternatives has every target as an alternative by itself; so has the facet of its own of a
    target without one. Equal targets without a facet are one.

    Args:
        rows: the targets.
        weights: weights of the facets that have one; others have 1.
    """
    facets: dict[object, int] = {}
    alternatives: dict[tuple[object, object], int] = {}
    columns: dict[tuple[int, ...], tuple[int, int]] = {}  # (alternative, document, start, length) -> grade, line
    for row in rows:
        target = (row.document, row.start, row.length)
        facet = target if row.facet is None else row.facet
        facets.setdefault(facet, len(facets))
        alternative = target if row.alternative is None else row.alternative
        number = alternatives.setdefault((facet, alternative), len(alternatives))
        columns.setdefault((number, *target), (row.grade, row.line))
    names = tuple(facet if isinstance(facet, str) else "" for facet in facets)
    numbers = [(*key, *value) for key, value in columns.items()]
    alternative_, document, start, length, grades, lines = np.array(numbers, dtype=np.int64).reshape(-1, 6).T
    return Facets(
        names,
        np.array([weights.get(name, 1.0) for name in names]),
        tuple(name if isinstance(name, str) else "" for _, name in alternatives),
        np.array([facets[facet] for facet, _ in alternatives], dtype=np.int64),
        *(alternative_, document, start, length, grades, lines),
    )


@dataclass(slots=True)
class _Declaration:
    """What is known of a facet: whether its lines name alternatives, its weight, and the lines that say so first."""

    has_alternatives: bool
    line: int
    weight: float | None = None
    weight_line: int = 0


@dataclass(slots=True)
class FacetLines:
    """Collects facets of assessments line by line.

    `topics`: declared facets by name, of each topic that has some. `rows`: topic, document, line, spans, facet and
    alternative.
    """

    topics: dict[bytes, dict[str, _Declaration]] = field(default_factory=dict)
    rows: list[tuple[bytes, bytes, int, Intervals, str | None, str | None]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.topics)

    def add(self, topic: bytes, document: bytes, item: JsonObject, spans: Intervals) -> None:
        """Add the spans of a line; a line without spans declares nothing.

        Raises:
            BadValueError: an alternative or a weight without a facet, or one that contradicts an earlier line.
        """
        facet, alternative, weight = parse_facet(item)
        if not spans:
            return
        if facet is not None:
            self.declare(topic, item.line, facet, alternative, weight)
        self.rows.append((topic, document, item.line, spans, facet, alternative))

    def declare(self, topic: bytes, line: int, facet: str, alternative: str | None, weight: float | None) -> None:
        """Add a facet, or check what a line says of it.

        Raises:
            BadValueError: it contradicts an earlier line.
        """
        known = self.topics.get(topic, {}).get(facet)
        if known is None:
            known = self.topics.setdefault(topic, {})[facet] = _Declaration(alternative is not None, line)
        if known.has_alternatives != (alternative is not None):
            here, there = ("with", "without") if alternative is not None else ("without", "with")
            name = quote_value(facet)
            raise BadValueError(f"facet {name} {here} 'alternative', but {there} it on line {known.line}")
        if weight is not None and known.weight is not None and weight != known.weight:
            name = quote_value(facet)
            raise BadValueError(
                f"facet {name} has weight {weight:g}, but weight {known.weight:g} on line {known.weight_line}"
            )
        if weight is not None and known.weight is None:
            known.weight, known.weight_line = weight, line

    def weights(self, topic: bytes) -> dict[str, float]:
        """The weights of the facets of a topic that have one."""
        return {name: declared.weight for name, declared in self.topics[topic].items() if declared.weight is not None}

    def by_topic(
        self, documents: Mapping[bytes, Mapping[bytes, tuple[int, Container[tuple[int, int]]]]]
    ) -> dict[str, Facets]:
        """The facets of each topic that has some.

        Args:
            documents: number and sound spans of each document, by topic and name.
        """
        rows: dict[bytes, list[FacetRow]] = {topic: [] for topic in self.topics}
        for topic, name, line, spans, facet, alternative in self.rows:
            if topic not in rows:
                continue
            number, sound = documents[topic][name]
            rows[topic] += [
                FacetRow(line, number, start, end - start, facet, alternative)
                for start, end in spans
                if (start, end) in sound
            ]
        return {topic.decode(): make_facets(rows[topic], self.weights(topic)) for topic in rows}


def parse_facet(item: JsonObject) -> tuple[str | None, str | None, float | None]:
    """Facet, alternative and weight of a line, None if it does not give them.

    Raises:
        BadValueError: an alternative or a weight without a facet, or a weight that is not above 0.
    """
    names = {key: item.name(key).decode() if key in item else None for key in ("facet", "alternative")}
    for key in ("alternative", "weight"):
        if key in item and names["facet"] is None:
            raise BadValueError(f"the key {quote_value(key)} is given without 'facet'")
    weight = item.number("weight") if "weight" in item else None
    if weight is not None and not (weight > 0 and math.isfinite(weight)):
        raise BadValueError(
            expected_message("weight", "a finite number above 0", encode_json_value(item.value("weight")))
        )
    return names["facet"], names["alternative"], weight


# What the option ``--facets`` makes of assessments.

COLUMN, IGNORE = "column", "ignore"
"""Values of the option: the second column of qrels names facets; facets are ignored."""
KEEP = "keep"
"""The second column names facets if a document is judged under several; for commands that do not evaluate."""


def choose_facets(
    topics: Mapping[str, Topic], option: str | None, name: str, problems: ProblemHandler
) -> Mapping[str, Topic]:
    """The topics of a file with the facets that an option asks for.

    Raises:
        UsageError: column, of assessments without a second column.
    """
    if option == KEEP:
        conflicts = isinstance(topics, FlatTopics) and topics.labelled is not None and topics.labelled.conflicts
        option = COLUMN if conflicts else None
    if option == IGNORE:
        topics = without_facets(topics)
    elif option == COLUMN and not (isinstance(topics, FlatTopics) and topics.labelled is not None):
        raise UsageError(f"--facets column reads the second column of TREC qrels, which {name} has not")
    if not isinstance(topics, FlatTopics) or topics.labelled is None:
        return topics
    rows, facets = topics.labelled, dict(topics.facets)
    if option == COLUMN:
        facets = _facets_of_column(topics, name, problems)
    label = rows.label
    for row, first in rows.conflicts if option is None and label is not None else ():
        assert label is not None  # noqa: S101 - see above
        document, topic = topics.documents[int(rows.document[row])], topics.names[int(rows.topic[row])]
        labels = (quote_value(rows.labels[int(label[place])]) for place in (first, row))
        reason = (
            f"document {quote_value(document)} is judged twice in topic {quote_value(topic)} (first on line "
            f"{rows.lines[first]}), under {' and '.join(labels)} in the second column: give --facets column or ignore"
        )
        problems(InputError(name, int(rows.lines[row]), reason))
    return replace(topics, facets=facets, labelled=None)


def _facets_of_column(topics: FlatTopics, name: str, problems: ProblemHandler) -> dict[str, Facets]:
    """Facets that the second column of qrels names: each relevant document is an alternative."""
    rows = topics.labelled
    assert rows is not None  # noqa: S101 - the caller checks it
    label = np.zeros(len(rows.lines), dtype=np.int64) if rows.label is None else rows.label
    facets = {}
    order = np.argsort(rows.topic, kind="stable")
    bounds = np.searchsorted(rows.topic[order], np.arange(len(topics.names) + 1))
    for number, topic in enumerate(topics.names):
        number_of: dict[int, int] = {}
        first_line: dict[tuple[int, int], int] = {}
        facet_rows = []
        for row in order[bounds[number] : bounds[number + 1]].tolist():
            code, line, key = int(rows.document[row]), int(rows.lines[row]), (int(rows.document[row]), int(label[row]))
            facet = rows.labels[key[1]]
            document = number_of.setdefault(code, len(number_of))
            if first_line.setdefault(key, line) != line:
                reason = (
                    f"document {quote_value(topics.documents[code])} is judged twice for facet {quote_value(facet)} of "
                    f"topic {quote_value(topic)} (first on line {first_line[key]})"
                )
                problems(InputError(name, line, reason))
                continue
            facet_rows.append(FacetRow(line, document, *WHOLE_DOCUMENT, facet, None, int(rows.grades[row])))
        facets[topic] = make_facets(facet_rows, {})
    return facets


def without_facets(topics: Mapping[str, Topic]) -> Mapping[str, Topic]:
    """The topics without facets."""
    if isinstance(topics, FlatTopics):
        return replace(topics, facets={})
    return {
        name: topic if isinstance(topic, ElementTopic) or topic.facets is None else replace(topic, facets=None)
        for name, topic in topics.items()
    }


def assessments_with_facets(assessments: Assessments, option: str | None) -> Assessments:
    """Assessments that were read before, with the facets that an option asks for.

    Raises:
        UsageError: column, of assessments that were read without it.
    """
    if option == COLUMN and not assessments.has_facets:
        if assessments.kind is not AssessmentKind.FLAT:
            raise UsageError(f"--facets column reads the second column of TREC qrels, which {assessments.path} has not")
        raise UsageError("facets=column: these assessments were read without facets; read them with facets='column'")
    if option == IGNORE and assessments.has_facets:
        return replace(assessments, topics=without_facets(assessments.topics))
    return assessments
