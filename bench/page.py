"""The pages of measurements: sections between marks, each replaced by the benchmark that makes it."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = Path(__file__).resolve().parent / "NOTES.md"
USERS_PAGE = DOCS / "performance.md"
PACKAGES = ("prum-eval", "numpy", "click", "pytrec-eval-terrier", "ir-measures", "ranx", "distributed")


def write_section(name: str, lines: Sequence[str], page: Path = PAGE) -> None:
    """Replace what stands between ``<!-- name -->`` and ``<!-- /name -->``."""
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    text = page.read_text(encoding="utf-8")
    head, tail = text[: text.index(start) + len(start)], text[text.index(end) :]
    page.write_text("\n".join([head.rstrip("\n"), *lines, tail]), encoding="utf-8")


def machine() -> str:
    """Versions and machine, in a line."""
    packages = ", ".join(f"{name} {found}" for name in PACKAGES if (found := _installed(name)))
    return f"{platform.python_implementation()} {platform.python_version()}, {packages}; {os.cpu_count()} processors"


def table(head: str, rows: Sequence[Sequence[object]]) -> list[str]:
    """A table with a heading such as ``runs | seconds``."""
    columns = head.count("|") + 1
    return [f"| {head} |", "|---" * columns + "|", *(f"| {' | '.join(map(str, row))} |" for row in rows)]


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
