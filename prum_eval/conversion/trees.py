"""Trees of the documents that a conversion looks into."""

from __future__ import annotations

from collections.abc import Iterable

from prum_eval.collection.forest import forest_of
from prum_eval.collection.trees import DocumentTree
from prum_eval.formats.given import PathName
from prum_eval.formats.read import read_structure
from prum_eval.records.structure import Structure
from prum_eval.text.document_names import find_document, possible_documents


class Trees:
    """The documents of a structure by name, made into trees when they are asked for."""

    def __init__(self, structure: Structure) -> None:
        self._forest = forest_of(structure.documents)

    def find(self, name: str) -> DocumentTree | None:
        """The tree of a document, which runs may name by its file."""
        return find_document(self._forest, name)


def read_trees(structure: PathName | Structure, documents: Iterable[str]) -> Trees:
    """The trees of some documents of a structure."""
    if isinstance(structure, Structure):
        return Trees(structure)
    return Trees(read_structure(str(structure), possible_documents(documents)))
