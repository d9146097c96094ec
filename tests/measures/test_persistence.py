"""Gains of a user who may stop: other tools' values, sums over all first sightings, the worked example, grades."""

from __future__ import annotations

import json
import random
from itertools import accumulate

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import evaluate
from prum_eval.frames import assessments_from_rows, run_from_rows
from tests.gold import run
from tests.measures.test_effort import c1
from tests.oracles import modifiers
from tests.oracles.lists import NOWHERE, lists, topic_of
from tests.oracles.scenarios import NEVER, first_seen
from tests.oracles.worlds import examples, value_of

RANKS = [1, 2, 3, 5, 20]


def seen_at(one, items):
    """P(target x is first seen at rank k), by x and k from 1; and what the first k ranks cost."""
    R, _, weights, sizes, _, documents = one
    named = [None if document == NOWHERE else document for document in documents]
    own = np.zeros((len(R), len(weights)))
    R = modifiers.modified(np.reshape(R, own.shape), own, named, articles=items == "article")
    numbers = modifiers.positions(named, articles=items == "article")
    paid = [0] * len(R)
    for number, size, document in zip(numbers, sizes, named, strict=True):
        paid[number] += 0 if document is None else size
    return [first_seen([row[x] for row in R]) for x in range(len(weights))], list(accumulate(paid))


def expected_gain(one, items, worth):
    """Sum over targets and ranks of P(x in I) P(first seen at k) worth(k)."""
    laws, _ = seen_at(one, items)
    sights = [(weight, k, p) for weight, law in zip(one[2], laws, strict=True) for k, p in law.items() if k != NEVER]
    return sum(weight * p * worth(k) for weight, k, p in sights)


@pytest.mark.parametrize("items", ["none", "article"])
@examples(60)
@given(one=lists(), p=st.sampled_from([0.0, 0.3, 0.8, 1.0]))
def test_rbp_is_the_expected_gain(one, p, items):
    expected = (1 - p) * expected_gain(one, items, lambda k: p ** (k - 1))
    assert value_of("rbp", topic_of(*one, items), p=p) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("items", ["none", "article"])
@examples(60)
@given(one=lists(), most=st.sampled_from([0.5, 4.0, 17.0, 132000.0]))
def test_u_measure_is_the_expected_gain(one, most, items):
    spent = seen_at(one, items)[1]
    expected = expected_gain(one, items, lambda k: max(0, 1 - spent[k - 1] / most)) / sum(one[2])
    assert value_of("u_measure", topic_of(*one, items), L=most) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("items", ["none", "article"])
@examples(60)
@given(one=lists(), each=st.sampled_from([0.0, 2.5]), most=st.sampled_from([4.0, 17.0]))
def test_u_measure_may_count_what_is_read_beyond_results(one, each, most, items):
    spent = seen_at((*one[:3], [size + each for size in one[3]], *one[4:]), items)[1]
    expected = expected_gain(one, items, lambda k: max(0, 1 - spent[k - 1] / most)) / sum(one[2])
    data = topic_of(*one, items, [each] * len(one[3]))
    assert value_of("u_measure", data, L=most, effort="read") == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("items", ["none", "article"])
@examples(60)
@given(one=lists())
def test_err_is_the_expected_reciprocal_of_the_rank_that_satisfies(one, items):
    laws, spent = seen_at(one, items)
    expected, going_on = [0.0], 1.0
    for k in range(1, len(spent) + 1):
        stop = min(1.0, sum(weight * law.get(k, 0.0) for weight, law in zip(one[2], laws, strict=True)))
        expected.append(expected[-1] + going_on * stop / k)
        going_on *= 1 - stop
    wanted = [expected[min(k, len(spent))] for k in RANKS]
    np.testing.assert_allclose(value_of("err", topic_of(*one, items), RANKS), wanted, rtol=1e-12, atol=1e-15)


def test_worked_numbers():
    data = topic_of(*c1())
    assert value_of("rbp", data, p=0.8) == pytest.approx(0.292, rel=1e-12)
    assert value_of("u_measure", data, L=1000.0) == pytest.approx(0.755, rel=1e-12)
    assert value_of("err", data, [3]) == pytest.approx([0.7], rel=1e-12)


def test_worked_numbers_of_the_command_line(tmp_path):
    """The same document, as a gold file, with the user model `coverage`."""
    (tmp_path / "gold.jsonl").write_text(
        '{"topic": "1", "doc": "d", "doc_length": 1000, "spans": [[100, 200], [300, 350]]}\n'
    )
    extents = [(50, 150), (120, 220), (300, 360)]
    (tmp_path / "run.jsonl").write_text(
        "".join(
            f'{{"topic": "1", "doc": "d", "start": {start}, "end": {end}, "score": {-rank}, "run": "r"}}\n'
            for rank, (start, end) in enumerate(extents)
        )
    )
    exact = {
        "eprum_map:effort=size": (50 * (0.5 / 100 + 0.4 / 200 + 0.1 / 260) + 150 * 0.9 / 260) / 2,
        "eprum_prec_at_recall_0.50:effort=size": 50 * (0.5 / 100 + 0.4 / 200 + 0.1 / 260),
        "eprum_prec_at_recall_1.00:effort=size": 150 * 0.9 / 260,
        "rbp:p=0.8": 0.292,
        "u_measure:L=1000": 0.755,
        "err_3": 0.7,
    }
    measures = " ".join(f"-m {name}" for name in exact)
    found = run(f"eval -f json {measures} {tmp_path}/gold.jsonl {tmp_path}/run.jsonl")
    assert json.loads(found.out)["runs"][0]["all"] == pytest.approx(exact, abs=1e-12)


def test_rbp_passes_1_where_many_targets_are_seen_at_once():
    data = topic_of([[1.0] * 10], np.eye(10), [1.0] * 10, [10], [1] * 10)
    assert value_of("rbp", data, p=0.8) == pytest.approx(2.0, rel=1e-12)


def graded(seed, grades, results=40):
    """Graded documents of 20 topics, some of each relevant, and a ranking of many without ties."""
    rng = random.Random(seed)
    names = [f"d{number}" for number in range(60)]
    qrels = {
        str(topic): {"d0": max(grades)} | {name: rng.choice(grades) for name in rng.sample(names[1:], 30)}
        for topic in range(20)
    }
    scores = [number / 64 for number in range(60)]
    return qrels, {
        topic: dict(zip(rng.sample(names, results), rng.sample(scores, results), strict=True)) for topic in qrels
    }


def ours(qrels, listed, measure, **options):
    assessed, ranked = assessments_from_rows(qrels), run_from_rows(listed)
    found = evaluate(assessed, ranked, measures=[measure], user_model="none", **options)
    return {topic: value for topic, values in found.runs[0].topics.items() for value in values.values()}


def theirs(provider, qrels, listed, measure):
    return {one.query_id: one.value for one in provider.iter_calc([measure], qrels, listed)}


@pytest.mark.skipif(not ir_measures.gdeval.is_available(), reason="gdeval is a program in Perl")
@pytest.mark.parametrize("grades", [[0, 0, 1], [-2, 0, 0, 1, 2, 4], [0, 1, 2, 3]])
@pytest.mark.parametrize("at", [1, 5, 10, 20, 100])
def test_err_of_gdeval(grades, at):
    """It prints five digits, and divides by 2^4 whatever the grades are."""
    qrels, listed = graded(1, grades)
    expected = theirs(ir_measures.gdeval, qrels, listed, ir_measures.ERR @ at)
    assert ours(qrels, listed, f"err_{at}:max_grade=4") == pytest.approx(expected, abs=5e-6)


@pytest.mark.skipif(not ir_measures.cwl_eval.is_available(), reason="cwl-eval is not installed")
@pytest.mark.parametrize("p", [0.5, 0.8, 0.95])
def test_rbp_of_cwl(p):
    qrels, listed = graded(2, [-1, 0, 0, 1, 2])
    expected = theirs(ir_measures.cwl_eval, qrels, listed, ir_measures.RBP(rel=1, p=p))
    assert ours(qrels, listed, f"rbp:p={p},quantisation=strict") == pytest.approx(expected, abs=p**1000 + 1e-12)


def test_the_largest_grade_is_that_of_the_file_but_for_rbp():
    """(2^2 - 1) / 2^3 at the first rank: the grade 3 is that of another topic. RBP takes that of the topic."""
    qrels = {"1": {"a": 2, "b": 0, "c": -1}, "2": {"a": 3}}
    listed = {"1": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.5}}
    assert ours(qrels, listed, "err_5") == {"1": 3 / 8}
    assert ours(qrels, listed, "err_5:max_grade=4") == {"1": 3 / 16}
    assert ours(qrels, listed, "err_5:quantisation=strict") == {"1": 3 / 8}
    assert ours(qrels, listed, "rbp") == {"1": pytest.approx(0.1 * 2 / 2, rel=1e-15)}


def test_large_grades_do_not_overflow():
    assert ours({"1": {"a": 5000}}, {"1": {"a": 1.0}}, "err_5") == {"1": 1.0}


INPUTS = "fixtures/rag/gold.jsonl fixtures/rag/windows.jsonl"
DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"


def test_a_grade_above_the_largest_is_an_error(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 3\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 run\n")
    found = run(f"eval -m err_5:max_grade=2.5 {tmp_path}/qrels {tmp_path}/run")
    assert found == (1, "", f"{tmp_path}/qrels:2: grade 3 is above max_grade=2.5\n")


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("eval -m u_measure fixtures/toy/qrels fixtures/toy/run", 1,
         "prum-eval: u_measure needs lengths, which assessments of documents do not give: give --structure\n"),
        ("eval -m u_measure fixtures/demo/assessments fixtures/demo/run-a.xml", 1,
         "fixtures/demo/run-a.xml:11: the length of this result, of document 'tides', is not known\n"),
        (f"eval -m rbp:p=1.5 {INPUTS}", 2, "prum-eval: p=1.5: p is a number from 0 to 1\n"),
        (f"eval -m u_measure:L=0 {INPUTS}", 2, "prum-eval: L=0: L is a number above 0\n"),
        (f"eval -m err:max_grade=0 {INPUTS}", 2, "prum-eval: max_grade=0: max_grade is a number above 0\n"),
    ],
)  # fmt: skip
def test_what_is_refused(command, status, said):
    assert run(command) == (status, "", said)


def test_grades_are_gains_to_who_navigates(tmp_path):
    qrels, listed = {"1": {"a": 1, "b": 2}}, {"1": {"a": 1.0}}
    assert ours(qrels, listed, "err_5") == {"1": 1 / 4}
    (tmp_path / "links").write_text("x\ty\t0.5\n")
    found = evaluate(
        assessments_from_rows(qrels), run_from_rows(listed), measures=["err_5"], navigation=tmp_path / "links"
    )
    assert found.runs[0].topics == {"1": {"err_5": 1 / 2}}


def test_documents_count_0_on_topics_without_relevant_ones():
    found = evaluate(
        assessments_from_rows({"1": {"a": 1}, "2": {"a": 0}}),
        run_from_rows({"1": {"a": 1.0}, "2": {"a": 1.0}}),
        measures=["rbp", "err_5"],
    )
    assert found.runs[0].topics["2"] == {"rbp": 0.0, "err_5": 0.0}
    assert found.runs[0].all == {"rbp": pytest.approx(0.05), "err_5": 0.25}


def test_other_topics_without_targets_are_left_out_of_the_mean(tmp_path):
    (tmp_path / "gold.jsonl").write_text(
        '{"topic": "1", "doc": "d", "doc_length": 10, "spans": [[0, 5]]}\n{"topic": "2", "doc": "d", "spans": []}\n'
    )
    (tmp_path / "run.jsonl").write_text(
        "".join(f'{{"topic": "{topic}", "doc": "d", "start": 0, "end": 5, "score": 1}}\n' for topic in (1, 2))
    )
    found = evaluate(tmp_path / "gold.jsonl", tmp_path / "run.jsonl", measures=["rbp", "err_5"])
    assert found.runs[0].topics["2"] == {"rbp": None, "err_5": None}
    assert found.runs[0].all == {"rbp": pytest.approx(0.1), "err_5": 1.0}
