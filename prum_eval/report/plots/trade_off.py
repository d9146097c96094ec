"""The picture of quality and cost by matplotlib: recall by what is read, with bands; quality by cost and its front."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prum_eval.arrays import BoolArray
from prum_eval.report.drawing.axes import LOGARITHMIC_FROM, Axis, budget_axis, linear_axis
from prum_eval.report.drawing.line_styles import FAINT, MOST_COLOURED, line_style
from prum_eval.report.drawing.panels import one_line
from prum_eval.report.drawing.trade_off import TradeOff
from prum_eval.report.layout import Layout
from prum_eval.report.plots.legend import add_legend
from prum_eval.report.plots.pictures import SIZES, house_style, matplotlib_style, new_figure, picture
from prum_eval.report.writing import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from prum_eval.report.plots.legend import Entry

MOST_BANDS = 4
"""So many bands, those of the best runs, can be told apart where they overlap."""


def trade_off_picture(found: TradeOff, layout: Layout) -> bytes:
    """A panel of what is found within budgets, a line a run; and one of quality by cost, a sign a run.

    Raises:
        UsageError: no matplotlib.
    """
    size = SIZES[layout.size]
    panels = bool(found.bands) + (found.cost is not None)
    with house_style(size, panels):
        figure, cells = new_figure(size, panels, wide=1.25, tall=1.25)
        free = iter(cells)
        entries: dict[int, Entry] = {}
        if found.bands:
            entries |= _lines(next(free), found)
        if found.cost is not None:
            entries = _signs(next(free), found) | entries
        best = found.order[:MOST_COLOURED]
        shown = [entries[run] for run in best if run in entries]
        others = [entry for run, entry in entries.items() if run not in best and run >= 0][:1]
        shown += [(artist, f"one of {len(found.names) - len(best)} other runs") for artist, _ in others]
        add_legend(figure, size, [*shown, *(entry for run, entry in entries.items() if run < 0)])
        return picture(figure, layout.format)


def _style(found: TradeOff, run: int) -> dict[str, Any]:
    """How a run is drawn; runs are told apart by their place among the best, others are grey."""
    place = found.order.index(run)
    if place < MOST_COLOURED:
        return matplotlib_style(place)
    return {"color": FAINT, "marker": "", "linewidth": 0.7, "clip_on": False}


def _lines(axes: Axes, found: TradeOff) -> dict[int, Entry]:
    """Recall by what is read; gives back the entries of the legend by run."""
    assert found.within is not None  # noqa: S101 -- there are bands
    x_label, y_label = found.within.axes
    axes.set_title(f"{found.within.name}, means over topics")
    axes.set_xlabel(f"{x_label} (logarithmic)")
    axes.set_ylabel(wrapped(y_label, 28))
    entries: dict[int, Entry] = {}
    drawn = [(run, band) for run in reversed(found.order) if (band := found.bands[run]) is not None]
    for run, band in drawn:
        name = found.names[run]
        if run in found.order[:MOST_BANDS]:
            colour = line_style(found.order.index(run)).colour
            ends = (np.clip(band.means - band.margins, 0, None), np.clip(band.means + band.margins, None, 1))
            axes.fill_between(band.budgets, *ends, color=colour, alpha=0.13, linewidth=0, gid=f"band:{name}")
        every = (found.order.index(run) % 3, 3)  # signs of lines that run together do not cover each other
        line = axes.plot(
            band.budgets, band.means, **_style(found, run), markevery=every, zorder=3, gid=f"within:{name}"
        )
        entries[run] = (line[0], name)
    _limit(axes, budget_axis([budget for _, band in drawn for budget in band.budgets.tolist()]), along_x=True)
    _limit(axes, linear_axis(0, max(float(band.means.max()) for _, band in drawn)), along_x=False)
    if len(drawn) > MOST_BANDS:
        told = f"bands: {100 * (1 - found.alpha):g} % interval of the mean, of the best {MOST_BANDS}"
    else:
        told = f"bands: {100 * (1 - found.alpha):g} % interval of the mean"
    entries[-2] = (axes.fill_between([], [], color="#777777", alpha=0.25, linewidth=0), told)
    return entries


def _signs(axes: Axes, found: TradeOff) -> dict[int, Entry]:
    """Quality by cost, the Pareto front as a line, with the runs on it larger than the others."""
    import matplotlib as mpl

    cost, quality = one_line(found.cost or ""), one_line(found.quality or "")
    axes.set_title(wrapped(f"{quality} by {cost}, means over topics", 44))
    costs, front = found.points[:, 0], found.front
    known: BoolArray = np.asarray(~np.isnan(found.points).any(axis=1))
    least, most = float(costs[known].min()), float(costs[known].max())
    axis = budget_axis([least, most]) if 0 < least <= most / LOGARITHMIC_FROM else linear_axis(0, most)
    axes.set_xlabel(f"{cost} (logarithmic)" if axis.logarithmic else cost)
    axes.set_ylabel(quality)
    entries: dict[int, Entry] = {}
    usual = float(mpl.rcParams["lines.markersize"])
    steps = sorted(map(tuple, found.points[front].tolist()))
    line = axes.step(*zip(*steps, strict=True), where="post", color="#777777", linewidth=1, gid="front")
    entries[-1] = (line[0], "Pareto front: no run has more for less")
    for run in reversed(found.order):
        if known[run]:
            style = {**_style(found, run), "linestyle": "none"}
            style["marker"] = style["marker"] or "."
            style |= {"markersize": usual * (1.6 if front[run] else 1), "alpha": 1 if front[run] else 0.6}
            mark = axes.plot(*found.points[run, :, None], **style, zorder=3, gid=f"run:{found.names[run]}")
            entries[run] = (mark[0], found.names[run])
    _limit(axes, axis, along_x=True)
    qualities = found.points[known, 1]
    _limit(axes, linear_axis(min(0.0, float(qualities.min())), float(qualities.max())), along_x=False)
    return entries


def _limit(axes: Axes, axis: Axis, *, along_x: bool) -> None:
    if along_x:
        axes.set_xscale("log" if axis.logarithmic else "linear")
        axes.set_xticks(axis.ticks, axis.texts)
        axes.set_xticks([], minor=True)
        axes.set_xlim(axis.low, axis.high)
    else:
        axes.set_yticks(axis.ticks, axis.texts)
        axes.set_ylim(axis.low, axis.high)
