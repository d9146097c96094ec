"""Runs that fail among good ones: each is reported, the others complete, exit status 1."""

from __future__ import annotations

import pytest

from prum_eval import InputError, evaluate
from tests.evaluation.parallel.calls import DEMO, A, B, call
from tests.gold import ROOT

BAD = "101 Q0 a1 1 2.5 r\n101 Q0 a2 2 high r\n"


@pytest.fixture
def bad(tmp_path):
    path = tmp_path / "bad.run"
    path.write_text(BAD, encoding="utf-8")
    return path


def reason(path):
    return f"{path}:2: score: expected a finite number, found 'high'"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_others_complete(bad, jobs):
    good = call(f"eval -f json -q {DEMO} {A} {B}")
    found = call(f"eval -f json -q -j {jobs} {DEMO} missing {A} {bad} {B} fixtures/toy/run")
    assert found.status == 1
    assert found.out == good.out
    messages = (
        "missing: cannot be read: No such file or directory\n"
        f"{reason(bad)}\n"
        "prum-eval: fixtures/toy/run: no topic in common with fixtures/demo/assessments\n"
    )
    assert found.err.decode() == good.err.decode() + messages


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("task", ["-m official", "-t inex2009-thorough"])
def test_all_fail(bad, jobs, task, tmp_path):
    output = tmp_path / "out"
    found = call(f"eval {task} -j {jobs} -o {output} {DEMO} {bad} missing {bad}")
    text = f"{reason(bad)}\nmissing: cannot be read: No such file or directory\n"
    assert (found.status, found.out, found.err.decode()) == (1, b"", text)
    assert not output.exists()


def test_a_single_run_leaves_nothing_on_standard_output(bad):
    found = call(f"eval -j 2 {DEMO} {bad}")
    assert (found.status, found.out, found.err.decode()) == (1, b"", f"{reason(bad)}\n")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_is_wrong_with_the_assessments_is_said_once(tmp_path, jobs):
    qrels = tmp_path / "qrels"
    qrels.write_text("101 0 nowhere 1\n", encoding="utf-8")
    flat = tmp_path / "flat"
    flat.write_text("101 Q0 a1 1 2.5 r\n", encoding="utf-8")
    found = call(f"eval -m eprum -j {jobs} -s fixtures/demo/structure.tsv {qrels} {flat} {flat}")
    assert (found.status, found.out) == (1, b"")
    assert found.err.decode() == f"{qrels}:1: document nowhere is not in the structure\n"


@pytest.mark.parametrize("jobs", [1, 2])
def test_python_raises_the_first_unless_it_is_asked_to_go_on(bad, monkeypatch, jobs):
    monkeypatch.chdir(ROOT)
    inputs = {"structure": "fixtures/demo/structure.tsv", "jobs": jobs}
    with pytest.raises(InputError) as raised:
        evaluate("fixtures/demo/assessments", [A, bad, "missing"], **inputs)
    assert str(raised.value) == reason(bad)
    failures = []
    found = evaluate("fixtures/demo/assessments", [A, bad, "missing", B], problems=failures.append, **inputs)
    assert [run.path for run in found.runs] == [A, B]
    assert [failure.path for failure in failures] == [str(bad), "missing"]
    assert failures[0].line == 2
