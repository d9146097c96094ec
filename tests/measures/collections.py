"""Small random collections of elements, their assessments and runs, as the records that the readers hand on."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from prum_eval.evaluation.api import evaluate
from prum_eval.records import (
    AssessmentKind,
    Assessments,
    ElementTopic,
    FlatTopic,
    Run,
    RunKind,
    Structure,
    StructureDocument,
)

INTS = np.int64


def examples(count):
    """Settings under which hypothesis always tries the same examples and keeps no files."""
    return settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )


class Element:
    """An element with its extent, its children and what is judged of it."""

    def __init__(self, document, path, start, length, children):
        self.document, self.path, self.start, self.length, self.children = document, path, start, length, children
        self.parent = None
        for child in children:
            child.parent = self

    @property
    def key(self):
        return self.document, self.path

    @property
    def characters(self):
        return {(self.document, at) for at in range(self.start, self.start + self.length)}

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def above(self):
        """Its strict ancestors, the nearest first."""
        if self.parent is not None:
            yield self.parent
            yield from self.parent.above()


@st.composite
def trees(draw, document, least=1):
    """The root of a document; with `least` = 1 no two elements have the same extent."""

    def grow(path, start, depth):
        children, at = [], start + draw(st.integers(least, 3))
        for number in range(draw(st.integers(0, 3 if depth < 3 else 0))):
            child = grow(f"{path}/e[{number + 1}]", at, depth + 1)
            children.append(child)
            at += child.length + draw(st.integers(0, 2))
        return Element(document, path, start, at - start, children)

    return grow("/e[1]", 0, 0)


def documents(count=2, least=1):
    """Roots of some documents."""
    return st.tuples(*(trees(f"d{i}", least) for i in range(count)))


@st.composite
def worlds(draw, kind=AssessmentKind.ELEMENTS_2003, least=1, longest=12):
    """(elements, {key: (first, second)}, keys of a ranked list); some listed documents hold nothing judged."""
    elements = [element for root in draw(documents(least=least)) for element in root.walk()]
    grades = [(0, 0), (0, 0), (1, 1), (1, 3), (2, 2), (3, 1), (3, 3), (3, 3)]
    if kind is AssessmentKind.ELEMENTS_2005:
        grades = [(2, 1.0), (2, 0.5), (1, 0.25), (2, 0.0), (-1, 1.0), (1, 1.0)]
    judged = {
        element.key: draw(st.sampled_from(grades))
        for element in elements
        if draw(st.integers(0, 3 if element.document == "d0" else 1))
    }
    keys = [element.key for element in elements]
    ranked = draw(st.lists(st.sampled_from(keys), unique=True, max_size=longest))
    return elements, judged, ranked


def structure_of(elements):
    """The collection of these elements."""
    names = dict.fromkeys(element.document for element in elements)
    made = {}
    for name in names:
        own = [element for element in elements if element.document == name]
        columns = ([element.start for element in own], [element.length for element in own], range(len(own)))
        made[name] = StructureDocument(
            name, tuple(element.path for element in own), *(np.array(c, INTS) for c in columns)
        )
    characters = sum(element.length for element in elements if element.parent is None)
    return Structure("structure", len(elements), characters, frozenset(names), made, ())


def assessments_of(topics, kind=AssessmentKind.ELEMENTS_2003, sizes=None):
    """Assessments from {topic: {(document, path): (exhaustivity, specificity)}}; sizes by key, if any."""
    made = {}
    for topic, judged in topics.items():
        names = list(dict.fromkeys(document for document, _ in judged))
        rows = sorted(judged.items(), key=lambda row: names.index(row[0][0]))
        bounds = np.searchsorted([names.index(key[0]) for key, _ in rows], np.arange(len(names) + 1))
        pairs = np.array([pair for _, pair in rows], dtype=float).reshape(-1, 2)
        size = np.array([-1 if sizes is None else sizes[key] for key, _ in rows], INTS)
        lines = np.arange(len(rows))
        made[topic] = ElementTopic(
            "judgements", tuple(names), np.arange(len(names)), bounds, tuple(key[1] for key, _ in rows),
            pairs[:, 0], pairs[:, 1], size, size, lines, (), (),
        )  # fmt: skip
    return Assessments("judgements", kind, made)


def flat_assessments_of(grades, topic="1"):
    """Assessments of documents from {document: grade}."""
    columns = (np.array(list(grades.values()), INTS), np.arange(len(grades)))
    return Assessments("qrels", AssessmentKind.FLAT, {topic: FlatTopic("qrels", tuple(grades), *columns)})


def run_of(lists, shape=RunKind.ELEMENTS, score=None):
    """A run from {topic: [(document, path)]}, of Element for offsets, of names for flat lists."""
    rows = [row for listed in lists.values() for row in listed]
    keys = [(row, "") if isinstance(row, str) else row.key if isinstance(row, Element) else row for row in rows]
    names, paths = list(dict.fromkeys(key[0] for key in keys)), list(dict.fromkeys(key[1] for key in keys))
    none = np.full(len(rows), -1, INTS)
    code = np.array([paths.index(key[1]) for key in keys], INTS) if shape is RunKind.ELEMENTS else none
    start, length = none, none
    if shape is RunKind.EXTENTS:
        start, length = np.array([row.start for row in rows], INTS), np.array([row.length for row in rows], INTS)
    bounds = np.cumsum([0, *(len(listed) for listed in lists.values())])
    scores = np.arange(len(rows), 0.0, -1.0) if score is None else np.array(score, dtype=float)
    return Run(
        "run", "run", shape, tuple(lists), bounds, tuple(names), np.array([names.index(key[0]) for key in keys], INTS),
        tuple(paths), code, code, start, length, np.ones(len(rows), dtype=bool), scores, np.arange(1, len(rows) + 1), 0,
    )  # fmt: skip


def values(assessments, run, *specs, **options):
    """{topic: {name: value}} of one run."""
    return evaluate(assessments, run, measures=list(specs), **options).runs[0].topics
