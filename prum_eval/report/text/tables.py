"""An evaluation as a table: plain text, Markdown, LaTeX."""

from __future__ import annotations

from prum_eval.evaluation.results import Evaluation
from prum_eval.measures.registry import TOPIC_COUNT
from prum_eval.report.registry import ALL, DIFFERENT, Layout, blocks, formatted
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
    of_runs = [dict(blocks(run, layout)) for run in evaluation.runs]
    topics = sorted({topic for values in of_runs for topic in values} - {ALL})
    rows, sign = [], (r"\*" if style == MARKDOWN else DIFFERENT) if evaluation.different_topics else ""
    for topic in [*topics, *([ALL] if layout.averages else [])]:
        own = [values.get(topic, {}) for values in of_runs]
        # A run may lack a measure: one that refused it, or that is only for another task.
        for name in evaluation.names:
            if any(name in values for values in own):
                mark = sign if topic == ALL and name != TOPIC_COUNT else ""
                texts = [formatted(values[name], layout.digits) + mark if name in values else "" for values in own]
                rows.append([topic, name, *texts])
    headers = ["topic", "measure", *(run.run_id for run in evaluation.runs)]
    count = TOPIC_COUNT.replace("_", r"\_") if style == LATEX else TOPIC_COUNT
    below = f"\n{sign} over different topics, see {count}; -c takes all judged topics\n" if sign else ""
    if layout.per_topic:
        return table_text(headers, rows, style, words=2) + below
    return table_text(headers[1:], [row[1:] for row in rows], style) + below
