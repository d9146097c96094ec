"""What a picture of curves shows, before anybody draws it: panels of lines on axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from prum_eval.evaluation.results import Curve, Evaluation, RunResult
from prum_eval.measures.registry import BY_NAME
from prum_eval.report.best import best_first
from prum_eval.report.drawing.axes import Axis, budget_axis, linear_axis, rank_axis
from prum_eval.report.drawing.line_styles import MOST_COLOURED

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
    """A name for each run that no other has; see `told_apart`."""
    return told_apart([run.run_id for run in runs], [run.path for run in runs], shown)


def told_apart(ids: Sequence[str], paths: Sequence[str], shown: Callable[[str], str] | None = None) -> list[str]:
    """Identifiers of runs, with their files where two share one; numbered where they share that too.

    `shown` makes them fit to be shown: in one line without signs that cannot be, if not given.

    >>> told_apart(["a", "b", "b"], ["1", "2", "2"])
    ['a', 'b (2) #1', 'b (2) #2']
    """
    pairs = zip(ids, paths, strict=True)
    fit = shown or one_line
    names = [fit(run_id if ids.count(run_id) == 1 else f"{run_id} ({path})") for run_id, path in pairs]
    return [
        name if names.count(name) == 1 else f"{name} #{names[:number].count(name) + 1}"
        for number, name in enumerate(names)
    ]


def one_line(text: str) -> str:
    r"""Text without line ends and signs that cannot be shown (some may not even stand in XML).

    >>> one_line("a\tb" + chr(0))
    'a b\ufffd'
    """
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in " ".join(text.split()))


def mean_panels(evaluation: Evaluation) -> list[Panel]:
    """A panel a curve measure, a line a run: the averages over topics. Of many runs the best lie on the others."""
    names, styles = run_names(evaluation.runs), run_styles(evaluation)
    others = f"one of {len(names) - MOST_COLOURED} other runs"
    panels = []
    for measure, curves in _by_measure(evaluation):
        lines = [Line(names[run], finite(curve.all), styles[run], run) for run, curve in curves]
        if None in styles:
            lines.sort(key=lambda line: -MOST_COLOURED if line.style is None else -line.style)
        panels += _panel(one_line(measure), curves[0][1], lines, _all_points(curves, topics=False), others)
    return panels


def run_styles(evaluation: Evaluation) -> list[int | None]:
    """The line style of each run: its place; where they are more than can be told apart, among the best, else None."""
    runs = len(evaluation.runs)
    if runs <= MOST_COLOURED:
        return list(range(runs))
    place = {run: number for number, run in enumerate(best_first(evaluation)[:MOST_COLOURED])}
    return [place.get(run) for run in range(runs)]


def topic_frames(evaluation: Evaluation) -> list[tuple[Panel, list[float]]]:
    """A panel without lines a curve measure, with axes for all topics of all runs; and the points of its curves."""
    frames = []
    for measure, curves in _by_measure(evaluation):
        points = _all_points(curves, topics=True)
        found = _panel(one_line(measure), curves[0][1], [Line("", points, None)], points)
        frames += [(replace(panel, lines=()), sorted({x for x, _ in points})) for panel in found]
    return frames


def topic_panels(evaluation: Evaluation, *, averages: bool = True) -> list[Panel]:
    """A panel a curve measure and run: a line a topic, and the average before them; one scale for all runs."""
    names = run_names(evaluation.runs)
    panels = []
    for measure, curves in _by_measure(evaluation):
        points = _all_points(curves, topics=True)
        for number, curve in curves:
            lines = [Line(one_line(topic), finite(own), None) for topic, own in curve.topics.items()]
            if averages:
                lines.append(Line("mean", finite(curve.all), 0))
            title = f"{one_line(measure)}, {names[number]}" if len(names) > 1 else one_line(measure)
            panels += _panel(title, curve, lines, points)
    return panels


def printed(curve: Curve, point: float) -> str:
    """The name that the value at a point prints with."""
    return BY_NAME[curve.measure].printed(point) + curve.name.removeprefix(curve.measure)


def finite(points: Points) -> Points:
    """The points that can be drawn."""
    return [(x, y) for x, y in points if math.isfinite(y)]


def _by_measure(evaluation: Evaluation) -> list[tuple[str, list[tuple[int, Curve]]]]:
    """Each measure's curves with the number of their run, in the order of printing; a run may lack one."""
    found: dict[str, list[tuple[int, Curve]]] = {}
    for number, curves in enumerate(evaluation.curves):
        for curve in curves:
            found.setdefault(curve.name, []).append((number, curve))
    order = {name: number for number, name in enumerate(evaluation.names)}
    last = len(order)

    def first(curves: list[tuple[int, Curve]]) -> int:
        own = (printed(curve, point) for _, curve in curves for point, _ in curve.all)
        return min((order.get(name, last) for name in own), default=last)

    return sorted(found.items(), key=lambda item: first(item[1]))


def _all_points(curves: Iterable[tuple[int, Curve]], *, topics: bool) -> list[tuple[float, float]]:
    points = [point for _, curve in curves for point in curve.all]
    if topics:
        points += [point for _, curve in curves for own in curve.topics.values() for point in own]
    return list(finite(points))


def _panel(title: str, curve: Curve, lines: Sequence[Line], points: Points, others: str = Panel.others) -> list[Panel]:
    """The panel, if there is anything to draw in it."""
    drawn = [line for line in lines if line.points]
    if not drawn:
        return []
    x_label, y_label = BY_NAME[curve.measure].axes
    places = [x for x, _ in points]
    x_axis = _X_AXES[curve.axis](places) if curve.axis in _X_AXES else linear_axis(0, max(places))
    y_axis = linear_axis(0, max(y for _, y in points))
    return [Panel(curve.name, title, x_label, y_label, x_axis, y_axis, drawn, others)]
