"""Documents checked all at once are what they are when they are checked element by element, and so are problems."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.formats.structure_text import NestingChecker, make_nested_document

STEPS = st.sampled_from(["/a[1]", "/b[1]", "/b[2]", "/b", "/c[1]"])
ODD = st.sampled_from([b"/a[1]/b[0]", b"a[1]", b"/a[1]//b[1]", b"/a[1]/\xff[1]", b"", b"/b[1]"])


@st.composite
def documents(draw):
    """Elements of a document: a tree in pre-order, of which a few may be moved, doubled, dropped or spoilt."""
    paths = [b"/a[1]"]
    for _ in range(draw(st.integers(0, 6))):
        parent = draw(st.sampled_from(paths))
        path = parent + draw(STEPS).encode()
        behind = max(i for i, one in enumerate(paths) if one == parent or one.startswith(parent + b"/")) + 1
        if path not in paths:
            paths.insert(behind, path)
    for _ in range(draw(st.integers(0, 2)) * draw(st.integers(0, 1))):
        kind, place = draw(st.sampled_from(["swap", "double", "drop", "odd"])), draw(st.integers(0, len(paths) - 1))
        if kind == "swap":
            other = draw(st.integers(0, len(paths) - 1))
            paths[place], paths[other] = paths[other], paths[place]
        elif kind == "double":
            paths.insert(place, draw(st.sampled_from(paths)))
        elif kind == "odd":
            paths[place] = draw(ODD)
        elif len(paths) > 1:
            del paths[place]
    numbers = st.integers(0, 9)
    if draw(st.booleans()):
        start, length = [0] * len(paths), [9] * len(paths)
    else:
        start = draw(st.lists(numbers, min_size=len(paths), max_size=len(paths)))
        length = draw(st.lists(numbers, min_size=len(paths), max_size=len(paths)))
    return paths, start, length, draw(st.booleans()), draw(st.integers(1, len(paths)))


def parts_of(document, first_line):
    paths, start, length, _, cut = document
    lines = np.arange(first_line, first_line + len(paths))
    columns = (paths, np.array(start), np.array(length), lines)
    whole = [tuple(column[:cut] for column in columns), tuple(column[cut:] for column in columns)]
    return [part for part in whole if len(part[0])]


@given(st.lists(documents(), min_size=1, max_size=5), st.lists(st.booleans(), min_size=5, max_size=5))
def test_all_at_once_is_one_by_one(listed, checks):
    wanted_problems, problems, wanted = [], [], {}
    columns = NestingChecker("s", problems.append)
    line = 1
    for number, (document, check) in enumerate(zip(listed, checks, strict=False)):
        name, parts, damaged = f"d{number}", parts_of(document, line), document[3]
        wanted[name] = make_nested_document(name, parts, "s", wanted_problems.append, damaged=damaged)
        columns.add(name, parts, damaged=damaged)
        if check:
            columns.check()
        line += len(document[0])
    found = columns.documents()
    assert list(map(str, problems)) == list(map(str, wanted_problems))
    assert list(found) == list(wanted)
    for name, document in wanted.items():
        assert found[name].paths == document.paths
        for column in ("start", "length", "lines"):
            assert getattr(found[name], column).tolist() == getattr(document, column).tolist()


@given(st.lists(documents(), min_size=1, max_size=4))
def test_trees_are_those_of_the_paths(listed):
    columns = NestingChecker("s", lambda _: None)
    for number, document in enumerate(listed):
        columns.add(f"d{number}", parts_of(document, 1), damaged=False)
    found = columns.documents()
    if not hasattr(found, "columns"):  # a document was unusual
        return
    made = found.columns
    for number, name in enumerate(found):
        paths = found[name].paths
        low, high = made.bounds[number : number + 2].tolist()
        for row, path in enumerate(paths):
            parent = path.rpartition("/")[0]
            assert made.parent[low:high][row] == (paths.index(parent) if parent else -1)
            inside = [i for i, one in enumerate(paths) if one == path or one.startswith(path + "/")]
            assert made.end[low:high][row] == inside[-1] + 1
