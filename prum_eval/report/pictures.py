"""Pictures by matplotlib (extra ``plot``): formats, sizes, house style. What is drawn stands in the files beside."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from prum_eval.arrays import BoolArray
from prum_eval.errors import UsageError
from prum_eval.report.drawing import (
    BACKGROUND_COLOUR,
    LOGARITHMIC_FROM,
    MAX_DISTINCT_STYLES,
    Axis,
    budget_axis,
    line_style,
    linear_axis,
    to_single_line,
)
from prum_eval.report.layout import Layout, wrap_text
from prum_eval.report.panels import TradeOff

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_METADATA = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
"""What is left out of pictures, by extension: two writings are the same bytes."""

_MARKERS = {"circle": "o", "square": "s", "triangle": "^", "diamond": "D", "cross": "X", "plus": "P", "wedge": "v"}


@dataclass(frozen=True)
class Size:
    """How large pictures are, in inches and points.

    `width` and `height` are those of one panel, in at most `columns` columns; or, where `fixed`, of the whole. `max_panels`
    panels are legible.
    """

    name: str
    width: float
    height: float
    columns: int
    font: float
    line: float
    max_panels: int
    fixed: bool = False

    def grid(self, panels: int) -> tuple[int, int]:
        """Rows and columns for so many panels."""
        columns = min(self.columns, panels) if not self.fixed else math.ceil(math.sqrt(panels))
        return math.ceil(panels / columns), columns

    def font_size(self, columns: int) -> float:
        """Letters that fit the panels: on a slide, many panels are small ones."""
        return max(7.0, self.font * (1.25 - 0.25 * columns)) if self.fixed else self.font

    def title_width(self, columns: int) -> int:
        """How many letters a title line over one of so many columns holds."""
        inches = self.width / columns if self.fixed else self.width
        return int((inches - 0.6) * 72 / (0.6 * self.font_size(columns)))


SIZES = {
    "column": Size("column", 3.4, 2.5, 2, 8, 1.2, 48),
    "slide": Size("slide", 13.333, 7.5, 4, 20, 2.6, 20, fixed=True),
}
"""A column of a paper (two panels side by side span both), and a slide of 16:9."""


def check_matplotlib() -> None:
    """Refuse a picture before anything is computed for it.

    Raises:
        UsageError: matplotlib is not installed.
    """
    try:
        for module in ("matplotlib", "matplotlib.figure"):
            import_module(module)
    except ImportError as error:
        raise UsageError("--plot needs matplotlib: pip install 'prum-eval[plot]'") from error


@contextmanager
def fixed_settings(size: Size, columns: int = 1) -> Iterator[None]:
    """Settings of matplotlib that depend on nothing but us: no matplotlibrc, no mathematics in names of runs.

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
                "svg.fonttype": "path",  # looks the same where the font is not installed
                "svg.hashsalt": "prum-eval",
                "text.parse_math": False,
                "xtick.labelsize": font * 0.9,
                "ytick.labelsize": font * 0.9,
            }
        )
        yield


def new_figure(size: Size, panels: int, wide: float = 1.0, tall: float = 1.0) -> tuple[Figure, list[Any]]:
    """A figure and its panels, row by row, within `fixed_settings`; `wide` and `tall` stretch panels of no fixed size.

    Raises:
        UsageError: there are more panels than can be read.
    """
    from matplotlib.figure import Figure

    if panels > size.max_panels:
        raise UsageError(
            f"--plot: {panels} panels are too many for one picture of size {size.name}, which holds {size.max_panels}; "
            "choose fewer measures or runs"
        )
    rows, columns = size.grid(panels)
    whole = (size.width, size.height) if size.fixed else (wide * size.width * columns, tall * size.height * rows)
    figure = Figure(figsize=whole, layout="constrained")
    cells = [cell for row in figure.subplots(rows, columns, squeeze=False) for cell in row]
    for cell in cells[panels:]:
        cell.remove()
    return figure, cells[:panels]


def matplotlib_style(number: int) -> dict[str, Any]:
    """The line style of that number in the words of matplotlib."""
    style = line_style(number)
    return {
        "color": style.colour,
        "linestyle": (0, style.dashes) if style.dashes else "solid",
        "marker": _MARKERS[style.marker],
        "markerfacecolor": "white" if style.hollow else style.colour,
        "clip_on": False,
    }


def render_figure(figure: Figure, extension: str) -> bytes:
    """The figure in that format; the same bytes for the same figure.

    Raises:
        UsageError: it cannot be laid out, or has more dots than matplotlib draws.
    """
    buffer = io.BytesIO()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="constrained_layout not applied")
            figure.savefig(buffer, format=extension, metadata=_METADATA[extension])
    except (UserWarning, ValueError) as error:
        raise UsageError("--plot: that does not fit in one picture; choose fewer measures or runs") from error
    return buffer.getvalue()


# The legend of a picture by matplotlib: below the panels, where it covers nothing, and never cut off.


if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

    Entry = tuple[Artist, str]

_MAX_HEIGHT_SHARE = 0.35
"""Of a picture of fixed size, a legend takes so much at most, if its letters can shrink to that."""
_MIN_FONT_SIZE = 7.0
_LETTER_WIDTH_RATIO = 0.4
"""Width of narrow letters, in their height."""


def add_legend(figure: Figure, size: Size, entries: Sequence[Entry]) -> None:
    """A legend in as many columns as its texts leave room for.

    The figure grows by its height; where the size is fixed, the letters shrink until most of it is left to the panels.
    """
    import matplotlib as mpl

    width, height = figure.get_size_inches()
    letters = float(mpl.rcParams["font.size"])
    taken = _add_fitting_legend(figure, entries, letters)
    while size.fixed and taken > _MAX_HEIGHT_SHARE * height and letters * 0.85 >= _MIN_FONT_SIZE:
        figure.legends[0].remove()
        letters *= 0.85
        taken = _add_fitting_legend(figure, entries, letters)
    if not size.fixed:
        figure.set_size_inches(width, height + taken + 0.05)


def _add_fitting_legend(figure: Figure, entries: Sequence[Entry], letters: float) -> float:
    """Add the widest legend that fits, its texts broken into lines if need be; gives back its height in inches."""
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
    broken = [(artist, wrap_text(text, int(longest * 0.85 / part))) for artist, text in entries]
    return float(_legend(figure, broken, 1, letters).get_window_extent(renderer).height / figure.dpi)


def _legend(figure: Figure, entries: Sequence[Entry], columns: int, letters: float) -> Legend:
    legend = figure.legend(
        [artist for artist, _ in entries],
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


# The picture of quality and cost by matplotlib: recall by what is read, with bands; quality by cost and its front.


MAX_BANDS = 4
"""So many bands, those of the best runs, can be told apart where they overlap."""


def trade_off_picture(found: TradeOff, layout: Layout) -> bytes:
    """A panel of what is found within budgets, a line a run; and one of quality by cost, a sign a run.

    Raises:
        UsageError: no matplotlib.
    """
    size = SIZES[layout.size]
    panels = bool(found.bands) + (found.cost is not None)
    with fixed_settings(size, panels):
        figure, cells = new_figure(size, panels, wide=1.25, tall=1.25)
        free = iter(cells)
        entries: dict[int, Entry] = {}
        if found.bands:
            entries |= _lines(next(free), found)
        if found.cost is not None:
            entries = _quality_by_cost(next(free), found) | entries
        best = found.order[:MAX_DISTINCT_STYLES]
        shown = [entries[run] for run in best if run in entries]
        others = [entry for run, entry in entries.items() if run not in best and run >= 0][:1]
        shown += [(artist, f"one of {len(found.names) - len(best)} other runs") for artist, _ in others]
        add_legend(figure, size, [*shown, *(entry for run, entry in entries.items() if run < 0)])
        return render_figure(figure, layout.format)


def _style(found: TradeOff, run: int) -> dict[str, Any]:
    """How a run is drawn; runs are told apart by their place among the best, others are grey."""
    place = found.order.index(run)
    if place < MAX_DISTINCT_STYLES:
        return matplotlib_style(place)
    return {"color": BACKGROUND_COLOUR, "marker": "", "linewidth": 0.7, "clip_on": False}


def _lines(axes: Axes, found: TradeOff) -> dict[int, Entry]:
    """Recall by what is read; gives back the entries of the legend by run."""
    assert found.budget_measure is not None  # noqa: S101 -- there are bands
    x_label, y_label = found.budget_measure.axes
    axes.set_title(f"{found.budget_measure.name}, means over topics")
    axes.set_xlabel(f"{x_label} (logarithmic)")
    axes.set_ylabel(wrap_text(y_label, 28))
    entries: dict[int, Entry] = {}
    drawn = [(run, band) for run in reversed(found.order) if (band := found.bands[run]) is not None]
    for run, band in drawn:
        name = found.names[run]
        if run in found.order[:MAX_BANDS]:
            colour = line_style(found.order.index(run)).colour
            ends = (np.clip(band.means - band.margins, 0, None), np.clip(band.means + band.margins, None, 1))
            axes.fill_between(band.budgets, *ends, color=colour, alpha=0.13, linewidth=0, gid=f"band:{name}")
        every = (found.order.index(run) % 3, 3)  # signs of lines that run together do not cover each other
        line = axes.plot(
            band.budgets, band.means, **_style(found, run), markevery=every, zorder=3, gid=f"within:{name}"
        )
        entries[run] = (line[0], name)
    _set_limits(axes, budget_axis([budget for _, band in drawn for budget in band.budgets.tolist()]), along_x=True)
    _set_limits(axes, linear_axis(0, max(float(band.means.max()) for _, band in drawn)), along_x=False)
    if len(drawn) > MAX_BANDS:
        told = f"bands: {100 * (1 - found.alpha):g} % interval of the mean, of the best {MAX_BANDS}"
    else:
        told = f"bands: {100 * (1 - found.alpha):g} % interval of the mean"
    entries[-2] = (axes.fill_between([], [], color="#777777", alpha=0.25, linewidth=0), told)
    return entries


def _quality_by_cost(axes: Axes, found: TradeOff) -> dict[int, Entry]:
    """Quality by cost, the Pareto front as a line, with the runs on it larger than the others."""
    import matplotlib as mpl

    cost, quality = to_single_line(found.cost or ""), to_single_line(found.quality or "")
    axes.set_title(wrap_text(f"{quality} by {cost}, means over topics", 44))
    costs, front = found.points[:, 0], found.pareto_front
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
    _set_limits(axes, axis, along_x=True)
    qualities = found.points[known, 1]
    _set_limits(axes, linear_axis(min(0.0, float(qualities.min())), float(qualities.max())), along_x=False)
    return entries


def _set_limits(axes: Axes, axis: Axis, *, along_x: bool) -> None:
    if along_x:
        axes.set_xscale("log" if axis.logarithmic else "linear")
        axes.set_xticks(axis.ticks, axis.texts)
        axes.set_xticks([], minor=True)
        axes.set_xlim(axis.low, axis.high)
    else:
        axes.set_yticks(axis.ticks, axis.texts)
        axes.set_ylim(axis.low, axis.high)
