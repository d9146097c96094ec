"""A comparison of runs as a leaderboard in 80 columns, with what its columns mean and what is to be said of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from prum_eval.analysis.comparison import FEW_TOPICS, POWER, Comparison, Difference, RunMean
from prum_eval.analysis.correlation import Correlation, Correlations, Estimate
from prum_eval.analysis.matrix import OrderChange, best_run, best_runs, mean_matrix, round_significant
from prum_eval.errors import PrintableText, UsageError, escape_unprintable
from prum_eval.evaluation.results import Evaluation
from prum_eval.measures.registry import cutoff_of_name, measures_by_printed_name
from prum_eval.parameters import did_you_mean
from prum_eval.report.columns import GAP, NAME_WIDTH, Column, break_name, column_lines, fits_in_line
from prum_eval.report.drawing import unique_labels
from prum_eval.report.layout import (
    ALL,
    LINE_WIDTH,
    Layout,
    blocks,
    format_numbers,
    format_value,
    labels_or_numbers,
    pad_cells,
    wrap_paragraph,
    wrap_text,
)
from prum_eval.tabular import join_names, plural

# A leaderboard where quality has its cost: a row a run, the most telling measures side by side in 80 columns.


_NONE_board = "-"


def board_lines(comparison: Comparison, order: Sequence[int], names: Sequence[str], layout: Layout) -> Iterator[str]:
    """The lines of the leaderboard and of what it says of its columns.

    Args:
        comparison: one in which some measures are costs.
        order: places of the runs, the best first.
        names: what the runs are called.
        layout: digits, the test, and whether the best value of a column is bold.
    """
    told, board = comparison.measure_ranking, comparison.rows_against()
    rows = {measure: {row.run: row for row in own} for measure, own in board.items()}
    columns = [Column(["run"], [wrap_text(names[run], NAME_WIDTH) for run in order])]
    shown: list[str] = []
    for measure in told.order:
        own = [rows[measure][run] for run in order]
        more = [_means(comparison, measure, own, order, layout)]
        if measure == told.headline:
            more += _differences(own, layout)
        if shown and not fits_in_line([*columns, *more]):
            break
        columns += more
        shown.append(measure)
    yield from column_lines(columns, bold=layout.bold)
    yield ""
    yield from _legend_board(comparison, shown, layout)


def _means(
    comparison: Comparison, measure: str, rows: Sequence[RunMean], order: Sequence[int], layout: Layout
) -> Column:
    """Means; a mark where one differs from what it is compared with, if lower is not better."""
    is_cost = measure in comparison.measure_ranking.costs
    texts = format_numbers([row.mean for row in rows], layout.digits)
    marks = ["" if is_cost else "*" if _differs(row, comparison, layout.test) else " " for row in rows]
    cells = [text + mark for text, mark in zip(texts, marks, strict=True)]
    is_count = measure in comparison.matrix.counts
    best = frozenset[int]() if is_count else best_runs(comparison.matrix, measure)
    return Column(break_name(measure), cells, [row for row, run in enumerate(order) if run in best])


def _differences(rows: Sequence[RunMean], layout: Layout) -> list[Column]:
    """How far each run is from what it is compared with, and half the width of the interval."""
    known = [row.difference for row in rows]
    means = ["" if one is None else format_value(one.mean, layout.digits) for one in known]
    halves = [None if one is None or one.low is None or one.high is None else (one.high - one.low) / 2 for one in known]
    margins = [_NONE_board if half is None else format_value(half, layout.digits) for half in halves]
    margins = ["" if one is None else margin for one, margin in zip(known, margins, strict=True)]
    return [Column(["diff"], means), Column(["+-"], margins)]


def _differs(row: RunMean, comparison: Comparison, test: str) -> bool:
    p = None if row.difference is None else row.difference.p_values(test).holm
    return p is not None and p < comparison.settings.alpha


def _legend_board(comparison: Comparison, shown: Sequence[str], layout: Layout) -> Iterator[str]:
    """What the columns are; which measures are not shown."""
    settings, matrix, told = comparison.settings, comparison.matrix, comparison.measure_ranking
    to = f"to {matrix.runs[comparison.base[shown[0]]]}" if settings.pairs == "first" else "to the best run"
    topics = {row.topics for row in comparison.run_means}
    counted = plural(min(topics), "topic") if len(topics) == 1 else f"{min(topics)} to {max(topics)} topics"
    interval = f"{100 * (1 - settings.alpha):g} % {'t' if settings.interval == 't' else 'bootstrap'} interval"
    yield from _wrap_indented("diff  ", f"{to} by {shown[0]} over {counted}; +- is its {interval}")
    base = "the run that it is compared with" if settings.pairs == "first" else "the best of its column"
    holm = f"p by Holm for {plural(comparison.comparisons, 'comparison')} a {settings.family} below {settings.alpha:g}"
    yield from _wrap_indented("*     ", f"differs from {base}: {layout.test} test, {holm}")
    if (least := comparison.detectable.get(shown[0])) is not None:
        found = format_value(least, layout.digits)
        yield from _wrap_indented(
            "power ", f"with power {POWER:g} a paired t test would have found a difference of {found}"
        )
    paid = [name for name in shown if name in told.costs]
    if paid:
        yield from _wrap_indented("", f"{join_names(paid)}: lower is better")
    if hidden := [name for name in matrix.measures if name not in shown]:
        yield from _wrap_indented("", f"not shown: {join_names(hidden)}; --full shows all, -f json and csv have them")


def _wrap_indented(head: str, text: str) -> list[str]:
    indent = " " * len(head)
    return wrap(text, LINE_WIDTH, initial_indent=head, subsequent_indent=indent, break_long_words=False)


# Groups of topics for people: means in each, and the sentence on measures that change the order of runs.


Section = Sequence[tuple[str, Sequence[str]]]
"""Rows of a measure: a name and a cell a group; its own with the topics, then each run's with the means."""

_MAX_GROUP_NAME = 24
"""Longer names of groups are numbers, which are explained."""


def group_lines(groups: Sequence[str], sections: Sequence[Section]) -> Iterator[str]:
    """Lines of means by group, a column a group: as many side by side as there is room for."""
    shown = labels_or_numbers(groups, _MAX_GROUP_NAME)
    if list(groups) != shown:
        yield ""
        yield from (f"group {number}  {name}" for number, name in zip(shown, groups, strict=True))
    widths = [
        max(len(shown[column]), *(len(cells[column]) for rows in sections for _, cells in rows))
        for column in range(len(groups))
    ]
    head, start = "mean by group", 0
    names = [line for rows in sections for name, _ in rows for line in wrap_text(name, _MAX_GROUP_NAME).split("\n")]
    first = max(len(head), *map(len, names))
    while start < len(groups):
        end = start + 1
        while end < len(groups) and first + sum(width + 2 for width in widths[start : end + 1]) <= LINE_WIDTH:
            end += 1
        own = [first, *widths[start:end]]
        yield from ("", pad_cells([head, *shown[start:end]], own), "  ".join("-" * width for width in own))
        for rows in sections:
            yield ""
            for name, cells in rows:
                line, *more = wrap_text(name, _MAX_GROUP_NAME).split("\n")
                yield pad_cells([line, *cells[start:end]], own)
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
    means = [format_value(value, digits) for value in first.means]
    return wrap_paragraph(
        f"The order of runs changes between groups by {join_names([one.measure for one in changes])}: by {first.measure}, "
        f"{names[first.run]} is better than {names[first.other]} in {first.better} ({means[0]} to {means[1]}) "
        f"and worse in {first.worse} ({means[2]} to {means[3]})."
    )


# One sentence on a comparison: which runs differ, and which cannot be told from the best.


def leaderboard_rows(comparison: Comparison, measure: str | None = None) -> dict[str, list[RunMean]]:
    """The board of a comparison, the best runs first by a measure, without one by that which ranks them.

    Raises:
        UsageError: there is no such measure.
    """
    by = comparison.measure_ranking.headline if measure is None else measure
    place = {run: number for number, run in enumerate(sort_compared_runs(comparison, by))}
    return {name: sorted(rows, key=lambda row: place[row.run]) for name, rows in comparison.rows_against().items()}


def sort_compared_runs(comparison: Comparison, measure: str | None) -> list[int]:
    """Places of the runs as they came, or the best first by a measure; equal ones as they came.

    Raises:
        UsageError: there is no such measure.
    """
    matrix = comparison.matrix
    if measure is None:
        return list(range(len(matrix.runs)))
    if measure not in matrix.measures:
        raise UsageError(f"no measure {measure} to sort by{did_you_mean(measure, matrix.measures)}")
    sign = 1 if measure in matrix.lower_better else -1
    by = sign * round_significant(mean_matrix(matrix))[matrix.measures.index(measure)]
    return sorted(range(len(matrix.runs)), key=lambda run: float(by[run]))


def comparison_sentence(comparison: Comparison, names: Sequence[str], layout: Layout) -> str:
    """The sentence, of the measure that ranks the runs, by the corrected p-values of a test.

    `names` are those of the runs. Where runs were compared with one that is not the best, it says so: which of them can
    be told from the best was not tested then.
    """
    matrix, alpha = comparison.matrix, comparison.settings.alpha
    measure = comparison.measure_ranking.headline
    if measure is None:
        named = "These" if len(matrix.measures) > 1 else matrix.measures[0]
        is_are, they = ("are no scores", "they do") if len(matrix.measures) > 1 else ("is no score", "it does")
        return f"{named} {is_are}: {they} not say which run is better."

    def differs(one: Difference) -> bool:
        p = one.p_values(layout.test).holm
        return p is not None and p < alpha

    rows = [(row.run, row.difference) for row in leaderboard_rows(comparison)[measure] if row.difference is not None]
    alike = [run for run, one in rows if not differs(one)]
    differing, same = [names[run] for run, one in rows if differs(one)], [names[run] for run in alike]
    best, base = best_run(matrix, measure), comparison.base[measure]
    if len(matrix.runs) == 2 and best != base:  # the one comparison there is says it of both
        differing, same, base = [names[base]] * len(differing), [names[base]] * len(same), best
    tied = [best, *sorted(best_runs(matrix, measure) - {best})]
    are_best = (
        f"{names[best]} is best" if len(tied) == 1 else f"{join_names([names[run] for run in tied])} are equally good"
    )
    it = "it" if len(tied) == 1 or base != best else names[best]
    parts = [f"{join_names(differing)} differ{'s'[: len(differing) == 1]} from {it}"] if differing else []
    parts += [f"{join_names(same)} cannot be told from {it}"] if same else []
    text = f"By {measure}, {are_best}: {', '.join(parts)}"
    if alike and comparison.measure_ranking.costs and comparison.at is None and comparison.base[measure] == best:
        text += _cost_clause(comparison, names, best, alike, layout.digits)
    if comparison.at is None:
        text += _budget_clause(comparison, names, best)
    if base != best:
        text = f"By {measure} beside {names[base]}: {', '.join(parts)}; {are_best}"
        text += ", and --pairs best tells who differs from that"
    pairs = [row.difference for row in comparison.run_means if row.measure == measure and row.difference is not None]
    if len(pairs) > len(rows):
        at_once = sum(one.tukey is not None and one.tukey < alpha for one in pairs)
        text += f"; of {len(pairs)} pairs of runs {sum(map(differs, pairs))} differ, {at_once} by Tukey's HSD"
    return f"{text}."


def _budget_clause(comparison: Comparison, names: Sequence[str], best: int) -> str:
    """Which run is best at an equal budget, if that is another one."""
    matrix, name = comparison.matrix, comparison.measure_ranking.budget
    if name is None or (other := best_run(matrix, name)) == best:
        return ""
    measure = measures_by_printed_name([name])[name]
    budget = f"{measure.budget}={cutoff_of_name(name, measure):.0f}"
    return f"; at an equal budget {names[other]} is best, by {name}, and --at {budget} compares there"


def _cost_clause(comparison: Comparison, names: Sequence[str], best: int, others: Sequence[int], digits: int) -> str:
    """Which of the runs that cannot be told from the best costs least."""
    matrix, cost = comparison.matrix, comparison.measure_ranking.costs[0]
    found = mean_matrix(matrix)[matrix.measures.index(cost)]
    least = min(others, key=lambda run: float(found[run]))
    if found[least] >= found[best]:
        return f"; none of them has a lower {cost}"
    values = format_numbers([float(found[run]) for run in (least, best)], digits)
    return f"; of these {names[least]} has the lowest {cost}, {values[0]} in place of {values[1]}"


# All pairs of runs: which run is better than which, in words where they are few, and as a map of signs.


MAX_RUNS_IN_WORDS = 8
"""So many runs are told of in words."""
BETTER, WORSE, ALIKE = ">", "<", "."
"""What the map says of the run of its row beside that of its column."""


def better_pairs(comparison: Comparison, measure: str) -> Mapping[int, Sequence[int]]:
    """For each run those that it is significantly better than, by Tukey's HSD; the best runs first."""
    order = sort_compared_runs(comparison, measure)
    sign = -1 if measure in comparison.matrix.lower_better else 1
    found: dict[int, list[int]] = {run: [] for run in order}
    for row in comparison.run_means:
        if row.measure == measure and row.difference is not None and row.against is not None:
            p = row.difference.tukey
            if p is not None and p < comparison.settings.alpha:
                better, worse = (row.run, row.against) if sign * row.difference.mean > 0 else (row.against, row.run)
                found[better].append(worse)
    return {run: sorted(others, key=order.index) for run, others in found.items()}


def pairs_sentence(comparison: Comparison, measure: str, names: Sequence[str]) -> str:
    """Which runs are better than which, of few runs; empty of many."""
    if len(names) > MAX_RUNS_IN_WORDS:
        return ""
    found = better_pairs(comparison, measure)
    alike: dict[tuple[int, ...], list[str]] = {}
    for run, own in found.items():
        alike.setdefault(tuple(own), []).append(names[run])
    parts = [
        f"{join_names(those)} {'is' if len(those) == 1 else 'are'} better than {join_names([names[one] for one in worse])}"
        for worse, those in alike.items()
        if worse
    ]
    if not parts:
        return f"By {measure} no two runs can be told apart."
    pairs = sum(map(len, found.values()))
    rest = "; no other two can be told apart" if pairs < len(names) * (len(names) - 1) // 2 else ""
    return f"By {measure} {', '.join(parts)}{rest}."


def pair_markers(comparison: Comparison, measure: str) -> dict[int, str]:
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
    signs = pair_markers(comparison, measure)
    digits = len(str(len(signs)))
    width = min(NAME_WIDTH, max(map(len, names)))
    most = LINE_WIDTH - digits - width - 4
    columns = [str(number).rjust(digits) for number in range(1, min(len(signs), most) + 1)]
    yield wrap_paragraph(pairs_legend(comparison, measure))
    for line in range(digits):
        yield pad_cells(["", "", "".join(number[line] for number in columns)], [digits, width, 0], words=3)
    for number, (run, own) in enumerate(signs.items(), 1):
        first, *more = wrap_text(names[run], width).split("\n")
        yield pad_cells([str(number).rjust(digits), first, own[: len(columns)]], [digits, width, 0], words=3)
        yield from (pad_cells(["", line], [digits, width], words=2) for line in more)
    if told := pairs_sentence(comparison, measure, names):
        yield from ("", wrap_paragraph(told))


_NONE = "-"
_MIN_RUN_NAME_WIDTH = 12
"""Columns that names of runs have in any case; longer ones stand in several lines."""


def comparison_table(comparison: Comparison, layout: Layout) -> str:
    """A leaderboard in the order of the first measure, what its columns mean, and a sentence on who differs.

    Where quality has its cost, or is compared at an equal budget, the most telling measures stand side by side; else,
    or if all is asked for, each measure has a block of its own.
    """
    names = unique_labels(comparison.matrix.runs, comparison.matrix.paths, escape_unprintable)
    board = leaderboard_rows(comparison, layout.sort)
    order = [row.run for row in next(iter(board.values()))]
    if (comparison.measure_ranking.costs or comparison.at is not None) and not layout.full:
        lines = list(board_lines(comparison, order, names, layout))
        measures = [name for name in board if name == comparison.measure_ranking.headline]
    else:
        rows = [row for own in board.values() for row in own]
        every_pair = comparison.settings.pairs == "all"
        headers = ["mean", "diff", "low", "high", *(["Holm ", "HSD "] if every_pair else ["p", "Holm "]), "d", "+/=/-"]
        cells = {id(row): statistics_cells(row, comparison, layout, "*", " ", every_pair=every_pair) for row in rows}
        widths = [max(map(len, column)) for column in zip(headers, *cells.values(), strict=True)]
        room = max(_MIN_RUN_NAME_WIDTH, LINE_WIDTH - sum(widths) - GAP * len(widths))
        shown = [wrap_text(name, room).split("\n") for name in names]
        widths.insert(0, max(len(line) for name in [["run"], *shown] for line in name))
        lines = [pad_cells(["run", *headers], widths), "  ".join("-" * width for width in widths)]
        for measure, own in board.items():
            lines += ["", f"{measure} ({plural(own[0].topics, 'topic')})"]
            best = best_runs(comparison.matrix, measure) if layout.bold else frozenset[int]()
            for row in own:
                first, *more = shown[row.run]
                lines += [pad_cells([first, *cells[id(row)]], widths, bold=[1] * (row.run in best)), *more]
        lines += ["", *_legend(comparison, layout, names)]
        measures = list(board)
    if comparison.groups:
        lines += _group_lines(comparison, names, measures, order, layout.digits)
    if comparison.settings.pairs == "all" and (headline := comparison.measure_ranking.headline) is not None:
        lines += ["", *pairs_lines(comparison, headline, names)]
    lines += ["", wrap_paragraph(comparison_sentence(comparison, names, layout))]
    if told := order_sentence(comparison.order_changes, names, layout.digits, comparison.measure_ranking.headline):
        lines += ["", told]
    return PrintableText("".join(f"{escape_unprintable(line, lines=True)}\n" for line in lines))


def _group_lines(
    comparison: Comparison, names: Sequence[str], measures: Sequence[str], order: Sequence[int], digits: int
) -> Iterator[str]:
    """The means of the runs by group, for these measures; runs in the order of the leaderboard."""
    means = {(one.measure, one.group, one.run): one for one in comparison.groups}
    groups = list(dict.fromkeys(group for _, group, _ in means))
    sections = []
    for measure in measures:
        topics = [str(means[measure, group, 0].topics) for group in groups]
        cells = [[format_value(means[measure, group, run].mean, digits) for group in groups] for run in order]
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
    found = [f"{format_value(value, layout.digits)}\xa0({name})" for name, value in comparison.detectable.items()]
    least = min(row.topics for row in comparison.run_means)
    few = f"; with fewer than {FEW_TOPICS} topics all of this is rough" if least < FEW_TOPICS else ""
    text = f"with power {POWER:g} a paired t test would have found a difference of {', '.join(found)}{few}"
    lines = wrap(text, LINE_WIDTH, initial_indent="power  ", subsequent_indent=" " * 7) if found else []
    return [line.replace("\xa0", " ") for line in lines]


def format_p_value(value: float | None, digits: int) -> str:
    """A p-value, which is never printed as 0.

    >>> format_p_value(0.04321, 3), format_p_value(0.00001, 3), format_p_value(None, 3)
    ('0.043', '<0.001', '-')
    """
    small = value is not None and round(value, digits) == 0 and digits > 0
    return f"<{10**-digits:.{digits}f}" if small else _number(value, digits)


def _number(value: float | None, digits: int) -> str:
    return _NONE if value is None else format_value(value, digits)


def statistics_cells(
    row: RunMean, comparison: Comparison, layout: Layout, mark: str, no_mark: str = "", *, every_pair: bool = False
) -> list[str]:
    """Mean, difference, its interval, p, p corrected (with a mark where it is significant), d, topics won and lost.

    In a table of every pair, p corrected by Tukey's HSD follows in place of the plain p.
    """
    digits, one = layout.digits, row.difference
    amounts = 0 if row.measure in comparison.matrix.lower_better and abs(row.mean) >= 100 else digits
    if one is None:
        return [format_value(row.mean, amounts), *[""] * 7]
    tested = one.p_values(layout.test)

    def corrected(p: float | None) -> str:
        return format_p_value(p, digits) + (mark if p is not None and p < comparison.settings.alpha else no_mark)

    return [
        format_value(row.mean, amounts),
        *(_number(value, amounts) for value in (one.mean, one.low, one.high)),
        *(
            (corrected(tested.holm), corrected(one.tukey))
            if every_pair
            else (format_p_value(tested.p, digits), corrected(tested.holm))
        ),
        _number(one.cohen_d, min(digits, 2)),
        f"{one.wins}/{one.ties}/{one.losses}",
    ]


# Correlations of measures in 80 columns.


_COEFFICIENTS = {
    "pearson": "Pearson r",
    "tau_b": "Kendall tau-b",
    "tau_ap": "tau-ap",
    "tau_ap_first": "tau-ap {0}|{1}",
    "tau_ap_second": "tau-ap {1}|{0}",
}


def pair_coefficients(pair: Correlation) -> Iterator[tuple[str, Estimate]]:
    """The coefficients of a pair by name."""
    yield from ((name, getattr(pair, name)) for name in _COEFFICIENTS)


def correlations_table(found: Correlations, layout: Layout) -> str:
    """The measures by number, then five rows a pair; the same for each part of the points."""
    measures = found.matrix.measures
    wide = len(str(len(measures)))
    lines = [f"{number:>{wide}}  {name}" for number, name in enumerate(measures, 1)]
    widths = [max(4, 2 * wide + 1), 13, *[max(7, layout.digits + 3)] * 3]
    lines += ["", pad_cells(["pair", "coefficient", "value", "low", "high"], widths, words=2)]
    lines.append("  ".join("-" * width for width in widths))
    parts = [(f"the {one.points} {one.name} {_points(found)} by {found.by}", one.pairs) for one in found.parts]
    for title, pairs in [("", found.pairs), *parts]:
        lines += ["", title] if title else []
        for pair in pairs:
            name = f"{pair.first + 1:>{wide}} {pair.second + 1:>{wide}}"
            for key, one in pair_coefficients(pair):
                values = [format_value(value, layout.digits) for value in (one.value, one.low, one.high)]
                coefficient = _COEFFICIENTS[key].format(pair.first + 1, pair.second + 1)
                lines.append(pad_cells([name, coefficient, *values], widths, words=2))
                name = ""
    settings = found.settings
    trials = f"{settings.trials} trials, seed {settings.seed}"
    what = "means" if found.over == "means" else f"values on {len(found.matrix.topics)} topics"
    runs = f"{len(found.matrix.runs)} runs" + ("" if found.top is None else f" that are best by {found.by}")
    lines += [
        "",
        f"over the {what} of {runs}",
        "tau-ap: mean of both directions; 1|2: of the order by 1, by 2 being the truth",
        f"low to high: {100 * (1 - settings.alpha):g} % bootstrap interval over {found.resample} ({trials})",
    ]
    return "\n".join(lines) + "\n"


def _points(found: Correlations) -> str:
    return "runs" if found.over == "means" else "values"
