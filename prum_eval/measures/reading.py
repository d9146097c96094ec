"""What reading costs if navigation is not free: the characters of results, and those read beyond them.

C_k = sum_{j <= k} (n_j + b_j), at least 1: n_j are the characters of result j, and b_j is the expected number of
characters read beyond it. A user model says what b is (`UserModel.reading`). Of other models it is what results reach:
each character outside the result counts with the largest R of the targets that hold it. What lowers the navigation at
a rank (once, rank_decay, consider) lowers b in the same proportion.
"""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import (
    CURVE_BUDGETS,
    READING_NEEDS,
    Direction,
    Measure,
    Need,
    Shape,
    measure_of_states,
    split_by_truncation,
)
from prum_eval.measures.passages import cut_segments, first_cover
from prum_eval.measures.registry import READING_COST
from prum_eval.measures.topic_data import JudgedTopic, TopicData, positive_costs, reading_costs
from prum_eval.numerics.count_distributions import sum_weighted_rows
from prum_eval.numerics.curves import ROUNDING_SLACK
from prum_eval.parameters import ParameterValues
from prum_eval.user_models.model import ModifiedModel, RankedTopic, Reach

READING_ON = (
    "and the user reads on: give --structure, or doc_length in the assessments (prum-eval spans --lengths writes it)"
)
"""Ends the reason why a document needs a length."""


def read_beyond(judged: JudgedTopic, ranked: RankedTopic) -> FloatArray:
    """Expected number of characters read beyond each place of a list, shape (places,); NaN if unknown."""
    model, reading = judged.model(), judged.reading()
    base = model.base if isinstance(model, ModifiedModel) else model
    beyond = read_what_is_reached(base(ranked), ranked) if reading is None else reading(ranked)
    return beyond * model.navigation_weights(ranked) if isinstance(model, ModifiedModel) else beyond


def read_what_is_reached(reach: Reach, ranked: RankedTopic) -> FloatArray:
    """The sum of the largest R of targets over the characters that they hold, outside each result."""
    results, targets = ranked.results, ranked.targets
    beyond = np.zeros(len(results))
    leads = ~reach.exact & targets.located[reach.target] & (targets.length[reach.target] > 0)
    entries = np.flatnonzero(leads)
    if not len(entries):
        return beyond
    entries = entries[np.argsort(-reach.probability[entries], kind="stable")]
    rank, target = reach.rank[entries], reach.target[entries]
    documents = int(targets.document.max()) + 1
    own = np.unique(rank)
    own = own[results.located[own] & (results.document[own] < documents)]
    # The result itself comes first: of the extents that cover a stretch of text, the first one counts.
    number = np.concatenate((own * documents + results.document[own], rank * documents + targets.document[target]))
    start = np.concatenate((results.start[own], targets.start[target]))
    end = start + np.concatenate((results.length[own], targets.length[target]))
    segments, cuts = cut_segments(np.tile(number, 2), np.concatenate((start, end)))
    low, high = np.split(cuts, 2)
    first = first_cover(low, high, len(segments.start)) - len(own)
    read = np.flatnonzero((first >= 0) & (first < len(entries)))
    chosen = first[read]
    np.add.at(beyond, rank[chosen], reach.probability[entries[chosen]] * segments.length[read])
    return beyond


def characters_read(data: TopicData, _values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    """C_k, 0 of an empty list; constant past the end of the list."""
    costs = positive_costs(reading_costs(data, "read"))
    return costs[np.minimum(cutoffs, len(costs) - 1).astype(np.int64)]


def _split_characters(
    _measure: Measure, data: TopicData, values: ParameterValues, cutoffs: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Every rank adds what it costs, up to the cut-off."""
    ranks = np.arange(len(reading_costs(data, "read")))
    costs = characters_read(data, values, np.minimum(ranks[:, None], cutoffs).reshape(-1))
    return np.diff(costs.reshape(len(ranks), -1), axis=0), np.zeros(len(cutoffs))


def recall_within(data: TopicData, _values: ParameterValues, budgets: FloatArray) -> FloatArray:
    """Generalised recall after the last rank with C_k <= N; 0 if there is none."""
    costs = positive_costs(reading_costs(data, "read"))
    seen, weights = data.goal_states, data.judged.goal_weights
    ranks = np.searchsorted(costs, budgets + ROUNDING_SLACK, side="right") - 1
    recall: FloatArray = sum_weighted_rows(weights[seen.active], seen.p[:, seen.states_at(ranks)]) / weights.sum()
    return recall


_NEEDS = frozenset({Need.REACH}) | READING_NEEDS
_TEXT = (
    "C_k is the expected number of characters read up to rank k, at least 1: of each result all of it, and what the "
    "user reads beyond it. The page of user models says how much that is."
)
MEASURES = (
    Measure(
        READING_COST,
        "reading",
        "characters read up to rank K, those beyond results too",
        f"C_K. {_TEXT} 0 for an empty list; a list shorter than K counts as it is.",
        "our own definition",
        Shape.AT_RANKS,
        per_batch=measure_of_states(characters_read),
        needs=_NEEDS,
        cutoffs=(1.0, 3.0, 5.0, 10.0),
        bounded=False,
        direction=Direction.LOWER,
        y_label="characters read",
        over_facets=True,
        split=_split_characters,
    ),
    Measure(
        "gen_recall_at_read",
        "reading",
        "generalised recall within the first N characters read",
        f"gen_recall after the last rank k with C_k <= N, 0 if there is none. {_TEXT}",
        "our own definition",
        Shape.AT_BUDGETS,
        per_batch=measure_of_states(recall_within),
        needs=_NEEDS,
        cutoffs=(500.0, 1000.0, 2000.0, 4000.0, 8000.0),
        curve_levels=CURVE_BUDGETS,
        budget="read",
        over_facets=True,
        x_label="characters read",
        y_label="generalised recall",
        split=split_by_truncation,
    ),
)
