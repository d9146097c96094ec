"""``make bench``: time the command line on generated work, beside floors and peers, and write what was measured.

It is written into bench/NOTES.md and the table of docs/performance.md. Whole processes are timed, as a user's shell
sees them; medians of several runs, and ratios against a floor or peer that is measured in the same call, because
machines differ and drift. A command of more than five seconds is run three times only, one of more than half a minute
once. TREC_EVAL=PATH, trec_eval or the folder of its source, is measured too, and INEX_EVAL=PATH, the tool of the
campaigns of 2007 to 2010.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable

from bench import growth, many_runs, memory, trec_eval
from bench.aims import aims_table
from bench.cases import all_cases, passages, tables
from bench.commands import Case, Folders
from bench.figures import load, load_rows, save, save_rows
from bench.page import USERS_PAGE, machine, write_section
from bench.processes import ENVIRONMENT, Measured, measure
from bench.sentences import sentence, summary
from bench.work import WORK, work


def row(case: Case, found: Measured, floor: Measured | None) -> str:
    """One row of a table."""
    ratio = f"{found.seconds / floor.seconds:.2f}" if floor is not None else ""
    cells = (case.name, f"{found.seconds:.3f}", ratio, case.against or "", f"{found.megabytes:.0f}", found.calls)
    return f"| {' | '.join(map(str, cells))} |"


def measured(cases: list[Case], repeat: int, preset: str) -> list[str]:
    """Measure cases, keep what is found, and return what went wrong."""
    found, failures = load_rows(preset), []
    for case in cases:
        try:
            found[case.name] = measure(case.command, repeat, inside=case.inside)
        except RuntimeError as error:
            failures.append(f"{case.name}: {error}")
            found.pop(case.name, None)
            print(failures[-1], file=sys.stderr)
            continue
        save_rows(preset, {case.name: found[case.name]})
        print(row(case, found[case.name], found.get(case.against or "")), file=sys.stderr)
    return failures


def page(folders: Folders, preset: str) -> list[str]:
    """The section of the rows: a sentence and a table each."""
    found = load_rows(preset)
    manifest = (folders.inex / "MANIFEST.txt").read_text(encoding="utf-8").splitlines()[1]
    lines = [
        f"Preset {preset}: {manifest}. {machine()}. Calls are those of which the median is shown. {trec_eval.note()}"
    ]
    for title, cases in tables(folders).items():
        rows = [row(case, found[case.name], found.get(case.against or "")) for case in cases if case.name in found]
        head = ["| what | seconds | ratio | to | peak MB | calls |", "|---|---|---|---|---|---|"]
        lines += ["", f"### {title}", "", sentence(title, found), "", *head, *rows]
    told = load(f"profile-{preset}")
    if told:
        lines += ["", "Where the time of `prum+eprum, strong run` goes, by the profiler (own time, share of all):"]
        lines += ["", *told]
    return [*lines, ""]


def with_floors(cases: list[Case], part: str) -> list[Case]:
    """The cases whose names contain this, and all that they are compared with."""
    chosen: set[str | None] = set()
    for case in reversed(cases):  # a floor comes before what is compared with it
        if part in case.name or case.name in chosen:
            chosen |= {case.name, case.against}
    return [case for case in cases if case.name in chosen]


def _remember_peers(*, from_last: bool) -> None:
    """Keep where the peers are, or take it from the last call: a page is written of the rows that were measured."""
    known = load("peers") or {}
    for variable in (trec_eval.VARIABLE, passages.VARIABLE):
        if from_last and known.get(variable):
            os.environ.setdefault(variable, known[variable])
    save("peers", {**known, **{name: os.environ.get(name) for name in (trec_eval.VARIABLE, passages.VARIABLE)}})


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--preset", default="inex2006", choices=["small", "medium", "inex2006"])
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--only", help="measure the cases whose name contains this, and do not write the page")
    parser.add_argument("--large", action="store_true", help="the case of a million topics too")
    parser.add_argument("--page", action="store_true", help="measure nothing: write the page from the last figures")
    parser.add_argument("--dry", action="store_true", help="do not write the page")
    asked = parser.parse_args()
    folders = work(asked.preset, large=asked.large)
    _remember_peers(from_last=asked.page)
    ENVIRONMENT["PRUM_EVAL_CACHE"] = str(WORK / "cache")
    cases = [case for case in all_cases(folders) if asked.large or not case.large]
    if asked.only:
        cases = with_floors(cases, asked.only)
    failures = [] if asked.page else measured(cases, asked.repeat, asked.preset)
    small = asked.preset == "small"
    sections: dict[str, Callable[[], list[str]]] = {
        "memory": lambda: memory.section(asked.repeat, asked.preset),
        "many runs": lambda: many_runs.section(asked.repeat, "small" if small else None),
        "growth": lambda: growth.section(asked.repeat, growth.FEW if small else None),
    }
    for name, make in sections.items() if not (asked.only or asked.page) else ():
        try:
            save(f"section-{name}-{asked.preset}", make())
        except RuntimeError as error:
            failures.append(f"{name}: {error}")
    if not asked.only and not asked.page:
        profile = [sys.executable, "-m", "bench.profile_run", str(folders.inex)]
        told = subprocess.run(profile, capture_output=True, text=True, check=False, env=ENVIRONMENT)
        save(f"profile-{asked.preset}", told.stdout.splitlines())
    if not asked.only and not asked.dry:
        write_section("measured", page(folders, asked.preset))
        write_section("aims", aims_table(load_rows(asked.preset)))
        write_section("summary", summary(load_rows(asked.preset)), USERS_PAGE)
        for name in sections:
            if told := load(f"section-{name}-{asked.preset}"):
                write_section(name, told)
        growth.draw()
    if failures:
        sys.exit("\n".join(["These were not measured:", *failures]))


if __name__ == "__main__":
    main()
