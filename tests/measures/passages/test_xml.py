"""Passage measures on XML assessments and on runs of element paths, and what needs a structure."""

import pytest

import prum_eval
from tests.gold import ROOT

DEMO = ROOT / "fixtures" / "demo"
TEXT, XML, STRUCTURE = DEMO / "judged.txt", DEMO / "assessments", DEMO / "structure.tsv"
THOROUGH = [f"{name}:overlap=novel" for name in ("focused", "sizes", "text_sets")]
IN_CONTEXT = ["ric", "bic", "t2i", "focused", "sizes:counts=ranks", "text_sets", "num_ret:counts=ranks"]

SMALL = """<assessments pool="1" topic="1" version="1"><file collection="c" name="d">
<best-entry-point path="/a[1]/s[1]"/><best-entry-point path="/a[1]/s[2]"/>
<passage start="/a[1]/s[1]" end="/a[1]/s[1]" size="40"/>
<element path="/a[1]" exhaustivity="2" size="100" rsize="{root}"/>
<element path="/a[1]/s[1]" exhaustivity="2" size="40" rsize="{first}"/>
</file></assessments>
"""
TREE = "d\t/a[1]\t0\t100\nd\t/a[1]/s[1]\t0\t40\nd\t/a[1]/s[2]\t40\t60\ne\t/a[1]\t0\t7\n"


def topics(assessments, run, measures):
    return prum_eval.evaluate(assessments, run, structure=STRUCTURE, measures=measures).runs[0].topics


def small(folder, run, measures, *, root=40, first=40):
    """Values of one topic on a small document, judged in XML."""
    (folder / "x.xml").write_text(SMALL.format(root=root, first=first))
    (folder / "s.tsv").write_text(TREE)
    (folder / "run").write_text(run)
    result = prum_eval.evaluate(folder / "x.xml", folder / "run", structure=folder / "s.tsv", measures=measures)
    return result.runs[0].topics["1"]


@pytest.mark.parametrize("run", ["run-a.paths.run", "run-a.offsets.run", "run-a.xml"])
def test_thorough_is_the_same_from_text_and_xml(run):
    wanted = prum_eval.evaluate(TEXT, DEMO / "run-a.offsets.run", measures=THOROUGH).runs[0].topics
    assert topics(XML, DEMO / run, THOROUGH) == wanted
    assert topics(TEXT, DEMO / run, THOROUGH) == wanted


def test_whole_articles_are_the_same_from_text_and_xml():
    own = topics(XML, DEMO / "run-b.xml", IN_CONTEXT)
    assert own == topics(TEXT, DEMO / "run-b.xml", IN_CONTEXT)
    assert own["101"]["magp"] > 0
    assert own["101"]["bic_magp"] > 0


def test_an_element_has_its_rsize(tmp_path):
    own = small(tmp_path, "1 Q0 d 1 1 r /a[1]/s[1]\n", ["sizes", "gP"], root=35, first=25)
    assert (own["ret_size"], own["rel_ret_size"], own["rel_size"]) == (40, 25, 35)
    precision, recall = 25 / 40, 25 / 35
    assert own["gP_1"] == pytest.approx(1.0625 * precision * recall / (0.0625 * precision + recall))


def test_unlisted_elements_and_ranges(tmp_path):
    own = small(tmp_path, "1 Q0 d 1 1 r /a[1]/s[2]\n", ["sizes"])
    assert (own["ret_size"], own["rel_ret_size"]) == (60, 0)
    own = small(tmp_path, "1 Q0 d 1 1 r /a[1]/s[1] /a[1]/s[2]\n", ["sizes"], root=35, first=25)
    assert (own["ret_size"], own["rel_ret_size"]) == (100, 40)  # no element: the highlighted characters


def test_thorough_takes_off_what_was_seen(tmp_path):
    run = "1 Q0 d 1 1 r /a[1]/s[1]\n1 Q0 d 2 1 r /a[1]\n1 Q0 d 3 1 r /a[1]/s[2]\n"
    own = small(tmp_path, run, ["sizes:overlap=novel"], root=42)
    assert own["ret_size:overlap=novel"] == 100
    assert own["rel_ret_size:overlap=novel"] == 42  # 40, then 42 - 40 that were highlighted and seen, then 0


def test_what_is_not_in_the_structure_counts_as_x(tmp_path):
    run = "1 Q0 d 1 1 r /a[1]/s[9]\n1 Q0 e 2 1 r /a[1]\n1 Q0 z 3 1 r /a[1]\n1 Q0 z 4 1 r X\n"
    own = small(tmp_path, run, ["sizes", "num_ret:counts=articles", "num_rel_ret:counts=articles"])
    assert own["ret_size"] == 18 + 7 + 18 + 18
    assert own["num_ret:counts=articles"] == 3
    assert own["num_rel_ret:counts=articles"] == 1


def test_first_of_several_entry_points(tmp_path):
    assert small(tmp_path, "1 Q0 d 1 1 r /a[1]/s[2]\n", ["bic_gP_1"])["bic_gP_1"] == (500 - 40) / 500


@pytest.mark.parametrize("name", ["iP", "magp", "bic_gP", "t2i_magp", "ret_size", "num_ret:counts=articles"])
def test_xml_needs_a_structure(name):
    with pytest.raises(prum_eval.DataError, match="give --structure"):
        prum_eval.evaluate(XML, DEMO / "run-a.paths.run", measures=[name])


def test_documents_are_no_passages():
    toy = ROOT / "fixtures" / "toy"
    with pytest.raises(prum_eval.DataError, match="maip needs assessments that count relevant characters"):
        prum_eval.evaluate(toy / "qrels", toy / "run", measures=["maip"])


def test_all_leaves_out_what_refuses_a_run():
    result = prum_eval.evaluate(TEXT, DEMO / "run-a.offsets.run", measures=["all"])
    assert "eprum_map" in result.runs[0].all
    assert not {"maip", "magp", "bic_magp", "art_prec"} & result.runs[0].all.keys()
    assert sum("left out" in one.text and "overlap" in one.text for one in result.warnings) == 1
