"""What ranks add sums up to what eval prints, and each addition is what it is said to be."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from tests.gold import WORKED, run
from tests.oracles.scenarios import count_law

DEMO = "fixtures/demo/assessments fixtures/demo/run-a.xml"
STRUCTURE = "-s fixtures/demo/structure.tsv"
TOPICS = ("101", "102", "103")
MEASURES = (
    "-m prum_map -m prum_prec_at_recall -m eprum -m gen_recall.1,3,7,20 -m prum_map:mode=exact -m prum_map:mode=normal "
    "-m prum_prec_at_recall.0.4:mode=exact -m eprum_map:at_recall=ratio -m eprum_map:graded=off "
    "-m eprum_map:ideal_list=greedy -m eprum_map:effort=size -m eprum_prec_at_recall.0.5:effort=size,at_recall=ratio "
    "-m persistence -m rbp:p=0.5 -m u_measure:L=1000 -m err.1,2,3"
)
MODELS = (
    "hierarchical", "none", "t2i:tolerance=50", "siblings", "logistic", "bep-distance:A=0.1", "hierarchical:once=on",
    "hierarchical:rank_decay=0.7",
)  # fmt: skip


def explained(options):
    output = run(f"explain -f json {options}")
    assert output.status == 0, output.err
    return json.loads(output.out)


def printed(options):
    return json.loads(run(f"eval -q -f json {options}").out)["runs"][0]["topics"]


def sums(data):
    return {
        one["name"]: sum(rank["added"][one["name"]] for rank in data["ranks"]) + one["rest"] for one in data["measures"]
    }


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("topic", TOPICS)
def test_additions_sum_up_to_the_printed_value(model, topic):
    options = f"{MEASURES} -u {model} {STRUCTURE} {DEMO}"
    data = explained(f"--topic {topic} {options}")
    wanted = printed(options)[topic]
    assert {one["name"]: one["value"] for one in data["measures"]} == wanted
    assert sums(data) == pytest.approx(wanted, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("row", [row for row in WORKED if row not in ("E2", "E3", "W1")])
def test_additions_of_the_worked_examples(row):
    inputs = f"{WORKED[row].format(row=row)} fixtures/worked/{row}/qrels fixtures/worked/{row}/run"
    for topic, wanted in printed(inputs).items():
        assert sums(explained(f"--topic {topic} {inputs}")) == pytest.approx(wanted, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("eprum", "consider"), [("-m eprum_map", ""), ("", ",consider=0.5")])
def test_additions_of_items(eprum, consider):
    options = f"-m prum_map {eprum} -m gen_recall.3 --items article -u hierarchical:once=off{consider}"
    options += f" {STRUCTURE} fixtures/demo/assessments fixtures/demo/run-a.offsets.run"
    wanted = printed(options)
    for topic in TOPICS:
        assert sums(explained(f"--topic {topic} {options}")) == pytest.approx(wanted[topic], rel=1e-12)


@pytest.mark.parametrize("topic", TOPICS)
def test_an_addition_is_the_difference_of_the_lists_cut_after_the_rank_and_before_it(topic):
    options = f"-m eprum -m gen_recall.2,5 -m eprum_map:at_recall=ratio {STRUCTURE} {DEMO}"
    data = explained(f"--topic {topic} {options}")
    before = dict.fromkeys((one["name"] for one in data["measures"]), 0.0)
    for rank in data["ranks"]:
        after = printed(f"-M {rank['rank']} {options}")[topic]
        differences = {name: after[name] - before[name] for name in before}
        assert rank["added"] == pytest.approx(differences, abs=1e-12)
        before = after


P1 = "--topic 1 -u graph --navigation fixtures/worked/P1/navigation.tsv --collection-size 4"
P1_INPUTS = "fixtures/worked/P1/qrels fixtures/worked/P1/run"


def test_the_worked_example_of_the_article():
    """List c, d, a, b; R: c (.4, .4), d (.6, .4), a (1, 0), b (0, 1).

    r = 1: the user looks for a first target, so g_k(0) = 1 - prod (1 - R), and P(F_{k-1} = 0) = 1, .36, .24 * .36, 0.
    E[C] = 1 + .36 + .0864 = 904/625.
    """
    data = explained(f"{P1} -m prum_prec_at_recall.0.5 -m eprum_map -m gen_recall.4 {P1_INPUTS}")
    name = "prum_prec_at_recall_0.50"
    wanted = [Fraction(x) / Fraction(904, 625) for x in ("0.64", "0.2736", "0.0864", "0")]
    assert [rank["added"][name] for rank in data["ranks"]] == pytest.approx([float(x) for x in wanted])
    assert next(one["value"] for one in data["measures"] if one["name"] == name) == pytest.approx(625 / 904)
    # EPRUM: mean over r of r (P(F_k >= r) - P(F_{k-1} >= r)) / k
    # P(F_k >= 1) = .64, .9136, 1, 1; P(F_k >= 2) = .16, .4864, .64, 1
    first, second = (0.64, 0.2736, 0.0864, 0), (0.16, 0.3264, 0.1536, 0.36)
    wanted = [(a + 2 * b) / 2 / k for k, (a, b) in enumerate(zip(first, second, strict=True), 1)]
    assert [rank["added"]["eprum_map"] for rank in data["ranks"]] == pytest.approx(wanted)
    # GR: half of what p grows by, over both targets
    assert [rank["added"]["gen_recall_4"] for rank in data["ranks"]] == pytest.approx([0.4, 0.3, 0.12, 0.18])
    laws = [(0.36, 0.48, 0.16), (0.0864, 0.4272, 0.4864), (0, 0.36, 0.64), (0, 0, 1)]
    for rank, law in zip(data["ranks"], laws, strict=True):
        assert rank["seen"]["distribution"] == pytest.approx(law)
    assert [rank["seen"]["mean"] for rank in data["ranks"]] == pytest.approx([0.8, 1.4, 1.64, 2])
    assert [(rank["seen"]["low"], rank["seen"]["high"]) for rank in data["ranks"]] == [(0, 2), (0, 2), (1, 2), (2, 2)]
    assert [rank["unseen"] for rank in data["ranks"]] == pytest.approx([1.2, 0.6, 0.36, 0])
    relations = [[(one["target"], one["relation"]) for one in rank["reached"]] for rank in data["ranks"]]
    assert relations == [[(1, "graph"), (2, "graph")], [(1, "graph"), (2, "graph")], [(1, "own")], [(2, "own")]]
    sights = [[(one["seen_before"], one["seen_after"]) for one in rank["reached"]] for rank in data["ranks"]]
    assert sights[1] == [pytest.approx((0.4, 0.76)), pytest.approx((0.4, 0.64))]


def test_what_the_elements_after_the_list_give_prum():
    """P5, list c, d of P1 alone: b = P(F_2 = 0) of E[C] at r = 1."""
    data = explained(
        "--topic 1 -u graph --navigation fixtures/worked/P5/navigation.tsv --collection-size 4 "
        "-m prum_prec_at_recall.0.5 fixtures/worked/P5/qrels fixtures/worked/P5/run"
    )
    (contribution,) = data["measures"]
    # u - (t - s) = 2 - 2 = 0: the first draw after the list is a target; E[C] = 1 + .36 + .0864
    assert contribution["rest"] == pytest.approx(0.0864 / 1.4464)


@pytest.mark.parametrize("topic", TOPICS)
def test_distributions_against_all_scenarios(topic):
    data = explained(f"--topic {topic} {STRUCTURE} {DEMO}")
    t = len(data["targets"])
    matrix = [[0.0] * t for _ in data["ranks"]]
    for row, rank in zip(matrix, data["ranks"], strict=True):
        for one in rank["reached"]:
            row[one["target"] - 1] = one["probability"]
    for k, rank in enumerate(data["ranks"], 1):
        law = count_law(matrix, t, k)
        assert rank["seen"]["distribution"] == pytest.approx(law, abs=1e-12)
        below = [sum(law[: f + 1]) for f in range(t + 1)]
        assert rank["seen"]["low"] == next(f for f in range(t + 1) if below[f] > 0.05)
        assert rank["seen"]["high"] == next(f for f in range(t + 1) if below[f] >= 0.95 - 1e-12)
    for target in data["targets"]:
        missed = 1.0
        for row in matrix:
            missed *= 1 - row[target["target"] - 1]
        assert target["seen"] == pytest.approx(1 - missed)
        assert target["ranks"] == [k for k, row in enumerate(matrix, 1) if row[target["target"] - 1] > 0]
    assert data["never_reached"] == [one["target"] for one in data["targets"] if not one["ranks"]]
