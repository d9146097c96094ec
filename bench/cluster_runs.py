"""``python -m bench.cluster_runs``: a thousand runs of INEX 2006's size, here and on a Dask cluster of this machine.

N names lead to few generated files, and go through ``-j`` and ``--cluster``, into one file of JSON Lines or a folder.
Measured are runs a second, the share of the processors' time that is not evaluation, and the peak memory of client,
workers and scheduler; then how long the same call takes with ``--resume`` where everything is done. An index, the
cache, prum, eprum and gen_recall under hierarchical navigation, as in the other tables. Writes its part of
bench/NOTES.md and the plan of docs/many-runs.md.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

from bench.cluster_page import write_pages
from bench.commands import THREE, ours
from bench.dask_cluster import dask_cluster
from bench.figures import save
from bench.process_tree import CLIENT, SCHEDULER, WORKER, Tree, run_watched
from bench.processes import ENVIRONMENT, once
from bench.work import WORK, preset_folder

BASE = 8
"""Runs of the call from which the cost of one in a single process is taken."""


@dataclass(frozen=True)
class Found:
    """What a call of many runs took; peaks in MB, of the largest process of each kind; processor time of all."""

    name: str
    seconds: float
    client: float | None
    worker: float | None
    scheduler: float | None
    scheduler_seconds: float
    processor_seconds: float
    resumed: float | None = None


@dataclass(frozen=True)
class Work:
    """Runs under many names, and the call that evaluates them, up to the place of its output."""

    folder: Path
    runs: list[str]

    def call(self, *options: str) -> list[str]:
        """Evaluate all runs."""
        return self.call_of(self.runs, *options)

    def call_of(self, runs: Sequence[str], *options: str) -> list[str]:
        """Evaluate some runs."""
        source = ("-s", self.folder / "structure.index", *THREE)
        return ours("eval", "--quiet", *source, *options, self.folder / "assessments", *runs)


def linked(folder: Path, count: int, place: Path) -> Work:
    """So many names for the few generated runs, in turn."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    files = sorted(folder.glob("run?.thorough.paths.run"))
    runs = [place / f"run{number:06d}.run" for number in range(count)]
    for number, run in enumerate(runs):
        run.symlink_to(files[number % len(files)])
    return Work(folder, [str(run) for run in runs])


def cost_of_a_run(work: Work) -> float:
    """Seconds that one more run takes in a process that has begun: the best of two differences."""
    place = work.folder / "copies.jsonl"
    few = work.runs[:BASE]
    call = ("-f", "jsonl", "-o", str(place))
    once(work.call_of(few[:1], *call))
    costs = []
    for _ in range(2):
        one, all_of_them = (once(work.call_of(runs, *call)).seconds for runs in (few[:1], few))
        costs.append((all_of_them - one) / (len(few) - 1))
    return min(costs)


def outputs(place: Path) -> Iterator[tuple[str, list[str]]]:
    """The two places of many results, each empty at first."""
    for name, path, options in (
        ("`-f jsonl`", place / "all.jsonl", ["-f", "jsonl", "-o", str(place / "all.jsonl")]),
        ("`--output-dir`", place / "each", ["--output-dir", str(place / "each")]),
    ):
        shutil.rmtree(path, ignore_errors=True)
        path.unlink(missing_ok=True)
        yield name, options


@contextmanager
def places(jobs: int) -> Iterator[list[tuple[str, list[str], list[int]]]]:
    """Name, options and processes of every place of work: processes, a cluster of the call, one that runs already."""
    here: list[tuple[str, list[str], list[int]]] = [(f"`-j {jobs}`", ["-j", str(jobs)], [])]
    if find_spec("distributed") is None:
        yield here
        return
    with dask_cluster(jobs) as (address, processes):
        yield [
            *here,
            (f"`--cluster local -j {jobs}`", ["--cluster", "local", "-j", str(jobs)], []),
            ("`--cluster tcp://...`", ["--cluster", address], processes),
        ]


def measured(work: Work, jobs: int, place: Path) -> Iterator[Found]:
    """Every place of work with both outputs."""
    place.mkdir(parents=True, exist_ok=True)
    with places(jobs) as all_places:
        for where, options, processes in all_places:
            for name, output in list(outputs(place))[-1 if processes else 0 :]:  # the scheduler sees no difference
                try:
                    found = _measured_call(work, where, name, [*options, *output], processes)
                except RuntimeError as error:  # the others are worth having
                    print(error, file=sys.stderr)
                    continue
                print(found, file=sys.stderr)
                yield found


def _measured_call(work: Work, where: str, name: str, options: list[str], processes: list[int]) -> Found:
    """One call of all runs, and, where it starts all of its processes, the same again with all done."""
    before = _clock(processes)
    seconds, tree = run_watched(work.call(*options), ENVIRONMENT, processes)
    client, worker, scheduler = (tree.peak(kind) for kind in (CLIENT, WORKER, SCHEDULER))
    spent = [tree.seconds(kind) - before.get(kind, 0.0) for kind in (SCHEDULER, CLIENT, WORKER)]
    resumed = None if processes else once(work.call("--resume", *options)).seconds
    return Found(f"{where} {name}", seconds, client, worker, scheduler, spent[0], sum(spent), resumed)


def _clock(processes: list[int]) -> dict[str, float]:
    """Processor seconds so far, by what a process is."""
    tree = Tree(processes)
    tree.sample()
    return {kind: tree.seconds(kind) for kind in (SCHEDULER, WORKER)}


def sizes(work: Work, place: Path) -> dict[str, float]:
    """What a run is in bytes, topics and results, and what is written of it."""
    run = Path(work.runs[0]).read_bytes()
    lines = run.splitlines()
    topics = len({line.split(None, 1)[0] for line in lines})
    files = sorted((place / "each").iterdir())
    out = sum(path.stat().st_size for path in files) / len(files)
    return {"bytes_in": len(run), "bytes_out": out, "topics": topics, "results": len(lines)}


def main() -> None:
    """Measure and write the sections of the pages."""
    parser = argparse.ArgumentParser(prog="python -m bench.cluster_runs", description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--preset", default="inex2006", choices=["small", "medium", "inex2006"])
    parser.add_argument("--dry", action="store_true", help="do not write the pages")
    asked = parser.parse_args()
    ENVIRONMENT["PRUM_EVAL_CACHE"] = str(WORK / "cache")
    place = WORK / "cluster"
    work = linked(preset_folder(asked.preset), asked.runs, place / "runs")
    cost = cost_of_a_run(work)
    found = [asdict(one) for one in measured(work, asked.jobs, place)]
    if not found:
        sys.exit("nothing was measured")
    figures = {"runs": asked.runs, "jobs": asked.jobs, "cost": cost, "calls": found, **sizes(work, place)}
    figures["preset"] = asked.preset
    save("cluster", figures)
    write_pages(figures, dry=asked.dry)


if __name__ == "__main__":
    main()
