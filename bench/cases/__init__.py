"""Everything that ``make bench`` measures, in tables: a module of cases each."""

from __future__ import annotations

from collections.abc import Iterator

from bench.cases import documents, elements, passages, start, trec_runs
from bench.cases import many as many_topics
from bench.commands import Case, Folders


def tables(folders: Folders) -> dict[str, list[Case]]:
    """The cases of every table, by its heading."""
    return {
        start.TITLE: list(start.cases()),
        trec_runs.TITLE: list(trec_runs.cases(folders)),
        documents.TITLE: list(documents.cases(folders)),
        elements.TITLE: list(elements.cases(folders.inex)),
        passages.TITLE: list(passages.cases(folders)),
        many_topics.TITLE: list(many_topics.cases(folders)),
    }


def all_cases(folders: Folders) -> Iterator[Case]:
    """The cases of all tables, in order."""
    for cases in tables(folders).values():
        yield from cases
