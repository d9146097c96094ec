"""What all writers of runs share: names that a format cannot hold refused, the results topic by topic.

A writer takes a run that its format can hold: of the right kind, with the scores and the order that the format tells.
The room conversion makes such runs and names what is lost on the way. Reading what was written gives the same results
in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator

from prum_eval.arrays import distinct
from prum_eval.records.run import Run
from prum_eval.text.writing import Holds


def ranked_topics(run: Run, topics: Holds, others: Holds) -> Iterator[tuple[str, range]]:
    """Each topic with the rows of its results, best first.

    Raises:
        InputError: the format cannot hold the name of the run, of a topic or of a document (at its first result).
    """
    topics.check(run.path, "topic", run.topics, lambda number: run.line[run.bounds[number]])
    used = distinct(run.document)
    documents = [run.documents[code] for code in used.tolist()]
    others.check(run.path, "document", documents, lambda number: run.line[run.document == used[number]].min())
    others.check(run.path, "run", [run.run_id], lambda _: 1)
    bounds = run.bounds.tolist()
    return zip(run.topics, map(range, bounds[:-1], bounds[1:]), strict=True)
