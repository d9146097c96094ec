"""The pages say what happens: their commands are run, their Python examples too, and their links lead somewhere."""

from __future__ import annotations

import doctest
import os
import re

import pytest

from prum_eval import __version__
from tests.docs import paper_page
from tests.docs.pages import PAGES, ROOT, Command, agrees, blocks, commands, differences
from tests.gold import run

NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
WITH_COMMANDS = [
    name
    for name in NAMES
    if "```console\n" in (ROOT / name).read_text(encoding="utf-8") and ROOT / name != paper_page.PAGE
]
WITH_PYTHON = [name for name in NAMES if ">>> " in (ROOT / name).read_text(encoding="utf-8")]
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?!https?:)([^)#\s]+)(#[^)\s]*)?\)")


@pytest.mark.parametrize("name", WITH_COMMANDS)
def test_the_commands_of_a_page_print_what_it_shows(name):
    assert "\n\n".join(differences(ROOT / name)) == ""


@pytest.mark.parametrize("name", WITH_PYTHON)
def test_the_python_of_a_page_gives_what_it_shows(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(str(ROOT / name), module_relative=False, encoding="utf-8")
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("name", [*NAMES, "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_lead_to_files_that_exist(name):
    page = ROOT / name
    targets = [target for target, _ in _LINK.findall(page.read_text(encoding="utf-8"))]
    missing = [target for target in targets if not os.path.exists(page.parent / target)]  # noqa: PTH110 - ".." in it
    assert not missing


def test_every_page_stands_in_the_menu_of_the_site():
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    listed = re.findall(r"([\w/-]+\.md)$", menu, re.MULTILINE)
    elsewhere = {"index.md", "contributing.md", "changes.md"}
    assert sorted(listed) == sorted({name.removeprefix("docs/") for name in NAMES if name != "README.md"} | elsewhere)


def test_the_tutorial_is_among_the_pages():
    assert "docs/tutorial.md" in WITH_COMMANDS
    assert "docs/python.md" in WITH_PYTHON


@pytest.mark.parametrize("name", ["README.md", "docs/cookbook.md"])
def test_commands_that_show_no_output_work(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    lines = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    assert len(lines) >= 4
    assert {line: run(line.removeprefix("prum-eval ")).status for line in lines} == dict.fromkeys(lines, 0)


def test_the_citation_names_this_version():
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_changelog_has_this_version_and_says_first_what_moved():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = rf"^## {re.escape(__version__)} \(\d{{4}}-\d\d-\d\d\)\n"
    (release,) = re.findall(rf"{heading}(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^### (.*)$", release, re.MULTILINE)
    assert "Numbers that moved" not in headings[1:]
    assert len(headings) == len(set(headings))


def test_a_block_is_taken_apart():
    page = "text\n```console\n$ one \\\n    more\nshown\n\n$ two\n$ three\n...\n```\n"
    (block,) = blocks(page)
    assert list(commands(block)) == [
        Command(("$ one \\", "    more"), ("shown", "")),
        Command(("$ two",), ()),
        Command(("$ three",), ("...",)),
    ]
    assert next(commands(block)).text == "one \\\n    more"


def test_dots_stand_for_any_lines_and_all_else_is_compared():
    assert agrees(("a", "...", "d"), ["a", "b", "c", "d"])
    assert agrees(("a", "..."), ["a"])
    assert not agrees(("a", "...", "d"), ["a", "b", "c"])
    assert not agrees(("a",), ["a", "b"])
    assert not agrees(("a.c",), ["abc"])


def test_a_page_that_shows_something_else_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```console\n$ printf 'a\\nb\\n' > file; cat file\na\nb\n$ cat file\na\nc\n```\n", encoding="utf-8")
    assert differences(page) == ["$ cat file\na\nb\n-- but the page shows:\na\nc"]
