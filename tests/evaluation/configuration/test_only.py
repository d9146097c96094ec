"""Measures for one task only: computed for runs of that task, blank for the others."""

from __future__ import annotations

import pytest

from prum_eval import evaluate, read_run
from tests.gold import ROOT, run

DEMO = ROOT / "fixtures" / "demo"
JUDGED = f"-s {DEMO}/structure.tsv {DEMO}/assessments"
CONFIG = """\
[[measures]]
measure = "map"

[[measures]]
measure = "bepd"
only = "BestInContext"

[[measures]]
measure = "P.1,2"
only = "Thorough"
"""


@pytest.fixture
def config(tmp_path):
    (tmp_path / "config").write_text(CONFIG, encoding="utf-8")
    return tmp_path / "config"


@pytest.fixture
def submission(tmp_path):
    def write(task, source="run-a.xml"):
        text = (DEMO / source).read_text(encoding="utf-8")
        attribute = f'task="{task}"' if task is not None else ""
        path = tmp_path / f"run{task}"
        path.write_text(text.replace('task="Thorough"', attribute), encoding="utf-8")
        return path

    return write


def names(*runs, **options):
    found = evaluate(DEMO / "assessments", list(runs), structure=DEMO / "structure.tsv", **options)
    return [list(one.all) for one in found.runs]


def test_the_task_of_a_run(submission):
    assert read_run(str(DEMO / "run-a.xml")).task == "Thorough"
    assert read_run(str(submission(None))).task is None
    assert read_run(str(submission("  "))).task is None
    assert read_run(str(DEMO / "run-a.paths.run")).task is None


@pytest.mark.parametrize("task", ["BestInContext", "best in context", "BEST_IN-Context"])
def test_names_of_tasks_are_compared_freely(config, submission, task):
    assert names(submission(task), config=config) == [["map", "bepd"]]


def test_each_run_gets_the_measures_of_its_task(config, submission):
    runs = DEMO / "run-a.xml", submission("BestInContext"), submission("Focused"), submission(None)
    assert names(*runs, config=config) == [
        ["map", "P_1", "P_2"],
        ["map", "bepd"],
        ["map"],
        ["map", "P_1", "P_2", "bepd"],
    ]


def test_the_task_of_the_call_counts_too(config):
    found = names(DEMO / "run-a.xml", config=config, task="inex2006-best-in-context")
    (without,) = names(DEMO / "run-a.xml", task="inex2006-best-in-context")
    assert set(found[0]) == {*without, "map", "P_1", "P_2", "bepd"}


def test_values_do_not_depend_on_the_other_runs(config, submission):
    best = submission("BestInContext")
    options = {"structure": DEMO / "structure.tsv", "config": config}
    together = evaluate(DEMO / "assessments", [DEMO / "run-a.xml", best], **options)
    alone = evaluate(DEMO / "assessments", best, **options)
    assert together.runs[1] == alone.runs[0]


def test_a_table_has_blank_cells_in_the_order_of_the_file(config, submission):
    best = submission("BestInContext", "run-b.xml")
    output = run(f"eval -f table --config {config} {JUDGED} {DEMO}/run-a.xml {best}")
    rows = [line.split() for line in output.out.splitlines()[2:]]
    assert [row[0] for row in rows] == ["map", "bepd", "P_1", "P_2"]
    assert [len(row) for row in rows] == [3, 2, 2, 2]
    column = output.out.splitlines()[1].index(" ", 20)
    assert output.out.splitlines()[3][:column].split() == ["bepd"]  # nothing in the first run's column


def test_nothing_left_for_a_run(tmp_path, config):
    text = CONFIG.split("\n\n")[1]
    config.write_text(text, encoding="utf-8")
    output = run(f"eval --config {config} {JUDGED} {DEMO}/run-a.xml")
    assert (output.status, output.out) == (1, "")
    assert output.err == (
        f"prum-eval: {DEMO}/run-a.xml: no measure is left for a run of task Thorough: all are for BestInContext only\n"
    )
