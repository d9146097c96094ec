"""Panels as SVG, drawn by hand: for pages and pictures that must not need matplotlib. Same input, same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from prum_eval.parameters import show
from prum_eval.report.drawing.line_styles import FAINT, ON_DARK, LineStyle, line_style, sparse_signs
from prum_eval.report.drawing.panels import Line, Panel
from prum_eval.report.markup import Markup, fill
from prum_eval.report.writing import wrapped_words

WIDTH, HEIGHT = 420, 290
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 12, 46
_LETTER = 0.62
"""Width of a letter at most, in its height, on the average of a line: fonts differ, and no text may be cut off."""
TYPE = 12
_FONT = Markup(f'font-family="system-ui, sans-serif" font-size="{TYPE}"')
_PANEL = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {font} role="img" aria-label="{about}">\n'
    "{axes}{curves}</svg>\n"
)
_DARK = {"#ffffff": "#16181b", "#e3e3e3": "#3a3f46", "#444444": "#a9adb3", **ON_DARK}
_TITLE = '<text x="{x:.1f}" y="-4" text-anchor="middle" font-weight="bold">{title}</text>'
_X_LABEL = '<text class="x" x="{x:.1f}" y="{y}" text-anchor="middle">{label}</text>'
_LEADING = 15
"""From one line of a label to the next."""
_Y_LABEL = '<text class="y" transform="translate(14,{y:.1f}) rotate(-90)" text-anchor="middle"{squeezed}>{label}</text>'
_ROW = 20
_SHAPES = {
    "circle": "M{a},0A{a},{a} 0 1 1 -{a},0A{a},{a} 0 1 1 {a},0Z",
    "square": "M-{a},-{a}H{a}V{a}H-{a}Z",
    "triangle": "M0,-{b}L{b},{a}H-{b}Z",
    "diamond": "M0,-{b}L{b},0L0,{b}L-{b},0Z",
    "cross": "M0,-{d}L{d},-{b}L{b},-{d}L{d},0L{b},{d}L{d},{b}L0,{d}L-{d},{b}L-{b},{d}L-{d},0L-{b},-{d}L-{d},-{b}Z",
    "plus": "M-{c},-{b}H{c}V-{c}H{b}V{c}H{c}V{b}H-{c}V{c}H-{b}V-{c}H-{c}Z",
    "wedge": "M0,{b}L{b},-{a}H-{b}Z",
}


def panel_svg(panel: Panel) -> Markup:
    """One panel without its title and legend, which the page around it has."""
    about = f"{panel.title}: {panel.y_label} at {panel.x_label}"
    size = {"width": WIDTH, "height": HEIGHT + _below(panel), "font": _FONT}
    return fill(_PANEL, **size, about=about, axes=_lines(_axes(panel)), curves=_lines(_curves(panel)))


def picture_svg(panels: Sequence[Panel]) -> str:
    """A file of its own: panels side by side with their titles, the legend below; light, or dark as readers prefer."""
    width, title = WIDTH * len(panels), 26
    names = list({line.name: line for panel in panels for line in panel.lines if line.style is not None}.values())
    high = title + HEIGHT + max(map(_below, panels), default=0)
    height = high + _ROW * len(names) + 18
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {_FONT} role="img">',
        dark_style(),
        f'<rect width="{width}" height="{height}" rx="6" fill="#ffffff"/>',
    ]
    for number, panel in enumerate(panels):
        middle = (LEFT + WIDTH - RIGHT) / 2
        parts += [
            f'<g transform="translate({WIDTH * number},{title})">',
            fill(_TITLE, x=middle, title=panel.title),
            *_axes(panel),
            *_curves(panel),
            "</g>",
        ]
    longest = max((len(line.name) for line in names), default=0)
    indent = max(8.0, (width - 50 - longest * _LETTER * TYPE) / 2)
    for number, line in enumerate(names):
        parts += [
            f'<g transform="translate({indent:.1f},{high + 14 + _ROW * number})">',
            swatch(line_style(line.style or 0)),
            fill('<text x="50" y="4">{name}</text>', name=line.name),
            "</g>",
        ]
    return _lines([*parts, "</svg>"])


def dark_style() -> str:
    """Colours for readers who prefer dark pages; the page that shows the file may say so too (color-scheme)."""
    rules = [f'[{of}="{light}"]{{{of}:{dark}}}' for light, dark in _DARK.items() for of in ("stroke", "fill")]
    return f"<style>@media (prefers-color-scheme:dark){{text{{fill:#e8e8e8}}{''.join(rules)}}}</style>"


def swatch(style: LineStyle) -> Markup:
    """A piece of a line as the legend shows it, from (0, 0) to (40, 0)."""
    return Markup(f'<path d="M0,0H40" {_stroke(style)}/>{_marker(style, 20, 0)}')


def point_place(panel: Panel, x: float, y: float) -> tuple[float, float]:
    """Where a point of a panel lies in its drawing."""
    across, up = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    return LEFT + across * panel.x.place(x), HEIGHT - BOTTOM - up * panel.y.place(y)


def _lines(parts: Iterable[str]) -> Markup:
    return Markup("".join(f"{part}\n" for part in parts))


def _axes(panel: Panel) -> Iterator[str]:
    """Grid, axes, numbers, labels."""
    low, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    grid = [f"M{point_place(panel, tick, panel.y.low)[0]:.1f},{TOP}V{low}" for tick in panel.x.ticks]
    grid += [f"M{LEFT},{point_place(panel, panel.x.low, tick)[1]:.1f}H{right}" for tick in panel.y.ticks]
    yield f'<path d="{"".join(grid)}" stroke="#e3e3e3" fill="none"/>'
    yield f'<path d="M{LEFT},{TOP}V{low}H{right}" stroke="#444444" fill="none"/>'
    for tick, text in zip(panel.x.ticks, panel.x.texts, strict=True):
        x = point_place(panel, tick, panel.y.low)[0]
        yield f'<text x="{x:.1f}" y="{low + 17}" text-anchor="middle">{text}</text>'
    for tick, text in zip(panel.y.ticks, panel.y.texts, strict=True):
        y = point_place(panel, panel.x.low, tick)[1]
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    middle = (LEFT + right) / 2
    for number, label in enumerate(_label_lines(panel)):
        yield fill(_X_LABEL, x=middle, y=HEIGHT - 8 + _LEADING * number, label=label)
    centre = (TOP + low) / 2
    squeezed = _squeezed(panel.y_label, low - TOP)
    yield fill(_Y_LABEL, y=centre, squeezed=squeezed, label=panel.y_label)


def _label_lines(panel: Panel) -> list[str]:
    """The label of the lower axis, in lines as long as that."""
    return wrapped_words(panel.x_label, int((WIDTH - LEFT - RIGHT) / (_LETTER * TYPE))).split("\n")


def _below(panel: Panel) -> int:
    """How much higher a panel is because that label has several lines."""
    return _LEADING * (len(_label_lines(panel)) - 1)


def _squeezed(text: str, room: float) -> Markup:
    """Squeeze a label that may be longer than its axis."""
    too_long = len(text) * _LETTER * TYPE > room
    return Markup(f' textLength="{room:.1f}" lengthAdjust="spacingAndGlyphs"' if too_long else "")


def _curves(panel: Panel) -> Iterator[str]:
    for line in panel.lines:
        style = None if line.style is None else line_style(line.style)
        places = [point_place(panel, x, y) for x, y in line.points]
        path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in places)
        stroke = f'stroke="{FAINT}" fill="none"' if style is None else _stroke(style)
        run = "" if line.run is None else Markup(f' data-run="{line.run}"')
        start = fill('<g class="line"{run}><title>{name}</title><path d="{path}" ', run=run, name=line.name, path=path)
        yield f"{start}{stroke}/>"
        if style is not None:
            yield from _points(line, places, style)
        yield "</g>"


def _points(line: Line, places: Sequence[tuple[float, float]], style: LineStyle) -> Iterator[str]:
    """A marker a point, of many at about ten; its title, which browsers show under the pointer, holds the value."""
    first, step = sparse_signs(len(places), line.style or 0)
    for (x, y), (point, value) in list(zip(places, line.points, strict=True))[first::step]:
        told = f"{line.name}, {show(point)}: {value!r}"
        yield fill('<g class="point"><title>{told}</title>{marker}</g>', told=told, marker=_marker(style, x, y))


def _stroke(style: LineStyle) -> str:
    dashes = f' stroke-dasharray="{" ".join(show(2 * length) for length in style.dashes)}"' if style.dashes else ""
    return f'stroke="{style.colour}" stroke-width="1.8" fill="none"{dashes}'


def _marker(style: LineStyle, x: float, y: float) -> Markup:
    path = _SHAPES[style.marker].format(a="3.5", b="4.5", c="1.6", d="2.2")
    inside = "#ffffff" if style.hollow else style.colour
    moved = f' transform="translate({x:.1f},{y:.1f})"'
    return Markup(f'<path d="{path}"{moved} stroke="{style.colour}" stroke-width="1.4" fill="{inside}"/>')
