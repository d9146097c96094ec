"""Tables as columns or grids, and how terminals, Markdown and LaTeX show them.

`Column` is what a terminal shows: heads and cells may have several lines. `Grid` is a table in any format: rows of
labels and cells, of which some are best or have markers. `terminal_text`, `markdown_text` and `latex_text` write it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from prum_eval.errors import PrintableText, escape_unprintable
from prum_eval.report.layout import (
    DIFFERENT_TOPICS_MARK,
    LATEX,
    MARKDOWN,
    Markup,
    escape_markdown,
    pad_cells,
    table_text,
    wrap_paragraph,
)
from prum_eval.report.ranking import ENDS_EARLY, SIGNIFICANT

NAME_WIDTH = 30
"""Longer names of runs take several lines of a leaderboard."""
GAP = 2
"""Blanks between columns."""
_NAME_BREAK_WIDTH = 8
"""Names of measures are broken into lines of this width."""
_COLUMN_PADDING = 2
"""A column is at least this much wider than its head."""
_MAX_HEAD_LINE = 12
"""Longer heads of columns take two lines in LaTeX."""


@dataclass(frozen=True)
class Column:
    """Column of a terminal: lines of the head, cells (of one or more lines), rows of the best cells, least width."""

    head: Sequence[str]
    cells: Sequence[str]
    best: Collection[int] = ()
    min_width: int = 0

    @property
    def width(self) -> int:
        """Width of the longest line."""
        return max(self.min_width, *map(len, [*self.head, *(line for cell in self.cells for line in cell.split("\n"))]))


def fits_in_line(columns: Sequence[Column], width: int) -> bool:
    """Whether the columns fit in a line of a terminal."""
    return sum(column.width + GAP for column in columns) - GAP <= width


def column_lines(
    columns: Sequence[Column], *, words: int = 1, bold: bool, apart: Collection[int] = ()
) -> Iterator[str]:
    """Lines of a table.

    Args:
        columns: columns with equally many cells.
        words: number of leading columns aligned to the left.
        bold: show the best values in bold.
        apart: rows after an empty line.
    """
    widths = [column.width for column in columns]
    tall = max(len(column.head) for column in columns)
    heads = [[""] * (tall - len(column.head)) + list(column.head) for column in columns]
    for line in zip(*heads, strict=True):
        yield pad_cells(line, widths, words)
    yield (" " * GAP).join("-" * width for width in widths)
    for row in range(len(columns[0].cells)):
        best = [number for number, column in enumerate(columns) if row in column.best] if bold else []
        if row in apart:
            yield ""
        lines = zip_longest(*(column.cells[row].split("\n") for column in columns), fillvalue="")
        for number, line in enumerate(lines):
            yield pad_cells(line, widths, words, bold=best if number == 0 else ())


def break_name(name: str) -> list[str]:
    """Name of a measure in narrow lines.

    >>> break_name("char_rec_at_size_2000"), break_name("redundancy_5"), break_name("P_5:quantisation=strict")
    (['char_rec', '_at_size', '_2000'], ['redundancy', '_5'], ['P_5:', 'quantisation=', 'strict'])
    """
    spaced = name.replace("_", " _").replace(":", ": ").replace("=", "= ").replace(",", ", ")
    lines: list[str] = []
    for piece in spaced.split():
        if lines and len(lines[-1] + piece) <= _NAME_BREAK_WIDTH:
            lines[-1] += piece
        else:
            lines.append(piece)
    return lines


def halve_name(name: str) -> list[str]:
    """Name of a measure in two lines, parted at its settings or else near the middle; one line if it has one part.

    >>> halve_name("char_rec_at_size_2000"), halve_name("eprum_P_5:user_model=t2i"), halve_name("unjudgedresults")
    (['char_rec_at', '_size_2000'], ['eprum_P_5:', 'user_model=t2i'], ['unjudgedresults'])
    """
    colon = name.find(":") + 1
    ends = [colon] if colon else [match.start() for match in re.finditer("(?<=.)_", name)]
    middle = min(ends, key=lambda end: max(end, len(name) - end), default=0)
    return [name[:middle], name[middle:]] if middle else [name]


@dataclass(frozen=True)
class TableCell:
    """A value as text, whether it is best, and the markers behind it."""

    text: str
    best: bool = False
    mark: str = ""


NO_CELL = TableCell("")


@dataclass(frozen=True)
class Grid:
    """Rows of labels and cells.

    `labels`: heads of the columns of labels, of which the last names the rows of a block. `columns`: heads of the other
    columns. `rows`: labels and cells. `block_starts`: rows that begin a block. `caption`: what the values are; empty
    for a table within a text. `notes`: markers with their meaning. `key`: name of the table in references of LaTeX.
    """

    labels: Sequence[str]
    columns: Sequence[str]
    rows: Sequence[tuple[Sequence[str], Sequence[TableCell]]]
    block_starts: Sequence[int]
    caption: str = ""
    notes: Sequence[tuple[str, str]] = ()
    key: str = "results"

    def transpose(self, head: str) -> Grid:
        """Exchange rows and columns of each block; `head` becomes that of the rows."""
        rows: list[tuple[Sequence[str], Sequence[TableCell]]] = []
        columns: list[str] = []
        starts = []
        for start, end in pairwise([*self.block_starts, len(self.rows)]):
            block = self.rows[start:end]
            starts.append(len(rows))
            columns += [labels[-1] for labels, _ in block if labels[-1] not in columns]
            cells_of = {labels[-1]: cells for labels, cells in block}
            for place, name in enumerate(self.columns):
                cells = [cells_of[column][place] if column in cells_of else NO_CELL for column in columns]
                if any(cell.text for cell in cells):
                    rows.append(((*block[0][0][:-1], name), cells))
        full = [(labels, [*cells, *[NO_CELL] * (len(columns) - len(cells))]) for labels, cells in rows]
        return replace(self, labels=(*self.labels[:-1], head), columns=columns, rows=full, block_starts=starts)

    def terminal_columns(self) -> list[Column]:
        """Columns for a terminal; digits are aligned, with room for markers behind them."""
        labels = [
            Column([head], [row[number] for row, _ in self.rows], min_width=len(head) + _COLUMN_PADDING)
            for number, head in enumerate(self.labels)
        ]
        return labels + [
            cells_column([name], [cells[place] for _, cells in self.rows], len(name) + _COLUMN_PADDING)
            for place, name in enumerate(self.columns)
        ]


def cells_column(head: Sequence[str], cells: Sequence[TableCell], min_width: int = 0) -> Column:
    """Column of cells, with room for markers behind them."""
    room = max((len(cell.mark) for cell in cells), default=0)
    texts = [cell.text + cell.mark.ljust(room) if cell.text else "" for cell in cells]
    return Column(head, texts, [row for row, cell in enumerate(cells) if cell.best], min_width)


def terminal_text(grid: Grid, *paragraphs: str, bold: bool) -> PrintableText:
    """The table in its full width, its notes and more paragraphs below."""
    lines = column_lines(grid.terminal_columns(), words=len(grid.labels), bold=bold)
    return join_notes(lines, grid.notes, *paragraphs)


def join_notes(lines: Iterable[str], notes: Sequence[tuple[str, str]], *paragraphs: str) -> PrintableText:
    """Lines of a table, which may be bold, its notes, and more paragraphs."""
    escaped = [line if isinstance(line, PrintableText) else escape_unprintable(line, lines=True) for line in lines]
    texts = [*(wrap_paragraph(f"{mark} {text}") for mark, text in notes), *filter(None, paragraphs)]
    escaped += [f"\n{escape_unprintable(text, lines=True)}" for text in texts]
    return PrintableText("".join(f"{line}\n" for line in escaped))


def markdown_text(grid: Grid) -> str:
    """The table for Markdown documents, its notes below; the best values bold."""
    rows = [[*labels, *map(_markdown_cell, cells)] for labels, cells in grid.rows]
    table = table_text([*grid.labels, *grid.columns], rows, MARKDOWN, words=len(grid.labels))
    return table + "".join(f"\n{_markdown_marks(mark)} {escape_markdown(text)}\n" for mark, text in grid.notes)


def _markdown_cell(cell: TableCell) -> Markup:
    text = escape_markdown(cell.text)
    return Markup((f"**{text}**" if cell.best else text) + _markdown_marks(cell.mark))


def _markdown_marks(marks: str) -> str:
    """Markers, and superscript letters of runs."""
    return re.sub(r"[\w,]+", r"<sup>\g<0></sup>", marks).replace("*", r"\*")


# LaTeX.


_TABLE = r"""% in the preamble: \usepackage{{booktabs}}; table* in place of table spans both columns of a page
\begin{{table}}
\centering
\caption{{{caption}}}
\label{{tab:{key}}}
\begin{{tabular}}{{{align}}}
\toprule
{head} \\
\midrule
{rows}
\bottomrule
\end{{tabular}}
\end{{table}}
"""
_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "`": r"\textasciigrave{}", '"': r"\char34{}", "[": "{[}", "]": "{]}", "*": "{*}",
    "\N{DAGGER}": r"\textdagger{}", "\N{DOUBLE DAGGER}": r"\textdaggerdbl{}",
}  # fmt: skip
"""Characters that LaTeX would interpret, some of them only after the end of a row. Two hyphens would be a dash."""
_MARKS = {SIGNIFICANT: r"$^{*}$", DIFFERENT_TOPICS_MARK: r"$^{\dagger}$", ENDS_EARLY: r"$^{\ddagger}$"}


def latex_text(grid: Grid) -> str:
    """The table for papers; without a caption only its tabular. Markers take no room, so that digits are aligned."""
    if not grid.caption:
        rows = [[*labels, *(cell.text for cell in cells)] for labels, cells in grid.rows]
        return table_text([*grid.labels, *grid.columns], rows, LATEX, words=len(grid.labels))
    names = [halve_name(name) if len(name) > _MAX_HEAD_LINE else [name] for name in grid.columns]
    heads = [*([label] for label in grid.labels), *names]
    lines: list[str] = []
    for number, (labels, cells) in enumerate(grid.rows):
        if number and number in grid.block_starts:
            lines.append(r"\midrule")
        lines.append(" & ".join([*map(escape_latex, labels), *map(_latex_cell, cells)]) + r" \\")
    notes = (f"{_latex_marks(mark)}~{escape_latex(text)}" for mark, text in grid.notes)
    return _TABLE.format(
        key=grid.key,
        caption=" ".join([escape_latex(grid.caption), *notes]),
        align="l" * len(grid.labels) + "r" * len(grid.columns),
        head=" & ".join(
            _latex_head(head, "l" if column < len(grid.labels) else "r") for column, head in enumerate(heads)
        ),
        rows="\n".join(lines),
    )


def _latex_head(lines: Sequence[str], align: str) -> str:
    escaped = [escape_latex(line) for line in lines]
    if len(escaped) == 1:
        return escaped[0]
    return rf"\begin{{tabular}}[b]{{@{{}}{align}@{{}}}}" + r" \\ ".join(escaped) + r"\end{tabular}"


def _latex_cell(cell: TableCell) -> str:
    text = rf"\textbf{{{escape_latex(cell.text)}}}" if cell.best else escape_latex(cell.text)
    return text + (rf"\rlap{{{_latex_marks(cell.mark)}}}" if cell.mark else "")


def _latex_marks(marks: str) -> str:
    """Markers, and superscript letters of runs."""
    return "".join(_MARKS.get(part, rf"$^{{\mathrm{{{part}}}}}$") for part in re.findall(r"[\w,]+|.", marks))


def escape_latex(text: str) -> str:
    r"""Text in which LaTeX interprets nothing.

    >>> escape_latex("a_1 & 50 %"), escape_latex(r"\input{x}")
    ('a\\_1 \\& 50 \\%', '\\textbackslash{}input\\{x\\}')
    """
    return "-{}".join(
        "".join(_ESCAPES.get(character, character) for character in part)
        for part in re.split("-(?=-)", escape_unprintable(text))
    )
