"""A table for terminals and one for Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from prum_eval.errors import Printable, printable
from prum_eval.report.tables.columns import Column, column_lines, fits
from prum_eval.report.tables.grid import Grid, TableCell
from prum_eval.report.writing import MARKDOWN, markdown, paragraph, table_text

_AROUND = 2
"""A column is wider than its head by so much at least."""


def grid_columns(grid: Grid) -> list[Column]:
    """Its columns for a terminal; digits stand below each other, with room for marks behind them."""
    labels = [
        Column([head], [row[number] for row, _ in grid.rows], least=len(head) + _AROUND)
        for number, head in enumerate(grid.labels)
    ]
    return [
        *labels,
        *(
            cells_column([name], [cells[place] for _, cells in grid.rows], len(name) + _AROUND)
            for place, name in enumerate(grid.columns)
        ),
    ]


def cells_column(head: Sequence[str], cells: Sequence[TableCell], least: int = 0) -> Column:
    """A column of cells, with room for marks behind them."""
    room = max((len(cell.mark) for cell in cells), default=0)
    texts = [cell.text + cell.mark.ljust(room) if cell.text else "" for cell in cells]
    return Column(head, texts, [row for row, cell in enumerate(cells) if cell.best], least)


def fits_a_terminal(grid: Grid) -> bool:
    """Whether a line of it has room in a terminal."""
    return fits(grid_columns(grid))


def terminal_text(grid: Grid, more: str = "", *, bold: bool) -> Printable:
    """The table as wide as it is, its notes and more below."""
    return with_notes(list(column_lines(grid_columns(grid), words=len(grid.labels), bold=bold)), grid.notes, more)


def with_notes(lines: Sequence[str], notes: Sequence[tuple[str, str]], *more: str) -> Printable:
    """Lines of a table, which may be bold, its notes, and what else is to be said."""
    safe = [line if isinstance(line, Printable) else printable(line, lines=True) for line in lines]
    said = [*(paragraph(f"{mark} {text}") for mark, text in notes), *filter(None, more)]
    return Printable("".join(f"{line}\n" for line in [*safe, *(f"\n{printable(one, lines=True)}" for one in said)]))


def markdown_text(grid: Grid) -> str:
    """The table for Markdown documents, its notes below; the best values bold."""
    rows = [[*labels, *map(_markdown_cell, cells)] for labels, cells in grid.rows]
    table = table_text([*grid.labels, *grid.columns], rows, MARKDOWN, words=len(grid.labels))
    return table + "".join(f"\n{_marked(mark)} {markdown(text)}\n" for mark, text in grid.notes)


def _markdown_cell(cell: TableCell) -> str:
    return (f"**{cell.text}**" if cell.best else cell.text) + _marked(cell.mark)


def _marked(text: str) -> str:
    return text.replace("*", r"\*")
