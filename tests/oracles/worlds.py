"""Small collections to evaluate on: flat documents joined by probabilities, and matrices of any kind."""

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from prum_eval.collection.locations import Locations
from prum_eval.measures.registry import MEASURES_BY_NAME
from prum_eval.measures.seen_states import make_seen_states
from prum_eval.measures.topic_data import JudgedTopic, Ranking, TopicData
from prum_eval.records import FlatTopic, NavigationFile
from prum_eval.relevance.targets import TargetSet
from prum_eval.user_models.graph import MODEL as GRAPH_MODEL
from prum_eval.user_models.model import ModelContext, make_reach


def examples(count):
    """Settings under which hypothesis always tries the same examples and keeps no files."""
    return settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )


PROBABILITIES = st.one_of(
    st.sampled_from([0.0, 0.0, 0.0, 0.25, 0.5, 0.9, 1.0]),
    st.floats(0.0, 1.0, allow_subnormal=False),
)


@st.composite
def matrices(draw, max_ranks=5, max_targets=4, probabilities=PROBABILITIES):
    """R as a list of rows, and the number of targets."""
    t = draw(st.integers(1, max_targets))
    row = st.lists(probabilities, min_size=t, max_size=t)
    return draw(st.lists(row, min_size=0, max_size=max_ranks)), t


def seen_of(R, t, order=None):
    """The states that a matrix leads through; entries of 1 count as the target itself."""
    matrix = np.array(R, dtype=np.float64).reshape(len(R), t)
    rank, target = np.nonzero(matrix)
    probability = matrix[rank, target]
    reach = make_reach(len(R), t, rank, target, probability, probability == 1)
    return make_seen_states(reach, None if order is None else np.array(order))


def unseen_surely(R, t):
    """Number of targets that no rank ever shows for sure: they may still be among the unranked elements."""
    return sum(all(row[x] < 1 for row in R) for x in range(t))


@st.composite
def worlds(draw, max_documents=6, max_targets=4, steps=8):
    """(edges, {target: weight}, results): documents d0, d1, ... where some lead to others."""
    names = [f"d{i}" for i in range(draw(st.integers(2, max_documents)))]
    eighths = st.integers(1, steps).map(lambda i: i / steps)
    pairs = st.tuples(st.sampled_from(names), st.sampled_from(names)).filter(lambda pair: pair[0] != pair[1])
    edges = draw(st.dictionaries(pairs, eighths, max_size=10))
    chosen = draw(st.lists(st.sampled_from(names), min_size=1, max_size=max_targets, unique=True))
    weights = {name: draw(st.sampled_from([0.25, 0.5, 1.0])) for name in chosen}
    return edges, weights, draw(st.lists(st.sampled_from(names), unique=True))


def matrix_of(edges, targets, results):
    """R of a list of documents: its own target 1, what it leads to as the edges say."""
    return [[1.0 if name == target else edges.get((name, target), 0.0) for target in targets] for name in results]


def facts_of(edges, weights, results, size=None):
    """The data of one topic under the graph user model."""
    targets, others = list(weights), [name for name in results if name not in weights]
    number = {name: i for i, name in enumerate([*targets, *dict.fromkeys(others)])}
    sources, ends = [source for source, _ in edges], [end for _, end in edges]
    file = NavigationFile(
        "navigation",
        (None,) * len(edges),
        tuple(sources),
        tuple(ends),
        np.array(list(edges.values()), dtype=np.float64),
        np.arange(len(edges)) + 1,
    )
    model = GRAPH_MODEL.build({"damping": 0.85}, ModelContext(navigation=file))
    lines = np.arange(len(targets)) + 1
    judged = JudgedTopic(
        "1",
        FlatTopic("qrels", tuple(targets), np.ones(len(targets), dtype=np.int64), lines),
        "gen",
        TargetSet(
            tuple(targets),
            (-1,) * len(targets),
            _documents(range(len(targets))),
            np.array(list(weights.values()), dtype=np.float64),
            tuple(targets),
            np.full(len(targets), -1),
        ),
        lambda: model,
        unplaced_nodes=tuple(dict.fromkeys(sources)),
    )
    ranking = Ranking(
        _documents([number[name] for name in results]),
        np.ones(len(results), dtype=np.bool_),
        np.zeros(len(results)),
        lambda: results,
        "run",
        np.arange(len(results)) + 1,
        lambda: results,
    )
    return TopicData(judged, ranking, size)


def _documents(numbers):
    document = np.array(numbers, dtype=np.int64)
    whole, unknown = np.zeros(len(document), dtype=np.int64), np.full(len(document), -1)
    return Locations(document, whole, whole + 1, unknown, unknown, np.zeros(len(document), dtype=np.bool_))


def value_of(name, data, points=(), **values):
    """A registered measure on one topic, parameters off their defaults by name."""
    measure = MEASURES_BY_NAME[name]
    defaults = {parameter.name: parameter.default for parameter in measure.parameters}
    chosen = {key: value for key, default in defaults.items() if (value := values.get(key, default)) is not None}
    row = measure.compute_topic(data, chosen, np.array(points, dtype=np.float64))
    return row if len(points) else float(row[0])
