"""Navigation along links between elements, against an independent closure of them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import evaluate, explain
from prum_eval.records import Link, Structure, StructureDocument
from tests.oracles.graphs import best_way, first_passage
from tests.oracles.worlds import examples

PATHS = ("/p[1]", "/p[1]/s[1]", "/p[1]/s[2]")
NAMES = ("a", "b", "c")
PLACES = [(name, path) for name in NAMES for path in PATHS]
RUN = "{topic} Q0 {document} {rank} {score} r {path} {path}\n"
ASSESSED = """<assessments topic="1"><file name="{}"><element path="{}" exhaustivity="2" size="9" rsize="9"/></file>
</assessments>"""


def structure(links):
    start, length = np.array([0, 0, 9]), np.array([18, 9, 9])
    documents = {name: StructureDocument(name, PATHS, start, length, np.zeros(3, np.int64)) for name in NAMES}
    return Structure("site", 9, 54, frozenset(NAMES), documents, tuple(links))


def steps(links, damping):
    """Probability by (document, path) of both ends, by counting: a document is its root."""
    out = Counter((one.document, one.path) for one in links)
    edges = Counter()
    for one in links:
        source = (one.document, one.path)
        edges[source, (one.target, one.target_path or PATHS[0])] += damping / out[source]
    return edges


def files(folder, target, results, ending=""):
    """Assessments with one target, a run with one topic."""
    (folder / "assessed.xml").write_text(ASSESSED.format(*target), encoding="utf-8")
    lines = [
        RUN.format(topic=1, document=document + ending, rank=rank, score=99 - rank, path=path)
        for rank, (document, path) in enumerate(results, 1)
    ]
    (folder / "run").write_text("".join(lines), encoding="utf-8")
    return folder / "assessed.xml", folder / "run"


links = st.lists(
    st.builds(
        lambda source, target, root: Link(*source, target[0], None if root else target[1], None, -1),
        st.sampled_from(PLACES),
        st.sampled_from(PLACES),
        st.booleans(),
    ),
    min_size=1,
    max_size=14,
)


@examples(60)
@given(links, st.sampled_from(PLACES), st.sampled_from([0.85, 0.5, 1.0]), st.sampled_from(["", ".xml"]))
def test_reach_is_the_first_passage_along_links(tmp_path_factory, listed, target, damping, ending):
    results = [place for place in PLACES if place != target]
    assessed, run = files(tmp_path_factory.mktemp("links"), target, results, ending)
    edges = steps(listed, damping)
    expected = first_passage(edges, target)
    given_options = {"structure": structure(listed), "user_model": f"graph:damping={damping}"}
    found = explain(assessed, run, "1", measures="gen_recall.8", **given_options)
    reached = {results[rank.number - 1]: one for rank in found.ranks for one in rank.reached_targets}
    for place in results:
        value = reached[place].probability if place in reached else 0.0
        assert value == pytest.approx(expected.get(place, 0.0), rel=1e-9, abs=1e-12)
    for place, one in reached.items():
        names = [(name, PATHS[0]) if "#" not in name else tuple(name.split("#")) for name in one.link.path]
        probability, shortest = best_way(edges, place, target)
        taken = np.prod([edges[step] for step in pairwise(names)])
        assert (names[0], names[-1]) == (place, target)
        assert taken == pytest.approx(probability)
        assert len(names) - 1 == shortest
        assert one.link.description == (f"{shortest} links" if shortest > 1 else "1 link")
    missed = np.prod([1 - expected.get(place, 0.0) for place in results])
    value = evaluate(assessed, run, measures="gen_recall.8", **given_options).runs[0].all["gen_recall_8"]
    assert value == pytest.approx(1 - missed)


@pytest.mark.parametrize("path", [None, PATHS[0]])
def test_a_document_is_its_root_element(tmp_path, path):
    site = structure([Link("a", PATHS[1], "b", path, None, -1)])
    for target in (("b", PATHS[0]),):
        assessed, run = files(tmp_path, target, [("a", PATHS[1])])
        found = evaluate(assessed, run, structure=site, user_model="graph", measures="gen_recall.1")
        assert found.runs[0].all["gen_recall_1"] == 0.85
    grades = {"1": {"b": 1}}
    found = evaluate(grades, tmp_path / "run", structure=site, user_model="graph", measures="gen_recall.1")
    assert found.runs[0].all["gen_recall_1"] == 0.85
