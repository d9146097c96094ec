"""Columns side by side for terminals: heads and names in several lines where they are long."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from prum_eval.analysis.comparison import Comparison
from prum_eval.report.layout import LINE_WIDTH, pad_cells
from prum_eval.tabular import plural

_NAME_BREAK_WIDTH = 8
"""Names of measures are broken into lines of this width, at underscores."""
NAME_WIDTH = 30
"""Longer names of runs stand in several lines of a leaderboard."""
GAP = 2
"""Blanks between columns."""


@dataclass(frozen=True)
class Column:
    """Lines of the head, a cell a row, which may have several lines, the rows with the best ones, the least width."""

    head: Sequence[str]
    cells: Sequence[str]
    best: Collection[int] = ()
    min_width: int = 0

    @property
    def width(self) -> int:
        """That of its longest line."""
        return max(self.min_width, *map(len, [*self.head, *(line for cell in self.cells for line in cell.split("\n"))]))


def fits_in_line(columns: Sequence[Column]) -> bool:
    """Whether they have room in a line."""
    return sum(column.width + GAP for column in columns) - GAP <= LINE_WIDTH


def column_lines(
    columns: Sequence[Column], *, words: int = 1, bold: bool, apart: Collection[int] = ()
) -> Iterator[str]:
    """The lines of a table.

    Args:
        columns: all with as many cells.
        words: so many columns are words, to the left.
        bold: show the best values in bold.
        apart: rows before which a line is left free.
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
    """The name of a measure in narrow lines.

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


# A table before anybody writes it: rows with labels, cells that are best or differ, what the marks say.


SIGNIFICANT, SIGNIFICANT_ALTERNATIVE = "*", "\N{DAGGER}"
"""What marks a value that differs significantly; the second where the first marks something else in the same table."""


@dataclass(frozen=True)
class TableCell:
    """A value as it is shown; `mark` stands behind it."""

    text: str
    best: bool = False
    mark: str = ""


NO_CELL = TableCell("")


@dataclass(frozen=True)
class Grid:
    """Rows of labels and cells.

    `labels`: heads of the columns of labels, the last of which names the rows of a block. `columns`: heads of the
    others. `rows`: labels and cells of each. `block_starts`: places of rows at which a block begins. `caption`: what the
    values are. `notes`: marks, each with what it says.
    """

    labels: Sequence[str]
    columns: Sequence[str]
    rows: Sequence[tuple[Sequence[str], Sequence[TableCell]]]
    block_starts: Sequence[int]
    caption: str = ""
    notes: Sequence[tuple[str, str]] = ()

    def transpose(self, head: str) -> Grid:
        """Rows and columns of each block change places; `head` is that of the rows then."""
        rows: list[tuple[Sequence[str], Sequence[TableCell]]] = []
        columns: list[str] = []
        starts = []
        for start, end in pairwise([*self.block_starts, len(self.rows)]):
            block = self.rows[start:end]
            starts.append(len(rows))
            columns += [labels[-1] for labels, _ in block if labels[-1] not in columns]
            own = {labels[-1]: cells for labels, cells in block}
            for place, name in enumerate(self.columns):
                cells = [own[column][place] if column in own else NO_CELL for column in columns]
                if any(cell.text for cell in cells):
                    rows.append(((*block[0][0][:-1], name), cells))
        full = [(labels, [*cells, *[NO_CELL] * (len(columns) - len(cells))]) for labels, cells in rows]
        return replace(self, labels=(*self.labels[:-1], head), columns=columns, rows=full, block_starts=starts)


# Which values of a table differ significantly from a run, and the sentence that says by which test.


def significant_runs(comparison: Comparison, test: str) -> Mapping[str, frozenset[int]]:
    """By measure, places of the runs that differ from the base of the comparison, by corrected p-values of a test."""
    alpha = comparison.settings.alpha
    found = {}
    for measure, rows in comparison.rows_against().items():
        tested = ((row.run, row.difference.p_values(test).holm) for row in rows if row.difference is not None)
        found[measure] = frozenset(run for run, p in tested if p is not None and p < alpha)
    return found


def marks_note(comparison: Comparison, test: str, names: Sequence[str]) -> str:
    """Test, correction and level, and what was compared; `names` are those of the runs."""
    settings, base = comparison.settings, "the best run by the measure"
    if settings.pairs == "first":
        base = names[next(iter(comparison.base.values()))]
    exact = {one.exact for family in comparison.families.values() for one in family}
    trials = f"{settings.trials:,} trials, seed {settings.seed}"
    how = {"t": "", "bootstrap": f" ({trials})"}.get(test, " (exact)" if exact == {True} else f" ({trials})")
    of = plural(comparison.comparisons, "comparison")
    of += " of each measure" if settings.family == "measure" else ", those of all measures"
    return (
        f"differs from {base}: paired {test} test, two-sided{how}, p corrected by Holm for {of}, below "
        f"{settings.alpha:g}."
    )
