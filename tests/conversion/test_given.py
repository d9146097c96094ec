"""Runs and assessments that stand in memory are written as their files are."""

from __future__ import annotations

import pandas as pd
import pytest

from prum_eval import UsageError, convert, read_assessments, read_run, read_structure
from tests.gold import ROOT

DEMO = ROOT / "fixtures" / "demo"
TOY = ROOT / "fixtures" / "toy"


@pytest.mark.parametrize(
    ("path", "read", "form"),
    [
        (DEMO / "run-a.xml", read_run, "run-offsets"),
        (DEMO / "assessments", read_assessments, "qrels-inex"),
        (DEMO / "structure.tsv", read_structure, "structure-xml"),
    ],
)
def test_records(path, read, form):
    structure = DEMO / "structure.tsv" if "structure" not in form else None
    by_path = convert(path, form, structure=structure, lossy=True)
    record = read(path)
    assert convert(record, form, structure=structure and read_structure(structure), lossy=True) == by_path
    assert by_path.text == by_path.content.decode()


def test_dictionaries_and_frames():
    expected = "1 Q0 a 1 2.0 run\n1 Q0 b 2 1.0 run\n"
    assert convert({"1": {"a": 2.0, "b": 1.0}}, "run-trec").text == expected
    frame = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": [2.0, 1.0]})
    assert convert(frame, "run-trec").text == expected
    assert convert({"1": {"a": 1, "b": 0}}, "qrels-trec").text == "1 0 a 1\n1 0 b 0\n"


def test_losses_are_rows():
    made = convert(DEMO / "run-a.xml", "run-trec", lossy=True)
    assert repr(made) == "<Conversion: run-trec, 7 lines, losses: 2>"
    assert [(row["line"], row["count"]) for row in made.rows()] == [(8, 17), (9, 10)]
    assert "parts of documents" in made._repr_html_()


@pytest.mark.parametrize(
    ("source", "form", "message"),
    [
        ([TOY / "run", TOY / "run"], "run-trec", "expected one run, found 2"),
        (read_run(TOY / "run"), "qrels-trec", "assessments: expected a path or several"),
        (5, "run-trec", "runs: expected a path, what read_run returned"),
        (TOY / "run", "run-tred", "run-tred is no form"),
    ],
)
def test_what_is_nothing_of_the_kind(source, form, message):
    with pytest.raises(UsageError, match=message):
        convert(source, form)


def test_ranking_is_checked():
    with pytest.raises(UsageError, match="rank_by=name: rank_by is file or rank or score"):
        convert(TOY / "run", "run-trec", rank_by="name")
