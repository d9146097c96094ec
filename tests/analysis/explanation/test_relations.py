"""How results lead to targets: small documents by hand, and what drawings make of them."""

from __future__ import annotations

import pytest

from prum_eval.analysis.explanation import Connection, Relation, find_connection
from prum_eval.collection.locations import make_locations
from prum_eval.user_models.model import NavigationBasis
from prum_eval.user_models.registry import BUILT_IN

# One document: article 0-100 (element 0) with section 1 at 10-60 (1), its paragraphs 10-30 (2) and 30-60 (3), section 2
# at 60-100 (4).
ELEMENTS = {
    "article": (0, 0, 5, 0, 100, True),
    "section1": (0, 1, 4, 10, 50, True),
    "p1": (0, 2, 3, 10, 20, True),
    "p2": (0, 3, 4, 30, 30, True),
    "section2": (0, 4, 5, 60, 40, True),
    "passage": (0, -1, -1, 25, 10, True),
    "point": (0, -1, -1, 40, 0, True),
    "elsewhere": (1, 0, 1, 0, 100, True),
    "unplaced": (0, -1, -1, -1, -1, False),
    "nowhere": (-1, -1, -1, -1, -1, False),
}


def how(model, result, target, probability=0.5, *, own=False):
    results, targets = make_locations([ELEMENTS[result]]), make_locations([ELEMENTS[target]])
    leads = BUILT_IN[model].navigation_basis if model in BUILT_IN else NavigationBasis.TEXT
    return find_connection(leads, results, 0, targets, 0, probability, own=own)


CONTAINS, INSIDE, OVERLAP = Connection(Relation.CONTAINS), Connection(Relation.INSIDE), Connection(Relation.OVERLAP)
SIBLING, GRAPH, OTHER = Connection(Relation.SIBLING), Connection(Relation.GRAPH), Connection(Relation.OTHER)


@pytest.mark.parametrize(
    ("model", "result", "target", "wanted"),
    [
        ("hierarchical", "article", "p2", CONTAINS),
        ("hierarchical", "p2", "section1", INSIDE),
        ("hierarchical", "passage", "p1", OVERLAP),  # 25-35 and 10-30
        ("hierarchical", "passage", "section1", INSIDE),
        ("hierarchical", "section1", "passage", CONTAINS),
        ("hierarchical", "section1", "point", CONTAINS),
        ("t2i", "p1", "p2", Connection(Relation.AHEAD, 20)),
        ("t2i", "article", "section1", Connection(Relation.AHEAD, 10)),
        ("t2i", "p2", "section1", INSIDE),  # it begins before and ends after the start
        ("t2i", "section1", "p1", CONTAINS),  # both begin at 10
        ("t2i", "passage", "p1", OVERLAP),
        ("bep-distance", "p2", "point", Connection(Relation.AHEAD, 10)),
        ("bep-distance", "section2", "point", Connection(Relation.BEHIND, 20)),
        ("logistic", "p2", "section1", Connection(Relation.BEHIND, 20)),
        ("siblings", "p1", "p2", SIBLING),
        ("graph", "article", "p2", GRAPH),
        ("graph", "elsewhere", "p2", GRAPH),
        ("own-model", "elsewhere", "p2", OTHER),
        ("own-model", "nowhere", "p2", OTHER),
        ("own-model", "unplaced", "p2", OTHER),
        ("own-model", "p1", "p2", Connection(Relation.AHEAD, 20)),
        ("own-model", "article", "p2", CONTAINS),
    ],
)
def test_relations(model, result, target, wanted):
    assert how(model, result, target) == wanted


def test_a_result_that_is_the_target():
    assert how("graph", "p1", "p1", 1.0, own=True) == Connection(Relation.OWN)


def test_siblings_say_which_of_the_two_ways_was_likelier():
    # section 1 over its first paragraph: 20/50; over the second, one step on: .25 * 30/50
    assert how("siblings", "section1", "p1", 0.4) == CONTAINS
    # p of 1: the second paragraph counts in full, and 30/50 is more than the 20/50 of the first itself
    assert how("siblings", "section1", "p1", 0.6) == SIBLING
