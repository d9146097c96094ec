"""Pictures of panels: SVG by `svg`, PNG and PDF by matplotlib (extra ``plot``), with the same content."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from prum_eval.errors import UsageError
from prum_eval.report.drawing import SIZES, Area, Axis, Label, LegendEntry, LineStyle, Panel, Picture, Polyline, Size
from prum_eval.report.layout import Layout, wrap_text, wrap_words
from prum_eval.report.svg import picture_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

_METADATA = {"png": {}, "pdf": {"CreationDate": None}}
"""What is left out of pictures, by extension: two writings are the same bytes."""
_MARKERS = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "D",
    "cross": "X",
    "plus": "P",
    "wedge": "v",
    "end": "|",
    "": "",
}
_MAX_LEGEND_SHARE = 0.35
"""Largest share of a legend in the height of a picture of fixed size, if its letters can shrink to that."""
_MIN_FONT_SIZE = 7.0
_LETTER_WIDTH_RATIO = 0.4
"""Width of narrow letters, in their height."""
_ROWS_HEIGHT_SHARE = 0.8
"""Approximate share of its rows in the height of a panel."""


def check_matplotlib() -> None:
    """Refuse a picture before anything is computed for it.

    Raises:
        UsageError: matplotlib is not installed.
    """
    try:
        for module in ("matplotlib", "matplotlib.figure"):
            import_module(module)
    except ImportError as error:
        raise UsageError("--plot needs matplotlib: pip install matplotlib") from error


def render_picture(picture: Picture, layout: Layout) -> bytes:
    """The picture in the format and size of the layout; equal pictures give equal bytes.

    Raises:
        UsageError: it has too many panels or does not fit, or matplotlib is needed and not installed.
    """
    size = SIZES[layout.size]
    if layout.format == "svg":
        return picture_svg(picture, size).encode()
    rows, columns = size.picture_grid(picture)
    with _fixed_settings(size, columns):
        from matplotlib.figure import Figure

        tall, wide = size.height * picture.tall * rows, size.width * picture.wide * columns
        figure = Figure(figsize=(size.width, size.height) if size.fixed else (wide, tall), layout="constrained")
        if picture.title:
            figure.suptitle(wrap_text(picture.title, size.title_width(1) * (1 if size.fixed else columns)))
        row_height = figure.get_figheight() * _ROWS_HEIGHT_SHARE / rows * 72
        cells = [cell for row in figure.subplots(rows, columns, squeeze=False) for cell in row]
        for panel, axes in zip(picture.panels, cells, strict=False):
            _draw_panel(panel, axes, size.title_width(columns), row_height, figure.get_figwidth() * 36 / columns)
        for axes in cells[len(picture.panels) :]:
            axes.remove()
        if picture.legend:
            _add_legend(figure, size, picture.legend)
        return _save_figure(figure, layout.format)


@contextmanager
def _fixed_settings(size: Size, columns: int) -> Iterator[None]:
    """Set matplotlib without any matplotlibrc; names of runs hold no mathematics.

    Raises:
        UsageError: matplotlib is not installed.
    """
    check_matplotlib()
    import matplotlib as mpl

    font = size.font_size(columns)
    with warnings.catch_warnings(), mpl.rc_context():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # a box stands for such a letter
        mpl.rcdefaults()
        mpl.rcParams.update(
            {
                "axes.axisbelow": True,
                "axes.edgecolor": "#444444",
                "axes.grid": True,
                "axes.labelsize": font,
                "axes.linewidth": size.line / 2,
                "axes.spines.right": False,
                "axes.spines.top": False,
                "axes.titlesize": font,
                "font.size": font,
                "grid.color": "#e3e3e3",
                "grid.linewidth": size.line / 2,
                "legend.frameon": False,
                "lines.linewidth": size.line * font / size.font,
                "lines.markersize": font / 2,
                "pdf.fonttype": 42,  # publishers refuse fonts of type 3
                "figure.constrained_layout.h_pad": font / 120,
                "figure.constrained_layout.w_pad": font / 120,
                "savefig.dpi": 144 if size.fixed else 300,
                "text.parse_math": False,
                "xtick.labelsize": font * 0.9,
                "ytick.labelsize": font * 0.9,
            }
        )
        yield


def _draw_panel(panel: Panel, axes: Axes, title_width: int, row_height: float, width: float) -> None:
    """Draw a panel; `row_height` and `width` are its estimated height and width in points."""
    import matplotlib as mpl

    letters, markers = float(mpl.rcParams["ytick.labelsize"]), float(mpl.rcParams["lines.markersize"])
    if panel.rows:
        height = row_height / panel.rows
        letters, markers = min(letters, 0.85 * height), min(markers, 0.7 * height)
    axes.set_title(wrap_text(panel.title, title_width))
    axes.set_xlabel(wrap_words(panel.x_label, title_width) if panel.x_label else "")
    axes.set_ylabel(wrap_text(panel.y_label, 28))
    if panel.row_title:
        axes.set_ylabel(wrap_text(panel.row_title, 14), rotation=0, ha="right", va="center")
    _set_axis(axes, panel.x, "x", turned=panel.turned)
    _set_axis(axes, panel.y, "y")
    axes.xaxis.grid(visible="x" in panel.grid)
    axes.yaxis.grid(visible="y" in panel.grid)
    if panel.rows:
        axes.tick_params(axis="y", labelsize=letters, length=0)
        axes.spines["left"].set_visible(False)
    if panel.in_cells:
        axes.tick_params(axis="x", labelsize=letters, length=0)
        axes.spines["bottom"].set_visible(False)
        letters = max(2.0, min(letters, width / panel.rows / 2.6))
    for mark in panel.marks:
        if isinstance(mark, Label):
            place: dict[str, Any] = {
                "va": "center_baseline",
                "ha": "right" if mark.shift < 0 else "left" if mark.shift else "center",
            }
            place |= {"xytext": (mark.shift * letters, 0), "textcoords": "offset points", "fontsize": letters}
            style = "italic" if mark.italic else "normal"
            axes.annotate(mark.text, (mark.x, mark.y), **place, color=mark.colour, fontstyle=style)
        elif isinstance(mark, Area):
            edge = "#444444" if mark.edge else "none"
            xs, ys = zip(*mark.points, strict=True)
            axes.fill(xs, ys, facecolor=mark.colour, alpha=mark.opacity, edgecolor=edge, linewidth=0.4, zorder=1.5)
        else:
            _draw_line(axes, mark, markers)
    for line in panel.lines:
        _draw_line(axes, Polyline(line.name, line.points, line.line_style, line.markers), markers)


def _draw_line(axes: Axes, line: Polyline, markers: float) -> None:
    xs, ys = zip(*line.points, strict=True)
    zorder = 3 if line.style.marker else 2
    axes.plot(xs, ys, **_line_settings(line.style, markers), markevery=line.markers, clip_on=False, zorder=zorder)


def _line_settings(style: LineStyle, markers: float) -> dict[str, Any]:
    """A line style in the words of matplotlib; `markers` is the size of markers in points."""
    import matplotlib as mpl

    return {
        "color": style.colour,
        "linestyle": "none" if style.dashes is None else (0, style.dashes) if style.dashes else "solid",
        "linewidth": style.width * float(mpl.rcParams["lines.linewidth"]),
        "marker": _MARKERS[style.marker],
        "markersize": style.size * markers,
        "markerfacecolor": "white" if style.hollow else style.colour,
        "alpha": style.opacity,
    }


def _set_axis(axes: Axes, axis: Axis, name: str, *, turned: bool = False) -> None:
    if axis.logarithmic:
        axes.set(**{f"{name}scale": "log"})
    own = axes.xaxis if name == "x" else axes.yaxis
    own.set_ticks(axis.ticks, axis.texts, rotation=90 if turned else 0)
    own.set_ticks([], minor=True)
    axes.set(**{f"{name}lim": (axis.low, axis.high)})


def _add_legend(figure: Figure, size: Size, entries: Sequence[LegendEntry]) -> None:
    """Add a legend below the panels, in as many columns as its texts leave space for.

    The figure grows by its height; if the size is fixed, the letters shrink until most of it is left to the panels.
    """
    import matplotlib as mpl

    width, height = figure.get_size_inches()
    letters = float(mpl.rcParams["font.size"])
    legend_height = _add_fitting_legend(figure, entries, letters)
    while size.fixed and legend_height > _MAX_LEGEND_SHARE * height and letters * 0.85 >= _MIN_FONT_SIZE:
        figure.legends[0].remove()
        letters *= 0.85
        legend_height = _add_fitting_legend(figure, entries, letters)
    if not size.fixed:
        figure.set_size_inches(width, height + legend_height + 0.05)


def _add_fitting_legend(figure: Figure, entries: Sequence[LegendEntry], letters: float) -> float:
    """Add the widest legend that fits, its texts in several lines if need be; return its height in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer: Any = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    part = 1.0
    longest = max(1, *(len(text) for _, text in entries))
    likely = int(figure.get_figwidth() * 72 / (longest * letters * _LETTER_WIDTH_RATIO)) + 1  # trying takes time
    for columns in range(min(len(entries), likely, 4), 0, -1):
        legend = _legend(figure, entries, columns, letters)
        box = legend.get_window_extent(renderer)
        part = box.width / figure.bbox.width
        if part <= 0.98:
            return float(box.height / figure.dpi)
        legend.remove()
    broken = [(style, wrap_text(text, int(longest * 0.85 / part))) for style, text in entries]
    return float(_legend(figure, broken, 1, letters).get_window_extent(renderer).height / figure.dpi)


def _legend(figure: Figure, entries: Sequence[LegendEntry], columns: int, letters: float) -> Legend:
    import matplotlib as mpl
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    size = float(mpl.rcParams["lines.markersize"])
    legend = figure.legend(
        [
            Line2D([], [], **_line_settings(style, size))
            if isinstance(style, LineStyle)
            else Patch(color=style, alpha=0.25, linewidth=0)
            for style, _ in entries
        ],
        ["-"] * len(entries),
        loc="outside lower center",
        ncols=columns,
        handlelength=3,
        fontsize=letters,
    )
    # Set afterwards, because a legend leaves out what begins with an underscore.
    for shown, (_, text) in zip(legend.get_texts(), entries, strict=True):
        shown.set_text(text)
    return legend


def _save_figure(figure: Figure, extension: str) -> bytes:
    """The figure in that format.

    Raises:
        UsageError: it cannot be laid out, or has more dots than matplotlib draws.
    """
    buffer = io.BytesIO()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="constrained_layout not applied")
            figure.savefig(buffer, format=extension, metadata=_METADATA[extension])
    except (UserWarning, ValueError) as error:
        raise UsageError("--plot: too large for one picture; choose fewer measures or runs") from error
    return buffer.getvalue()
