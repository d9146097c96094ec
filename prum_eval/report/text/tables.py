"""An evaluation as a table: plain text, Markdown, LaTeX."""

from __future__ import annotations

from prum_eval.analysis.groups import order_changes
from prum_eval.analysis.telling import telling
from prum_eval.evaluation.results import Evaluation
from prum_eval.measures.registry import TOPIC_COUNT
from prum_eval.report.drawing.panels import run_names
from prum_eval.report.registry import ALL, DIFFERENT, Layout, blocks, formatted
from prum_eval.report.text.groups import order_sentence
from prum_eval.report.writing import LATEX, MARKDOWN, PLAIN, table_text


def evaluation_table(evaluation: Evaluation, layout: Layout) -> str:
    """A plain table: a row a measure (and topic), a column a run."""
    return _table(evaluation, layout, PLAIN)


def evaluation_markdown(evaluation: Evaluation, layout: Layout) -> str:
    """The table for Markdown documents."""
    return _table(evaluation, layout, MARKDOWN)


def evaluation_latex(evaluation: Evaluation, layout: Layout) -> str:
    """The table for LaTeX documents (package booktabs)."""
    return _table(evaluation, layout, LATEX)


def _table(evaluation: Evaluation, layout: Layout, style: str) -> str:
    of_runs = [{(group, topic): values for group, topic, values in blocks(run, layout)} for run in evaluation.runs]
    rows, sign = [], (r"\*" if style == MARKDOWN else DIFFERENT) if evaluation.different_topics else ""
    for group, topic in sorted({key for values in of_runs for key in values}, key=_order):
        own = [values.get((group, topic), {}) for values in of_runs]
        # A run may lack a measure: one that refused it, or that is only for another task.
        for name in evaluation.asked or evaluation.names:
            if any(name in values for values in own):
                mark = sign if topic == ALL and name != TOPIC_COUNT else ""
                texts = [formatted(values[name], layout.digits) + mark if name in values else "" for values in own]
                label = group or (ALL if topic == ALL else "")
                rows.append([label, topic, name, *texts])
    shown = [bool(evaluation.groups), layout.per_topic, *[True] * (1 + len(evaluation.runs))]
    headers = ["group", "topic", "measure", *(run.run_id for run in evaluation.runs)]
    count = TOPIC_COUNT.replace("_", r"\_") if style == LATEX else TOPIC_COUNT
    below = f"\n{sign} over different topics, see {count}; -c takes all judged topics\n" if sign else ""
    if layout.averages and style == PLAIN and evaluation.groups:
        told = order_sentence(
            order_changes(evaluation), run_names(evaluation.runs), layout.digits, telling(evaluation.names).headline
        )
        below += f"\n{told}\n" if told else ""
    headers, *rows = ([cell for cell, is_shown in zip(row, shown, strict=True) if is_shown] for row in [headers, *rows])
    return table_text(headers, rows, style, words=sum(shown[:3])) + below


def _order(key: tuple[str | None, str]) -> tuple[bool, bool, str, str]:
    """Topics by name, groups by name, then all."""
    group, topic = key
    average = topic == ALL
    return average, average and group is None, (group or "") if average else "", topic
