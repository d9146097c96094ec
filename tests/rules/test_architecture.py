"""The files and names that docs/architecture.md mentions exist."""

from __future__ import annotations

import ast
import re

import pytest

from tests.gold import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:\w+/)*\w+\.py)(?::([\w.]+))?`", PAGE)))


def defined(body):
    """Functions, classes with what they hold (``Class.method``), and assigned names."""
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name, body=inner):
                yield name
                yield from (f"{name}.{one}" for one in defined(inner))
            case ast.Assign(targets=[ast.Name(id=name), *_]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_what_the_page_names_exists(file, name):
    tree = ast.parse((ROOT / "prum_eval" / file).read_text(encoding="utf-8"))
    assert not name or name in set(defined(tree.body))


def test_the_page_names_what_a_reader_meets():
    packages = {file.split("/")[0] for file, _ in NAMED}
    assert packages >= {"cli", "collection", "evaluation", "formats", "measures", "records.py", "relevance", "report"}
