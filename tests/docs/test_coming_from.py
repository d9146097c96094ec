"""What the page for those who come from other tools puts beside each other works, and gives the same numbers."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import prum_eval
from tests.docs.pages import ROOT, Command, new_folder, printed

PAGE = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (?:From )?(.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
_ROW = re.compile(r"^\| (?P<theirs>.*?) \| `(?P<ours>[^`]*)` \|$", re.MULTILINE)
FILES = {
    "trec_eval": {"qrels": "toy/qrels", "run": "toy/run", "other.run": "toy/run"},
    "ir_measures": {"qrels": "toy/qrels", "run": "toy/run"},
    "ranx": {"qrels": "toy/qrels", "run": "toy/run"},
    "Beyond these tools": {"qrels": "toy/qrels", "run": "toy/run", "other.run": "toy/run"},
    "inex_eval": {
        "qrels": "official/toy/toy.qrels",
        "run": "official/toy/C.run",
        "other.run": "official/toy/A.run",
    },
}
"""What the folder of each section holds, by its name there."""
BEST_ENTRY = "T1 Q0 10 1 9.0 mine 40 80\nT1 Q0 12 2 8.0 mine 0 100\nT2 Q0 20 1 3.0 mine 12 5\n"


def rows(tool):
    """What stands side by side in the section: theirs and ours."""
    found = [(row["theirs"].strip("`"), row["ours"]) for row in _ROW.finditer(SECTIONS[tool])]
    assert len(found) >= 8
    return found


COMMANDS = [(tool, theirs, ours) for tool in SECTIONS for theirs, ours in rows(tool) if ours.startswith("prum-eval ")]
CALLS = [(tool, theirs, ours) for tool in SECTIONS for theirs, ours in rows(tool) if ours.startswith("prum_eval.")]


@pytest.fixture
def folder(request):
    """A folder with the files that the section of that tool names."""
    with new_folder() as name:
        for file, fixture in FILES[request.param].items():
            shutil.copy(ROOT / "fixtures" / fixture, Path(name, file))
        Path(name, "bep.run").write_text(BEST_ENTRY, encoding="utf-8")
        if request.param == "ir_measures":  # a judged topic that the run lacks
            with Path(name, "qrels").open("a", encoding="utf-8") as qrels:
                qrels.write("3 0 bread 1\n")
        yield Path(name)


def values(lines):
    """The last columns that are numbers, as far as both tools print them."""
    return sorted(float(line.split()[-1]) for line in lines if not line.startswith(("runid", "num_q")))


def test_there_is_a_section_for_each_tool():
    assert set(SECTIONS) == set(FILES)
    assert len(COMMANDS) >= 50
    assert len(CALLS) >= 12


@pytest.mark.parametrize(("folder", "theirs", "ours"), COMMANDS, indirect=["folder"], ids=lambda one: str(one)[:90])
def test_a_command_of_the_right_column_works(folder, theirs, ours):
    command = Command((f"$ {ours} > out; echo status $?",), ())
    lines = printed(command, folder)
    assert lines[-1] == "status 0", (theirs, lines)
    assert (folder / "out").stat().st_size or " -o " in ours or " gold write " in ours
    if theirs.startswith("ir_measures "):
        beside = printed(Command((f"$ {theirs}",), ()), folder)
        assert values((folder / "out").read_text(encoding="utf-8").splitlines()) == values(beside)


@pytest.mark.parametrize(("folder", "theirs", "ours"), CALLS, indirect=["folder"], ids=lambda one: str(one)[:90])
def test_a_call_of_the_right_column_works(folder, theirs, ours, monkeypatch):
    monkeypatch.chdir(folder)
    names = {"prum_eval": prum_eval, "qrels": "qrels", "run": "run", "path": "run", "other": "run", "frame": None}
    assert eval(ours, names) is not None, theirs  # noqa: S307 - a line of our own page
