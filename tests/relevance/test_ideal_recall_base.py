"""The ideal recall base against its wording, on random trees with random gains."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.records import ElementTopic
from prum_eval.relevance.targets import NestingChoice, full_base, ideal_base
from tests.oracles.ideal_base import ideal_base as literal
from tests.oracles.ideal_base import inside
from tests.oracles.worlds import examples

GAINS = st.sampled_from([0.0, 0.0, 0.25, 0.5, 0.75, 1.0])


@st.composite
def judged_documents(draw):
    """Some documents, each a mapping of judged paths to gains in any order; ancestors need not be judged."""
    documents = []
    for _ in range(draw(st.integers(1, 3))):
        steps = st.lists(st.integers(1, 3), max_size=4)
        paths = ["".join(["/a[1]", *(f"/s[{step}]" for step in path)]) for path in draw(st.lists(steps, max_size=12))]
        documents.append({path: draw(GAINS) for path in dict.fromkeys(paths)})
    return documents


def topic_of(documents):
    count = sum(map(len, documents))
    unknown, lines = np.full(count, -1), np.arange(count) + 1
    return ElementTopic(
        "assessments",
        tuple(f"doc{i}" for i in range(len(documents))),
        np.arange(len(documents)) + 1,
        np.cumsum([0, *map(len, documents)]),
        tuple(path for document in documents for path in document),
        np.ones(count),
        np.ones(count),
        unknown,
        unknown,
        lines,
        (),
        (),
    )


@pytest.mark.parametrize("keep", list(NestingChoice))
@examples(300)
@given(documents=judged_documents())
def test_chosen_elements(keep, documents):
    topic = topic_of(documents)
    gains = np.array([gain for document in documents for gain in document.values()])
    rows = ideal_base(topic, gains, keep)
    assert rows.tolist() == sorted(set(rows.tolist()))
    for number, document in enumerate(documents):
        low, high = topic.bounds[number : number + 2]
        found = [topic.paths[row] for row in rows if low <= row < high]
        assert set(found) == literal(document, keep.value)
        assert not any(inside(one, other) for one in found for other in found)
        # of two chosen that nest the inner one has the higher gain: keep=best never loses any
    assert full_base(gains).tolist() == [row for row, gain in enumerate(gains) if gain > 0]


def test_of_two_that_nest():
    document = {"/a[1]": 0.5, "/a[1]/s[1]": 0.25, "/a[1]/s[2]": 0.75}
    gains = np.array(list(document.values()))
    assert ideal_base(topic_of([document]), gains, NestingChoice.SHORTER).tolist() == [0]
    assert ideal_base(topic_of([document]), gains, NestingChoice.BEST).tolist() == [2]


def test_ties_go_to_the_ancestor_and_names_are_compared_by_steps():
    document = {"/a[1]/s[1]": 0.5, "/a[1]/s[1]/p[1]": 0.5, "/a[1]/s[11]": 0.25}
    gains = np.array(list(document.values()))
    for keep in NestingChoice:
        assert ideal_base(topic_of([document]), gains, keep).tolist() == [0, 2]
