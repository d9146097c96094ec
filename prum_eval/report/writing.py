"""How JSON, CSV, and tables of text, Markdown and LaTeX are written: the one place for all results."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence

from prum_eval.report.registry import Layout
from prum_eval.tabular import RowValue, Tabular

PLAIN, MARKDOWN, LATEX = "simple", "github", "latex_booktabs"
"""Styles of tables, by the names that tabulate has for them."""


def json_text(content: object, indent: int = 2) -> str:
    """JSON with one key a line; numbers are never rounded."""
    return json.dumps(content, ensure_ascii=False, indent=indent) + "\n"


def csv_text(header: Sequence[str], rows: Iterable[Sequence[RowValue]]) -> str:
    r"""CSV at full precision; a value that is None is empty.

    >>> csv_text(["run", "exact", "value"], [["a,b", True, 0.1], ["c", False, None]])
    'run,exact,value\n"a,b",true,0.1\nc,false,\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([str(cell).lower() if isinstance(cell, bool) else cell for cell in row] for row in rows)
    return text.getvalue()


def rows_csv(result: Tabular, _layout: Layout) -> str:
    """The rows of a result as CSV."""
    rows = list(result.rows())
    return csv_text(list(rows[0]), (list(row.values()) for row in rows))


def table_text(headers: Sequence[str], rows: Sequence[Sequence[str]], style: str, words: int = 1) -> str:
    """A table by tabulate.

    Args:
        headers: name of each column.
        rows: texts of cells, which are shown as they are.
        style: `PLAIN`, `MARKDOWN` or `LATEX` (package booktabs).
        words: so many columns are words, to the left; the others are numbers, to the right.
    """
    from tabulate import tabulate

    align = ["left"] * words + ["right"] * (len(headers) - words)
    return tabulate(rows, headers, tablefmt=style, disable_numparse=True, colalign=align if rows else None) + "\n"


def padded(cells: Sequence[str], widths: Sequence[int], words: int = 1) -> str:
    """A line of a table for people: cells as wide as told, words to the left, numbers to the right.

    >>> padded(["map", "0.5"], [5, 7])
    'map        0.5'
    """
    pairs = enumerate(zip(cells, widths, strict=True))
    aligned = (cell.ljust(width) if column < words else cell.rjust(width) for column, (cell, width) in pairs)
    return "  ".join(aligned).rstrip()
