"""The elements of one document, listed in document order: is every one inside a parent that is listed before it?"""

from __future__ import annotations

from collections.abc import Sequence

from prum_eval.arrays import IntArray
from prum_eval.errors import InputError, Problems
from prum_eval.records.structure import StructureDocument
from prum_eval.text.element_paths import PATH_EXAMPLE, normal_path
from prum_eval.text.lines import concatenated
from prum_eval.text.numbers import expected, shown


class Listing:
    """Collects the elements of one wanted document and checks them when all are there."""

    def __init__(self, name: str, document: str, problems: Problems) -> None:
        self.name = name
        self.document = document
        self.problems = problems
        self._paths: list[bytes] = []
        self._columns: list[list[IntArray]] = [[], [], []]

    def add(self, paths: Sequence[bytes], start: IntArray, length: IntArray, lines: IntArray) -> None:
        """Append elements."""
        self._paths.extend(paths)
        for parts, part in zip(self._columns, (start, length, lines), strict=True):
            parts.append(part)

    def checked(self, *, damaged: bool) -> StructureDocument:
        """The document; every element without a place in the tree is reported and left out.

        Of a `damaged` document, which lost lines, nothing is reported that may be for want of these lines.
        """
        start, length, lines = (concatenated(parts) for parts in self._columns)
        paths, kept = self._nested(start.tolist(), (start + length).tolist(), lines, damaged=damaged)
        if len(kept) != len(lines):
            start, length, lines = start[kept], length[kept], lines[kept]
        return StructureDocument(self.document, tuple(paths), start, length, lines)

    def _nested(
        self, start: list[int], end: list[int], lines: IntArray, *, damaged: bool
    ) -> tuple[list[str], list[int]]:
        """Paths in normal form and rows of the elements that have a place in the tree."""
        rows: dict[str, int] = {}  # elements so far
        steps: set[str] = set()  # known to be well-formed
        stack: list[str] = []  # the element before and its ancestors
        bad: set[str] = set()  # elements without a place: what lies in them is not reported again
        for row, raw in enumerate(self._paths):
            path = raw.decode(errors="backslashreplace")
            parent, _, step = path.rpartition("/")
            if step not in steps or (parent not in rows and parent):
                normal = normal_path(path)
                if normal is None:
                    self._problem(lines[row], expected("path", PATH_EXAMPLE, raw))
                    bad.add(path)
                    continue
                path = normal
                parent, _, step = path.rpartition("/")
                steps.add(step)
            depth = path.count("/") - 1
            if path in rows:
                self._problem(lines[row], f"element {shown(path)} is listed twice (first on line {lines[rows[path]]})")
                continue
            if depth > len(stack) or (depth and stack[depth - 1] != parent) or (not depth and stack):
                if parent not in bad and not damaged:
                    self._problem(lines[row], _misplaced(path, parent, rows, lines))
                bad.add(path)
                continue
            if depth and (start[row] < start[rows[parent]] or end[row] > end[rows[parent]]):
                self._problem(lines[row], _outside(path, parent, row, rows[parent], start, end))
            rows[path] = row
            stack[depth:] = [path]
        return list(rows), list(rows.values())

    def _problem(self, line: int, reason: str) -> None:
        self.problems(InputError(self.name, int(line), reason))


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
