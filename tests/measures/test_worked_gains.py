"""Worked rows of GRP, ng, xCG and BEPD through the command line, against fractions derived by hand."""

import json
from fractions import Fraction

import pytest

from tests.gold import ROOT, run

FOLDER = ROOT / "fixtures" / "worked"
_NG = (
    "-m ng_o_recall -m ng_o_recall:denominator=sum -m ng_o_prec_at_recall.0.5,1 -m ng_s_recall -m ng_s_prec_at_recall.1"
)
_XCG_1 = "-m xcg.1,2,3,4,9 -m nxcg.1,2,3,4,9 -m manxcg.1,2,3,4,5 -m maep -m maep:ideal_rank=next"
ROWS = {
    "G1": "qrels --collection-size 3 -m grp_prec_at_recall.0.5,1 -m esl_at_recall.0.5,1",
    "G2": "qrels --collection-size 3 -m grp_prec_at_recall.0.5,1 -m esl_at_recall.0.5,1",
    "G3": "qrels --collection-size 100 -m grp_prec_at_recall.0.5,1 -m esl_at_recall.0.5,1",
    "G4": "qrels --collection-size 10 -m grp_prec_at_recall_0.1 -m grp_prec_at_recall_0.1:s=ceiling",
    "G5": "qrels --collection-size 5 -m grp_map -m grp_map:s=ceiling",
    "G6": "qrels --collection-size 9 -m grp_map:s=ceiling -m grp_prec_at_recall_1.00:s=ceiling",
    "N1": f"assessments.xml -s structure.tsv {_NG}",
    "N1ab": f"assessments.xml -s structure.tsv {_NG}",
    "N2": "assessments.xml -s structure.tsv -m ng_o_recall:denominator=sum -m ng_o_recall -m ng_o_map "
    "-m ng_o_prec_at_recall.0.3,0.4:denominator=sum -m ng_o_prec_at_recall.1",
    "X1": f"qrels {_XCG_1} -m ep_at_gr.0.1,0.5,1 -m ep_at_gr.0.5:ideal_rank=next",
    "X2": "assessments.xml -s structure.tsv -m xcg.1,2,3 -m xcg.1,2,3:alpha=0.5 -m xcg_3:alpha=0",
    "X3": "assessments.xml -s structure.tsv -m xcg.1,2,3 -m xcg.1,2,3:alpha=0.5,cap=off",
    "B1": "assessments.txt -m bepd:A=0.1,L=1000 -m bepd:A=0.1 -m eprum_map:A=0.1,L=1000,targets=bep",
}


def evaluated(row, measures=None):
    """The run of a row in the json output; with other measures than its own."""
    judged, *options = ROWS[row].split()
    if measures is not None:
        options = [*options[: options.index("-m")], *(part for name in measures for part in ("-m", name))]
    folder = f"fixtures/worked/{row}"
    options = [f"{folder}/{part}" if part == "structure.tsv" else part for part in options]
    output = run(f"eval {' '.join(options)} -q -f json {folder}/{judged} {folder}/run")
    assert output.status == 0, output.err
    (one,) = json.loads(output.out)["runs"]
    return one


@pytest.mark.parametrize("row", ROWS)
def test_the_values_are_those_derived_by_hand(row):
    expected = json.loads((FOLDER / row / "expected.json").read_text(encoding="utf-8"))["topics"]
    one = evaluated(row)
    assert one["run_id"] == row
    assert one["topics"].keys() == expected.keys()
    for topic, values in expected.items():
        wanted = {name: float(Fraction(value)) for name, value in values.items()}
        assert one["topics"][topic] == pytest.approx(wanted, abs=1e-12, rel=0)


@pytest.mark.parametrize("row", ROWS)
def test_every_printed_name_is_accepted_back(row):
    one = evaluated(row)
    assert evaluated(row, one["all"]) == one
