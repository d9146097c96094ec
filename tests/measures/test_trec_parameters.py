"""Parameters after the point, as trec_eval writes them: names, order, values rank by rank, what is refused."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import prum_eval
from prum_eval.measures.grades import ideal_gains
from tests.gold import run as call
from tests.measures.test_classic_against_trec_eval import distinct, random_topic
from tests.measures.test_trec_eval_10 import ranking
from tests.oracles.files import evaluate

TOY = "fixtures/toy/qrels fixtures/toy/run"
CALL = (
    "iprec_at_recall..10,.20,.25,.75,.50 P.5,7,3 recall.20,2000 Rprec_mult.5.0,0.2,0.35 utility.2,-1,0,0 "
    "11pt_avg..25,.5,.75 ndcg.1=3,2=9,4=4.5 ndcg_cut.10,20,23.4 success.2,5,20"
)
PRINTED = (
    "iprec_at_recall_0.10 iprec_at_recall_0.20 iprec_at_recall_0.25 iprec_at_recall_0.50 iprec_at_recall_0.75 P_3 P_5 "
    "P_7 recall_20 recall_2000 Rprec_mult_0.20 Rprec_mult_0.35 Rprec_mult_5.00 utility_2,-1,0,0 11pt_avg_.25,.5,.75 "
    "ndcg_1=3,2=9,4=4.5 ndcg_cut_10 ndcg_cut_20 ndcg_cut_23 success_2 success_5 success_20"
)


def names(specs, options=""):
    output = call(f"eval {options} {' '.join(f'-m {spec}' for spec in specs.split())} {TOY}")
    assert output.status == 0, output.err
    return [line.split()[0] for line in output.out.splitlines()]


def test_the_call_of_its_own_test_prints_these_names_in_this_order():
    assert names(CALL) == PRINTED.split()


def test_every_printed_name_is_accepted_back():
    more = " relstring_5 rbp_p=.95 rbp_2=3,p=.8 rbp_resid_p=.8 G_1=3 Rndcg_0=1,2=5 ndcg_rel_2=4 set_F_2"
    printed = names(PRINTED + more, "-q -n")
    assert set(printed) == set((PRINTED + more).split())
    assert names(" ".join(dict.fromkeys(printed)), "-q -n") == printed


def test_settings_are_the_same_in_both_notations():
    both = "utility.2,-1,0,0 utility:weights=2/-1/0/0 ndcg.1=3,2=9 ndcg:gains=1=3/2=9 rbp.p=.8 rbp:p=.8"
    found = prum_eval.evaluate(*TOY.split(), measures=[*both.split(), "set_F.2", "set_F:beta=2"]).runs[0].all
    assert list(found) == [
        "utility_2,-1,0,0", "utility:weights=2/-1/0/0", "ndcg_1=3,2=9", "ndcg:gains=1=3/2=9", "set_F_2", "set_F:beta=2",
        "rbp_p=.8", "rbp:p=0.8",
    ]  # fmt: skip
    values = list(found.values())
    assert values[::2] == values[1::2]


def test_further_settings_follow_a_colon():
    assert names("ndcg.1=3,2=9:quantisation=strict") == ["ndcg_1=3,2=9:quantisation=strict"]


def test_parameters_replace_those_of_a_set_of_trec_eval():
    plain, changed = names("all_trec", "-q"), names("all_trec relstring.20 P.7,3", "-q")
    assert [name for name in changed if name.startswith(("relstring", "P_"))][:3] == ["P_3", "P_7", "relstring_20"]
    kept = [name for name in plain if not name.startswith(("relstring", "P_"))]
    assert kept == [name for name in changed if not name.startswith(("relstring", "P_"))]
    assert {"P_5", "P_7"} <= set(names("official P.5 P.7"))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("utility.1,2", "utility.1,2: after a point utility takes four numbers a,b,c,d"),
        ("G.x=1", "G.x=1: after a point G takes gains of grades, as in 1=3,2=9"),
        ("rbp.5", "rbp.5: rbp takes no cut-offs or levels"),
        ("rbp.p=2", "rbp.p=2: after a point rbp takes gains of grades, as in 1=3,2=9"),
        ("11pt_avg.a", "11pt_avg.a: after a point 11pt_avg takes numbers with , between them"),
        ("relstring.-1", "relstring.-1: after a point relstring takes a whole number from 0 up"),
        ("ndcg:gains=1", "gains=1: gains is gains of grades, as in 1=3/2=9"),
        ("ndcg_cut.0.5", "ndcg_cut.0.5: a cut-off of ndcg_cut is a whole number from 1 to 2147483647"),
        ("Rprec_mult.-1", "Rprec_mult.-1: a level of Rprec_mult is a number from 0 up"),
        ("bpref.2", "bpref.2: bpref takes no cut-offs or levels"),
        ("rbp.p=.8:p=.9", "p is set twice"),
    ],
)
def test_what_is_refused(spec, said):
    output = call(f"eval -m {spec} {TOY}")
    assert output == (2, "", f"prum-eval: {said}\n")


def test_topics_that_the_run_lacks_have_one_made_up_result_that_nobody_judged(tmp_path):
    judged = {"1": {"a": 1}, "2": {"a": 1, "b": 1}}
    specs = ["utility.2,-1,0,0", "utility", "rbp_resid.p=.8", "rbp_resid", "relstring.5", "unj.7", "num_ret"]
    found = evaluate(tmp_path, judged, {"1": {"a": 1.0}}, measures=specs, complete=True)
    assert found.topics["2"] == {
        "num_ret": 0, "relstring_5": "'-'", "utility_2,-1,0,0": -1.0, "utility": 0.0, "rbp_resid_p=.8": 1.0,
        "rbp_resid": 0.0, "unj_7": 0.0,
    }  # fmt: skip


# Values, rank by rank

GAINS = {1: 3.0, 2: 9.0, 4: 5.0}


def gains_of(judged, results, gain_of):
    """Gains of the results and of the ideal list; what is not judged gains nothing."""

    def gain(grade):
        return gain_of.get(grade, float(grade)) if grade >= 0 else 0.0

    ideal = sorted((value for grade in judged.values() if (value := gain(grade)) > 0), reverse=True)
    return [gain(judged.get(name, -1)) for name in ranking(results)], ideal


def by_rank(gains, ideal):
    """ndcg, G, ndcg_rel and Rndcg, as a user goes down both lists at once."""
    own = best = ahead = behind = normalised = relative = 0.0
    found, boundaries = 0, []
    for place in range(max(len(gains), len(ideal))):
        discount = math.log2(place + 2)
        wanted = ideal[place] if place < len(ideal) else 0.0
        if 0 < place <= len(ideal) and wanted != ideal[place - 1]:
            boundaries.append(own / best)
        best += wanted / discount
        if place < len(gains):
            own += gains[place] / discount
            ahead, behind = ahead + max(wanted, 1.0), behind + gains[place]
            normalised += gains[place] / math.log2(2 + ahead - behind)
            if gains[place] > 0:
                found, relative = found + 1, relative + own / best
    if len(ideal) >= len(gains) or len(gains) > len(ideal) + 1:
        boundaries.append(own / best)
    relative += (len(ideal) - found) * own / best
    return {
        "ndcg": own / best, "G": normalised / sum(ideal), "ndcg_rel": relative / len(ideal),
        "Rndcg": sum(boundaries) / len(boundaries),
    }  # fmt: skip


def eleven_points(judged, results, levels):
    """Levels from the last to the first, down the list of relevant results as trec_eval goes it."""
    hits = [judged.get(name, -1) >= 1 for name in ranking(results)]
    relevant, found = sum(grade >= 1 for grade in judged.values()), sum(hits)
    left = [math.floor(level * relevant + 0.5) for level in levels]
    best = total = 0.0
    while left and left[-1] > found:
        left.pop()
    for rank in range(len(hits), 0, -1):
        if not sum(hits[:rank]):
            break
        best = max(best, sum(hits[:rank]) / rank)
        if hits[rank - 1]:
            while left and left[-1] == sum(hits[:rank]):
                total += best
                left.pop()
    return (total + best * len(left)) / len(levels)


@pytest.mark.parametrize("seed", range(6))
def test_gains_of_grades(seed, tmp_path):
    rng = random.Random(seed)
    topics = {str(q): random_topic(rng, [-1, 0, 1, 2, 3, 4], distinct) for q in range(1, 8)}
    judgements = {topic: judged | {"doc-001": 1} for topic, (judged, _) in topics.items()}
    results = {topic: retrieved for topic, (_, retrieved) in topics.items()}
    text = ",".join(f"{grade}={gain:g}" for grade, gain in GAINS.items())
    found = evaluate(
        tmp_path, judgements, results, measures=[f"{name}.{text}" for name in ("ndcg", "G", "ndcg_rel", "Rndcg")]
    )
    for topic in topics:
        expected = by_rank(*gains_of(judgements[topic], results[topic], GAINS))
        ours = found.topics[topic]
        assert {name: ours[f"{name}_{text}"] for name in expected} == pytest.approx(expected, rel=1e-12), topic


@given(
    st.lists(st.sampled_from([0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.2]), min_size=1, max_size=5),
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 1), min_size=1),
    st.dictionaries(st.sampled_from("cdefghijk"), st.integers(-9, 9).map(float), min_size=1),
)
def test_levels_in_any_order(levels, judged, retrieved):
    judged["z"] = 1
    spec = "11pt_avg." + ",".join(map(str, levels))
    found = prum_eval.evaluate({"1": judged}, {"1": retrieved}, measures=[spec]).runs[0].all
    assert found.popitem()[1] == pytest.approx(eleven_points(judged, retrieved, levels), abs=1e-12)


def test_gains_that_differ_by_less_than_1_are_in_the_order_of_trec_eval():
    grades = np.array([0, 1, 2, 3, 4, 2])
    assert ideal_gains(grades, {1: 3.5, 2: 9.0, 4: 7.0}).tolist() == [9.0, 9.0, 7.0, 3.0, 3.5]
    assert ideal_gains(grades, {1: 0.5}).tolist() == [4.0, 3.0, 2.0, 2.0]  # 0.5 stands below 0
    assert ideal_gains(np.array([0, 1]), {1: 0.5}).tolist() == []


def test_other_parameters(tmp_path):
    judged = {"1": {"a": 1, "b": 3, "c": 0, "d": -1, "e": 2}}
    results = {"1": {"b": 5.0, "x": 4.0, "d": 3.0, "a": 2.0, "c": 1.0}}
    specs = ["utility.2,-1,.5,.25", "rbp.p=.5", "rbp.3=2,p=.5", "rbp.0=-1", "rbp_resid.p=.5", "relstring.4", "set_F.3"]
    found = evaluate(tmp_path, judged, results, measures=specs, collection_size=20).all
    assert found == pytest.approx({
        "utility_2,-1,.5,.25": 2 * 2 - 3 + 0.5 + 0.25 * (20 + 2 - 5 - 3),
        "rbp_p=.5": 0.5 * (1 + 0.125 / 3),
        "rbp_3=2,p=.5": 0.5 * (1 + 0.125 / 2),
        "rbp_0=-1": 0.1 * (4 / 4 + 0.9**3 * 2 / 4),
        "rbp_resid_p=.5": 0.5**5 + 0.5 * (0.5 + 0.25),
        "set_F_3": 4 * (2 / 5) * (2 / 3) / (2 / 3 + 3 * 2 / 5),
    })  # fmt: skip
