"""``power --plot``: what the picture holds."""

from __future__ import annotations

import numpy as np
import pytest

from prum_eval import power
from tests.gold import ROOT, run
from tests.report.drawn import groups, on_one_scale, texts

VALUES = "fixtures/compare/systems.csv"


@pytest.fixture(scope="module")
def svg(tmp_path_factory):
    path = tmp_path_factory.mktemp("plots") / "power.svg"
    output = run(f"power --trials 100 --sizes 1:4:1 --plot {path} --values {VALUES}")
    assert output.status == 0, output.err
    return path.read_bytes()


def test_a_panel_a_rate_and_a_line_a_measure(svg):
    said = texts(svg)
    for title in ("discriminative power", "swap rate", "error rate", "ties", "tau of two sets"):
        assert said.count(title) == 2  # above the panel, and beside its axis
    assert {"map", "ndcg", "recip_rank"} <= set(said)
    assert len([name for number in range(3) for name in groups(svg, f"line-{number}")]) == 15


def test_lines_lead_through_the_values(svg, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = power(values=VALUES, trials=100, sizes="1:4:1")
    xs, ys, places = [], [], []
    for number, one in enumerate(found.measures):
        places.append(groups(svg, f"line-{number}")[f"swap rate:{one.measure}"])
        xs += [own.size for own in one.sizes]
        ys += [own.swap_rate for own in one.sizes]
    drawn = np.concatenate(places)
    assert on_one_scale(xs, drawn[:, 0]) > 0
    assert on_one_scale(ys, drawn[:, 1]) < 0


def test_what_is_not_defined_is_not_drawn(tmp_path):
    values = tmp_path / "values.csv"
    lines = [f"{name},t{topic},map,{topic / 8}\n" for name in ("one", "two") for topic in range(4)]
    values.write_text("run,topic,measure,value\n" + "".join(lines), encoding="utf-8")
    path = tmp_path / "power.svg"
    assert run(f"power --plot {path} --values {values}").status == 0
    assert "tau of two sets" not in texts(path.read_bytes())
    assert "ties" in texts(path.read_bytes())
