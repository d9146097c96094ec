"""The user model of nearness by a logistic law: 2 / (1 + exp(lambda d)), d characters between the beginnings.

It is 1 at the target; the article's form gives 1/2 there.
"""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import Locations
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.user_models.model import (
    Leads,
    Model,
    ModelContext,
    ModelNeed,
    UserModel,
    distance,
    model_of_pairs,
)


def _build(values: ParameterValues, _context: ModelContext) -> Model:
    rate = float(values["lambda"])
    largest = 700.0  # exp of more overflows; the value is 0 to the last digit long before

    def probability(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
        away = np.minimum(distance(results, targets, rows, columns), largest / rate)
        return 2.0 / (1.0 + np.exp(np.minimum(rate * away, largest)))

    return model_of_pairs(probability, located=True)


MODEL = UserModel(
    "logistic",
    "nearness of the beginnings, by a logistic law",
    "R = 2 / (1 + exp(lambda d)), d as in bep-distance. The article's formula gives 1/2 at d = 0; it is scaled "
    "to 1 here, because a result that begins at the target shows it.",
    "Piwowarski, Dupret, SIGIR 2006, sections 3.3 and 4",
    _build,
    (Parameter("lambda", 0.01, "fall per character", low=0.0, open_low=True),),
    frozenset({ModelNeed.POSITIONS}),
    leads=Leads.NEARBY,
)
