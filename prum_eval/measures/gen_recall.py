"""GR, generalised recall: the expected share of what the user should see that was seen [PRUM 4.1.2]."""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.seen_states import SeenStates
from prum_eval.numerics.growing_counts import weighted_rows


def generalised_recall(seen: SeenStates, weights: FloatArray, ranks: FloatArray) -> FloatArray:
    """GR@k = sum_x w_x p_k(x) / sum_x w_x, w_x = P(x in I); constant past the end of the list.

    Also called ERR, the expected ratio of relevant units.
    """
    shares: FloatArray = weighted_rows(weights[seen.active], seen.p) / weights.sum()
    return shares[seen.states_at(ranks.astype(np.int64))]
