"""Gold spans as JSON: one object per judged document, with its highlighted spans, or one object per span."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

import numpy as np

from prum_eval.errors import InputError, ProblemHandler
from prum_eval.formats.assessment_columns import AssessmentColumns, check_assessment_names, make_topics, passage_rows
from prum_eval.numerics.intervals import Intervals, any_overlap, merge_intervals
from prum_eval.records import AssessmentKind, Assessments, FlatTopics, PassageTopic
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

_KEYS = {**PLACE_KEYS, "doc_length": (), "spans": (), "bep": (), "group": ()}
_SPANS = "an array of [start, end]"


def read_qrels_json(
    stream: BinaryIO, name: str, problems: ProblemHandler
) -> tuple[AssessmentKind, FlatTopics | dict[str, PassageTopic]]:
    """Read gold spans, one object per document or per span.

    ``{"topic", "doc", "doc_length", "spans": [[start, end], ...], "bep", "group"}`` is a document, and the same with
    ``start`` and ``end`` (or ``length``, or ``text``) in place of ``spans`` is a span of one; ``doc_length``, ``bep``
    and ``group`` are optional. The relevant characters of a document are those of its spans; overlapping spans are
    joined. Bad objects are reported and left out.
    """
    keys = JsonKeys(_KEYS)
    reader = _GoldReader(name, problems)
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


class _GoldReader:
    """Collects judged documents in the order of the file."""

    def __init__(self, name: str, problems: ProblemHandler) -> None:
        self.name = name
        self.problems = problems
        self.documents: list[_Document] = []
        self.open: dict[tuple[bytes, bytes], _Document] = {}  # documents given span by span
        self.groups: dict[bytes, tuple[bytes, int]] = {}  # name and line, by topic

    def add(self, item: JsonObject) -> None:
        """Add a document, or a span of one."""
        if "run" in item.unknown_keys:
            raise BadValueError("the key 'run' is of results, expected gold spans")
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
            self.documents.append(_parse_document(topic, name, item))
        else:
            self._add_span(topic, name, item)
        if group is not None:
            self.groups.setdefault(topic, (group, item.line))

    def _add_span(self, topic: bytes, name: bytes, item: JsonObject) -> None:
        extent = item.extent()
        document = self.open.get((topic, name)) or _Document(topic, name, item.line)
        for key, attribute in (("doc_length", "length"), ("bep", "bep")):
            if key not in item:
                continue
            value, line = item.count(key), document.key_lines.setdefault(key, item.line)
            if line != item.line and value != getattr(document, attribute):
                raise BadValueError(f"{key}: {value}, but {getattr(document, attribute)} on line {line}")
            setattr(document, attribute, value)
        document.spans.append(extent)
        document.lines.append(item.line)
        if document.line == item.line:
            self.open[topic, name] = document
            self.documents.append(document)

    def topics(self, ignored: tuple[str, ...]) -> tuple[AssessmentKind, FlatTopics | dict[str, PassageTopic]]:
        """The record of each topic."""
        merged: dict[str, int] = {}
        for document in self.open.values():
            self._check_length(document)
        for document in self.documents:
            if any_overlap(document.spans):
                joined, topic = merge_intervals(document.spans), document.topic.decode()
                merged[topic] = merged.get(topic, 0) + len(document.spans) - len(joined)
                document.spans = joined
        kind, topics = make_topics(AssessmentKind.PASSAGES, _columns(self.documents), self.name, self.problems)
        groups = {topic.decode(): group.decode() for topic, (group, _) in self.groups.items()}
        return kind, {
            name: replace(topic, group=groups.get(name, ""), merged=merged.get(name, 0), ignored=ignored, chunks=True)
            for name, topic in topics.items()
            if isinstance(topic, PassageTopic)
        }

    def _check_length(self, document: _Document) -> None:
        """Report and leave out spans beyond the length of the document, which any of its spans may give."""
        if document.length < 0:
            return
        for (start, end), line in zip(document.spans, document.lines, strict=True):
            if end > document.length:
                reason = f"the span [{start}, {end}] ends beyond the document length {document.length}"
                self.problems(InputError(self.name, line, reason))
        document.spans = [span for span in document.spans if span[1] <= document.length]
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
    return _Document(topic, name, item.line, length, bep, spans)


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


def write_qrels_json(judged: Assessments) -> bytes:
    """One line per judged document, with its gold spans."""
    check_assessment_names(judged, Contents.JSON, Contents.JSON)
    return encode_lines(json.dumps(line, ensure_ascii=False) for line in _json_lines(judged))


def _json_lines(judged: Assessments) -> Iterator[dict[str, str | int | list[list[int]]]]:
    groups = judged.groups or {}
    for name, topic, row in passage_rows(judged):
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
