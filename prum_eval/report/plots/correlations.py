"""Pictures of correlations by matplotlib: two measures over runs with the regression line, and maps of all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prum_eval.analysis.correlation.correlations import Correlation, Correlations
from prum_eval.analysis.correlation.estimates import Estimate
from prum_eval.arrays import FloatArray
from prum_eval.report.drawing.axes import linear_axis
from prum_eval.report.drawing.panels import one_line, told_apart
from prum_eval.report.layout import Layout
from prum_eval.report.plots.legend import add_legend
from prum_eval.report.plots.pictures import (
    SIZES,
    Size,
    house_style,
    matplotlib_style,
    new_figure,
    picture,
)
from prum_eval.report.writing import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from prum_eval.report.plots.legend import Entry


MOST_SCATTERS = 6
"""More pairs than that are shown by the maps alone."""
MOST_NAMED = 14
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
    scatters = found.pairs if len(found.pairs) <= MOST_SCATTERS else ()
    maps = list(_COEFFICIENTS) if measures > 2 else []
    panels = len(scatters) + len(maps)
    columns = size.grid(panels)[1]
    stretch = max(1.0, (1.6 + 0.36 * measures) / size.height) if maps else 1.0
    with house_style(size, columns):
        figure, cells = new_figure(size, panels, wide=stretch if not scatters else 1.0, tall=stretch)
        entries: list[Entry] = []
        for pair, axes in zip(scatters, cells, strict=False):
            entries = _scatter(axes, found, pair, size.title_width(columns))
        for name, axes in zip(maps, cells[len(scatters) :], strict=True):
            _map(axes, found, name, _letters(size, panels, measures))
        if entries:
            add_legend(figure, size, entries)
        return picture(figure, layout.format)


def _scatter(axes: Axes, found: Correlations, pair: Correlation, title_width: int) -> list[Entry]:
    """Two measures, a point a run (or run and topic); gives back the entries of the legend."""
    measures, names = found.matrix.measures, told_apart(found.matrix.runs, found.matrix.paths)
    x, y = found.points[pair.first], found.points[pair.second]
    known = ~(np.isnan(x) | np.isnan(y))
    told = [f"{label.rpartition(' ')[2]} = {_shown(getattr(pair, name))}" for name, label in _COEFFICIENTS.items()]
    axes.set_title(wrapped(", ".join(told), title_width))
    axes.set_xlabel(wrapped(one_line(measures[pair.first]), 36))
    axes.set_ylabel(wrapped(one_line(measures[pair.second]), 28))
    entries: list[Entry] = []
    for run, name in enumerate(names):
        own = known & (found.run == run)
        style: dict[str, Any] = {
            **matplotlib_style(run if len(names) <= MOST_NAMED else 1),
            "linestyle": "none",
        }
        if found.over == "values":
            style["markersize"] = 3
        identity = f"points:{measures[pair.first]}:{measures[pair.second]}:{name}"
        mark = axes.plot(x[own], y[own], **style, zorder=3, gid=identity)
        entries.append((mark[0], name))
    if len(names) > MOST_NAMED:
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
    names = [f"{wrapped(one_line(one), 24)}  {number}" for number, one in enumerate(found.matrix.measures, start=1)]
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


def _letters(size: Size, panels: int, measures: int) -> float:
    """The size of figures that fit the cells of a map, of which labels take about half the room."""
    rows, columns = size.grid(panels)
    font = size.type_size(columns) * 0.85
    if not size.fixed:
        return font
    wide, high = (72 * 0.5 * whole / parts / measures for whole, parts in ((size.width, columns), (size.height, rows)))
    return max(2.0, min(font, wide / 2.6, high * 0.8))


def _shown(estimate: Estimate) -> str:
    return "undefined" if estimate.value is None else f"{estimate.value:.2f}"
