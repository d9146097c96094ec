"""Where chunks are in their documents, by their texts, where a splitter says nothing or something wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.chunks.search import SearchedText, search_document
from prum_eval.chunks.sources import Chunk, DocumentTexts, TextsInput, move_chunk, open_texts, parse_chunk
from prum_eval.errors import DataError, InputError
from prum_eval.formats.assessments_json import write_qrels_json
from prum_eval.formats.reading import PathName, read_run
from prum_eval.formats.run_json import write_run_json
from prum_eval.records import Assessments, Run
from prum_eval.tabular import RowValue, Tabular, plural
from prum_eval.text.numbers import quote_value
from prum_eval.text.streams import Content

# The documents that chunks name: by themselves, by a file, or by a path that ends so.


class DocumentNames:
    r"""Finds documents of a source by what chunks say.

    >>> names = DocumentNames({"tickets": "tickets.txt", "faq/index": "faq/index.html"})
    >>> names.find("tickets"), names.find("/home/me/docs/tickets.txt"), names.find(r"C:\docs\faq\index.pdf")
    ('tickets', 'tickets', 'faq/index')
    """

    def __init__(self, documents: Mapping[str, str]) -> None:
        self._known = {**{file: name for name, file in documents.items()}, **{name: name for name in documents}}

    def find(self, said: str) -> str | None:
        """The document that a name or path means: the longest end of it that is known, else without the file's suffix.

        None where there is none.
        """
        if said in self._known:
            return self._known[said]
        path = PurePosixPath(said.replace("\\", "/"))
        ways = (path, path.with_suffix("")) if path.name else ()
        ends = ("/".join(way.parts[number:]) for way in ways for number in range(len(way.parts)))
        return next((self._known[end] for end in ends if end in self._known), None)


# Where the texts of chunks stand in their documents.


_REPLACEMENT_CHARACTER = "\ufffd"  # what decoders of tokens put where a character was cut in two
_MAX_OCCURRENCES = 200  # places of a chunk that are weighed against each other

_Extent = tuple[int, int]
"""Start and end."""


def find_occurrences(chunk: str, text: str) -> list[_Extent]:
    """Where a chunk stands in a text: exactly, else without characters that were cut at its ends, else folded."""
    for part in dict.fromkeys((chunk, chunk.strip(_REPLACEMENT_CHARACTER))):
        found: list[_Extent] = []
        place = text.find(part) if part else -1
        while place >= 0 and len(found) < _MAX_OCCURRENCES:
            found.append((place, place + len(part)))
            place = text.find(part, place + 1)
        if found:
            return found
    words = chunk.strip(_REPLACEMENT_CHARACTER).strip()
    if not words:
        return []
    sought = SearchedText(words)
    search_document([sought], "", text)
    return [(place.start, place.end) for place in sought.folded[:_MAX_OCCURRENCES]]


def choose_places(places: Sequence[Sequence[_Extent]], length: int, said: Sequence[int | None]) -> list[_Extent]:
    """Of several chunks of a text, cut one after the other, the place of each among those where it stands.

    Chosen so that the sum of the squares of all gaps and overlaps is least, for splitters overlap evenly. A gap counts
    no more than the longer of the two chunks, but one of the whole text for a step back, of two for none at all. Among
    equal sums that with most chunks where they are said to begin.
    """
    begin = end = np.zeros(1, dtype=np.int64)
    cost = np.zeros(1)
    before: list[IntArray] = []  # for each place of a chunk, which of the one before leads there
    for number, some in enumerate(places):
        starts, ends = np.array(some, dtype=np.int64).reshape(-1, 2).T
        back = starts < begin[:, None]
        same = (starts == begin[:, None]) & (ends == end[:, None]) if number else np.zeros_like(back)
        longer = np.maximum(ends - starts, (end - begin)[:, None])
        gaps = np.where(back | same, (length + 1) * (1 + same), np.minimum(np.abs(starts - end[:, None]), longer))
        ways = cost[:, None] + gaps**2.0 + (starts != said[number]) / (len(places) + 1)
        best = ways.argmin(axis=0)
        before.append(best)
        cost = ways[best, np.arange(len(starts))]
        begin, end = starts, ends
    chosen: list[_Extent] = []
    at = int(cost.argmin())
    for some, best in zip(reversed(places), reversed(before), strict=True):
        chosen.append(some[at])
        at = int(best[at])
    return chosen[::-1]


STATE_KEPT, STATE_MENDED, STATE_LOST = "kept", "mended", "not found"


@dataclass(frozen=True, slots=True)
class AlignedChunk:
    """A chunk, with what became of it and where it is; None where that is not known."""

    chunk: Any
    state: str
    document: str
    start: int | None
    end: int | None
    stated_start: int | None  # where it was said to begin


@dataclass(frozen=True, slots=True, repr=False)
class Alignment(Tabular):
    """What `align` returns."""

    aligned_chunks: tuple[AlignedChunk, ...]

    @property
    def chunks(self) -> list[Any]:
        """The chunks, in their order: those that were mended are copies, those that were not found as they were."""
        return [one.chunk for one in self.aligned_chunks]

    def count(self, state: str) -> int:
        """How many are `kept`, `mended` or `not found`."""
        return sum(one.state == state for one in self.aligned_chunks)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a chunk."""
        for number, one in enumerate(self.aligned_chunks, 1):
            yield {
                "chunk": number,
                "doc": one.document,
                "state": one.state,
                "start": one.start,
                "end": one.end,
                "said": one.stated_start,
            }

    def _summary(self) -> str:
        states = ", ".join(f"{self.count(state)} {state}" for state in (STATE_KEPT, STATE_MENDED, STATE_LOST))
        return f"{plural(len(self.aligned_chunks), 'chunk')}: {states}"


def align(chunks: Iterable[Any], texts: TextsInput, *, document: str | None = None) -> Alignment:
    """Find where chunks are, by their texts.

    >>> pieces = [{"doc": "a", "start": -1, "text": "A day. "}, {"doc": "a", "start": 0, "text": "A day. "}]
    >>> found = align(pieces, {"a": "A day. A day. "})
    >>> found
    <Alignment: 2 chunks: 0 kept, 2 mended, 0 not found>
    >>> found.chunks[1]
    {'doc': 'a', 'start': 7, 'text': 'A day. ', 'end_index': 14}

    A chunk is looked for exactly; else without the signs that decoders put where they cut a character in two; else with
    white space, quotation marks, dashes and letter case folded. Of several places that is taken which fits the chunks
    before and after it, so chunks have to come in the order in which they were cut, each document by itself.

    Args:
        chunks: of LangChain, LlamaIndex or Haystack, or dictionaries with `doc` and `text`.
        texts: what was cut, as `prum_eval.chunks.run` takes it.
        document: the key of a chunk, or of its metadata, that names its document, if it is none of the usual.

    Raises:
        DataError: a chunk has no text, or its document is not there.
        InputError: a text cannot be read.
    """
    listed = list(chunks)
    said: dict[str, list[tuple[int, Chunk]]] = {}
    found: list[AlignedChunk | None] = [None] * len(listed)
    with open_texts(texts, document=document) as source:
        names = DocumentNames(source.documents())
        for number, chunk in enumerate(listed):
            fields = parse_chunk(chunk, document)
            if fields is None or fields.text is None:
                raise DataError(f"chunk {number + 1}: expected a chunk with its text, found {quote_value(repr(chunk))}")
            name = resolve_document(names, fields, f"chunk {number + 1}")
            said.setdefault(name, []).append((number, fields))
        for name, some in said.items():
            text = source.text(source.documents()[name]) or ""
            places = [find_occurrences(fields.text or "", text) for _, fields in some]
            starts = [fields.start for (_, fields), one in zip(some, places, strict=True) if one]
            chosen = iter(choose_places([one for one in places if one], len(text), starts))
            for (number, fields), one in zip(some, places, strict=True):
                chunk = listed[number]
                if not one:
                    found[number] = AlignedChunk(chunk, STATE_LOST, name, None, None, fields.start)
                    continue
                start, end = next(chosen)
                kept = (start, end) == (fields.start, fields.end)
                found[number] = AlignedChunk(
                    chunk if kept else move_chunk(chunk, start, end),
                    STATE_KEPT if kept else STATE_MENDED,
                    name,
                    start,
                    end,
                    fields.start,
                )
    return Alignment(tuple(one for one in found if one is not None))


def resolve_document(names: DocumentNames, fields: Chunk, where: str) -> str:
    """The document of a chunk.

    Raises:
        DataError: it names none, or one that the texts lack.
    """
    if fields.document is None:
        raise DataError(f"{where} names no document: expected a key such as source or doc; another one is document=KEY")
    name = names.find(fields.document)
    if name is None:
        raise DataError(f"{where}: document {quote_value(fields.document)} is not in the texts")
    return name


# Runs from what retrievers return.


_Row = dict[str, Any]


def run(
    results: Mapping[Any, Iterable[Any]],
    *,
    name: str = "run",
    texts: TextsInput | None = None,
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
        (
            f"{name}: question {quote_value(str(topic))}, result {rank}",
            str(topic),
            parse_chunk(result, document),
            result,
        )
        for topic, listed in results.items()
        for rank, result in enumerate(listed, 1)
    ]
    chunks: list[tuple[str, str, Chunk]] = []
    for where, topic, chunk, result in rows:
        if chunk is None:
            raise DataError(f"{where}: expected a chunk, found {quote_value(repr(result))}")
        chunks.append((where, topic, chunk))
    if texts is not None:
        with open_texts(texts, document=document) as source:
            chunks = _locate_chunks(chunks, source)
    lines = [_result_row(where, topic, chunk, tokens) for where, topic, chunk in chunks]
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


def _result_row(where: str, topic: str, chunk: Chunk, tokens: Callable[[str], int] | None) -> _Row:
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


def _locate_chunks(chunks: list[tuple[str, str, Chunk]], source: DocumentTexts) -> list[tuple[str, str, Chunk]]:
    """The same with the names that documents have in the texts, and with places that are right."""
    files = source.documents()
    names = DocumentNames(files)
    documents = [resolve_document(names, chunk, where) for where, _, chunk in chunks]
    found = list(chunks)
    for number in sorted(range(len(chunks)), key=documents.__getitem__):  # so that each text is read once
        where, topic, chunk = chunks[number]
        text = source.text(files[documents[number]]) or ""
        found[number] = where, topic, _chunk_at_place(where, chunk._replace(document=documents[number]), text)
    return found


def _chunk_at_place(where: str, chunk: Chunk, text: str) -> Chunk:
    """A chunk of a text at its place."""
    if chunk.start is not None and chunk.end is not None:
        there = text[chunk.start : chunk.end]
        if chunk.text is None or chunk.text == there:
            if chunk.end > len(text):
                place = f"it ends at {chunk.end}, past the end of its text of {len(text)} characters"
                raise DataError(f"{where}: {place}")
            return chunk._replace(text=there)
    places = find_occurrences(chunk.text or "", text)
    if len(places) == 1:
        return chunk._replace(start=places[0][0], end=places[0][1])
    document = quote_value(chunk.document or "")
    if not places:
        raise DataError(f"{where}: its text is not in document {document}: {quote_value(chunk.text or '')}")
    several = f"{len(places)} places of document {document}"
    raise DataError(f"{where}: its text stands in {several}; prum_eval.chunks.align tells chunks where they are")
