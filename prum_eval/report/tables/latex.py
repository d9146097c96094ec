"""A table for papers in LaTeX (package booktabs), and the one place where texts are made safe to stand in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence

from prum_eval.errors import printable
from prum_eval.report.tables.columns import broken
from prum_eval.report.tables.grid import OTHERWISE, SIGNIFICANT, Grid, TableCell

_TABLE = r"""% in the preamble: \usepackage{{booktabs}}; table* in place of table spans both columns of a page
\begin{{table}}
\centering
\caption{{{caption}}}
\begin{{tabular}}{{{align}}}
\toprule
{head} \\
\midrule
{rows}
\bottomrule
\end{{tabular}}
\end{{table}}
"""
_LONG = 12
"""Longer heads of columns are broken into lines."""
_SAFE = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "`": r"\textasciigrave{}", '"': r"\char34{}", "[": "{[}", "]": "{]}", "*": "{*}",
    "\N{DAGGER}": r"\textdagger{}",
}  # fmt: skip
"""Signs that mean something else in LaTeX, after the end of a row of a table. Two hyphens would be a dash."""
_MARKS = {SIGNIFICANT: r"$^{*}$", OTHERWISE: r"$^{\dagger}$"}


def latex(text: str) -> str:
    r"""A text as LaTeX shows it.

    >>> latex("a_1 & 50 %"), latex(r"\input{x}")
    ('a\\_1 \\& 50 \\%', '\\textbackslash{}input\\{x\\}')
    """
    return "-{}".join("".join(_SAFE.get(sign, sign) for sign in part) for part in re.split("-(?=-)", printable(text)))


def latex_table(grid: Grid) -> str:
    """The table with its caption. Marks take no room, so that digits stand below each other."""
    heads = [*([latex(label)] for label in grid.labels), *(_lines(name) for name in grid.columns)]
    head = [_head(lines, left=number < len(grid.labels)) for number, lines in enumerate(heads)]
    rows: list[str] = []
    for number, (labels, cells) in enumerate(grid.rows):
        if number and number in grid.starts:
            rows.append(r"\midrule")
        rows.append(" & ".join([*map(latex, labels), *map(_cell, cells)]) + r" \\")
    return _TABLE.format(
        caption=" ".join([latex(grid.caption), *(f"{_MARKS[mark]}~{latex(text)}" for mark, text in grid.notes)]),
        align="l" * len(grid.labels) + "r" * len(grid.columns),
        head=" & ".join(head),
        rows="\n".join(rows),
    )


def _lines(name: str) -> list[str]:
    return [latex(line) for line in (broken(name) if len(name) > _LONG else [name])]


def _head(lines: Sequence[str], *, left: bool) -> str:
    if len(lines) == 1:
        return lines[0]
    return rf"\begin{{tabular}}[b]{{@{{}}{'l' if left else 'r'}@{{}}}}" + r" \\ ".join(lines) + r"\end{tabular}"


def _cell(cell: TableCell) -> str:
    text = rf"\textbf{{{latex(cell.text)}}}" if cell.best else latex(cell.text)
    return text + (rf"\rlap{{{''.join(_MARKS[mark] for mark in cell.mark)}}}" if cell.mark else "")
