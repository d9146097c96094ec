"""Runs as XML, written."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from prum_eval.formats.runs.written import ranked_topics
from prum_eval.records.run import Run
from prum_eval.text.writing import Holds, joined_lines

_ROOT = "inex-submission"


def write_run_xml(run: Run) -> bytes:
    """An ``<inex-submission>`` with every result's file, path, rank and, where it has one, rsv.

    Of its head only the run's name and task are known.
    """
    task = f" task={quoteattr(run.task)}" if run.task is not None else ""
    return joined_lines(
        (
            '<?xml version="1.0" encoding="UTF-8"?>',
            f"<{_ROOT} run-id={quoteattr(run.run_id)}{task}>",
            *_xml_topics(run),
            f"</{_ROOT}>",
        )
    )


def _xml_topics(run: Run) -> Iterator[str]:
    files = [escape(name) for name in run.documents]
    document, first, score = run.document.tolist(), run.first_path.tolist(), run.score.tolist()
    for topic, rows in ranked_topics(run, Holds.XML, Holds.XML):
        yield f"  <topic topic-id={quoteattr(topic)}>"
        for rank, row in enumerate(rows, 1):
            rsv = "" if np.isnan(score[row]) else f"<rsv>{score[row]!r}</rsv>"
            place = f"<file>{files[document[row]]}</file><path>{run.paths[first[row]]}</path>"
            yield f"    <result>{place}<rank>{rank}</rank>{rsv}</result>"
        yield "  </topic>"
