"""``compare --plot`` and ``correlate --plot``: what the pictures hold."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from scipy import stats

from tests.gold import run
from tests.report.drawn import groups, on_one_scale, texts
from tests.slow import slow

VALUES = {
    "map": {"first": [0.1, 0.5, 0.3, 0.4], "second": [0.3, 0.4, 0.3, 0.9], "third": [0.2, 0.1, 0.2, 0.1]},
    "eprum_map": {"first": [0.2, 0.6, 0.2, 0.5], "second": [0.1, 0.7, 0.3, 0.8], "third": [0.3, 0.2, 0.2, 0.1]},
    "ndcg": {"first": [0.9, 0.1, 0.2, 0.4], "second": [0.1, 0.2, 0.2, 0.2], "third": [0.3, 0.4, 0.5, 0.5]},
}
"""By measure and run: values on topics t1 to t4."""


def values(folder, measures, runs=("first", "second", "third")):
    path = folder / "values.csv"
    rows = [
        f"{name},t{topic},{measure},{value}\n"
        for measure in measures
        for name in runs
        for topic, value in enumerate(VALUES[measure][name], start=1)
    ]
    path.write_text("run,topic,measure,value\n" + "".join(rows), encoding="utf-8")
    return path


def drawn(command, folder, *measures, options="--trials 500"):
    picture = folder / "picture.svg"
    output = run(f"{command} {options} --values --plot {picture} {values(folder, measures)}")
    assert (output.status, output.err.count("\n")) == (0, output.err.count("warning") + 1)
    return picture.read_bytes()


def test_bars_are_the_differences_sorted(tmp_path):
    assert groups(drawn("compare", tmp_path, "map"), "bar") == {}
    svg = drawn("compare", tmp_path, "map", options="--full --trials 500")
    bars = groups(svg, "bar")
    wanted, heights = [], []
    for name, differences in {"second": [0.2, -0.1, 0.0, 0.5], "third": [0.1, -0.4, -0.1, -0.3]}.items():
        order = sorted(range(4), key=lambda topic: -differences[topic])
        corners = [bars[f"{name} \N{MINUS SIGN} first:map:t{topic + 1}"] for topic in order]
        lefts = [corner[:, 0].min() for corner in corners]
        assert lefts == sorted(lefts)
        for topic, corner in zip(order, corners, strict=True):
            base = corner[0, 1]  # a bar begins at 0
            wanted.append(differences[topic])
            heights.append(base - corner[2, 1])
    assert on_one_scale(wanted, heights) > 0  # one scale for all runs
    said = texts(svg)
    assert {"4 topics: 2 better, 1 same, 1 worse", "4 topics: 1 better, 0 same, 3 worse"} <= set(said)
    assert said.count("difference in map") == 2


def test_means_and_intervals_are_those_of_the_json(tmp_path):
    svg = drawn("compare", tmp_path, "map")
    means, intervals = groups(svg, "mean"), groups(svg, "interval")
    output = run(f"compare --trials 500 --values -f json {values(tmp_path, ['map'])}")
    told, places = [0.0], [means["map:first"][0, 0]]
    (measure,) = {row["measure"] for row in json.loads(output.out)["rows"]}
    for row in json.loads(output.out)["rows"]:
        if row["difference"] is not None:
            found = row["difference"]
            name = f"{measure}:{('first', 'second', 'third')[row['run']]}"
            told += [found["mean"], found["low"], found["high"]]
            places += [means[name][0, 0], *np.sort(intervals[name][:, 0])]
    assert len(told) == 7
    assert on_one_scale(told, places) > 0
    assert {"Mean differences to first, simultaneous 95 % intervals", "first", "second", "third"} <= set(texts(svg))


@pytest.mark.parametrize(
    ("options", "base"), [("--pairs best", "second"), ("--pairs all", "second"), ("--baseline third", "third")]
)
def test_differences_to_another_run_than_the_first(tmp_path, options, base):
    svg = drawn("compare", tmp_path, "map", options=f"--full --trials 100 {options}")
    means = groups(svg, "mean")
    truth = {name: np.mean(of) - np.mean(VALUES["map"][base]) for name, of in VALUES["map"].items()}
    assert on_one_scale(list(truth.values()), [means[f"map:{name}"][0, 0] for name in truth]) > 0
    assert set(groups(svg, "interval")) == {f"map:{name}" for name in truth if name != base}
    assert any(name.startswith(f"first \N{MINUS SIGN} {base}:map:") for name in groups(svg, "bar"))
    to = base if "baseline" in options else "the best run"
    assert f"Mean differences to {to}, simultaneous 95 % intervals" in texts(svg)


def test_the_interval_says_its_level(tmp_path):
    svg = drawn("compare", tmp_path, "map", options="--trials 500 --alpha 0.1")
    assert "Mean differences to first, simultaneous 90 % intervals" in texts(svg)


def test_full_pictures_show_the_topics_of_the_three_runs_that_differ_most(tmp_path):
    path = tmp_path / "values.csv"
    rows = [
        f"r{number},t{topic},map,{(number * 3 % 5 + topic / 9) / 7}\n" for number in range(5) for topic in range(1, 6)
    ]
    path.write_text("run,topic,measure,value\n" + "".join(rows), encoding="utf-8")
    assert run(f"compare --full --trials 50 --values --plot {tmp_path}/x.svg {path}").status == 0
    bars = groups((tmp_path / "x.svg").read_bytes(), "bar")
    assert {name.partition(" ")[0] for name in bars} == {"r1", "r3", "r4"}  # differences 3, 4, 2; r2 differs by 1


def test_of_many_runs_only_the_means_are_shown(tmp_path):
    path = tmp_path / "values.csv"
    rows = [f"r{number},t{topic},map,{number * topic % 7 / 7}\n" for number in range(13) for topic in range(1, 6)]
    path.write_text("run,topic,measure,value\n" + "".join(rows), encoding="utf-8")
    assert run(f"compare --trials 100 --values --plot {tmp_path}/x.svg {path}").status == 0
    svg = (tmp_path / "x.svg").read_bytes()
    assert (len(groups(svg, "mean")), len(groups(svg, "bar"))) == (13, 0)


def test_fifty_runs_have_their_names_and_no_interval_touches_the_frame(tmp_path):
    path = tmp_path / "values.csv"
    rows = [f"run-{n},t{t},map,{(n / 3 + (n * t + t) % 7) / 60}\n" for n in range(50) for t in range(1, 13)]
    path.write_text("run,topic,measure,value\n" + "".join(rows), encoding="utf-8")
    output = run(f"compare --trials 500 --alpha .4 --values --plot {tmp_path}/x.svg -f json {path}")
    assert output.status == 0
    svg = (tmp_path / "x.svg").read_bytes()
    intervals, marks = groups(svg, "interval"), groups(svg, "mark")
    said = texts(svg)
    order = [text for text in said if text.startswith("run-")]
    rows = json.loads(output.out)["rows"]
    assert order == [f"run-{row['run']}" for row in sorted(rows, key=lambda row: -round(row["mean"], 12))]
    (frame,) = (places for name, places in frames(svg).items())
    for places in intervals.values():
        assert frame[0] + 2 < places[:, 0].min() <= places[:, 0].max() < frame[1] - 2
    differ = {
        f"map:run-{row['run']}"
        for row in rows
        if row["difference"] and row["difference"]["randomisation"]["holm"] < 0.4
    }
    assert set(marks) == differ
    assert 0 < len(differ) < 49
    assert "* significant: randomisation test, p by Holm below 0.4" in " ".join(said)


def frames(svg):
    """The left and right end of each panel with rows."""
    axes = re.findall(r'<path d="M([\d.]+),[\d.]+H([\d.]+)" stroke="#444444"', svg.decode())
    return {number: (float(left), float(right)) for number, (left, right) in enumerate(axes)}


def test_scatter_and_regression_line(tmp_path):
    svg = drawn("correlate", tmp_path, "map", "eprum_map")
    x, y = ([np.mean(listed) for listed in VALUES[name].values()] for name in ("map", "eprum_map"))
    points = groups(svg, "points")
    places = np.array([points[f"map:eprum_map:{name}"][0] for name in VALUES["map"]])
    found = stats.linregress(x, y)
    ends = np.array([min(x), max(x)])
    line = groups(svg, "regression")["map:eprum_map"]
    assert on_one_scale([*x, *ends], [*places[:, 0], *line[:, 0]]) > 0
    assert on_one_scale([*y, *(found.intercept + found.slope * ends)], [*places[:, 1], *line[:, 1]]) < 0
    assert f"r = {found.rvalue:.2f}" in " ".join(texts(svg))
    assert {"map", "eprum_map", "first", "second", "third", "regression line"} <= set(texts(svg))


def test_scatter_over_values_has_a_point_a_run_and_topic(tmp_path):
    svg = drawn("correlate", tmp_path, "map", "eprum_map", options="--trials 50 --over values")
    assert [len(points) for points in groups(svg, "points").values()] == [4, 4, 4]


def test_no_line_through_points_above_each_other(tmp_path):
    path = tmp_path / "values.csv"
    rows = [f"r{n},t,{name},{value}\n" for n in range(3) for name, value in (("map", 0.5), ("ndcg", n / 3))]
    path.write_text("run,topic,measure,value\n" + "".join(rows), encoding="utf-8")
    assert run(f"correlate --trials 50 --values --plot {tmp_path}/x.svg {path}").status == 0
    svg = (tmp_path / "x.svg").read_bytes()
    assert groups(svg, "regression") == {}
    assert any(text.startswith("r = undefined, ") for text in texts(svg))


def test_maps_hold_every_coefficient(tmp_path):
    svg = drawn("correlate", tmp_path, *VALUES)
    means = {name: [np.mean(listed) for listed in of.values()] for name, of in VALUES.items()}
    said = texts(svg)
    assert {"Pearson's r", "Kendall's τb", "τap", "1  map", "eprum_map  2", "ndcg  3"} <= set(said)
    for one, other in (("map", "eprum_map"), ("map", "ndcg"), ("eprum_map", "ndcg")):
        assert f"{stats.pearsonr(means[one], means[other])[0]:.2f}" in said
    cells = groups(svg, "cell")
    below = [("eprum_map", "map"), ("ndcg", "map"), ("ndcg", "eprum_map")]
    assert {name for name in cells if name.startswith("pearson")} == {
        f"pearson:{row}:{column}" for row, column in below
    }
    assert len(groups(svg, "points")) == 9


@pytest.mark.parametrize("command", [slow("compare"), "correlate"])
@pytest.mark.parametrize("extension", [slow("png"), "svg", slow("pdf")])
def test_two_writings_are_the_same_bytes(tmp_path, command, extension):
    path = values(tmp_path, VALUES)
    written = []
    for name in ("one", "two"):
        assert run(f"{command} --trials 50 --values --plot {tmp_path}/{name}.{extension} {path}").status == 0
        written.append((tmp_path / f"{name}.{extension}").read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize("command", ["compare", "correlate"])
def test_unknown_extensions_are_refused(command):
    assert run(f"{command} --values --plot x.gif missing") == (
        2,
        "",
        "prum-eval: --plot x.gif: .gif is no format of pictures (there are: png, svg, pdf)\n",
    )
