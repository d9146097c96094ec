"""Parts that several html pages share: inputs and links at the top, tables to sort, figures with curves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prum_eval.evaluation.notices import Notice, summed
from prum_eval.evaluation.results import Curve, Evaluation, MeasuredValue
from prum_eval.report.drawing import Panel, line_style, mean_panels, name_at_point, run_styles
from prum_eval.report.layout import Markup, add_line_breaks, fill, format_value, join_lines
from prum_eval.report.svg import PAGE_FRAME, panel_svg, swatch
from prum_eval.tabular import to_single_line

_FACTS = '<dl class="facts">\n{rows}\n</dl>'
_FACT = "<div><dt>{name}</dt><dd>{value}</dd></div>"
_PATHS = "<details><summary>{count}</summary><ul>{items}</ul></details>"
_NAV = '<nav aria-label="Parts of this page"><ul>{links}</ul></nav>'
_LINK = '<li><a href="#{key}">{name}</a></li>'
_WARNINGS = '<section class="warnings" aria-label="Warnings">\n<ul>\n{items}\n</ul>\n</section>'
_INPUTS = ("assessments", "structure", "navigation")
MAX_LISTED_FILES = 3
"""Maximum number of files that are not folded."""


def facts(
    parameters: Mapping[str, Any], paths: Sequence[str], topics: str, date: str, more: Mapping[str, str] | None = None
) -> Markup:
    """The inputs as a list of terms.

    Args:
        parameters: of the evaluation.
        paths: files of the runs; empty for a run without one.
        topics: their number, in words.
        date: the date; none if empty.
        more: other terms.
    """
    rows: dict[str, Markup | str] = {
        key.capitalize(): _path(value) for key in _INPUTS if isinstance(value := parameters.get(key), str) and value
    }
    files = [_path(path) for path in paths if path]
    if len(files) > MAX_LISTED_FILES:
        items = [fill("<li>{path}</li>", path=path) for path in files]
        rows["Runs"] = fill(_PATHS, count=f"{len(files)} files", items=items)
    elif files:
        rows["Run" if len(files) == 1 else "Runs"] = Markup("<br>".join(files))
    rows |= {**({"Topics": topics} if topics else {}), **(more or {}), **({"Date": date} if date else {})}
    return fill(_FACTS, rows=join_lines(fill(_FACT, name=name, value=value) for name, value in rows.items()))


def part_links(parts: Mapping[str, str]) -> Markup:
    """Links to parts of the page; `parts` are their titles by identifier."""
    return fill(_NAV, links=[fill(_LINK, key=key, name=name) for key, name in parts.items()]) if parts else Markup("")


def warnings_section(warnings: Sequence[Notice | str]) -> Markup:
    """The warnings as a list; empty if there are none."""
    items = join_lines(fill("<li>{warning}</li>", warning=to_single_line(text)) for text in summed(warnings, hint=""))
    return fill(_WARNINGS, items=items) if warnings else Markup("")


def _path(path: str) -> Markup:
    return add_line_breaks(to_single_line(path), before="/")


# Tables with heads to sort by, names that select lines of figures, and marked best values.

_MAX_PLAIN_NAME = 28
"""Maximum number of letters in a row name that is one line."""

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
    """The text, the value to sort by (a number in full, a text, or nothing), and whether it is the best."""

    text: str | Markup
    value: str
    best: bool = False


def value_cell(value: MeasuredValue, digits: int, mark: str = "", *, best: bool = False) -> Cell:
    """The cell of a value; empty for None."""
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
    """A table to sort, with a head per column and a name per row.

    Args:
        caption: its name for screen readers.
        corner: the head of the names.
        columns: heads of the others.
        rows: names.
        cells: those of each row.
        runs: per row the index of the run whose lines its name selects; empty if there are no lines.
        words: the columns that hold texts.
    """
    kinds = [(corner, "text"), *((name, "text" if name in words else "number") for name in columns)]
    heads = [fill(_HEAD, kind=kind, name=to_single_line(name)) for name, kind in kinds]
    run_numbers: Sequence[int | None] = list(runs) or [None] * len(rows)
    body = join_lines(_row(*parts) for parts in zip(rows, cells, run_numbers, strict=True))
    return fill(_TABLE, caption=to_single_line(caption), heads=heads, body=body)


def _row(name: str, cells: Sequence[Cell], run: int | None) -> Markup:
    long = Markup(' class="long"' if len(name) > _MAX_PLAIN_NAME else "")
    name = shown = to_single_line(name)
    attribute = Markup("")
    if run is not None:
        shown, attribute = fill(_CHOICE, run=run, name=name), Markup(f' data-run="{run}"')
    texts = [fill(_BEST if cell.best else _CELL, value=cell.value, text=cell.text) for cell in cells]
    return fill(_ROW, run=attribute, long=long, name=name, shown=shown, cells=texts)


# Curves: a figure per measure with a line per run, its values as a table, a legend of buttons.

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
    """The section, if there are curves. `names` are those of the runs, `mark` follows every average."""
    panels = mean_panels(evaluation)
    if not panels:
        return []
    styles = run_styles(evaluation)
    shown = sorted((style, run) for run, style in enumerate(styles) if style is not None)
    legend = legend_items((run, style, names[run]) for style, run in shown)
    hint = _HINT
    if None in styles:
        hint += f" The best {len(shown)} of {len(names)} runs have a colour, the others are grey."
    figures = [_figure_with_table(evaluation, panel, names, digits, mark) for panel in panels]
    return [fill(_SECTION, hint=hint, legend=legend, figures=figure_grid(figures))]


def legend_items(lines: Iterable[tuple[int, int, str]]) -> Markup:
    """Buttons that select lines: of each the index of its run, the number of its style, and its name."""
    return join_lines(fill(_LEGEND, run=run, swatch=swatch(line_style(style)), name=name) for run, style, name in lines)


def interactive_figure(
    panel: Panel, points: Sequence[float], labels: Sequence[str], below: str = "", more: str = ""
) -> Markup:
    """A figure that shows the values under the pointer; `labels` are the names of its `points`."""
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
    """Figures side by side, as many as there is space for."""
    return fill('<div class="curves">\n{figures}\n</div>', figures=join_lines(figures))


def details_element(summary: str, content: str) -> Markup:
    """Content that is folded below its summary."""
    return fill(_DETAILS, summary=summary, content=content)


def point_names(curve: Curve, points: Iterable[float]) -> list[str]:
    """The names of the points of a curve, without the name of its measure."""
    return [name_at_point(curve, x).removeprefix(f"{curve.measure}_").partition(":")[0] for x in points]


def _figure_with_table(evaluation: Evaluation, panel: Panel, names: Sequence[str], digits: int, mark: str) -> Markup:
    curves = curves_by_run(evaluation, panel.measure)
    existing = [curve for curve in curves if curve is not None]
    points = sorted({x for curve in existing for x, _ in curve.all})
    heads = point_names(existing[0], points)
    values = [dict(curve.all) if curve is not None else {} for curve in curves]
    rows = [[value_cell(own.get(x), digits, mark) for x in points] for own in values]
    caption = f"Averages of {panel.measure}"
    values_table = sortable_table(caption, "run", heads, names, rows, runs=range(len(names)))
    return interactive_figure(panel, points, heads, details_element("Values", values_table))


def curves_by_run(evaluation: Evaluation, name: str) -> list[Curve | None]:
    """The curve of that name of each run; None if a run lacks it."""
    return [next((curve for curve in curves if curve.name == name), None) for curves in evaluation.curves]
