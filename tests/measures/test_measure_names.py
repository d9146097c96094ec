"""What people call measures is understood: other tools' names, any case, ``@``, commas, settings in parentheses."""

from __future__ import annotations

from collections import Counter

import ir_measures
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import DataError, UsageError, evaluate
from prum_eval.measures.base import Shape
from prum_eval.measures.registry import (
    MEASURES_BY_NAME,
    SETS,
    all_measures,
    cutoff_of_name,
    families,
    measures_by_printed_name,
)
from prum_eval.measures.specs import (
    canonical_base_names,
    canonical_name,
    expand_spec_with_cutoffs,
    known_names,
    parse_specs,
    read_call,
    split_specs,
    typed_names,
)
from tests.oracles.worlds import examples

QRELS, RUN = {"1": {"a": 2, "b": 1, "c": 0}}, {"1": {"b": 3.0, "c": 2.0, "a": 1.0}}
THEIRS = {
    "AP": "map",
    "MAP": "map",
    "BPref": "bpref",
    "Bpref": "bpref",
    "ERR": "err",
    "IPrec": "iprec_at_recall",
    "Judged": "judged",
    "MRR": "recip_rank",
    "NDCG": "ndcg",
    "NumQ": "num_q",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret",
    "NumRet": "num_ret",
    "P": "P",
    "Precision": "P",
    "R": "recall",
    "RBP": "rbp",
    "RPrec": "Rprec",
    "RR": "recip_rank",
    "Recall": "recall",
    "Rprec": "Rprec",
    "SetAP": "set_map",
    "SetF": "set_F",
    "SetP": "set_P",
    "SetR": "set_recall",
    "SetRelP": "set_P",
    "Success": "success",
    "nDCG": "ndcg",
    "AP_IA": "ap_ia",
    "ERR_IA": "err_ia",
    "NRBP": "nrbp",
    "P_IA": "p_ia",
    "StRecall": "strec",
    "MAP_IA": "ap_ia",
    "alpha_DCG": "alpha_dcg",
    "α_DCG": "alpha_dcg",
    "α_nDCG": "alpha_ndcg",
    "alpha_nDCG": "alpha_ndcg",
    "nERR_IA": "nerr_ia",
    "nNRBP": "nnrbp",
}
"""What ir_measures has, and what we call it."""
RANX = {
    "hits": "num_rel_ret",
    "hit_rate@5": "success.5",
    "precision@10": "P.10",
    "recall@10": "recall.10",
    "f1": "set_F",
    "r-precision": "Rprec",
    "bpref": "bpref",
    "mrr": "recip_rank",
    "mrr@10": "recip_rank_cut.10",
    "map": "map",
    "map@100": "map_cut.100",
    "ndcg@10": "ndcg_cut.10",
}


def parsed(text):
    """What a specification asks for: measures with their points, and settings."""
    (spec,) = parse_specs(text, {})
    settings = {key: value for key, value in spec.settings.items() if (key, value) != ("rel", "1")}
    return [(one.name, points) for one, points in expand_spec_with_cutoffs(spec.spec)], settings


def test_names_of_ir_measures_are_known():
    registered = {name for name in ir_measures.measures.registry if not hasattr(MEASURES_BY_NAME.get(name), "family")}
    known = canonical_base_names(registered)
    assert {
        name: ours for name, ours in known.items() if ours in MEASURES_BY_NAME and name not in MEASURES_BY_NAME
    } == {name: ours for name, ours in THEIRS.items() if name not in MEASURES_BY_NAME}


@pytest.mark.parametrize("name", THEIRS)
@pytest.mark.parametrize("point", ["", "@5", "@0.3"])
@pytest.mark.parametrize("settings", ["", "(rel=1)", "(rel=2)"])
def test_ir_measures_reads_them_as_we_do(name, point, settings):
    """Two names of one measure there are two names of one measure here."""
    text = name + settings + point
    measure = ir_measures.parse_measure(text)
    try:
        measure.validate_params()
        ours = parsed(text)
    except (AssertionError, UsageError):
        return  # no measure there, or one that we do not have
    assert parsed(str(measure)) == ours
    key = measure.AT_PARAM
    points = ours[0][0][1]
    assert (
        (measure.params.get(key) in points)
        if key in measure.params
        else (points == MEASURES_BY_NAME[ours[0][0][0]].cutoffs)
    )
    assert ours[1].get("rel", "1") == str(measure.params.get("rel", 1))


@pytest.mark.parametrize("name", ["map", "P", "recall", "ndcg_cut", "map_cut", "success", "iprec_at_recall", "bpref"])
def test_names_of_trec_eval_mean_what_ir_measures_takes_them_for(name):
    theirs = {split for one in ir_measures.parse_trec_measure(name) for split in parsed(str(one))[0]}
    ours = {(measure, (point,)) for measure, points in parsed(name)[0] for point in points} or {(name, ())}
    assert {measure for measure, _ in theirs} == {measure for measure, _ in ours}
    assert {points for _, points in ours} <= {points for _, points in theirs}


def test_names_of_trec_eval_are_ours():
    ours = {name for name in pytrec_eval.supported_measures if name in MEASURES_BY_NAME}
    assert ours >= {"gm_map", "bpref", "map_cut", "success", "set_P", "set_recall", "set_F", "num_nonrel_judged_ret"}
    assert {canonical_name(name) for name in ours} == ours


@pytest.mark.parametrize(("text", "ours"), RANX.items())
def test_names_of_ranx(text, ours):
    assert canonical_name(text) == ours


def test_no_name_means_two_things_in_lower_case():
    own = [*MEASURES_BY_NAME, *families(), *SETS]
    others = [name for one in all_measures() for name in one.aliases if ":" not in name]
    both = {name for name in MEASURES_BY_NAME if name in families()}
    assert {name for name, count in Counter(map(str.casefold, [*own, *others])).items() if count > 1} == both


@pytest.mark.parametrize("measure", all_measures(), ids=lambda one: one.name)
def test_a_name_that_sets_parameters_means_it_in_its_own_case(measure):
    known = known_names()
    for alias in measure.aliases:
        name, _, settings = alias.partition(":")
        implied = dict(pair.split("=") for pair in settings.split(",") if pair)
        assert read_call(name, lambda: known) == (measure.name, implied)


@pytest.mark.parametrize("measure", all_measures(), ids=lambda one: one.name)
def test_every_name_in_any_case(measure):
    shown = measure.printed_name(measure.cutoffs[-1] if measure.cutoffs else None)
    for name in (measure.name, *measure.other_names):
        assert canonical_name(name.swapcase()) in (measure.name, *families())
    assert measures_by_printed_name([shown.swapcase()])[shown.swapcase()] is measure
    assert cutoff_of_name(shown.swapcase(), measure) == (measure.cutoffs[-1] if measure.cutoffs else None)


@pytest.mark.parametrize("measure", [one for one in all_measures() if one.at_cutoffs], ids=lambda one: one.name)
def test_a_measure_without_cut_offs_names_the_one_that_has_some(measure):
    assert MEASURES_BY_NAME[measure.at_cutoffs].shape is Shape.AT_RANKS
    for sign in (".", "_", "@"):
        assert expand_spec_with_cutoffs(measure.name + sign + "7") == [(MEASURES_BY_NAME[measure.at_cutoffs], (7.0,))]


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("map", ["map"]),
        ("map,ndcg", ["map", "ndcg"]),
        ("map, P@5,10 ,ndcg.3", ["map", "P@5,10", "ndcg.3"]),
        ("prum_map:mode=exact,targets=bep,P.5", ["prum_map:mode=exact,targets=bep", "P.5"]),
        ("map:rel=2,AP(rel=3),P:rel=2", ["map:rel=2", "AP(rel=3)", "P:rel=2"]),
        ("P(rel=2,judged_only=True)@10,map", ["P(rel=2,judged_only=True)@10", "map"]),
        (
            "eprum_map:user_model=t2i:tolerance=100,decay=inverse",
            ["eprum_map:user_model=t2i:tolerance=100,decay=inverse"],
        ),
    ],
)
def test_commas(text, specs):
    assert split_specs(text) == specs


def test_labels_stay_whole():
    assert split_specs("nxcg:a,b", {"a,b"}) == ["nxcg:a,b"]
    assert split_specs("nxcg:a,b", {"a"}) == ["nxcg:a", "b"]


@examples(60)
@given(st.lists(st.sampled_from([one.name for one in all_measures()]), min_size=1, max_size=5))
def test_a_list_is_the_specifications_one_by_one(names):
    text = ",".join(names)
    assert [spec.spec for spec in parse_specs(text, {})] == names
    assert [spec.typed_text for spec in parse_specs(text, {})] == names


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("AP", ("map", {})),
        ("AP()", ("map", {})),
        ("nDCG(dcg='log2')@10", ("ndcg_cut.10", {"dcg": "log2"})),
        ("P(cutoff=5, rel=2)", ("P.5", {"rel": "2"})),
        ("eprum_map(graded=False)", ("eprum_map", {"graded": "off"})),
        ("NumRet(rel=2)", ("num_rel_ret", {"rel": "2"})),
        ("NumRet", ("num_ret", {})),
        ("RBP(rel=1,p=0.9)", ("cwl_rbp", {"rel": "1", "p": "0.9"})),
        ("BPM(max_rel=4) @ 10", ("BPM.10", {"max_rel": "4"})),
        ("RBP", ("rbp", {"p": "0.8"})),
        ("rbp", ("rbp", {})),
        ("ERR@5", ("err.5", {"max_grade": "4"})),
        ("ERR @ 5", ("err.5", {"max_grade": "4"})),
        ("err@5", ("err.5", {})),
        ("numq", ("num_q", {"answered": "on"})),
    ],
)
def test_calls(text, call):
    assert read_call(text) == call


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("RBP@10", "rbp.10: rbp takes no cut-offs or levels"),
        ("RBP(rel=1)@10", "cwl_rbp.10: cwl_rbp takes no cut-offs or levels"),
        ("nDCG(dcg='exp-log2',gains={1:2})", "dcg=exp-log2 and gains cannot be combined"),
        ("nDCG(gains={-1:1,1:2})", "{-1:1,1:2}: gains are for grades from 0 up, not -1"),
        ("nDCG(gains={1})", "gains=1: gains is gains of grades, as in 1=3/2=9"),
        ("nDCGG@10", "no measure nDCGG; did you mean ndcg?"),
        ("Presicion@5", "no measure Presicion; did you mean precision?"),
        ("P@0", "P.0: a cut-off of P is a whole number from 1 to 2147483647"),
        ("AP(2)", "'2' is not a setting; write key=value"),
        ("AP(rel=2):rel=3", "rel is set twice"),
        ("AP(rel=0)", "rel=0: rel is a whole number from 1 up"),
        ("AP(rel=1.5)", "rel=1.5: rel is a whole number from 1 up"),
        ("P(judged_only=yes)@5", "judged_only=yes: judged_only is on or off"),
        ("INST(rel=2)", "INST has no parameter rel"),
        ("INST(min_rel=4)", "min_rel=4: min_rel is below max_rel, which is 2, the largest grade of the file"),
        ("INST(min_rel=4,max_rel=4)", "min_rel=4: min_rel is below max_rel, which is 4"),
        ("INST(T=0.1)", "T=0.1: T is a number from 0.25 to 1000000"),
        ("BPM(rel=1)@5", "BPM has no parameter rel"),
        ("map,", "an extra comma in map,"),
        ("P.5,,10", "an extra comma in P.5,,10"),
    ],
)
def test_errors(text, message):
    with pytest.raises(UsageError) as caught:
        evaluate(QRELS, RUN, measures=text)
    assert str(caught.value) == message


def test_a_level_is_for_grades(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_text('{"topic": "1", "doc": "a", "spans": [[0, 5]]}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="a relevance level is for graded documents, and these assessments are of"):
        evaluate(path, RUN, measures="gen_recall:rel=2")


def test_printed_names_are_accepted_back_as_given():
    asked = "AP(rel=2),nDCG@1,2,map:rel=2,quantisation=strict,Success,Judged@2,IPrec@0.5"
    first = evaluate(QRELS, RUN, measures=asked, names="as-given")
    again = evaluate(QRELS, RUN, measures=list(first.requested_names), names="as-given")
    assert again.runs[0].all == first.runs[0].all
    assert [*again.requested_names] == [*first.requested_names]


def test_names_of_many_values():
    assert typed_names("P_5", MEASURES_BY_NAME["P"], [5.0]) == ["P_5"]
    assert typed_names("P@5,10:rel=2", MEASURES_BY_NAME["P"], [5.0, 10.0]) == ["P@5:rel=2", "P@10:rel=2"]
    assert typed_names("P(cutoff=5)", MEASURES_BY_NAME["P"], [5.0]) == ["P(cutoff=5)"]
    assert typed_names("IPrec", MEASURES_BY_NAME["iprec_at_recall"], [0.0, 0.25]) == ["IPrec_0.00", "IPrec_0.25"]
    assert typed_names("Judged", MEASURES_BY_NAME["judged"], []) == ["Judged"]


def test_ndcg_looks_at_grades_whatever_the_level_of_the_call_is():
    found = evaluate(QRELS, RUN, measures="map,ndcg,ndcg.2,ndcg:rel=2", relevance_level=2).runs[0].all
    plain = evaluate(QRELS, RUN, measures="map,ndcg,ndcg.2,map:rel=2").runs[0].all
    assert found["ndcg"] == plain["ndcg"]
    assert found["ndcg_cut_2"] == plain["ndcg_cut_2"]
    assert found["map"] == plain["map:rel=2"] == pytest.approx(1 / 3)
    assert found["ndcg:rel=2"] == pytest.approx(0.5)  # the only relevant document is third: 1 / log2 4


def test_a_level_of_one_is_no_setting():
    found = evaluate(QRELS, RUN, measures="AP(rel=1),map")
    assert dict(found.runs[0].all) == {"map": pytest.approx((1 + 2 / 3) / 2)}
    assert "rel" not in found.signature


def test_a_name_of_another_tool_means_the_same_in_a_configuration(tmp_path):
    config = tmp_path / "measures.toml"
    config.write_text('[[measures]]\nmeasure = "ERR@5"\nid = "gdeval"\n', encoding="utf-8")
    found = evaluate(QRELS, RUN, config=config, measures="err.5,err.5:max_grade=4").runs[0].all
    assert found["err_5:gdeval"] == found["err_5:max_grade=4"] != found["err_5"]


def test_the_name_counts_in_the_case_of_the_other_tool():
    found = evaluate(QRELS, RUN, measures="ERR@5,err@5,Err@5,ERR(max_grade=3)@5", names="as-given").runs[0].all
    expected = evaluate(QRELS, RUN, measures="err.5:max_grade=4,err.5,err.5:max_grade=3").runs[0].all
    assert found["ERR@5"] == expected["err_5:max_grade=4"]
    assert found["ERR(max_grade=3)@5"] == expected["err_5:max_grade=3"]
    assert expected["err_5"] in (found.get("err@5"), found.get("Err@5"))


def test_counts_of_the_topics_of_a_run():
    qrels, run = {**QRELS, "2": {"a": 1}}, {**RUN, "3": {"a": 1.0}}
    found = evaluate(qrels, run, measures="num_q,num_rel,NumQ,NumRel", complete=True).runs[0]
    assert dict(found.all) == {"num_q": 2, "num_rel": 3, "num_q:answered=on": 1, "num_rel:answered=on": 2}
    assert found.topics["2"] == {"num_rel": 1, "num_rel:answered=on": 0}


def test_diversity_by_the_names_of_ir_measures_needs_facets():
    names = ["alpha_nDCG@5", "α_nDCG@5", "alpha_DCG@5", "ERR_IA@5", "nERR_IA@5", "P_IA@5", "StRecall@5"]
    for name in [*names, "AP_IA", "MAP_IA", "NRBP", "nNRBP"]:
        with pytest.raises(DataError) as caught:
            evaluate(QRELS, RUN, measures=name)
        ours = canonical_name(name).partition(".")[0]
        reason = (
            "needs facets, which assessments does not declare: give --facets column, if its second column names them"
        )
        assert str(caught.value) == f"{ours} {reason}"
    assert evaluate(QRELS, RUN, measures="alpha_ndcg.5,err_ia.5,strec.5,nrbp").runs[0].all
    with pytest.raises(DataError):
        evaluate(QRELS, RUN, measures="alpha_ndcg.5:facets=declared")


def test_diversity_by_the_names_of_ir_measures(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 1 a 1\n1 2 b 1\n1 1 b 1\n", encoding="utf-8")
    run.write_text("1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n", encoding="utf-8")
    asked = "alpha_nDCG@5,StRecall@1,AP_IA,alpha_ndcg.5,strec.1,ap_ia"
    found = evaluate(qrels, run, measures=asked, facets="column", names="as-given").runs[0].all
    assert found["alpha_nDCG@5"] == found["alpha_ndcg.5"]
    assert found["StRecall@1"] == found["strec.1"] == 0.5
    assert found["AP_IA"] == found["ap_ia"]
