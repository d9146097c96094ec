"""The columns of a run, whatever its format: names decoded, duplicates found, results ranked, the record made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.errors import InputError, Problems
from prum_eval.records.run import Run, RunKind
from prum_eval.text.element_paths import PATH_EXAMPLE, all_normal, normal_path
from prum_eval.text.numbers import expected, shown
from prum_eval.text.word_names import WordNames

_FEW = 1 << 16  # numbers of 16 bits are sorted by counting them


@dataclass(frozen=True, slots=True, eq=False)
class RankingRule:
    """How to rank: ascending by `key` within a topic, then by `documents_descending`, then in the order of the file.

    `by_score` says of each result whether its key is a score, so that equal keys count as ties; no key at all means
    the order of the file.
    """

    key: FloatArray | None
    by_score: BoolArray | None = None
    documents_descending: bool = False


@dataclass(slots=True, eq=False)
class RunColumns:
    """A run as it was read, in the order of the file: codes of raw names beside the vocabularies."""

    name: str
    run_id: bytes
    shape: RunKind
    topics: Collection[bytes]
    documents: Collection[bytes]
    paths: Collection[bytes]
    topic: IntArray
    document: IntArray
    first: IntArray
    last: IntArray
    start: IntArray
    length: IntArray
    exists: BoolArray
    score: FloatArray
    line: IntArray
    task: str | None = None
    tokens: IntArray | None = None
    ignored: tuple[str, ...] = ()


def run_of(columns: RunColumns, rule: RankingRule, problems: Problems, *, one_block: bool) -> Run:
    """Check what concerns the whole run, rank it and make the record.

    With `one_block` the results of a topic have to stand together.
    """
    topics, documents, paths = _decoded(columns, problems)
    if one_block:
        _check_blocks(columns, topics, problems)
    _check_duplicates(columns, topics, documents, paths, problems)
    order, tied = _order(columns, rule)
    sizes = np.bincount(columns.topic, minlength=len(topics))
    return Run(
        path=columns.name,
        run_id=columns.run_id.decode(errors="replace"),
        kind=columns.shape,
        topics=topics,
        bounds=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        documents=documents,
        document=columns.document[order],
        paths=paths,
        first_path=_ranked(columns.first, order),
        last_path=_ranked(columns.last, order),
        start=_ranked(columns.start, order),
        length=_ranked(columns.length, order),
        exists=columns.exists[order],
        score=columns.score[order],
        line=columns.line[order],
        tied=tied,
        task=columns.task,
        tokens=None if columns.tokens is None else columns.tokens[order],
        ignored=columns.ignored,
    )


def _ranked(column: IntArray, order: IntArray | slice) -> IntArray:
    """A column in the order of the ranking; one that repeats a number in place stays as it is."""
    return column if column.strides == (0,) else column[order]


def _decoded(columns: RunColumns, problems: Problems) -> tuple[tuple[str, ...], Sequence[str], tuple[str, ...]]:
    def where(*codes: IntArray) -> Callable[[int], int]:
        def line(code: int) -> int:
            return int(columns.line[np.logical_or.reduce([column == code for column in codes])][0])

        return line

    topics = tuple(decoded(columns.topics, "topic", where(columns.topic), columns.name, problems))
    documents = decoded(columns.documents, "document", where(columns.document), columns.name, problems)
    return topics, documents, _normal_paths(columns, where(columns.first, columns.last), problems)


def decoded(
    vocabulary: Collection[bytes], field: str, line_of: Callable[[int], int], name: str, problems: Problems
) -> Sequence[str]:
    """Names of a vocabulary as text; one that is not UTF-8 is reported on the line that `line_of` its code tells."""
    if isinstance(vocabulary, WordNames) and vocabulary.text is not None:
        return vocabulary.text
    try:
        return tuple(map(bytes.decode, vocabulary))
    except UnicodeDecodeError:
        names = []
    for code, raw in enumerate(vocabulary):
        try:
            names.append(raw.decode())
        except UnicodeDecodeError:
            problems(InputError(name, line_of(code), expected(field, "UTF-8 text", raw)))
            names.append(raw.decode(errors="backslashreplace"))
    return tuple(names)


def _normal_paths(columns: RunColumns, line_of: Callable[[int], int], problems: Problems) -> tuple[str, ...]:
    """Distinct paths in normal form; the codes of `columns` are changed to match where spellings fall together."""
    spelled = [raw.decode(errors="backslashreplace") for raw in columns.paths]
    if not spelled or all_normal(spelled):
        return tuple(spelled)
    # The marks X and -1, and what stands beside them, are in the vocabulary but name no element.
    size = len(spelled)
    used = np.zeros(size + 1, dtype=bool)
    used[columns.first] = used[columns.last] = True
    reported: set[int] = set()  # lines: one problem each is enough
    new: dict[str, int] = {}
    codes = np.full(size + 1, -1, dtype=np.int64)  # the last one stands for code -1
    for code, spelling in enumerate(spelled):
        if used[code]:
            path = normal_path(spelling)
            if path is None and (line := line_of(code)) not in reported:
                reported.add(line)
                problems(InputError(columns.name, line, expected("path", PATH_EXAMPLE, spelling)))
            codes[code] = new.setdefault(path or spelling, len(new))
    columns.first, columns.last = codes[columns.first], codes[columns.last]
    return tuple(new)


def _check_blocks(columns: RunColumns, topics: tuple[str, ...], problems: Problems) -> None:
    starts = np.flatnonzero(np.diff(columns.topic, prepend=-1))
    if len(starts) == len(topics):
        return
    begun: dict[int, int] = {}
    for row in starts.tolist():
        code, line = int(columns.topic[row]), int(columns.line[row])
        before = begun.setdefault(code, line)
        if before != line:
            reason = f"topic {shown(topics[code])} has a second block of results (its first began on line {before})"
            problems(InputError(columns.name, line, reason))


def _check_duplicates(
    columns: RunColumns, topics: tuple[str, ...], documents: Sequence[str], paths: tuple[str, ...], problems: Problems
) -> None:
    if columns.shape is RunKind.EXTENTS:
        return  # elements of equal extent exist, so equal offsets repeat no result
    keys = [columns.topic, columns.document]
    if columns.shape is RunKind.ELEMENTS:
        keys.append(columns.first)
        if not np.array_equal(columns.first, columns.last):
            keys.append(columns.last)
    rows = None if columns.exists.all() else np.flatnonzero(columns.exists)
    for row, before in repeats(keys if rows is None else [key[rows] for key in keys]):
        here, there = (row, before) if rows is None else (rows[row], rows[before])
        what = f"document {shown(documents[columns.document[here]])}"
        if columns.shape is RunKind.ELEMENTS:
            first, last = paths[columns.first[here]], paths[columns.last[here]]
            element = shown(first) if first == last else f"{shown(first)} to {shown(last)}"
            what = f"element {element} of {what}"
        reason = f"{what} is listed twice in topic {shown(topics[columns.topic[here]])}"
        problems(InputError(columns.name, int(columns.line[here]), f"{reason} (first on line {columns.line[there]})"))


def repeats(keys: list[IntArray]) -> list[tuple[int, int]]:
    """Pairs (row, first row of the same key) of all rows that repeat the key, a tuple of codes, of an earlier row."""
    combined, size = keys[0], int(keys[0].max(initial=-1)) + 1
    for key in keys[1:]:
        width = int(key.max(initial=-1)) + 1
        if size * width >= 2**63:
            distinct, combined = np.unique(combined, return_inverse=True)
            size = len(distinct)
        combined, size = combined * width + key, size * width
    ordered = np.sort(combined)
    if not (ordered[1:] == ordered[:-1]).any():
        return []
    _, first, inverse = np.unique(combined, return_index=True, return_inverse=True)
    firsts = first[inverse]
    return [(int(row), int(firsts[row])) for row in np.flatnonzero(firsts != np.arange(len(combined)))]


def _order(columns: RunColumns, rule: RankingRule) -> tuple[IntArray | slice, int]:
    """Rows of the file in the order of the ranking, topic by topic, and how many results are tied."""
    topic, key = columns.topic, rule.key
    if key is None:
        if (topic[1:] >= topic[:-1]).all():
            return slice(None), 0
        return np.argsort(topic, kind="stable"), 0
    order: IntArray | slice = slice(None)
    if not ((topic[1:] > topic[:-1]) | (topic[1:] == topic[:-1]) & (key[1:] >= key[:-1])).all():
        order = _by_key(topic, key)
        topic, key = topic[order], key[order]
    equal = np.concatenate(([False], (topic[1:] == topic[:-1]) & (key[1:] == key[:-1]), [False]))
    together = np.flatnonzero(equal[1:] | equal[:-1])
    if len(together) and (rule.documents_descending or not isinstance(order, slice)):
        order = np.arange(len(topic))[order]
        rows, group = order[together], np.cumsum(~equal[together])
        keys = [_places_descending(columns, rows)] if rule.documents_descending else []
        order[together] = rows[np.lexsort([rows, *keys, group])]
    if rule.by_score is None:
        return order, 0
    equal[1:-1] &= rule.by_score[order][1:]
    return order, int(np.count_nonzero(equal[1:] | equal[:-1]))


def _by_key(topic: IntArray, key: FloatArray) -> IntArray:
    """Rows ordered by topic, then by key, those of equal key in any order: many times faster than `numpy.lexsort`."""
    order = np.argsort(key)
    topic = topic[order]
    few = topic.max() < _FEW
    return order[np.argsort(topic.astype(np.uint16) if few else topic, kind="stable")]


def _places_descending(columns: RunColumns, rows: IntArray) -> IntArray:
    """Where the document of each of some rows comes among theirs, in descending order of the names."""
    names, codes = columns.documents, columns.document[rows]
    used, place = np.unique(codes, return_inverse=True)
    if isinstance(names, WordNames):
        cells = names.some(used)
    else:
        listed = list(names)
        cells = [listed[code] for code in used.tolist()]
    descending = np.empty(len(used), dtype=np.int64)
    descending[sorted(range(len(used)), key=cells.__getitem__, reverse=True)] = np.arange(len(used))
    return descending[place]
