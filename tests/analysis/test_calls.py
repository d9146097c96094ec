"""compare and correlate as functions: the values that the command line has, from whatever stands for a run."""

from __future__ import annotations

import pytest

from prum_eval import DataError, UsageError, compare, correlate, evaluate
from prum_eval.analysis.correlation import COEFFICIENTS
from tests.gold import ROOT

COMPARED = ROOT / "fixtures" / "compare"
SCORES = [COMPARED / "self.txt", COMPARED / "cross.txt"]
QRELS = {str(topic): {"a": 1, "b": 1, "c": 0} for topic in range(8)}
GOOD = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in QRELS}
NO_TOPICS = "values: expected {run: {topic: {measure: value}}}, found "
NO_VALUES = "values: expected files, a dict or what evaluate returned, found "
BAD = {topic: {"c": 3.0, "a": 2.0, "b": 1.0} for topic in QRELS}


def test_runs_by_name_are_compared_with_the_first():
    found = compare(QRELS, {"good": GOOD, "bad": BAD}, measures=["map", "recip_rank"], trials=100)
    rows = [(row["measure"], row["run"], row["mean"], row["difference"]) for row in found.rows()]
    lower = (1 / 2 + 2 / 3) / 2
    assert rows == [
        ("map", "good", 1.0, None),
        ("map", "bad", pytest.approx(lower), pytest.approx(lower - 1)),
        ("recip_rank", "good", 1.0, None),
        ("recip_rank", "bad", 0.5, -0.5),
    ]
    assert repr(found) == "<Comparison: 2 runs, 8 topics, 2 measures, against good; 1 warning>"
    assert "<td>recip_rank</td><td>bad</td><td>0.5000</td><td>-0.5000</td>" in found._repr_html_()
    assert found.to_pandas().p_randomisation[1] == 2 / 2**8
    assert found.signature.startswith("prum-eval ")
    assert found.signature.endswith(
        "|compare|topics:8|pairs:first|interval:t|randomisation:exact|bootstrap:100 trials|seed:1|alpha:0.05|"
        "holm:1 a measure"
    )


def test_values_that_there_are_already():
    evaluation = evaluate(QRELS, {"good": GOOD, "bad": BAD}, measures=["map", "recip_rank"])
    by_name = {run.run_id: run.topics for run in evaluation.runs}
    expected = list(compare(QRELS, {"good": GOOD, "bad": BAD}, measures="map", trials=100).rows())
    for values in (evaluation, by_name):
        assert list(compare(values=values, measures="map", trials=100).rows()) == expected
    assert compare(values=evaluation).signature.startswith(evaluation.signature)


def test_correlations():
    runs = {"good": GOOD, "bad": BAD, "half": GOOD | {"1": BAD["1"]}}
    found = correlate(QRELS, runs, measures=["map", "recip_rank"], trials=10)
    assert repr(found) == "<Correlations: 2 measures over 3 runs>"
    assert [row["coefficient"] for row in found.rows()] == [*COEFFICIENTS]
    assert next(found.rows())["value"] == pytest.approx(1.0)
    assert "<td>map</td><td>recip_rank</td><td>1.0000</td>" in found._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"assessments": QRELS, "runs": GOOD}, UsageError, "only one run; a comparison needs two"),
        ({"values": {"a": {}}}, UsageError, "only one run; a comparison needs two"),
        ({"values": []}, UsageError, "no files of values"),
        ({"values": {"a": {"map": 0.5}}}, UsageError, f"{NO_TOPICS}{{'a': {{'map': 0.5}}}}"),
        ({"values": {"a": 5}}, UsageError, f"{NO_TOPICS}{{'a': 5}}"),
        ({"values": 5}, UsageError, f"{NO_VALUES}5"),
        ({"values": [{"1": {"map": 0.5}}]}, UsageError, f"{NO_VALUES}[{{'1': {{'map': 0.5}}}}]"),
        (
            {"values": SCORES, "task": "trec"},
            UsageError,
            "values are evaluated already: only measures applies to them",
        ),
        ({"values": SCORES, "seed": -1}, UsageError, "seed=-1: seed is a whole number from 0 to 9223372036854775807"),
        ({"values": SCORES, "trials": 0}, UsageError, "trials=0: trials is a whole number from 1 to 10000000"),
        ({"values": SCORES, "alpha": 1}, UsageError, "alpha=1: alpha is a number between 0 and 1"),
    ],
)
@pytest.mark.parametrize("function", [compare, correlate])
def test_what_is_refused(function, arguments, error, message):
    with pytest.raises(error) as caught:
        function(**arguments)
    assert str(caught.value) == message


def test_warnings_of_the_evaluation_stay_with_an_error():
    with pytest.raises(DataError, match="no topic is common to all runs") as caught:
        compare(QRELS, {"one": {"1": GOOD["1"]}, "other": {"2": GOOD["2"]}}, measures="map")
    assert caught.value.__notes__ == [
        "warning: 8 assessed topics without results (left out; -c counts them as empty), in 2 runs"
    ]
