"""Tabular results (rows, `repr`, a table in notebooks), names and numbers in sentences, the DataFrame protocol."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Any, Protocol, TypeGuard

from prum_eval.errors import escape_unprintable

RowValue = str | float | int | bool | None
Table = tuple[Sequence[str], Iterator[Sequence[RowValue]]]
"""Column names, and rows of cells in the same order."""

_MAX_NAMES = 8
_MAX_NOTICES = 8
MAX_SHOWN_ROWS = 60
"""Maximum of rows in `str` and notebooks; `rows` and `to_pandas` have all."""


class Tabular(ABC):
    """Base class of results that are tables; dataclasses need ``repr=False``."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One dictionary per row, all with the same keys."""

    def to_pandas(self) -> Any:  # noqa: ANN401 -- a DataFrame; pandas is optional
        """The rows as a pandas DataFrame.

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
        """The table in `str` and notebooks; by default all rows."""
        rows = list(self.rows())
        return list(rows[0]) if rows else [], (list(row.values()) for row in rows)

    def summary_table(self) -> tuple[str, Sequence[str], list[Sequence[RowValue]]]:
        """Caption, column names and all rows of the table that `str` and notebooks show."""
        headers, rows = self._table()
        return self._summary(), headers, list(rows)

    def __repr__(self) -> str:
        notices = len(dict.fromkeys(map(str, getattr(self, "warnings", ()))))
        warnings = f"; {plural(notices, 'warning')}" if notices else ""
        return f"<{type(self).__name__}: {escape_unprintable(self._summary())}{warnings}>"

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
        notices = [f"warning: {escape_unprintable(notice, lines=True)}" for notice in self._shown_notices()]
        return "\n".join([escape_unprintable(self._summary()), *lines, *more, *notices])

    def _repr_html_(self) -> str:
        from html import escape  # needed in notebooks only

        headers, rows, more = self._visible_rows()
        head = "".join(f"<th>{escape(header)}</th>" for header in headers)
        body = "".join(f"<tr>{''.join(f'<td>{escape(_cell_text(cell))}</td>' for cell in row)}</tr>\n" for row in rows)
        table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>" if rows else ""
        notes = [*more, *(f"warning: {notice}" for notice in self._shown_notices())]
        return "\n".join(
            [f"<div>{escape(self._summary())}</div>", table, *(f"<div>{escape(line)}</div>" for line in notes)]
        )

    def _shown_notices(self) -> list[str]:
        """The first warnings of the result, each once, and the number of the others."""
        notices = list(dict.fromkeys(map(str, getattr(self, "warnings", ()))))
        left = len(notices) - _MAX_NOTICES
        return notices[:_MAX_NOTICES] + [f"{left} more in `warnings`"] * (left > 0)

    def _visible_rows(self) -> tuple[Sequence[str], list[Sequence[RowValue]], list[str]]:
        """Headers, the first rows, and a line about omitted rows, if any."""
        headers, cells = self._table()
        rows = list(islice(cells, MAX_SHOWN_ROWS))
        left = sum(1 for _ in cells)
        return headers if rows else [], rows, [f"... {left} more row{'s'[: left != 1]}"] if left else []


def plural(count: int, noun: str) -> str:
    """A count and its noun, singular or plural.

    >>> plural(1, "topic"), plural(2, "topic")
    ('1 topic', '2 topics')
    """
    return f"{count} {noun}{'s'[: count != 1]}"


def join_names(names: Sequence[str]) -> str:
    """Names joined for a sentence; of many the first ones and the number of others.

    >>> join_names(["a"]), join_names(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    shown, more = list(names[:_MAX_NAMES]), len(names) - _MAX_NAMES
    if more > 0:
        shown.append(f"{more} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def unique_labels(ids: Sequence[str], paths: Sequence[str], shown: Callable[[str], str] | None = None) -> list[str]:
    """Identifiers of runs, with their files if two share one; numbered if they share that too.

    `shown` makes them printable, by default `to_single_line`.

    >>> unique_labels(["a", "b", "b"], ["1", "2", "2"])
    ['a', 'b (2) #1', 'b (2) #2']
    """
    pairs = zip(ids, paths, strict=True)
    fit = shown or to_single_line
    names = [fit(run_id if ids.count(run_id) == 1 else f"{run_id} ({path})") for run_id, path in pairs]
    return [
        name if names.count(name) == 1 else f"{name} #{names[:number].count(name) + 1}"
        for number, name in enumerate(names)
    ]


def to_single_line(text: str) -> str:
    r"""Text without line ends and unprintable characters, some of which XML forbids.

    >>> to_single_line("a\tb" + chr(0))
    'a b\ufffd'
    """
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in " ".join(text.split()))


def format_numbers(values: Sequence[float], digits: int) -> list[str]:
    """Numbers of a column: without decimals if one of them is 100 or more.

    >>> format_numbers([0.5, 0.25], 2), format_numbers([99, 1234.5], 2)
    (['0.50', '0.25'], ['99', '1,234'])
    """
    large = max(map(abs, values)) >= 100
    return [f"{value:,.0f}" if large else f"{value:.{digits}f}" for value in values]


def _cell_text(cell: RowValue) -> str:
    if cell is None:
        return ""
    return f"{cell:.4f}" if isinstance(cell, float) else escape_unprintable(str(cell))


class DataFrameLike(Protocol):
    """A DataFrame of pandas or polars: column names, and columns by name."""

    @property
    def columns(self) -> Iterable[str]:
        """Names of the columns."""

    def __getitem__(self, name: str, /) -> Iterable[Any]:
        """The values of a column."""


def is_dataframe(value: object) -> TypeGuard[DataFrameLike]:
    """Whether the value is a DataFrame of any library."""
    return hasattr(value, "columns") and hasattr(value, "__getitem__")
