"""The closure of single steps is the probability of a first passage, with a direct and with an iterated solution."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.errors import DataError, InputError
from prum_eval.user_models import graph as module
from prum_eval.user_models.graph import Graph
from tests.oracles.files import evaluate, ranked
from tests.oracles.graphs import first_passage, passage_in_steps
from tests.oracles.worlds import examples

BRANCHES = pytest.mark.parametrize("dense_up_to", [1500, 0])


@st.composite
def step_graphs(draw):
    """Steps with cycles and loops; some nodes never stop, and some of these lead nowhere."""
    nodes = list(range(draw(st.integers(2, 8))))
    edges = {}
    for node in nodes:
        ends = draw(st.lists(st.sampled_from(nodes), unique=True, max_size=4))
        shares = [draw(st.integers(0, 5)) for _ in ends]
        rest = draw(st.integers(0, 3))
        total = sum(shares) + rest
        edges.update({(node, end): share / total for end, share in zip(ends, shares, strict=True) if total})
    return edges, draw(st.sampled_from(nodes))


def closed(edges, target):
    graph = Graph({(str(a), str(b)): p for (a, b), p in edges.items()} | {(str(target), "elsewhere"): 0.0})
    values = graph.visit_probabilities(graph.number[str(target)])
    return {int(node): values[i] for node, i in graph.number.items() if node not in ("elsewhere", str(target))}


@BRANCHES
@examples(100)
@given(graph=step_graphs())
def test_closure_is_the_first_passage(dense_up_to, graph):
    edges, target = graph
    expected = first_passage(edges, target)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_DIRECT_SIZE", dense_up_to)
        found = closed(edges, target)
    for node, value in found.items():
        assert value == pytest.approx(expected.get(node, 0.0), rel=1e-9, abs=1e-12)
    assert expected.keys() <= found.keys()


@examples(40)
@given(step_graphs())
def test_walks_of_growing_length_come_near_it_from_below(graph):
    edges, target = graph
    found, within = closed(edges, target), passage_in_steps(edges, target, 300)
    for node, value in found.items():
        assert within[node] <= value + 1e-12
    # two hundred steps more change nothing that matters, unless a walk leaves a cycle very slowly
    longer = passage_in_steps(edges, target, 500)
    for node, value in found.items():
        if longer[node] - within[node] < 1e-12:
            assert value == pytest.approx(longer[node], abs=1e-6)


@BRANCHES
def test_a_large_graph_that_almost_never_stops(dense_up_to, monkeypatch):
    monkeypatch.setattr(module, "MAX_DIRECT_SIZE", dense_up_to)
    rng = random.Random(5)
    edges = {}
    for node in range(60):
        ends = rng.sample(range(60), 4)
        edges.update({(node, end): 0.2495 for end in ends})
    found, expected = closed(edges, 0), first_passage(edges, 0)
    np.testing.assert_allclose([found[node] for node in expected], list(expected.values()), rtol=1e-9)


def test_a_large_graph_that_never_stops_is_solved_directly_or_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_DIRECT_SIZE", 0)
    monkeypatch.setattr(module, "MAX_ITERATIONS", 100)
    steps = [(node, node + 1) for node in range(200)]
    edges = {(str(a), str(b)): 0.5 for pair in steps for a, b in (pair, pair[::-1])}
    graph = module.Graph(edges)
    # a fair walk between the target and a ruin one step beyond the last node
    expected = [1 - k / 201 for k in range(1, 201)]
    found = graph.visit_probabilities(graph.number["0"])
    assert [found[graph.number[str(k)]] for k in range(1, 201)] == pytest.approx(expected, rel=1e-9)
    monkeypatch.setattr(module, "MAX_FALLBACK_SIZE", 100)
    with pytest.raises(DataError, match=r"^the closure of the navigation graph did not converge in 100 rounds$"):
        graph.visit_probabilities(graph.number["0"])


@BRANCHES
def test_a_trap_that_leads_nowhere_is_no_singular_system(dense_up_to, monkeypatch):
    monkeypatch.setattr(module, "MAX_DIRECT_SIZE", dense_up_to)
    edges = {(0, 1): 0.5, (0, 2): 0.5, (2, 3): 1.0, (3, 2): 1.0}  # from 2 the walk goes on for ever
    found = closed(edges, 1)
    assert found == {0: pytest.approx(0.5), 2: 0.0, 3: 0.0}


@BRANCHES
def test_steps_of_the_article(dense_up_to, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "MAX_DIRECT_SIZE", dense_up_to)
    edges = {("x", "y"): 0.5, ("x", "z"): 0.3, ("y", "z"): 0.8, ("z", "y"): 0.12}
    judgements, results = {"1": {"y": 1}, "2": {"z": 1}}, {"1": {"x": 1.0}, "2": {"x": 1.0}}
    found = evaluate(tmp_path, judgements, results, edges, navigation_kind="step", measures="gen_recall.1")
    assert [found.topics[topic]["gen_recall_1"] for topic in "12"] == pytest.approx([0.536, 0.7], rel=1e-12)


def test_steps_and_reach_are_the_same_where_no_step_follows_another(tmp_path):
    edges = {("a", "x"): 0.5, ("b", "x"): 0.25, ("b", "y"): 0.75}
    judgements, results = {"1": {"x": 1, "y": 1}}, {"1": ranked(["b", "a"])}
    both = [
        evaluate(tmp_path, judgements, results, edges, navigation_kind=kind, measures="all", collection_size=9).all
        for kind in ("step", "reach")
    ]
    step, reach = ({name: value for name, value in one.items() if value is not None} for one in both)
    assert step == pytest.approx(reach, rel=1e-12)


def test_steps_beyond_one_are_refused_and_reach_beyond_one_is_not(tmp_path):
    edges = {("a", "x"): 0.5, ("a", "y"): 0.6}
    judgements, results = {"1": {"x": 1, "y": 1}}, {"1": {"a": 1.0}}
    with pytest.raises(InputError, match=r"navigation:3: .* above 1"):
        evaluate(tmp_path, judgements, results, edges, navigation_kind="step", measures="gen_recall")
    found = evaluate(tmp_path, judgements, results, edges, measures="gen_recall.1")
    assert found.all["gen_recall_1"] == pytest.approx(0.55)
