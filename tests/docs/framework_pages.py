"""Runs the scripts of the page on chunk frameworks, in an environment that has the frameworks: ``make frameworks``.

All blocks marked ``python`` of a section are one script; what it prints after each of them stands in the block marked
``text`` that follows, if one does. As a script, writes what is printed now into the page.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.docs.pages import ROOT, new_folder

PAGE = ROOT / "docs" / "chunk-frameworks.md"
_SECTION = re.compile(r"^## (\w+)\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = "---- end of a block ----"


def sections() -> dict[str, str]:
    """The sections of the page by their headings, the names of frameworks."""
    return {match[1]: match[0] for match in _SECTION.finditer(PAGE.read_text(encoding="utf-8"))}


def blocks_of(section: str) -> list[tuple[str, str]]:
    """Kind and content of each block."""
    return [(match[1], match[2]) for match in _BLOCK.finditer(section)]


def printed_by(section: str) -> list[str]:
    """What stands in the blocks of output, as it is now."""
    script, outputs, count = [], [], 0
    for kind, text in blocks_of(section):
        if kind == "python":
            script.append(f"{text}\nprint({_MARK!r})\n")
            count += 1
        else:
            outputs.append(count - 1)
    with new_folder() as folder:
        Path(folder, "script.py").write_text("".join(script), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "script.py"],
            cwd=folder,
            env={**os.environ, "COLUMNS": "80", "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(done.stderr)
    parts = done.stdout.split(f"{_MARK}\n")
    return ["\n".join(line.rstrip() for line in parts[number].strip("\n").splitlines()) + "\n" for number in outputs]


def section_again(section: str) -> str:
    """The section with what its script prints now."""
    now = iter(printed_by(section))
    return _BLOCK.sub(lambda match: match[0] if match[1] == "python" else f"```text\n{next(now)}```", section)


if __name__ == "__main__":
    text = _SECTION.sub(lambda match: section_again(match[0]), PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8", newline="")
