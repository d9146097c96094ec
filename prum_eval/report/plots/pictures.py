"""Pictures by matplotlib (extra ``plot``): formats, sizes, house style. What is drawn stands in the files beside."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from prum_eval.errors import UsageError
from prum_eval.report.drawing.line_styles import line_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_METADATA = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
"""What is left out of pictures, by extension: two writings are the same bytes."""

_MARKERS = {"circle": "o", "square": "s", "triangle": "^", "diamond": "D", "cross": "X", "plus": "P", "wedge": "v"}


@dataclass(frozen=True)
class Size:
    """How large pictures are, in inches and points.

    `width` and `height` are those of one panel, in at most `columns` columns; or, where `fixed`, of the whole. `most`
    panels are legible.
    """

    name: str
    width: float
    height: float
    columns: int
    font: float
    line: float
    most: int
    fixed: bool = False

    def grid(self, panels: int) -> tuple[int, int]:
        """Rows and columns for so many panels."""
        columns = min(self.columns, panels) if not self.fixed else math.ceil(math.sqrt(panels))
        return math.ceil(panels / columns), columns

    def type_size(self, columns: int) -> float:
        """Letters that fit the panels: on a slide, many panels are small ones."""
        return max(7.0, self.font * (1.25 - 0.25 * columns)) if self.fixed else self.font

    def title_width(self, columns: int) -> int:
        """How many letters a title line over one of so many columns holds."""
        inches = self.width / columns if self.fixed else self.width
        return int((inches - 0.6) * 72 / (0.6 * self.type_size(columns)))


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
def house_style(size: Size, columns: int = 1) -> Iterator[None]:
    """Settings of matplotlib that depend on nothing but us: no matplotlibrc, no mathematics in names of runs.

    Raises:
        UsageError: matplotlib is not installed.
    """
    check_matplotlib()
    import matplotlib as mpl

    font = size.type_size(columns)
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
    """A figure and its panels, row by row, within `house_style`; `wide` and `tall` stretch panels of no fixed size.

    Raises:
        UsageError: there are more panels than can be read.
    """
    from matplotlib.figure import Figure

    if panels > size.most:
        raise UsageError(
            f"--plot: {panels} panels are too many for one picture of size {size.name}, which holds {size.most}; "
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


def picture(figure: Figure, extension: str) -> bytes:
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
