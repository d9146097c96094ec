"""Runs of elements of INEX 2006's size: navigation measures, the other families, all of them on many runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.commands import THREE, Case, expat_pass, lxml_pass, ours, python, split_loop
from bench.work import copies

TITLE = "Elements, INEX 2006"
SIMULATE = """
import tempfile
from prum_eval import simulate
made = simulate({judged!r}, {source!r}, structure={structure!r}, changes='move', vary='move.m=0:.9:.1')
with tempfile.TemporaryDirectory() as folder:
    made.write(folder)
"""
RUN = "split loop over the run"
STRUCTURE = "split loop over the structure"
ASSESSMENTS = "expat pass over the assessments"
WARM = "prum+eprum+gen_recall, strong run, index, cache"
PARSED = "prum+eprum+gen_recall, strong run, index"
COLD = "prum+eprum+gen_recall, strong run, text, parsed"
RELEVANT = "eprum, strong run, index, relevant targets"
NG, NG_INDEX = "ng, strong run", "ng, strong run, index"
BEST = "inex2006-best-in-context"
SIXTEEN = "all measures, 16 runs, index"


def cases(folder: Path) -> Iterator[Case]:
    """What an evaluation of elements costs, warm and cold."""
    yield from _navigation(folder)
    yield from _families(folder)


def thorough(folder: Path) -> tuple[Path, Path]:
    """The weakest and the strongest generated run."""
    runs = sorted(folder.glob("run?.thorough.paths.run"))
    return runs[0], runs[-1]


def _navigation(folder: Path) -> Iterator[Case]:
    structure, index, judged = folder / "structure.tsv", folder / "structure.index", folder / "assessments"
    weak, strong = thorough(folder)
    yield Case(RUN, split_loop(strong))
    yield Case(STRUCTURE, split_loop(structure))
    yield Case(ASSESSMENTS, expat_pass(judged))
    yield Case("lxml pass over the assessments", lxml_pass(judged), ASSESSMENTS)
    yield Case("prum+eprum, weak run", ours("eval", "-s", structure, *THREE[:6], judged, weak), STRUCTURE)
    yield Case("prum+eprum, strong run", ours("eval", "-s", structure, *THREE[:6], judged, strong), STRUCTURE)
    warm = "prum+eprum+gen_recall, weak run, index, cache"
    yield Case(warm, ours("eval", "-s", index, *THREE, judged, weak), RUN)
    yield Case(WARM, ours("eval", "-s", index, *THREE, judged, strong), RUN)
    yield Case(PARSED, ours("eval", "--no-cache", "-s", index, *THREE, judged, strong), RUN)
    yield Case(COLD, ours("eval", "--no-cache", "-s", structure, *THREE, judged, strong), STRUCTURE)
    relevant = ("eval", "-s", index, "--targets", "relevant", "-u", "hierarchical", "-m", "eprum", judged, strong)
    yield Case(RELEVANT, ours(*relevant), RUN)
    more = ours(*relevant[:-2], "-m", "prum", *relevant[-2:])
    yield Case("prum+eprum, strong run, index, relevant targets", more, RUN)


def _families(folder: Path) -> Iterator[Case]:
    structure, index, judged = folder / "structure.tsv", folder / "structure.index", folder / "assessments"
    _, strong = thorough(folder)
    for name in ("classic", "grp", "ng", "xcg", "bepd"):
        yield Case(f"{name}, strong run", ours("eval", "-s", structure, "-m", name, judged, strong), STRUCTURE)
    yield Case(NG_INDEX, ours("eval", "-s", index, "-m", "ng", judged, strong), RUN)
    for source in ("ideal", "relevant"):
        code = SIMULATE.format(judged=str(judged), source=source, structure=str(structure))
        yield Case(f"ten simulated runs, {source}", python(code), STRUCTURE)
    yield Case(BEST, ours("eval", "-s", structure, "-t", BEST, judged, strong), STRUCTURE)
    own = strong.with_name(strong.name.replace("thorough", "bic"))
    yield Case(f"{BEST}, a run of that task", ours("eval", "-s", structure, "-t", BEST, judged, own), STRUCTURE)
    yield Case(SIXTEEN, ours("eval", "-s", index, "-m", "all", judged, *copies(folder, 16)), RUN)
