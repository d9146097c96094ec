"""The graph model leaves a passage or range that is no element from what lies in it: a noisy-or of its elements."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prum_eval
from tests.oracles.documents import trees
from tests.oracles.files import write_navigation
from tests.oracles.worlds import examples

STRUCTURE = "fixtures/demo/structure.tsv"
ASSESSMENTS = "fixtures/demo/assessments"


def name_of(tree, element):
    return tree.name if element == 0 else f"{tree.name}#{tree.paths[element]}"


def extents(tree):
    return [(int(start), int(start + length)) for start, length in zip(tree.start, tree.length, strict=True)]


def elements_of(tree, start, end):
    """Of exactly that extent the outermost element, else all whose characters are all in it."""
    exact = [i for i, extent in enumerate(extents(tree)) if extent == (start, end)]
    if exact:
        return exact[:1]
    return [i for i, (a, b) in enumerate(extents(tree)) if start <= a <= b <= end and (a < end or a == start)]


@st.composite
def worlds(draw):
    """Trees of a and b, edges to b, and passages (document, start, length)."""
    documents = {name: draw(trees(name)) for name in "ab"}
    nodes = [name_of(tree, i) for tree in documents.values() for i in range(len(tree.paths))]
    shares = st.sampled_from([0.125, 0.5, 0.75, 1.0])
    edges = draw(st.dictionaries(st.sampled_from([node for node in nodes if node != "b"] or ["a"]), shares))
    passages = []
    for _ in range(draw(st.integers(1, 5))):
        name = draw(st.sampled_from("ab"))
        size = int(documents[name].length[0])
        start = draw(st.integers(0, size))
        passages.append((name, start, draw(st.integers(0, size - start))))
    return documents, {(node, "b"): share for node, share in edges.items()}, passages


def written(folder, documents, passages):
    rows = [
        f"{name}\t{path}\t{start}\t{end - start}\n"
        for name, tree in documents.items()
        for path, (start, end) in zip(tree.paths, extents(tree), strict=True)
    ]
    (folder / "structure.tsv").write_text("".join(rows), encoding="utf-8")
    lines = [f"{i} Q0 {name} 1 1.0 run {start} {length}\n" for i, (name, start, length) in enumerate(passages)]
    (folder / "run").write_text("".join(lines), encoding="utf-8")
    (folder / "qrels").write_text("".join(f"{i} 0 b 1\n" for i in range(len(passages))), encoding="utf-8")
    return folder / "qrels", folder / "run"


@pytest.mark.parametrize("kind", ["reach", "step"])
@examples(60)
@given(world=worlds())
def test_passages_against_a_loop_over_elements(kind, world, tmp_path_factory):
    documents, edges, passages = world
    folder = tmp_path_factory.mktemp("world")
    navigation = write_navigation(folder / "navigation", edges or {("nothing", "b"): 0.5})
    found = prum_eval.evaluate(
        *written(folder, documents, passages),
        structure=folder / "structure.tsv",
        navigation=navigation,
        navigation_kind=kind,
        measures="gen_recall.1",
    ).runs[0]
    for i, (name, start, length) in enumerate(passages):
        inside = elements_of(documents[name], start, start + length)
        exact = inside and extents(documents[name])[inside[0]] == (start, start + length)
        itself = name == "b" and (0 in inside or (start == 0 and not exact))
        missed = math.prod(1 - edges.get((name_of(documents[name], e), "b"), 0.0) for e in inside)
        expected = 1.0 if itself else 1 - missed
        assert found.topics[str(i)]["gen_recall_1"] == pytest.approx(expected, rel=1e-12, abs=1e-15)


def recall(tmp_path, line, edges, **options):
    (tmp_path / "run").write_text(line, encoding="utf-8")
    navigation = write_navigation(tmp_path / "navigation", edges)
    options = {"structure": STRUCTURE, "navigation": navigation, "measures": "gen_recall.1"} | options
    return prum_eval.evaluate(ASSESSMENTS, tmp_path / "run", **options).runs[0].topics["102"]["gen_recall_1"]


P1, P2 = "sourdough#/article[1]/body[1]/section[1]/p[1]", "sourdough#/article[1]/body[1]/section[1]/p[2]"
TARGET = "windmills#/article[1]/body[1]/section[1]"


def test_a_range_in_a_document_without_targets(tmp_path):
    """Topic 102 has two ideal elements, a section of windmills of weight 1 and one of kites of weight 1."""
    edges = {(P1, TARGET): 0.5, (P2, TARGET): 0.5, ("sourdough", TARGET): 0.25}
    section = "/article[1]/body[1]/section[1]"
    one = recall(tmp_path, f"102 Q0 sourdough 1 1 r {section}/p[1] {section}/p[1]\n", edges)
    both = recall(tmp_path, f"102 Q0 sourdough 1 1 r {section}/p[1] {section}/p[2]\n", edges)
    assert both == pytest.approx(one * 0.75 / 0.5, rel=1e-12)
    assert recall(tmp_path, f"102 Q0 sourdough 1 1 r {section} {section}\n", edges) == 0.0  # an element, without links


def extent_of(node):
    """Start and length of an element of the demo structure."""
    rows = [line.split("\t") for line in Path(STRUCTURE).read_text(encoding="utf-8").splitlines()]
    return next((int(row[2]), int(row[3])) for row in rows if "#".join(row[:2]) == node)


def test_offsets_of_just_an_element_leave_from_it_alone_and_others_from_all_within(tmp_path):
    start, length = extent_of(P1)
    edges = {(P1, TARGET): 0.5, (P2, TARGET): 1.0}
    exact = recall(tmp_path, f"102 Q0 sourdough 1 1 r {start} {length}\n", edges)
    wider = recall(tmp_path, f"102 Q0 sourdough 1 1 r {start - 1} {length + 1}\n", edges)
    narrower = recall(tmp_path, f"102 Q0 sourdough 1 1 r {start} {length - 1}\n", edges)
    assert exact == wider > narrower == 0.0


def test_one_where_it_begins_at_the_target(tmp_path):
    start, edges = extent_of(TARGET)[0], {("nowhere", TARGET): 0.5}
    section = "/article[1]/body[1]/section[1]"
    sure = recall(tmp_path, f"102 Q0 windmills 1 1 r {section} {section}\n", edges)
    assert recall(tmp_path, f"102 Q0 windmills 1 1 r {start} 3\n", edges) == sure > 0
    assert recall(tmp_path, f"102 Q0 windmills 1 1 r {start + 1} 3\n", edges) == 0.0


def test_one_where_it_holds_the_target_to_its_last_character(tmp_path):
    (start, length), edges = extent_of(TARGET), {("nowhere", TARGET): 0.5}
    sure = recall(tmp_path, f"102 Q0 windmills 1 1 r {start} 3\n", edges)
    assert recall(tmp_path, f"102 Q0 windmills 1 1 r {start - 1} {length + 1}\n", edges) == sure > 0
    assert recall(tmp_path, f"102 Q0 windmills 1 1 r {start - 1} {length}\n", edges) == 0.0


@pytest.mark.parametrize(("linked", "expected"), [(P1, 1.0), ("tides#/article[1]/body[1]/section[1]/p[1]", 2 / 3)])
def test_passages_that_are_targets_leave_from_what_lies_in_them_too(tmp_path, linked, expected):
    """The ideal list of EPRUM goes through the same model: the first passage of tides leads to that of harbours."""
    judged = tmp_path / "judged"
    judged.write_text("1 Q0 tides 918 1743 25 25:562 846:356\n1 Q0 harbours 100 1135 9 9:100\n", encoding="utf-8")
    (tmp_path / "run").write_text(
        "1 Q0 harbours 1 3 r 9 100\n1 Q0 tides 2 2 r 25 562\n1 Q0 tides 3 1 r 846 356\n", encoding="utf-8"
    )
    navigation = write_navigation(tmp_path / "navigation", {(linked, "harbours"): 1.0})
    found = prum_eval.evaluate(
        judged, tmp_path / "run", structure=STRUCTURE, navigation=navigation, measures="eprum_prec_at_recall.1"
    )
    assert found.runs[0].all["eprum_prec_at_recall_1.00"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("jobs", [1, 2])
def test_workers_see_the_same(tmp_path, jobs):
    edges = {(P1, TARGET): 0.5, (P2, TARGET): 0.5}
    section = "/article[1]/body[1]/section[1]"
    (tmp_path / "one").write_text(f"102 Q0 sourdough 1 1 one {section}/p[1] {section}/p[2]\n", encoding="utf-8")
    (tmp_path / "two").write_text(f"102 Q0 sourdough 1 1 two {section}/p[1] {section}/p[1]\n", encoding="utf-8")
    navigation = write_navigation(tmp_path / "navigation", edges)
    options = {"structure": STRUCTURE, "navigation": navigation, "measures": "gen_recall.1", "jobs": jobs}
    runs = prum_eval.evaluate(ASSESSMENTS, [tmp_path / "one", tmp_path / "two"], **options).runs
    values = [run.all["gen_recall_1"] for run in runs]
    assert values[0] == pytest.approx(values[1] * 1.5, rel=1e-12)
