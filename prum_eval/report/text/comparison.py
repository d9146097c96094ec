"""A comparison of runs as a leaderboard in 80 columns, with what its columns mean and what is to be said of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from prum_eval.analysis.comparison import Comparison, MeasuredRun
from prum_eval.analysis.limits import FEW_TOPICS, POWER
from prum_eval.analysis.matrix import best_runs_of
from prum_eval.errors import Printable, printable
from prum_eval.report.drawing.panels import told_apart
from prum_eval.report.layout import Layout, formatted
from prum_eval.report.tables.columns import GAP
from prum_eval.report.tables.pairs import pairs_lines
from prum_eval.report.text.board import board_lines
from prum_eval.report.text.groups import group_lines, order_sentence
from prum_eval.report.text.verdict import ranked, verdict
from prum_eval.report.writing import LINE_WIDTH, padded, paragraph, wrapped
from prum_eval.tabular import plural

_NONE = "-"
_LEAST = 12
"""Columns that names of runs have in any case; longer ones stand in several lines."""


def comparison_table(comparison: Comparison, layout: Layout) -> str:
    """A leaderboard in the order of the first measure, what its columns mean, and a sentence on who differs.

    Where quality has its cost, or is compared at an equal budget, the most telling measures stand side by side; else,
    or if all is asked for, each measure has a block of its own.
    """
    names = told_apart(comparison.matrix.runs, comparison.matrix.paths, printable)
    board = ranked(comparison, layout.sort)
    order = [row.run for row in next(iter(board.values()))]
    if (comparison.telling.costs or comparison.at is not None) and not layout.full:
        lines = list(board_lines(comparison, order, names, layout))
        measures = [name for name in board if name == comparison.telling.headline]
    else:
        rows = [row for own in board.values() for row in own]
        every_pair = comparison.settings.pairs == "all"
        headers = ["mean", "diff", "low", "high", *(["Holm ", "HSD "] if every_pair else ["p", "Holm "]), "d", "+/=/-"]
        cells = {id(row): statistics_cells(row, comparison, layout, "*", " ", every_pair=every_pair) for row in rows}
        widths = [max(map(len, column)) for column in zip(headers, *cells.values(), strict=True)]
        room = max(_LEAST, LINE_WIDTH - sum(widths) - GAP * len(widths))
        shown = [wrapped(name, room).split("\n") for name in names]
        widths.insert(0, max(len(line) for name in [["run"], *shown] for line in name))
        lines = [padded(["run", *headers], widths), "  ".join("-" * width for width in widths)]
        for measure, own in board.items():
            lines += ["", f"{measure} ({plural(own[0].topics, 'topic')})"]
            best = best_runs_of(comparison.matrix, measure) if layout.bold else frozenset[int]()
            for row in own:
                first, *more = shown[row.run]
                lines += [padded([first, *cells[id(row)]], widths, bold=[1] * (row.run in best)), *more]
        lines += ["", *_legend(comparison, layout, names)]
        measures = list(board)
    if comparison.groups:
        lines += _group_lines(comparison, names, measures, order, layout.digits)
    if comparison.settings.pairs == "all" and (headline := comparison.telling.headline) is not None:
        lines += ["", *pairs_lines(comparison, headline, names)]
    lines += ["", paragraph(verdict(comparison, names, layout))]
    if told := order_sentence(comparison.order_changes, names, layout.digits, comparison.telling.headline):
        lines += ["", told]
    return Printable("".join(f"{printable(line, lines=True)}\n" for line in lines))


def _group_lines(
    comparison: Comparison, names: Sequence[str], measures: Sequence[str], order: Sequence[int], digits: int
) -> Iterator[str]:
    """The means of the runs by group, for these measures; runs in the order of the leaderboard."""
    means = {(one.measure, one.group, one.run): one for one in comparison.groups}
    groups = list(dict.fromkeys(group for _, group, _ in means))
    sections = []
    for measure in measures:
        topics = [str(means[measure, group, 0].topics) for group in groups]
        cells = [[formatted(means[measure, group, run].mean, digits) for group in groups] for run in order]
        sections.append([(f"{measure} (topics)", topics), *zip((names[run] for run in order), cells, strict=True)])
    return group_lines(groups, sections)


def _legend(comparison: Comparison, layout: Layout, names: Sequence[str]) -> list[str]:
    settings, families = comparison.settings, comparison.families
    base = names[next(iter(comparison.base.values()))] if settings.pairs == "first" else "the best run by that measure"
    if not families:
        return [f"diff   mean difference to {base}", "+/=/-  topics with more, as many, less"]
    exact = {one.exact for family in families.values() for one in family}
    trials = f"{settings.trials} trials, seed {settings.seed}"
    how = {"bootstrap": f" ({trials})", "t": ""}.get(layout.test, " (exact)" if exact == {True} else f" ({trials})")
    if layout.test == "randomisation" and len(exact) == 2:
        how = f" (exact where few topics differ, else {trials})"
    interval = "t interval" if settings.interval == "t" else f"bootstrap interval ({trials})"
    of = " of each measure" if len(families) > 1 else ""
    test = f"paired {layout.test} test, two-sided{how}"
    corrected = f"p corrected for {plural(comparison.comparisons, 'comparison')}{of}; * below {settings.alpha:g}"
    lines = [
        f"diff   mean difference to {base}",
        f"low    to high: its {100 * (1 - settings.alpha):g} % {interval}",
        f"p      {test}",
        f"Holm   {corrected}",
        "d      Cohen's d of paired values: mean / standard deviation of differences",
        "+/=/-  topics won, tied, lost",
    ]
    if settings.pairs == "all":
        hsd = f"p of all pairs by randomised Tukey HSD ({trials})"
        lines[2:4] = [f"Holm   {corrected}", f"       p: {test}", f"HSD    {hsd}"]
    return lines + _power(comparison, layout)


def _power(comparison: Comparison, layout: Layout) -> list[str]:
    """Which differences would have been found, and that topics are few."""
    found = [f"{formatted(value, layout.digits)}\xa0({name})" for name, value in comparison.detectable.items()]
    least = min(row.topics for row in comparison.measured)
    few = f"; with fewer than {FEW_TOPICS} topics all of this is rough" if least < FEW_TOPICS else ""
    text = f"with power {POWER:g} a paired t test would have found a difference of {', '.join(found)}{few}"
    lines = wrap(text, LINE_WIDTH, initial_indent="power  ", subsequent_indent=" " * 7) if found else []
    return [line.replace("\xa0", " ") for line in lines]


def probability(value: float | None, digits: int) -> str:
    """A p-value, which is never printed as 0.

    >>> probability(0.04321, 3), probability(0.00001, 3), probability(None, 3)
    ('0.043', '<0.001', '-')
    """
    small = value is not None and round(value, digits) == 0 and digits > 0
    return f"<{10**-digits:.{digits}f}" if small else _number(value, digits)


def _number(value: float | None, digits: int) -> str:
    return _NONE if value is None else formatted(value, digits)


def statistics_cells(
    row: MeasuredRun, comparison: Comparison, layout: Layout, mark: str, no_mark: str = "", *, every_pair: bool = False
) -> list[str]:
    """Mean, difference, its interval, p, p corrected (with a mark where it is significant), d, topics won and lost.

    In a table of every pair, p corrected by Tukey's HSD follows in place of the plain p.
    """
    digits, one = layout.digits, row.difference
    amounts = 0 if row.measure in comparison.matrix.lower_better and abs(row.mean) >= 100 else digits
    if one is None:
        return [formatted(row.mean, amounts), *[""] * 7]
    tested = one.tested(layout.test)

    def corrected(p: float | None) -> str:
        return probability(p, digits) + (mark if p is not None and p < comparison.settings.alpha else no_mark)

    return [
        formatted(row.mean, amounts),
        *(_number(value, amounts) for value in (one.mean, one.low, one.high)),
        *(
            (corrected(tested.holm), corrected(one.tukey))
            if every_pair
            else (probability(tested.p, digits), corrected(tested.holm))
        ),
        _number(one.cohen_d, min(digits, 2)),
        f"{one.wins}/{one.ties}/{one.losses}",
    ]
