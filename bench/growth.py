"""``python -m bench.growth``: how time grows with results, targets, topics and runs.

Whole processes on generated work, index and cache warm, a run that finds much. What a process costs anyway, taken from
an evaluation of next to nothing in the same call, is subtracted before the rest is divided.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

from bench.commands import THREE, ours
from bench.figures import load, save
from bench.gen_inex import generate
from bench.page import machine, table, write_section
from bench.processes import ENVIRONMENT, measure, once
from bench.work import WORK, made

TINY = ["-m", "map", "fixtures/toy/qrels", "fixtures/toy/run"]
RESULTS = (150, 500, 1500, 5000, 15000)
RELEVANT = (10, 50, 150, 500, 1400)  # documents; `ideal` finds one or two targets in each
TOPICS = (5, 20, 80, 320)
RUNS = (1, 4, 16, 64)
SIZES = {"topics": 20, "docs": 12000, "elements": 30, "assessed": 60, "relevant": 30, "results": 1500}
FEW = 2
"""Sizes of each table that are enough to see that it works."""


class Work(NamedTuple):
    """Generated work, ready to be evaluated."""

    structure: str
    assessments: str
    run: str
    topics: int

    def call(self, runs: int = 1) -> list[str]:
        """The call that is timed, with the run so many times."""
        return ours("eval", "-s", self.structure, *THREE, self.assessments, *[self.run] * runs)


class Point(NamedTuple):
    """A size, the work done (of all topics and runs), and how long that took."""

    size: float
    topics: int
    seconds: float


class Growth(NamedTuple):
    """A table: what grows, its points, and what a size is divided by for the last column."""

    name: str
    points: list[Point]


def growth_work(name: str, **overrides: int) -> Work:
    """Work of these sizes, made if it is not there."""
    folder, sizes = WORK / "growth" / name, {**SIZES, **overrides}

    def make() -> None:
        generate(folder, "medium", runs=1, **sizes)
        once(ours("index", folder / "structure.tsv", "-o", folder / "structure.index"))

    made(folder, make)
    structure, judged, run = (folder / part for part in ("structure.index", "assessments", "run1.thorough.paths.run"))
    return Work(str(structure), str(judged), str(run), sizes["topics"])


def targets(one: Work) -> float:
    """Mean number of targets of a topic."""
    call = ours("eval", "-s", one.structure, "-m", "num_rel", "-f", "json", one.assessments, one.run)
    found = subprocess.run(call, capture_output=True, check=True, env=ENVIRONMENT).stdout
    return float(json.loads(found)["runs"][0]["all"]["num_rel"]) / one.topics


def by_targets(relevant: int) -> Work:
    """Ten topics with so many relevant documents each."""
    return growth_work(f"relevant-{relevant}", topics=10, docs=6000, assessed=relevant * 2, relevant=relevant)


def _works(few: int | None) -> Iterator[tuple[str, list[tuple[float, Work, int]]]]:
    """Every table with its sizes: the size, the work, and how often its run is given."""
    many = growth_work(f"topics-{SIZES['topics']}")
    yield "results a topic", [(n, growth_work(f"results-{n}", results=n), 1) for n in RESULTS[:few]]
    yield "targets a topic", [(targets(one), one, 1) for one in map(by_targets, RELEVANT[:few])]
    yield "topics", [(n, growth_work(f"topics-{n}", topics=n), 1) for n in TOPICS[:few]]
    yield "runs", [(n, many, n) for n in RUNS[:few]]


def measured(repeat: int, few: int | None = None) -> tuple[float, list[Growth]]:
    """Seconds of an evaluation of next to nothing, and the tables; of each its first few sizes only."""
    ENVIRONMENT["PRUM_EVAL_CACHE"] = str(WORK / "cache")
    start = measure(ours("eval", *TINY), repeat).seconds
    found = []
    for name, sizes in _works(few):
        points = [Point(size, one.topics, measure(one.call(n), repeat).seconds) for size, one, n in sizes]
        found.append(Growth(name, points))
        print(name, *(f"{point.size:.0f}: {point.seconds:.3f}" for point in points), file=sys.stderr)
    return start, found


def slope(points: list[Point], start: float) -> float:
    """The power of the size with which time grows, from the last two points, what is there anyway taken off."""
    one, two = points[-2:]
    rest = [max(point.seconds - start, 1e-3) for point in (one, two)]
    return math.log(rest[1] / rest[0]) / math.log(two.size / one.size)


def tables(start: float, found: list[Growth]) -> list[str]:
    """A sentence and a table each."""
    lines = []
    for name, points in found:
        one, two = points[-2:]
        by_topic = name.endswith("a topic")
        rows = []
        for size, topics, seconds in points:
            own = (seconds - start) / (size * topics if by_topic else size)
            rows.append([f"{size:.0f}", f"{seconds:.2f}", f"{own * 1e6:.1f}" if by_topic else f"{own * 1e3:.1f}"])
        unit = "microseconds" if by_topic else "milliseconds"
        said = (
            f"From {one.size:.0f} to {two.size:.0f} {name}, {two.size / one.size:.1f} times as many, what is more than "
            f"the start grows from {one.seconds - start:.2f} s to {two.seconds - start:.2f} s: with the power "
            f"{slope(points, start):.2f} of their number."
        )
        lines += ["", said, "", *table(f"{name} | seconds | {unit} each", rows)]
    return lines


def section(repeat: int, few: int | None = None) -> list[str]:
    """Measure; the text and tables."""
    start, found = measured(repeat, few)
    if few is None:
        save("growth", {"start": start, "tables": found})
    head = f"Medians of {repeat} runs; {start:.2f} s, an evaluation of next to nothing, are subtracted. {machine()}."
    return [head, *tables(start, found)]


def draw() -> None:
    """Draw the picture from what was measured last, where there are figures and matplotlib."""
    known = load("growth")
    if known is None:
        return
    from bench.growth_picture import write_picture

    write_picture(
        known["start"], [Growth(name, [Point(*point) for point in points]) for name, points in known["tables"]]
    )


def main() -> None:
    """Measure, write the section of the page and draw its picture."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--few", action="store_true", help="the smallest sizes only, and do not write the page")
    asked = parser.parse_args()
    lines = section(asked.repeat, FEW if asked.few else None)
    print("\n".join(lines))
    if not asked.few:
        write_section("growth", lines)
        draw()


if __name__ == "__main__":
    main()
