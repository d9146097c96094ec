"""Neither the size of batches nor how gains are looked up is seen in any value or notice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prum_eval
from prum_eval.evaluation import evaluate_run

NAMES = [*(f"d{number}" for number in range(6)), "d1.xml", "d2.html"]
JUDGED = st.dictionaries(
    st.sampled_from("123456"), st.dictionaries(st.sampled_from(NAMES), st.integers(-1, 3), min_size=1), min_size=1
)
RESULTS = st.dictionaries(
    st.sampled_from("123456789"), st.dictionaries(st.sampled_from(NAMES), st.integers(0, 4), min_size=1), min_size=1
)
MEASURES = ["all"]


def outcome(judged, results, **options):
    try:
        found = prum_eval.evaluate(judged, results, measures=MEASURES, **options)
    except prum_eval.PrumEvalError as error:
        return str(error)
    return found.to_dict(), found.warnings


@pytest.mark.slow
@given(
    JUDGED,
    RESULTS,
    st.fixed_dictionaries(
        {},
        optional={
            "limit": st.integers(1, 3),
            "complete": st.just(value=True),
            "relevance_level": st.integers(1, 3),
            "quantisation": st.just("strict"),
            "judged_only": st.just(value=True),
            "topics": st.just("1,2,3"),
            "groups": st.just({"1": "a", "2": "b", "4": "a"}),
        },
    ),
)
def test_the_same_evaluation(judged, results, options):
    at_once = outcome(judged, results, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate_run, "gain_lists_of_run", lambda *_: None)
        assert outcome(judged, results, **options) == at_once
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate_run, "MAX_BATCH_ROWS", 1)
        assert outcome(judged, results, **options) == at_once


def test_a_document_and_its_file_in_one_list_are_refused():
    judged, results = {"1": {"a": 1}}, {"1": {"a": 1.0, "a.xml": 0.5}}
    with pytest.raises(prum_eval.InputError, match="also named"):
        prum_eval.evaluate(judged, results, measures="map")
