"""Where chunks are in their documents, by their texts, where a splitter says nothing or something wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from prum_eval.chunks.names import DocumentNames
from prum_eval.chunks.places import chosen_places, occurrences
from prum_eval.chunks.shapes import Chunk, chunk_of, moved
from prum_eval.chunks.sources import GivenTexts, opened_texts
from prum_eval.errors import DataError
from prum_eval.tabular import RowValue, Tabular, plural
from prum_eval.text.numbers import shown

KEPT, MENDED, LOST = "kept", "mended", "not found"


@dataclass(frozen=True, slots=True)
class AlignedChunk:
    """A chunk, with what became of it and where it is; None where that is not known."""

    chunk: Any
    state: str
    document: str
    start: int | None
    end: int | None
    said: int | None  # where it was said to begin


@dataclass(frozen=True, slots=True, repr=False)
class Alignment(Tabular):
    """What `align` returns."""

    aligned: tuple[AlignedChunk, ...]

    @property
    def chunks(self) -> list[Any]:
        """The chunks, in their order: those that were mended are copies, those that were not found as they were."""
        return [one.chunk for one in self.aligned]

    def count(self, state: str) -> int:
        """How many are `kept`, `mended` or `not found`."""
        return sum(one.state == state for one in self.aligned)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a chunk."""
        for number, one in enumerate(self.aligned, 1):
            yield {
                "chunk": number,
                "doc": one.document,
                "state": one.state,
                "start": one.start,
                "end": one.end,
                "said": one.said,
            }

    def _summary(self) -> str:
        states = ", ".join(f"{self.count(state)} {state}" for state in (KEPT, MENDED, LOST))
        return f"{plural(len(self.aligned), 'chunk')}: {states}"


def align(chunks: Iterable[Any], texts: GivenTexts, *, document: str | None = None) -> Alignment:
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
    with opened_texts(texts, document=document) as source:
        names = DocumentNames(source.documents())
        for number, chunk in enumerate(listed):
            fields = chunk_of(chunk, document)
            if fields is None or fields.text is None:
                raise DataError(f"chunk {number + 1}: expected a chunk with its text, found {shown(repr(chunk))}")
            name = known_document(names, fields, f"chunk {number + 1}")
            said.setdefault(name, []).append((number, fields))
        for name, some in said.items():
            text = source.text(source.documents()[name]) or ""
            places = [occurrences(fields.text or "", text) for _, fields in some]
            starts = [fields.start for (_, fields), one in zip(some, places, strict=True) if one]
            chosen = iter(chosen_places([one for one in places if one], len(text), starts))
            for (number, fields), one in zip(some, places, strict=True):
                chunk = listed[number]
                if not one:
                    found[number] = AlignedChunk(chunk, LOST, name, None, None, fields.start)
                    continue
                start, end = next(chosen)
                kept = (start, end) == (fields.start, fields.end)
                found[number] = AlignedChunk(
                    chunk if kept else moved(chunk, start, end),
                    KEPT if kept else MENDED,
                    name,
                    start,
                    end,
                    fields.start,
                )
    return Alignment(tuple(one for one in found if one is not None))


def known_document(names: DocumentNames, fields: Chunk, where: str) -> str:
    """The document of a chunk.

    Raises:
        DataError: it names none, or one that the texts lack.
    """
    if fields.document is None:
        raise DataError(f"{where} names no document: expected a key such as source or doc; another one is document=KEY")
    name = names.find(fields.document)
    if name is None:
        raise DataError(f"{where}: document {shown(fields.document)} is not in the texts")
    return name
