"""Curves are drawn at the levels of their definition, whatever is printed."""

import pytest

from prum_eval.evaluation.api import evaluate

DEMO = {"structure": "fixtures/demo/structure.tsv", "runs": "fixtures/demo/run-a.xml"}
HUNDREDTHS = [i / 100 for i in range(1, 101)]


@pytest.mark.parametrize("name", ["ep_at_gr", "grp_prec_at_recall"])
def test_curves_of_a_hundred_levels(name):
    listed = ",".join(map(repr, HUNDREDTHS))
    asked = evaluate("fixtures/demo/assessments", measures=f"{name}.{listed}", **DEMO).runs[0]
    drawn = evaluate("fixtures/demo/assessments", measures=name, curves=True, **DEMO)
    (curve,) = drawn.curves[0]
    assert [level for level, _ in curve.all] == HUNDREDTHS
    assert [value for _, value in curve.all] == list(asked.all.values())
    assert [value for _, value in curve.topics["101"]] == list(asked.topics["101"].values())
    assert list(drawn.names) == list(drawn.runs[0].all) == [f"{name}_{i / 10:.2f}" for i in range(1, 11)]


def test_other_curves_have_their_usual_levels():
    (curve,) = evaluate("fixtures/demo/assessments", measures="eprum_prec_at_recall.0.5", curves=True, **DEMO).curves[0]
    assert [level for level, _ in curve.all] == [i / 10 for i in range(11)]
