"""How JSON, CSV, and tables of text, Markdown and LaTeX are written: the one place for all results."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from textwrap import wrap

from prum_eval.errors import UNPRINTABLE_IN_LINES, Printable, printable
from prum_eval.formats.values.scores import FORMULA_SIGNS
from prum_eval.report.layout import Layout
from prum_eval.tabular import RowValue, Tabular

PLAIN, MARKDOWN, LATEX = "simple", "github", "latex_booktabs"
"""Styles of tables, by the names that tabulate has for them."""

LINE_WIDTH = 80
"""Columns of what people read in a terminal."""
_NUMBER = re.compile(r"[-+]?[0-9.]+")
_BEFORE_BAR = re.compile(r"(\\*)\|")


def json_text(content: object, indent: int = 2) -> str:
    """JSON with one key a line; numbers are never rounded."""
    text = json.dumps(content, ensure_ascii=False, indent=indent) + "\n"
    if text.isascii() and "\x7f" not in text:
        return text
    return UNPRINTABLE_IN_LINES.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)  # JSON's own way to write them


def csv_text(header: Sequence[str], rows: Iterable[Sequence[RowValue]], *, raw: bool = False) -> str:
    r"""CSV at full precision; a value that is None is empty.

    Unless it is to be `raw`, texts that a spreadsheet would run as a formula have a ' in front.

    >>> csv_text(["run", "exact", "value"], [["a,b", True, 0.1], ["c", False, None]])
    'run,exact,value\n"a,b",true,0.1\nc,false,\n'
    >>> csv_text(["run"], [["=1+1"], [-1], ["-1"]]), csv_text(["run"], [["=1+1"]], raw=True)
    ("run\n'=1+1\n-1\n-1\n", 'run\n=1+1\n')
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([cell if raw else _inert(cell) for cell in map(_csv_cell, row)] for row in rows)
    return text.getvalue()


def _csv_cell(value: RowValue) -> RowValue:
    return str(value).lower() if isinstance(value, bool) else value


def _inert(cell: RowValue) -> RowValue:
    """A cell that no spreadsheet runs: a text that looks like a formula is marked as text; numbers are none."""
    runs = isinstance(cell, str) and cell.startswith(FORMULA_SIGNS) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if runs else cell


def rows_csv(result: Tabular, layout: Layout) -> str:
    """The rows of a result as CSV."""
    rows = list(result.rows())
    return csv_text(list(rows[0]), (list(row.values()) for row in rows), raw=layout.raw_csv)


def table_text(headers: Sequence[str], rows: Sequence[Sequence[str]], style: str, words: int = 1) -> str:
    """A table by tabulate.

    Args:
        headers: name of each column.
        rows: texts of cells, which are shown as they are: what Markdown or LaTeX would take for its own is escaped.
        style: `PLAIN`, `MARKDOWN` or `LATEX` (package booktabs).
        words: so many columns are words, to the left; the others are numbers, to the right.
    """
    from tabulate import tabulate

    made = markdown if style == MARKDOWN else printable
    headers, rows = list(map(made, headers)), [list(map(made, row)) for row in rows]
    align = ["left"] * words + ["right"] * (len(headers) - words)
    return tabulate(rows, headers, tablefmt=style, disable_numparse=True, colalign=align if rows else None) + "\n"


def markdown(text: str) -> str:
    r"""A text that stays in its cell of a table in Markdown, and is no HTML.

    >>> print(markdown("a|b<i>&amp;"))
    a\|b&lt;i&gt;&amp;amp;
    """
    safe = escape(printable(text), quote=False)
    return _BEFORE_BAR.sub(lambda found: rf"{2 * found[1]}\|", safe)


def padded(cells: Sequence[str], widths: Sequence[int], words: int = 1, bold: Sequence[int] = ()) -> str:
    """A line of a table for people: cells as wide as told, words to the left, numbers to the right.

    `bold`: columns that a terminal shows in bold.

    >>> padded(["map", "0.5"], [5, 7])
    'map        0.5'
    """
    pairs = enumerate(zip(cells, widths, strict=True))
    aligned = (cell.ljust(width) if column < words else cell.rjust(width) for column, (cell, width) in pairs)
    if not bold:
        return "  ".join(aligned).rstrip()
    cells = list(map(printable, aligned))
    for column in bold:
        cells[column] = cells[column].replace(text := cells[column].strip(), f"\x1b[1m{text}\x1b[0m")
    return Printable("  ".join(cells).rstrip())


def labels(names: Sequence[str], room: int) -> list[str]:
    """The names, or their numbers from 1 where they repeat or one of them is longer than the room.

    >>> labels(["a", "b"], 9), labels(["a", "a"], 9)
    (['a', 'b'], ['1', '2'])
    """
    if len(set(names)) == len(names) and max(map(len, names)) <= room:
        return list(names)
    return [str(number) for number in range(1, len(names) + 1)]


def paragraph(text: str) -> str:
    """A sentence in lines of `LINE_WIDTH`; names are not broken."""
    return "\n".join(wrap(text, LINE_WIDTH, break_long_words=False, break_on_hyphens=False))


def wrapped_words(text: str, width: int) -> str:
    r"""Text broken into lines between words; a word longer than a line anywhere.

    >>> wrapped_words("1 none, 2 t2i:tolerance=300", 12)
    '1 none, 2\nt2i:toleranc\ne=300'
    """
    lines = wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(line[start : start + width] for line in lines for start in range(0, len(line), width))


def wrapped(text: str, width: int) -> str:
    r"""Text broken into lines: after a sign where one stands in the second half of a line, else anywhere.

    >>> wrapped("eprum_P:user_model=t2i,tolerance=100", 25)
    'eprum_P:user_model=t2i,\ntolerance=100'
    """
    lines = []
    width = max(width, 1)
    while len(text) > width:
        cut = max(text.rfind(sign, width // 2, width) for sign in " ,:=_/-.") + 1 or width
        lines.append(text[:cut].rstrip())
        text = text[cut:]
    return "\n".join([*lines, text])
