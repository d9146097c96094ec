"""The output formats by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from prum_eval.evaluation.results import Evaluation
from prum_eval.report.layout import Layout

FORMATS = {
    "trec": ("text.trec", "report"),
    "table": ("text.tables", "table"),
    "json": ("data.evaluation", "as_json"),
    "csv": ("data.evaluation", "as_csv"),
    "latex": ("text.tables", "latex"),
    "markdown": ("text.tables", "markdown"),
    "html": ("html.page", "page"),
}
"""Name of the format: module and function, imported when it is asked for."""

WITH_CURVES = ("html",)
"""Formats that draw the curves of the evaluation, where it has some."""


def render(evaluation: Evaluation, layout: Layout, name: str) -> str:
    """The evaluation in that format."""
    module, function = FORMATS[name]
    writer = getattr(import_module(f"prum_eval.report.{module}"), function)
    return cast("Callable[[Evaluation, Layout], str]", writer)(evaluation, layout)
