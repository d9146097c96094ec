"""Places of chunks in their documents, and runs from the results of retrievers.

`align` finds chunks by their texts if a splitter states no place or a wrong one; `run` makes a run of the results of a
framework. A chunk may name its document by the name in the texts, by a file, or by a path that ends in either.
"""

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
from prum_eval.errors import DataError, InputError, UsageError
from prum_eval.formats.assessments_json import write_qrels_json
from prum_eval.formats.reading import PathName, read_run
from prum_eval.formats.run_json import write_run_json
from prum_eval.parameters import count_tokens
from prum_eval.records import Assessments, Run
from prum_eval.tabular import RowValue, Tabular, plural
from prum_eval.text.numbers import quote_value
from prum_eval.text.streams import Content

_REPLACEMENT_CHARACTER = "\ufffd"  # of decoders for a character that is cut in two
_MAX_OCCURRENCES = 200  # compared places per chunk
STATE_KEPT, STATE_MENDED, STATE_LOST = "kept", "mended", "not found"
_NO_DOCUMENT = "names no document: expected a key such as source or doc; another one is document=KEY"

_Extent = tuple[int, int]
"""Start and end."""
_Row = dict[str, Any]


class DocumentNames:
    r"""Lookup of the documents of a source by names and paths.

    >>> names = DocumentNames({"tickets": "tickets.txt", "faq/index": "faq/index.html"})
    >>> names.find("tickets"), names.find("/home/me/docs/tickets.txt"), names.find(r"C:\docs\faq\index.pdf")
    ('tickets', 'tickets', 'faq/index')
    """

    def __init__(self, documents: Mapping[str, str]) -> None:
        self._names = {**{file: name for name, file in documents.items()}, **{name: name for name in documents}}

    def find(self, name: str) -> str | None:
        """Document of a name or path: by its longest known end, else without the suffix; None if unknown."""
        if name in self._names:
            return self._names[name]
        path = PurePosixPath(name.replace("\\", "/"))
        candidates = (path, path.with_suffix("")) if path.name else ()
        ends = ("/".join(candidate.parts[n:]) for candidate in candidates for n in range(len(candidate.parts)))
        return next((self._names[end] for end in ends if end in self._names), None)

    def resolve(self, chunk: Chunk, where: str) -> str:
        """Document of a chunk.

        Raises:
            DataError: it names none, or one that the texts lack.
        """
        if chunk.document is None:
            raise DataError(f"{where} {_NO_DOCUMENT}")
        name = self.find(chunk.document)
        if name is None:
            raise DataError(f"{where}: document {quote_value(chunk.document)} is not in the texts")
        return name


def find_occurrences(chunk: str, text: str) -> list[_Extent]:
    """Places of a chunk in a text: exact, else without cut characters at its ends, else folded."""
    for part in dict.fromkeys((chunk, chunk.strip(_REPLACEMENT_CHARACTER))):
        extents: list[_Extent] = []
        place = text.find(part) if part else -1
        while place >= 0 and len(extents) < _MAX_OCCURRENCES:
            extents.append((place, place + len(part)))
            place = text.find(part, place + 1)
        if extents:
            return extents
    words = chunk.strip(_REPLACEMENT_CHARACTER).strip()
    if not words:
        return []
    searched = SearchedText(words)
    search_document([searched], "", text)
    return [(place.start, place.end) for place in searched.folded[:_MAX_OCCURRENCES]]


def choose_places(
    places: Sequence[Sequence[_Extent]], length: int, stated_starts: Sequence[int | None]
) -> list[_Extent]:
    """Most likely place of each of several successive chunks of a text.

    The sum of squares of all gaps and overlaps is minimal, as splitters overlap evenly. A gap counts at most the length
    of the longer chunk, a step back the whole text, no step twice that. Among equal sums, most chunks begin at their
    stated starts.

    Args:
        places: possible places of each chunk.
        length: length of the text.
        stated_starts: start of each chunk according to its splitter.
    """
    begin = end = np.zeros(1, dtype=np.int64)
    cost = np.zeros(1)
    predecessors: list[IntArray] = []  # per chunk: for each of its places, the best place of the previous chunk
    for number, extents in enumerate(places):
        starts, ends = np.array(extents, dtype=np.int64).reshape(-1, 2).T
        back = starts < begin[:, None]
        same = (starts == begin[:, None]) & (ends == end[:, None]) if number else np.zeros_like(back)
        longer = np.maximum(ends - starts, (end - begin)[:, None])
        gaps = np.where(back | same, (length + 1) * (1 + same), np.minimum(np.abs(starts - end[:, None]), longer))
        costs = cost[:, None] + gaps**2.0 + (starts != stated_starts[number]) / (len(places) + 1)
        best = costs.argmin(axis=0)
        predecessors.append(best)
        cost = costs[best, np.arange(len(starts))]
        begin, end = starts, ends
    chosen: list[_Extent] = []
    index = int(cost.argmin())
    for extents, best in zip(reversed(places), reversed(predecessors), strict=True):
        chosen.append(extents[index])
        index = int(best[index])
    return chosen[::-1]


@dataclass(frozen=True, slots=True)
class AlignedChunk:
    """A chunk with its state and place; None if unknown."""

    chunk: Any
    state: str
    document: str
    start: int | None
    end: int | None
    stated_start: int | None  # according to the splitter


@dataclass(frozen=True, slots=True, repr=False)
class Alignment(Tabular):
    """Result of `align`."""

    aligned_chunks: tuple[AlignedChunk, ...]

    @property
    def chunks(self) -> list[Any]:
        """The chunks in their order; mended ones are copies, missing ones are unchanged."""
        return [aligned.chunk for aligned in self.aligned_chunks]

    def count(self, state: str) -> int:
        """Number of chunks with a state: `kept`, `mended` or `not found`."""
        return sum(aligned.state == state for aligned in self.aligned_chunks)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per chunk."""
        for number, aligned in enumerate(self.aligned_chunks, 1):
            yield {
                "chunk": number,
                "doc": aligned.document,
                "state": aligned.state,
                "start": aligned.start,
                "end": aligned.end,
                "said": aligned.stated_start,
            }

    def _summary(self) -> str:
        states = ", ".join(f"{self.count(state)} {state}" for state in (STATE_KEPT, STATE_MENDED, STATE_LOST))
        return f"{plural(len(self.aligned_chunks), 'chunk')}: {states}"


def align(chunks: Iterable[Any], texts: TextsInput, *, document: str | None = None) -> Alignment:
    """Find the places of chunks by their texts.

    >>> pieces = [{"doc": "a", "start": -1, "text": "A day. "}, {"doc": "a", "start": 0, "text": "A day. "}]
    >>> found = align(pieces, {"a": "A day. A day. "})
    >>> found
    <Alignment: 2 chunks: 0 kept, 2 mended, 0 not found>
    >>> found.chunks[1]
    {'doc': 'a', 'start': 7, 'text': 'A day. ', 'end_index': 14}

    A chunk is searched exactly; else without the replacement characters of decoders that cut a character in two; else
    with white space, quotation marks, dashes and letter case folded. Of several places the one that fits the previous
    and next chunks is taken, so the chunks of a document must be in the order in which they were cut.

    Args:
        chunks: of LangChain, LlamaIndex or Haystack, or dictionaries with `doc` and `text`.
        texts: the documents, as for `prum_eval.chunks.run`.
        document: key of a chunk or of its metadata that names its document, if it is not a usual one.

    Raises:
        DataError: a chunk has no text, or its document does not exist.
        InputError: a text cannot be read.
    """
    original = list(chunks)
    by_document: dict[str, list[tuple[int, Chunk]]] = {}
    aligned: dict[int, AlignedChunk] = {}
    with open_texts(texts, document=document) as source:
        files = source.documents()
        names = DocumentNames(files)
        for number, chunk in enumerate(original):
            fields = parse_chunk(chunk, document)
            if fields is None or fields.text is None:
                raise DataError(f"chunk {number + 1}: expected a chunk with its text, found {quote_value(repr(chunk))}")
            name = names.resolve(fields, f"chunk {number + 1}")
            by_document.setdefault(name, []).append((number, fields))
        for name, parsed in by_document.items():
            text = source.text(files[name]) or ""
            places = [find_occurrences(fields.text or "", text) for _, fields in parsed]
            starts = [fields.start for (_, fields), extents in zip(parsed, places, strict=True) if extents]
            chosen = iter(choose_places([extents for extents in places if extents], len(text), starts))
            for (number, fields), extents in zip(parsed, places, strict=True):
                chunk = original[number]
                if not extents:
                    aligned[number] = AlignedChunk(chunk, STATE_LOST, name, None, None, fields.start)
                    continue
                start, end = next(chosen)
                state = STATE_KEPT if (start, end) == (fields.start, fields.end) else STATE_MENDED
                if state == STATE_MENDED:
                    chunk = move_chunk(chunk, start, end)
                aligned[number] = AlignedChunk(chunk, state, name, start, end, fields.start)
    return Alignment(tuple(aligned[number] for number in range(len(original))))


def run(
    results: Mapping[Any, Iterable[Any]],
    *,
    name: str = "run",
    texts: TextsInput | None = None,
    tokens: Callable[[str], int] | None = None,
    document: str | None = None,
) -> Run:
    """Run of some questions, each with its results, best first.

    >>> found = run({"price": [{"doc": "fares", "start": 2, "text": "day ticket"}, ("night", 0, 13)]}, name="mine")
    >>> found
    <Run mine: 1 topic, 2 results, offsets>
    >>> from prum_eval import evaluate
    >>> relevant = [{"topic": "price", "doc": "fares", "doc_length": 24, "spans": [[2, 23]]}]
    >>> evaluate(relevant, found, measures="char_rec.1").runs[0].all
    {'char_rec_1': 0.47619047619047616}

    The order of the results is the ranking. Scores are kept if they never rise in this order, so distances used as
    scores are dropped. A question without results is not in the run; evaluations count it with `complete=True`.

    Args:
        results: of LangChain (documents, or pairs of document and score), LlamaIndex (nodes with scores), Haystack
            (documents), dictionaries, (document, start, end) or (document, start, end, score).
        name: name of the run.
        texts: the documents that were cut into chunks: a directory, an archive, JSON Lines with `doc` and `text`,
            `{document: text}` or documents of the framework. Documents then have the names that they have there, and
            results without a start, or with a wrong one, are searched.
        tokens: function from a text to its number of tokens, for results that do not state it.
        document: key of a result or of its metadata that names its document, if it is not a usual one.

    Raises:
        DataError: a result is not one, or has no clear place; the error names question and rank.
        UsageError: `tokens` is no function, fails, or returns no whole number above 0.
        InputError: a text cannot be read.
    """
    if tokens is not None and not callable(tokens):
        raise UsageError(f"tokens: expected a function from a text to its number of tokens, found {tokens!r}")
    chunks: list[tuple[str, str, Chunk]] = []
    for topic, ranking in results.items():
        for rank, result in enumerate(ranking, 1):
            where = f"{name}: question {quote_value(str(topic))}, result {rank}"
            chunk = parse_chunk(result, document)
            if chunk is None:
                raise DataError(f"{where}: expected a chunk, found {quote_value(repr(result))}")
            chunks.append((where, str(topic), chunk))
    if texts is not None:
        with open_texts(texts, document=document) as source:
            chunks = _locate_chunks(chunks, source)
    rows = [_result_row(where, topic, chunk, tokens) for where, topic, chunk in chunks]
    if not _has_descending_scores(rows):
        rows = [{key: value for key, value in row.items() if key != "score"} for row in rows]
    if not rows:
        raise DataError(f"{name}: there are no results")
    text = "".join(f"{json.dumps({**row, 'run': name})}\n" for row in rows)
    try:
        return read_run(Content(name, text.encode()))
    except InputError as error:
        where = chunks[(error.line or 1) - 1][0]
        raise DataError(f"{where}: {error.reason}") from error


def write_run(run: Run, path: PathName) -> None:
    """Write a run of chunks as JSON Lines, which `prum-eval eval` reads.

    Each line has the keys `topic`, `doc`, `start` and `end`, and `score`, `tokens` and `run` if the run has them.

    Args:
        run: what `prum_eval.chunks.run` or `prum_eval.read_run` returned.
        path: the file; one that exists is replaced.

    Raises:
        DataError: the results of the run are no chunks.
    """
    Path(path).write_bytes(write_run_json(run))


def write_spans(spans: Assessments, path: PathName) -> None:
    """Write relevant spans as JSON Lines."""
    Path(path).write_bytes(write_qrels_json(spans))


def _result_row(where: str, topic: str, chunk: Chunk, tokens: Callable[[str], int] | None) -> _Row:
    """Members of a result in JSON Lines."""
    if chunk.document is None:
        raise DataError(f"{where} {_NO_DOCUMENT}")
    if chunk.start is None or chunk.end is None:
        raise DataError(f"{where}: start and end are missing; texts= finds them")
    count = chunk.tokens
    if count is None and tokens is not None:
        if chunk.text is None:
            raise DataError(f"{where}: it has no text, whose tokens could be counted")
        count = count_tokens(tokens, chunk.text, where=where)
    row = {"topic": topic, "doc": chunk.document, "start": chunk.start, "end": chunk.end}
    optional = {"score": chunk.score, "tokens": count}
    return {**row, **{key: value for key, value in optional.items() if value is not None}}


def _has_descending_scores(rows: list[_Row]) -> bool:
    """Whether all results have a score, which never rises within a topic."""
    return all("score" in row for row in rows) and all(
        row["topic"] != following["topic"] or row["score"] >= following["score"] for row, following in pairwise(rows)
    )


def _locate_chunks(chunks: list[tuple[str, str, Chunk]], source: DocumentTexts) -> list[tuple[str, str, Chunk]]:
    """The chunks with the document names of the texts and with right places."""
    files = source.documents()
    names = DocumentNames(files)
    documents = [names.resolve(chunk, where) for where, _, chunk in chunks]
    located = list(chunks)
    for number in sorted(range(len(chunks)), key=documents.__getitem__):  # reads each text once
        where, topic, chunk = chunks[number]
        text = source.text(files[documents[number]]) or ""
        located[number] = where, topic, _locate_chunk(where, chunk._replace(document=documents[number]), text)
    return located


def _locate_chunk(where: str, chunk: Chunk, text: str) -> Chunk:
    """The chunk with its place in a text."""
    if chunk.start is not None and chunk.end is not None:
        stated_text = text[chunk.start : chunk.end]
        if chunk.text is None or chunk.text == stated_text:
            if chunk.end > len(text):
                reason = f"it ends at {chunk.end}, past the end of its text of {len(text)} characters"
                raise DataError(f"{where}: {reason}")
            return chunk._replace(text=stated_text)
    places = find_occurrences(chunk.text or "", text)
    if len(places) == 1:
        return chunk._replace(start=places[0][0], end=places[0][1])
    document = quote_value(chunk.document or "")
    if not places:
        raise DataError(f"{where}: its text is not in document {document}: {quote_value(chunk.text or '')}")
    several = f"{len(places)} places of document {document}"
    raise DataError(f"{where}: its text occurs in {several}; prum_eval.chunks.align assigns places to chunks")
