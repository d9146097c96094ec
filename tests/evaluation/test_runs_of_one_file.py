"""Messages about one run of a file with several name the run."""

from __future__ import annotations

import json

import pytest

from tests.gold import run


@pytest.fixture
def folder(tmp_path):
    gold = {"topic": "1", "doc": "a", "doc_length": 100, "spans": [[0, 10]]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(gold) + "\n", encoding="utf-8")
    rows = [("good", "1", "a"), ("lost", "1", "a.txt"), ("other", "9", "a")]
    lines = [json.dumps({"topic": t, "doc": d, "start": 0, "end": 20, "score": 1, "run": name}) for name, t, d in rows]
    (tmp_path / "runs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_notices_and_errors_name_the_run(folder):
    output = run(f"eval -m hit.1 {folder}/gold.jsonl {folder}/runs.jsonl")
    lines = output.err.splitlines()
    assert output.status == 1  # of the run `other`
    assert f"prum-eval: {folder}/runs.jsonl: run other: no topic in common with {folder}/gold.jsonl" in lines
    hint = "the run says 'a.txt', the assessments 'a'; without the ending '.txt', 1 would match"
    named = f"{folder}/runs.jsonl: run lost: 0 of 1 result is in judged documents; {hint}"
    assert f"prum-eval: warning: {named}" in lines


def test_a_file_with_one_run_needs_no_name(folder):
    text = (folder / "runs.jsonl").read_text(encoding="utf-8").splitlines()[1]
    (folder / "runs.jsonl").write_text(text + "\n", encoding="utf-8")
    err = run(f"eval -m hit.1 {folder}/gold.jsonl {folder}/runs.jsonl").err
    assert f"warning: {folder}/runs.jsonl: 0 of 1 result" in err


def test_explain_names_the_run(folder):
    files = f"{folder}/gold.jsonl {folder}/runs.jsonl"
    output = run(f"explain -m hit.1 --topic 1 --run lost {files}")
    assert output.status == 0
    hint = "the run says 'a.txt', the assessments 'a'; without the ending '.txt', 1 would match"
    named = f"{folder}/runs.jsonl: run lost: 0 of 1 result is in judged documents; {hint}"
    assert f"prum-eval: warning: {named}" in output.err.splitlines()
    failed = run(f"explain -m hit.1 --topic 1 --run other {files}")
    assert (failed.status, failed.out) == (1, "")
    assert failed.err == f"prum-eval: {folder}/runs.jsonl: run other: the run has no results for topic 1\n"


def test_check_names_the_run(folder):
    lines = run(f"check --assessments {folder}/gold.jsonl {folder}/runs.jsonl").out.splitlines()
    assert f"{folder}/runs.jsonl: run lost, 1 topic, 1 result, offsets" in lines
    assert any(line.startswith(f"{folder}/runs.jsonl: run lost: judged: 0 of 1 result") for line in lines)
    assert f"{folder}/runs.jsonl: run other: topics without assessments: 1 (9)" in lines
