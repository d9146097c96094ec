"""The generated work, made where it is not there; ``bench/generated`` keeps it for the next call."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from multiprocessing import Process
from pathlib import Path

from bench.commands import Folders, ours
from bench.gen_chunks import generate_chunk_runs, generate_chunks
from bench.gen_inex import generate
from bench.gen_topic import generate_topic
from bench.gen_trec import generate_trec
from bench.gen_values import generate_values
from bench.processes import once

NAMES = (
    "flat",
    "documents",
    "chunks",
    "topic",
    "topics",
    "million",
    "values",
    "questions",
    "questions4",
    "questions16",
)
WORK = Path(__file__).resolve().parent / "generated"


def work(preset: str, *, large: bool = False) -> Folders:
    """The folders of everything that ``make bench`` measures, for small presets with little in each.

    `large`: with a million topics too.
    """
    scale = {"small": 100, "medium": 10}.get(preset, 1)
    flat = partial(generate_trec, judged=10, results=10)
    name = "" if scale == 1 else f"{preset}-"
    folders = Folders(
        preset_folder(preset),
        *(WORK / f"{name}{part}" for part in NAMES),
    )
    documents = partial(generate, folders.documents, "medium", topics=1, docs=12000 // scale, xml=True, runs=1)
    wanted: list[tuple[Path, Callable[[], object]]] = [
        (folders.flat, partial(generate_trec, folders.flat, topics=1000 // scale)),
        (folders.documents, documents),
        (folders.chunks, partial(generate_chunks, folders.chunks, results=500 // scale)),
        (folders.topic, partial(generate_topic, folders.topic, targets=5000 // scale, results=20_000 // scale)),
        (folders.topics, partial(flat, folders.topics, topics=100_000 // scale)),
        (folders.questions, partial(generate_chunk_runs, folders.questions, 472 // scale)),
        (folders.questions4, partial(generate_chunk_runs, folders.questions4, 4 * 472 // scale)),
        (folders.questions16, partial(generate_chunk_runs, folders.questions16, 16 * 472 // scale)),
        (folders.values, partial(generate_values, folders.values, runs=50 if scale == 1 else 5)),
    ]
    if large:
        wanted.append((folders.million, partial(flat, folders.million, topics=1_000_000 // scale)))
    for folder, make in wanted:
        made(folder, make)
    structure = folders.documents / "structure.xml"
    if not structure.exists():
        once(ours("convert", "--to", "structure-xml", structure.with_suffix(".tsv"), "-o", structure))
    return folders


def preset_folder(preset: str) -> Path:
    """The folder of a preset, with an index of its structure."""
    folder = WORK / preset
    made(folder, partial(generate, folder, preset))
    index = folder / "structure.index"
    if not index.exists():
        once(ours("index", folder / "structure.tsv", "-o", index))
    return folder


def copies(folder: Path, count: int) -> list[str]:
    """So many runs: the weakest and the strongest in turn, each with a run id of its own."""
    place = folder / "copies"
    paths = [place / f"copy{number:03d}.run" for number in range(count)]
    if not all(path.exists() for path in paths):
        _apart(partial(_write_copies, folder, paths))
    return [str(path) for path in paths]


def _write_copies(folder: Path, paths: list[Path]) -> None:
    sources = sorted(folder.glob("run?.thorough.paths.run"))
    for number, path in enumerate(paths):
        path.parent.mkdir(exist_ok=True)
        text = sources[-(number % 2)].read_bytes()
        run_id = text.split(None, 6)[5]
        path.write_bytes(text.replace(b" " + run_id + b" ", b" %s " % path.stem.encode()))


def made(folder: Path, make: Callable[[], object]) -> None:
    """Make a folder that is not there, or not complete.

    Raises:
        RuntimeError: it cannot be made.
    """
    mark = folder / "COMPLETE"
    if not mark.exists():
        print(f"generating {folder.name} ...", file=sys.stderr)
        _apart(make)
        mark.touch()


def _apart(make: Callable[[], object]) -> None:
    """Call in a process of its own: what it needs would else count as memory of all that is measured."""
    child = Process(target=make)
    child.start()
    child.join()
    if child.exitcode != 0:
        raise RuntimeError("generated work cannot be made")
