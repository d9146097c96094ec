"""Real documents, wherever they lie, as a source of an index."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from prum_eval.arrays import IntArray, group_sizes
from prum_eval.collection.document_scan import concatenate_trees, read_streamed, scan_trees
from prum_eval.collection.documents import Document, DocumentReader, ReadingOptions, document_name
from prum_eval.collection.index_batches import Piece, map_in_order, trees_from_documents
from prum_eval.errors import InputError, raise_first
from prum_eval.formats.structure_index import MetaValue, TreeBatch
from prum_eval.formats.structure_text import DOCUMENT, PATH, STRUCTURE_COLUMNS, parse_document_block, parse_extents
from prum_eval.formats.structure_xml import stream_structure_xml
from prum_eval.numerics.intervals import nesting_from_depths
from prum_eval.records import Link, StructureDocument
from prum_eval.text.element_paths import is_tag
from prum_eval.text.lines import FastTable, LineBlock, fast_table, line_blocks
from prum_eval.text.names import group_names
from prum_eval.text.numbers import MAX_INT64, quote_value
from prum_eval.text.streams import READ_BYTES, STDIN, display_name

_LARGEST_TREE = 1 << 26  # bytes of a document in XML that becomes a tree as a whole, with about ten times the memory
_GROUP_BYTES, _GROUP_DOCUMENTS = 1 << 20, 512


class SourceEntry(NamedTuple):  # which is made twice as fast as a data class
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
        entries: Callable[[], Iterator[SourceEntry]],
        identity: Callable[[], dict[str, MetaValue]],
        reading: ReadingOptions,
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
        work = partial(_parse_group, source=self.name, reading=self._reading)
        groups = _group_entries(islice(self._entries(), position, None))
        for piece in map_in_order(work, groups, jobs):
            position += piece.position
            yield replace(piece, position=position)

    def duplicate_error(self, document: str, _line: int, _first_line: int) -> InputError:
        """Two files may differ in nothing but the ending .xml or .html; an archive may hold one name twice."""
        return InputError(self.name, None, f"document {quote_value(document)} is there twice")


def _group_entries(entries: Iterator[SourceEntry]) -> Iterator[list[SourceEntry]]:
    group: list[SourceEntry] = []
    size = 0
    for entry in entries:
        group.append(entry)
        size += entry.size
        if size >= _GROUP_BYTES or len(group) == _GROUP_DOCUMENTS:
            yield group
            group, size = [], 0
    if group:
        yield group


def _parse_group(group: list[SourceEntry], source: str, reading: ReadingOptions) -> Piece:
    """A group of documents; the position of the piece is how many there are."""
    documents: list[Document] = []
    streamed: list[TreeBatch] = []  # one at most, the last of the group
    broken: list[InputError] = []
    reader = DocumentReader(reading)
    for entry in group:
        name = display_entry_name(source, entry)
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
        trees = scan_trees([one.name for one in documents], [one.body for one in documents], raw=reading.raw)
        if reading.elements:
            trees = replace(trees, retrievable=np.concatenate([one.retrievable for one in documents]))
    references = [reference for one in documents for reference in one.references]
    anchors = [anchor for one in documents for anchor in one.anchors]
    trees = concatenate_trees([trees, *streamed] if trees is not None else streamed)
    return Piece(trees, len(group), references=references, anchors=anchors, errors=broken)


def display_entry_name(source: str, entry: SourceEntry) -> str:
    """Name of a document in messages."""
    return f"{source.rstrip('/')}/{entry.name}"


# Structure text to trees, some whole documents at once, all of their lines at a time.
#
# What this does not understand (a comment between the lines, a path without positions, any mistake) it leaves to the
# reader of structure text, which takes it or says what is wrong with it.


STRUCTURE_BLOCK_BYTES = 1 << 21
_SEARCH_BYTES = 1 << 12
"""Bytes at the end of a chunk in which its last document is likely to begin."""
_STEP = b"/["
_SLASH, _OPEN, _CLOSE, _ZERO = b"/[]0"
_DEEPEST = 1 << 9


def structure_blocks(stream: BinaryIO, name: str, first_line: int = 1) -> Iterator[LineBlock]:
    """The lines of a structure in blocks of whole documents, about `STRUCTURE_BLOCK_BYTES` bytes each.

    Raises:
        InputError: the stream cannot be read.
    """
    held: list[bytes] = []
    size, lines, line, wanted = 0, 0, first_line, STRUCTURE_BLOCK_BYTES
    for block in line_blocks(stream, name, raise_first):
        held.append(block.text)
        size, lines = size + len(block.text), lines + block.lines
        if size < wanted:
            continue
        text = b"".join(held)
        cut = _last_border(text)
        wanted = (
            STRUCTURE_BLOCK_BYTES if cut else 2 * size
        )  # one document fills it all: look again when there is twice as much
        if cut:
            left = text.count(b"\n", cut)
            yield LineBlock(line, lines - left, text[:cut])
            line, lines = line + lines - left, left
        held, size = [text[cut:]], len(text) - cut
    text = b"".join(held)
    if text:
        yield LineBlock(line, lines, text)


def _last_border(text: bytes) -> int:
    """Where the last document begins, together with comments and blank lines before it; 0 where there is one only."""
    end = len(text)
    while end:
        begin = text.rfind(b"\n", 0, end - 1) + 1
        if not text.startswith((b"#", b"\n", b"\r"), begin):
            break
        end = begin
    else:
        return 0
    document = text[begin : text.find(b"\t", begin, end) + 1] or text[begin:end]
    if text.startswith(document):
        return 0
    near = end
    while near:  # look further and further back for a line of another document: from the front it is far
        near = text.rfind(b"\n", 0, max(0, 2 * near - end - _SEARCH_BYTES)) + 1
        if not text.startswith((document, b"#", b"\n", b"\r"), near):
            break
    border = text.find(b"\n" + document, near) + 1
    while border and text.startswith((b"#", b"\n", b"\r"), before := text.rfind(b"\n", 0, border - 1) + 1):
        border = before
    return border


def parse_trees(block: LineBlock) -> TreeBatch | None:
    """Trees of a block of whole documents, None where there is anything unusual in it."""
    first_line, lines, text = block
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    while text.startswith(b"#"):
        text = text[text.index(b"\n") + 1 :]
        first_line, lines = first_line + 1, lines - 1
    table = (
        fast_table(LineBlock(first_line, lines, text), STRUCTURE_COLUMNS, tabs=True, marked=_STEP) if lines else None
    )
    found = None if table is None else parse_extents(table)
    return None if table is None or found is None else _LineTrees(table, *found).trees(first_line)


class _LineTrees:
    """Lines as trees."""

    def __init__(self, table: FastTable, start: IntArray, length: IntArray) -> None:
        self.table, self.start, self.length = table, start, length
        self.signs = np.frombuffer(table.text, dtype=np.uint8)
        self.words = table.words

    def trees(self, first_line: int) -> TreeBatch | None:
        """The trees, None where anything is unusual."""
        try:
            return self._trees(first_line)
        except _UnusualError:
            return None

    def _trees(self, first_line: int) -> TreeBatch:
        table, start, length = self.table, self.start, self.length
        path = table.begin[:, PATH]
        path_end = path + table.length[:, PATH]
        depth, last_slash, last_open = self._steps(path, path_end)
        roots = table.changed_rows(DOCUMENT)
        _require_usual(np.array_equal(np.flatnonzero(depth == 1), roots) and (np.diff(depth) <= 1).all())
        parent, size = nesting_from_depths(depth)
        inner = np.flatnonzero(parent >= 0)
        above = parent[inner]
        self._check_prefixes(path, path_end, last_slash, inner, above)
        end = start + length
        _require_usual((start[inner] >= start[above]).all() and (end[inner] <= end[above]).all())
        rank = self._numbers(last_open + 1, path_end - 1)
        _require_usual((self.signs[last_open + 1] != _ZERO).all())
        tag, tags = self._tags(last_slash + 1, last_open)
        _require_usual(not _has_duplicate_siblings(parent, tag, rank, len(tags)))
        bounds = np.append(roots, len(depth))
        begin = table.begin[roots, DOCUMENT]
        names = self._texts(begin, begin + table.length[roots, DOCUMENT])
        parent[inner] -= np.repeat(roots, group_sizes(bounds))[inner]
        return TreeBatch(names, roots + first_line, bounds, tags, tag, rank, parent, size, start, length)

    def _numbers(self, begin: IntArray, end: IntArray) -> IntArray:
        numbers = self.words.integers(begin, end - begin)
        if numbers is None:
            raise _UnusualError
        return numbers

    def _texts(self, begin: IntArray, end: IntArray) -> tuple[str, ...]:
        try:
            spans = zip(begin.tolist(), end.tolist(), strict=True)
            return tuple(self.table.text[first:stop].decode() for first, stop in spans)
        except UnicodeDecodeError:
            raise _UnusualError from None

    def _steps(self, begin: IntArray, end: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Depth of each path, and where the name and the position of its last step begin."""
        marks = self.table.marks
        assert marks is not None  # noqa: S101 - they are asked for
        behind = marks.separators[:, PATH]
        signs = behind - marks.separators[:, PATH - 1] - 1  # two a step: what the path of the parent is compared with
        depth = signs >> 1
        _require_usual((signs >= 2).all() and not (signs & 1).any() and depth.max() <= _DEEPEST)
        _require_usual((marks.characters[behind - 2] == _SLASH).all() and (marks.characters[behind - 1] == _OPEN).all())
        _require_usual((self.signs[begin] == _SLASH).all() and (self.signs[end - 1] == _CLOSE).all())
        return depth, marks.positions[behind - 2], marks.positions[behind - 1]

    def _check_prefixes(
        self, begin: IntArray, end: IntArray, last_slash: IntArray, inner: IntArray, above: IntArray
    ) -> None:
        """Every path but its last step is the path of the parent."""
        length = (last_slash - begin)[inner]
        _require_usual((length == (end - begin)[above]).all())
        _require_usual(not self.words.fields_differ(begin[inner], begin[above], length).any())

    def _tags(self, begin: IntArray, end: IntArray) -> tuple[IntArray, tuple[str, ...]]:
        names = self.words.packed_names(begin, end - begin)
        if names is None:
            raise _UnusualError
        code, rows = group_names(names)
        tags = self._texts(begin[rows], end[rows])
        _require_usual(all(map(is_tag, tags)))
        return code, tags


class _UnusualError(Exception):
    """What is left to the other reader."""


def _require_usual(condition: object) -> None:
    if not condition:
        raise _UnusualError


def _has_duplicate_siblings(parent: IntArray, tag: IntArray, rank: IntArray, tags: int) -> bool:
    """Whether two siblings have one tag and one rank."""
    ranks = int(rank.max()) + 1
    if len(parent) * tags * ranks >= MAX_INT64:
        return True  # perhaps: the other reader looks closer
    key = np.sort((parent * tags + tag) * ranks + rank)  # below 0 for roots
    return bool(((key[1:] == key[:-1]) & (key[1:] >= 0)).any())


# Collection structures, text and XML, as sources of an index.


_DOCUMENTS_PER_PIECE = 256  # documents of a structure in XML that make a piece


def file_identity(path: str) -> dict[str, MetaValue]:
    """Size and checksum of a file; nothing for standard input, which can be read only once."""
    if path == STDIN:
        return {}
    try:
        with Path(path).open("rb") as file:
            checksum = hashlib.file_digest(file, "sha256").hexdigest()
            return {"source_size": file.tell(), "source_sha256": checksum}
    except OSError as error:
        raise InputError(path, None, f"cannot be read: {error.strerror}") from error


class TextSource:
    """A structure of lines; its position counts plain bytes."""

    kind = "structure text"

    def __init__(self, path: str, stream: BinaryIO, total: int) -> None:
        self.name = display_name(path)
        self.total = total
        self._path = path
        self._stream = stream

    def identity(self) -> dict[str, MetaValue]:
        """Size and checksum of the file."""
        return file_identity(self._path)

    def pieces(self, position: int, line: int, jobs: int) -> Iterator[Piece]:
        """Blocks of whole documents."""
        left = position
        while left:
            left -= len(self._stream.read(min(left, READ_BYTES)))
        work = partial(_parse_block, name=self.name)
        for trees, size, lines in map_in_order(work, structure_blocks(self._stream, self.name, line + 1), jobs):
            position, line = position + size, line + lines
            yield Piece(trees, position, line)

    def duplicate_error(self, document: str, line: int, first_line: int) -> InputError:
        """As the reader of structures says it."""
        reason = f"document {quote_value(document)} has a second block of lines (its first began on line {first_line})"
        return InputError(self.name, line, reason)


def _parse_block(block: LineBlock, name: str) -> tuple[TreeBatch | None, int, int]:
    trees = parse_trees(block)
    if trees is None:
        documents = parse_document_block(block, name, raise_first)
        trees = trees_from_documents(documents, [int(document.lines[0]) for document in documents])
    return trees, len(block.text), block.lines


class XmlSource:
    """A structure in XML; its position counts documents."""

    kind = "structure XML"
    total = 0

    def __init__(self, path: str, stream: BinaryIO) -> None:
        self.name = display_name(path)
        self._path = path
        self._stream = stream

    def identity(self) -> dict[str, MetaValue]:
        """Size and checksum of the file."""
        return file_identity(self._path)

    def pieces(self, position: int, _line: int, _jobs: int) -> Iterator[Piece]:
        """Some documents at a time."""
        documents: list[StructureDocument] = []
        lines: list[int] = []
        links: list[Link] = []
        for number, (line, document, own) in enumerate(stream_structure_xml(self._stream, self.name), 1):
            if number <= position:
                continue
            documents.append(document)
            lines.append(line)
            links += own
            if len(documents) == _DOCUMENTS_PER_PIECE:
                yield Piece(trees_from_documents(documents, lines), number, links=links)
                documents, lines, links = [], [], []
        if documents:
            yield Piece(trees_from_documents(documents, lines), number, links=links)

    def duplicate_error(self, document: str, line: int, first_line: int) -> InputError:
        """As the reader of structures says it."""
        return InputError(
            self.name, line, f"document {quote_value(document)} is described twice (first on line {first_line})"
        )
