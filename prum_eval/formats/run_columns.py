"""The columns of a run of any format: decode names, find duplicates, rank the results, make the record.

Readers fill `RunColumns` in the order of the file, with codes of raw names; `make_run` ranks them. Writers take a run
of the kind, scores and order that their format can hold (`prum_eval.conversion`), and go through `ranked_topics`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import EMPTY_INTS, BoolArray, FloatArray, IntArray, NarrowArray, sorted_unique
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.records import Run, RunKind
from prum_eval.text.element_paths import PATH_EXAMPLE, are_normal_paths, normalise_path
from prum_eval.text.names import WordNames
from prum_eval.text.numbers import expected_message, quote_value
from prum_eval.text.streams import Contents

_ENDINGS = re.compile(r"(?:\.(?:jsonl|ndjson|json|tsv|txt))?(?:\.(?:gz|bz2|xz|zst))?$", re.IGNORECASE)
_Column = NDArray[Any]
_RANKED_COLUMNS = ("document", "first", "last", "start", "length", "exists", "score", "line")
_MAX_16_BIT_TOPICS = 1 << 16  # numbers of 16 bits are sorted by counting them


@dataclass(slots=True, eq=False, repr=False)
class RankingRule:
    """Order of results: ascending by `key` within a topic, then by `documents_descending`, then as in the file.

    `by_score`: whether the key of each result is a score, so that equal keys count as ties. Without a key the order is
    that of the file.
    """

    key: FloatArray | None
    by_score: BoolArray | None = None
    documents_descending: bool = False


@dataclass(slots=True, eq=False, repr=False)
class RunColumns:
    """A run in the order of the file: codes of raw names, and the vocabularies.

    `make_run` ranks the columns in place, so that no column is in memory twice.
    """

    name: str
    run_id: bytes
    kind: RunKind
    topics: Collection[bytes]
    documents: Collection[bytes]
    paths: Collection[bytes]
    topic: NarrowArray
    document: NarrowArray
    first: NarrowArray
    last: NarrowArray
    start: NarrowArray
    length: NarrowArray
    exists: BoolArray
    score: FloatArray
    line: NarrowArray
    task: str | None = None
    tokens: IntArray | None = None
    ignored: tuple[str, ...] = ()


def make_run(columns: RunColumns, rule: RankingRule, problems: ProblemHandler, *, one_block: bool) -> Run:
    """Check the whole run, rank it and make the record; with `one_block` topics have to be contiguous."""
    topics, documents, paths = _decode_vocabularies(columns, problems)
    if one_block:
        _check_blocks(columns, topics, problems)
    _check_duplicates(columns, topics, documents, paths, problems)
    order, tied = _rank_rows(columns, rule)
    del rule  # its key is as long as a column
    sizes = np.bincount(columns.topic, minlength=len(topics))
    columns.topic = EMPTY_INTS
    for name in _RANKED_COLUMNS:
        setattr(columns, name, order.reorder(getattr(columns, name)))
    if columns.tokens is not None:
        columns.tokens = order.reorder(columns.tokens)
    return Run(
        path=columns.name,
        run_id=columns.run_id.decode(errors="replace"),
        kind=columns.kind,
        topics=topics,
        bounds=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        documents=documents,
        document=columns.document,
        paths=paths,
        first_path=columns.first,
        last_path=columns.last,
        start=columns.start,
        length=columns.length,
        exists=columns.exists,
        score=columns.score,
        line=columns.line,
        tied=tied,
        task=columns.task,
        tokens=columns.tokens,
        ignored=columns.ignored,
    )


def run_name_of_file(name: str) -> bytes:
    """Name of a run whose file names none."""
    return _ENDINGS.sub("", PurePath(name).name.strip("<>")).encode(errors="replace") or b"run"  # <stdin> too


def used_names(names: list[bytes], codes: NarrowArray) -> tuple[list[bytes], IntArray]:
    """The names in use, in the order of their first use, and the new codes."""
    distinct, first, code = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    return [names[number] for number in distinct[order].tolist()], position[code]


def _decode_vocabularies(
    columns: RunColumns, problems: ProblemHandler
) -> tuple[tuple[str, ...], Sequence[str], tuple[str, ...]]:
    def where(*codes: NarrowArray) -> Callable[[int], int]:
        def line(code: int) -> int:
            return int(columns.line[np.logical_or.reduce([column == code for column in codes])][0])

        return line

    topics = tuple(decode_names(columns.topics, "topic", where(columns.topic), columns.name, problems)[:])
    documents = decode_names(columns.documents, "document", where(columns.document), columns.name, problems)
    return topics, documents, _normal_paths(columns, where(columns.first, columns.last), problems)


def decode_names(
    vocabulary: Collection[bytes], field: str, line_of: Callable[[int], int], name: str, problems: ProblemHandler
) -> Sequence[str]:
    """Names of a vocabulary as text; names that are not UTF-8 are reported, on the line ``line_of(code)``."""
    if isinstance(vocabulary, WordNames) and vocabulary.as_text is not None:
        return vocabulary.as_text
    try:
        return tuple(map(bytes.decode, vocabulary))
    except UnicodeDecodeError:
        names = []
    for code, raw in enumerate(vocabulary):
        try:
            names.append(raw.decode())
        except UnicodeDecodeError:
            problems(InputError(name, line_of(code), expected_message(field, "UTF-8 text", raw)))
            names.append(raw.decode(errors="backslashreplace"))
    return tuple(names)


def _normal_paths(columns: RunColumns, line_of: Callable[[int], int], problems: ProblemHandler) -> tuple[str, ...]:
    """Distinct normal paths; the codes of `columns` are adapted if several spellings have one normal form."""
    spelled = [raw.decode(errors="backslashreplace") for raw in columns.paths]
    if not spelled or are_normal_paths(spelled):
        return tuple(spelled)
    # The vocabulary also contains the markers X and -1 and the cells next to them, which name no element.
    size = len(spelled)
    used = np.zeros(size + 1, dtype=bool)
    used[columns.first] = used[columns.last] = True
    reported: set[int] = set()  # lines; one problem per line is enough
    new: dict[str, int] = {}
    codes = np.full(size + 1, -1, dtype=np.int64)  # the last one stands for code -1
    for code, spelling in enumerate(spelled):
        if used[code]:
            path = normalise_path(spelling)
            if path is None and (line := line_of(code)) not in reported:
                reported.add(line)
                problems(InputError(columns.name, line, expected_message("path", PATH_EXAMPLE, spelling)))
            codes[code] = new.setdefault(path or spelling, len(new))
    same = columns.first is columns.last
    columns.first = codes[columns.first]
    columns.last = columns.first if same else codes[columns.last]
    return tuple(new)


def _check_blocks(columns: RunColumns, topics: tuple[str, ...], problems: ProblemHandler) -> None:
    starts = np.flatnonzero(np.diff(columns.topic, prepend=-1))
    if len(starts) == len(topics):
        return
    first_lines: dict[int, int] = {}
    for row in starts.tolist():
        code, line = int(columns.topic[row]), int(columns.line[row])
        first = first_lines.setdefault(code, line)
        if first != line:
            reason = f"has a second block of results (its first began on line {first}); sort the lines by topic"
            problems(InputError(columns.name, line, f"topic {quote_value(topics[code])} {reason}"))


def _check_duplicates(
    columns: RunColumns,
    topics: tuple[str, ...],
    documents: Sequence[str],
    paths: tuple[str, ...],
    problems: ProblemHandler,
) -> None:
    if columns.kind is RunKind.EXTENTS:
        return  # elements of equal extent exist, so equal offsets repeat no result
    keys = [columns.topic, columns.document]
    if columns.kind is RunKind.ELEMENTS:
        keys.append(columns.first)
        if not np.array_equal(columns.first, columns.last):
            keys.append(columns.last)
    rows = None if columns.exists.all() else np.flatnonzero(columns.exists)
    for row, before in repeated_rows(keys if rows is None else [key[rows] for key in keys]):
        repeat, original = (row, before) if rows is None else (rows[row], rows[before])
        result = f"document {quote_value(documents[columns.document[repeat]])}"
        if columns.kind is RunKind.ELEMENTS:
            first, last = paths[columns.first[repeat]], paths[columns.last[repeat]]
            element = quote_value(first) if first == last else f"{quote_value(first)} to {quote_value(last)}"
            result = f"element {element} of {result}"
        topic, line = quote_value(topics[columns.topic[repeat]]), columns.line[original]
        reason = f"{result} is listed twice in topic {topic} (first on line {line})"
        problems(InputError(columns.name, int(columns.line[repeat]), reason))


def repeated_rows(keys: Sequence[NarrowArray]) -> list[tuple[int, int]]:
    """Pairs (row, first row with the same key) of all rows that repeat a key, a tuple of codes."""
    ordered = _combine_keys(keys)
    ordered.sort()
    if not (ordered[1:] == ordered[:-1]).any():
        return []
    combined = _combine_keys(keys)
    _, first, inverse = np.unique(combined, return_index=True, return_inverse=True)
    firsts = first[inverse]
    return [(int(row), int(firsts[row])) for row in np.flatnonzero(firsts != np.arange(len(combined)))]


def _combine_keys(keys: Sequence[NarrowArray]) -> IntArray:
    """One number per row, equal for rows of equal keys, in a new array."""
    combined, size = keys[0].astype(np.int64), int(keys[0].max(initial=-1)) + 1
    for key in keys[1:]:
        width = int(key.max(initial=-1)) + 1
        if size * width >= 2**63:
            distinct, combined = np.unique(combined, return_inverse=True)
            size = len(distinct)
        combined *= width
        combined += key
        size *= width
    return combined


@dataclass(slots=True, eq=False, repr=False)
class _Order:
    """Row of the file at each position of the ranking.

    It is ``rows[position]`` (None: the position itself), but ``tied_rows[i]`` at the position ``tied_positions[i]``.
    """

    rows: IntArray | None
    tied_positions: IntArray
    tied_rows: IntArray

    def reorder(self, column: _Column) -> _Column:
        """A column in this order; a broadcast column is returned as it is."""
        if column.strides == (0,) or (self.rows is None and not len(self.tied_positions)):
            return column
        ordered = column.copy() if self.rows is None else column[self.rows]
        ordered[self.tied_positions] = column[self.tied_rows]
        return ordered


_FILE_ORDER = _Order(None, EMPTY_INTS, EMPTY_INTS)


def _rank_rows(columns: RunColumns, rule: RankingRule) -> tuple[_Order, int]:
    """The order of the ranking, topic by topic, and the number of tied results."""
    topic, key = columns.topic, rule.key
    if key is None:
        in_blocks = (topic[1:] >= topic[:-1]).all()
        return replace(_FILE_ORDER, rows=None if in_blocks else np.argsort(topic, kind="stable")), 0
    order = _FILE_ORDER
    if not ((topic[1:] > topic[:-1]) | (topic[1:] == topic[:-1]) & (key[1:] >= key[:-1])).all():
        order = replace(_FILE_ORDER, rows=_sort_by_key(topic, key))
        topic, key = order.reorder(topic), order.reorder(key)
    equal = np.concatenate(([False], (topic[1:] == topic[:-1]) & (key[1:] == key[:-1]), [False]))
    tied = np.flatnonzero(equal[1:] | equal[:-1])
    if len(tied) and (rule.documents_descending or order.rows is not None):
        rows = tied if order.rows is None else order.rows[tied]
        group = np.cumsum(~equal[tied])
        keys = [_descending_positions(columns, rows)] if rule.documents_descending else []
        order = replace(order, tied_positions=tied, tied_rows=rows[np.lexsort([rows, *keys, group])])
    if rule.by_score is None:
        return order, 0
    equal[1:-1] &= order.reorder(rule.by_score)[1:]
    return order, int(np.count_nonzero(equal[1:] | equal[:-1]))


def _sort_by_key(topic: NarrowArray, key: FloatArray) -> IntArray:
    """Rows sorted by topic, then by key, ties in any order; many times faster than `numpy.lexsort`."""
    order = np.argsort(key)
    topic = topic[order]
    few = topic.max() < _MAX_16_BIT_TOPICS
    return order[np.argsort(topic.astype(np.uint16) if few else topic, kind="stable")]


def _descending_positions(columns: RunColumns, rows: IntArray) -> IntArray:
    """Position of the document of each row among those of all rows, in descending order of names."""
    names, codes = columns.documents, columns.document[rows]
    used, inverse = np.unique(codes.astype(np.int64), return_inverse=True)
    if isinstance(names, WordNames):
        cells = names.select(used)
    else:
        all_names = list(names)
        cells = [all_names[code] for code in used.tolist()]
    descending = np.empty(len(used), dtype=np.int64)
    descending[sorted(range(len(used)), key=cells.__getitem__, reverse=True)] = np.arange(len(used))
    return descending[inverse]


def ranked_topics(run: Run, topics: Contents, others: Contents) -> Iterator[tuple[str, range]]:
    """Each topic with the rows of its results, best first.

    Raises:
        InputError: the format cannot hold the name of the run, of a topic or of a document (at its first result).
    """
    topics.check(run.path, "topic", run.topics, lambda number: run.line[run.bounds[number]])
    used = sorted_unique(run.document)
    documents = [run.documents[code] for code in used.tolist()]
    others.check(run.path, "document", documents, lambda number: run.line[run.document == used[number]].min())
    others.check(run.path, "run", [run.run_id], lambda _: 1)
    bounds = run.bounds.tolist()
    return zip(run.topics, map(range, bounds[:-1], bounds[1:]), strict=True)
