"""The elements of one document, listed in document order: is every one inside a parent that is listed before it?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.errors import InputError, Problems
from prum_eval.records.structure import StructureDocument
from prum_eval.text.element_paths import PATH_EXAMPLE, normal_path
from prum_eval.text.numbers import expected, shown

ListedElements = tuple[Sequence[bytes], IntArray, IntArray, IntArray]
"""Paths, starts, lengths and lines of some elements."""


def nested_document(
    document: str, parts: Sequence[ListedElements], name: str, problems: Problems, *, damaged: bool
) -> StructureDocument:
    """The document that consists of these parts; every element without a place in the tree is reported and left out.

    Of a `damaged` document, which lost lines, nothing is reported that may be for want of these lines.
    """
    raw = [path for part in parts for path in part[0]]
    start, length, lines = (np.concatenate([part[column] for part in parts]) for column in (1, 2, 3))

    def problem(row: int, reason: str) -> None:
        problems(InputError(name, int(lines[row]), reason))

    paths = _nested(raw, start.tolist(), (start + length).tolist(), lines, problem, damaged=damaged)
    kept = list(paths.values())
    if len(kept) != len(raw):
        start, length, lines = start[kept], length[kept], lines[kept]
    return StructureDocument(document, tuple(paths), start, length, lines)


def _nested(
    paths: Sequence[bytes],
    start: list[int],
    end: list[int],
    lines: IntArray,
    problem: Callable[[int, str], None],
    *,
    damaged: bool,
) -> dict[str, int]:
    """Paths in normal form and rows of the elements that have a place in the tree."""
    rows: dict[str, int] = {}  # elements so far
    steps: set[str] = set()  # known to be well-formed
    stack: list[str] = []  # the element before and its ancestors
    bad: set[str] = set()  # elements without a place: what lies in them is not reported again
    for row, raw in enumerate(paths):
        path = raw.decode(errors="backslashreplace")
        parent, _, step = path.rpartition("/")
        if step not in steps or parent not in rows:
            normal = normal_path(path)
            if normal is None:
                problem(row, expected("path", PATH_EXAMPLE, raw))
                bad.add(path)
                continue
            path = normal
            parent, _, step = path.rpartition("/")
            steps.add(step)
        depth = path.count("/") - 1
        if path in rows:
            problem(row, f"element {shown(path)} is listed twice (first on line {lines[rows[path]]})")
            continue
        if depth > len(stack) or (depth and stack[depth - 1] != parent) or (not depth and stack):
            if parent not in bad and not damaged:
                problem(row, _misplaced(path, parent, rows, lines))
            bad.add(path)
            continue
        if depth and (start[row] < start[rows[parent]] or end[row] > end[rows[parent]]):
            problem(row, _outside(path, parent, row, rows[parent], start, end))
        rows[path] = row
        stack[depth:] = [path]
    return rows


def _misplaced(path: str, parent: str, rows: dict[str, int], lines: IntArray) -> str:
    if not parent:
        return f"element {shown(path)} is a second root of its document"
    if parent in rows:
        return (
            f"element {shown(path)} is out of document order: its parent {shown(parent)} "
            f"(line {lines[rows[parent]]}) ended before"
        )
    return f"element {shown(path)} stands without its parent {shown(parent)}"


def _outside(path: str, parent: str, row: int, parent_row: int, start: list[int], end: list[int]) -> str:
    return (
        f"element {shown(path)} from {start[row]} to {end[row]} is outside its parent {shown(parent)} "
        f"from {start[parent_row]} to {end[parent_row]}"
    )
