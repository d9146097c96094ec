"""Runs as lines are written: TREC with 6 columns, INEX with 7 (a path) or 8 (offset and length, or two paths)."""

from __future__ import annotations

from collections.abc import Iterator

from prum_eval.formats.runs.written import ranked_topics
from prum_eval.records.run import Run
from prum_eval.text.writing import Holds, joined_lines

_GONE = "X"  # in place of the path of a result that does not exist


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
    documents, scores = run.document.tolist(), run.score.tolist()
    for topic, rows in ranked_topics(run, Holds.FIRST_COLUMN, Holds.COLUMN):
        for rank, row in enumerate(rows, 1):
            yield f"{topic} Q0 {run.documents[documents[row]]} {rank} {scores[row]!r} {run.run_id}"
