"""DataFrames by columns are what their rows one by one make, or are left to these; CSV and Parquet too."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import evaluate
from prum_eval.errors import DataError, PrumEvalError
from prum_eval.formats import frame_columns
from prum_eval.formats.rows import assessments_from_rows, run_from_rows, runs_from_rows
from tests.gold import ROOT

NAMES = st.sampled_from(["a", "b", "é", "10", "d-1.xml", 'say-"no"', "back\\slash", "%s", 7, 8])
ODD = NAMES | st.sampled_from(["", "a b", "\x7f", "\ud800", "\N{NO-BREAK SPACE}", True, None, math.nan, 1.5])
NUMBERS = st.sampled_from([0, 1, -2, 3.5, 2**53, 1e300]) | st.integers(0, 40)
ODD_NUMBERS = NUMBERS | st.sampled_from([None, "1", True, math.nan, math.inf, 10**400, np.float32(0.1)])
RUNS = st.sampled_from(["r1", "r2", "r%d"]) | st.sampled_from(["", "a\nb", None, 3])


def tables(names, numbers):
    """Columns of equal length, some of which are missing."""

    def rows(columns):
        cells = {"start": st.integers(0, 9) | numbers, "end": st.integers(9, 20) | numbers, "tokens": st.integers(1, 3)}
        cells |= {"qid": names, "topic": names, "docno": names, "doc_id": names, "score": numbers, "run": RUNS}
        cells |= {"length": numbers, "relevance": numbers, "label": numbers, "other": names}
        return st.lists(st.tuples(*(cells[column] for column in columns)), max_size=6).map(
            lambda listed: pd.DataFrame(listed, columns=list(columns))
        )

    optional = ["score", "run", "start", "end", "length", "tokens", "relevance", "label", "topic", "doc_id", "other"]
    return (
        st.lists(st.sampled_from(optional), unique=True, max_size=5)
        .map(lambda more: ["qid", "docno", *more])
        .flatmap(rows)
    )


def outcome(make, rows):
    try:
        made = make(rows)
    except PrumEvalError as error:
        return type(error), str(error)
    if isinstance(made, list):
        return [shown(one) for one in made]
    return shown(made)


def shown(made):
    if hasattr(made, "bounds"):
        names = [made.documents[code] for code in made.document.tolist()]
        tokens = None if made.tokens is None else made.tokens.tolist()
        columns = made.bounds.tolist(), made.score.tolist(), made.line.tolist(), made.start.tolist(), made.tied, tokens
        return made.run_id, made.path, made.kind, made.topics, names, made.length.tolist(), repr(columns)
    return [
        (name, topic.documents, topic.lines.tolist(), getattr(topic, "grades", topic.lines).tolist())
        for name, topic in made.topics.items()
    ]


@pytest.mark.parametrize("make", [run_from_rows, runs_from_rows, assessments_from_rows])
@pytest.mark.parametrize(("names", "numbers"), [(NAMES, NUMBERS), (ODD, ODD_NUMBERS)], ids=["plain", "odd"])
@given(data=st.data())
def test_columns_and_rows_make_the_same(make, names, numbers, data):
    frame = data.draw(tables(names, numbers))
    listed = list(frame.columns)
    rows = [dict(zip(listed, row, strict=True)) for row in zip(*(list(frame[name]) for name in listed), strict=True)]
    if rows:
        assert outcome(make, frame) == outcome(make, rows)


def test_usual_tables_are_read_by_columns(monkeypatch):
    frame = pd.DataFrame({"qid": [1, 1, 2], "docno": ["a", "b", "a"], "score": [1, 2, 3], "relevance": [1, 0, 2]})
    passages = frame.assign(start=[0, 5, 9], end=[4, 9, 12], run=["x", "y", "x"])
    expected = [outcome(run_from_rows, frame), outcome(runs_from_rows, passages), outcome(assessments_from_rows, frame)]
    monkeypatch.setattr("prum_eval.formats.rows._numbered_rows", None)
    calls = (run_from_rows, frame), (runs_from_rows, passages), (assessments_from_rows, frame)
    assert [outcome(make, rows) for make, rows in calls] == expected


def test_another_library_needs_columns_only():
    class Table:
        def __init__(self, **columns):
            self.cells = columns
            self.columns = list(columns)

        def __getitem__(self, name):
            return self.cells[name]

    table = Table(qid=["1", "1"], docno=np.array(["a", "b"]), score=np.array([1.0, 2.0]))
    run = run_from_rows(table)
    assert [run.documents[code] for code in run.document.tolist()] == ["b", "a"]
    assert frame_columns.run_columns(table) is not None


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_files_of_tables(form, tmp_path):
    if form == "parquet":
        pytest.importorskip("pyarrow")
    toy = ROOT / "fixtures" / "toy"
    qrels = pd.read_csv(toy / "qrels", sep=" ", names=["query_id", "iteration", "doc_id", "relevance"])
    run = pd.read_csv(toy / "run", sep=" ", names=["query_id", "q0", "doc_id", "rank", "score", "tag"])
    frames = []
    for name, frame in (("qrels", qrels), ("run", run)):
        path = tmp_path / f"{name}.{form}"
        if form == "csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path)
        frames.append(getattr(pd, f"read_{form}")(path))
    expected = evaluate(toy / "qrels", toy / "run", measures=["map", "ndcg", "P"])
    assert evaluate(*frames, measures=["map", "ndcg", "P"]).runs[0].topics == expected.runs[0].topics


def test_errors_name_the_row():
    frame = pd.DataFrame({"qid": ["1", "1", "1"], "docno": ["a", "b", "b"], "score": [1.0, 2.0, 3.0]})
    with pytest.raises(DataError) as caught:
        run_from_rows(frame, name="table")
    assert str(caught.value) == "table: row 3: document 'b' is listed twice in topic '1' (first on row 2)"
    with pytest.raises(DataError) as caught:
        run_from_rows(frame.assign(score=[1.0, math.nan, 2.0]), name="table")
    assert str(caught.value) == "table: row 2: score: expected a finite number, found nan"
    spans = frame.assign(start=[0, 9, 4], end=[5, 8, 9], run=["x", "y", "y"])
    with pytest.raises(DataError) as caught:
        runs_from_rows(spans, name="table")
    assert str(caught.value) == "table: row 2: the end 8 is before the start 9"
