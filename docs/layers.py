"""Draws the packages of prum_eval and what they import, from the code."""

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
.box { fill: #e8f3f1; stroke: #2a7f74 }
.arrow { fill: none; stroke: #456; marker-end: url(#tip) }
.tip { fill: #456 }
@media (prefers-color-scheme: dark) {
text { fill: #b8c4d0 }
.name { fill: #e8edf2 }
.page { fill: #16181b }
.box { fill: #1c3330; stroke: #3fa596 }
.arrow { stroke: #8a9aac }
.tip { fill: #8a9aac }
}
</style>"""


def packages() -> list[str]:
    """Packages, and the module of records, in the order of the contract in pyproject.toml: imports go downwards."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    names = [name for layer in layers for name in layer.replace(" ", "").split("|")]
    return [name for name in names if (PACKAGE / name).is_dir() or name == "records"]


def modules(package: str) -> list[Path]:
    """The files of a package, or the one file of a module."""
    folder = PACKAGE / package
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]


@cache
def imports() -> dict[str, set[str]]:
    """The packages that each package imports from, at the top of modules or inside functions."""
    known = set(packages())
    return {
        package: {
            target
            for path in modules(package)
            for module in _imported(ast.parse(path.read_text(encoding="utf-8")))
            for target in module.split(".")[1:2]
            if module.startswith("prum_eval.") and target in known - {package}
        }
        for package in packages()
    }


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def reachable(edges: dict[str, set[str]], package: str) -> set[str]:
    """Packages that a package imports from, directly or through others."""
    return edges[package].union(*(reachable(edges, below) for below in edges[package]))


def arrows(edges: dict[str, set[str]]) -> list[tuple[str, str]]:
    """The imports that no path through other packages implies."""
    return [
        (package, below)
        for package, targets in edges.items()
        for below in sorted(targets, key=list(edges).index)
        if not any(below in reachable(edges, other) for other in targets - {below})
    ]


def drawing() -> str:
    """docs/layers.svg: one box per package from the top down, with arrows to what it imports."""
    order = packages()
    drawn = arrows(imports())
    row = {package: number for number, package in enumerate(order)}
    longest = max(row[below] - row[package] for package, below in drawn)
    width, height = BOX_WIDTH + 2 * MARGIN + 24 * longest, ROW * len(order) + MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
        "<title>The packages of prum_eval and what they import</title>",
        f"<desc>{escape('; '.join(f'{package} imports from {below}' for package, below in drawn))}</desc>",
        STYLE,
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">',
        '<path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>',
        f'<rect class="page" width="{width}" height="{height}" rx="6"/>',
    ]
    for package in order:
        top, left = MARGIN + ROW * row[package], MARGIN + 10
        lines += [
            f'<rect class="box" x="{MARGIN}" y="{top}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="5"/>',
            f'<text class="name" x="{left}" y="{top + 16}">{package}</text>',
            f'<text x="{left}" y="{top + 32}">{escape(purpose(package))}</text>',
        ]
    lines += [f'<path class="arrow" d="{_arrow_path(row[package], row[below])}"/>' for package, below in drawn]
    return "\n".join([*lines, "</svg>", ""])


def purpose(package: str) -> str:
    """First line of a package's docstring."""
    docstring = ast.get_docstring(ast.parse(modules(package)[0].read_text(encoding="utf-8")))
    return (docstring or "").split("\n")[0]


def _arrow_path(package: int, below: int) -> str:
    """From a box straight to the next one, or around those between, at their right."""
    if below == package + 1:
        middle = MARGIN + BOX_WIDTH / 2
        return f"M{middle:g} {MARGIN + ROW * package + BOX_HEIGHT}V{MARGIN + ROW * below}"
    right, out = MARGIN + BOX_WIDTH, 32 * (below - package)
    begin, end = MARGIN + ROW * package + BOX_HEIGHT * 0.7, MARGIN + ROW * below + BOX_HEIGHT * 0.3
    return f"M{right} {begin:g}C{right + out} {begin:g} {right + out} {end:g} {right} {end:g}"
