"""Trees of many documents at once, against each tree alone."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.collection.trees import NumberedTrees, forest_from_assessments, make_forest, nest_paths
from prum_eval.formats import structure_index as index_trees
from prum_eval.formats.structure_index import TreeBatch as Packable
from prum_eval.formats.structure_index import pack_trees, unpack_trees
from prum_eval.records import StructureDocument
from tests.oracles.documents import trees
from tests.oracles.worlds import examples


def documents_of(listed):
    made = {}
    for number, tree in enumerate(listed):
        lines = np.arange(len(tree.paths))
        made[f"doc{number}"] = StructureDocument(f"doc{number}", tree.paths, tree.start, tree.length, lines)
    return made


@examples(60)
@given(st.lists(trees(), max_size=4), st.sampled_from([1, 5, 1 << 18]), st.sampled_from([0, 2**31 - 1]))
def test_places_of_many_documents(listed, together, most):
    forest = make_forest(documents_of(listed))
    with (
        patch("prum_eval.collection.trees._ROWS_TOGETHER", together),
        patch("prum_eval.collection.trees._MAX_INT32", most),
    ):
        assert len(forest.rows(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))) == 0
    assert list(forest) == [f"doc{number}" for number in range(len(listed))]
    every = sorted({path for tree in listed for path in tree.paths} | {"/nothing[1]"})
    codes = forest.codes(every)
    for number, tree in enumerate(listed):
        rows = forest.rows(np.full(len(every), number), codes)
        elements = np.where(rows >= 0, rows - forest.columns.bounds[number], -1)
        assert elements.tolist() == [tree.paths.index(path) if path in tree.paths else -1 for path in every]
        own = forest[f"doc{number}"]
        assert (own.paths, own.complete) == (tree.paths, True)
        for column in ("parent", "end", "start", "length"):
            assert getattr(own, column).tolist() == getattr(tree, column).tolist()
    assert (forest.rows(np.full(len(every), -1), codes) == -1).all()
    assert forest.number("unknown") == -1


def test_trees_by_number():
    forest = forest_from_assessments({"a": (["/x[1]/y[2]", "/x[1]", "/x[1]/y[2]/z[1]"], [3, 9, -1])})
    found = NumberedTrees(forest, np.array([-1, 0]))
    assert (len(found), found[0]) == (2, None)
    tree = found[1:][0]
    assert tree.paths == ("/x[1]", "/x[1]/y[2]", "/x[1]/y[2]/z[1]")
    assert (tree.length.tolist(), tree.start.tolist(), tree.complete) == ([9, 3, -1], [-1, -1, -1], False)
    assert (tree.parent.tolist(), tree.end.tolist()) == ([-1, 0, 1], [3, 3, 3])
    assert NumberedTrees(None, np.array([-1]))[0] is None


def packed(paths):
    """A document of these elements, with tags of one letter, packed."""
    parent, end = nest_paths(paths)
    last = [path.rpartition("/")[2] for path in paths]
    tags = tuple(sorted({step[0] for step in last}))
    zeros = np.zeros(len(paths), dtype=np.int64)
    documents = Packable(
        ("d",), zeros[:1], np.array([0, len(paths)]), tags,
        np.array([tags.index(step[0]) for step in last]), np.array([int(step[2:-1]) for step in last]),
        np.array(parent), np.array(end) - np.arange(len(paths)), zeros, zeros,
    )  # fmt: skip
    ((layout, text),) = pack_trees(documents, range(len(tags)))
    return ("d", layout, text, None), tags


def test_deep_documents_are_unpacked():
    paths = ["/a[1]"]
    for level in range(300):
        paths.append(f"{paths[-1]}/b[{level + 1}]")
    row, tags = packed(paths)
    found = unpack_trees([row, ("e", *row[1:])], tags)
    assert found.paths_of(0) == found.paths_of(1) == tuple(paths)
    assert len(found.paths) == len(paths)


@pytest.mark.parametrize(
    ("element", "field", "value"),
    [(0, 0, 1), (1, 0, 0), (1, 0, 2), (2, 0, 1), (1, 1, 2), (2, 2, 7)],
    ids=["root with parent", "second root", "parent before", "parent that ended", "subtree too large", "unknown tag"],
)
def test_a_damaged_tree_is_refused(element, field, value):
    (name, layout, text, _), tags = packed(["/a[1]", "/a[1]/b[1]", "/a[1]/b[2]"])
    damaged = bytearray(text)
    damaged[6 * element + field] = value
    with pytest.raises(ValueError, match="a tree does not have its layout"):
        unpack_trees([(name, layout, bytes(damaged), None)], tags)


def eights(rows):
    """A document whose numbers have eight bytes each."""
    return ("d", 0o7777, np.array(rows, dtype="<u8").tobytes(), None)


@pytest.mark.parametrize("field", range(6), ids=["up", "size", "tag", "rank", "start", "length"])
@pytest.mark.parametrize("element", [0, 1])
@pytest.mark.parametrize("value", [1 << 63, (1 << 64) - 1])
def test_numbers_of_64_bits_are_refused(field, element, value):
    rows = [[0, 2, 0, 1, 0, 9], [1, 1, 1, 1, 0, 9]]
    assert unpack_trees([eights(rows)], ("a", "b")).paths_of(0) == ("/a[1]", "/a[1]/b[1]")
    rows[element][field] = value
    with pytest.raises(ValueError, match="a tree does not have its layout"):
        unpack_trees([eights(rows)], ("a", "b"))


@pytest.mark.parametrize(("document", "element", "size"), [(0, 0, 3), (0, 0, 4), (0, 1, 2), (1, 0, 3), (1, 1, 2)])
def test_subtrees_end_with_their_document(document, element, size):
    documents = [[[0, 2, 0, 1, 0, 9], [1, 1, 1, 1, 0, 9]] for _ in range(2)]
    documents[document][element][1] = size
    with pytest.raises(ValueError, match="a tree does not have its layout"):
        unpack_trees(map(eights, documents), ("a", "b"))


@st.composite
def listed_trees(draw):
    """A tree as rows of up, size, tag, rank, start, length in document order, and its paths."""
    rows, paths = [], []

    def grow(parent, tag, rank, depth):
        place = len(rows)
        rows.append(
            [place - parent if paths else 0, 0, tag, rank, draw(st.integers(0, 2**33)), draw(st.integers(0, 9))]
        )
        paths.append(f"{paths[parent] if paths else ''}/{'ab'[tag]}[{rank}]")
        for child in range(draw(st.integers(0, 3)) if depth < 3 else 0):
            grow(place, child % 2, child // 2 + 1, depth + 1)
        rows[place][1] = len(rows) - place

    grow(0, draw(st.integers(0, 1)), draw(st.sampled_from([1, 2, 10**6])), 0)
    return rows, tuple(paths)


@examples(60)
@given(st.lists(listed_trees(), max_size=5))
def test_trees_are_unpacked_whatever_is_unpacked_together(listed):
    for together in (1, 200, 1 << 21):
        with patch.object(index_trees, "_BATCH_BYTES", together):
            found = unpack_trees([eights(rows) for rows, _ in listed], ("a", "b"))
        assert len(found.names) == len(listed)
        assert len(set(found.paths)) == len(found.paths)
        for number, (rows, paths) in enumerate(listed):
            own = slice(*found.bounds[number : number + 2].tolist())
            up, size, _, _, start, length = np.array(rows).T
            places = np.arange(len(rows))
            assert found.paths_of(number) == paths
            assert found.parent[own].tolist() == np.where(up == 0, -1, places - up).tolist()
            assert found.end[own].tolist() == (places + size).tolist()
            assert (found.start[own].tolist(), found.length[own].tolist()) == (start.tolist(), length.tolist())
