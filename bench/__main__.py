"""``make bench``: time the command line on generated work, beside floors and peers, and write docs/performance.md.

Whole processes are timed, as a user's shell sees them; medians of several runs, and ratios against a floor or peer that
is measured in the same call, because machines differ and drift.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from bench.cases import Case, cases
from bench.gen_inex import generate
from bench.processes import Measured, measure
from bench.profile_run import profile

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "bench" / "generated"
PAGE = ROOT / "docs" / "performance.md"


def work(preset: str) -> Path:
    """The generated folder of a preset, made if it is not there."""
    folder = WORK / preset
    if not (folder / "MANIFEST.txt").exists():
        print(f"generating {preset} ...", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        generate(folder, preset)
    return folder


def row(case: Case, found: Measured, floor: Measured | None) -> str:
    """One row of the table."""
    ratio = f"{found.seconds / floor.seconds:.1f}" if floor is not None else ""
    return f"| {case.name} | {found.seconds:.2f} | {ratio} | {case.against or ''} | {found.megabytes:.0f} |"


def machine() -> str:
    """Versions and machine, in a line."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("prum-eval", "numpy", "pytrec-eval-terrier"))
    return f"{platform.python_implementation()} {platform.python_version()}, {packages}; {os.cpu_count()} processors"


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--preset", default="inex2006", choices=["small", "medium", "inex2006"])
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--only", help="measure the cases whose name contains this, and do not write the page")
    asked = parser.parse_args()
    folder = work(asked.preset)
    lines = ["| what | seconds | ratio | to | peak MB |", "|---|---|---|---|---|"]
    found: dict[str, Measured] = {}
    for case in cases(folder):
        if asked.only and asked.only not in case.name:
            continue
        found[case.name] = measure(case.command, asked.repeat)
        lines.append(row(case, found[case.name], found.get(case.against or "")))
        print(lines[-1], file=sys.stderr)
    if asked.only:
        return
    start, end = "<!-- measured -->\n", "<!-- /measured -->"
    text = PAGE.read_text(encoding="utf-8")
    head, tail = text[: text.index(start) + len(start)], text[text.index(end) :]
    manifest = (folder / "MANIFEST.txt").read_text(encoding="utf-8").splitlines()[1]
    body = [
        f"Preset {asked.preset}: {manifest}. Medians of {asked.repeat} runs. {machine()}.",
        "",
        *lines,
        "",
        "Where the time of `prum+eprum, strong run` goes, by the profiler (own time, share of all):",
        "",
        *profile(folder),
        "",
    ]
    PAGE.write_text(head + "\n".join(body) + tail, encoding="utf-8")


if __name__ == "__main__":
    main()
