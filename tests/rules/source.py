"""The modules of the package as syntax trees, for rules that look at the code."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "prum_eval"


@cache
def modules() -> dict[str, ast.Module]:
    """The syntax tree of every module, by its path in the package (``measures/prum.py``)."""
    return {
        path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def public_names(tree: ast.Module) -> set[str]:
    """Functions, classes and assigned names at the top of a module that do not begin with an underscore."""
    names = set()
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Assign(targets=targets):
                names.update(target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    return {name for name in names if not name.startswith("_")}
