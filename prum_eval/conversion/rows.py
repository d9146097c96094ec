"""Runs with other columns, with fewer results, in the order and with the scores that a form tells."""

from __future__ import annotations

import dataclasses

import numpy as np

from prum_eval.arrays import BoolArray, IntArray, bounds_of, groups_of_rows, sizes_of
from prum_eval.conversion.losses import Loss, lost
from prum_eval.records.run import Run, RunKind

_ABSENT = "results that do not exist: they are left out"
_AGAIN = "results that repeat an earlier one: they are left out"
_TOKENS = "results with a number of tokens: it is left out"
_SCORES = "results whose scores do not tell their order: new scores do"
_SOME_SCORES = "results of topics in which others have no score: new scores"


def topic_of(run: Run) -> IntArray:
    """The topic of every result, as a number."""
    return groups_of_rows(run.bounds)


def keep(run: Run, kept: BoolArray) -> Run:
    """The results that are kept, and the topics that still have any."""
    if kept.all():
        return run
    sizes = np.bincount(topic_of(run)[kept], minlength=len(run.topics))
    topics = tuple(topic for topic, size in zip(run.topics, sizes.tolist(), strict=True) if size)
    return kept_columns(run, kept, topics, bounds_of(sizes[sizes > 0]))


def kept_columns(run: Run, kept: BoolArray, topics: tuple[str, ...], bounds: IntArray) -> Run:
    """The results that are kept, as those of these topics, with these bounds between them."""
    names = ("document", "first_path", "last_path", "start", "length", "exists", "score", "line")
    columns = {name: getattr(run, name)[kept] for name in names}
    if run.tokens is not None:
        columns["tokens"] = run.tokens[kept]
    return dataclasses.replace(run, topics=topics, bounds=bounds, **columns)


def without_absent(run: Run) -> tuple[Run, list[Loss]]:
    """The results that exist, for a form that has no mark for others."""
    return keep(run, run.exists), lost(run.path, run.line[~run.exists], _ABSENT)


def without_repeated(run: Run) -> tuple[Run, list[Loss]]:
    """Every document or element once a topic, at its first rank; extents may repeat, and so may what does not exist."""
    if run.kind is RunKind.EXTENTS or not len(run.line):
        return run, []
    keys = np.stack([topic_of(run), run.document, run.first_path, run.last_path], axis=1)
    _, first = np.unique(keys, axis=0, return_index=True)
    kept = ~run.exists
    kept[first] = True
    return keep(run, kept), lost(run.path, run.line[~kept], _AGAIN)


def without_tokens(run: Run) -> tuple[Run, list[Loss]]:
    """The run for a form that has no place for numbers of tokens."""
    if run.tokens is None:
        return run, []
    return dataclasses.replace(run, tokens=None), lost(run.path, run.line[run.tokens > 0], _TOKENS)


def scored(run: Run, misplaced: BoolArray | None) -> tuple[Run, list[Loss]]:
    """Scores for all: topics without scores, with too few, or with `misplaced` results get descending ones.

    `misplaced` says of each result but the first whether its score does not place it after the one before.
    """
    topic, missing = topic_of(run), np.isnan(run.score)
    size = sizes_of(run.bounds)
    without = np.bincount(topic[missing], minlength=len(run.topics))
    partly, wrong = (without > 0) & (without < size), np.zeros(len(run.topics), dtype=np.bool_)
    if misplaced is not None:
        wrong[topic[1:][misplaced & (topic[1:] == topic[:-1])]] = True
        wrong &= without == 0
    new = ((without > 0) | wrong)[topic]
    descending = (run.bounds[1:][topic] - np.arange(len(topic))).astype(np.float64)
    losses = lost(run.path, run.line[wrong[topic]], _SCORES)
    losses += lost(run.path, run.line[partly[topic] & ~missing], _SOME_SCORES)
    return dataclasses.replace(run, score=np.where(new, descending, run.score)), losses


def misplaced_in_trec(run: Run) -> BoolArray:
    """Whether a TREC reader places a result before the one that it follows: by score, then by document, descending."""
    with np.errstate(over="ignore"):
        score = run.score.astype(np.float32)
    names = sorted(range(len(run.documents)), key=lambda code: run.documents[code].encode())
    place = np.empty(len(names), dtype=np.int64)
    place[names] = np.arange(len(names))
    document = place[run.document]
    wrong: BoolArray = (score[1:] > score[:-1]) | ((score[1:] == score[:-1]) & (document[1:] > document[:-1]))
    return wrong


def misplaced_by_score(run: Run) -> BoolArray:
    """Whether a reader that ranks by score and keeps ties places a result before the one that it follows."""
    wrong: BoolArray = run.score[1:] > run.score[:-1]
    return wrong
