"""The size of a batch of topics is seen in no value."""

from __future__ import annotations

import numpy as np
import pytest

import prum_eval
from prum_eval.evaluation import evaluate_run
from prum_eval.evaluation.evaluate_run import RunTopics
from prum_eval.measures.base import Measure, Shape
from prum_eval.measures.topic_data import TopicBatch

DEMO = {"structure": "fixtures/demo/structure.tsv", "runs": ["fixtures/demo/run-a.xml", "fixtures/demo/run-b.xml"]}
MODELS = ("none", "hierarchical", "t2i", "siblings", "hierarchical:items=article,rank_decay=0.5")
CALLS = [
    *(("fixtures/demo/assessments", {**DEMO, "user_model": model, "complete": True}) for model in MODELS),
    ("fixtures/rag/gold.jsonl", {"runs": "fixtures/rag/windows.jsonl", "limit": 3}),
]


@pytest.mark.parametrize(("assessments", "options"), CALLS)
def test_the_same_values_one_topic_at_a_time(assessments, options, monkeypatch):
    together = prum_eval.evaluate(assessments, measures="all", **options)
    monkeypatch.setattr(evaluate_run, "MAX_BATCH_ROWS", 1)
    assert prum_eval.evaluate(assessments, measures="all", **options).to_dict() == together.to_dict()


def test_results_and_judgements_bound_a_batch(monkeypatch):
    batches, bounds_of = [], RunTopics.batch_bounds
    monkeypatch.setattr(evaluate_run, "MAX_BATCH_ROWS", 100)
    monkeypatch.setattr(RunTopics, "batch_bounds", lambda *call: batches.extend(bounds_of(*call)) or iter(batches))
    judged = {f"{topic:02}": {f"d{rank}": 1 for rank in range(5)} for topic in range(50)}
    results = {topic: {f"d{rank}": 9.0 - rank for rank in range(8)} for topic in judged}
    results["07"] = {f"d{rank}": -rank for rank in range(200)}
    prum_eval.evaluate(judged, results, measures="num_ret")
    assert batches == [(0, 7), (7, 8), *((low, min(low + 7, 50)) for low in range(8, 50, 7))]


def test_a_measure_without_a_function_is_refused():
    with pytest.raises(TypeError, match="measure half has no function: give per_topic or per_batch"):
        Measure("half", "half", "", "", "", Shape.SCALAR).compute(TopicBatch([]), {}, np.zeros(0))
