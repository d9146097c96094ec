"""Pointers of XML assessments: an element, or a point k characters into its n-th stretch of own text."""

from __future__ import annotations

import re

from prum_eval.collection.trees import DocumentTree

POINT = re.compile(r"(?P<path>.*)/text\(\)\[(?P<stretch>[0-9]+)\](?:\.(?P<offset>[0-9]+))?", re.DOTALL)


class PointerError(ValueError):
    """The pointer leads nowhere; the text says why."""


class ReversedError(PointerError):
    """The second pointer leads to text before that of the first."""


def extent(tree: DocumentTree, first: str, last: str) -> tuple[int, int]:
    """Start and length of the text from one pointer to the end of what another names.

    Raises:
        PointerError: no such element or text, or it ends before it begins.
    """
    start, end = position(tree, first), position(tree, last, at_end=True)
    if end < start:
        raise ReversedError(f"the passage ends before it begins ({first} to {last})")
    return start, end - start


def position(tree: DocumentTree, pointer: str, *, at_end: bool = False) -> int:
    """Offset in the document that a pointer names; an element's own end instead of its start with `at_end`.

    Raises:
        PointerError: no such element or text.
    """
    point = POINT.fullmatch(pointer)
    if point is None:
        element = _find(tree, pointer)
        return int(tree.start[element] + (tree.length[element] if at_end else 0))
    stretches = own_text(tree, _find(tree, point["path"]))
    number = int(point["stretch"])
    if not 1 <= number <= len(stretches):
        raise PointerError(f"{pointer}: the element has {len(stretches)} stretches of text in the structure")
    start, end = stretches[number - 1]
    if point["offset"] is None:
        return end if at_end else start
    if int(point["offset"]) > end - start:
        raise PointerError(f"{pointer}: that stretch of text has {end - start} characters in the structure")
    return start + int(point["offset"])


def own_text(tree: DocumentTree, element: int) -> list[tuple[int, int]]:
    """Non-empty stretches (start, end) of text that stand directly in an element, between its children."""
    at, stretches = int(tree.start[element]), []
    child, end = element + 1, int(tree.end[element])
    while child < end:
        start = int(tree.start[child])
        stretches.append((at, start))
        at = start + int(tree.length[child])
        child = int(tree.end[child])
    stretches.append((at, int(tree.start[element] + tree.length[element])))
    return [(low, high) for low, high in stretches if high > low]


def _find(tree: DocumentTree, path: str) -> int:
    element = tree.find(path)
    if element < 0:
        raise PointerError(f"{path} is not in the structure of document {tree.name}")
    return element
