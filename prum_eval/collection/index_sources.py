"""Sources of an index: documents in XML or HTML, structure text, structure XML.

Each yields pieces of whole documents. Documents are read in groups by `DocumentReader`. Lines of structure text become
trees a block at a time with array operations; anything unusual in a block (a comment between lines, a path without
positions, a mistake) is left to the slower reader of structure text, which accepts or reports it.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

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

_LARGEST_TREE = 1 << 26  # bytes of the largest XML document parsed whole, with about ten times the memory
_GROUP_BYTES, _GROUP_DOCUMENTS = 1 << 20, 512
_DOCUMENTS_PER_PIECE = 256  # of a structure in XML
STRUCTURE_BLOCK_BYTES = 1 << 21
_SEARCH_BYTES = 1 << 12  # at the end of a block, where its last document is likely to begin
_STEP = b"/["
_SLASH, _OPEN, _CLOSE, _ZERO = b"/[]0"
_DEEPEST = 1 << 9
_Value = TypeVar("_Value")


# Documents


class SourceEntry(NamedTuple):  # created twice as fast as a data class
    """A document to read: its name in the source, and its bytes or its file."""

    name: str
    size: int
    content: bytes | InputError | None
    file: str = ""
    time: int = 0  # last change of the file in nanoseconds

    def read(self, name: str) -> bytes:
        """All bytes of the document.

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
        """Open the document for reading.

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
    """A source of documents; the position counts documents."""

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
        """Number of documents, 0 if unknown; known for a directory after `identity`."""
        return self._count()

    def pieces(self, position: int, _line: int, jobs: int) -> Iterator[Piece]:
        """Groups of documents."""
        work = partial(_parse_group, source=self.name, reading=self._reading)
        groups = _group_entries(islice(self._entries(), position, None))
        for piece in map_in_order(work, groups, jobs):
            position += piece.position
            yield replace(piece, position=position)

    def duplicate_error(self, document: str, _line: int, _first_line: int) -> InputError:
        """Error for files that differ in the ending only, or for a name twice in an archive."""
        return InputError(self.name, None, f"document {quote_value(document)} appears twice")


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
    """Piece of a group of documents; its position is their number."""
    documents: list[Document] = []
    streamed: list[TreeBatch] = []  # at most one, the last of the group
    broken: list[InputError] = []
    reader = DocumentReader(reading)
    for entry in group:
        name = f"{source.rstrip('/')}/{entry.name}"
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
        names, bodies = [document.name for document in documents], [document.body for document in documents]
        trees = scan_trees(names, bodies, raw=reading.raw)
        if reading.elements:
            trees = replace(trees, retrievable=np.concatenate([document.retrievable for document in documents]))
    references = [reference for document in documents for reference in document.references]
    anchors = [anchor for document in documents for anchor in document.anchors]
    trees = concatenate_trees([trees, *streamed] if trees is not None else streamed)
    return Piece(trees, len(group), references=references, anchors=anchors, errors=broken)


# Structure text


def structure_blocks(stream: BinaryIO, name: str, first_line: int = 1) -> Iterator[LineBlock]:
    """Lines of a structure in blocks of whole documents, about `STRUCTURE_BLOCK_BYTES` bytes each.

    Raises:
        InputError: the stream cannot be read.
    """
    parts: list[bytes] = []
    size, lines, line, minimum = 0, 0, first_line, STRUCTURE_BLOCK_BYTES
    for block in line_blocks(stream, name, raise_first):
        parts.append(block.text)
        size, lines = size + len(block.text), lines + block.lines
        if size < minimum:
            continue
        text = b"".join(parts)
        cut = _last_border(text)
        minimum = STRUCTURE_BLOCK_BYTES if cut else 2 * size  # no cut: one document fills the block
        if cut:
            lines_left = text.count(b"\n", cut)
            yield LineBlock(line, lines - lines_left, text[:cut])
            line, lines = line + lines - lines_left, lines_left
        parts, size = [text[cut:]], len(text) - cut
    text = b"".join(parts)
    if text:
        yield LineBlock(line, lines, text)


def _last_border(text: bytes) -> int:
    """Start of the last document with comments and blank lines before it; 0 if there is only one."""
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
    place = end
    while place:  # search backwards, in growing steps, for a line of another document
        place = text.rfind(b"\n", 0, max(0, 2 * place - end - _SEARCH_BYTES)) + 1
        if not text.startswith((document, b"#", b"\n", b"\r"), place):
            break
    border = text.find(b"\n" + document, place) + 1
    while border and text.startswith((b"#", b"\n", b"\r"), before := text.rfind(b"\n", 0, border - 1) + 1):
        border = before
    return border


def parse_trees(block: LineBlock) -> TreeBatch | None:
    """Trees of a block of whole documents; None if anything in it is unusual."""
    first_line, lines, text = block
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    while text.startswith(b"#"):
        text = text[text.index(b"\n") + 1 :]
        first_line, lines = first_line + 1, lines - 1
    if not lines:
        return None
    table = fast_table(LineBlock(first_line, lines, text), STRUCTURE_COLUMNS, tabs=True, marked=_STEP)
    extents = None if table is None else parse_extents(table)
    if table is None or extents is None:
        return None
    try:
        return _LineTrees(table, *extents).trees(first_line)
    except _UnusualError:
        return None


class _UnusualError(Exception):
    """The block needs the slower reader."""


def _require(condition: object) -> None:
    if not condition:
        raise _UnusualError


def _usual(value: _Value | None) -> _Value:
    if value is None:
        raise _UnusualError
    return value


class _LineTrees:
    """Trees of the lines of a table; any unusual line raises `_UnusualError`."""

    def __init__(self, table: FastTable, start: IntArray, length: IntArray) -> None:
        self.table, self.start, self.length = table, start, length
        self.bytes = np.frombuffer(table.text, dtype=np.uint8)
        self.words = table.words

    def trees(self, first_line: int) -> TreeBatch:
        """Trees with their lines in the file."""
        table, start, length = self.table, self.start, self.length
        path = table.begin[:, PATH]
        path_end = path + table.length[:, PATH]
        depth, last_slash, last_open = self._steps(path, path_end)
        roots = table.changed_rows(DOCUMENT)
        _require(np.array_equal(np.flatnonzero(depth == 1), roots) and (np.diff(depth) <= 1).all())
        parent, size = nesting_from_depths(depth)
        inner = np.flatnonzero(parent >= 0)
        above = parent[inner]
        # Without its last step, every path is the path of its parent.
        prefix = (last_slash - path)[inner]
        _require((prefix == (path_end - path)[above]).all())
        _require(not self.words.fields_differ(path[inner], path[above], prefix).any())
        end = start + length
        _require((start[inner] >= start[above]).all() and (end[inner] <= end[above]).all())
        rank = _usual(self.words.integers(last_open + 1, path_end - last_open - 2))
        _require((self.bytes[last_open + 1] != _ZERO).all())
        step = last_slash + 1
        tag, rows = group_names(_usual(self.words.packed_names(step, last_open - step)))
        tags = self._texts(step[rows], last_open[rows])
        _require(all(map(is_tag, tags)) and not _has_duplicate_siblings(parent, tag, rank, len(tags)))
        bounds = np.append(roots, len(depth))
        begin = table.begin[roots, DOCUMENT]
        names = self._texts(begin, begin + table.length[roots, DOCUMENT])
        parent[inner] -= np.repeat(roots, group_sizes(bounds))[inner]
        return TreeBatch(names, roots + first_line, bounds, tags, tag, rank, parent, size, start, length)

    def _texts(self, begin: IntArray, end: IntArray) -> tuple[str, ...]:
        try:
            spans = zip(begin.tolist(), end.tolist(), strict=True)
            return tuple(self.table.text[first:stop].decode() for first, stop in spans)
        except UnicodeDecodeError:
            raise _UnusualError from None

    def _steps(self, begin: IntArray, end: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Depth of each path, and positions of the slash and the bracket of its last step."""
        marks = self.table.marks
        assert marks is not None  # noqa: S101 - of `_STEP`
        behind = marks.separators[:, PATH]
        count = behind - marks.separators[:, PATH - 1] - 1  # two marks per step
        depth = count >> 1
        _require((count >= 2).all() and not (count & 1).any() and depth.max() <= _DEEPEST)
        _require((marks.characters[behind - 2] == _SLASH).all() and (marks.characters[behind - 1] == _OPEN).all())
        _require((self.bytes[begin] == _SLASH).all() and (self.bytes[end - 1] == _CLOSE).all())
        return depth, marks.positions[behind - 2], marks.positions[behind - 1]


def _has_duplicate_siblings(parent: IntArray, tag: IntArray, rank: IntArray, tags: int) -> bool:
    """Whether two siblings have the same tag and rank."""
    ranks = int(rank.max()) + 1
    if len(parent) * tags * ranks >= MAX_INT64:
        return True  # perhaps: the slower reader decides
    key = np.sort((parent * tags + tag) * ranks + rank)  # below 0 for roots
    return bool(((key[1:] == key[:-1]) & (key[1:] >= 0)).any())


# Structures as sources


def file_identity(path: str) -> dict[str, MetaValue]:
    """Size and checksum of a file; empty for standard input, which can be read only once."""
    if path == STDIN:
        return {}
    try:
        with Path(path).open("rb") as file:
            checksum = hashlib.file_digest(file, "sha256").hexdigest()
            return {"source_size": file.tell(), "source_sha256": checksum}
    except OSError as error:
        raise InputError(path, None, f"cannot be read: {error.strerror}") from error


class _StructureSource:
    """A structure file."""

    def __init__(self, path: str, stream: BinaryIO, total: int = 0) -> None:
        self.name = display_name(path)
        self.total = total
        self.identity = partial(file_identity, path)
        self._stream = stream


class TextSource(_StructureSource):
    """A structure of lines; the position counts bytes, uncompressed."""

    kind = "structure text"

    def pieces(self, position: int, line: int, jobs: int) -> Iterator[Piece]:
        """Blocks of whole documents."""
        to_skip = position
        while to_skip:
            skipped = len(self._stream.read(min(to_skip, READ_BYTES)))
            if not skipped:  # standard input, which has no checksum
                reason = f"it ends before byte {position}, which the unfinished index reached; build without --resume"
                raise InputError(self.name, None, reason)
            to_skip -= skipped
        work = partial(_parse_block, name=self.name)
        for trees, size, lines in map_in_order(work, structure_blocks(self._stream, self.name, line + 1), jobs):
            position, line = position + size, line + lines
            yield Piece(trees, position, line)

    def duplicate_error(self, document: str, line: int, first_line: int) -> InputError:
        """The error of the reader of structure text."""
        reason = f"document {quote_value(document)} has a second block of lines (its first began on line {first_line})"
        return InputError(self.name, line, reason)


def _parse_block(block: LineBlock, name: str) -> tuple[TreeBatch | None, int, int]:
    trees = parse_trees(block)
    if trees is None:
        documents = parse_document_block(block, name, raise_first)
        trees = trees_from_documents(documents, [int(document.lines[0]) for document in documents])
    return trees, len(block.text), block.lines


class XmlSource(_StructureSource):
    """A structure in XML; the position counts documents."""

    kind = "structure XML"

    def pieces(self, position: int, _line: int, _jobs: int) -> Iterator[Piece]:
        """Groups of documents."""
        documents: list[StructureDocument] = []
        lines: list[int] = []
        links: list[Link] = []
        for number, (line, document, new_links) in enumerate(stream_structure_xml(self._stream, self.name), 1):
            if number <= position:
                continue
            documents.append(document)
            lines.append(line)
            links += new_links
            if len(documents) == _DOCUMENTS_PER_PIECE:
                yield Piece(trees_from_documents(documents, lines), number, links=links)
                documents, lines, links = [], [], []
        if documents:
            yield Piece(trees_from_documents(documents, lines), number, links=links)

    def duplicate_error(self, document: str, line: int, first_line: int) -> InputError:
        """The error of the reader of structure XML."""
        reason = f"document {quote_value(document)} is described twice (first on line {first_line})"
        return InputError(self.name, line, reason)
