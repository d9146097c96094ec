"""trec_eval, where the environment variable TREC_EVAL names it: a program, or the folder of its source.

A source is compiled as its own Makefile does, with the files that it names (all ``*.c`` where there is none), but
without symbols for a debugger, and with ``-O2``; ``-O0``, which its Makefile says, and ``-O3`` are measured too. The
programs are in ``bench/generated`` afterwards.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

BUILT = Path(__file__).resolve().parent / "generated" / "trec_eval"
VARIABLE = "TREC_EVAL"


LEVELS = ("-O0", "-O3")
"""Other levels of optimisation that are measured."""


def program(built: Path = BUILT, level: str = "-O2") -> Path | None:
    """The program, compiled if need be with that level of optimisation, or None where there is none.

    Raises:
        RuntimeError: TREC_EVAL names nothing that runs or compiles.
    """
    given = os.environ.get(VARIABLE)
    if not given:
        return None
    path = Path(given).resolve()
    if path.is_dir():
        return compiled(path, built.with_name(built.name + level.removesuffix("-O2")), level)
    if not os.access(path, os.X_OK):
        raise RuntimeError(f"{VARIABLE}={given}: neither a program nor a folder with its source")
    return path


def compiled(source: Path, built: Path, level: str = "-O2") -> Path:
    """The program made of the sources in a folder, again where one of them is newer.

    Raises:
        RuntimeError: there is no source, or the compiler does not take it.
    """
    named = set(re.findall(r"[\w-]+\.c\b", _makefile(source)))  # folders hold files of earlier versions too
    found = sorted(source.glob("*.c"))
    sources = [path for path in found if path.name in named] or found
    if not sources:
        raise RuntimeError(f"{VARIABLE}={source}: no source, *.c, in this folder")
    if built.exists() and all(path.stat().st_mtime <= built.stat().st_mtime for path in sources):
        return built
    built.parent.mkdir(parents=True, exist_ok=True)
    version = f'-DVERSIONID="{_version(source)}"'
    compiler = os.environ.get("CC", "cc")
    command = [compiler, level, "-w", f"-I{source}", version, "-o", str(built), *map(str, sources), "-lm"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise RuntimeError(f"{VARIABLE}={source}: {' '.join(made.stderr.splitlines()[:3])}")
    return built


def note() -> str:
    """How the program was made, in a sentence for the page."""
    given = os.environ.get(VARIABLE)
    if not given:
        return f"trec_eval was not measured: make bench {VARIABLE}=PATH, its program or the folder of its source."
    if Path(given).is_dir():
        return f"trec_eval {_version(Path(given))} was compiled from its source by cc -O2; other rows name the level."
    return "trec_eval is the program that was given, as it was built."


def _makefile(source: Path) -> str:
    path = source / "Makefile"
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _version(source: Path) -> str:
    """What its Makefile says."""
    found = re.search(r"^VERSIONID\s*=\s*(\S+)", _makefile(source), re.MULTILINE)
    return found[1] if found else "of unknown version"
