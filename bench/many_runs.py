"""``python -m bench.many_runs``: how much faster many runs are on two processors than on one.

200 runs of preset small and 16 of inex2006, copies of the generated ones under other names with other run ids. Calls
with -j 1 and -j 2 alternate, because machines drift; medians are compared. Index and cache are warm, as they are for
whoever evaluates many runs.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from pathlib import Path

from bench.__main__ import machine, work
from bench.processes import once

PRESETS = {"small": 200, "inex2006": 16}
ASKED = {
    "official": [],
    "prum+eprum+gen_recall": ["-m", "prum", "-m", "eprum", "-m", "gen_recall"],
    "all": ["-m", "all"],
}


def copies(folder: Path, count: int) -> list[str]:
    """So many runs: the weakest and the strongest in turn, each with a run id of its own."""
    place = folder / "copies"
    place.mkdir(exist_ok=True)
    sources = sorted(folder.glob("run*.thorough.paths.run"))
    paths = [place / f"copy{number:03d}.run" for number in range(count)]
    for number, path in enumerate(paths):
        if not path.exists():
            text = sources[-(number % 2)].read_bytes()
            run_id = text.split(None, 6)[5]
            path.write_bytes(text.replace(b" " + run_id + b" ", b" %s " % path.stem.encode()))
    return [str(path) for path in paths]


def index(folder: Path) -> str:
    """The index of the structure, made if it is not there."""
    path = folder / "structure.index"
    if not path.exists():
        once([sys.executable, "-m", "prum_eval", "index", str(folder / "structure.tsv"), "-o", str(path)])
    return str(path)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.many_runs", description=__doc__)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--preset", choices=list(PRESETS), help="only this one")
    asked = parser.parse_args()
    print(f"{machine()}. Medians of {asked.repeat} calls.\n")
    print("| runs | measures | -j 1, s | -j 2, s | faster |\n|---|---|---|---|---|")
    for preset, count in PRESETS.items():
        if asked.preset not in (None, preset):
            continue
        folder = work(preset)
        os.environ["PRUM_EVAL_CACHE"] = str(folder / "cache")
        runs, structure = copies(folder, count), index(folder)
        for name, options in ASKED.items():
            call = [
                sys.executable,
                "-m",
                "prum_eval",
                "eval",
                "-s",
                structure,
                *options,
                str(folder / "assessments"),
                *runs,
            ]
            once(call)
            pairs = [[once([*call, "-j", jobs]).seconds for jobs in ("1", "2")] for _ in range(asked.repeat)]
            one, two = (statistics.median(times) for times in zip(*pairs, strict=True))
            print(f"| {count} of {preset} | {name} | {one:.2f} | {two:.2f} | {one / two:.2f} |", flush=True)


if __name__ == "__main__":
    main()
