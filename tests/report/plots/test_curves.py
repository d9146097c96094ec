"""``eval --plot``: what the picture holds, in which form, and what is refused."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace

import numpy as np
import pytest

from prum_eval import evaluate
from prum_eval.cli.commands.evaluate import command
from prum_eval.errors import UsageError
from prum_eval.report.drawing import SIZES, run_names
from prum_eval.report.layout import Layout
from prum_eval.report.plots import curve_picture
from tests.gold import DEMO, ROOT, run
from tests.report.drawn import groups, on_one_scale, texts
from tests.slow import slow

STRUCTURE = "-s fixtures/demo/structure.tsv -u hierarchical"
CURVES = f"{STRUCTURE} -m eprum_prec_at_recall -m gen_recall"


def plot(path, options=CURVES, inputs=DEMO):
    output = run(f"eval {options} --plot {path} {inputs}")
    assert (output.status, output.err.count("\n")) == (0, 1)
    return path.read_bytes()


def lines(svg):
    """Points of each line, by the line's name; signs stand where the points are."""
    return groups(svg, "line-")


def test_a_panel_a_measure_and_a_line_a_run(tmp_path):
    svg = plot(tmp_path / "curves.svg")
    assert sorted(lines(svg)) == [
        "eprum_prec_at_recall:article-only",
        "eprum_prec_at_recall:bm25-sections",
        "gen_recall:article-only",
        "gen_recall:bm25-sections",
    ]


def test_titles_labels_marks_and_legend_are_there(tmp_path):
    said = texts(plot(tmp_path / "curves.svg"))
    for text in ("eprum_prec_at_recall", "recall", "EPRUM precision", "rank", "generalised recall"):
        assert said.count(text) == 1
    for run_id in ("bm25-sections", "article-only"):
        assert said.count(run_id) == 1  # one legend for all panels
    assert {"5", "10", "15", "20", "30", "100", "0.0", "0.2", "0.4", "0.6", "0.8", "1.0"} <= set(said)


@pytest.mark.parametrize("measure", ["eprum_prec_at_recall", "gen_recall"])
def test_lines_go_through_the_values_of_the_json(tmp_path, measure):
    drawn = lines(plot(tmp_path / "curves.svg"))
    report = json.loads(run(f"eval {STRUCTURE} -m {measure} -f json {DEMO}").out)
    values, heights, places, across = [], [], [], []
    for one in report["runs"]:
        points = drawn[f"{measure}:{one['run_id']}"]
        levels = [float(name.removeprefix(f"{measure}_")) for name in one["all"]]
        assert len(points) == len(levels)
        values += one["all"].values()
        heights += points[:, 1].tolist()
        places += np.log(levels).tolist() if measure == "gen_recall" else levels
        across += points[:, 0].tolist()
    # One straight rule leads from values to places for all runs: they share their axes.
    assert on_one_scale(values, heights) < 0 < on_one_scale(places, across)


def test_all_levels_are_drawn_whatever_is_printed(tmp_path):
    path = tmp_path / "curves.svg"
    output = run(f"eval {STRUCTURE} -m eprum_prec_at_recall.0.5 --plot {path} {DEMO}")
    assert output.out.count("eprum_prec_at_recall") == 2
    assert {len(points) for points in lines(path.read_bytes()).values()} == {11}


def test_with_topics_a_panel_a_run_and_a_line_a_topic(tmp_path):
    svg = plot(tmp_path / "topics.svg", f"-q {STRUCTURE} -m eprum_prec_at_recall")
    assert sorted(lines(svg)) == sorted(
        f"eprum_prec_at_recall, {one}:{line}"
        for one in ("bm25-sections", "article-only")
        for line in ("101", "102", "103", "mean")
    )
    assert {"mean", "one topic"} <= set(texts(svg))


def test_topics_without_averages(tmp_path):
    svg = plot(tmp_path / "topics.svg", f"-q -n {STRUCTURE} -m eprum_prec_at_recall")
    assert len(lines(svg)) == 6
    assert "mean" not in texts(svg)


@pytest.mark.parametrize(("extension", "begins"), [slow("png", b"\x89PNG"), ("svg", b"<svg"), ("pdf", b"%PDF")])
def test_two_writings_are_the_same_bytes(tmp_path, extension, begins):
    first = plot(tmp_path / f"one.{extension}")
    assert first == plot(tmp_path / f"two.{extension.upper()}")
    assert first.startswith(begins)
    assert sorted(one.name for one in tmp_path.iterdir()) == [f"one.{extension}", f"two.{extension.upper()}"]


@pytest.mark.parametrize(("size", "shape"), [("column", (1020, 750)), ("slide", (1920, 1080))])
def test_sizes(tmp_path, size, shape):
    png = plot(tmp_path / "one.png", f"{STRUCTURE} -m eprum_prec_at_recall --plot-size {size}")
    width, height = (int.from_bytes(png[start : start + 4], "big") for start in (16, 20))
    # A column: 3.4 inches at 300 dots, and a legend below the 2.5 of the panel. A slide: 16:9 within a dot.
    assert abs(width - shape[0]) <= 1
    assert shape[1] + 20 <= height <= shape[1] + 150 if size == "column" else abs(height - shape[1]) <= 1


def demo(**options):
    return evaluate(
        ROOT / "fixtures/demo/assessments",
        [ROOT / "fixtures/demo/run-a.xml", ROOT / "fixtures/demo/run-b.xml"],
        structure=ROOT / "fixtures/demo/structure.tsv",
        measures="eprum_prec_at_recall",
        curves=True,
        **options,
    )


def renamed(evaluation, names):
    runs = [replace(evaluation.runs[number % 2], run_id=name) for number, name in enumerate(names)]
    curves = [evaluation.curves[number % 2] for number in range(len(names))]
    return replace(evaluation, runs=runs, curves=curves)


@pytest.mark.parametrize("size", ["column", "slide"])
def test_names_that_other_hands_would_trip_over(size):
    names = ["_hidden", "$x_1$", "a<b>&c", "é中", "n" * 150, "tab\there", "7"]
    said = texts(curve_picture(renamed(demo(), names), Layout(size=size, format="svg")))
    assert {"_hidden", "$x_1$", "a&lt;b>&amp;c", "é中", "tab here", "7"} <= {
        text.replace("&gt;", ">") for text in said
    } | {text.replace("<", "&lt;").replace("&c", "&amp;c") for text in said}
    assert "n" * 150 in "".join("".join(said).split())


def test_no_text_leaves_the_picture_and_the_legend_covers_no_panel():
    from matplotlib.figure import Figure

    seen = []

    def save(figure, *_args, **_kwargs):
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        frame = figure.bbox
        legend = figure.legends[0].get_window_extent()
        panels = [axes.get_tightbbox() for axes in figure.axes]
        seen.append(
            all(
                frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1
                for box in (legend, *panels)
            )
            and all(legend.y1 <= panel.y0 for panel in panels)
        )

    evaluation = renamed(demo(), ["a run with a name that is longer than one line of a legend is, in a column"] * 7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", save)
        for size in ("column", "slide"):
            for layout in (Layout(), Layout(per_topic=True)):
                curve_picture(evaluation, replace(layout, size=size, format="png"))
    assert seen == [True] * 4


def test_runs_of_one_name_are_told_apart():
    runs = renamed(demo(), ["same", "same", "other", "same"]).runs
    a, b = (str(ROOT / f"fixtures/demo/run-{letter}.xml") for letter in "ab")
    assert run_names(runs) == [f"same ({a})", f"same ({b}) #1", "other", f"same ({b}) #2"]


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("curves.jpg", ".jpg is no format of pictures (there are: png, svg, pdf); did you mean png?"),
        ("curves.pgn", ".pgn is no format of pictures (there are: png, svg, pdf); did you mean png?"),
        ("curves.tiff", ".tiff is no format of pictures (there are: png, svg, pdf)"),
        ("curves", "a picture needs an extension (there are: png, svg, pdf)"),
        ("-", "a picture needs an extension (there are: png, svg, pdf)"),
    ],
)
def test_unknown_extensions_are_refused_before_anything_is_read(name, complaint):
    output = run(f"eval --plot {name} missing missing")
    assert output == (2, "", f"prum-eval: --plot {name}: {complaint}\n")


def test_without_matplotlib_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    output = run(f"eval --plot {tmp_path}/curves.png missing missing")
    assert output == (2, "", "prum-eval: --plot needs matplotlib: pip install matplotlib\n")
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_draw_is_said_before_the_work(tmp_path):
    output = run(f"eval -n -m eprum --plot {tmp_path}/curves.png missing missing")
    complaint = "-n leaves out the averages, and topics need -q"
    assert output == (2, "", f"prum-eval: --plot: nothing to draw: {complaint}\n")
    assert list(tmp_path.iterdir()) == []


def test_more_panels_than_can_be_read(tmp_path):
    runs = " ".join(["fixtures/demo/run-a.xml"] * 25)
    output = run(f"eval -q {CURVES} --plot {tmp_path}/curves.png fixtures/demo/assessments {runs}")
    assert (output.status, output.out) == (2, "")
    assert output.err.splitlines()[-1] == (
        "prum-eval: --plot: 50 panels are too many for one picture of size column, which holds 48; choose fewer "
        "measures or runs"
    )


@pytest.mark.slow
def test_a_legend_that_leaves_no_room(tmp_path):
    names = [f"{number}{'n' * 1500}" for number in range(45)]
    with pytest.raises(UsageError, match="--plot: too large for one picture; choose fewer measures or runs"):
        curve_picture(renamed(demo(), names), Layout(size="slide", format="svg"))


def test_a_picture_that_cannot_be_written(tmp_path):
    output = run(f"eval {CURVES} --plot {tmp_path}/missing/curves.png {DEMO}")
    assert (output.status, output.out) == (1, "")
    assert output.err.splitlines()[-1] == f"{tmp_path}/missing/curves.png: cannot be written: No such file or directory"


def test_the_sizes_offered_are_those_that_exist():
    (option,) = (one for one in command.params if one.name == "plot_size")
    assert list(option.type.choices) == list(SIZES)


def test_dense_curves_have_about_ten_signs_and_all_their_points(tmp_path):
    path = tmp_path / "curves.svg"
    assert run(f"eval {STRUCTURE} -m ep_at_gr -m eprum_prec_at_recall --plot {path} {DEMO}").status == 0
    svg = path.read_bytes()
    drawn = lines(svg)
    assert {len(drawn[f"eprum_prec_at_recall:{run_id}"]) for run_id in ("bm25-sections", "article-only")} == {11}
    signs = [drawn[f"ep_at_gr:{run_id}"] for run_id in ("bm25-sections", "article-only")]
    assert [len(one) for one in signs] == [10, 10]
    assert not set(signs[0][:, 0]) & set(signs[1][:, 0])  # one run's do not hide another's
    paths = re.findall(r'data-name="line-\d+:ep_at_gr:[^"]*">\s*<path d="([^"]*)"', svg.decode())
    assert [len(re.findall(r"[ML]", path)) for path in paths] == [100, 100]
