"""GR, generalised recall: the expected share of what the user should see that was seen [PRUM 4.1.2]."""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import CUTOFFS, Measure, Need, Shape, measure_of_states, split_by_truncation
from prum_eval.measures.topic_data import TopicData
from prum_eval.numerics.count_distributions import sum_weighted_rows
from prum_eval.parameters import ParameterValues


def generalised_recall(data: TopicData, _values: ParameterValues, ranks: FloatArray) -> FloatArray:
    """GR@k = sum_x w_x p_k(x) / sum_x w_x, w_x = P(x in I); constant past the end of the list.

    Old papers call it the expected ratio of relevant units, by letters that now stand for another measure.
    """
    seen, weights = data.seen, data.judged.targets.weight
    shares: FloatArray = sum_weighted_rows(weights[seen.active], seen.p) / weights.sum()
    return shares[seen.states_at(ranks.astype(np.int64))]


MEASURES = (
    Measure(
        "gen_recall",
        "gen_recall",
        "generalised recall at rank K",
        "sum of P(x in I) p_K(x) over the sum of P(x in I): the expected share of what should be seen that was seen.",
        "Piwowarski, Gallinari, Dupret, TOIS 25(1), 2007, section 4.1.2",
        Shape.AT_RANKS,
        per_batch=measure_of_states(generalised_recall),
        needs=frozenset({Need.REACH}),
        cutoffs=CUTOFFS,
        y_label="generalised recall",
        split=split_by_truncation,
    ),
)
