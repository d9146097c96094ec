"""User model of users who do not navigate: R is 1 if the result is the target, else 0."""

from __future__ import annotations

import numpy as np

from prum_eval.parameters import ParameterValues
from prum_eval.user_models.model import PRUM_ARTICLE, Model, ModelContext, UserModel, model_of_pairs


def _build(_values: ParameterValues, _context: ModelContext) -> Model:
    return model_of_pairs(lambda _results, _targets, rows, _columns: np.zeros(len(rows)))


MODEL = UserModel(
    "none",
    "no navigation: only the result itself is seen",
    "R[k, x] = 1 where rank k points to x, else 0. PRUM and EPRUM then are classic precision and recall.",
    PRUM_ARTICLE,
    _build,
    navigates=False,
)
