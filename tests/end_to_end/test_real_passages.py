"""EPRUM on the campaign's own passages, where they are at hand: finite values, the same at every call."""

import math
from pathlib import Path

import pytest

from prum_eval import evaluate, read_assessments, read_run

DATA = Path(__file__).resolve().parents[3] / "shared" / "inex2009"
MEASURES = ("num_q", "num_ret", "eprum_map", "eprum_P.5,10", "gen_recall.5,100")

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the INEX 2009 data is not here")


@pytest.fixture(scope="module")
def inputs():
    return read_assessments(str(DATA / "qrels.txt")), read_run(str(DATA / "bert1.f.run"))


@pytest.mark.parametrize("model", ["hierarchical", "t2i", "bep-distance"])
def test_values_are_finite_and_stable(inputs, model):
    first, second = (evaluate(*inputs, measures=MEASURES, user_model=model).runs[0] for _ in range(2))
    assert first == second
    assert first.all["num_q"] == 60
    for values in [*first.topics.values(), first.all]:
        assert all(math.isfinite(value) for value in values.values())
        assert 0 <= values["gen_recall_5"] <= values["gen_recall_100"] <= 1
    assert first.all["eprum_map"] > 0


def test_a_user_who_reads_on_sees_more(inputs):
    """Without navigation only a result's own passage is seen; reading on reaches those that lie ahead."""
    seen = {
        model: evaluate(*inputs, measures="gen_recall.100", user_model=model).runs[0].all["gen_recall_100"]
        for model in ("none", "t2i:tolerance=0", "t2i:tolerance=300", "t2i:tolerance=3000")
    }
    assert sorted(seen.values()) == list(seen.values())
    assert seen["none"] < seen["t2i:tolerance=3000"]


def test_the_case_of_the_readme():
    runs = [DATA / "bert1.r.run", DATA / "bert1.b.run"]
    evaluation = evaluate(DATA / "qrels.txt", runs, measures=["maip", "eprum_map"], user_model="bep-distance")
    means = [[round(run.all[name], 3) for run in evaluation.runs] for name in ("maip", "eprum_map")]
    assert means == [[0.139, 0.033], [0.113, 0.275]]
    assert [len(run.topics) for run in evaluation.runs] == [60, 60]
