"""Every score is divided among ranks, whatever it is a function of, and the parts sum up to what eval prints."""

from __future__ import annotations

import json

import numpy as np
import pytest

from prum_eval.measures.base import is_divisible
from prum_eval.measures.registry import all_measures
from tests.gold import run

STRUCTURE = "-s fixtures/demo/structure.tsv"
DEMO = f"{STRUCTURE} fixtures/demo/assessments fixtures/demo/run-a.xml"
OFFICIAL = "fixtures/official/toy"
CALLS = [
    f"-m all --topic 101 {DEMO}",
    f"-t inex2005-focused -m map --topic 102 {DEMO}",
    f"-t inex2003-gen --topic 103 {STRUCTURE} fixtures/demo/assessments fixtures/demo/run-b.xml",
    "-m classic -m counts --topic 1 fixtures/toy/qrels fixtures/toy/run",
    "-t chunks -m char_prec -m maip --topic fine fixtures/rag/gold.jsonl fixtures/rag/paragraphs.jsonl",
]


def explained(options):
    output = run(f"explain -f json {options}")
    assert output.status == 0, output.err
    return json.loads(output.out)


@pytest.mark.parametrize("call", CALLS)
def test_additions_of_every_score_sum_up_to_what_is_printed(call):
    topic = call.split("--topic ")[1].split()[0]
    data = explained(call)
    wanted = json.loads(run(f"eval -q -f json {call.replace(f'--topic {topic} ', '')}").out)["runs"][0]["topics"][topic]
    named = {one["name"]: one for one in data["measures"]}
    scores = {one.name for one in all_measures() if is_divisible(one)}
    left_out = {name for name in wanted.keys() - named.keys() if name in scores and wanted[name] is not None}
    assert not left_out
    assert len(named) >= 4
    for name, one in named.items():
        parts = [rank["added"][name] for rank in data["ranks"]]
        assert one["value"] == wanted[name]
        assert sum(parts) + one["rest"] == pytest.approx(wanted[name], rel=1e-12, abs=1e-13)


def test_an_addition_is_what_the_cut_list_gains():
    names = "-m map -m ndcg -m nxcg.3,5 -m maep -m grp_map -m ng_o_map -m iprec_at_recall.0.2"
    data = explained(f"{names} --topic 101 {DEMO}")
    before = {one["name"]: one["rest"] for one in data["measures"]}
    for rank in data["ranks"]:
        options = f"eval -q -f json -M {rank['rank']} {names} {DEMO}"
        after = json.loads(run(options).out)["runs"][0]["topics"]["101"]
        for name, start in before.items():
            assert rank["added"][name] == pytest.approx(after[name] - start, abs=1e-12)
        before = after


def test_average_precision_by_hand(write):
    qrels = write("1 0 a 1\n1 0 b 1\n1 0 c 1\n", "qrels")
    ranked = write("1 Q0 a 1 9 r\n1 Q0 x 2 8 r\n1 Q0 b 3 7 r\n", "run")
    data = explained(f"-m map -m ndcg --topic 1 {qrels} {ranked}")
    added = [rank["added"] for rank in data["ranks"]]
    assert [one["map"] for one in added] == pytest.approx([1 / 3, 0, 2 / 9])
    ideal = 1 + 1 / np.log2(3) + 0.5
    assert [one["ndcg"] for one in added] == pytest.approx([1 / ideal, 0, 0.5 / ideal])


def test_flat_assessments_are_explained_by_all_scores_of_eval():
    names = [one["name"] for one in explained("--topic 1 fixtures/toy/qrels fixtures/toy/run")["measures"]]
    assert names == ["map", "Rprec", "bpref", "recip_rank", "P_3"]


def test_measures_of_gains_stand_beside_those_of_a_user_and_show_what_that_user_reaches():
    both = explained(f"-m map -m eprum_map --topic 101 {DEMO}")
    user = explained(f"-m eprum_map --topic 101 {DEMO}")
    assert both["user_model"] == "hierarchical"
    assert both["targets"] == user["targets"]
    assert [rank["reached"] for rank in both["ranks"]] == [rank["reached"] for rank in user["ranks"]]


def test_best_entry_points_and_passages():
    bepd = explained(f"-m bepd --topic 101 {DEMO}")
    assert sum(rank["added"]["bepd"] for rank in bepd["ranks"]) == pytest.approx(bepd["measures"][0]["value"])
    assert bepd["measures"][0]["value"] > 0


def test_counts_are_not_explained():
    reason = "prum-eval: explain supports scores, not num_ret, num_rel\n"
    assert run("explain -m num_ret -m num_rel --topic 1 fixtures/toy/qrels fixtures/toy/run") == (2, "", reason)
