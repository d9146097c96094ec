"""What a picture of curves shows, before anybody draws it: panels of lines on axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from prum_eval.evaluation.results import Curve, Evaluation, RunResult
from prum_eval.measures.base import Measure
from prum_eval.measures.registry import MEASURES_BY_NAME, cutoff_of_name, measures_by_printed_name
from prum_eval.parameters import format_parameter
from prum_eval.report.layout import Markup, fill, wrap_words
from prum_eval.report.ranking import rank_runs

# Axes of pictures: where they begin and end, what is marked on them. Every drawing hand uses the same.


LOGARITHMIC_FROM = 8
"""Ranks that span this factor are drawn on a logarithmic axis: the first ranks are those that users see."""

_CLOSEST = 0.07
"""Marks stand at least this part of the axis apart, so that their numbers do not touch."""


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, with a mark and its text at each of `ticks`."""

    low: float
    high: float
    ticks: tuple[float, ...]
    texts: tuple[str, ...]
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Where a value lies: 0 at the low end, 1 at the high one."""
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return (value - low) / (high - low)


def linear_axis(low: float, high: float, marks: int = 5) -> Axis:
    """An axis that holds both values and ends on marks, at steps of 1, 2 or 5 times a power of ten.

    >>> linear_axis(0, 0.63).texts
    ('0.0', '0.2', '0.4', '0.6', '0.8')
    >>> linear_axis(-0.3, 12).texts
    ('-5', '0', '5', '10', '15')
    """
    size = max(abs(low), abs(high))
    if high - low <= 1e-9 * size:  # one value: an axis from 0 shows how large it is
        low, high = min(low, 0.0), max(high, 0.0)
    if size < 1e-300:
        low, high = 0.0, 1.0
    step = _step((high - low) / marks)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(number * step for number in range(first, last + 1))
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    plain = decimals <= 4 and max(map(abs, ticks)) < 1e6
    texts = tuple(f"{tick:.{decimals}f}" if plain else f"{tick:.6g}" for tick in ticks)
    return Axis(ticks[0], ticks[-1], ticks, texts)


def rank_axis(ranks: Sequence[float]) -> Axis:
    """An axis of ranks, marked at those that are drawn, as far as there is room.

    >>> rank_axis([5, 10, 15, 20, 30, 100]).texts
    ('5', '10', '15', '20', '30', '100')
    >>> rank_axis([1, 2, 3]).logarithmic
    False
    """
    first, last = min(ranks), max(ranks)
    logarithmic = last >= LOGARITHMIC_FROM * first
    around = Axis(first / 1.15, last * 1.15, (), (), logarithmic=True) if logarithmic else Axis(0, last + 1, (), ())
    kept: list[float] = []
    for rank in sorted(set(ranks), reverse=True):  # the last is the one whose number is longest and is missed most
        if not kept or around.place(kept[-1]) - around.place(rank) >= _CLOSEST:
            kept.append(rank)
    ticks = tuple(reversed(kept))
    return Axis(around.low, around.high, ticks, tuple(f"{tick:g}" for tick in ticks), logarithmic)


def budget_axis(budgets: Sequence[float]) -> Axis:
    """A logarithmic axis of amounts, marked at powers of ten, and where these are few between them.

    >>> budget_axis([500, 8000]).texts, budget_axis([10, 200_000]).texts
    (('500', '1,000', '2,000', '5,000'), ('10', '100', '1,000', '10,000', '100,000'))
    >>> budget_axis([100, 20_000]).texts
    ('100', '300', '1,000', '3,000', '10,000')
    """
    low, high = min(budgets), max(budgets)
    steps = (1, 2, 5) if high < 30 * low else (1, 3) if high < 1000 * low else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = tuple(step * 10.0**power for power in powers for step in steps if low <= step * 10.0**power <= high)
    texts = tuple(f"{tick:,.0f}" if tick >= 1 else f"{tick:g}" for tick in ticks)
    return Axis(low / 1.1, high * 1.1, ticks, texts, logarithmic=True)


def _step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below `least`."""
    power = math.floor(math.log10(least))
    for factor in (1, 2, 5, 10):
        step = float(f"{factor}e{power}")  # parsed, not multiplied: 0.1 and not 0.1 + 1e-17
        if step >= least * (1 - 1e-9):
            return step
    return 10.0 ** (power + 1)


# How lines look, whoever draws them: colour, dashes and marker differ together, to be told apart in grey too.


COLOURS = ("#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#b07d00", "#3a9bd9")
"""After Okabe and Ito, for colour-blind eyes; the yellow ones darkened, to be seen on white."""
DARK_COLOURS = {
    "#000000": "#f4f4f4",
    "#d55e00": "#ff8a3c",
    "#0072b2": "#5ab0ee",
    "#009e73": "#2fc79b",
    "#b07d00": "#e0b040",
    "#b5b5b5": "#5d636b",
}
"""What becomes of colours on a dark ground; those that are not here are light enough."""
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (1.5, 1.5), (6, 2, 1.5, 2))
"""Lengths of strokes and gaps, in line widths."""
MARKERS = ("circle", "square", "triangle", "diamond", "plus", "wedge", "cross")
BACKGROUND_COLOUR = "#b5b5b5"
MAX_DISTINCT_STYLES = 14
"""So many lines or signs have colours and markers that differ; where there are more, the others are grey."""


_RAMP = ((32, 26, 91), (33, 102, 147), (42, 148, 131), (139, 178, 62), (226, 171, 41))
"""From dark to light, in red, green and blue: lighter in grey too from step to step."""
_MAX_MARKERS_PER_LINE = 25
"""So many signs can be told apart on a line; those of more points hide it."""


@dataclass(frozen=True)
class LineStyle:
    """How one line is drawn."""

    colour: str
    dashes: tuple[float, ...]
    marker: str
    hollow: bool


def line_style(number: int) -> LineStyle:
    """The style of the run of that number: 28 differ without colour, and 14 without dashes too.

    >>> len({(one.dashes, one.marker, one.hollow) for one in map(line_style, range(28))})
    28
    >>> len({(one.marker, one.hollow) for one in map(line_style, range(14))})
    14
    """
    return LineStyle(
        COLOURS[number % len(COLOURS)],
        DASHES[number % len(DASHES)],
        MARKERS[number % len(MARKERS)],
        (number % len(MARKERS) + number // len(MARKERS)) % 2 == 1,
    )


def ramp_colour(number: int, of: int) -> str:
    """The colour of a line among several that are in an order, the first one darkest.

    >>> ramp_colour(0, 3), ramp_colour(1, 3), ramp_colour(2, 3)
    ('#201a5b', '#2a9483', '#e2ab29')
    """
    place = number / max(1, of - 1) * (len(_RAMP) - 1)
    low = min(int(place), len(_RAMP) - 2)
    pairs = zip(_RAMP[low], _RAMP[low + 1], strict=True)
    return "#" + "".join(f"{round(one + (other - one) * (place - low)):02x}" for one, other in pairs)


def sparse_markers(points: int, line: int) -> tuple[int, int]:
    """First point with a sign and the step to the next: all of up to 25 points, about ten of more, other ones a line.

    >>> sparse_markers(11, 3), sparse_markers(101, 0), sparse_markers(101, 3)
    ((0, 1), (0, 10), (3, 10))
    """
    step = 1 if points <= _MAX_MARKERS_PER_LINE else round(points / 10)
    return line % step, step


_X_AXES = {"rank": rank_axis, "budget": budget_axis}
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Line:
    """A named line. `style`: the number of its line style; None for one of many in the background.

    `run`: the place of the run that it is of; None where it is of a topic.
    """

    name: str
    points: Points
    style: int | None
    run: int | None = None


@dataclass(frozen=True)
class Panel:
    """A plot of a measure: its title, labelled axes, and lines in the order in which they are drawn.

    `others`: what a legend calls the lines in the background.
    """

    measure: str
    title: str
    x_label: str
    y_label: str
    x: Axis
    y: Axis
    lines: Sequence[Line]
    others: str = "one topic"


def run_names(runs: Sequence[RunResult], shown: Callable[[str], str] | None = None) -> list[str]:
    """A name for each run that no other has; see `unique_labels`."""
    return unique_labels([run.run_id for run in runs], [run.path for run in runs], shown)


def unique_labels(ids: Sequence[str], paths: Sequence[str], shown: Callable[[str], str] | None = None) -> list[str]:
    """Identifiers of runs, with their files where two share one; numbered where they share that too.

    `shown` makes them fit to be shown: in one line without signs that cannot be, if not given.

    >>> unique_labels(["a", "b", "b"], ["1", "2", "2"])
    ['a', 'b (2) #1', 'b (2) #2']
    """
    pairs = zip(ids, paths, strict=True)
    fit = shown or to_single_line
    names = [fit(run_id if ids.count(run_id) == 1 else f"{run_id} ({path})") for run_id, path in pairs]
    return [
        name if names.count(name) == 1 else f"{name} #{names[:number].count(name) + 1}"
        for number, name in enumerate(names)
    ]


def to_single_line(text: str) -> str:
    r"""Text without line ends and signs that cannot be shown (some may not even stand in XML).

    >>> to_single_line("a\tb" + chr(0))
    'a b\ufffd'
    """
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in " ".join(text.split()))


def mean_panels(evaluation: Evaluation) -> list[Panel]:
    """A panel a curve measure, a line a run: the averages over topics. Of many runs the best lie on the others."""
    names, styles = run_names(evaluation.runs), run_styles(evaluation)
    others = f"one of {len(names) - MAX_DISTINCT_STYLES} other runs"
    panels = []
    for measure, curves in _curves_by_measure(evaluation):
        lines = [Line(names[run], finite_points(curve.all), styles[run], run) for run, curve in curves]
        if None in styles:
            lines.sort(key=lambda line: -MAX_DISTINCT_STYLES if line.style is None else -line.style)
        panels += _panel(to_single_line(measure), curves[0][1], lines, _all_points(curves, topics=False), others)
    return panels


def run_styles(evaluation: Evaluation) -> list[int | None]:
    """The line style of each run: its place; where they are more than can be told apart, among the best, else None."""
    runs = len(evaluation.runs)
    if runs <= MAX_DISTINCT_STYLES:
        return list(range(runs))
    place = {run: number for number, run in enumerate(rank_runs(evaluation)[:MAX_DISTINCT_STYLES])}
    return [place.get(run) for run in range(runs)]


def empty_topic_panels(evaluation: Evaluation) -> list[tuple[Panel, list[float]]]:
    """A panel without lines a curve measure, with axes for all topics of all runs; and the points of its curves."""
    frames = []
    for measure, curves in _curves_by_measure(evaluation):
        points = _all_points(curves, topics=True)
        found = _panel(to_single_line(measure), curves[0][1], [Line("", points, None)], points)
        frames += [(replace(panel, lines=()), sorted({x for x, _ in points})) for panel in found]
    return frames


def topic_panels(evaluation: Evaluation, *, averages: bool = True) -> list[Panel]:
    """A panel a curve measure and run: a line a topic, and the average before them; one scale for all runs."""
    names = run_names(evaluation.runs)
    panels = []
    for measure, curves in _curves_by_measure(evaluation):
        points = _all_points(curves, topics=True)
        for number, curve in curves:
            lines = [Line(to_single_line(topic), finite_points(own), None) for topic, own in curve.topics.items()]
            if averages:
                lines.append(Line("mean", finite_points(curve.all), 0))
            title = f"{to_single_line(measure)}, {names[number]}" if len(names) > 1 else to_single_line(measure)
            panels += _panel(title, curve, lines, points)
    return panels


def name_at_point(curve: Curve, point: float) -> str:
    """The name that the value at a point prints with."""
    return MEASURES_BY_NAME[curve.measure].printed_name(point) + curve.name.removeprefix(curve.measure)


def finite_points(points: Points) -> Points:
    """The points that can be drawn."""
    return [(x, y) for x, y in points if math.isfinite(y)]


def _curves_by_measure(evaluation: Evaluation) -> list[tuple[str, list[tuple[int, Curve]]]]:
    """Each measure's curves with the number of their run, in the order of printing; a run may lack one."""
    found: dict[str, list[tuple[int, Curve]]] = {}
    for number, curves in enumerate(evaluation.curves):
        for curve in curves:
            found.setdefault(curve.name, []).append((number, curve))
    order = {name: number for number, name in enumerate(evaluation.names)}
    last = len(order)

    def first(curves: list[tuple[int, Curve]]) -> int:
        own = (name_at_point(curve, point) for _, curve in curves for point, _ in curve.all)
        return min((order.get(name, last) for name in own), default=last)

    return sorted(found.items(), key=lambda item: first(item[1]))


def _all_points(curves: Iterable[tuple[int, Curve]], *, topics: bool) -> list[tuple[float, float]]:
    points = [point for _, curve in curves for point in curve.all]
    if topics:
        points += [point for _, curve in curves for own in curve.topics.values() for point in own]
    return list(finite_points(points))


def _panel(title: str, curve: Curve, lines: Sequence[Line], points: Points, others: str = Panel.others) -> list[Panel]:
    """The panel, if there is anything to draw in it."""
    drawn = [line for line in lines if line.points]
    if not drawn:
        return []
    x_label, y_label = MEASURES_BY_NAME[curve.measure].axes
    places = [x for x, _ in points]
    x_axis = _X_AXES[curve.axis](places) if curve.axis in _X_AXES else linear_axis(0, max(places))
    y_axis = linear_axis(0, max(y for _, y in points))
    return [Panel(curve.name, title, x_label, y_label, x_axis, y_axis, drawn, others)]


# Printed names that are points of one curve: those of a measure at its cut-offs, levels or budgets.


_MIN_POINTS = 3
"""So many points are a curve."""


@dataclass(frozen=True)
class NamedCurve:
    """Names that belong together: `name` is that of the measure with its label, `numbers` are their places.

    `points` are their cut-offs, levels or budgets; of a name without one, which stands alone, there are none, nor need
    it be that of a `measure` that is known here.
    """

    name: str
    numbers: Sequence[int]
    points: Sequence[float] = ()
    registered_measure: Measure | None = None

    @property
    def is_curve(self) -> bool:
        """Whether there are points enough to draw a line."""
        return len(self.points) >= _MIN_POINTS

    @property
    def measure(self) -> Measure:
        """The measure whose points they are.

        Raises:
            ValueError: it is not known.
        """
        if self.registered_measure is None:
            raise ValueError(self.name)
        return self.registered_measure


def group_by_curve(names: Sequence[str]) -> list[NamedCurve]:
    """Names by the measure and label whose values they are, in the order of the first of each.

    >>> [(one.name, one.points) for one in group_by_curve(["P_5:quantisation=strict", "map", "P_10:quantisation=strict"])]
    [('P:quantisation=strict', (5.0, 10.0)), ('map', ())]
    """
    measured = measures_by_printed_name(names)
    found: dict[str, list[tuple[int, float | None]]] = {}
    for number, name in enumerate(names):
        known, label = measured.get(name), name.partition(":")[2]
        point = None if known is None else cutoff_of_name(name, known)
        own = name if known is None or point is None else f"{known.name}:{label}" if label else known.name
        found.setdefault(own, []).append((number, point))
    return [
        NamedCurve(
            name,
            tuple(number for number, _ in own),
            tuple(point for _, point in own if point is not None),
            measured.get(names[own[0][0]]),
        )
        for name, own in found.items()
    ]


# Panels as SVG, drawn by hand: for pages and pictures that must not need matplotlib. Same input, same bytes.


WIDTH, HEIGHT = 420, 290
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 12, 46
_LETTER_WIDTH = 0.62
"""Width of a letter at most, in its height, on the average of a line: fonts differ, and no text may be cut off."""
FONT_SIZE = 12
_FONT = Markup(f'font-family="system-ui, sans-serif" font-size="{FONT_SIZE}"')
_PANEL = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {font} role="img" aria-label="{about}">\n'
    "{axes}{curves}</svg>\n"
)
_DARK_REPLACEMENTS = {"#ffffff": "#16181b", "#e3e3e3": "#3a3f46", "#444444": "#a9adb3", **DARK_COLOURS}
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
    size = {"width": WIDTH, "height": HEIGHT + _extra_label_height(panel), "font": _FONT}
    return fill(_PANEL, **size, about=about, axes=_lines(_axes(panel)), curves=_lines(_curves(panel)))


def picture_svg(panels: Sequence[Panel]) -> str:
    """A file of its own: panels side by side with their titles, the legend below; light, or dark as readers prefer."""
    width, title = WIDTH * len(panels), 26
    names = list({line.name: line for panel in panels for line in panel.lines if line.style is not None}.values())
    high = title + HEIGHT + max(map(_extra_label_height, panels), default=0)
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
    indent = max(8.0, (width - 50 - longest * _LETTER_WIDTH * FONT_SIZE) / 2)
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
    rules = [
        f'[{of}="{light}"]{{{of}:{dark}}}' for light, dark in _DARK_REPLACEMENTS.items() for of in ("stroke", "fill")
    ]
    return f"<style>@media (prefers-color-scheme:dark){{text{{fill:#e8e8e8}}{''.join(rules)}}}</style>"


def swatch(style: LineStyle) -> Markup:
    """A piece of a line as the legend shows it, from (0, 0) to (40, 0)."""
    return Markup(f'<path d="M0,0H40" {_stroke(style)}/>{_marker(style, 20, 0)}')


def point_position(panel: Panel, x: float, y: float) -> tuple[float, float]:
    """Where a point of a panel lies in its drawing."""
    across, up = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    return LEFT + across * panel.x.place(x), HEIGHT - BOTTOM - up * panel.y.place(y)


def _lines(parts: Iterable[str]) -> Markup:
    return Markup("".join(f"{part}\n" for part in parts))


def _axes(panel: Panel) -> Iterator[str]:
    """Grid, axes, numbers, labels."""
    low, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    grid = [f"M{point_position(panel, tick, panel.y.low)[0]:.1f},{TOP}V{low}" for tick in panel.x.ticks]
    grid += [f"M{LEFT},{point_position(panel, panel.x.low, tick)[1]:.1f}H{right}" for tick in panel.y.ticks]
    yield f'<path d="{"".join(grid)}" stroke="#e3e3e3" fill="none"/>'
    yield f'<path d="M{LEFT},{TOP}V{low}H{right}" stroke="#444444" fill="none"/>'
    for tick, text in zip(panel.x.ticks, panel.x.texts, strict=True):
        x = point_position(panel, tick, panel.y.low)[0]
        yield f'<text x="{x:.1f}" y="{low + 17}" text-anchor="middle">{text}</text>'
    for tick, text in zip(panel.y.ticks, panel.y.texts, strict=True):
        y = point_position(panel, panel.x.low, tick)[1]
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    middle = (LEFT + right) / 2
    for number, label in enumerate(_label_lines(panel)):
        yield fill(_X_LABEL, x=middle, y=HEIGHT - 8 + _LEADING * number, label=label)
    centre = (TOP + low) / 2
    squeezed = _squeeze_label(panel.y_label, low - TOP)
    yield fill(_Y_LABEL, y=centre, squeezed=squeezed, label=panel.y_label)


def _label_lines(panel: Panel) -> list[str]:
    """The label of the lower axis, in lines as long as that."""
    return wrap_words(panel.x_label, int((WIDTH - LEFT - RIGHT) / (_LETTER_WIDTH * FONT_SIZE))).split("\n")


def _extra_label_height(panel: Panel) -> int:
    """How much higher a panel is because that label has several lines."""
    return _LEADING * (len(_label_lines(panel)) - 1)


def _squeeze_label(text: str, room: float) -> Markup:
    """Squeeze a label that may be longer than its axis."""
    too_long = len(text) * _LETTER_WIDTH * FONT_SIZE > room
    return Markup(f' textLength="{room:.1f}" lengthAdjust="spacingAndGlyphs"' if too_long else "")


def _curves(panel: Panel) -> Iterator[str]:
    for line in panel.lines:
        style = None if line.style is None else line_style(line.style)
        places = [point_position(panel, x, y) for x, y in line.points]
        path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in places)
        stroke = f'stroke="{BACKGROUND_COLOUR}" fill="none"' if style is None else _stroke(style)
        run = "" if line.run is None else Markup(f' data-run="{line.run}"')
        start = fill('<g class="line"{run}><title>{name}</title><path d="{path}" ', run=run, name=line.name, path=path)
        yield f"{start}{stroke}/>"
        if style is not None:
            yield from _points(line, places, style)
        yield "</g>"


def _points(line: Line, places: Sequence[tuple[float, float]], style: LineStyle) -> Iterator[str]:
    """A marker a point, of many at about ten; its title, which browsers show under the pointer, holds the value."""
    first, step = sparse_markers(len(places), line.style or 0)
    for (x, y), (point, value) in list(zip(places, line.points, strict=True))[first::step]:
        told = f"{line.name}, {format_parameter(point)}: {value!r}"
        yield fill('<g class="point"><title>{told}</title>{marker}</g>', told=told, marker=_marker(style, x, y))


def _stroke(style: LineStyle) -> str:
    dashes = (
        f' stroke-dasharray="{" ".join(format_parameter(2 * length) for length in style.dashes)}"'
        if style.dashes
        else ""
    )
    return f'stroke="{style.colour}" stroke-width="1.8" fill="none"{dashes}'


def _marker(style: LineStyle, x: float, y: float) -> Markup:
    path = _SHAPES[style.marker].format(a="3.5", b="4.5", c="1.6", d="2.2")
    inside = "#ffffff" if style.hollow else style.colour
    moved = f' transform="translate({x:.1f},{y:.1f})"'
    return Markup(f'<path d="{path}"{moved} stroke="{style.colour}" stroke-width="1.4" fill="{inside}"/>')
