"""The html format of an evaluation: one page that needs no network and no other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from prum_eval.analysis.groups import order_changes
from prum_eval.analysis.telling import telling
from prum_eval.evaluation.groups import by_group
from prum_eval.evaluation.results import Evaluation
from prum_eval.measures.registry import TOPIC_COUNT
from prum_eval.report.best import best_runs, order_asked
from prum_eval.report.drawing.panels import one_line, printed, run_names
from prum_eval.report.html.curves import curves_section, folded
from prum_eval.report.html.facts import facts, part_links, warnings_section
from prum_eval.report.html.tables import Cell, cell, table
from prum_eval.report.html.topics import topics_section
from prum_eval.report.html.worst import worst_topics
from prum_eval.report.layout import DIFFERENT, Layout
from prum_eval.report.markup import Markup, breakable, fill, lines, page
from prum_eval.report.text.groups import order_sentence
from prum_eval.report.writing import json_text
from prum_eval.tabular import plural

_GROUP = "<h3>{title}</h3>"
_SECTION = '<section id="{key}">\n<h2>{title}</h2>\n{content}\n</section>'


def evaluation_page(evaluation: Evaluation, layout: Layout) -> str:
    """Averages with a row a run, curves with a line a run, topics a measure at a time, and every choice made."""
    evaluation = _without_single_points(evaluation)
    names = run_names(evaluation.runs)
    mark = {name: _mark(evaluation, name) for name in evaluation.names}
    order = telling(order_asked(evaluation)).order
    parts: dict[str, tuple[str, Sequence[Markup | str]]] = {}
    if layout.averages:
        parts["averages"] = "Averages", _averages(evaluation, names, order, layout.digits, mark)
        parts["groups"] = "Groups", _groups(evaluation, names, order, layout.digits, mark)
        parts["curves"] = "Curves", curves_section(evaluation, names, layout.digits, _mark(evaluation))
    parts["worst"] = "Worst topics", worst_topics(names, layout)
    if layout.per_topic:
        parts["topics"] = "Topics", [topics_section(evaluation, names, order, layout, mark)]
    parts["parameters"] = "Parameters", _parameters(evaluation)
    parts = {key: part for key, part in parts.items() if part[1]}
    topics = {topic for run in evaluation.runs for topic in run.topics}
    return page(
        "report",
        ["all", "tables", "evaluation"],
        ["tables", "evaluation"],
        title=f"prum-eval: {names[0] if len(names) == 1 else f'{len(names)} runs'}",
        facts=facts(
            evaluation.parameters, [run.path for run in evaluation.runs], plural(len(topics), "topic"), layout.date
        ),
        contents=part_links({key: title for key, (title, _) in parts.items()}),
        warnings=warnings_section(evaluation.warnings),
        parts=lines(one for _, content in parts.values() for one in content),
        signature=breakable(one_line(evaluation.signature), after="|,"),  # it has no spaces to break lines at
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
    on_curves = {printed(curve, x) for curves in evaluation.curves for curve in curves for x, _ in curve.all}
    columns = [name for name in order if name not in on_curves and any(name in run.all for run in evaluation.runs)]
    if not columns:
        return []
    best = best_runs(evaluation)
    rows = [
        [cell(run.all.get(name), digits, mark[name], best=number in best.get(name, ())) for name in columns]
        for number, run in enumerate(evaluation.runs)
    ]
    runs = range(len(names)) if any(evaluation.curves) else ()
    found = table("Averages over topics", "run", columns, names, rows, runs=runs)
    return [fill(_SECTION, key="averages", title="Averages", content=found)]


def _groups(
    evaluation: Evaluation, names: Sequence[str], order: Sequence[str], digits: int, mark: Mapping[str, str]
) -> list[Markup]:
    """A table a group of topics, with all values: a row a run."""
    topics_of = by_group(evaluation.groups, evaluation.groups)
    if not topics_of:
        return []
    columns = [name for name in order if any(name in run.all for run in evaluation.runs)]
    parts = []
    if told := order_sentence(order_changes(evaluation), names, digits, telling(order_asked(evaluation)).headline):
        parts.append(fill("<p>{told}</p>", told=told))
    for group, topics in topics_of.items():
        own = [run.groups[group].all if group in run.groups else {} for run in evaluation.runs]
        rows: list[list[Cell]] = [[cell(values.get(name), digits, mark[name]) for name in columns] for values in own]
        title = f"{one_line(group)} ({plural(len(topics), 'topic')})"
        parts += [fill(_GROUP, title=title), table(f"Averages of group {title}", "run", columns, names, rows)]
    return [fill(_SECTION, key="groups", title="Groups", content=lines(parts))]


def _parameters(evaluation: Evaluation) -> list[Markup]:
    runs = [{"run_id": run.run_id, "path": run.path} for run in evaluation.runs]
    told = json_text({**evaluation.parameters, "runs": runs}).rstrip()
    content = folded("Every choice, as in the JSON output", fill("<pre>{told}</pre>", told=told))
    return [fill(_SECTION, key="parameters", title="Parameters", content=content)]


def _mark(evaluation: Evaluation, name: str = "") -> str:
    """What stands at an average over other topics than those of other runs."""
    return DIFFERENT if evaluation.different_topics and name != TOPIC_COUNT else ""
