"""``make bench``: time the command line on generated work, beside floors and peers, and write docs/performance.md.

Whole processes are timed, as a user's shell sees them; medians of several runs, and ratios against a floor or peer that
is measured in the same call, because machines differ and drift.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from functools import partial
from multiprocessing import Process
from pathlib import Path

from bench import growth, many_runs
from bench.cases import ASSESSMENTS, COLD, WARM, Case, Folders, cases, ours
from bench.gen_chunks import generate_chunks
from bench.gen_inex import generate
from bench.gen_trec import generate_trec
from bench.page import machine, write_section
from bench.processes import ENVIRONMENT, Measured, measure
from bench.profile_run import profile

WORK = Path(__file__).resolve().parent / "generated"


def work(preset: str) -> Folders:
    """The generated folders, made where they are not there."""
    folders = Folders(WORK / preset, WORK / "flat", WORK / "documents", WORK / "chunks")
    for folder, make in (
        (folders.inex, partial(generate, folders.inex, preset)),
        (folders.flat, partial(generate_trec, folders.flat, topics=1000)),
        (folders.documents, partial(generate, folders.documents, "medium", topics=1, docs=12000, xml=True, runs=1)),
        (folders.chunks, partial(generate_chunks, folders.chunks)),
    ):
        mark = folder / "COMPLETE"
        if not mark.exists():
            print(f"generating {folder.name} ...", file=sys.stderr)
            child = Process(target=make)  # what it needs would else count as memory of all that is measured
            child.start()
            child.join()
            mark.touch()
    structure = folders.documents / "structure.xml"
    if not structure.exists():
        text = structure.with_suffix(".tsv")
        subprocess.run(ours("convert", "--to", "structure-xml", text, "-o", structure), check=True)
    return folders


def row(case: Case, found: Measured, floor: Measured | None) -> str:
    """One row of the table."""
    ratio = f"{found.seconds / floor.seconds:.1f}" if floor is not None else ""
    return f"| {case.name} | {found.seconds:.2f} | {ratio} | {case.against or ''} | {found.megabytes:.0f} |"


def parsing(found: dict[str, Measured]) -> str:
    """What the cache saves, in a sentence."""
    more = found[COLD].seconds - found[WARM].seconds
    ratio = more / found[ASSESSMENTS].seconds
    return f"Without the cache the strong run takes {more:.2f} s more, {ratio:.1f} times the {ASSESSMENTS}."


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--preset", default="inex2006", choices=["small", "medium", "inex2006"])
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--only", help="measure the cases whose name contains this, and do not write the page")
    asked = parser.parse_args()
    folders = work(asked.preset)
    ENVIRONMENT["PRUM_EVAL_CACHE"] = str(WORK / "cache")
    lines = ["| what | seconds | ratio | to | peak MB |", "|---|---|---|---|---|"]
    found: dict[str, Measured] = {}
    floors = {case.against for case in cases(folders) if asked.only and asked.only in case.name}
    for case in cases(folders):
        if asked.only and asked.only not in case.name and case.name not in floors:
            continue
        found[case.name] = measure(case.command, asked.repeat)
        lines.append(row(case, found[case.name], found.get(case.against or "")))
        print(lines[-1], file=sys.stderr)
    if asked.only:
        return
    manifest = (folders.inex / "MANIFEST.txt").read_text(encoding="utf-8").splitlines()[1]
    write_section(
        "measured",
        [
            f"Preset {asked.preset}: {manifest}. Medians of {asked.repeat} runs. {machine()}.",
            "",
            *lines,
            "",
            parsing(found),
            "",
            "Where the time of `prum+eprum, strong run` goes, by the profiler (own time, share of all):",
            "",
            *profile(folders.inex),
            "",
        ],
    )
    write_section("many runs", many_runs.section(asked.repeat))
    write_section("growth", growth.section(asked.repeat))


if __name__ == "__main__":
    main()
