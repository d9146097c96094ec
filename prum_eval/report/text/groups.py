"""Groups of topics for people: means in each, and the sentence on measures that change the order of runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prum_eval.analysis.groups import OrderChange
from prum_eval.report.layout import formatted
from prum_eval.report.writing import LINE_WIDTH, labels, padded, paragraph, wrapped
from prum_eval.tabular import listed

Section = Sequence[tuple[str, Sequence[str]]]
"""Rows of a measure: a name and a cell a group; its own with the topics, then each run's with the means."""

_LONGEST = 24
"""Longer names of groups are numbers, which are explained."""


def group_lines(groups: Sequence[str], sections: Sequence[Section]) -> Iterator[str]:
    """Lines of means by group, a column a group: as many side by side as there is room for."""
    shown = labels(groups, _LONGEST)
    if list(groups) != shown:
        yield ""
        yield from (f"group {number}  {name}" for number, name in zip(shown, groups, strict=True))
    widths = [
        max(len(shown[column]), *(len(cells[column]) for rows in sections for _, cells in rows))
        for column in range(len(groups))
    ]
    head, start = "mean by group", 0
    names = [line for rows in sections for name, _ in rows for line in wrapped(name, _LONGEST).split("\n")]
    first = max(len(head), *map(len, names))
    while start < len(groups):
        end = start + 1
        while end < len(groups) and first + sum(width + 2 for width in widths[start : end + 1]) <= LINE_WIDTH:
            end += 1
        own = [first, *widths[start:end]]
        yield from ("", padded([head, *shown[start:end]], own), "  ".join("-" * width for width in own))
        for rows in sections:
            yield ""
            for name, cells in rows:
                line, *more = wrapped(name, _LONGEST).split("\n")
                yield padded([line, *cells[start:end]], own)
                yield from more
        start = end


def order_sentence(
    changes: Sequence[OrderChange], names: Sequence[str], digits: int, headline: str | None = None
) -> str:
    """One sentence on all of them in lines, with the widest change of one; empty where no order changes.

    `names` are those of the runs; `headline`: the measure whose change is told if it has one, else the first's.
    """
    if not changes:
        return ""
    first = next((one for one in changes if one.measure == headline), changes[0])
    means = [formatted(value, digits) for value in first.means]
    return paragraph(
        f"The order of runs changes between groups by {listed([one.measure for one in changes])}: by {first.measure}, "
        f"{names[first.run]} is better than {names[first.other]} in {first.better} ({means[0]} to {means[1]}) "
        f"and worse in {first.worse} ({means[2]} to {means[3]})."
    )
