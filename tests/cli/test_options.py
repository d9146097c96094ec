"""Options that choose what counts: -c, -M, --rank-by, --targets, --quantisation, --items, --collection-size."""

from __future__ import annotations

import json

import pytest

from tests.gold import run

ELEMENTS = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"
TOY = "fixtures/toy/qrels fixtures/toy/run"
# Topic 101: the ideal elements with their weights, and the results 1 and 2, of one article.
SECTION, PARAGRAPH, HARBOUR = 562 / 820, 1, 200 / 298
TO_PARAGRAPH, TO_SECTION = 356 / 667, 412 / 820


def values(command):
    output = run(f"eval -f json {command}")
    assert output.status == 0, output.err
    return json.loads(output.out)["runs"][0]


def write(folder, **files):
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return " ".join(f"{folder}/{name}" for name in files)


def test_complete_counts_missing_topics_as_empty_lists(tmp_path):
    inputs = write(tmp_path, qrels="1 0 a 1\n2 0 b 1\n2 0 c 1\n", run="1 Q0 a 1 1 r\n")
    measures = "-m counts -m map -m prum_map -m eprum_map -m gen_recall.5 --collection-size 9"
    answered = values(f"{measures} {inputs}")
    assert list(answered["topics"]) == ["1"]
    assert answered["all"] == {
        "num_q": 1,
        "num_ret": 1,
        "num_rel": 1,
        "num_rel_ret": 1,
        "num_targets": 1,
        "num_targets_ret": 1,
        "map": 1,
        "prum_map": 1,
        "eprum_map": 1,
        "gen_recall_5": 1,
    }
    complete = values(f"-c {measures} {inputs}")
    # without any list the precision at both targets is that of draws: (t + 1) / (N + 1) = 3 / 10
    counts = {"num_ret": 0, "num_rel": 2, "num_rel_ret": 0, "num_targets": 2, "num_targets_ret": 0}
    nothing = {**counts, "map": 0, "eprum_map": 0, "gen_recall_5": 0}
    assert complete["topics"]["2"].pop("prum_map") == pytest.approx(0.3, abs=1e-12)
    assert complete["topics"]["2"] == nothing
    assert complete["all"].pop("prum_map") == pytest.approx((1 + 0.3) / 2, abs=1e-12)
    assert complete["all"] == {
        "num_q": 2,
        "num_ret": 1,
        "num_rel": 3,
        "num_rel_ret": 1,
        "num_targets": 3,
        "num_targets_ret": 1,
        "map": 0.5,
        "eprum_map": 0.5,
        "gen_recall_5": 0.5,
    }


def test_limit_cuts_after_sorting():
    # The best result of topic 1 is the first of two targets; that of topic 2 is none.
    found = values(f"-M 1 -m num_q,num_ret,num_rel,num_rel_ret -m map {TOY}")
    assert found["topics"]["1"] == {"num_ret": 1, "num_rel": 2, "num_rel_ret": 1, "map": 0.5}
    assert found["topics"]["2"] == {"num_ret": 1, "num_rel": 2, "num_rel_ret": 0, "map": 0}
    assert found["all"] == {"num_q": 2, "num_ret": 2, "num_rel": 4, "num_rel_ret": 1, "map": 0.25}
    assert values(f"-M 4 {TOY}")["all"] == values(f"-M 100 {TOY}")["all"] == values(TOY)["all"]


@pytest.mark.parametrize(("rank_by", "rank"), [("", 3), ("score", 3), ("file", 2), ("rank", 1)])
def test_rank_by_on_lines(tmp_path, rank_by, rank):
    inputs = write(tmp_path, qrels="1 0 a 1\n", run="1 Q0 x 3 .9 r\n1 Q0 a 1 .1 r\n1 Q0 y 2 .5 r\n")
    option = f"--rank-by {rank_by}" if rank_by else ""
    assert values(f"{option} -m recip_rank {inputs}")["all"]["recip_rank"] == 1 / rank


@pytest.mark.parametrize(("rank_by", "rank"), [("", 1), ("rank", 1), ("file", 2), ("score", 3)])
def test_rank_by_on_xml(tmp_path, rank_by, rank):
    paths = [(3, 0.9, "p[1]"), (1, 0.1, "p[2]"), (2, 0.5, "title[1]")]
    results = "".join(
        f"<result><file>sourdough</file><path>/article[1]/body[1]/section[1]/{step}</path>"
        f"<rank>{number}</rank><rsv>{score}</rsv></result>"
        for number, score, step in paths
    )
    text = f'<inex-submission run-id="r"><topic topic-id="103">{results}</topic></inex-submission>'
    inputs = f"-s fixtures/demo/structure.tsv fixtures/demo/assessments {write(tmp_path, run=text)}"
    option = f"--rank-by {rank_by}" if rank_by else ""
    assert values(f"{option} -m recip_rank {inputs}")["all"]["recip_rank"] == 1 / rank


def test_equal_scores_of_a_flat_run_are_ordered_by_document_descending(tmp_path):
    inputs = write(tmp_path, qrels="1 0 a 1\n", run="1 Q0 a 1 1 r\n1 Q0 b 2 1 r\n1 Q0 B 3 1 r\n")
    assert values(f"-m recip_rank {inputs}")["all"]["recip_rank"] == 1 / 2  # b, a, B in bytes


@pytest.mark.parametrize(
    ("targets", "counts"),
    [("ideal", [3, 2, 2]), ("relevant", [11, 10, 5]), ("bep", [2, 2, 1]), ("passages", [3, 2, 1])],
)
def test_targets(targets, counts):
    found = values(f"--targets {targets} -m num_targets -m num_rel {ELEMENTS}")
    assert [topic["num_targets"] for topic in found["topics"].values()] == counts
    assert [topic["num_rel"] for topic in found["topics"].values()] == [11, 10, 5]  # all relevant elements


def test_targets_of_text_judgements():
    inputs = "fixtures/demo/judged.txt fixtures/demo/run-a.offsets.run"
    measures = "-m num_rel -m num_targets"
    found = values(f"{measures} {inputs}")["topics"].values()
    assert [(topic["num_rel"], topic["num_targets"]) for topic in found] == [(3, 3), (2, 2), (1, 1)]
    found = values(f"--targets bep {measures} {inputs}")["topics"].values()
    assert [(topic["num_rel"], topic["num_targets"]) for topic in found] == [(3, 2), (2, 2), (1, 1)]


@pytest.mark.parametrize(
    ("quantisation", "counts"), [("gen", [3, 2, 2]), ("strict", [2, 1, 2]), ("genlifted", [3, 2, 2])]
)
def test_quantisation(quantisation, counts):
    found = values(f"--quantisation {quantisation} -m num_targets {ELEMENTS}")
    assert [topic["num_targets"] for topic in found["topics"].values()] == counts


def test_grades_of_flat_judgements(tmp_path):
    inputs = write(tmp_path, qrels="1 0 a 4\n1 0 b 1\n1 0 c -1\n1 0 d 0\n", run="1 Q0 b 1 1 r\n")
    assert values(f"-m gen_recall.1 {inputs}")["all"]["gen_recall_1"] == pytest.approx(0.25 / 1.25)
    assert values(f"--quantisation strict -m gen_recall.1 {inputs}")["all"]["gen_recall_1"] == 0.5
    assert values(f"-m num_rel {inputs}")["all"]["num_rel"] == 2


@pytest.mark.parametrize(
    ("options", "seen"),
    [
        ("", TO_PARAGRAPH * PARAGRAPH),
        ("--items article", TO_PARAGRAPH * PARAGRAPH + TO_SECTION * SECTION),
        ("-u hierarchical:items=article,consider=0.5", TO_PARAGRAPH * PARAGRAPH + 0.5 * TO_SECTION * SECTION),
        (
            "-u hierarchical:items=article,consider=useful:0.5",
            TO_PARAGRAPH * PARAGRAPH + (TO_PARAGRAPH + (1 - TO_PARAGRAPH) * 0.5) * TO_SECTION * SECTION,
        ),
        ("--items article -M 1", TO_PARAGRAPH * PARAGRAPH),
    ],
)
def test_results_of_one_article_in_succession_form_an_item(options, seen):
    found = values(f"{options} -m gen_recall.1 {ELEMENTS}")["topics"]["101"]
    assert found["gen_recall_1"] == pytest.approx(seen / (SECTION + PARAGRAPH + HARBOUR), abs=1e-12)


def test_items_are_numbered_through():
    # tides 2, harbours, tides, harbours, tides, lighthouses: the harbour paragraph is the third result, the second item
    found = values(f"--items article -m gen_recall.1,2 -m num_ret {ELEMENTS}")["topics"]["101"]
    grown = found["gen_recall_2"] - found["gen_recall_1"]
    assert grown == pytest.approx(HARBOUR / (SECTION + PARAGRAPH + HARBOUR), abs=1e-12)
    assert found["num_ret"] == 7


def test_collection_size_comes_before_that_of_the_structure():
    counted = values(f"-m prum_map {ELEMENTS}")["all"]
    assert values(f"-m prum_map --collection-size 65 {ELEMENTS}")["all"] == counted
    assert values(f"-m prum_map --collection-size 9000 {ELEMENTS}")["all"]["prum_map"] < counted["prum_map"]


def test_normal_law_with_few_uncertain_targets_is_the_exact_law():
    plain = values(f"-m prum_map -m eprum_map {ELEMENTS}")["all"]
    normal = values(f"--prum-mode normal -m prum_map -m eprum_map:mode=normal {ELEMENTS}")["all"]
    assert list(normal.values()) == pytest.approx(list(plain.values()), abs=1e-12)
