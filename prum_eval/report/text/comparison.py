"""A comparison of runs as a table: in 80 columns with what its columns mean, in Markdown, in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

from prum_eval.analysis.comparison import Comparison, MeasuredRun
from prum_eval.report.registry import Layout, formatted
from prum_eval.report.writing import LATEX, MARKDOWN, padded, table_text

_WIDTH = 80


def run_labels(names: Sequence[str], room: int) -> list[str]:
    """The names, or their numbers from 1 where they repeat or one of them is longer than the room."""
    if len(set(names)) == len(names) and max(map(len, names)) <= room:
        return list(names)
    return [str(number) for number in range(1, len(names) + 1)]


def comparison_table(comparison: Comparison, layout: Layout) -> str:
    """A block of rows for each measure, with what the columns mean below."""
    headers = ["mean", "diff", "low", "high", "p", "Holm ", "d", "+/=/-"]
    rows = [_cells(row, comparison, layout, "*", " ") for row in comparison.measured]
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    runs = comparison.matrix.runs
    names = run_labels(runs, _WIDTH - sum(widths) - 2 * len(widths))
    widths.insert(0, max(map(len, [*names, "run"])))
    lines = []
    if names != list(runs):
        lines += [f"{number}  {name}" for number, name in zip(names, runs, strict=True)] + [""]
    lines += [padded(["run", *headers], widths), "  ".join("-" * width for width in widths)]
    for row, own in zip(comparison.measured, rows, strict=True):
        if row.run == 0:
            lines += ["", f"{row.measure} ({row.topics} topic{'s'[: row.topics != 1]})"]
        lines.append(padded([names[row.run], *own], widths))
    return "\n".join([*lines, "", *_legend(comparison, layout)]) + "\n"


def comparison_markdown(comparison: Comparison, layout: Layout) -> str:
    """One table for Markdown documents, a row a measure and run."""
    return _one_table(comparison, layout, MARKDOWN, r"\*")


def comparison_latex(comparison: Comparison, layout: Layout) -> str:
    """One table for LaTeX documents (package booktabs), a row a measure and run."""
    return _one_table(comparison, layout, LATEX, "*")


def _one_table(comparison: Comparison, layout: Layout, style: str, mark: str) -> str:
    headers = ["measure", "run", "mean", "diff", "low", "high", f"p ({layout.test})", "Holm", "d", "+/=/-"]
    runs = comparison.matrix.runs
    rows = [[row.measure, runs[row.run], *_cells(row, comparison, layout, mark)] for row in comparison.measured]
    return table_text(headers, rows, style, words=2)


def _legend(comparison: Comparison, layout: Layout) -> list[str]:
    settings = comparison.settings
    exact = {row.difference.exact for row in comparison.measured if row.difference is not None}
    trials, count = f"{settings.trials} trials, seed {settings.seed}", _comparisons(comparison)
    how = trials if layout.test == "bootstrap" or exact == {False} else "exact"
    if layout.test == "randomisation" and len(exact) == 2:
        how = f"exact where few topics differ, else {trials}"
    return [
        "diff   mean difference to the first run; +/=/- topics won, tied, lost",
        f"low    to high: its {100 * (1 - settings.alpha):g} % bootstrap interval ({trials})",
        f"p      paired {layout.test} test, two-sided ({how})",
        f"Holm   p corrected for {count} comparison{'s'[: count != 1]}; * below {settings.alpha:g}",
        "d      Cohen's d of paired values: mean / standard deviation of differences",
    ]


def _comparisons(comparison: Comparison) -> int:
    return sum(row.difference is not None for row in comparison.measured)


def probability(value: float | None, digits: int) -> str:
    """A p-value, which is never printed as 0.

    >>> probability(0.04321, 3), probability(0.00001, 3)
    ('0.043', '<0.001')
    """
    small = value is not None and round(value, digits) == 0 and digits > 0
    return f"<{10**-digits:.{digits}f}" if small else formatted(value, digits)


def _cells(row: MeasuredRun, comparison: Comparison, layout: Layout, mark: str, no_mark: str = "") -> list[str]:
    """Mean, difference, its interval, p, p corrected (with a mark where it is significant), d, topics won and lost."""
    digits, one = layout.digits, row.difference
    if one is None:
        return [formatted(row.mean, digits), *[""] * 7]
    tested = one.randomisation if layout.test == "randomisation" else one.bootstrap
    below = tested.holm is not None and tested.holm < comparison.settings.alpha
    return [
        formatted(row.mean, digits),
        *(formatted(value, digits) for value in (one.mean, one.low, one.high)),
        probability(tested.p, digits),
        probability(tested.holm, digits) + (mark if below else no_mark),
        formatted(one.cohen_d, min(digits, 2)),
        f"{one.wins}/{one.ties}/{one.losses}",
    ]
