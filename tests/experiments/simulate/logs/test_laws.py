"""Simulated logs: views and readings come as often as the model says; bounds are five standard errors."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import prum_eval
from prum_eval.evaluation.inputs import read_inputs
from prum_eval.evaluation.resolution import make_list_locator
from prum_eval.experiments.simulate_log import simulate_log
from prum_eval.formats.log import write_log_lines
from prum_eval.records import NavigationFile
from prum_eval.user_models.registry import build_model, choose_model, parse_model_spec
from tests.experiments.simulate.worlds import World

WORLD = World(seed=11)
SESSIONS = 1500


def drawn(user_model, **options):
    given = {"structure": WORLD.structure, "sessions": SESSIONS, "persistence": 0.9, **options}
    return simulate_log(WORLD.assessments, "relevant", user_model=user_model, targets="relevant", **given)


def views(log):
    """Of each first rank how often it was consulted, and how often each place was viewed from there."""
    consulted, viewed = Counter(), Counter()
    for one in log.lines:
        if one.rank == 1:
            consulted[one.topic] += 1
            viewed.update((one.topic, place.text) for place in one.viewed)
    return consulted, viewed


def reach_of_first(user_model, topic):
    """R of the first rank by the place of each target, the document of that rank, and those of the targets."""
    run = next(iter(prum_eval.simulate(WORLD.assessments, "relevant", structure=WORLD.structure))).run
    inputs = read_inputs(WORLD.assessments, WORLD.structure)
    for placed in make_list_locator(inputs, "relevant", "gen").lists(run, graph=False):
        if placed.topic == topic:
            reach = build_model(choose_model(*parse_model_spec(user_model)), inputs.context)(placed.ranked_topic)
            nodes = [node if "#" in node else f"{node}#/e[1]" for node in placed.targets.nodes]
            return (
                dict(zip(nodes, reach.dense()[0].tolist(), strict=True)),
                placed.ranking.locations.document[0],
                [int(one) for one in placed.targets.locations.document],
            )
    raise AssertionError


@pytest.mark.parametrize("leak", [0.0, 0.1])
@pytest.mark.parametrize("user_model", ["hierarchical:exponent=.5", "bep-distance:A=.4", "logistic:lambda=.02",
                                        "siblings:p=.7", "none", "t2i:tolerance=25,decay=inverse",
                                        "t2i:tolerance=25,decay=exponential", "t2i:tolerance=25"])  # fmt: skip
def test_views_come_as_often_as_the_model_says(user_model, leak):
    log = drawn(user_model, leak=leak)
    consulted, viewed = views(log)
    assert len(consulted) == len(WORLD.judged)
    for topic, count in consulted.items():
        reach, document, documents = reach_of_first(user_model, topic)
        own = next(one.result for one in log.lines if one.topic == topic and one.rank == 1)
        for (node, probability), other in zip(reach.items(), documents, strict=True):
            expected = leak + (1 - 2 * leak) * probability if other == document else 0.0
            if node == own.text:
                expected = 0.0
            bound = 5 * np.sqrt(expected * (1 - expected) / count)
            assert viewed[topic, node] / count == pytest.approx(expected, abs=bound + 1e-12)


def test_users_stop_as_often_as_they_lack_patience():
    log = drawn("none", persistence=0.7)
    stops = sum(one.stop for one in log.lines)
    going_on = len(log.lines) - SESSIONS
    share = going_on / (going_on + stops)
    assert share == pytest.approx(0.7, abs=5 * np.sqrt(0.7 * 0.3 / (going_on + stops)))
    assert {one.rank for one in log.lines if one.stop}.isdisjoint({max(one.rank for one in log.lines)})


@pytest.mark.parametrize(("decay", "median"), [("inverse", 20.0), ("exponential", 20 * np.log(2))])
def test_half_of_the_users_read_further_than_the_median(decay, median):
    log = drawn(f"t2i:tolerance=20,decay={decay}")
    reads = np.array([one.read for one in log.lines if one.read is not None])
    lengths = {one.key: one for one in WORLD.elements.values()}
    rooms = np.array([_room(one.result, lengths) for one in log.lines if one.read is not None])
    assert (reads <= rooms).all()
    roomy = rooms > median + 1
    survival = {"inverse": 20 / (20 + 15), "exponential": np.exp(-15 / 20)}[decay]
    count = int(roomy.sum())
    assert count > 500
    assert (reads[roomy & (rooms > 15)] >= 15).mean() == pytest.approx(survival, abs=5 * np.sqrt(0.25 / count))


def _room(place, elements):
    root = elements[place.document, "/e[1]"]
    return root.start + root.length - elements[place.document, place.path].start


def test_what_was_seen_is_not_seen_again():
    for session in _sessions(drawn("bep-distance:A=100")):
        seen = []
        for one in session:
            seen.append(one.result.text)
            assert {place.text for place in one.viewed}.isdisjoint(seen)
            seen += [place.text for place in one.viewed]


def _sessions(log):
    found = {}
    for one in log.lines:
        found.setdefault(one.session, []).append(one)
    return found.values()


def test_the_seed_decides():
    one, two = (write_log_lines(drawn("siblings", seed=seed, sessions=40)) for seed in (4, 4))
    assert one == two
    assert one != write_log_lines(drawn("siblings", seed=5, sessions=40))


def test_sessions_are_the_same_however_many_there_are():
    few, many = drawn("siblings", sessions=20), drawn("siblings", sessions=99)
    assert few.lines == many.lines[: len(few.lines)]


def test_processes_share_the_sessions():
    one, two = (write_log_lines(drawn("siblings", sessions=600, jobs=jobs)) for jobs in (1, 2))
    assert one == two


def test_rank_decay_and_once_hold():
    """Under once=on nothing is viewed from a document that an earlier rank opened; rank_decay=0: nothing but rank 1."""
    for session in _sessions(drawn("bep-distance:A=100,once=on")):
        opened = set()
        for one in session:
            assert not (one.viewed and one.result.document in opened)
            opened.add(one.result.document)
    assert {one.rank for one in drawn("bep-distance:A=100,rank_decay=0").lines if one.viewed} == {1}


def test_users_walk_along_a_graph():
    """x leads to y with .5, to z with .3, y to z with .8 and z to y with .12: y is visited with .536 (worked W1)."""
    navigation = navigation_of([("x", "y", 0.5), ("x", "z", 0.3), ("y", "z", 0.8), ("z", "y", 0.12)])
    log = simulate_log(
        {"1": {"x": 1, "y": 1, "z": 1}}, user_model="graph", navigation=navigation, navigation_kind="step",
        sessions=4000, persistence=0.0,
    )  # fmt: skip
    first = [one for one in log.lines if one.result.text == "x"]
    for node, expected in (("y", 0.536), ("z", 0.7)):
        share = np.mean([node in [place.text for place in one.viewed] for one in first])
        assert share == pytest.approx(expected, abs=5 * np.sqrt(expected * (1 - expected) / len(first)))
    steps = Counter()
    for one in first:
        way = [one.result.text, *(place.text for place in one.viewed)]
        steps.update(pairwise(way))
    times = sum(place.document == "y" for one in first for place in one.viewed)
    assert steps["y", "z"] / times == pytest.approx(0.8, abs=5 * np.sqrt(0.16 / times))


def navigation_of(rows):
    sources, targets, probabilities = zip(*rows, strict=True)
    none = (None,) * len(rows)
    return NavigationFile("steps", none, sources, targets, np.array(probabilities), np.arange(len(rows)))


def test_users_of_reach_jump():
    navigation = navigation_of([("x", "y", 0.25)])
    log = simulate_log(
        {"1": {"x": 1, "y": 1}}, user_model="graph", navigation=navigation, sessions=2000, persistence=0.0
    )
    assert {one.result.text for one in log.lines} == {"x"}
    share = np.mean([bool(one.viewed) for one in log.lines])
    assert share == pytest.approx(0.25, abs=5 * np.sqrt(0.25 * 0.75 / 2000))
