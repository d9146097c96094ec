"""Tasks by name: listed, explained, overridden one setting at a time, and their printed names accepted back."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest

from prum_eval.measures.registry import MEASURES_BY_NAME
from prum_eval.measures.tasks import TASKS
from tests.gold import run
from tests.measures.tasks.collection import COMMANDS, write_inputs


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(folder)
    return folder


@pytest.fixture
def evaluated(inputs):
    def evaluated(task, options=""):
        """The report of a task with more options, and its signature."""
        output = run(f"{COMMANDS[task].format(inputs)} -f json {options}")
        assert output.status == 0, output.err
        report = json.loads(output.out)
        assert report["signature"] in output.err.splitlines()
        return report

    return evaluated


def test_every_task_is_listed():
    output = run("measures --tasks")
    assert output.status == 0
    text = "".join(output.out.split())  # a line may end at a hyphen
    for task in TASKS.values():
        assert "".join(f"{task.name}{task.summary}".split()) in text


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.name)
def test_every_task_is_explained(task):
    # prum is a family too
    output = run(f"measures {task.name}")
    assert output.status == 0
    text = " ".join(output.out.split())
    assert text.startswith(f"task {task.name}: {' '.join(task.summary.split())} Measures: {' '.join(task.specs)} ")
    assert f"Settings: {', '.join(task.settings) or 'defaults'} " in f"{text} "
    assert f"Source: {task.source}" in text
    assert text.endswith(f"Note: {task.note}") if task.note else "Note:" not in text
    assert max(map(len, output.out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("eval -t inex2006-focussed missing missing",
         "no task inex2006-focussed; did you mean inex2006-focused? (prum-eval measures --tasks lists all)"),
        ("eval -t qqqq missing missing", "no task qqqq (prum-eval measures --tasks lists all)"),
        ("eval -t INEX2004 missing missing",
         "no task INEX2004; did you mean inex2004? (prum-eval measures --tasks lists all)"),
    ],
)  # fmt: skip
def test_a_task_that_does_not_exist(command, text):
    assert run(command) == (2, "", f"prum-eval: {text}\n")


@pytest.mark.parametrize("task", TASKS)
def test_every_printed_name_is_accepted_back_with_its_values(evaluated, task):
    plain = evaluated(task)
    names = list(plain["runs"][0]["all"])
    assert evaluated(task, " ".join(f"-m {name}" for name in names))["runs"] == plain["runs"]


def own(task):
    """The settings of a task as options, without its measures."""
    one = TASKS[task]
    model = one.shared_settings.get("user_model")
    common = {key: value for key, value in one.shared_settings.items() if key != "user_model"}
    settings = {key: value for family in one.family_settings.values() for key, value in family.items()} | common
    options = [*(f"--set {key}={value}" for key, value in settings.items()), *([f"-u {model}"] if model else [])]
    return " ".join([*options, *([f"-M {one.limit}"] if one.limit else [])])


LABELLED = ["inex2004", "inex2005-thorough", "inex2005-focused", "inex2006-focused", "inex2006-best-in-context"]


@pytest.mark.parametrize("task", LABELLED)
def test_labels_say_all_that_makes_their_values(inputs, evaluated, task):
    """Without the task, but with its settings, every label gives the value that it gave."""
    plain = evaluated(task)
    names = list(plain["runs"][0]["all"])
    asked = " ".join(f"-m {name}" for name in names)
    command = COMMANDS[task].format(inputs).replace(f"-t {task} ", "")
    output = run(f"{command} -f json {own(task)} {asked}")
    assert output.status == 0, output.err
    assert json.loads(output.out)["runs"] == plain["runs"]
    assert any(":" in name for name in names)


def averages(report):
    return [one["all"] for one in report["runs"]]


@pytest.mark.parametrize(
    ("task", "options", "before", "after"),
    [
        ("inex2009-relevant-in-context", "--set beta=1", "ric(beta=0.25,short=repeat)", "ric(beta=1,short=repeat)"),
        ("inex2007-relevant-in-context", "--set beta=0.25", "ric(beta=1,short=repeat)", "ric(beta=0.25,short=repeat)"),
        ("inex2009-best-in-context", "--set n=1000", "bic(n=500,short=repeat)", "bic(n=1000,short=repeat)"),
        ("inex2010-relevant-in-context", "--set tolerance=100", "t2i(tolerance=300", "t2i(tolerance=100"),
        ("inex2006-thorough", "--set ideal_rank=next", "ideal_rank=linear", "ideal_rank=next"),
        ("inex2006-thorough", "--set overlap=on", "overlap=off", "overlap=on"),
        ("inex2006-thorough", "--set overlap=on --set alpha=0.5", "alpha=1,overlap=off", "alpha=0.5,overlap=on"),
        ("inex2006-focused", "--quantisation strict", "quantisation:gen", "quantisation:strict"),
        ("inex2003-gen", "--quantisation strict", "exh_gen+spec_gen", "exh_strict+spec_strict"),
        ("inex2002-gen", "--quantisation strict", "quantisation:gen", "quantisation:strict"),
        ("inex2002-gen", "-M 5", "limit:100", "limit:5"),
        ("inex2006-thorough", "-M 3", "limit:1500", "limit:3"),
        ("prum", "-u none", "user_model:hierarchical", "user_model:none"),
        ("prum", "-u t2i:tolerance=50", "user_model:hierarchical", "user_model:t2i:tolerance=50"),
        ("prum", "--targets relevant", "targets:ideal", "targets:relevant"),
        ("prum", "--prum-mode exact", "prum(mode=paper)", "prum(mode=exact)"),
        ("prum", "--set mode=exact", "prum(mode=paper)", "prum(mode=exact)"),
        ("trec", "-M 5", "limit:none", "limit:5"),
    ],
)  # fmt: skip
def test_one_setting_of_a_task(evaluated, task, options, before, after):
    plain, changed = evaluated(task), evaluated(task, options)
    assert before in plain["signature"]
    assert after in changed["signature"]
    assert averages(changed) != averages(plain)


def test_another_user_model_brings_its_own_parameters(evaluated):
    report = evaluated("inex2006-best-in-context", "-m eprum_map:user_model=logistic")
    measures = report["parameters"]["measures"]
    assert measures["eprum_map:A=0.01"]["A"] == 0.01
    assert "A" not in measures["eprum_map:user_model=logistic"]
    assert measures["eprum_map:user_model=logistic"]["targets"] == "bep"


def test_more_measures_beside_a_task(evaluated):
    plain, more = evaluated("inex2006-thorough"), evaluated("inex2006-thorough", "-m map -m nxcg.7")
    for before, after in zip(averages(plain), averages(more), strict=True):
        assert set(after) == {*before, "map", "nxcg_7"}
        assert before.items() <= after.items()


def test_parameters_of_tasks_exist():
    families = defaultdict(set)
    for one in MEASURES_BY_NAME.values():
        families[one.family] |= {parameter.name for parameter in one.parameters}
    checked = 0
    for task in TASKS.values():
        for family, settings in task.family_settings.items():
            assert set(settings) <= families[family]
            checked += len(settings)
    assert checked > 30
