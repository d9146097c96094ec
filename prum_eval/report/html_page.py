"""What a page says of itself: its inputs, its date, how to get from part to part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prum_eval.evaluation.notices import Notice, summed
from prum_eval.evaluation.results import Curve, Evaluation, MeasuredValue
from prum_eval.report.drawing import (
    Panel,
    line_style,
    mean_panels,
    name_at_point,
    run_styles,
    to_single_line,
)
from prum_eval.report.layout import Markup, add_line_breaks, fill, format_value, join_lines
from prum_eval.report.svg import PAGE_FRAME, panel_svg, swatch

_FACTS = '<dl class="facts">\n{rows}\n</dl>'
_FACT = "<div><dt>{name}</dt><dd>{value}</dd></div>"
_PATHS = "<details><summary>{count}</summary><ul>{items}</ul></details>"
_NAV = '<nav aria-label="Parts of this page"><ul>{links}</ul></nav>'
_LINK = '<li><a href="#{key}">{name}</a></li>'
_WARNINGS = '<section class="warnings" aria-label="Warnings">\n<ul>\n{listed}\n</ul>\n</section>'
_INPUTS = ("assessments", "structure", "navigation")
MAX_LISTED_FILES = 3
"""More files are folded."""


def facts(
    parameters: Mapping[str, Any], paths: Sequence[str], topics: str, date: str, more: Mapping[str, str] | None = None
) -> Markup:
    """The inputs as a list of terms.

    Args:
        parameters: of the evaluation.
        paths: files of the runs; those that have none are empty.
        topics: how many there are, in words.
        date: what it says of the date; nothing if empty.
        more: other terms.
    """
    rows: dict[str, Markup | str] = {
        key.capitalize(): _path(value) for key in _INPUTS if isinstance(value := parameters.get(key), str) and value
    }
    known = [path for path in paths if path]
    if known:
        rows["Run" if len(known) == 1 else "Runs"] = _file_list(known)
    rows |= {**({"Topics": topics} if topics else {}), **(more or {})}
    if date:
        rows["Date"] = date
    return fill(_FACTS, rows=join_lines(fill(_FACT, name=name, value=value) for name, value in rows.items()))


def part_links(parts: Mapping[str, str]) -> Markup:
    """Links to parts of the page, by their identifiers."""
    return fill(_NAV, links=[fill(_LINK, key=key, name=name) for key, name in parts.items()]) if parts else Markup("")


def warnings_section(warnings: Sequence[Notice | str]) -> Markup:
    """What the user should know, as a list; nothing where there is none."""
    listed = join_lines(fill("<li>{warning}</li>", warning=to_single_line(text)) for text in summed(warnings, hint=""))
    return fill(_WARNINGS, listed=listed) if warnings else Markup("")


def _path(path: str) -> Markup:
    return add_line_breaks(to_single_line(path), before="/")


def _file_list(paths: Sequence[str]) -> Markup:
    shown = [_path(path) for path in paths]
    if len(paths) <= MAX_LISTED_FILES:
        return Markup("<br>".join(shown))
    return fill(_PATHS, count=f"{len(paths)} files", items=[fill("<li>{path}</li>", path=path) for path in shown])


# Tables of a page: heads to sort by, names that choose lines of drawings, the best values marked.


_MAX_PLAIN_NAME = 28
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


def value_cell(value: MeasuredValue, digits: int, mark: str = "", *, best: bool = False) -> Cell:
    """The cell of a value; an empty one where there is none."""
    return Cell("", "") if value is None else Cell(format_value(value, digits) + mark, repr(value), best)


def sortable_table(
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
    heads = [fill(_HEAD, kind=kind, name=to_single_line(name)) for name, kind in kinds]
    chosen: Sequence[int | None] = list(runs) or [None] * len(rows)
    body = join_lines(_row(*parts) for parts in zip(rows, cells, chosen, strict=True))
    return fill(_TABLE, caption=to_single_line(caption), heads=heads, body=body)


def _row(name: str, cells: Sequence[Cell], run: int | None) -> Markup:
    told = [fill(_BEST if one.best else _CELL, value=one.value, text=one.text) for one in cells]
    long = Markup(' class="long"' if len(name) > _MAX_PLAIN_NAME else "")
    shown: Markup | str = to_single_line(name)
    if run is not None:
        shown = fill(_CHOICE, run=run, name=shown)
    mark = Markup("" if run is None else f' data-run="{run}"')
    return fill(_ROW, run=mark, long=long, name=to_single_line(name), shown=shown, cells=told)


# Curves of a page: a drawing a measure with a line a run, its values as a table, a legend of buttons.


_SECTION = """<section id="curves">
<h2>Curves</h2>
<p class="quiet">{hint}</p>
<ul class="legend" aria-label="Runs">
{legend}
</ul>
{figures}
</section>"""
_HINT = "Point at a line or a name to bring a run out, click to keep it, Escape to let go."
_LEGEND = (
    '<li><button type="button" class="run" data-run="{run}" aria-pressed="false">'
    '<svg viewBox="-2 -7 44 14" aria-hidden="true">{swatch}</svg>{name}</button></li>'
)
_FIGURE = """<figure data-x="{places}" data-labels="{labels}"{more}>
<figcaption><h3>{title}</h3></figcaption>
{drawing}<p class="readout" aria-live="polite"></p>
{below}
</figure>"""
_DETAILS = "<details>\n<summary>{summary}</summary>\n{content}\n</details>"


def curves_section(evaluation: Evaluation, names: Sequence[str], digits: int, mark: str) -> list[Markup]:
    """The section; none where nothing has a curve. `names` are those of the runs, `mark` stands at every average."""
    panels = mean_panels(evaluation)
    if not panels:
        return []
    styles = run_styles(evaluation)
    shown = sorted((style, run) for run, style in enumerate(styles) if style is not None)
    legend = join_lines(
        fill(_LEGEND, run=run, swatch=swatch(line_style(style)), name=names[run]) for style, run in shown
    )
    hint = _HINT
    if None in styles:
        hint += f" The best {len(shown)} of {len(names)} runs have a colour, the others are grey."
    figures = [_figure_with_table(evaluation, panel, names, digits, mark) for panel in panels]
    return [fill(_SECTION, hint=hint, legend=legend, figures=figure_grid(figures))]


def interactive_figure(
    panel: Panel, points: Sequence[float], labels: Sequence[str], below: str = "", more: str = ""
) -> Markup:
    """A drawing that answers to the pointer: `labels` are what is said at each of its `points`."""
    places = " ".join(f"{PAGE_FRAME.position(panel, point, panel.y.low)[0]:.1f}" for point in points)
    return fill(
        _FIGURE,
        places=places,
        labels=" ".join(labels),
        more=Markup(more),
        title=to_single_line(panel.title),
        drawing=panel_svg(panel),
        below=below,
    )


def figure_grid(figures: Iterable[Markup]) -> Markup:
    """Figures side by side, as many as there is room for."""
    return fill('<div class="curves">\n{figures}\n</div>', figures=join_lines(figures))


def details_element(summary: str, content: str) -> Markup:
    """What is shown once it is asked for."""
    return fill(_DETAILS, summary=summary, content=content)


def point_names(curve: Curve, points: Iterable[float]) -> list[str]:
    """What the points of a curve are called, without the name of its measure."""
    return [name_at_point(curve, x).removeprefix(f"{curve.measure}_").partition(":")[0] for x in points]


def _figure_with_table(evaluation: Evaluation, panel: Panel, names: Sequence[str], digits: int, mark: str) -> Markup:
    curves = [next((one for one in curves if one.name == panel.measure), None) for curves in evaluation.curves]
    known: list[Curve] = [curve for curve in curves if curve is not None]
    points = sorted({x for curve in known for x, _ in curve.all})
    heads = point_names(known[0], points)
    rows = []
    for curve in curves:
        values = dict(curve.all) if curve is not None else {}
        rows.append([value_cell(values.get(x), digits, mark) for x in points])
    runs = range(len(names))
    values_table = sortable_table(f"Averages of {panel.measure}", "run", heads, names, rows, runs=runs)
    return interactive_figure(panel, points, heads, details_element("Values", values_table))
