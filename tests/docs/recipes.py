"""Follows the recipes of CONTRIBUTING.md: puts their files where they say, and runs their commands.

A recipe is a section of the third level. A block of code after a line with nothing but a path and a colon is that file.
A block marked ``diff`` goes into the file of the package that the paragraph before it names: its first line is there,
and the lines marked ``+`` follow. Files in ``prum_eval/`` go into a copy of the package; the others are a package of
their own, installed by what an installer would leave of its pyproject.toml: the entry points.

As a script, writes what the commands print now into CONTRIBUTING.md: ``python -m tests.docs.recipes``.
"""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.docs.pages import ROOT, new_folder, sessions_again

PAGE = ROOT / "CONTRIBUTING.md"
_FILE = re.compile(r"^`([^`\s]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINES = re.compile(r"`(prum_eval/[^`\s]+)`[^`]*?(?:`\w+`[^`]*?)*\n\n```diff\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Recipe:
    """A recipe, as the page has it."""

    title: str
    text: str

    @property
    def files(self) -> dict[str, str]:
        """The files that it makes, by path."""
        return dict(_FILE.findall(self.text))

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Path of a file of the package, and the difference that the recipe makes to it."""
        return _LINES.findall(self.text)


def recipes() -> list[Recipe]:
    """All recipes, in the order of the page."""
    parts = re.split(r"^### (.*)\n", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [Recipe(title, text) for title, text in zip(parts[::2], parts[1::2], strict=True)]


@contextmanager
def followed(recipe: Recipe) -> Iterator[Path]:
    """A folder with the files of a recipe where it says, in front of all else that Python imports."""
    before = os.environ.get("PYTHONPATH")
    with new_folder() as name:
        folder = Path(name)
        if any(path.startswith("prum_eval/") for path in recipe.files):
            shutil.copytree(ROOT / "prum_eval", folder / "prum_eval", ignore=shutil.ignore_patterns("__pycache__"))
        for path, text in recipe.files.items():
            (folder / path).write_text(text, encoding="utf-8")
        for path, difference in recipe.lines:
            (folder / path).write_text(_with(difference, folder / path), encoding="utf-8")
        if "pyproject.toml" in recipe.files:
            _install(tomllib.loads(recipe.files["pyproject.toml"])["project"], folder)
        os.environ["PYTHONPATH"] = os.pathsep.join([name, *([before] if before else [])])
        try:
            yield folder
        finally:
            del os.environ["PYTHONPATH"]
            if before is not None:
                os.environ["PYTHONPATH"] = before


def _with(difference: str, path: Path) -> str:
    """The file with what follows the first line of the difference after that line."""
    first, *added = difference.splitlines(keepends=True)
    text = path.read_text(encoding="utf-8")
    there = first.removeprefix(" ")
    if text.count(there) != 1 or not all(line.startswith("+") for line in added):
        raise ValueError(f"{path.name} has no one line {there!r}")
    return text.replace(there, there + "".join(line.removeprefix("+") for line in added))


def _install(project: dict, folder: Path) -> None:
    information = folder / f"{project['name']}-{project['version']}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8"
    )
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in points.items())
        for group, points in project["entry-points"].items()
    ]
    (information / "entry_points.txt").write_text("".join(groups), encoding="utf-8")


def rewritten() -> str:
    """CONTRIBUTING.md with what its recipes print now."""
    page = PAGE.read_text(encoding="utf-8")
    for recipe in recipes():
        with followed(recipe) as folder:
            page = page.replace(recipe.text, sessions_again(recipe.text, folder))
    return page


if __name__ == "__main__":
    PAGE.write_text(rewritten(), encoding="utf-8", newline="")
