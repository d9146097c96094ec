"""Collection structures as XML: nested ``<element>`` of each ``<document>``, and links."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import BinaryIO

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.errors import InputError, Problems, raise_first
from prum_eval.formats.structures.xml_columns import plain_document
from prum_eval.formats.structures.xml_document import DocumentReader, XmlDocument
from prum_eval.records.structure import Link, Structure, StructureDocument
from prum_eval.text.numbers import expected, shown
from prum_eval.text.xml.blocks import XmlBlock, XmlBlocks, name_of

_ROOT = "collection"


def read_structure_xml(stream: BinaryIO, name: str, wanted: Container[str] | None, problems: Problems) -> Structure:
    """Read a structure in XML, the form for people and small collections.

    The paths of all documents are remembered, as short codes, because links may point to any of them.
    """
    blocks, read = XmlBlocks(stream, name, problems, block="document", tags=None), _Read(name, wanted, problems)
    structure = _Structure(name, problems)
    for block in blocks:
        document = structure.document(block)
        if document is not None:
            read.keep(document)
    if blocks.sound and structure.known_root:
        read.check_links()
        if not read.paths_of:
            problems(InputError(name, blocks.line, "no <document> in the whole structure"))
    return Structure(name, read.elements, read.characters, frozenset(read.paths_of), read.documents, tuple(read.links))


def stream_structure_xml(stream: BinaryIO, name: str) -> Iterator[tuple[int, StructureDocument, list[Link]]]:
    """Line, document and links of each document of a structure in XML, one after the other, none remembered.

    That a document is described twice, or that what a link points to is missing, is for the caller to notice.

    Raises:
        InputError: what is wrong with the structure.
    """
    blocks, structure = XmlBlocks(stream, name, raise_first, block="document", tags=None), _Structure(name, raise_first)
    found = False
    for block in blocks:
        document = structure.document(block)
        structure.lines.clear()
        if document is not None:
            found = True
            yield document.line, document.record, list(document.links)
    if not found:
        raise InputError(name, blocks.line, "no <document> in the whole structure")


class _Structure:
    """Makes documents of the blocks of a structure."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.known_root: bool | None = None
        self.lines: dict[str, int] = {}  # on which the documents begin
        self._name = name
        self._problems = problems

    def _problem(self, reason: str, line: int) -> None:
        self._problems(InputError(self._name, line, reason))

    def document(self, block: XmlBlock) -> XmlDocument | None:
        """The document that a block is; None where it is the root, or bad, which is reported."""
        tag, line = name_of(block.element), int(block.lines[0])
        if self.known_root is None:
            self._root(block, line)
        elif self.known_root and tag != "document":
            self._problem(f"unexpected <{tag}> in <{_ROOT}>", line)
        elif self.known_root:
            name = block.element.get("id", "")
            before = self.lines.setdefault(name, line)
            if not name:
                self._problem("<document> lacks the attribute id", line)
            elif before != line:
                self._problem(f"document {shown(name)} is described twice (first on line {before})", line)
            else:
                plain = plain_document(block, name)
                return XmlDocument(plain, line) if plain else DocumentReader(name, self._problem).read(block)
        return None

    def _root(self, block: XmlBlock, line: int) -> None:
        root = name_of(block.element)
        unit = block.element.get("unit", "character")
        self.known_root = root == _ROOT
        if not self.known_root:
            self._problem(f"expected the root <{_ROOT}>, found <{root}>", line)
        elif unit != "character":
            self._problem(expected("unit", "'character'", unit), line)


class _Read:
    """What is kept of the documents that were read."""

    def __init__(self, name: str, wanted: Container[str] | None, problems: Problems) -> None:
        self.elements = 0
        self.characters = 0
        self.documents: dict[str, StructureDocument] = {}
        self.links: list[Link] = []
        self.paths_of: dict[str, IntArray | None] = {}  # codes of the paths; None where some were left out
        self._name = name
        self._wanted = wanted
        self._problems = problems
        self._codes: dict[str, int] = {}

    def _problem(self, reason: str, line: int) -> None:
        self._problems(InputError(self._name, line, reason))

    def keep(self, document: XmlDocument) -> None:
        """Take a document."""
        record = document.record
        self.elements += len(record.paths)
        self.characters += int(record.length[:1].sum())
        codes = [self._codes.setdefault(path, len(self._codes)) for path in record.paths]
        self.paths_of[record.name] = np.array(codes, dtype=np.int32) if document.sound else None
        self.links.extend(document.links)
        if record.paths and (self._wanted is None or record.name in self._wanted):
            self.documents[record.name] = record

    def check_links(self) -> None:
        """Report links from or to what the structure lacks, and links without the probability that others have."""
        with_probability = next((link for link in self.links if link.probability is not None), None)
        for link in self.links:
            if link.target not in self.paths_of:
                self._problem(f"to: the structure has no document {shown(link.target)}", link.line)
            elif not self._has(link.document, link.path):
                self._problem(f"path: document {shown(link.document)} has no element {shown(link.path)}", link.line)
            elif link.target_path is not None and not self._has(link.target, link.target_path):
                what = f"document {shown(link.target)} has no element {shown(link.target_path)}"
                self._problem(f"to-path: {what}", link.line)
            if link.probability is None and with_probability is not None:
                reason = f"<link> lacks the probability that others have, as on line {with_probability.line}"
                self._problem(reason, link.line)

    def _has(self, document: str, path: str) -> bool:
        codes = self.paths_of[document]
        if codes is None:
            return True  # what is missing may be what was left out
        return bool((codes == self._codes.get(path, -1)).any())
