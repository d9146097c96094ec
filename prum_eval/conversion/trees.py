"""Trees of the documents that a conversion looks into."""

from __future__ import annotations

from collections.abc import Iterable

from prum_eval.collection.trees import DocumentTree, make_tree
from prum_eval.formats import read_structure
from prum_eval.formats.records import Structure


class Trees:
    """The documents of a structure by name, made into trees when they are asked for."""

    def __init__(self, structure: Structure) -> None:
        self._documents = structure.documents
        self._trees: dict[str, DocumentTree | None] = {}

    def find(self, name: str) -> DocumentTree | None:
        """The tree of a document, which runs may name by its file."""
        if name not in self._trees:
            one = self._documents.get(name) or self._documents.get(name.removesuffix(".xml"))
            self._trees[name] = (
                make_tree(one.name, one.paths, one.start, one.length, one.nesting) if one is not None else None
            )
        return self._trees[name]


def read_trees(path: str, documents: Iterable[str]) -> Trees:
    """The trees of some documents of a structure."""
    names = set(documents)
    return Trees(read_structure(path, names | {name.removesuffix(".xml") for name in names}))
