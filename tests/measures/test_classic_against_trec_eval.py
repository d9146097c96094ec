"""Classic measures of random graded runs, with ties and negative grades, equal trec_eval's to the printed digit."""

import math
import random

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

import prum_eval
from tests.oracles.files import evaluate

LEVELS = [i / 10 for i in range(11)]
CUTOFFS = [1, 3, 5, 10, 15, 20, 30, 100, 200, 500, 1000]
LISTED = ",".join(map(str, CUTOFFS))
ROUNDED_AS_IN_9 = "iprec_at_recall:rounding=9"
COUNTS = ["num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"]
SETS = ["set_P", "set_recall", "set_F"]
SAME_NAME = ["map", "Rprec", "bpref", "recip_rank", "ndcg", *SETS, *COUNTS]
AT_RANKS = ["P", "recall", "ndcg_cut", "map_cut", "success"]
MEASURES = [*SAME_NAME, "num_q", "gm_map", ROUNDED_AS_IN_9, *(f"{name}.{LISTED}" for name in AT_RANKS)]


def trec_eval(judgements, results, level=1):
    listed = {f"{name}.{LISTED}" for name in AT_RANKS} | set(SAME_NAME)
    asked = listed | {"iprec_at_recall." + ",".join(f"{level:.2f}" for level in LEVELS)}
    found = pytrec_eval.RelevanceEvaluator(judgements, asked, relevance_level=level).evaluate(results)
    return {topic: {our_name(name): value for name, value in values.items()} for topic, values in found.items()}


def our_name(name):
    """The name of a value of version 9."""
    return f"{name}:rounding=9" if name.startswith("iprec") else name


def geometric_mean(judgements, results, topics, level=1):
    """trec_eval's gm_map over that many topics; those that the run lacks count as the least."""
    values = pytrec_eval.RelevanceEvaluator(judgements, {"gm_map"}, relevance_level=level).evaluate(results).values()
    logs = [one["gm_map"] for one in values]
    return math.exp((sum(logs) + (topics - len(logs)) * math.log(0.00001)) / topics)


def random_topic(rng, grades, scores):
    names = [f"doc-{i:03d}" for i in range(60)] + ["Doc-1", "doc-10000", "d", "é"]
    judged = {name: rng.choice(grades) for name in rng.sample(names, rng.randint(1, 45))}
    judged["doc-000"] = 0  # trec_eval crashes on a topic where every grade is below -1
    retrieved = {name: scores(rng) for name in rng.sample(names, rng.randint(1, 64))}
    return judged, retrieved


def distinct(rng):
    return rng.uniform(-5, 5)


def tied(rng):
    return float(rng.randint(-3, 3))


def nearly_tied(rng):
    """Scores that are equal in single precision."""
    return rng.choice([1.0, 2.0]) + rng.randint(0, 3) * 1e-9


GRADES = {"binary": [0, 1], "graded": [0, 0, 1, 2, 3], "negative": [-2, -1, 0, 1, 4], "none": [0, -1]}


def halfway(average):
    """Does the order of trec_eval's additions decide the last printed digit? prum-eval's means are exactly rounded."""
    return abs(average * 10_000 % 1 - 0.5) < 1e-9


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("scores", [distinct, tied])
@pytest.mark.parametrize("grades", list(GRADES))
@pytest.mark.parametrize("seed", range(2))
def test_every_topic_and_every_average(grades, scores, seed, level, tmp_path):
    rng = random.Random(f"{seed} {grades}")
    topics = {str(q): random_topic(rng, GRADES[grades], scores) for q in range(1, 8)}
    topics["8"] = ({"doc-001": 0}, {"doc-001": 1.0})  # nothing relevant
    judgements = {topic: judged for topic, (judged, _) in topics.items()} | {"judged only": {"doc-001": 1}}
    judgements = {topic.replace(" ", "-"): judged for topic, judged in judgements.items()}
    results = {topic: retrieved for topic, (_, retrieved) in topics.items()} | {"unjudged": {"d": 1.0}}
    expected = trec_eval(judgements, results, level)
    assert set(expected) == set(topics)
    found = evaluate(tmp_path, judgements, results, measures=MEASURES, relevance_level=level)
    for topic, values in expected.items():
        for name, value in values.items():
            ours = found.topics[topic][name]
            assert ours == pytest.approx(value, abs=1e-9), (topic, name)
            assert f"{ours:.4f}" == f"{value:.4f}", (topic, name)
    assert found.all["num_q"] == len(expected)
    for name in next(iter(expected.values())):
        values = [expected[topic][name] for topic in sorted(expected)]
        average = sum(values) if name.startswith("num_") else sum(values) / len(values)
        assert found.all[name] == pytest.approx(average, abs=1e-9), name
        if not halfway(average):
            assert f"{found.all[name]:.4f}" == f"{average:.4f}", name
    assert "gm_map" not in found.topics["1"]
    assert found.all["gm_map"] == pytest.approx(geometric_mean(judgements, results, len(expected), level), rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_all_judged_topics_count_with_complete(seed, tmp_path):
    rng = random.Random(seed)
    topics = {str(q): random_topic(rng, GRADES["graded"], distinct) for q in range(1, 6)}
    judgements = {topic: judged for topic, (judged, _) in topics.items()}
    results = {topic: retrieved for topic, (_, retrieved) in topics.items() if int(topic) % 2}
    expected = trec_eval(judgements, results)
    found = evaluate(tmp_path, judgements, results, measures=MEASURES, complete=True)
    assert found.all["num_q"] == len(judgements)
    assert set(found.topics) == set(judgements)
    for name in (
        "map",
        "Rprec",
        "recip_rank",
        "ndcg",
        "P_5",
        "recall_10",
        "iprec_at_recall_0.00:rounding=9",
        "ndcg_cut_5",
    ):
        average = sum(values[name] for values in expected.values()) / len(judgements)
        assert found.all[name] == pytest.approx(average, abs=1e-12), name
        assert {found.topics[topic][name] for topic in judgements if topic not in results} == {0.0}
    assert found.all["gm_map"] == pytest.approx(geometric_mean(judgements, results, len(judgements)), rel=1e-9)


@settings(max_examples=60, derandomize=True, database=None, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcdefghij"), st.integers(-2, 3), min_size=1),
    st.dictionaries(st.sampled_from("cdefghijklm"), st.integers(-2, 2).map(float), min_size=1),
    st.integers(1, 4),
)
def test_any_small_topic(judged, retrieved, level):
    judged["z"] = 0  # trec_eval crashes on a topic where every grade is below -1
    expected = trec_eval({"1": judged}, {"1": retrieved}, level)["1"]
    found = prum_eval.evaluate({"1": judged}, {"1": retrieved}, measures=MEASURES, relevance_level=level)
    ours = found.runs[0].topics["1"]
    assert {name: ours[name] for name in expected} == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("beta", ["2.0", "3", "1.5"])
def test_the_weight_of_recall_in_f(beta, tmp_path):
    judgements, results = {"1": {"a": 1, "b": 1, "c": 1}}, {"1": {"a": 2.0, "x": 1.0}}
    theirs = pytrec_eval.RelevanceEvaluator(judgements, {f"set_F.{beta}"}).evaluate(results)["1"]["set_F"]
    assert evaluate(tmp_path, judgements, results, measures=f"SetF(beta={beta})").all.popitem()[1] == theirs


@pytest.mark.parametrize(("relevant", "level", "rank"), [(33, 0.7, 23), (10, 0.7, 7), (3, 0.1, 1), (7, 0.3, 3)])
def test_recall_levels_are_rounded_as_in_trec_eval(relevant, level, rank, tmp_path):
    """Precision 1 up to a rank and nothing after: the level is reached from that rank on, and not before."""
    names = [f"d{i:02d}" for i in range(relevant)]
    judgements = {"1": dict.fromkeys(names, 1)}
    name = f"iprec_at_recall_{level:.2f}:rounding=9"
    for length, value in ((rank, 1.0), (rank - 1, 0.0)):
        if length:
            results = {"1": {d: -float(i) for i, d in enumerate(names[:length])}}
            assert evaluate(tmp_path, judgements, results, measures=ROUNDED_AS_IN_9).all[name] == value
            assert trec_eval(judgements, results)["1"][name] == value


def test_a_limit_cuts_the_ranking_not_the_file(tmp_path):
    judgements = {"1": {"a": 1, "b": 0, "c": 1}}
    results = {"1": {"a": 1.0, "b": 2.0, "c": 3.0}}
    expected = trec_eval(judgements, {"1": {"b": 2.0, "c": 3.0}})["1"]
    found = evaluate(tmp_path, judgements, results, measures=MEASURES, limit=2).all
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-12), name
