"""``python -m bench.growth``: how time grows with results, targets, topics and runs.

Whole processes on generated work, index and cache warm, a run that finds much. What a process costs anyway, taken from
an evaluation of next to nothing in the same call, is subtracted before the rest is divided.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.cases import THREE, ours
from bench.gen_inex import generate
from bench.page import machine, write_section
from bench.processes import ENVIRONMENT, measure, once
from prum_eval import evaluate

WORK = Path(__file__).resolve().parent / "generated" / "growth"
TINY = ["-m", "map", "fixtures/toy/qrels", "fixtures/toy/run"]
RESULTS = (150, 500, 1500, 5000, 15000)
RELEVANT = (10, 50, 150, 500, 1400)  # documents; `ideal` finds one or two targets in each
TOPICS = (5, 20, 80, 320)
RUNS = (1, 4, 16, 64)
SIZES = {"topics": 20, "docs": 12000, "elements": 30, "assessed": 60, "relevant": 30, "results": 1500}


class Work(NamedTuple):
    """Generated work, ready to be evaluated."""

    structure: str
    assessments: str
    run: str
    topics: int

    def call(self, runs: int = 1) -> list[str]:
        """The call that is timed, with the run so many times."""
        return ours("eval", "-s", self.structure, *THREE, self.assessments, *[self.run] * runs)


def work(name: str, **overrides: int) -> Work:
    """Work of these sizes, made if it is not there."""
    folder, sizes = WORK / name, {**SIZES, **overrides}
    if not (folder / "structure.index").exists():
        generate(folder, "medium", runs=1, **sizes)
        once(ours("index", folder / "structure.tsv", "-o", folder / "structure.index"))
    paths = (str(folder / part) for part in ("structure.index", "assessments", "run1.thorough.paths.run"))
    return Work(*paths, sizes["topics"])


def targets(one: Work) -> float:
    """Mean number of targets of a topic."""
    (run,) = evaluate(one.assessments, one.run, structure=one.structure, measures=["num_rel"]).runs
    return float(run.all["num_rel"] or 0) / one.topics


def by_results(start: float, repeat: int) -> list[str]:
    """The table for lists of growing length."""
    lines = ["| results a topic | seconds | microseconds a result |", "|---|---|---|"]
    for results in RESULTS:
        one = work(f"results-{results}", results=results)
        seconds = measure(one.call(), repeat).seconds
        lines.append(f"| {results} | {seconds:.2f} | {(seconds - start) / (results * one.topics) * 1e6:.1f} |")
    return lines


def by_targets(start: float, repeat: int) -> list[str]:
    """The table for topics with more and more targets."""
    lines = ["| targets a topic | seconds | milliseconds a topic | microseconds a target |", "|---|---|---|---|"]
    for relevant in RELEVANT:
        one = work(f"relevant-{relevant}", topics=10, docs=6000, assessed=relevant * 2, relevant=relevant)
        number, own = targets(one), (measure(one.call(), repeat).seconds - start) / one.topics
        lines.append(f"| {number:.0f} | {own * one.topics + start:.2f} | {own * 1e3:.1f} | {own / number * 1e6:.0f} |")
    return lines


def by_topics(start: float, repeat: int) -> list[str]:
    """The table for more and more topics."""
    lines = ["| topics | seconds | milliseconds a topic |", "|---|---|---|"]
    for topics in TOPICS:
        seconds = measure(work(f"topics-{topics}", topics=topics).call(), repeat).seconds
        lines.append(f"| {topics} | {seconds:.2f} | {(seconds - start) / topics * 1e3:.1f} |")
    return lines


def by_runs(start: float, repeat: int) -> list[str]:
    """The table for more and more runs in one call."""
    lines = ["| runs | seconds | milliseconds a run |", "|---|---|---|"]
    one = work(f"topics-{SIZES['topics']}")
    for runs in RUNS:
        seconds = measure(one.call(runs), repeat).seconds
        lines.append(f"| {runs} | {seconds:.2f} | {(seconds - start) / runs * 1e3:.0f} |")
    return lines


def section(repeat: int) -> Sequence[str]:
    """The tables."""
    ENVIRONMENT["PRUM_EVAL_CACHE"] = str(WORK / "cache")
    start = measure(ours("eval", *TINY), repeat).seconds
    head = f"Medians of {repeat} runs; {start:.2f} s, an evaluation of next to nothing, are subtracted. {machine()}."
    lines = [head]
    for table in (by_results, by_targets, by_topics, by_runs):
        lines += ["", *table(start, repeat)]
    return lines


def main() -> None:
    """Measure and write the section of the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--repeat", type=int, default=7)
    lines = section(parser.parse_args().repeat)
    print("\n".join(lines))
    write_section("growth", lines)


if __name__ == "__main__":
    main()
