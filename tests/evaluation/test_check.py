"""check as a function: problems and notes as values, of paths and of data in memory."""

from __future__ import annotations

from prum_eval import check, read_run
from tests.gold import ROOT

TOY = ROOT / "fixtures" / "toy"


def test_paths(tmp_path):
    bad = tmp_path / "bad"
    bad.write_text("1 Q0 a 1 x r\n1 Q0 a\n")
    found = check([bad, TOY / "run"], assessments=TOY / "qrels")
    assert not found.ok
    assert [(problem.path, problem.line) for problem in found.problems] == [(str(bad), 1), (str(bad), 2)]
    assert repr(found) == "<Check: 2 problems, 3 notes>"
    assert [row["kind"] for row in found.rows()] == ["problem", "problem", "note", "note", "note"]
    assert f"problem  {bad}:1: score: expected a finite number" in str(found)


def test_data_in_memory():
    grades = {"1": {"tides": 1}, "2": {"moon": 1}}
    found = check({"named": {"1": {"tides": 1.0}}, "read": read_run(TOY / "run")}, assessments=grades)
    assert found.ok
    assert found.notes[:2] == (
        "named: run named, 1 topic, 1 result, documents",
        "named: judged topics missing from the run: 1 (2)",
    )


def test_a_bad_row_is_a_problem():
    found = check({"1": {"a": "high"}}, assessments={"1": {"a": 1}})
    assert next(found.rows()) == {
        "kind": "problem",
        "file": None,
        "line": None,
        "text": "run: row 1: score: expected a finite number, found 'high'",
    }
