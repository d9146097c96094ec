"""One document of a structure in XML that is written as nearly all are: by columns, with no object an element.

That nothing unusual is in it is seen by counting: where each column of attributes is as long as there are tags, no
element lacks one. How deep the elements are is seen in the document as the parser writes it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.records.structure import StructureDocument
from prum_eval.text.element_paths import is_tag
from prum_eval.text.numbers import FARTHEST, integers
from prum_eval.text.xml.blocks import XmlBlock

if TYPE_CHECKING:
    from lxml import etree

_LESS, _SLASH, _GREATER = b"</>"
_COLUMNS = ("tag", "start", "length")


def plain_document(block: XmlBlock, name: str) -> StructureDocument | None:
    """The document; None where it has links or is not plain, or something in it is not what it should be."""
    lines = block.lines[1:]
    columns: list[list[str]] = [column(block.element) for column in _queries()]
    if not len(lines) or any(len(column) != len(lines) for column in columns):
        return None
    tags = columns[0]
    start, length = (integers([text.encode() for text in column]) for column in columns[1:])
    if start is None or length is None or not all(map(is_tag, set(tags))):
        return None
    depths = _depths(block.element)[1:]
    if (depths[1:] == 1).any() or (start < 0).any() or (length < 0).any() or (start > FARTHEST - length).any():
        return None
    paths, parent = _paths(tags, depths.tolist())
    end = start + length
    if (start[1:] < start[parent[1:]]).any() or (end[1:] > end[parent[1:]]).any():
        return None
    return StructureDocument(name, tuple(paths), start, length, lines)


def _depths(element: etree._Element) -> IntArray:
    """How many elements each element is in, in the order of the document."""
    from lxml import etree

    text = np.frombuffer(etree.tostring(element, encoding="utf-8", with_tail=False), dtype=np.uint8)
    less = np.flatnonzero(text == _LESS)
    ends = text[less + 1] == _SLASH
    begins = less[~ends]
    empty = np.flatnonzero((text[:-1] == _SLASH) & (text[1:] == _GREATER))
    closed = np.searchsorted(np.sort(np.concatenate((less[ends], empty))), begins)
    depths: IntArray = np.arange(len(begins)) - closed
    return depths


def _paths(tags: list[str], depths: list[int]) -> tuple[list[str], IntArray]:
    """Path and number of the parent of each element, -1 for the first."""
    paths, parents = [], []
    above, numbers = [""] * (max(depths) + 1), [-1] * (max(depths) + 1)  # of the elements that are open, by depth
    children: list[dict[str, int]] = [{} for _ in above]
    for number, (tag, depth) in enumerate(zip(tags, depths, strict=True)):
        counts = children[depth - 1]
        rank = counts[tag] = counts.get(tag, 0) + 1
        path = above[depth] = f"{above[depth - 1]}/{tag}[{rank}]"
        paths.append(path)
        parents.append(numbers[depth - 1])
        numbers[depth], children[depth] = number, {}
    return paths, np.array(parents)


@cache
def _queries() -> list[etree.XPath]:
    from lxml import etree

    return [etree.XPath(f"descendant::element/@{field}", smart_strings=False) for field in _COLUMNS]
