"""Calls of the command line in a process of its own, which may fork as a user's does."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NamedTuple

from tests.gold import ROOT

DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments"
A, B, C = "fixtures/demo/run-a.xml", "fixtures/demo/run-b.xml", "fixtures/demo/run-a.offsets.run"


class Called(NamedTuple):
    """What a call left behind."""

    status: int
    out: bytes
    err: bytes


def call(command: str, *, stdin: bytes = b"", **environment: str) -> Called:
    """Run a command from the root of the repository; its parts are separated by blanks, unquoted."""
    whole = {**os.environ, "PRUM_EVAL_CACHE": "off", **environment}
    arguments = [sys.executable, "-m", "prum_eval", *command.split()]
    done = subprocess.run(arguments, input=stdin, capture_output=True, cwd=ROOT, env=whole, check=False, timeout=60)
    return Called(done.returncode, done.stdout, done.stderr)


def script(text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a Python script from the root of the repository."""
    whole = {**os.environ, **environment}
    command = [sys.executable, "-c", text]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=whole, check=False, timeout=60)
