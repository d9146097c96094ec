"""Relevant spans as JSON: one object per judged document, with its highlighted spans, or one object per span."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

import numpy as np

from prum_eval.errors import InputError, ProblemHandler
from prum_eval.formats.assessment_columns import AssessmentColumns, check_assessment_names, make_topics, passage_rows
from prum_eval.formats.facets import FACET_KEYS, FacetLines
from prum_eval.numerics.intervals import Intervals, any_overlap, merge_intervals
from prum_eval.records import AssessmentKind, Assessments, Facets, FlatTopics, PassageTopic
from prum_eval.text.json_lines import (
    PLACE_KEYS,
    BadValueError,
    JsonKeys,
    JsonObject,
    check_count,
    encode_json_value,
    json_objects,
)
from prum_eval.text.lines import Vocabulary
from prum_eval.text.numbers import expected_message, quote_value
from prum_eval.text.streams import Contents, encode_lines

_KEYS = {**PLACE_KEYS, "doc_length": (), "spans": (), "bep": (), "group": (), **FACET_KEYS}
_SPANS = "an array of [start, end]"


def read_qrels_json(
    stream: BinaryIO, name: str, problems: ProblemHandler
) -> tuple[AssessmentKind, FlatTopics | dict[str, PassageTopic]]:
    """Read relevant spans, one object per document or per span.

    ``{"topic", "doc", "doc_length", "spans": [[start, end], ...], "bep", "group"}`` is a document, and the same with
    ``start`` and ``end`` (or ``length``, or ``text``) in place of ``spans`` is a span of one; ``doc_length``, ``bep``
    and ``group`` are optional. The relevant characters of a document are those of its spans; overlapping spans are
    joined. ``facet``, ``alternative`` and ``weight`` declare facets (`FacetLines`). Bad objects are reported and left
    out.
    """
    keys = JsonKeys(_KEYS)
    reader = _SpanReader(name, problems)
    for item in json_objects(stream, name, problems, keys, "an assessment"):
        try:
            reader.add(item)
        except BadValueError as error:
            problems(InputError(name, item.line, str(error)))
    return reader.topics(tuple(keys.ignored))


@dataclass(slots=True)
class _Document:
    """A judged document: topic, name, first line, and its data."""

    topic: bytes
    name: bytes
    line: int
    length: int = -1
    bep: int = -1
    spans: Intervals = field(default_factory=list)
    lines: list[int] = field(default_factory=list)  # of the spans, if each has its own
    key_lines: dict[str, int] = field(default_factory=dict)  # lines of the length and the best entry point

    def set_count(self, key: str, value: int, line: int) -> None:
        """Set the length or the best entry point, which must be what other lines of the document give."""
        attribute, first = _COUNTS[key], self.key_lines.setdefault(key, line)
        if first != line and value != getattr(self, attribute):
            raise BadValueError(f"{key}: {value}, but {getattr(self, attribute)} on line {first}")
        setattr(self, attribute, value)


_COUNTS = {"doc_length": "length", "bep": "bep"}
"""Keys of a document and the attributes that hold them."""


class _SpanReader:
    """Collects judged documents in the order of the file."""

    def __init__(self, name: str, problems: ProblemHandler) -> None:
        self.name = name
        self.problems = problems
        self.documents: list[_Document] = []
        self.open: dict[tuple[bytes, bytes], _Document] = {}  # documents given span by span
        self.groups: dict[bytes, tuple[bytes, int]] = {}  # name and line, by topic
        self.facets = FacetLines()

    def add(self, item: JsonObject) -> None:
        """Add a document, or a span of one."""
        if "run" in item.unknown_keys:
            raise BadValueError("the key 'run' is of results, expected relevant spans")
        topic, name = item.name("topic"), item.name("doc")
        if "spans" in item and "start" in item:
            raise BadValueError("both 'spans' and 'start' are given, expected one of them")
        if "spans" not in item and "start" not in item:
            raise BadValueError("the key 'spans' (or 'start', of a single span) is missing")
        group = item.name("group") if "group" in item else None
        known, line = self.groups.get(topic, (group, item.line))
        if group is not None and known != group:
            here = f"group {quote_value(group)}, but topic {quote_value(topic)} is in group"
            raise BadValueError(f"{here} {quote_value(known or b'')} on line {line}")
        if "spans" in item:
            document = _parse_document(topic, name, item)
            self.facets.add(topic, name, item, document.spans)
            self.documents.append(document)
        else:
            extent = item.extent()
            self.facets.add(topic, name, item, [extent])
            self._add_span(topic, name, item, extent)
        if group is not None:
            self.groups.setdefault(topic, (group, item.line))

    def _add_span(self, topic: bytes, name: bytes, item: JsonObject, extent: tuple[int, int]) -> None:
        document = self.open.get((topic, name)) or _Document(topic, name, item.line)
        for key in _COUNTS:
            if key in item:
                document.set_count(key, item.count(key), item.line)
        document.spans.append(extent)
        document.lines.append(item.line)
        if document.line == item.line:
            self.open[topic, name] = document
            self.documents.append(document)

    def topics(self, ignored: tuple[str, ...]) -> tuple[AssessmentKind, FlatTopics | dict[str, PassageTopic]]:
        """The record of each topic."""
        merged: dict[str, int] = {}
        self._join_documents()
        for document in self.documents:
            if document.lines:
                self._check_length(document)
        facets = self.facets.by_topic(self._sound_spans()) if self.facets else {}
        for document in self.documents:
            if any_overlap(document.spans):
                joined, topic = merge_intervals(document.spans), document.topic.decode()
                if topic not in facets:  # others stay apart as targets
                    merged[topic] = merged.get(topic, 0) + len(document.spans) - len(joined)
                document.spans = joined
        kind, topics = make_topics(AssessmentKind.PASSAGES, _columns(self.documents), self.name, self.problems)
        groups = {topic.decode(): group.decode() for topic, (group, _) in self.groups.items()}
        return kind, {
            name: replace(
                topic,
                group=groups.get(name, ""),
                merged=merged.get(name, 0),
                ignored=ignored,
                chunks=True,
                facets=facets.get(name),
            )
            for name, topic in topics.items()
            if isinstance(topic, PassageTopic)
        }

    def _sound_spans(self) -> dict[bytes, dict[bytes, tuple[int, frozenset[tuple[int, int]]]]]:
        """Number and spans of each document, by topic and name, in topics with facets."""
        sound: dict[bytes, dict[bytes, tuple[int, frozenset[tuple[int, int]]]]] = {}
        for document in self.documents:
            if document.topic in self.facets.topics:
                of_topic = sound.setdefault(document.topic, {})
                of_topic[document.name] = len(of_topic), frozenset(document.spans)
        return sound

    def _join_documents(self) -> None:
        """Join the lines of each document, with the lines of its spans, in the topics with facets."""
        if not self.facets:
            return
        joined: dict[tuple[bytes, bytes], _Document] = {}
        documents = []
        for document in self.documents:
            first = joined.get((document.topic, document.name))
            if first is None:
                documents.append(document)
                if document.topic in self.facets.topics:
                    document.lines = document.lines or [document.line] * len(document.spans)
                    joined[document.topic, document.name] = document
                continue
            first.lines = [*first.lines, *(document.lines or [document.line] * len(document.spans))]
            first.spans = [*first.spans, *document.spans]
            for key, attribute in _COUNTS.items():
                value, line = getattr(document, attribute), document.key_lines.get(key, document.line)
                try:
                    if value >= 0:
                        first.set_count(key, value, line)
                except BadValueError as error:
                    self.problems(InputError(self.name, line, str(error)))
        self.documents = documents

    def _check_length(self, document: _Document) -> None:
        """Report and leave out spans beyond the length of the document, which any of its spans may give."""
        if document.length < 0:
            return
        for (start, end), line in zip(document.spans, document.lines, strict=True):
            if end > document.length:
                reason = f"the span [{start}, {end}] ends beyond the document length {document.length}"
                self.problems(InputError(self.name, line, reason))
        pairs = zip(document.spans, document.lines, strict=True)
        within = [(span, line) for span, line in pairs if span[1] <= document.length]
        document.spans, document.lines = [span for span, _ in within], [line for _, line in within]
        if document.bep > document.length:
            reason = expected_message("bep", f"at most the document length {document.length}", str(document.bep))
            self.problems(InputError(self.name, document.key_lines["bep"], reason))
            document.bep = -1


def _parse_document(topic: bytes, name: bytes, item: JsonObject) -> _Document:
    """A document given by one object."""
    length = item.count("doc_length") if "doc_length" in item else -1
    spans = [_parse_span(value, length) for value in item.array("spans", _SPANS)]
    bep = item.count("bep") if "bep" in item else -1
    if bep >= 0 and not spans:
        raise BadValueError("bep: expected none where there are no spans")
    if bep > length >= 0:
        raise BadValueError(expected_message("bep", f"at most the document length {length}", str(bep)))
    key_lines = {key: item.line for key in _COUNTS if key in item}
    return _Document(topic, name, item.line, length, bep, spans, key_lines=key_lines)


def _parse_span(value: Any, length: int) -> tuple[int, int]:  # noqa: ANN401 -- any JSON
    if not isinstance(value, list) or len(value) != 2:
        raise BadValueError(expected_message("spans", _SPANS, encode_json_value(value)))
    start, end = check_count("span start", value[0]), check_count("span end", value[1])
    if end < start:
        raise BadValueError(f"spans: the end {end} is before the start {start}")
    if end > length >= 0:
        raise BadValueError(f"spans: [{start}, {end}] ends beyond the document length {length}")
    return start, end


def _columns(documents: list[_Document]) -> AssessmentColumns:
    names = Vocabulary()
    topics = Vocabulary()
    columns = AssessmentColumns(topics, names)
    if documents:
        columns.topic.append(topics.codes([document.topic for document in documents]))
        columns.document.append(names.codes([document.name for document in documents]))
        columns.line.append(np.array([document.line for document in documents], dtype=np.int64))
        numbers = [
            (sum(end - start for start, end in document.spans), document.length, document.bep, len(document.spans))
            for document in documents
        ]
        columns.numbers.append(np.array(numbers, dtype=np.int64).T)
        passages = [(start, end - start) for document in documents for start, end in document.spans]
        columns.passages.append(np.array(passages, dtype=np.int64).reshape(-1, 2))
    return columns


def _lines_with_facets(name: str, topic: PassageTopic, facets: Facets, group: str | None) -> Iterator[dict[str, Any]]:
    """A line per document and stretch of spans of one facet, or of one of its named alternatives, in file order."""
    common = {"group": group} if group else {}
    line: dict[str, Any] = {}
    columns = (facets.alternative, facets.document, facets.start, facets.length)
    for alternative, document, start, length in zip(*(column.tolist() for column in columns), strict=True):
        number = int(facets.facet_of[alternative])
        facet, way, weight = facets.names[number], facets.alternatives[alternative], float(facets.weights[number])
        characters, bep = int(topic.lengths[document]), int(topic.bep[document])
        new = {
            "topic": name,
            "doc": topic.documents[document],
            **({"doc_length": characters} if characters >= 0 else {}),
            "spans": [[start, start + length]],
            **({"facet": facet} if facet else {}),
            **({"alternative": way} if way else {}),
            **({"weight": int(weight) if weight.is_integer() else weight} if weight != 1 else {}),
            **({"bep": bep} if bep >= 0 else {}),
            **common,
        }
        if line and {**line, "spans": 0} == {**new, "spans": 0}:
            line["spans"] += new["spans"]
            continue
        if line:
            yield line
        line = new
    if line:
        yield line
    for row in np.flatnonzero(np.diff(topic.bounds) == 0).tolist():
        characters = int(topic.lengths[row])
        length_of = {"doc_length": characters} if characters >= 0 else {}
        yield {"topic": name, "doc": topic.documents[row], **length_of, "spans": [], **common}


def write_qrels_json(judged: Assessments) -> bytes:
    """One line per judged document, with its relevant spans."""
    check_assessment_names(judged, Contents.JSON, Contents.JSON)
    return encode_lines(json.dumps(line, ensure_ascii=False) for line in _json_lines(judged))


def _json_lines(judged: Assessments) -> Iterator[dict[str, Any]]:
    groups = judged.groups or {}
    for name, topic in judged.topics.items():
        if isinstance(topic, PassageTopic) and topic.facets is not None:
            yield from _lines_with_facets(name, topic, topic.facets, groups.get(name))
    for name, topic, row in passage_rows(judged):
        if topic.facets is not None:
            continue
        begin, end = topic.bounds[row : row + 2].tolist()
        starts, lengths = topic.start[begin:end].tolist(), topic.length[begin:end].tolist()
        bep, length = int(topic.bep[row]), int(topic.lengths[row])
        yield {
            "topic": name,
            "doc": topic.documents[row],
            **({"doc_length": length} if length >= 0 else {}),
            "spans": [[start, start + size] for start, size in zip(starts, lengths, strict=True)],
            **({"bep": bep} if bep >= 0 else {}),
            **({"group": groups[name]} if name in groups else {}),
        }
