"""Pictures of comparisons by matplotlib: mean differences with their intervals, and differences by topic as bars."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from prum_eval.analysis.comparison import Comparison, RunMean, paired_difference
from prum_eval.analysis.correlation import Correlation, Correlations, Estimate
from prum_eval.arrays import FloatArray
from prum_eval.report.drawing import Axis, linear_axis, to_single_line, unique_labels
from prum_eval.report.layout import Layout, wrap_text
from prum_eval.report.panels import trade_off_of_comparison
from prum_eval.report.pictures import (
    SIZES,
    Size,
    add_legend,
    fixed_settings,
    matplotlib_style,
    new_figure,
    render_figure,
    trade_off_picture,
)
from prum_eval.report.ranking import leaderboard_rows, significant_runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from prum_eval.report.pictures import Entry


NAMED_TOPICS = 30
"""So many topics at most are named below their bars."""
NAMED_RUNS = 12
"""With more runs than that, only the means are shown."""
_BETTER, _WORSE = "#0072b2", "#f0c9a8"  # dark and light, in grey too
_MARKER_STYLES: dict[str, dict[str, Any]] = {
    "compared with": {"color": "#000000", "marker": "s", "linestyle": "none"},
    "significant": {"color": _BETTER, "marker": "o", "linestyle": "none"},
    "not": {"color": "#8c8c8c", "marker": "o", "linestyle": "none", "markerfacecolor": "white"},
}
_RUN_NAME_WRAP_WIDTH = 28
"""Longer names of runs stand in several lines."""
_PANEL_WIDTH_FACTOR = 1.2
"""Panels are wider than others by that, to have room for names."""
_RUN_ROWS_HEIGHT_SHARE = 0.8
"""About so much of the height of a panel are its rows."""
_INTERVAL_SPACE = 0.04
"""Room beside intervals, in the length of the axis."""


def comparison_picture(comparison: Comparison, layout: Layout) -> bytes:
    """For each measure a panel of mean differences with intervals, and for each run but the base one of its topics.

    Runs are named on the axis, the best first by the measure that ranks them. With more runs or panels than can be read
    the means are shown alone. Where quality has its cost, or is found within budgets, that is drawn in place of the
    differences.

    Args:
        comparison: what `compare` found.
        layout: size and format of the picture; the test whose p-values say what is significant.

    Raises:
        UsageError: too many panels, or no matplotlib.
    """
    if (found := trade_off_of_comparison(comparison)) is not None:
        return trade_off_picture(found, layout)
    size = SIZES[layout.size]
    matrix = comparison.matrix
    names = unique_labels(matrix.runs, matrix.paths)
    panels = len(matrix.measures) * len(names)
    means_alone = len(names) > NAMED_RUNS or panels > size.max_panels
    panels = len(matrix.measures) if means_alone else panels
    columns = size.grid(panels)[1]
    marked = significant_runs(comparison, layout.test)
    with fixed_settings(size, columns):
        figure, cells = new_figure(size, panels, wide=_PANEL_WIDTH_FACTOR, tall=max(1.0, len(names) / NAMED_RUNS))
        figure.suptitle(wrap_text(_title(comparison, names), size.title_width(1) * columns))
        row_height = figure.get_figheight() * _RUN_ROWS_HEIGHT_SHARE / size.grid(panels)[0] / len(names) * 72
        free = iter(enumerate(cells))
        width = size.title_width(columns)
        for number, (measure, rows) in enumerate(leaderboard_rows(comparison, layout.sort).items()):
            base = comparison.base[measure]
            place, axes = next(free)
            named = place % columns == 0 or not means_alone
            _means(axes, measure, rows, names, marked[measure], row_height)
            if not named:
                axes.set_yticks(axes.get_yticks(), [""] * len(rows))
            if means_alone:
                continue
            values = matrix.values[number]
            known = ~np.isnan(values[0])
            topics = [to_single_line(topic) for topic, is_known in zip(matrix.topics, known, strict=True) if is_known]
            differences = {
                run: paired_difference(values[run, known], values[base, known])
                for run in range(len(names))
                if run != base
            }
            ends = [end for one in differences.values() for end in (one.min(), one.max())]
            axis = linear_axis(min(0.0, *ends), max(0.0, *ends))
            for run, own in differences.items():
                _, axes = next(free)
                axes.set_title(wrap_text(f"{names[run]} \N{MINUS SIGN} {names[base]}", width))
                _bars(axes, axis, measure, topics, own)
        add_legend(figure, size, _legend(comparison, layout))
        return render_figure(figure, layout.format)


def _title(comparison: Comparison, names: Sequence[str]) -> str:
    settings = comparison.settings
    base = "the best run" if settings.pairs != "first" else names[next(iter(comparison.base.values()))]
    interval = f", {100 * (1 - settings.alpha):g} % intervals" if comparison.families else ""
    return f"Mean differences to {base}{interval}"


def _legend(comparison: Comparison, layout: Layout) -> list[Entry]:
    """What the signs say."""
    from matplotlib.lines import Line2D

    said = [("compared with", "the run that others are compared with")]
    if comparison.families:
        said += [
            ("significant", f"* significant: {layout.test} test, p by Holm below {comparison.settings.alpha:g}"),
            ("not", "not significant"),
        ]
    return [(Line2D([], [], **_MARKER_STYLES[kind]), text) for kind, text in said]


def _means(
    axes: Axes,
    measure: str,
    rows: Sequence[RunMean],
    names: Sequence[str],
    marked: Container[int],
    row_height: float,
) -> None:
    """Mean differences to the base, which is the line at 0, a row a run.

    `marked` are the runs whose difference is significant, `row_height` is in points.
    """
    import matplotlib as mpl

    axes.set_title(wrap_text(to_single_line(measure), 40))
    letters = min(float(mpl.rcParams["ytick.labelsize"]), 0.85 * row_height)
    sign = min(float(mpl.rcParams["lines.markersize"]), 0.7 * row_height)
    ends = [0.0]
    for place, row in enumerate(rows):
        found, name = row.difference, names[row.run]
        mean = end = 0.0 if found is None else found.mean
        style = _MARKER_STYLES["compared with" if found is None else "significant" if row.run in marked else "not"]
        if found is not None and found.low is not None and found.high is not None:
            ends += [found.low, found.high]
            whisker: dict[str, Any] = {"color": style["color"], "marker": "|", "solid_capstyle": "butt"}
            axes.plot([found.low, found.high], [place] * 2, **whisker, ms=sign, gid=f"interval:{measure}:{name}")
            end = found.high
        ends.append(mean)
        axes.plot([mean], [place], **style, ms=sign, zorder=3, gid=f"mean:{measure}:{name}")
        if row.run in marked:
            offset: dict[str, Any] = {"xytext": (3, 0), "textcoords": "offset points", "va": "center_baseline"}
            axes.annotate("*", (end, place), **offset, fontsize=letters, gid=f"mark:{measure}:{name}")
    axes.axvline(0, color="#444444", linewidth=0.8)
    room = _INTERVAL_SPACE * (max(ends) - min(ends))
    axis = linear_axis(min(ends) - room, max(ends) + room)
    axes.set_xticks(axis.ticks, axis.texts)
    axes.set_xlim(axis.low, axis.high)
    axes.set_yticks(range(len(rows)), [wrap_text(names[row.run], _RUN_NAME_WRAP_WIDTH) for row in rows])
    axes.tick_params(axis="y", labelsize=letters, length=0)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)


def _bars(axes: Axes, axis: Axis, measure: str, topics: list[str], differences: FloatArray) -> None:
    """A bar a topic, from the best to the worst."""
    order = np.argsort(-differences, kind="stable")
    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    edge = 0.4 if len(topics) <= 2 * NAMED_TOPICS else 0.0
    heights = differences[order].tolist()
    colours = [_BETTER if height > 0 else _WORSE for height in heights]
    bars = axes.bar(range(len(heights)), heights, width=0.8, color=colours, edgecolor="#444444", linewidth=edge)
    for bar, topic in zip(bars, order, strict=True):
        bar.set_gid(f"bar:{axes.get_title()}:{measure}:{topics[topic]}")
    axes.axhline(0, color="#444444", linewidth=0.8)
    axes.set_yticks(axis.ticks, axis.texts)
    axes.set_ylim(axis.low, axis.high)
    axes.set_ylabel(wrap_text(f"difference in {to_single_line(measure)}", 28))
    axes.set_xlim(-0.7, len(topics) - 0.3)
    counts = f"{better} better, {len(topics) - better - worse} same, {worse} worse"
    axes.set_xlabel(f"{len(topics)} topic{'s'[: len(topics) != 1]}: {counts}")
    axes.grid(visible=False, axis="x")
    if len(topics) <= NAMED_TOPICS:
        long = max(map(len, topics)) * len(topics) > 40
        axes.set_xticks(range(len(topics)), [topics[topic] for topic in order], rotation=90 if long else 0)
    else:
        axes.set_xticks([])


# Pictures of correlations by matplotlib: two measures over runs with the regression line, and maps of all pairs.


MAX_SCATTERS = 6
"""More pairs than that are shown by the maps alone."""
MAX_NAMED_POINTS = 14
"""More runs than that are points without a name."""
_COEFFICIENTS = {
    "pearson": "Pearson's r",
    "tau_b": "Kendall's \N{GREEK SMALL LETTER TAU}b",
    "tau_ap": "\N{GREEK SMALL LETTER TAU}ap",
}


def correlations_picture(found: Correlations, layout: Layout) -> bytes:
    """A scatter a pair of measures, and of three measures or more a map of each coefficient.

    Args:
        found: what `correlate` found.
        layout: size and format of the picture.

    Raises:
        UsageError: too many panels, or no matplotlib.
    """
    size = SIZES[layout.size]
    measures = len(found.matrix.measures)
    scatters = found.pairs if len(found.pairs) <= MAX_SCATTERS else ()
    maps = list(_COEFFICIENTS) if measures > 2 else []
    panels = len(scatters) + len(maps)
    columns = size.grid(panels)[1]
    stretch = max(1.0, (1.6 + 0.36 * measures) / size.height) if maps else 1.0
    with fixed_settings(size, columns):
        figure, cells = new_figure(size, panels, wide=stretch if not scatters else 1.0, tall=stretch)
        entries: list[Entry] = []
        for pair, axes in zip(scatters, cells, strict=False):
            entries = _scatter(axes, found, pair, size.title_width(columns))
        for name, axes in zip(maps, cells[len(scatters) :], strict=True):
            _map(axes, found, name, _cell_font_size(size, panels, measures))
        if entries:
            add_legend(figure, size, entries)
        return render_figure(figure, layout.format)


def _scatter(axes: Axes, found: Correlations, pair: Correlation, title_width: int) -> list[Entry]:
    """Two measures, a point a run (or run and topic); gives back the entries of the legend."""
    measures, names = found.matrix.measures, unique_labels(found.matrix.runs, found.matrix.paths)
    x, y = found.points[pair.first], found.points[pair.second]
    known = ~(np.isnan(x) | np.isnan(y))
    told = [
        f"{label.rpartition(' ')[2]} = {_format_estimate(getattr(pair, name))}" for name, label in _COEFFICIENTS.items()
    ]
    axes.set_title(wrap_text(", ".join(told), title_width))
    axes.set_xlabel(wrap_text(to_single_line(measures[pair.first]), 36))
    axes.set_ylabel(wrap_text(to_single_line(measures[pair.second]), 28))
    entries: list[Entry] = []
    for run, name in enumerate(names):
        own = known & (found.run == run)
        style: dict[str, Any] = {
            **matplotlib_style(run if len(names) <= MAX_NAMED_POINTS else 1),
            "linestyle": "none",
        }
        if found.over == "values":
            style["markersize"] = 3
        identity = f"points:{measures[pair.first]}:{measures[pair.second]}:{name}"
        mark = axes.plot(x[own], y[own], **style, zorder=3, gid=identity)
        entries.append((mark[0], name))
    if len(names) > MAX_NAMED_POINTS:
        entries = [(entries[0][0], f"one of {len(names)} runs")]
    line = _regression(x[known], y[known])
    if line is not None:
        ends = np.array([x[known].min(), x[known].max()])
        identity = f"regression:{measures[pair.first]}:{measures[pair.second]}"
        drawn = axes.plot(ends, line[0] + line[1] * ends, color="#777777", linewidth=1, gid=identity)
        entries.append((drawn[0], "regression line"))
    for values, set_ticks, set_limits in ((x, axes.set_xticks, axes.set_xlim), (y, axes.set_yticks, axes.set_ylim)):
        axis = linear_axis(float(values[known].min()), float(values[known].max()))
        set_ticks(axis.ticks, axis.texts)
        set_limits(axis.low, axis.high)
    return entries


def _regression(x: FloatArray, y: FloatArray) -> tuple[float, float] | None:
    """Start and slope of the least-squares line of y on x; None where all x are the same."""
    centred = x - x.mean()
    spread = float((centred**2).sum())
    if spread <= 1e-24 * float((x**2).sum()):
        return None
    slope = float((centred * (y - y.mean())).sum()) / spread
    return float(y.mean()) - slope * float(x.mean()), slope


def _map(axes: Axes, found: Correlations, name: str, letters: float) -> None:
    """All pairs by one coefficient: the darker the higher, and the value in figures.

    Measures are numbered, so that their names stand there once.
    """
    count = len(found.matrix.measures)
    names = [
        f"{wrap_text(to_single_line(one), 24)}  {number}" for number, one in enumerate(found.matrix.measures, start=1)
    ]
    values = np.eye(count)
    for pair in found.pairs:
        estimate: Estimate = getattr(pair, name)
        value = np.nan if estimate.value is None else estimate.value
        values[pair.first, pair.second] = values[pair.second, pair.first] = value
    axes.imshow(values, cmap="Blues", vmin=-1, vmax=1, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        colour = "white" if value > 0.25 else "black"
        text = "\N{EN DASH}" if np.isnan(value) else f"{value:.2f}"
        axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=letters)
    axes.set_title(_COEFFICIENTS[name])
    axes.set_xticks(range(count), [str(number) for number in range(1, count + 1)], fontsize=letters)
    axes.set_yticks(range(count), names, fontsize=letters)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def _cell_font_size(size: Size, panels: int, measures: int) -> float:
    """The size of figures that fit the cells of a map, of which labels take about half the room."""
    rows, columns = size.grid(panels)
    font = size.font_size(columns) * 0.85
    if not size.fixed:
        return font
    wide, high = (72 * 0.5 * whole / parts / measures for whole, parts in ((size.width, columns), (size.height, rows)))
    return max(2.0, min(font, wide / 2.6, high * 0.8))


def _format_estimate(estimate: Estimate) -> str:
    return "undefined" if estimate.value is None else f"{estimate.value:.2f}"
