"""A document's results brought together: for tasks in context, which take each document once and no text twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from prum_eval.arrays import EMPTY, IntArray, bounds_of
from prum_eval.collection.forest import Forest
from prum_eval.conversion.rows import keep, topic_of
from prum_eval.conversion.runs import as_extents
from prum_eval.errors import DataError
from prum_eval.records.run import Run, RunKind


def by_document(run: Run, trees: Forest | None = None, limit: int | None = None) -> Run:
    """The run with the results of each document at the rank of its first, overlapping and touching ones as one passage.

    A passage stands, among those of its document, where its best result stood, and has that one's line. It has no
    score: the order is what counts. Its tokens are those of a result that is all of it, else the sum of results that
    only touch, else unknown. Results that do not exist come to their document and stay as they are. Whole documents
    stay as they are, too.

    Args:
        run: the run; of elements and ranges the text that they have is taken, which `trees` tell.
        trees: documents of a structure.
        limit: only so many results of each topic count, before they are merged.

    Raises:
        DataError: elements without a structure.
        InputError: a range that ends before it begins.
    """
    topic = topic_of(run)
    if limit is not None:
        run = keep(run, np.arange(len(topic)) - run.bounds[topic] < limit)
    if run.kind is RunKind.FLAT:
        return run
    if run.kind is RunKind.ELEMENTS:
        if trees is None:
            raise DataError(f"{run.path}: the run gives {run.kind}; merging them needs their extents: give --structure")
        run = as_extents(run, trees)[0]
    return _merged(run)


def _merged(run: Run) -> Run:
    topic = topic_of(run)
    _, first_of, owner = np.unique(topic * len(run.documents) + run.document, return_index=True, return_inverse=True)
    first, start, end, tokens = _passages(run, owner)
    absent = np.flatnonzero(~run.exists)
    first = np.concatenate((first, absent))
    order = np.lexsort((first, first_of[owner[first]]))
    rows, none = first[order], np.full(len(first), -1, dtype=np.int64)
    return replace(
        run,
        bounds=bounds_of(np.bincount(topic[rows], minlength=len(run.topics))),
        document=run.document[rows],
        first_path=none,
        last_path=none,
        start=np.concatenate((start, run.start[absent].astype(np.int64)))[order],
        length=np.concatenate((end - start, run.length[absent].astype(np.int64)))[order],
        exists=run.exists[rows],
        score=np.full(len(rows), np.nan),
        line=run.line[rows],
        tokens=None if run.tokens is None else np.concatenate((tokens, run.tokens[absent]))[order],
    )


def _passages(run: Run, owner: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """The text of each document of each topic (`owner`, by result) as passages: first row, start, end, tokens."""
    rows = np.flatnonzero(run.exists)
    if not len(rows):
        return EMPTY, EMPTY, EMPTY, EMPTY
    start = run.start[rows].astype(np.int64)
    end = start + run.length[rows]
    # A number for document and place, so that all documents are gone through at once: no end reaches another document.
    places, place = np.unique(np.concatenate((start, end)), return_inverse=True)
    begin, stop = owner[rows] * len(places) + place[: len(rows)], owner[rows] * len(places) + place[len(rows) :]
    order = np.argsort(begin, kind="stable")
    reached = np.maximum.accumulate(stop[order])
    begins = np.flatnonzero(np.concatenate(([True], begin[order][1:] > reached[:-1])))
    rows, start, end = rows[order], start[order], end[order]
    low, high = start[begins], np.maximum.reduceat(end, begins)
    tokens = np.zeros(len(rows), dtype=np.int64) if run.tokens is None else run.tokens[rows]
    size = np.repeat(high - low, np.diff(begins, append=len(rows)))
    whole = np.maximum.reduceat(np.where(end - start == size, tokens, 0), begins)
    apart = np.add.reduceat(end - start, begins) == high - low
    known = np.minimum.reduceat(tokens, begins) > 0
    total = np.where(apart & known, np.add.reduceat(tokens, begins), 0)
    return np.minimum.reduceat(rows, begins), low, high, np.where(whole > 0, whole, total)
