"""What is known of a topic is kept for the runs that follow, and not where none does."""

import pytest

from prum_eval.evaluation import evaluate_run as evaluate_runs
from prum_eval.evaluation.api import evaluate
from prum_eval.evaluation.evaluate_run import evaluate_run

FILES = ("fixtures/demo/assessments", "fixtures/demo/run-a.xml")


@pytest.mark.parametrize(("runs", "kept"), [(1, False), (2, True)])
def test_topics_are_kept_for_the_next_run(monkeypatch, runs, kept):
    caches = []

    def spied(plan, run, cache, *, single_run=False):
        caches.append(cache)
        return evaluate_run(plan, run, cache, single_run=single_run)

    options = {"structure": "fixtures/demo/structure.tsv", "user_model": "hierarchical", "measures": ["eprum", "map"]}
    plain = evaluate(*FILES, **options).runs[0]
    monkeypatch.setattr(evaluate_runs, "evaluate_run", spied)
    found = evaluate(FILES[0], [FILES[1]] * runs, **options).runs
    assert len(caches) == runs
    assert caches[0].judged_topics
    assert any(topic.memo for topic in caches[0].judged_topics.values()) == kept
    assert all(one.topics == plain.topics for one in found)
    assert all(one.all == plain.all for one in found)
