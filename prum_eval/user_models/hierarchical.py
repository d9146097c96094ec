"""The user model of users who go up and down in a document: |x n y| / max(|x|, |y|)."""

from __future__ import annotations

from prum_eval.parameters import ParameterValues
from prum_eval.user_models.model import (
    PRUM_ARTICLE,
    Model,
    ModelContext,
    ModelNeed,
    UserModel,
    model_of_pairs,
    overlap_ratio,
)


def _build(_values: ParameterValues, _context: ModelContext) -> Model:
    return model_of_pairs(overlap_ratio)


MODEL = UserModel(
    "hierarchical",
    "from an element to those that contain it or lie in it",
    "R = |x n y| / max(|x|, |y|) within a document: length of the inner over length of the outer element when "
    "one contains the other, 0 when they are apart; passages that overlap in part fall under the same formula.",
    f"{PRUM_ARTICLE}, equation 9; Piwowarski, Dupret, SIGIR 2006, section 7",
    _build,
    needs=frozenset({ModelNeed.LENGTHS}),
)
