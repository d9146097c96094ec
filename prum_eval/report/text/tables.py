"""Tables for people and papers: plain text, Markdown, LaTeX."""

from __future__ import annotations

from tabulate import tabulate

from prum_eval.evaluation.results import Evaluation
from prum_eval.report.layout import Layout, grid


def _table(evaluation: Evaluation, layout: Layout, style: str) -> str:
    headers, rows = grid(evaluation, layout)
    words = 2 if layout.per_topic else 1
    align = ["left"] * words + ["right"] * len(evaluation.runs)
    return tabulate(rows, headers, tablefmt=style, disable_numparse=True, colalign=align if rows else None) + "\n"


def table(evaluation: Evaluation, layout: Layout) -> str:
    """A plain table: a row a measure (and topic), a column a run."""
    return _table(evaluation, layout, "simple")


def markdown(evaluation: Evaluation, layout: Layout) -> str:
    """The table for Markdown documents."""
    return _table(evaluation, layout, "github")


def latex(evaluation: Evaluation, layout: Layout) -> str:
    """The table for LaTeX documents (package booktabs)."""
    return _table(evaluation, layout, "latex_booktabs")
