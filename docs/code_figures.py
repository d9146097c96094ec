"""Writes the figures of docs/architecture.md: code lines per package, and the files that two calls pass through.

They help with reading; no test checks them. Code lines are lines without docstrings, comments and blank lines.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "prum_eval"
PAGE = ROOT / "docs" / "architecture.md"
CALLS = (
    "eval -m map fixtures/toy/qrels fixtures/toy/run",
    "eval -m eprum_map -s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml",
)


def code_lines(path: Path) -> tuple[int, int]:
    """Code lines of a file, and how many of them import something."""
    text = path.read_text(encoding="utf-8")
    docstrings: set[int] = set()
    imports: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                docstrings.update(range(node.lineno, (node.end_lineno or 0) + 1))
            case ast.Import() | ast.ImportFrom():
                imports.update(range(node.lineno, (node.end_lineno or 0) + 1))
    code = {
        number
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.strip().startswith("#") and number not in docstrings
    }
    return len(code), len(code & imports)


def package_table() -> str:
    """Files, code lines and share of imports per package, largest first."""
    figures: dict[str, list[int]] = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).parts
        row = figures.setdefault(parts[0] if len(parts) > 1 else "modules at the top", [0, 0, 0])
        for place, number in enumerate((1, *code_lines(path))):
            row[place] += number
    rows = sorted(figures.items(), key=lambda item: -item[1][1])
    rows.append(("all", [sum(row[place] for _, row in rows) for place in range(3)]))
    lines = ["| package | files | code lines | imports |", "|---|---|---|---|"]
    lines += [f"| {name} | {files} | {code:,} | {imports / code:.1%} |" for name, (files, code, imports) in rows]
    return "\n".join(lines)


def call_table() -> str:
    """Distinct files and file-to-file edges per call."""
    lines = ["| call | files | edges |", "|---|---|---|"]
    for call in CALLS:
        command = [sys.executable, "-m", "tests.call_files", *call.split()]
        printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S603
        files, edges = re.findall(r"\d+", printed)
        lines.append(f"| `{call}` | {files} | {edges} |")
    return "\n".join(lines)


def main() -> None:
    """Write both tables into the page, between their markers."""
    text = PAGE.read_text(encoding="utf-8")
    for name, table in (("packages", package_table()), ("calls", call_table())):
        text = re.sub(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", rf"\g<1>\n{table}\n\n\g<2>", text, flags=re.DOTALL)
    PAGE.write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
