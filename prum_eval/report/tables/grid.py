"""A table before anybody writes it: rows with labels, cells that are best or differ, what the marks say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

SIGNIFICANT, OTHERWISE = "*", "\N{DAGGER}"
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
    others. `rows`: labels and cells of each. `starts`: places of rows at which a block begins. `caption`: what the
    values are. `notes`: marks, each with what it says.
    """

    labels: Sequence[str]
    columns: Sequence[str]
    rows: Sequence[tuple[Sequence[str], Sequence[TableCell]]]
    starts: Sequence[int]
    caption: str = ""
    notes: Sequence[tuple[str, str]] = ()

    def turned(self, head: str) -> Grid:
        """Rows and columns of each block change places; `head` is that of the rows then."""
        rows: list[tuple[Sequence[str], Sequence[TableCell]]] = []
        columns: list[str] = []
        starts = []
        for start, end in pairwise([*self.starts, len(self.rows)]):
            block = self.rows[start:end]
            starts.append(len(rows))
            columns += [labels[-1] for labels, _ in block if labels[-1] not in columns]
            own = {labels[-1]: cells for labels, cells in block}
            for place, name in enumerate(self.columns):
                cells = [own[column][place] if column in own else NO_CELL for column in columns]
                if any(cell.text for cell in cells):
                    rows.append(((*block[0][0][:-1], name), cells))
        full = [(labels, [*cells, *[NO_CELL] * (len(columns) - len(cells))]) for labels, cells in rows]
        return replace(self, labels=(*self.labels[:-1], head), columns=columns, rows=full, starts=starts)
