"""Averages by group of topics: by hand, with topics that are missing, and the same by several processes."""

from __future__ import annotations

import pytest

from prum_eval import compare, evaluate
from prum_eval.analysis.matrix import OrderChange, order_changes
from prum_eval.errors import DataError

QRELS = {topic: {"a": 1, "b": 1 if topic in ("1", "4") else 0} for topic in "12345"}
RUNS = {
    "first": {"1": {"a": 2, "b": 1}, "2": {"a": 1}, "3": {"c": 2, "a": 1}, "4": {"c": 2, "a": 1}},
    "second": {"1": {"c": 2, "a": 1}, "2": {"b": 2, "a": 1}, "3": {"a": 1}, "4": {"a": 2, "b": 1}},
}
GROUPS = {"1": "x", "2": "x", "3": "y", "4": "y", "9": "y"}
MAPS = {"first": {"x": (1 + 1) / 2, "y": (1 / 2 + 1 / 4) / 2}, "second": {"x": (1 / 4 + 1 / 2) / 2, "y": (1 + 1) / 2}}
"""Average precision: of topic 4, with two relevant documents, 1/4 where one of them is second."""


def test_means_by_hand():
    found = evaluate(QRELS, RUNS, measures=["map", "num_q", "num_rel"], groups=GROUPS)
    for run in found.runs:
        assert {name: one.all["map"] for name, one in run.groups.items()} == pytest.approx(MAPS[run.run_id], abs=1e-15)
        assert {name: one.topics for name, one in run.groups.items()} == {"x": ("1", "2"), "y": ("3", "4")}
        assert {name: (one.all["num_q"], one.all["num_rel"]) for name, one in run.groups.items()} == {
            "x": (2, 3),
            "y": (2, 3),
        }
    assert found.groups == {topic: GROUPS[topic] for topic in "1234"}
    assert [str(one) for one in found.warnings if one.kind == "groups"] == [
        "groups: 1 topic (9) is not in assessments",
        "groups: 1 topic (5) is in no group",
    ]
    rows = [row for row in found.rows() if row["measure"] == "map" and row["run"] == "first"]
    assert [(row["topic"], row["group"]) for row in rows] == [
        *[(topic, GROUPS[topic]) for topic in "1234"],
        ("all", "x"),
        ("all", "y"),
        ("all", None),
    ]


def test_without_groups_nothing_changes():
    found = evaluate(QRELS, RUNS, measures="map")
    assert found.groups == {}
    assert "groups" not in found.to_dict()["runs"][0]
    assert "group" not in next(found.rows())
    assert order_changes(found) == []


def test_all_topics_count_with_complete():
    groups = {"4": "rest", "5": "rest", "1": "one"}
    found = evaluate(QRELS, RUNS["first"], measures="map", groups=groups, complete=True).runs[0]
    assert found.groups["rest"].topics == ("4", "5")
    assert found.groups["rest"].all["map"] == (1 / 4 + 0) / 2
    assert "rest" not in evaluate(QRELS, RUNS["first"], measures="map", groups={"5": "rest", "1": "one"}).runs[0].groups


def test_processes_and_curves_find_the_same(tmp_path):
    paths = []
    for name, topics in RUNS.items():
        paths.append(tmp_path / name)
        lines = [f"{t} Q0 {d} 1 {s} {name}\n" for t, scores in topics.items() for d, s in scores.items()]
        paths[-1].write_text("".join(lines), encoding="utf-8")
    (tmp_path / "groups").write_text("".join(f"{t}\t{g}\n" for t, g in GROUPS.items()), encoding="utf-8")
    alone = evaluate(QRELS, paths, measures=["map", "P.1"], groups=tmp_path / "groups")
    for options in ({"jobs": 2}, {"curves": True}):
        other = evaluate(QRELS, paths, measures=["map", "P.1"], groups=tmp_path / "groups", **options)
        assert [run.groups for run in other.runs] == [run.groups for run in alone.runs]


def test_the_order_changes():
    found = evaluate(QRELS, RUNS, measures=["map", "P.1", "num_ret"], groups=GROUPS)
    change = OrderChange("map", 0, 1, "x", "y", (1.0, 0.375, 0.375, 1.0))
    assert order_changes(found) == [change, OrderChange("P_1", 0, 1, "x", "y", (1.0, 0.0, 0.0, 1.0))]
    compared = compare(QRELS, RUNS, measures=["map"], groups=GROUPS, trials=10, common=True)
    assert compared.order_changes == [change]
    assert {(one.group, one.run): one.mean for one in compared.groups if one.measure == "map"} == {
        (group, run): MAPS[name][group] for group in "xy" for run, name in enumerate(RUNS)
    }
    assert {one.topics for one in compared.groups} == {2}
    again = compare(values=found, measures=["map"], trials=10)
    assert (again.groups, again.order_changes) == (compared.groups, [change])


def test_of_costs_the_lower_is_better(monkeypatch):
    from prum_eval.analysis import matrix as groups
    from prum_eval.measures.base import Direction
    from prum_eval.measures.registry import MEASURES_BY_NAME

    lower = {"map": type("Measure", (), {"direction": Direction.LOWER, "is_count": False})}
    monkeypatch.setattr(groups, "measures_by_printed_name", lambda _names: lower)
    assert MEASURES_BY_NAME["map"].direction is Direction.HIGHER
    found = evaluate(QRELS, RUNS, measures=["map"], groups=GROUPS)
    assert order_changes(found) == [OrderChange("map", 0, 1, "y", "x", (0.375, 1.0, 1.0, 0.375))]


def test_nothing_in_common():
    with pytest.raises(DataError, match="groups: no topic in common with assessments"):
        evaluate(QRELS, RUNS, measures="map", groups={"7": "x"})
    with pytest.raises(DataError, match="groups: no topic in common with the values"):
        compare(values={"a": {"1": {"map": 1}}, "b": {"1": {"map": 1}}}, groups={"7": "x"})
