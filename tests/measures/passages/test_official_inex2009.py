"""Real judgements and a real run: every value of the official tool at 1e-12; skipped where the data are absent."""

import re

import pytest

from tests.measures.passages.official import ROOT, differences, evaluate

DATA = ROOT.parent / "shared" / "inex2009"
RUNS = ("bert1.b.b", "bert1.b.r", "bert1.f.f", "bert1.f.t", "bert1.r.i", "bert1.r.r", "bert1.t.t")
OUTPUTS = [
    *(f"{name}.{options}.txt" for name in RUNS for options in ("q", "qc")),
    *(f"bert1.b.b.Qbep.n{n}.q.txt" for n in (500, 1000)),
]

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the campaign's data are not there")


@pytest.mark.parametrize("output", OUTPUTS)
def test_same_values(output):
    _, run, task, *options, _ = output.split(".")
    n = re.search(r"\.n([0-9]+)\.", output)
    parameter = f":n={n[1]}" if n and n[1] != "500" else ""
    qrels = DATA / ("qrels.bep.txt" if n else "qrels.txt")
    result = evaluate(task, qrels, DATA / f"bert1.{run}.run", complete="qc" in options, parameter=parameter)
    compared, wrong = differences(task, (DATA / "gold" / output).read_text(), result, parameter)
    assert compared > 1000
    assert wrong == []
