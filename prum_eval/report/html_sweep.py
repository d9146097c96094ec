"""The html format of a sweep: one page with a drawing a measure, its values, the order of runs, who changes places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prum_eval.experiments.sweep import Sweep, SweptMean
from prum_eval.parameters import format_parameter
from prum_eval.report.drawing import line_style, to_single_line, unique_labels
from prum_eval.report.html_page import (
    Cell,
    details_element,
    facts,
    figure_grid,
    interactive_figure,
    part_links,
    sortable_table,
    value_cell,
    warnings_section,
)
from prum_eval.report.layout import Layout, Markup, add_line_breaks, fill, fill_page, format_value, join_lines
from prum_eval.report.panels import SweepPanel, sweep_panels, value_positions
from prum_eval.report.svg import swatch
from prum_eval.report.text_experiments import change_sentence, interval_sentence
from prum_eval.tabular import plural
from prum_eval.version import __version__

_SECTION = '<section id="{key}">\n<h2>{title}</h2>\n{content}\n</section>'
_QUIET = '<p class="quiet">{text}</p>'
_LEGEND = '<ul class="legend" aria-label="{what}">\n{entries}\n</ul>'
_ENTRY = (
    '<li><button type="button" class="run" data-run="{number}" aria-pressed="false">'
    '<svg viewBox="-2 -7 44 14" aria-hidden="true">{swatch}</svg>{name}</button></li>'
)


def sweep_page(sweep: Sweep, layout: Layout) -> str:
    """Means by value with their intervals, or of a single run curves with a line a value; then tau and crossings."""
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
        signature=add_line_breaks(to_single_line(sweep.signature), after="|,"),  # it has no spaces to break lines at
        version=__version__,
    )


def _means(sweep: Sweep, names: Sequence[str], layout: Layout) -> list[Markup]:
    """Drawings with a legend of what their lines are: of several runs these, else the values of what is a curve."""
    panels = sweep_panels(sweep)
    several = len(names) > 1
    entries = names if several else [f"{to_single_line(sweep.label)} {value}" for value in sweep.values]
    found = []
    if any(one.panel.lines[0].run is not None for one in panels):
        listed = join_lines(
            fill(_ENTRY, number=number, swatch=swatch(line_style(number)), name=name)
            for number, name in enumerate(entries)
        )
        found.append(fill(_LEGEND, what="Runs" if several else "Values", entries=listed))
    if (interval := interval_sentence(sweep)) is not None:
        found.append(fill(_QUIET, text=f"± {interval}"))
    return [*found, figure_grid(_sweep_figure(sweep, one, names, layout) for one in panels)]


def _sweep_figure(sweep: Sweep, one: SweepPanel, names: Sequence[str], layout: Layout) -> Markup:
    """A drawing that answers to the pointer, its values below it."""
    known = {(mean.measure, mean.value, mean.run): mean for mean in sweep.means}
    if one.by_value:
        points, labels = one.points, [format_parameter(point) for point in one.points]
        rows = [
            [_cell(known[number, value, 0], layout) for number in one.numbers] for value in range(len(sweep.values))
        ]
        below = sortable_table(
            f"Means of {one.panel.title}", sweep.label, labels, sweep.values, rows, runs=range(len(sweep.values))
        )
    else:
        points, labels = value_positions(sweep), list(sweep.values)
        rows = [
            [_cell(known[one.numbers[0], value, run], layout) for value in range(len(labels))]
            for run in range(len(names))
        ]
        runs = range(len(names)) if len(names) > 1 else ()
        below = sortable_table(f"Means of {one.panel.title}", "run", labels, names, rows, runs=runs)
    said = [label.replace(" ", "\N{NO-BREAK SPACE}") for label in labels]
    return interactive_figure(one.panel, points, said, details_element("Values", below))


def _cell(mean: SweptMean, layout: Layout) -> Cell:
    found = value_cell(mean.mean, layout.digits)
    if mean.mean is None or mean.margin is None:
        return found
    return Cell(f"{found.text} ±{format_value(mean.margin, layout.digits)}", found.value)


def _order(sweep: Sweep, layout: Layout) -> Markup:
    """Kendall's tau of the runs by each measure at each value, against the reference."""
    rows = [[value_cell(tau, layout.digits) for tau in sweep.tau[name]] for name in sweep.measures]
    told = f"Kendall's tau-b of the runs against their order at {sweep.values[sweep.reference]}"
    return join_lines([fill(_QUIET, text=told), sortable_table(told, "measure", sweep.values, sweep.measures, rows)])


def _changes(sweep: Sweep, names: Sequence[str], layout: Layout) -> Markup:
    if not sweep.changes:
        return fill(_QUIET, text="No two runs change places.")

    def listed() -> Iterator[Markup]:
        for one in sweep.changes:
            yield fill("<li>{told}</li>", told=change_sentence(sweep, one, names, layout.digits))

    return fill("<h3>Runs that change places</h3>\n<ul>\n{listed}\n</ul>", listed=join_lines(listed()))
