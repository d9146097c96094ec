"""``fit --plot``: observed against predicted, a line a model."""

from __future__ import annotations

import numpy as np
import pytest

from prum_eval import Layout, fit, render
from prum_eval.report.plots import calibration_panel
from tests.gold import ROOT, run
from tests.report.drawn import groups, on_one_scale, texts

LOG = "fixtures/demo/assessments", "fixtures/fit/log.tsv"
MODELS = ["t2i:decay=exponential", "hierarchical"]


@pytest.fixture
def found(monkeypatch):
    monkeypatch.chdir(ROOT)
    return fit(*LOG, MODELS, structure="fixtures/demo/structure.tsv", trials=10)


def test_lines_lead_through_the_tenths(found, tmp_path):
    path = tmp_path / "tenths.svg"
    arguments = " ".join(f"-u {model}" for model in MODELS)
    output = run(f"fit {arguments} --trials 10 --plot {path} -s fixtures/demo/structure.tsv {' '.join(LOG)}")
    assert output.status == 0, output.err
    svg = path.read_bytes()
    said = texts(svg)
    assert {"predicted", "observed", "t2i:tolerance=399.7,decay=exponential", "hierarchical:exponent=0.4753"} <= set(
        said
    )
    known = [one for one in found.best.calibration if one.pairs]
    (drawn,) = groups(svg, "line-0").values()
    assert len(drawn) == len(known)
    assert on_one_scale([one.predicted for one in known], np.array(drawn)[:, 0]) > 0
    assert on_one_scale([one.observed for one in known], np.array(drawn)[:, 1]) < 0
    assert groups(svg, "diagonal")


def test_a_tenth_without_pairs_has_no_point(found):
    panel = calibration_panel(found)
    assert [len(line.points) for line in panel.lines] == [
        sum(one.pairs > 0 for one in model.calibration) for model in found.models
    ]


def test_other_formats(found):
    assert render(found, "png", Layout()).startswith(b"\x89PNG")
    assert render(found, "pdf", Layout(size="slide")).startswith(b"%PDF")
