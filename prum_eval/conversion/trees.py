"""Forest of the documents that a conversion looks into."""

from __future__ import annotations

from collections.abc import Iterable

from prum_eval.collection.forest import Forest, forest_of
from prum_eval.formats.given import PathName
from prum_eval.formats.reading import read_structure
from prum_eval.records.structure import Structure
from prum_eval.text.document_names import possible_documents


def read_trees(structure: PathName | Structure, documents: Iterable[str]) -> Forest:
    """The trees of some documents of a structure, which runs may name by their files."""
    if not isinstance(structure, Structure):
        structure = read_structure(str(structure), possible_documents(documents))
    return forest_of(structure.documents)
