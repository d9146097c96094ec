"""Distance to best entry points, and EPRUM over them, against sums and enumerations."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.api import evaluate
from prum_eval.records import AssessmentKind, Assessments, ElementTopic, EntryPoint, PassageTopic, RunKind
from tests.gold import run as run_command
from tests.measures.collections import (
    Element,
    assessments_of,
    examples,
    flat_assessments_of,
    run_of,
    structure_of,
    values,
)

LENGTH = 1000
SCALES = ["0.01", "0.1", "1", "10", "100"]


def texts(points, length=LENGTH):
    """Text assessments of topic 1 from {document: offset of its best entry point, -1 for none}."""
    columns = [np.array(column, dtype=np.int64) for column in ([1] * len(points), [length] * len(points))]
    bep = np.array(list(points.values()), dtype=np.int64)
    nothing, lines = np.zeros(0, dtype=np.int64), np.arange(len(points))
    bounds = np.zeros(len(points) + 1, dtype=np.int64)
    topic = PassageTopic("texts", tuple(points), *columns, bep, bounds, nothing, nothing, lines)
    return Assessments("texts", AssessmentKind.PASSAGES, {"1": topic})


def marked(elements, pointers):
    """XML assessments of topic 1 from [(document, pointer)], with a structure of the elements."""
    names = tuple(dict.fromkeys(element.document for element in elements))
    none, nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
    points = tuple(EntryPoint(names.index(document), pointer, 1) for document, pointer in pointers)
    topic = ElementTopic(
        "marked", names, np.ones(len(names), dtype=np.int64), np.zeros(len(names) + 1, dtype=np.int64), (),
        nothing, nothing, none, none, none, points, (),
    )  # fmt: skip
    return Assessments("marked", AssessmentKind.ELEMENTS_2005, {"1": topic}), structure_of(elements)


def at(document, start):
    return Element(document, "", start, 10, [])


def offsets(results):
    return run_of({"1": [at(*result) for result in results]}, RunKind.EXTENTS)


POINTS = st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), st.integers(-1, 900), min_size=1)
RESULTS = st.lists(st.tuples(st.sampled_from(["a", "b", "c", "x"]), st.integers(0, 900)), min_size=1, max_size=8)


@given(POINTS, RESULTS, st.sampled_from(SCALES))
@examples(80)
def test_bepd_is_the_sum_of_nearness_over_the_points(points, results, scale):
    known = {document: point for document, point in points.items() if point >= 0}
    if not known:
        return
    AL = float(scale) * LENGTH
    near = [AL / (AL + abs(start - known[document])) for document, start in results if document in known]
    found = values(texts(points), offsets(results), "bepd", settings={"A": scale})["1"]
    assert found == {"bepd": pytest.approx(sum(near) / len(known), abs=1e-12)}


def test_of_several_points_in_a_document_the_nearest_counts():
    leaf = Element("a", "/e[1]/e[1]", 300, 100, [])
    root = Element("a", "/e[1]", 0, 1000, [leaf])
    judged, structure = marked([root, leaf], [("a", "/e[1]"), ("a", "/e[1]/e[1]"), ("a", "/e[1]/text()[1].100")])
    run = run_of({"1": [leaf.key, root.key]})
    # the points are at 0, 300 and 100; both results begin at one of them
    assert values(judged, run, "bepd", structure=structure)["1"]["bepd"] == pytest.approx(2 / 3)
    between = run_of({"1": [at("a", 120)]}, RunKind.EXTENTS)
    found = values(judged, between, "bepd:A=0.1,L=1000", structure=structure)["1"]
    assert found == {"bepd:A=0.1,L=1000": pytest.approx(100 / 120 / 3)}


def test_elements_and_their_offsets_agree():
    leaf = Element("a", "/e[1]/e[1]", 300, 100, [])
    root = Element("a", "/e[1]", 0, 1000, [leaf])
    judged, structure = marked([root, leaf], [("a", "/e[1]/e[1]")])
    paths, extents = run_of({"1": [root.key, leaf.key]}), run_of({"1": [root, leaf]}, RunKind.EXTENTS)
    specs = ("bepd:A=0.1", "eprum_map:targets=bep,A=0.1")
    assert values(judged, paths, *specs, structure=structure) == values(judged, extents, *specs, structure=structure)


def chances(results, points, AL):
    """R[k, b] of EPRUM-BEP."""
    return [[AL / (AL + abs(s - p)) if d == e else 0.0 for e, p in points] for d, s in results]


def enumerated(R, t, value):
    """Expectation of value(ranks at which a new point is seen) over all outcomes of R."""
    cells = [(k, x) for k in range(len(R)) for x in range(t) if 0 < R[k][x] < 1]
    total = 0.0
    for outcome in product([True, False], repeat=len(cells)):
        happens = dict(zip(cells, outcome, strict=True))
        weight = 1.0
        for (k, x), yes in happens.items():
            weight *= R[k][x] if yes else 1 - R[k][x]
        first = []
        for x in range(t):
            ranks = [k + 1 for k in range(len(R)) if happens.get((k, x), R[k][x] == 1)]
            first.append(min(ranks, default=None))
        total += weight * value(sorted(rank for rank in first if rank is not None))
    return total


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([0, 50, 400])), min_size=1, max_size=3, unique=True),
    st.lists(st.tuples(st.sampled_from("abx"), st.sampled_from([0, 10, 50, 300])), min_size=1, max_size=4),
    st.sampled_from(SCALES),
)
@examples(60)
def test_eprum_over_entry_points_is_that_of_all_outcomes(points, results, scale):
    points = sorted(points)  # the order of the assessments: documents in order, with their points
    roots = [Element(name, "/e[1]", 0, LENGTH, []) for name in "ab"]
    judged, structure = marked(roots, [(document, f"/e[1]/text()[1].{point}") for document, point in points])
    AL, t = float(scale) * LENGTH, len(points)
    R, ideal = chances(results, points, AL), chances(points, points, AL)
    precision = []
    for r in range(1, t + 1):
        shortest = enumerated(ideal, t, lambda ranks, r=r: ranks[r - 1])
        inverse = enumerated(R, t, lambda ranks, r=r: 1 / ranks[r - 1] if len(ranks) >= r else 0)
        precision.append(shortest * inverse)
    found = values(
        judged, offsets(results), "eprum_map:targets=bep", "eprum_prec_at_recall_1.00:targets=bep",
        structure=structure, settings={"A": scale},
    )["1"]  # fmt: skip
    assert list(found.values()) == pytest.approx([sum(precision) / t, precision[-1]], abs=1e-9)


def test_five_scales_in_one_call():
    specs = [f"bepd:A={A}" for A in SCALES] + [f"eprum_map:targets=bep,A={A}" for A in SCALES]
    found = values(texts({"a": 100, "b": 0}), offsets([("a", 0), ("b", 10)]), *specs)["1"]
    off_default = [f":A={A}" for A in SCALES if A != "1"]
    assert {f"bepd{label}" for label in off_default} | {"bepd"} <= found.keys()
    assert {f"eprum_map{label},targets=bep" for label in off_default} <= found.keys()
    near = [(AL / (AL + 100) + AL / (AL + 10)) / 2 for AL in (float(A) * LENGTH for A in SCALES)]
    assert list(found.values())[5:] == pytest.approx(near)


def test_the_call_chooses_no_targets_for_it():
    judged, run = texts({"a": 100}), offsets([("a", 0)])
    both = evaluate(judged, run, measures=["bepd", "gen_recall_5"], targets="bep", user_model="bep-distance:A=0.1")
    assert both.runs[0].topics["1"]["bepd"] == pytest.approx(1000 / 1100)
    root = Element("a", "/e[1]", 0, 100, [])
    marks, structure = marked([root], [("a", "/e[1]")])
    found = values(marks, run_of({"1": [root.key]}), "bepd", structure=structure, targets="relevant")
    assert found["1"]["bepd"] == 1
    with pytest.raises(UsageError, match="bepd is about best entry points, not targets=ideal"):
        values(marks, run_of({"1": [root.key]}), "bepd:targets=ideal", structure=structure)


def test_the_mean_document_length_of_the_judgements_is_said():
    judged, run = texts({"a": 100}), offsets([("a", 0)])
    assert any("mean document length L = 1000.0" in one.text for one in evaluate(judged, run, measures="bepd").warnings)
    assert not any("length L" in one.text for one in evaluate(judged, run, measures="bepd:L=10").warnings)


def test_what_cannot_be_computed_says_why():
    root = Element("a", "/e[1]", 0, 100, [])
    run, structure = run_of({"1": [root.key]}), structure_of([root])
    judged = assessments_of({"1": {root.key: (2, 1.0)}}, AssessmentKind.ELEMENTS_2005, {root.key: 100})
    with pytest.raises(DataError, match="bepd needs best entry points; judgements has none"):
        values(judged, run, "bepd", structure=structure)
    with pytest.raises(DataError, match="bepd needs best entry points; qrels has none"):
        values(flat_assessments_of({"a": 1}), run_of({"1": ["a"]}, RunKind.FLAT), "bepd")
    marks, _ = marked([root], [("a", "/e[1]")])
    with pytest.raises(DataError, match=r"bepd needs positions .* give --structure"):
        values(marks, run, "bepd")
    assert "bepd" not in values(judged, run, "all", structure=structure)["1"]


def test_a_topic_without_points_has_no_value_and_an_empty_list_scores_0():
    both = texts({"a": 5}).topics | {"2": texts({"a": -1}).topics["1"], "3": texts({"a": 5}).topics["1"]}
    found = values(Assessments("texts", AssessmentKind.PASSAGES, both), offsets([("a", 5)]), "bepd", complete=True)
    assert found == {"1": {"bepd": 1}, "2": {"bepd": None}, "3": {"bepd": 0}}


def test_topics_without_points_are_null_in_json(tmp_path):
    (tmp_path / "texts").write_text("1 Q0 a 5 100 0 0:5\n2 Q0 a 0 100\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 a 1 1 me 0 5\n2 Q0 a 1 1 me 0 5\n", encoding="utf-8")
    done = run_command(f"eval -m bepd -q -f json {tmp_path}/texts {tmp_path}/run")
    assert json.loads(done.out)["runs"][0]["topics"] == {"1": {"bepd": 1.0}, "2": {"bepd": None}}
