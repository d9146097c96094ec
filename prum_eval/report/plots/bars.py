"""Pictures of values that are no curves, by matplotlib: averages as bars, a row a run; topics as bars side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prum_eval.analysis.matrix import counts_among
from prum_eval.evaluation.results import Evaluation
from prum_eval.report.best import best_first, order_asked
from prum_eval.report.drawing.axes import linear_axis
from prum_eval.report.drawing.panels import one_line, run_names
from prum_eval.report.layout import Layout, formatted
from prum_eval.report.plots.comparison import NAMED_TOPICS
from prum_eval.report.plots.pictures import SIZES, house_style, new_figure, picture
from prum_eval.report.writing import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOUR = "#0072b2"
_ROWS = 12
"""So many rows have room in a panel of usual height."""
_DRAWN = 0.8
"""About so much of the height of a panel are its rows."""
_NAME = 28
"""Longer names of runs stand in several lines."""
_BESIDE = 0.13
"""Room for the value beside the longest bar, in its length."""


def bars_picture(evaluation: Evaluation, layout: Layout) -> bytes:
    """The averages, a panel a measure and a bar a run, the best first; without averages a bar a topic, a panel a run.

    Counts are drawn only where there is nothing else.

    Raises:
        UsageError: too many panels, or no matplotlib.
    """
    names = run_names(evaluation.runs)
    known = [name for name in order_asked(evaluation) if any(name in run.all for run in evaluation.runs)]
    counts = counts_among(known)
    measures = [name for name in known if name not in counts] or known
    size = SIZES[layout.size]
    panels = len(measures) * (1 if layout.averages else len(names))
    columns = size.grid(panels)[1]
    with house_style(size, columns):
        tall = max(1.0, len(names) / _ROWS) if layout.averages else 1.0
        figure, cells = new_figure(size, panels, wide=1.2, tall=tall)
        height = figure.get_figheight() * _DRAWN / size.grid(panels)[0] * 72
        free = iter(cells)
        order = best_first(evaluation)
        for measure in measures:
            if layout.averages:
                values = [evaluation.runs[run].all.get(measure) for run in order]
                _means(next(free), measure, [names[run] for run in order], values, height, layout.digits)
                continue
            for run, name in zip(evaluation.runs, names, strict=True):
                found = {one_line(topic): own.get(measure) for topic, own in run.topics.items()}
                _topics(
                    next(free), measure, name, {topic: float(own) for topic, own in found.items() if own is not None}
                )
        return picture(figure, layout.format)


def _means(
    axes: Axes, measure: str, names: Sequence[str], values: Sequence[float | None], height: float, digits: int
) -> None:
    """A bar a run with its value; `height` is that of all rows in points."""
    import matplotlib as mpl

    axes.set_title(wrapped(one_line(measure), 40))
    letters = min(float(mpl.rcParams["ytick.labelsize"]), 0.85 * height / len(names))
    known = [0.0, *(float(value) for value in values if value is not None)]
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        if value is None:
            continue
        (bar,) = axes.barh([place], [float(value)], height=0.75, color=_COLOUR)
        bar.set_gid(f"mean:{measure}:{name}")
        shown = formatted(value, min(digits, 4))
        axes.annotate(
            shown,
            (max(float(value), 0.0), place),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=letters,
        )
    axis = linear_axis(min(known), max(known) + _BESIDE * (max(known) - min(known)))
    axes.set_xticks(axis.ticks, axis.texts)
    axes.set_xlim(axis.low, axis.high)
    axes.set_yticks(range(len(names)), [wrapped(name, _NAME) for name in names])
    axes.tick_params(axis="y", labelsize=letters, length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")


def _topics(axes: Axes, measure: str, name: str, values: dict[str, float]) -> None:
    """A bar a topic, the best first."""
    axes.set_title(wrapped(f"{one_line(measure)}, {name}", 40))
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
