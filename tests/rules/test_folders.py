"""A folder is taken in at a glance, and the tests of a room are where one looks for them."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import PurePosixPath

import pytest

from tests.rules.source import PACKAGE, ROOT, modules

MOST = 15
"""Modules of a folder, without ``__init__.py``."""
A_FILE_EACH = {"measures", "cli/commands"}
"""Folders that may hold more: they have a file a family of measures, or a file a command."""

ACROSS_ROOMS = {"bench", "docs", "end_to_end", "fuzz", "oracles", "rules"}
"""Folders of tests that belong to no room."""
OF_EVERYONE = {"errors", "version", "records", "text", "formats"}
"""Rooms that the tests of others need to make and to read inputs."""
FROM_OUTSIDE = {"prum_eval", "prum_eval.evaluation.api", "tests.gold"}
"""What a test imports that goes through the public functions or the command line."""
TESTS = {path.relative_to(ROOT / "tests").as_posix(): path for path in sorted((ROOT / "tests").rglob("test_*.py"))}
TESTS_OF_ROOMS = [name for name in TESTS if name.split("/")[0] not in ACROSS_ROOMS]


def test_no_folder_holds_more_modules_than_one_remembers():
    count = Counter(PurePosixPath(name).parent.as_posix() for name in modules() if not name.endswith("__init__.py"))
    assert {folder: number for folder, number in count.items() if number > MOST and folder not in A_FILE_EACH} == {}


@pytest.mark.parametrize("name", TESTS_OF_ROOMS)
def test_tests_stand_in_a_folder_of_the_package_or_that_of_a_module(name):
    folder = PACKAGE / PurePosixPath(name).parent
    assert folder.is_dir() or folder.with_suffix(".py").is_file()


@pytest.mark.parametrize("name", TESTS_OF_ROOMS)
def test_a_test_that_looks_into_a_room_stands_in_it(name):
    tree = ast.parse(TESTS[name].read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    looks_into = {module.split(".")[1] for module in imported if module.startswith("prum_eval.")} - OF_EVERYONE
    room = PurePosixPath(name).parts[0].removeprefix("test_").removesuffix(".py")
    assert not looks_into or room in looks_into or imported & FROM_OUTSIDE


@pytest.mark.parametrize("room", sorted({PurePosixPath(name).parts[0] for name in modules() if "/" in name}))
def test_every_room_has_tests(room):
    assert room in OF_EVERYONE or any(name.startswith(f"{room}/") for name in TESTS_OF_ROOMS)
