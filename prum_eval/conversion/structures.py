"""Structures in the shape that a form holds."""

from __future__ import annotations

import dataclasses

import numpy as np

from prum_eval.conversion.losses import Loss, lost
from prum_eval.records.structure import Structure

_LINKS = "links: they are left out"
_NOT_RETRIEVABLE = "elements that are not retrievable: they become so"
_POSITIONS = "elements whose position is not their place among siblings: they are numbered anew"


def in_order(structure: Structure) -> Structure:
    """The documents in the order of the source, which an index tells by its names alone."""
    if isinstance(structure.names, frozenset):
        return structure
    documents = {name: structure.documents[name] for name in structure.names}
    return dataclasses.replace(structure, documents=documents)


def without_links(structure: Structure) -> tuple[Structure, list[Loss]]:
    """The elements alone."""
    lines = np.array([link.line for link in structure.links], dtype=np.int64)
    return dataclasses.replace(structure, links=()), lost(structure.path, lines, _LINKS)


def all_retrievable(structure: Structure) -> list[Loss]:
    """The elements that a system may not return, which no form but an index tells apart."""
    listed = structure.documents.values()
    lines = [each.lines[~each.retrievable] for each in listed if each.retrievable is not None]
    return lost(structure.path, np.concatenate(lines), _NOT_RETRIEVABLE) if lines else []


def numbered(structure: Structure) -> list[Loss]:
    """The elements that nesting numbers otherwise: it counts the siblings of one name that there are."""
    lines: list[int] = []
    for document in structure.documents.values():
        next_position: dict[str, int] = {}
        for path, line in zip(document.paths, document.lines.tolist(), strict=True):
            stem, _, position = path[:-1].rpartition("[")
            expected = next_position[stem] = next_position.get(stem, 0) + 1
            if int(position) != expected:
                lines.append(line)
    return lost(structure.path, np.array(lines, dtype=np.int64), _POSITIONS)
