"""Runs from what retrievers return."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from prum_eval.chunks.alignment import known_document
from prum_eval.chunks.names import DocumentNames
from prum_eval.chunks.places import occurrences
from prum_eval.chunks.shapes import Chunk, chunk_of
from prum_eval.chunks.sources import GivenTexts, NamedTexts, opened_texts
from prum_eval.errors import DataError, InputError
from prum_eval.formats.assessments.json_lines import write_qrels_json
from prum_eval.formats.given import PathName
from prum_eval.formats.reading import read_run
from prum_eval.formats.runs.json_lines import write_run_json
from prum_eval.records.assessments import Assessments
from prum_eval.records.run import Run
from prum_eval.text.numbers import shown
from prum_eval.text.streams import Content

_Row = dict[str, Any]


def run(
    results: Mapping[Any, Iterable[Any]],
    *,
    name: str = "run",
    texts: GivenTexts | None = None,
    tokens: Callable[[str], int] | None = None,
    document: str | None = None,
) -> Run:
    """The run of some questions, each with its results, best first.

    >>> found = run({"price": [{"doc": "fares", "start": 2, "text": "day ticket"}, ("night", 0, 13)]}, name="mine")
    >>> found
    <Run mine: 1 topic, 2 results, offsets>
    >>> from prum_eval import evaluate
    >>> gold = [{"topic": "price", "doc": "fares", "doc_length": 24, "spans": [[2, 23]]}]
    >>> evaluate(gold, found, measures="char_rec.1").runs[0].all
    {'char_rec_1': 0.47619047619047616}

    Results stay in the order in which they come, which is the ranking. Their scores are kept where they never rise in
    this order; those of stores whose distances are their scores are not. A question without results is not in the run:
    evaluations count it with `complete=True`.

    Args:
        results: of LangChain (documents, or pairs of document and score), LlamaIndex (nodes with scores), Haystack
            (documents), dictionaries, (document, start, end) or (document, start, end, score).
        name: what the run is called.
        texts: what was cut into chunks: a directory, an archive, JSON Lines with `doc` and `text`, `{document: text}`
            or the documents of the framework. Documents are then called as they are there, and results that do not say
            where they begin, or say something wrong, are looked for.
        tokens: how many tokens a text has, for results that do not say it.
        document: the key of a result, or of its metadata, that names its document, if it is none of the usual.

    Raises:
        DataError: naming the question and the rank of a result that is none, or whose place cannot be told.
        InputError: a text cannot be read.
    """
    rows = [
        (f"{name}: question {shown(str(topic))}, result {rank}", str(topic), chunk_of(result, document), result)
        for topic, listed in results.items()
        for rank, result in enumerate(listed, 1)
    ]
    chunks: list[tuple[str, str, Chunk]] = []
    for where, topic, chunk, result in rows:
        if chunk is None:
            raise DataError(f"{where}: expected a chunk, found {shown(repr(result))}")
        chunks.append((where, topic, chunk))
    if texts is not None:
        with opened_texts(texts, document=document) as source:
            chunks = _placed(chunks, source)
    lines = [_line(where, topic, chunk, tokens) for where, topic, chunk in chunks]
    if not _descending(lines):
        lines = [{key: value for key, value in line.items() if key != "score"} for line in lines]
    if not lines:
        raise DataError(f"{name}: there are no results")
    text = "".join(f"{json.dumps({**line, 'run': name})}\n" for line in lines)
    try:
        return read_run(Content(name, text.encode()))
    except InputError as error:
        where = chunks[(error.line or 1) - 1][0]
        raise DataError(f"{where}: {error.reason}") from error


def write_run(run: Run, path: PathName) -> None:
    """Write a run of chunks as JSON Lines."""
    Path(path).write_bytes(write_run_json(run))


def write_gold(gold: Assessments, path: PathName) -> None:
    """Write gold spans as JSON Lines."""
    Path(path).write_bytes(write_qrels_json(gold))


def _line(where: str, topic: str, chunk: Chunk, tokens: Callable[[str], int] | None) -> _Row:
    """A result as a line of JSON."""
    if chunk.document is None:
        raise DataError(f"{where} names no document: expected a key such as source or doc; another one is document=KEY")
    if chunk.start is None or chunk.end is None:
        raise DataError(f"{where}: it is not said where it begins and ends; it is found with texts=")
    count = chunk.tokens
    if count is None and tokens is not None:
        if chunk.text is None:
            raise DataError(f"{where}: it has no text, whose tokens could be counted")
        count = int(tokens(chunk.text))
    said = {"score": chunk.score, "tokens": count}
    line = {"topic": topic, "doc": chunk.document, "start": chunk.start, "end": chunk.end}
    return {**line, **{key: value for key, value in said.items() if value is not None}}


def _descending(lines: list[_Row]) -> bool:
    """Whether all have a score, and these never rise within a topic."""
    return all("score" in line for line in lines) and all(
        one["topic"] != other["topic"] or one["score"] >= other["score"] for one, other in pairwise(lines)
    )


def _placed(chunks: list[tuple[str, str, Chunk]], source: NamedTexts) -> list[tuple[str, str, Chunk]]:
    """The same with the names that documents have in the texts, and with places that are right."""
    files = source.documents()
    names = DocumentNames(files)
    documents = [known_document(names, chunk, where) for where, _, chunk in chunks]
    found = list(chunks)
    for number in sorted(range(len(chunks)), key=documents.__getitem__):  # so that each text is read once
        where, topic, chunk = chunks[number]
        text = source.text(files[documents[number]]) or ""
        found[number] = where, topic, _at(where, chunk._replace(document=documents[number]), text)
    return found


def _at(where: str, chunk: Chunk, text: str) -> Chunk:
    """A chunk of a text at its place."""
    if chunk.start is not None and chunk.end is not None:
        there = text[chunk.start : chunk.end]
        if chunk.text is None or chunk.text == there:
            if chunk.end > len(text):
                place = f"it ends at {chunk.end}, past the end of its text of {len(text)} characters"
                raise DataError(f"{where}: {place}")
            return chunk._replace(text=there)
    places = occurrences(chunk.text or "", text)
    if len(places) == 1:
        return chunk._replace(start=places[0][0], end=places[0][1])
    document = shown(chunk.document or "")
    if not places:
        raise DataError(f"{where}: its text is not in document {document}: {shown(chunk.text or '')}")
    several = f"{len(places)} places of document {document}"
    raise DataError(f"{where}: its text stands in {several}; prum_eval.chunks.align tells chunks where they are")
