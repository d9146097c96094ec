"""Runs the cells of docs/notebook.md as a notebook does, and puts what they show below them.

All blocks marked ``python`` of the page are the cells of one session. What a cell shows stands after it between the
comments ``output`` and ``/output``: what it printed, and the value of its last expression as a notebook renders it, a
table, a picture (a file of the folder notebook beside the page), or its ``repr``. As a script, writes them again:
``python -m tests.docs.notebook``.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from tests.docs.pages import ROOT, new_folder

PAGE = ROOT / "docs" / "notebook.md"
PICTURES = PAGE.parent / "notebook"
_CELL = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n<!-- output -->\n(?P<shown>.*?)<!-- /output -->\n)?", re.MULTILINE | re.DOTALL
)
_ALT = re.compile(r"!\[([^\]]*)\]")


@dataclass(frozen=True)
class Shown:
    """What a cell shows: Markdown, and a picture if it is one."""

    text: str
    picture: bytes | None = None


class Picture:
    """What ``IPython.display.SVG`` is to a notebook, for tests that need no IPython."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def _repr_svg_(self) -> str:
        return self.data.decode()


def cells(page: str) -> Iterator[tuple[str, str | None]]:
    """Code and output of each cell of the page."""
    for found in _CELL.finditer(page):
        yield found["code"], found["shown"]


def session(page: str) -> list[Shown]:
    """What each cell shows now; the session runs in a new folder that sees ``fixtures``."""
    names: dict[str, object] = {"__name__": "__main__"}
    with new_folder() as folder, contextlib.chdir(folder), _notebook():
        return [_run(code, names, number) for number, (code, _) in enumerate(cells(page), start=1)]


def page_again(page: str) -> tuple[str, dict[str, bytes]]:
    """The page with what its cells show now, and its pictures by their file names."""
    shown = iter(enumerate(session(page), start=1))
    pictures = {}

    def cell(found: re.Match[str]) -> str:
        number, now = next(shown)
        text = now.text
        if now.picture is not None:
            pictures[f"{number}.svg"] = now.picture
            alt = _ALT.search(found["shown"] or "")
            text += f"![{alt[1] if alt else ''}](notebook/{number}.svg)\n"
        below = f"\n<!-- output -->\n{text}<!-- /output -->\n" if text else ""
        return f"```python\n{found['code']}```\n{below}"

    return _CELL.sub(cell, page), pictures


def drawn(picture: bytes) -> list[str]:
    """The words of a picture."""
    return re.findall(r"<text[^>]*>(.*?)</text>", picture.decode())


@contextlib.contextmanager
def _notebook() -> Iterator[None]:
    """What cells import of IPython stands here meanwhile."""
    python, display = ModuleType("IPython"), ModuleType("IPython.display")
    vars(python)["version_info"] = (9, 0)  # matplotlib asks for it
    vars(display)["SVG"] = Picture
    before = {name: sys.modules.pop(name, None) for name in ("IPython", "IPython.display")}
    sys.modules.update({"IPython": python, "IPython.display": display})
    try:
        yield
    finally:
        for name, module in before.items():
            del sys.modules[name]
            if module is not None:
                sys.modules[name] = module


def _run(code: str, names: dict[str, object], number: int) -> Shown:
    """Run a cell: its last line, if that is an expression, has the value that is shown."""
    body = ast.parse(code)
    last = body.body.pop() if isinstance(body.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(body, f"cell {number}", "exec"), names)  # noqa: S102 - the cells are our own
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)  # noqa: S307 - as above
    text = _fenced(printed.getvalue())
    if hasattr(value, "_repr_svg_"):
        return Shown(text, value._repr_svg_().encode())
    if hasattr(value, "_repr_html_"):
        return Shown(text + _table(value._repr_html_()))
    return Shown(text + _fenced("" if value is None else f"{value!r}\n"))


def _fenced(text: str) -> str:
    return f"\n```text\n{text}```\n\n" if text else ""


def _table(html: str) -> str:
    """A table as pages show it: without the styles and attributes that DataFrames bring along."""
    plain = re.sub(r"<style.*?</style>\n", "", html, flags=re.DOTALL)
    plain = re.sub(r"<(table|tr)\b[^>]*>", r"<\1>", plain)
    return f'<div class="output">\n{plain.strip()}\n</div>\n'


def main() -> None:
    """Write page and pictures."""
    page, pictures = page_again(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page, encoding="utf-8", newline="")
    PICTURES.mkdir(exist_ok=True)
    for name, picture in pictures.items():
        (PICTURES / name).write_bytes(picture)


if __name__ == "__main__":
    main()
