"""SVG of panels: in pages, and in pictures of their own. Needs no matplotlib; equal input gives equal bytes.

One unit is a twelfth of the height of letters. A panel is drawn into a frame: the rectangle between its axes, in units
of the picture, whose y counts from above. Widths of texts are estimated, because fonts differ.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from prum_eval.errors import UsageError
from prum_eval.parameters import format_parameter
from prum_eval.report.drawing import (
    DARK_COLOURS,
    Area,
    Label,
    LegendEntry,
    Line,
    LineStyle,
    Mark,
    Panel,
    Picture,
    Points,
    Polyline,
    Size,
)
from prum_eval.report.layout import Markup, fill, wrap_text, wrap_words

WIDTH, HEIGHT = 420, 290
"""Size of a panel in a page."""
_LETTER_WIDTH = 0.62
"""Largest average width of the letters of a line, in their height."""
FONT_SIZE = 12
_FONT = Markup(f'font-family="system-ui, sans-serif" font-size="{FONT_SIZE}"')
_LEADING = 15
"""Distance of the lines of a text."""
_DARK_REPLACEMENTS = {"#ffffff": "#16181b", "#e3e3e3": "#3a3f46", "#444444": "#a9adb3", **DARK_COLOURS}
_PANEL = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {font} role="img" aria-label="{about}">\n'
    "{axes}{curves}</svg>\n"
)
_TEXT = '<text{name} x="{x:.1f}" y="{y:.1f}"{more}>{text}</text>'
_X_LABEL = '<text class="x" x="{x:.1f}" y="{y:g}" text-anchor="middle">{label}</text>'
_Y_LABEL = (
    '<text class="y" transform="translate({x:g},{y:.1f}) rotate(-90)" text-anchor="middle"{squeezed}>{label}</text>'
)
_TURNED = '<text transform="translate({x:.1f},{y:g}) rotate(-90)" text-anchor="end">{text}</text>'
_X_NUMBER = '<text x="{x:.1f}" y="{y:g}" text-anchor="middle"{more}>{text}</text>'
_SHAPES = {
    "circle": "M{a},0A{a},{a} 0 1 1 -{a},0A{a},{a} 0 1 1 {a},0Z",
    "square": "M-{a},-{a}H{a}V{a}H-{a}Z",
    "triangle": "M0,-{b}L{b},{a}H-{b}Z",
    "diamond": "M0,-{b}L{b},0L0,{b}L-{b},0Z",
    "cross": "M0,-{d}L{d},-{b}L{b},-{d}L{d},0L{b},{d}L{d},{b}L0,{d}L-{d},{b}L-{b},{d}L-{d},0L-{b},-{d}L-{d},-{b}Z",
    "plus": "M-{c},-{b}H{c}V-{c}H{b}V{c}H{c}V{b}H-{c}V{c}H-{b}V-{c}H-{c}Z",
    "wedge": "M0,{b}L{b},-{a}H-{b}Z",
    "end": "M0,-{a}V{a}",
}


@dataclass(frozen=True, slots=True)
class Frame:
    """The rectangle of a panel's axes, with the labels below (`foot`) and to the left of it (`side`).

    `scale`: size of markers, of names of rows and of labels in the panel, relative to the usual one.
    """

    left: float
    top: float
    right: float
    bottom: float
    x_lines: Sequence[str]
    y_lines: Sequence[str]
    foot: float = 38
    side: float = 44
    scale: float = 1.0

    def position(self, panel: Panel, x: float, y: float) -> tuple[float, float]:
        """The place of a point of the panel in the picture."""
        across, up = self.right - self.left, self.bottom - self.top
        return self.left + across * panel.x.place(x), self.bottom - up * panel.y.place(y)


PAGE_FRAME = Frame(58, 12, WIDTH - 14, HEIGHT - 46, (), ())
"""The axes of a panel in a page, whose script needs their place."""


def panel_svg(panel: Panel) -> Markup:
    """A panel of a page, without title and legend, which the page has."""
    left, right = PAGE_FRAME.left, PAGE_FRAME.right
    x_lines = wrap_words(panel.x_label, int((right - left) / (_LETTER_WIDTH * FONT_SIZE))).split("\n")
    frame = Frame(left, PAGE_FRAME.top, right, PAGE_FRAME.bottom, x_lines, [panel.y_label])
    about = f"{panel.title}: {panel.y_label} at {panel.x_label}"
    size = {"width": WIDTH, "height": HEIGHT + _LEADING * (len(x_lines) - 1), "font": _FONT}
    curves = [part for line in panel.lines for part in _page_line(panel, line, frame)]
    return fill(_PANEL, **size, about=about, axes=_lines(_axes(panel, frame)), curves=_lines(curves))


def swatch(style: LineStyle) -> Markup:
    """A piece of a line for a legend, from (0, 0) to (40, 0)."""
    line = Markup("") if style.dashes is None else Markup(f'<path d="M0,0H40" {_stroke(style)}/>')
    return Markup(line + _marker(style, 20, 0))


def picture_svg(picture: Picture, size: Size, *, dark: bool = False) -> str:
    """A file of its own: title, panels in rows, the legend below; if `dark`, with colours for dark pages.

    Raises:
        UsageError: there are more panels than can be read, or no space is left for them.
    """
    rows, columns = size.picture_grid(picture)
    unit = FONT_SIZE / size.font_size(columns) * 72  # per inch
    width = unit * (size.width if size.fixed else size.width * picture.wide * columns)
    height = unit * size.height * (1.0 if size.fixed else picture.tall * rows)
    legend, legend_height = _legend(picture.legend, width)
    scale = 1.0
    while size.fixed and legend_height > 0.35 * height and FONT_SIZE * scale > 5:
        scale *= 0.85
        legend, legend_height = _legend(picture.legend, width / scale)
        legend_height *= scale
    title = _wrapped(picture.title, width - 20) if picture.title else []
    head = (_LEADING + 3) * len(title)
    cell = width / columns, (height - head - legend_height) / rows if size.fixed else height / rows
    bottom = head + rows * cell[1]
    height = bottom + legend_height
    frames = _frames(picture.panels, columns, cell, (head, width, rows * cell[1]))
    shown = f'width="{width / unit:.3f}in" height="{height / unit:.3f}in" viewBox="0 0 {width:.1f} {height:.1f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {shown} {_FONT} role="img">',
        *([dark_style()] if dark else []),
        f'<rect width="{width:.1f}" height="{height:.1f}" fill="#ffffff"/>',
        *(_text(width / 2, 18 + 18 * number, line, bold=True) for number, line in enumerate(title)),
    ]
    for panel, frame in zip(picture.panels, frames, strict=True):
        parts += [*_title(panel, frame, cell[0]), *_axes(panel, frame), *_marks(panel, frame)]
    parts += [f'<g transform="translate(0,{bottom:.1f}) scale({scale:.4g})">', *legend, "</g></svg>"]
    return _lines(parts)


def dark_style() -> str:
    """Colours for readers who prefer dark pages; the page that shows the file may set color-scheme too."""
    rules = [
        f'[{of}="{light}"]{{{of}:{dark}}}' for light, dark in _DARK_REPLACEMENTS.items() for of in ("stroke", "fill")
    ]
    return f"<style>@media (prefers-color-scheme:dark){{text{{fill:#e8e8e8}}{''.join(rules)}}}</style>"


def text_width(text: str) -> float:
    """Estimated width of a text, rather too large.

    >>> text_width("ill") < text_width("map") < text_width("MAP")
    True
    """
    return FONT_SIZE * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if letter in "ijlI.,:;|!'()[] ":
        return 0.38
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    return 0.95 if letter in "mwMW@%" else 0.72 if letter.isupper() else 0.64


def _wrapped(text: str, width: float) -> list[str]:
    """Lines of a text that are no wider than that, at least a letter long."""
    longest = len(text)
    while longest > 1 and max(map(text_width, lines := wrap_text(text, longest).split("\n"))) > width:
        longest = max(1, min(longest - 1, int(longest * width / max(map(text_width, lines)))))
    return wrap_text(text, max(1, longest)).split("\n")


def _frames(
    panels: Sequence[Panel], columns: int, cell: tuple[float, float], area: tuple[float, float, float]
) -> list[Frame]:
    """The frames of all panels in an area (top, width, height): of equal size, with space for numbers and labels.

    Raises:
        UsageError: there is no space left for them.
    """
    top, width, height = area
    layouts = [_layout(panel, cell) for panel in panels]
    by_column = [layouts[column::columns] for column in range(columns)]
    by_row = [layouts[start : start + columns] for start in range(0, len(layouts), columns)]
    sides = [(max(own.left for own in cells), max(own.right for own in cells)) for cells in by_column]
    ends = [(max(own.top for own in cells), max(own.bottom for own in cells)) for cells in by_row]
    wide = (width - sum(map(sum, sides))) / columns
    high = (height - sum(map(sum, ends))) / len(by_row)
    if wide < 30 or high < 20:
        raise UsageError("--plot: too large for one picture; choose fewer measures or runs")
    frames = []
    for number, (panel, own) in enumerate(zip(panels, layouts, strict=True)):
        row, column = divmod(number, columns)
        left = sum(map(sum, sides[:column])) + column * wide + sides[column][0]
        upper = top + sum(map(sum, ends[:row])) + row * high + ends[row][0]
        scale = min(1.0, 0.85 * high / panel.rows / FONT_SIZE) if panel.rows else 1.0
        edges = left, upper, left + wide, upper + high
        side = sides[column][0] - 6 if panel.row_title else own.side
        frames.append(Frame(*edges, own.x_lines, own.y_lines, own.foot, side, scale))
    return frames


def _layout(panel: Panel, cell: tuple[float, float]) -> Frame:
    """Space at each side of a panel in place of its edges."""
    x_texts, y_texts = ([text for text in axis.texts if text] for axis in (panel.x, panel.y))
    top = 10 + _LEADING * len(_title_lines(panel, cell[0]))
    x_lines = wrap_words(panel.x_label, max(8, int((cell[0] - 70) / (0.58 * FONT_SIZE)))).split("\n")
    numbers = max(map(text_width, x_texts), default=0.0) + 8 if panel.turned else 20 if x_texts else 6
    foot = numbers + 15
    bottom = numbers + (_LEADING * len(x_lines) if panel.x_label else 0) + 8
    y_lines = _wrapped(panel.y_label, cell[1] - top - bottom) if panel.y_label else []
    scale = min(1.0, 0.85 * (cell[1] - top - bottom) / panel.rows / FONT_SIZE) if panel.rows else 1.0
    widest = max((text_width(line) for text in y_texts for line in text.split("\n")), default=0.0) * scale
    if panel.row_title:
        widest += max(map(text_width, _row_title(panel))) + 14
    left = widest + (16 if y_texts else 8) + _LEADING * len(y_lines)
    right = 10.0
    if x_texts and panel.x.ticks and not panel.turned:
        beyond = (1 - panel.x.place(panel.x.ticks[-1])) * 0.7 * cell[0]
        right = max(right, text_width(x_texts[-1]) / 2 + 4 - beyond)
    side = widest + 13 + _LEADING * (len(y_lines) - 1)
    return Frame(left, top, right, bottom, x_lines, y_lines, foot, side)


def _title_lines(panel: Panel, width: float) -> list[str]:
    return _wrapped(panel.title, 0.92 * width - 20) if panel.title else []


def _title(panel: Panel, frame: Frame, width: float) -> list[str]:
    lines = _title_lines(panel, width)
    middle = (frame.left + frame.right) / 2
    return [
        _text(middle, frame.top - 8 - _LEADING * (len(lines) - 1 - number), line, bold=True)
        for number, line in enumerate(lines)
    ]


def _row_title(panel: Panel) -> list[str]:
    return wrap_text(panel.row_title, 14).split("\n")


def _legend(entries: Sequence[LegendEntry], width: float) -> tuple[list[str], float]:
    """The legend in as many columns as texts leave space for, at most 4, and its height."""
    if not entries:
        return [], 0.0
    space = 54 + 14  # swatch and gap
    for columns in range(min(len(entries), 4), 0, -1):
        rows = -(-len(entries) // columns)
        by_column = [entries[start : start + rows] for start in range(0, len(entries), rows)]
        widths = [space + max(text_width(text) for _, text in column) for column in by_column]
        if sum(widths) <= width - 16:
            break
    else:
        by_column, widths = [entries], [width - 16]
    parts, high = [], 0.0
    x = (width - sum(widths)) / 2
    for column, wide in zip(by_column, widths, strict=True):
        y = 10.0
        for style, text in column:
            sample = swatch(style) if isinstance(style, LineStyle) else _patch(style)
            lines = _wrapped(text, wide - space + 1)
            parts += [f'<g transform="translate({x:.1f},{y:.1f})">', sample]
            parts += [_text(50, 4 + _LEADING * number, line, anchor="start") for number, line in enumerate(lines)]
            parts.append("</g>")
            y += 20 + _LEADING * (len(lines) - 1)
        x, high = x + wide, max(high, y)
    return parts, high


def _patch(colour: str) -> str:
    return f'<path d="M0,-5H40V5H0Z" fill="{colour}" fill-opacity=".25"/>'


def _lines(parts: Iterable[str]) -> Markup:
    return Markup("".join(f"{part}\n" for part in parts))


def _text(x: float, y: float, text: str, *, anchor: str = "middle", bold: bool = False, more: str = "") -> Markup:
    more += ("" if anchor == "start" else f' text-anchor="{anchor}"') + (' font-weight="bold"' if bold else "")
    return fill(_TEXT, name="", x=x, y=y, more=Markup(more), text=text)


def _axes(panel: Panel, frame: Frame) -> Iterator[str]:
    """Grid, axes, numbers, labels."""
    left, top, right, low = (f"{edge:.5g}" for edge in (frame.left, frame.top, frame.right, frame.bottom))
    places = [frame.position(panel, tick, panel.y.low)[0] for tick in panel.x.ticks]
    heights = [frame.position(panel, panel.x.low, tick)[1] for tick in panel.y.ticks]
    grid = [f"M{x:.1f},{top}V{low}" for x in places if "x" in panel.grid]
    grid += [f"M{left},{y:.1f}H{right}" for y in heights if "y" in panel.grid]
    if grid:
        yield f'<path d="{"".join(grid)}" stroke="#e3e3e3" fill="none"/>'
    if not panel.in_cells:
        axes = f"M{left},{low}H{right}" if panel.rows else f"M{left},{top}V{low}H{right}"
        yield f'<path d="{axes}" stroke="#444444" fill="none"/>'
    yield from _x_numbers(panel, frame, places)
    more = Markup("" if frame.scale == 1 else f' font-size="{FONT_SIZE * frame.scale:.1f}"')
    for y, text in zip(heights, panel.y.texts, strict=True):
        lines, step = text.split("\n"), _LEADING * frame.scale
        first = y + 4 * frame.scale - step * (len(lines) - 1) / 2
        for number, line in enumerate(lines):
            if line:
                place = {"x": frame.left - 6, "y": first + step * number, "more": more}
                yield fill('<text x="{x:.5g}" y="{y:.1f}" text-anchor="end"{more}>{line}</text>', **place, line=line)
    middle, centre = (frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2
    for number, label in enumerate(frame.x_lines):
        if label:
            yield fill(_X_LABEL, x=middle, y=round(frame.bottom + frame.foot, 1) + _LEADING * number, label=label)
    length = frame.bottom - frame.top
    for number, label in enumerate(frame.y_lines):
        too_long = len(label) * _LETTER_WIDTH * FONT_SIZE > length and text_width(label) > length
        squeezed = Markup(f' textLength="{length:.1f}" lengthAdjust="spacingAndGlyphs"' if too_long else "")
        yield fill(
            _Y_LABEL, x=round(frame.left - frame.side, 1) + _LEADING * number, y=centre, squeezed=squeezed, label=label
        )
    if panel.row_title:
        titles = _row_title(panel)
        for number, line in enumerate(titles):
            y = centre + 4 + _LEADING * (number - (len(titles) - 1) / 2)
            yield _text(frame.left - frame.side, y, line, anchor="start", bold=True)


def _x_numbers(panel: Panel, frame: Frame, places: Sequence[float]) -> Iterator[str]:
    """The numbers below the axis: smaller if they touch, and without those that touch even then."""
    texts = [(x, text) for x, text in zip(places, panel.x.texts, strict=True) if text]
    if panel.turned:
        for x, text in texts:
            yield fill(_TURNED, x=x + 4, y=round(frame.bottom + 6, 1), text=text)
        return
    size, shown = FONT_SIZE, _without_overlap(texts, 1.0)
    if len(shown) < len(texts):
        size, shown = FONT_SIZE - 2, _without_overlap(texts, 0.72)
    more = Markup("" if size == FONT_SIZE else f' font-size="{size}"')
    for x, text in shown:
        yield fill(_X_NUMBER, x=x, y=round(frame.bottom + 17, 1), more=more, text=text)


def _without_overlap(texts: Sequence[tuple[float, str]], scale: float) -> list[tuple[float, str]]:
    """The texts at their places, the last one first, without those that would touch one before them."""
    shown: list[tuple[float, str]] = []
    free = float("inf")
    for x, text in reversed(texts):
        half = 0.45 * scale * text_width(text) + 1
        if x + half <= free:
            shown.insert(0, (x, text))
            free = x - half
    return shown


def _page_line(panel: Panel, line: Line, frame: Frame) -> Iterator[str]:
    """A line of a page: its name and the values of its markers are titles, which browsers show under the pointer."""
    style = line.line_style
    places = [frame.position(panel, x, y) for x, y in line.points]
    run = Markup("" if line.run is None else f' data-run="{line.run}"')
    start = fill('<g class="line"{run}><title>{name}</title>', run=run, name=line.name)
    stroke = f'stroke="{style.colour}" fill="none"' if line.style is None else _stroke(style)
    yield f'{start}<path d="{_path(places)}" {stroke}/>'
    first, step = line.markers
    for (x, y), (point, value) in list(zip(places, line.points, strict=True))[first::step] if style.marker else ():
        title = f"{line.name}, {format_parameter(point)}: {value!r}"
        yield fill('<g class="point"><title>{title}</title>{marker}</g>', title=title, marker=_marker(style, x, y))
    yield "</g>"


def _marks(panel: Panel, frame: Frame) -> Iterator[str]:
    """Marks and lines of a picture; `data-name` has what they are."""
    lines = (
        Polyline(f"line-{number}:{panel.title}:{line.name}", line.points, line.line_style, line.markers)
        for number, line in enumerate(panel.lines)
    )
    marks: list[Mark] = [*panel.marks, *lines]
    for mark in marks:
        name = fill(' data-name="{name}"', name=mark.name)
        if isinstance(mark, Label):
            yield _label(panel, mark, frame, name)
            continue
        places = [frame.position(panel, x, y) for x, y in mark.points]
        if isinstance(mark, Area):
            edge = ' stroke="#444444" stroke-width=".5"' if mark.edge else ""
            opacity = "" if mark.opacity == 1 else f' fill-opacity="{mark.opacity:g}"'
            yield f'<path{name} d="{_path(places)}Z" fill="{mark.colour}"{opacity}{edge}/>'
            continue
        style = mark.style
        opacity = "" if style.opacity == 1 else f' opacity="{style.opacity:g}"'
        title = fill("<title>{title}</title>", title=mark.title) if mark.title else ""
        yield f"<g{name}{opacity}>{title}"
        if style.dashes is not None:
            yield f'<path d="{_path(places)}" {_stroke(style)}/>'
        first, step = mark.markers
        if style.marker:
            yield from (_marker(style, x, y, frame.scale) for x, y in places[first::step])
        yield "</g>"


def _label(panel: Panel, mark: Label, frame: Frame, name: str) -> Markup:
    x, y = frame.position(panel, mark.x, mark.y)
    size = FONT_SIZE * frame.scale
    if panel.in_cells:
        size = min(size, (frame.right - frame.left) / panel.rows / 2.8)
    more = "" if size == FONT_SIZE else f' font-size="{size:.1f}"'
    more += ' text-anchor="end"' if mark.shift < 0 else "" if mark.shift else ' text-anchor="middle"'
    more += "" if mark.colour == "#000000" else f' fill="{mark.colour}"'
    more += ' font-style="italic"' if mark.italic else ""
    return fill(_TEXT, name=name, x=x + mark.shift * size, y=y + size / 3, more=Markup(more), text=mark.text)


def _path(places: Points) -> str:
    return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _stroke(style: LineStyle) -> str:
    dashes = (
        f' stroke-dasharray="{" ".join(format_parameter(2 * length) for length in style.dashes)}"'
        if style.dashes
        else ""
    )
    return f'stroke="{style.colour}" stroke-width="{1.8 * style.width:g}" fill="none"{dashes}'


def _marker(style: LineStyle, x: float, y: float, scale: float = 1.0) -> Markup:
    if not style.marker:
        return Markup("")
    path = _SHAPES[style.marker].format(a="3.5", b="4.5", c="1.6", d="2.2")
    inside = "#ffffff" if style.hollow else style.colour
    size = "" if scale * style.size == 1 else f" scale({scale * style.size:.3g})"
    moved = f' transform="translate({x:.1f},{y:.1f}){size}"'
    return Markup(f'<path d="{path}"{moved} stroke="{style.colour}" stroke-width="1.4" fill="{inside}"/>')
