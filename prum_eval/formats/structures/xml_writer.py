"""Collection structures as XML, written."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from prum_eval.records.structure import Link, Structure, StructureDocument
from prum_eval.text.writing import Holds, joined_lines


def write_structure_xml(structure: Structure) -> bytes:
    """Nested elements, whose positions among siblings of one name follow from their order, and links."""
    documents = list(structure.documents.values())
    Holds.XML.check(structure.path, "document", structure.documents, lambda number: documents[number].lines[0])
    links: dict[str, list[Link]] = {}
    for link in structure.links:
        links.setdefault(link.document, []).append(link)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<collection unit="character">']
    for document in documents:
        lines.append(f"  <document id={quoteattr(document.name)}>")
        lines += _element_lines(document)
        lines += map(_link_line, links.get(document.name, ()))
        lines.append("  </document>")
    return joined_lines((*lines, "</collection>"))


def _element_lines(document: StructureDocument) -> Iterator[str]:
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


def _link_line(link: Link) -> str:
    to_path = "" if link.target_path is None else f" to-path={quoteattr(link.target_path)}"
    probability = "" if link.probability is None else f' probability="{link.probability!r}"'
    return f"    <link path={quoteattr(link.path)} to={quoteattr(link.target)}{to_path}{probability}/>"
