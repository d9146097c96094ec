"""Measures of another package: found through the entry point group, in every place where measures are found."""

from __future__ import annotations

import importlib
import json

import pytest
from click.shell_completion import ShellComplete

import prum_eval
from prum_eval.cli.main import commands
from prum_eval.measures.registry import (
    MEASURE_PLUGINS,
    MEASURES_BY_NAME,
    all_measures,
    expand_name,
    families,
    measures_by_printed_name,
    split_cutoffs,
)
from tests.gold import ROOT, run
from tests.slow import slow

SOURCE = '''
"""A package with measures."""
import numpy as np

from prum_eval.measures.base import CUTOFFS, Direction, Measure, Need, Shape
from prum_eval.measures.base import split_by_truncation
from prum_eval.parameters import Parameter


def _rank_biased(data, values, _cutoffs):
    p, seen = float(values["p"]), data.seen
    return float((1 - p) * (p ** (seen.change_ranks - 1.0) * np.diff(seen.p.sum(axis=0))).sum())


patience = Measure(
    "patience",
    "patience",
    "rank-biased precision",
    "(1 - p) sum over the ranks k of p^(k-1) times the number of targets that are expected to be first seen there.",
    "Moffat, Zobel, TOIS 27(1), 2008",
    Shape.SCALAR,
    _rank_biased,
    frozenset({Need.REACH}),
    parameters=(Parameter("p", 0.8, "the probability to go on to the next result", low=0.0, high=1.0),),
    split=split_by_truncation,
)


def _mean_gain(data, _values, points):
    sums = np.concatenate(([0.0], np.cumsum(data.gains)))
    return sums[np.minimum(points, len(data.gains)).astype(int)] / points


mean_gain = Measure(
    "mean_gain",
    "element_gains",
    "mean gain of K results",
    "Sum of the quantised values of the first K results, over K.",
    "Nobody, Nowhere, 2000",
    Shape.AT_RANKS,
    _mean_gain,
    frozenset({Need.GAINS}),
    CUTOFFS,
    without_targets=True,
    x_label="rank (elements)",
    y_label="mean gain",
)

gainful = Measure(
    "gainful",
    "element_gains",
    "number of results with a gain",
    "Results whose quantised value is positive.",
    "Nobody, Nowhere, 2000",
    Shape.COUNT,
    lambda data, _values, _points: float(np.count_nonzero(data.gains)),
    frozenset({Need.GAINS}),
    without_targets=True,
    bounded=False,
    direction=Direction.NEITHER,
    is_count=True,
)
map = patience
number = 3
'''

ENTRY_POINTS = """
[prum_eval.measures]
patience = some_measures:patience
mean_gain = some_measures:mean_gain
gainful = some_measures:gainful
map = some_measures:map
other = some_measures:patience
number = some_measures:number
absent = some_measures:missing
"""
BROKEN = {
    "other": "measure other of another package is called patience",
    "number": "measure number: some_measures:number is no Measure",
    "absent": "measure absent cannot be loaded from some_measures:missing: "
    "module 'some_measures' has no attribute 'missing'",
}

TOY = "fixtures/toy/qrels fixtures/toy/run"
DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"


@pytest.fixture(autouse=True)
def installed(install):
    """The package, on the path of this process."""
    install("some_measures", SOURCE, ENTRY_POINTS)


def values(options):
    output = run(f"eval -f json {options}")
    assert output.status == 0, output.err
    return json.loads(output.out)["runs"][0]


def test_the_group_is_part_of_the_interface():
    assert MEASURE_PLUGINS.group == "prum_eval.measures"


def test_a_measure_of_another_package():
    # topic 1: tides and moon, both relevant, first; topic 2: bread at rank 2, ovens at rank 4
    found = values(f"-q -m patience {TOY}")
    wanted = {"1": 0.2 * (1 + 0.8), "2": 0.2 * (0.8 + 0.8**3)}
    assert {topic: one["patience"] for topic, one in found["topics"].items()} == pytest.approx(wanted)
    assert found["all"]["patience"] == pytest.approx(sum(wanted.values()) / 2)


@pytest.mark.parametrize(
    ("options", "name"), [("-m patience:p=0.5", "patience:p=0.5"), ("-m patience --set p=0.5", "patience")]
)
def test_its_parameters(options, name):
    output = run(f"eval -f json {options} {TOY}")
    assert json.loads(output.out)["runs"][0]["topics"]["1"][name] == pytest.approx(0.5 * (1 + 0.5))
    assert run(f"eval -m patience:p=2 {TOY}").err == "prum-eval: p=2: p is a number from 0 to 1\n"


def test_it_follows_the_user_model():
    assert values(f"-m patience -u none {DEMO}")["all"] != values(f"-m patience -u hierarchical {DEMO}")["all"]


def test_a_measure_of_element_gains_at_ranks():
    gains = values(f"-q -m xcg.1,3:overlap=off -m mean_gain.1,3 {DEMO}")["topics"]["101"]
    assert gains["mean_gain_1"] == gains["xcg_1:overlap=off"]
    assert gains["mean_gain_3"] == pytest.approx(gains["xcg_3:overlap=off"] / 3)
    assert values(f"-m mean_gain_3 {DEMO}")["all"].keys() == {"mean_gain_3"}
    assert run(f"eval -m patience.5 {TOY}").err == "prum-eval: patience.5: patience takes no cut-offs or levels\n"


def test_families_and_sets():
    assert expand_name("element_gains") == ("gainful", "mean_gain")
    assert values(f"-m element_gains {DEMO}")["all"].keys() == {
        "gainful",
        *(f"mean_gain_{k}" for k in (5, 10, 15, 20, 30, 100)),
    }
    assert expand_name("all")[-3:] == ("gainful", "mean_gain", "patience")
    assert list(values(f"-m all {DEMO}")["all"])[-1] == "patience"


def test_what_is_built_in_is_never_replaced():
    assert MEASURES_BY_NAME["map"].family == "classic"
    assert expand_name("map") == ("map",)
    assert [one.name for one in all_measures()].count("map") == 1


@pytest.mark.parametrize(("name", "reason"), BROKEN.items())
def test_what_is_no_measure(name, reason):
    output = run(f"eval -m {name} {TOY}")
    assert (output.status, output.out, output.err) == (2, "", f"prum-eval: {reason}\n")


def test_a_package_that_is_broken_hides_no_other():
    assert {"patience", "element_gains"} <= set(families())
    assert not BROKEN.keys() & {one.name for one in all_measures()}


def test_names_and_cut_offs():
    assert split_cutoffs("mean_gain_5") == ("mean_gain", "5")
    assert split_cutoffs("patience") == ("patience", None)
    printed = measures_by_printed_name(["mean_gain_5", "patience:p=0.5", "P_5", "num_unknown"])
    assert {name: one.name for name, one in printed.items()} == {
        "mean_gain_5": "mean_gain",
        "patience:p=0.5": "patience",
        "P_5": "P",
    }


def test_a_near_name():
    assert run(f"eval -m patienec {TOY}").err == "prum-eval: no measure patienec; did you mean patience?\n"


def test_measures_lists_and_explains_them():
    text = run("measures").out
    assert "\n  patience\n    patience                rank-biased precision\n" in text
    assert "\n  element_gains\n    gainful                 number of results with a gain\n    mean_gain_K " in text
    text = run("measures patience").out
    assert text.startswith("patience: rank-biased precision\n")
    assert "p = 0.8  (a number from 0 to 1) the probability to go on" in text
    assert "Prints: mean_gain_5 " in run("measures element_gains").out


def test_completion_offers_them():
    offered = ShellComplete(commands, {}, "prum-eval", "_PRUM_EVAL_COMPLETE").get_completions(["eval", "-m"], "")
    found = {one.value: one.help for one in offered}
    assert found["patience"] == "rank-biased precision"
    assert found["element_gains"] == "family"


def test_pages_of_the_documentation(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    written = importlib.import_module("measure_pages").pages()
    assert "| [`mean_gain_K`](measures/element_gains.md#mean_gain) | mean gain of K results |" in written["measures.md"]
    page = written["measures/patience.md"]
    assert page.startswith("# patience\n")
    assert "| `p` | `0.8` | a number from 0 to 1 | the probability to go on to the next result |" in page


def test_explain_divides_them_among_the_ranks():
    output = run(f"explain -f json --topic 101 -m patience {DEMO}")
    assert output.status == 0, output.err
    found = json.loads(output.out)
    (one,) = found["measures"]
    assert one["value"] == values(f"-q -m patience {DEMO}")["topics"]["101"]["patience"]
    assert sum(rank["added"]["patience"] for rank in found["ranks"]) + one["rest"] == pytest.approx(one["value"])
    gains = json.loads(run(f"explain -f json --topic 101 -m mean_gain.2 {DEMO}").out)
    value = values(f"-q -m mean_gain.2 {DEMO}")["topics"]["101"]["mean_gain_2"]
    assert sum(rank["added"]["mean_gain_2"] for rank in gains["ranks"]) == pytest.approx(value)


def test_plots_draw_them():
    page = run(f"eval -f html -m mean_gain.1,2,3 {DEMO}").out
    assert "rank (elements)" in page
    assert "mean gain" in page


@pytest.mark.parametrize(
    ("options", "compared"),
    [
        ("-m patience -m gainful", {"patience", "gainful"}),
        ("-m element_gains", {"gainful", *(f"mean_gain_{k}" for k in (5, 10, 15, 20, 30, 100))}),
        slow("-m all", None),
    ],
)
def test_compare_takes_scores_and_counts_that_are_asked_for(options, compared):
    runs = "fixtures/demo/run-a.xml fixtures/demo/run-b.xml"
    output = run(f"compare -f csv {options} -s fixtures/demo/structure.tsv fixtures/demo/assessments {runs}")
    assert output.status == 0, output.err
    found = {line.split(",")[0] for line in output.out.splitlines()[1:]}
    if compared is None:
        assert {"patience", "mean_gain_5"} <= found
        assert not found & {"gainful", "num_ret"}
    else:
        assert found == compared


def test_values_of_a_file_are_compared_but_for_counts():
    found = prum_eval.evaluate(ROOT / "fixtures/toy/qrels", ROOT / "fixtures/toy/run", measures=["patience", "gainful"])
    topics = found.runs[0].topics
    assert prum_eval.compare(values={"a": topics, "b": topics}).matrix.measures == ("patience",)
