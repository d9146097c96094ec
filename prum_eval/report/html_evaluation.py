"""The html format of an evaluation: one page that needs no network and no other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from prum_eval.analysis.comparison import rank_measures
from prum_eval.analysis.matrix import order_changes
from prum_eval.evaluation.results import Curve, Evaluation, MeasuredValue, topics_by_group
from prum_eval.measures.registry import TOPIC_COUNT
from prum_eval.report.drawing import BOTTOM, HEIGHT, TOP, empty_topic_panels, name_at_point, run_names, to_single_line
from prum_eval.report.html_page import (
    Cell,
    curves_section,
    details_element,
    facts,
    figure_grid,
    interactive_figure,
    part_links,
    point_names,
    sortable_table,
    value_cell,
    warnings_section,
)
from prum_eval.report.layout import (
    DIFFERENT_TOPICS_MARK,
    Layout,
    Markup,
    TopicPage,
    add_line_breaks,
    fill,
    fill_page,
    format_value,
    join_lines,
    json_data,
    json_text,
    safe_file_name,
    unique_file_name,
)
from prum_eval.report.ranking import best_runs, requested_measures, score_signs
from prum_eval.report.registry import render
from prum_eval.report.text_comparison import order_sentence
from prum_eval.tabular import plural

if TYPE_CHECKING:
    from prum_eval.analysis.explain import WorstTopic


# Topics of a page: values of one measure at a time, which the script of the page takes from its data.
#
# The page has a table for what is chosen, a field to search in it, and with curves a drawing of one run's topics.


_SECTION_topics = """<section id="topics">
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
            own = {
                "name": to_single_line(name),
                "sign": way.get(name, 0),
                "runs": _printed_values(values, layout.digits),
            }
            means = [run.all.get(name) for run in evaluation.runs]
            if layout.averages:
                own["means"] = ["" if one is None else format_value(one, layout.digits) + mark[name] for one in means]
            columns.append(own)
    shown = list(place)
    frames: list[Markup] = []
    curves: list[dict[str, Any]] = []
    for panel, points in empty_topic_panels(evaluation):
        own_curves = [next((one for one in own if one.name == panel.measure), None) for own in evaluation.curves]
        first = next(one for one in own_curves if one is not None)
        for point in points:
            if name_at_point(first, point) not in place:
                place[name_at_point(first, point)] = len(columns)
                columns.append({"runs": _printed_values(_values_at_point(own_curves, topics, point), _CURVE_DIGITS)})
        on_average = [[dict(one.all if one else ()).get(point) for point in points] for one in own_curves]
        curves.append(
            {
                "columns": [place[name_at_point(first, point)] for point in points],
                "low": panel.y.low,
                "high": panel.y.high,
                "top": TOP,
                "bottom": HEIGHT - BOTTOM,
                "means": on_average if layout.averages else [],
            }
        )
        frames.append(
            interactive_figure(
                panel, points, point_names(first, points), more=f' class="of-topics" data-curve="{len(frames)}"'
            )
        )
    number = {topic: place for place, topic in enumerate(topics)}
    links = [[one.run, number[one.topic], one.path] for one in layout.worst if one.topic in number]
    data = {
        "runs": [to_single_line(name) for name in names],
        "topics": [to_single_line(topic) for topic in topics],
        "columns": columns,
        "curves": curves,
        "links": links,
    }
    options = join_lines(fill(_OPTION, number=place[name], name=to_single_line(name)) for name in shown)
    return fill(
        _SECTION_topics,
        options=options,
        curves=_curves(frames, names, layout) if frames else "",
        data=json_data("data", data),
    )


def _curves(frames: Sequence[Markup], names: Sequence[str], layout: Layout) -> Markup:
    options = join_lines(fill(_OPTION, number=number, name=to_single_line(name)) for number, name in enumerate(names))
    mean = ", the strong one their mean" if layout.averages else ""
    return fill(_CURVES, options=options, mean=mean, figures=figure_grid(frames))


def _printed_values(runs: Sequence[Sequence[MeasuredValue]], digits: int) -> list[list[str | None]]:
    """The values of each run as they are printed; whole numbers without digits only where all values are whole."""
    whole = all(isinstance(value, int) for values in runs for value in values if value is not None)
    number = int if whole else float
    return [[None if value is None else format_value(number(value), digits) for value in values] for values in runs]


def _values_at_point(curves: Sequence[Curve | None], topics: Sequence[str], point: float) -> list[list[MeasuredValue]]:
    """The values of every run and topic at a point of a curve."""
    found: list[list[MeasuredValue]] = []
    for curve in curves:
        by_topic = {} if curve is None else {topic: dict(own) for topic, own in curve.topics.items()}
        found.append([by_topic.get(topic, {}).get(point) for topic in topics])
    return found


# Pages about the topics on which runs are worst, and the part of a page that leads to them.


_MAX_FILE_NAME_PART = 80
"""Signs of a name in the name of a file."""
_SECTION_worst = '<section id="worst">\n<h2>Worst topics by <code>{measure}</code></h2>\n{runs}\n</section>'
_RUN = "<h3>{name}</h3>\n<ol>\n{topics}\n</ol>"
_TOPIC = '<li><a href="{path}">{topic}</a>: {value}</li>'


def topic_pages(
    worst: Sequence[WorstTopic], evaluation: Evaluation, layout: Layout, folder: str
) -> tuple[dict[str, str], list[TopicPage]]:
    """The pages of topics by the names of their files, in the format of the layout, and how a page leads to them."""
    files: dict[str, str] = {}
    pages = []
    used: set[str] = set()
    for one in worst:
        stem = ".".join(
            safe_file_name(name)[:_MAX_FILE_NAME_PART] for name in (evaluation.runs[one.run].run_id, one.topic)
        )
        name = unique_file_name(stem, used, ".html")
        files[name] = str(render(one.explanation, layout.format, layout))
        pages.append(TopicPage(one.run, one.topic, one.measure, one.value, quote(f"{folder}/{name}")))
    return files, pages


def worst_topics_section(names: Sequence[str], layout: Layout) -> list[Markup]:
    """The section with a list a run of links to its worst topics; `names` are those of the runs."""
    if not layout.worst:
        return []
    parts = []
    for number, name in enumerate(names):
        pages = [one for one in layout.worst if one.run == number]
        listed = join_lines(
            fill(_TOPIC, path=one.path, topic=one.topic, value=format_value(one.value, layout.digits)) for one in pages
        )
        parts += [fill(_RUN, name=name, topics=listed)] if pages else []
    return [fill(_SECTION_worst, measure=layout.worst[0].measure, runs=join_lines(parts))]


_GROUP = "<h3>{title}</h3>"
_SECTION = '<section id="{key}">\n<h2>{title}</h2>\n{content}\n</section>'


def evaluation_page(evaluation: Evaluation, layout: Layout) -> str:
    """Averages with a row a run, curves with a line a run, topics a measure at a time, and every choice made."""
    evaluation = _without_single_points(evaluation)
    names = run_names(evaluation.runs)
    mark = {name: _different_topics_mark(evaluation, name) for name in evaluation.names}
    order = rank_measures(requested_measures(evaluation)).order
    parts: dict[str, tuple[str, Sequence[Markup | str]]] = {}
    if layout.averages:
        parts["averages"] = "Averages", _averages(evaluation, names, order, layout.digits, mark)
        parts["groups"] = "Groups", _groups(evaluation, names, order, layout.digits, mark)
        parts["curves"] = "Curves", curves_section(evaluation, names, layout.digits, _different_topics_mark(evaluation))
    parts["worst"] = "Worst topics", worst_topics_section(names, layout)
    if layout.per_topic:
        parts["topics"] = "Topics", [topics_section(evaluation, names, order, layout, mark)]
    parts["parameters"] = "Parameters", _parameters(evaluation)
    parts = {key: part for key, part in parts.items() if part[1]}
    topics = {topic for run in evaluation.runs for topic in run.topics}
    return fill_page(
        "report",
        ["all", "tables", "evaluation"],
        ["tables", "evaluation"],
        title=f"prum-eval: {names[0] if len(names) == 1 else f'{len(names)} runs'}",
        facts=facts(
            evaluation.parameters, [run.path for run in evaluation.runs], plural(len(topics), "topic"), layout.date
        ),
        contents=part_links({key: title for key, (title, _) in parts.items()}),
        warnings=warnings_section(evaluation.warnings),
        parts=join_lines(one for _, content in parts.values() for one in content),
        signature=add_line_breaks(
            to_single_line(evaluation.signature), after="|,"
        ),  # it has no spaces to break lines at
        version=evaluation.version,
    )


def _without_single_points(evaluation: Evaluation) -> Evaluation:
    """The evaluation with the curves that have two points or more: one is a value like any other."""
    points: dict[str, set[float]] = {}
    for curve in (one for curves in evaluation.curves for one in curves):
        points.setdefault(curve.name, set()).update(x for x, _ in curve.all)
    kept = [[curve for curve in curves if len(points[curve.name]) > 1] for curves in evaluation.curves]
    return replace(evaluation, curves=kept)


def _averages(
    evaluation: Evaluation, names: Sequence[str], order: Sequence[str], digits: int, mark: Mapping[str, str]
) -> list[Markup]:
    """Every value that is no point of a curve, a row a run, the main measures first and the best values marked."""
    on_curves = {name_at_point(curve, x) for curves in evaluation.curves for curve in curves for x, _ in curve.all}
    columns = [name for name in order if name not in on_curves and any(name in run.all for run in evaluation.runs)]
    if not columns:
        return []
    best = best_runs(evaluation)
    rows = [
        [value_cell(run.all.get(name), digits, mark[name], best=number in best.get(name, ())) for name in columns]
        for number, run in enumerate(evaluation.runs)
    ]
    runs = range(len(names)) if any(evaluation.curves) else ()
    found = sortable_table("Averages over topics", "run", columns, names, rows, runs=runs)
    return [fill(_SECTION, key="averages", title="Averages", content=found)]


def _groups(
    evaluation: Evaluation, names: Sequence[str], order: Sequence[str], digits: int, mark: Mapping[str, str]
) -> list[Markup]:
    """A table a group of topics, with all values: a row a run."""
    topics_of = topics_by_group(evaluation.groups, evaluation.groups)
    if not topics_of:
        return []
    columns = [name for name in order if any(name in run.all for run in evaluation.runs)]
    parts = []
    if told := order_sentence(
        order_changes(evaluation), names, digits, rank_measures(requested_measures(evaluation)).headline
    ):
        parts.append(fill("<p>{told}</p>", told=told))
    for group, topics in topics_of.items():
        own = [run.groups[group].all if group in run.groups else {} for run in evaluation.runs]
        rows: list[list[Cell]] = [
            [value_cell(values.get(name), digits, mark[name]) for name in columns] for values in own
        ]
        title = f"{to_single_line(group)} ({plural(len(topics), 'topic')})"
        parts += [fill(_GROUP, title=title), sortable_table(f"Averages of group {title}", "run", columns, names, rows)]
    return [fill(_SECTION, key="groups", title="Groups", content=join_lines(parts))]


def _parameters(evaluation: Evaluation) -> list[Markup]:
    runs = [{"run_id": run.run_id, "path": run.path} for run in evaluation.runs]
    told = json_text({**evaluation.parameters, "runs": runs}).rstrip()
    content = details_element("Every choice, as in the JSON output", fill("<pre>{told}</pre>", told=told))
    return [fill(_SECTION, key="parameters", title="Parameters", content=content)]


def _different_topics_mark(evaluation: Evaluation, name: str = "") -> str:
    """What stands at an average over other topics than those of other runs."""
    return DIFFERENT_TOPICS_MARK if evaluation.different_topics and name != TOPIC_COUNT else ""
