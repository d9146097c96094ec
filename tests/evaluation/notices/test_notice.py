"""Notices as data, and as few lines."""

from __future__ import annotations

import pickle

import pytest

from prum_eval import evaluate
from prum_eval.evaluation import notices as notice
from prum_eval.evaluation.notices import Notice, count_notice, summed

OF = "2,310 results of 48 runs"
MANY = {
    "unassessed topics": "2,310 topics of 48 runs have no assessments and are left out",
    "missing topics": "2,310 assessed topics of 48 runs have no results and are left out; -c counts them as empty",
    "empty topics": "2,310 assessed topics of 48 runs have no results and count as empty lists",
    "topics without targets": (
        "2,310 topics of 48 runs have no targets and are left out of averages of measures that need targets"
    ),
    "not in the structure": f"{OF} are not in the structure: they keep their rank and find nothing",
    "not retrievable": f"{OF} are elements that are not retrievable: they keep their rank and find nothing",
    "not in the assessments": f"{OF} are not in the assessments: their extent is unknown, so they find nothing",
    "overlap": "2,310 results of 48 runs lie in others or hold others, in documents with relevance",
    "past the end": "2,310 results of 48 runs end past the end of their document",
    "negative start": "2,310 results of 48 runs begin before their document",
    "ties": "2,310 results of 48 runs tie in score",
}


@pytest.mark.parametrize("kind", MANY)
def test_what_is_counted_is_summed_over_runs(kind):
    listed = [count_notice(kind, f"{number}.run", 48 if number else 54) for number in range(48)]
    assert summed(listed) == [f"{MANY[kind]}; -v lists them"]
    assert summed(listed, hint="") == [MANY[kind]]
    assert MANY.keys() == notice._COUNT_PHRASES.keys()


def test_one_run_says_it_itself():
    assert summed([count_notice("past the end", "a.run", 73)]) == [
        "a.run: 73 results end past the end of their document"
    ]
    assert summed([count_notice("past the end", "a.run", 1)]) == ["a.run: 1 result ends past the end of its document"]


def test_what_is_not_counted_is_told_of_the_first_run():
    listed = [Notice("refused", f"{name}.run:1: no; left out: map", f"{name}.run") for name in "aabc"]
    assert summed(listed) == ["a.run:1: no; left out: map; likewise 2 more runs; -v lists them"]
    two = [Notice("refused", text, "a.run") for text in ("first", "second")]
    assert summed(two) == ["first", "second"]


def test_notices_of_the_call_stay_apart():
    assert summed([Notice("left out", "one"), Notice("left out", "two"), "plain", "plain"]) == ["one", "two", "plain"]


def test_nothing_in_a_notice_is_obeyed_by_a_terminal():
    assert str(Notice("ties", "a\x1b[2J\n.run: b")) == r"a\x1b[2J\n.run: b"


def test_an_evaluation_keeps_them_all():
    runs = {name: {"1": {"tides": 1.0, "moon": 1.0}} for name in ("a", "b")}
    found = evaluate({"1": {"tides": 1}, "2": {"moon": 1}}, runs, measures="map").warnings
    assert [(one.kind, one.run, one.count) for one in found] == [
        ("missing topics", "a", 1), ("ties", "a", 2), ("missing topics", "b", 1), ("ties", "b", 2),
    ]  # fmt: skip
    assert found[1].text == "a: 2 results tie in score, ordered by document name, descending"
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - as workers send them
