"""Passages of later campaigns and chunks: offsets into texts, without any structure."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from bench.commands import Case, Folders, ours, python, split_loop

TITLE = "Passages and chunks"
JSON = """
import json
for line in open({path!r}, 'rb'): json.loads(line)
"""
OBJECTS = "json.loads loop over the chunks"
SETS = "sets of characters of the chunks"
CHUNKS = "task chunks"
LOOP = "split loop over 7 runs of chunks"
QUESTIONS = "task chunks, 7 runs, 472 questions"
COMPARE = "compare, 7 runs of chunks, 472 questions"
SPANS = "spans of 472 quotes"
THOROUGH = "inex2009-thorough"
OFFICIAL = "inex_eval, thorough"
VARIABLE = "INEX_EVAL"
LARGE = "5,000 targets x 20,000 results, {model}"
LARGE_PRUM = "prum, 5,000 targets x 20,000 results, {model}"


def cases(folders: Folders) -> Iterator[Case]:
    """Passages of a campaign, one topic with many of them, chunks."""
    yield from _campaigns(folders.inex)
    for model in ("t2i", "hierarchical"):
        files = folders.topic / "qrels", folders.topic / "run"
        yield Case(LARGE.format(model=model), ours("eval", "-u", model, "-m", "eprum", "-m", "gen_recall", *files))
        yield Case(LARGE_PRUM.format(model=model), ours("eval", "-u", model, "-N", "1000000", "-m", "prum", *files))
    yield from _chunks(folders.chunks)
    yield from _questions(folders)


def _campaigns(folder: Path) -> Iterator[Case]:
    judged = folder / "qrels.txt"
    kinds = ("focused", "thorough", "ric", "bic")
    runs = {kind: max(folder.glob(f"run?.{kind}.offsets.run")) for kind in kinds}
    for kind, run in runs.items():
        yield Case(f"split loop, {kind}", split_loop(run))
    yield Case("eprum on passages", ours("eval", "-m", "eprum", judged, runs["focused"]), "split loop, focused")
    given = os.environ.get(VARIABLE)
    if given:  # the tool of the campaigns: a .jar, or a program that starts it
        start = [shutil.which("java") or "java", "-jar", given] if given.endswith(".jar") else [given]
        yield Case(OFFICIAL, [*start, "-t", str(judged), str(runs["thorough"])], "split loop, thorough")
    for task, kind in (
        ("inex2009-focused", "focused"),
        (THOROUGH, "thorough"),
        ("inex2009-relevant-in-context", "ric"),
        ("inex2009-best-in-context", "bic"),
        ("inex2010-relevant-in-context", "ric"),
    ):
        beside = OFFICIAL if given and task == THOROUGH else f"split loop, {kind}"
        yield Case(task, ours("eval", "-t", task, judged, runs[kind]), beside)


def _chunks(folder: Path) -> Iterator[Case]:
    """The task of chunks, beside the measures over whole lists that could be asked before it was there."""
    files = folder / "gold.jsonl", folder / "run.jsonl"
    yield Case(OBJECTS, python(JSON.format(path=str(files[1]))))
    asked = ("-m", "text_sets", "-m", "sizes", "-m", "gen_recall.5", "-m", "eprum_map", "--set", "overlap=novel")
    yield Case(SETS, ours("eval", *asked, *files), OBJECTS)
    yield Case(CHUNKS, ours("eval", "-t", "chunks", *files), OBJECTS)
    yield Case(f"{CHUNKS}, with tokens", ours("eval", "-t", "chunks", "-m", "chunk_budgets", *files), OBJECTS)


def _questions(folders: Folders) -> Iterator[Case]:
    """Seven runs of 20 chunks per question, of 472 questions and of 4 and 16 times as many; comparison; quotes."""
    for times, folder in ((1, folders.questions), (4, folders.questions4), (16, folders.questions16)):
        loop, row = (name if times == 1 else f"{name}, times {times}" for name in (LOOP, QUESTIONS))
        gold, runs = folder / "gold.jsonl", [folder / f"run{number}.jsonl" for number in range(7)]
        yield Case(loop, split_loop(*runs))
        yield Case(row, ours("eval", "-t", "chunks", gold, *runs), loop)
        if times == 1:
            yield Case(COMPARE, ours("compare", "-t", "chunks", gold, *runs), loop)
    yield Case(SPANS, ours("spans", folders.questions / "quotes.tsv", folders.questions / "texts"))
