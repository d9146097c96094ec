"""Runs and assessments from rows: a DataFrame of any library, mappings, named tuples or nested dictionaries.

The columns have the names of ir_measures, PyTerrier or pytrec_eval, or those of our JSON Lines:

======== ============================ =========================================================
column   also called                  holds
======== ============================ =========================================================
query_id ``qid``, ``topic``           the topic
doc_id   ``docno``, ``doc``           the document
score                                 of a result; without it the order of the rows is the ranking
start                                 of a passage, retrieved or highlighted, with ``length`` or ``end``
run                                   of several runs: the name of each
tokens                                of a passage, as a language model counts them; may be missing
relevance ``label``                   the grade of a document, a whole number
spans                                 of a document: highlighted passages, a list of (start, end)
doc_length                            of the document of such passages; may be missing
group                                 of their topic; may be missing
facet                                 which any of such passages satisfies; may be missing
alternative                           of a facet: passages that satisfy it together; may be missing
weight                                of a facet; may be missing
======== ============================ =========================================================

Other columns are ignored. `Evaluation.rows` returns results as rows. Nested dictionaries,
``{topic: {document: number}}``, are read by columns if they have no unusual name or number. Passages are read by the
readers of JSON Lines.

>>> run = run_from_rows([{"qid": "1", "docno": "tides", "score": 2.0}, {"qid": "1", "docno": "moon", "score": 1.0}])
>>> judged = assessments_from_rows({"1": {"moon": 1, "kites": 0}})
>>> from prum_eval import evaluate
>>> evaluate(judged, run, measures="recip_rank").runs[0].all
{'recip_rank': 0.5}
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from operator import index
from typing import Any

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.errors import DataError, InputError
from prum_eval.formats.assessment_columns import AssessmentColumns, make_topics, topic_groups
from prum_eval.formats.assessments_json import read_qrels_json
from prum_eval.formats.facets import (
    COLUMN,
    FACET_KEYS,
    WHOLE_DOCUMENT,
    FacetLines,
    FacetRow,
    assessments_with_facets,
    make_facets,
    parse_facet,
)
from prum_eval.formats.flat import DocumentColumns
from prum_eval.formats.frame_columns import (
    CONTROL_OR_BLANK,
    DOCUMENT_COLUMNS,
    FIRST_INEXACT_INTEGER,
    GRADE_COLUMNS,
    TOPIC_COLUMNS,
    FrameColumns,
    are_plain_names,
    encode_names,
    grade_columns,
    run_columns,
    run_parts,
)
from prum_eval.formats.run_columns import RankingRule, RunColumns, make_run
from prum_eval.formats.run_json import read_run_json
from prum_eval.parameters import count_tokens
from prum_eval.records import AssessmentKind, Assessments, FlatTopics, Run, RunKind
from prum_eval.tabular import DataFrameLike, is_dataframe
from prum_eval.text.json_lines import BadValueError, JsonObject
from prum_eval.text.lines import Vocabulary

_NUMBERS = {int, float, np.float64, np.float32, np.int64, np.int32}


def nested_columns(nested: Mapping[Any, Any]) -> tuple[DocumentColumns, FloatArray] | None:
    """The columns of a nested dictionary, one row per number; None if it is empty or unusual."""
    if not all(isinstance(documents, dict) for documents in nested.values()):
        return None
    filled = {topic: documents for topic, documents in nested.items() if documents}
    topics, parts = list(filled), list(filled.values())
    documents, numbers = list(chain.from_iterable(parts)), [*chain.from_iterable(map(dict.values, parts))]
    if not (numbers and are_plain_names(topics) and are_plain_names(documents) and set(map(type, numbers)) <= _NUMBERS):
        return None
    try:
        number = np.array(numbers, dtype=np.float64)
    except OverflowError:
        return None
    if not np.isfinite(number).all():
        return None
    code = dict.fromkeys(documents)
    code = dict(zip(code, range(len(code)), strict=True))
    vocabulary = Vocabulary()
    topic = np.repeat(vocabulary.codes(encode_names(topics)), [len(part) for part in parts])
    document = np.fromiter(map(code.__getitem__, documents), dtype=np.int64, count=len(documents))
    places = DocumentColumns(vocabulary, topic, encode_names(code), document, np.arange(1, len(topic) + 1))
    return places, number


Rows = DataFrameLike | Iterable[Any] | Mapping[str, Mapping[str, Any]]
"""A DataFrame, an iterable of mappings or named tuples, or ``{query: {document: score or grade}}``."""
_Row = tuple[int, Mapping[str, Any]]


def run_from_rows(rows: Rows, *, name: str = "run") -> Run:
    """A run, ranked by descending score; ties as in trec_eval 9 (passages: in the order of the rows).

    Args:
        rows: one per result; rows with a ``start`` are passages, others documents.
        name: the run's name, in results and in messages.

    Raises:
        DataError: naming the row, counted from 1.
    """
    columns = run_columns(rows) if is_dataframe(rows) else None
    if columns is not None:
        return _run_of_columns(columns, name, name)
    return _nested_run(rows, name) or _run_of_rows(list(_numbered_rows(rows, "score", name)), name, name)


def runs_from_rows(rows: Rows, *, name: str = "run", count_text: Callable[[str], int] | None = None) -> list[Run]:
    """One run per name in the column ``run``, as by `run_from_rows`; without the column one run with that name.

    Args:
        rows: as `run_from_rows` takes them.
        name: likewise.
        count_text: counts the tokens of rows with a ``text`` and without ``tokens``.

    Raises:
        DataError: naming the row, counted from 1.
    """
    nested = _nested_run(rows, name)
    if nested is not None:
        return [nested]
    if is_dataframe(rows) and count_text is None:
        if "run" in set(rows.columns):
            if (parts_of_runs := run_parts(rows)) is not None:
                return [_run_of_columns(columns, run, name) for run, columns in parts_of_runs]
        elif (only := run_columns(rows)) is not None:
            return [_run_of_columns(only, name, name)]
    numbered = list(_numbered_rows(rows, "score", name))
    if count_text is not None:
        numbered = [(number, _with_tokens(row, count_text, f"{name}: row {number}")) for number, row in numbered]
    if not numbered or "run" not in numbered[0][1]:
        return [_run_of_rows(numbered, name, name)]
    parts: dict[str, list[_Row]] = {}
    for number, row in numbered:
        run = row.get("run")
        if not isinstance(run, str) or not run or not run.isprintable():
            raise _row_error(name, number, f"run: expected a name, found {run!r}")
        parts.setdefault(run, []).append((number, row))
    return [_run_of_rows(part, run, name) for run, part in parts.items()]


def _with_tokens(row: Mapping[str, Any], count_text: Callable[[str], int], where: str) -> Mapping[str, Any]:
    """The row with the number of tokens of its text, if it has a text and none."""
    tokens = row.get("tokens")
    has_tokens = tokens is not None and _column_value("tokens", tokens) is not None
    if has_tokens or not isinstance(row.get("text"), str):
        return row
    return {**row, "tokens": count_tokens(count_text, row["text"], where=where)}


def _nested_run(rows: Rows, name: str) -> Run | None:
    """The run of a usual nested dictionary; None for any other rows."""
    columns = nested_columns(rows) if isinstance(rows, Mapping) else None
    return None if columns is None else _flat_run(*columns, name, name)


def _run_of_columns(columns: FrameColumns, run_id: str, name: str) -> Run:
    """The run of a DataFrame; `name` is that of the table, for messages."""
    if "start" in columns.numbers:
        return _read_passages(columns.json_lines(run_id), np.asarray(columns.places.line), name)
    score = columns.numbers.get("score")
    return _flat_run(columns.places, None if score is None else score.astype(np.float64), run_id, name)


def _run_of_rows(rows: list[_Row], run_id: str, name: str) -> Run:
    """The run of some rows; `name` is that of the table, for messages."""
    if rows and "start" in rows[0][1]:
        return _passage_run(rows, run_id, name)
    score = None
    if any(row.get("score") is not None for _, row in rows):
        score = np.array([_number(row, number, ("score",), name) for number, row in rows], dtype=np.float64)
    return _flat_run(_row_codes(rows, name), score, run_id, name)


def _flat_run(codes: DocumentColumns, score: FloatArray | None, run_id: str, name: str) -> Run:
    """The run of these rows, ranked by score, else in their order."""
    topics, topic, documents, document, line = codes
    rule = RankingRule(None)
    if score is not None:
        rule = RankingRule(-score, np.ones(len(line), dtype=bool), documents_descending=True)
    else:
        score = np.full(len(line), np.nan)
    none, exists = np.full(len(line), -1, dtype=np.int64), np.ones(len(line), dtype=bool)
    columns = RunColumns(
        name, run_id.encode(), RunKind.FLAT, topics, documents, Vocabulary(),
        topic, document, none, none, none, none, exists, score, line,
    )  # fmt: skip
    return make_run(columns, rule, _raise_row_error, one_block=False)


def _passage_run(rows: list[_Row], run_id: str, name: str) -> Run:
    keys = ("start", "end", "length", "score", "tokens")
    numbers = np.array([number for number, _ in rows], dtype=np.int64)
    return _read_passages(_json_lines(rows, keys, name, {"run": run_id}), numbers, name)


def _read_passages(lines: io.BytesIO, numbers: IntArray, name: str) -> Run:
    """The run of some JSON Lines; `numbers`: the row of each line."""

    def raise_row_error(error: InputError) -> None:
        """Raise the error with numbers of rows instead of lines."""
        reason = re.sub(r"\bline (\d+)", lambda match: f"row {numbers[int(match[1]) - 1]}", error.reason)
        raise _row_error(name, int(numbers[int(error.line or 1) - 1]), reason)

    (run,) = read_run_json(lines, name, None, raise_row_error)
    return replace(run, line=numbers[run.line - 1])


def assessments_from_rows(rows: Rows, *, name: str = "assessments", facets: str | None = None) -> Assessments:
    """Assessments of documents, or with ``spans`` of passages.

    Args:
        rows: one per judged document, or with ``start`` one per highlighted passage.
        name: name in messages.
        facets: as `prum_eval.evaluate` takes it; column reads ``iteration``, as ir_measures calls the second column.

    Raises:
        DataError: naming the row, counted from 1.
        UsageError: there is no such column.
    """
    judged = _assessments_of_rows(rows, name, facets)
    if facets is None:
        return judged
    return assessments_with_facets(judged, facets)


def _assessments_of_rows(rows: Rows, name: str, facets: str | None) -> Assessments:
    nested = nested_columns(rows) if isinstance(rows, Mapping) else None
    if nested is not None and ((nested[1] == np.floor(nested[1])) & (abs(nested[1]) < FIRST_INEXACT_INTEGER)).all():
        return _flat_assessments(nested[0], nested[1].astype(np.int64), name)
    graded = grade_columns(rows) if facets is None and is_dataframe(rows) else None
    if graded is not None:
        return _flat_assessments(*graded, name)
    numbered = list(_numbered_rows(rows, "relevance", name))
    if not numbered:
        raise DataError(f"{name}: there are no rows")
    if not {"spans", "start"}.isdisjoint(numbered[0][1]):
        keys = ("start", "end", "length", "doc_length", "spans", "bep", "group", *FACET_KEYS)
        lines = _json_lines(numbered, keys, name, {})
        kind, judged = read_qrels_json(lines, name, _raise_row_error)
        return Assessments(name, kind, judged, topic_groups(judged))
    grades = np.array(
        [_number(row, number, GRADE_COLUMNS, name, whole=True) for number, row in numbered], dtype=np.int64
    )
    declared = tuple(FACET_KEYS) if any(row.get("facet") is not None for _, row in numbered) else ()
    if facets == COLUMN and not declared and "iteration" in numbered[0][1]:
        numbered = [(number, {**row, "facet": row.get("iteration")}) for number, row in numbered]
        declared = ("facet",)
    codes = _row_codes(numbered, name)
    return (
        _faceted_assessments(numbered, codes, grades, name, declared)
        if declared
        else _flat_assessments(codes, grades, name)
    )


def _faceted_assessments(
    rows: list[_Row], codes: DocumentColumns, grades: IntArray, name: str, keys: Container[str]
) -> Assessments:
    """Graded documents of rows that name facets; `keys`: columns that declare them."""
    facets, labels, label = FacetLines(), dict[tuple[str | None, str | None], int](), []
    names = list(codes.topics)
    for (number, row), topic in zip(rows, codes.topic.tolist(), strict=True):
        cells = {key: _column_value(key, row[key]) for key in FACET_KEYS if key in keys and key in row}
        values = {key: cell.tolist() if hasattr(cell, "tolist") else cell for key, cell in cells.items()}
        item = JsonObject(number, {key: value for key, value in values.items() if value is not None})
        try:
            facet, alternative, weight = parse_facet(item)
            if facet is not None:
                facets.declare(names[topic], number, facet, alternative, weight)
        except BadValueError as error:
            _raise_row_error(InputError(name, number, str(error)))
        label.append(labels.setdefault((facet, alternative), len(labels)))
    columns = AssessmentColumns(codes.topics, codes.documents, [codes.topic], [codes.document], [codes.line], [grades])
    columns.labels, columns.label = [b""] * len(labels), np.array(label, dtype=np.int64)
    kind, topics = make_topics(AssessmentKind.FLAT, columns, name, _raise_row_error)
    assert isinstance(topics, FlatTopics)  # noqa: S101 - that kind makes them
    by_topic: dict[int, list[FacetRow]] = {}
    numbers: dict[int, dict[int, int]] = {}  # of documents, by topic
    chosen = list(labels)
    columns_of_rows = zip(codes.topic.tolist(), codes.document.tolist(), codes.line.tolist(), label, strict=True)
    for (topic, document, line, code), grade in zip(columns_of_rows, grades.tolist(), strict=True):
        if names[topic] in facets.topics:
            known = numbers.setdefault(topic, {})
            place = known.setdefault(document, len(known))
            by_topic.setdefault(topic, []).append(FacetRow(line, place, *WHOLE_DOCUMENT, *chosen[code], grade))
    made = {names[topic].decode(): make_facets(each, facets.weights(names[topic])) for topic, each in by_topic.items()}
    return Assessments(name, kind, replace(topics, facets=made, labelled=None))


def _flat_assessments(codes: DocumentColumns, grades: IntArray, name: str) -> Assessments:
    topics, topic, documents, document, line = codes
    columns = AssessmentColumns(topics, documents, [topic], [document], [line], [grades])
    return Assessments(name, *make_topics(AssessmentKind.FLAT, columns, name, _raise_row_error))


def _numbered_rows(rows: Any, value: str, name: str) -> Iterator[_Row]:  # noqa: ANN401 -- of any type
    """The rows with their numbers, from 1; `value` is the column in nested dictionaries."""
    if isinstance(rows, Mapping):
        yield from enumerate(_flattened(rows, value, name), 1)
    elif is_dataframe(rows):
        names = list(rows.columns)
        columns = [list(rows[column]) for column in names]
        for number, row in enumerate(zip(*columns, strict=True), 1):
            yield number, dict(zip(names, row, strict=True))
    elif not isinstance(rows, Iterable):
        raise DataError(f"{name}: expected a DataFrame, rows or {{query: {{document: {value}}}}}, found {rows!r}")
    else:
        for number, row in enumerate(rows, 1):
            if not isinstance(row, Mapping) and not hasattr(row, "_asdict"):
                raise _row_error(name, number, f"expected a mapping or a named tuple, found {row!r}")
            yield number, row if isinstance(row, Mapping) else row._asdict()


def _flattened(nested: Mapping[Any, Any], value: str, name: str) -> Iterator[Mapping[str, Any]]:
    for query, documents in nested.items():
        if not isinstance(documents, Mapping):
            raise DataError(
                f"{name}: expected {{query: {{document: {value}}}}}, found {documents!r} for query {query!r}"
            )
        for document, number in documents.items():
            yield {"query_id": query, "doc_id": document, value: number}


def _row_codes(rows: list[_Row], name: str) -> DocumentColumns:
    """Codes of the topics and documents of rows."""
    topics, documents = Vocabulary(), Vocabulary()
    topic = topics.codes([_name(row, number, TOPIC_COLUMNS, name) for number, row in rows])
    document = documents.codes([_name(row, number, DOCUMENT_COLUMNS, name) for number, row in rows])
    line = np.array([number for number, _ in rows], dtype=np.int64)
    return DocumentColumns(topics, topic, documents, document, line)


def _value(row: Mapping[str, Any], number: int, keys: tuple[str, ...], name: str) -> Any:  # noqa: ANN401
    for key in keys:
        if key in row:
            return row[key]
    raise _row_error(name, number, f"there is no {' or '.join(keys)}")


def _name(row: Mapping[str, Any], number: int, keys: tuple[str, ...], name: str) -> bytes:
    """A topic or document; a whole number counts as its digits, because DataFrames convert them."""
    value = _value(row, number, keys, name)
    text = value if isinstance(value, str) else _digits(value)
    if not text or CONTROL_OR_BLANK.search(text):
        raise _row_error(name, number, f"{keys[0]}: expected a name without blanks, found {value!r}")
    return text.encode(errors="backslashreplace")


def _digits(value: Any) -> str:  # noqa: ANN401
    try:
        return "" if isinstance(value, bool) else str(index(value))
    except TypeError:
        return ""


def _number(row: Mapping[str, Any], number: int, keys: tuple[str, ...], name: str, *, whole: bool = False) -> float:
    value = _value(row, number, keys, name)
    try:
        result = math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        result = math.nan
    if not math.isfinite(result) or (whole and (result != int(result) or abs(result) >= FIRST_INEXACT_INTEGER)):
        kind = "whole" if whole else "finite"
        raise _row_error(name, number, f"{keys[0]}: expected a {kind} number, found {value!r}")
    return result


def _json_lines(rows: list[_Row], keys: tuple[str, ...], name: str, constants: Mapping[str, str]) -> io.BytesIO:
    """The rows as JSON Lines, one line per row."""
    lines = []
    for number, row in rows:
        names = {"topic": _name(row, number, TOPIC_COLUMNS, name), "doc": _name(row, number, DOCUMENT_COLUMNS, name)}
        texts = {key: text.decode() for key, text in names.items()}
        values = {key: _column_value(key, row[key]) for key in keys if row.get(key) is not None}
        values = {key: value for key, value in values.items() if value is not None}
        lines.append(json.dumps({**texts, **values, **constants}, default=_json_value))
    return io.BytesIO("\n".join([*lines, ""]).encode())


def _column_value(key: str, value: Any) -> Any:  # noqa: ANN401 -- of any type
    """The value of a column; of facets and tokens as DataFrames have them: None for NaN, 1 for 1.0."""
    if key not in (*FACET_KEYS, "tokens") or not isinstance(value, float | np.floating):
        return value
    if math.isnan(value):
        return None
    return int(value) if key != "weight" and value == np.floor(value) else float(value)


def _json_value(value: Any) -> Any:  # noqa: ANN401
    """A numpy array or number as JSON values; anything else as text, for messages."""
    return value.tolist() if hasattr(value, "tolist") else repr(value)


def _raise_row_error(problem: InputError) -> None:
    """Raise a problem of a line as one of a row."""
    reason = re.sub(r"\bline (\d+)", r"row \1", problem.reason)
    if problem.line is None:
        raise DataError(f"{problem.path}: {reason}")
    raise _row_error(problem.path, problem.line, reason)


def _row_error(name: str, number: int, reason: str) -> DataError:
    return DataError(f"{name}: row {number}: {reason}")
