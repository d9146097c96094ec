"""Tables: what results have in common (rows, one line as `repr`, a table in notebooks), and what a DataFrame is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Any, Protocol, TypeGuard

from prum_eval.errors import escape_unprintable

RowValue = str | float | int | bool | None
Table = tuple[Sequence[str], Iterator[Sequence[RowValue]]]
"""Names of columns, and rows of cells in their order."""

_MAX_NAMES = 8
MAX_SHOWN_ROWS = 60
"""Rows that a shown table has at most; `rows` and `to_pandas` have all."""


class Tabular(ABC):
    """A result that is a table; a dataclass of this kind is made with ``repr=False``."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One dictionary a row, all with the same keys."""

    def to_pandas(self) -> Any:  # noqa: ANN401 -- a DataFrame; pandas need not be there
        """The rows as a DataFrame of pandas.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        try:
            pandas = import_module("pandas")
        except ModuleNotFoundError as error:
            reason = "to_pandas needs pandas: pip install pandas; rows() needs nothing"
            raise ModuleNotFoundError(reason, name="pandas") from error
        return pandas.DataFrame(list(self.rows()))

    @abstractmethod
    def _summary(self) -> str:
        """The result in a few words."""

    def _table(self) -> Table:
        """What is shown of it; all rows if a class does not choose."""
        rows = list(self.rows())
        return list(rows[0]) if rows else [], (list(row.values()) for row in rows)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {escape_unprintable(self._summary())}>"

    def __str__(self) -> str:
        headers, rows, more = self._visible_rows()
        columns = [[_cell_text(header), *map(_cell_text, cells)] for header, *cells in zip(headers, *rows, strict=True)]
        right = [all(not isinstance(cell, str) for cell in cells) for cells in zip(*rows, strict=True)]
        widths = [max(map(len, column)) for column in columns]
        lines = [
            "  ".join(
                cell.rjust(width) if numeric else cell.ljust(width)
                for cell, width, numeric in zip(line, widths, right, strict=False)
            ).rstrip()
            for line in zip(*columns, strict=True)
        ]
        return "\n".join([escape_unprintable(self._summary()), *lines, *more])

    def _repr_html_(self) -> str:
        from html import escape  # only notebooks need it

        headers, rows, more = self._visible_rows()
        head = "".join(f"<th>{escape(header)}</th>" for header in headers)
        body = "".join(f"<tr>{''.join(f'<td>{escape(_cell_text(cell))}</td>' for cell in row)}</tr>\n" for row in rows)
        table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>" if rows else ""
        return "\n".join([f"<div>{escape(self._summary())}</div>", table, *(f"<div>{line}</div>" for line in more)])

    def _visible_rows(self) -> tuple[Sequence[str], list[Sequence[RowValue]], list[str]]:
        """Headers, rows, and a line on the rows that are left out, if any."""
        headers, cells = self._table()
        rows = list(islice(cells, MAX_SHOWN_ROWS))
        left = sum(1 for _ in cells)
        return headers if rows else [], rows, [f"... {left} more row{'s'[: left != 1]}"] if left else []


def plural(count: int, noun: str) -> str:
    """A number and its noun.

    >>> plural(1, "topic"), plural(2, "topic")
    ('1 topic', '2 topics')
    """
    return f"{count} {noun}{'s'[: count != 1]}"


def join_names(names: Sequence[str]) -> str:
    """Names in a sentence; of many, the first and how many there are more.

    >>> join_names(["a"]), join_names(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    shown, more = list(names[:_MAX_NAMES]), len(names) - _MAX_NAMES
    if more > 0:
        shown.append(f"{more} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def _cell_text(cell: RowValue) -> str:
    if cell is None:
        return ""
    return f"{cell:.4f}" if isinstance(cell, float) else escape_unprintable(str(cell))


class DataFrameLike(Protocol):
    """What a DataFrame of pandas or polars has: names of columns, and a column by its name."""

    @property
    def columns(self) -> Iterable[str]:
        """Names of the columns."""

    def __getitem__(self, name: str, /) -> Iterable[Any]:
        """The values of a column."""


def is_dataframe(given: object) -> TypeGuard[DataFrameLike]:
    """Whether this is a DataFrame, of whatever library."""
    return hasattr(given, "columns") and hasattr(given, "__getitem__")
