"""User models of another package: fitted if they say how, else as they are; those of a rank at a time are refused."""

from __future__ import annotations

import numpy as np
import pytest

from prum_eval.errors import UsageError
from prum_eval.experiments.fit import fit
from tests.experiments.fit.worlds import GIVEN, WORLD, log_of

SOURCE = '''
import numpy as np

from prum_eval import UserModel
from prum_eval.parameters import Parameter
from prum_eval.user_models.model import EstimableParameter, distance, pair_features, model_of_pairs


def _reach(away, scale):
    return np.exp(-((away / scale) ** 2))


def _slope(away, scale):
    return 2 * (np.minimum(away, 1e6) / scale) ** 2 * _reach(away, scale)


def _build(values, _context):
    def probability(results, targets, rows, columns):
        return _reach(distance(results, targets, rows, columns), float(values["scale"]))

    return model_of_pairs(probability, located=True)


def _law(_values, _context):
    return EstimableParameter("scale", pair_features(distance), _reach, _slope)


PARAMETERS = (Parameter("scale", 100.0, "characters", low=0.0, open_low=True),)
bell = UserModel("bell", "a bell", "R = exp(-(d / scale)^2).", "nowhere", _build, PARAMETERS, estimable_parameter=_law)
plain = UserModel("plain", "a bell", "R = exp(-(d / scale)^2).", "nowhere", _build, PARAMETERS)


def by_rank(results, rank, targets, trees, topic):
    """Half of everything."""
    return np.full(len(targets), 0.5)
'''
POINTS = "[prum_eval.user_models]\nbell = bells:bell\nplain = bells:plain\nby_rank = bells:by_rank\n"


@pytest.fixture(autouse=True)
def bells(install):
    install("bells", SOURCE, POINTS)


@pytest.mark.slow
def test_a_law_of_ones_own_is_fitted():
    log = log_of("bell:scale=50", 400)
    found = fit(WORLD.assessments, log, ["bell", "bep-distance", "logistic"], **GIVEN)
    assert found.best.name == "bell"
    (estimate, *_) = found.best.estimates
    assert estimate.low <= 50 <= estimate.high


def test_without_a_law_it_is_taken_as_it_is():
    log = log_of("bell:scale=50", 200)
    held, plain = (fit(WORLD.assessments, log, spec, **GIVEN).best for spec in ("bell:scale=70", "plain:scale=70"))
    assert [one.name for one in plain.estimates if one.name != "rank_decay"] == ["leak"]
    assert plain.quality.log_likelihood == pytest.approx(held.quality.log_likelihood, rel=1e-12)
    assert plain.spec.startswith("plain:scale=70,rank_decay=")
    assert np.isfinite(plain.quality.shared)


def test_a_model_of_a_rank_at_a_time_is_refused():
    with pytest.raises(UsageError) as error:
        fit(WORLD.assessments, log_of("none", 5), "by_rank", **GIVEN)
    reason = "by_rank looks at earlier ranks in ways of its own, which a log does not tell"
    assert str(error.value) == f"-u by_rank: {reason}"
