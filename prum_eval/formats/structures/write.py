"""Collection structures to bytes: text and XML. An index is written by the command ``index``."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from prum_eval.records.structure import Link, Structure, StructureDocument
from prum_eval.text.writing import Holds, joined_lines, refuse

_HEAD = "#document\tpath\tstart\tlength"


def write_structure_text(structure: Structure) -> bytes:
    """An element a line: ``document<TAB>path<TAB>start<TAB>length``; links have no place in it."""
    _check_names(structure, Holds.FIRST_TAB_COLUMN)
    return joined_lines((_HEAD, *_text_lines(structure)))


def _text_lines(structure: Structure) -> Iterator[str]:
    for document in structure.documents.values():
        rows = zip(document.paths, document.start.tolist(), document.length.tolist(), strict=True)
        for path, start, length in rows:
            yield f"{document.name}\t{path}\t{start}\t{length}"


def write_structure_xml(structure: Structure) -> bytes:
    """Nested elements, whose positions among siblings of one name follow from their order, and links."""
    _check_names(structure, Holds.XML)
    links: dict[str, list[Link]] = {}
    for link in structure.links:
        links.setdefault(link.document, []).append(link)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<collection unit="character">']
    for document in structure.documents.values():
        lines.append(f"  <document id={quoteattr(document.name)}>")
        lines += _elements(document)
        lines += map(_link, links.get(document.name, ()))
        lines.append("  </document>")
    return joined_lines((*lines, "</collection>"))


def _elements(document: StructureDocument) -> Iterator[str]:
    open_elements = 0
    depths = [path.count("/") for path in document.paths]
    rows = zip(document.paths, document.start.tolist(), document.length.tolist(), strict=True)
    for number, (path, start, length) in enumerate(rows):
        depth = depths[number]
        while open_elements >= depth:
            yield f"{'  ' * (open_elements + 1)}</element>"
            open_elements -= 1
        parent = number + 1 < len(depths) and depths[number + 1] > depth
        tag = path[path.rindex("/") + 1 : path.rindex("[")]
        end = ">" if parent else "/>"
        yield f'{"  " * (depth + 1)}<element tag="{tag}" start="{start}" length="{length}"{end}'
        open_elements += parent
    while open_elements:
        yield f"{'  ' * (open_elements + 1)}</element>"
        open_elements -= 1


def _link(link: Link) -> str:
    to_path = "" if link.target_path is None else f" to-path={quoteattr(link.target_path)}"
    probability = "" if link.probability is None else f' probability="{link.probability!r}"'
    return f"    <link path={quoteattr(link.path)} to={quoteattr(link.target)}{to_path}{probability}/>"


def _check_names(structure: Structure, holds: Holds) -> None:
    bad = holds.first_bad(structure.documents)
    if bad is not None:
        raise refuse(structure.path, int(structure.documents[bad].lines[0]), "document", bad, holds)
