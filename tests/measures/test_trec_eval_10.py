"""All measures of trec_eval 10: those of version 9 against its code, the others against formulas, rank by rank."""

import json
import math
import random

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import prum_eval
from tests.gold import ROOT, run
from tests.measures.test_classic_against_trec_eval import GRADES, distinct, nearly_tied, random_topic, tied
from tests.oracles.files import evaluate

SAME_AS_9 = [
    "infAP", "Rprec_mult", "utility", "binG", "G", "ndcg_rel", "Rndcg", "relative_P", "set_map", "set_relative_P",
]  # fmt: skip
NEW = ["iprec_at_recall", "11pt_avg", "rbp", "rbp_resid", "unj", "relstring"]
ORDER = (  # noqa: SIM905 - a list of names is longer
    "num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P relstring recall infAP gm_bpref "
    "Rprec_mult utility 11pt_avg binG G ndcg ndcg_rel Rndcg ndcg_cut map_cut relative_P success set_P set_relative_P "
    "set_recall set_map set_F num_nonrel_judged_ret rbp rbp_resid unj"
).split()


def ranking(results):
    """Documents by score, then by name, both descending."""
    return sorted(results, key=lambda name: (results[name], name.encode()), reverse=True)


def in_double_precision(results):
    """Scores with the order that version 10 gives the results, for version 9, which reads scores as floats."""
    return {name: -float(rank) for rank, name in enumerate(ranking(results))}


def by_formula(judged, results, level=1):
    """The values of version 10 that differ from those of version 9, or are new in it."""
    grades = [judged.get(name) for name in ranking(results)]
    relevant = sum(grade >= level for grade in judged.values())
    hits = [grade is not None and grade >= level for grade in grades]
    precision = [sum(hits[:rank]) / rank for rank in range(1, len(hits) + 1)]
    found = [precision[rank] for rank, hit in enumerate(hits) if hit]
    values = {}
    points = []
    for tenth in range(11):
        product = tenth / 10 * relevant
        count = math.floor(product) + (product % 1 >= 0.5)
        points.append(max(found[max(count, 1) - 1 :], default=0.0))
        values[f"iprec_at_recall_{tenth / 10:.2f}"] = points[-1]
    values["11pt_avg"] = sum(points) / 11
    largest = max(1, *judged.values())
    values["rbp"] = sum(0.1 * 0.9**place * max(grade or 0, 0) / largest for place, grade in enumerate(grades))
    unjudged = [grade is None or grade < 0 for grade in grades]
    residual = sum(0.1 * 0.9**place for place, missing in enumerate(unjudged) if missing)
    values["rbp_resid"] = residual + 0.9 ** len(grades) if any(unjudged) else 0.0
    values |= {f"unj_{k}": sum(unjudged[:k]) / k for k in (5, 10, 20)}
    characters = ["-" if grade is None else "." if grade < 0 else ">" if grade > 9 else str(grade) for grade in grades]
    values["relstring"] = f"'{''.join(characters[:10])}'"
    return values


def assert_equal(ours, expected, where=""):
    for name, value in expected.items():
        if isinstance(value, str):
            assert ours[name] == value, (where, name)
        else:
            assert ours[name] == pytest.approx(value, abs=1e-9), (where, name)
            assert f"{ours[name]:.4f}" == f"{value:.4f}" or abs(value * 10_000 % 1 - 0.5) < 1e-6, (where, name)


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("scores", [distinct, tied, nearly_tied])
@pytest.mark.parametrize("grades", [*GRADES, "large"])
def test_every_topic_and_every_average(grades, scores, level, tmp_path):
    rng = random.Random(f"{grades} {level}")
    choice = {**GRADES, "large": [0, 1, 2, 9, 10, 25]}[grades]
    topics = {str(q): random_topic(rng, choice, scores) for q in range(1, 10)}
    topics["10"] = ({"doc-001": 0}, {"doc-001": 1.0})  # nothing relevant
    judgements = {topic: judged for topic, (judged, _) in topics.items()}
    results = {topic: retrieved for topic, (_, retrieved) in topics.items()}
    ranks = {topic: in_double_precision(retrieved) for topic, retrieved in results.items()}
    theirs = pytrec_eval.RelevanceEvaluator(judgements, set(SAME_AS_9), relevance_level=level).evaluate(ranks)
    found = evaluate(tmp_path, judgements, results, measures=[*SAME_AS_9, *NEW], relevance_level=level)
    for topic in topics:
        expected = theirs[topic] | by_formula(judgements[topic], results[topic], level)
        assert_equal(found.topics[topic], expected, topic)
        assert set(found.topics[topic]) == set(expected)
    for name, value in found.all.items():
        assert value == pytest.approx(sum(row[name] for row in found.topics.values()) / len(topics)), name
    assert "relstring" not in found.all


@given(
    st.dictionaries(st.sampled_from("abcdefghij"), st.integers(-2, 3), min_size=1),
    st.dictionaries(st.sampled_from("cdefghijklm"), st.integers(-2, 2).map(float), min_size=1),
    st.integers(1, 4),
)
def test_any_small_topic(judged, retrieved, level):
    judged["z"] = 0  # trec_eval 9 crashes on a topic where every grade is below -1
    theirs = pytrec_eval.RelevanceEvaluator({"1": judged}, set(SAME_AS_9), relevance_level=level)
    expected = theirs.evaluate({"1": retrieved})["1"] | by_formula(judged, retrieved, level)
    found = prum_eval.evaluate({"1": judged}, {"1": retrieved}, measures=[*SAME_AS_9, *NEW], relevance_level=level)
    assert_equal(found.runs[0].topics["1"], expected)


def test_the_values_that_its_own_test_prints(tmp_path):
    """Topic 303 of the cut run: 84 results, of ten relevant documents those at ranks 3, 4, 5, 7, 13 and 18."""
    names = [f"d{rank:02d}" for rank in range(1, 85)]
    judged = {f"missing{i}": 1 for i in range(4)} | dict.fromkeys(names[:67], 0)
    judged |= {names[rank - 1]: 1 for rank in (3, 4, 5, 7, 13, 18)}
    results = {name: -float(rank) for rank, name in enumerate(names)}
    row = evaluate(tmp_path, {"303": judged}, {"303": results}, measures="all_trec").topics["303"]
    printed = {
        "num_ret": 84, "num_rel": 10, "num_rel_ret": 6, "map": 0.2723, "Rprec": 0.4, "bpref": 0.33,
        "recip_rank": 0.3333, "iprec_at_recall_0.00": 0.6, "iprec_at_recall_0.40": 0.5714,
        "iprec_at_recall_0.50": 0.3846, "iprec_at_recall_0.60": 0.3333, "iprec_at_recall_0.70": 0.0, "P_20": 0.3,
        "relstring": "'0011101000'", "recall_15": 0.5, "infAP": 0.2723, "Rprec_mult_0.20": 0.0,
        "Rprec_mult_0.40": 0.5, "Rprec_mult_1.40": 0.3571, "Rprec_mult_1.60": 0.3125, "utility": -72.0,
        "11pt_avg": 0.3354, "binG": 0.2494, "G": 0.2494, "ndcg": 0.473, "ndcg_rel": 0.4285, "Rndcg": 0.4182,
        "ndcg_cut_5": 0.4469, "ndcg_cut_15": 0.4211, "map_cut_10": 0.2005, "relative_P_15": 0.5, "success_1": 0.0,
        "success_5": 1.0, "set_P": 0.0714, "set_relative_P": 0.6, "set_recall": 0.6, "set_map": 0.0429,
        "set_F": 0.1277, "num_nonrel_judged_ret": 61, "rbp": 0.3176, "unj_20": 0.0,
    }  # fmt: skip
    assert {name: round(row[name], 4) if isinstance(row[name], float) else row[name] for name in printed} == printed


def test_the_order_is_that_of_its_table(tmp_path):
    judged, results = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0}}
    found = evaluate(tmp_path, judged, results, measures=["unj", "rbp", "all_trec"])

    def heads(names):
        return list(dict.fromkeys(name.rstrip("0123456789.").rstrip("_") for name in names))

    assert heads(found.topics["1"]) == [name for name in ORDER if not name.startswith("gm_")]
    assert heads(found.all) == ["num_q", *(name for name in ORDER if name != "relstring")]


@pytest.mark.parametrize(
    ("level", "relevant", "count", "old_count"), [(0.1, 15, 2, 2), (0.1, 14, 1, 2), (0.7, 33, 23, 23), (0.2, 12, 2, 3)]
)
def test_rounding_of_recall_levels_by_version(level, relevant, count, old_count, tmp_path):
    """Precision 1 up to a number of relevant results: the level is reached from that number on, and not before."""
    names = [f"d{i:02d}" for i in range(relevant)]
    judged = {"1": dict.fromkeys(names, 1)}
    for retrieved in range(1, relevant + 1):
        results = {"1": {name: -float(rank) for rank, name in enumerate(names[:retrieved])}}
        found = evaluate(tmp_path, judged, results, measures=["iprec_at_recall", "iprec_at_recall:rounding=9"]).all
        assert found[f"iprec_at_recall_{level:.2f}"] == float(retrieved >= count)
        assert found[f"iprec_at_recall_{level:.2f}:rounding=9"] == float(retrieved >= old_count)
        theirs = pytrec_eval.RelevanceEvaluator(judged, {"iprec_at_recall"}).evaluate(results)["1"]
        assert found[f"iprec_at_recall_{level:.2f}:rounding=9"] == theirs[f"iprec_at_recall_{level:.2f}"]


def test_topics_that_the_run_lacks(tmp_path):
    judged = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "c": 2}}
    found = evaluate(tmp_path, judged, {"1": {"a": 2.0, "x": 1.0}}, measures="all_trec", complete=True)
    assert found.topics["2"].pop("relstring") == "''"
    assert found.topics["2"].pop("num_rel") == 2
    assert set(found.topics["2"].values()) == {0}
    assert found.all["gm_bpref"] == pytest.approx(math.sqrt(1e-5))


def test_gains_of_user_models_and_levels_of_rbp(tmp_path):
    judged, results = {"1": {"a": 1, "b": 2, "c": 0}, "2": {"a": 1, "d": 4}}, {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1}}
    found = evaluate(
        tmp_path, judged, results, measures=["rbp:p=0.5", "rbp:rel=1,p=0.5", "RBP(rel=1,p=0.5)", "rbp:rel=2,p=0.5"]
    )
    assert found.topics["1"]["rbp:p=0.5"] == 0.5 * (1 / 2) + 0.25  # the largest grade of the topic is 2
    assert found.topics["2"]["rbp:p=0.5"] == 0.5 / 4
    assert found.all["cwl_rbp:p=0.5"] == pytest.approx(found.all["rbp:p=0.5,quantisation=strict"], rel=1e-12)
    assert found.topics["1"]["rbp:p=0.5,quantisation=strict"] == 0.75
    assert found.topics["1"]["rbp:p=0.5,quantisation=strict,rel=2"] == 0.25


@pytest.mark.parametrize("form", ["trec", "table", "json", "jsonl", "csv", "latex", "markdown", "html"])
def test_texts_in_every_format(form):
    output = run(f"eval -q -f {form} -m all_trec fixtures/toy/qrels fixtures/toy/run")
    assert output.status == 0, output.err
    assert "'01-1'" in output.out
    averages = run(f"eval -f {form} -m all_trec fixtures/toy/qrels fixtures/toy/run")
    assert (averages.status, "'01-1'" in averages.out) == (0, form in ("json", "jsonl"))


@pytest.mark.parametrize("form", ["trec", "table", "json", "csv", "latex", "markdown", "html"])
def test_comparisons_have_no_texts(form, tmp_path):
    text = (ROOT / "fixtures" / "toy" / "run").read_text()
    (tmp_path / "other").write_text(
        "".join(f"{line.rsplit(' ', 2)[0]} -{rank} o\n" for rank, line in enumerate(text.splitlines()))
    )
    inputs = f"fixtures/toy/qrels fixtures/toy/run {tmp_path / 'other'}"
    output = run(f"compare -f {form} -m all_trec {inputs}")
    assert output.status == 0, output.err
    assert "relstring" not in output.out
    if form == "json":
        assert json.loads(output.out)["ranked_by"] == "map"
    nothing = "prum-eval: no measure is common to all runs except texts, which cannot be compared (relstring)\n"
    assert run(f"compare -f {form} -m relstring {inputs}") == (1, "", nothing)


def test_gold_values_have_no_texts(tmp_path):
    assert run(f"gold write -m all_trec {tmp_path / 'gold'} fixtures/toy/qrels fixtures/toy/run").status == 0
    assert "relstring" not in json.loads((tmp_path / "gold").read_text())["runs"][0]["topics"]["1"]
    assert run(f"gold check {tmp_path / 'gold'}").status == 0


def test_texts_are_not_explained():
    output = run("explain --topic 1 -m relstring fixtures/toy/qrels fixtures/toy/run")
    assert output == (2, "", "prum-eval: explain supports scores, not relstring\n")


@pytest.mark.parametrize("seed", range(6))
def test_options_together(seed):
    """-M, -l, -J and -c against version 9; an empty list has no number there."""
    rng = random.Random(seed)
    names = [f"d{number}" for number in range(40)]
    topics = [str(number) for number in range(1, 6)]
    judged = {
        topic: {name: rng.choice([-1, 0, 0, 1, 2, 3]) for name in rng.sample(names, rng.randint(2, 25))} | {"z": 0}
        for topic in topics
    }
    retrieved = {
        topic: {name: tied(rng) for name in rng.sample(names, rng.randint(1, 30))} for topic in topics[seed % 2 :]
    }
    level, limit, judged_only = seed % 2 + 1, (None, 3, 10)[seed % 3], seed < 3
    cut = {topic: {name: row[name] for name in ranking(row)[:limit]} for topic, row in retrieved.items()}
    asked = {*SAME_AS_9, "map", "Rprec", "bpref", "recip_rank", "P", "recall", "ndcg", "ndcg_cut", "map_cut", "set_F"}
    theirs = pytrec_eval.RelevanceEvaluator(judged, asked, relevance_level=level, judged_docs_only_flag=judged_only)
    options = {"relevance_level": level, "judged_only": judged_only, "limit": limit, "complete": True}
    found = prum_eval.evaluate(judged, retrieved, measures="all_trec", **options).runs[0]
    assert set(found.topics) == set(topics)
    for topic, row in theirs.evaluate(cut).items():
        expected = {name: 0.0 if math.isnan(value) else value for name, value in row.items()}
        assert {name: found.topics[topic][name] for name in expected} == pytest.approx(expected, abs=1e-12), topic
