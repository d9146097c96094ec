"""An evaluation as a table: for terminals, for Markdown, for papers in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from prum_eval.analysis.comparison import Comparison, rank_measures
from prum_eval.analysis.matrix import best_runs, mean_matrix, order_changes
from prum_eval.errors import PrintableText, UsageError, escape_unprintable
from prum_eval.evaluation.results import Evaluation
from prum_eval.measures.registry import TOPIC_COUNT
from prum_eval.parameters import did_you_mean
from prum_eval.report.columns import (
    NAME_WIDTH,
    NO_CELL,
    SIGNIFICANT,
    SIGNIFICANT_ALTERNATIVE,
    Column,
    Grid,
    TableCell,
    break_name,
    column_lines,
    fits_in_line,
    marks_note,
    significant_runs,
)
from prum_eval.report.drawing import run_names, unique_labels
from prum_eval.report.layout import (
    ALL,
    DIFFERENT_TOPICS_MARK,
    MARKDOWN,
    Layout,
    best_indices,
    blocks,
    escape_markdown,
    format_value,
    rank_runs,
    requested_measures,
    score_signs,
    table_text,
    wrap_paragraph,
    wrap_text,
)
from prum_eval.report.text_comparison import order_sentence, sort_compared_runs, statistics_cells
from prum_eval.tabular import join_names, plural

# A table for papers in LaTeX (package booktabs), and the one place where texts are made safe to stand in LaTeX.


_TABLE = r"""% in the preamble: \usepackage{{booktabs}}; table* in place of table spans both columns of a page
\begin{{table}}
\centering
\caption{{{caption}}}
\begin{{tabular}}{{{align}}}
\toprule
{head} \\
\midrule
{rows}
\bottomrule
\end{{tabular}}
\end{{table}}
"""
_MAX_HEAD_LINE = 12
"""Longer heads of columns are broken into lines."""
_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "`": r"\textasciigrave{}", '"': r"\char34{}", "[": "{[}", "]": "{]}", "*": "{*}",
    "\N{DAGGER}": r"\textdagger{}",
}  # fmt: skip
"""Signs that mean something else in LaTeX, after the end of a row of a table. Two hyphens would be a dash."""
_MARKS = {SIGNIFICANT: r"$^{*}$", SIGNIFICANT_ALTERNATIVE: r"$^{\dagger}$"}


def escape_latex(text: str) -> str:
    r"""A text as LaTeX shows it.

    >>> escape_latex("a_1 & 50 %"), escape_latex(r"\input{x}")
    ('a\\_1 \\& 50 \\%', '\\textbackslash{}input\\{x\\}')
    """
    return "-{}".join(
        "".join(_ESCAPES.get(sign, sign) for sign in part) for part in re.split("-(?=-)", escape_unprintable(text))
    )


def latex_table(grid: Grid) -> str:
    """The table with its caption. Marks take no room, so that digits stand below each other."""
    heads = [*([escape_latex(label)] for label in grid.labels), *(_name_lines(name) for name in grid.columns)]
    head = [_head(lines, left=number < len(grid.labels)) for number, lines in enumerate(heads)]
    rows: list[str] = []
    for number, (labels, cells) in enumerate(grid.rows):
        if number and number in grid.block_starts:
            rows.append(r"\midrule")
        rows.append(" & ".join([*map(escape_latex, labels), *map(_cell, cells)]) + r" \\")
    return _TABLE.format(
        caption=" ".join(
            [escape_latex(grid.caption), *(f"{_MARKS[mark]}~{escape_latex(text)}" for mark, text in grid.notes)]
        ),
        align="l" * len(grid.labels) + "r" * len(grid.columns),
        head=" & ".join(head),
        rows="\n".join(rows),
    )


def _name_lines(name: str) -> list[str]:
    return [escape_latex(line) for line in (break_name(name) if len(name) > _MAX_HEAD_LINE else [name])]


def _head(lines: Sequence[str], *, left: bool) -> str:
    if len(lines) == 1:
        return lines[0]
    return rf"\begin{{tabular}}[b]{{@{{}}{'l' if left else 'r'}@{{}}}}" + r" \\ ".join(lines) + r"\end{tabular}"


def _cell(cell: TableCell) -> str:
    text = rf"\textbf{{{escape_latex(cell.text)}}}" if cell.best else escape_latex(cell.text)
    return text + (rf"\rlap{{{''.join(_MARKS[mark] for mark in cell.mark)}}}" if cell.mark else "")


# A table for terminals and one for Markdown.


_COLUMN_PADDING = 2
"""A column is wider than its head by so much at least."""


def grid_columns(grid: Grid) -> list[Column]:
    """Its columns for a terminal; digits stand below each other, with room for marks behind them."""
    labels = [
        Column([head], [row[number] for row, _ in grid.rows], min_width=len(head) + _COLUMN_PADDING)
        for number, head in enumerate(grid.labels)
    ]
    return [
        *labels,
        *(
            cells_column([name], [cells[place] for _, cells in grid.rows], len(name) + _COLUMN_PADDING)
            for place, name in enumerate(grid.columns)
        ),
    ]


def cells_column(head: Sequence[str], cells: Sequence[TableCell], least: int = 0) -> Column:
    """A column of cells, with room for marks behind them."""
    room = max((len(cell.mark) for cell in cells), default=0)
    texts = [cell.text + cell.mark.ljust(room) if cell.text else "" for cell in cells]
    return Column(head, texts, [row for row, cell in enumerate(cells) if cell.best], least)


def fits_terminal(grid: Grid) -> bool:
    """Whether a line of it has room in a terminal."""
    return fits_in_line(grid_columns(grid))


def terminal_text(grid: Grid, more: str = "", *, bold: bool) -> PrintableText:
    """The table as wide as it is, its notes and more below."""
    return join_notes(list(column_lines(grid_columns(grid), words=len(grid.labels), bold=bold)), grid.notes, more)


def join_notes(lines: Sequence[str], notes: Sequence[tuple[str, str]], *more: str) -> PrintableText:
    """Lines of a table, which may be bold, its notes, and what else is to be said."""
    safe = [line if isinstance(line, PrintableText) else escape_unprintable(line, lines=True) for line in lines]
    said = [*(wrap_paragraph(f"{mark} {text}") for mark, text in notes), *filter(None, more)]
    return PrintableText(
        "".join(f"{line}\n" for line in [*safe, *(f"\n{escape_unprintable(one, lines=True)}" for one in said)])
    )


def markdown_text(grid: Grid) -> str:
    """The table for Markdown documents, its notes below; the best values bold."""
    rows = [[*labels, *map(_markdown_cell, cells)] for labels, cells in grid.rows]
    table = table_text([*grid.labels, *grid.columns], rows, MARKDOWN, words=len(grid.labels))
    return table + "".join(f"\n{_escape_stars(mark)} {escape_markdown(text)}\n" for mark, text in grid.notes)


def _markdown_cell(cell: TableCell) -> str:
    return (f"**{cell.text}**" if cell.best else cell.text) + _escape_stars(cell.mark)


def _escape_stars(text: str) -> str:
    return text.replace("*", r"\*")


def evaluation_table(evaluation: Evaluation, layout: Layout) -> str:
    """A row a measure and a column a run; where that is too wide for 80 columns, a leaderboard: a row a run."""
    grid = evaluation_grid(evaluation, layout)
    turned = grid.transpose("measure")
    told = ""
    if layout.averages and evaluation.groups:
        headline = rank_measures(requested_measures(evaluation)).headline
        told = order_sentence(
            order_changes(evaluation), run_names(evaluation.runs, escape_unprintable), layout.digits, headline
        )
    if layout.transpose:
        return terminal_text(grid, told, bold=layout.bold)
    if layout.per_topic or len(evaluation.runs) < 2 or fits_terminal(turned):
        return terminal_text(turned, told, bold=layout.bold)
    return _leaderboard(evaluation, layout, told)


def evaluation_markdown(evaluation: Evaluation, layout: Layout) -> str:
    """The table for Markdown documents: a row a run, or where there are more of them a row a measure."""
    grid = evaluation_grid(evaluation, layout)
    runs_down = len(evaluation.runs) >= max(2, len(grid.columns))
    return markdown_text(grid if runs_down != layout.transpose else grid.transpose("measure"))


def evaluation_latex(evaluation: Evaluation, layout: Layout) -> str:
    """The table for papers: a row a run and a column a measure; of a single run a row a measure."""
    grid = evaluation_grid(evaluation, layout)
    runs_down = len(evaluation.runs) > 1
    return latex_table(grid if runs_down != layout.transpose else grid.transpose("measure"))


def evaluation_grid(evaluation: Evaluation, layout: Layout) -> Grid:
    """A row a run, in blocks of topics, groups and all; the best values of each block, and what differs from a run.

    Raises:
        UsageError: the runs have no values of the measure to sort by.
    """
    order, names = sort_runs(evaluation, layout.sort), run_names(evaluation.runs, escape_unprintable)
    different = evaluation.different_topics
    of_runs = [{(group, topic): values for group, topic, values in blocks(run, layout)} for run in evaluation.runs]
    columns = [
        name for name in requested_measures(evaluation) if any(name in own for of in of_runs for own in of.values())
    ]
    way = score_signs(columns)
    mark = SIGNIFICANT_ALTERNATIVE if different else SIGNIFICANT
    marked = {} if layout.marks is None else significant_runs(layout.marks, layout.test)
    rows: list[tuple[Sequence[str], Sequence[TableCell]]] = []
    starts = []
    for group, topic in sorted({key for of in of_runs for key in of}, key=_block_sort_key):
        average = topic == ALL
        label = group or (ALL if average else "")
        own = [of.get((group, topic), {}) for of in of_runs]
        best = {
            name: best_indices([values.get(name) for values in own], way[name])
            for name in columns
            if name in way and not (average and different)
        }
        starts.append(len(rows))
        for run in order:
            cells = []
            for name in columns:
                signs = DIFFERENT_TOPICS_MARK if different and average and name != TOPIC_COUNT else ""
                signs += mark if average and group is None and run in marked.get(name, ()) else ""
                text = format_value(own[run][name], layout.digits) if name in own[run] else None
                cells.append(NO_CELL if text is None else TableCell(text, run in best.get(name, ()), signs))
            if own[run] or not average:
                rows.append(([label, topic, names[run]], cells))
    shown = [bool(evaluation.groups), layout.per_topic, True]
    return Grid(
        _keep_shown_cells(["group", "topic", "run"], shown),
        columns,
        [(_keep_shown_cells(labels, shown), cells) for labels, cells in rows],
        starts,
        _caption(evaluation, layout),
        list(_notes(evaluation, layout, names, mark)),
    )


def sort_runs(evaluation: Evaluation, measure: str | None) -> list[int]:
    """Places of the runs as they came, or the best first by a measure.

    Raises:
        UsageError: no run has values of it.
    """
    if measure is None:
        return list(range(len(evaluation.runs)))
    known = [name for name in evaluation.names if any(name in run.all for run in evaluation.runs)]
    if measure not in known:
        raise UsageError(f"no measure {measure} to sort by{did_you_mean(measure, known)}")
    return rank_runs(evaluation, measure)


def _keep_shown_cells(row: Sequence[str], shown: Sequence[bool]) -> list[str]:
    return [cell for cell, is_shown in zip(row, shown, strict=True) if is_shown]


def _block_sort_key(key: tuple[str | None, str]) -> tuple[bool, bool, str, str]:
    """Topics by name, groups by name, then all."""
    group, topic = key
    average = topic == ALL
    return average, average and group is None, (group or "") if average else "", topic


def _caption(evaluation: Evaluation, layout: Layout) -> str:
    counts = sorted({len(run.topics) for run in evaluation.runs})
    topics = plural(counts[0], "topic") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} topics"
    what = f"Averages over {topics}" if not layout.per_topic else f"Values by topic, {topics}"
    bold = ", the best in bold" if len(evaluation.runs) > 1 else ""
    return f"{what}{bold}."


def _notes(evaluation: Evaluation, layout: Layout, names: Sequence[str], mark: str) -> Iterator[tuple[str, str]]:
    if evaluation.different_topics:
        yield DIFFERENT_TOPICS_MARK, f"over different topics, see {TOPIC_COUNT}; -c takes all judged topics"
    if layout.marks is not None:
        yield mark, marks_note(layout.marks, layout.test, names)


def _leaderboard(evaluation: Evaluation, layout: Layout, more: str) -> str:
    """A row a run, the best first, the most telling measures as far as there is room."""
    told = rank_measures(requested_measures(evaluation))
    by = layout.sort or told.headline
    grid = evaluation_grid(evaluation, Layout(**{**vars(layout), "sort": by}))
    labels = [
        Column([head], [wrap_text(row[number], NAME_WIDTH) for row, _ in grid.rows])
        for number, head in enumerate(grid.labels)
    ]
    columns = list(labels)
    shown: list[str] = []
    for name in dict.fromkeys([*filter(None, [by]), *told.one_per_kind, *told.order]):
        if name not in grid.columns:
            continue
        place = grid.columns.index(name)
        column = cells_column(break_name(name), [cells[place] for _, cells in grid.rows])
        if shown and not fits_in_line([*columns, column]):
            break
        columns.append(column)
        shown.append(name)
    lines = column_lines(columns, words=len(labels), bold=layout.bold, apart=grid.block_starts[1:])
    hidden = [name for name in grid.columns if name not in shown]
    notes = [f"The best runs first by {by}."] if by else []
    notes += [wrap_paragraph(f"Not shown: {join_names(hidden)}; --transpose shows all.")] if hidden else []
    return join_notes(list(lines), grid.notes, "\n".join(notes), more)


# A comparison as a table for Markdown and for papers: means of every run with marks, or all that was found of each.


def comparison_markdown(comparison: Comparison, layout: Layout) -> str:
    """The table for Markdown documents."""
    return markdown_text(comparison_grid(comparison, layout))


def comparison_latex(comparison: Comparison, layout: Layout) -> str:
    """The table for papers (package booktabs)."""
    return latex_table(comparison_grid(comparison, layout))


def comparison_grid(comparison: Comparison, layout: Layout) -> Grid:
    """A row a run and a column a measure; or with everything a row a measure and run, or pair of runs.

    Raises:
        UsageError: the measure to sort by is none of the comparison.
    """
    if layout.full:
        return _full_grid(comparison, layout)
    matrix = comparison.matrix
    names, values = unique_labels(matrix.runs, matrix.paths, escape_unprintable), mean_matrix(matrix)
    marked = significant_runs(comparison, layout.test)
    order = sort_compared_runs(comparison, layout.sort)
    cells = [
        [
            TableCell(
                format_value(float(values[place, run]), _digits(comparison, name, float(values[place, run]), layout)),
                name not in matrix.counts and run in best_runs(matrix, name),
                SIGNIFICANT if run in marked[name] and name not in matrix.counts else "",
            )
            for place, name in enumerate(matrix.measures)
        ]
        for run in order
    ]
    rows = [([names[run]], own) for run, own in zip(order, cells, strict=True)]
    notes = [(SIGNIFICANT, marks_note(comparison, layout.test, names))] if comparison.families else []
    grid = Grid(
        ["run"], list(matrix.measures), rows, [0], caption=f"{_topics(comparison)}, the best in bold.", notes=notes
    )
    return grid.transpose("measure") if layout.transpose else grid


def _full_grid(comparison: Comparison, layout: Layout) -> Grid:
    headers = ["mean", "diff", "low", "high", f"p ({layout.test})", "Holm", "d", "+/=/-"]
    labels, several = ["measure", "run"], comparison.settings.pairs != "first"
    names = unique_labels(comparison.matrix.runs, comparison.matrix.paths, escape_unprintable)
    rows: list[tuple[Sequence[str], Sequence[TableCell]]] = []
    for row in comparison.run_means:
        against = [] if not several else ["" if row.against is None else names[row.against]]
        cells = statistics_cells(row, comparison, layout, SIGNIFICANT)
        found = [
            TableCell(text.removesuffix(SIGNIFICANT), mark=SIGNIFICANT * text.endswith(SIGNIFICANT)) for text in cells
        ]
        rows.append(([row.measure, names[row.run], *against], found))
    caption = f"{_topics(comparison)}, with differences, their intervals and tests."
    return Grid([*labels, *["against"] * several], headers, rows, [0], caption=caption)


def _digits(comparison: Comparison, measure: str, value: float, layout: Layout) -> int:
    """None after the point of large amounts that are paid."""
    return 0 if measure in comparison.matrix.lower_better and abs(value) >= 100 else layout.digits


def _topics(comparison: Comparison) -> str:
    counts = sorted({row.topics for row in comparison.run_means})
    many = plural(counts[0], "topic") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} topics"
    return f"Averages over {many}"
