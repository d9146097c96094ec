"""The action, the hooks and the page on CI: what they run does what the page says."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess

import pytest
import yaml

from prum_eval.version import __version__
from tests.docs.pages import ROOT
from tests.served import folder as folder_of_program

PAGES = [(ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("regression.md",)]
BLOCKS = [yaml.safe_load(block) for page in PAGES for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
STEPS = [step for block in BLOCKS if "jobs" in block for job in block["jobs"].values() for step in job["steps"]]
OURS = [step["with"] for step in STEPS if step.get("uses", "").startswith("OWNER/prum-eval@")]


@pytest.fixture
def repository(tmp_path):
    """A repository as the page describes it: assessments, runs, and a gold file written from its top."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "fixtures/toy/qrels", tmp_path / "assessments")
    lines = (ROOT / "fixtures/toy/run").read_text(encoding="utf-8")
    (tmp_path / "runs/baseline.run").write_text(lines, encoding="utf-8")
    (tmp_path / "runs/new.run").write_text(lines.replace(" toy\n", " new\n"), encoding="utf-8")
    for gold in ("scores.gold.json", "tests/scores.gold.json"):
        assert shell(tmp_path, f"prum-eval gold write {gold} -m map assessments runs/new.run").returncode == 0
    return tmp_path


def shell(folder, command, **variables):
    environment = {**os.environ, **variables, "PATH": f"{folder_of_program()}:{os.environ['PATH']}"}
    bash = shutil.which("bash")
    return subprocess.run(
        [bash, "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def run_action(folder, inputs):
    """The steps of the action, without that of pip, with these inputs; what they do, and the summary."""
    values = {name: declared["default"] for name, declared in ACTION["inputs"].items()} | inputs
    (step,) = [step for step in ACTION["runs"]["steps"] if "pip" not in step["run"]]
    variables = {key: values[re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", text)[1]] for key, text in step["env"].items()}
    summary = folder / "summary.md"
    summary.unlink(missing_ok=True)
    done = shell(folder, step["run"], GITHUB_ACTION_PATH=str(ROOT), GITHUB_STEP_SUMMARY=str(summary), **variables)
    return done, summary.read_text(encoding="utf-8") if summary.exists() else ""


@pytest.mark.parametrize("inputs", OURS, ids=["ci", "regression"])
def test_the_action_of_the_pages_writes_a_summary_and_junit(repository, inputs):
    done, summary = run_action(repository, inputs)
    assert done.returncode == 0, done.stderr
    assert "none moved" in summary
    assert "<testsuite " in (repository / inputs["junit"]).read_text(encoding="utf-8")
    if "runs" in inputs:
        assert summary.startswith("| run ")
        assert summary.count("\n| ") == 2  # each run once
        assert "By map, " in summary  # the verdict


def test_a_score_that_moved_fails_the_action(repository):
    moved = (repository / "runs/new.run").read_text(encoding="utf-8").replace("moon", "kites2", 1)
    (repository / "runs/new.run").write_text(moved, encoding="utf-8")
    done, summary = run_action(repository, OURS[0])
    assert done.returncode == 1
    assert "2 moved (2 fell)" in summary
    assert "<failure" in (repository / "scores.xml").read_text(encoding="utf-8")


def test_one_run_is_a_table_and_bad_input_fails(repository):
    one = {"assessments": "assessments", "runs": "runs/new.run", "options": "-m map"}
    done, summary = run_action(repository, one)
    assert (done.returncode, summary.count("| new ")) == (0, 0)
    assert "| map " in summary
    done, summary = run_action(repository, {**one, "runs": "runs/nowhere.run"})
    assert (done.returncode, summary) == (1, "")
    assert "runs/nowhere.run: cannot be read" in done.stderr


def test_the_hooks_of_the_page_run(repository):
    (config,) = [block for block in BLOCKS if "repos" in block]
    (repo,) = config["repos"]
    files = ["runs/baseline.run", "runs/new.run", "assessments"]
    commands = []
    for chosen in repo["hooks"]:
        hook = HOOKS[chosen["id"]]
        changed = [name for name in files if re.search(chosen["files"], name)]
        assert changed
        commands.append(
            [*shlex.split(hook["entry"]), *chosen["args"], *(changed if hook.get("pass_filenames", True) else [])]
        )
    for command in commands:
        done = shell(repository, shlex.join(command))
        assert done.returncode == 0, done.stderr
    (repository / "runs/new.run").write_text("1 Q0 a 1 high new\n", encoding="utf-8")
    assert [shell(repository, shlex.join(command)).returncode for command in commands] == [1, 1]


def test_tags_are_those_of_the_version():
    named = {tag for page in PAGES for tag in re.findall(r"prum-eval@v([0-9.]+[0-9])|rev: v([0-9.]+[0-9])", page)}
    wheels = set(re.findall(r"prum_eval-([0-9.]+)-py3", PAGES[0]))
    assert {text for pair in named for text in pair if text} == wheels == {__version__}


def test_no_page_installs_the_name_from_an_index():
    texts = [
        *(ROOT / "docs").rglob("*.md"),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "prum_eval").rglob("*.py"),
    ]
    pattern = re.compile(r"pip install\s+['\"]?prum[-_]eval\b|additional_dependencies: \[prum-eval")
    assert not [path.name for path in texts if pattern.search(path.read_text(encoding="utf-8"))]
