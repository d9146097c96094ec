"""What is known of a run goes with it: nothing that would wait for the garbage collector, run after run."""

import gc

import pytest

from prum_eval.evaluation.api import evaluate
from prum_eval.measures.topic_data import Ranking, TopicData
from prum_eval.records import Run
from tests.slow import slow

FILES = {"structure": "fixtures/demo/structure.tsv", "runs": ["fixtures/demo/run-a.xml", "fixtures/demo/run-b.xml"]}


@pytest.mark.parametrize("model", [slow("none"), slow("hierarchical"), "t2i", slow("siblings")])
def test_no_data_of_a_topic_outlive_their_run(model):
    gc.collect()
    before = {id(one) for one in gc.get_objects() if isinstance(one, TopicData | Ranking | Run)}
    gc.disable()
    try:
        found = evaluate("fixtures/demo/assessments", measures="all", user_model=model, **FILES)
        left = [one for one in gc.get_objects() if isinstance(one, TopicData | Ranking | Run) and id(one) not in before]
    finally:
        gc.enable()
    assert len(found.runs) == 2
    assert not left
