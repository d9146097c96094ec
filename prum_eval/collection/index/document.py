"""One real document: its tree as lxml has it, serialised so that arrays can find its elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import bounds_of, sizes_of
from prum_eval.formats.structures.index_trees import Trees
from prum_eval.text.xml.parsing import parse_document

_COLUMNS = ("rank", "parent", "size", "start", "length")


@dataclass(frozen=True, slots=True)
class Document:
    """What is known of a document before its elements are counted."""

    name: str
    body: bytes  # from the beginning of the root to its end, in UTF-8, without comments, instructions and CDATA


def read_document(data: bytes, shown: str, name: str) -> Document:
    """A document of these bytes; `shown` is its file in messages, `name` its name in the index.

    Raises:
        InputError: it is not well-formed, declares entities, cannot be decoded, or is nested too deep.
    """
    from lxml import etree

    root = parse_document(data, shown)
    about = root.getroottree().docinfo
    if about.doctype:
        about.clear()  # that of XHTML would have the serialiser add a <meta>
    return Document(name, etree.tostring(root, encoding="utf-8", with_tail=False))


def joined(parts: list[Trees]) -> Trees | None:
    """All the trees as one batch."""
    if len(parts) < 2:
        return parts[0] if parts else None
    codes: dict[str, int] = {}
    tag = []
    for part in parts:
        own = np.array([codes.setdefault(name, len(codes)) for name in part.tags], dtype=np.int64)
        tag.append(own[part.tag])
    counts = np.concatenate([sizes_of(part.bounds) for part in parts])
    rest = (np.concatenate([getattr(part, field) for part in parts]) for field in _COLUMNS)
    names = tuple(name for part in parts for name in part.names)
    lines = np.concatenate([part.lines for part in parts])
    retrievable = None
    if any(part.retrievable is not None for part in parts):
        retrievable = np.concatenate(
            [np.ones(len(part.tag), np.bool_) if part.retrievable is None else part.retrievable for part in parts]
        )
    return Trees(names, lines, bounds_of(counts), tuple(codes), np.concatenate(tag), *rest, retrievable=retrievable)
