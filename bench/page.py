"""The page of measurements: sections between marks, each replaced by the benchmark that makes it."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
PACKAGES = ("prum-eval", "numpy", "click", "pytrec-eval-terrier", "ir-measures")


def write_section(name: str, lines: Sequence[str]) -> None:
    """Replace what stands between ``<!-- name -->`` and ``<!-- /name -->``."""
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    text = PAGE.read_text(encoding="utf-8")
    head, tail = text[: text.index(start) + len(start)], text[text.index(end) :]
    PAGE.write_text("\n".join([head.rstrip("\n"), *lines, tail]), encoding="utf-8")


def machine() -> str:
    """Versions and machine, in a line."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"{platform.python_implementation()} {platform.python_version()}, {packages}; {os.cpu_count()} processors"
