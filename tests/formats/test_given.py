"""Where a path goes, records, rows and dictionaries may go too, one run or several."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from prum_eval import DataError, InputError, UsageError, evaluate, read_assessments, read_run, read_structure
from tests.gold import ROOT

TOY = ROOT / "fixtures" / "toy"
EXPECTED = {"map": 0.75}


def columns(path, *names):
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    return pd.DataFrame(rows, columns=names)


RESULTS = columns(TOY / "run", "qid", "_", "docno", "rank", "score", "name").astype({"score": float})
JUDGED = columns(TOY / "qrels", "qid", "_", "docno", "label").astype({"label": int})
SCORES = {topic: dict(zip(one.docno, one.score, strict=True)) for topic, one in RESULTS.groupby("qid")}
GRADES = {topic: dict(zip(one.docno, one.label, strict=True)) for topic, one in JUDGED.groupby("qid")}
RUNS = {
    "text": str(TOY / "run"),
    "path": TOY / "run",
    "record": read_run(str(TOY / "run")),
    "dictionary": SCORES,
    "frame": RESULTS,
    "rows": RESULTS.to_dict("records"),
    "tuples": list(RESULTS[["qid", "docno", "score"]].itertuples()),
}
ASSESSMENTS = {
    "text": str(TOY / "qrels"),
    "paths": [TOY / "qrels"],
    "record": read_assessments(str(TOY / "qrels")),
    "dictionary": GRADES,
    "frame": JUDGED,
    "rows": JUDGED.to_dict("records"),
}


@pytest.mark.parametrize("form", RUNS)
def test_a_run(form):
    (run,) = evaluate(TOY / "qrels", RUNS[form], measures="map").runs
    assert run.all == EXPECTED


@pytest.mark.parametrize("form", ASSESSMENTS)
def test_assessments(form):
    (run,) = evaluate(ASSESSMENTS[form], TOY / "run", measures="map").runs
    assert run.all == EXPECTED


@pytest.mark.parametrize("jobs", [1, 2])
def test_several_runs_in_a_list(jobs):
    runs = evaluate(GRADES, list(RUNS.values()), measures="map", jobs=jobs).runs
    assert [run.all for run in runs] == [EXPECTED] * len(RUNS)
    assert [run.run_id for run in runs] == [*["toy"] * 3, "run-4", "run-5", "run-6", "run-7"]
    assert [run.run_id for run in evaluate(GRADES, (SCORES for _ in range(2)), measures="map").runs] == [
        "run-1",
        "run-2",
    ]


def test_several_runs_by_name():
    runs = evaluate(GRADES, RUNS, measures="map").runs
    assert [run.run_id for run in runs] == list(RUNS)
    assert [run.all for run in runs] == [EXPECTED] * len(RUNS)


def test_a_run_by_name_that_cannot_be_read_leaves_the_others():
    found = []
    runs = evaluate(GRADES, {"lost": "none", "kept": SCORES}, measures="map", problems=found.append).runs
    assert [run.run_id for run in runs] == ["kept"]
    assert [str(error) for error in found] == ["none: cannot be read: No such file or directory"]
    with pytest.raises(InputError, match="none: cannot be read"):
        evaluate(GRADES, {"lost": Path("none")}, measures="map")


GRADED = "{query: {document: relevance}}"
NO_ASSESSMENTS = "assessments: expected a path or several, what read_assessments returned, rows or a dict, found 5"
NO_RUNS = "runs: expected a path, what read_run returned, rows, a dict or several of these, found 5"


@pytest.mark.parametrize(
    ("assessments", "runs", "error", "message"),
    [
        (5, SCORES, UsageError, NO_ASSESSMENTS),
        (GRADES, 5, UsageError, NO_RUNS),
        ([], SCORES, DataError, "assessments: there are no rows"),
        ({"1": ["a"]}, SCORES, DataError, f"assessments: expected {GRADED}, found ['a'] for query '1'"),
        (GRADES, {"1": ["a"]}, DataError, "1: row 1: expected a mapping or a named tuple, found 'a'"),
        (GRADES, {"mine": 5}, DataError, "mine: expected a DataFrame, rows or {query: {document: score}}, found 5"),
    ],
)
def test_what_is_nothing_of_the_kind(assessments, runs, error, message):
    with pytest.raises(error) as caught:
        evaluate(assessments, runs, measures="map")
    assert str(caught.value) == message


def test_paths_are_kept_as_text():
    path = ROOT / "fixtures" / "demo" / "structure.tsv"
    for record in (read_run(TOY / "run"), read_assessments(TOY / "qrels"), read_structure(path)):
        assert isinstance(record.path, str)
