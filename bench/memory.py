"""``python -m bench.memory``: what is held a result, a target, a document, in bytes.

Two calls that differ in one size only: the difference of their peaks over the difference of the sizes. What both hold,
such as Python itself, falls out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from bench.commands import Folders, ours, python
from bench.figures import save
from bench.growth import Work, by_targets, growth_work, targets
from bench.page import machine, table, write_section
from bench.processes import ENVIRONMENT, measure
from bench.work import WORK, work

TREC_RUN = "a TREC run, evaluated (map, P.10, ndcg)"
ELEMENTS = "a run of elements, evaluated (prum, eprum, gen_recall)"
INDEX = "an index, evaluated"
SAID = {
    ("result", TREC_RUN): "a result of a TREC run",
    ("result", ELEMENTS): "a result of a run of elements",
    ("target", ELEMENTS): "a target",
    ("document", INDEX): "a document of an index",
}
READ = "from prum_eval import read_run; read_run({path!r})"


class Sized(NamedTuple):
    """A call, and how many things it holds."""

    amount: float
    command: list[str]


class Pair(NamedTuple):
    """What grows from one call to another, and where it is held."""

    unit: str
    where: str
    small: Sized
    large: Sized


def slope(small: float, large: float, few: float, many: float) -> float:
    """Bytes each, where `few` of them have a peak of `small` MB and `many` one of `large`; at least 0."""
    return max(0.0, (large - small) * 2**20 / (many - few))


def pairs(folders: Folders, *, few: bool = False) -> Iterator[Pair]:
    """All that is compared; with smaller sizes where few."""
    run, judged = folders.flat / "run", folders.flat / "qrels"
    part = _head(run, folders.flat / "run.part")
    lines = [_lines(path) for path in (part, run)]
    read = [Sized(count, python(READ.format(path=str(path)))) for count, path in zip(lines, (part, run), strict=True)]
    yield Pair("result", "a TREC run, read", read[0], read[1])
    asked = ("-m", "map", "-m", "P.10", "-m", "ndcg")
    judge = [Sized(n, ours("eval", *asked, judged, path)) for n, path in zip(lines, (part, run), strict=True)]
    yield Pair("result", TREC_RUN, judge[0], judge[1])
    sizes = (150, 500) if few else (1500, 15000)
    works = [growth_work(f"results-{results}", results=results) for results in sizes]
    calls = [Sized(n * one.topics, one.call()) for n, one in zip(sizes, works, strict=True)]
    yield Pair("result", ELEMENTS, calls[0], calls[1])
    relevant = [by_targets(number) for number in ((10, 50) if few else (500, 1400))]
    reached = [Sized(targets(one) * one.topics, one.call()) for one in relevant]
    yield Pair("target", ELEMENTS, reached[0], reached[1])
    yield from _documents(few=few)


def _documents(*, few: bool) -> Iterator[Pair]:
    """Documents of the collection that hold no target of the topics: from an index, and from text."""
    sizes = (200, 400) if few else (12000, 48000)
    held = [_collection(count) for count in sizes]
    indexed = [Sized(n, one.call()) for n, one in zip(sizes, held, strict=True)]
    yield Pair("document", INDEX, indexed[0], indexed[1])
    texts = [
        Sized(n, ours("eval", "--no-cache", "-s", Path(one.structure).with_suffix(".tsv"), *one.call()[6:]))
        for n, one in zip(sizes, held, strict=True)
    ]
    yield Pair("document", "the structure as text, evaluated", texts[0], texts[1])


def _collection(docs: int) -> Work:
    """Twenty topics over so many documents."""
    return growth_work(f"documents-{docs}", docs=docs)


def _head(run: Path, part: Path) -> Path:
    """The first quarter of the topics of a run, in a file of its own."""
    if not part.exists():
        with run.open("rb") as file:
            lines = sum(1 for _ in file)
        with run.open("rb") as file:
            part.write_bytes(b"".join(islice(file, lines // 4)))
    return part


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def rows(found: list[Pair], peak: Callable[[list[str]], float]) -> list[list[str]]:
    """The table: `peak` tells the peak of a command in MB."""
    lines = []
    for pair in found:
        small, large = peak(pair.small.command), peak(pair.large.command)
        each = slope(small, large, pair.small.amount, pair.large.amount)
        counts = [f"{sized.amount:,.0f}" for sized in (pair.small, pair.large)]
        lines.append([pair.unit, pair.where, *counts, f"{small:.0f}", f"{large:.0f}", f"{each:,.0f}"])
        print(*lines[-1], sep=" | ", file=sys.stderr)
    return lines


def section(repeat: int, preset: str = "inex2006") -> list[str]:
    """A sentence and the table."""
    ENVIRONMENT["PRUM_EVAL_CACHE"] = str(WORK / "cache")
    folders = work(preset)

    def peak(command: list[str]) -> float:
        return measure(command, min(repeat, 3)).megabytes

    made_rows = rows(list(pairs(folders, few=preset == "small")), peak)
    by_place = {(unit, where): each for unit, where, *_, each in made_rows}
    told = [f"{by_place[place]} bytes {name}" for place, name in SAID.items()]
    save(f"memory-{preset}", {" of ".join(place): float(each.replace(",", "")) for place, each in by_place.items()})
    head = (
        f"Held are {', '.join(told)}; targets are those of all topics. Medians of {min(repeat, 3)} calls. {machine()}."
    )
    return [head, "", *table("each | held by | from | to | peak MB | peak MB | bytes each", made_rows)]


def main() -> None:
    """Measure and write the section of the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.memory", description=__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    lines = section(parser.parse_args().repeat)
    print("\n".join(lines))
    write_section("memory", lines)


if __name__ == "__main__":
    main()
