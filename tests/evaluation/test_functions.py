"""Functions as measures and user models: they equal the built-in ones that do the same, and bad ones are named."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from prum_eval import compare, evaluate, explain
from prum_eval.errors import DataError, UsageError
from prum_eval.measures.base import Measure
from prum_eval.measures.functions import measure_from_function
from prum_eval.measures.registry import MEASURES_BY_NAME
from prum_eval.user_models.registry import BUILT_IN
from tests.gold import ROOT

TOY = {"assessments": str(ROOT / "fixtures/toy/qrels"), "runs": str(ROOT / "fixtures/toy/run")}
DEMO = {
    "assessments": str(ROOT / "fixtures/demo/assessments"),
    "runs": [str(ROOT / "fixtures/demo/run-a.xml"), str(ROOT / "fixtures/demo/run-b.xml")],
    "structure": str(ROOT / "fixtures/demo/structure.tsv"),
}


def first_relevant(gains):
    """The reciprocal of the first rank with a gain.

    What follows is not the summary.
    """
    ranks = np.flatnonzero(gains > 0)
    return 1 / (ranks[0] + 1) if len(ranks) else 0.0


def share_found(topic):
    """Share of the targets that the user sees in the end, if every result is one of them or none."""
    return float(np.minimum(topic.reach.dense().sum(axis=0), 1).mean())


def halves(results, targets):
    """Half of the users get from a result to any target in the same document."""
    return 0.5 * (results.document[:, None] == targets.document[None, :])


def without_navigation(results, targets):
    return np.zeros((len(results), len(targets)))


def test_a_function_of_gains_is_a_measure():
    for call in (TOY, DEMO):
        for run in evaluate(**call, measures=["recip_rank", first_relevant]).runs:
            assert run.all["first_relevant"] == run.all["recip_rank"]
            assert all(of["first_relevant"] == of["recip_rank"] for of in run.topics.values())


def test_a_parameter_named_topic_receives_the_data_of_the_topic():
    seen = []

    def targets_and_results(topic):
        seen.append(topic)
        return len(topic.judged.targets) + len(topic.ranking)

    values = evaluate(**TOY, measures=[targets_and_results, "num_rel", "num_ret"]).runs[0].topics
    assert all(of["targets_and_results"] == of["num_rel"] + of["num_ret"] for of in values.values())
    assert [topic.judged.name for topic in seen] == list(values)
    assert all(isinstance(topic.gains, np.ndarray) for topic in seen)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_function_is_a_user_model(jobs):
    by_function = evaluate(
        **DEMO, measures=["eprum", "prum_map", share_found], user_model=without_navigation, jobs=jobs
    )
    by_name = evaluate(**DEMO, measures=["eprum", "prum_map", share_found], user_model="none", jobs=jobs)
    assert [run.topics for run in by_function.runs] == [run.topics for run in by_name.runs]
    assert "|user_model:without_navigation|" in by_function.signature
    assert evaluate(**DEMO, measures=share_found, user_model=halves).runs != by_name.runs


def test_several_models_and_measures_are_named_after_their_functions():
    result = evaluate(**DEMO, measures=["eprum_map", share_found], user_model=["none", halves])
    assert result.names == (
        "eprum_map:user_model=none",
        "eprum_map:user_model=halves",
        "share_found:user_model=none",
        "share_found:user_model=halves",
    )
    assert result.parameters["measures"]["eprum_map:user_model=halves"]["user_model"] == "halves"


def test_other_calls_take_functions():
    table = compare(**DEMO, measures=["eprum_map", share_found], user_model=halves)
    assert {row["measure"] for row in table.rows()} == {"eprum_map", "share_found"}
    shown = explain(DEMO["assessments"], DEMO["runs"][0], "101", structure=DEMO["structure"], measures=[first_relevant])
    assert [round(row["first_relevant"], 4) for row in shown.rows()][:2] == [1.0, 0.0]


def test_records_of_measures_are_taken():
    assert evaluate(**TOY, measures=MEASURES_BY_NAME["map"]).runs[0].all == evaluate(**TOY, measures="map").runs[0].all
    own = Measure("twice", "twice", "s", "e", "here", MEASURES_BY_NAME["map"].shape, lambda *_: 2.0)
    assert evaluate(**TOY, measures=[own, "map"]).runs[0].all == {"map": 0.75, "twice": 2.0}
    curve = MEASURES_BY_NAME["P"]
    assert evaluate(**TOY, measures=[curve]).names == evaluate(**TOY, measures=["P"]).names
    model = BUILT_IN["none"]
    assert evaluate(**DEMO, measures="eprum_map", user_model=model).signature.count("user_model:none") == 1


def test_nan_leaves_a_topic_out_of_the_mean():
    def half(gains):
        return math.nan if gains[0] > 0 else 0.25

    assert evaluate(**TOY, measures=half).runs[0].all == {"half": 0.25}


def test_a_record_that_no_package_registers_is_pickled():
    copy = pickle.loads(pickle.dumps(measure_from_function(first_relevant)))  # noqa: S301 - our own
    assert (copy.name, copy.summary) == ("first_relevant", "The reciprocal of the first rank with a gain.")
    assert pickle.loads(pickle.dumps(MEASURES_BY_NAME["map"])) is MEASURES_BY_NAME["map"]  # noqa: S301


def nothing():
    return 0.0


def text(_gains):
    return "high"


def infinite(_gains):
    return math.inf


def recip_rank(_gains):
    return 0.0


def nDCG(_gains):  # noqa: N802 - the name of another tool
    return 0.0


def alike():
    def first_relevant(_gains):
        return 0.0

    return first_relevant


@pytest.mark.parametrize(("measures", "message"), [
    (nothing, "measures: nothing takes no argument, expected one: topic, or the gains in rank order"),
    (recip_rank, "measures: recip_rank is the name of another measure; rename the function"),
    ([nDCG], "measures: nDCG is the name of another measure; rename the function"),
    ([first_relevant, alike()], "measures: two measures are called first_relevant; rename one"),
    (3, "measures: expected names, found 3"),
])  # fmt: skip
def test_functions_that_are_no_measures(measures, message):
    with pytest.raises(UsageError) as caught:
        evaluate(**TOY, measures=measures)
    assert str(caught.value) == message


def test_a_function_without_name():
    with pytest.raises(
        UsageError, match=r"^measures: <function .*<lambda>.*> has no name, expected a function that def"
    ):
        evaluate(**TOY, measures=lambda gains: gains.sum())
    with pytest.raises(UsageError, match=r"^user_model: expected names or functions that def makes, found <function"):
        evaluate(**DEMO, measures="eprum_map", user_model=lambda *_: 0)
    with pytest.raises(UsageError, match=r"^user_model: expected names or functions that def makes, found 3$"):
        evaluate(**DEMO, measures="eprum_map", user_model=[3])


@pytest.mark.parametrize(("measure", "found"), [(text, "'high'"), (infinite, "inf")])
def test_values_that_are_no_numbers(measure, found):
    with pytest.raises(DataError) as caught:
        evaluate(**TOY, measures=measure)
    assert str(caught.value) == f"measure {measure.__name__}: expected a number for topic 1, found {found}"


@pytest.mark.parametrize(("matrix", "found"), [
    (lambda results, targets: np.zeros((len(results), len(targets) + 1)), "shape (7, 4)"),
    (lambda results, targets: np.full((len(results), len(targets)), 1.5), "other numbers"),
    (lambda results, targets: np.full((len(results), len(targets)), np.nan), "other numbers"),
    (lambda *_: 0.5, "shape ()"),
])  # fmt: skip
def test_user_models_that_return_no_probabilities(matrix, found):
    matrix.__name__ = "odd"
    with pytest.raises(DataError) as caught:
        evaluate(**{**DEMO, "runs": DEMO["runs"][0]}, measures="eprum_map", user_model=matrix)
    reason = f"expected probabilities of shape (7, 3), found {found}"
    assert str(caught.value) == f"user model odd: topic 101: {reason}"


def none(_results, _targets):
    return 0


def test_a_function_with_the_name_of_a_user_model():
    with pytest.raises(UsageError) as caught:
        evaluate(**DEMO, measures="eprum_map", user_model=none)
    assert str(caught.value) == "user_model: none is the name of another user model; rename the function"
