"""Trees of the documents that a conversion looks into."""

from __future__ import annotations

from collections.abc import Iterable

from prum_eval.collection.forest import forest_of
from prum_eval.collection.trees import DocumentTree
from prum_eval.formats import read_structure
from prum_eval.records.structure import Structure


class Trees:
    """The documents of a structure by name, made into trees when they are asked for."""

    def __init__(self, structure: Structure) -> None:
        self._forest = forest_of(structure.documents)

    def find(self, name: str) -> DocumentTree | None:
        """The tree of a document, which runs may name by its file."""
        return self._forest.get(name) or self._forest.get(name.removesuffix(".xml"))


def read_trees(path: str, documents: Iterable[str]) -> Trees:
    """The trees of some documents of a structure."""
    names = set(documents)
    return Trees(read_structure(path, names | {name.removesuffix(".xml") for name in names}))
