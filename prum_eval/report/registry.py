"""The output formats of all commands by name: those of prum-eval, and those that other packages add.

Another package registers an `OutputFormat` under the entry-point group ``prum_eval.output_formats``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from prum_eval.errors import UsageError, escape_unprintable
from prum_eval.parameters import did_you_mean
from prum_eval.plugins import Plugins

if TYPE_CHECKING:  # they import numpy, for which --help must not wait
    from prum_eval.report.layout import Layout

GROUP = "prum_eval.output_formats"

DIGITS = 4
"""Digits after the point, unless a call says otherwise."""

RenderedResult = str | bytes | Mapping[str, str]
"""A text, the bytes of a file, or texts by the names of their files."""

Renderer = Callable[[Any, "Layout"], RenderedResult]
"""From a result, and what is to be shown of it and how."""


@dataclass(eq=False, repr=False)
class OutputFormat:
    """A form in which results are written.

    Attributes:
        name: what ``--format`` calls it; of a picture, the extension of its file.
        summary: one line on it.
        renderers: by the name of a result's class (``Evaluation``, ``Comparison``, ``Correlations``, ``Power``,
            ``Sweep``, ``Explanation``, ``GoldCheck``) the function that makes the output of it. Those of prum-eval are
            ``module:function`` in this package, imported when they are asked for.
        is_streamed: whether runs can be written one by one.
        needs_curves: whether it draws the curves of an evaluation.
        has_links: whether it leads to pages about topics, in the same format.
        has_groups: whether it shows averages by group of topics.
        has_all: whether it shows topics even if nobody asks for them.
        has_date: whether it bears a date.
        is_table: whether runs and measures are its rows and columns, or its columns and rows.
        option: the option that asks for it, and so what its functions return: a text for ``--format``, the bytes of a
            picture for ``--plot``.
    """

    name: str
    summary: str
    renderers: Mapping[str, Renderer | str]
    needs_curves: bool = False
    is_streamed: bool = False
    has_links: bool = False
    has_groups: bool = True
    has_all: bool = False
    has_date: bool = False
    is_table: bool = False
    option: str = "--format"


_PICTURES = {
    "Evaluation": "plots:curve_picture",
    "Comparison": "plot_comparison:comparison_picture",
    "Correlations": "plot_comparison:correlations_picture",
    "Power": "plots:power_picture",
    "FittedModels": "plots:calibration_picture",
    "Sweep": "plots:sweep_picture",
    "Answers": "plots:answers_picture",
}

OUTPUT_FORMATS = {
    one.name: one
    for one in (
        OutputFormat(
            "trec",
            "name, topic and value in a line, as trec_eval prints them",
            {"Evaluation": "layout:evaluation_lines", "Comparison": "data:comparison_lines"},
            has_groups=False,
        ),
        OutputFormat(
            "table",
            "a table for 80 columns",
            {
                "Evaluation": "tables:evaluation_table",
                "Comparison": "text_comparison:comparison_table",
                "Correlations": "text_comparison:correlations_table",
                "Power": "text_experiments:power_table",
                "FittedModels": "text_experiments:fit_table",
                "Sweep": "text_experiments:sweep_table",
            },
            is_table=True,
        ),
        OutputFormat(
            "text",
            "sentences and tables for 80 columns",
            {
                "Answers": "text_experiments:answers_text",
                "Explanation": "text_explanation:explanation_text",
                "TwoExplanations": "text_explanation:two_explanations_text",
                "TopicList": "text_explanation:topic_list_text",
                "GoldCheck": "text_experiments:gold_check_text",
            },
        ),
        OutputFormat(
            "json",
            "everything at full precision",
            {
                "Evaluation": "data:evaluation_json",
                "Comparison": "data:comparison_json",
                "Correlations": "data:correlations_json",
                "Power": "data:power_json",
                "FittedModels": "data:fit_json",
                "Sweep": "data:sweep_json",
                "Explanation": "data:explanation_json",
                "TwoExplanations": "data:two_explanations_json",
                "TopicList": "data:topic_list_json",
            },
            has_all=True,
        ),
        OutputFormat(
            "jsonl",
            "a line of JSON a run, each written when it is done",
            {"Evaluation": "data:evaluation_jsonl"},
            is_streamed=True,
        ),
        OutputFormat(
            "csv",
            "a row a value, at full precision",
            {
                "Evaluation": "data:evaluation_csv",
                "Comparison": "layout:rows_csv",
                "Correlations": "layout:rows_csv",
                "Power": "layout:rows_csv",
                "FittedModels": "layout:rows_csv",
                "Answers": "layout:rows_csv",
                "Sweep": "layout:rows_csv",
            },
        ),
        OutputFormat(
            "latex",
            "a table for LaTeX (package booktabs)",
            {
                "Evaluation": "tables:evaluation_latex",
                "Comparison": "tables:comparison_latex",
                "Sweep": "text_experiments:sweep_latex",
            },
            is_table=True,
        ),
        OutputFormat(
            "markdown",
            "a table for Markdown",
            {
                "Evaluation": "tables:evaluation_markdown",
                "Comparison": "tables:comparison_markdown",
                "Sweep": "text_experiments:sweep_markdown",
            },
            is_table=True,
        ),
        OutputFormat(
            "html",
            "a page that needs no network and no other file",
            {
                "Evaluation": "html_evaluation:evaluation_page",
                "Comparison": "html_comparison:comparison_page",
                "Sweep": "html_sweep:sweep_page",
                "Explanation": "html_explanation:explanation_page",
            },
            needs_curves=True,
            has_links=True,
            has_date=True,
            has_all=True,
        ),
        OutputFormat(
            "junit",
            "test cases for CI systems",
            {"GoldCheck": "exports:gold_check_junit", "PrumEvalError": "exports:error_junit"},
            option="--junit",
        ),
        OutputFormat(
            "gnuplot",
            "a file of numbers a curve, and a script a run that draws them",
            {"Evaluation": "exports:curve_files"},
            needs_curves=True,
            option="--curves",
        ),
        OutputFormat("png", "a picture of dots", _PICTURES, needs_curves=True, option="--plot"),
        OutputFormat("svg", "a picture of lines", _PICTURES, needs_curves=True, option="--plot"),
        OutputFormat("pdf", "a picture for papers", _PICTURES, needs_curves=True, option="--plot"),
    )
}
"""The formats that are built in, in the order of lists."""

PLUGINS = Plugins(GROUP, "output format", OutputFormat)


def format_names(result: str, option: str = "--format", *, plugins: bool = True) -> list[str]:
    """The names of the formats that render results of that class and are asked for by that option.

    To look for those of other packages takes milliseconds.
    """
    known = {**OUTPUT_FORMATS, **(PLUGINS.usable() if plugins else {}), **OUTPUT_FORMATS}
    return [name for name, one in known.items() if result in one.renderers and one.option == option]


def output_format(name: str) -> OutputFormat:
    """The format of that name.

    Raises:
        UsageError: there is none, or it cannot be loaded.
    """
    if name in OUTPUT_FORMATS:
        return OUTPUT_FORMATS[name]
    if name in PLUGINS:
        return PLUGINS[name]
    names = [*OUTPUT_FORMATS, *PLUGINS]
    raise UsageError(f"no output format {name} (there are: {', '.join(names)}){did_you_mean(name, names)}")


def render(result: object, output: OutputFormat | str, layout: Layout | None = None) -> RenderedResult:
    r"""The result in a format, or in the one of that name; control characters in names are written as ``\x1b``.

    >>> from prum_eval import Layout, evaluate, render
    >>> result = evaluate("fixtures/toy/qrels", "fixtures/toy/run", measures="map")
    >>> print(render(result, "markdown", Layout(digits=2)), end="")
    | measure   |   toy |
    |-----------|-------|
    | map       |  0.75 |

    Raises:
        UsageError: there is no such format, it is for other results, or what another package makes is no output.
    """
    from prum_eval.evaluation.results import Evaluation
    from prum_eval.report.layout import Layout

    found = output_format(output) if isinstance(output, str) else output
    if isinstance(result, Evaluation) and len(result.runs) > 1:
        result = result.with_topic_counts()
    kinds = [kind.__name__ for kind in type(result).__mro__]
    renderer = next((found.renderers[kind] for kind in kinds if kind in found.renderers), None)
    if renderer is None:
        raise UsageError(f"output format {found.name} is for {', '.join(found.renderers)}, not for {kinds[0]}")
    if isinstance(renderer, str):
        module, _, function = renderer.partition(":")
        renderer = cast("Renderer", getattr(import_module(f"prum_eval.report.{module}"), function))
    rendered = renderer(result, replace(layout or Layout(), format=found.name))
    wanted = {"--plot": bytes, "--curves": Mapping}.get(found.option, str)
    if not isinstance(rendered, wanted):
        raise UsageError(f"output format {found.name} gives {type(rendered).__name__}, not {wanted.__name__}")
    if isinstance(rendered, Mapping):
        return {name: escape_unprintable(text, lines=True) for name, text in rendered.items()}
    return escape_unprintable(rendered, lines=True) if isinstance(rendered, str) else rendered
