"""What was measured of many runs, as a section of bench/NOTES.md and as the plan of docs/many-runs.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.figures import load
from bench.page import DOCS, PAGE, machine, table, write_section
from bench.sentences import span

RUNS, TOPICS, RESULTS = 10**5, 10**4, 1500
"""The plan: so many runs, of so many topics, with so many results each."""
PROCESSORS = 1000
NETWORK = 1.25e9
"""Bytes a second of a network of 10 Gbit/s."""
THREADS_AHEAD = 4
"""Runs that are sent before their turn for each thread of a worker."""


def performance(figures: Mapping[str, Any]) -> list[str]:
    """A sentence and the table."""
    runs, jobs, cost, calls = (figures[key] for key in ("runs", "jobs", "cost", "calls"))
    rows = []
    for call in calls:
        peaks = [_peak(call[kind]) for kind in ("client", "worker", "scheduler")]
        rows.append([call["name"], f"{call['seconds']:.1f}", f"{runs / call['seconds']:.2f}", _share(figures, call)])
        rows[-1].append(f"{call['processor_seconds'] / runs:.2f}")
        rows[-1] += [*peaks, "" if call["resumed"] is None else f"{call['resumed']:.2f}"]
    first = calls[0]
    clusters = len(calls) > 2
    said = (
        f"{runs} runs of preset {figures['preset']} take {span(first['seconds'])} on {jobs} processes, "
        f"{span(first['seconds'] / runs)} each; one more in a process that has begun takes {span(cost)}, so that "
        f"{_share(figures, first)} of the processors' time is not evaluation"
        f"{f', on the workers of a cluster {_share(figures, calls[-1])}' if clusters else ''}. "
        f"To find with `--resume` that all is done takes {span(first['resumed'])}."
    )
    missing = "" if clusters else " `--cluster` was not measured: distributed is not installed."
    head = "call | s | runs a s | not evaluation | processor s a run"
    head += " | client MB | worker MB | scheduler MB | `--resume`, s"
    return [f"{said}{missing} {machine()}.", "", *table(head, rows)]


def plan(figures: Mapping[str, Any], memory: Mapping[str, float]) -> list[str]:
    """The arithmetic of a hundred thousand runs of ten thousand topics."""
    topic = figures["cost"] / figures["topics"]
    line_in = figures["bytes_in"] / figures["results"]
    out = figures["bytes_out"] / figures["topics"]
    result = memory.get("result of a run of elements, evaluated (prum, eprum, gen_recall)", 0.0)
    base = max((call["worker"] or 0.0 for call in figures["calls"]), default=0.0)
    handled = max(call["scheduler_seconds"] for call in figures["calls"]) / figures["runs"] / figures["bytes_in"] * 1e9
    size = line_in * TOPICS * RESULTS
    evaluation = topic * TOPICS * RUNS
    rows = [
        [
            "evaluation of a topic",
            span(topic),
            f"{RUNS:,} x {TOPICS:,}",
            f"{evaluation / 86400:,.0f} days of a processor",
        ],
        ["the same on many", "", f"{PROCESSORS:,} processors", _hours(evaluation / PROCESSORS)],
        ["a line of a run, read", f"{line_in:.0f} bytes", f"{TOPICS:,} x {RESULTS:,}", f"{size / 1e9:,.2f} GB a run"],
        [
            "all runs, through one network",
            f"{NETWORK / 1e9:g} GB/s",
            f"{RUNS:,}",
            _hours(size * RUNS / NETWORK),
        ],
        [
            "values of a topic, written",
            f"{out:.0f} bytes",
            f"{RUNS:,} x {TOPICS:,}",
            f"{out * TOPICS * RUNS / 1e12:,.2f} TB",
        ],
        [
            "a worker",
            f"{base:.0f} MB",
            f"+ a run + {TOPICS:,} x {RESULTS:,} x {result:.0f} bytes",
            f"{base / 1e3 + _held(size, result):,.1f} GB",
        ],
        [
            "runs on their way, in the scheduler",
            f"{size / 1e9:,.2f} GB",
            f"{THREADS_AHEAD} x {PROCESSORS:,}",
            f"{size * THREADS_AHEAD * PROCESSORS / 1e12:,.1f} TB",
        ],
        [
            "the scheduler's own time",
            f"{span(handled)} a GB",
            f"{RUNS:,} x {size / 1e9:,.2f} GB",
            _hours(handled * size * RUNS / 1e9),
        ],
    ]
    return [
        f"Unit costs from {figures['runs']} runs of {figures['topics']} topics. {machine()}.",
        "",
        *table("what | unit cost | times | in all", rows),
    ]


def write_pages(figures: Mapping[str, Any], *, dry: bool = False) -> None:
    """Write, or only print, both."""
    sections = {PAGE: ("cluster runs", performance(figures))}
    sections[DOCS / "many-runs.md"] = ("plan", plan(figures, load(f"memory-{figures['preset']}") or {}))
    for page, (name, lines) in sections.items():
        print("\n".join(lines))
        if not dry:
            write_section(name, lines, page)


def _hours(seconds: float) -> str:
    """Hours, or days where there are many."""
    return f"{seconds / 86400:,.0f} days" if seconds > 3 * 86400 else f"{seconds / 3600:,.1f} hours"


def _held(size: float, result: float) -> float:
    """GB of a worker that has a run in its bytes, and its results."""
    return (size + TOPICS * RESULTS * result) / 1e9


def _share(figures: Mapping[str, Any], call: Mapping[str, Any]) -> str:
    """Which part of the processors' time is not evaluation."""
    share = 1 - figures["runs"] * figures["cost"] / (figures["jobs"] * call["seconds"])
    return f"{max(0.0, share):.0%}"


def _peak(megabytes: float | None) -> str:
    return "" if megabytes is None else f"{megabytes:.0f}"
