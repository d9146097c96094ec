"""Results and grades of documents as columns, and the forms that hold nothing else.

* BEIR qrels: lines ``query document grade`` below the header ``query-id corpus-id score``.
* MS MARCO runs: lines ``topic document rank``.
* Runs and qrels as one JSON object, ``{topic: {document: number}}``, on one line or indented.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import BinaryIO, NamedTuple

import numpy as np

from prum_eval.arrays import FloatArray, GrowingColumn, NarrowArray
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.formats.assessment_columns import AssessmentColumns, make_topics
from prum_eval.formats.format import RankBy
from prum_eval.formats.registry import BEIR_HEADER
from prum_eval.formats.run_columns import RankingRule, RunColumns, make_run, run_name_of_file
from prum_eval.records import AssessmentKind, FlatTopics, PassageTopic, Run, RunKind
from prum_eval.text.lines import (
    BlankLines,
    LineBlock,
    PlainTable,
    Vocabulary,
    fast_table,
    line_blocks,
    without_comments,
)
from prum_eval.text.names import NameColumn
from prum_eval.text.nested_json import NestedReader
from prum_eval.text.numbers import expected_message, parse_integer
from prum_eval.text.streams import read_all_text

_TOPIC, _DOCUMENT, _PATH = range(3)

ReadTopics = tuple[AssessmentKind, FlatTopics | dict[str, PassageTopic]]


class DocumentColumns(NamedTuple):
    """Codes of topic and document per row, with their names; and the line of each row."""

    topics: Collection[bytes]
    topic: NarrowArray
    documents: Collection[bytes]
    document: NarrowArray
    line: NarrowArray


def make_flat_run(
    columns: DocumentColumns,
    rule: RankingRule,
    score: FloatArray | None,
    run_id: bytes,
    name: str,
    problems: ProblemHandler,
) -> Run:
    """The run of these documents; without scores they are NaN."""
    topics, topic, documents, document, line = columns
    none, exists = np.broadcast_to(np.int64(-1), len(line)), np.broadcast_to(np.True_, len(line))
    score = np.full(len(line), np.nan) if score is None else score
    run = RunColumns(
        name, run_id, RunKind.FLAT, topics, documents, Vocabulary(),
        topic, document, none, none, none, none, exists, score, line,
    )  # fmt: skip
    return make_run(run, rule, problems, one_block=False)


def make_flat_topics(columns: DocumentColumns, grades: NarrowArray, name: str, problems: ProblemHandler) -> ReadTopics:
    """The graded documents by topic."""
    topics, topic, documents, document, line = columns
    parts = AssessmentColumns(topics, documents, [topic], [document], [line], [grades])
    return make_topics(AssessmentKind.FLAT, parts, name, problems)


def trec_rule(score: FloatArray) -> RankingRule:
    """Ranking by score, ties by document, both descending."""
    return RankingRule(-score, np.broadcast_to(np.True_, len(score)), documents_descending=True)


# Three columns.


def read_qrels_beir(stream: BinaryIO, name: str, problems: ProblemHandler) -> ReadTopics:
    """Read lines ``query document grade`` below a header."""
    blocks = _without_header(without_comments(line_blocks(stream, name, problems)))
    columns, grades, _ = read_integer_columns(blocks, name, problems, "score", "a judgement")
    return make_flat_topics(columns, grades, name, problems)


def read_run_ranks(stream: BinaryIO, name: str, rank_by: RankBy | None, problems: ProblemHandler) -> Run:
    """Read lines ``topic document rank``; the rank decides the order, equal ranks stay as in the file."""
    if rank_by is RankBy.SCORE:
        problems(InputError(name, 1, "three columns have no score to rank by"))
    blocks = without_comments(line_blocks(stream, name, problems))
    columns, ranks, _ = read_integer_columns(blocks, name, problems, "rank", "a result")
    rule = RankingRule(None if rank_by is RankBy.FILE else ranks.astype(np.float64))
    return make_flat_run(columns, rule, None, run_name_of_file(name), name, problems)


def _without_header(blocks: Iterator[LineBlock]) -> Iterator[LineBlock]:
    """The first block without the header, and the other blocks."""
    for block in islice(blocks, 1):
        yield _without_first_header(block)
    yield from blocks


def _without_first_header(block: LineBlock) -> LineBlock:
    begin = len(block.text) - len(block.text.lstrip())
    end = block.text.find(b"\n", begin) + 1
    if block.text[begin:end].split() != BEIR_HEADER:
        return block
    lines = block.text.count(b"\n", 0, end)
    return LineBlock(block.first_line + lines, block.lines - lines, block.text[end:])


def read_integer_columns(
    blocks: Iterator[LineBlock],
    name: str,
    problems: ProblemHandler,
    field: str,
    content: str,
    paths: Vocabulary | None = None,
) -> tuple[DocumentColumns, NarrowArray, NarrowArray]:
    """Columns, integers and codes of paths of lines ``topic document integer``; bad lines are reported and left out.

    Args:
        blocks: the lines.
        name: name of the input, for messages.
        problems: receives the reports.
        field: what the integer is, for messages.
        content: what a line is, for messages.
        paths: of lines ``topic document path integer`` receives the paths.
    """
    width = 3 if paths is None else 4
    topics, documents = NameColumn(), NameColumn()
    line, numbers, path = GrowingColumn(), GrowingColumn(), GrowingColumn()
    blanks = BlankLines(name, problems, content)

    def reason(cells: list[bytes]) -> str | None:
        if len(cells) != width:
            return f"expected {width} columns as in the lines before, found {len(cells)}"
        return None if parse_integer(cells[-1]) is not None else expected_message(field, "an integer", cells[-1])

    def valid_lines(block: LineBlock) -> PlainTable:
        rows, lines = [], []
        for number, text in block.numbered_lines() if block.text else ():
            if blanks.skip(number, text):
                continue
            cells = text.split()
            problem = reason(cells)
            if problem is not None:
                problems(InputError(name, number, problem))
                continue
            rows.append(cells)
            lines.append(number)
        return PlainTable(rows, np.array(lines, dtype=np.int64))

    for block in blocks:
        fast = None if blanks.pending or not block.text else fast_table(block, width)
        table = fast if fast is not None and fast.integers(width - 1) is not None else valid_lines(block)
        values = table.integers(width - 1) if len(table) else None
        if values is not None:
            topics.add(table.name_column(_TOPIC))
            documents.add(table.name_column(_DOCUMENT))
            line.add(table.lines)
            numbers.add(values)
            if paths is not None:
                path.add(paths.codes(table.cells(_PATH)))
    columns = DocumentColumns(*topics.encode(), *documents.encode(), line.take_array())
    return columns, numbers.take_array(), path.take_array()


# JSON.


def read_run_object(stream: BinaryIO, name: str, rank_by: RankBy | None, problems: ProblemHandler) -> Run:
    """Read ``{topic: {document: score}}``, ranked by score as TREC runs are."""
    if rank_by is RankBy.RANK:
        problems(InputError(name, 1, "a JSON object has no rank to rank by"))
    columns, score = _read_object(stream, name, problems, "score")
    rule = RankingRule(None) if rank_by is RankBy.FILE else trec_rule(score)
    return make_flat_run(columns, rule, score, run_name_of_file(name), name, problems)


def read_qrels_object(stream: BinaryIO, name: str, problems: ProblemHandler) -> ReadTopics:
    """Read ``{topic: {document: grade}}``."""
    columns, grades = _read_object(stream, name, problems, "grade", whole=True)
    return make_flat_topics(columns, grades.astype(np.int64), name, problems)


def _read_object(
    stream: BinaryIO, name: str, problems: ProblemHandler, value: str, *, whole: bool = False
) -> tuple[DocumentColumns, FloatArray]:
    try:
        text = read_all_text(stream, name)
    except InputError as problem:
        problems(problem)
        text = "{}"
    read = NestedReader(text, name, problems, ("topic", "document", value), whole=whole).read()
    topics, documents = Vocabulary(), Vocabulary()
    topic = np.repeat(topics.codes(read.outer), read.sizes)
    columns = DocumentColumns(topics, topic, documents, documents.codes(read.inner), np.array(read.lines, np.int64))
    return columns, np.array(read.numbers, dtype=np.float64)
