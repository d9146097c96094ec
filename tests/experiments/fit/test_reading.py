"""How far users read: the equations of the contract, closed forms, Kaplan and Meier."""

import numpy as np
import pytest

from prum_eval.experiments.fit_estimates import Readings, estimate_reading_parameter, reading_scores
from prum_eval.user_models.model import ModelContext
from prum_eval.user_models.registry import choose_model

READ = np.array([120.0, 900.0, 40.0, 300.0, 0.0, 2000.0, 75.0])
STOPPED = np.array([True, False, True, True, True, False, True])
READINGS = Readings(READ, STOPPED, np.arange(7))


def law_of(decay):
    choice = choose_model("t2i", {"decay": decay})
    return choice.model.estimable_parameter(choice.values, ModelContext()).reading


def test_the_exponential_is_the_sum_read_over_the_stops():
    assert estimate_reading_parameter(law_of("exponential"), READINGS) == pytest.approx(
        READ.sum() / STOPPED.sum(), rel=1e-14
    )


def test_the_inverse_solves_its_equation():
    tau = estimate_reading_parameter(law_of("inverse"), READINGS)
    right = (2 / (tau + READ[STOPPED])).sum() + (1 / (tau + READ[~STOPPED])).sum()
    assert len(READ) / tau == pytest.approx(right, rel=1e-12)


def test_the_step_is_the_median_of_the_stops():
    """By hand: at risk 7, 6, 5, 4, 3; survival 6/7, 5/7, 4/7, 3/7 at 0, 40, 75, 120."""
    assert estimate_reading_parameter(law_of("step"), READINGS) == 120.0
    assert estimate_reading_parameter(law_of("step"), READINGS.take(np.array([1, 5, 0]))) is None


@pytest.mark.parametrize("decay", ["inverse", "exponential", "step"])
def test_readings_that_never_stop_tell_nothing(decay):
    assert estimate_reading_parameter(law_of(decay), READINGS.take(~STOPPED)) is None


def test_weights_count_as_often():
    weight = np.array([1.0, 2.0, 0.0, 3.0, 1.0, 1.0, 0.0])
    again = READINGS.take(np.repeat(np.arange(7), weight.astype(int)))
    for decay in ("inverse", "exponential", "step"):
        law = law_of(decay)
        assert estimate_reading_parameter(law, READINGS, weight) == pytest.approx(
            estimate_reading_parameter(law, again), rel=1e-12
        )


def test_scores_add_up_to_nothing_at_the_estimate():
    for decay in ("inverse", "exponential"):
        scores, information = reading_scores(
            law_of(decay), READINGS, estimate_reading_parameter(law_of(decay), READINGS)
        )
        assert scores.sum() == pytest.approx(0, abs=1e-9)
        assert information > 0
    assert reading_scores(law_of("step"), READINGS, 120.0) is None
