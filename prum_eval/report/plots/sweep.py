"""The picture of a sweep by matplotlib: a panel a measure, means with their intervals over the values, or curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from prum_eval.analysis.sensitivity.result import Sweep
from prum_eval.errors import UsageError
from prum_eval.report.drawing.line_styles import line_style, ramp_colour
from prum_eval.report.drawing.sweep import swept_panels
from prum_eval.report.layout import Layout
from prum_eval.report.plots.curves import draw_panel
from prum_eval.report.plots.legend import add_legend
from prum_eval.report.plots.pictures import SIZES, house_style, new_figure, picture

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.lines import Line2D

    from prum_eval.report.plots.legend import Entry


def sweep_picture(sweep: Sweep, layout: Layout) -> bytes:
    """Every measure: lines of the runs over the values, or, of a single run with a curve, lines of the values.

    Raises:
        UsageError: no measure has a value, or no matplotlib.
    """
    size, panels = SIZES[layout.size], swept_panels(sweep)
    if not panels:
        raise UsageError("--plot: nothing to draw: no measure has a mean")
    columns = size.grid(len(panels))[1]
    with house_style(size, columns):
        figure, cells = new_figure(size, len(panels))
        entries: dict[tuple[int, str], Entry] = {}
        for own, axes in zip(panels, cells, strict=True):
            found = draw_panel(own.panel, axes, size.title_width(columns))
            if own.by_value and sweep.varied.numbers is not None:
                for (number, _), (artist, _) in found.items():
                    _coloured(artist, ramp_colour(number, len(sweep.values)))
            entries |= found if own.by_value or len(sweep.runs) > 1 else {}
            for line, band in zip(own.panel.lines, own.bands, strict=True):
                if any(low < high for _, low, high in band) and line.style is not None:
                    xs, lows, highs = zip(*band, strict=True)
                    axes.fill_between(xs, lows, highs, color=line_style(line.style).colour, alpha=0.13, linewidth=0)
        if entries:
            add_legend(figure, size, [entries[key] for key in sorted(entries)])
        return picture(figure, layout.format)


def _coloured(line: Artist, colour: str) -> None:
    """Give a line the colour of its place in an order, and no dashes, which would say nothing of it."""
    hollow = cast("Line2D", line).get_markerfacecolor() == "white"
    line.set(color=colour, linestyle="solid", markeredgecolor=colour, markerfacecolor="white" if hollow else colour)
