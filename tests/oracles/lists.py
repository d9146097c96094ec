"""Topics made of matrices: what each result and each target leads to is given, with lengths and documents."""

import numpy as np
from hypothesis import strategies as st

from prum_eval.collection.locations import Locations
from prum_eval.measures.topic_data import JudgedTopic, Ranking, TopicData
from prum_eval.records import AssessmentKind, FlatTopic
from prum_eval.relevance.targets import TargetSet
from prum_eval.user_models.model import apply_modifiers, make_reach

NOWHERE = -1
PLAIN = {"once": "off", "rank_decay": 1.0, "items": "none", "consider": 1.0}


def topic_of(R, starred, weights, sizes, ideal_sizes, documents=None, items="none", beyond=None, ideal_beyond=None):
    """One topic: R of the results, R* of the targets in the order of the assessments, their characters.

    `beyond`, `ideal_beyond`: the characters that the user reads beyond results and targets.
    `documents` numbers those of the results from 0, NOWHERE is X; target x is alone in document 100 + x.
    """
    t, n = len(weights), len(sizes)
    R, starred = (np.array(matrix, dtype=np.float64).reshape(-1, t) for matrix in (R, starred))
    documents = list(range(n)) if documents is None else documents
    targets = _places([100 + x for x in range(t)], range(t), ideal_sizes)
    results = _places(documents, range(1000, 1000 + n), sizes)

    def model(ranked):
        start = ranked.results.start
        matrix = R if (start >= 1000).all() else starred[start]
        own = np.zeros(matrix.shape, dtype=np.bool_)
        if matrix is not R:
            own = start[:, None] == np.arange(t)
        rank, target = np.nonzero(matrix)
        return make_reach(len(start), t, rank, target, matrix[rank, target], own[rank, target])

    def reading(ranked):
        start = ranked.results.start
        return np.array(beyond if (start >= 1000).all() else ideal_beyond, dtype=np.float64)[start % 1000]

    names = tuple(f"d{x}" for x in range(t))
    judged = JudgedTopic(
        "1",
        FlatTopic("qrels", names, np.ones(t, dtype=np.int64), np.arange(t) + 1),
        "gen",
        TargetSet(names, (-1,) * t, targets, np.array(weights, dtype=np.float64), names, np.full(t, -1)),
        lambda: apply_modifiers(model, PLAIN | {"items": items}),
        kind=AssessmentKind.PASSAGES,
        reading=lambda: reading,
    )
    exists = results.document >= 0
    lines = np.arange(n) + 1
    return TopicData(
        judged, Ranking(results, exists, np.zeros(n), list, "run", lines, lambda: [f"r{d}" for d in documents])
    )


def _places(documents, starts, lengths):
    document, start, length = (np.array(list(column), dtype=np.int64) for column in (documents, starts, lengths))
    none = np.full(len(document), -1)
    return Locations(document, none, none, start, length, none < 0)


@st.composite
def lists(draw, max_results=5, max_targets=3, lengths=None):
    """(R, R*, weights, sizes, ideal sizes, documents), a few results and targets."""
    lengths = st.integers(0, 7) if lengths is None else lengths
    t, n = draw(st.integers(1, max_targets)), draw(st.integers(0, max_results))
    eighths = st.integers(0, 8).map(lambda i: i / 8)
    row = st.lists(st.one_of(st.just(0.0), eighths), min_size=t, max_size=t)
    R, starred = (draw(st.lists(row, min_size=rows, max_size=rows)) for rows in (n, t))
    for x in range(t):
        starred[x][x] = 1.0
    weights = draw(st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=t, max_size=t))
    sizes, ideal = (draw(st.lists(lengths, min_size=rows, max_size=rows)) for rows in (n, t))
    documents = draw(st.lists(st.integers(NOWHERE, 2), min_size=n, max_size=n))
    for k, document in enumerate(documents):
        if document == NOWHERE:
            R[k] = [0.0] * t
    return R, starred, weights, sizes, ideal, documents
