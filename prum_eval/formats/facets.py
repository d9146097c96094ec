"""Facets in assessments: which documents or spans satisfy a facet of a topic, alone or together with others."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from prum_eval.numerics.intervals import Intervals
from prum_eval.records import Facets
from prum_eval.text.json_lines import BadValueError, JsonObject, encode_json_value
from prum_eval.text.numbers import expected_message, quote_value

FACET_KEYS: Mapping[str, tuple[str, ...]] = {"facet": (), "alternative": (), "weight": ()}
"""Keys of gold spans that declare facets."""
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
