"""Compatibility and accuracy against plain loops, and how equal scores are ordered."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import UsageError, evaluate, explain
from tests.oracles.worlds import examples

NAMES = [f"d{number}" for number in range(7)]
judged = st.dictionaries(st.sampled_from(NAMES), st.integers(-1, 3), min_size=1)
scored = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=1)


def overlap(first, second, p, depth):
    """Rank-biased overlap, depth by depth."""
    weights = [p ** (d - 1) for d in range(1, depth + 1)]
    shared = [len(set(first[:d]) & set(second[:d])) / d for d in range(1, depth + 1)]
    return sum(w * s for w, s in zip(weights, shared, strict=True)) / sum(weights)


@examples(60)
@given(judged, scored, st.sampled_from([0.0, 0.5, 0.95, 1.0]))
def test_compatibility(qrels, run, p):
    ranking = sorted(run, key=lambda name: (-run[name], name))
    ideal = sorted((name for name in qrels if qrels[name] > 0), key=lambda name: (-qrels[name], -run.get(name, 0.0)))
    result = evaluate({"1": qrels}, {"1": run}, measures=f"Compat:p={p},Compat:normalize=off,p={p}").runs[0].topics["1"]
    values = list(result.values())
    depth = max(len(ranking), len(ideal))
    raw = overlap(ranking, ideal, p, depth)
    assert values[1] == pytest.approx(raw, rel=1e-12)
    assert values[0] == pytest.approx(raw / overlap(ideal, ideal, p, depth) if ideal else 0.0, rel=1e-12)


@pytest.mark.slow
@examples(60)
@given(judged, scored, st.sampled_from([1, 2]), st.integers(1, 8))
def test_accuracy_counts_pairs(qrels, run, level, depth):
    ranking = sorted(run, key=lambda name: -run[name])[:depth]  # equal scores stay as they are listed
    relevant = [qrels.get(name, 0) >= level for name in ranking]
    pairs = [(i, j) for i, j in product(range(len(ranking)), repeat=2) if relevant[i] and not relevant[j]]
    result = evaluate({"1": qrels}, {"1": run}, measures=f"Accuracy(rel={level})@{depth}").runs[0].topics["1"]
    expected = sum(i < j for i, j in pairs) / len(pairs) if pairs else None
    assert list(result.values()) == [None if expected is None else pytest.approx(expected, rel=1e-12)]


def test_topics_without_a_pair_are_left_out():
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 2.0, "x": 1.0}, "2": {"b": 1.0}}
    assert evaluate(qrels, run, measures="Accuracy").runs[0].all == {"Accuracy": 1.0}


def test_equal_scores_are_ordered_as_the_tool_of_the_measure_does():
    qrels, run = {"1": {"b": 1}}, {"1": {"b": 1.0, "a": 1.0, "c": 1.0}}
    found = evaluate(qrels, run, measures="recip_rank,RR@3,Judged@1,NERR8.1,P.1").runs[0].topics["1"]
    assert found["recip_rank"] == 1 / 2  # c, b, a
    assert found["recip_rank_cut_3"] == 1 / 2  # a, b, c
    assert found["judged_1"] == 0
    assert found["NERR8_1"] == 1  # b, a, c
    assert found["P_1"] == 0


def test_ranks_decide_where_they_order_the_run(tmp_path):
    run = tmp_path / "run"
    run.write_text("1 Q0 b 1 1 r\n1 Q0 a 2 1 r\n1 Q0 c 3 5 r\n", encoding="utf-8")
    found = evaluate({"1": {"b": 1, "c": 2}}, run, measures="RR@3,Judged@1,Compat:p=1", rank_by="rank").runs[0].all
    assert found["recip_rank_cut_3"] == found["judged_1"] == 1
    # ideal: c, b. They share 0, 1 and 2 documents with b, a, c; the ideal list with itself 1, 2, 2
    assert found["Compat:p=1"] == pytest.approx((1 / 2 + 2 / 3) / (1 + 1 + 2 / 3))


def test_only_judged_results_of_one_measure():
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"x": 3.0, "b": 2.0, "a": 1.0}}
    result = evaluate(qrels, run, measures="P.1,P(judged_only=True)@2,RR:judged_only=on,NERR8.2:judged_only=on")
    assert dict(result.runs[0].all) == {
        "recip_rank:judged_only=on": 1 / 2,
        "P_1": 0.0,
        "P_2:judged_only=on": 1 / 2,
        "NERR8_2:judged_only=on": 1 / 2,
    }
    assert "|classic(judged_only=on)|" in result.signature
    assert result.parameters["measures"]["P:judged_only=on"]["judged_only"] == "on"
    assert "judged_only" not in result.parameters["measures"]["P"]


def test_explain_shows_one_list_of_results():
    qrels, run = {"1": {"b": 1}}, {"1": {"b": 1.0, "a": 1.0, "c": 0.5}}
    assert explain(qrels, run, "1", measures="NERR8.2,cwl_rbp").ranks[0].results[0].location.document == "b"
    message = (
        "explain shows one list of results, and RR@2 drops other results or orders equal scores otherwise than P_1; "
        "explain them separately"
    )
    with pytest.raises(UsageError) as caught:
        explain(qrels, run, "1", measures="P.1,RR@2")
    assert str(caught.value) == message.replace("RR@2", "recip_rank_cut").replace("P_1", "P")
    alone = {"1": {"b": 2.0, "a": 1.0}}
    assert explain(qrels, alone, "1", measures="P.1,RR@2").ranks


def test_the_warning_of_equal_scores_says_how_each_measure_orders_them():
    qrels, run = {"1": {"b": 1}}, {"1": {"b": 1.0, "a": 1.0, "c": 1.0}}
    start = "run: 3 results tie in score, ordered by "
    for measures, rule in {
        "map": "document name, descending",
        "NERR8,Accuracy": "order in the file",
        "map,P,RR@3,Judged,INST": "document name, descending; for judged, recip_rank_cut by document name, ascending; "
        "for INST by order in the file",
    }.items():
        (text,) = [notice.text for notice in evaluate(qrels, run, measures=measures).warnings if notice.kind == "ties"]
        assert text == start + rule


def test_only_judged_results_for_all_measures():
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"x": 3.0, "b": 2.0, "a": 1.0}}
    found = evaluate(qrels, run, measures="P.1,recip_rank", settings={"judged_only": "on"}).runs[0].all
    assert dict(found) == {"recip_rank": 1 / 2, "P_1": 0.0}
    with pytest.raises(UsageError, match=r"^judged_only=yes: judged_only is on or off$"):
        evaluate(qrels, run, measures="P.1", settings={"judged_only": "yes"})
