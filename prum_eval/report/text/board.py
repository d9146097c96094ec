"""A leaderboard where quality has its cost: a row a run, the most telling measures side by side in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from prum_eval.analysis.comparison import Comparison, MeasuredRun
from prum_eval.analysis.limits import POWER
from prum_eval.analysis.matrix import best_runs_of
from prum_eval.report.layout import Layout, formatted, numbers
from prum_eval.report.tables.columns import NAME_WIDTH, Column, broken, column_lines, fits
from prum_eval.report.writing import LINE_WIDTH, wrapped
from prum_eval.tabular import listed, plural

_NONE = "-"


def board_lines(comparison: Comparison, order: Sequence[int], names: Sequence[str], layout: Layout) -> Iterator[str]:
    """The lines of the leaderboard and of what it says of its columns.

    Args:
        comparison: one in which some measures are costs.
        order: places of the runs, the best first.
        names: what the runs are called.
        layout: digits, the test, and whether the best value of a column is bold.
    """
    told, board = comparison.telling, comparison.board()
    rows = {measure: {row.run: row for row in own} for measure, own in board.items()}
    columns = [Column(["run"], [wrapped(names[run], NAME_WIDTH) for run in order])]
    shown: list[str] = []
    for measure in told.order:
        own = [rows[measure][run] for run in order]
        more = [_means(comparison, measure, own, order, layout)]
        if measure == told.headline:
            more += _differences(own, layout)
        if shown and not fits([*columns, *more]):
            break
        columns += more
        shown.append(measure)
    yield from column_lines(columns, bold=layout.bold)
    yield ""
    yield from _legend(comparison, shown, layout)


def _means(
    comparison: Comparison, measure: str, rows: Sequence[MeasuredRun], order: Sequence[int], layout: Layout
) -> Column:
    """Means; a mark where one differs from what it is compared with, if lower is not better."""
    is_cost = measure in comparison.telling.costs
    texts = numbers([row.mean for row in rows], layout.digits)
    marks = ["" if is_cost else "*" if _differs(row, comparison, layout.test) else " " for row in rows]
    cells = [text + mark for text, mark in zip(texts, marks, strict=True)]
    is_count = measure in comparison.matrix.counts
    best = frozenset[int]() if is_count else best_runs_of(comparison.matrix, measure)
    return Column(broken(measure), cells, [row for row, run in enumerate(order) if run in best])


def _differences(rows: Sequence[MeasuredRun], layout: Layout) -> list[Column]:
    """How far each run is from what it is compared with, and half the width of the interval."""
    known = [row.difference for row in rows]
    means = ["" if one is None else formatted(one.mean, layout.digits) for one in known]
    halves = [None if one is None or one.low is None or one.high is None else (one.high - one.low) / 2 for one in known]
    margins = [_NONE if half is None else formatted(half, layout.digits) for half in halves]
    margins = ["" if one is None else margin for one, margin in zip(known, margins, strict=True)]
    return [Column(["diff"], means), Column(["+-"], margins)]


def _differs(row: MeasuredRun, comparison: Comparison, test: str) -> bool:
    p = None if row.difference is None else row.difference.tested(test).holm
    return p is not None and p < comparison.settings.alpha


def _legend(comparison: Comparison, shown: Sequence[str], layout: Layout) -> Iterator[str]:
    """What the columns are; which measures are not shown."""
    settings, matrix, told = comparison.settings, comparison.matrix, comparison.telling
    to = f"to {matrix.runs[comparison.base[shown[0]]]}" if settings.pairs == "first" else "to the best run"
    topics = {row.topics for row in comparison.measured}
    counted = plural(min(topics), "topic") if len(topics) == 1 else f"{min(topics)} to {max(topics)} topics"
    interval = f"{100 * (1 - settings.alpha):g} % {'t' if settings.interval == 't' else 'bootstrap'} interval"
    yield from _said("diff  ", f"{to} by {shown[0]} over {counted}; +- is its {interval}")
    base = "the run that it is compared with" if settings.pairs == "first" else "the best of its column"
    holm = f"p by Holm for {plural(comparison.comparisons, 'comparison')} a {settings.family} below {settings.alpha:g}"
    yield from _said("*     ", f"differs from {base}: {layout.test} test, {holm}")
    if (least := comparison.detectable.get(shown[0])) is not None:
        found = formatted(least, layout.digits)
        yield from _said("power ", f"with power {POWER:g} a paired t test would have found a difference of {found}")
    paid = [name for name in shown if name in told.costs]
    if paid:
        yield from _said("", f"{listed(paid)}: lower is better")
    if hidden := [name for name in matrix.measures if name not in shown]:
        yield from _said("", f"not shown: {listed(hidden)}; --full shows all, -f json and csv have them")


def _said(head: str, text: str) -> list[str]:
    indent = " " * len(head)
    return wrap(text, LINE_WIDTH, initial_indent=head, subsequent_indent=indent, break_long_words=False)
