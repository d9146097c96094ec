"""Where XML assessments highlight text, and where their best entry points are."""

from __future__ import annotations

from collections.abc import Mapping

from prum_eval.collection.pointers import PointerError, extent, position
from prum_eval.collection.trees import DocumentTree
from prum_eval.errors import InputError
from prum_eval.records.assessments import ElementTopic, EntryPoint, Highlight


def extent_of_mark(
    mark: Highlight | EntryPoint, topic: ElementTopic, trees: Mapping[str, DocumentTree]
) -> tuple[int, int]:
    """Start and length, in characters, of a highlighted passage; a best entry point has length 0.

    Raises:
        InputError: the document is not in the structure, a pointer leads nowhere, or the passage ends before it begins.
    """
    name = topic.documents[mark.document]
    tree = trees.get(name)
    if tree is None:
        raise InputError(topic.path, mark.line, f"document {name} is not in the structure")
    try:
        if isinstance(mark, EntryPoint):
            return position(tree, mark.pointer), 0
        return extent(tree, mark.first, mark.last)
    except PointerError as error:
        raise InputError(topic.path, mark.line, str(error)) from error
