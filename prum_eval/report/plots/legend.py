"""The legend of a picture by matplotlib: below the panels, where it covers nothing, and never cut off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from prum_eval.report.plots.pictures import Size
from prum_eval.report.writing import wrapped

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

    Entry = tuple[Artist, str]

_HIGHEST = 0.35
"""Of a picture of fixed size, a legend takes so much at most, if its letters can shrink to that."""
_LEAST_LETTERS = 7.0
_NARROW = 0.4
"""Width of narrow letters, in their height."""


def add_legend(figure: Figure, size: Size, entries: Sequence[Entry]) -> None:
    """A legend in as many columns as its texts leave room for.

    The figure grows by its height; where the size is fixed, the letters shrink until most of it is left to the panels.
    """
    import matplotlib as mpl

    width, height = figure.get_size_inches()
    letters = float(mpl.rcParams["font.size"])
    taken = _fitted(figure, entries, letters)
    while size.fixed and taken > _HIGHEST * height and letters * 0.85 >= _LEAST_LETTERS:
        figure.legends[0].remove()
        letters *= 0.85
        taken = _fitted(figure, entries, letters)
    if not size.fixed:
        figure.set_size_inches(width, height + taken + 0.05)


def _fitted(figure: Figure, entries: Sequence[Entry], letters: float) -> float:
    """Add the widest legend that fits, its texts broken into lines if need be; gives back its height in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer: Any = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    part = 1.0
    longest = max(1, *(len(text) for _, text in entries))
    likely = int(figure.get_figwidth() * 72 / (longest * letters * _NARROW)) + 1  # trying takes time
    for columns in range(min(len(entries), likely, 4), 0, -1):
        legend = _legend(figure, entries, columns, letters)
        box = legend.get_window_extent(renderer)
        part = box.width / figure.bbox.width
        if part <= 0.98:
            return float(box.height / figure.dpi)
        legend.remove()
    broken = [(artist, wrapped(text, int(longest * 0.85 / part))) for artist, text in entries]
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
