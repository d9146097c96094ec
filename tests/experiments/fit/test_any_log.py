"""Any log at all is fitted or refused in words, by every model; nothing else happens, and order does not matter."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.errors import PrumEvalError
from prum_eval.experiments.fit import fit
from prum_eval.records import Consultation, LoggedPlace, UserLog
from prum_eval.report.layout import Layout
from prum_eval.report.registry import render
from tests.experiments.simulate.worlds import World
from tests.measures.collections import examples
from tests.slow import slow_but

WORLD = World(documents=6, topics=2, targets=5, seed=2)
KEYS = sorted(WORLD.elements)
PLACES = st.one_of(
    st.sampled_from(KEYS).map(lambda key: LoggedPlace(*key)),
    st.sampled_from(sorted({key for judged in WORLD.judged.values() for key in judged})).map(lambda k: LoggedPlace(*k)),
    st.builds(lambda name, start, length: LoggedPlace(name, "", start, length), st.sampled_from(["d0", "d1", "q"]),
              st.integers(0, 60), st.integers(0, 30)),
    st.sampled_from(["d0", "d1.xml", "nowhere"]).map(LoggedPlace),
    st.just(LoggedPlace("d0", "/e[9]")),
)  # fmt: skip
ROWS = st.tuples(
    st.sampled_from("abcdefg"), st.sampled_from(["1", "2", "9"]), st.integers(1, 5), PLACES,
    st.lists(PLACES, max_size=4), st.none() | st.integers(0, 500), st.booleans(),
)  # fmt: skip
MODELS = ["bep-distance", "t2i", "t2i:decay=inverse", "t2i:decay=exponential", "logistic", "siblings", "hierarchical",
          "graph", "none", "coverage", "siblings:once=on", "hierarchical:rank_decay=0",
          "logistic:lambda=700"]  # fmt: skip


@st.composite
def logs(draw):
    rows = {}
    for session, topic, rank, result, viewed, read, stop in draw(st.lists(ROWS, min_size=1, max_size=25)):
        rows[session, topic, rank] = Consultation(session, topic, rank, result, tuple(viewed), read, stop, 1)
    return UserLog("log", tuple(one._replace(line=line) for line, one in enumerate(rows.values(), 1)))


@pytest.mark.parametrize("model", slow_but(["t2i", "logistic", "hierarchical", "graph", "siblings:once=on"], MODELS))
@examples(20)
@given(logs(), st.sampled_from(["auto", "views"]), st.randoms(use_true_random=False))
def test_any_log(model, log, evidence, chance):
    options = {"structure": WORLD.structure, "targets": "relevant", "evidence": evidence, "trials": 20}
    try:
        found = fit(WORLD.assessments, log, model, **options)
    except PrumEvalError:
        return
    for one in found.best.estimates:
        assert math.isfinite(one.value)
        assert one.low is None or one.high is None or one.low <= one.high
    assert 0 <= found.best.leaked_view_share <= 1
    assert found.best.quality.log_likelihood <= 1e-9
    shown = json.loads(render(found, "json", Layout()))
    assert shown["models"][0]["spec"] == found.spec
    assert render(found, "table", Layout())
    lines = list(log.lines)
    chance.shuffle(lines)
    again = fit(WORLD.assessments, UserLog("log", tuple(lines)), model, **options)
    told = json.loads(render(again, "json", Layout()))
    assert {**told, "reports": None} == {**shown, "reports": None}
