"""Pictures of curves by matplotlib: values at recall levels or ranks, a panel a measure, a line a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prum_eval.errors import UsageError
from prum_eval.evaluation.results import Evaluation
from prum_eval.report.drawing.line_styles import FAINT, sparse_signs
from prum_eval.report.drawing.panels import Panel, mean_panels, topic_panels
from prum_eval.report.drawing.trade_off import trade_off_of_evaluation
from prum_eval.report.layout import Layout
from prum_eval.report.plots.bars import bars_picture
from prum_eval.report.plots.legend import add_legend
from prum_eval.report.plots.pictures import (
    SIZES,
    house_style,
    matplotlib_style,
    new_figure,
    picture,
)
from prum_eval.report.plots.trade_off import trade_off_picture
from prum_eval.report.writing import wrapped, wrapped_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from prum_eval.report.plots.legend import Entry

_LAST = 1 << 30
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
    with house_style(size, columns):
        figure, cells = new_figure(size, len(panels))
        entries: dict[tuple[int, str], Entry] = {}
        for panel, axes in zip(panels, cells, strict=True):
            entries |= draw_panel(panel, axes, size.title_width(columns))
        # A run that is missing from one panel has its place among the others all the same.
        add_legend(figure, size, [entries[key] for key in sorted(entries)])
        return picture(figure, layout.format)


def draw_panel(panel: Panel, axes: Axes, title_width: int) -> dict[tuple[int, str], Entry]:
    """Draw a panel; gives back the entries of the legend, by style."""
    axes.set_title(wrapped(panel.title, title_width))
    axes.set_xlabel(wrapped_words(panel.x_label, title_width))
    axes.set_ylabel(wrapped(panel.y_label, 28))
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
            faint = axes.plot(xs, ys, color=FAINT, linewidth=0.7, clip_on=False, gid=identity)
            entries.setdefault((_LAST, ""), (faint[0], panel.others))
        else:
            every = sparse_signs(len(xs), number)
            drawn = axes.plot(xs, ys, **matplotlib_style(line.style), markevery=every, zorder=3, gid=identity)
            entries[line.style, line.name] = (drawn[0], line.name)
    return dict(sorted(entries.items()))
