"""Runs the commands that the pages show, and compares what they print with what the pages say.

A page shows a session as a fenced block marked ``console``: lines that begin with ``$ `` are commands (going on after a
backslash), the lines below are what a terminal shows. Left out there are warnings and the signature, unless the command
says ``2>&1``; a line ``...`` stands for any number of lines. All commands of a page run one after the other in one new
folder that sees ``fixtures``, so that a page may write files and read them again. ``prum-eval`` is what tests/served.py
makes of it, unless something else is to be imported first.

As a script, writes what is printed now into the pages given: ``python -m tests.docs.pages docs/tutorial.md``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.served import folder as folder_of_program

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))

_BLOCK = re.compile(r"^( *)```console\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_QUIET = re.compile(r"prum-eval: warning: |prum-eval \d\S*\|")
_ELSEWHERE = ("pip", "make", "git", "apt", "man", "gnuplot", "pre-commit")
"""First words of commands that are shown but not run: they change the machine, or need what tests cannot rely on."""

_IMPORTED_FIRST = os.environ.get("PYTHONPATH")
"""As it is for the tests; a page may be run with a folder in front of it, from which a new process has to import."""


@dataclass(frozen=True)
class Command:
    """A command with the lines that a page shows of it: first those of the command, then those of its output."""

    typed: tuple[str, ...]
    shown: tuple[str, ...]

    @property
    def text(self) -> str:
        """The command as the shell gets it."""
        return "\n".join(line[2:] if number == 0 else line for number, line in enumerate(self.typed))

    @property
    def runs(self) -> bool:
        """Is it one to run here?"""
        return self.text.split()[0] not in _ELSEWHERE


def commands(block: str) -> Iterator[Command]:
    """The commands of a block, each with what is shown below it."""
    typed: list[str] = []
    shown: list[str] = []
    for line in block.splitlines():
        if typed and typed[-1].endswith("\\"):
            typed.append(line)
        elif line.startswith("$ "):
            if typed:
                yield Command(tuple(typed), tuple(shown))
            typed, shown = [line], []
        else:
            shown.append(line)
    if typed:
        yield Command(tuple(typed), tuple(shown))


def blocks(page: str) -> Iterator[str]:
    """What stands in the console blocks of a page, without the indentation of the block."""
    for indent, inside in _BLOCK.findall(page):
        yield "".join(line.removeprefix(indent) for line in inside.splitlines(keepends=True))


def printed(command: Command, folder: Path) -> list[str]:
    """The lines that a terminal of 80 columns shows."""
    served = [folder_of_program()] if os.environ.get("PYTHONPATH") == _IMPORTED_FIRST else []
    programs = os.pathsep.join((*served, str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("_PRUM_EVAL", "FORCE_COLOR"))}
    done = subprocess.run(
        ["/bin/sh", "-c", command.text],
        cwd=folder,
        env={**kept, "PATH": programs, "COLUMNS": "80", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line for line in done.stderr.splitlines() if not _QUIET.match(line)]
    return [line.rstrip() for line in (*said, *done.stdout.splitlines())]


def agrees(shown: tuple[str, ...], lines: list[str]) -> bool:
    """Are these the lines shown, where ``...`` stands for any number of them?"""
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line.rstrip()) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


def new_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder to run a page in, where fixtures and the maker of collections are; the caller removes it."""
    folder = tempfile.TemporaryDirectory(prefix="prum-eval-page-")
    for name in ("fixtures", "bench"):
        (Path(folder.name) / name).symlink_to(ROOT / name)
    return folder


def differing(text: str, folder: Path) -> list[str]:
    """What the text of a page shows otherwise than it is in that folder, a text a command."""
    return [
        "\n".join([f"$ {command.text}", *lines, "-- but the page shows:", *command.shown])
        for block in blocks(text)
        for command in commands(block)
        if command.runs and not agrees(command.shown, lines := printed(command, folder))
    ]


def differences(page: Path) -> list[str]:
    """What the page shows otherwise than it is in a new folder."""
    with new_folder() as folder:
        return differing(page.read_text(encoding="utf-8"), Path(folder))


def sessions_again(text: str, folder: Path) -> str:
    """The text of a page with what its commands print now in that folder."""

    def block(match: re.Match[str]) -> str:
        (inside,) = blocks(match[0])
        lines = []
        for command in commands(inside):
            lines += command.typed
            now = printed(command, folder) if command.runs else list(command.shown)
            if any(line.startswith("Traceback") for line in now):
                raise RuntimeError("\n".join([f"$ {command.text}", *now]))
            lines += command.shown if agrees(command.shown, now) else now
        body = "".join(f"{match[1]}{line}".rstrip() + "\n" for line in lines)
        return f"{match[1]}```console\n{body}{match[1]}```"

    return _BLOCK.sub(block, text)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with new_folder() as new:
            now = sessions_again(Path(name).read_text(encoding="utf-8"), Path(new))
        Path(name).write_text(now, encoding="utf-8", newline="")
