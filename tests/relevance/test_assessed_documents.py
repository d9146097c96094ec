"""Documents that the assessments call by their files."""

import re

import pytest

from prum_eval import check, evaluate, read_assessments
from prum_eval.relevance.targets import use_structure_names
from tests.gold import ROOT

DEMO = ROOT / "fixtures" / "demo"
STRUCTURE = DEMO / "structure.tsv"
TEXT = (DEMO / "assessments" / "topic-101.xml").read_text(encoding="utf-8")


def assessed(folder, ending):
    """The assessments with names that end so."""
    path = folder / f"assessments{ending}"
    path.write_text(re.sub(r'(<file [^>]*name="[^"]*)"', rf'\1{ending}"', TEXT), encoding="utf-8")
    return path


@pytest.mark.parametrize("ending", [".xml", ".html", ".htm"])
def test_values_are_the_same_by_files(ending, tmp_path):
    by_name, by_file = (
        evaluate(assessed(tmp_path, each), DEMO / "run-a.xml", structure=STRUCTURE, measures=["eprum", "map", "grp"])
        for each in ("", ending)
    )
    assert by_file.runs[0].topics == by_name.runs[0].topics
    assert by_name.runs[0].all["eprum_map"] > 0
    checked = check(DEMO / "run-a.xml", assessments=assessed(tmp_path, ending), structure=STRUCTURE)
    assert checked.ok


def names(given, known):
    return use_structure_names(given, known).topics["101"].documents


def test_what_is_known_by_its_name_or_assessed_under_both_stays(tmp_path):
    given = read_assessments(assessed(tmp_path, ".html"))
    assert names(given, {"tides"}) == ("tides", "harbours.html", "kites.html")
    assert names(given, {"tides", "tides.html", "kites.xml"}) == ("tides.html", "harbours.html", "kites.html")
    assert use_structure_names(given, set()) is given
    both = assessed(tmp_path, ".html").read_text(encoding="utf-8").replace("harbours.html", "tides")
    (tmp_path / "both.xml").write_text(both, encoding="utf-8")
    assert names(read_assessments(tmp_path / "both.xml"), {"tides"}) == ("tides.html", "tides", "kites.html")
