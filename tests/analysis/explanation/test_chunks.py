"""Measures of chunks rank by rank: what each result adds is what the list gains by it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prum_eval
from tests.gold import ROOT
from tests.oracles.worlds import examples

C1 = ROOT / "fixtures" / "worked" / "C1"
TEXT = ["char_rec.1,3,9", "char_prec.2,3", "char_prec_3:overlap=novel", "char_f1_2", "char_iou.1,3"]
SPANS = ["hit.1,3", "answered_3", "span_recall.1,3:touch=half", "span_rr"]
BUDGETS = ["size.1,3", "redundancy_3", "tokens_3", "char_rec_at_size.1,9,20", "char_rec_at_tokens.4:cut=whole"]
MEASURES = [*TEXT, *SPANS, *BUDGETS]


@st.composite
def lists(draw):
    pairs = st.tuples(st.sampled_from("abx"), st.integers(0, 20), st.integers(0, 9), st.integers(1, 5))
    keys = ("doc", "start", "length", "tokens")
    return [{"qid": "1", **dict(zip(keys, one, strict=True))} for one in draw(st.lists(pairs, min_size=1, max_size=5))]


GOLD = [
    {"qid": "1", "doc": "a", "doc_length": 30, "spans": [[2, 9], [12, 14]]},
    {"qid": "1", "doc": "b", "doc_length": 30, "spans": [[0, 4]]},
]


@pytest.mark.slow
@examples(40)
@given(lists())
def test_a_result_adds_what_the_list_gains_by_it(results):
    explanation = prum_eval.explain(GOLD, results, "1", measures=MEASURES)
    before = dict.fromkeys((one.measure for one in explanation.contributions), 0.0)
    for rank in explanation.ranks:
        cut = prum_eval.evaluate(GOLD, results, measures=MEASURES, limit=rank.number).runs[0].topics["1"]
        gained = {name: value - before[name] for name, value in cut.items()}
        assert dict(zip(cut, rank.additions, strict=True)) == pytest.approx(gained, abs=1e-12)
        before = cut
    assert {one.measure: one.value for one in explanation.contributions} == pytest.approx(before, abs=1e-12)
    assert {one.rest for one in explanation.contributions} == {0.0}


def test_they_stand_beside_measures_of_one_user():
    both = prum_eval.explain(C1 / "qrels", C1 / "run", "1", measures=["char_rec_3", "gen_recall_3"])
    alone = prum_eval.explain(C1 / "qrels", C1 / "run", "1", measures=["char_rec_3"])
    assert [rank.additions[0] for rank in both.ranks] == [rank.additions[0] for rank in alone.ranks]
    assert both.ranks[0].additions[1] > 0
    assert [rank.reached_targets for rank in both.ranks] == [rank.reached_targets for rank in alone.ranks]
    assert both.user_model == alone.user_model
    with pytest.raises(prum_eval.UsageError, match="explain follows one user per call"):
        prum_eval.explain(
            C1 / "qrels", C1 / "run", "1", measures=["char_rec_3", "gen_recall_3", "gen_recall_3:user_model=none"]
        )


def test_results_of_an_item_add_together():
    options = {"measures": ["char_rec_3", "gen_recall_3"], "items": "article"}
    (only,) = prum_eval.explain(C1 / "qrels", C1 / "run", "1", **options).ranks
    assert only.additions[0] == 1.0
