"""Collection structures, text and XML, as sources of an index."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from prum_eval.collection.index.batches import Piece, ordered, trees_of
from prum_eval.collection.index.text import chunks, parse
from prum_eval.errors import InputError, raise_first
from prum_eval.formats.structures.index_file import MetaValue
from prum_eval.formats.structures.index_trees import Trees
from prum_eval.formats.structures.text import documents_of
from prum_eval.formats.structures.xml import stream_structure_xml
from prum_eval.records.structure import Link, StructureDocument
from prum_eval.text.lines import LineBlock
from prum_eval.text.numbers import shown
from prum_eval.text.streams import READ_BYTES, STDIN, display_name

_TOGETHER = 256  # documents of a structure in XML that make a piece


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
        work = partial(_parsed, name=self.name)
        for trees, size, lines in ordered(work, chunks(self._stream, self.name, line + 1), jobs):
            position, line = position + size, line + lines
            yield Piece(trees, position, line)

    def repeated(self, document: str, line: int, first_line: int) -> InputError:
        """As the reader of structures says it."""
        reason = f"document {shown(document)} has a second block of lines (its first began on line {first_line})"
        return InputError(self.name, line, reason)


def _parsed(block: LineBlock, name: str) -> tuple[Trees | None, int, int]:
    trees = parse(block)
    if trees is None:
        documents = documents_of(block, name, raise_first)
        trees = trees_of(documents, [int(document.lines[0]) for document in documents])
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
            if len(documents) == _TOGETHER:
                yield Piece(trees_of(documents, lines), number, links=links)
                documents, lines, links = [], [], []
        if documents:
            yield Piece(trees_of(documents, lines), number, links=links)

    def repeated(self, document: str, line: int, first_line: int) -> InputError:
        """As the reader of structures says it."""
        return InputError(
            self.name, line, f"document {shown(document)} is described twice (first on line {first_line})"
        )
