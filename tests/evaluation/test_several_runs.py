"""Files of several runs, and what is said of how JSON was read: in every command, and in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from prum_eval import DataError, UsageError, compare, convert, evaluate, read_assessments, read_runs
from prum_eval.frames import run_from_rows
from tests.gold import run

GOLD = """\
{"topic": "1", "doc": "a", "start": 2, "end": 12, "group": "easy"}
{"topic": "1", "doc": "a", "start": 6, "end": 22, "page": 4}
{"topic": "2", "doc": "b", "spans": [[0, 10]]}
"""
MERGED = "gold: 1 span overlaps another one and is merged with it"
CHUNKS = [
    {"topic": "1", "doc": "a", "start": 0, "end": 12, "score": 2.0, "run": "x"},
    {"topic": "2", "doc": "b", "start": 0, "end": 20, "score": 2.0, "run": "y"},
    {"topic": "2", "doc": "b", "start": 5, "end": 10, "score": 1.0, "run": "x"},
    {"topic": "1", "doc": "a", "start": 2, "end": 22, "score": 1.0, "run": "y"},
]


def lines(chunks):
    return "".join(json.dumps(one) + "\n" for one in chunks)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Gold, a file of two runs, and a file of each of them."""
    (tmp_path / "gold").write_text(GOLD, encoding="utf-8")
    (tmp_path / "both").write_text(lines([{**one, "rank": 1} for one in CHUNKS]), encoding="utf-8")
    for name in "xy":
        (tmp_path / name).write_text(lines([one for one in CHUNKS if one["run"] == name]), encoding="utf-8")
    return tmp_path


def printed(files, command):
    """What a command prints, without the names of folders."""
    output = run(command.format(files))
    return output._replace(out=output.out.replace(f"{files}/", ""), err=output.err.replace(f"{files}/", ""))


@pytest.mark.parametrize("options", ["", " -j 2", " -t chunks", " -q -f csv"])
def test_they_are_evaluated_as_those_of_files_of_their_own(files, options):
    measures = "" if "chunks" in options else " -m char_rec.2 -m gen_recall.2"
    apart = printed(files, f"eval{options}{measures} {{0}}/gold {{0}}/x {{0}}/y")
    together = printed(files, f"eval{options}{measures} {{0}}/gold {{0}}/both")
    again = printed(files, f"eval{options}{measures} {{0}}/gold {{0}}/both {{0}}/x")
    assert together.out == apart.out
    assert again.out.startswith(apart.out)
    assert (together.status, again.status) == (0, 0)


def test_what_was_merged_is_said_and_what_was_passed_over_on_demand(files):
    said = printed(files, "eval -m char_rec.2 {0}/gold {0}/both").err.splitlines()
    assert f"prum-eval: warning: {MERGED}" in said
    assert not [line for line in said if "keys" in line]
    said = printed(files, "eval -v -m char_rec.2 {0}/gold {0}/both").err.splitlines()
    assert f"prum-eval: warning: {MERGED}" in said
    assert [line for line in said if "keys" in line] == [
        "prum-eval: warning: gold: ignored keys: 'page'",
        "prum-eval: warning: both: run x: ignored keys: 'rank'",
    ]


def test_check_names_each_run(files):
    assert printed(files, "check --assessments {0}/gold {0}/both") == (0, """\
both: run x, 2 topics, 2 results, offsets
both: run x: ignored keys: 'rank'
both: run x: judged: 2 of 2 results (100 %)
both: run y, 2 topics, 2 results, offsets
both: run y: judged: 2 of 2 results (100 %)
gold: assessments of passages, 2 topics, 2 judged documents
gold: 1 span overlaps another one and is merged with it
gold: ignored keys: 'page'
""", "")  # fmt: skip


def test_compare_takes_one_file_of_two_runs(files):
    apart = compare(files / "gold", [files / "x", files / "y"], measures="char_rec.2")
    together = compare(files / "gold", files / "both", measures="char_rec.2")
    assert list(together.rows()) == list(apart.rows())


def test_explain_is_about_one_of_them(files):
    refused = "prum-eval: both holds 2 runs (x, y); explain is about one: name one with --run\n"
    assert printed(files, "explain -m eprum_map --topic 1 {0}/gold {0}/both") == (2, "", refused)
    unknown = printed(files, "explain -m eprum_map --topic 1 --run yy {0}/gold {0}/both")
    assert unknown == (2, "", "prum-eval: both holds no run yy; did you mean y?\n")
    for name in "xy":
        chosen = printed(files, f"explain -m eprum_map --topic 1 --run {name} {{0}}/gold {{0}}/both")
        alone = printed(files, f"explain -m eprum_map --topic 1 {{0}}/gold {{0}}/{name}")
        assert chosen.out.splitlines()[0].startswith(f"topic 1, run {name} (")
        assert chosen.out.splitlines()[1:] == alone.out.splitlines()[1:]


def test_convert_writes_all_where_the_form_holds_them(files):
    assert printed(files, "convert --to run-jsonl {0}/both").out == "".join(
        printed(files, f"convert --to run-jsonl {{0}}/{name}").out for name in "xy"
    )
    refused = "prum-eval: both holds 2 runs (x, y); run-offsets holds one: name one with --run\n"
    assert printed(files, "convert --to run-offsets {0}/both") == (2, "", refused)
    chosen = printed(files, "convert --to run-offsets --run y {0}/both")
    assert chosen == printed(files, "convert --to run-offsets {0}/y")
    only_runs = "prum-eval: qrels-jsonl: only files of runs hold several, --run has no effect\n"
    assert printed(files, "convert --to qrels-jsonl --run y {0}/gold") == (2, "", only_runs)


def test_gold_is_written_as_it_was_understood(files):
    converted = printed(files, "convert --to qrels-jsonl {0}/gold")
    assert converted == (0, """\
{"topic": "1", "doc": "a", "spans": [[2, 22]], "group": "easy"}
{"topic": "2", "doc": "b", "spans": [[0, 10]]}
""", f"prum-eval: warning: {MERGED}\n")  # fmt: skip
    (files / "again").write_text(converted.out, encoding="utf-8")
    assert read_assessments(files / "again").groups == {"1": "easy"}
    loss = "gold:1: topics with a group: 1; it is left out\n"
    hint = "prum-eval: qrels-inex cannot hold this; nothing is written (--lossy converts the rest)\n"
    told = GOLD.replace('"page"', '"doc_length": 30, "bep"').replace('"spans"', '"doc_length": 10, "spans"')
    (files / "gold").write_text(told, encoding="utf-8")
    assert printed(files, "convert --to qrels-inex {0}/gold") == (1, "", loss + hint)
    (files / "gold").write_text(GOLD.replace(', "group": "easy"', ""), encoding="utf-8")
    unknown = "gold:1: the length of document 'a' is not known, and this form tells it\n"
    assert printed(files, "convert --to qrels-inex {0}/gold") == (1, "", unknown)


def test_lengths_that_no_line_tells_are_unknown(files):
    (files / "gold").write_text(GOLD.replace('"page": 4', '"bep": 3'), encoding="utf-8")
    unknown = "bepd needs the mean document length: give --structure or set L"
    assert printed(files, "eval -m bepd {0}/gold {0}/x") == (1, "", f"prum-eval: {unknown}\n")
    assert printed(files, "eval -m bepd --set L=30 {0}/gold {0}/x").status == 0
    all_ = printed(files, "eval -m all {0}/gold {0}/x")
    left_out = "left out: bepd, which needs the mean document length: give --structure or set L"
    assert (all_.status, f"prum-eval: warning: {left_out}" in all_.err.splitlines()) == (0, True)
    (files / "flat").write_text("1 Q0 a 1 1 r\n2 Q0 b 1 1 r\n", encoding="utf-8")
    refused = printed(files, "eval -m char_rec {0}/gold {0}/flat")
    assert (refused.status, refused.out) == (1, "")
    assert refused.err.startswith("flat:1: ")
    outside = lines([{**CHUNKS[0], "end": 5000}])
    (files / "x").write_text(outside, encoding="utf-8")
    assert "past the end" not in printed(files, "eval -m char_rec.2 {0}/gold {0}/x").err


def test_a_run_among_the_arguments_that_is_gold_and_the_other_way_round(files):
    assert printed(files, "eval {0}/x {0}/gold") == (1, "", "x: this is a run; assessments come first\n")
    (files / "gold").write_text(GOLD.splitlines()[2] + "\n", encoding="utf-8")
    assert printed(files, "check {0}/x {0}/gold").err.splitlines()[0] == "gold: these are assessments; expected a run"
    assert printed(files, "check {0}/gold {0}/x").status == 0


def test_rows_may_name_their_runs(files):
    frame = pd.DataFrame(CHUNKS)
    by_rows = evaluate(files / "gold", frame, measures="char_rec.2")
    by_file = evaluate(files / "gold", files / "both", measures="char_rec.2")
    assert [(one.run_id, one.topics) for one in by_rows.runs] == [(one.run_id, one.topics) for one in by_file.runs]
    flat = evaluate(
        {"1": {"a": 1}}, [{"qid": "1", "docno": "a", "score": 1.0, "run": name} for name in "ab"], measures="map"
    )
    assert [(one.run_id, one.all["map"]) for one in flat.runs] == [("a", 1.0), ("b", 1.0)]
    span = {"qid": "1", "docno": "a", "start": 2, "end": 12}
    spans = [
        {**span, "group": "easy"},
        {**span, "start": 6, "end": 22},
        {"qid": "2", "docno": "b", "start": 0, "end": 10},
    ]
    assert evaluate(spans, frame, measures="char_rec.2").runs[0].topics == by_file.runs[0].topics
    named = evaluate(files / "gold", {"one": files / "both", "other": files / "x"}, measures="char_rec.2")
    assert [one.run_id for one in named.runs] == ["one/x", "one/y", "other"]
    assert convert(CHUNKS, "run-jsonl").text == convert(files / "both", "run-jsonl").text


def test_a_bad_row_of_several_runs_is_named(files):
    bad = [*CHUNKS, {**CHUNKS[0], "start": 30}]
    with pytest.raises(DataError) as caught:
        evaluate(files / "gold", bad, measures="char_rec.2")
    assert str(caught.value) == "run: row 5: the end 12 is before the start 30"
    with pytest.raises(DataError) as caught:
        evaluate(files / "gold", [*CHUNKS, {**CHUNKS[0], "run": 7}], measures="char_rec.2")
    assert str(caught.value) == "run: row 5: run: expected a name, found 7"
    unscored = {key: value for key, value in CHUNKS[2].items() if key != "score"}
    with pytest.raises(DataError) as caught:
        evaluate(files / "gold", [*CHUNKS[:2], unscored], measures="char_rec.2")
    assert str(caught.value) == "run: row 3: the line has no score, row 1 has a score"


def test_gold_values_of_a_file_that_holds_other_runs_now(files):
    assert printed(files, "gold write {0}/values {0}/gold {0}/both -m char_rec.2").status == 0
    assert printed(files, "gold check {0}/values").status == 0
    (files / "both").write_text((files / "x").read_text(encoding="utf-8"), encoding="utf-8")
    said = "prum-eval: runs now: 1, with gold values: 2\n"
    assert printed(files, "gold check {0}/values") == (1, "", said)


def test_one_run_is_one_run(files):
    assert [one.run_id for one in read_runs(files / "x")] == ["x"]
    assert run_from_rows([{**CHUNKS[0]}], name="n").run_id == "n"
    with pytest.raises(UsageError) as caught:
        convert(files / "both", "run-trec")
    assert str(caught.value) == f"{files}/both holds 2 runs (x, y); run-trec holds one: name one with --run"


def test_a_measure_that_refuses_a_run_does_not_keep_it(monkeypatch):
    """The trace of an error holds what was computed, in a circle that is broken late."""
    from prum_eval.evaluation import evaluate_run

    refused = []
    notices = evaluate_run.run_notices
    monkeypatch.setattr(
        evaluate_run, "run_notices", lambda *given: (refused.extend(given[3].values()), notices(*given))[1]
    )
    demo = Path(__file__).parents[2] / "fixtures" / "demo"
    evaluate(demo / "assessments", demo / "run-a.xml", structure=demo / "structure.tsv", measures="all")
    assert refused
    assert all(error.__traceback__ is None for error in refused)
