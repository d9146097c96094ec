"""A comparison as a table for Markdown and for papers: means of every run with marks, or all that was found of each."""

from __future__ import annotations

from collections.abc import Sequence

from prum_eval.analysis.comparison import Comparison
from prum_eval.analysis.matrix import best_runs_of, means
from prum_eval.errors import printable
from prum_eval.report.drawing.panels import told_apart
from prum_eval.report.layout import Layout, formatted
from prum_eval.report.tables.grid import SIGNIFICANT, Grid, TableCell
from prum_eval.report.tables.latex import latex_table
from prum_eval.report.tables.marks import marks_note, significant
from prum_eval.report.tables.plain import markdown_text
from prum_eval.report.text.comparison import statistics_cells
from prum_eval.report.text.verdict import run_order
from prum_eval.tabular import plural


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
        return _everything(comparison, layout)
    matrix = comparison.matrix
    names, values = told_apart(matrix.runs, matrix.paths, printable), means(matrix)
    marked = significant(comparison, layout.test)
    order = run_order(comparison, layout.sort)
    cells = [
        [
            TableCell(
                formatted(float(values[place, run]), _digits(comparison, name, float(values[place, run]), layout)),
                name not in matrix.counts and run in best_runs_of(matrix, name),
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
    return grid.turned("measure") if layout.transpose else grid


def _everything(comparison: Comparison, layout: Layout) -> Grid:
    headers = ["mean", "diff", "low", "high", f"p ({layout.test})", "Holm", "d", "+/=/-"]
    labels, several = ["measure", "run"], comparison.settings.pairs != "first"
    names = told_apart(comparison.matrix.runs, comparison.matrix.paths, printable)
    rows: list[tuple[Sequence[str], Sequence[TableCell]]] = []
    for row in comparison.measured:
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
    counts = sorted({row.topics for row in comparison.measured})
    many = plural(counts[0], "topic") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} topics"
    return f"Averages over {many}"
