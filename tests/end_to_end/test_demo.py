"""The demonstration: its files agree with each other, and its numbers with what can be worked out by hand."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from prum_eval import evaluate, read_assessments, read_run, read_structure
from prum_eval.collection.locations import pointer_offset
from prum_eval.collection.trees import make_forest
from tests.gold import ROOT

DEMO = ROOT / "fixtures" / "demo"
TOPICS = ("101", "102", "103")


@pytest.fixture(scope="module")
def trees():
    return make_forest(read_structure(str(DEMO / "structure.tsv")).documents)


def highlighted(topic, document, tree):
    passages = [mark for mark in topic.highlights if topic.documents[mark.document] == document]
    return [
        (pointer_offset(tree, mark.first), pointer_offset(tree, mark.last, at_end=True), mark.size) for mark in passages
    ]


@pytest.mark.parametrize("topic", TOPICS)
def test_sizes_in_the_assessments_are_those_of_the_structure(topic, trees):
    judged = ET.parse(DEMO / "assessments" / f"topic-{topic}.xml").getroot()  # noqa: S314 - our own file
    record = read_assessments(str(DEMO / "assessments")).topics[topic]
    checked = 0
    for file in judged.iter("file"):
        tree = trees[file.get("name")]
        passages = highlighted(record, tree.name, tree)
        assert all(end - start == size for start, end, size in passages)
        relevant = {}
        for path, start, length in zip(tree.paths, tree.start.tolist(), tree.length.tolist(), strict=True):
            shared = sum(max(0, min(start + length, end) - max(start, low)) for low, end, _ in passages)
            relevant[path] = (length, shared)
        listed = {one.get("path"): (int(one.get("size")), int(one.get("rsize"))) for one in file.iter("element")}
        assert listed == {path: sizes for path, sizes in relevant.items() if sizes[1]}
        checked += len(listed)
    assert checked >= 5


@pytest.mark.parametrize("topic", TOPICS)
def test_the_text_judgements_are_those_of_the_xml(topic, trees):
    marked = read_assessments(str(DEMO / "assessments")).topics[topic]
    text = read_assessments(str(DEMO / "judged.txt")).topics[topic]
    assert marked.documents == text.documents
    for i, name in enumerate(text.documents):
        tree = trees[name]
        rows = slice(text.bounds[i], text.bounds[i + 1])
        extents = list(zip(text.start[rows].tolist(), text.length[rows].tolist(), strict=True))
        assert extents == [(start, size) for start, _, size in highlighted(marked, name, tree)]
        assert text.relevant[i] == sum(length for _, length in extents)
        assert text.lengths[i] == tree.length[0]
        points = [pointer_offset(tree, one.pointer) for one in marked.entry_points if one.document == i]
        assert points == ([text.bep[i]] if extents else [])


def test_the_three_forms_of_the_first_run_list_the_same_results(trees):
    xml, paths, offsets = (read_run(str(DEMO / f"run-a.{form}")) for form in ("xml", "paths.run", "offsets.run"))
    assert xml.topics == paths.topics == offsets.topics == TOPICS
    assert len(xml.line) == len(paths.line) == len(offsets.line) == 17
    for row in range(17):
        tree, path = trees[xml.documents[xml.document[row]]], xml.paths[xml.first_path[row]]
        assert (paths.documents[paths.document[row]], paths.paths[paths.first_path[row]]) == (tree.name, path)
        extent = (tree.start[tree.find(path)], tree.length[tree.find(path)])
        assert offsets.documents[offsets.document[row]] == tree.name
        assert (offsets.start[row], offsets.length[row]) == extent


def test_values_of_topic_103_worked_out_by_hand():
    # Ideal elements: paragraphs 2 (275 characters) and 3 (180) of section 1 (771) of an article of 1134.
    measures = ["gen_recall.1,2,4", "eprum_prec_at_recall.0.5,1", "eprum_P.2", "map", "counts"]
    inputs = {"structure": DEMO / "structure.tsv", "user_model": "hierarchical", "measures": measures}
    result = evaluate(DEMO / "assessments", [DEMO / "run-a.xml", DEMO / "run-b.xml"], **inputs)
    sections, articles = (run.topics["103"] for run in result.runs)
    # bm25-sections: the first paragraph, paragraph 2, the other section, section 1
    assert sections["num_targets"] == articles["num_targets"] == 2
    assert (sections["num_targets_ret"], articles["num_targets_ret"]) == (1, 0)
    # all that is relevant: article, body, section 1, its two paragraphs
    assert sections["num_rel"] == articles["num_rel"] == 5
    assert (sections["num_rel_ret"], articles["num_rel_ret"]) == (2, 1)
    assert sections["gen_recall_1"] == 0
    assert sections["gen_recall_2"] == 0.5
    assert sections["gen_recall_4"] == pytest.approx((1 + 180 / 771) / 2)
    assert sections["eprum_prec_at_recall_0.50"] == pytest.approx(1 / 2)
    assert sections["eprum_prec_at_recall_1.00"] == pytest.approx(2 * 180 / 771 / 4)
    assert sections["eprum_P_2"] == pytest.approx(1 / 2)
    # relevant: article, body, section 1, paragraphs 2 and 3; found at ranks 2 and 4
    assert sections["map"] == pytest.approx((1 / 2 + 2 / 4) / 5)
    # article-only: the article itself, of which the paragraphs are 275/1134 and 180/1134
    assert articles["gen_recall_1"] == pytest.approx((275 + 180) / 1134 / 2)
    one_of_them = 1 - (1 - 275 / 1134) * (1 - 180 / 1134)
    assert articles["eprum_prec_at_recall_0.50"] == pytest.approx(one_of_them)
    assert articles["eprum_prec_at_recall_1.00"] == pytest.approx(2 * 275 / 1134 * 180 / 1134)
    assert articles["map"] == pytest.approx(1 / 5)


def test_the_better_run_is_better():
    result = evaluate(
        DEMO / "assessments", [DEMO / "run-a.xml", DEMO / "run-b.xml"],
        structure=DEMO / "structure.tsv", measures=["prum_map", "eprum_map", "gen_recall.5"],
    )  # fmt: skip
    better, worse = (run.all for run in result.runs)
    assert all(better[name] > worse[name] for name in better)


def test_toy_mean_average_precision():
    result = evaluate(ROOT / "fixtures" / "toy" / "qrels", ROOT / "fixtures" / "toy" / "run", measures="map")
    assert result.runs[0].topics == {"1": {"map": 1.0}, "2": {"map": 0.5}}
    assert result.runs[0].all == {"map": 0.75}
