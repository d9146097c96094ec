"""explain as a function."""

from __future__ import annotations

import pytest

from prum_eval import UsageError, explain
from tests.gold import ROOT

DEMO = ROOT / "fixtures" / "demo"
GRADES = {"1": {"tides": 1, "moon": 1}}
SCORES = {"1": {"tides": 3.0, "kites": 2.0, "moon": 1.0}}


def test_paths():
    found = explain(DEMO / "assessments", DEMO / "run-a.xml", 102, structure=DEMO / "structure.tsv")
    assert repr(found).startswith("<Explanation: topic 102, run bm25-sections: prum_map 0.")
    rows = list(found.rows())
    assert [row["rank"] for row in rows] == list(range(1, len(found.ranks) + 1))
    assert sum(row["eprum_map"] for row in rows) == pytest.approx(found.contributions[1].value)
    assert found.signature.startswith("prum-eval ")


def test_dictionaries():
    found = explain(GRADES, {"mine": SCORES}, "1", measures="eprum_map")
    assert (found.run_id, found.path) == ("mine", "mine")
    assert [row["reached"] for row in found.rows()] == [1, 0, 1]
    assert found.to_pandas().result.tolist() == ["tides", "kites", "moon"]
    assert "<td>1</td><td>tides</td><td>1</td>" in found._repr_html_()


@pytest.mark.parametrize(
    ("runs", "topic", "message"),
    [
        ([SCORES, SCORES], "1", "explain needs one run, found 2"),
        (SCORES, "3", "topic 3 has no assessments"),
    ],
)
def test_what_is_refused(runs, topic, message):
    with pytest.raises(UsageError, match=message):
        explain(GRADES, runs, topic)
