"""The picture of the power of measures by matplotlib: a panel a rate, by the size of topic sets, a line a measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prum_eval.analysis.power.result import Power
from prum_eval.report.drawing.axes import linear_axis
from prum_eval.report.drawing.panels import Line, Panel, finite, one_line
from prum_eval.report.layout import Layout
from prum_eval.report.plots.curves import draw_panel
from prum_eval.report.plots.legend import add_legend
from prum_eval.report.plots.pictures import SIZES, house_style, new_figure, picture

if TYPE_CHECKING:
    from prum_eval.report.plots.legend import Entry

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
    with house_style(size, columns):
        figure, cells = new_figure(size, len(panels))
        entries: dict[tuple[int, str], Entry] = {}
        for panel, axes in zip(panels, cells, strict=True):
            entries |= draw_panel(panel, axes, size.title_width(columns))
        add_legend(figure, size, [entries[key] for key in sorted(entries)])
        return picture(figure, layout.format)


def power_panels(found: Power) -> list[Panel]:
    """A panel a rate, those of which nothing is defined left out."""
    panels = []
    for key, title in _RATES.items():
        lines = []
        for number, one in enumerate(found.measures):
            points = [(row["topics"], row[key]) for row in found.rows() if row["measure"] == one.measure]
            known = finite([(float(x), float(y)) for x, y in points if x is not None and y is not None])
            lines += [Line(one_line(one.measure), known, number)] if known else []
        if lines:
            xs, ys = zip(*(point for line in lines for point in line.points), strict=True)
            axes = linear_axis(0, max(xs)), linear_axis(min(0, *ys), max(ys))
            panels.append(Panel(key, title, "topics", title, *axes, lines))
    return panels
