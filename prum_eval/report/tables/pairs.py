"""All pairs of runs: which run is better than which, in words where they are few, and as a map of signs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from prum_eval.analysis.comparison import Comparison
from prum_eval.report.tables.columns import NAME_WIDTH
from prum_eval.report.text.verdict import run_order
from prum_eval.report.writing import LINE_WIDTH, padded, paragraph, wrapped
from prum_eval.tabular import listed

FEW = 8
"""So many runs are told of in words."""
BETTER, WORSE, ALIKE = ">", "<", "."
"""What the map says of the run of its row beside that of its column."""


def better_pairs(comparison: Comparison, measure: str) -> Mapping[int, Sequence[int]]:
    """For each run those that it is significantly better than, by Tukey's HSD; the best runs first."""
    order = run_order(comparison, measure)
    sign = -1 if measure in comparison.matrix.lower_better else 1
    found: dict[int, list[int]] = {run: [] for run in order}
    for row in comparison.measured:
        if row.measure == measure and row.difference is not None and row.against is not None:
            p = row.difference.tukey
            if p is not None and p < comparison.settings.alpha:
                better, worse = (row.run, row.against) if sign * row.difference.mean > 0 else (row.against, row.run)
                found[better].append(worse)
    return {run: sorted(others, key=order.index) for run, others in found.items()}


def pairs_sentence(comparison: Comparison, measure: str, names: Sequence[str]) -> str:
    """Which runs are better than which, of few runs; empty of many."""
    if len(names) > FEW:
        return ""
    found = better_pairs(comparison, measure)
    alike: dict[tuple[int, ...], list[str]] = {}
    for run, own in found.items():
        alike.setdefault(tuple(own), []).append(names[run])
    parts = [
        f"{listed(those)} {'is' if len(those) == 1 else 'are'} better than {listed([names[one] for one in worse])}"
        for worse, those in alike.items()
        if worse
    ]
    if not parts:
        return f"By {measure} no two runs can be told apart."
    pairs = sum(map(len, found.values()))
    rest = "; no other two can be told apart" if pairs < len(names) * (len(names) - 1) // 2 else ""
    return f"By {measure} {', '.join(parts)}{rest}."


def pair_signs(comparison: Comparison, measure: str) -> dict[int, str]:
    """A row of signs for each run, the best first, with a sign for each run in the same order; a blank for itself."""
    found = better_pairs(comparison, measure)
    return {
        run: "".join(
            " " if run == other else BETTER if other in own else WORSE if run in found[other] else ALIKE
            for other in found
        )
        for run, own in found.items()
    }


def pairs_legend(comparison: Comparison, measure: str) -> str:
    """What the signs say."""
    return (
        f"By {measure} {BETTER} better than the run of that number, {WORSE} worse, {ALIKE} not told apart: Tukey's HSD "
        f"below {comparison.settings.alpha:g}."
    )


def pairs_lines(comparison: Comparison, measure: str, names: Sequence[str]) -> Iterator[str]:
    """The sentence and the map; of more runs than fit a line the map has the best ones as columns."""
    signs = pair_signs(comparison, measure)
    digits = len(str(len(signs)))
    width = min(NAME_WIDTH, max(map(len, names)))
    most = LINE_WIDTH - digits - width - 4
    columns = [str(number).rjust(digits) for number in range(1, min(len(signs), most) + 1)]
    yield paragraph(pairs_legend(comparison, measure))
    for line in range(digits):
        yield padded(["", "", "".join(number[line] for number in columns)], [digits, width, 0], words=3)
    for number, (run, own) in enumerate(signs.items(), 1):
        first, *more = wrapped(names[run], width).split("\n")
        yield padded([str(number).rjust(digits), first, own[: len(columns)]], [digits, width, 0], words=3)
        yield from (padded(["", line], [digits, width], words=2) for line in more)
    if told := pairs_sentence(comparison, measure, names):
        yield from ("", paragraph(told))
