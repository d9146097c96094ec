"""Navigation measures over facets against the enumeration of everything that a user may have seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import DataError, evaluate
from tests.oracles.facets import World, mean_precision, satisfied_after

F1 = World([(1.0, [[(100, 200)], [(300, 350)]]), (1.0, [[(600, 640)]])], [(300, 360), (150, 250), (600, 620)])


def values(world: World, *measures: str) -> dict[str, float]:
    """Values of measures on a world."""
    return dict(evaluate(world.gold(), world.run(), measures=measures).runs[0].all)


SPANS = st.tuples(st.integers(0, 9), st.integers(1, 4)).map(lambda pair: (10 * pair[0], 10 * sum(pair)))
"""Spans on a grid of ten characters."""


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Worlds of at most six spans, many of them shared by alternatives and facets."""
    pool = draw(st.lists(SPANS, min_size=1, max_size=6, unique=True))
    way = st.lists(st.sampled_from(pool), min_size=1, max_size=3, unique=True)
    facet = st.tuples(st.sampled_from([0.5, 1.0, 2.0]), st.lists(way, min_size=1, max_size=3))
    facets = draw(st.lists(facet, min_size=1, max_size=4))
    return World(facets, draw(st.lists(SPANS, min_size=1, max_size=4)))


def test_f1_of_the_contract() -> None:
    """The worked example F1, at full precision."""
    computed = values(F1, "gen_recall.1,3", "complete.1,3", "eprum_map", "eprum_prec_at_recall.0.5,1")
    assert computed == pytest.approx(
        {
            "gen_recall_1": 1 / 2,
            "gen_recall_3": 3 / 4,
            "complete_1": 0,
            "complete_3": 1 / 2,
            "eprum_map": 2 / 3,
            "eprum_prec_at_recall_0.50": 1,
            "eprum_prec_at_recall_1.00": 1 / 3,
        },
        abs=1e-12,
    )


@given(worlds())
def test_values_are_expectations_over_what_may_be_seen(world: World) -> None:
    """gen_recall and complete after every rank, and the gains of rbp and u_measure."""
    ranks = range(1, len(world.results) + 1)
    cutoffs = ",".join(map(str, ranks))
    computed = values(world, f"gen_recall.{cutoffs}", f"complete.{cutoffs}", "rbp:p=.8", "u_measure:L=1000")
    weights = [weight for weight, _ in world.facets]
    gains, before, spent = [], 0.0, []
    for k in ranks:
        outcomes = list(satisfied_after(world, world.results[:k]))
        gained = sum(float(chance) * weights[f] for chance, done in outcomes for f in done)
        everything = float(sum(chance for chance, done in outcomes if len(done) == len(weights)))
        assert computed[f"gen_recall_{k}"] == pytest.approx(gained / sum(weights), abs=1e-12)
        assert computed[f"complete_{k}"] == pytest.approx(everything, abs=1e-12)
        gains.append(gained - before)
        before = gained
        spent.append(sum(end - start for start, end in world.results[:k]))
    rbp = sum(0.2 * 0.8**place * gain for place, gain in enumerate(gains)) / max(weights)
    assert computed["rbp:p=0.8"] == pytest.approx(rbp, abs=1e-12)
    u = sum(gain * max(0, 1 - cost / 1000) for gain, cost in zip(gains, spent, strict=True)) / sum(weights)
    assert computed["u_measure:L=1000"] == pytest.approx(u, abs=1e-12)


@pytest.mark.parametrize("effort", ["rank", "size"])
@given(world=worlds())
def test_eprum_counts_satisfied_facets(world: World, effort: str) -> None:
    """EPRUM's mean under effort in ranks and in characters, with the ideal list of facets."""
    name = "eprum_map" if effort == "rank" else "eprum_map:effort=size"
    assert values(world, name)[name] == pytest.approx(mean_precision(world, effort), abs=1e-12)


@given(worlds(), st.sampled_from([3, 10]))
def test_facets_cost_what_is_read_beyond_results_too(world: World, beyond: int) -> None:
    """EPRUM's mean and the budgets of reading, with results and ideal list read on."""
    world.beyond, model = beyond, f"coverage:beyond={beyond}"
    names = ["eprum_map:effort=read", "read_2", "gen_recall_at_read_30", "gen_recall.1,2,3,4"]
    computed = dict(evaluate(world.gold(), world.run(), measures=names, user_model=model).runs[0].all)
    assert computed["eprum_map:effort=read"] == pytest.approx(mean_precision(world, "read"), abs=1e-12)
    costs = [sum(end - start + beyond for start, end in world.results[:k]) for k in (1, 2, 3, 4)]
    assert computed["read_2"] == costs[1]
    k = sum(cost <= 30 for cost in costs)
    assert computed["gen_recall_at_read_30"] == pytest.approx(computed[f"gen_recall_{k}"] if k else 0, abs=1e-12)


@given(worlds())
def test_values_do_not_depend_on_the_batch(world: World) -> None:
    """Two questions evaluated together, one of them without facets, have the values that each has alone."""
    alone = values(world, "gen_recall", "eprum", "complete", "rbp")
    plain = [{"topic": "2", "doc": "d", "start": start, "end": end} for start, end in world.targets]
    both = evaluate(
        [*world.gold(), *plain],
        [*world.run(), *({**row, "topic": "2"} for row in world.run())],
        measures=["gen_recall", "eprum", "complete", "rbp"],
    ).runs[0]
    of_plain = evaluate(
        plain, [{**row, "topic": "2"} for row in world.run()], measures=["gen_recall", "eprum", "complete", "rbp"]
    ).runs[0]
    assert both.topics["1"] == pytest.approx(alone, abs=1e-12)
    assert both.topics["2"] == of_plain.topics["2"]


def test_more_than_twelve_uncertain_shared_targets_are_refused() -> None:
    """The error names the topic and the number."""
    shared = [(20 * place, 20 * place + 10) for place in range(13)]
    halves = [(start + 5, end + 5) for start, end in shared]
    ways = [[span] for span in shared]
    few = World([(1.0, ways[:12]), (2.0, ways[:12])], halves)
    assert values(few, "complete.13") == {"complete_13": pytest.approx(1 - 0.5**12, abs=1e-12)}
    world = World([(1.0, ways), (2.0, ways)], halves)
    with pytest.raises(DataError) as error:
        values(world, "gen_recall")
    assert str(error.value) == (
        "run: topic 1: 13 targets of several alternatives are uncertain at one rank, at most 12 can be"
    )
