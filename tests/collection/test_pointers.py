"""From pointers and ranges of elements to offsets, on a small document with text between its elements."""

from __future__ import annotations

import numpy as np
import pytest

from prum_eval.collection.locations import PointerError, ReversedError, direct_text, pointer_extent, pointer_offset
from prum_eval.collection.trees import make_forest
from prum_eval.records import StructureDocument

ELEMENTS = {  # path: start, length
    "/a[1]": (0, 100),
    "/a[1]/p[1]": (10, 20),
    "/a[1]/p[2]": (30, 0),
    "/a[1]/p[3]": (40, 30),
    "/a[1]/p[3]/b[1]": (50, 10),
}


@pytest.fixture
def tree():
    columns = np.array(list(ELEMENTS.values()), dtype=np.int64).T
    document = StructureDocument("d", tuple(ELEMENTS), columns[0], columns[1], np.arange(len(ELEMENTS)))
    return make_forest({"d": document})["d"]


def test_own_text_is_what_the_children_leave(tree):
    assert direct_text(tree, 0) == [(0, 10), (30, 40), (70, 100)]
    assert direct_text(tree, 3) == [(40, 50), (60, 70)]
    assert direct_text(tree, 2) == []


@pytest.mark.parametrize(
    ("pointer", "start", "end"),
    [
        ("/a[1]/p[1]", 10, 30),
        ("/A[1]/P[1]", 10, 30),  # case does not matter
        ("/a[1]/text()[2]", 30, 40),
        ("/a[1]/text()[2].4", 34, 34),
        ("/a[1]/text()[2].10", 40, 40),
        ("/a[1]/p[3]/text()[2]", 60, 70),
    ],
)
def test_where_pointers_lead(tree, pointer, start, end):
    assert (pointer_offset(tree, pointer), pointer_offset(tree, pointer, at_end=True)) == (start, end)


@pytest.mark.parametrize(
    ("pointer", "reason"),
    [
        ("/a[1]/p[4]", "/a[1]/p[4] is not in the structure of document d"),
        ("/a[1]/text()[4]", "/a[1]/text()[4]: the element has 3 stretches of text in the structure"),
        ("/a[1]/text()[1].11", "/a[1]/text()[1].11: that stretch of text has 10 characters in the structure"),
    ],
)
def test_pointers_that_lead_nowhere(tree, pointer, reason):
    with pytest.raises(PointerError) as error:
        pointer_offset(tree, pointer)
    assert str(error.value) == reason


def test_the_extent_between_two_pointers(tree):
    assert pointer_extent(tree, "/a[1]/p[1]", "/a[1]/p[3]/b[1]") == (10, 50)
    assert pointer_extent(tree, "/a[1]/p[1]", "/a[1]/text()[1]") == (10, 0)
    with pytest.raises(ReversedError, match=r"^the passage ends before it begins \(/a.*p\[3\] to /a.*p\[1\]\)$"):
        pointer_extent(tree, "/a[1]/p[3]", "/a[1]/p[1]")


def test_the_extent_of_a_range_of_elements(tree):
    assert tree.extent(1, 1) == (10, 20)
    assert tree.extent(1, 4) == (10, 50)
    assert tree.extent(3, 1) is None
    assert tree.extent(2, 1) is None  # it is empty and begins where the other ends, and still comes after it
