"""Gold spans as JSON Lines: a judged document a line, with what is highlighted in it."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, BinaryIO

import numpy as np

from prum_eval.errors import InputError, Problems
from prum_eval.formats.assessments.columns import AssessmentColumns, check_names, passage_rows, topics_of
from prum_eval.records.assessments import AssessmentKind, Assessments, FlatTopic, PassageTopic
from prum_eval.text.json_lines import JsonObject, count, json_objects, written
from prum_eval.text.json_values import BadValueError
from prum_eval.text.lines import Vocabulary
from prum_eval.text.numbers import expected
from prum_eval.text.writing import Holds, joined_lines

_KEYS = ("topic", "doc", "doc_length", "spans", "bep")
_SPANS = "an array of [start, end]"


def read_qrels_json(
    stream: BinaryIO, name: str, problems: Problems
) -> tuple[AssessmentKind, dict[str, FlatTopic] | dict[str, PassageTopic]]:
    """Read gold spans: ``{"topic", "doc", "doc_length", "spans": [[start, end], ...], "bep"}``, the last if known.

    The relevant characters of a document are those of its spans. Every bad line is reported and left out.
    """
    documents = Vocabulary()
    columns = AssessmentColumns(documents=documents)
    topic, document, lines = array("q"), array("q"), array("q")
    numbers: tuple[array[int], ...] = (array("q"), array("q"), array("q"), array("q"))
    passages: list[tuple[int, int]] = []
    for item in json_objects(stream, name, problems, _KEYS, "an assessment"):
        try:
            topic_name, document_name = item.name("topic"), item.name("doc")
            length, spans, bep = _highlighted(item)
        except BadValueError as error:
            problems(InputError(name, item.line, str(error)))
            continue
        topic.append(columns.topics[topic_name])
        document.append(documents[document_name])
        lines.append(item.line)
        relevant = sum(end - start for start, end in spans)
        for column, value in zip(numbers, (relevant, length, bep, len(spans)), strict=True):
            column.append(value)
        passages += [(start, end - start) for start, end in spans]
    if lines:
        for parts, part in (
            (columns.topic, topic), (columns.document, document), (columns.line, lines), (columns.numbers, numbers)
        ):  # fmt: skip
            parts.append(np.array(part, dtype=np.int64))
        columns.passages.append(np.array(passages, dtype=np.int64).reshape(-1, 2))
    return topics_of(AssessmentKind.PASSAGES, columns, name, problems)


def _highlighted(item: JsonObject) -> tuple[int, list[tuple[int, int]], int]:
    """Length of the document, its spans (start, end) in the order of the line, best entry point (-1 for none)."""
    length = item.count("doc_length")
    spans = [_span(value, length) for value in item.array("spans", _SPANS)]
    for (start, end), (next_start, next_end) in pairwise(sorted(spans)):
        if next_start < end:
            raise BadValueError(f"spans: [{start}, {end}] and [{next_start}, {next_end}] overlap")
    if "bep" not in item:
        return length, spans, -1
    bep = item.count("bep")
    if not spans:
        raise BadValueError("bep: expected none where there are no spans")
    if bep > length:
        raise BadValueError(expected("bep", f"at most the document length {length}", str(bep)))
    return length, spans, bep


def _span(value: Any, length: int) -> tuple[int, int]:  # noqa: ANN401 -- whatever the line holds
    if not isinstance(value, list) or len(value) != 2:
        raise BadValueError(expected("spans", _SPANS, written(value)))
    start, end = count("span start", value[0]), count("span end", value[1])
    if end < start:
        raise BadValueError(f"spans: the end {end} is before the start {start}")
    if end > length:
        raise BadValueError(f"spans: [{start}, {end}] ends beyond the document length {length}")
    return start, end


def write_qrels_json(judged: Assessments) -> bytes:
    """A judged document a line, with its gold spans."""
    check_names(judged, Holds.JSON, Holds.JSON)
    return joined_lines(json.dumps(line, ensure_ascii=False) for line in _json_lines(judged))


def _json_lines(judged: Assessments) -> Iterator[dict[str, str | int | list[list[int]]]]:
    for name, topic, row in passage_rows(judged):
        begin, end = topic.bounds[row : row + 2].tolist()
        starts, lengths = topic.start[begin:end].tolist(), topic.length[begin:end].tolist()
        bep = int(topic.bep[row])
        yield {
            "topic": name,
            "doc": topic.documents[row],
            "doc_length": int(topic.lengths[row]),
            "spans": [[start, start + length] for start, length in zip(starts, lengths, strict=True)],
            **({"bep": bep} if bep >= 0 else {}),
        }
