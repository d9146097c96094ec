"""once, rank_decay and items on top of any user model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import evaluate
from tests.oracles import documents as naive
from tests.oracles.documents import Place, matrix_of_model, matrix_of_pairs, ranked_topics
from tests.oracles.modifiers import modified
from tests.oracles.worlds import examples

COMBINATIONS = st.fixed_dictionaries({
    "once": st.booleans(),
    "decay": st.sampled_from([1.0, 0.5, 0.25, 0.0]),
    "articles": st.booleans(),
    "consider": st.sampled_from([1.0, 0.5, 0.0, "useful:1", "useful:0.25", "useful:0"]),
})  # fmt: skip


def in_text(chosen):
    return {
        "once": "on" if chosen["once"] else "off",
        "rank_decay": str(chosen["decay"]),
        "items": "article" if chosen["articles"] else "none",
        "consider": str(chosen["consider"]),
    }


@pytest.mark.slow
@examples(250)
@given(ranked_topics(), st.lists(st.integers(0, 6), max_size=2), COMBINATIONS)
def test_modified_reach(ranked, lost, chosen):
    documents, results, targets = ranked
    for place in lost:
        results.insert(min(place, len(results)), Place(None, naive.PASSAGE))
    R = matrix_of_pairs(ranked, naive.hierarchical)
    own = [[y.is_itself(x) for x in targets] for y in results]
    expected = modified(R, own, [y.document for y in results], **chosen)
    found = matrix_of_model("hierarchical", in_text(chosen), (documents, results, targets))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_geometric_consideration_is_written_with_its_name():
    ranked = ([], [], [Place(0, naive.PASSAGE, start=0, length=5)])
    for text in ("0.5", "geometric:0.5"):
        assert matrix_of_model("none", {"items": "article", "consider": text}, ranked).shape == (0, 1)


def test_consideration_depends_on_what_earlier_elements_led_to():
    """R = 0 and 1/2 for the first two elements: the third is considered with q (1/2 + q / 2)."""
    nothing, half, target = (Place(0, naive.PASSAGE, start=start, length=10) for start in (90, 10, 15))
    other = ([None], [nothing, half, target], [target])

    def chance(consider):
        return matrix_of_model("coverage", {"items": "article", "consider": consider}, other)

    assert chance("useful:0.5").tolist() == [[pytest.approx(1 - (1 - 0.5 * 0.5) * (1 - 0.5 * 0.75), rel=1e-12)]]
    assert chance("useful:0").tolist() == [[0.0]]


@pytest.mark.parametrize("q", [0, 0.5, 0.3, 1])
def test_useful_consideration_is_geometric_if_nothing_is_found_before(q):
    places = [Place(0, naive.PASSAGE, start=start, length=10) for start in (50, 60, 70, 20)]
    for form in ("useful", "geometric"):
        settings = {"items": "article", "consider": f"{form}:{q}"}
        assert matrix_of_model("coverage", settings, ([None], places, places[-1:])).tolist() == [[pytest.approx(q**3)]]


def test_useful_consideration_skips_no_target_of_the_ideal_list(tmp_path):
    """EPRUM has an ideal list with it, and none with geometric:q below 1."""
    (tmp_path / "qrels").write_text("1 Q0 a 20 40 0 0:10 20:10\n")
    (tmp_path / "run").write_text("1 Q0 a 1 3 r 30 5\n1 Q0 a 2 2 r 0 10\n")
    options = {"measures": ["eprum_map", "gen_recall_1"], "items": "article", "cache": False}
    (run,) = evaluate(tmp_path / "qrels", tmp_path / "run", user_model="coverage:consider=useful:.5", **options).runs
    # One item: the first result finds nothing, so the second target is seen with probability .5; the other one never.
    assert run.all == {"eprum_map": pytest.approx(0.5 / 2, rel=1e-12), "gen_recall_1": pytest.approx(0.25, rel=1e-12)}


@pytest.mark.parametrize("consider", [1.0, 0.5])
def test_an_item_of_one_article(consider):
    y, z = (Place(0, naive.PASSAGE, start=start, length=10) for start in (0, 5))
    x = Place(0, naive.PASSAGE, start=5, length=10)
    settings = {"items": "article", "consider": str(consider)}
    found = matrix_of_model("hierarchical", settings, ([None], [y, z], [x]))
    assert found.tolist() == [[pytest.approx(1 - (1 - 0.5) * (1 - consider))]]


def test_graded_targets_in_items_of_their_article(tmp_path):
    """The user of the ideal list sees both ideal targets of one article at its first item."""
    (tmp_path / "judged.xml").write_text(
        '<assessments pool="1" topic="1" version="2">'
        '<file collection="c" name="b"><element path="/a[1]" exhaustivity="2" size="4" rsize="2"/></file>'
        '<file collection="c" name="a"><element path="/a[1]/p[1]" exhaustivity="2" size="4" rsize="4"/>'
        '<element path="/a[1]/p[2]" exhaustivity="2" size="4" rsize="4"/></file></assessments>'
    )
    (tmp_path / "run").write_text("1 Q0 b 1 3 r /a[1]\n1 Q0 a 2 2 r /a[1]/p[1]\n1 Q0 a 3 1 r /a[1]/p[2]\n")
    options = {"measures": "eprum_map", "user_model": "none", "items": "article", "cache": False}
    (run,) = evaluate(tmp_path / "judged.xml", tmp_path / "run", **options).runs
    # P(x in I) is 1/2, 1, 1: half of the weight has the last two as targets, found at item 2 in place of item 1.
    assert run.all["eprum_map"] == pytest.approx((1 / 2 + (1 / 1 + 1 / 2 + 2 / 2) / 3) / 2, rel=1e-12)
