"""What each output format prints, byte for byte, and how --digits, -q and -n change it."""

from __future__ import annotations

import csv
import io
import json

import pytest

from prum_eval import __version__
from tests.gold import DEMO, GOLD, ROOT, run

STRUCTURE = "-s fixtures/demo/structure.tsv -u hierarchical"
TOY = "fixtures/toy/qrels fixtures/toy/run"
DEMO_GOLD = [name for name in GOLD if name.startswith("fixtures/demo/")]


@pytest.mark.parametrize("name", DEMO_GOLD)
def test_the_output_is_the_gold_file(name):
    output = run(GOLD[name])
    assert output.status == 0
    assert output.out.encode() == (ROOT / name).read_bytes()


@pytest.mark.parametrize("name", ["fixtures/demo/expected/table.txt", "fixtures/demo/expected/topics.txt"])
def test_tables_of_two_runs_fit_80_columns(name):
    assert max(map(len, run(GOLD[name]).out.splitlines())) <= 80


def test_trec_lines_are_name_topic_value():
    output = run(f"eval -q -m map -m num_ret {TOY}")
    assert output.out.splitlines() == [
        "num_ret               \t1\t3",
        "map                   \t1\t1.0000",
        "num_ret               \t2\t4",
        "map                   \t2\t0.5000",
        "num_ret               \tall\t7",
        "map                   \tall\t0.7500",
    ]


def test_topics_are_in_byte_order(tmp_path):
    (tmp_path / "qrels").write_text("10 0 d 1\n9 0 d 1\nB 0 d 1\na 0 d 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("".join(f"{t} Q0 d 1 1 r\n" for t in ("a", "9", "B", "10")), encoding="utf-8")
    output = run(f"eval -q -n -m map {tmp_path}/qrels {tmp_path}/run")
    assert [line.split("\t")[1] for line in output.out.splitlines()] == ["10", "9", "B", "a"]


def test_json_holds_every_choice_and_value():
    report = json.loads(run(f"eval {STRUCTURE} -f json -m map -m gen_recall.5:user_model=none {DEMO}").out)
    assert list(report) == ["schema", "version", "signature", "parameters", "runs"]
    assert list(report["parameters"]) == [
        *("assessments", "assessments_kind", "structure", "navigation", "navigation_kind", "collection_size"),
        *("collection_size_from", "complete", "limit", "rank_by", "measures"),
    ]
    assert report["parameters"]["collection_size"] == 65
    assert list(report["parameters"]["measures"]) == ["map", "gen_recall:user_model=none"]
    assert report["parameters"]["measures"]["gen_recall:user_model=none"]["user_model"] == "none"
    assert [(one["run_id"], one["path"]) for one in report["runs"]] == [
        ("bm25-sections", "fixtures/demo/run-a.xml"),
        ("article-only", "fixtures/demo/run-b.xml"),
    ]
    for one in report["runs"]:
        assert list(one) == ["run_id", "path", "topics", "all"]
        assert list(one["topics"]) == ["101", "102", "103"]
        for values in [*one["topics"].values(), one["all"]]:
            assert list(values) == ["map", "gen_recall_5:user_model=none"]


def test_json_never_rounds(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 1\n1 0 c 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 a 1 2 r\n1 Q0 x 2 1 r\n", encoding="utf-8")
    output = run(f"eval -f json --digits 2 -m map {tmp_path}/qrels {tmp_path}/run")
    assert json.loads(output.out)["runs"][0]["all"]["map"] == 1 / 3


def test_csv_has_a_row_a_value_at_full_precision():
    rows = list(csv.DictReader(io.StringIO(run(f"eval {STRUCTURE} -m map -q -f csv {DEMO}").out)))
    assert rows[0] == {"run": "bm25-sections", "topic": "101", "measure": "map", "value": repr(139 / 30 / 11)}
    assert [(row["run"], row["topic"]) for row in rows] == [
        (name, topic) for name in ("bm25-sections", "article-only") for topic in ("101", "102", "103", "all")
    ]


@pytest.mark.parametrize(("digits", "value"), [(0, "1"), (2, "0.67"), (4, "0.6667"), (17, "0.66666666666666663")])
def test_digits(digits, value):
    output = run(f"eval -m recall.2 --digits {digits} fixtures/worked/P7/qrels fixtures/worked/E4/run")
    assert output.out == f"recall_2              \tall\t{1 / 3:.{digits}f}\n"
    output = run(f"eval -m recall.4 --digits {digits} fixtures/worked/P7/qrels fixtures/worked/E4/run")
    assert output.out == f"recall_4              \tall\t{value}\n"


def test_digits_leave_counts_alone():
    assert run(f"eval -m num_ret --digits 6 {TOY}").out == "num_ret               \tall\t7\n"


def test_without_averages_only_topics_remain():
    assert "\tall\t" not in run(f"eval -q -n {TOY}").out
    assert run(f"eval -n {TOY}").out == ""
    assert run(f"eval -n -f table -m map {TOY}").status == 0


def test_runs_stand_in_the_order_of_the_arguments():
    forward = run(f"eval {STRUCTURE} -m map fixtures/demo/assessments fixtures/demo/run-a.xml fixtures/demo/run-b.xml")
    backward = run(f"eval {STRUCTURE} -m map fixtures/demo/assessments fixtures/demo/run-b.xml fixtures/demo/run-a.xml")
    first, second = (output.out.splitlines() for output in (forward, backward))
    assert first == second[2:] + second[:2]
    assert [line.split("\t")[2] for line in first if line.startswith("runid")] == ["bm25-sections", "article-only"]


def test_one_measure_alone_prints_its_line_and_nothing_else():
    assert run(f"eval -m map {TOY}").out == "map                   \tall\t0.7500\n"


@pytest.mark.parametrize("name", ["official", "all"])
def test_sets_print_the_run_and_the_number_of_topics(name):
    lines = run(f"eval -m {name} --collection-size 9 {TOY}").out.splitlines()
    assert lines[:2] == ["runid                 \tall\ttoy", "num_q                 \tall\t2"]


def test_several_runs_print_their_names():
    lines = run(f"eval -m map {TOY} fixtures/toy/run").out.splitlines()
    assert [line.split()[0] for line in lines] == ["runid", "map", "runid", "map"]


def test_runid_and_num_q_are_printed_for_all_topics_only():
    lines = [line.split("\t") for line in run(f"eval -q {TOY}").out.splitlines()]
    assert {topic for name, topic, _ in lines if name.strip() in ("runid", "num_q")} == {"all"}


def test_the_signature_is_one_line_on_standard_error():
    output = run(f"eval -m map {TOY}")
    assert output.err.count("\n") == 1
    assert output.err.startswith(f"prum-eval {__version__}|assessments:documents|")


@pytest.mark.parametrize(
    "choice",
    [
        *("-c", "-M 3", "--rank-by file", "--collection-size 70", "--quantisation strict", "--targets relevant"),
        *("-u none", "-u t2i:tolerance=9", "-u hierarchical:once=on", "--items article", "--prum-mode exact"),
        *("--ideal-list greedy", "--set at_recall=ratio", "--set graded=off"),
    ],
)
def test_every_choice_that_changes_numbers_is_in_the_signature(choice):
    command = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"
    plain, chosen = (run(f"eval {options} {command}").err.splitlines()[-1] for options in ("", choice))
    assert plain.startswith("prum-eval ")
    assert chosen.startswith("prum-eval ")
    assert chosen != plain
