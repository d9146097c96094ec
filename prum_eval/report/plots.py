"""Pictures of curves by matplotlib: values at recall levels or ranks, a panel a measure, a line a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from prum_eval.analysis.matrix import select_counts
from prum_eval.errors import UsageError
from prum_eval.evaluation.results import Evaluation
from prum_eval.experiments.fit import FittedModels
from prum_eval.experiments.gallery import SITUATIONS, Answers
from prum_eval.experiments.power import Power
from prum_eval.experiments.sweep import Sweep
from prum_eval.report.drawing import (
    BACKGROUND_COLOUR,
    COLOURS,
    MAX_DISTINCT_STYLES,
    Line,
    Panel,
    finite_points,
    line_style,
    linear_axis,
    mean_panels,
    ramp_colour,
    run_names,
    sparse_markers,
    to_single_line,
    topic_panels,
)
from prum_eval.report.layout import Layout, format_value, wrap_text, wrap_words
from prum_eval.report.panels import sweep_panels, top_text, trade_off_of_evaluation
from prum_eval.report.pictures import (
    SIZES,
    add_legend,
    fixed_settings,
    matplotlib_style,
    new_figure,
    render_figure,
    trade_off_picture,
)
from prum_eval.report.plot_comparison import NAMED_TOPICS
from prum_eval.report.ranking import rank_runs, requested_measures
from prum_eval.report.text_experiments import short_spec

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from prum_eval.report.pictures import Entry


# Pictures of values that are no curves, by matplotlib: averages as bars, a row a run; topics as bars side by side.


_COLOUR = "#0072b2"
_ROWS_PER_PANEL = 12
"""So many rows have room in a panel of usual height."""
_ROWS_HEIGHT_SHARE = 0.8
"""About so much of the height of a panel are its rows."""
_NAME_WRAP_WIDTH = 28
"""Longer names of runs stand in several lines."""
_VALUE_SPACE = 0.13
"""Room for the value beside the longest bar, in its length."""


def bars_picture(evaluation: Evaluation, layout: Layout) -> bytes:
    """The averages, a panel a measure and a bar a run, the best first; without averages a bar a topic, a panel a run.

    Counts are drawn only where there is nothing else.

    Raises:
        UsageError: too many panels, or no matplotlib.
    """
    names = run_names(evaluation.runs)
    known = [name for name in requested_measures(evaluation) if any(name in run.all for run in evaluation.runs)]
    counts = select_counts(known)
    measures = [name for name in known if name not in counts] or known
    size = SIZES[layout.size]
    panels = len(measures) * (1 if layout.averages else len(names))
    columns = size.grid(panels)[1]
    with fixed_settings(size, columns):
        tall = max(1.0, len(names) / _ROWS_PER_PANEL) if layout.averages else 1.0
        figure, cells = new_figure(size, panels, wide=1.2, tall=tall)
        height = figure.get_figheight() * _ROWS_HEIGHT_SHARE / size.grid(panels)[0] * 72
        free = iter(cells)
        order = rank_runs(evaluation)
        for measure in measures:
            if layout.averages:
                values = [evaluation.runs[run].all.get(measure) for run in order]
                _means(next(free), measure, [names[run] for run in order], values, height, layout.digits)
                continue
            for run, name in zip(evaluation.runs, names, strict=True):
                found = {to_single_line(topic): own.get(measure) for topic, own in run.topics.items()}
                _topics(
                    next(free), measure, name, {topic: float(own) for topic, own in found.items() if own is not None}
                )
        return render_figure(figure, layout.format)


def _means(
    axes: Axes, measure: str, names: Sequence[str], values: Sequence[float | None], height: float, digits: int
) -> None:
    """A bar a run with its value; `height` is that of all rows in points."""
    import matplotlib as mpl

    axes.set_title(wrap_text(to_single_line(measure), 40))
    letters = min(float(mpl.rcParams["ytick.labelsize"]), 0.85 * height / len(names))
    known = [0.0, *(float(value) for value in values if value is not None)]
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        if value is None:
            continue
        (bar,) = axes.barh([place], [float(value)], height=0.75, color=_COLOUR)
        bar.set_gid(f"mean:{measure}:{name}")
        shown = format_value(value, min(digits, 4))
        axes.annotate(
            shown,
            (max(float(value), 0.0), place),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=letters,
        )
    axis = linear_axis(min(known), max(known) + _VALUE_SPACE * (max(known) - min(known)))
    axes.set_xticks(axis.ticks, axis.texts)
    axes.set_xlim(axis.low, axis.high)
    axes.set_yticks(range(len(names)), [wrap_text(name, _NAME_WRAP_WIDTH) for name in names])
    axes.tick_params(axis="y", labelsize=letters, length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")


def _topics(axes: Axes, measure: str, name: str, values: dict[str, float]) -> None:
    """A bar a topic, the best first."""
    axes.set_title(wrap_text(f"{to_single_line(measure)}, {name}", 40))
    order = sorted(values, key=lambda topic: -values[topic])
    for place, topic in enumerate(order):
        (bar,) = axes.bar([place], [values[topic]], width=0.8, color=_COLOUR)
        bar.set_gid(f"topic:{measure}:{name}:{topic}")
    axis = linear_axis(min(0.0, *values.values()), max(0.0, *values.values())) if values else linear_axis(0, 1)
    axes.set_yticks(axis.ticks, axis.texts)
    axes.set_ylim(axis.low, axis.high)
    axes.set_xlabel("topics")
    axes.grid(visible=False, axis="x")
    axes.set_xlim(-0.7, len(order) - 0.3)
    named = len(order) <= NAMED_TOPICS
    turned = 90 if max(map(len, order), default=0) * len(order) > 40 else 0
    axes.set_xticks(range(len(order)) if named else [], order if named else [], rotation=turned)


_LEGEND_END = 1 << 30
"""Where a legend has the lines in the background: after every style."""


def curve_picture(evaluation: Evaluation, layout: Layout) -> bytes:
    """The curves of every selected measure; where topics are shown, a panel a measure and run with a line a topic.

    Where quality has its cost, or is found within budgets, that is drawn in place of the curves; where no measure has
    recall levels or cut-offs, bars.

    Args:
        evaluation: the runs with their curves.
        layout: topics, averages or both; size and format of the picture.

    Raises:
        UsageError: there is nothing to draw, or no matplotlib.
    """
    size = SIZES[layout.size]
    if layout.averages and not layout.per_topic and (found := trade_off_of_evaluation(evaluation)) is not None:
        return trade_off_picture(found, layout)
    panels = topic_panels(evaluation, averages=layout.averages) if layout.per_topic else mean_panels(evaluation)
    if not (layout.per_topic or layout.averages):
        raise UsageError("--plot: nothing to draw: -n leaves out the averages, and topics need -q")
    if not panels:
        return bars_picture(evaluation, layout)
    columns = size.grid(len(panels))[1]
    with fixed_settings(size, columns):
        figure, cells = new_figure(size, len(panels))
        entries: dict[tuple[int, str], Entry] = {}
        for panel, axes in zip(panels, cells, strict=True):
            entries |= draw_panel(panel, axes, size.title_width(columns))
        # A run that is missing from one panel has its place among the others all the same.
        add_legend(figure, size, [entries[key] for key in sorted(entries)])
        return render_figure(figure, layout.format)


def draw_panel(panel: Panel, axes: Axes, title_width: int) -> dict[tuple[int, str], Entry]:
    """Draw a panel; gives back the entries of the legend, by style."""
    axes.set_title(wrap_text(panel.title, title_width))
    axes.set_xlabel(wrap_words(panel.x_label, title_width))
    axes.set_ylabel(wrap_text(panel.y_label, 28))
    if panel.x.logarithmic:
        axes.set_xscale("log")
    axes.set_xticks(panel.x.ticks, panel.x.texts)
    axes.set_xticks([], minor=True)
    axes.set_yticks(panel.y.ticks, panel.y.texts)
    axes.set_xlim(panel.x.low, panel.x.high)
    axes.set_ylim(panel.y.low, panel.y.high)
    entries: dict[tuple[int, str], Entry] = {}
    for number, line in enumerate(panel.lines):
        xs, ys = zip(*line.points, strict=True)
        identity = f"line-{number}:{panel.title}:{line.name}"
        if line.style is None:
            faint = axes.plot(xs, ys, color=BACKGROUND_COLOUR, linewidth=0.7, clip_on=False, gid=identity)
            entries.setdefault((_LEGEND_END, ""), (faint[0], panel.others))
        else:
            every = sparse_markers(len(xs), number)
            drawn = axes.plot(xs, ys, **matplotlib_style(line.style), markevery=every, zorder=3, gid=identity)
            entries[line.style, line.name] = (drawn[0], line.name)
    return dict(sorted(entries.items()))


# The picture of fitted user models by matplotlib: observed against predicted, by tenths of what is predicted.


def calibration_picture(found: FittedModels, layout: Layout) -> bytes:
    """A line a model, the best in front; where it lies on the diagonal, the model is right.

    Raises:
        UsageError: no matplotlib.
    """
    size, panel = SIZES[layout.size], calibration_panel(found)
    with fixed_settings(size, 1):
        figure, cells = new_figure(size, 1, tall=1.2)
        cells[0].plot([0, 1], [0, 1], color="#999999", linewidth=0.8, linestyle=(0, (2, 2)), gid="diagonal")
        entries = draw_panel(panel, cells[0], size.title_width(1))
        add_legend(figure, size, [entries[key] for key in sorted(entries)])
        return render_figure(figure, layout.format)


def calibration_panel(found: FittedModels) -> Panel:
    """Observed against predicted: a point a tenth that holds pairs."""
    lines = []
    for number, one in enumerate(found.models):
        known = [(tenth.predicted, tenth.observed) for tenth in one.calibration]
        points = [(x, y) for x, y in known if x is not None and y is not None]
        lines.append(Line(to_single_line(short_spec(one)), points, number if number < MAX_DISTINCT_STYLES else None))
    axis = linear_axis(0, 1)
    title = "views, by tenths of their probability"
    return Panel("calibration", title, "predicted", "observed", axis, axis, lines, "other models")


# The picture of the power of measures by matplotlib: a panel a rate, by the size of topic sets, a line a measure.


_RATES = {
    "power": "discriminative power",
    "swap_rate": "swap rate",
    "error_rate": "error rate",
    "ties": "ties",
    "tau": "tau of two sets",
}
"""What is drawn, by the names that rows have for it."""


def power_picture(found: Power, layout: Layout) -> bytes:
    """Every rate of every measure, by topics; power up to all topics, the others up to half of them.

    Raises:
        UsageError: no matplotlib.
    """
    size, panels = SIZES[layout.size], power_panels(found)
    columns = size.grid(len(panels))[1]
    with fixed_settings(size, columns):
        figure, cells = new_figure(size, len(panels))
        entries: dict[tuple[int, str], Entry] = {}
        for panel, axes in zip(panels, cells, strict=True):
            entries |= draw_panel(panel, axes, size.title_width(columns))
        add_legend(figure, size, [entries[key] for key in sorted(entries)])
        return render_figure(figure, layout.format)


def power_panels(found: Power) -> list[Panel]:
    """A panel a rate, those of which nothing is defined left out."""
    panels = []
    for key, title in _RATES.items():
        lines = []
        for number, one in enumerate(found.measures):
            points = [(row["topics"], row[key]) for row in found.rows() if row["measure"] == one.measure]
            known = finite_points([(float(x), float(y)) for x, y in points if x is not None and y is not None])
            lines += [Line(to_single_line(one.measure), known, number)] if known else []
        if lines:
            xs, ys = zip(*(point for line in lines for point in line.points), strict=True)
            axes = linear_axis(0, max(xs)), linear_axis(min(0, *ys), max(ys))
            panels.append(Panel(key, title, "topics", title, *axes, lines))
    return panels


# The picture of a sweep by matplotlib: a panel a measure, means with their intervals over the values, or curves.


def sweep_picture(sweep: Sweep, layout: Layout) -> bytes:
    """Every measure: lines of the runs over the values, or, of a single run with a curve, lines of the values.

    Raises:
        UsageError: no measure has a value, or no matplotlib.
    """
    size, panels = SIZES[layout.size], sweep_panels(sweep)
    if not panels:
        raise UsageError("--plot: nothing to draw: no measure has a mean")
    columns = size.grid(len(panels))[1]
    with fixed_settings(size, columns):
        figure, cells = new_figure(size, len(panels))
        entries: dict[tuple[int, str], Entry] = {}
        for own, axes in zip(panels, cells, strict=True):
            found = draw_panel(own.panel, axes, size.title_width(columns))
            if own.by_value and sweep.parameter.numbers is not None:
                for (number, _), (artist, _) in found.items():
                    _set_ramp_colour(artist, ramp_colour(number, len(sweep.values)))
            entries |= found if own.by_value or len(sweep.runs) > 1 else {}
            for line, band in zip(own.panel.lines, own.bands, strict=True):
                if any(low < high for _, low, high in band) and line.style is not None:
                    xs, lows, highs = zip(*band, strict=True)
                    axes.fill_between(xs, lows, highs, color=line_style(line.style).colour, alpha=0.13, linewidth=0)
        if entries:
            add_legend(figure, size, [entries[key] for key in sorted(entries)])
        return render_figure(figure, layout.format)


def _set_ramp_colour(line: Artist, colour: str) -> None:
    """Give a line the colour of its place in an order, and no dashes, which would say nothing of it."""
    hollow = cast("Line2D", line).get_markerfacecolor() == "white"
    line.set(color=colour, linestyle="solid", markeredgecolor=colour, markerfacecolor="white" if hollow else colour)


# How measures answer to what can be wrong with a list, by matplotlib: a row a measure, a column a situation.


_MAX_ROWS = 20
"""So many rows are legible."""
_ROW = 1.05


def answers_picture(answers: Answers, layout: Layout) -> bytes:
    """Small panels, all with the same axes; the value at the top of a row is 1, or the largest one of its measure.

    Raises:
        UsageError: too many measures, or no matplotlib.
    """
    size, rows = SIZES[layout.size], answers.by_measure
    if len(rows) > _MAX_ROWS:
        raise UsageError(f"--plot: {len(rows)} measures are too many for one picture, which holds {_MAX_ROWS}")
    with fixed_settings(size, len(SITUATIONS)):
        from matplotlib.figure import Figure

        whole = (size.width, size.height) if size.fixed else (2.2 * size.width, _ROW * len(rows) + 0.6)
        figure = Figure(figsize=whole, layout="constrained")
        cells = figure.subplots(len(rows), len(SITUATIONS), squeeze=False)
        for number, ((name, own), row) in enumerate(zip(rows.items(), cells, strict=True)):
            for one, axes in zip(own, row, strict=True):
                places = range(len(one.values))
                known = [(place, value) for place, value in zip(places, one.values, strict=True) if value is not None]
                xs, ys = zip(*known, strict=True) if known else ((), ())
                identity = f"answer-{number}:{one.situation.name}:{name}"
                axes.plot(xs, ys, color=COLOURS[2], marker="o", clip_on=False, gid=identity)
                axes.fill_between(xs, ys, color=COLOURS[2], alpha=0.13, linewidth=0)
                if len(known) < len(one.values):
                    middle = (len(known) + len(one.values) - 1) / 2
                    axes.text(middle, 0.55 * one.top, "refused", ha="center", color="#777777", style="italic")
                axes.set(xlim=(-0.4, len(one.values) - 0.6), ylim=(0, one.top))
                axes.set_yticks([0, one.top / 2, one.top], ["0", "", top_text(one.top)] if one is own[0] else [""] * 3)
                last = number == len(rows) - 1
                axes.set_xticks(list(places), one.situation.step_names if last else [""] * len(one.values))
                if last:
                    axes.set_xlabel(one.situation.axis)
                if number == 0:
                    axes.set_title(one.situation.name)
            row[0].set_ylabel(wrap_text(name, 14), rotation=0, ha="right", va="center")
        return render_figure(figure, layout.format)
