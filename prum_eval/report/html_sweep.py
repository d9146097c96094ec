"""The html format of a sweep: a figure per measure with its values, the order of runs, and its changes."""

from __future__ import annotations

from collections.abc import Sequence

from prum_eval.experiments.sweep import Sweep, SweptMean
from prum_eval.parameters import format_parameter
from prum_eval.report.html_page import (
    Cell,
    details_element,
    facts,
    figure_grid,
    interactive_figure,
    legend_items,
    part_links,
    sortable_table,
    value_cell,
    warnings_section,
)
from prum_eval.report.layout import Layout, Markup, add_line_breaks, fill, fill_page, format_value, join_lines
from prum_eval.report.panels import SweepPanel, sweep_panels, value_positions
from prum_eval.report.text_experiments import change_sentence, interval_sentence, listed_changes
from prum_eval.tabular import plural, to_single_line, unique_labels
from prum_eval.version import __version__

_SECTION = '<section id="{key}">\n<h2>{title}</h2>\n{content}\n</section>'
_QUIET = '<p class="quiet">{text}</p>'
_LEGEND = '<ul class="legend" aria-label="{what}">\n{entries}\n</ul>'


def sweep_page(sweep: Sweep, layout: Layout) -> str:
    """Means by value with their intervals, or of a single run curves with a line per value; then tau and changes."""
    names = unique_labels(sweep.runs, sweep.paths)
    parts = {"means": ("Means", _means(sweep, names, layout))}
    if len(names) > 1:
        parts["order"] = "The order of the runs", [_order(sweep, layout), _changes(sweep, names, layout)]
    return fill_page(
        "report",
        ["all", "tables", "evaluation"],
        ["tables", "evaluation"],
        title=f"prum-eval: {to_single_line(sweep.label)}, {plural(len(sweep.values), 'value')}",
        facts=facts(sweep.inputs, sweep.paths, str(sweep.topics), "", {"Values of": to_single_line(sweep.label)}),
        contents=part_links({key: title for key, (title, _) in parts.items()}),
        warnings=warnings_section(sweep.warnings),
        parts=join_lines(
            fill(_SECTION, key=key, title=title, content=join_lines(content)) for key, (title, content) in parts.items()
        ),
        signature=add_line_breaks(to_single_line(sweep.signature), after="|,"),
        version=__version__,
    )


def _means(sweep: Sweep, names: Sequence[str], layout: Layout) -> list[Markup]:
    """Figures with a legend of their lines: the runs, or of a single run the values of curves."""
    panels = sweep_panels(sweep)
    several = len(names) > 1
    entries = names if several else [f"{to_single_line(sweep.label)} {value}" for value in sweep.values]
    parts = []
    if any(swept.panel.lines[0].run is not None for swept in panels):
        items = legend_items((number, number, name) for number, name in enumerate(entries))
        parts.append(fill(_LEGEND, what="Runs" if several else "Values", entries=items))
    if (interval := interval_sentence(sweep)) is not None:
        parts.append(fill(_QUIET, text=f"± {interval}"))
    return [*parts, figure_grid(_sweep_figure(sweep, swept, names, layout) for swept in panels)]


def _sweep_figure(sweep: Sweep, swept: SweepPanel, names: Sequence[str], layout: Layout) -> Markup:
    """A figure that shows the values under the pointer, with a table of them."""
    means = {(mean.measure, mean.value, mean.run): mean for mean in sweep.means}
    caption, values = f"Means of {swept.panel.title}", range(len(sweep.values))
    if swept.by_value:
        points, labels = swept.points, [format_parameter(point) for point in swept.points]
        rows = [[_cell(means[number, value, 0], layout) for number in swept.numbers] for value in values]
        table = sortable_table(caption, sweep.label, labels, sweep.values, rows, runs=values)
    else:
        points, labels = value_positions(sweep), list(sweep.values)
        rows = [[_cell(means[swept.numbers[0], value, run], layout) for value in values] for run in range(len(names))]
        table = sortable_table(caption, "run", labels, names, rows, runs=range(len(names)) if len(names) > 1 else ())
    point_labels = [label.replace(" ", "\N{NO-BREAK SPACE}") for label in labels]
    return interactive_figure(swept.panel, points, point_labels, details_element("Values", table))


def _cell(mean: SweptMean, layout: Layout) -> Cell:
    cell = value_cell(mean.mean, layout.digits)
    if mean.mean is None or mean.margin is None:
        return cell
    return Cell(f"{cell.text} ±{format_value(mean.margin, layout.digits)}", cell.value)


def _order(sweep: Sweep, layout: Layout) -> Markup:
    """Kendall's tau of the runs by each measure at each value, against the reference."""
    rows = [[value_cell(tau, layout.digits) for tau in sweep.tau[name]] for name in sweep.measures]
    text = f"Kendall's tau-b of the runs against their order at {sweep.values[sweep.reference]}"
    return join_lines([fill(_QUIET, text=text), sortable_table(text, "measure", sweep.values, sweep.measures, rows)])


def _changes(sweep: Sweep, names: Sequence[str], layout: Layout) -> Markup:
    changes, note = listed_changes(sweep)
    items = [fill("<li>{text}</li>", text=change_sentence(sweep, one, names, layout.digits)) for one in changes]
    listing = fill("<h3>Runs that change places</h3>\n<ul>\n{items}\n</ul>\n", items=join_lines(items)) if items else ""
    return Markup(listing + (fill(_QUIET, text=note) if note else ""))
