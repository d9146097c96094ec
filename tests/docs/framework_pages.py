"""Runs the scripts of the pages on chunk frameworks, in an environment that has the frameworks: ``make frameworks``.

All blocks marked ``python`` of a page are one script; what it prints after each of them stands in the block marked
``text`` that follows, if one does. As a script, writes what is printed now into the pages given.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.docs.pages import ROOT, new_folder

PAGES = sorted((ROOT / "docs").glob("chunks-*.md"))
_BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = "---- end of a block ----"


def blocks_of(page: str) -> list[tuple[str, str]]:
    """Kind and content of each block."""
    return [(match[1], match[2]) for match in _BLOCK.finditer(page)]


def printed_by(page: str) -> list[str]:
    """What stands in the blocks of output, as it is now."""
    script, outputs, count = [], [], 0
    for kind, text in blocks_of(page):
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


def page_again(page: str) -> str:
    """The page with what its script prints now."""
    now = iter(printed_by(page))
    return _BLOCK.sub(lambda match: match[0] if match[1] == "python" else f"```text\n{next(now)}```", page)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(page_again(Path(name).read_text(encoding="utf-8")), encoding="utf-8", newline="")
