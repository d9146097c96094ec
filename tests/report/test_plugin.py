"""Output formats of another package: found through the entry point, offered, documented, used; their mistakes named."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys

import pytest

from prum_eval import evaluate
from prum_eval.errors import UsageError
from prum_eval.report.registry import GROUP, OUTPUT_FORMATS, format_names, render
from tests.gold import ROOT, run

SOURCE = '''
"""A package with output formats."""
from prum_eval.report.registry import OutputFormat


def lines(evaluation, layout):
    return "".join(
        f"- {one.run_id}: {name}: {value:.{layout.digits}f}\\n"
        for one in evaluation.runs
        for name, value in one.all.items()
    )


def curves(evaluation, layout):
    return "".join(f"{curve.name} {len(curve.all)}\\n" for own in evaluation.curves for curve in own)


def names(comparison, layout):
    return " ".join(comparison.matrix.runs) + "\\n"


yaml = OutputFormat("yaml", "a list", {"Evaluation": lines, "Comparison": names})
points = OutputFormat("points", "how many points", {"Evaluation": curves}, needs_curves=True)
dots = OutputFormat("dots", "a picture", {"Evaluation": lambda _, layout: layout.size.encode()}, option="--plot")
nothing = OutputFormat("nothing", "no text", {"Evaluation": lambda *_: None})
table = OutputFormat("table", "another table", {"Evaluation": curves})
number = 3
'''

NAMES = {name: name for name in ("yaml", "points", "dots", "nothing", "table", "number")} | {"absent": "missing"}
ENTRY_POINTS = f"[{GROUP}]\n" + "".join(f"{name} = some_formats:{found}\n" for name, found in NAMES.items())
MISSING = "module 'some_formats' has no attribute 'missing'"
TOY = "fixtures/toy/qrels fixtures/toy/run"


@pytest.fixture(autouse=True)
def installed(install):
    """The package, on the path of this process."""
    install("some_formats", SOURCE, ENTRY_POINTS)


def test_the_group_is_part_of_the_interface():
    assert GROUP == "prum_eval.output_formats"


def test_eval_prints_it():
    output = run(f"eval -f yaml -m map --digits 2 {TOY}")
    assert (output.status, output.out) == (0, "- toy: map: 0.75\n")


def test_every_command_whose_results_it_renders_takes_it():
    assert run(f"compare --trials 10 -f yaml -m map {TOY} fixtures/toy/run").out == "toy toy\n"
    refused = run("correlate -f yaml --values fixtures/compare/systems.csv")
    assert refused.status == 2
    assert "'yaml' is not one of 'table', 'json', 'csv'" in refused.err


def test_it_is_given_the_curves_if_it_needs_them():
    assert run(f"eval -f points -m P.1,2,3 {TOY}").out == "P 3\n"


def test_a_picture(tmp_path):
    output = run(f"eval --plot {tmp_path}/a.dots --plot-size slide -m map {TOY}")
    assert (output.status, (tmp_path / "a.dots").read_bytes()) == (0, b"slide")
    assert "(there are: png, svg, pdf, dots); did you mean dots?" in run(f"eval --plot a.dot -m map {TOY}").err


def test_help_and_messages_name_it():
    choices = "[trec|table|json|jsonl|csv|latex|markdown|html|yaml|points|nothing]"
    assert choices in "".join(run("eval --help").out.split())
    assert "'html', 'yaml', 'points', 'nothing'." in run(f"eval -f nope {TOY}").err


def test_completion_offers_it(tmp_path):
    line = "prum-eval eval -f ya"
    words = {"_PRUM_EVAL_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": "3"}
    environment = {**os.environ, **words, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    script = "import sys; sys.argv[0] = 'prum-eval'; from prum_eval.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("plain,yaml\n", "")


def test_the_documentation_lists_it(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    generate = importlib.import_module("generate")
    assert "`html`, `yaml`, `points`, `nothing`. Default: `trec`." in generate.command_page()


def test_what_is_no_text_is_refused():
    output = run(f"eval -f nothing -m map {TOY}")
    assert (output.status, output.out) == (2, "")
    assert output.err.endswith("prum-eval: output format nothing gives NoneType, not str\n")


def test_a_built_in_format_is_never_replaced():
    assert run(f"eval -f table -m map {TOY}").out.startswith("measure")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("number", "output format number: some_formats:number is no OutputFormat"),
        ("absent", f"output format absent cannot be loaded from some_formats:missing: {MISSING}"),
    ],
)
def test_a_broken_one_is_named_and_hides_no_other(name, complaint):
    assert run(f"eval -f {name} {TOY}") == (2, "", f"prum-eval: {complaint}\n")
    assert name not in format_names("Evaluation")


def test_python_renders_with_it_too():
    evaluation = evaluate(ROOT / "fixtures/toy/qrels", ROOT / "fixtures/toy/run", measures=["map"])
    assert render(evaluation, "yaml") == "- toy: map: 0.7500\n"
    with pytest.raises(UsageError, match=r"no output format yam \(there are: trec, .*\); did you mean yaml\?"):
        render(evaluation, "yam")
    kinds = "Answers, Explanation, TwoExplanations, TopicList, GoldCheck"
    with pytest.raises(UsageError, match=f"output format text is for {kinds}, not for Evaluation"):
        render(evaluation, "text")


def test_every_built_in_renderer_exists():
    from prum_eval.analysis.comparison import Comparison
    from prum_eval.analysis.correlation import Correlations
    from prum_eval.analysis.explain import TopicList, TwoExplanations
    from prum_eval.analysis.explanation import Explanation
    from prum_eval.analysis.regression import GoldCheck
    from prum_eval.errors import PrumEvalError
    from prum_eval.evaluation.results import Evaluation
    from prum_eval.experiments.fit import FittedModels
    from prum_eval.experiments.gallery import Answers
    from prum_eval.experiments.power import Power
    from prum_eval.experiments.sweep import Sweep

    explained = (Explanation, TwoExplanations, TopicList)
    swept = (Answers, FittedModels, Power, Sweep)
    classes = (Comparison, Correlations, Evaluation, *explained, GoldCheck, *swept, PrumEvalError)
    kinds = {one.__name__ for one in classes}
    for one in OUTPUT_FORMATS.values():
        assert set(one.renderers) <= kinds
        for where in one.renderers.values():
            module, _, function = where.partition(":")
            assert callable(getattr(importlib.import_module(f"prum_eval.report.{module}"), function))
