"""Synthetic runs of four tasks, each in three formats, and their document rankings."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, TextIO

from bench.inex_assessments import Assessments, overlap
from bench.inex_documents import Document
from bench.inex_workload import Workload

TASKS = {"thorough": "Thorough", "focused": "Focused", "ric": "AllInContext", "bic": "BestInContext"}
"""The tasks by the name in our file names, with the name that submissions of 2006 carry."""
FORMS = ("paths.run", "offsets.run", "xml")


class Result(NamedTuple):
    """An element with the score that ranks it."""

    score: float
    document: int
    element: int


def _rank(
    workload: Workload, run: int, topic: int, assessments: Assessments, documents: Mapping[int, Document]
) -> list[Result]:
    """The best results of one run for one topic: noise, plus the run's share of knowledge of the assessments."""
    quality = 0.4 + 0.4 * (run - 1)
    draw = random.Random(workload.seed * 1000003 + topic * 1009 + run)
    candidates = set(draw.sample(list(documents), min(len(documents), workload.results // 2)))
    candidates |= {number for number in assessments if draw.random() < 0.6}
    results = []
    if workload.strong and run == workload.runs:
        hits = [
            (number, element)
            for number, extents in sorted(assessments.items())
            if extents
            for element in range(len(documents[number].paths))
            if documents[number].lengths[element]
        ]
        draw.shuffle(hits)
        taken = hits[: int(workload.strong * workload.results)]
        results = [Result(draw.gauss(1, 1), number, element) for number, element in taken]
        candidates = {number for number in candidates if not assessments.get(number)}
    for number in sorted(candidates):
        document = documents[number]
        extents = assessments.get(number, [])
        base = draw.gauss(0, 1) + (2 * quality if extents else 0)
        size = len(document.paths)
        for element in draw.sample(range(size), min(size, 1 + int(draw.expovariate(1 / 4.0)))):
            length = document.lengths[element]
            if length:
                specificity = overlap(document.extent(element), extents) / length
                results.append(Result(base + draw.gauss(0, 0.5) + quality * specificity, number, element))
    results.sort(key=lambda result: (-result.score, result.document, result.element))
    return results[: workload.results]


def _without_overlap(results: Sequence[Result], documents: Mapping[int, Document]) -> list[Result]:
    """The results that share no text with an earlier one that is kept."""
    kept = []
    taken: dict[int, list[tuple[int, int]]] = {}
    for result in results:
        start, end = documents[result.document].extent(result.element)
        others = taken.setdefault(result.document, [])
        if all(last <= start or first >= end for first, last in others):
            others.append((start, end))
            kept.append(result)
    return kept


def _by_document(results: Sequence[Result]) -> dict[int, list[Result]]:
    """Results grouped by document, documents in the order of their best result."""
    groups: dict[int, list[Result]] = {}
    for result in results:
        groups.setdefault(result.document, []).append(result)
    return groups


def _create(path: Path) -> TextIO:
    return path.open("w", encoding="utf-8", newline="\n")


def _xml_heading(run: int, task: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<inex-submission participant-id="0" run-id="syn{run}_{task}" task="{TASKS[task]}" query="automatic"'
        ' result-type="element">\n'
        '<topic-fields title="yes" castitle="no" description="no" narrative="no"/>\n'
        "<description>synthetic</description>\n"
        "<collections>\n<collection>wikipedia</collection>\n</collections>\n"
    )


def _write_topic(
    files: Mapping[str, TextIO],
    topic: int,
    run_id: str,
    results: Sequence[Result],
    documents: Mapping[int, Document],
) -> None:
    """One topic of one run in each of the three forms; ranks from 1, scores strictly decreasing to above 0."""
    files["xml"].write(f'<topic topic-id="{topic}">\n')
    for rank, result in enumerate(results, 1):
        document = documents[result.document]
        path = document.paths[result.element]
        start, length = document.starts[result.element], document.lengths[result.element]
        score = f"{(len(results) + 1 - rank) / len(results):.6f}"
        common = f"{topic} Q0 {document.number} {rank} {score} {run_id}"
        files["paths.run"].write(f"{common} {path} {path}\n")
        files["offsets.run"].write(f"{common} {start} {length}\n")
        files["xml"].write(
            f"<result>\n<file>{document.number}</file>\n<path>{path}</path>\n<rank>{rank}</rank>\n"
            f"<rsv>{score}</rsv>\n</result>\n"
        )
    files["xml"].write("</topic>\n")


def write_runs(
    out: Path, workload: Workload, documents: Mapping[int, Document], judged: Mapping[int, Assessments]
) -> dict[str, int]:
    """Write ``runK.TASK.FORM`` and ``runK.doc.trec``; return the number of results of each ``runK.TASK``."""
    counts: dict[str, int] = {}
    for run in range(1, workload.runs + 1):
        with ExitStack() as stack:
            files = {
                task: {form: stack.enter_context(_create(out / f"run{run}.{task}.{form}")) for form in FORMS}
                for task in TASKS
            }
            document_run = stack.enter_context(_create(out / f"run{run}.doc.trec"))
            for task in TASKS:
                files[task]["xml"].write(_xml_heading(run, task))
                counts[f"run{run}.{task}"] = 0
            for topic, assessments in judged.items():
                thorough = _rank(workload, run, topic, assessments, documents)
                focused = _without_overlap(thorough, documents)
                groups = _by_document(focused)
                results = {
                    "thorough": thorough,
                    "focused": focused,
                    "ric": [result for group in groups.values() for result in group],
                    "bic": [group[0] for group in groups.values()],
                }
                for task in TASKS:
                    _write_topic(files[task], topic, f"syn{run}_{task}", results[task], documents)
                    counts[f"run{run}.{task}"] += len(results[task])
                for rank, number in enumerate(groups, 1):
                    score = (len(groups) + 1 - rank) / len(groups)
                    document_run.write(f"{topic} Q0 {number} {rank} {score:.6f} syn{run}_doc\n")
            for task in TASKS:
                files[task]["xml"].write("</inex-submission>\n")
    return counts
