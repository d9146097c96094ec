"""The user model of users who read forward from the start of a result, with a tolerance to irrelevance."""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import Locations
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.user_models.model import PRUM_ARTICLE, Leads, Model, ModelContext, ModelNeed, UserModel, model_of_pairs


def _build(values: ParameterValues, _context: ModelContext) -> Model:
    tolerance, inverse = float(values["tolerance"]), values["decay"] == "inverse"

    def probability(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
        start = targets.start[columns]
        away = (start - results.start[rows]).astype(np.float64)
        ahead = start + targets.length[columns] > results.start[rows]
        if inverse:
            gap = np.maximum(away, 0.0)
            value = np.ones(len(rows))
            np.divide(tolerance, tolerance + gap, out=value, where=tolerance + gap > 0)
        else:
            value = (away <= tolerance).astype(np.float64)
        value[~ahead] = 0.0
        return value

    return model_of_pairs(probability, located=True)


MODEL = UserModel(
    "t2i",
    "reading forward from the start, with a tolerance to irrelevance",
    "R = 1 if the target ends after the result's start and begins no more than `tolerance` characters on, else "
    "0. All text counts; reading does not stop at the first target. decay=inverse: "
    "tolerance / (tolerance + d) instead of the step, 1 at d = 0 whatever the tolerance.",
    f"{PRUM_ARTICLE}, section 2.2",
    _build,
    (
        Parameter("tolerance", 300.0, "characters read before the user gives up", low=0.0),
        Parameter("decay", "step", "how the probability falls with the distance", ("step", "inverse")),
    ),
    frozenset({ModelNeed.POSITIONS}),
    leads=Leads.FORWARD,
)
