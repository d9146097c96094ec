"""Six written models of truth: each is recovered from its log, and chosen among all six."""

from __future__ import annotations

import random

import numpy as np
import pytest

import prum_eval
from prum_eval.errors import DataError, UsageError
from prum_eval.experiments.fit import fit
from prum_eval.formats.log import write_log_lines
from prum_eval.records import Consultation, LoggedPlace, NavigationFile, UserLog
from tests.experiments.fit.worlds import GIVEN, WORLD, log_of
from tests.slow import slow_but

STEP = 0.25


def navigation():
    """Three steps out of each target of any topic, to others anywhere."""
    rng = random.Random(5)
    keys = sorted({key for judged in WORLD.judged.values() for key in judged})
    nodes = [f"{document}#{path}" if path.count("/") > 1 else document for document, path in keys]
    rows = [(node, other) for node in nodes for other in rng.sample(nodes, 3) if other != node]
    sources, targets = zip(*rows, strict=True)
    none = (None,) * len(rows)
    return NavigationFile("steps", none, sources, targets, np.full(len(rows), STEP), np.arange(len(rows)))


TRUTHS = {
    "bep-distance": ("bep-distance:A=0.3", "A", 0.3),
    "t2i": ("t2i:tolerance=60,decay=exponential", "tolerance", 60.0),
    "logistic": ("logistic:lambda=0.02", "lambda", 0.02),
    "siblings": ("siblings:p=0.6", "p", 0.6),
    "hierarchical": ("hierarchical:exponent=0.5", "exponent", 0.5),
    "graph": ("graph", "damping", None),
}
MODELS = ["bep-distance", "t2i:decay=exponential", "logistic", "siblings", "hierarchical", "graph"]


def written(tmp_path, name, sessions=500):
    """The log of a truth, as a file."""
    options = {"leak": 0.02}
    if name == "graph":
        options = {"navigation": navigation(), "navigation_kind": "step", "leak": 0.0, "changes": "shuffle"}
    path = tmp_path / f"{name}.tsv"
    path.write_bytes(write_log_lines(log_of(TRUTHS[name][0], sessions, **options)))
    return path


@pytest.mark.parametrize("name", slow_but(["t2i", "siblings"], TRUTHS))
def test_the_truth_is_recovered_and_chosen(tmp_path, name):
    spec, key, value = TRUTHS[name]
    found = fit(WORLD.assessments, written(tmp_path, name), MODELS, evidence="views", **GIVEN)
    best = found.best
    assert best.name == name
    assert best.quality.shared > found.baseline.shared
    estimate = next(one for one in best.estimates if one.name == key)
    if value is None:
        steps = navigation()
        known = dict(zip(zip(steps.source, steps.target, strict=True), steps.probability.tolist(), strict=True))
        pairs = [tuple(one.name.split(" to ")) for one in best.steps]
        assert set(pairs) <= known.keys()
        inside = [one.low <= STEP <= one.high for one in best.steps if one.low is not None]
        assert len(inside) > 100
        assert np.mean(inside) > 0.85
    else:
        assert estimate.low <= value <= estimate.high
        assert estimate.value == pytest.approx(value, rel=0.15)
    held = [one.quality.shared for one in found.models]
    assert held == sorted(held, reverse=True)
    assert spec.startswith(best.name)


def test_the_estimate_is_what_evaluate_takes(tmp_path):
    """R of the pairs under the printed model is R of the estimate: gen_recall is the same to the last bit."""
    found = fit(WORLD.assessments, written(tmp_path, "bep-distance", 100), "bep-distance", **GIVEN)
    run = next(
        iter(prum_eval.simulate(WORLD.assessments, "relevant", structure=WORLD.structure, changes="shuffle"))
    ).run
    options = {"structure": WORLD.structure, "targets": "relevant", "measures": ["gen_recall.5", "eprum_map"]}
    again = prum_eval.evaluate(WORLD.assessments, run, user_model=found.spec, **options)
    value = next(one.value for one in found.best.estimates if one.name == "A")
    by_hand = prum_eval.evaluate(WORLD.assessments, run, user_model=f"bep-distance:A={value!r}", **options)
    assert again.runs[0].all == by_hand.runs[0].all
    other = prum_eval.evaluate(WORLD.assessments, run, user_model="bep-distance", **options)
    assert again.runs[0].all != other.runs[0].all


@pytest.mark.parametrize("model", ["bep-distance:rank_decay=.5,A=2,once=on", "t2i:tolerance=12", "coverage:beyond=9"])
def test_what_is_set_is_held(tmp_path, model):
    found = fit(WORLD.assessments, written(tmp_path, "bep-distance", 60), model, **GIVEN)
    name, settings = model.split(":")
    assert found.best.name == name
    for setting in settings.split(","):
        key, value = setting.split("=")
        kept = found.best.values[key]
        assert (kept == value) if isinstance(kept, str) else kept == pytest.approx(float(value), rel=1e-15)
    held = {setting.split("=")[0] for setting in settings.split(",")}
    assert held.isdisjoint(one.name for one in found.best.estimates)


def test_evidence_is_views_or_reading(tmp_path):
    path = written(tmp_path, "t2i", 200)
    model = "t2i:decay=exponential"
    reading, views, auto = (
        fit(WORLD.assessments, path, model, evidence=one, **GIVEN).best for one in ("reading", "views", "auto")
    )
    assert auto == reading
    assert [one.source for one in reading.estimates] == ["readings", "views"]
    assert {one.source for one in views.estimates} == {"views"}
    log = prum_eval.read_log(path)
    roots = {document: WORLD.elements[document, "/e[1]"] for document, _ in WORLD.elements}
    rows = [(one.read, roots[one.result.document].length + roots[one.result.document].start
             - WORLD.elements[one.result.document, one.result.path].start) for one in log.lines]  # fmt: skip
    stops = sum(read < room for read, room in rows)
    assert reading.values["tolerance"] == pytest.approx(sum(read for read, _ in rows) / stops, rel=1e-9)


@pytest.mark.parametrize(
    ("log", "models", "error", "message"),
    [
        ("", "none", DataError, "log: no consulted result"),
        ("s\t77\t1\td0\n", "none", DataError, "log: no topic in common with judgements"),
        ("s\t1\t1\tnowhere\n", "siblings", DataError,
         "-u siblings: no result has a target in its document that was not seen: there is nothing to tell from"),
        ("s\t1\t1\td0\n", "none:items=article", UsageError,
         "-u none:items=article: a log is of results, not of items: items has no effect"),
        ("s\t1\t1\td0\n", [], UsageError, "no user model is named"),
        ("s\t1\t1\td0\n", "graph", DataError,
         "no views: the log has no steps of a graph"),
        ("s\t1\t1\td0\n", "nobody", UsageError, None),
    ],
)  # fmt: skip
def test_what_is_refused(log, models, error, message):
    lines = [line.split("\t") for line in log.splitlines()]
    rows = [Consultation(*line[:2], 1, LoggedPlace(line[3]), (), None, stop=False, line=1) for line in lines]
    made = UserLog("log", tuple(rows))
    with pytest.raises(error) as found:
        fit(WORLD.assessments, made, models, **GIVEN)
    assert message is None or str(found.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"evidence": "x"}, "evidence=x: evidence is auto, views or reading"),
        ({"graph": "x"}, "graph=x: graph is steps or links"),
        ({"alpha": 1}, "alpha=1: alpha is a number between 0 and 1"),
        ({"trials": 0}, "trials is a whole number from 1 up, seed one from 0 up"),
    ],
)
def test_illegal_values(options, message):
    with pytest.raises(UsageError) as error:
        fit({"1": {"a": 1}}, "nowhere", "none", **options)
    assert str(error.value) == message


def test_reading_that_is_asked_for_and_not_there():
    with pytest.raises(DataError, match="the log has no read=, from which the parameter was to come"):
        fit(WORLD.assessments, log_of("none", 20), "t2i", evidence="reading", **GIVEN)


def test_persistence_needs_no_pairs():
    """Documents hold nothing that could be viewed from them; how patient users are is told all the same."""
    judged = {"1": dict.fromkeys("abcdefghij", 1)}
    log = prum_eval.simulate_log(judged, user_model="none", sessions=3000, persistence=0.6)
    found = fit(judged, log, ["none", "none:rank_decay=.5"])
    assert (found.size.pairs, found.best.quality.held_out, found.best.leaked_view_share) == (0, None, 0.0)
    assert found.persistence.low <= 0.6 <= found.persistence.high
    assert "constant" in prum_eval.render(found, "table")
    assert prum_eval.render(found, "json").count("null") > 5


def test_the_result_shows_itself(tmp_path):
    found = fit(WORLD.assessments, written(tmp_path, "logistic", 80), ["logistic", "none"], **GIVEN)
    assert repr(found).startswith("<FittedModels: 2 user models fitted to 80 sessions, logistic:lambda=0.0")
    rows = list(found.rows())
    assert [row["parameter"] for row in rows][:2] == ["lambda", "leak"]
    assert "<table>" in found._repr_html_()
    assert found.to_pandas().shape == (len(rows), 11)
