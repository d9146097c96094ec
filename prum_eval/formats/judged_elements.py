"""Judged elements, one per line: ``topic document path grade`` as text, or JSON Lines with these keys.

The grade of an element is divided by the largest grade of its file. Sizes come from the structure
(`prum_eval.collection.element_sizes`). Lines as text have the columns of TREC qrels, whose document names may look like
paths, so they are read as judged elements only if a structure is given.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import BinaryIO

import numpy as np

from prum_eval.arrays import IntArray, NarrowArray
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.formats.flat import DocumentColumns, read_integer_columns
from prum_eval.formats.run_columns import decode_names, repeated_rows
from prum_eval.records import AssessmentKind, ElementTopic
from prum_eval.text.element_paths import PATH_EXAMPLE, normalise_path
from prum_eval.text.json_lines import PLACE_KEYS, BadValueError, JsonKeys, json_objects
from prum_eval.text.lines import Vocabulary, line_blocks, without_comments
from prum_eval.text.numbers import expected_message, quote_value

_KEYS = {"topic": PLACE_KEYS["topic"], "doc": PLACE_KEYS["doc"], "path": (), "grade": ()}

ReadElements = tuple[AssessmentKind, dict[str, ElementTopic]]


def read_element_lines(stream: BinaryIO, name: str, problems: ProblemHandler) -> ReadElements:
    """Read lines ``topic document path grade``; bad lines are reported and left out."""
    paths = Vocabulary()
    blocks = without_comments(line_blocks(stream, name, problems))
    columns, grades, path = read_integer_columns(blocks, name, problems, "grade", "a judgement", paths)
    return AssessmentKind.ELEMENTS_GRADED, _make_topics(columns, path, list(paths), grades, name, problems)


def read_element_objects(stream: BinaryIO, name: str, problems: ProblemHandler) -> ReadElements:
    """Read objects ``{"topic", "doc", "path", "grade"}``; bad objects are reported and left out."""
    topics, documents, paths = Vocabulary(), Vocabulary(), Vocabulary()
    codes = array("q")
    for item in json_objects(stream, name, problems, JsonKeys(_KEYS), "a judgement"):
        try:
            grade, path = item.integer("grade"), item.name("path")
            codes.extend((topics[item.name("topic")], documents[item.name("doc")], paths[path], grade, item.line))
        except BadValueError as error:
            problems(InputError(name, item.line, str(error)))
    topic, document, path_code, grades, line = np.array(codes, dtype=np.int64).reshape(-1, 5).T
    columns = DocumentColumns(topics, topic, documents, document, line)
    return AssessmentKind.ELEMENTS_GRADED, _make_topics(columns, path_code, list(paths), grades, name, problems)


def _make_topics(
    columns: DocumentColumns,
    path: NarrowArray,
    spellings: Sequence[bytes],
    grades: NarrowArray,
    name: str,
    problems: ProblemHandler,
) -> dict[str, ElementTopic]:
    """The judged elements by topic; bad paths and elements judged twice are reported and left out."""
    topic, document, line = columns.topic, columns.document, columns.line
    topics = decode_names(columns.topics, "topic", lambda code: int(line[topic == code][0]), name, problems)
    documents = decode_names(columns.documents, "document", lambda code: int(line[document == code][0]), name, problems)
    paths = [normalise_path(spelling.decode(errors="backslashreplace")) for spelling in spellings]
    codes = Vocabulary().codes([(normal or "").encode() for normal in paths])  # equal for spellings of one path
    good = np.array([normal is not None for normal in paths], dtype=np.bool_)[path]
    for row in np.flatnonzero(~good).tolist():
        problems(InputError(name, int(line[row]), expected_message("path", PATH_EXAMPLE, spellings[path[row]])))
    for row, before in repeated_rows([topic, document, codes[path]]):
        if good[row]:
            element = (
                f"element {quote_value(paths[path[row]] or '')} of document {quote_value(documents[document[row]])}"
            )
            where = f"in topic {quote_value(topics[topic[row]])} (first on line {line[before]})"
            problems(InputError(name, int(line[row]), f"{element} is judged twice {where}"))
            good[row] = False
    ideality = np.maximum(grades, 0) / max(1, int(grades[good].max(initial=0)))

    def make_topic(rows: IntArray) -> ElementTopic:
        """The elements in these rows, which are together if they are of one document."""
        starts = np.flatnonzero(np.diff(document[rows], prepend=-1))
        unknown = np.full(len(rows), -1, dtype=np.int64)
        return ElementTopic(
            path=name,
            documents=tuple(documents[code] for code in document[rows[starts]].tolist()),
            document_lines=line[rows[starts]].astype(np.int64),
            bounds=np.append(starts, len(rows)),
            paths=tuple(paths[code] or "" for code in path[rows].tolist()),
            exhaustivity=2 * ideality[rows],
            specificity=(ideality[rows] > 0).astype(np.float64),
            size=unknown,
            rsize=unknown,
            lines=line[rows].astype(np.int64),
            entry_points=(),
            highlights=(),
        )

    pair = topic.astype(np.int64) * len(documents) + document
    _, first, number = np.unique(pair, return_index=True, return_inverse=True)
    order = np.lexsort((first[number], topic))  # documents in the order of their first lines
    order = order[good[order]]
    parts = np.split(order, np.flatnonzero(np.diff(topic[order])) + 1) if len(order) else []
    return {topics[topic[rows[0]]]: make_topic(rows) for rows in parts}
