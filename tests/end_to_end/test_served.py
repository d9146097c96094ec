"""The program of tests/served.py does what the program itself does."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests import served
from tests.gold import ROOT

QRELS = "fixtures/toy/qrels"
TOY = f"{QRELS} fixtures/toy/run"


def shell(command, folder):
    (folder / "prum-eval").write_text(f'#!/bin/sh\nexec {sys.executable} -m prum_eval "$@"\n', encoding="utf-8")
    (folder / "prum-eval").chmod(0o755)
    for programs in (served.folder(), str(folder)):
        environment = {**os.environ, "PATH": os.pathsep.join((programs, os.environ["PATH"])), "LC_ALL": "C.UTF-8"}
        done = subprocess.run(["/bin/sh", "-c", command], cwd=ROOT, env=environment, capture_output=True, check=False)
        yield done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (f"prum-eval eval -q -m map {TOY}; prum-eval check 'no run' {TOY}", 1),
        ("prum-eval eval --nothing", 2),
        (f"prum-eval convert --to run-trec fixtures/toy/run | prum-eval eval -f json {QRELS} - | head -n 5", 0),
        (f"cd fixtures; COLUMNS=50 prum-eval eval --help; prum-eval eval -m map ../{TOY} > /dev/full", 1),
    ],
)
def test_streams_status_folder_and_environment_are_those_of_the_caller(command, status, tmp_path):
    here, there = shell(command, tmp_path)
    assert here == there
    assert here[0] == status
