"""What no run can do: gain from an irrelevant result at its end, or from the order of topics and targets."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.measures.prum import prum_precisions
from tests.oracles.files import evaluate, ranked
from tests.oracles.worlds import examples, facts_of, value_of, worlds

RANKS = [1, 2, 3, 5, 8, 13]
MEASURES = ["classic", "counts", "prum", "eprum", "gen_recall", "prum:mode=exact", "prum:mode=normal",
            "eprum:ideal_list=greedy", "eprum:at_recall=ratio", "eprum:graded=off"]  # fmt: skip


def not_above(after, before):
    assert (np.asarray(after) <= np.asarray(before) + 1e-12).all(), (after, before)


@examples(80)
@given(worlds(), st.integers(1, 30))
def test_an_irrelevant_result_at_the_end_raises_nothing(world, more):
    edges, weights, results = world
    size = len(results) + len(weights) + more
    before = facts_of(edges, weights, results, size)
    after = facts_of(edges, weights, [*results, "irrelevant"], size)
    for mode in ("paper", "exact", "normal"):
        curves = [prum_precisions(data.seen, size, data.existing_count, mode) for data in (after, before)]
        not_above(*curves)
    levels = np.arange(1, 11) / 10
    for name, points in (("eprum_prec_at_recall", levels), ("eprum_P", RANKS), ("gen_recall", RANKS)):
        not_above(value_of(name, after, points), value_of(name, before, points))
    for name in ("map", "Rprec", "recip_rank", "ndcg", "eprum_map"):
        not_above(value_of(name, after), value_of(name, before))
    for name, points in (("P", RANKS), ("recall", RANKS), ("ndcg_cut", RANKS), ("iprec_at_recall", levels)):
        not_above(value_of(name, after, points), value_of(name, before, points))


def random_files(seed):
    """Judgements, results and edges of four topics."""
    rng = random.Random(seed)
    names = [f"d{i}" for i in range(14)]
    judgements = {str(q): {x: rng.choice([-1, 0, 1, 1, 2, 3]) for x in rng.sample(names, 9)} for q in range(1, 5)}
    results = {topic: ranked(rng.sample(names, rng.randint(1, 9))) for topic in judgements}
    edges = {tuple(rng.sample(names, 2)): rng.randint(1, 9) / 10 for _ in range(20)}
    return rng, judgements, results, edges


def shuffled(rng, mapping):
    return dict(rng.sample(sorted(mapping.items()), len(mapping)))


def same(one, other):
    assert one.keys() == other.keys()
    for name, value in one.items():
        assert other[name] == pytest.approx(value, rel=1e-12, abs=1e-12), name


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_topics_and_of_lines_changes_nothing(seed, tmp_path):
    rng, judgements, results, edges = random_files(seed)
    options = {"measures": MEASURES, "collection_size": 200}
    before = evaluate(tmp_path, judgements, results, edges, **options)
    after = evaluate(tmp_path, shuffled(rng, judgements), shuffled(rng, results), shuffled(rng, edges), **options)
    same(before.all, after.all)
    for topic, values in before.topics.items():
        same(values, after.topics[topic])


# The ideal list takes targets of equal P(x in I) in the order of the judgements, and the greedy list breaks its last
# ties in that order. Where targets lead to one another (R* is no identity) the order of tied targets therefore changes
# E[ML*], and with it EPRUM, legitimately. Everything else must not change, nor EPRUM where no two targets tie or where
# no target leads to a target.
INDEPENDENT_OF_THE_LIST = [name for name in MEASURES if not name.startswith("eprum")]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("measures", [INDEPENDENT_OF_THE_LIST, MEASURES])
def test_the_order_of_the_judgements_changes_nothing_but_ties_of_the_ideal_list(seed, measures, tmp_path):
    rng, judgements, results, edges = random_files(seed)
    if measures is MEASURES:
        relevant = {name for grades in judgements.values() for name, grade in grades.items() if grade > 0}
        edges = {pair: probability for pair, probability in edges.items() if pair[0] not in relevant}
        edges["none", "d0"] = 0.5
    options = {"measures": [name for name in measures if "greedy" not in name], "collection_size": 200}
    before = evaluate(tmp_path, judgements, results, edges, **options)
    mixed = {topic: shuffled(rng, grades) for topic, grades in judgements.items()}
    after = evaluate(tmp_path, mixed, results, edges, **options)
    for topic, values in before.topics.items():
        same(values, after.topics[topic])


@examples(40)
@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_targets_of_different_weight_changes_nothing(world, rng):
    edges, weights, results = world
    names = sorted(weights)
    weights = {name: (place + 1) / len(names) for place, name in enumerate(names)}
    mixed = shuffled(rng, weights)
    size = len(results) + len(weights)
    before, after = (facts_of(edges, chosen, results, size) for chosen in (weights, mixed))
    for name in ("prum_map", "eprum_map"):
        assert value_of(name, after) == pytest.approx(value_of(name, before), rel=1e-12)
    for name in ("eprum_P", "gen_recall"):
        np.testing.assert_allclose(value_of(name, after, RANKS), value_of(name, before, RANKS), rtol=1e-12)
