"""Topics of a page: values of one measure at a time, which the script of the page takes from its data.

The page has a table for what is chosen, a field to search in it, and with curves a drawing of one run's topics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from prum_eval.evaluation.results import Curve, Evaluation, MeasuredValue
from prum_eval.report.best import score_signs
from prum_eval.report.drawing.panels import one_line, printed, topic_frames
from prum_eval.report.drawing.svg import BOTTOM, HEIGHT, TOP
from prum_eval.report.html.curves import figure, grid, point_names
from prum_eval.report.layout import Layout, formatted
from prum_eval.report.markup import Markup, fill, json_data, lines

_SECTION = """<section id="topics">
<h2>Topics</h2>
<noscript><p>Without JavaScript these are not shown; eval -q -f json and -f csv have all of them.</p></noscript>
<div class="controls">
<label>Measure <select id="measure">
{options}
</select></label>
<label>Search topics <input type="search" id="search" autocomplete="off" spellcheck="false"></label>
<output id="found" for="search"></output>
</div>
<div class="scroll tall" role="region" aria-label="Values by topic" tabindex="0">
<table id="by-topic"></table>
</div>
{curves}
{data}
</section>"""
_OPTION = '<option value="{number}">{name}</option>'
_CURVES = """<h3>Curves of topics</h3>
<div class="controls">
<label>Run <select id="run">
{options}
</select></label>
</div>
<p class="quiet">A line is a topic{mean}. Point at one, or click its name in the table to keep it.</p>
{figures}"""
_CURVE_DIGITS = 3
"""Of points that are drawn only: finer differences cannot be seen."""


def topics_section(
    evaluation: Evaluation, names: Sequence[str], order: Sequence[str], layout: Layout, mark: Mapping[str, str]
) -> Markup:
    """The section.

    Args:
        evaluation: the runs, with the curves that are drawn.
        names: of the runs.
        order: all measures, the main ones first.
        layout: digits, whether averages are shown, and the pages that topics have.
        mark: what stands at averages, by measure.
    """
    topics = sorted({topic for run in evaluation.runs for topic in run.topics}, key=str.encode)
    way = score_signs(order)
    columns: list[dict[str, Any]] = []
    place: dict[str, int] = {}
    for name in order:
        values: list[list[MeasuredValue]] = [
            [run.topics.get(topic, {}).get(name) for topic in topics] for run in evaluation.runs
        ]
        if any(name in run_values for run in evaluation.runs for run_values in run.topics.values()):
            place[name] = len(columns)
            own = {"name": one_line(name), "sign": way.get(name, 0), "runs": _printed_values(values, layout.digits)}
            means = [run.all.get(name) for run in evaluation.runs]
            if layout.averages:
                own["means"] = ["" if one is None else formatted(one, layout.digits) + mark[name] for one in means]
            columns.append(own)
    shown = list(place)
    frames: list[Markup] = []
    curves: list[dict[str, Any]] = []
    for panel, points in topic_frames(evaluation):
        own_curves = [next((one for one in own if one.name == panel.measure), None) for own in evaluation.curves]
        first = next(one for one in own_curves if one is not None)
        for point in points:
            if printed(first, point) not in place:
                place[printed(first, point)] = len(columns)
                columns.append({"runs": _printed_values(_drawn(own_curves, topics, point), _CURVE_DIGITS)})
        on_average = [[dict(one.all if one else ()).get(point) for point in points] for one in own_curves]
        curves.append(
            {
                "columns": [place[printed(first, point)] for point in points],
                "low": panel.y.low,
                "high": panel.y.high,
                "top": TOP,
                "bottom": HEIGHT - BOTTOM,
                "means": on_average if layout.averages else [],
            }
        )
        frames.append(
            figure(panel, points, point_names(first, points), more=f' class="of-topics" data-curve="{len(frames)}"')
        )
    number = {topic: place for place, topic in enumerate(topics)}
    links = [[one.run, number[one.topic], one.path] for one in layout.worst if one.topic in number]
    data = {
        "runs": [one_line(name) for name in names],
        "topics": [one_line(topic) for topic in topics],
        "columns": columns,
        "curves": curves,
        "links": links,
    }
    options = lines(fill(_OPTION, number=place[name], name=one_line(name)) for name in shown)
    return fill(
        _SECTION, options=options, curves=_curves(frames, names, layout) if frames else "", data=json_data("data", data)
    )


def _curves(frames: Sequence[Markup], names: Sequence[str], layout: Layout) -> Markup:
    options = lines(fill(_OPTION, number=number, name=one_line(name)) for number, name in enumerate(names))
    mean = ", the strong one their mean" if layout.averages else ""
    return fill(_CURVES, options=options, mean=mean, figures=grid(frames))


def _printed_values(runs: Sequence[Sequence[MeasuredValue]], digits: int) -> list[list[str | None]]:
    """The values of each run as they are printed; whole numbers without digits only where all values are whole."""
    whole = all(isinstance(value, int) for values in runs for value in values if value is not None)
    number = int if whole else float
    return [[None if value is None else formatted(number(value), digits) for value in values] for values in runs]


def _drawn(curves: Sequence[Curve | None], topics: Sequence[str], point: float) -> list[list[MeasuredValue]]:
    """The values of every run and topic at a point of a curve."""
    found: list[list[MeasuredValue]] = []
    for curve in curves:
        by_topic = {} if curve is None else {topic: dict(own) for topic, own in curve.topics.items()}
        found.append([by_topic.get(topic, {}).get(point) for topic in topics])
    return found
