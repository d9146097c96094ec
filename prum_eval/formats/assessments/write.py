"""Judgements to bytes: TREC qrels, INEX text, gold spans as JSON Lines.

A writer takes judgements that its form can hold; the room conversion makes them and names what is lost on the way.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from prum_eval.records.assessments import Assessments, FlatTopic, PassageTopic
from prum_eval.text.writing import Holds, joined_lines, refuse


def write_qrels_trec(judged: Assessments) -> bytes:
    """Lines of 4 columns: ``topic 0 document grade``."""
    _check_names(judged, Holds.FIRST_COLUMN, Holds.COLUMN)
    return joined_lines(
        f"{name} 0 {document} {grade}"
        for name, topic in judged.topics.items()
        if isinstance(topic, FlatTopic)
        for document, grade in zip(topic.documents, topic.grades.tolist(), strict=True)
    )


def write_qrels_inex(judged: Assessments) -> bytes:
    """Lines of 5 columns and more: ``topic Q0 document relevant length [bep offset:length ...]``."""
    _check_names(judged, Holds.FIRST_COLUMN, Holds.COLUMN)
    return joined_lines(_inex_lines(judged))


def _inex_lines(judged: Assessments) -> Iterator[str]:
    for name, topic, row in _rows(judged):
        begin, end = topic.bounds[row : row + 2].tolist()
        line = f"{name} Q0 {topic.documents[row]} {topic.relevant[row]} {topic.lengths[row]}"
        if end > begin:
            extents = zip(topic.start[begin:end].tolist(), topic.length[begin:end].tolist(), strict=True)
            line += f" {topic.bep[row]} " + " ".join(f"{start}:{length}" for start, length in extents)
        yield line


def write_qrels_json(judged: Assessments) -> bytes:
    """A judged document a line, with its gold spans."""
    _check_names(judged, Holds.JSON, Holds.JSON)
    return joined_lines(json.dumps(line, ensure_ascii=False) for line in _json_lines(judged))


def _json_lines(judged: Assessments) -> Iterator[dict[str, str | int | list[list[int]]]]:
    for name, topic, row in _rows(judged):
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


def _rows(judged: Assessments) -> Iterator[tuple[str, PassageTopic, int]]:
    for name, topic in judged.topics.items():
        if isinstance(topic, PassageTopic):
            for row in range(len(topic.documents)):
                yield name, topic, row


def _check_names(judged: Assessments, topics: Holds, documents: Holds) -> None:
    """Refuse judgements with a name that the form cannot hold, at its line."""
    for name, topic in judged.topics.items():
        if isinstance(topic, FlatTopic | PassageTopic):
            if topics.first_bad([name]) is not None:
                raise refuse(topic.path, int(topic.lines[0]) if len(topic.lines) else 1, "topic", name, topics)
            bad = documents.first_bad(topic.documents)
            if bad is not None:
                raise refuse(topic.path, int(topic.lines[topic.documents.index(bad)]), "document", bad, documents)
