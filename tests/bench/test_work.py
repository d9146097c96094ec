"""The generated work at its smallest sizes, and the programs that measure it."""

from __future__ import annotations

import sys

import pytest

from bench import cluster_runs, dict_calls, trec_eval
from bench.cases import all_cases, passages, trec_runs
from bench.cluster_page import performance, plan
from bench.commands import Folders, ours
from bench.gen_inex import generate
from bench.gen_topic import generate_topic
from bench.gen_trec import generate_trec
from bench.gen_values import generate_values
from bench.process_tree import CLIENT, WORKER, run_watched
from bench.processes import ENVIRONMENT, Measured, measure, once, repeats
from bench.work import NAMES, copies
from prum_eval import evaluate
from tests.gold import run


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    generate(folder, "small", topics=2)
    once(ours("index", folder / "structure.tsv", "-o", folder / "structure.index"))
    return folder


@pytest.fixture
def folders(small, tmp_path):
    return Folders(small, *(tmp_path / name for name in NAMES))


@pytest.mark.parametrize("targets", [3, 700])
@pytest.mark.parametrize("model", ["t2i", "hierarchical"])
def test_a_large_topic_has_the_targets_and_results_that_were_asked_for(tmp_path, model, targets):
    generate_topic(tmp_path, targets=targets, results=50)
    measures = ["num_rel", "num_ret", "eprum_map"]
    found = evaluate(tmp_path / "qrels", tmp_path / "run", measures=measures, user_model=model).runs[0].all
    assert (found["num_rel"], found["num_ret"]) == (targets, 50)
    assert 0 < found["eprum_map"] <= 1


def test_values_by_topic_are_compared(tmp_path):
    generate_values(tmp_path, runs=3, topics=5)
    made = run(f"compare --values --pairs all --trials 100 -f csv {tmp_path / 'values.csv'}")
    assert made.status == 0
    assert len(made.out.splitlines()) > 9


def test_topics_of_ten_results_are_generated(tmp_path):
    generate_trec(tmp_path, topics=3, results=10, judged=10)
    assert evaluate(tmp_path / "qrels", tmp_path / "run", measures="num_ret").runs[0].all["num_ret"] == 30


def test_copies_are_runs_of_their_own(small):
    judged, structure = small / "assessments", small / "structure.index"
    runs = evaluate(judged, copies(small, 3), structure=structure, measures="num_q").runs
    assert [run.run_id for run in runs] == ["copy000", "copy001", "copy002"]


def test_every_case_has_a_name_of_its_own_and_comes_after_what_it_is_divided_by(folders, monkeypatch):
    for variable in (trec_eval.VARIABLE, passages.VARIABLE):
        monkeypatch.setenv(variable, sys.executable)
    seen = set()
    for case in all_cases(folders):
        assert case.name not in seen
        assert case.against is None or case.against in seen
        seen.add(case.name)
    assert {trec_runs.TREC_EVAL, trec_runs.OURS, passages.OFFICIAL} <= seen


def test_trec_eval_is_a_program_that_is_given(folders, tmp_path, monkeypatch):
    program = tmp_path / "trec_eval"
    program.write_text("#!/bin/sh\ntest $# = 8\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv(trec_eval.VARIABLE, str(program))
    (case,) = (case for case in all_cases(folders) if case.name == trec_runs.TREC_EVAL)
    assert once(case.command).seconds > 0
    assert "as it was built" in trec_eval.note()
    program.chmod(0o644)
    with pytest.raises(RuntimeError, match="neither a program nor"):
        trec_eval.program()


def test_without_it_pytrec_eval_is_the_peer(folders, monkeypatch):
    monkeypatch.delenv(trec_eval.VARIABLE, raising=False)
    cases = {case.name: case for case in all_cases(folders)}
    assert trec_runs.TREC_EVAL not in cases
    assert cases[trec_runs.OURS].against == trec_runs.PYTREC_EVAL


def test_trec_eval_is_compiled_of_its_sources(tmp_path, monkeypatch):
    compiler = tmp_path / "cc"
    compiler.write_text(f"#!{sys.executable}\n{COMPILER}", encoding="utf-8")
    compiler.chmod(0o755)
    source = tmp_path / "source"
    source.mkdir()
    monkeypatch.setenv("CC", str(compiler))
    monkeypatch.setenv(trec_eval.VARIABLE, str(source))
    with pytest.raises(RuntimeError, match="no source"):
        trec_eval.program(tmp_path / "built" / "trec_eval")
    (source / "m_map.c").touch()
    (source / "m_old.c").touch()
    (source / "Makefile").write_text("VERSIONID = 9.0.8\nSRCS = m_map.c \\\n  m_P.c\n", encoding="utf-8")
    made = trec_eval.program(tmp_path / "built" / "trec_eval")
    assert made is not None
    words = made.read_text(encoding="utf-8").split()
    assert {"-O2", "-lm", '-DVERSIONID="9.0.8"', str(source / "m_map.c")} <= set(words)
    assert str(source / "m_old.c") not in words
    assert "trec_eval 9.0.8 was compiled" in trec_eval.note()


COMPILER = """import pathlib, sys
arguments = sys.argv[1:]
pathlib.Path(arguments[arguments.index("-o") + 1]).write_text(" ".join(arguments))
"""


def test_dicts_have_the_same_topics_for_both_packages():
    grades, scores = dict_calls.dicts(topics=2, results=5, judged=4)
    assert grades.keys() == scores.keys()
    assert {len(one) for one in scores.values()} == {5}
    theirs = pytest.importorskip("pytrec_eval") and dict_calls.call_of("pytrec_eval", grades, scores)()
    ours_of = dict_calls.call_of("prum_eval", grades, scores)().runs[0].topics
    assert {topic: value["map"] for topic, value in theirs.items()} == pytest.approx(
        {topic: value["map"] for topic, value in ours_of.items()}
    )


def test_costly_commands_run_fewer_times():
    assert [repeats(seconds, 7) for seconds in (0.1, 6.0)] == [7, 3]
    assert measure([sys.executable, "-c", "pass"], 2).calls == 2
    assert measure([sys.executable, "-c", "print('1.5 20')"], 3, inside=True) == Measured(1.5, 20, 3)
    for inside in (False, True):
        with pytest.raises(RuntimeError, match="failed"):
            measure([sys.executable, "-c", "raise SystemExit(3)"], 1, inside=inside)


@pytest.mark.slow
def test_a_process_is_watched_with_all_below_it():
    below = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(1)'])"
    seconds, tree = run_watched([sys.executable, "-c", below], ENVIRONMENT)
    assert seconds > 0.9
    assert tree.peak(CLIENT) is not None
    assert tree.peak(WORKER) is not None
    assert tree.peak("scheduler") is None
    with pytest.raises(RuntimeError, match="no such thing"):
        run_watched([sys.executable, "-c", "raise SystemExit('no such thing')"], ENVIRONMENT)


def test_many_runs_go_through_processes_and_are_resumed(small, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster_runs, "find_spec", lambda _: None)  # a cluster has tests of its own
    work = cluster_runs.linked(small, 3, tmp_path / "runs")
    found = [vars(one) for one in cluster_runs.measured(work, 2, tmp_path / "out")]
    assert [one["name"] for one in found] == ["`-j 2` `-f jsonl`", "`-j 2` `--output-dir`"]
    assert all(one["client"] and one["resumed"] for one in found)  # workers may end between two looks
    assert len(list((tmp_path / "out" / "each").iterdir())) == 3
    figures = {"runs": 3, "jobs": 2, "cost": 0.01, "calls": found, "preset": "small"}
    figures |= cluster_runs.sizes(work, tmp_path / "out")
    assert figures["topics"] == 2
    said, _, *rows = performance(figures)
    assert said.startswith("3 runs of preset small take ")
    assert "distributed is not installed" in said
    assert len(rows) == 4
    assert len(plan(figures, {})) == 12
