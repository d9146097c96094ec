"""``python -m bench.many_runs``: how much faster many runs are on two processors than on one.

200 runs of preset small and 16 of inex2006, copies of the generated ones under other names with other run ids. Calls
with -j 1 and -j 2 alternate, because machines drift; medians are compared. Index and cache are warm, as they are for
whoever evaluates many runs. What the machine itself gains is measured too: two bare Python loops at once against one
after the other.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

from bench.cases import THREE, ours
from bench.gen_inex import generate
from bench.page import machine, write_section
from bench.processes import ENVIRONMENT, once

WORK = Path(__file__).resolve().parent / "generated"
PRESETS = {"small": 200, "inex2006": 16}
ASKED = {"official": (), "prum+eprum+gen_recall": THREE, "all": ("-m", "all")}
LOOP = [sys.executable, "-c", "for _ in range(30_000_000): pass"]


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


def work(preset: str) -> Path:
    """The generated folder of a preset with its index, made where it is not there."""
    folder = WORK / preset
    if not (folder / "MANIFEST.txt").exists():
        generate(folder, preset)
    if not (folder / "structure.index").exists():
        once(ours("index", folder / "structure.tsv", "-o", folder / "structure.index"))
    return folder


def seconds(call: Callable[[], object]) -> float:
    """Wall-clock time."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def together(number: int) -> None:
    """So many bare loops at once."""
    for loop in [Popen(LOOP, env=ENVIRONMENT) for _ in range(number)]:
        loop.wait()


def compared(one: Callable[[], float], two: Callable[[], float], repeat: int) -> tuple[float, float]:
    """Medians of calls that alternate."""
    pairs = [(one(), two()) for _ in range(repeat)]
    first, second = (statistics.median(times) for times in zip(*pairs, strict=True))
    return first, second


def section(repeat: int, only: str | None = None) -> list[str]:
    """The table."""
    lines = [f"Medians of {repeat} calls. {machine()}.", "", "| runs | measures | -j 1, s | -j 2, s | faster |"]
    lines.append("|---|---|---|---|---|")

    def row(runs: str, measures: str, one: float, two: float) -> None:
        lines.append(f"| {runs} | {measures} | {one:.2f} | {two:.2f} | {one / two:.2f} |")
        print(lines[-1], file=sys.stderr)

    ENVIRONMENT["PRUM_EVAL_CACHE"] = str(WORK / "cache")
    apart, at_once = compared(lambda: seconds(lambda: together(1)) * 2, lambda: seconds(lambda: together(2)), repeat)
    row("two bare loops", "", apart, at_once)
    for preset, count in PRESETS.items():
        if only not in (None, preset):
            continue
        folder = work(preset)
        runs = copies(folder, count)
        for name, options in ASKED.items():
            call = ours("eval", "-s", folder / "structure.index", *options, folder / "assessments", *runs)
            once(call)
            timed = [lambda jobs=jobs, call=call: once([*call, "-j", jobs]).seconds for jobs in ("1", "2")]
            row(f"{count} of {preset}", name, *compared(*timed, repeat))
    return lines


def main() -> None:
    """Measure, print the table and, where all of it is measured, write it."""
    parser = argparse.ArgumentParser(prog="python -m bench.many_runs", description=__doc__)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--preset", choices=list(PRESETS), help="only this one, and do not write the page")
    asked = parser.parse_args()
    lines = section(asked.repeat, asked.preset)
    if asked.preset is None:
        write_section("many runs", lines)


if __name__ == "__main__":
    main()
