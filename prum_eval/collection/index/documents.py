"""Real documents, wherever they lie, as a source of an index."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import BinaryIO, NamedTuple

import numpy as np

from prum_eval.collection.documents.document import Document, DocumentReader
from prum_eval.collection.documents.links import document_name
from prum_eval.collection.documents.reading import Reading
from prum_eval.collection.documents.scan import scan
from prum_eval.collection.documents.streamed import joined, read_streamed
from prum_eval.collection.index.batches import Piece, ordered
from prum_eval.errors import InputError
from prum_eval.formats.structures.index_file import MetaValue
from prum_eval.formats.structures.index_trees import Trees
from prum_eval.text.numbers import shown
from prum_eval.text.streams import display_name

_LARGEST_TREE = 1 << 26  # bytes of a document in XML that becomes a tree as a whole, with about ten times the memory
_GROUP_BYTES, _GROUP_DOCUMENTS = 1 << 20, 512


class Entry(NamedTuple):  # which is made twice as fast as a data class
    """A document to read: its name in the source, and its bytes or the file that holds them."""

    name: str
    size: int
    content: bytes | InputError | None
    file: str = ""
    time: int = 0  # when the file was changed last, in nanoseconds

    def read(self, name: str) -> bytes:
        """All the bytes.

        Raises:
            InputError: they cannot be read.
        """
        if isinstance(self.content, bytes):
            return self.content
        with self.open(name) as stream:
            try:
                data = stream.read(self.size + 1)
                return data if len(data) == self.size else data + stream.read()
            except OSError as error:
                raise _unreadable(name, error) from error

    def open(self, name: str) -> BinaryIO | io.FileIO:
        """The bytes, piece by piece.

        Raises:
            InputError: they cannot be read.
        """
        if isinstance(self.content, InputError):
            raise self.content
        if self.content is not None:
            return io.BytesIO(self.content)
        try:
            return io.FileIO(self.file)
        except OSError as error:
            raise _unreadable(name, error) from error


def _unreadable(name: str, error: OSError) -> InputError:
    return InputError(name, None, f"cannot be read: {error.strerror}")


class DocumentsSource:
    """Documents one after the other; the position counts them."""

    def __init__(
        self,
        path: str,
        kind: str,
        entries: Callable[[], Iterator[Entry]],
        identity: Callable[[], dict[str, MetaValue]],
        reading: Reading,
        count: Callable[[], int] = int,
    ) -> None:
        self.name = display_name(path)
        self.kind = kind
        self.identity = identity
        self._entries = entries
        self._reading = reading
        self._count = count

    @property
    def total(self) -> int:
        """How many documents there are, where that is known; of a directory once its identity was asked for."""
        return self._count()

    def pieces(self, position: int, _line: int, jobs: int) -> Iterator[Piece]:
        """Some documents at a time."""
        work = partial(_parsed, source=self.name, reading=self._reading)
        groups = _groups(islice(self._entries(), position, None))
        for piece in ordered(work, groups, jobs):
            position += piece.position
            yield replace(piece, position=position)

    def repeated(self, document: str, _line: int, _first_line: int) -> InputError:
        """Two files may differ in nothing but the ending .xml or .html; an archive may hold one name twice."""
        return InputError(self.name, None, f"document {shown(document)} is there twice")


def _groups(entries: Iterator[Entry]) -> Iterator[list[Entry]]:
    group: list[Entry] = []
    size = 0
    for entry in entries:
        group.append(entry)
        size += entry.size
        if size >= _GROUP_BYTES or len(group) == _GROUP_DOCUMENTS:
            yield group
            group, size = [], 0
    if group:
        yield group


def _parsed(group: list[Entry], source: str, reading: Reading) -> Piece:
    """A group of documents; the position of the piece is how many there are."""
    documents: list[Document] = []
    streamed: list[Trees] = []  # one at most, the last of the group
    broken: list[InputError] = []
    reader = DocumentReader(reading)
    for entry in group:
        name = shown_name(source, entry)
        try:
            entry.name.encode()
            if entry.size > _LARGEST_TREE and reader.can_stream(entry.name):
                with entry.open(name) as stream:
                    streamed.append(read_streamed(stream, name, document_name(entry.name), raw=reading.raw))
            else:
                documents.append(reader.read(entry.read(name), entry.name, name))
        except UnicodeEncodeError:
            broken.append(InputError(name.encode(errors="backslashreplace").decode(), None, "the name is not UTF-8"))
        except InputError as problem:
            broken.append(problem)
    trees = None
    if documents:
        trees = scan([one.name for one in documents], [one.body for one in documents], raw=reading.raw)
        if reading.elements:
            trees = replace(trees, retrievable=np.concatenate([one.retrievable for one in documents]))
    references = [reference for one in documents for reference in one.references]
    anchors = [anchor for one in documents for anchor in one.anchors]
    trees = joined([trees, *streamed] if trees is not None else streamed)
    return Piece(trees, len(group), references=references, anchors=anchors, broken=broken)


def shown_name(source: str, entry: Entry) -> str:
    """Name of a document in messages."""
    return f"{source.rstrip('/')}/{entry.name}"
