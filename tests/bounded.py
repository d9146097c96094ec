"""A command in a process of its own whose memory is bounded by the system."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Sequence

from tests.gold import ROOT, Output


def run_bounded(arguments: Sequence[str], megabytes: int) -> Output:
    """Run a command; it fails if it asks for more memory."""

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))

    done = subprocess.run(
        [sys.executable, "-m", "prum_eval", *arguments],
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # stacks of threads are no memory of ours
        preexec_fn=bound,
        capture_output=True,
        text=True,
        check=False,
    )
    return Output(done.returncode, done.stdout, done.stderr)
