"""The output formats of all commands, and what every format needs of a result: `tables` and `to_dict`.

Another package registers an `OutputFormat` under the entry-point group ``prum_eval.output_formats``. Functions of
prum-eval are given as ``module:function`` of this package and imported when a result is rendered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from prum_eval.errors import UsageError, escape_unprintable
from prum_eval.parameters import did_you_mean
from prum_eval.plugins import Plugins
from prum_eval.report.layout import Layout

if TYPE_CHECKING:
    from prum_eval.report.grid import Grid

GROUP = "prum_eval.output_formats"

RenderedResult = str | bytes | Mapping[str, str]
"""A text, the bytes of a file, or texts by file name."""

Renderer = Callable[[Any, Layout], RenderedResult]
"""Function of a result and a layout."""


@dataclass(eq=False, repr=False)
class OutputFormat:
    """A form in which results are written.

    Attributes:
        name: its name for ``--format``; of a picture, the extension of its file.
        summary: its description in one line.
        renderers: by the name of a result's class (``Evaluation``, ``Comparison``, ``Correlations``, ``Power``,
            ``Sweep``, ``Explanation``, ``GoldCheck``) the function that renders it. Those of prum-eval are
            ``module:function`` in this package.
        is_streamed: whether runs can be written one by one.
        needs_curves: whether it draws the curves of an evaluation.
        has_links: whether it links to pages about topics, in the same format.
        has_groups: whether it shows averages by group of topics.
        has_all: whether it shows topics without being told to.
        has_date: whether it shows a date.
        is_table: whether runs and measures are its rows and columns, or its columns and rows.
        has_marks: whether it marks significant differences from a baseline; tables do.
        option: the option that selects it. Functions return text for ``--format``, the bytes of a picture for
            ``--plot``, texts by file name for ``--curves``.
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
    has_marks: bool = False
    option: str = "--format"


_DICTIONARIES = {
    "Evaluation": "data:evaluation_dict",
    "Comparison": "data:comparison_dict",
    "Correlations": "data:correlations_dict",
    "Power": "data:power_dict",
    "FittedModels": "data:fit_dict",
    "Sweep": "data:sweep_dict",
    "Explanation": "data:explanation_dict",
    "TwoExplanations": "data:two_explanations_dict",
    "TopicList": "data:topic_list_dict",
    "Answers": "data:rows_dict",
    "GoldCheck": "data:rows_dict",
}
"""By the name of a result's class, the function behind `to_dict`."""

_TABLES = {
    "Evaluation": "tables:evaluation_tables",
    "Comparison": "tables:comparison_tables",
    "Sweep": "text_experiments:sweep_tables",
}
"""By the name of a result's class, the function behind `tables`."""

_SUMMARISED = (
    "Correlations", "Power", "FittedModels", "Answers", "Explanation", "TwoExplanations", "TopicList", "GoldCheck",
)  # fmt: skip
"""Results of which `tables` shows the table of notebooks."""

_ROWS = ("Evaluation", "Comparison", "Correlations", "Power", "FittedModels", "Answers", "Sweep")
"""Results that have rows, which csv prints."""

_PICTURES = {
    "Evaluation": "plots:curve_picture",
    "Comparison": "plots:comparison_picture",
    "Correlations": "plots:correlations_picture",
    "Power": "plots:power_picture",
    "FittedModels": "plots:calibration_picture",
    "Sweep": "plots:sweep_picture",
    "Answers": "plots:answers_picture",
}

OUTPUT_FORMATS = {
    output.name: output
    for output in (
        OutputFormat(
            "trec",
            "name, topic and value in a line, as trec_eval prints them",
            {"Evaluation": "data:evaluation_lines", "Comparison": "data:comparison_lines"},
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
            dict.fromkeys(_DICTIONARIES, "data:json_output"),
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
            dict.fromkeys(_ROWS, "data:csv_output"),
        ),
        OutputFormat(
            "latex",
            "a table for LaTeX (package booktabs)",
            dict.fromkeys((*_TABLES, *_SUMMARISED), "tables:latex_output"),
            is_table=True,
        ),
        OutputFormat(
            "markdown",
            "a table for Markdown",
            dict.fromkeys((*_TABLES, *_SUMMARISED), "tables:markdown_output"),
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
            has_marks=True,
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
"""The built-in formats, in the order of lists."""

PLUGINS = Plugins(GROUP, "output format", OutputFormat)


def format_names(result: str, option: str = "--format", *, plugins: bool = True) -> list[str]:
    """Names of the formats for a class of results that an option selects.

    To look for those of other packages takes milliseconds.
    """
    formats = {**OUTPUT_FORMATS, **(PLUGINS.usable() if plugins else {}), **OUTPUT_FORMATS}
    return [name for name, output in formats.items() if result in output.renderers and output.option == option]


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


def _function_for(result: object, functions: Mapping[str, Callable[..., Any] | str]) -> Callable[..., Any] | None:
    """The function for the class of a result or one of its base classes; None if there is none."""
    name = next((kind.__name__ for kind in type(result).__mro__ if kind.__name__ in functions), None)
    function = functions[name] if name is not None else None
    if isinstance(function, str):
        module, _, attribute = function.partition(":")
        function = getattr(import_module(f"prum_eval.report.{module}"), attribute)
    return function


def to_dict(result: object) -> dict[str, Any]:
    """A result as plain dictionaries, as ``-f json`` prints it.

    Raises:
        UsageError: the result has no such form.
    """
    function = _function_for(result, _DICTIONARIES)
    if function is None:
        raise UsageError(f"{type(result).__name__} has no form as dictionaries")
    content: dict[str, Any] = function(result)
    return content


def tables(result: object, layout: Layout) -> Sequence[Grid]:
    """The tables of a result, as ``-f latex`` and ``-f markdown`` (`layout.format`) print them.

    Raises:
        UsageError: the result has no tables, or no values of the measure to sort by.
    """
    function = _function_for(result, {**dict.fromkeys(_SUMMARISED, "tables:summary_tables"), **_TABLES})
    if function is None:
        raise UsageError(f"{type(result).__name__} has no tables")
    grids: Sequence[Grid] = function(result, layout)
    return grids


def is_evaluation(result: object) -> bool:
    """Whether a result is an `Evaluation`; nothing is imported."""
    return any(kind.__name__ == "Evaluation" for kind in type(result).__mro__)


def render(result: object, output: OutputFormat | str, layout: Layout | None = None) -> RenderedResult:
    r"""The result in a format, given itself or by name; control characters in names are written as ``\x1b``.

    >>> from prum_eval import Layout, evaluate, render
    >>> result = evaluate("fixtures/toy/qrels", "fixtures/toy/run", measures="map")
    >>> print(render(result, "markdown", Layout(digits=2)), end="")
    | measure   |   toy |
    |-----------|-------|
    | map       |  0.75 |

    Raises:
        UsageError: there is no such format, it is for other results, or what another package renders is no output.
    """
    output = output_format(output) if isinstance(output, str) else output
    if is_evaluation(result) and len(result.runs) > 1:  # type: ignore[attr-defined]
        result = result.with_topic_counts()  # type: ignore[attr-defined]
    renderer = _function_for(result, output.renderers)
    if renderer is None:
        kinds = ", ".join(output.renderers)
        raise UsageError(f"output format {output.name} is for {kinds}, not for {type(result).__name__}")
    rendered: object = renderer(result, replace(layout or Layout(), format=output.name))
    expected = {"--plot": bytes, "--curves": Mapping}.get(output.option, str)
    if not isinstance(rendered, expected):
        raise UsageError(f"output format {output.name} gives {type(rendered).__name__}, not {expected.__name__}")
    if isinstance(rendered, Mapping):
        return {name: escape_unprintable(text, lines=True) for name, text in rendered.items()}
    return escape_unprintable(rendered, lines=True) if isinstance(rendered, str) else rendered
