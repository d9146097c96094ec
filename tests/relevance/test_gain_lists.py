"""The gains of all topics of a run at once are those that a look-up of every result finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.formats.rows import assessments_from_rows, run_from_rows
from prum_eval.relevance import gains as gain_lists
from prum_eval.relevance.gains import flat_topics, gain_lists_of_run, relevant_documents

NAMES = [f"d{number}" for number in range(8)]
TOPICS = ["1", "10", "2", "x", "é"]
JUDGED = st.dictionaries(
    st.sampled_from(TOPICS), st.dictionaries(st.sampled_from(NAMES), st.integers(-1, 3), min_size=1), min_size=1
)
RESULTS = st.dictionaries(
    st.sampled_from([*TOPICS, "no"]), st.dictionaries(st.sampled_from(NAMES), st.integers(0, 4), min_size=1), min_size=1
)


def value(grades):
    return np.where(grades > 1, grades / 3, 0.0)


def plain(judged, run, topics, limit):
    """For each topic the ranks and gains of its results that have one, and the gains that there are."""
    lists = []
    for topic in topics:
        gains = {name: grade / 3 for name, grade in judged[topic].items() if grade > 1}
        listed = []
        if topic in run.topics:
            number = run.topics.index(topic)
            rows = range(*run.bounds[number : number + 2].tolist())
            listed = [run.documents[run.document[row]] for row in rows][:limit]
        hits = [(rank, gains[name]) for rank, name in enumerate(listed, 1) if name in gains]
        lists.append((hits, list(gains.values())))
    return lists


def as_lists(found):
    lists = []
    for i in range(len(found)):
        part, base = slice(*found.bounds[i : i + 2]), slice(*found.base_bounds[i : i + 2])
        hits = list(zip(found.ranks[part].tolist(), found.gains[part].tolist(), strict=True))
        lists.append((hits, found.base[base].tolist()))
    return lists


@given(JUDGED, RESULTS, st.none() | st.integers(1, 4), st.randoms(use_true_random=False), st.integers(1, 5))
def test_as_looked_up_one_by_one(judged, results, limit, random, together):
    run = run_from_rows(results)
    topics = random.sample(list(judged), random.randint(1, len(judged)))
    relevant = relevant_documents(flat_topics(assessments_from_rows(judged).topics), value)
    expected = plain(judged, run, topics, limit)
    assert as_lists(gain_lists_of_run(relevant, run, topics, limit)) == expected
    rows = gain_lists.ROWS_TOGETHER
    try:
        gain_lists.ROWS_TOGETHER = together
        assert as_lists(gain_lists_of_run(relevant, run, topics, limit)) == expected
    finally:
        gain_lists.ROWS_TOGETHER = rows


@given(JUDGED)
def test_records_topic_by_topic_are_the_same_assessments(judged):
    columns = assessments_from_rows(judged).topics
    again = flat_topics(dict(columns.items()))
    assert list(again) == list(columns) == list(judged)
    for topic, grades in judged.items():
        one = columns[topic]
        assert dict(zip(one.documents, one.grades.tolist(), strict=True)) == grades
        assert one.documents == again[topic].documents
        for name in ("grades", "lines"):
            assert getattr(one, name).tolist() == getattr(again[topic], name).tolist()
        assert one.path == again[topic].path
    assert "no" not in columns
    assert len(columns) == len(judged)


def test_documents_by_their_files_are_left_to_a_closer_look():
    relevant = relevant_documents(flat_topics(assessments_from_rows({"1": {"a": 2, "b.xml": 2}}).topics), value)
    assert gain_lists_of_run(relevant, run_from_rows({"1": {"a.xml": 1, "c": 2}}), ["1"]) is None
    assert gain_lists_of_run(relevant, run_from_rows({"1": {"b.xml": 1, "c.xml": 2}}), ["1"]) is not None
    both = flat_topics(assessments_from_rows({"1": {"a": 2}, "2": {"a.xml": 2}}).topics)
    assert gain_lists_of_run(relevant_documents(both, value), run_from_rows({"1": {"a.xml": 1}}), ["1"]) is None
