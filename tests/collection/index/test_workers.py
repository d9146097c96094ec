"""Processes that parse: none outlives the build, and one that falls is said in one line."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.gold import ROOT

PIECES = """
import os, time
from prum_eval.collection.index_batches import map_in_order
def work(item):
    os.write(1, b"%d\\n" % os.getpid())
    time.sleep(60)
def fall(item):
    os._exit(3)
"""
SLEEP = (
    "import sys; sys.path.insert(0, sys.argv[1])\nfrom pieces import *\n"
    "if __name__ == '__main__': list(map_in_order(work, range(2), 2))\n"
)
FALL = SLEEP.replace("map_in_order(work", "map_in_order(fall")


def started(folder, text):
    (folder / "pieces.py").write_text(PIECES)
    (folder / "main.py").write_text(text)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(folder)))}
    return subprocess.Popen(
        [sys.executable, folder / "main.py", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=folder, env=environment,
    )  # fmt: skip


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at as Linux shows them")
def test_workers_do_not_outlive_a_build_that_was_killed(tmp_path):
    with started(tmp_path, SLEEP) as main:
        workers = [int(main.stdout.readline()) for _ in range(2)]
        main.kill()
        until = time.monotonic() + 20
        while any(map(alive, workers)) and time.monotonic() < until:
            time.sleep(0.05)
        left = [pid for pid in workers if alive(pid)]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        assert not left


def test_a_worker_that_falls(tmp_path):
    with started(tmp_path, FALL) as main:
        _, errors = main.communicate(timeout=60)
    reason = "a worker process ended before its time, perhaps for lack of memory; fewer --jobs need less"
    assert errors.splitlines()[-1] == f"prum_eval.errors.DataError: {reason}"
