"""Curves of a page: a drawing a measure with a line a run, its values as a table, a legend of buttons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from prum_eval.evaluation.results import Curve, Evaluation
from prum_eval.report.drawing.line_styles import line_style
from prum_eval.report.drawing.panels import Panel, mean_panels, one_line, printed, run_styles
from prum_eval.report.drawing.svg import panel_svg, point_place, swatch
from prum_eval.report.html.tables import cell, table
from prum_eval.report.markup import Markup, fill, lines

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
_FOLDED = "<details>\n<summary>{summary}</summary>\n{content}\n</details>"


def curves_section(evaluation: Evaluation, names: Sequence[str], digits: int, mark: str) -> list[Markup]:
    """The section; none where nothing has a curve. `names` are those of the runs, `mark` stands at every average."""
    panels = mean_panels(evaluation)
    if not panels:
        return []
    styles = run_styles(evaluation)
    shown = sorted((style, run) for run, style in enumerate(styles) if style is not None)
    legend = lines(fill(_LEGEND, run=run, swatch=swatch(line_style(style)), name=names[run]) for style, run in shown)
    hint = _HINT
    if None in styles:
        hint += f" The best {len(shown)} of {len(names)} runs have a colour, the others are grey."
    figures = [_with_values(evaluation, panel, names, digits, mark) for panel in panels]
    return [fill(_SECTION, hint=hint, legend=legend, figures=grid(figures))]


def figure(panel: Panel, points: Sequence[float], labels: Sequence[str], below: str = "", more: str = "") -> Markup:
    """A drawing that answers to the pointer: `labels` are what is said at each of its `points`."""
    places = " ".join(f"{point_place(panel, point, panel.y.low)[0]:.1f}" for point in points)
    return fill(
        _FIGURE,
        places=places,
        labels=" ".join(labels),
        more=Markup(more),
        title=one_line(panel.title),
        drawing=panel_svg(panel),
        below=below,
    )


def grid(figures: Iterable[Markup]) -> Markup:
    """Figures side by side, as many as there is room for."""
    return fill('<div class="curves">\n{figures}\n</div>', figures=lines(figures))


def folded(summary: str, content: str) -> Markup:
    """What is shown once it is asked for."""
    return fill(_FOLDED, summary=summary, content=content)


def point_names(curve: Curve, points: Iterable[float]) -> list[str]:
    """What the points of a curve are called, without the name of its measure."""
    return [printed(curve, x).removeprefix(f"{curve.measure}_").partition(":")[0] for x in points]


def _with_values(evaluation: Evaluation, panel: Panel, names: Sequence[str], digits: int, mark: str) -> Markup:
    curves = [next((one for one in curves if one.name == panel.measure), None) for curves in evaluation.curves]
    known: list[Curve] = [curve for curve in curves if curve is not None]
    points = sorted({x for curve in known for x, _ in curve.all})
    heads = point_names(known[0], points)
    rows = []
    for curve in curves:
        values = dict(curve.all) if curve is not None else {}
        rows.append([cell(values.get(x), digits, mark) for x in points])
    runs = range(len(names))
    values_table = table(f"Averages of {panel.measure}", "run", heads, names, rows, runs=runs)
    return figure(panel, points, heads, folded("Values", values_table))
