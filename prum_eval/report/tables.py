"""Tables of results: for terminals, Markdown and LaTeX.

`evaluation_tables`, `comparison_tables` and, for any other result, `summary_tables` make grids; `latex_output` and
`markdown_output` print them (`prum_eval.report.registry.tables`). `evaluation_table` is what a terminal shows of an
evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from prum_eval.analysis.comparison import Comparison, rank_measures
from prum_eval.analysis.matrix import best_runs, mean_matrix, order_changes
from prum_eval.analysis.verdict import better_pairs, significant_runs, sort_compared_runs, verdict_sentences
from prum_eval.errors import escape_unprintable
from prum_eval.evaluation.results import Evaluation
from prum_eval.measures.registry import TOPIC_COUNT
from prum_eval.report.drawing import run_names
from prum_eval.report.grid import (
    NAME_WIDTH,
    NO_CELL,
    Column,
    Grid,
    TableCell,
    break_name,
    cells_column,
    column_lines,
    fits_in_line,
    join_notes,
    latex_text,
    markdown_text,
    terminal_text,
)
from prum_eval.report.layout import (
    ALL,
    DIFFERENT_TOPICS_MARK,
    Layout,
    blocks,
    column_digits,
    escape_markdown,
    format_value,
    wrap_paragraph,
    wrap_text,
)
from prum_eval.report.ranking import (
    ENDS_EARLY,
    ENDS_EARLY_NOTE,
    SIGNIFICANT,
    best_indices,
    join_letters,
    letters_note,
    marks_note,
    requested_measures,
    run_letters,
    score_signs,
    sort_runs,
)
from prum_eval.report.registry import tables
from prum_eval.report.text_comparison import order_sentence, statistics_cells
from prum_eval.tabular import RowValue, Tabular, join_names, plural, unique_labels

MAX_MARKDOWN_COLUMNS = 12
"""Columns of a comparison in Markdown, so that it can be pasted into a pull request."""


def latex_output(result: object, layout: Layout) -> str:
    """The tables of a result for papers (package booktabs)."""
    return "\n".join(map(latex_text, tables(result, layout)))


def markdown_output(result: object, layout: Layout) -> str:
    """The tables of a result for Markdown documents."""
    text = "\n".join(map(markdown_text, tables(result, layout)))
    if not isinstance(result, Comparison) or layout.full:
        return text
    names = unique_labels(result.matrix.runs, result.matrix.paths)
    sentences = verdict_sentences(result.ranked(layout.sort), names, layout.digits)
    return text + "".join(f"\n{escape_markdown(sentence)}\n" for sentence in sentences)


def summary_tables(result: Tabular, layout: Layout) -> list[Grid]:
    """The table that notebooks show of a result, with all rows; the first column is a label, and texts after it."""
    caption, headers, rows = result.summary_table()
    columns = list(zip(*rows, strict=True)) or [()] * len(headers)
    has_text = [all(isinstance(cell, str) for cell in column) for column in columns]
    words = [*has_text, False].index(False, 1)
    digits = [column_digits(column, layout.digits) for column in columns]
    cells = [[_format_cell(cell, shown) for cell, shown in zip(row, digits, strict=True)] for row in rows]
    grid_rows = [(row[:words], [TableCell(text) for text in row[words:]]) for row in cells]
    return [Grid(headers[:words], headers[words:], grid_rows, [0], f"{caption}.", key="summary")]


def _format_cell(value: RowValue, digits: int) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else format_value(value, digits)


def evaluation_table(evaluation: Evaluation, layout: Layout) -> str:
    """One row per measure, one column per run; if that is too wide, a leaderboard with one row per run."""
    grid = evaluation_grid(evaluation, layout)
    by_measure = grid.transpose("measure")
    sentence = ""
    if layout.averages and evaluation.groups:
        headline = rank_measures(requested_measures(evaluation), evaluation.ranked_by).headline
        names = run_names(evaluation.runs, escape_unprintable)
        sentence = order_sentence(order_changes(evaluation), names, layout.digits, headline)
    if layout.transpose:
        return terminal_text(grid, sentence, bold=layout.bold)
    if layout.per_topic or len(evaluation.runs) < 2 or fits_in_line(by_measure.terminal_columns(), layout.width):
        return terminal_text(by_measure, sentence, bold=layout.bold)
    return _leaderboard(evaluation, layout, sentence)


def _leaderboard(evaluation: Evaluation, layout: Layout, sentence: str) -> str:
    """One row per run, the best first, with as many of the most important measures as fit."""
    ranking = rank_measures(requested_measures(evaluation), evaluation.ranked_by)
    by = layout.sort or ranking.headline
    grid = evaluation_grid(evaluation, replace(layout, sort=by))
    columns = [
        Column([head], [wrap_text(row[number], NAME_WIDTH) for row, _ in grid.rows])
        for number, head in enumerate(grid.labels)
    ]
    label_count = len(columns)
    shown: list[str] = []
    for name in dict.fromkeys([*filter(None, [by]), *ranking.one_per_kind, *ranking.order]):
        if name not in grid.columns:
            continue
        place = grid.columns.index(name)
        column = cells_column(break_name(name), [cells[place] for _, cells in grid.rows])
        if shown and not fits_in_line([*columns, column], layout.width):
            break
        columns.append(column)
        shown.append(name)
    lines = column_lines(columns, words=label_count, bold=layout.bold, apart=grid.block_starts[1:])
    hidden = [name for name in grid.columns if name not in shown]
    notes = [f"The best runs first by {by}."] if by else []
    notes += [wrap_paragraph(f"Not shown: {join_names(hidden)}; --transpose shows all.")] if hidden else []
    return join_notes(lines, grid.notes, "\n".join(notes), sentence)


def evaluation_tables(evaluation: Evaluation, layout: Layout) -> list[Grid]:
    """One row per run and one column per measure, or transposed.

    In LaTeX a single run has one row per measure, in Markdown also if there are more measures than runs.
    """
    if layout.format == "latex":
        layout = replace(layout, sort=terminal_sort(evaluation, layout))
    grid = evaluation_grid(evaluation, layout)
    least = max(2, len(grid.columns)) if layout.format == "markdown" else 2
    has_run_rows = len(evaluation.runs) >= least
    return [grid if has_run_rows != layout.transpose else grid.transpose("measure")]


def terminal_sort(evaluation: Evaluation, layout: Layout) -> str | None:
    """The measure by which a terminal sorts the runs; None if it keeps their order."""
    if layout.sort or layout.per_topic or layout.transpose or len(evaluation.runs) < 2:
        return layout.sort
    if fits_in_line(evaluation_grid(evaluation, layout).transpose("measure").terminal_columns(), layout.width):
        return None
    return rank_measures(requested_measures(evaluation), evaluation.ranked_by).headline


def evaluation_grid(evaluation: Evaluation, layout: Layout) -> Grid:
    """One row per run, in blocks of topics, groups and all, with the best values and significant differences.

    Raises:
        UsageError: the runs have no values of the measure to sort by.
    """
    order, names = sort_runs(evaluation, layout.sort), run_names(evaluation.runs, escape_unprintable)
    different = evaluation.different_topics
    values_of = [{(group, topic): values for group, topic, values in blocks(run, layout)} for run in evaluation.runs]
    columns = [
        name
        for name in requested_measures(evaluation)
        if any(name in values for run_blocks in values_of for values in run_blocks.values())
    ]
    signs = score_signs(columns)
    digits = {
        name: column_digits((v.get(name) for run_blocks in values_of for v in run_blocks.values()), layout.digits)
        for name in columns
    }
    marked = {} if layout.marks is None else significant_runs(layout.marks)
    has_label = (bool(evaluation.groups), layout.per_topic, True)

    def labels(*cells: str) -> list[str]:
        return [cell for cell, is_shown in zip(cells, has_label, strict=True) if is_shown]

    rows: list[tuple[Sequence[str], Sequence[TableCell]]] = []
    starts = []
    for group, topic in sorted({key for run_blocks in values_of for key in run_blocks}, key=_block_sort_key):
        is_average = topic == ALL
        block = [run_blocks.get((group, topic), {}) for run_blocks in values_of]
        best = {
            name: best_indices(
                [
                    None if is_average and run.ends_early(name) else values.get(name)
                    for run, values in zip(evaluation.runs, block, strict=True)
                ],
                signs[name],
            )
            for name in columns
            if name in signs and not (is_average and different)
        }
        starts.append(len(rows))
        for run in order:
            cells = []
            for name in columns:
                if name not in block[run]:
                    cells.append(NO_CELL)
                    continue
                markers = DIFFERENT_TOPICS_MARK if different and is_average and name != TOPIC_COUNT else ""
                markers += SIGNIFICANT if is_average and group is None and run in marked.get(name, ()) else ""
                markers += ENDS_EARLY * (is_average and evaluation.runs[run].ends_early(name))
                text = format_value(block[run][name], digits[name])
                cells.append(TableCell(text, run in best.get(name, ()), markers))
            if block[run] or not is_average:
                rows.append((labels(group or (ALL if is_average else ""), topic, names[run]), cells))
    caption, notes = _caption(evaluation, layout), list(_notes(evaluation, layout, names))
    return Grid(labels("group", "topic", "run"), columns, rows, starts, caption, notes, "evaluation")


def _block_sort_key(key: tuple[str | None, str]) -> tuple[bool, bool, str, str]:
    """Topics by name, groups by name, then all."""
    group, topic = key
    average = topic == ALL
    return average, average and group is None, (group or "") if average else "", topic


def _count_topics(counts: set[int]) -> str:
    low, high = min(counts), max(counts)
    return plural(low, "topic") if low == high else f"{low} to {high} topics"


def _caption(evaluation: Evaluation, layout: Layout) -> str:
    topics = _count_topics({len(run.topics) for run in evaluation.runs})
    content = f"Values by topic, {topics}" if layout.per_topic else f"Averages over {topics}"
    bold = ", the best in bold" if len(evaluation.runs) > 1 else ""
    return f"{content}{bold}."


def _notes(evaluation: Evaluation, layout: Layout, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    if evaluation.different_topics:
        remedy = "" if layout.format == "latex" else "; -c takes all judged topics"
        yield DIFFERENT_TOPICS_MARK, f"over different topics, see {TOPIC_COUNT}{remedy}"
    if layout.marks is not None:
        yield SIGNIFICANT, marks_note(layout.marks, names)
    if any(run.ends_early(name) for run in evaluation.runs for name in run.all):
        yield ENDS_EARLY, f"{ENDS_EARLY_NOTE}."


def comparison_tables(comparison: Comparison, layout: Layout) -> list[Grid]:
    """One row per run and one column per measure; in full one row per measure and run, or pair of runs.

    Raises:
        UsageError: the measure to sort by is none of the comparison.
    """
    matrix = comparison.matrix
    names = unique_labels(matrix.runs, matrix.paths, escape_unprintable)
    topics = f"Averages over {_count_topics({row.topics for row in comparison.run_means})}"
    rows: list[tuple[Sequence[str], Sequence[TableCell]]] = []
    if layout.full:
        has_base = comparison.settings.pairs != "first"
        for row in comparison.run_means:
            against = ["" if row.against is None else names[row.against]] * has_base
            cells = []
            for text in statistics_cells(row, comparison, layout, SIGNIFICANT):
                plain = text.rstrip(SIGNIFICANT + ENDS_EARLY)
                cells.append(TableCell(plain, mark=text.removeprefix(plain)))
            rows.append(([row.measure, names[row.run], *against], cells))
        labels = ["measure", "run", *["against"] * has_base]
        tests = ["HSD"] if comparison.settings.pairs == "all" else [f"p ({comparison.settings.test})", "Holm"]
        columns = ["mean", "diff", "low", "high", *tests, "d", "+/=/-"]
        caption = f"{topics}, with differences, their intervals and tests."
        return [Grid(labels, columns, rows, [0], caption, key="comparison")]
    means, significant = mean_matrix(matrix), significant_runs(comparison)
    columns = list(matrix.measures)
    if layout.format == "markdown" and not layout.transpose and len(columns) >= MAX_MARKDOWN_COLUMNS:
        columns = list(comparison.measure_ranking.order[: MAX_MARKDOWN_COLUMNS - 1])
    order = sort_compared_runs(comparison, layout.sort)
    letters = run_letters(order) if comparison.settings.pairs == "all" and comparison.families else {}
    better = {name: better_pairs(comparison, name) for name in columns} if letters else {}
    for run in order:
        cells = []
        for name in columns:
            place = matrix.measures.index(name)
            mean, is_count = float(means[place, run]), name in matrix.counts
            digits = 0 if name in matrix.lower_better and abs(mean) >= 100 else layout.digits
            mark = SIGNIFICANT if run in significant[name] and not is_count else ""
            mark = join_letters(letters[other] for other in better[name][run]) if letters else mark
            mark += ENDS_EARLY * matrix.ends_early(name, run)
            cells.append(TableCell(format_value(mean, digits), not is_count and run in best_runs(matrix, name), mark))
        rows.append(([f"{names[run]} ({letters[run]})" if letters else names[run]], cells))
    notes = [(SIGNIFICANT, marks_note(comparison, names))] if comparison.families else []
    if letters:
        notes = [(join_letters(letters.values()), letters_note(comparison))]
    if any(matrix.ends_early(name, run) for name in columns for run in range(len(matrix.runs))):
        notes.append((ENDS_EARLY, f"{ENDS_EARLY_NOTE}."))
    grid = Grid(["run"], columns, rows, [0], f"{topics}, the best in bold.", notes, "comparison")
    return [grid.transpose("measure") if layout.transpose else grid]
