"""Two runs on one topic side by side, and the topics of a run, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest

from prum_eval.analysis.explanation.explain import Explanation, Rank
from prum_eval.analysis.explanation.rank_contributions import RankContributions
from prum_eval.analysis.explanation.topic_list import TopicList
from prum_eval.analysis.explanation.two_runs import TwoExplanations
from prum_eval.report.layout import Layout, formatted
from prum_eval.report.text.excerpts import shortened
from prum_eval.report.text.explanation import name, settings
from prum_eval.report.writing import PLAIN, table_text
from prum_eval.tabular import listed, plural

_WIDTH = 80
_SIDE = 38
"""Columns of one run where two stand side by side."""
_TARGETS = 20
"""How many targets are named."""
_NOTHING = 0.00005
"""What prints as 0.0000."""
_NAMES = 15
"""Columns of a run's name above its values."""


def topic_list_text(found: TopicList, layout: Layout) -> str:
    """The topics in their order, with values of as many measures as fit; then those that a run does not answer."""
    runs = [f"{run} ({path})" for run, path in zip(found.runs, found.paths, strict=True)]
    if len(runs) == 1:
        lines = [f"{runs[0]}: topics by {found.measures[0]}, the worst first", ""]
        headers = ["topic", *found.measures]
        rows = [[one.topic, *_values(one.values, layout.digits)] for one in found.topics]
    else:
        wins, ties, losses = found.wins
        lines = [runs[0], f"  less {runs[1]}", f"topics by {found.measures[0]}, the largest differences first", ""]
        headers = ["topic", *(shortened(run, _NAMES) for run in found.runs), "difference"]
        rows = [
            [one.topic, *_values((one.values[0], one.against), layout.digits), _signed(one.difference, layout.digits)]
            for one in found.topics
        ]
    table = table_text(headers, rows, PLAIN).splitlines()
    while len(runs) == 1 and len(headers) > 2 and max(map(len, table)) > _WIDTH:
        headers, rows = headers[:-1], [row[:-1] for row in rows]
        table = table_text(headers, rows, PLAIN).splitlines()
    lines += table
    if len(runs) > 1:
        lines += ["", f"higher in {plural(wins, 'topic')}, equal in {ties}, lower in {losses}"]
    if found.unanswered:
        lines += ["", f"not answered{' by both' if len(runs) > 1 else ''}: {listed(found.unanswered)}"]
    return "\n".join(lines) + "\n"


def two_explanations_text(pair: TwoExplanations, layout: Layout) -> str:
    """Values of both runs, what each sees of the targets, and their ranks side by side with what these add."""
    first, second = pair.first, pair.second
    lines = [f"topic {pair.topic}", f"A  {first.run_id} ({first.path})", f"B  {second.run_id} ({second.path})"]
    lines += [settings(first), "", *_values_table(first, second, layout.digits)]
    if first.targets == second.targets or [one.location for one in first.targets] == [
        one.location for one in second.targets
    ]:
        lines += ["", *_targets(first, second)]
    lines += ["", *_ranks(first, second)]
    return "\n".join(shortened(line, _WIDTH) for line in lines) + "\n"


def _values(values: Sequence[float | None], digits: int) -> list[str]:
    return [formatted(value, digits) for value in values]


def _signed(value: float | None, digits: int) -> str:
    return "nan" if value is None else f"{value:+.{digits}f}"


def _values_table(first: Explanation, second: Explanation, digits: int) -> list[str]:
    """A row a measure; one that only one of them has, as it is about the whole list, stands apart."""
    other = {each.measure: each.value for each in second.contributions}
    rows = [
        [
            each.measure,
            *_values((each.value, other[each.measure]), digits),
            _signed(each.value - other[each.measure], digits),
        ]
        for each in first.contributions
        if each.measure in other
    ]
    return table_text(["measure", "A", "B", "A - B"], rows, PLAIN).splitlines()


def _targets(first: Explanation, second: Explanation) -> Iterator[str]:
    """What each run sees of every target in the end, and the first rank that leads there; largest differences first."""
    pairs = list(zip(first.targets, second.targets, strict=True))
    yield "Targets: probability to be seen in the end, and the first rank that leads there"
    yield f"  {'':<6}{'A':>6}  {'rank':<6}{'B':>6}  rank"
    pairs.sort(key=lambda pair: (-abs(pair[0].seen - pair[1].seen), pair[0].number))
    for one, other in pairs[:_TARGETS]:
        seen = "".join(f"{each.seen:.4f}  {min(each.ranks, default='-'):<6}" for each in (one, other))
        front = f"  {name(one.number):<6}{seen}"
        yield front + shortened(one.location.words, _WIDTH - len(front))
    if len(pairs) > _TARGETS:
        yield f"  and {len(pairs) - _TARGETS} more, on which they differ less"


def _ranks(first: Explanation, second: Explanation) -> Iterator[str]:
    """The ranks of both beside each other, with what each adds to the first measure that both have."""
    shared = [each.measure for each in second.contributions]
    column = next((each for each in first.contributions if each.measure in shared), None)
    if column is None:
        return
    other = second.contributions[shared.index(column.measure)]
    yield f"Rank by rank: what it points to, and what it adds to {column.measure}"
    yield f"{'':<6}{'A':<{_SIDE}}B"
    rows = zip_longest(_sides(first, column), _sides(second, other))
    for tells, group in groupby(enumerate(rows, 1), key=lambda row: any(side and side[1] for side in row[1])):
        numbered = list(group)
        if tells or len(numbered) < 3:
            for number, sides in numbered:
                cells = [_cell(side) for side in sides]
                yield f"{number:>4}  {cells[0]:<{_SIDE - 2}}  {cells[1]}".rstrip()
        else:
            yield f"{numbered[0][0]:>4}-{numbered[-1][0]}  add nothing"


_Side = tuple[str, str]


def _sides(explanation: Explanation, column: RankContributions) -> Iterator[_Side]:
    """What a rank points to, and what it adds; empty where that is nothing."""
    for rank, value in zip(explanation.ranks, column.added.tolist(), strict=True):
        yield _words(rank), f"{value:+.4f}" if abs(value) >= _NOTHING else ""


def _words(rank: Rank) -> str:
    more = f" +{len(rank.results) - 1}" if len(rank.results) > 1 else ""
    return rank.results[0].location.words + more if rank.results else ""


def _cell(side: _Side | None) -> str:
    if side is None:
        return ""
    words, added = side
    return f"{added:>7} {shortened(words, _SIDE - 12)}"
