"""Measures of a user who reads chunks: generalised recall and EPRUM under coverage, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import prum_eval
from tests.oracles import scenarios
from tests.oracles.worlds import examples

LENGTH = 30
MODELS = {"coverage": (0, False), "coverage:part=whole": (0, True), "coverage:beyond=3": (3, False)}


@st.composite
def worlds(draw):
    """Up to three spans that do not overlap in two documents, and up to four results; both (document, start, end)."""
    spans = []
    for document in "ab":
        cuts = sorted(draw(st.lists(st.integers(0, LENGTH), max_size=4, unique=True)))
        spans += [(document, *pair) for pair in zip(cuts[::2], cuts[1::2], strict=False)]
    pairs = st.tuples(st.sampled_from("abx"), st.integers(0, LENGTH - 1), st.integers(0, 15))
    results = draw(st.lists(pairs.map(lambda p: (p[0], p[1], min(LENGTH, p[1] + p[2]))), min_size=1, max_size=4))
    return spans[:3], results


def reached(result, span, beyond, whole):
    if result == span:
        return 1.0
    document, start, end = result
    if document != span[0] or start == end:
        return 0.0
    share = len(set(range(start, end + beyond)) & set(range(span[1], span[2]))) / (span[2] - span[1])
    return float(share == 1) if whole else share


def matrix(listed, spans, model):
    return [[reached(one, span, *MODELS[model]) for span in spans] for one in listed]


@pytest.mark.parametrize("model", MODELS)
@examples(40)
@given(world=worlds())
def test_generalised_recall_and_eprum_are_those_of_all_scenarios(model, world):
    spans, results = world
    if not spans:
        return
    gold = [
        {
            "qid": "1",
            "doc": name,
            "doc_length": LENGTH,
            "spans": [[s, e] for document, s, e in spans if document == name],
        }
        for name in "ab"
    ]
    run = [{"qid": "1", "doc": document, "start": start, "end": end} for document, start, end in results]
    measures = ["gen_recall.1,2,9", "eprum_map", "eprum_prec_at_recall.0.5,1"]
    found = prum_eval.evaluate(gold, run, measures=measures, user_model=model).runs[0].topics["1"]
    R, starred, t = matrix(results, spans, model), matrix(spans, spans, model), len(spans)
    for k in (1, 2, 9):
        assert found[f"gen_recall_{k}"] == pytest.approx(scenarios.generalised_recall(R, [1.0] * t, k), abs=1e-12)
    precision = [scenarios.length(starred, t, r) * scenarios.quotient(R, t, r) for r in range(1, t + 1)]
    assert found["eprum_map"] == pytest.approx(np.mean(precision), abs=1e-12)
    for level in (0.5, 1.0):
        wanted = precision[scenarios.goal(level, t) - 1]
        assert found[f"eprum_prec_at_recall_{level:.2f}"] == pytest.approx(wanted, abs=1e-12)
