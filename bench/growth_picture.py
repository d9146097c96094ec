"""The picture of growth: time by size on logarithmic axes, a panel each for results, targets, topics and runs.

A grey guide has slope 1: time that grows as the size does runs along it. A second line leaves out the start of the
process, because small sizes cost little else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bench.page import DOCS
from prum_eval.report.drawing import SIZES, Axis, LineStyle, Panel, Picture, Polyline, budget_axis, line_style
from prum_eval.report.svg import picture_svg

if TYPE_CHECKING:
    from bench.growth import Growth

PICTURE = DOCS / "performance" / "growth.svg"
_GUIDE = LineStyle("#767676", dashes=(4, 3), width=0.7)
_WHOLE = LineStyle(line_style(0).colour, marker="circle")
_REST = LineStyle(line_style(1).colour, marker="square", hollow=True)


def write_picture(start: float, found: Sequence[Growth], path: Path = PICTURE) -> None:
    """Draw all panels into a file."""
    legend = [(_GUIDE, "slope 1: as the size grows"), (_WHOLE, "whole call"), (_REST, "without the start")]
    path.parent.mkdir(exist_ok=True)
    svg = picture_svg(Picture([_panel(start, one) for one in found], legend), SIZES["column"])
    path.write_text(svg, encoding="utf-8", newline="")


def _panel(start: float, growth: Growth) -> Panel:
    sizes, seconds = [point.size for point in growth.points], [point.seconds for point in growth.points]
    rest = [max(point.seconds - start, 1e-3) for point in growth.points]
    guide = [(size, rest[-1] * size / sizes[-1]) for size in (sizes[0], sizes[-1])]
    ticks = tuple(map(float, sizes))
    x = Axis(sizes[0] / 1.15, sizes[-1] * 1.15, ticks, tuple(f"{size:,.0f}" for size in sizes), logarithmic=True)
    low, high = min(*rest, guide[0][1]), max(seconds)
    y = replace(budget_axis([low / 1.5, high * 1.5]), low=low / 1.5, high=high * 1.5)
    marks = [
        Polyline("guide", guide, _GUIDE),
        Polyline("whole", list(zip(sizes, seconds, strict=True)), _WHOLE),
        Polyline("rest", list(zip(sizes, rest, strict=True)), _REST),
    ]
    return Panel("", "", growth.name, "seconds", x, y, (), marks=marks)
