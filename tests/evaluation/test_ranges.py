"""Results that are ranges of two elements, on topic 101 of the demonstration."""

from __future__ import annotations

import pytest

from prum_eval import InputError, evaluate
from tests.gold import ROOT

DEMO = ROOT / "fixtures" / "demo"
BODY = "/article[1]/body[1]"
# The ideal elements of topic 101 with their weights: section 1 of tides (562/820), its neighbour's first paragraph (1),
# a paragraph of harbours (200/298).
WEIGHTS = 562 / 820 + 1 + 200 / 298


def first_result(folder, first, last, measure="gen_recall.1"):
    (folder / "run").write_text(f"101 Q0 tides 1 1 r {first} {last}\n", encoding="utf-8")
    result = evaluate(DEMO / "assessments", folder / "run", structure=DEMO / "structure.tsv", measures=measure)
    return next(iter(result.runs[0].all.values()))


def test_a_range_is_the_extent_from_the_first_to_the_last(tmp_path):
    # sections 1 and 2 together: 820 + 667 characters
    seen = (820 / 1487 * 562 / 820 + 356 / 1487) / WEIGHTS
    assert first_result(tmp_path, f"{BODY}/section[1]", f"{BODY}/section[2]") == pytest.approx(seen, abs=1e-12)


def test_a_range_that_overlaps_a_target_in_part(tmp_path):
    # paragraph 2 of section 1 (388) to paragraph 1 of section 2: with the title of 21 between them 765 characters
    seen = (388 / 820 * 562 / 820 + 356 / 765) / WEIGHTS
    found = first_result(tmp_path, f"{BODY}/section[1]/p[2]", f"{BODY}/section[2]/p[1]")
    assert found == pytest.approx(seen, abs=1e-12)


@pytest.mark.parametrize("last", [f"{BODY}/section[2]/p[1]", f"{BODY}/SECTION[2]/P[1]", "/article/body/section[2]/p"])
def test_a_range_of_one_element_is_that_element(tmp_path, last):
    first = f"{BODY}/section[2]/p[1]"
    assert first_result(tmp_path, first, last) == pytest.approx(1 / WEIGHTS, abs=1e-12)
    assert first_result(tmp_path, first, last, "recip_rank") == 1


def test_a_range_from_an_element_to_one_that_contains_it(tmp_path):
    # section 1 to the end of the body: 1738 characters, all of which is the body
    seen = (820 / 1738 * 562 / 820 + 356 / 1738) / WEIGHTS
    assert first_result(tmp_path, f"{BODY}/section[1]", BODY) == pytest.approx(seen, abs=1e-12)


def test_ranges_are_no_elements_to_the_classic_measures(tmp_path):
    with pytest.raises(InputError, match="offset 5, length 1487 of document tides is no element; map counts elements"):
        first_result(tmp_path, f"{BODY}/section[1]", f"{BODY}/section[2]", "map")
