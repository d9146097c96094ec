"""Texts by the names of their documents, wherever they are: paths as `--texts` takes them, or in memory."""

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

# What frameworks return, without knowing any of them: chunks by the names of their attributes, keys and metadata.
#
# | framework  | a chunk                    | its document                     | where it is there              |
# |------------|----------------------------|----------------------------------|--------------------------------|
# | LangChain  | Document, (Document, score)| metadata: source                 | metadata: start_index          |
# | LlamaIndex | TextNode, NodeWithScore    | metadata: file_path; ref_doc_id  | start_char_idx, end_char_idx   |
# | Haystack   | Document                   | meta: file_path, source_id       | meta: split_idx_start          |


_DOCUMENT = (
    *("doc", "doc_id", "docno", "document", "source", "file_path", "file_name", "filename", "path", "url"),
    *("ref_doc_id", "source_id"),
)
_OWN_ID = ("id", "id_")  # of a document that was not cut
_START = ("start", "start_index", "start_char_idx", "split_idx_start", "begin")
_END = ("end", "end_index", "end_char_idx", "split_idx_end")
_TEXT = ("text", "page_content", "content")
_SCORE = ("score", "relevance_score")
_TOKENS = ("tokens", "token_count")
_METADATA = ("metadata", "meta")


class Chunk(NamedTuple):
    """What a result says of itself; None where it does not."""

    document: str | None
    start: int | None
    end: int | None
    text: str | None
    score: float | None
    tokens: int | None


def parse_chunk(result: Any, document: str | None = None) -> Chunk | None:  # noqa: ANN401 -- of any framework
    """What a result says; `document` is the key of its document, if it is none of the usual. None for what is no chunk.

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
    found = Chunk(
        fields.first(_DOCUMENT if document is None else (document,), _name),
        start,
        end,
        text,
        fields.first(_SCORE, _number) if score is None else score,
        fields.first(_TOKENS, _count),
    )
    return None if found.text is None and found.start is None else found


def document_and_text(given: Any, document: str | None = None) -> tuple[str, str] | None:  # noqa: ANN401
    """Name and text of a document of a framework that was not cut; None for what is none."""
    fields = _ChunkFields(given)
    text = fields.first(_TEXT, _string)
    name = fields.first((*_DOCUMENT, *_OWN_ID) if document is None else (document,), _name)
    return None if name is None or text is None else (name, text)


def move_chunk(chunk: Any, start: int, end: int) -> Any:  # noqa: ANN401
    """A copy of a chunk that is at another place."""
    if hasattr(chunk, "node"):
        chunk = copy.copy(chunk)
        chunk.node = move_chunk(chunk.node, start, end)
        return chunk
    metadata = next((key for key in _METADATA if isinstance(_get_value(chunk, key), Mapping)), None)
    in_metadata = metadata is not None and not any(_has(chunk, key) for key in _START)
    old: Any = _get_value(chunk, metadata) if in_metadata and metadata is not None else chunk
    keys = {
        next((key for key in names if _has(old, key)), default): value
        for names, default, value in ((_START, "start_index", start), (_END, "end_index", end))
    }
    if in_metadata and metadata is not None:
        return _copy_with(chunk, {metadata: {**old, **keys}})
    return _copy_with(chunk, keys)


class _ChunkFields:
    """The values of a mapping or an object, then those of its metadata."""

    def __init__(self, given: Any) -> None:  # noqa: ANN401
        metadata = (_get_value(given, key) for key in _METADATA)
        own = given.get if isinstance(given, Mapping) else lambda name: getattr(given, name, None)
        self._places = [own, *(one.get for one in metadata if isinstance(one, Mapping))]

    def first(self, names: Sequence[str], convert: Any) -> Any:  # noqa: ANN401
        """The first value that is one."""
        for name in names:
            for place in self._places:
                value = place(name)
                if value is not None and (value := convert(value)) is not None:
                    return value
        return None


def _get_value(given: Any, name: str) -> Any:  # noqa: ANN401
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)


def _has(given: Any, name: str) -> bool:  # noqa: ANN401
    return name in given if isinstance(given, Mapping) else hasattr(given, name)


def _copy_with(given: Any, values: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """A copy with other values."""
    if isinstance(given, Mapping):
        return {**given, **values}
    if dataclasses.is_dataclass(given) and not isinstance(given, type):
        return dataclasses.replace(given, **values)
    given = copy.copy(given)
    for name, value in values.items():
        setattr(given, name, value)
    return given


def _string(value: Any) -> str | None:  # noqa: ANN401
    return value if isinstance(value, str) else None


def _name(value: Any) -> str | None:  # noqa: ANN401
    return value or None if isinstance(value, str) else None if (count := _count(value)) is None else str(count)


def _count(value: Any) -> int | None:  # noqa: ANN401
    """An integer from 0; databases make floats of them, and splitters say -1 for nowhere."""
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
"""A directory, an archive or JSON Lines with `doc` and `text`; texts by the names of their documents; or documents of
a framework."""


class DocumentTexts(Protocol):
    """Where texts are read from."""

    name: str

    def documents(self) -> Mapping[str, str]:
        """What each document has to be asked for by, in their order."""

    def text(self, document: str) -> str | None:
        """The text of a document, None where there is none of that name.

        Raises:
            InputError: it cannot be read.
        """


class _MappedTexts:
    """Texts that are there already."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.name = "texts"
        self._texts = texts

    def documents(self) -> Mapping[str, str]:
        return {name: name for name in self._texts}

    def text(self, document: str) -> str | None:
        return self._texts.get(document)


@contextmanager
def open_texts(
    given: TextsInput, documents: Iterable[str] | None = None, *, document: str | None = None
) -> Iterator[DocumentTexts]:
    """The texts of a source, while they are needed; of an archive those of some documents, if these are given.

    `document` is the key of documents of a framework that names them, if it is none of the usual.

    Raises:
        InputError: the source cannot be read.
        UsageError: a text is no text, or a document has none or no name, or the name of another.
    """
    if isinstance(given, str | PathLike):
        with Texts(str(given), documents) as texts:
            yield texts
        return
    if not isinstance(given, Mapping):
        given = _texts_by_name(given, document)
    for name, text in given.items():
        if not all(isinstance(one, str) for one in (name, text)):
            raise UsageError(f"texts: expected names and texts, found {name!r}: {reprlib.repr(text)}")
    yield _MappedTexts(given)


def _texts_by_name(given: Iterable[Any], document: str | None) -> dict[str, str]:
    """The texts of documents of a framework by their names."""
    if not isinstance(given, Iterable):
        raise UsageError(f"texts: expected a path, {{document: text}} or documents, found {reprlib.repr(given)}")
    found: dict[str, str] = {}
    for number, one in enumerate(given, 1):
        pair = document_and_text(one, document)
        if pair is None:
            raise UsageError(f"texts: expected documents with name and text, number {number} is {reprlib.repr(one)}")
        if pair[0] in found:
            raise UsageError(f"texts: document {pair[0]!r} is there twice; another key of its name is document=KEY")
        found[pair[0]] = pair[1]
    return found
