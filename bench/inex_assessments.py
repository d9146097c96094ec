"""Synthetic relevance assessments: highlighted passages, best entry points and assessed elements, in three formats."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from bench.inex_documents import Document
from bench.inex_workload import Workload

HIGHLIGHTED_TAGS = ("p", "section", "item", "title", "body", "article", "name")
TOO_SMALL = -1
"""The exhaustivity that assessors wrote as ``?``."""
SHORTEST_GRADED = 20
"""A graded element shorter than this, in characters, is too small, unless it holds one that is not."""

Assessments = dict[int, list[tuple[int, int]]]
"""Of one topic: each assessed document's highlighted extents, empty where nothing is relevant."""


class Passage(NamedTuple):
    """A highlighted extent and the pointers to its two ends."""

    start: int
    end: int
    start_pointer: str
    end_pointer: str


@dataclass(slots=True)
class Counts:
    """How much was judged, for the manifest."""

    relevant: int = 0
    passages: int = 0
    elements: int = 0


def overlap(first: tuple[int, int], extents: Iterable[tuple[int, int]]) -> int:
    """Characters that an extent shares with extents that do not overlap each other."""
    begin, end = first
    return sum(max(0, min(end, stop) - max(begin, start)) for start, stop in extents)


def _highlight(document: Document, draw: random.Random) -> list[Passage]:
    """One to five passages that neither overlap nor touch, in document order: whole elements or parts of them."""
    passages: list[Passage] = []
    candidates = [
        element
        for element, tag in enumerate(document.tags)
        if tag in HIGHLIGHTED_TAGS and document.lengths[element] > 3
    ]
    for _ in range(1 + min(4, int(draw.expovariate(1 / 0.6)))):
        element = draw.choice(candidates)
        if document.tags[element] in ("article", "body") and draw.random() < 0.6:  # whole documents are rarer
            element = draw.choice(candidates)
        start, end = document.extent(element)
        if draw.random() < 0.5:
            passage = Passage(start, end, document.paths[element], document.paths[element])
        else:
            half = document.lengths[element] // 2
            start += 0 if draw.random() < 0.5 else draw.randrange(half)
            end -= 0 if draw.random() < 0.5 else draw.randrange(half)
            passage = Passage(start, end, document.pointer(start, begins=True), document.pointer(end, begins=False))
        if all(passage.end < other.start or passage.start > other.end for other in passages):
            passages.append(passage)
    return sorted(passages)


def _best_entry_point(
    document: Document, passages: Sequence[Passage], extents: Sequence[tuple[int, int]], draw: random.Random
) -> tuple[int, str]:
    """Offset and pointer: mostly where the first passage begins, else an element that shares text with one."""
    if draw.random() < 0.7:
        return passages[0].start, document.pointer(passages[0].start, begins=True)
    element = draw.choice(
        [element for element in range(len(document.paths)) if _meets(document.extent(element), extents)]
    )
    return document.starts[element], document.paths[element]


def _meets(extent: tuple[int, int], extents: Iterable[tuple[int, int]]) -> bool:
    return any(start < extent[1] and end > extent[0] for start, end in extents)


def _assessed_elements(
    document: Document, extents: Sequence[tuple[int, int]], *, graded: bool, draw: random.Random
) -> list[str]:
    """The lines of every element with highlighted text, in document order.

    Graded, no element is less exhaustive than a child of it, which is why they are drawn from the last to the first.
    """
    lines = []
    best_child: dict[int, int] = {}
    for element in reversed(range(len(document.paths))):
        relevant = overlap(document.extent(element), extents)
        if relevant == 0:
            continue
        exhaustivity = 2
        if graded:
            exhaustivity = best_child.get(element, TOO_SMALL)
            if exhaustivity == TOO_SMALL and document.lengths[element] >= SHORTEST_GRADED:
                exhaustivity = draw.choice((1, 1, 2))
            parent = document.parents[element]
            best_child[parent] = max(best_child.get(parent, TOO_SMALL), exhaustivity)
        shown = "?" if exhaustivity == TOO_SMALL else exhaustivity
        size = document.lengths[element]
        lines.append(
            f'   <element path="{document.paths[element]}" exhaustivity="{shown}" size="{size}" rsize="{relevant}"/>\n'
        )
    return lines[::-1]


def _heading(topic: int) -> str:
    return (
        '<?xml version="1.0"?>\n'
        f'<assessments pool="{topic + 1000}" topic="{topic}" version="2">\n\n'
        "<!-- Topic definition -->\n"
        f'<inex_topic topic_id="{topic}" query_type="CO" ct_no="{topic}"><title>synthetic topic {topic}</title>'
        "</inex_topic>\n\n"
        "<!-- Topic assessments (only completed files) -->\n\n"
    )


def write_assessments(
    out: Path, workload: Workload, documents: Mapping[int, Document]
) -> tuple[dict[int, Assessments], Counts]:
    """Judge every topic; write ``assessments/topic-T.xml``, ``qrels.txt`` and ``qrels.trec``."""
    numbers = list(documents)
    judged: dict[int, Assessments] = {}
    counts = Counts()
    with ExitStack() as files:
        passages_qrels = files.enter_context((out / "qrels.txt").open("w", encoding="utf-8", newline="\n"))
        document_qrels = files.enter_context((out / "qrels.trec").open("w", encoding="utf-8", newline="\n"))
        for topic in workload.topic_ids():
            draw = random.Random(workload.seed * 1000003 + topic * 1009)
            pool = sorted(draw.sample(numbers, workload.assessed))
            drawn = int(draw.lognormvariate(math.log(workload.relevant) - 0.32, 0.8))
            relevant = set(draw.sample(pool, max(1, min(workload.assessed, drawn))))
            judged[topic] = {}
            xml = [_heading(topic)]
            for number in pool:
                document = documents[number]
                passages = _highlight(document, draw) if number in relevant else []
                extents = [(passage.start, passage.end) for passage in passages]
                judged[topic][number] = extents
                size = sum(end - start for start, end in extents)
                line = f"{topic} Q0 {number} {size} {document.length}"
                xml.append(f' <file collection="wikien" name="{number}">\n')
                if passages:
                    offset, pointer = _best_entry_point(document, passages, extents, draw)
                    elements = _assessed_elements(document, extents, graded=workload.graded, draw=draw)
                    xml.append(f"   <best-entry-point path={quoteattr(pointer)}/>\n")
                    xml.extend(
                        f'   <passage start="{first}" end="{last}" size="{end - start}"/>\n'
                        for start, end, first, last in passages
                    )
                    xml.extend(elements)
                    line += f" {offset} " + " ".join(f"{start}:{end - start}" for start, end in extents)
                    counts.relevant += 1
                    counts.passages += len(passages)
                    counts.elements += len(elements)
                xml.append(" </file>\n")
                passages_qrels.write(f"{line}\n")
                document_qrels.write(f"{topic} 0 {number} {int(bool(passages))}\n")
            xml.append("</assessments>\n")
            (out / "assessments" / f"topic-{topic}.xml").write_text("".join(xml), encoding="utf-8", newline="\n")
    return judged, counts
