"""The pages of measures: every measure has its place, and the edge values that they name are those that come out."""

from __future__ import annotations

import pytest

from prum_eval import evaluate
from prum_eval.measures.base import Shape
from prum_eval.measures.registry import all_measures, families
from tests.gold import ROOT

DEMO = ROOT / "fixtures" / "demo"
ELEMENTS = (DEMO / "assessments", "102 Q0 windmills 1 1 mine /article[1]\n", DEMO / "structure.tsv")
PASSAGES = (DEMO / "judged.txt", "102 Q0 windmills 1 1 mine 0 1003\n", None)


@pytest.fixture
def pages(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    import measure_pages

    return measure_pages


def test_every_family_has_a_page_and_every_measure_its_section(pages):
    written = pages.pages()
    assert set(written) == {"measures.md", *(f"measures/{family}.md" for family in families())}
    for one in all_measures():
        assert f"\n## {one.name}\n" in written[f"measures/{one.family}.md"]
        assert f"measures/{one.family}.md#{one.name.lower()})" in written["measures.md"]
    assert all("## Worked example" in written[f"measures/{family}.md"] for family in families())


def test_signs_of_the_formulas_are_not_taken_for_emphasis(pages):
    assert pages.plain("E[ML*_r] <= 1") == r"E[ML\*\_r] &lt;= 1"


@pytest.mark.parametrize(("judged", "line", "structure"), [ELEMENTS, PASSAGES], ids=["elements", "passages"])
def test_an_empty_list_is_worth_what_the_pages_say(judged, line, structure, pages, tmp_path):
    # The run lacks topic 103: two ideal elements of 65, and quantised values 455/1134 + 455/1119 + 455/771 + 1 + 1.
    written = tmp_path / "run"
    written.write_text(line, encoding="utf-8")
    result = evaluate(judged, written, structure=structure, measures="all", complete=True)
    values = result.runs[0].topics["103"]
    total = 455 / 1134 + 455 / 1119 + 455 / 771 + 2
    formulas = {"prum": (2 + 1) / (65 + 1), "grp": (total + 1) / (65 + 1), "esl": total * (65 - total) / (total + 1)}
    seen = set()
    for name, value in values.items():
        one = max((measure for measure in all_measures() if name.startswith(measure.name)), key=lambda m: len(m.name))
        seen.add(one.family)
        said = one.empty_list
        if said == "what is judged":
            assert one.shape is Shape.COUNT
            assert value > 0
        elif said == "no value":
            assert value is None, name
        elif said == "0":
            assert value == 0, name
        else:
            level = float(name.rpartition("_")[2]) if one.family == "esl" else 1
            assert value == pytest.approx(level * formulas[one.family]), name
    assert seen >= (
        {"prum", "grp", "ng", "xcg"} if structure else {"ric", "focused", "bic", "t2i", "text_sets", "sizes"}
    )
    numbers = [one for one in all_measures() if one.shape is not Shape.TEXT]
    said = {one.family for one in numbers if one.empty_list not in ("0", "what is judged", "no value")}
    assert said == set(formulas)


NOTHING = {  # topic 2 has no relevance, in two kinds of assessments
    "documents": ("1 0 a 1\n2 0 a 0\n", "1 Q0 a 1 1 mine\n2 Q0 a 1 1 mine\n"),
    "passages": ("1 Q0 a 10 20 3 3:10\n2 Q0 a 0 20\n", "1 Q0 a 1 1 mine 0 5\n2 Q0 a 1 1 mine 0 5\n"),
}


@pytest.mark.parametrize("kind", NOTHING)
def test_a_topic_without_targets_is_worth_what_the_pages_say(kind, pages, tmp_path):
    for name, text in zip(("qrels", "run"), NOTHING[kind], strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = evaluate(tmp_path / "qrels", tmp_path / "run", measures="all", collection_size=9).runs[0]
    seen = set()
    for one in all_measures():
        names = [
            name for name in found.topics["2"] if name in {one.printed_name(point) for point in one.cutoffs or (None,)}
        ]
        said = next(row for row in pages.edges(one) if row.startswith("| topic without targets"))
        for name in names:
            value = found.topics["2"][name]
            seen.add(one.family)
            if one.zero_for_documents:
                assert value == (0 if kind == "documents" else None), name
            elif "left out" in said:
                assert value is None, name
                assert found.all[name] == found.topics["1"][name]
            else:
                assert value == 0 or "as 0" not in said, name
    assert seen >= (
        {"classic", "prum", "xcg"} if kind == "documents" else {"ric", "bic", "t2i", "focused", "text_sets"}
    )
