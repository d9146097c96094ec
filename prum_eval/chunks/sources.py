"""Inputs of chunk evaluation: chunks of any framework, and texts by the names of their documents.

A chunk is read by the names of its attributes, keys and metadata, without importing a framework:

| framework  | a chunk                    | its document                     | its place                      |
|------------|----------------------------|----------------------------------|--------------------------------|
| LangChain  | Document, (Document, score)| metadata: source                 | metadata: start_index          |
| LlamaIndex | TextNode, NodeWithScore    | metadata: file_path; ref_doc_id  | start_char_idx, end_char_idx   |
| Haystack   | Document                   | meta: file_path, source_id       | meta: split_idx_start          |

Texts come from a path, as `--texts` takes it, from a mapping, or from documents of a framework.
"""

from __future__ import annotations

import copy
import dataclasses
import math
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Number
from operator import index
from os import PathLike
from typing import Any, NamedTuple, Protocol, TypeAlias

from prum_eval.collection.texts import Texts
from prum_eval.errors import UsageError
from prum_eval.formats.reading import PathName

_DOCUMENT = (
    *("doc", "doc_id", "docno", "document", "source", "file_path", "file_name", "filename", "path", "url"),
    *("ref_doc_id", "source_id"),
)
_DOCUMENT_ID = ("id", "id_")  # of an uncut document
_START = ("start", "start_index", "start_char_idx", "split_idx_start", "begin")
_END = ("end", "end_index", "end_char_idx", "split_idx_end")
_TEXT = ("text", "page_content", "content")
_SCORE = ("score", "relevance_score")
_TOKENS = ("tokens", "token_count")
_METADATA = ("metadata", "meta")


class Chunk(NamedTuple):
    """The fields of a result; None if absent."""

    document: str | None
    start: int | None
    end: int | None
    text: str | None
    score: float | None
    tokens: int | None


def parse_chunk(result: Any, document: str | None = None) -> Chunk | None:  # noqa: ANN401 -- of any framework
    """Fields of a result, with `document` as the key of its document; None if it is no chunk.

    >>> parse_chunk(("tickets", 0, 60))
    Chunk(document='tickets', start=0, end=60, text=None, score=None, tokens=None)
    >>> parse_chunk(({"text": "Fares", "metadata": {"source": "a.txt", "start_index": 7}}, 0.5))
    Chunk(document='a.txt', start=7, end=12, text='Fares', score=0.5, tokens=None)
    """
    score: float | None = None
    if isinstance(result, tuple) and not hasattr(result, "_fields"):
        if len(result) in {3, 4} and isinstance(result[0], str):
            return parse_chunk(dict(zip(("doc", "start", "end", "score"), result, strict=False)))
        if len(result) != 2 or not (result[1] is None or isinstance(result[1], Number)):
            return None
        result, score = result[0], _number(result[1])
    if hasattr(result, "node"):
        score = _number(getattr(result, "score", None)) if score is None else score
        result = result.node
    fields = _ChunkFields(result)
    text = fields.first(_TEXT, _string)
    start, end, length = fields.first(_START, _count), fields.first(_END, _count), fields.first(("length",), _count)
    if start is not None and end is None:
        length = length if length is not None or text is None else len(text)
        end = None if length is None else start + length
    if text is None and start is None:
        return None
    name = fields.first(_DOCUMENT if document is None else (document,), _name)
    score = fields.first(_SCORE, _number) if score is None else score
    return Chunk(name, start, end, text, score, fields.first(_TOKENS, _count))


def move_chunk(chunk: Any, start: int, end: int) -> Any:  # noqa: ANN401
    """A copy of a chunk with another place."""
    if hasattr(chunk, "node"):
        chunk = copy.copy(chunk)
        chunk.node = move_chunk(chunk.node, start, end)
        return chunk
    metadata = next((key for key in _METADATA if isinstance(_get_value(chunk, key), Mapping)), None)
    if any(_has(chunk, key) for key in _START):
        metadata = None  # the place is not in the metadata
    fields: Any = chunk if metadata is None else _get_value(chunk, metadata)
    values = {
        next((key for key in names if _has(fields, key)), default): value
        for names, default, value in ((_START, "start_index", start), (_END, "end_index", end))
    }
    return _copy_with(chunk, values if metadata is None else {metadata: {**fields, **values}})


class _ChunkFields:
    """The values of a mapping or an object, then those of its metadata."""

    def __init__(self, item: Any) -> None:  # noqa: ANN401
        metadata = (_get_value(item, key) for key in _METADATA)
        self._items = [item, *(values for values in metadata if isinstance(values, Mapping))]

    def first(self, names: Sequence[str], convert: Any) -> Any:  # noqa: ANN401
        """First value that can be converted; None if there is none."""
        for name in names:
            for item in self._items:
                value = _get_value(item, name)
                if value is not None and (value := convert(value)) is not None:
                    return value
        return None


def _get_value(item: Any, name: str) -> Any:  # noqa: ANN401
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)


def _has(item: Any, name: str) -> bool:  # noqa: ANN401
    return name in item if isinstance(item, Mapping) else hasattr(item, name)


def _copy_with(item: Any, values: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """A copy with other values."""
    if isinstance(item, Mapping):
        return {**item, **values}
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return dataclasses.replace(item, **values)
    item = copy.copy(item)
    for name, value in values.items():
        setattr(item, name, value)
    return item


def _string(value: Any) -> str | None:  # noqa: ANN401
    return value if isinstance(value, str) else None


def _name(value: Any) -> str | None:  # noqa: ANN401
    return value or None if isinstance(value, str) else None if (count := _count(value)) is None else str(count)


def _count(value: Any) -> int | None:  # noqa: ANN401
    """A non-negative integer, perhaps a float of a database; None for -1, which some splitters use."""
    try:
        number = index(int(value) if isinstance(value, float) and value.is_integer() else value)
    except TypeError:
        return None
    return number if number >= 0 and not isinstance(value, bool) else None


def _number(value: Any) -> float | None:  # noqa: ANN401
    try:
        number = math.nan if isinstance(value, str) or value is None else float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


TextsInput: TypeAlias = "PathName | Mapping[str, str] | Iterable[Any]"
"""A directory, an archive or JSON Lines with `doc` and `text`; `{document: text}`; or documents of a framework."""


class DocumentTexts(Protocol):
    """A source of texts."""

    name: str

    def documents(self) -> Mapping[str, str]:
        """Key for `text` of each document, in their order."""

    def text(self, document: str) -> str | None:
        """Text of a document by its key; None if there is none.

        Raises:
            InputError: it cannot be read.
        """

    def is_text(self, file: str) -> bool:
        """Whether what is under a key is text.

        Raises:
            InputError: it cannot be read.
        """


class _MappedTexts:
    """Texts in memory."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.name = "texts"
        self._texts = texts

    def documents(self) -> Mapping[str, str]:
        return {name: name for name in self._texts}

    def text(self, document: str) -> str | None:
        return self._texts.get(document)

    def is_text(self, file: str) -> bool:
        return file in self._texts


@contextmanager
def open_texts(
    source: TextsInput, documents: Iterable[str] | None = None, *, document: str | None = None
) -> Iterator[DocumentTexts]:
    """Open the texts of a source.

    Args:
        source: the texts.
        documents: the documents to read from an archive; None for all.
        document: key that names a document of a framework, if it is not a usual one.

    Raises:
        InputError: the source cannot be read.
        UsageError: a text is no string, or a document lacks a text or a unique name.
    """
    if isinstance(source, str | PathLike):
        with Texts(str(source), documents) as texts:
            yield texts
        return
    if not isinstance(source, Mapping):
        source = _texts_by_name(source, document)
    for name, text in source.items():
        if not (isinstance(name, str) and isinstance(text, str)):
            raise UsageError(f"texts: expected names and texts, found {name!r}: {reprlib.repr(text)}")
    yield _MappedTexts(source)


def _texts_by_name(documents: Iterable[Any], key: str | None) -> dict[str, str]:
    """Texts of documents of a framework by name, which is at `key` or a usual place."""
    if not isinstance(documents, Iterable):
        raise UsageError(f"texts: expected a path, {{document: text}} or documents, found {reprlib.repr(documents)}")
    texts: dict[str, str] = {}
    for number, item in enumerate(documents, 1):
        fields = _ChunkFields(item)
        text = fields.first(_TEXT, _string)
        name = fields.first((*_DOCUMENT, *_DOCUMENT_ID) if key is None else (key,), _name)
        if name is None or text is None:
            raise UsageError(f"texts: expected documents with name and text, number {number} is {reprlib.repr(item)}")
        if name in texts:
            raise UsageError(
                f"texts: document {name!r} appears twice; choose another key of its name with document=KEY"
            )
        texts[name] = text
    return texts
