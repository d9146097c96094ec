"""The picture of fitted user models by matplotlib: observed against predicted, by tenths of what is predicted."""

from __future__ import annotations

from prum_eval.fitting.result import FittedModels
from prum_eval.report.drawing.axes import linear_axis
from prum_eval.report.drawing.line_styles import MOST_COLOURED
from prum_eval.report.drawing.panels import Line, Panel, one_line
from prum_eval.report.layout import Layout
from prum_eval.report.plots.curves import draw_panel
from prum_eval.report.plots.legend import add_legend
from prum_eval.report.plots.pictures import SIZES, house_style, new_figure, picture
from prum_eval.report.text.fit import short_spec


def calibration_picture(found: FittedModels, layout: Layout) -> bytes:
    """A line a model, the best in front; where it lies on the diagonal, the model is right.

    Raises:
        UsageError: no matplotlib.
    """
    size, panel = SIZES[layout.size], calibration_panel(found)
    with house_style(size, 1):
        figure, cells = new_figure(size, 1, tall=1.2)
        cells[0].plot([0, 1], [0, 1], color="#999999", linewidth=0.8, linestyle=(0, (2, 2)), gid="diagonal")
        entries = draw_panel(panel, cells[0], size.title_width(1))
        add_legend(figure, size, [entries[key] for key in sorted(entries)])
        return picture(figure, layout.format)


def calibration_panel(found: FittedModels) -> Panel:
    """Observed against predicted: a point a tenth that holds pairs."""
    lines = []
    for number, one in enumerate(found.models):
        known = [(tenth.predicted, tenth.observed) for tenth in one.calibration]
        points = [(x, y) for x, y in known if x is not None and y is not None]
        lines.append(Line(one_line(short_spec(one)), points, number if number < MOST_COLOURED else None))
    axis = linear_axis(0, 1)
    title = "views, by tenths of their probability"
    return Panel("calibration", title, "predicted", "observed", axis, axis, lines, "other models")
