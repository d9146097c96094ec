"""The order of the worst questions: ties are broken by the next measures, then by the size of the answer."""

from __future__ import annotations

import json

import pytest

from prum_eval import evaluate
from prum_eval.analysis.explain import explain_topics, explain_worst

SPANS = {"q1": [0, 40], "q2": [0, 80], "q3": [0, 80], "q4": [0, 100], "q5": [0, 10]}


@pytest.fixture
def inputs(tmp_path):
    gold = [{"topic": q, "doc": "d", "doc_length": 9000, "spans": [span]} for q, span in SPANS.items()]
    # nothing of q1 to q4 is found; q3 reads more for nothing, q4 misses most; q5 is found
    sizes = {"q1": 100, "q2": 100, "q3": 700, "q4": 100}
    run = [{"topic": q, "doc": "d", "start": 5000, "end": 5000 + size} for q, size in sizes.items()]
    run.append({"topic": "q5", "doc": "d", "start": 0, "end": 100})
    paths = []
    for name, rows in (("gold", gold), ("run", run)):
        paths.append(str(tmp_path / f"{name}.jsonl"))
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return paths


@pytest.mark.parametrize(
    ("measures", "order"),
    [
        (["char_rec_1"], ["q4", "q2", "q3", "q1", "q5"]),  # by the size of the answer, then by name
        (["char_rec_1", "size_1"], ["q3", "q4", "q2", "q1", "q5"]),  # by what was read before
        (["hit_1", "span_rr", "size_1"], ["q3", "q4", "q2", "q1", "q5"]),
    ],
)
def test_ties(inputs, measures, order):
    gold, run = inputs
    worst = explain_worst(evaluate(gold, run, measures=measures), 5, gold, run, measures=measures)
    assert [entry.topic for entry in worst] == order
    assert [entry.topic for entry in explain_topics(gold, run, measures=measures).topics] == order


def test_the_first_measure_that_is_named_orders_them(inputs):
    gold, run = inputs
    measures = ["size_1", "char_rec_1"]
    worst = explain_worst(evaluate(gold, run, measures=measures), 1, gold, run, measures=measures)
    assert [(entry.topic, entry.measure) for entry in worst] == [("q3", "size_1")]
