"""Gains of results that overlap, of those that matter, against the same recursion told of every result."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.collection.locations import make_locations
from prum_eval.collection.trees import DocumentTree, nest_paths
from prum_eval.measures.coverage import coverage
from prum_eval.measures.xcg import DocumentReader, dependent_gains, remove_noise


@st.composite
def documents(draw):
    """A tree, the value of each element, lengths that may be unknown."""
    parents = [-1, *(draw(st.integers(0, number)) for number in range(draw(st.integers(0, 7))))]
    children = {number: [one for one, above in enumerate(parents) if above == number] for number in range(len(parents))}

    def walk(number, path):
        yield path
        for place, child in enumerate(children[number], start=1):
            yield from walk(child, f"{path}/e[{place}]")

    paths = list(walk(0, "/r[1]"))
    parent, end = nest_paths(paths)
    sizes = st.integers(0, 9) if draw(st.booleans()) else st.integers(-1, 9)
    length = np.array([draw(sizes) for _ in paths], dtype=np.int64)
    values = np.array([draw(st.sampled_from([0.0, 0.25, 0.3, 1.0])) for _ in paths])
    return DocumentTree("d", tuple(paths), np.array(parent), np.array(end), length * 0, length), values


def gains_of_all(q, results, cover, alpha, trees, values, around):
    """Every result changes what its reader says, and is asked for its gain unless an earlier one covers it."""
    readers = [DocumentReader(tree, own, alpha) for tree, own in zip(trees, values, strict=True)]
    gains = np.where(cover.is_covered, (1.0 - alpha) * q, q)
    for i, (number, x, *_) in enumerate(results.rows()):
        if number < 0 or number >= len(trees):
            continue
        if x >= 0:
            if not cover.is_covered[i]:
                gains[i] = readers[number].gain(x)
            readers[number].see(x)
        elif around[i] >= 0:
            readers[number].see_inside(int(around[i]))
    return remove_noise(gains)


@given(st.lists(documents(), min_size=1, max_size=3), st.sampled_from([0.3, 0.5, 1.0]), st.booleans(), st.data())
def test_results_that_are_left_out_change_nothing(listed, alpha, partial, data):
    rows, around, q = [], [], []
    for _ in range(data.draw(st.integers(0, 12))):
        number = data.draw(st.integers(-1, len(listed)))
        inside = 0 <= number < len(listed)
        tree, values = listed[number] if inside else listed[0]
        x = data.draw(st.integers(-1, len(tree.paths) - 1))
        rows.append((number, x, int(tree.end[x]) if x >= 0 else -1, -1, -1, False))
        around.append(data.draw(st.integers(0, len(tree.paths) - 1)) if partial and inside and x < 0 else -1)
        q.append(float(values[x]) if inside and x >= 0 else 0.0)
    results, around = make_locations(rows), np.array(around, dtype=np.int64)
    trees, values = zip(*listed, strict=True)
    arguments = np.array(q), results, coverage(results), alpha
    judged = (results.document >= 0) & (results.document < len(trees))
    readers = [DocumentReader(tree, own, alpha) for tree, own in zip(trees, values, strict=True)]
    gains = dependent_gains(*arguments, judged, around, lambda row: readers[results.document[row]].restarted())
    assert np.array_equal(gains, gains_of_all(*arguments, trees, values, around), equal_nan=True)
