"""Collection structures, text, XML or an index, recognised by their content."""

from __future__ import annotations

from collections.abc import Container
from io import BufferedReader
from typing import cast

from prum_eval.errors import InputError, Problems, raise_first
from prum_eval.records.structure import Structure
from prum_eval.text.streams import SQLITE, display_name, first_byte, opened


def read_structure(path: str, wanted: Container[str] | None = None, *, problems: Problems = raise_first) -> Structure:
    """Read a collection structure, XML, text or an index: counts and names of all documents, trees of the wanted ones.

    Without `wanted` all documents are wanted. Every number is checked; the nesting of elements is checked in wanted
    documents only where the structure is text; an index was checked when it was built. Every `InputError` is handed to
    `problems`; where that returns, what is bad is left out, and the record holds what could be read.
    """
    name = display_name(path)
    empty = Structure(name, 0, 0, frozenset(), {}, ())
    stream = opened(path, problems)
    if stream is None:
        return empty
    with stream:
        first = first_byte(stream, name, problems)
        if not first:
            return empty
        if cast("BufferedReader", stream).peek(len(SQLITE)).startswith(SQLITE):
            from prum_eval.formats.structures.index import read_index

            try:
                return read_index(path, wanted)
            except InputError as problem:
                problems(problem)
                return empty
        if first == b"<":
            from prum_eval.formats.structures.xml import read_structure_xml

            return read_structure_xml(stream, name, wanted, problems)
        from prum_eval.formats.structures.text import read_structure_text

        return read_structure_text(stream, name, wanted, problems)
