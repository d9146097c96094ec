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
from functools import partial
from subprocess import Popen

from bench.commands import THREE, ours
from bench.page import machine, table, write_section
from bench.processes import COSTLY, ENVIRONMENT, once, repeats
from bench.work import WORK, copies, preset_folder

PRESETS = {"small": 200, "inex2006": 16}
ASKED = {"official": (), "prum+eprum+gen_recall": THREE, "all": ("-m", "all")}
LOOP = [sys.executable, "-c", "for _ in range(30_000_000): pass"]


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


def _seconds_of(command: list[str]) -> float:
    return once(command).seconds


def section(repeat: int, only: str | None = None) -> list[str]:
    """What it means in a sentence, and the table."""
    rows: list[tuple[str, str, float, float]] = []

    def row(*found: *tuple[str, str, float, float]) -> None:
        rows.append(found)
        print(*found, file=sys.stderr)

    ENVIRONMENT["PRUM_EVAL_CACHE"] = str(WORK / "cache")
    apart, at_once = compared(lambda: seconds(lambda: together(1)) * 2, lambda: seconds(lambda: together(2)), repeat)
    row("two bare loops", "", apart, at_once)
    for preset, count in PRESETS.items():
        if only not in (None, preset):
            continue
        folder = preset_folder(preset)
        runs = copies(folder, count)
        for name, options in ASKED.items():
            call = ours("eval", "-s", folder / "structure.index", *options, folder / "assessments", *runs)
            one, two = (partial(_seconds_of, [*call, "-j", jobs]) for jobs in ("1", "2"))
            row(f"{count} of {preset}", name, *compared(one, two, repeats(one(), repeat)))
    (_, _, apart, at_once), *ours_of = rows
    gains = sorted(one / two for _, _, one, two in ours_of)
    lines = [[*names, f"{one:.2f}", f"{two:.2f}", f"{one / two:.2f}"] for *names, one, two in rows]
    return [
        (
            f"With `-j 2` runs are done {gains[0]:.2f} to {gains[-1]:.2f} times as fast as with `-j 1`, of the "
            f"{apart / at_once:.2f} times that this machine gains at most. Medians of {repeat} calls, "
            f"{repeats(COSTLY + 1, repeat)} of those that take more than {COSTLY:.0f} s. {machine()}."
        ),
        "",
        *table("runs | measures | -j 1, s | -j 2, s | faster", lines),
    ]


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
