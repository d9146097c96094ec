"""Runs of another kind: elements, extents (offset and length) or documents; scores, names and merged passages.

Every conversion returns the new run and its losses. -1 stands for a path, offset or length that does not exist.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

import numpy as np

from prum_eval.arrays import EMPTY_INTS, BoolArray, IntArray, group_bounds, group_sizes
from prum_eval.collection.trees import DocumentTree, Forest
from prum_eval.conversion.losses import Loss, count_loss
from prum_eval.errors import DataError, InputError
from prum_eval.records import Run, RunKind, select_columns, select_results, topic_numbers
from prum_eval.text.names import find_document


class ResultChange(Enum):
    """Change of a result by a conversion; the value describes the loss."""

    UNCHANGED = ""
    MISSING = "results that the structure lacks: they are marked X or left out"
    SHARED = "results that share their extent with an element around them: offsets name that one"
    NO_ELEMENT = "results that are no element: each becomes the smallest element around it"
    NO_RANGE = "results that are neither an element nor a range: each becomes the smallest element around it"
    RANGE = "ranges of elements: only their first elements are kept"
    PART = "parts of documents: only the documents are kept"


class Extent(NamedTuple):
    """Offset and length of a result, -1 if it does not exist."""

    start: int
    length: int
    change: ResultChange


class ElementEnds(NamedTuple):
    """Paths of the first and last element of a result, empty if it does not exist."""

    first: str
    last: str
    change: ResultChange


class ReversedRangeError(ValueError):
    """A range of elements that ends before it begins."""


_NO_EXTENT = Extent(-1, -1, ResultChange.MISSING)
_NO_ELEMENTS = ElementEnds("", "", ResultChange.MISSING)


def result_extent(tree: DocumentTree | None, first: str, last: str) -> Extent:
    """Extent of an element, a range of elements or (without paths) a whole document.

    Raises:
        ReversedRangeError: the range ends before it begins.
    """
    if tree is None:
        return _NO_EXTENT
    ends = [tree.find(path) if path else 0 for path in (first, last)]
    if min(ends) < 0:
        return _NO_EXTENT
    extent = tree.extent(*ends)
    if extent is None:
        raise ReversedRangeError(f"the range {first} to {last} ends before it begins")
    # A reader takes an extent for the outermost element that has it.
    outermost = tree.find_extent(*extent)
    element = ends[0] if ends[0] == ends[1] else -1
    return Extent(*extent, ResultChange.UNCHANGED if outermost == element else ResultChange.SHARED)


def elements_at(tree: DocumentTree | None, start: int, length: int, *, ranges: bool) -> ElementEnds:
    """The element with an extent, else (with `ranges`) the range with it, else the smallest element around it."""
    if tree is None:
        return _NO_ELEMENTS
    element = tree.find_extent(start, length)
    if element >= 0:
        return ElementEnds(tree.paths[element], tree.paths[element], ResultChange.UNCHANGED)
    ends, stop = tree.start + tree.length, start + length
    if ranges:
        firsts = np.flatnonzero((tree.start == start) & (ends <= stop))
        lasts = np.flatnonzero((ends == stop) & (tree.start >= start))
        if len(firsts) and len(lasts) and firsts[0] < lasts[0]:  # the outermost of each
            return ElementEnds(tree.paths[firsts[0]], tree.paths[lasts[0]], ResultChange.UNCHANGED)
    around = np.flatnonzero((tree.start <= start) & (ends >= stop))
    if not len(around):
        return _NO_ELEMENTS
    path = tree.paths[around[np.argmin(tree.length[around])]]
    return ElementEnds(path, path, ResultChange.NO_RANGE if ranges else ResultChange.NO_ELEMENT)


# Selected results, other scores, names.


_RUN_ID = "names of runs with white space: it becomes _"
_MISSING_RESULTS = "results that do not exist: they are left out"
_DUPLICATE_RESULTS = "results that repeat an earlier one: they are left out"
_TOKENS = "results with a number of tokens: it is left out"
_SCORES = "results whose scores do not tell their order: new scores do"
_SOME_SCORES = "results of topics in which others have no score: new scores"


def without_missing(run: Run) -> tuple[Run, list[Loss]]:
    """The results that exist."""
    return select_results(run, run.exists), count_loss(run.path, run.line[~run.exists], _MISSING_RESULTS)


def without_duplicates(run: Run) -> tuple[Run, list[Loss]]:
    """Every document or element once per topic, at its first rank; extents and missing results may repeat."""
    if run.kind is RunKind.EXTENTS or not len(run.line):
        return run, []
    keys = np.stack([topic_numbers(run), run.document, run.first_path, run.last_path], axis=1)
    _, first = np.unique(keys, axis=0, return_index=True)
    mask = ~run.exists
    mask[first] = True
    return select_results(run, mask), count_loss(run.path, run.line[~mask], _DUPLICATE_RESULTS)


def without_tokens(run: Run) -> tuple[Run, list[Loss]]:
    """The run without numbers of tokens."""
    if run.tokens is None:
        return run, []
    return replace(run, tokens=None), count_loss(run.path, run.line[run.tokens > 0], _TOKENS)


def with_descending_scores(run: Run, misplaced: BoolArray | None) -> tuple[Run, list[Loss]]:
    """Scores for all results: topics without scores, with too few or with `misplaced` results get descending ones.

    `misplaced`: of each result but the first, whether its score puts it before the previous result.
    """
    topic, missing = topic_numbers(run), np.isnan(run.score)
    n_missing = np.bincount(topic[missing], minlength=len(run.topics))
    partly = (n_missing > 0) & (n_missing < group_sizes(run.bounds))
    wrong = np.zeros(len(run.topics), dtype=np.bool_)
    if misplaced is not None:
        wrong[topic[1:][misplaced & (topic[1:] == topic[:-1])]] = True
        wrong &= n_missing == 0
    replaced = ((n_missing > 0) | wrong)[topic]
    descending = (run.bounds[1:][topic] - np.arange(len(topic))).astype(np.float64)
    losses = count_loss(run.path, run.line[wrong[topic]], _SCORES)
    losses += count_loss(run.path, run.line[partly[topic] & ~missing], _SOME_SCORES)
    return replace(run, score=np.where(replaced, descending, run.score)), losses


def misplaced_in_trec(run: Run) -> BoolArray:
    """Whether a TREC reader (score, then document, descending) puts a result before the previous one."""
    score = run.score
    names = sorted(range(len(run.documents)), key=lambda code: run.documents[code].encode())
    position = np.empty(len(names), dtype=np.int64)
    position[names] = np.arange(len(names))
    document = position[run.document]
    wrong: BoolArray = (score[1:] > score[:-1]) | ((score[1:] == score[:-1]) & (document[1:] > document[:-1]))
    return wrong


def with_plain_name(run: Run) -> tuple[Run, list[Loss]]:
    """The run with a name that a column can hold."""
    name = re.sub(r"[ \t\n\v\f\r]+", "_", run.run_id)
    losses = [Loss(run.path, 1, 1, _RUN_ID)] if name != run.run_id else []
    return replace(run, run_id=name), losses


# Runs of another kind.


def as_extents(run: Run, trees: Forest) -> tuple[Run, list[Loss]]:
    """Elements, ranges and whole documents as offset and length."""
    paths = [*run.paths, ""]  # code -1 is the last
    by_key: dict[tuple[int, int, int], Extent] = {}
    extents: list[Extent] = []
    keys = zip(run.document.tolist(), run.first_path.tolist(), run.last_path.tolist(), strict=True)
    for key, exists, line in zip(keys, run.exists.tolist(), run.line.tolist(), strict=True):
        if not exists:
            extents.append(Extent(-1, -1, ResultChange.UNCHANGED))
            continue
        if key not in by_key:
            try:
                by_key[key] = result_extent(find_document(trees, run.documents[key[0]]), paths[key[1]], paths[key[2]])
            except ReversedRangeError as error:
                raise InputError(run.path, line, str(error)) from error
        extents.append(by_key[key])
    start = np.array([extent.start for extent in extents], dtype=np.int64)
    length = np.array([extent.length for extent in extents], dtype=np.int64)
    none = np.full(len(extents), -1, dtype=np.int64)
    changed = replace(
        run, kind=RunKind.EXTENTS, paths=(), first_path=none, last_path=none, start=start, length=length,
        exists=start != -1,
    )  # fmt: skip
    return changed, _change_losses(run, [extent.change for extent in extents])


def as_elements(run: Run, trees: Forest, *, ranges: bool) -> tuple[Run, list[Loss]]:
    """Offsets and whole documents as elements or, with `ranges`, as ranges of elements."""
    flat = run.kind is RunKind.FLAT
    by_key: dict[tuple[int, int, int], ElementEnds] = {}
    results: list[ElementEnds] = []
    keys = zip(run.document.tolist(), run.start.tolist(), run.length.tolist(), strict=True)
    for key, exists in zip(keys, run.exists.tolist(), strict=True):
        if not exists:
            results.append(ElementEnds("", "", ResultChange.UNCHANGED))
            continue
        if key not in by_key:
            tree = find_document(trees, run.documents[key[0]])
            if flat and tree is not None:
                by_key[key] = ElementEnds(tree.paths[0], tree.paths[0], ResultChange.UNCHANGED)
            else:
                by_key[key] = elements_at(tree, key[1], key[2], ranges=ranges)
        results.append(by_key[key])
    codes: dict[str, int] = {"": -1}
    for result in results:
        for path in (result.first, result.last):
            codes.setdefault(path, len(codes) - 1)
    first = np.array([codes[result.first] for result in results], dtype=np.int64)
    last = np.array([codes[result.last] for result in results], dtype=np.int64)
    none = np.full(len(results), -1, dtype=np.int64)
    changed = replace(
        run, kind=RunKind.ELEMENTS, paths=tuple(codes)[1:], first_path=first, last_path=last, start=none, length=none,
        exists=first >= 0,
    )  # fmt: skip
    distinct, losses = without_duplicates(changed)
    return distinct, _change_losses(run, [result.change for result in results]) + losses


def as_single_elements(run: Run) -> tuple[Run, list[Loss]]:
    """Ranges as their first elements."""
    ranges = run.first_path != run.last_path
    changed, losses = without_duplicates(replace(run, last_path=run.first_path))
    return changed, count_loss(run.path, run.line[ranges], ResultChange.RANGE.value) + losses


def as_documents(run: Run, trees: Forest | None) -> tuple[Run, list[Loss]]:
    """Documents at the rank of their first result; every result exists."""
    if run.kind is RunKind.ELEMENTS:
        roots = np.array([path.count("/") == 1 for path in run.paths] + [False], dtype=np.bool_)
        whole = roots[run.first_path] & (run.first_path == run.last_path)
    else:
        whole = np.zeros(len(run.line), dtype=np.bool_)
        extents = zip(run.document.tolist(), run.start.tolist(), run.length.tolist(), strict=True)
        for row, (code, *extent) in enumerate(extents):
            tree = find_document(trees, run.documents[code]) if trees else None
            whole[row] = tree is not None and extent == [int(tree.start[0]), int(tree.length[0])]
    none = np.full(len(run.line), -1, dtype=np.int64)
    flat = replace(run, kind=RunKind.FLAT, paths=(), first_path=none, last_path=none, start=none, length=none)
    changed, losses = without_duplicates(flat)
    return changed, count_loss(run.path, run.line[~whole], ResultChange.PART.value) + losses


def _change_losses(run: Run, changes: list[ResultChange]) -> list[Loss]:
    lines: dict[ResultChange, list[int]] = {}
    for change, line in zip(changes, run.line.tolist(), strict=True):
        if change is not ResultChange.UNCHANGED:
            lines.setdefault(change, []).append(line)
    return [loss for change in lines for loss in count_loss(run.path, np.array(lines[change]), change.value)]


# Merging, for tasks in context, which take each document once and no text twice.


def first_results(run: Run, limit: int | None = None) -> Run:
    """The run of whole documents, each at its first result; results that do not exist are left out.

    `limit`: number of results per topic that count, before.
    """
    topic, exists = topic_numbers(run), run.exists
    if limit is not None:
        exists = exists & (np.arange(len(topic)) - run.bounds[topic] < limit)
    rows = np.flatnonzero(exists)
    _, first = np.unique(topic[rows] * len(run.documents) + run.document[rows], return_index=True)
    mask, none = np.zeros(len(topic), dtype=np.bool_), np.full(len(first), -1, dtype=np.int64)
    mask[rows[first]] = True
    bounds = group_bounds(np.bincount(topic[mask], minlength=len(run.topics)))
    documents = select_columns(replace(run, tokens=None), mask, run.topics, bounds)
    return replace(documents, kind=RunKind.FLAT, paths=(), first_path=none, last_path=none, start=none, length=none)


def merge_by_document(run: Run, trees: Forest | None = None, limit: int | None = None) -> Run:
    """Group the results of each document at its first rank; merge overlapping and adjacent ones into passages.

    A passage is ranked, within its document, at its best result, and has the line of that result, but no score. Its
    tokens are those of a result with the same extent, else the sum of results that do not overlap, else unknown.
    Missing results move to their document unchanged; runs of whole documents are unchanged.

    Args:
        run: the run; elements and ranges are converted to extents by `trees`.
        trees: documents of a structure.
        limit: number of results per topic that count, before merging.

    Raises:
        DataError: elements without a structure.
        InputError: a range that ends before it begins.
    """
    topic = topic_numbers(run)
    if limit is not None:
        run = select_results(run, np.arange(len(topic)) - run.bounds[topic] < limit)
    if run.kind is RunKind.FLAT:
        return run
    if run.kind is RunKind.ELEMENTS:
        if trees is None:
            raise DataError(f"{run.path}: the run gives {run.kind}; merging them needs their extents: give --structure")
        run = as_extents(run, trees)[0]
    return _merge_overlaps(run)


def _merge_overlaps(run: Run) -> Run:
    topic = topic_numbers(run)
    _, first_of, owner = np.unique(topic * len(run.documents) + run.document, return_index=True, return_inverse=True)
    first, start, end, tokens = _document_passages(run, owner)
    absent = np.flatnonzero(~run.exists)
    first = np.concatenate((first, absent))
    order = np.lexsort((first, first_of[owner[first]]))
    rows, none = first[order], np.full(len(first), -1, dtype=np.int64)
    return replace(
        run,
        bounds=group_bounds(np.bincount(topic[rows], minlength=len(run.topics))),
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


def _document_passages(run: Run, owner: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Passages of each document of each topic (`owner`, by result): first row, start, end, tokens."""
    rows = np.flatnonzero(run.exists)
    if not len(rows):
        return EMPTY_INTS, EMPTY_INTS, EMPTY_INTS, EMPTY_INTS
    start = run.start[rows].astype(np.int64)
    end = start + run.length[rows]
    # One number per document and offset, so that all documents are merged at once: no end reaches another document.
    offsets, code = np.unique(np.concatenate((start, end)), return_inverse=True)
    begin, stop = owner[rows] * len(offsets) + code[: len(rows)], owner[rows] * len(offsets) + code[len(rows) :]
    order = np.argsort(begin, kind="stable")
    furthest = np.maximum.accumulate(stop[order])
    begins = np.flatnonzero(np.concatenate(([True], begin[order][1:] > furthest[:-1])))
    rows, start, end = rows[order], start[order], end[order]
    low, high = start[begins], np.maximum.reduceat(end, begins)
    tokens = np.zeros(len(rows), dtype=np.int64) if run.tokens is None else run.tokens[rows]
    size = np.repeat(high - low, np.diff(begins, append=len(rows)))
    whole = np.maximum.reduceat(np.where(end - start == size, tokens, 0), begins)
    disjoint = np.add.reduceat(end - start, begins) == high - low
    has_tokens = np.minimum.reduceat(tokens, begins) > 0
    total = np.where(disjoint & has_tokens, np.add.reduceat(tokens, begins), 0)
    return np.minimum.reduceat(rows, begins), low, high, np.where(whole > 0, whole, total)
