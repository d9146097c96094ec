"""explain: the topics of a run, those on which two runs differ most, and two runs side by side."""

from __future__ import annotations

import json

import pytest

import prum_eval
from tests.gold import ROOT, run

STRUCTURE = "-s fixtures/demo/structure.tsv"
DEMO = "fixtures/demo/assessments fixtures/demo/run-a.xml"
OTHER = "--against fixtures/demo/run-b.xml"


@pytest.fixture
def flat(tmp_path):
    """Four topics of one relevant document; a has reciprocal ranks 1, 1/2, 0 and no third topic, b 1/2, 1/2, 1, 1."""
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 x 1\n" for topic in (1, 2, 3, 10)), encoding="utf-8")
    a = "1 Q0 x 1 9 a\n2 Q0 y 1 9 a\n2 Q0 x 2 8 a\n10 Q0 y 1 9 a\n"
    b = "1 Q0 y 1 9 b\n1 Q0 x 2 8 b\n2 Q0 y 1 9 b\n2 Q0 x 2 8 b\n3 Q0 x 1 9 b\n10 Q0 x 1 9 b\n"
    for name, text in (("a", a), ("b", b)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_topics_are_listed_the_worst_first(flat):
    output = run(f"explain -m map -m recip_rank -m num_ret {flat}/qrels {flat}/a")
    assert output.status == 0
    assert output.out == (
        f"a ({flat}/a): topics by map, the worst first\n\n"
        "topic       map    recip_rank\n"
        "-------  ------  ------------\n"
        "10       0.0000        0.0000\n"
        "2        0.5000        0.5000\n"
        "1        1.0000        1.0000\n\n"
        "not answered: 3\n"
    )


def test_topics_on_which_two_runs_differ_most(flat):
    output = run(f"explain -m map {flat}/qrels {flat}/a --against {flat}/b")
    assert output.status == 0
    assert output.out == (
        f"a ({flat}/a)\n  less b ({flat}/b)\ntopics by map, the largest differences first\n\n"
        "topic         a       b    difference\n"
        "-------  ------  ------  ------------\n"
        "10       0.0000  1.0000       -1.0000\n"
        "1        1.0000  0.5000       +0.5000\n"
        "2        0.5000  0.5000        0.0000\n\n"
        "higher in 1 topic, equal in 1, lower in 1\n\n"
        "not answered by both: 3\n"
    )


def test_lists_of_long_names_fit_80_columns():
    output = run("explain fixtures/official/edge/q.txt fixtures/official/edge/basic.run")
    assert max(map(len, output.out.splitlines())) <= 80
    assert output.out.splitlines()[2].split() == [
        "topic",
        "eprum_map",
        "eprum_prec_at_recall_0.00",
        "eprum_prec_at_recall_0.10",
    ]


def test_costs_are_worst_where_they_are_high():
    options = "-m size_5 -f json fixtures/rag/gold.jsonl fixtures/rag/windows.jsonl"
    data = json.loads(run(f"explain {options}").out)
    sizes = [row["size_5"] for row in data["topics"]]
    assert data["ordered_by"] == "size_5"
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 1


def test_values_are_those_of_eval():
    data = json.loads(run(f"explain -f json -m eprum_map -m prum_map {STRUCTURE} {DEMO}").out)
    topics = json.loads(run(f"eval -q -f json -m eprum_map -m prum_map {STRUCTURE} {DEMO}").out)["runs"][0]["topics"]
    assert {row["topic"]: {key: row[key] for key in ("eprum_map", "prum_map")} for row in data["topics"]} == topics


def test_two_runs_side_by_side():
    output = run(f"explain --topic 101 {OTHER} -m eprum_map -m map {STRUCTURE} {DEMO}")
    assert output.status == 0
    lines = output.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[:11] == [
        "topic 101",
        "A  bm25-sections (fixtures/demo/run-a.xml)",
        "B  article-only (fixtures/demo/run-b.xml)",
        "user model hierarchical, targets ideal, quantisation gen, N 65",
        "",
        "measure         A       B    A - B",
        "---------  ------  ------  -------",
        "map        0.4212  0.1818  +0.2394",
        "eprum_map  0.5798  0.1996  +0.3802",
        "",
        "Targets: probability to be seen in the end, and the first rank that leads there",
    ]
    assert "Rank by rank: what it points to, and what it adds to map" in lines
    assert "   1  +0.0909 tides /ar...[1]/section[2]    +0.0909 harbours /article[1]" in lines


def test_ranks_that_add_nothing_in_either_run_are_one_line(flat):
    with (flat / "a").open("a", encoding="utf-8") as file:
        file.writelines(f"1 Q0 z{rank} {rank} {9 - rank} a\n" for rank in range(2, 8))
    output = run(f"explain -m map --topic 1 {flat}/qrels {flat}/a --against {flat}/b")
    assert output.out.splitlines()[-2:] == [
        "   2          z2                            +0.5000 x",
        "   3-7  add nothing",
    ]


def test_both_explanations_as_json():
    options = f"-f json -m eprum_map {STRUCTURE}"
    data = json.loads(run(f"explain --topic 101 {OTHER} {options} {DEMO}").out)
    for key, name in (("first", "run-a.xml"), ("second", "run-b.xml")):
        alone = json.loads(run(f"explain --topic 101 {options} fixtures/demo/assessments fixtures/demo/{name}").out)
        assert data[key] == alone


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (f"-f html {DEMO}", "Error: -f html shows one --topic of one run"),
        (f"-f html --topic 101 {OTHER} {DEMO}", "Error: -f html shows one --topic of one run"),
        (f"--texts fixtures/rag/documents {DEMO}", "Error: --texts is for one --topic"),
        (f"--run x {DEMO}", "Error: --run is for one --topic"),
        (
            f"--run x --topic 101 {OTHER} {DEMO}",
            "Error: --run chooses from a file of several runs, --against takes files of one",
        ),
        (
            f"{DEMO} --against fixtures/demo/missing.xml",
            "Error: Invalid value",
        ),
    ],
)
def test_what_does_not_go_together(options, message):
    output = run(f"explain {options}")
    if "missing" in options:
        assert output == (1, "", "fixtures/demo/missing.xml: cannot be read: No such file or directory\n")
        return
    assert (output.status, output.out) == (2, "")
    assert output.err.endswith(f"{message}\n")


def test_measures_that_are_no_scores_are_named():
    toy = "--topic 1 fixtures/toy/qrels fixtures/toy/run"
    warning = "prum-eval: warning: explain supports scores; left out: num_ret, judged_K\n"
    assert run(f"explain -m map -m num_ret -m judged.5 {toy}").err.startswith(warning)
    assert "about scores" not in run(f"explain -m official {toy}").err


def test_from_python():
    demo = ROOT / "fixtures/demo"
    options = {"structure": demo / "structure.tsv", "measures": "eprum_map"}
    topics = prum_eval.explain_topics(demo / "assessments", demo / "run-a.xml", **options)
    assert repr(topics) == "<TopicList: 3 topics by eprum_map>"
    assert [row["topic"] for row in topics.rows()] == ["103", "101", "102"]
    pair = prum_eval.explain_against(demo / "assessments", demo / "run-a.xml", demo / "run-b.xml", "101", **options)
    assert repr(pair) == "<TwoExplanations: topic 101, runs bm25-sections and article-only>"
    assert {row["run"] for row in pair.rows()} == {"bm25-sections", "article-only"}
    assert "0.5798" in pair._repr_html_()
