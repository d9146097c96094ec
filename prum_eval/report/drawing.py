"""Panels of a picture, before they are drawn: axes, line styles, marks, sizes, and the panels of curves.

Pages and pictures share them: `svg` draws pages and SVG pictures, `pictures` PNG and PDF with matplotlib. Values of a
panel are in the units of its axes; an axis maps them to 0 (its low end) to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from prum_eval.errors import UsageError
from prum_eval.evaluation.results import Curve, Evaluation, RunResult
from prum_eval.measures.base import Measure
from prum_eval.measures.registry import MEASURES_BY_NAME, cutoff_of_name, measures_by_printed_name
from prum_eval.report.ranking import rank_runs
from prum_eval.tabular import to_single_line, unique_labels

LOGARITHMIC_FROM = 8
"""Ranks that span this factor have a logarithmic axis, because users see the first ranks."""

_CLOSEST = 0.07
"""Minimum distance of two ticks, as a share of the axis, so that their numbers do not touch."""


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`, which may be the lower number, with a text at each of `ticks`."""

    low: float
    high: float
    ticks: tuple[float, ...]
    texts: tuple[str, ...]
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """The position of a value: 0 at the low end, 1 at the high one."""
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return (value - low) / (high - low)


def linear_axis(low: float, high: float, marks: int = 5) -> Axis:
    """An axis around both values, which ends on ticks at steps of 1, 2 or 5 times a power of ten.

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
    """An axis of ranks, with ticks at those that are drawn, as far as there is space.

    >>> rank_axis([5, 10, 15, 20, 30, 100]).texts
    ('5', '10', '15', '20', '30', '100')
    >>> rank_axis([1, 2, 3]).logarithmic
    False
    """
    first, last = min(ranks), max(ranks)
    logarithmic = last >= LOGARITHMIC_FROM * first
    around = Axis(first / 1.15, last * 1.15, (), (), logarithmic=True) if logarithmic else Axis(0, last + 1, (), ())
    shown: list[float] = []
    for rank in sorted(set(ranks), reverse=True):  # the last rank is always shown
        if not shown or around.place(shown[-1]) - around.place(rank) >= _CLOSEST:
            shown.append(rank)
    ticks = tuple(reversed(shown))
    return Axis(around.low, around.high, ticks, tuple(f"{tick:g}" for tick in ticks), logarithmic)


def budget_axis(budgets: Sequence[float]) -> Axis:
    """A logarithmic axis of amounts, with ticks at powers of ten, and between them if these are few.

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


# Line styles: colour, dashes and marker differ together, so that lines differ in grey too.

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
"""Replacements on a dark background; other colours are light enough."""
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (1.5, 1.5), (6, 2, 1.5, 2))
"""Lengths of strokes and gaps, in line widths."""
MARKERS = ("circle", "square", "triangle", "diamond", "plus", "wedge", "cross")
BACKGROUND_COLOUR = "#b5b5b5"
MAX_DISTINCT_STYLES = 14
"""Maximum number of lines with distinct colours and markers; further ones are grey."""


_RAMP = ("#201a5b", "#216693", "#2a9483", "#8bb23e", "#e2ab29")
"""From dark to light: lighter in grey too from step to step."""
_MAX_MARKERS_PER_LINE = 25
"""Lines with more points have about ten markers."""


@dataclass(frozen=True, slots=True)
class LineStyle:
    """Colour, dashes and marker of a line; `dashes` None draws markers only, `marker` "" a line only.

    `width`, `size` (of markers) are relative to those of a line of a run; a `hollow` marker is white inside.
    """

    colour: str
    dashes: tuple[float, ...] | None = ()
    marker: str = ""
    hollow: bool = False
    width: float = 1.0
    size: float = 1.0
    opacity: float = 1.0


BACKGROUND_STYLE = LineStyle(BACKGROUND_COLOUR, width=0.55)
"""Of lines that have no name in the legend."""


def line_style(number: int) -> LineStyle:
    """The style of the run of that number: 28 differ without colour, and 14 without dashes too.

    >>> len({(style.dashes, style.marker, style.hollow) for style in map(line_style, range(28))})
    28
    >>> len({(style.marker, style.hollow) for style in map(line_style, range(14))})
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
    return mix_colours(_RAMP, number / max(1, of - 1))


def mix_colours(colours: Sequence[str], share: float) -> str:
    """The colour at a share, 0 to 1, of the way through several colours."""
    place = share * (len(colours) - 1)
    low = min(int(place), len(colours) - 2)
    pairs = ((int(colours[low][at : at + 2], 16), int(colours[low + 1][at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(first + (second - first) * (place - low)):02x}" for first, second in pairs)


def sparse_markers(points: int, line: int) -> tuple[int, int]:
    """First point with a marker and the step to the next: all of up to 25 points, about ten of more.

    >>> sparse_markers(11, 3), sparse_markers(101, 0), sparse_markers(101, 3)
    ((0, 1), (0, 10), (3, 10))
    """
    step = 1 if points <= _MAX_MARKERS_PER_LINE else round(points / 10)
    return line % step, step


_X_AXES = {"rank": rank_axis, "budget": budget_axis}
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Line:
    """A named line of a run, topic, measure or value.

    `style`: the number of its line style, None for one of many in the background. `run`: the index of its run, None for
    the line of a topic. `colour`: that of a line among others in an order, which is solid.
    """

    name: str
    points: Points
    style: int | None
    run: int | None = None
    colour: str | None = None

    @property
    def line_style(self) -> LineStyle:
        """How the line is drawn."""
        if self.style is None:
            return BACKGROUND_STYLE
        style = line_style(self.style)
        return style if self.colour is None else replace(style, colour=self.colour, dashes=())

    @property
    def markers(self) -> tuple[int, int]:
        """The first point with a marker and the step to the next."""
        return sparse_markers(len(self.points), self.style or 0)


@dataclass(frozen=True, slots=True)
class Polyline:
    """A line through points, markers on them, or both.

    `name` identifies it in a picture: "kind:name". `title`: what browsers show under the pointer.
    """

    name: str
    points: Points
    style: LineStyle
    markers: tuple[int, int] = (0, 1)
    title: str = ""


@dataclass(frozen=True, slots=True)
class Area:
    """A filled polygon: a band, a bar, a cell."""

    name: str
    points: Points
    colour: str
    opacity: float = 1.0
    edge: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """A text at a point, `shift` letters to the right of it, or to the left if negative; centred if `shift` is 0."""

    name: str
    x: float
    y: float
    text: str
    shift: float = 0.0
    colour: str = "#000000"
    italic: bool = False


Mark = Polyline | Area | Label


@dataclass(frozen=True, slots=True)
class Panel:
    """A plot of a measure: title, labelled axes, marks, and lines in the order in which they are drawn.

    `others`: what a legend calls the lines in the background. `grid`: the axes whose ticks have grid lines. `rows`: the
    number of names at the upward axis, which has no line then; names and markers shrink to the height of a row.
    `in_cells`: whether labels are in a square of `rows` times `rows` cells. `turned`: whether the numbers of the lower
    axis are written upward. `row_title`: stands beside the upward axis in place of its label.
    """

    measure: str
    title: str
    x_label: str
    y_label: str
    x: Axis
    y: Axis
    lines: Sequence[Line]
    others: str = "one topic"
    marks: Sequence[Mark] = ()
    grid: str = "xy"
    rows: int = 0
    in_cells: bool = False
    turned: bool = False
    row_title: str = ""


LegendEntry = tuple[LineStyle | str, str]
"""A line style, or the colour of bands; and the text beside it."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Panels in rows with a common legend and title. `wide` and `tall` stretch panels of no fixed size.

    `columns`: the number of columns if it does not follow from the number of panels; those panels are as large as
    `wide` and `tall` say, in any number.
    """

    panels: Sequence[Panel]
    legend: Sequence[LegendEntry]
    title: str = ""
    wide: float = 1.0
    tall: float = 1.0
    columns: int | None = None


@dataclass(frozen=True, slots=True)
class Size:
    """Size of pictures in inches and points.

    `width` and `height` are those of one panel, in at most `columns` columns; or, if `fixed`, of the picture.
    `max_panels` panels are legible.
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
        """Rows and columns of n panels."""
        columns = min(self.columns, panels) if not self.fixed else math.ceil(math.sqrt(panels))
        return math.ceil(panels / columns), columns

    def picture_grid(self, picture: Picture) -> tuple[int, int]:
        """Rows and columns of a picture.

        Raises:
            UsageError: there are more panels than can be read.
        """
        panels = len(picture.panels)
        if picture.columns:
            return math.ceil(panels / picture.columns), picture.columns
        if panels > self.max_panels:
            raise UsageError(
                f"--plot: {panels} panels are too many for one picture of size {self.name}, which holds "
                f"{self.max_panels}; choose fewer measures or runs"
            )
        return self.grid(panels)

    def font_size(self, columns: int) -> float:
        """Size of letters, smaller for many columns of a fixed size."""
        return max(7.0, self.font * (1.25 - 0.25 * columns)) if self.fixed else self.font

    def title_width(self, columns: int) -> int:
        """Number of letters in a line of a title over one of n columns."""
        inches = self.width / columns if self.fixed else self.width
        return int((inches - 0.6) * 72 / (0.6 * self.font_size(columns)))


SIZES = {
    "column": Size("column", 3.4, 2.5, 2, 8, 1.2, 48),
    "slide": Size("slide", 13.333, 7.5, 4, 20, 2.6, 20, fixed=True),
}
"""A column of a paper (two panels side by side span both), and a slide of 16:9."""


def curve_legend(panels: Iterable[Panel]) -> list[LegendEntry]:
    """The lines of all panels by style, the background lines last."""
    entries: dict[tuple[float, str], LegendEntry] = {}
    for panel in panels:
        for line in panel.lines:
            key, text = ((math.inf, ""), panel.others) if line.style is None else ((line.style, line.name), line.name)
            entries.setdefault(key, (line.line_style, text))
    return [entries[key] for key in sorted(entries)]


def run_names(runs: Sequence[RunResult], shown: Callable[[str], str] | None = None) -> list[str]:
    """Names of the runs, all different; see `unique_labels`."""
    return unique_labels([run.run_id for run in runs], [run.path for run in runs], shown)


def mean_panels(evaluation: Evaluation) -> list[Panel]:
    """A panel per curve measure with the averages over topics, a line per run, the best runs on top."""
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
    """The line style of each run: its index; of too many runs the rank of the best ones, None for the others."""
    runs = len(evaluation.runs)
    if runs <= MAX_DISTINCT_STYLES:
        return list(range(runs))
    place = {run: number for number, run in enumerate(rank_runs(evaluation)[:MAX_DISTINCT_STYLES])}
    return [place.get(run) for run in range(runs)]


def empty_topic_panels(evaluation: Evaluation) -> list[tuple[Panel, list[float]]]:
    """A panel without lines per curve measure, with axes for all topics of all runs; and the points of its curves."""
    frames = []
    for measure, curves in _curves_by_measure(evaluation):
        points = _all_points(curves, topics=True)
        panels = _panel(to_single_line(measure), curves[0][1], [Line("", points, None)], points)
        frames += [(replace(panel, lines=()), sorted({x for x, _ in points})) for panel in panels]
    return frames


def topic_panels(evaluation: Evaluation, *, averages: bool = True) -> list[Panel]:
    """A panel per curve measure and run with a line per topic and the average on top; one scale for all runs."""
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
    """The printed name of the value at a point."""
    return MEASURES_BY_NAME[curve.measure].printed_name(point) + curve.name.removeprefix(curve.measure)


def finite_points(points: Points) -> Points:
    """The points with a finite value."""
    return [(x, y) for x, y in points if math.isfinite(y)]


def _curves_by_measure(evaluation: Evaluation) -> list[tuple[str, list[tuple[int, Curve]]]]:
    """Curves with the index of their run, by measure in the order of printing; a run may lack one."""
    by_measure: dict[str, list[tuple[int, Curve]]] = {}
    for number, curves in enumerate(evaluation.curves):
        for curve in curves:
            by_measure.setdefault(curve.name, []).append((number, curve))
    order = {name: number for number, name in enumerate(evaluation.names)}
    last = len(order)

    def first(curves: list[tuple[int, Curve]]) -> int:
        names = (name_at_point(curve, point) for _, curve in curves for point, _ in curve.all)
        return min((order.get(name, last) for name in names), default=last)

    return sorted(by_measure.items(), key=lambda item: first(item[1]))


def _all_points(curves: Iterable[tuple[int, Curve]], *, topics: bool) -> list[tuple[float, float]]:
    points = [point for _, curve in curves for point in curve.all]
    if topics:
        points += [point for _, curve in curves for values in curve.topics.values() for point in values]
    return list(finite_points(points))


def _panel(title: str, curve: Curve, lines: Sequence[Line], points: Points, others: str = "one topic") -> list[Panel]:
    """The panel, if it has points."""
    drawn = [line for line in lines if line.points]
    if not drawn:
        return []
    x_label, y_label = MEASURES_BY_NAME[curve.measure].axes
    places = [x for x, _ in points]
    x_axis = _X_AXES[curve.axis](places) if curve.axis in _X_AXES else linear_axis(0, max(places))
    y_axis = linear_axis(0, max(y for _, y in points))
    return [Panel(curve.name, title, x_label, y_label, x_axis, y_axis, drawn, others)]


# Printed names that are points of one curve.

_MIN_POINTS = 3
"""Minimum number of points of a curve."""


@dataclass(frozen=True)
class NamedCurve:
    """Printed names of one measure and label: `numbers` are their indices, `points` their cut-offs, levels or budgets.

    A single name may have no points and belong to no registered measure.
    """

    name: str
    numbers: Sequence[int]
    points: Sequence[float] = ()
    registered_measure: Measure | None = None

    @property
    def is_curve(self) -> bool:
        """Whether there are enough points for a line."""
        return len(self.points) >= _MIN_POINTS

    @property
    def measure(self) -> Measure:
        """The measure of the points.

        Raises:
            ValueError: it is not registered.
        """
        if self.registered_measure is None:
            raise ValueError(self.name)
        return self.registered_measure


def group_by_curve(names: Sequence[str]) -> list[NamedCurve]:
    """Names by measure and label, in the order of the first of each.

    >>> names = ["P_5:quantisation=strict", "map", "P_10:quantisation=strict"]
    >>> [(curve.name, curve.points) for curve in group_by_curve(names)]
    [('P:quantisation=strict', (5.0, 10.0)), ('map', ())]
    """
    measured = measures_by_printed_name(names)
    groups: dict[str, list[tuple[int, float | None]]] = {}
    for number, name in enumerate(names):
        measure, label = measured.get(name), name.partition(":")[2]
        point = None if measure is None else cutoff_of_name(name, measure)
        key = name if measure is None or point is None else f"{measure.name}:{label}" if label else measure.name
        groups.setdefault(key, []).append((number, point))
    return [
        NamedCurve(
            name,
            tuple(number for number, _ in points),
            tuple(point for _, point in points if point is not None),
            measured.get(names[points[0][0]]),
        )
        for name, points in groups.items()
    ]
