"""Formats of another package: found by their content in eval and check, by name in convert, listed in help and docs."""

from __future__ import annotations

import click
import pytest
from click.shell_completion import ShellComplete

from prum_eval.cli.main import commands
from prum_eval.formats import assessments_cache as cache
from prum_eval.formats.registry import FORMAT_GROUP, FORMATS
from tests.gold import ROOT, run

SOURCE = '''
"""A package with formats: runs as CSV, grades as JSON Lines with the keys of another tool."""
import dataclasses
import io
import json

import numpy as np

from prum_eval.errors import InputError
from prum_eval.formats import Format, FormatKind, RunCapacity, ScoreRule
from prum_eval.formats.rows import run_from_rows
from prum_eval.records import AssessmentKind, FlatTopic
from prum_eval.records import RunKind


def read_csv(stream, name, rank_by, problems):
    rows = []
    for number, line in enumerate(io.TextIOWrapper(stream, encoding="utf-8"), 1):
        topic, document, score = line.strip().split(",")
        if number > 1 and score.replace(".", "").isdigit():
            rows.append({"topic": topic, "doc": document, "score": float(score)})
        elif number > 1:
            problems(InputError(name, number, f"score: expected a number, found {score!r}"))
    return dataclasses.replace(run_from_rows(rows, name="csv"), path=name)


def write_csv(run):
    lines = ["topic,doc,score"]
    for number, topic in enumerate(run.topics):
        for row in range(run.bounds[number], run.bounds[number + 1]):
            lines.append(f"{topic},{run.documents[run.document[row]]},{run.score[row]:g}")
    return "".join(line + chr(10) for line in lines).encode()


def read_grades(stream, name, problems):
    (topic,) = map(json.loads, stream)
    documents = tuple(topic["relevant"])
    grades, lines = np.ones(len(documents), dtype=np.int64), np.ones(len(documents), dtype=np.int64)
    return AssessmentKind.FLAT, {topic["qid"]: FlatTopic(name, documents, grades, lines)}


run_csv = Format(
    "run-csv",
    FormatKind.RUN,
    "CSV: topic, doc, score",
    lambda head: head.startswith(b"topic,doc,score"),
    read_csv,
    write_csv,
    RunCapacity(RunKind.FLAT, ScoreRule.TREC, free_run_names=True),
)
grades = Format(
    "grades", FormatKind.ASSESSMENTS, "relevant documents of a topic", lambda head: b'"qid"' in head, read_grades
)
number = 3
run_trec = run_csv
'''

ENTRY_POINTS = """
[prum_eval.formats]
number = some_formats:number
absent = no_such_module:format
run-csv = some_formats:run_csv
grades = some_formats:grades
run-trec = some_formats:run_trec
"""


@pytest.fixture(autouse=True)
def installed(install, tmp_path):
    """The package, on the path of this process; and two files."""
    install("some_formats", SOURCE, ENTRY_POINTS)
    (tmp_path / "run.csv").write_text("topic,doc,score\n1,a,3\n1,b,2\n1,c,1\n", encoding="utf-8")
    (tmp_path / "grades.json").write_text('{"qid": "1", "relevant": ["a", "c"]}\n', encoding="utf-8")


def test_the_group_is_part_of_the_interface():
    assert FORMAT_GROUP == "prum_eval.formats"


def test_files_are_recognised_by_their_content(tmp_path):
    output = run(f"eval -m map {tmp_path}/grades.json {tmp_path}/run.csv")
    assert (output.status, output.out.split()) == (0, ["map", "all", "0.8333"])


def test_what_they_read_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "MIN_CACHED_BYTES", 0)
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "kept"))
    run(f"eval -m map {tmp_path}/grades.json {tmp_path}/run.csv")
    assert not (tmp_path / "kept").exists()
    run("eval -m map fixtures/toy/qrels fixtures/toy/run")
    assert (tmp_path / "kept").exists()


def test_check_reads_them_and_names_every_problem(tmp_path):
    output = run(f"check --assessments {tmp_path}/grades.json {tmp_path}/run.csv")
    assert output.status == 0, output.err
    assert "run csv, 1 topic, 3 results, documents" in output.out
    (tmp_path / "run.csv").write_text("topic,doc,score\n1,a,x\n1,b,y\n", encoding="utf-8")
    output = run(f"check {tmp_path}/run.csv")
    assert output.status == 1
    assert f"{tmp_path}/run.csv:2: score: expected a number, found 'x'\n" in output.err
    assert f"{tmp_path}/run.csv:3: score: expected a number, found 'y'\n" in output.err


def test_convert_reads_and_writes_them(tmp_path):
    output = run(f"convert --to run-trec {tmp_path}/run.csv")
    assert output.out == "1 Q0 a 1 3.0 csv\n1 Q0 b 2 2.0 csv\n1 Q0 c 3 1.0 csv\n"
    (tmp_path / "run.trec").write_text("1 Q0 b 1 2.5 r\n1 Q0 a 2 0.5 r\n", encoding="utf-8")
    output = run(f"convert --to run-csv {tmp_path}/run.trec")
    assert (output.status, output.out) == (0, "topic,doc,score\n1,b,2.5\n1,a,0.5\n")


def test_what_they_cannot_hold_is_named():
    output = run("convert --to run-csv fixtures/demo/run-a.xml")
    assert output.status == 1
    assert "parts of documents" in output.err
    assert "prum-eval: run-csv cannot hold this; nothing is written (--lossy converts the rest)\n" in output.err
    assert run("convert --lossy --to run-csv fixtures/demo/run-a.xml").out.startswith("topic,doc,score\n101,")


def test_help_lists_those_that_can_be_written():
    output = run("convert --help").out
    assert "\n  structure-xml   nested elements, with links\n  run-csv         CSV: topic, doc, score\n" in output
    assert "grades" not in output


def test_near_names_are_found():
    output = run("convert --to run-cvs fixtures/toy/run")
    assert output.status == 2
    assert "'run-cvs' is no form (did you mean run-csv?)" in output.err


def test_shells_complete_them():
    complete = ShellComplete(commands, {}, "prum-eval", "_PRUM_EVAL_COMPLETE")
    offered = complete.get_completions(["convert", "--to"], "run-c")
    assert [(one.value, one.help) for one in offered] == [("run-csv", "CSV: topic, doc, score")]


def test_the_page_of_formats_lists_them(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    from format_tables import formats_page

    page = formats_page("<!-- formats -->\n<!-- /formats -->\n<!-- forms -->\n<!-- /forms -->\n")
    assert "| `run-csv` | run | CSV: topic, doc, score |" in page
    assert "| `run-csv` | documents |  |" in page
    assert "| `grades` | assessments | relevant documents of a topic |" in page


def test_a_built_in_format_is_never_replaced():
    output = run("convert --to run-trec fixtures/toy/run")
    assert (output.status, output.out.split()[1]) == (0, "Q0")
    assert isinstance(FORMATS["run-trec"].read, type(lambda: None))


def test_one_that_cannot_be_loaded_is_named_where_it_is_asked_for():
    assert "is no form" in run("convert --to absent fixtures/toy/run").err


def test_other_files_are_still_refused_as_before(tmp_path):
    (tmp_path / "other").write_text("one two\n", encoding="utf-8")
    output = run(f"check {tmp_path}/other")
    assert output.err.startswith(f"{tmp_path}/other:1: expected 6 columns (TREC), 7 or 8 (INEX), found 2\n")


def test_the_command_has_its_help_at_once():
    assert isinstance(commands.get_command(click.Context(commands), "convert").help, str)
