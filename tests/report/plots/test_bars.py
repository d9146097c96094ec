"""`eval --plot` where no measure has a curve: averages as bars, and topics where averages are left out."""

from __future__ import annotations

import json

import numpy as np
import pytest

from prum_eval.errors import UsageError
from prum_eval.evaluation.results import Evaluation, RunResult
from prum_eval.report.layout import Layout
from prum_eval.report.plots import bars_picture, curve_picture
from tests.gold import DEMO, run
from tests.report.drawn import groups, on_one_scale, texts
from tests.slow import slow

STRUCTURE = "-s fixtures/demo/structure.tsv -u hierarchical"


def drawn(folder, options):
    output = run(f"eval {options} {STRUCTURE} --plot {folder}/x.svg -f json {DEMO}")
    assert output.status == 0, output.err
    return (folder / "x.svg").read_bytes(), json.loads(output.out)["runs"]


def test_a_bar_a_run_as_long_as_its_average(tmp_path):
    svg, runs = drawn(tmp_path, "-m map -m Rprec -m num_ret")
    for measure in ("map", "Rprec"):
        bars = {
            name.partition(":")[2]: places for name, places in groups(svg, "mean").items() if name.startswith(measure)
        }
        wanted = {one["run_id"]: one["all"][measure] for one in runs}
        assert set(bars) == set(wanted)
        ends = [bars[name][:, 0].max() for name in wanted]
        zero = {bars[name][:, 0].min() for name in wanted}
        assert len(zero) == 1
        assert on_one_scale([0.0, *wanted.values()], [*zero, *ends]) > 0
        assert {f"{value:.4f}" for value in wanted.values()} <= set(texts(svg))
    assert "num_ret" not in texts(svg)  # a count beside scores


def test_the_best_run_stands_first(tmp_path):
    svg, runs = drawn(tmp_path, "-m map")
    order = [text for text in texts(svg) if text in {one["run_id"] for one in runs}]
    assert order == [one["run_id"] for one in sorted(runs, key=lambda one: -one["all"]["map"])]


def test_counts_alone(tmp_path):
    svg, runs = drawn(tmp_path, "-m num_ret")
    assert {str(one["all"]["num_ret"]) for one in runs} <= set(texts(svg))


def test_a_bar_a_topic_without_averages(tmp_path):
    svg, runs = drawn(tmp_path, "-q -n -m map")
    bars = groups(svg, "topic")
    for one in runs:
        wanted = {topic: values["map"] for topic, values in one["topics"].items()}
        heights = [bars[f"map:{one['run_id']}:{topic}"][:, 1].min() for topic in wanted]
        assert on_one_scale(list(wanted.values()), heights) < 0
    assert {f"map, {one['run_id']}" for one in runs} <= set(texts(svg))


def fifty(measures=2):
    draw = np.random.default_rng(1)
    names = [f"m{number}" for number in range(measures)]
    runs = [
        RunResult(f"team-{n}", "", {}, {name: None if n == 7 else float(draw.random()) for name in names})
        for n in range(50)
    ]
    return Evaluation("1", "", {}, runs, names=names)


@pytest.mark.parametrize("size", ["column", slow("slide")])
def test_fifty_runs_have_their_names(size):
    svg = bars_picture(fifty(), Layout(format="svg", size=size))
    assert [text for text in texts(svg) if text.startswith("team")].count("team-31") == 2
    assert len(groups(svg, "mean")) == 98  # one run has no values
    assert svg == bars_picture(fifty(), Layout(format="svg", size=size))


@pytest.mark.slow
def test_too_many_panels():
    with pytest.raises(UsageError, match="49 panels are too many for one picture of size column"):
        curve_picture(fifty(49), Layout(format="svg"))
