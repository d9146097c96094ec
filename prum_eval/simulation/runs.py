"""Runs as lists of ranks, and lists of ranks as runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from prum_eval.arrays import IntArray, bounds_of
from prum_eval.records.run import Run, RunKind
from prum_eval.simulation.elements import Elements
from prum_eval.simulation.results import ListedResult, NamedResult, NoResult, Ranks


def ranks_of_run(run: Run, elements: Elements | None) -> dict[str, Ranks]:
    """The lists of a run by topic; results of one score that follow each other share a rank."""
    score = run.score.astype(np.float32).astype(np.float64) if run.kind is RunKind.FLAT else run.score
    listed = list(_items_of_run(run, elements))
    again = np.concatenate([[False], score[1:] == score[:-1]]).tolist()  # a missing score is equal to none
    found: dict[str, Ranks] = {}
    for number, topic in enumerate(run.topics):
        ranks = found[topic] = []
        begin, end = run.bounds[number : number + 2].tolist()
        for row in range(begin, end):
            if row > begin and again[row]:
                ranks[-1].append(listed[row])
            else:
                ranks.append([listed[row]])
    return found


def _items_of_run(run: Run, elements: Elements | None) -> Iterator[ListedResult]:
    rows = np.full(len(run.line), -1, dtype=np.int64)
    if elements is not None and run.kind is RunKind.ELEMENTS:
        rows = _rows(run, elements)
    paths = [*run.paths, ""]  # code -1 is the last
    tokens = np.zeros(len(run.line), dtype=np.int64) if run.tokens is None else run.tokens
    columns = (rows, run.exists, run.document, run.first_path, run.last_path, run.start, run.length, tokens)
    for row, exists, document, first, last, start, length, count in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        if not exists:
            yield NoResult(run.documents[document])
        elif row >= 0:
            yield row
        else:
            yield NamedResult(run.documents[document], paths[first], paths[last], start, length, count)


def _rows(run: Run, elements: Elements) -> IntArray:
    """Rows of the elements of a run in the forest; -1 where there is none, and for ranges."""
    forest = elements.forest
    number = np.array([*map(elements.number, run.documents)], dtype=np.int64)[run.document]
    one = np.flatnonzero((run.first_path >= 0) & (run.first_path == run.last_path) & (number >= 0))
    rows = np.full(len(run.line), -1, dtype=np.int64)
    rows[one] = forest.rows(number[one], forest.codes(run.paths)[run.first_path[one]])
    for row in one[rows[one] < 0].tolist():  # written in other letters
        element = forest.tree(int(number[row])).find(run.paths[run.first_path[row]])
        if element >= 0:
            rows[row] = forest.columns.bounds[number[row]] + element
    return rows


def run_of_ranks(name: str, kind: RunKind, lists: Iterable[tuple[str, Ranks]], elements: Elements | None) -> Run:
    """A run with these lists by topic; scores fall by 1 from rank to rank. Topics without results are left out."""
    topics: list[str] = []
    sizes: list[int] = []
    listed: list[ListedResult] = []
    score: list[float] = []
    for topic, ranks in lists:
        if ranks:
            before = len(listed)
            for number, rank in enumerate(ranks):
                listed += rank
                score += [float(len(ranks) - number)] * len(rank)
            topics.append(topic)
            sizes.append(len(listed) - before)
    documents: dict[str, int] = {}
    paths: dict[str, int] = {"": -1}
    rows = []
    for place in _places(listed, elements):
        document = documents.setdefault(place.document, len(documents))
        if isinstance(place, NoResult):
            rows.append((document, -1, -1, -1, -1, 0, False))
        else:
            first = paths.setdefault(place.first_path, len(paths) - 1)
            last = paths.setdefault(place.last_path, len(paths) - 1)
            rows.append((document, first, last, place.start, place.length, place.tokens, True))
    columns = np.array(rows, dtype=np.int64).reshape(-1, 7).T
    return Run(
        path=name, run_id=name, kind=kind, topics=tuple(topics), bounds=bounds_of(sizes), documents=tuple(documents),
        document=columns[0], paths=tuple(paths)[1:], first_path=columns[1], last_path=columns[2], start=columns[3],
        length=columns[4], exists=columns[6] > 0, score=np.array(score), line=np.zeros(len(listed), dtype=np.int64),
        tied=0, tokens=columns[5] if columns[5].any() else None,
    )  # fmt: skip


def _places(listed: Sequence[ListedResult], elements: Elements | None) -> Iterator[NamedResult | NoResult]:
    """The results with the names of their documents and elements."""
    if elements is None:
        yield from (item for item in listed if not isinstance(item, int))
        return
    rows = np.array([item for item in listed if isinstance(item, int)], dtype=np.int64)
    named = zip(elements.documents(rows), elements.paths(rows), strict=True)
    for item in listed:
        if isinstance(item, int):
            document, path = next(named)
            yield NamedResult(document, path, path)
        else:
            yield item
