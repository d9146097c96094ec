"""``sweep --plot``: what the picture holds."""

from __future__ import annotations

import numpy as np
import pytest

from prum_eval import sweep
from tests.gold import ROOT, run
from tests.report.drawn import groups, on_one_scale, texts

DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments"
RUNS = "fixtures/demo/run-a.xml fixtures/demo/run-b.xml"


def drawn(command, path):
    output = run(f"sweep --plot {path} {command}")
    assert output.status == 0, output.err
    return path.read_bytes()


@pytest.fixture(scope="module")
def figure(tmp_path_factory):
    """Means and curves of an ideal run whose results move, as in EPRUM's figure 4, in two commands."""
    folder = tmp_path_factory.mktemp("plots")
    moved = folder / "moved"
    made = run(f"simulate {DEMO} --change move --vary move.m=0:.9:.3 --copies 2 -o {moved}")
    assert made.status == 0, made.err
    return moved, drawn(f"-m eprum_map -m eprum_prec_at_recall -m gen_recall {DEMO} {moved}", folder / "figure.svg")


def test_a_panel_a_measure_and_a_line_a_value(figure, monkeypatch):
    monkeypatch.chdir(ROOT)
    moved, svg = figure
    said = texts(svg)
    assert {"eprum_map", "eprum_prec_at_recall", "gen_recall", "recall", "rank", "move.m"} <= set(said)
    assert [name for name in said if name.startswith("move.m ")] == [f"move.m {m}" for m in ("0", "0.3", "0.6", "0.9")]
    assert "ideal" not in said  # a single run needs no legend
    found = sweep("fixtures/demo/assessments", moved, measures="eprum_prec_at_recall", structure=DEMO.split()[1])
    xs, ys, places = [], [], []
    for number, value in enumerate(found.values):
        places.append(groups(svg, f"line-{number}")[f"eprum_prec_at_recall:move.m {value}"])
        xs += [level / 10 for level in range(11)]
        ys += found.table[:, number, 0].tolist()
    assert on_one_scale(xs, np.concatenate(places)[:, 0]) > 0
    assert on_one_scale(ys, np.concatenate(places)[:, 1]) < 0


def test_lines_lead_through_the_means(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    command = f"-m eprum_map -u bep-distance --targets bep --vary A=.01:100:log5 {DEMO} {RUNS}"
    svg = drawn(command, tmp_path / "a.svg")
    found = sweep("fixtures/demo/assessments", RUNS.split(), structure=DEMO.split()[1], measures="eprum_map",
                  user_model="bep-distance", targets="bep", vary="A=.01:100:log5")  # fmt: skip
    places = [groups(svg, f"line-{number}")[f"eprum_map:{name}"] for number, name in enumerate(found.runs)]
    assert on_one_scale([-2, -1, 0, 1, 2] * 2, np.concatenate(places)[:, 0]) > 0  # a logarithmic axis
    assert on_one_scale(found.table[0].T.ravel().tolist(), np.concatenate(places)[:, 1]) < 0
    assert {"bm25-sections", "article-only"} <= set(texts(svg))


def test_values_that_are_no_numbers_stand_side_by_side(tmp_path):
    svg = drawn(f"-m eprum_map --vary user_model=none,hierarchical,t2i {DEMO} {RUNS}", tmp_path / "a.svg")
    assert {"none", "hierarchical", "t2i", "user_model"} <= set(texts(svg))
    ((line, places),) = groups(svg, "line-1").items()
    assert line == "eprum_map:article-only"
    assert np.diff(places[:, 0], 2) == pytest.approx(0, abs=0.25)  # places have one decimal


def test_where_no_measure_has_a_mean_there_is_nothing_to_draw(tmp_path, write):
    judged, listed = write("1 0 a 0\n", "judged"), write("1 Q0 a 1 1.0 r\n", "listed")
    output = run(f"sweep --plot {tmp_path / 'a.svg'} -m eprum_map --vary at_recall=ratio {judged} {listed}")
    assert (output.status, output.out) == (2, "")
    assert output.err.splitlines()[-1] == "prum-eval: --plot: nothing to draw: no measure has a mean"


def test_names_that_do_not_fit_side_by_side_are_numbers(tmp_path):
    values = "none,hierarchical,t2i:tolerance=300,once=on,bep-distance:A=0.5"
    said = texts(drawn(f"-m eprum_map --vary user_model={values} {DEMO} {RUNS}", tmp_path / "a.svg"))
    assert {"1", "2", "3", "4"} <= set(said)
    label = ["user_model: 1 none, 2 hierarchical, 3", "t2i:tolerance=300,once=on, 4", "bep-distance:A=0.5"]
    first = said.index(label[0])
    assert said[first : first + 3] == label


def test_two_writings_are_the_same_bytes(figure, tmp_path):
    moved, svg = figure
    assert drawn(f"-m eprum_map -m eprum_prec_at_recall -m gen_recall {DEMO} {moved}", tmp_path / "again.svg") == svg


def test_many_runs_are_lines_of_ranks_with_their_names_at_the_end(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 1\n", encoding="utf-8")
    runs = []
    for number in range(7):  # run r has its first relevant document at rank r + 1, r6 one more at rank 8
        listed = [f"x{number}{rank}" for rank in range(10)]
        listed[number] = "a"
        if number == 6:
            listed[7] = "b"
        path = tmp_path / f"r{number}"
        lines = (f"1 Q0 {name} {rank} {-rank} r{number}\n" for rank, name in enumerate(listed, 1))
        path.write_text("".join(lines), encoding="utf-8")
        runs.append(str(path))
    svg = drawn(f"-m rbp --vary p=.5,.99 {tmp_path}/qrels {' '.join(runs)}", tmp_path / "a.svg")
    places = [groups(svg, f"line-{number}")[f"rbp:r{number}"] for number in range(7)]
    ranks = [1, 1 + 1, 2, 2 + 1, 3, 3 + 1, 4, 4 + 1, 5, 5 + 1, 6, 6 + 1, 7, 1]  # r6 is the last at .5, the first at .99
    assert on_one_scale(ranks, np.concatenate(places)[:, 1]) > 0
    assert groups(svg, "band") == {}
    assert [text.strip() for text in texts(svg)].count("r3") == 1  # no legend
