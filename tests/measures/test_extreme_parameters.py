"""Legal parameters of any size give finite values, the limits of the formulas, and no warnings of arithmetic."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.evaluation.api import evaluate
from prum_eval.measures.base import Need
from prum_eval.measures.registry import MEASURES_BY_NAME, all_measures
from prum_eval.user_models.bep_distance import distance_decay
from prum_eval.user_models.registry import all_user_models
from tests.oracles.worlds import examples

INPUTS = ("fixtures/official/edge/q.txt", "fixtures/official/edge/order.run")
DOCUMENTS = ("fixtures/toy/qrels", "fixtures/toy/run")
SIZES = ["5e-324", "1e-306", "1e-160", "1e160", "1e306", "1.7e308"]
"""Of numbers that a double can hold."""

numbers = st.floats(5e-324, 1.7e308, allow_subnormal=True)


@examples(300)
@given(numbers, numbers, st.integers(0, 2**40))
def test_nearness_in_logarithms(scale, length, away):
    """log(s / (1 - s)) = log A + log L - log d."""
    (found,) = distance_decay(np.array([float(away)]), scale, length)
    if away == 0:
        assert found == 1.0
        return
    odds = math.log(scale) + math.log(length) - math.log(away)
    expected = 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-300)


def own_numbers():
    """(-m or -u, the key, and a size) of every parameter that is a number without an upper bound."""
    for size in SIZES:
        for measure in all_measures():
            yield from ((measure.name, "", one.name, size) for one in measure.parameters if unbounded(one, size))
        for model in all_user_models():
            yield from (("", model.name, one.name, size) for one in model.parameters if unbounded(one, size))


def unbounded(parameter, size):
    """Whether a parameter takes a number of that size, as whole numbers do not those below 1."""
    return not parameter.choices and not parameter.file and math.isinf(parameter.high) and parameter.accepts(size)


@pytest.mark.parametrize(("measure", "model", "key", "size"), sorted(set(own_numbers())))
def test_every_number_of_any_size(measure, model, key, size):
    targets = "bep" if model == "bep-distance" else None
    if measure:
        asked, user_model = [f"{measure}:{key}={size}"], None
    else:
        asked, user_model = ["eprum_map", "gen_recall.5"], f"{model}:{key}={size}"
    judged = measure and Need.GAINS in MEASURES_BY_NAME[measure].needs
    inputs = DOCUMENTS if judged else INPUTS
    found = evaluate(*inputs, measures=asked, user_model=user_model, targets=targets).runs[0]
    values = [value for topic in found.topics.values() for value in topic.values()]
    assert values
    numbers = [value for value in values if not isinstance(value, str)]
    assert all(value is not None and 0 <= value < 10 for value in numbers)


@pytest.mark.parametrize(
    ("asked", "limit"),
    [("bepd:A=1e306", "bepd:A=1e100"), ("bepd:A=1e-320", "bepd:A=1e-100"), ("magp:beta=1e160", "magp:beta=1e100")],
)
def test_limits(asked, limit):
    at, near = (next(iter(evaluate(*INPUTS, measures=one).runs[0].all.values())) for one in (asked, limit))
    assert at == pytest.approx(near, rel=1e-9, abs=1e-90)
    assert at > 0 or "1e-" in asked


def test_large_scales_of_the_user_model():
    """A result in the document of a best entry point reaches it for sure where A has no bound."""
    values = [
        evaluate(*INPUTS, measures="gen_recall.5", targets="bep", user_model=f"bep-distance:A={scale}").runs[0].topics
        for scale in ("1e306", "1e100")
    ]
    assert values[0] == values[1]
    assert values[0]["1"]["gen_recall_5"] > 0
