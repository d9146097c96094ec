"""The classic measures of many lists at once are, to the last bit, those of each list by its own formula."""

from __future__ import annotations

import math
from itertools import accumulate, chain
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import arrays
from prum_eval.arrays import group_bounds
from prum_eval.measures.classic import MEASURES
from prum_eval.measures.topic_data import TopicBatch
from prum_eval.relevance.gains import gain_lists

NEARLY_ONE = 0.9


def relevant(base):
    return int(np.count_nonzero(base > 0))


def average_precision(gains, base, _):
    ranks = np.flatnonzero(gains > 0) + 1
    return math.fsum((np.arange(1, len(ranks) + 1) / ranks).tolist()) / relevant(base) if len(ranks) else 0.0


def average_precision_at(gains, base, ranks):
    found = np.flatnonzero(gains > 0) + 1
    sums = np.array([0.0, *accumulate((np.arange(1, len(found) + 1) / found).tolist())])
    return sums[np.searchsorted(found, ranks, side="right")] / max(relevant(base), 1)


def r_precision(gains, base, _):
    wanted = relevant(base)
    return int(np.count_nonzero(gains[:wanted] > 0)) / wanted if wanted else 0.0


def reciprocal_rank(gains, _base, _):
    ranks = np.flatnonzero(gains > 0)
    return 1.0 / (int(ranks[0]) + 1) if len(ranks) else 0.0


def reciprocal_rank_at(gains, _base, ranks):
    found = np.flatnonzero(gains > 0)
    first = int(found[0]) + 1 if len(found) else math.inf
    return np.where(ranks >= first, 1.0 / first, 0.0)


def found_at(gains, ranks):
    found = np.concatenate(([0], np.cumsum(gains > 0)))
    return found[np.minimum(ranks.astype(np.int64), len(gains))]


def precision_at(gains, _base, ranks):
    return found_at(gains, ranks) / ranks


def success_at(gains, _base, ranks):
    return (found_at(gains, ranks) > 0).astype(np.float64)


def recall_at(gains, base, ranks):
    return found_at(gains, ranks) / max(relevant(base), 1)


def interpolated_precision(gains, base, levels):
    ranks = np.flatnonzero(gains > 0) + 1
    best = np.maximum.accumulate((np.arange(1, len(ranks) + 1) / ranks)[::-1])[::-1]
    wanted = np.maximum([round_half_up(level * relevant(base)) for level in levels.tolist()], 1)
    return np.concatenate((best, [0.0]))[np.minimum(wanted - 1, len(best))]


def round_half_up(number):
    return math.floor(number) + (number % 1 >= 0.5)


def eleven_points(gains, base, _):
    return interpolated_precision(gains, base, np.arange(11) / 10).mean()


def precision_at_multiples(gains, base, multiples):
    ranks = (multiples * relevant(base) + NEARLY_ONE).astype(np.int64)
    return np.where(ranks > 0, found_at(gains, ranks) / np.maximum(ranks, 1), 0.0)


def relative_precision_at(gains, base, ranks):
    return found_at(gains, ranks) / np.maximum(np.minimum(ranks, relevant(base)), 1)


def discounted(gains):
    return np.concatenate(([0.0], np.cumsum(gains / np.log2(np.arange(2, len(gains) + 2)))))


def ndcg_at(gains, base, ranks):
    own, ideal = discounted(gains), discounted(np.sort(base)[::-1])
    k = ranks.astype(np.int64)
    best = ideal[np.minimum(k, len(base))]
    values = np.zeros(len(k))
    np.divide(own[np.minimum(k, len(gains))], best, out=values, where=best > 0)
    return values


def ndcg(gains, base, _):
    ideal = discounted(np.sort(base)[::-1])[-1]
    return float(discounted(gains)[-1] / ideal) if ideal > 0 else 0.0


TWINS = {
    "map": average_precision,
    "gm_map": average_precision,
    "Rprec": r_precision,
    "recip_rank": reciprocal_rank,
    "P": precision_at,
    "recall": recall_at,
    "iprec_at_recall": interpolated_precision,
    "Rprec_mult": precision_at_multiples,
    "11pt_avg": eleven_points,
    "relative_P": relative_precision_at,
    "ndcg": ndcg,
    "ndcg_cut": ndcg_at,
    "map_cut": average_precision_at,
    "success": success_at,
    "recip_rank_cut": reciprocal_rank_at,
}
GAINS = st.sampled_from([0.0, 0.0, 0.0, 1 / 3, 0.5, 2 / 3, 1.0]) | st.floats(0, 1)
LISTS = st.lists(st.tuples(st.lists(GAINS, max_size=60), st.lists(GAINS, max_size=20)), max_size=8).map(
    lambda lists: [(gains, [*more, *gains]) for gains, more in lists]  # what is found is in the recall base
)


def joined(lists):
    """A batch of topics of which only the gains are known."""
    columns = zip(*lists, strict=True) if lists else [(), ()]
    gains, base = (
        (np.array([*chain(*parts)], dtype=np.float64), group_bounds(list(map(len, parts)))) for parts in columns
    )
    return TopicBatch([], gain_lists(*gains, *base))


def defaults(measure):
    return {one.name: one.default for one in measure.parameters if one.default is not None}


def points_of(measure):
    levels = [*measure.cutoffs, 1.0, 2.0, 7.0]
    return np.array([1.0 if level > 1 else level for level in levels] if measure.name == "iprec_at_recall" else levels)


@given(LISTS, st.sampled_from([1, 3, 1 << 15]))
def test_many_lists_have_the_values_of_each(lists, together):
    whole = joined(lists)
    for measure in MEASURES:
        points = points_of(measure) if measure.cutoffs else np.zeros(0)
        with patch.object(arrays, "_GROUPS_PER_BLOCK", together):
            found = measure.compute(whole, defaults(measure), points)
        assert found.shape == (len(lists), max(len(points), 1))
        for own, (gains, base) in zip(found, lists, strict=True):
            expected = TWINS[measure.name](np.array(gains), np.array(base), points)
            assert own.tolist() == np.atleast_1d(expected).tolist(), measure.name


@given(st.integers(0, 2**32), st.integers(1, 1200))
def test_long_lists_too(seed, results):
    draw = np.random.default_rng(seed)
    lists = []
    for _ in range(3):
        gains = np.where(draw.random(results) < 0.4, draw.random(results), 0.0)
        lists.append((gains, np.concatenate((gains[gains > 0], draw.random(results // 3)))))
    whole = joined(lists)
    for measure in MEASURES:
        points = points_of(measure) if measure.cutoffs else np.zeros(0)
        for own, (gains, base) in zip(measure.compute(whole, defaults(measure), points), lists, strict=True):
            expected = TWINS[measure.name](gains, base, points)
            assert own.tolist() == np.atleast_1d(expected).tolist(), measure.name


def test_every_measure_has_a_twin():
    assert {measure.name for measure in MEASURES} == set(TWINS)
