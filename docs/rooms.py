"""Draws the rooms of the package, from what their modules import."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "prum_eval"

BOX_WIDTH, BOX_HEIGHT, ROW, MARGIN = 620, 40, 56, 12
STYLE = """\
<style>
text { font: 11.5px sans-serif; fill: #345 }
.name { font: bold 13px sans-serif; fill: #123 }
.page { fill: #fff }
.room { fill: #e8f3f1; stroke: #2a7f74 }
.way { fill: none; stroke: #456; marker-end: url(#tip) }
.tip { fill: #456 }
@media (prefers-color-scheme: dark) {
text { fill: #b8c4d0 }
.name { fill: #e8edf2 }
.page { fill: #16181b }
.room { fill: #1c3330; stroke: #3fa596 }
.way { stroke: #8a9aac }
.tip { fill: #8a9aac }
}
</style>"""


def rooms() -> list[str]:
    """The folders of the package in the order of the contract in pyproject.toml: imports go downwards."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    return [
        room
        for layer in layers
        for room in layer.replace(" ", "").split("|")
        if (PACKAGE / room).is_dir() or room == "records"
    ]


@cache
def imports() -> dict[str, set[str]]:
    """The rooms that modules of each room import from, at the top or where they need it."""
    known = set(rooms())
    return {
        room: {
            target
            for path in ((PACKAGE / room).rglob("*.py") if (PACKAGE / room).is_dir() else [PACKAGE / f"{room}.py"])
            for module in _imported(ast.parse(path.read_text(encoding="utf-8")))
            for target in module.split(".")[1:2]
            if module.startswith("prum_eval.") and target in known - {room}
        }
        for room in rooms()
    }


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def reachable(edges: dict[str, set[str]], room: str) -> set[str]:
    """The rooms that a room imports from, and those that they import from, and so on."""
    return edges[room].union(*(reachable(edges, below) for below in edges[room]))


def arrows(edges: dict[str, set[str]]) -> list[tuple[str, str]]:
    """The imports that no longer way over other rooms implies."""
    return [
        (room, below)
        for room, targets in edges.items()
        for below in sorted(targets, key=list(edges).index)
        if not any(below in reachable(edges, other) for other in targets - {below})
    ]


def drawing() -> str:
    """docs/rooms.svg: a box a room, from the top down, with an arrow to each room that it imports from."""
    order = rooms()
    drawn = arrows(imports())
    row = {room: number for number, room in enumerate(order)}
    longest = max(row[below] - row[room] for room, below in drawn)
    width, height = BOX_WIDTH + 2 * MARGIN + 24 * longest, ROW * len(order) + MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
        "<title>The rooms of prum_eval and what they import from</title>",
        f"<desc>{escape('; '.join(f'{room} imports from {below}' for room, below in drawn))}</desc>",
        STYLE,
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">',
        '<path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>',
        f'<rect class="page" width="{width}" height="{height}" rx="6"/>',
    ]
    for room in order:
        top, left = MARGIN + ROW * row[room], MARGIN + 10
        lines += [
            f'<rect class="room" x="{MARGIN}" y="{top}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="5"/>',
            f'<text class="name" x="{left}" y="{top + 16}">{room}</text>',
            f'<text x="{left}" y="{top + 32}">{escape(purpose(room))}</text>',
        ]
    lines += [f'<path class="way" d="{_way(row[room], row[below])}"/>' for room, below in drawn]
    return "\n".join([*lines, "</svg>", ""])


def purpose(room: str) -> str:
    """What a room is for: the first line of its docstring."""
    docstring = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8")))
    return (docstring or "").split("\n")[0]


def _way(room: int, below: int) -> str:
    """From a box straight to the next one, or around those between, at their right."""
    if below == room + 1:
        middle = MARGIN + BOX_WIDTH / 2
        return f"M{middle:g} {MARGIN + ROW * room + BOX_HEIGHT}V{MARGIN + ROW * below}"
    right, out = MARGIN + BOX_WIDTH, 32 * (below - room)
    begin, end = MARGIN + ROW * room + BOX_HEIGHT * 0.7, MARGIN + ROW * below + BOX_HEIGHT * 0.3
    return f"M{right} {begin:g}C{right + out} {begin:g} {right + out} {end:g} {right} {end:g}"
