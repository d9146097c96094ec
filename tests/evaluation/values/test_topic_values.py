"""Values kept as columns are a dictionary of dictionaries to whoever reads them."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.evaluation import evaluate_run
from prum_eval.evaluation.api import evaluate
from prum_eval.evaluation.evaluate_run import TopicValues
from tests.gold import run as command

VALUES = st.one_of(st.none(), st.integers(0, 9), st.floats(0, 1))


@given(st.lists(st.text(max_size=3), unique=True, max_size=5), st.lists(st.sampled_from("abc"), unique=True), st.data())
def test_they_are_what_a_dictionary_is(topics, names, data):
    columns = {name: data.draw(st.lists(VALUES, min_size=len(topics), max_size=len(topics))) for name in names}
    found = TopicValues(topics, columns)
    twin = {topic: {name: column[row] for name, column in columns.items()} for row, topic in enumerate(topics)}
    assert (list(found), len(found), dict(found), repr(found)) == (list(twin), len(twin), twin, repr(twin))
    assert found == twin
    assert twin == found
    assert list(found.items()) == list(twin.items())
    assert pickle.loads(pickle.dumps(found)) == twin  # noqa: S301 - our own
    assert all(topic in found for topic in topics)


def test_other_topics_have_none():
    with pytest.raises(KeyError):
        TopicValues(["1"], {"map": [0.5]})["2"]
    assert "2" not in TopicValues(["1"], {"map": [0.5]})


@pytest.mark.parametrize("most", [0, 1 << 15])
def test_very_many_are_the_same_in_all_output(most, monkeypatch, tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a 1\n2 0 b 0\n3 0 c 2\n")
    run.write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n3 Q0 c 1 2 t\n")
    monkeypatch.setattr(evaluate_run, "MAX_DICTIONARIES", most)
    found = evaluate(str(qrels), [str(run)], measures=["map", "bpref"])
    topics = found.runs[0].topics
    assert isinstance(topics, dict) == (most > 0)
    assert topics == {"1": {"map": 0.5, "bpref": 1.0}, "3": {"map": 1.0, "bpref": 1.0}}
    assert found.runs[0].to_dict()["topics"] == topics
    for options in ("-q", "-q -f json", "-q -f csv", "-q -f table"):
        assert "0.5" in command(f"eval {options} -m map -m bpref {qrels} {run}").out
    assert command(f"gold write {tmp_path}/gold {qrels} {run} -m map").status == 0
    assert command(f"gold check {tmp_path}/gold").status == 0
