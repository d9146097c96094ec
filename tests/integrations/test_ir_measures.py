"""The provider for ir_measures: its own values for the measures that both have, ours for the others."""

from __future__ import annotations

import random
import subprocess
import sys

import ir_measures
import pytest
from ir_measures import AP, RR, Bpref, IPrec, P, Qrel, R, Rprec, ScoredDoc, SetF, SetP, SetR, Success, nDCG

from prum_eval import DataError, UsageError, evaluate, ir_measures_provider
from prum_eval.frames import assessments_from_rows, run_from_rows
from prum_eval.ir_measures_provider import MEASURES, eprum_map, gen_recall, provider, prum_map

THEIRS = [
    *(AP, P @ 5, P @ 20, nDCG, nDCG @ 10, R @ 10, RR, Rprec, IPrec @ 0.1, IPrec @ 0.5),
    *(AP @ 10, Bpref, Success @ 1, Success @ 5, SetP, SetR, SetF, SetF(beta=2.0)),
    *(AP(rel=2), AP(rel=2) @ 10, P(rel=2) @ 5, R(rel=2) @ 10, RR(rel=2), Rprec(rel=2), Bpref(rel=2)),
    *(Success(rel=2) @ 5, SetP(rel=2), SetR(rel=2), SetF(rel=2, beta=0.5)),
    *(P(judged_only=True) @ 5, SetP(relative=True), nDCG(gains={0: 0, 1: 7, 2: 9}) @ 10, ir_measures.infAP),
]


def world(seed):
    """Graded judgements of 40 topics, and a run that lacks one of them and has two more."""
    rng = random.Random(seed)
    names = [f"d{number}" for number in range(60)]
    qrels = {str(topic): {name: rng.choice((0, 0, 0, 1, 2)) for name in rng.sample(names, 25)} for topic in range(40)}
    topics = [str(topic) for topic in range(1, 42)]
    return qrels, {topic: {name: rng.random() for name in rng.sample(names, 30)} for topic in topics}


@pytest.mark.parametrize("measure", THEIRS, ids=str)
def test_the_values_are_those_of_ir_measures(measure):
    qrels, run = world(1)
    ours = {one.query_id: one.value for one in provider.iter_calc([measure], qrels, run)}
    theirs = {one.query_id: one.value for one in ir_measures.pytrec_eval.iter_calc([measure], qrels, run)}
    assert ours == pytest.approx(theirs, rel=1e-12)
    assert len(ours) == 40
    theirs = ir_measures.pytrec_eval.calc_aggregate([measure], qrels, run)
    assert provider.calc_aggregate([measure], qrels, run) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("measure", [*THEIRS, RR @ 10, RR @ 3, ir_measures.Judged @ 10, ir_measures.Judged], ids=str)
def test_evaluate_takes_them_as_objects_and_as_text(measure):
    qrels, run = world(3)
    run = {topic: found for topic, found in run.items() if topic in qrels}
    qrels = {topic: qrels[topic] for topic in run}
    expected = {one.query_id: one.value for one in ir_measures.iter_calc([measure], qrels, run)}
    name, parenthesis, settings = str(measure).partition("(")
    for given in (measure, [measure], str(measure), f"num_ret,{name.upper()}{parenthesis}{settings}"):
        result = evaluate(assessments_from_rows(qrels), run_from_rows(run), measures=given).runs[0]
        ours = {
            topic: value
            for topic, values in result.topics.items()
            for name, value in values.items()
            if name != "num_ret"
        }
        assert ours == pytest.approx(expected, rel=1e-12)


def test_names_as_they_were_given():
    qrels, run = world(4)
    asked = [nDCG @ 10, AP(rel=2), "P@5,20", "map:rel=2,quantisation=strict", "Success"]
    result = evaluate(assessments_from_rows(qrels), run_from_rows(run), measures=asked, names="as-given")
    names = ["nDCG@10", "AP(rel=2)", "P@5", "P@20", "map:rel=2,quantisation=strict"]
    assert [*result.requested_names] == [*names, "Success_1", "Success_5", "Success_10"]
    assert set(result.runs[0].all) == set(result.requested_names)


def test_what_is_no_name_is_refused():
    with pytest.raises(UsageError, match=r"^measures: expected names, found 5$"):
        evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, measures=["map", 5])


@pytest.mark.parametrize(
    ("measure", "spec"),
    [
        (prum_map(collection_size=500), "prum_map"),
        (prum_map(collection_size=500, mode="exact"), "prum_map:mode=exact"),
        (eprum_map, "eprum_map"),
        (eprum_map(graded="off"), "eprum_map:graded=off"),
        (gen_recall @ 10, "gen_recall.10"),
        (MEASURES["eprum_prec_at_recall"] @ 0.25, "eprum_prec_at_recall.0.25"),
        (MEASURES["nxcg"](alpha=0.5) @ 10, "nxcg.10:alpha=0.5"),
    ],
    ids=str,
)
def test_the_values_are_those_of_evaluate(measure, spec):
    qrels, run = world(2)
    options = {"measures": spec, "user_model": "none", "complete": True, "collection_size": 500}
    expected = evaluate(assessments_from_rows(qrels), run_from_rows(run), **options).runs[0]
    ours = {one.query_id: one.value for one in provider.iter_calc([measure], qrels, run)}
    assert ours == {topic: value for topic, values in expected.topics.items() for value in values.values()}
    (mean,) = expected.all.values()
    assert provider.calc_aggregate([measure], qrels, run) == {measure: pytest.approx(mean, rel=1e-15)}


def test_ours_and_theirs_in_one_call_of_ir_measures():
    qrels = [Qrel("1", "a", 1), Qrel("1", "b", 1), Qrel("2", "c", 1)]
    run = [ScoredDoc("1", "a", 3.0), ScoredDoc("1", "x", 2.0), ScoredDoc("2", "x", 1.0), ScoredDoc("2", "c", 0.5)]
    values = ir_measures.calc_aggregate([gen_recall @ 1, AP, gen_recall @ 2], qrels, run)
    # topic 1: one of two targets at rank 1; topic 2: its only one at rank 2
    assert values == {gen_recall @ 1: 0.25, AP: 0.5, gen_recall @ 2: 0.75}


def test_topics_without_targets_are_left_out_of_the_mean():
    qrels, run = {"1": {"a": 1}, "2": {"b": 0}}, {"1": {"a": 2.0}, "2": {"b": 1.0}}
    assert ir_measures.calc_aggregate([eprum_map], qrels, run) == {eprum_map: 1.0}


@pytest.mark.parametrize(
    "text", ["gen_recall@5", "eprum_map(graded='off')", "prum_map(collection_size=10,mode='exact')"]
)
def test_measures_are_known_by_name(text):
    measure = ir_measures.parse_measure(text)
    assert str(measure) == text
    assert provider.supports(measure)


def test_what_is_not_ours_is_left_to_others():
    assert not provider.supports(nDCG(gains={"a": "b"}) @ 10)
    assert not provider.supports(ir_measures.NumQ)
    assert not provider.supports(ir_measures.Accuracy)


def test_diversity_reads_the_iteration_of_qrels():
    """As the provider of ir_measures does; other measures count a document once."""
    facets = {("1", "a"), ("2", "a"), ("2", "z"), ("3", "z"), ("3", "c"), ("4", "c"), ("1", "b")}
    qrels = [ir_measures.Qrel("q", document, 1, facet) for facet, document in sorted(facets)]
    run = [ir_measures.ScoredDoc("q", document, -float(k)) for k, document in enumerate("axzc")]
    diversity = [
        ir_measures.alpha_nDCG @ 5, ir_measures.alpha_DCG @ 5, ir_measures.ERR_IA @ 10,
        ir_measures.nERR_IA @ 10, ir_measures.AP_IA, ir_measures.P_IA @ 5, ir_measures.StRecall @ 5,
        ir_measures.NRBP, ir_measures.nNRBP,
    ]  # fmt: skip
    assert all(map(provider.supports, diversity))
    expected = ir_measures.providers.registry["pyndeval"].calc_aggregate(diversity, qrels, run)
    assert provider.calc_aggregate(diversity, qrels, run) == pytest.approx(expected, abs=1e-9)
    assert provider.calc_aggregate([ir_measures.R @ 5], qrels, run) == {ir_measures.R @ 5: 0.75}


def test_every_measure_says_what_it_is():
    assert {"prum_map", "prum_prec_at_recall", "eprum_map", "eprum_P", "gen_recall", "maep"} <= set(MEASURES)
    for name, measure in MEASURES.items():
        assert str(measure) == name
        assert measure.SHORT_DESC


def test_errors_say_what_is_wrong():
    qrels = {"1": {"a": 1}}
    with pytest.raises(DataError, match=r"^run: row 2: document 'a' is listed twice in topic '1' \(first on row 1\)$"):
        list(provider.iter_calc([AP], qrels, [ScoredDoc("1", "a", 1.0), ScoredDoc("1", "a", 2.0)]))
    with pytest.raises(AssertionError, match="collection_size"):
        provider.supports(prum_map)
    with pytest.raises(DataError, match=r"more than the collection's 1 elements$"):
        list(provider.iter_calc([prum_map(collection_size=1)], qrels, {"1": {"a": 2.0, "b": 1.0}}))
    with pytest.raises(AttributeError, match="has no attribute 'eprum_mpa'"):
        getattr(ir_measures_provider, "eprum_mpa")  # noqa: B009
    with pytest.raises(UsageError, match="cut-off"):
        list(provider.iter_calc([gen_recall @ 0], qrels, {"1": {"a": 2.0}}))


def test_without_ir_measures_the_extra_is_named():
    script = "import sys; sys.modules['ir_measures'] = None; import prum_eval.ir_measures_provider"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "prum_eval.ir_measures_provider needs ir-measures: pip install ir-measures" in done.stderr
