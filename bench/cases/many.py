"""Very many topics, and comparisons of many runs."""

from __future__ import annotations

from collections.abc import Iterator

from bench.cases.trec_runs import ASKED
from bench.commands import Case, Folders, ours, split_loop

TITLE = "Many topics, many pairs"
FLOOR = "split loop over 100,000 topics of ten results"
TOPICS = "map, P.10, ndcg, 100,000 topics of ten results"
MILLION = "map, P.10, ndcg, 1,000,000 topics of ten results"
PAIRS = "compare, 50 runs x 300 topics x 3 measures, all pairs"
FIRST = "compare, 50 runs x 300 topics x 3 measures, with the first"


def cases(folders: Folders) -> Iterator[Case]:
    """Topics by the hundred thousand, 1,225 pairs of runs."""
    yield Case(FLOOR, split_loop(folders.topics / "run"))
    yield Case(TOPICS, ours("eval", *ASKED, folders.topics / "qrels", folders.topics / "run"), FLOOR)
    million = ours("eval", *ASKED, folders.million / "qrels", folders.million / "run")
    yield Case(MILLION, million, FLOOR, large=True)
    values = folders.values / "values.csv"
    for name, pairs in ((FIRST, "first"), (PAIRS, "all")):
        options = ("compare", "--values", "--pairs", pairs, "--trials", "100000", "-f", "csv")
        yield Case(name, ours(*options, values))
