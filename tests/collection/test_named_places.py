"""Places that a list names, against a look at each by itself."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.collection.locations import _matching_ranges
from prum_eval.collection.trees import RunPlaces, forest_from_assessments
from prum_eval.text.names import find_document

DOCUMENTS = ["a", "a.xml", "b", "b.html", "c"]
PATHS = ["/r[1]", "/r[1]/s[1]", "/r[1]/s[2]", "/r[1]/s[1]/p[1]", "/q[1]"]
places = st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 4)), max_size=12)


@given(st.dictionaries(st.sampled_from(DOCUMENTS), st.sets(st.sampled_from(PATHS), min_size=1)), places)
def test_places_are_found_as_one_by_one(listed, places):
    forest = forest_from_assessments(
        {name: (sorted(paths), [len(path) for path in sorted(paths)]) for name, paths in listed.items()}
    )
    document, path = np.array(places, dtype=np.int64).reshape(-1, 2).T
    run = SimpleNamespace(documents=DOCUMENTS, paths=PATHS, document=document, first_path=path, last_path=path)
    named = RunPlaces(forest, run)
    element, end, start, length = (column.tolist() for column in named.extents)
    for place, (code, step) in enumerate(places):
        tree = find_document(forest, DOCUMENTS[code])
        found = tree.paths.index(PATHS[step]) if tree is not None and step >= 0 and PATHS[step] in tree.paths else -1
        expected = (-1, -1, -1, -1) if found < 0 else (found, tree.end[found], tree.start[found], tree.length[found])
        assert (element[place], end[place], start[place], length[place]) == expected
        assert (named.rows[place] >= 0) == (found >= 0)
        assert named.numbers[code] == (-1 if tree is None else forest.number(tree.name))


@given(st.lists(st.integers(-1, 60)), st.lists(st.integers(-1, 60)))
def test_runs_of_numbers_are_those_that_a_search_finds(wanted, ordered):
    ordered = np.array(sorted(ordered), dtype=np.int64)
    low, count = _matching_ranges(np.array(wanted, dtype=np.int64), ordered)
    assert count.tolist() == [0 if one < 0 else ordered.tolist().count(one) for one in wanted]
    assert low.tolist() == [sum(other < one for other in ordered.tolist()) for one in wanted]
