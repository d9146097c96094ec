"""How R follows from the parameter that can be estimated: as the model says, with the slope that it has."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.arrays import FloatArray
from prum_eval.collection.locations import same_document_pairs, same_place
from prum_eval.user_models.model import ModelContext
from prum_eval.user_models.registry import all_user_models, build_model, choose_model
from tests.oracles.documents import ELEMENT, PASSAGE, POINT, ranked_topics, record_of
from tests.oracles.worlds import examples

SETTINGS = {"t2i": [{"decay": "inverse"}, {"decay": "exponential"}, {}]}
LAWS = [
    (one.name, settings)
    for one in all_user_models()
    if one.estimable_parameter
    for settings in SETTINGS.get(one.name, [{}])
]
VALUES = {"share": [0.0, 0.1, 0.7, 1.0], "positive": [0.004, 0.8, 3.0, 90.0]}
CONTEXT = ModelContext(mean_length=40.0)


TOPICS = ranked_topics(targets=(POINT, PASSAGE, ELEMENT)).map(record_of)


@pytest.mark.parametrize(("name", "settings"), LAWS)
@examples(40)
@given(TOPICS)
def test_reach_is_that_of_the_model(name, settings, ranked):
    choice = choose_model(name, settings)
    law = choice.model.estimable_parameter(choice.values, CONTEXT)
    rows, columns = same_document_pairs(ranked.results.document, ranked.targets.document)
    other = ~same_place(ranked.results, ranked.targets, rows, columns)
    rows, columns = rows[other], columns[other]
    features = law.features(ranked, rows, columns)
    assert len(features) == len(rows)
    for value in VALUES["share" if law.is_share else "positive"]:
        matrix = build_model(choose_model(name, {**settings, law.key: repr(value)}), CONTEXT)(ranked).dense()
        assert law.reach(features, value).tolist() == pytest.approx(
            matrix[rows, columns].tolist(), rel=1e-14, abs=1e-300
        )


@pytest.mark.parametrize(("name", "settings"), [one for one in LAWS if one != ("t2i", {})])
@examples(25)
@given(TOPICS, st.floats(0.05, 0.95))
def test_slopes_are_derivatives(name, settings, ranked, value):
    choice = choose_model(name, settings)
    law = choice.model.estimable_parameter(choice.values, CONTEXT)
    rows, columns = same_document_pairs(ranked.results.document, ranked.targets.document)
    features: FloatArray = law.features(ranked, rows, columns)
    step = 1e-6
    if law.is_share:
        odds = value / (1 - value)
        low, high = (odds * np.exp(one) / (1 + odds * np.exp(one)) for one in (-step, step))
    else:
        low, high = value * np.exp(-step), value * np.exp(step)
    measured = (law.reach(features, high) - law.reach(features, low)) / (2 * step)
    assert law.slope(features, value).tolist() == pytest.approx(measured.tolist(), abs=1e-8)


def test_a_threshold_has_no_slope():
    assert choose_model("t2i", {}).model.estimable_parameter(choose_model("t2i", {}).values, CONTEXT).slope is None


@pytest.mark.parametrize("name", ["bep-distance", "logistic", "t2i"])
@pytest.mark.parametrize("settings", [{}, {"decay": "inverse"}, {"decay": "exponential"}])
def test_what_is_nowhere_is_not_reached(name, settings):
    if name != "t2i" and settings:
        return
    choice = choose_model(name, settings)
    law = choice.model.estimable_parameter(choice.values, CONTEXT)
    value = {"bep-distance": 1.0, "logistic": 0.01, "t2i": 300.0}[name]
    assert law.reach(np.array([np.inf]), value)[0] == pytest.approx(0, abs=1e-300)
    if law.slope:
        assert law.slope(np.array([np.inf]), value)[0] == pytest.approx(0, abs=1e-300)


@pytest.mark.parametrize("decay", ["inverse", "exponential", "step"])
def test_r_is_the_probability_to_read_that_far(decay):
    """R at distance d is P(r >= d): what is passed with probability u is reached with probability u."""
    choice = choose_model("t2i", {"decay": decay})
    law = choice.model.estimable_parameter(choice.values, CONTEXT)
    for u in (0.01, 0.3, 0.9):
        read = law.reading.inverse_survival(u, 250.0)
        assert law.reach(np.array([read]), 250.0)[0] == pytest.approx(1.0 if decay == "step" else u, rel=1e-12)


@pytest.mark.parametrize("decay", ["inverse", "exponential"])
def test_scores_are_derivatives_of_the_likelihood(decay):
    choice = choose_model("t2i", {"decay": decay})
    law = choice.model.estimable_parameter(choice.values, CONTEXT)
    read, stopped = np.array([0.0, 3.0, 500.0, 0.0, 40.0]), np.array([True, True, True, False, False])

    def survival(at, value):
        return law.reach(at, value)

    def likelihood(logarithm):
        value, step = np.exp(logarithm), 1e-4
        density = (survival(np.maximum(read - step, 0), value) - survival(read + step, value)) / (
            read + step - np.maximum(read - step, 0)
        )
        return np.log(np.where(stopped, density, survival(read, value)))

    at, step = np.log(200.0), 1e-3
    score, information = law.reading.score(read, stopped, 200.0)
    low, middle, high = (likelihood(at + one) for one in (-step, 0.0, step))
    assert score.tolist() == pytest.approx(((high - low) / (2 * step)).tolist(), abs=2e-5)
    assert information.tolist() == pytest.approx((-(high - 2 * middle + low) / step**2).tolist(), abs=2e-3)


def test_a_tolerance_of_nothing_reaches_what_begins_there():
    law = choose_model("t2i", {"decay": "exponential"}).model.estimable_parameter({"decay": "exponential"}, CONTEXT)
    assert law.reach(np.array([0.0, 1.0, np.inf]), 0.0).tolist() == [1.0, 0.0, 0.0]
