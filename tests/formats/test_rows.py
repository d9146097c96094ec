"""Runs and judgements from rows: every form gives the record that the file of the same content gives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from prum_eval import DataError, evaluate, read_assessments, read_run
from prum_eval.frames import assessments_from_rows, run_from_rows
from tests.gold import ROOT

TOY = ROOT / "fixtures" / "toy"
DEMO = ROOT / "fixtures" / "demo"
RESULTS = [line.split() for line in (TOY / "run").read_text(encoding="utf-8").splitlines()]
JUDGED = [line.split() for line in (TOY / "qrels").read_text(encoding="utf-8").splitlines()]


class Result(NamedTuple):
    query_id: str
    doc_id: str
    score: float


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class Frame:
    """A frame of no library: names of columns, and a column by its name."""

    def __init__(self, columns):
        self.columns = list(columns)
        self._values = columns

    def __getitem__(self, name):
        return iter(self._values[name])


def nested(rows, column):
    table = {}
    for topic, _, document, *rest in rows:
        table.setdefault(topic, {})[document] = column(rest)
    return table


RUNS = {
    "mappings": [{"topic": t, "doc": d, "score": float(s)} for t, _, d, _, s, _ in RESULTS],
    "named tuples": [Result(t, d, float(s)) for t, _, d, _, s, _ in RESULTS],
    "generator": (Result(t, d, float(s)) for t, _, d, _, s, _ in RESULTS),
    "nested": nested(RESULTS, lambda rest: float(rest[1])),
    "pandas": pd.DataFrame([{"qid": t, "docno": d, "rank": 1, "score": float(s)} for t, _, d, _, s, _ in RESULTS]),
    "numbers as topics": pd.DataFrame({"qid": [int(t) for t, *_ in RESULTS], "docno": [r[2] for r in RESULTS],
                                       "score": [float(r[4]) for r in RESULTS]}),
    "any frame": Frame({"query_id": [r[0] for r in RESULTS], "doc_id": [r[2] for r in RESULTS],
                        "score": np.array([float(r[4]) for r in RESULTS])}),
    "by the order of the rows": [{"qid": t, "docno": d} for t, _, d, *_ in RESULTS],
}  # fmt: skip
QRELS = {
    "mappings": [{"qid": t, "docno": d, "label": int(g)} for t, _, d, g in JUDGED],
    "named tuples": [Qrel(t, d, int(g), "0") for t, _, d, g in JUDGED],
    "nested": nested(JUDGED, lambda rest: int(rest[0])),
    "pandas": pd.DataFrame([{"query_id": t, "doc_id": d, "relevance": int(g)} for t, _, d, g in JUDGED]),
    "floats": pd.DataFrame([{"query_id": t, "doc_id": d, "relevance": float(g)} for t, _, d, g in JUDGED]),
}


@pytest.mark.parametrize("form", RUNS)
def test_a_run_is_that_of_the_file(form):
    expected, run = read_run(str(TOY / "run")), run_from_rows(RUNS[form])
    assert run.topics == expected.topics
    names = [run.documents[code] for code in run.document]
    assert names == [expected.documents[code] for code in expected.document]
    assert run.bounds.tolist() == expected.bounds.tolist()
    if form != "by the order of the rows":
        assert run.score.tolist() == expected.score.tolist()
    assert run.run_id == "run"


@pytest.mark.parametrize("form", QRELS)
def test_judgements_are_those_of_the_file(form):
    expected, judged = read_assessments(str(TOY / "qrels")), assessments_from_rows(QRELS[form])
    assert judged.kind == expected.kind
    assert list(judged.topics) == list(expected.topics)
    for topic, one in expected.topics.items():
        assert judged.topics[topic].documents == one.documents
        assert judged.topics[topic].grades.tolist() == one.grades.tolist()


def test_evaluation_to_a_frame_and_back():
    result = evaluate(assessments_from_rows(QRELS["pandas"]), run_from_rows(RUNS["pandas"], name="toy"), measures="map")
    frame = pd.DataFrame(result.rows())
    assert list(frame.columns) == ["run", "path", "topic", "measure", "value"]
    assert frame[["run", "topic", "value"]].values.tolist() == [
        ["toy", "1", 1.0],
        ["toy", "2", 0.5],
        ["toy", "all", 0.75],
    ]


def test_ties_are_broken_as_in_trec_eval():
    run = run_from_rows([Result("1", name, 1.0) for name in ("a", "c", "b")])
    assert [run.documents[code] for code in run.document] == ["c", "b", "a"]
    assert run.tied == 3


def test_passages_are_those_of_the_files(tmp_path):
    lines = [line.split() for line in (DEMO / "run-a.offsets.run").read_text(encoding="utf-8").splitlines()]
    results = [
        dict(zip(("topic", "_", "doc", "rank", "score", "name", "start", "length"), row, strict=True)) for row in lines
    ]
    results = pd.DataFrame(results).astype({"score": float, "start": int, "length": int})
    judged = []
    for line in (DEMO / "judged.txt").read_text(encoding="utf-8").splitlines():
        topic, _, document, _, length, *rest = line.split()
        spans = [[int(start), int(start) + int(size)] for start, size in (one.split(":") for one in rest[1:])]
        row = {"qid": topic, "docno": document, "doc_length": np.int64(length), "spans": np.array(spans).reshape(-1, 2)}
        judged.append({**row, "bep": int(rest[0])} if rest else row)
    measures = ["t2i_magp", "bic_magp", "eprum_map"]
    results = results[~results.duplicated(["topic", "doc"])]
    by_rows = evaluate(assessments_from_rows(judged), run_from_rows(results), measures=measures)
    kept = [" ".join(line) for number, line in enumerate(lines) if number in results.index]
    (tmp_path / "run").write_text("\n".join([*kept, ""]), encoding="utf-8")
    by_file = evaluate(DEMO / "judged.txt", tmp_path / "run", measures=measures, user_model="coverage")
    assert by_rows.runs[0].topics == by_file.runs[0].topics


GOOD = {"qid": "1", "docno": "a", "score": 1.0}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([GOOD, {"docno": "b", "score": 1.0}], "run: row 2: there is no query_id or qid or topic"),
        ([GOOD, {"qid": "1", "score": 1.0}], "run: row 2: there is no doc_id or docno or doc"),
        ([GOOD, {"qid": "1", "docno": "b"}], "run: row 2: there is no score"),
        ([{**GOOD, "score": "2"}], "run: row 1: score: expected a finite number, found '2'"),
        ([{**GOOD, "score": float("nan")}], "run: row 1: score: expected a finite number, found nan"),
        ([{**GOOD, "docno": "a b"}], "run: row 1: doc_id: expected a name without blanks, found 'a b'"),
        ([{**GOOD, "qid": 1.5}], "run: row 1: query_id: expected a name without blanks, found 1.5"),
        ([GOOD, {**GOOD, "qid": None}], "run: row 2: query_id: expected a name without blanks, found None"),
        ([GOOD, GOOD], "run: row 2: document 'a' is listed twice in topic '1' (first on row 1)"),
        ([GOOD, ("1", "b", 1.0)], "run: row 2: expected a mapping or a named tuple, found ('1', 'b', 1.0)"),
        ({"1": 0.5}, "run: expected {query: {document: score}}, found 0.5 for query '1'"),
        (
            [{**GOOD, "start": 0, "length": 5}, {**GOOD, "start": 3}],
            "run: row 2: the key 'end' (or 'length') is missing",
        ),
        ([{**GOOD, "start": 7, "end": 5}], "run: row 1: the end 5 is before the start 7"),
    ],
)
def test_a_bad_row_of_a_run_is_named(rows, message):
    with pytest.raises(DataError) as caught:
        run_from_rows(rows)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "assessments: there are no rows"),
        ([{"qid": "1", "docno": "a"}], "assessments: row 1: there is no relevance or label"),
        ({"1": {"a": 0.5}}, "assessments: row 1: relevance: expected a whole number, found 0.5"),
        ({"1": {"a": 1, "b": "2"}}, "assessments: row 2: relevance: expected a whole number, found '2'"),
        ([{"qid": "1", "docno": "a", "label": 1}] * 2,
         "assessments: row 2: document 'a' is judged twice in topic '1' (first on row 1)"),
        ([{"qid": "1", "docno": "a", "doc_length": 9, "spans": [[0, 12]]}],
         "assessments: row 1: spans: [0, 12] ends beyond the document length 9"),
    ],
)  # fmt: skip
def test_a_bad_row_of_judgements_is_named(rows, message):
    with pytest.raises(DataError) as caught:
        assessments_from_rows(rows)
    assert str(caught.value) == message
