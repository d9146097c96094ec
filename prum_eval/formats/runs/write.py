"""Runs to bytes: lines of 6, 7 or 8 columns, XML, JSON Lines.

A writer takes a run that its form can hold: of the right shape, with the scores and the order that the form tells.
The room conversion makes such runs and names what is lost on the way. Reading what was written gives the same results
in the same order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from prum_eval.records.run import Run
from prum_eval.text.writing import Holds, joined_lines, refuse

_GONE = "X"  # a path or an offset that does not exist


def write_run_trec(run: Run) -> bytes:
    """Lines of 6 columns: ``topic Q0 document rank score run-id``."""
    return joined_lines(_heads(run))


def write_run_paths(run: Run) -> bytes:
    """Lines of 7 columns, the last one an element's path; X for a result that does not exist."""
    paths = [*run.paths, _GONE]  # code -1 is the last
    return joined_lines(map("{} {}".format, _heads(run), (paths[code] for code in run.first_path.tolist())))


def write_run_ranges(run: Run) -> bytes:
    """Lines of 8 columns, the last two the paths of a range's first and last element, for one element the same."""
    paths = [*run.paths, _GONE]
    ends = ((paths[code] for code in column.tolist()) for column in (run.first_path, run.last_path))
    return joined_lines(map("{} {} {}".format, _heads(run), *ends))


def write_run_offsets(run: Run) -> bytes:
    """Lines of 8 columns, the last two offset and length in characters, -1 for a result that does not exist."""
    return joined_lines(map("{} {} {}".format, _heads(run), run.start.tolist(), run.length.tolist()))


def _heads(run: Run) -> Iterator[str]:
    """The first six columns of every line."""
    _check_names(run, Holds.FIRST_COLUMN, Holds.COLUMN)
    if Holds.COLUMN.first_bad([run.run_id]) is not None:
        raise refuse(run.path, 1, "run", run.run_id, Holds.COLUMN)
    documents, scores = run.document.tolist(), run.score.tolist()
    for topic, rows in _topics(run):
        for rank, row in enumerate(rows, 1):
            yield f"{topic} Q0 {run.documents[documents[row]]} {rank} {scores[row]!r} {run.run_id}"


def write_run_xml(run: Run) -> bytes:
    """An ``<inex-submission>`` with every result's file, path, rank and, where it has one, rsv.

    Of its head only the run's name and task are known.
    """
    _check_names(run, Holds.XML, Holds.XML)
    if Holds.XML.first_bad([run.run_id]) is not None:
        raise refuse(run.path, 1, "run", run.run_id, Holds.XML)
    task = f" task={quoteattr(run.task)}" if run.task is not None else ""
    return joined_lines(
        (
            '<?xml version="1.0" encoding="UTF-8"?>',
            f"<inex-submission run-id={quoteattr(run.run_id)}{task}>",
            *_xml_topics(run),
            "</inex-submission>",
        )
    )


def _xml_topics(run: Run) -> Iterator[str]:
    files = [escape(name) for name in run.documents]
    document, first, score = run.document.tolist(), run.first_path.tolist(), run.score.tolist()
    for topic, rows in _topics(run):
        yield f"  <topic topic-id={quoteattr(topic)}>"
        for rank, row in enumerate(rows, 1):
            rsv = "" if np.isnan(score[row]) else f"<rsv>{score[row]!r}</rsv>"
            place = f"<file>{files[document[row]]}</file><path>{run.paths[first[row]]}</path>"
            yield f"    <result>{place}<rank>{rank}</rank>{rsv}</result>"
        yield "  </topic>"


def write_run_json(run: Run) -> bytes:
    """A chunk a line, with the score where the run has one."""
    _check_names(run, Holds.JSON, Holds.JSON)
    if Holds.JSON.first_bad([run.run_id]) is not None:
        raise refuse(run.path, 1, "run", run.run_id, Holds.JSON)
    return joined_lines(json.dumps(chunk, ensure_ascii=False) for chunk in _chunks(run))


def _chunks(run: Run) -> Iterator[dict[str, str | int | float]]:
    document, score = run.document.tolist(), run.score.tolist()
    start, end = run.start.tolist(), (run.start + run.length).tolist()
    for topic, rows in _topics(run):
        for row in rows:
            scored = {} if np.isnan(score[row]) else {"score": score[row]}
            name = run.documents[document[row]]
            yield {"topic": topic, "doc": name, "start": start[row], "end": end[row], **scored, "run": run.run_id}


def _topics(run: Run) -> Iterator[tuple[str, range]]:
    bounds = run.bounds.tolist()
    return zip(run.topics, map(range, bounds[:-1], bounds[1:]), strict=True)


def _check_names(run: Run, topics: Holds, documents: Holds) -> None:
    """Refuse a run with a name that the form cannot hold, at the line of its first result."""
    bad = topics.first_bad(run.topics)
    if bad is not None:
        raise refuse(run.path, int(run.line[run.bounds[run.topics.index(bad)]]), "topic", bad, topics)
    used = np.unique(run.document).tolist()
    bad = documents.first_bad(run.documents[code] for code in used)
    if bad is not None:
        lines = run.line[run.document == run.documents.index(bad)]
        raise refuse(run.path, int(lines.min()), "document", bad, documents)
