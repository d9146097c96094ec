"""The html format: one page that needs no network and no other file, with tables to sort and curves to look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from prum_eval.analysis.groups import order_changes
from prum_eval.analysis.telling import telling
from prum_eval.evaluation.groups import by_group
from prum_eval.evaluation.notices.notice import Notice, summed
from prum_eval.evaluation.results import Curve, Evaluation, MeasuredValue
from prum_eval.measures.registry import TOPIC_COUNT
from prum_eval.report.drawing.line_styles import line_style
from prum_eval.report.drawing.panels import Panel, mean_panels, one_line, printed, run_names, topic_panels
from prum_eval.report.drawing.svg import panel_svg, swatch
from prum_eval.report.html.worst import worst_topics
from prum_eval.report.markup import Markup, breakable, fill, lines, page
from prum_eval.report.registry import DIFFERENT, Layout, formatted
from prum_eval.report.text.groups import order_sentence
from prum_eval.report.writing import json_text
from prum_eval.tabular import plural

_LONG = 28
"""Longer names of runs are broken into lines."""

_WARNINGS = '<section class="warnings" aria-label="Warnings">\n<ul>\n{listed}\n</ul>\n</section>'
_LEGEND = '<li><svg viewBox="-2 -7 44 14" aria-hidden="true">{swatch}</svg>{name}</li>'
_FIGURE = "<figure>\n<h3>{title}</h3>\n{drawing}{below}\n</figure>"
_FOLDED = "<details>\n<summary>{summary}</summary>\n{content}\n</details>"
_TABLE = """<div class="scroll">
<table>
<thead>
<tr>{heads}</tr>
</thead>
<tbody>
{body}
</tbody>
{foot}</table>
</div>"""
_HEAD = '<th scope="col" data-kind="{kind}"><button type="button">{name}</button></th>'
_ROW = '<tr><th scope="row"{long} data-value="{name}">{name}</th>{cells}</tr>'

Cell = tuple[str, str]
"""What is shown, and the value to sort by: a number in full, a text, or nothing."""


def evaluation_page(evaluation: Evaluation, layout: Layout) -> str:
    """Averages with a row a run, curves with a line a run, topics with a column a run, and every choice made."""
    evaluation = _without_single_points(evaluation)
    names = run_names(evaluation.runs)
    parts = _warnings(evaluation.warnings)
    if layout.averages:
        parts += _averages(evaluation, names, layout.digits)
        parts += _groups(evaluation, names, layout.digits)
        parts += _curves(evaluation, names, layout.digits)
    parts += worst_topics(names, layout)
    if layout.per_topic:
        parts += _topics(evaluation, names, layout)
    parts += _parameters(evaluation)
    return page(
        "evaluation",
        title=f"prum-eval: {names[0] if len(names) == 1 else f'{len(names)} runs'}",
        signature=breakable(one_line(evaluation.signature), after="|,"),  # it has no spaces to break lines at
        parts=lines(parts),
        version=evaluation.version,
    )


def _warnings(warnings: Sequence[Notice]) -> list[str]:
    listed = lines(fill("<li>{warning}</li>", warning=one_line(text)) for text in summed(warnings, hint=""))
    return [fill(_WARNINGS, listed=listed)] if warnings else []


def _without_single_points(evaluation: Evaluation) -> Evaluation:
    """The evaluation with the curves that have two points or more: one is a value like any other."""
    points: dict[str, set[float]] = {}
    for curve in (one for curves in evaluation.curves for one in curves):
        points.setdefault(curve.name, set()).update(x for x, _ in curve.all)
    kept = [[curve for curve in curves if len(points[curve.name]) > 1] for curves in evaluation.curves]
    return replace(evaluation, curves=kept)


def _averages(evaluation: Evaluation, names: Sequence[str], digits: int) -> list[str]:
    """Every value that is no point of a curve, a row a run."""
    columns = _off_curves(evaluation)
    if not columns:
        return []
    rows = [[_cell(run.all.get(name), digits, _mark(evaluation, name)) for name in columns] for run in evaluation.runs]
    return ["<h2>Averages</h2>", _table("run", columns, names, rows)]


def _off_curves(evaluation: Evaluation) -> list[str]:
    """Names of averages that are no point of a curve."""
    on_curves = {printed(curve, x) for curves in evaluation.curves for curve in curves for x, _ in curve.all}
    shown = (name for name in evaluation.names if name not in on_curves)
    return [name for name in shown if any(name in run.all for run in evaluation.runs)]


def _groups(evaluation: Evaluation, names: Sequence[str], digits: int) -> list[str]:
    """A table a group of topics, with all values: a row a run."""
    topics_of = by_group(evaluation.groups, evaluation.groups)
    if not topics_of:
        return []
    columns = [name for name in evaluation.names if any(name in run.all for run in evaluation.runs)]
    parts = ["<h2>Groups</h2>"]
    if told := order_sentence(order_changes(evaluation), names, digits, telling(evaluation.names).headline):
        parts.append(fill("<p>{told}</p>", told=told))
    for group, topics in topics_of.items():
        own = [run.groups[group].all if group in run.groups else {} for run in evaluation.runs]
        rows = [[_cell(values.get(name), digits, _mark(evaluation, name)) for name in columns] for values in own]
        title = f"{one_line(group)} ({plural(len(topics), 'topic')})"
        parts += [fill("<h3>{title}</h3>", title=title), _table("run", columns, names, rows)]
    return parts


def _curves(evaluation: Evaluation, names: Sequence[str], digits: int) -> list[str]:
    panels = mean_panels(evaluation)
    if not panels:
        return []
    legend = lines(fill(_LEGEND, swatch=swatch(line_style(number)), name=name) for number, name in enumerate(names))
    figures = [_figure(panel, _points(evaluation, panel, names, digits)) for panel in panels]
    return ["<h2>Curves</h2>", fill('<ul class="legend">\n{legend}\n</ul>', legend=legend), *_grid(figures)]


def _points(evaluation: Evaluation, panel: Panel, names: Sequence[str], digits: int) -> str:
    """The values of a panel as a table, a row a run."""
    curves = [next((one for one in curves if one.name == panel.measure), None) for curves in evaluation.curves]
    known: list[Curve] = [curve for curve in curves if curve is not None]
    points = sorted({x for curve in known for x, _ in curve.all})
    heads = [printed(known[0], x).removeprefix(f"{known[0].measure}_").partition(":")[0] for x in points]
    rows = []
    for curve in curves:
        values = dict(curve.all) if curve is not None else {}
        rows.append([_cell(values.get(x), digits, _mark(evaluation)) for x in points])
    return _folded("Values", _table("run", heads, names, rows))


def _topics(evaluation: Evaluation, names: Sequence[str], layout: Layout) -> list[str]:
    """A folded table a value, a row a topic and a column a run; those of a curve in the fold of the curve."""
    topics = sorted({topic for run in evaluation.runs for topic in run.topics}, key=str.encode)
    tables = {}
    for name in evaluation.names:
        if any(name in values for run in evaluation.runs for values in run.topics.values()):
            rows = [
                [_cell(run.topics.get(topic, {}).get(name), layout.digits) for run in evaluation.runs]
                for topic in topics
            ]
            means = [_cell(run.all.get(name), layout.digits, _mark(evaluation, name)) for run in evaluation.runs]
            last = means if layout.averages else None
            tables[name] = _folded(_code(name), _table("topic", names, topics, rows, last))
    folds: dict[str, list[str]] = {}
    for panel in topic_panels(evaluation, averages=layout.averages):
        folds.setdefault(panel.measure, []).append(_figure(panel))
    measure_of = {
        printed(curve, x): one_line(curve.name)
        for curves in evaluation.curves
        for curve in curves
        for x, _ in curve.all
    }
    parts = ["<h2>Topics</h2>"]
    for fold, listed in groupby(tables, key=lambda name: measure_of.get(name, "")):
        own = [tables[name] for name in listed]
        if fold:
            own = [_folded(_code(fold), lines([*_grid(folds.get(fold, [])), *own]))]
        parts += own
    return parts


def _parameters(evaluation: Evaluation) -> list[str]:
    runs = [{"run_id": run.run_id, "path": run.path} for run in evaluation.runs]
    told = json_text({**evaluation.parameters, "runs": runs}).rstrip()
    return ["<h2>Parameters</h2>", _folded("Every choice, as in the JSON output", fill("<pre>{told}</pre>", told=told))]


def _figure(panel: Panel, below: Markup | str = "") -> Markup:
    return fill(_FIGURE, title=one_line(panel.title), drawing=panel_svg(panel), below=below)


def _grid(figures: Iterable[str]) -> Iterator[str]:
    yield '<div class="curves">'
    yield from figures
    yield "</div>"


def _code(name: str) -> Markup:
    return fill("<code>{name}</code>", name=one_line(name))


def _folded(summary: str, content: str) -> Markup:
    return fill(_FOLDED, summary=summary, content=content)


def _cell(value: MeasuredValue, digits: int, mark: str = "") -> Cell:
    return ("", "") if value is None else (formatted(value, digits) + mark, repr(value))


def _mark(evaluation: Evaluation, name: str = "") -> str:
    """What stands at an average over other topics than those of other runs."""
    return DIFFERENT if evaluation.different_topics and name != TOPIC_COUNT else ""


def _table(
    corner: str,
    columns: Sequence[str],
    rows: Sequence[str],
    cells: Sequence[Sequence[Cell]],
    last: Sequence[Cell] | None = None,
) -> Markup:
    """A table to sort: a head a column, a name a row; `last` is a row that stays below."""
    kinds = [(corner, "text"), *((name, "number") for name in columns)]
    heads = [fill(_HEAD, kind=kind, name=one_line(name)) for name, kind in kinds]
    body = lines(_row(name, own) for name, own in zip(rows, cells, strict=True))
    foot = fill("<tfoot>\n{row}\n</tfoot>\n", row=_row("all", last)) if last is not None else ""
    return fill(_TABLE, heads=heads, body=body, foot=foot)


def _row(name: str, cells: Sequence[Cell]) -> Markup:
    told = [fill('<td data-value="{value}">{text}</td>', value=value, text=text) for text, value in cells]
    long = Markup(' class="long"' if len(name) > _LONG else "")
    return fill(_ROW, long=long, name=one_line(name), cells=told)
