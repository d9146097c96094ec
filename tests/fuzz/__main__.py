"""``python -m tests.fuzz [--seconds S] [--seed N] [--jobs J] [TARGET ...]``: fuzz targets side by side."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.fuzz.run import bounded_memory, fuzzed
from tests.fuzz.targets import TARGETS

FOUND = Path(__file__).parent / "found"
"""Where inputs that fail are left; a test reads them ever after."""


def main() -> int:
    """Fuzz; the exit status is 1 if a target failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="processor time of each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at a time")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of: {' '.join(TARGETS)}")
    given = parser.parse_args()
    targets = given.targets or list(TARGETS)
    if len(targets) == 1:
        return _one(targets[0], given.seconds, given.seed)

    def start(name: str) -> int:
        command = [sys.executable, "-m", "tests.fuzz", name, "--seconds", str(given.seconds), "--seed", str(given.seed)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
        print(done.stdout + done.stderr[-4000:], end="", flush=True)
        return done.returncode

    with ThreadPoolExecutor(given.jobs) as pool:
        return max(pool.map(start, targets), key=abs)


def _one(name: str, seconds: float, seed: int) -> int:
    bounded_memory()
    failing: list[bytes] = []
    try:
        count = fuzzed(name, seconds, seed, failing.append)
    except BaseException:  # noqa: BLE001 - whatever a reader should not raise
        traceback.print_exc()
        FOUND.mkdir(exist_ok=True)
        path = FOUND / f"{name}.{len(list(FOUND.glob(f'{name}.*')))}"
        path.write_bytes(min(failing, key=len, default=b""))
        print(f"{name}: FAILED; the input is {path}")
        return 1
    print(f"{name}: {count} inputs in {seconds:g} s of processor time, seed {seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
