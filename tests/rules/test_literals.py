"""What a room must know about a measure, user model or format is a field of its record, never its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from prum_eval.measures.registry import BY_NAME, families
from prum_eval.report.registry import OUTPUT_FORMATS
from prum_eval.user_models.registry import BUILT_IN
from tests.rules.source import modules

NAMES = {*BY_NAME, *families(), *BUILT_IN, *OUTPUT_FORMATS}

HOMES = ("measures/", "user_models/", "formats/", "report/registry.py")
"""Where things have their names: the files of measures, user models and formats, the tasks and the registries."""
MOST = 38
"""Decisions by name that are left elsewhere. This number only falls."""


def decisions(tree: ast.Module) -> Iterator[ast.Constant]:
    """Strings that something is compared with or looked up by."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others):
                yield from strings(left, *others)
            case ast.Set(elts=members):
                yield from strings(*members)
            case ast.Dict(keys=keys):
                yield from strings(*filter(None, keys))
            case ast.MatchValue(value=value):
                yield from strings(value)
            case ast.Call(func=ast.Name(id="set" | "frozenset"), args=[members]):
                yield from strings(members)


def strings(*nodes: ast.expr) -> Iterator[ast.Constant]:
    """The strings among these expressions, and in tuples, lists and sets of them."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            yield from strings(*node.elts)


def test_nothing_is_decided_by_the_name_of_a_measure_model_or_format():
    found = {
        f"{name}:{one.lineno}: {one.value}"
        for name, tree in modules().items()
        if not name.startswith(HOMES)
        for one in decisions(tree)
        if one.value in NAMES
    }
    assert len(found) <= MOST, sorted(found)


def test_a_decision_by_name_is_found():
    tree = ast.parse("x == 'map'; x in ('map', 'P'); {'map': 1}; frozenset(['map']); print('map'); f(name='map')")
    assert [one.value for one in decisions(tree)] == ["map", "map", "P", "map", "map"]
