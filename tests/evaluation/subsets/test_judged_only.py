"""-J: only results in judged documents, as trec_eval 9 has it; -M before it."""

from __future__ import annotations

import random

import pytest
import pytrec_eval

from prum_eval import evaluate
from tests.gold import run as call

SAME = ["map", "ndcg", "bpref", "recip_rank", "num_ret", "num_rel_ret", "num_nonrel_judged_ret", "set_P", "set_F"]
MEASURES = [*SAME, "P.1,5", "ndcg_cut.3", "success.1", "map_cut.5", "recall.5"]


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_values_are_those_of_trec_eval(seed, level):
    rng = random.Random(seed)
    names = [f"d{number}" for number in range(30)]
    qrels = {
        str(topic): {name: rng.choice((-2, -1, 0, 0, 1, 2)) for name in rng.sample(names, 12)} for topic in range(8)
    }
    for judged in qrels.values():
        judged["e"] = 0  # trec_eval crashes on a topic where every grade is below -1
    run = {str(topic): {name: float(rng.randint(0, 9)) for name in rng.sample(names, 15)} for topic in range(8)}
    run["0"] = {"x": 2.0, "y": 1.0}  # nothing of it is judged: an empty list
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES), relevance_level=level, judged_docs_only_flag=True)
    theirs = evaluator.evaluate(run)
    ours = evaluate(qrels, run, measures=MEASURES, judged_only=True, relevance_level=level).runs[0]
    assert ours.topics.keys() == theirs.keys()
    for topic, values in theirs.items():
        assert {name: ours.topics[topic][name] for name in values} == pytest.approx(values, abs=1e-12)


def test_a_limit_counts_before(tmp_path):
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"x": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}}
    found = evaluate(qrels, run, measures="num_ret,recip_rank", judged_only=True, limit=3)
    assert dict(found.runs[0].all) == {"num_ret": 1, "recip_rank": 1.0}
    assert "|results:judged|" in found.signature
    assert found.parameters["judged_only"] is True


def test_results_in_judged_documents_of_elements_and_passages(tmp_path):
    (tmp_path / "gold").write_text("1 Q0 a 10 20 3 3:10\n1 Q0 b 0 20\n", encoding="utf-8")
    (tmp_path / "run").write_text(
        "1 Q0 x 1 3 mine 0 5\n1 Q0 a.xml 2 2 mine 3 10\n1 Q0 b 3 1 mine 0 5\n", encoding="utf-8"
    )
    inputs = f"{tmp_path / 'gold'} {tmp_path / 'run'}"
    assert call(f"eval -J -m char_prec_1 {inputs}").out.split() == ["char_prec_1", "all", "1.0000"]
    assert call(f"eval -m char_prec_1 {inputs}").out.split() == ["char_prec_1", "all", "0.0000"]


def test_the_size_of_the_collection_in_one_letter(tmp_path):
    long, short = (
        call(f"eval {option} -m prum_map fixtures/toy/qrels fixtures/toy/run")
        for option in ("--collection-size 50", "-N 50")
    )
    assert long.status == 0
    assert long.out == short.out


@pytest.mark.parametrize("name", ["set", "all_trec", "ALL_TREC"])
def test_sets_of_trec_eval(name):
    output = call(f"eval -q -m {name} fixtures/toy/qrels fixtures/toy/run")
    heads = {line.split()[0] for line in output.out.splitlines()}
    theirs = pytrec_eval.supported_nicknames[name.lower()]
    assert all(any(head == one or head.startswith(f"{one}_") for head in heads) for one in theirs)


def test_all_trec_has_the_cut_offs_of_trec_eval():
    output = call("eval -q -m all_trec fixtures/toy/qrels fixtures/toy/run")
    names = {line.split()[0] for line in output.out.splitlines()}
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 1.0}}
    theirs = set(pytrec_eval.RelevanceEvaluator(qrels, {"all_trec"}).evaluate(run)["1"])
    assert names - theirs == {"rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"}
    assert theirs - names == set()
