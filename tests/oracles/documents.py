"""Random documents, and user models on them computed a character or a pair at a time."""

import math

import numpy as np
from hypothesis import strategies as st

from prum_eval.collection.locations import Locations
from prum_eval.collection.trees import make_forest
from prum_eval.records import StructureDocument
from prum_eval.user_models.model import ModelContext, RankedTopic
from prum_eval.user_models.registry import build_model, choose_model

POINT, PASSAGE, ELEMENT = "point", "passage", "element"


@st.composite
def trees(draw, name="doc"):
    """A document with text between, before and after children, and with empty elements."""
    rows = []  # (path, start, length), in document order

    def element(path, at, depth):
        place = len(rows)
        rows.append(None)
        end = at + draw(st.integers(0, 4))
        if depth < 3:
            for number in range(1, draw(st.integers(0, 3)) + 1):
                end = element(f"{path}/s[{number}]", end, depth + 1) + draw(st.integers(0, 3))
        rows[place] = (path, at, end - at)
        return end

    element("/article[1]", 0, 0)
    return tree_of(*zip(*rows, strict=True), name=name)


def tree_of(paths, starts, lengths, name="doc"):
    """A document of these elements."""
    columns = np.array(starts), np.array(lengths), np.arange(len(paths))
    return make_forest({name: StructureDocument(name, tuple(paths), *columns)})[name]


class Place:
    """An element of a document, a passage (start, length), or a point; document None is a result that is nowhere."""

    def __init__(self, document, kind, tree=None, element=-1, start=-1, length=-1):
        self.document, self.kind, self.tree, self.element = document, kind, tree, element
        self.start = int(tree.start[element]) if kind == ELEMENT else start
        self.length = int(tree.length[element]) if kind == ELEMENT else length

    def characters(self):
        return set(range(self.start, self.start + self.length))

    def is_itself(self, target):
        """Does this result point to that very target?"""
        if self.document is None or self.document != target.document:
            return False
        if self.kind == target.kind == ELEMENT:
            return self.element == target.element
        return self.start == target.start and target.length in (0, self.length)


@st.composite
def places_in(draw, documents, kinds):
    number = draw(st.integers(0, len(documents) - 1))
    tree, kind = documents[number], draw(st.sampled_from(kinds))
    if kind == ELEMENT:
        return Place(number, kind, tree, draw(st.integers(0, len(tree.paths) - 1)))
    start = draw(st.integers(0, max(0, int(tree.length[0]))))
    return Place(number, kind, start=start, length=draw(st.integers(1, 12)) if kind == PASSAGE else 0)


@st.composite
def ranked_topics(draw, results=(ELEMENT, PASSAGE), targets=(ELEMENT, PASSAGE)):
    """(documents, results, targets); targets all differ."""
    documents = [draw(trees(f"doc{i}")) for i in range(2)]
    listed = draw(st.lists(places_in(documents, results), max_size=6))
    wanted = draw(st.lists(places_in(documents, targets), min_size=1, max_size=4))
    return documents, listed, [x for i, x in enumerate(wanted) if not any(y.is_itself(x) for y in wanted[:i])]


def matrix_of_model(name, settings, ranked, mean_length=None):
    """R under a registered user model."""
    model = build_model(choose_model(name, settings), ModelContext(mean_length=mean_length))
    return model(record_of(ranked)).dense()


def record_of(ranked):
    """The same as user models see it."""
    documents, results, targets = ranked
    return RankedTopic(
        "1", _places(results), _places(targets), documents, lambda: [""] * len(results), [""] * len(targets)
    )


def _places(places):
    def column(values):
        return np.array(list(values), dtype=np.int64)

    return Locations(
        column(-1 if place.document is None else place.document for place in places),
        column(place.element for place in places),
        column(place.tree.end[place.element] if place.kind == ELEMENT else -1 for place in places),
        column(place.start for place in places),
        column(place.length for place in places),
        np.array([place.document is not None for place in places], dtype=np.bool_),
    )


def matrix_of_pairs(ranked, probability):
    """R from a function of (result, target) within a document; 1 for the target itself."""
    _, results, targets = ranked
    return np.array([
        [1.0 if y.is_itself(x) else probability(y, x) if y.document == x.document else 0.0 for x in targets]
        for y in results
    ]).reshape(len(results), len(targets))  # fmt: skip


def hierarchical(y, x):
    shared = len(y.characters() & x.characters())
    return shared / max(y.length, x.length) if shared else 0.0


def t2i(tolerance, decay):
    def probability(y, x):
        if x.start + x.length <= y.start:
            return 0.0
        away = max(0, x.start - y.start)
        if decay == "inverse":
            return tolerance / (tolerance + away) if tolerance + away else 1.0
        if decay == "exponential":
            return 1.0 if away == 0 else math.exp(-away / tolerance) if tolerance else 0.0
        return float(x.start - y.start <= tolerance)

    return probability


def coverage(beyond=0, *, whole=False):
    """Share of the characters of x that are from the start of y to `beyond` characters after its end."""

    def probability(y, x):
        if not y.length:
            return 0.0
        read = set(range(y.start, y.start + y.length + beyond))
        if not x.length:
            return float(x.start in read)
        share = len(read & x.characters()) / x.length
        return float(share == 1) if whole else share

    return probability


def bep_distance(A, L):
    return lambda y, x: A * L / (A * L + abs(y.start - x.start))


def logistic(rate):
    return lambda y, x: 2 / (1 + math.exp(rate * abs(y.start - x.start)))


def siblings(fade):
    """Over the elements beside x in its parent, found by their paths."""

    def probability(y, x):
        best = 0.0
        parent = x.tree.paths[x.element].rpartition("/")[0]
        family = [z for z, path in enumerate(x.tree.paths) if parent and path.rpartition("/")[0] == parent]
        for z in family or [x.element]:
            away = abs(family.index(z) - family.index(x.element)) if family else 0
            other = Place(x.document, ELEMENT, x.tree, z)
            alike = y.element == z if y.kind == ELEMENT else (y.start, y.length) == (other.start, other.length)
            best = max(best, fade**away * (1.0 if alike else hierarchical(y, other)))
        return best

    return probability
