"""Facets in explanations: the alternative that satisfies each, its rank, and what is missing."""

from __future__ import annotations

import json

from tests.gold import run

F1 = "explain --topic 1 -m gen_recall.3 fixtures/worked/F1/qrels fixtures/worked/F1/run"


def test_text() -> None:
    """One line per facet."""
    assert (
        "Facets: 1.5000 of 2 satisfied, expected\n"
        "  F1   1.0000  1: by T2 at rank 1\n"
        "  F2   0.5000  2: by T3 at rank 3, T3 not surely seen\n"
    ) in run(F1).out


def test_json() -> None:
    """All alternatives, and the place of the best one."""
    assert json.loads(run(f"{F1} -f json").out)["facets"] == [
        {
            "facet": 1, "name": "1", "weight": 1, "satisfied": 1, "best": 2,
            "alternatives": [
                {"targets": [1], "satisfied": 0.5, "rank": 2, "missing": [1]},
                {"targets": [2], "satisfied": 1, "rank": 1, "missing": []},
            ],
        },
        {
            "facet": 2, "name": "2", "weight": 1, "satisfied": 0.5, "best": 1,
            "alternatives": [{"targets": [3], "satisfied": 0.5, "rank": 3, "missing": [3]}],
        },
    ]  # fmt: skip


def test_page() -> None:
    """A table with what satisfies each facet."""
    page = run(f"{F1} -f html").out
    assert "1: by T2 at rank 1" in page
    assert "2: by T3 at rank 3, T3 not surely seen" in page


def test_a_facet_that_nothing_satisfies(tmp_path) -> None:
    """Names what is missing, and other alternatives."""
    rows = [
        {"topic": "1", "doc": "d", "doc_length": 90, "spans": [[0, 5], [6, 9]], "facet": "x", "alternative": "a"},
        {"topic": "1", "doc": "e", "doc_length": 90, "spans": [[0, 5]], "facet": "x", "alternative": "b"},
    ]
    (tmp_path / "gold").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (tmp_path / "run").write_text('{"topic": "1", "doc": "d", "start": 0, "end": 5}\n')
    out = run(f"explain --topic 1 -m gen_recall.3 -m prum_map -N 9 {tmp_path}/gold {tmp_path}/run").out
    assert "  F1   0.0000  x: never satisfied: T2 missing, or 1 other alternative\n" in out
