"""What the pictures of comparisons and correlations show.

Comparisons: mean differences with their intervals, and differences by topic as bars. Correlations: pairs of measures
over runs with the regression line, and maps of the coefficients of all pairs.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

import numpy as np

from prum_eval.analysis.comparison import Comparison, RunMean, paired_difference
from prum_eval.analysis.correlation import Correlation, Correlations, Estimate
from prum_eval.arrays import FloatArray
from prum_eval.report.columns import significant_runs
from prum_eval.report.drawing import (
    SIZES,
    Area,
    Axis,
    Label,
    LegendEntry,
    LineStyle,
    Mark,
    Panel,
    Picture,
    Polyline,
    line_style,
    linear_axis,
    mix_colours,
    to_single_line,
    unique_labels,
)
from prum_eval.report.layout import Layout, wrap_text
from prum_eval.report.panels import trade_off_of_comparison
from prum_eval.report.pictures import render_picture
from prum_eval.report.plots import NAMED_RUNS, bar, rows_panel, topic_bars, trade_off_picture
from prum_eval.report.text_comparison import leaderboard_rows

_BETTER, _WORSE = "#0072b2", "#f0c9a8"  # dark and light, in grey too
_BASE = LineStyle("#000000", None, "square")
_SIGNIFICANT = LineStyle(_BETTER, None, "circle")
_NOT_SIGNIFICANT = LineStyle("#8c8c8c", None, "circle", hollow=True)
_INTERVAL_SPACE = 0.04
"""Space beside intervals, in the length of the axis."""
MAX_SCATTERS = 6
"""Maximum number of pairs with a panel of their own; more are shown by the maps alone."""
MAX_NAMED_POINTS = 14
"""Maximum number of runs whose points are named."""
_COEFFICIENTS = {
    "pearson": "Pearson's r",
    "tau_b": "Kendall's \N{GREEK SMALL LETTER TAU}b",
    "tau_ap": "\N{GREEK SMALL LETTER TAU}ap",
}
_MAP_COLOURS = ("#f7fbff", "#9ecae1", "#08306b")
"""Of the coefficients -1, 0 and 1."""


def comparison_picture(comparison: Comparison, layout: Layout) -> bytes:
    """Per measure a panel of mean differences with intervals, and per other run one of its topics.

    Runs are named at the axis, the best first by the measure that ranks them. With more runs or panels than can be read
    only the means are shown. Measures that are quality and cost, or found within budgets, are drawn instead.

    Args:
        comparison: the result of `compare`.
        layout: size and format of the picture; the test whose p-values decide what is significant.

    Raises:
        UsageError: too many panels, or no matplotlib.
    """
    if (trade_off := trade_off_of_comparison(comparison)) is not None:
        return trade_off_picture(trade_off, layout)
    matrix = comparison.matrix
    names = unique_labels(matrix.runs, matrix.paths)
    count = len(matrix.measures) * len(names)
    only_means = len(names) > NAMED_RUNS or count > SIZES[layout.size].max_panels
    columns = SIZES[layout.size].grid(len(matrix.measures) if only_means else count)[1]
    significant = significant_runs(comparison, layout.test)
    panels: list[Panel] = []
    for number, (measure, rows) in enumerate(leaderboard_rows(comparison, layout.sort).items()):
        row_names = [names[row.run] for row in rows]
        if only_means and number % columns:
            row_names = [""] * len(rows)
        panels.append(_mean_differences(measure, rows, names, row_names, significant[measure]))
        if only_means:
            continue
        base, values = comparison.base[measure], matrix.values[number]
        judged = ~np.isnan(values[0])
        topics = [to_single_line(topic) for topic, is_judged in zip(matrix.topics, judged, strict=True) if is_judged]
        differences = {
            run: paired_difference(values[run, judged], values[base, judged])
            for run in range(len(names))
            if run != base
        }
        ends = [end for own in differences.values() for end in (own.min(), own.max())]
        axis = linear_axis(min(0.0, *ends), max(0.0, *ends))
        panels += [
            _topic_differences(f"{names[run]} \N{MINUS SIGN} {names[base]}", axis, measure, topics, own)
            for run, own in differences.items()
        ]
    settings = comparison.settings
    base_name = "the best run" if settings.pairs != "first" else names[next(iter(comparison.base.values()))]
    interval = f", {100 * (1 - settings.alpha):g} % intervals" if comparison.families else ""
    legend: list[LegendEntry] = [(_BASE, "the run that others are compared with")]
    if comparison.families:
        text = f"* significant: {layout.test} test, p by Holm below {settings.alpha:g}"
        legend += [(_SIGNIFICANT, text), (_NOT_SIGNIFICANT, "not significant")]
    title = f"Mean differences to {base_name}{interval}"
    tall = max(1.0, len(names) / NAMED_RUNS)
    return render_picture(Picture(panels, legend, title, wide=1.2, tall=tall), layout)


def _mean_differences(
    measure: str, rows: Sequence[RunMean], names: Sequence[str], row_names: Sequence[str], significant: Container[int]
) -> Panel:
    """Mean differences to the base, which is the line at 0, a row per run."""
    marks: list[Mark] = []
    ends = [0.0]
    for place, row in enumerate(rows):
        difference, name = row.difference, f"{measure}:{names[row.run]}"
        mean = end = 0.0 if difference is None else difference.mean
        style = _BASE if difference is None else _SIGNIFICANT if row.run in significant else _NOT_SIGNIFICANT
        if difference is not None and difference.low is not None and difference.high is not None:
            points = [(difference.low, float(place)), (difference.high, float(place))]
            marks.append(Polyline(f"interval:{name}", points, LineStyle(style.colour, marker="end")))
            ends += [difference.low, difference.high]
            end = difference.high
        ends.append(mean)
        marks.append(Polyline(f"mean:{name}", [(mean, float(place))], style))
        if row.run in significant:
            marks.append(Label(f"mark:{name}", end, place, "*", shift=0.4))
    space = _INTERVAL_SPACE * (max(ends) - min(ends))
    axis = linear_axis(min(ends) - space, max(ends) + space)
    zero = Polyline("zero", [(0.0, -0.6), (0.0, len(rows) - 0.4)], LineStyle("#444444", width=0.6))
    return rows_panel(measure, to_single_line(measure), axis, row_names, [zero, *marks])


def _topic_differences(title: str, axis: Axis, measure: str, topics: Sequence[str], differences: FloatArray) -> Panel:
    """A bar per topic, from the best to the worst."""
    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    bars = {
        topic: (f"bar:{title}:{measure}:{topic}", difference, _BETTER if difference > 0 else _WORSE)
        for topic, difference in zip(topics, differences.tolist(), strict=True)
    }
    counts = f"{better} better, {len(topics) - better - worse} same, {worse} worse"
    x_label = f"{len(topics)} topic{'s'[: len(topics) != 1]}: {counts}"
    return topic_bars(title, x_label, f"difference in {to_single_line(measure)}", axis, bars)


def correlations_picture(correlations: Correlations, layout: Layout) -> bytes:
    """A scatter per pair of measures, and of three measures or more a map of each coefficient.

    Args:
        correlations: the result of `correlate`.
        layout: size and format of the picture.

    Raises:
        UsageError: too many panels, or no matplotlib.
    """
    measures = len(correlations.matrix.measures)
    pairs = correlations.pairs if len(correlations.pairs) <= MAX_SCATTERS else ()
    maps = [_coefficient_map(correlations, name) for name in _COEFFICIENTS] if measures > 2 else []
    names = unique_labels(correlations.matrix.runs, correlations.matrix.paths)
    panels = [_scatter(correlations, pair, names) for pair in pairs]
    legend: list[LegendEntry] = []
    if pairs:
        legend += [(_point_style(correlations, run), name) for run, name in enumerate(names)]
        if len(names) > MAX_NAMED_POINTS:
            legend = [(legend[0][0], f"one of {len(names)} runs")]
        if any(mark.name.startswith("regression") for panel in panels for mark in panel.marks):
            legend.append((_REGRESSION, "regression line"))
    stretch = max(1.0, (1.6 + 0.36 * measures) / SIZES[layout.size].height) if maps else 1.0
    picture = Picture([*panels, *maps], legend, wide=1.0 if pairs else stretch, tall=stretch)
    return render_picture(picture, layout)


_REGRESSION = LineStyle("#777777", width=0.8)


def _point_style(correlations: Correlations, run: int) -> LineStyle:
    runs = len(correlations.matrix.runs)
    style = line_style(run if runs <= MAX_NAMED_POINTS else 1)
    size = 0.75 if correlations.over == "values" else 1.0
    return LineStyle(style.colour, None, style.marker, style.hollow, size=size)


def _scatter(correlations: Correlations, pair: Correlation, names: Sequence[str]) -> Panel:
    """Two measures, a point per run (or run and topic)."""
    x_name, y_name = (correlations.matrix.measures[number] for number in (pair.first, pair.second))
    x, y = correlations.points[pair.first], correlations.points[pair.second]
    complete = ~(np.isnan(x) | np.isnan(y))
    marks: list[Mark] = []
    line = _regression(x[complete], y[complete])
    if line is not None:
        ends = [float(x[complete].min()), float(x[complete].max())]
        points = [(end, line[0] + line[1] * end) for end in ends]
        marks.append(Polyline(f"regression:{x_name}:{y_name}", points, _REGRESSION))
    for run, name in enumerate(names):
        own = complete & (correlations.run == run)
        points = list(zip(x[own].tolist(), y[own].tolist(), strict=True))
        if points:
            marks.append(Polyline(f"points:{x_name}:{y_name}:{name}", points, _point_style(correlations, run)))
    x_axis, y_axis = (linear_axis(float(own[complete].min()), float(own[complete].max())) for own in (x, y))
    title = ", ".join(
        f"{label.rpartition(' ')[2]} = {_format_estimate(getattr(pair, name))}" for name, label in _COEFFICIENTS.items()
    )
    x_label, y_label = to_single_line(x_name), to_single_line(y_name)
    return Panel("", title, x_label, y_label, x_axis, y_axis, (), marks=marks)


def _regression(x: FloatArray, y: FloatArray) -> tuple[float, float] | None:
    """Intercept and slope of the least-squares line of y on x; None if all x are equal."""
    centred = x - x.mean()
    spread = float((centred**2).sum())
    if spread <= 1e-24 * float((x**2).sum()):
        return None
    slope = float((centred * (y - y.mean())).sum()) / spread
    return float(y.mean()) - slope * float(x.mean()), slope


def _coefficient_map(correlations: Correlations, coefficient: str) -> Panel:
    """All pairs by one coefficient, the higher the darker, with the value; measures are named once and numbered."""
    measures = correlations.matrix.measures
    values = np.eye(len(measures))
    for pair in correlations.pairs:
        estimate: Estimate = getattr(pair, coefficient)
        value = np.nan if estimate.value is None else estimate.value
        values[pair.first, pair.second] = values[pair.second, pair.first] = value
    cells: list[Area] = []
    labels: list[Label] = []
    for (row, column), value in np.ndenumerate(values):
        name = f"{coefficient}:{measures[row]}:{measures[column]}"
        if not np.isnan(value):
            colour = mix_colours(_MAP_COLOURS, (float(value) + 1) / 2)
            cells.append(bar(f"cell:{name}", column - 0.5, row - 0.5, column + 0.5, row + 0.5, colour))
        text = "\N{EN DASH}" if np.isnan(value) else f"{value:.2f}"
        labels.append(Label(f"value:{name}", column, row, text, colour="#ffffff" if value > 0.25 else "#000000"))
    numbers = range(1, len(measures) + 1)
    ticks = tuple(map(float, range(len(measures))))
    x = Axis(-0.5, len(measures) - 0.5, ticks, tuple(map(str, numbers)))
    names = tuple(f"{wrap_text(to_single_line(name), 24)}  {n}" for n, name in zip(numbers, measures, strict=True))
    y = Axis(len(measures) - 0.5, -0.5, ticks, names)
    marks: list[Mark] = [*cells, *labels]
    title = _COEFFICIENTS[coefficient]
    return Panel("", title, "", "", x, y, (), marks=marks, grid="", rows=len(measures), in_cells=True)


def _format_estimate(estimate: Estimate) -> str:
    return "undefined" if estimate.value is None else f"{estimate.value:.2f}"
