"""The xCG family: defaults, names, what is refused, empty lists."""

import pytest

from prum_eval.errors import InputError, UsageError
from prum_eval.evaluation.api import evaluate
from prum_eval.records import RunKind
from tests.measures.collections import Element, assessments_of, flat_assessments_of, run_of, structure_of, values


def nested():
    c = Element("d0", "/a[1]/b[1]/c[1]", 20, 10, [])
    b = Element("d0", "/a[1]/b[1]", 10, 40, [c])
    a = Element("d0", "/a[1]", 0, 60, [b])
    return a, b, c, assessments_of({"1": {a.key: (3, 1), b.key: (3, 1), c.key: (3, 3)}})


def test_without_lengths_only_what_depends_on_them_is_refused():
    a, b, c, judged = nested()
    outer_first = values(judged, run_of({"1": [a.key, b.key, c.key]}), "xcg.1,2,3")["1"]
    assert outer_first == {"xcg_1": 0.75, "xcg_2": 0.75, "xcg_3": 0.75}
    inner_first = run_of({"1": [c.key, b.key]})
    with pytest.raises(InputError, match=r"run:2: .*lengths.*--structure"):
        values(judged, inner_first, "xcg_2")
    off = values(judged, inner_first, "xcg_2:overlap=off", "xcg_2:alpha=0")["1"]
    assert off == {"xcg_2:overlap=off": 1.75, "xcg_2:alpha=0": 1.75}
    assert "xcg_5" not in values(judged, inner_first, "all")["1"]
    assert "maep" in values(judged, inner_first, "all")["1"]


def test_defaults_are_those_of_the_tasks():
    a, b, c, judged = nested()
    structure, run = structure_of([a, b, c]), run_of({"1": [a.key, b.key, c.key]})
    found = values(judged, run, "xcg_3", "nxcg_1", "maep", structure=structure)["1"]
    assert found["xcg_3"] == 0.75  # overlap on: b and c were seen with a
    assert found["nxcg_1"] == 0.75  # the ideal base is c alone
    # overlap off, full base: gains .75 .75 1 beside 1 .75 .75, so i_ideal is .75, 1 + .5/.75 and 3
    assert found["maep"] == pytest.approx((0.75 + (1 + 2 / 3) / 2 + 1) / 3)
    explicit = values(judged, run, "xcg_3:overlap=on", "maep:overlap=off,base=full", structure=structure)["1"]
    assert explicit == {"xcg_3": found["xcg_3"], "maep": found["maep"]}


def test_xcg_alone_means_the_family_and_with_cut_offs_the_measure():
    judged, run = flat_assessments_of({"a": 1}), run_of({"1": ["a"]}, RunKind.FLAT)
    assert {"xcg_5", "nxcg_5", "manxcg_5", "ep_at_gr_0.10", "maep"} <= values(judged, run, "xcg")["1"].keys()
    assert values(judged, run, "xcg.5,7", "xcg_2")["1"] == {"xcg_2": 1, "xcg_5": 1, "xcg_7": 1}


def test_overlap_is_legal_and_counted_in_a_warning():
    a, b, c, judged = nested()
    d = Element("d1", "/a[1]", 0, 5, [])
    elements, run = [a, b, c, d], run_of({"1": [d.key, c.key, a.key]})
    said = "run: 2 results lie in others or hold others, in documents with relevance"
    warnings = evaluate(judged, run, measures=["maep", "nxcg"], structure=structure_of(elements)).warnings
    assert said in [one.text for one in warnings]
    assert not any("hold others" in one.text for one in evaluate(judged, run, measures="map").warnings)


def test_nothing_is_clipped():
    judged = assessments_of({"1": {("d0", "/a[1]"): (3, 3), ("d0", "/a[1]/b[1]"): (3, 3)}})
    leaf = Element("d0", "/a[1]/b[1]", 0, 10, [])
    structure = structure_of([Element("d0", "/a[1]", 0, 10, [leaf]), leaf])
    run = run_of({"1": [("d0", "/a[1]"), ("d0", "/a[1]/b[1]")]})
    found = values(judged, run, "nxcg_2:overlap=off", "maep:base=ideal", structure=structure)["1"]
    assert found["nxcg_2:overlap=off"] == 2  # the ideal base is a alone
    assert found["maep:base=ideal"] == 1.5  # 1/1 + 1/2 over n = 1


def test_an_empty_list_gains_nothing_and_a_topic_without_relevance_has_no_value():
    judged = flat_assessments_of({"a": 1})
    empty = flat_assessments_of({"b": 0}, "2")
    other = flat_assessments_of({"c": 1}, "3")
    all_three = type(judged)("qrels", judged.kind, {**judged.topics, **empty.topics, **other.topics})
    found = values(all_three, run_of({"3": ["c"]}, RunKind.FLAT), "xcg", complete=True)
    assert set(found["1"].values()) == {0}
    assert set(found["2"].values()) == {None}
    assert set(found["3"].values()) == {1}


def test_level_0_is_refused():
    with pytest.raises(UsageError, match="above 0"):
        values(flat_assessments_of({"a": 1}), run_of({"1": ["a"]}, RunKind.FLAT), "ep_at_gr_0.00")
