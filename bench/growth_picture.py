"""The picture of growth: time against size, both on logarithmic axes, a panel each for results, targets, topics, runs.

A grey guide has slope 1: time that grows as the size does runs along it. What a process costs anyway is drawn as a line
of its own, because small sizes cost little else. Needs matplotlib (extra ``plot``); where it is missing the picture
stays as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.page import DOCS
from prum_eval.report.drawing import line_style

if TYPE_CHECKING:
    from bench.growth import Growth

PICTURE = DOCS / "performance" / "growth.svg"
GUIDE = "#767676"


def write_picture(start: float, found: Sequence[Growth], path: Path = PICTURE) -> None:
    """Draw all panels into a file."""
    if find_spec("matplotlib") is None:
        print("no picture: pip install 'prum-eval[plot]'", file=sys.stderr)
        return
    from prum_eval.report.pictures import SIZES, fixed_settings, new_figure, render_figure
    from tests.docs.small_svg import small_svg

    size = SIZES["column"]
    with fixed_settings(size, 2):
        figure, cells = new_figure(size, len(found))
        for axes, one in zip(cells, found, strict=True):
            _panel(axes, start, one)
        figure.legend(*cells[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, handlelength=2.4)
        drawn = render_figure(figure, "svg").decode()
    path.parent.mkdir(exist_ok=True)
    path.write_text(small_svg(drawn), encoding="utf-8", newline="")


def _panel(axes: Any, start: float, one: Growth) -> None:  # noqa: ANN401 - axes of matplotlib
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    sizes, seconds = [point.size for point in one.points], [point.seconds for point in one.points]
    rest = [max(point.seconds - start, 1e-3) for point in one.points]
    whole, own = line_style(0).colour, line_style(1).colour
    guide = [rest[-1] * size / sizes[-1] for size in (sizes[0], sizes[-1])]
    axes.plot(
        [sizes[0], sizes[-1]],
        guide,
        color=GUIDE,
        linestyle=(0, (4, 3)),
        linewidth=0.9,
        label="slope 1: as the size grows",
    )
    axes.plot(sizes, seconds, color=whole, marker="o", clip_on=False, label="whole call")
    axes.plot(sizes, rest, color=own, marker="s", markerfacecolor="white", clip_on=False, label="without the start")
    axes.set(xscale="log", yscale="log", xlabel=one.name, ylabel="seconds")
    low, high = min(*rest, *guide), max(seconds)
    axes.set_ylim(low / 1.5, high * 1.5)
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    axes.set_xticks(sizes, labels=[f"{size:,.0f}" for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 3)))
    axes.yaxis.set_major_formatter(plain)
    axes.yaxis.set_minor_locator(NullLocator())
