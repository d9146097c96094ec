"""Pictures of comparisons by matplotlib: mean differences with their intervals, and differences by topic as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prum_eval.analysis.comparison import Comparison, MeasuredRun
from prum_eval.analysis.paired import paired_difference
from prum_eval.analysis.settings import ComparisonSettings
from prum_eval.arrays import FloatArray
from prum_eval.report.drawing.axes import Axis, linear_axis
from prum_eval.report.drawing.line_styles import line_style
from prum_eval.report.drawing.panels import one_line, told_apart
from prum_eval.report.drawing.trade_off import trade_off_of_comparison
from prum_eval.report.plots.legend import add_legend
from prum_eval.report.plots.pictures import (
    SIZES,
    house_style,
    matplotlib_style,
    new_figure,
    picture,
)
from prum_eval.report.plots.trade_off import trade_off_picture
from prum_eval.report.registry import Layout
from prum_eval.report.writing import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from prum_eval.report.plots.legend import Entry


NAMED_TOPICS = 30
"""So many topics at most are named below their bars."""
NAMED_RUNS = 12
"""With more runs than that, only the means are shown."""
_BETTER, _WORSE = "#0072b2", "#f0c9a8"  # dark and light, in grey too


def comparison_picture(comparison: Comparison, layout: Layout) -> bytes:
    """For each measure a panel of mean differences with intervals, and for each run but the base one of its topics.

    With more runs or panels than can be read the means are shown alone. Where quality has its cost, or is found within
    budgets, that is drawn in place of the differences.

    Args:
        comparison: what `compare` found.
        layout: size and format of the picture.

    Raises:
        UsageError: too many panels, or no matplotlib.
    """
    if (found := trade_off_of_comparison(comparison)) is not None:
        return trade_off_picture(found, layout)
    size = SIZES[layout.size]
    matrix = comparison.matrix
    names = told_apart(matrix.runs, matrix.paths)
    panels = len(matrix.measures) * len(names)
    means_alone = len(names) > NAMED_RUNS or panels > size.most
    panels = len(matrix.measures) if means_alone else panels
    columns = size.grid(panels)[1]
    with house_style(size, columns):
        figure, cells = new_figure(size, panels, tall=max(1.0, len(names) / NAMED_RUNS))
        free = iter(cells)
        width = size.title_width(columns)
        for number, (measure, rows) in enumerate(comparison.board().items()):
            base = comparison.base[measure]
            entries = _means(next(free), measure, rows, names, comparison.settings)
            if means_alone:
                continue
            values = matrix.values[number]
            known = ~np.isnan(values[0])
            topics = [one_line(topic) for topic, is_known in zip(matrix.topics, known, strict=True) if is_known]
            differences = {
                run: paired_difference(values[run, known], values[base, known])
                for run in range(len(names))
                if run != base
            }
            ends = [end for one in differences.values() for end in (one.min(), one.max())]
            axis = linear_axis(min(0.0, *ends), max(0.0, *ends))
            for run, own in differences.items():
                axes = next(free)
                axes.set_title(wrapped(f"{names[run]} \N{MINUS SIGN} {names[base]}", width))
                _bars(axes, axis, measure, topics, own)
        add_legend(figure, size, entries)
        return picture(figure, layout.format)


def _means(
    axes: Axes, measure: str, rows: list[MeasuredRun], names: list[str], settings: ComparisonSettings
) -> list[Entry]:
    """Mean differences to the base, which is the line at 0; gives back the entries of the legend."""
    axes.set_title(wrapped(one_line(measure), 40))
    axes.set_xlabel(wrapped(f"mean difference, {100 * (1 - settings.alpha):g} % interval", 44))
    entries: list[Entry] = []
    ends = [0.0]
    for row in rows:
        found = row.difference
        mean = 0.0 if found is None else found.mean
        style: dict[str, Any] = {**matplotlib_style(row.run), "linestyle": "none"}
        name = names[row.run]
        if found is not None and found.low is not None and found.high is not None:
            ends += [found.low, found.high]
            whisker: dict[str, Any] = {"color": line_style(row.run).colour, "marker": "|", "solid_capstyle": "butt"}
            axes.plot([found.low, found.high], [row.run] * 2, **whisker, gid=f"interval:{measure}:{name}")
        ends.append(mean)
        mark = axes.plot([mean], [row.run], **style, zorder=3, gid=f"mean:{measure}:{name}")
        is_base = found is None and settings.pairs == "first"  # the best run may be another by each measure
        entries.append((mark[0], f"{name} (baseline)" if is_base else name))
    axes.axvline(0, color="#444444", linewidth=0.8)
    axis = linear_axis(min(ends), max(ends))
    axes.set_xticks(axis.ticks, axis.texts)
    axes.set_xlim(axis.low, axis.high)
    axes.set_yticks([])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    return entries


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
    axes.set_ylabel(wrapped(f"difference in {one_line(measure)}", 28))
    axes.set_xlim(-0.7, len(topics) - 0.3)
    counts = f"{better} better, {len(topics) - better - worse} same, {worse} worse"
    axes.set_xlabel(f"{len(topics)} topic{'s'[: len(topics) != 1]}: {counts}")
    axes.grid(visible=False, axis="x")
    if len(topics) <= NAMED_TOPICS:
        long = max(map(len, topics)) * len(topics) > 40
        axes.set_xticks(range(len(topics)), [topics[topic] for topic in order], rotation=90 if long else 0)
    else:
        axes.set_xticks([])
