"""EPRUM with effort in characters: the enumeration of all scenarios, the worked example, what is refused."""

import json
import math
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.errors import DataError, UnsupportedResultError
from tests.gold import run
from tests.oracles import modifiers, scenarios
from tests.oracles.lists import NOWHERE, lists, topic_of
from tests.oracles.worlds import examples, value_of
from tests.slow import slow

LEVELS = [0.0, 0.3, 0.5, 0.7, 1.0]


def costs_of(sizes, documents, items):
    """c_1, ..., c_o, at least 1 each: X costs 0, an item the sum of its results; `sizes`: what each result costs."""
    numbers = modifiers.positions([None if d == NOWHERE else d for d in documents], articles=items == "article")
    paid = [0] * (max(numbers, default=-1) + 1)
    for number, size, document in zip(numbers, sizes, documents, strict=True):
        paid[number] += 0 if document == NOWHERE else size
    return [max(1, c) for c in accumulate(paid)]


def by_level(one, items, graded, at_recall, beyond=0, ideal_beyond=0):
    """The curve over r of each satisfaction level, with its share, by enumeration.

    `beyond`, `ideal_beyond`: what is read beyond results and targets; the order of the ideal list is without.
    """
    R, starred, weights, sizes, ideal_sizes, documents = one
    named = [None if d == NOWHERE else d for d in documents]
    R = modifiers.modified(np.array(R).reshape(-1, len(weights)), np.zeros((len(R), len(weights))), named,
                           articles=items == "article")  # fmt: skip
    costs = costs_of(np.array(sizes) + beyond, documents, items)
    ideal_costs = np.array(ideal_sizes) + ideal_beyond
    levels = scenarios.satisfaction_sets(weights) if graded == "on" else [(1.0, range(len(weights)))]
    for share, ideal in levels:
        rows, t = sorted(ideal, key=lambda x: (-weights[x], ideal_sizes[x], x)), len(list(ideal))
        own = [[row[x] for x in rows] for row in R]
        star = [[starred[y][x] for x in rows] for y in rows]
        best = [max(1, c) for c in accumulate(ideal_costs[x] for x in rows)]
        curve = []
        for r in range(1, t + 1):
            wanted = scenarios.expectation(star, t, lambda seen, r=r, best=best: best[int(seen[r - 1]) - 1])
            if at_recall == "product":
                spent = lambda seen, r=r: 0 if seen[r - 1] == scenarios.NEVER else 1 / costs[int(seen[r - 1]) - 1]  # noqa: E731
                curve.append(wanted * scenarios.expectation(own, t, spent))
            else:
                spent = lambda seen, r=r: math.inf if seen[r - 1] == scenarios.NEVER else costs[int(seen[r - 1]) - 1]  # noqa: E731
                searched = scenarios.expectation(own, t, spent)
                curve.append(0.0 if math.isinf(searched) else wanted / searched)
        yield share, curve


@pytest.mark.parametrize("items", ["none", "article"])
@pytest.mark.parametrize("graded", ["on", "off"])
@pytest.mark.parametrize("at_recall", ["product", slow("ratio")])
@examples(60)
@given(one=lists())
def test_enumeration(one, at_recall, graded, items):
    data, chosen = topic_of(*one, items), {"at_recall": at_recall, "graded": graded, "effort": "size"}
    curves = list(by_level(one, items, graded, at_recall))
    expected = [
        sum(share * curve[scenarios.goal(level, len(curve)) - 1] for share, curve in curves) for level in LEVELS
    ]
    found = value_of("eprum_prec_at_recall", data, LEVELS, **chosen)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=0)
    expected = sum(share * np.mean(curve) for share, curve in curves)
    assert value_of("eprum_map", data, **chosen) == pytest.approx(expected, rel=1e-10)


@st.composite
def readings(draw, one):
    """What a user reads beyond the results and the targets of a topic."""
    amounts = st.sampled_from([0.0, 0.5, 3.0, 7.25])
    return tuple(np.array(draw(st.lists(amounts, min_size=n, max_size=n))) for n in (len(one[3]), len(one[4])))


@pytest.mark.parametrize("items", ["none", "article"])
@pytest.mark.parametrize("at_recall", ["product", slow("ratio")])
@examples(60)
@given(one=lists(), draw=st.data())
def test_enumeration_with_what_is_read_beyond_results(one, draw, at_recall, items):
    beyond, ideal_beyond = draw.draw(readings(one))
    data = topic_of(*one, items, beyond, ideal_beyond)
    curves = list(by_level(one, items, "on", at_recall, beyond, ideal_beyond))
    expected = sum(share * np.mean(curve) for share, curve in curves)
    assert value_of("eprum_map", data, at_recall=at_recall, effort="read") == pytest.approx(expected, rel=1e-10)
    costs = costs_of(np.array(one[3]) + beyond, one[5], items)
    found = value_of("read", data, [1, 2, 10])
    assert found == pytest.approx([costs[min(k, len(costs)) - 1] if costs else 0 for k in (1, 2, 10)], rel=1e-12)
    for budget in (0.5, 1, 4, 11.25, 1000):
        k = sum(cost <= budget for cost in costs)
        reached = value_of("gen_recall", data, [k])[0] if k else 0.0
        assert value_of("gen_recall_at_read", data, [budget])[0] == pytest.approx(reached, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("mode", ["exact", slow("normal")])
@pytest.mark.parametrize("at_recall", ["product", "ratio"])
@examples(60)
@given(one=lists(max_results=8, max_targets=6), size=st.integers(1, 10**6))
def test_equal_sizes_give_effort_in_ranks(one, at_recall, mode, size):
    R, starred, weights, sizes, ideal_sizes, documents = one
    equal = [size] * len(sizes), [size] * len(ideal_sizes), [max(document, 0) for document in documents]
    data, chosen = topic_of(R, starred, weights, *equal), {"at_recall": at_recall, "mode": mode}
    for name, points in (("eprum_map", ()), ("eprum_prec_at_recall", LEVELS)):
        by_size, by_rank = (value_of(name, data, points, **chosen, effort=effort) for effort in ("size", "rank"))
        np.testing.assert_allclose(by_size, by_rank, rtol=1e-12, atol=1e-15)


def c1():
    """The worked example: spans of 100 and 50 characters; R is the share of a span that a result holds."""
    return [[0.5, 0.0], [0.8, 0.0], [0.0, 1.0]], [[1, 0], [0, 1]], [1.0, 1.0], [100, 100, 60], [100, 50]


def test_worked_numbers():
    data = topic_of(*c1())
    found = value_of("eprum_prec_at_recall", data, [0.5, 1.0], effort="size")
    # shortest first: c*_1 = 50, c*_2 = 150
    exact = [50 * (0.5 / 100 + 0.4 / 200 + 0.1 / 260), 150 * 0.9 / 260]
    assert found == pytest.approx(exact, rel=1e-12)
    assert found == pytest.approx([0.3692308, 0.5192308], abs=5e-8)
    assert value_of("eprum_map", data, effort="size") == pytest.approx(0.4442308, abs=5e-8)


def test_a_target_that_is_worth_more_comes_before_a_shorter_one():
    R, starred, _, sizes, ideal_sizes = c1()
    data = topic_of(R, starred, [1.0, 0.5], sizes, ideal_sizes)
    first = value_of("eprum_prec_at_recall", data, [0.5], effort="size", graded="off")
    assert first == pytest.approx([100 * (0.5 / 100 + 0.4 / 200 + 0.1 / 260)], rel=1e-12)


def test_what_points_to_nothing_costs_nothing():
    R, starred, weights, sizes, ideal_sizes = c1()
    with_x = [[0.0, 0.0], *R], starred, weights, [77, *sizes], ideal_sizes, [NOWHERE, 0, 1, 2]
    for at_recall in ("product", "ratio"):
        chosen = {"effort": "size", "at_recall": at_recall}
        assert value_of("eprum_map", topic_of(*with_x), **chosen) == value_of("eprum_map", topic_of(*c1()), **chosen)


@pytest.mark.parametrize("document", [0, 3])
def test_a_result_of_unknown_length_is_refused_with_its_line(document):
    R, starred, weights, sizes, ideal_sizes = c1()
    data = topic_of(R, starred, weights, [*sizes[:2], -1], ideal_sizes, [0, 1, document])
    with pytest.raises(UnsupportedResultError) as error:
        value_of("eprum_map", data, effort="size")
    assert str(error.value) == f"run:3: the length of this result, of document 'r{document}', is not known"


def test_a_target_of_unknown_length_is_refused():
    R, starred, weights, sizes, _ = c1()
    with pytest.raises(DataError) as error:
        value_of("eprum_map", topic_of(R, starred, weights, sizes, [100, -1]), effort="size")
    assert str(error.value) == "qrels: topic 1: the length of target 'd1' is not known"


TEXTS = "fixtures/rag/gold.jsonl fixtures/rag/windows.jsonl"
ELEMENTS = "fixtures/demo/assessments fixtures/demo/run-a.xml"
NO_POSITIONS = "assessments of elements, 2005-2007 do not give"
FLAT = "fixtures/toy/qrels fixtures/toy/run"


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        (f"eval -m eprum_map:effort=size {FLAT}", 1,
         "prum-eval: eprum_map needs lengths, which assessments of documents do not give: give --structure\n"),
        (f"eval -m eprum_map:effort=size {ELEMENTS}", 1,
         "fixtures/demo/run-a.xml:11: the length of this result, of document 'tides', is not known\n"),
        (f"eval -m eprum:effort=size --ideal-list greedy {TEXTS}", 2,
         "prum-eval: ideal_list=greedy and effort=size cannot be combined\n"),
        (f"eval -m eprum_map:effort=size,ideal_list=greedy {TEXTS}", 2,
         "prum-eval: ideal_list=greedy and effort=size cannot be combined\n"),
        (f"eval -m eprum_P:effort=size {TEXTS}", 2,
         "prum-eval: eprum_P has no parameter effort, nor has user model coverage\n"),
        (f"eval -m eprum_map:effort=characters {TEXTS}", 2,
         "prum-eval: effort=characters: effort is rank or size or read\n"),
        (f"eval -m eprum_map:effort=read,ideal_list=greedy {TEXTS}", 2,
         "prum-eval: ideal_list=greedy and effort=read cannot be combined\n"),
        (f"eval -m read.5 {FLAT}", 1,
         "prum-eval: read needs positions in the text, which assessments of documents do not give: give --structure\n"),
        (f"eval -m u_measure:effort=read {ELEMENTS}", 1,
         f"prum-eval: u_measure needs positions in the text, which {NO_POSITIONS}: give --structure\n"),
    ],
)  # fmt: skip
def test_what_is_refused(command, status, said):
    output = run(command)
    assert (output.status, output.out, output.err) == (status, "", said)


def test_a_flat_result_costs_its_document(tmp_path):
    """Its length is known where any topic assesses it; from a document of unknown length nothing is made."""
    gold, listed = tmp_path / "gold.jsonl", tmp_path / "run"
    gold.write_text(
        '{"topic": "1", "doc": "a", "doc_length": 100, "spans": [[0, 100]]}\n'
        '{"topic": "1", "doc": "b", "doc_length": 40, "spans": []}\n'
        '{"topic": "2", "doc": "c", "doc_length": 60, "spans": [[0, 60]]}\n'
    )
    listed.write_text("1 Q0 b 1 3 run\n1 Q0 c 2 2 run\n1 Q0 a 3 1 run\n")
    found = run(f"eval -n -q -m eprum_map:effort=size -u none {gold} {listed}")
    assert found.out.splitlines() == [
        "eprum_map:effort=size 	1	0.5000",  # 100 / (40 + 60 + 100)
        "eprum_map:effort=size 	2	0.0000",  # which the run lacks
    ]
    listed.write_text("1 Q0 b 1 3 run\n1 Q0 unknown 2 2 run\n1 Q0 a 3 1 run\n")
    found = run(f"eval -m eprum_map:effort=size -u none {gold} {listed}")
    assert found[:2] == (1, "")
    assert found.err == f"{listed}:2: the length of this result, of document 'unknown', is not known\n"
    beside = run(f"eval -m all --set effort=size -u none {gold} {listed}")
    assert beside.status == 0
    reason = f"{listed}:2: the length of this result, of document 'unknown', is not known; left out: eprum_map, "
    assert f"prum-eval: warning: {reason}eprum_prec_at_recall" in beside.err


def test_explain_follows_one_user_whatever_the_effort():
    inputs = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"
    measures = "-m gen_recall.7 -m eprum_map -m eprum:effort=size,at_recall=ratio -m eprum_map:effort=size"
    found = run(f"explain -f json --topic 101 {measures} {inputs}")
    assert found.status == 0, found.err
    told, printed = json.loads(found.out), json.loads(run(f"eval -q -f json {measures} {inputs}").out)
    values = {one["name"]: one["value"] for one in told["measures"]}
    assert values == printed["runs"][0]["topics"]["101"]
    for one in told["measures"]:
        added = sum(rank["added"][one["name"]] for rank in told["ranks"])
        assert added + one["rest"] == pytest.approx(one["value"], rel=1e-12, abs=1e-15)
