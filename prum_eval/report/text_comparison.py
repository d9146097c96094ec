"""Comparisons and correlations of runs in 80 columns.

A comparison is a leaderboard (`comparison_table`): one block per measure with statistics, or, where some measures are
costs, one table of the most important measures. Below it follow a legend, means by group, the pairs of runs, and
sentences that sum it up; pages show the same sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from textwrap import wrap

from prum_eval.analysis.comparison import FEW_TOPICS, POWER, Comparison, Difference, RunMean
from prum_eval.analysis.correlation import Correlations
from prum_eval.analysis.matrix import OrderChange, best_runs
from prum_eval.analysis.verdict import (
    better_pairs,
    corrected_p,
    is_significant,
    leaderboard_rows,
    verdict_sentences,
)
from prum_eval.errors import PrintableText, escape_unprintable
from prum_eval.report.grid import GAP, NAME_WIDTH, Column, break_name, column_lines, fits_in_line
from prum_eval.report.layout import (
    LINE_WIDTH,
    Layout,
    format_value,
    labels_or_numbers,
    pad_cells,
    table_lines,
    wrap_paragraph,
    wrap_text,
)
from prum_eval.report.ranking import ENDS_EARLY, ENDS_EARLY_NOTE
from prum_eval.tabular import format_numbers, join_names, plural, unique_labels

_UNDEFINED = "-"
_MIN_RUN_NAME_WIDTH = 12
"""Least width of the names of runs; longer ones take several lines."""
_MAX_GROUP_NAME = 24
"""Longer names of groups are replaced by numbers with a legend."""
BETTER, WORSE, ALIKE = ">", "<", "."
"""Markers of a pair: the run of the row is better or worse than that of the column, or not significantly different."""


def comparison_table(comparison: Comparison, layout: Layout) -> str:
    """A leaderboard in the order of the first measure, its legend, and sentences on significant differences."""
    comparison = comparison.ranked(layout.sort)
    names = unique_labels(comparison.matrix.runs, comparison.matrix.paths, escape_unprintable)
    rows_of = leaderboard_rows(comparison, layout.sort)
    order = [row.run for row in next(iter(rows_of.values()))]
    headline = comparison.measure_ranking.headline
    if has_one_row_per_run(comparison, layout):
        lines = list(_leaderboard(comparison, order, names, layout))
        measures = [name for name in rows_of if name == headline or not comparison.measure_ranking.costs]
    else:
        lines = [*_measure_blocks(comparison, rows_of, names, layout), "", *_legend(comparison, layout, names)]
        measures = list(rows_of)
    if comparison.groups:
        lines += _group_lines(comparison, names, measures, order, layout)
    if comparison.settings.pairs == "all" and headline is not None:
        lines += ["", *_pairs_lines(comparison, headline, names)]
    for sentence in verdict_sentences(comparison, names, layout.digits):
        lines += ["", wrap_paragraph(sentence)]
    if sentence := order_sentence(comparison.order_changes, names, layout.digits, headline):
        lines += ["", sentence]
    return PrintableText("".join(f"{escape_unprintable(line, lines=True)}\n" for line in lines))


def has_one_row_per_run(comparison: Comparison, layout: Layout) -> bool:
    """Whether a table shows runs by measures, not all statistics of each measure."""
    ranking = comparison.measure_ranking
    several = len(comparison.matrix.measures) > 1 and ranking.headline is not None
    return (several or comparison.at is not None) and not layout.full


# All statistics, with a block per measure.


def _measure_blocks(
    comparison: Comparison, rows_of: Mapping[str, Sequence[RunMean]], names: Sequence[str], layout: Layout
) -> list[str]:
    every_pair = comparison.settings.pairs == "all"
    headers = ["mean", "diff", "low", "high", *(["HSD "] if every_pair else ["p", "Holm "]), "d", "+/=/-"]
    cells = {id(row): statistics_cells(row, comparison, layout, "*", " ") for rows in rows_of.values() for row in rows}
    widths = [max(map(len, column)) for column in zip(headers, *cells.values(), strict=True)]
    room = max(_MIN_RUN_NAME_WIDTH, layout.width - sum(widths) - GAP * len(widths))
    name_lines = [wrap_text(name, room).split("\n") for name in names]
    widths.insert(0, max(len(line) for name in [["run"], *name_lines] for line in name))
    lines = table_lines(["run", *headers], [], widths=widths)
    for measure, rows in rows_of.items():
        lines += ["", f"{measure} ({plural(rows[0].topics, 'topic')})"]
        best = best_runs(comparison.matrix, measure) if layout.bold else frozenset[int]()
        for row in rows:
            first, *more = name_lines[row.run]
            lines += [pad_cells([first, *cells[id(row)]], widths, bold=[1] * (row.run in best)), *more]
    return lines


def statistics_cells(row: RunMean, comparison: Comparison, layout: Layout, mark: str, no_mark: str = "") -> list[str]:
    """Mean, difference, its interval, p, corrected p (with a mark if significant), d, topics won, tied and lost.

    If all pairs are compared, p by Tukey's HSD stands in place of both p.
    """
    digits, difference, every_pair = layout.digits, row.difference, comparison.settings.pairs == "all"
    amounts = 0 if row.measure in comparison.matrix.lower_better and abs(row.mean) >= 100 else digits
    early = ENDS_EARLY * comparison.matrix.ends_early(row.measure, row.run)
    if difference is None:
        return [format_value(row.mean, amounts) + early, *[""] * (6 if every_pair else 7)]

    def number(value: float | None, digits: int) -> str:
        return _UNDEFINED if value is None else format_value(value, digits)

    *p_cells, corrected = p_value_texts(difference, comparison, digits)
    corrected += mark if is_significant(row, comparison) else no_mark
    return [
        format_value(row.mean, amounts) + early,
        *(number(value, amounts) for value in (difference.mean, difference.low, difference.high)),
        *p_cells,
        corrected,
        number(difference.cohen_d, min(digits, 2)),
        f"{difference.wins}/{difference.ties}/{difference.losses}",
    ]


def p_value_texts(difference: Difference, comparison: Comparison, digits: int) -> list[str]:
    """The p-value of the test, unless all pairs are compared, and the corrected one.

    If no random arrangement is as extreme as the observed one, both are upper limits: ``<0.0005`` of 2,000 trials.
    """
    settings, corrected = comparison.settings, corrected_p(difference, comparison)
    if settings.pairs == "all":
        p, is_random = corrected, True
    else:
        p = difference.p_values(settings.test).p
        is_random = settings.test == "bootstrap" or (settings.test == "randomisation" and not difference.exact)
    at_floor = is_random and p is not None and p * (1 + settings.trials) < 1.5
    shown = [corrected] if settings.pairs == "all" else [p, corrected]
    return [format_p_value(value, digits, at_floor=at_floor) for value in shown]


def format_p_value(value: float | None, digits: int, *, at_floor: bool = False) -> str:
    """A p-value, which is never printed as 0; with `at_floor` the upper limit that it is, rounded up.

    >>> format_p_value(0.04321, 3), format_p_value(0.00001, 3), format_p_value(None, 3)
    ('0.043', '<0.001', '-')
    >>> format_p_value(1 / 2001, 4, at_floor=True), format_p_value(1.0, 4, at_floor=True)
    ('<0.0005', '1.0000')
    """
    if value is None:
        return _UNDEFINED
    if at_floor and value < 1:
        return f"<{ceil(value * 10**digits) / 10**digits:.{digits}f}"
    is_small = round(value, digits) == 0 and digits > 0
    return f"<{10**-digits:.{digits}f}" if is_small else format_value(value, digits)


def _legend(comparison: Comparison, layout: Layout, names: Sequence[str]) -> list[str]:
    """What the columns mean, and the smallest detectable differences."""
    settings, families = comparison.settings, comparison.families
    base = names[next(iter(comparison.base.values()))] if settings.pairs == "first" else "the best run by that measure"
    if not families:
        return [f"diff   mean difference to {base}", "+/=/-  topics with more, as many, less"]
    exact = {result.exact for family in families.values() for result in family}
    trials = f"{settings.trials} trials, seed {settings.seed}"
    how = {"bootstrap": f" ({trials})", "t": ""}.get(settings.test, " (exact)" if exact == {True} else f" ({trials})")
    if settings.test == "randomisation" and len(exact) == 2:
        how = f" (exact where few topics differ, else {trials})"
    of = " of each measure" if len(families) > 1 else ""
    test = f"paired {settings.test} test, two-sided{how}"
    corrected = f"p corrected for {plural(comparison.comparisons, 'comparison')}{of}; * below {settings.alpha:g}"
    lines = [
        f"diff   mean difference to {base}",
        *wrap(
            f"low    to high: its {interval_name(comparison)}" + f" ({trials})" * (settings.interval == "bootstrap"),
            LINE_WIDTH,
            subsequent_indent=" " * 7,
        ),
        f"p      {test}",
        f"Holm   {corrected}",
        "d      Cohen's d of paired values: mean / standard deviation of differences",
        "+/=/-  topics won, tied, lost",
    ]
    if any(comparison.matrix.ends_early(row.measure, row.run) for row in comparison.run_means):
        lines += wrap(f"{ENDS_EARLY}      {ENDS_EARLY_NOTE}", LINE_WIDTH, subsequent_indent=" " * 7)
    if settings.pairs == "all":
        times = f", times {len(comparison.matrix.measures) - len(comparison.matrix.counts)} measures"
        hsd = f"p of all pairs by randomised Tukey HSD ({trials}){times * (settings.family == 'call')}"
        place = lines.index(f"p      {test}")
        lines[place : place + 2] = wrap(
            f"HSD    {hsd}; * below {settings.alpha:g}", LINE_WIDTH, subsequent_indent=" " * 7
        )
    differences = [f"{format_value(value, layout.digits)}\xa0({name})" for name, value in comparison.detectable.items()]
    if differences:
        fewest = min(row.topics for row in comparison.run_means)
        few = f"; with fewer than {FEW_TOPICS} topics these are rough" if fewest < FEW_TOPICS else ""
        text = f"smallest detectable difference ({100 * POWER:g} % power): {', '.join(differences)}{few}"
        lines += [line.replace("\xa0", " ") for line in wrap(text, LINE_WIDTH)]
    return lines


def interval_name(comparison: Comparison) -> str:
    """Level and kind of the intervals, and the number of those that hold together."""
    settings, together = comparison.settings, comparison.comparisons
    kind = "bootstrap" if settings.interval == "bootstrap" else "t"
    level = f"{100 * (1 - settings.alpha):g} % {kind} interval"
    if settings.interval == "single":
        return f"{level}, of each comparison alone"
    return level if together < 2 else f"{level}, simultaneous for {together} comparisons"


# Leaderboard: one row per run.


def _leaderboard(comparison: Comparison, order: Sequence[int], names: Sequence[str], layout: Layout) -> Iterator[str]:
    """One row per run, the most important measures side by side, and what the columns mean."""
    ranking = comparison.measure_ranking
    rows_of = {measure: {row.run: row for row in rows} for measure, rows in comparison.rows_against().items()}
    columns = [Column(["run"], [wrap_text(names[run], NAME_WIDTH) for run in order])]
    shown: list[str] = []
    for measure in ranking.order:
        rows = [rows_of[measure][run] for run in order]
        more = [_mean_column(comparison, measure, rows, layout)]
        if measure == ranking.headline:
            more += _difference_columns(rows, layout)
        if shown and not fits_in_line([*columns, *more], layout.width):
            break
        columns += more
        shown.append(measure)
    yield from column_lines(columns, bold=layout.bold)
    yield ""
    yield from _leaderboard_legend(comparison, shown, layout)


def _mean_column(comparison: Comparison, measure: str, rows: Sequence[RunMean], layout: Layout) -> Column:
    """Means, with a mark on significant differences unless the measure is a cost."""
    is_cost, is_count = measure in comparison.measure_ranking.costs, measure in comparison.matrix.counts
    texts = format_numbers([row.mean for row in rows], layout.digits)
    early = [comparison.matrix.ends_early(measure, row.run) for row in rows]
    no_mark = "" if is_cost and not any(early) else " "
    marks = [
        ENDS_EARLY if ends else "*" if not is_cost and is_significant(row, comparison) else no_mark
        for row, ends in zip(rows, early, strict=True)
    ]
    cells = [text + mark for text, mark in zip(texts, marks, strict=True)]
    best = frozenset[int]() if is_count else best_runs(comparison.matrix, measure)
    return Column(break_name(measure), cells, [place for place, row in enumerate(rows) if row.run in best])


def _difference_columns(rows: Sequence[RunMean], layout: Layout) -> list[Column]:
    """Differences to the base, and half the widths of their intervals."""
    means, margins = [], []
    for row in rows:
        difference = row.difference
        if difference is None:
            means.append("")
            margins.append("")
            continue
        means.append(format_value(difference.mean, layout.digits))
        low, high = difference.low, difference.high
        half = None if low is None or high is None else (high - low) / 2
        margins.append(_UNDEFINED if half is None else format_value(half, layout.digits))
    return [Column(["diff"], means), Column(["+-"], margins)]


def _leaderboard_legend(comparison: Comparison, shown: Sequence[str], layout: Layout) -> Iterator[str]:
    """What the columns are, and which measures are not shown."""
    settings, matrix = comparison.settings, comparison.matrix

    def item(head: str, text: str) -> list[str]:
        indent = " " * len(head)
        return wrap(
            text,
            LINE_WIDTH,
            initial_indent=head,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )

    to = matrix.runs[comparison.base[shown[0]]] if settings.pairs == "first" else "the best run"
    topics = {row.topics for row in comparison.run_means}
    count = plural(min(topics), "topic") if len(topics) == 1 else f"{min(topics)} to {max(topics)} topics"
    interval = interval_name(comparison)
    yield from item("diff  ", f"difference to {to} by {shown[0]}, {count}; +- half the width of its {interval}")
    base = to if settings.pairs == "first" else "the best of its column"
    how = f"{settings.test} test, Holm-adjusted p < {settings.alpha:g}"
    if comparison.comparisons > 1:
        how += f" ({plural(comparison.comparisons, 'comparison')} per {settings.family})"
    if settings.pairs == "all":
        how = f"randomised Tukey HSD of all pairs, p < {settings.alpha:g}"
    yield from item("*     ", f"significantly different from {base}: {how}")
    if any(matrix.ends_early(name, run) for name in shown for run in range(len(matrix.runs))):
        yield from item(f"{ENDS_EARLY}     ", ENDS_EARLY_NOTE)
    if (least := comparison.detectable.get(shown[0])) is not None:
        difference = format_value(least, layout.digits)
        few = f"; with fewer than {FEW_TOPICS} topics this is rough" if min(topics) < FEW_TOPICS else ""
        yield from item("", f"smallest detectable difference ({100 * POWER:g} % power): {difference}{few}")
    if costs := [name for name in shown if name in comparison.measure_ranking.costs]:
        yield from item("", f"{join_names(costs)}: lower is better")
    if hidden := [name for name in matrix.measures if name not in shown]:
        yield from item("", f"not shown: {join_names(hidden)}")
    yield "--full prints all measures with intervals, p-values and topics won, tied, lost"


# Means by group of topics.


def _group_lines(
    comparison: Comparison, names: Sequence[str], measures: Sequence[str], order: Sequence[int], layout: Layout
) -> Iterator[str]:
    """Means of the runs, one column per group: as many side by side as fit."""
    means = {(mean.measure, mean.group, mean.run): mean for mean in comparison.groups}
    groups = list(dict.fromkeys(group for _, group, _ in means))
    sections = []  # of each measure: its name with the numbers of topics, then each run with its means
    for measure in measures:
        topics = [str(means[measure, group, 0].topics) for group in groups]
        cells = [[format_value(means[measure, group, run].mean, layout.digits) for group in groups] for run in order]
        sections.append([(f"{measure} (topics)", topics), *zip((names[run] for run in order), cells, strict=True)])
    labels = labels_or_numbers(groups, _MAX_GROUP_NAME)
    if groups != labels:
        yield ""
        yield from (f"group {number}  {name}" for number, name in zip(labels, groups, strict=True))
    widths = [
        max(len(labels[column]), *(len(cells[column]) for rows in sections for _, cells in rows))
        for column in range(len(groups))
    ]
    head, start = "mean by group", 0
    name_lines = [
        line for rows in sections for name, _ in rows for line in wrap_text(name, _MAX_GROUP_NAME).split("\n")
    ]
    first = max(len(head), *map(len, name_lines))
    while start < len(groups):
        end = start + 1
        while end < len(groups) and first + sum(width + 2 for width in widths[start : end + 1]) <= layout.width:
            end += 1
        part = [first, *widths[start:end]]
        yield from ("", *table_lines([head, *labels[start:end]], [], widths=part))
        for rows in sections:
            yield ""
            for name, row in rows:
                line, *more = wrap_text(name, _MAX_GROUP_NAME).split("\n")
                yield pad_cells([line, *row[start:end]], part)
                yield from more
        start = end


def order_sentence(
    changes: Sequence[OrderChange], names: Sequence[str], digits: int, headline: str | None = None
) -> str:
    """Sentence on measures that order runs differently in other groups; empty if there are none.

    Args:
        changes: the widest change of each measure.
        names: names of the runs.
        digits: digits of means.
        headline: the measure whose change is described if it has one, else the first.
    """
    if not changes:
        return ""
    first = next((change for change in changes if change.measure == headline), changes[0])
    means = [format_value(value, digits) for value in first.means]
    measures = join_names([change.measure for change in changes])
    return wrap_paragraph(
        f"The order of runs changes between groups by {measures}: by {first.measure}, "
        f"{names[first.run]} is better than {names[first.other]} in {first.better} ({means[0]} to {means[1]}) "
        f"and worse in {first.worse} ({means[2]} to {means[3]})."
    )


# All pairs of runs as a map of markers.


def pair_markers(comparison: Comparison, measure: str) -> dict[int, str]:
    """Map of the pairs: by run, the best first, one marker per run in the same order; a blank for the run itself."""
    worse_runs = better_pairs(comparison, measure)
    return {
        run: "".join(
            " " if run == other else BETTER if other in worse else WORSE if run in worse_runs[other] else ALIKE
            for other in worse_runs
        )
        for run, worse in worse_runs.items()
    }


def pairs_legend(comparison: Comparison, measure: str) -> str:
    """What the markers mean."""
    return (
        f"By {measure} {BETTER} better than the run of that number, {WORSE} worse, {ALIKE} no significant "
        f"difference: Tukey's HSD below {comparison.settings.alpha:g}."
    )


def _pairs_lines(comparison: Comparison, measure: str, names: Sequence[str]) -> Iterator[str]:
    """The map; its columns are the best runs, as many as fit."""
    markers = pair_markers(comparison, measure)
    digits = len(str(len(markers)))
    width = min(NAME_WIDTH, max(map(len, names)))
    most = LINE_WIDTH - digits - width - 4
    columns = [str(number).rjust(digits) for number in range(1, min(len(markers), most) + 1)]
    widths = [digits, width, 0]
    yield wrap_paragraph(pairs_legend(comparison, measure))
    for line in range(digits):
        yield pad_cells(["", "", "".join(number[line] for number in columns)], widths, words=3)
    for number, (run, row) in enumerate(markers.items(), 1):
        first, *more = wrap_text(names[run], width).split("\n")
        yield pad_cells([str(number).rjust(digits), first, row[: len(columns)]], widths, words=3)
        yield from (pad_cells(["", line], widths[:2], words=2) for line in more)


# Correlations.


_COEFFICIENTS = {
    "pearson": "Pearson r",
    "tau_b": "Kendall tau-b",
    "tau_ap": "tau-ap",
    "tau_ap_first": "tau-ap {0}|{1}",
    "tau_ap_second": "tau-ap {1}|{0}",
}


def correlations_table(result: Correlations, layout: Layout) -> str:
    """The measures by number, then five rows per pair; the same for each part of the points."""
    measures = result.matrix.measures
    digits = len(str(len(measures)))
    widths = [max(4, 2 * digits + 1), 13, *[max(7, layout.digits + 3)] * 3]
    lines = [f"{number:>{digits}}  {name}" for number, name in enumerate(measures, 1)]
    lines += ["", *table_lines(["pair", "coefficient", "value", "low", "high"], [], words=2, widths=widths)]
    points = "runs" if result.over == "means" else "values"
    parts = [(f"the {part.points} {part.name} {points} by {result.by}", part.pairs) for part in result.parts]
    for title, pairs in [("", result.pairs), *parts]:
        lines += ["", title] if title else []
        for pair in pairs:
            label = f"{pair.first + 1:>{digits}} {pair.second + 1:>{digits}}"
            for name, template in _COEFFICIENTS.items():
                estimate = getattr(pair, name)
                values = [format_value(value, layout.digits) for value in (estimate.value, estimate.low, estimate.high)]
                coefficient = template.format(pair.first + 1, pair.second + 1)
                lines.append(pad_cells([label, coefficient, *values], widths, words=2))
                label = ""
    settings = result.settings
    trials = f"{settings.trials} trials, seed {settings.seed}"
    values_of = "means" if result.over == "means" else f"values on {len(result.matrix.topics)} topics"
    runs = f"{len(result.matrix.runs)} runs" + ("" if result.top is None else f" that are best by {result.by}")
    lines += [
        "",
        f"over the {values_of} of {runs}",
        "tau-ap: mean of both directions; 1|2: of the order by 1, by 2 being the truth",
        f"low to high: {100 * (1 - settings.alpha):g} % bootstrap interval over {result.resample} ({trials})",
    ]
    return "\n".join(lines) + "\n"
