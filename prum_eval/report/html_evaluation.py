"""The html format of an evaluation: one page that needs no network, and pages of the worst topics beside it.

The page has averages, groups of topics, curves, links to worst topics, and all parameters. Values of topics are data of
the page: its script shows those of one measure at a time, with a search and with a figure of one run's topics.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from prum_eval.analysis.comparison import rank_measures
from prum_eval.analysis.matrix import order_changes
from prum_eval.analysis.verdict import significant_runs
from prum_eval.evaluation.results import Curve, Evaluation, MeasuredValue, TopicValue, topics_by_group
from prum_eval.measures.base import Need
from prum_eval.measures.registry import MEASURES_BY_NAME, TOPIC_COUNT
from prum_eval.report.drawing import empty_topic_panels, name_at_point, run_names
from prum_eval.report.html_page import (
    Cell,
    curves_by_run,
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
    column_digits,
    fill,
    fill_page,
    format_value,
    join_lines,
    json_data,
    json_text,
    safe_file_name,
    unique_file_name,
)
from prum_eval.report.ranking import (
    ENDS_EARLY,
    ENDS_EARLY_NOTE,
    SIGNIFICANT,
    best_runs,
    marks_note,
    requested_measures,
    score_signs,
    sort_runs,
)
from prum_eval.report.registry import render
from prum_eval.report.svg import PAGE_FRAME
from prum_eval.report.tables import terminal_sort
from prum_eval.report.text_comparison import order_sentence
from prum_eval.tabular import plural, to_single_line

if TYPE_CHECKING:
    from prum_eval.analysis.explain import WorstTopic


_TOPICS_SECTION = """<section id="topics">
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
"""Of points that are only drawn; finer differences are invisible."""


def topics_section(
    evaluation: Evaluation, names: Sequence[str], order: Sequence[str], layout: Layout, mark: Mapping[str, str]
) -> Markup:
    """The section of values by topic, with its data.

    Args:
        evaluation: the runs, with the curves to draw.
        names: of the runs.
        order: all measures, the main ones first.
        layout: digits, whether averages are shown, and the pages of topics.
        mark: follows averages, by measure.
    """
    topics = sorted({topic for run in evaluation.runs for topic in run.topics}, key=str.encode)
    signs = score_signs(order)
    columns: list[dict[str, Any]] = []
    column: dict[str, int] = {}
    for name in order:
        values: list[list[TopicValue]] = [
            [run.topics.get(topic, {}).get(name) for topic in topics] for run in evaluation.runs
        ]
        if any(name in run_values for run in evaluation.runs for run_values in run.topics.values()):
            column[name] = len(columns)
            columns.append(
                {
                    "name": to_single_line(name),
                    "sign": signs.get(name, 0),
                    "runs": _printed_values(values, layout.digits),
                }
            )
            if layout.averages:
                means = [run.all.get(name) for run in evaluation.runs]
                digits = column_digits(means, layout.digits)
                columns[-1]["means"] = [
                    "" if mean is None else format_value(mean, digits) + mark[name] for mean in means
                ]
    options = _options((number, name) for name, number in column.items())
    frames: list[Markup] = []
    curves: list[dict[str, Any]] = []
    for panel, points in empty_topic_panels(evaluation):
        run_curves = curves_by_run(evaluation, panel.measure)
        first = next(curve for curve in run_curves if curve is not None)
        for point in points:
            if name_at_point(first, point) not in column:
                column[name_at_point(first, point)] = len(columns)
                columns.append({"runs": _printed_values(_values_at_point(run_curves, topics, point), _CURVE_DIGITS)})
        means_at_points = [[dict(curve.all if curve else ()).get(point) for point in points] for curve in run_curves]
        curves.append(
            {
                "columns": [column[name_at_point(first, point)] for point in points],
                "low": panel.y.low,
                "high": panel.y.high,
                "top": PAGE_FRAME.top,
                "bottom": PAGE_FRAME.bottom,
                "means": means_at_points if layout.averages else [],
            }
        )
        frames.append(
            interactive_figure(
                panel, points, point_names(first, points), more=f' class="of-topics" data-curve="{len(frames)}"'
            )
        )
    number = {topic: place for place, topic in enumerate(topics)}
    links = [[page.run, number[page.topic], page.path] for page in layout.worst if page.topic in number]
    data = {
        "runs": [to_single_line(name) for name in names],
        "topics": [to_single_line(topic) for topic in topics],
        "columns": columns,
        "curves": curves,
        "links": links,
    }
    return fill(
        _TOPICS_SECTION,
        options=options,
        curves=fill(
            _CURVES,
            options=_options(enumerate(names)),
            mean=", the strong one their mean" if layout.averages else "",
            figures=figure_grid(frames),
        )
        if frames
        else "",
        data=json_data("data", data),
    )


def _options(names: Iterable[tuple[int, str]]) -> Markup:
    """The options of a select element, with their values."""
    return join_lines(fill(_OPTION, number=number, name=to_single_line(name)) for number, name in names)


def _printed_values(runs: Sequence[Sequence[TopicValue]], digits: int) -> list[list[str | None]]:
    """The values of each run as printed; integers without digits only if all values are integers."""
    whole = all(isinstance(value, int) for values in runs for value in values if value is not None)
    number = int if whole else float
    digits = column_digits(chain.from_iterable(runs), digits)
    return [
        [value if value is None or isinstance(value, str) else format_value(number(value), digits) for value in values]
        for values in runs
    ]


def _values_at_point(curves: Sequence[Curve | None], topics: Sequence[str], point: float) -> list[list[MeasuredValue]]:
    """The values of every run and topic at a point of a curve."""
    values: list[list[MeasuredValue]] = []
    for curve in curves:
        by_topic = {} if curve is None else {topic: dict(points) for topic, points in curve.topics.items()}
        values.append([by_topic.get(topic, {}).get(point) for topic in topics])
    return values


# Pages of the topics on which runs are worst.

_MAX_FILE_NAME_PART = 80
"""Maximum number of letters of a name in the name of a file."""
_WORST_SECTION = '<section id="worst">\n<h2>Worst topics by <code>{measure}</code></h2>\n{table}\n</section>'
_TOPIC = '<a href="{path}">{topic}</a>'


def topic_pages(
    worst: Sequence[WorstTopic], evaluation: Evaluation, layout: Layout, folder: str
) -> tuple[dict[str, str], list[TopicPage]]:
    """The pages of topics by file name, in the format of the layout; and the links to them."""
    files: dict[str, str] = {}
    pages = []
    used: set[str] = set()
    for topic in worst:
        parts = evaluation.runs[topic.run].run_id, topic.topic
        stem = ".".join(safe_file_name(part)[:_MAX_FILE_NAME_PART] for part in parts)
        name = unique_file_name(stem, used, ".html")
        files[name] = str(render(topic.explanation, layout.format, layout))
        pages.append(TopicPage(topic.run, topic.topic, topic.measure, topic.value, quote(f"{folder}/{name}")))
    return files, pages


def worst_topics_section(names: Sequence[str], layout: Layout) -> list[Markup]:
    """The section with a table of links to the worst topics of each run; `names` are those of the runs."""
    if not layout.worst:
        return []
    measure, pages = layout.worst[0].measure, sorted(layout.worst, key=lambda page: page.run)
    cells = [
        [Cell(fill(_TOPIC, path=page.path, topic=page.topic), page.topic), value_cell(page.value, layout.digits)]
        for page in pages
    ]
    rows = [names[page.run] for page in pages]
    table = sortable_table("Worst topics", "run", ["topic", measure], rows, cells, words=["topic"])
    return [fill(_WORST_SECTION, measure=measure, table=table)]


_GROUP = "<h3>{title}</h3>"
_SECTION = '<section id="{key}">\n<h2>{title}</h2>\n{content}\n</section>'


def evaluation_page(evaluation: Evaluation, layout: Layout) -> str:
    """The page: averages with a row per run, curves with a line per run, topics, and every parameter."""
    evaluation = _without_single_points(evaluation)
    names = run_names(evaluation.runs)
    mark = {name: _different_topics_mark(evaluation, name) for name in evaluation.names}
    order = rank_measures(requested_measures(evaluation), evaluation.ranked_by).order
    parts: dict[str, tuple[str, Sequence[Markup | str]]] = {}
    if layout.averages:
        parts["averages"] = "Averages", _averages(evaluation, names, order, layout, mark)
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
        parts=join_lines(part for _, content in parts.values() for part in content),
        signature=add_line_breaks(to_single_line(evaluation.signature), after="|,"),
        version=evaluation.version,
    )


def _without_single_points(evaluation: Evaluation) -> Evaluation:
    """The evaluation with its curves of at least two points."""
    points: dict[str, set[float]] = {}
    for curve in chain.from_iterable(evaluation.curves):
        points.setdefault(curve.name, set()).update(x for x, _ in curve.all)
    curves = [[curve for curve in own if len(points[curve.name]) > 1] for own in evaluation.curves]
    return replace(evaluation, curves=curves)


def _averages(
    evaluation: Evaluation, names: Sequence[str], order: Sequence[str], layout: Layout, mark: Mapping[str, str]
) -> list[Markup]:
    """Values, a row per run as a terminal sorts them, with the main measures first and best values marked.

    Points of curves are left out, but not of measures of chunks, which people choose at one cut-off or budget.
    """
    others = (
        curve
        for curve in chain.from_iterable(evaluation.curves)
        if Need.SPANS not in MEASURES_BY_NAME[curve.measure].needs
    )
    on_curves = {name_at_point(curve, x) for curve in others for x, _ in curve.all}
    columns = [name for name in order if name not in on_curves and any(name in run.all for run in evaluation.runs)]
    if not columns:
        return []
    digits = {name: column_digits((run.all.get(name) for run in evaluation.runs), layout.digits) for name in columns}
    best = best_runs(evaluation)
    significant = {} if layout.marks is None else significant_runs(layout.marks)
    runs = sort_runs(evaluation, terminal_sort(evaluation, replace(layout, per_topic=False)))
    rows = [
        [
            value_cell(
                evaluation.runs[run].all.get(name),
                digits[name],
                mark[name]
                + SIGNIFICANT * (run in significant.get(name, ()))
                + ENDS_EARLY * evaluation.runs[run].ends_early(name),
                best=run in best.get(name, ()),
            )
            for name in columns
        ]
        for run in runs
    ]
    row_names, curves = [names[run] for run in runs], runs if any(evaluation.curves) else ()
    table = sortable_table("Averages over topics", "run", columns, row_names, rows, runs=curves)
    notes = [] if layout.marks is None else [f"{SIGNIFICANT} {marks_note(layout.marks, names)}"]
    if any(run.ends_early(name) for run in evaluation.runs for name in columns):
        notes.append(f"{ENDS_EARLY} {ENDS_EARLY_NOTE}.")
    table = Markup(table + "".join(fill('<p class="quiet">{note}</p>', note=note) for note in notes))
    return [fill(_SECTION, key="averages", title="Averages", content=table)]


def _groups(
    evaluation: Evaluation, names: Sequence[str], order: Sequence[str], digits: int, mark: Mapping[str, str]
) -> list[Markup]:
    """A table per group of topics with all values, a row per run."""
    topics_of = topics_by_group(evaluation.groups, evaluation.groups)
    if not topics_of:
        return []
    columns = [name for name in order if any(name in run.all for run in evaluation.runs)]
    parts = []
    headline = rank_measures(requested_measures(evaluation), evaluation.ranked_by).headline
    if sentence := order_sentence(order_changes(evaluation), names, digits, headline):
        parts.append(fill("<p>{text}</p>", text=sentence))
    for group, topics in topics_of.items():
        averages = [run.groups[group].all if group in run.groups else {} for run in evaluation.runs]
        rows: list[list[Cell]] = [
            [value_cell(values.get(name), digits, mark[name]) for name in columns] for values in averages
        ]
        title = f"{to_single_line(group)} ({plural(len(topics), 'topic')})"
        parts += [fill(_GROUP, title=title), sortable_table(f"Averages of group {title}", "run", columns, names, rows)]
    return [fill(_SECTION, key="groups", title="Groups", content=join_lines(parts))]


def _parameters(evaluation: Evaluation) -> list[Markup]:
    runs = [{"run_id": run.run_id, "path": run.path} for run in evaluation.runs]
    text = json_text({**evaluation.parameters, "runs": runs}).rstrip()
    content = details_element("Every choice, as in the JSON output", fill("<pre>{text}</pre>", text=text))
    return [fill(_SECTION, key="parameters", title="Parameters", content=content)]


def _different_topics_mark(evaluation: Evaluation, name: str = "") -> str:
    """The mark after averages if the runs cover different topics."""
    return DIFFERENT_TOPICS_MARK if evaluation.different_topics and name != TOPIC_COUNT else ""
