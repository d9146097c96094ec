"""What the pictures of ``--plot`` show: the panels of each result, which `render_picture` draws as SVG, PNG or PDF.

Comparisons show mean differences with their intervals, and differences by topic as bars. Correlations show pairs of
measures over runs with the regression line, and maps of the coefficients of all pairs.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

import numpy as np

from prum_eval.analysis.comparison import Comparison, RunMean, paired_difference
from prum_eval.analysis.correlation import Correlation, Correlations, Estimate
from prum_eval.analysis.matrix import select_counts
from prum_eval.analysis.verdict import leaderboard_rows, significant_runs
from prum_eval.arrays import BoolArray, FloatArray
from prum_eval.errors import UsageError
from prum_eval.evaluation.results import Evaluation
from prum_eval.experiments.fit import FittedModels
from prum_eval.experiments.gallery import SITUATIONS, Answers, MeasureAnswer
from prum_eval.experiments.power import Power
from prum_eval.experiments.sweep import Sweep
from prum_eval.parameters import format_parameter
from prum_eval.report.drawing import (
    BACKGROUND_COLOUR,
    COLOURS,
    LOGARITHMIC_FROM,
    MAX_DISTINCT_STYLES,
    SIZES,
    Area,
    Axis,
    Label,
    LegendEntry,
    Line,
    LineStyle,
    Mark,
    Panel,
    Picture,
    Polyline,
    budget_axis,
    curve_legend,
    finite_points,
    line_style,
    linear_axis,
    mean_panels,
    mix_colours,
    ramp_colour,
    run_names,
    topic_panels,
)
from prum_eval.report.layout import Layout, format_value, wrap_text
from prum_eval.report.panels import (
    SweepPanel,
    TradeOff,
    sweep_panels,
    top_text,
    trade_off_of_comparison,
    trade_off_of_evaluation,
)
from prum_eval.report.pictures import render_picture
from prum_eval.report.ranking import rank_runs, requested_measures
from prum_eval.report.svg import picture_svg
from prum_eval.report.text_experiments import short_spec
from prum_eval.tabular import to_single_line, unique_labels

NAMED_TOPICS = 30
"""Largest number of topics that are named below their bars."""
NAMED_RUNS = 12
"""Number of rows with space in a panel of usual height."""
NAME_WIDTH = 28
"""Number of letters in a line of a run's name beside its row."""
MAX_BANDS = 4
"""Number of runs, the best ones, whose bands can be distinguished where they overlap."""
_BAND_OPACITY = 0.13
_VALUE_SPACE = 0.13
"""Space for the value beside the longest bar, in its length."""
_MAX_ANSWER_ROWS = 20
"""Number of legible rows of answers."""
_RATES = {
    "power": "discriminative power",
    "swap_rate": "swap rate",
    "error_rate": "error rate",
    "ties": "ties",
    "tau": "tau of two sets",
}
"""Panels of power, by the names that rows have for what they show."""


def curve_picture(evaluation: Evaluation, layout: Layout) -> bytes:
    """The curves of every selected measure; with topics a panel per measure and run with a line per topic.

    If measures are quality and cost, or found within budgets, the picture shows these instead of the curves; if no
    measure has recall levels or cut-offs, bars.

    Args:
        evaluation: the runs with their curves.
        layout: topics, averages or both; size and format of the picture.

    Raises:
        UsageError: there is nothing to draw, or no matplotlib.
    """
    if layout.averages and not layout.per_topic and (trade_off := trade_off_of_evaluation(evaluation)) is not None:
        return trade_off_picture(trade_off, layout)
    if not (layout.per_topic or layout.averages):
        raise UsageError("--plot: nothing to draw: -n leaves out the averages, and topics need -q")
    panels = topic_panels(evaluation, averages=layout.averages) if layout.per_topic else mean_panels(evaluation)
    if not panels:
        return bars_picture(evaluation, layout)
    return render_picture(Picture(panels, curve_legend(panels)), layout)


def bars_picture(evaluation: Evaluation, layout: Layout) -> bytes:
    """A panel per measure with a bar per run, the best first; without averages a panel per run, a bar per topic.

    Counts are drawn only if there is nothing else.

    Raises:
        UsageError: too many panels, or no matplotlib.
    """
    names = run_names(evaluation.runs)
    available = [name for name in requested_measures(evaluation) if any(name in run.all for run in evaluation.runs)]
    counts = select_counts(available)
    measures = [name for name in available if name not in counts] or available
    if layout.averages:
        order = rank_runs(evaluation)
        panels = [_mean_bars(evaluation, measure, order, names, layout.digits) for measure in measures]
        return render_picture(Picture(panels, (), wide=1.2, tall=max(1.0, len(names) / NAMED_RUNS)), layout)
    panels = []
    for measure in measures:
        for run, name in zip(evaluation.runs, names, strict=True):
            values = {to_single_line(topic): own.get(measure) for topic, own in run.topics.items()}
            numbers = {topic: float(value) for topic, value in values.items() if value is not None}
            title = f"{to_single_line(measure)}, {name}"
            bars = {topic: (f"topic:{measure}:{name}:{topic}", value, COLOURS[2]) for topic, value in numbers.items()}
            ends = (min(0.0, *numbers.values()), max(0.0, *numbers.values())) if numbers else (0, 1)
            panels.append(topic_bars(title, "topics", "", linear_axis(*ends), bars))
    return render_picture(Picture(panels, (), wide=1.2), layout)


def _mean_bars(evaluation: Evaluation, measure: str, order: Sequence[int], names: Sequence[str], digits: int) -> Panel:
    marks: list[Mark] = []
    ends = [0.0]
    for row, run in enumerate(order):
        value = evaluation.runs[run].all.get(measure)
        if value is not None:
            marks.append(bar(f"mean:{measure}:{names[run]}", 0.0, row - 0.375, float(value), row + 0.375, COLOURS[2]))
            marks.append(Label("", max(float(value), 0.0), row, format_value(value, min(digits, 4)), shift=0.4))
            ends.append(float(value))
    axis = linear_axis(min(ends), max(ends) + _VALUE_SPACE * (max(ends) - min(ends)))
    return rows_panel(measure, to_single_line(measure), axis, [names[run] for run in order], marks)


def rows_panel(measure: str, title: str, x: Axis, names: Sequence[str], marks: Sequence[Mark]) -> Panel:
    """A panel with a named row per run, from above."""
    texts = tuple(wrap_text(name, NAME_WIDTH) for name in names)
    y = Axis(len(names) - 0.4, -0.6, tuple(map(float, range(len(names)))), texts)
    return Panel(measure, wrap_text(title, 40), "", "", x, y, (), marks=marks, grid="x", rows=len(names))


def topic_bars(title: str, x_label: str, y_label: str, y: Axis, bars: dict[str, tuple[str, float, str]]) -> Panel:
    """A panel with a bar per topic, the best first; `bars` are their names, values and colours, by topic."""
    order = sorted(bars, key=lambda topic: -bars[topic][1])
    edge = len(order) <= 2 * NAMED_TOPICS
    marks: list[Mark] = [
        bar(name, place - 0.4, 0.0, place + 0.4, value, colour, edge=edge)
        for place, (name, value, colour) in enumerate(bars[topic] for topic in order)
    ]
    marks.append(Polyline("zero", [(-0.7, 0.0), (len(order) - 0.3, 0.0)], LineStyle("#444444", width=0.6)))
    shown = order if len(order) <= NAMED_TOPICS else []
    turned = max(map(len, shown), default=0) * len(shown) > 40
    x = Axis(-0.7, len(order) - 0.3, tuple(map(float, range(len(shown)))), tuple(shown))
    return Panel("", title, x_label, y_label, x, y, (), marks=marks, grid="y", turned=turned)


def bar(name: str, left: float, low: float, right: float, high: float, colour: str, *, edge: bool = False) -> Area:
    """A rectangle."""
    return Area(name, [(left, low), (right, low), (right, high), (left, high)], colour, edge=edge)


def band(name: str, intervals: Sequence[tuple[float, float, float]], axis: Axis, colour: str) -> Area:
    """The area between the ends of intervals (x, low, high), as far as the axis reaches."""
    above = [(x, min(high, axis.high)) for x, _, high in intervals]
    below = [(x, max(low, axis.low)) for x, low, _ in intervals]
    return Area(name, [*above, *reversed(below)], colour, _BAND_OPACITY)


def trade_off_picture(trade_off: TradeOff, layout: Layout) -> bytes:
    """A panel of recall within budgets with a line per run, and one of quality by cost with a marker per run.

    Raises:
        UsageError: no matplotlib.
    """
    panels: list[Panel] = []
    entries: list[LegendEntry] = []
    drawn: set[int] = set()
    if trade_off.bands:
        panels.append(_recall_within_budgets(trade_off))
        drawn.update(run for run, values in enumerate(trade_off.bands) if values is not None)
    if trade_off.cost is not None:
        panels.append(_quality_by_cost(trade_off))
        drawn.update(np.flatnonzero(~np.isnan(trade_off.points).any(axis=1)).tolist())
    best = trade_off.order[:MAX_DISTINCT_STYLES]
    entries += [(_run_style(trade_off, run), trade_off.names[run]) for run in best if run in drawn]
    if drawn - set(best):
        others = f"one of {len(trade_off.names) - len(best)} other runs"
        entries.append((_run_style(trade_off, (drawn - set(best)).pop()), others))
    if trade_off.cost is not None:
        entries.append((_FRONT_STYLE, "Pareto front: no run has more for less"))
    if trade_off.bands:
        text = f"bands: {100 * (1 - trade_off.alpha):g} % interval of the mean"
        several = sum(values is not None for values in trade_off.bands) > MAX_BANDS
        entries.append(("#777777", f"{text}, of the best {MAX_BANDS}" if several else text))
    return render_picture(Picture(panels, entries, wide=1.25, tall=1.25), layout)


_FRONT_STYLE = LineStyle("#777777", width=0.8)


def _run_style(trade_off: TradeOff, run: int) -> LineStyle:
    """The style of a run by its place among the best; grey after the styles that differ."""
    place = trade_off.order.index(run)
    return line_style(place) if place < MAX_DISTINCT_STYLES else LineStyle(BACKGROUND_COLOUR, width=0.55)


def _recall_within_budgets(trade_off: TradeOff) -> Panel:
    assert trade_off.budget_measure is not None  # noqa: S101 -- there are bands
    x_label, y_label = trade_off.budget_measure.axes
    drawn = [(run, values) for run in reversed(trade_off.order) if (values := trade_off.bands[run]) is not None]
    x = budget_axis([budget for _, values in drawn for budget in values.budgets.tolist()])
    y = linear_axis(0, max(float(values.means.max()) for _, values in drawn))
    areas: list[Mark] = []
    lines: list[Mark] = []
    for run, values in drawn:
        name, place, style = trade_off.names[run], trade_off.order.index(run), _run_style(trade_off, run)
        if place < MAX_BANDS:
            ends = np.clip(values.means - values.margins, 0, None), np.clip(values.means + values.margins, None, 1)
            intervals = list(zip(values.budgets.tolist(), *(end.tolist() for end in ends), strict=True))
            areas.append(band(f"band:{name}", intervals, y, style.colour))
        points = list(zip(values.budgets.tolist(), values.means.tolist(), strict=True))
        lines.append(Polyline(f"within:{name}", points, style, (place % 3, 3)))  # markers do not cover each other
    title = f"{trade_off.budget_measure.name}, means over topics"
    return Panel("", title, f"{x_label} (logarithmic)", y_label, x, y, (), marks=[*areas, *lines])


def _quality_by_cost(trade_off: TradeOff) -> Panel:
    """Quality by cost, the Pareto front as a line, the runs on it larger than the others."""
    cost, quality = to_single_line(trade_off.cost or ""), to_single_line(trade_off.quality or "")
    front: BoolArray = trade_off.pareto_front
    complete: BoolArray = np.asarray(~np.isnan(trade_off.points).any(axis=1))
    (least, lowest), (most, highest) = trade_off.points[complete].min(axis=0), trade_off.points[complete].max(axis=0)
    x = budget_axis([least, most]) if 0 < least <= most / LOGARITHMIC_FROM else linear_axis(0, float(most))
    steps: list[tuple[float, float]] = []
    for point in sorted(map(tuple, trade_off.points[front].tolist())):
        steps += [(point[0], steps[-1][1])] if steps else []
        steps.append(point)
    marks: list[Mark] = [Polyline("front", steps, _FRONT_STYLE)]
    for run in reversed(trade_off.order):
        if complete[run]:
            style = _run_style(trade_off, run)
            size = (1.6 if front[run] else 1) * (1 if style.marker else 0.5)
            opacity = 1.0 if front[run] else 0.6
            style = replace(style, dashes=None, marker=style.marker or "circle", size=size, opacity=opacity)
            place = trade_off.points[run].tolist()
            marks.append(Polyline(f"run:{trade_off.names[run]}", [tuple(place)], style))
            if front[run] and front.sum() <= MAX_NAMED_POINTS:
                shift = 0.8 if x.place(place[0]) < 0.5 else -0.8
                name = to_single_line(trade_off.names[run])
                marks.append(Label(f"name:{name}", place[0], place[1], name, shift))
    title = wrap_text(f"{quality} by {cost}, means over topics", 44)
    y = linear_axis(min(0.0, float(lowest)), float(highest))
    return Panel("", title, f"{cost} (logarithmic)" if x.logarithmic else cost, quality, x, y, (), marks=marks)


def calibration_picture(fitted: FittedModels, layout: Layout) -> bytes:
    """Observed by predicted views, a line per model; a model is right where its line is the diagonal.

    Raises:
        UsageError: no matplotlib.
    """
    panel = calibration_panel(fitted)
    return render_picture(Picture([panel], curve_legend([panel]), tall=1.2), layout)


def calibration_panel(fitted: FittedModels) -> Panel:
    """Observed by predicted views, a point per tenth that holds pairs."""
    lines = []
    for number, model in enumerate(fitted.models):
        tenths = [(tenth.predicted, tenth.observed) for tenth in model.calibration]
        points = [(x, y) for x, y in tenths if x is not None and y is not None]
        lines.append(Line(to_single_line(short_spec(model)), points, number if number < MAX_DISTINCT_STYLES else None))
    axis, diagonal = linear_axis(0, 1), LineStyle("#999999", dashes=(2, 2), width=0.6)
    title = "views, by tenths of their probability"
    marks = [Polyline("diagonal", [(0, 0), (1, 1)], diagonal)]
    return Panel("calibration", title, "predicted", "observed", axis, axis, lines, "other models", marks)


def power_picture(power: Power, layout: Layout) -> bytes:
    """Every rate of every measure by topics; power up to all topics, the others up to half of them.

    Raises:
        UsageError: no matplotlib.
    """
    panels = []
    for key, title in _RATES.items():
        lines = []
        for number, own in enumerate(power.measures):
            values = [(row["topics"], row[key]) for row in power.rows() if row["measure"] == own.measure]
            points = finite_points([(float(x), float(y)) for x, y in values if x is not None and y is not None])
            lines += [Line(to_single_line(own.measure), points, number)] if points else []
        if lines:
            xs, ys = zip(*(point for line in lines for point in line.points), strict=True)
            axes = linear_axis(0, max(xs)), linear_axis(min(0, *ys), max(ys))
            panels.append(Panel(key, title, "topics", title, *axes, lines))
    return render_picture(Picture(panels, curve_legend(panels)), layout)


def sweep_picture(sweep: Sweep, layout: Layout) -> bytes:
    """Lines of the runs over the values; of a single run with a curve, lines of the values.

    Raises:
        UsageError: no measure has a value, or no matplotlib.
    """
    swept = sweep_panels(sweep)
    if not swept:
        raise UsageError("--plot: nothing to draw: no measure has a mean")
    panels = [_sweep_panel(sweep, own) for own in swept]
    named = [
        panel
        for panel, own in zip(panels, swept, strict=True)
        if own.by_value or (len(sweep.runs) > 1 and not own.names_at_ends)
    ]
    tall = max(1.0, len(sweep.runs) / NAMED_RUNS) if any(own.names_at_ends for own in swept) else 1.0
    return render_picture(Picture(panels, curve_legend(named), tall=tall, wide=1.3 if tall > 1 else 1.0), layout)


def _sweep_panel(sweep: Sweep, swept: SweepPanel) -> Panel:
    """The panel with bands; lines of numeric values have the colours of an order."""
    panel = swept.panel
    if swept.by_value and sweep.parameter.numbers is not None:
        count = len(sweep.values)
        lines = [replace(line, colour=ramp_colour(line.style or 0, count)) for line in panel.lines]
        panel = replace(panel, lines=lines)
    bands = [
        band(f"band:{panel.title}:{line.name}", intervals, panel.y, line.line_style.colour)
        for line, intervals in zip(panel.lines, swept.bands, strict=True)
        if any(low < high for _, low, high in intervals)
    ]
    return replace(panel, marks=[*bands, *panel.marks])


def answers_picture(answers: Answers, layout: Layout) -> bytes:
    """A row per measure, a column per situation; the top of a row is 1, or the largest value of its measure.

    Raises:
        UsageError: too many measures, or no matplotlib.
    """
    if len(answers.by_measure) > _MAX_ANSWER_ROWS:
        raise UsageError(
            f"--plot: {len(answers.by_measure)} measures are too many for one picture, which holds {_MAX_ANSWER_ROWS}"
        )
    return render_picture(_answers_of_measures(answers), layout)


def answers_svg(answers: Answers) -> str:
    """That picture of any number of measures, for light and dark pages."""
    return picture_svg(_answers_of_measures(answers), SIZES["column"], dark=True)


def _answers_of_measures(answers: Answers) -> Picture:
    rows, columns = len(answers.by_measure), len(SITUATIONS)
    panels = [
        _answer_panel(answer, row, column, last=row == rows - 1)
        for row, own in enumerate(answers.by_measure.values())
        for column, answer in enumerate(own)
    ]
    tall = (1.05 * rows + 0.6) / SIZES["column"].height / rows
    return Picture(panels, (), wide=2.2 / columns, tall=tall, columns=columns)


def _answer_panel(answer: MeasureAnswer, row: int, column: int, *, last: bool) -> Panel:
    """A measure in a situation; titles stand above the first row, steps below the last one."""
    situation, count, top = answer.situation, len(answer.values), answer.top
    points = [(float(step), float(value)) for step, value in enumerate(answer.values) if value is not None]
    marks: list[Mark] = []
    if points:
        ends = [(points[-1][0], 0.0), (points[0][0], 0.0)]
        name = f"{situation.name}:{answer.measure}"
        marks.append(Area(f"area-{row}:{name}", [*points, *ends], COLOURS[2], _BAND_OPACITY))
        style = LineStyle(COLOURS[2], marker="circle", size=0.7)
        marks.append(Polyline(f"answer-{row}:{name}", points, style, title=_answer_title(answer)))
    if len(points) < count:
        middle = (len(points) + count - 1) / 2
        marks.append(Label("", middle, 0.55 * top, "refused", colour="#777777", italic=True))
    steps = tuple(situation.step_names) if last else ("",) * count
    x = Axis(-0.4, count - 0.6, tuple(map(float, range(count))), steps)
    y = Axis(0, top, (0, top / 2, top), ("", "", "") if column else ("0", "", top_text(top)))
    return Panel(
        answer.measure,
        "" if row else situation.name,
        situation.axis if last else "",
        "",
        x,
        y,
        (),
        marks=marks,
        row_title="" if column else answer.measure,
    )


def _answer_title(answer: MeasureAnswer) -> str:
    """All values in words."""
    values = ", ".join(
        f"{step}: {'refused' if value is None else format_parameter(float(f'{value:.4g}'))}"
        for step, value in zip(answer.situation.step_names, answer.values, strict=True)
    )
    return f"{answer.measure}, {answer.situation.name}: {values}"


# Comparisons and correlations


_BETTER, _WORSE = "#0072b2", "#f0c9a8"  # dark and light, in grey too
_BASE = LineStyle("#000000", None, "square")
_SIGNIFICANT = LineStyle(_BETTER, None, "circle")
_NOT_SIGNIFICANT = LineStyle("#8c8c8c", None, "circle", hollow=True)
_INTERVAL_SPACE = 0.04
"""Space beside intervals, in the length of the axis."""
MAX_TOPIC_PANELS = 3
"""Maximum number of runs whose differences by topic are drawn per measure."""
MAX_SCATTERS = 6
"""Maximum number of pairs with a panel of their own; more are shown by the maps alone."""
_DARK_FROM = 0.6
"""Share of the scale from which letters in a cell are white."""
MAX_NAMED_POINTS = 14
"""Maximum number of runs whose points are named."""
_COEFFICIENTS = {
    "pearson": "Pearson's r",
    "tau_b": "Kendall's \N{GREEK SMALL LETTER TAU}b",
    "tau_ap": "\N{GREEK SMALL LETTER TAU}ap",
}
_MAP_COLOURS = ("#f7fbff", "#9ecae1", "#08306b")
"""Of the lowest, the middle and the highest coefficient of a map."""


def comparison_picture(comparison: Comparison, layout: Layout) -> bytes:
    """Per measure a panel of mean differences with intervals, the runs named at the axis, the best first.

    Of two runs, and with --full of the `MAX_TOPIC_PANELS` runs that differ most, another panel shows the differences by
    topic. Measures that are quality and cost, or found within budgets, are drawn instead.

    Args:
        comparison: the result of `compare`.
        layout: size and format of the picture, and whether it is full.

    Raises:
        UsageError: too many panels, or no matplotlib.
    """
    if (trade_off := trade_off_of_comparison(comparison)) is not None:
        return trade_off_picture(trade_off, layout)
    matrix = comparison.matrix
    names = unique_labels(matrix.runs, matrix.paths)
    topic_panels = min(len(names) - 1, MAX_TOPIC_PANELS) if layout.full or len(names) == 2 else 0
    columns = SIZES[layout.size].grid(len(matrix.measures) * (1 + topic_panels))[1]
    significant = significant_runs(comparison)
    panels: list[Panel] = []
    for number, (measure, rows) in enumerate(leaderboard_rows(comparison, layout.sort).items()):
        row_names = [names[row.run] for row in rows]
        if not topic_panels and number % columns:
            row_names = [""] * len(rows)
        panels.append(_mean_differences(measure, rows, names, row_names, significant[measure]))
        if not topic_panels:
            continue
        base, values = comparison.base[measure], matrix.values[number]
        judged = ~np.isnan(values[0])
        topics = [to_single_line(topic) for topic, is_judged in zip(matrix.topics, judged, strict=True) if is_judged]
        means = {row.run: abs(row.difference.mean) for row in rows if row.difference is not None}
        differences = {
            run: paired_difference(values[run, judged], values[base, judged])
            for run in sorted(sorted(means, key=lambda run: -means[run])[:topic_panels])
        }
        ends = [end for own in differences.values() for end in (own.min(), own.max())]
        axis = linear_axis(min(0.0, *ends), max(0.0, *ends))
        panels += [
            _topic_differences(f"{names[run]} \N{MINUS SIGN} {names[base]}", axis, measure, topics, own)
            for run, own in differences.items()
        ]
    settings = comparison.settings
    base_name = "the best run" if settings.pairs != "first" else names[next(iter(comparison.base.values()))]
    together = "simultaneous " * (comparison.comparisons > 1 and settings.interval != "single")
    interval = f", {together}{100 * (1 - settings.alpha):g} % intervals" if comparison.families else ""
    legend: list[LegendEntry] = [(_BASE, "the run that others are compared with")]
    if comparison.families:
        test = "Tukey's HSD, p" if settings.pairs == "all" else f"{settings.test} test, p by Holm"
        text = f"* significant: {test} below {settings.alpha:g}"
        legend += [(_SIGNIFICANT, text), (_NOT_SIGNIFICANT, "not significant")]
    title = f"Mean differences to {base_name}{interval}"
    tall = max(1.0 if topic_panels else 0.5, len(names) / NAMED_RUNS)
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
    """The pairs by one coefficient as a lower triangle, the higher the darker on a scale of these values.

    Measures are named at the rows, from the second one on, and numbered at the columns.
    """
    measures = correlations.matrix.measures
    estimates = {(pair.second, pair.first): getattr(pair, coefficient).value for pair in correlations.pairs}
    known = [value for value in estimates.values() if value is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    cells: list[Area] = []
    labels: list[Label] = []
    for (row, column), value in estimates.items():
        name = f"{coefficient}:{measures[row]}:{measures[column]}"
        share = 0.5 if value is None or low == high else (value - low) / (high - low)
        if value is not None:
            colour = mix_colours(_MAP_COLOURS, share)
            cells.append(bar(f"cell:{name}", column - 0.5, row - 0.5, column + 0.5, row + 0.5, colour))
        text = "\N{EN DASH}" if value is None else f"{value:.2f}"
        is_dark = value is not None and share > _DARK_FROM
        labels.append(Label(f"value:{name}", column, row, text, colour="#ffffff" if is_dark else "#000000"))
    ticks = tuple(map(float, range(len(measures))))
    x = Axis(-0.5, len(measures) - 1.5, ticks[:-1], tuple(str(number) for number in range(1, len(measures))))
    names = [f"{wrap_text(to_single_line(name), 24)}  {number}" for number, name in enumerate(measures, 1)]
    y = Axis(len(measures) - 0.5, 0.5, ticks[1:], tuple(names[1:]))
    marks: list[Mark] = [*cells, *labels, Label("first", -0.5, 0.35, f"1  {measures[0]}", shift=0.0)]
    title = _COEFFICIENTS[coefficient]
    return Panel("", title, "", "", x, y, (), marks=marks, grid="", rows=len(measures) - 1, in_cells=True)


def _format_estimate(estimate: Estimate) -> str:
    return "undefined" if estimate.value is None else f"{estimate.value:.2f}"
