"""Real XML documents, wherever they lie, as a source of an index."""

from __future__ import annotations

import io
import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import BinaryIO, NamedTuple
from urllib.parse import unquote

from prum_eval.collection.index.batches import Piece, ordered
from prum_eval.collection.index.document import DocumentReader, joined
from prum_eval.collection.index.scan import scan
from prum_eval.collection.index.wellformed import body
from prum_eval.errors import InputError
from prum_eval.formats.structures.index import MetaValue
from prum_eval.formats.structures.index_trees import Trees
from prum_eval.records.structure import Link
from prum_eval.text.document_names import document_of
from prum_eval.text.numbers import shown
from prum_eval.text.streams import display_name

_LARGEST_BODY = 1 << 24  # a larger document is read event by event, with less memory
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


@dataclass(frozen=True, slots=True)
class Reading:
    """How documents are read: which files are some, what counts as a character, which attributes hold links."""

    patterns: tuple[str, ...] = ()
    raw: bool = False
    links: tuple[str, ...] = ()


class DocumentsSource:
    """Documents one after the other; the position counts them."""

    closed = False

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
        for trees, links, broken, count in ordered(work, groups, jobs):
            position += count
            yield Piece(trees, position, links=links, broken=broken)

    def repeated(self, document: str, _line: int, _first_line: int) -> InputError:
        """Two files may differ in nothing but an ending .xml; an archive may hold one name twice."""
        return InputError(self.name, None, f"document {shown(document)} is there twice")


def document_name(path: str) -> str:
    """Name of a document in a source: its path without ``.xml``, which runs and assessments may write or not."""
    return document_of(path.removeprefix("./"))


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


def _parsed(
    group: list[Entry], source: str, reading: Reading
) -> tuple[Trees | None, list[Link], list[InputError], int]:
    """Trees and links of a group of documents, what is wrong with the others, and how many there are."""
    trees: list[Trees] = []
    links: list[Link] = []
    bodies: list[memoryview] = []
    entries: list[Entry] = []  # of the bodies
    broken: list[InputError] = []
    attributes = [attribute.encode() for attribute in reading.links]
    for entry in group:
        name = shown_name(source, entry)
        try:
            entry.name.encode()
            found = None
            if entry.size <= _LARGEST_BODY:
                data = entry.read(name)
                if not attributes or not any(attribute in data for attribute in attributes):
                    found = body(data)
            if found is None:
                trees.append(_followed(entry, name, reading, links))
            else:
                bodies.append(found)
                entries.append(entry)
        except UnicodeEncodeError:
            broken.append(InputError(name.encode(errors="backslashreplace").decode(), None, "the name is not UTF-8"))
        except InputError as problem:
            broken.append(problem)
    if bodies:
        scanned, unusual = scan([document_name(entry.name) for entry in entries], bodies, raw=reading.raw)
        trees += [scanned] if scanned is not None else []
        trees += [_followed(entries[place], shown_name(source, entries[place]), reading, links) for place in unusual]
    return joined(trees), links, broken, len(group)


def shown_name(source: str, entry: Entry) -> str:
    """Name of a document in messages."""
    return f"{source.rstrip('/')}/{entry.name}"


def _followed(entry: Entry, name: str, reading: Reading, links: list[Link]) -> Trees:
    """The tree of a document, read event by event; its links are added to `links`."""
    document = document_name(entry.name)
    reader = DocumentReader(name, raw=reading.raw, link_attributes=reading.links)
    with entry.open(name) as stream:
        trees = reader.read(stream, document)
    for number, value, line in reader.links:
        target = link_target(entry.name, value)
        if target is not None:
            links.append(Link(document, reader.path(number), target, None, None, line))
    return trees


def link_target(source: str, value: str) -> str | None:
    """Document that a reference in the file `source` leads to; None for a place in the same file.

    >>> link_target("an/1995/a1.xml", "../1996/a%202.xml#sec3")
    'an/1996/a 2'
    """
    path = unquote(value.partition("#")[0]).strip()
    if not path:
        return None
    return document_name(posixpath.normpath(posixpath.join(posixpath.dirname(source), path)))
