"""What docs/architecture.md says of the code is so: files and names exist, calls pass no more files than it says."""

from __future__ import annotations

import ast
import re
import subprocess
import sys

import pytest

from tests.gold import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:\w+/)*\w+\.py)(?::([\w.]+))?`", PAGE)))
CALLS = re.findall(r"^\| `(eval .*)` \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)


def defined(body):
    """Functions, classes with what they hold (``Class.method``), and assigned names."""
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name, body=inner):
                yield name
                yield from (f"{name}.{one}" for one in defined(inner))
            case ast.Assign(targets=[ast.Name(id=name), *_]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_what_the_page_names_exists(file, name):
    tree = ast.parse((ROOT / "prum_eval" / file).read_text(encoding="utf-8"))
    assert not name or name in set(defined(tree.body))


def test_the_page_names_what_a_reader_meets():
    rooms = {file.split("/")[0] for file, _ in NAMED}
    assert rooms >= {"cli", "collection", "evaluation", "formats", "measures", "records", "relevance", "report"}
    assert len(CALLS) == 2


@pytest.mark.parametrize(("call", "files", "hops"), CALLS)
def test_a_call_passes_no_more_files_than_the_page_says(call, files, hops):
    command = [sys.executable, "-m", "tests.hops", *call.split()]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    counted = [int(number) for number in re.findall(r"\d+", printed)]
    assert counted[0] <= int(files)
    assert counted[1] <= int(hops)
