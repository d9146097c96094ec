"""Parameters belong to the measures that use them: a family hands each to those, and the signature says so once."""

import pytest

from prum_eval.errors import UsageError
from prum_eval.evaluation.api import evaluate
from prum_eval.measures.registry import all_measures, families

DEMO = ("fixtures/demo/assessments", "fixtures/demo/run-a.xml")
STRUCTURE = "fixtures/demo/structure.tsv"
FOCUSED = "xcg(alpha=1,overlap=on,base=ideal,keep=shorter,cap=on)"
EFFORT = "base={},keep=shorter,ideal_rank=linear,cap=on"
UNUSED = {
    "at_recall": {"eprum_P"},
    "base": {"xcg"},
    "ideal_rank": {"xcg", "nxcg", "manxcg"},
    "denominator": {"ng_s_map", "ng_s_prec_at_recall", "ng_s_recall"},
    "short": {f"{form}{name}" for form in ("", "bic_", "t2i_") for name in ("gR", "magp", "gP_at_gR")},
    "beta": {
        *("gR", "set_P", "set_relative_P", "set_recall", "set_map", "utility"),
        *("alpha_ndcg", "alpha_dcg", "err_ia", "nerr_ia", "ap_ia", "p_ia", "strec"),
    },
    "n": {"bic_gR"},
    "tolerance": {"t2i_gR"},
}


@pytest.mark.parametrize("key", UNUSED)
def test_who_has_a_parameter(key):
    having = {one.name for one in all_measures() if key in {parameter.name for parameter in one.parameters}}
    of_family = {name for names in families().values() if having & set(names) for name in names}
    assert of_family - having == UNUSED[key]


def test_a_family_takes_a_parameter_of_some_of_its_measures():
    found = evaluate(*DEMO, structure=STRUCTURE, measures=["xcg:ideal_rank=next"])
    labelled = {name for name in found.names if name.endswith(":ideal_rank=next")}
    assert {name.partition(":")[0].rpartition("_")[0] or "maep" for name in labelled} == {"ep_at_gr", "maep"}
    assert {"xcg_5", "nxcg_5", "manxcg_5"} <= set(found.names)
    both = evaluate(*DEMO, structure=STRUCTURE, measures=["xcg:ideal_rank=next", "xcg"])
    assert both.names.count("nxcg_5") == 1


def test_set_reaches_the_measures_that_have_the_key():
    plain = evaluate(*DEMO, structure=STRUCTURE, measures=["nxcg.5", "maep"]).runs[0].all
    found = (
        evaluate(*DEMO, structure=STRUCTURE, measures=["nxcg.5", "maep"], settings={"ideal_rank": "next"}).runs[0].all
    )
    assert found["nxcg_5"] == plain["nxcg_5"]
    assert found["maep"] != plain["maep"]


@pytest.mark.parametrize(
    ("measures", "said"),
    [
        (["ric"], "ric(beta=0.25,short=repeat)"),
        (["gR"], "ric"),
        (["gR", "magp:beta=1"], "ric(beta=1)"),
        (["gP.5", "gP.5:short=divide", "magp"], "ric(beta=0.25,short=repeat)|ric(beta=0.25,short=divide)"),
        (["maep", "xcg.5", "nxcg.5"], f"{FOCUSED}|xcg(alpha=1,overlap=off,{EFFORT.format('full')})"),
        (
            ["nxcg.5", "maep:quantisation=strict,overlap=on,base=ideal"],
            f"{FOCUSED}|xcg(alpha=1,overlap=on,{EFFORT.format('ideal')},quantisation=strict)",
        ),
    ],
)
def test_signature_says_each_family_once_for_all_that_goes_together(measures, said):
    official = ("fixtures/official/edge/q.txt", "fixtures/official/edge/order.run")
    inputs, structure = (official, None) if said.startswith("ric") else (DEMO, STRUCTURE)
    signature = evaluate(*inputs, structure=structure, measures=measures).signature
    assert signature.partition("quantisation:gen|")[2] == said


REASON = "items=article with consider below 1 gives the ideal list no expected length: a target that is passed over is "


def test_measures_of_a_set_that_need_an_ideal_list_are_left_out_where_targets_are_passed_over():
    model = "hierarchical:items=article,consider=geometric:0.5"
    found = evaluate(*DEMO, structure=STRUCTURE, user_model=model)
    said = [notice.text for notice in found.warnings]
    assert f"{REASON}never seen; left out: eprum_map, eprum_prec_at_recall" in said
    assert not any(name.startswith("eprum") for name in found.runs[0].all)
    assert "prum_map" in found.runs[0].all
    whole = evaluate(*DEMO, structure=STRUCTURE, user_model="hierarchical:items=article,consider=1")
    assert "eprum_map" in whole.runs[0].all


def test_set_reaches_the_measures_for_which_the_value_is_legal():
    """Mode is paper, exact or normal of PRUM, exact or normal of EPRUM."""
    both = ["prum_map", "eprum_map"]
    plain = evaluate(*DEMO, structure=STRUCTURE, measures=both)
    paper = evaluate(*DEMO, structure=STRUCTURE, measures=both, settings={"mode": "paper"})
    assert (paper.runs[0].all, paper.signature) == (plain.runs[0].all, plain.signature)
    normal = evaluate(*DEMO, structure=STRUCTURE, measures=both, settings={"mode": "normal"})
    assert "prum(mode=normal)" in normal.signature
    assert "eprum(mode=normal" in normal.signature
    with pytest.raises(UsageError, match=r"^mode=paper: mode is exact or normal$"):
        evaluate(*DEMO, structure=STRUCTURE, measures="eprum_map", settings={"mode": "paper"})
