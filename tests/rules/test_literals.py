"""What a room must know about a measure, user model or format is a field of its record, never its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from prum_eval.formats.registry import formats
from prum_eval.measures.registry import BY_NAME, families
from prum_eval.report.registry import OUTPUT_FORMATS
from prum_eval.user_models.registry import BUILT_IN as USER_MODELS
from tests.rules.source import modules

NAMES = {*BY_NAME, *families(), *USER_MODELS, *formats(), *OUTPUT_FORMATS}

RECORDS = {"Measure", "UserModel", "Format", "OutputFormat", "Task"}
"""What is called by such a name: the file that makes the record may use the name."""
REGISTRIES = {"measures/registry.py", "measures/tasks.py", "user_models/registry.py", "formats/registry.py"}
REGISTRIES |= {"report/registry.py"}
OTHERWISE = {
    "chunks/runs.py": ("tokens", "a key of JSON"),
    "analysis/regression/evaluating.py": ("tokens", "an argument"),
    "cli/commands/evaluate.py": ("gnuplot", "the format that --curves writes"),
    "cli/commands/gold.py": ("junit text", "the formats that --junit and the terminal get"),
    "cli/commands/index.py": ("index", "a key of what is printed"),
    "cli/group.py": ("index", "the command"),
    "collection/texts/stores.py": ("text", "a key of JSON"),
    "conversion/rows.py": ("tokens", "a column of runs"),
    "evaluation/check.py": ("text", "a column of rows"),
    "report/data/explanation.py": ("text", "a key of JSON"),
    "evaluation/configuration/evalj.py": ("bepd", "what EvalJ's configurations set parameters of"),
    "evaluation/configuration/xcgeval.py": ("xcg nxcg", "what XCGEval's configurations set parameters of"),
    "formats/assessments/xml.py": ("coverage", "a dimension of 2002"),
    "evaluation/plan.py": ("navigation size tokens", "keys of the parameters that are printed; a value of effort"),
    "formats/runs/json_lines.py": ("tokens", "a key of JSON"),
    "simulation/changes/move.py": ("siblings", "a value of axis"),
    "text/json/json_lines.py": ("text", "a key of JSON"),
    "integrations/ir_measures.py": ("P Rprec recall", "measures and parameters of ir_measures"),
    "measures/passages/official.py": ("counts", "a parameter"),
    "measures/passages/sizes.py": ("counts", "a parameter"),
    "measures/eprum.py": ("size", "a value of effort"),
    "report/data/fit.py": ("size persistence text navigation", "keys of JSON"),
    "report/data/gnuplot.py": ("recall", "the label of an axis"),
    "report/plots/pictures.py": ("png svg pdf", "what matplotlib is told of each"),
}
"""Names that mean something else in a file, or are another tool's: file, names, what they are there."""


def own_names(tree: ast.Module) -> set[str]:
    """Names of the records that a module makes, and of their families."""
    return {
        one.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RECORDS
        for one in strings(*node.args[:2], *(keyword.value for keyword in node.keywords))
    }


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
            case ast.Call(func=ast.Attribute(attr="get" | "pop" | "startswith" | "endswith"), args=[looked_up, *_]):
                yield from strings(looked_up)
            case ast.Subscript(slice=looked_up):
                yield from strings(looked_up)


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
        if name not in REGISTRIES
        for one in decisions(tree)
        if one.value in NAMES - own_names(tree) - set(OTHERWISE.get(name, ("",))[0].split())
    }
    assert not found


def test_a_decision_by_name_is_found():
    code = (
        "x == 'map'; x in ('map', 'P'); {'map': 1}; frozenset(['map']); x.get('map'); x['P']; print('map'); f(a='map')"
    )
    assert [one.value for one in decisions(ast.parse(code))].count("map") == 5
    assert [one.value for one in decisions(ast.parse(code))].count("P") == 2


def test_a_file_may_use_the_names_of_the_records_that_it_makes():
    assert own_names(ast.parse("Measure('map', 'classic', 'the mean'); Measure(name='P'); other('ndcg')")) == {
        *("map", "classic", "P"),
    }
