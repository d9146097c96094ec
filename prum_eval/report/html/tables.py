"""Tables of a page: heads to sort by, names that choose lines of drawings, the best values marked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from prum_eval.evaluation.results import MeasuredValue
from prum_eval.report.drawing.panels import one_line
from prum_eval.report.layout import formatted
from prum_eval.report.markup import Markup, fill, lines

_LONG = 28
"""Longer names of rows are broken into lines."""

_TABLE = """<div class="scroll" role="region" aria-label="{caption}" tabindex="0">
<table>
<caption class="unseen">{caption}</caption>
<thead>
<tr>{heads}</tr>
</thead>
<tbody>
{body}
</tbody>
</table>
</div>"""
_HEAD = '<th scope="col" data-kind="{kind}"><button type="button">{name}</button></th>'
_ROW = '<tr{run}><th scope="row"{long} data-value="{name}">{shown}</th>{cells}</tr>'
_CELL = '<td data-value="{value}">{text}</td>'
_BEST = '<td class="best" data-value="{value}">{text}<span class="unseen"> best</span></td>'
_CHOICE = '<button type="button" class="run" data-run="{run}" aria-pressed="false">{name}</button>'


@dataclass(frozen=True)
class Cell:
    """What is shown, the value to sort by (a number in full, a text, or nothing), and whether it is the best."""

    text: str | Markup
    value: str
    best: bool = False


def cell(value: MeasuredValue, digits: int, mark: str = "", *, best: bool = False) -> Cell:
    """The cell of a value; an empty one where there is none."""
    return Cell("", "") if value is None else Cell(formatted(value, digits) + mark, repr(value), best)


def table(
    caption: str,
    corner: str,
    columns: Sequence[str],
    rows: Sequence[str],
    cells: Sequence[Sequence[Cell]],
    *,
    runs: Sequence[int] = (),
    words: Collection[str] = (),
) -> Markup:
    """A table to sort: a head a column, a name a row.

    Args:
        caption: what it is called, which is heard and not seen.
        corner: the head of the names.
        columns: heads of the others.
        rows: names.
        cells: what stands beside each name.
        runs: for each row the place of the run whose lines its name chooses; none without lines.
        words: the columns that hold texts.
    """
    kinds = [(corner, "text"), *((name, "text" if name in words else "number") for name in columns)]
    heads = [fill(_HEAD, kind=kind, name=one_line(name)) for name, kind in kinds]
    chosen: Sequence[int | None] = list(runs) or [None] * len(rows)
    body = lines(_row(*parts) for parts in zip(rows, cells, chosen, strict=True))
    return fill(_TABLE, caption=one_line(caption), heads=heads, body=body)


def _row(name: str, cells: Sequence[Cell], run: int | None) -> Markup:
    told = [fill(_BEST if one.best else _CELL, value=one.value, text=one.text) for one in cells]
    long = Markup(' class="long"' if len(name) > _LONG else "")
    shown: Markup | str = one_line(name)
    if run is not None:
        shown = fill(_CHOICE, run=run, name=shown)
    mark = Markup("" if run is None else f' data-run="{run}"')
    return fill(_ROW, run=mark, long=long, name=one_line(name), shown=shown, cells=told)
