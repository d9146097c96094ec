"""Generated collections: whatever form a list or its assessments are written in, the numbers are the same."""

from __future__ import annotations

import re

import numpy as np
import pytest

from bench.gen_inex import generate
from prum_eval import evaluate, read_assessments, read_run, read_structure
from prum_eval.collection.trees import make_forest

MEASURES = ["prum", "eprum", "gen_recall"]
SIZES = {"small": {}, "medium": {"topics": 8, "docs": 800, "assessed": 80}}


@pytest.fixture(scope="module", params=SIZES)
def collection(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    generate(folder, request.param, **SIZES[request.param])
    return folder


def topics(assessments, run, **options):
    return evaluate(assessments, run, **options).runs[0].topics


@pytest.mark.parametrize("model", ["hierarchical", "t2i"])
@pytest.mark.parametrize("task", ["thorough", "focused", "bic"])
def test_paths_offsets_and_xml_give_the_same_numbers(collection, model, task):
    options = {
        "structure": read_structure(str(collection / "structure.tsv")),
        "user_model": model,
        "measures": MEASURES,
    }
    judged = read_assessments(str(collection / "assessments"))
    paths, offsets, xml = (
        topics(judged, collection / f"run2.{task}.{form}", **options) for form in ("paths.run", "offsets.run", "xml")
    )
    assert paths == xml
    assert paths == offsets
    assert any(values["gen_recall_100"] for values in paths.values())


@pytest.mark.parametrize("model", ["hierarchical", "t2i", "logistic"])
def test_text_and_xml_judgements_of_the_same_passages_give_the_same_numbers(collection, model):
    structure = read_structure(str(collection / "structure.tsv"))
    options = {
        "targets": "passages",
        "user_model": model,
        "measures": [*MEASURES, "num_ret,num_targets,num_targets_ret"],
    }
    offsets, paths = (collection / f"run2.focused.{form}.run" for form in ("offsets", "paths"))
    alone = topics(collection / "qrels.txt", offsets, collection_size=structure.elements, **options)
    assert alone == topics(collection / "qrels.txt", paths, structure=structure, **options)
    assert alone == topics(collection / "qrels.txt", offsets, structure=structure, **options)
    assert alone == topics(collection / "assessments", paths, structure=structure, **options)
    assert any(values["gen_recall_5"] for values in alone.values())


def test_best_entry_points_of_text_and_xml_judgements(collection):
    structure = read_structure(str(collection / "structure.tsv"))
    options = {"targets": "bep", "measures": MEASURES, "structure": structure}
    text = topics(collection / "qrels.txt", collection / "run1.bic.offsets.run", **options)
    assert text == topics(collection / "assessments", collection / "run1.bic.paths.run", **options)


SPELLINGS = {
    "upper case": lambda path, _name: (path.upper(), None),
    "no [1]": lambda path, _name: (path.replace("[1]", ""), None),
    "upper case, no [1]": lambda path, _name: (path.upper().replace("[1]", ""), None),
    ".xml": lambda path, name: (path, f"{name}.xml"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spellings_of_paths_and_files(collection, tmp_path, spelling):
    lines = []
    original = collection / "run2.thorough.paths.run"
    for line in original.read_text(encoding="utf-8").splitlines():
        topic, mark, name, rank, score, run_id, path, _ = line.split()
        written, other = SPELLINGS[spelling](path, name)
        lines.append(f"{topic} {mark} {other or name} {rank} {score} {run_id} {written} {written}\n")
    (tmp_path / "run").write_text("".join(lines), encoding="utf-8")
    assert (tmp_path / "run").read_text(encoding="utf-8") != original.read_text(encoding="utf-8")
    options = {"structure": read_structure(str(collection / "structure.tsv")), "measures": [*MEASURES, "counts", "map"]}
    changed = evaluate(collection / "assessments", tmp_path / "run", **options)
    assert changed.runs[0].topics == topics(collection / "assessments", original, **options)
    assert changed.warnings == ()


def test_seven_columns_are_eight_with_one_path(collection, tmp_path):
    original = (collection / "run1.thorough.paths.run").read_text(encoding="utf-8")
    (tmp_path / "run").write_text(re.sub(r" \S+$", "", original, flags=re.MULTILINE), encoding="utf-8")
    options = {"structure": collection / "structure.tsv", "measures": MEASURES}
    assert topics(collection / "assessments", tmp_path / "run", **options) == topics(
        collection / "assessments", collection / "run1.thorough.paths.run", **options
    )


def extents_of(tree, paths):
    return {(int(tree.start[i]), int(tree.length[i])) for i in map(tree.find, paths)}


@pytest.mark.slow
def test_counts_differ_only_where_elements_share_an_extent(tmp_path):
    """A result given by offsets is the outermost element of that extent; a path may name an inner one."""
    generate(tmp_path, "medium", topics=30, docs=600, assessed=150)
    structure = read_structure(str(tmp_path / "structure.tsv"))
    options = {"structure": structure, "measures": ["num_rel_ret"], "targets": "relevant"}
    judged = read_assessments(str(tmp_path / "assessments"))
    run = read_run(str(tmp_path / "run3.thorough.paths.run"))
    paths = topics(judged, run, **options)
    offsets = topics(judged, tmp_path / "run3.thorough.offsets.run", **options)
    differing = 0
    for number, topic in enumerate(run.topics):
        wanted = {(judged.topics[topic].documents[doc], path) for doc, path in _judged(judged.topics[topic])}
        listed = {}
        for row in range(run.bounds[number], run.bounds[number + 1]):
            listed.setdefault(run.documents[run.document[row]], set()).add(run.paths[run.first_path[row]])
        forest, by_path, by_extent = make_forest(structure.documents), 0, 0
        for name, found in listed.items():
            relevant = {path for document, path in wanted if document == name}
            tree = forest[name]
            outermost = {tree.paths[tree.find_extent(*extent)] for extent in extents_of(tree, found)}
            by_path += len(relevant & found)
            by_extent += len(relevant & outermost)
        assert paths[topic]["num_rel_ret"] == by_path
        assert offsets[topic]["num_rel_ret"] == by_extent
        differing += by_path != by_extent
    assert differing > 0


def _judged(topic):
    owner = np.repeat(np.arange(len(topic.documents)), np.diff(topic.bounds))
    return [(owner[row], path) for row, path in enumerate(topic.paths) if topic.rsize[row] > 0]
