"""Runs in the shape that a form holds."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

import numpy as np

from prum_eval.arrays import EMPTY_INTS, BoolArray, IntArray, group_bounds, group_numbers, group_sizes
from prum_eval.collection.trees import DocumentTree, Forest
from prum_eval.conversion.losses import Loss, count_loss
from prum_eval.errors import DataError, InputError
from prum_eval.records import Run, RunKind
from prum_eval.text.names import find_document

# Results from one shape to another: paths to offsets and back, parts to whole documents and back.
#
# Every function here takes the columns of one result and says where it is in the other shape, and what became of it.


_NONE = -1


class ResultChange(Enum):
    """What becomes of a result; each value says of which results, and what."""

    UNCHANGED = ""
    MISSING = "results that the structure lacks: they are marked X or left out"
    SHARED = "results that share their extent with an element around them: offsets name that one"
    NO_ELEMENT = "results that are no element: each becomes the smallest element around it"
    NO_RANGE = "results that are neither an element nor a range: each becomes the smallest element around it"
    RANGE = "ranges of elements: only their first elements are kept"
    PART = "parts of documents: only the documents are kept"


class Extent(NamedTuple):
    """Offset and length of a result, -1 where it does not exist."""

    start: int
    length: int
    change: ResultChange


class ElementEnds(NamedTuple):
    """Paths of the first and last element of a result, empty where it does not exist."""

    first: str
    last: str
    change: ResultChange


class ReversedRangeError(ValueError):
    """A range of elements that ends before it begins."""


_NO_EXTENT = Extent(_NONE, _NONE, ResultChange.MISSING)
_NO_ELEMENTS = ElementEnds("", "", ResultChange.MISSING)


def result_extent(tree: DocumentTree | None, first: str, last: str) -> Extent:
    """Where an element, a range of elements or (with no path) a whole document is.

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
    # Read back, an extent is the outermost element that has it.
    outermost = tree.find_extent(*extent)
    own = ends[0] if ends[0] == ends[1] else _NONE
    return Extent(*extent, ResultChange.UNCHANGED if outermost == own else ResultChange.SHARED)


def elements_at(tree: DocumentTree | None, start: int, length: int, *, ranges: bool) -> ElementEnds:
    """The element that has an extent, else with `ranges` a range that has it, else the smallest element around it."""
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


def root_element(tree: DocumentTree | None) -> ElementEnds:
    """The whole document, as an element."""
    return _NO_ELEMENTS if tree is None else ElementEnds(tree.paths[0], tree.paths[0], ResultChange.UNCHANGED)


def is_whole_document(tree: DocumentTree | None, start: int, length: int) -> bool:
    """Whether an extent is that of the whole document, as far as a structure tells."""
    return tree is not None and (start, length) == (int(tree.start[0]), int(tree.length[0]))


# Runs with other columns, with fewer results, in the order and with the scores that a form tells.


_MISSING_RESULTS = "results that do not exist: they are left out"
_DUPLICATE_RESULTS = "results that repeat an earlier one: they are left out"
_TOKENS = "results with a number of tokens: it is left out"
_SCORES = "results whose scores do not tell their order: new scores do"
_SOME_SCORES = "results of topics in which others have no score: new scores"


def topic_numbers(run: Run) -> IntArray:
    """The topic of every result, as a number."""
    return group_numbers(run.bounds)


def select_results(run: Run, kept: BoolArray) -> Run:
    """The results that are kept, and the topics that still have any."""
    if kept.all():
        return run
    sizes = np.bincount(topic_numbers(run)[kept], minlength=len(run.topics))
    topics = tuple(topic for topic, size in zip(run.topics, sizes.tolist(), strict=True) if size)
    return select_columns(run, kept, topics, group_bounds(sizes[sizes > 0]))


def select_columns(run: Run, kept: BoolArray, topics: tuple[str, ...], bounds: IntArray) -> Run:
    """The results that are kept, as those of these topics, with these bounds between them."""
    names = ("document", "first_path", "last_path", "start", "length", "exists", "score", "line")
    columns = {name: getattr(run, name)[kept] for name in names}
    if run.tokens is not None:
        columns["tokens"] = run.tokens[kept]
    return dataclasses.replace(run, topics=topics, bounds=bounds, **columns)


def without_missing(run: Run) -> tuple[Run, list[Loss]]:
    """The results that exist, for a form that has no mark for others."""
    return select_results(run, run.exists), count_loss(run.path, run.line[~run.exists], _MISSING_RESULTS)


def without_duplicates(run: Run) -> tuple[Run, list[Loss]]:
    """Every document or element once a topic, at its first rank; extents may repeat, and so may what does not exist."""
    if run.kind is RunKind.EXTENTS or not len(run.line):
        return run, []
    keys = np.stack([topic_numbers(run), run.document, run.first_path, run.last_path], axis=1)
    _, first = np.unique(keys, axis=0, return_index=True)
    kept = ~run.exists
    kept[first] = True
    return select_results(run, kept), count_loss(run.path, run.line[~kept], _DUPLICATE_RESULTS)


def without_tokens(run: Run) -> tuple[Run, list[Loss]]:
    """The run for a form that has no place for numbers of tokens."""
    if run.tokens is None:
        return run, []
    return dataclasses.replace(run, tokens=None), count_loss(run.path, run.line[run.tokens > 0], _TOKENS)


def with_descending_scores(run: Run, misplaced: BoolArray | None) -> tuple[Run, list[Loss]]:
    """Scores for all: topics without scores, with too few, or with `misplaced` results get descending ones.

    `misplaced` says of each result but the first whether its score does not place it after the one before.
    """
    topic, missing = topic_numbers(run), np.isnan(run.score)
    size = group_sizes(run.bounds)
    without = np.bincount(topic[missing], minlength=len(run.topics))
    partly, wrong = (without > 0) & (without < size), np.zeros(len(run.topics), dtype=np.bool_)
    if misplaced is not None:
        wrong[topic[1:][misplaced & (topic[1:] == topic[:-1])]] = True
        wrong &= without == 0
    new = ((without > 0) | wrong)[topic]
    descending = (run.bounds[1:][topic] - np.arange(len(topic))).astype(np.float64)
    losses = count_loss(run.path, run.line[wrong[topic]], _SCORES)
    losses += count_loss(run.path, run.line[partly[topic] & ~missing], _SOME_SCORES)
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


_RUN_ID = "names of runs with white space: it becomes _"


def as_extents(run: Run, trees: Forest) -> tuple[Run, list[Loss]]:
    """Elements, ranges and whole documents as offset and length."""
    paths = [*run.paths, ""]  # code -1 is the last
    known: dict[tuple[int, int, int], Extent] = {}
    found: list[Extent] = []
    keys = zip(run.document.tolist(), run.first_path.tolist(), run.last_path.tolist(), strict=True)
    for key, exists, line in zip(keys, run.exists.tolist(), run.line.tolist(), strict=True):
        if not exists:
            found.append(Extent(-1, -1, ResultChange.UNCHANGED))
            continue
        if key not in known:
            try:
                known[key] = result_extent(find_document(trees, run.documents[key[0]]), paths[key[1]], paths[key[2]])
            except ReversedRangeError as error:
                raise InputError(run.path, line, str(error)) from error
        found.append(known[key])
    start = np.array([one.start for one in found], dtype=np.int64)
    length = np.array([one.length for one in found], dtype=np.int64)
    none = np.full(len(found), -1, dtype=np.int64)
    changed = dataclasses.replace(
        run,
        kind=RunKind.EXTENTS,
        paths=(),
        first_path=none,
        last_path=none,
        start=start,
        length=length,
        exists=start != -1,
    )
    return changed, _losses(run, [one.change for one in found])


def as_elements(run: Run, trees: Forest, *, ranges: bool) -> tuple[Run, list[Loss]]:
    """Offsets and whole documents as elements or, with `ranges`, as ranges of elements."""
    flat = run.kind is RunKind.FLAT
    known: dict[tuple[int, int, int], ElementEnds] = {}
    found: list[ElementEnds] = []
    keys = zip(run.document.tolist(), run.start.tolist(), run.length.tolist(), strict=True)
    for key, exists in zip(keys, run.exists.tolist(), strict=True):
        if not exists:
            found.append(ElementEnds("", "", ResultChange.UNCHANGED))
            continue
        if key not in known:
            tree = find_document(trees, run.documents[key[0]])
            known[key] = root_element(tree) if flat else elements_at(tree, key[1], key[2], ranges=ranges)
        found.append(known[key])
    codes: dict[str, int] = {"": -1}
    for one in found:
        for path in (one.first, one.last):
            codes.setdefault(path, len(codes) - 1)
    first = np.array([codes[one.first] for one in found], dtype=np.int64)
    last = np.array([codes[one.last] for one in found], dtype=np.int64)
    none = np.full(len(found), -1, dtype=np.int64)
    changed = dataclasses.replace(
        run, kind=RunKind.ELEMENTS, paths=tuple(codes)[1:], first_path=first, last_path=last, start=none, length=none,
        exists=first >= 0,
    )  # fmt: skip
    whole, losses = without_duplicates(changed)
    return whole, _losses(run, [one.change for one in found]) + losses


def as_single_elements(run: Run) -> tuple[Run, list[Loss]]:
    """Ranges as their first elements."""
    ranges = run.first_path != run.last_path
    changed, losses = without_duplicates(dataclasses.replace(run, last_path=run.first_path))
    return changed, count_loss(run.path, run.line[ranges], ResultChange.RANGE.value) + losses


def as_documents(run: Run, trees: Forest | None) -> tuple[Run, list[Loss]]:
    """Documents at the rank of their first result; every result exists."""
    if run.kind is RunKind.ELEMENTS:
        roots = np.array([path.count("/") == 1 for path in run.paths] + [False], dtype=np.bool_)
        whole = roots[run.first_path] & (run.first_path == run.last_path)
    else:
        extents = zip(run.document.tolist(), run.start.tolist(), run.length.tolist(), strict=True)
        found = (
            is_whole_document(find_document(trees, run.documents[code]) if trees else None, *extent)
            for code, *extent in extents
        )
        whole = np.fromiter(found, dtype=np.bool_, count=len(run.line))
    none = np.full(len(run.line), -1, dtype=np.int64)
    flat = dataclasses.replace(
        run, kind=RunKind.FLAT, paths=(), first_path=none, last_path=none, start=none, length=none
    )
    changed, losses = without_duplicates(flat)
    return changed, count_loss(run.path, run.line[~whole], ResultChange.PART.value) + losses


def with_plain_name(run: Run) -> tuple[Run, list[Loss]]:
    """The run under a name that a column can hold."""
    name = re.sub(r"[ \t\n\v\f\r]+", "_", run.run_id)
    losses = [Loss(run.path, 1, 1, _RUN_ID)] if name != run.run_id else []
    return dataclasses.replace(run, run_id=name), losses


def _losses(run: Run, fates: list[ResultChange]) -> list[Loss]:
    lines: dict[ResultChange, list[int]] = {}
    for fate, line in zip(fates, run.line.tolist(), strict=True):
        if fate is not ResultChange.UNCHANGED:
            lines.setdefault(fate, []).append(line)
    return [loss for fate in lines for loss in count_loss(run.path, np.array(lines[fate]), fate.value)]


# A document's results brought together: for tasks in context, which take each document once and no text twice.


def merge_by_document(run: Run, trees: Forest | None = None, limit: int | None = None) -> Run:
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
    """The text of each document of each topic (`owner`, by result) as passages: first row, start, end, tokens."""
    rows = np.flatnonzero(run.exists)
    if not len(rows):
        return EMPTY_INTS, EMPTY_INTS, EMPTY_INTS, EMPTY_INTS
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
