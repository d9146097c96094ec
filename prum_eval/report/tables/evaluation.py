"""An evaluation as a table: for terminals, for Markdown, for papers in LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prum_eval.analysis.groups import order_changes
from prum_eval.analysis.telling import telling
from prum_eval.errors import UsageError, printable
from prum_eval.evaluation.results import Evaluation
from prum_eval.measures.registry import TOPIC_COUNT
from prum_eval.parameters import nearest
from prum_eval.report.best import best_among, best_first, order_asked, score_signs
from prum_eval.report.drawing.panels import run_names
from prum_eval.report.layout import ALL, DIFFERENT, Layout, blocks, formatted
from prum_eval.report.tables.columns import NAME_WIDTH, Column, broken, column_lines, fits
from prum_eval.report.tables.grid import NO_CELL, OTHERWISE, SIGNIFICANT, Grid, TableCell
from prum_eval.report.tables.latex import latex_table
from prum_eval.report.tables.marks import marks_note, significant
from prum_eval.report.tables.plain import cells_column, fits_a_terminal, markdown_text, terminal_text, with_notes
from prum_eval.report.text.groups import order_sentence
from prum_eval.report.writing import paragraph, wrapped
from prum_eval.tabular import listed, plural


def evaluation_table(evaluation: Evaluation, layout: Layout) -> str:
    """A row a measure and a column a run; where that is too wide for 80 columns, a leaderboard: a row a run."""
    grid = evaluation_grid(evaluation, layout)
    turned = grid.turned("measure")
    told = ""
    if layout.averages and evaluation.groups:
        headline = telling(order_asked(evaluation)).headline
        told = order_sentence(order_changes(evaluation), run_names(evaluation.runs, printable), layout.digits, headline)
    if layout.transpose:
        return terminal_text(grid, told, bold=layout.bold)
    if layout.per_topic or len(evaluation.runs) < 2 or fits_a_terminal(turned):
        return terminal_text(turned, told, bold=layout.bold)
    return _leaderboard(evaluation, layout, told)


def evaluation_markdown(evaluation: Evaluation, layout: Layout) -> str:
    """The table for Markdown documents: a row a run, or where there are more of them a row a measure."""
    grid = evaluation_grid(evaluation, layout)
    runs_down = len(evaluation.runs) >= max(2, len(grid.columns))
    return markdown_text(grid if runs_down != layout.transpose else grid.turned("measure"))


def evaluation_latex(evaluation: Evaluation, layout: Layout) -> str:
    """The table for papers: a row a run and a column a measure; of a single run a row a measure."""
    grid = evaluation_grid(evaluation, layout)
    runs_down = len(evaluation.runs) > 1
    return latex_table(grid if runs_down != layout.transpose else grid.turned("measure"))


def evaluation_grid(evaluation: Evaluation, layout: Layout) -> Grid:
    """A row a run, in blocks of topics, groups and all; the best values of each block, and what differs from a run.

    Raises:
        UsageError: the runs have no values of the measure to sort by.
    """
    order, names = order_of_runs(evaluation, layout.sort), run_names(evaluation.runs, printable)
    different = evaluation.different_topics
    of_runs = [{(group, topic): values for group, topic, values in blocks(run, layout)} for run in evaluation.runs]
    columns = [name for name in order_asked(evaluation) if any(name in own for of in of_runs for own in of.values())]
    way = score_signs(columns)
    mark = OTHERWISE if different else SIGNIFICANT
    marked = {} if layout.marks is None else significant(layout.marks, layout.test)
    rows: list[tuple[Sequence[str], Sequence[TableCell]]] = []
    starts = []
    for group, topic in sorted({key for of in of_runs for key in of}, key=_order):
        average = topic == ALL
        label = group or (ALL if average else "")
        own = [of.get((group, topic), {}) for of in of_runs]
        best = {
            name: best_among([values.get(name) for values in own], way[name])
            for name in columns
            if name in way and not (average and different)
        }
        starts.append(len(rows))
        for run in order:
            cells = []
            for name in columns:
                signs = DIFFERENT if different and average and name != TOPIC_COUNT else ""
                signs += mark if average and group is None and run in marked.get(name, ()) else ""
                text = formatted(own[run][name], layout.digits) if name in own[run] else None
                cells.append(NO_CELL if text is None else TableCell(text, run in best.get(name, ()), signs))
            if own[run] or not average:
                rows.append(([label, topic, names[run]], cells))
    shown = [bool(evaluation.groups), layout.per_topic, True]
    return Grid(
        _shown(["group", "topic", "run"], shown),
        columns,
        [(_shown(labels, shown), cells) for labels, cells in rows],
        starts,
        _caption(evaluation, layout),
        list(_notes(evaluation, layout, names, mark)),
    )


def order_of_runs(evaluation: Evaluation, measure: str | None) -> list[int]:
    """Places of the runs as they came, or the best first by a measure.

    Raises:
        UsageError: no run has values of it.
    """
    if measure is None:
        return list(range(len(evaluation.runs)))
    known = [name for name in evaluation.names if any(name in run.all for run in evaluation.runs)]
    if measure not in known:
        raise UsageError(f"no measure {measure} to sort by{nearest(measure, known)}")
    return best_first(evaluation, measure)


def _shown(row: Sequence[str], shown: Sequence[bool]) -> list[str]:
    return [cell for cell, is_shown in zip(row, shown, strict=True) if is_shown]


def _order(key: tuple[str | None, str]) -> tuple[bool, bool, str, str]:
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
        yield DIFFERENT, f"over different topics, see {TOPIC_COUNT}; -c takes all judged topics"
    if layout.marks is not None:
        yield mark, marks_note(layout.marks, layout.test, names)


def _leaderboard(evaluation: Evaluation, layout: Layout, more: str) -> str:
    """A row a run, the best first, the most telling measures as far as there is room."""
    told = telling(order_asked(evaluation))
    by = layout.sort or told.headline
    grid = evaluation_grid(evaluation, Layout(**{**vars(layout), "sort": by}))
    labels = [
        Column([head], [wrapped(row[number], NAME_WIDTH) for row, _ in grid.rows])
        for number, head in enumerate(grid.labels)
    ]
    columns = list(labels)
    shown: list[str] = []
    for name in dict.fromkeys([*filter(None, [by]), *told.each, *told.order]):
        if name not in grid.columns:
            continue
        place = grid.columns.index(name)
        column = cells_column(broken(name), [cells[place] for _, cells in grid.rows])
        if shown and not fits([*columns, column]):
            break
        columns.append(column)
        shown.append(name)
    lines = column_lines(columns, words=len(labels), bold=layout.bold, apart=grid.starts[1:])
    hidden = [name for name in grid.columns if name not in shown]
    notes = [f"The best runs first by {by}."] if by else []
    notes += [paragraph(f"Not shown: {listed(hidden)}; --transpose shows all.")] if hidden else []
    return with_notes(list(lines), grid.notes, "\n".join(notes), more)
