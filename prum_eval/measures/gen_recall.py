"""GR, the expected share of what the user should see that was seen [PRUM 4.1.2], and the probability of all of it."""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray, float_sums_of_groups, group_bounds
from prum_eval.measures.base import CUTOFFS, Measure, Need, Shape, split_by_truncation
from prum_eval.measures.seen_states import probabilities_at
from prum_eval.measures.topic_data import TopicBatch
from prum_eval.parameters import ParameterValues


def generalised_recall(batch: TopicBatch, _values: ParameterValues, ranks: FloatArray) -> FloatArray:
    """GR@k = sum_x w_x p_k(x) / sum_x w_x, w_x = P(x in I); constant past the end of the list.

    Old papers call it the expected ratio of relevant units, by letters that now stand for another measure.
    """
    batch.compute_states()
    pairs = [(topic.goal_states, topic.judged.goal_weights) for topic in batch.topics]
    p = probabilities_at([seen for seen, _ in pairs], ranks.astype(np.int64))
    weights = np.concatenate([weight[seen.active] for seen, weight in pairs])
    sums = float_sums_of_groups(weights[:, None] * p, group_bounds([len(seen.active) for seen, _ in pairs]))
    totals = np.array([[weight.sum()] for _, weight in pairs])
    return np.asarray(sums / totals)


def complete(batch: TopicBatch, _values: ParameterValues, ranks: FloatArray) -> FloatArray:
    """P(all facets, else all targets, are seen after k ranks); constant past the end of the list."""
    batch.compute_states()
    states = (topic.goal_states for topic in batch.topics)
    return np.array([seen.probability_of_all(seen.states_at(ranks.astype(np.int64))) for seen in states])


MEASURES = (
    Measure(
        "gen_recall",
        "gen_recall",
        "generalised recall at rank K",
        "sum of P(x in I) p_K(x) over the sum of P(x in I): the expected share of what should be seen that was seen. "
        "Of a topic with facets x is a facet, with its weight.",
        "Piwowarski, Gallinari, Dupret, TOIS 25(1), 2007, section 4.1.2",
        Shape.AT_RANKS,
        per_batch=generalised_recall,
        needs=frozenset({Need.REACH}),
        cutoffs=CUTOFFS,
        y_label="generalised recall",
        split=split_by_truncation,
        over_facets=True,
    ),
    Measure(
        "complete",
        "complete",
        "probability that everything was seen after rank K",
        "P(all targets were seen after K ranks); of a topic with facets, that all facets are satisfied.",
        "our own definition",
        Shape.AT_RANKS,
        per_batch=complete,
        needs=frozenset({Need.REACH}),
        cutoffs=CUTOFFS,
        y_label="probability of having seen everything",
        split=split_by_truncation,
        over_facets=True,
    ),
)
