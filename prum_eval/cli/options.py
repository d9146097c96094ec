"""Options that several commands share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from prum_eval.cli.output import (
    STANDARD_OUTPUT,
    VERBOSITY_OPTIONS,
    Output,
    ResultOutput,
    is_special,
    protect_inputs,
    refuse_input,
)
from prum_eval.errors import UsageError
from prum_eval.evaluation.options import (
    FLAG,
    JOBS,
    NAMES,
    SETTINGS,
    TOKENS,
    EvaluationOptions,
    Option,
    declared_options,
    file_options,
)
from prum_eval.evaluation.options import PATH as PATH_VALUE
from prum_eval.parameters import did_you_mean
from prum_eval.report.layout import DIGITS, Layout
from prum_eval.report.registry import OUTPUT_FORMATS, PLUGINS, OutputFormat, format_names, output_format

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


# What options and arguments take: numbers, paths, and what a shell offers for them.


if TYPE_CHECKING:
    Choice = click.Choice[str]
    ParameterType = click.ParamType[Any]
else:  # older versions of click know no parameter of them
    Choice = click.Choice
    ParameterType = click.ParamType

_WHOLE = r"[+-]?[0-9]{1,400}"
_DECIMAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
PATH = click.Path(readable=False)
"""A file or folder, which a shell completes; what reads it says what is wrong with it."""


class WholeNumber(ParameterType):
    """A whole number of a range; Python itself would take ``1_0`` and the digits of other scripts too."""

    name = "n"

    def __init__(self, least: int, most: int | None = None) -> None:
        self._range = click.IntRange(least, most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """The number that the text stands for."""
        if isinstance(value, str) and not re.fullmatch(_WHOLE, value):
            self.fail(f"{value!r} is not a whole number.", param, ctx)
        return self._range.convert(value, param, ctx)


class Number(ParameterType):
    """A finite number of a range, which `click.FloatRange` takes."""

    name = "x"

    def __init__(self, least: float | None = None, most: float | None = None, **open_ends: bool) -> None:
        self._range = click.FloatRange(least, most, **open_ends)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """The number that the text stands for."""
        if isinstance(value, str) and (not re.fullmatch(_DECIMAL, value) or float(value) == float("inf")):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return self._range.convert(value, param, ctx)


class OutputPath(click.Path):
    """A file that results go to; ``-`` is standard output."""

    def __init__(self) -> None:
        super().__init__(readable=False, allow_dash=True)


OUTPUT_PATH = OutputPath()


def complete_from(registry: str) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """What a shell offers for a name of that registry, one of `prum_eval.cli.completion`."""

    def offer(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from prum_eval.cli.completion import complete_names  # a shell asks; most calls do not

        return complete_names(registry, incomplete)

    return offer


def complete_folders(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What a shell offers for a folder, which need not exist."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _parse_settings(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    settings = {}
    for text in values:
        key, equals, value = text.partition("=")
        if not (key and equals and value):
            raise click.BadParameter(f"{text!r} is not a setting; write KEY=VALUE")
        settings[key] = value
    return settings


def _parse_jobs(_ctx: click.Context, _parameter: click.Parameter, value: str) -> int:
    if value == "auto":
        return 0
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise click.BadParameter(f"{value!r} is neither a whole number from 0 up nor auto")
    return int(value)


def jobs_option(meaning: str) -> Callable[[Command], Command]:
    """``--jobs``, as parameter `jobs`; 0 stands for the number of processors."""
    return click.option(
        "-j",
        "--jobs",
        metavar="N",
        default="1",
        show_default=True,
        callback=_parse_jobs,
        help=f"{meaning}; 0 or auto: one per CPU.",
    )


def click_option(name: str, option: Option, default: Any) -> Callable[[Command], Command]:  # noqa: ANN401 - of any option
    """The option of the command line for an option of an evaluation, under the keyword of `prum_eval.evaluate`."""
    attributes: dict[str, Any] = {"help": option.help, "metavar": option.metavar, "multiple": option.repeatable}
    if isinstance(option.values, tuple):
        attributes["type"] = click.Choice(list(option.values))
        if default is not None:
            attributes |= {"default": default, "show_default": True}
    elif isinstance(option.values, range):
        attributes["type"] = WholeNumber(option.values.start, option.values.stop - 1)
    elif option.values == TOKENS:
        attributes["type"] = Number(0, min_open=True)
    elif option.values == PATH_VALUE:
        attributes["type"] = PATH
    elif option.values == SETTINGS:
        attributes["callback"] = _parse_settings
    elif option.values == JOBS:
        attributes |= {"default": str(default), "show_default": True, "callback": _parse_jobs}
    elif option.values == NAMES:
        attributes["callback"] = lambda _ctx, _parameter, values: (
            values if len(values) > 1 else next(iter(values), None)
        )
    elif option.values == FLAG:
        attributes["is_flag"] = True
        if default is None:  # without the flag the inputs decide
            attributes["default"] = None
        if default:
            attributes["callback"] = lambda _ctx, _parameter, value: not value  # --no-cache sets cache to False
    if option.registry is not None:
        attributes["shell_complete"] = complete_from(option.registry)
    return click.option(*option.flags, name, **attributes)


def click_options(table: type[EvaluationOptions] = EvaluationOptions) -> list[Callable[[Command], Command]]:
    """The options of the command line that every evaluating command has."""
    declared = declared_options(table).items()
    return [click_option(name, *one) for name, one in declared if one[0].flags and not one[0].added_singly]


groups_option = click_option("groups", *declared_options()["groups"])
FILE_OPTIONS = file_options()
"""Keywords of the options of every evaluating command that name a file, which may be standard input."""


def check_paths(*inputs: str | None) -> None:
    """Refuse calls whose files destroy each other, before any of them is opened, and protect the inputs from now on.

    Inputs of a configuration file are inputs of the call.

    Raises:
        click.UsageError: standard input is given twice, an output would replace an input, or two outputs are one file.
    """
    if inputs.count("-") > 1:
        raise click.UsageError("- (standard input) can be one input only")
    context = click.get_current_context()
    config = context.params.get("config")
    topics = context.params.get("topics")  # names, or a file
    protect_inputs((*inputs, topics, *(_configured_inputs(config) if config not in (None, "-") else ())))
    options: dict[str, str] = {}
    for parameter in context.command.params:
        if not isinstance(parameter.type, OutputPath) or context.params.get(str(parameter.name)) is None:
            continue
        value: str | Output = context.params[str(parameter.name)]
        output = value if isinstance(value, str) else str(value[1])
        refuse_input(output)
        file = os.path.realpath(output)
        if output in STANDARD_OUTPUT or is_special(file):
            continue
        if file in options:
            raise click.UsageError(f"{output} cannot be the file of {options[file]} and of {parameter.opts[-1]}")
        options[file] = parameter.opts[-1]


def _configured_inputs(config: str) -> list[str | None]:
    """The inputs that a configuration file names."""
    from prum_eval.evaluation.configuration import load_configuration  # few calls have one

    configuration = load_configuration(config)
    return [configuration.assessments, configuration.structure, *(configuration.runs or ())]


def require_inputs(assessments: str | None, runs: Sequence[str], config: str | None) -> None:
    """Refuse a call without ASSESSMENTS or RUNs, the command's first parameters, unless --config may name them.

    Raises:
        click.MissingParameter: one of them is missing.
    """
    context = click.get_current_context()
    for value, parameter in zip((assessments, runs), context.command.params, strict=False):
        if not value and config is None:
            raise click.MissingParameter(ctx=context, param=parameter)


def evaluation_options(function: Command) -> Command:
    """Give a command the options that say what is computed."""
    return _apply_options((*click_options(), *VERBOSITY_OPTIONS), function)


def verbosity_options(function: Command) -> Command:
    """Give a command the options that say how much is said beside the results."""
    return _apply_options(VERBOSITY_OPTIONS, function)


alpha_option = click.option(
    "--alpha",
    type=Number(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    metavar="X",
    help="Significance level; intervals have confidence 1 - X.",
)


def target_options(function: Command) -> Command:
    """Add ``--targets`` and ``--quantisation`` of the commands that make targets without measures."""
    options = (
        click.option(
            "--targets",
            metavar="NAME",
            shell_complete=complete_from("targets"),
            help="Targets of navigation: ideal, relevant, bep or passages.  [default: from the assessments]",
        ),
        click.option(
            "--quantisation",
            metavar="NAME",
            default="gen",
            show_default=True,
            shell_complete=complete_from("quantisations"),
            help="Quantisation: how assessments become values in 0..1.",
        ),
    )
    return _apply_options(options, function)


def trial_options(trials: int) -> Callable[[Command], Command]:
    """Give a command the options of drawing at random; so many trials are the default."""
    options = (
        click.option(
            "--seed",
            type=WholeNumber(0, 2**63 - 1),
            default=1,
            show_default=True,
            metavar="N",
            help="Random seed.",
        ),
        click.option(
            "--trials",
            type=WholeNumber(1, 10**7),
            default=trials,
            show_default=True,
            metavar="N",
            help="Number of random trials per test and interval.",
        ),
        alpha_option,
    )
    return lambda function: _apply_options(options, function)


def _apply_options(options: Sequence[Callable[[Command], Command]], function: Command) -> Command:
    for option in reversed(options):
        function = option(function)
    return function


output_option = click.option(
    "-o",
    "--output",
    type=OUTPUT_PATH,
    metavar="FILE",
    help="Write to FILE (- is standard output). FILE is replaced when the output is complete.",
)
TABLE_OPTIONS = (
    click.option("--sort", metavar="MEASURE", help="Sort the runs of tables by this measure, the best first."),
    click.option("--transpose", is_flag=True, help="Swap rows and columns of tables, and show all measures."),
)
"""The options of tables of runs and measures."""


def result_options(
    result: str,
    default: str,
    meaning: str = "Output format.",
    *,
    picture: str = "",
    files: Sequence[Decorator] = (),
    more: Sequence[Decorator] = (),
    has_numbers: bool = True,
) -> Decorator:
    """Give a command the options of its output, as one parameter `out`, a `ResultOutput`.

    Args:
        result: the class of results.
        default: the default of ``--format``.
        meaning: the help of ``--format``.
        picture: what ``--plot`` draws; empty for no such option.
        files: the command's own options after ``--output``.
        more: the command's own options, and `TABLE_OPTIONS`, before ``--digits``.
        has_numbers: whether there are ``--digits`` and ``--raw-csv``.
    """
    choice = FormatChoice(result, default)
    numbers = (
        click.option(
            "--digits", type=WholeNumber(0, 17), default=DIGITS, show_default=True, help="Number of decimals."
        ),
        click.option(
            "--raw-csv",
            is_flag=True,
            help="Write no ' before names in CSV that a spreadsheet would run as formulas.",
        ),
    )
    options = (
        click.option("-f", "--format", "style", type=choice, default=default, show_default=True, help=meaning),
        output_option,
        *files,
        *((plot_options(result, picture),) if picture else ()),
        *more,
        *(numbers if has_numbers else ()),
    )

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def command(*, style: OutputFormat, output: str | None, plot: Output | None = None, **parameters: Any) -> Any:  # noqa: ANN401
            size = parameters.pop("plot_size", "column")
            names = {"digits", "raw_csv", "sort", "transpose"} & parameters.keys()
            layout = Layout(size=size, **{name: parameters.pop(name) for name in names})
            return function(out=ResultOutput(style, output, plot, layout), **parameters)

        return _apply_options(options, command)

    return decorate


class FormatChoice(Choice):
    """Choice among the formats of a class of results; those of other packages are loaded only if needed."""

    case_sensitive = True

    def __init__(self, result: str, first: str) -> None:
        self._result = result
        self._first = first

    @property
    def choices(self) -> list[str]:  # type: ignore[override]
        """All names, the default first."""
        return sorted(format_names(self._result), key=lambda name: name != self._first)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """The format of that name."""
        output = OUTPUT_FORMATS.get(value) or (output_format(value) if value in PLUGINS else None)
        is_legal = output is not None and self._result in output.renderers and output.option == "--format"
        return output if is_legal else super().convert(value, param, ctx)


class Picture(OutputPath):
    """The file of a picture with its format; refused before anything is computed if it cannot be drawn."""

    def __init__(self, result: str) -> None:
        super().__init__()
        self._result = result

    def convert(self, value: Any, _param: click.Parameter | None, _ctx: click.Context | None) -> Any:  # noqa: ANN401
        """The format of the extension, and the path."""
        extension = Path(value).suffix[1:].lower()
        if extension in format_names(self._result, "--plot", plugins=False):
            if extension != "svg":
                from prum_eval.report.pictures import check_matplotlib

                check_matplotlib()
        elif extension not in (names := format_names(self._result, "--plot")):
            ending = f".{extension} is no format of pictures" if extension else "a picture needs an extension"
            hint = did_you_mean(extension, names) if extension else ""
            raise UsageError(f"--plot {value}: {ending} (there are: {', '.join(names)}){hint}")
        return output_format(extension), value


def plot_options(result: str, picture: str) -> Decorator:
    """``--plot FILE`` and ``--plot-size``, as parameters `plot`, an output, and `plot_size`.

    Args:
        result: the class of results.
        picture: what is drawn of them.
    """
    options = (
        click.option(
            "--plot",
            metavar="FILE",
            type=Picture(result),
            help=f"Draw {picture}. FILE ends in .svg, or in .png or .pdf, which need matplotlib.",
        ),
        click.option(
            "--plot-size",
            type=click.Choice(["column", "slide"]),
            default="column",
            show_default=True,
            help="Size of the picture: a column of a paper, or a slide of 16:9.",
        ),
    )
    return lambda function: _apply_options(options, function)


def check_table_options(result: str, style: OutputFormat, **options: object) -> None:
    """Refuse options of tables for other formats; a page has no rows to sort, but marks significant differences.

    Args:
        result: the class of results.
        style: the format.
        options: values by name; None or False if not given.

    Raises:
        click.UsageError: an option is given that means nothing to the format.
    """
    formats = list(map(output_format, format_names(result, plugins=False)))
    for name, value in options.items():
        fitting = [one for one in (*formats, style) if one.is_table or (one.has_marks and name == "baseline")]
        if value and style not in fitting:
            names = [one.name for one in fitting]
            raise click.UsageError(f"--{name} is for -f {', '.join(names[:-1])} and {names[-1]}")


# Runs that are evaluated now, or files of values: the inputs of compare, correlate and power.


@dataclass(eq=False, repr=False)
class ComparedInputs:
    """The positional arguments of a comparison, whether they are values, and the options of the evaluation."""

    paths: Sequence[str]
    has_values: bool
    options: Mapping[str, Any]

    def arguments(self, groups: str | None = None) -> dict[str, Any]:
        """Keyword arguments of `prum_eval.compare` for these inputs; `groups` is one more input.

        Raises:
            UsageError: an option has no effect.
        """
        if self.has_values:
            _refuse_evaluation_options(self.options)
            check_paths(*self.paths, groups)
            return {"values": self.paths, "measures": self.options["measures"]}
        check_paths(*self.paths, groups, *(self.options[name] for name in FILE_OPTIONS))
        assessments = self.paths[0] if self.paths else None
        return {"assessments": assessments, "runs": self.paths[1:] or None, **self.options}

    def join_arguments(self, labelled_files: Sequence[str]) -> dict[str, Any]:
        """Keyword arguments of `prum_eval.correlate` for files of values, LABEL=FILE each.

        Raises:
            UsageError: an option has no effect.
            click.UsageError: there are RUNs too, a label is given twice, or there is none.
        """
        if self.paths:
            raise click.UsageError("--join replaces ASSESSMENTS and RUNs")
        _refuse_evaluation_options(self.options)
        files: dict[str, str] = {}
        for text in labelled_files:
            label, equals, file = text.partition("=")
            if not label or not equals or not file:
                raise click.UsageError(f"--join {text}: expected LABEL=FILE")
            if label in files:
                raise click.UsageError(f"--join: the label {label} is given twice")
            files[label] = file
        check_paths(*files.values())
        return {"join": files, "measures": self.options["measures"]}


accept_unmatched_option = click.option(
    "--accept-unmatched", is_flag=True, help="Accept runs that have no result in a judged document."
)


def compared_inputs(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command ASSESSMENTS, RUNs, --values, --common and the options of eval.

    It gets `inputs`, a `ComparedInputs`, `common` and `accept_unmatched`.
    """
    probe: Any = evaluation_options(lambda: None)
    names = [parameter.name for parameter in probe.__click_params__ if parameter.expose_value]

    @wraps(function)
    def command(*, inputs: tuple[str, ...], values: bool, **parameters: Any) -> Any:  # noqa: ANN401
        options = {name: parameters.pop(name) for name in names}
        return function(inputs=ComparedInputs(inputs, values, options), **parameters)

    options = (
        click.argument("inputs", nargs=-1, type=PATH, metavar="[ASSESSMENTS] RUN RUN [RUN ...]"),
        click.option(
            "--values",
            is_flag=True,
            help="Read RUNs as values per topic: output of trec_eval -q, or CSV or JSON of eval.",
        ),
        click.option(
            "--common",
            is_flag=True,
            help="Compare on the topics that all runs have, even if these are few.",
        ),
        accept_unmatched_option,
        evaluation_options,
    )
    return _apply_options(options, command)


def _refuse_evaluation_options(options: Mapping[str, Any]) -> None:
    context = click.get_current_context()
    for parameter in context.command.params:
        name = str(parameter.name)
        is_given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if is_given and name in options and name != "measures":
            raise UsageError(f"{parameter.opts[-1]} is for evaluating runs, and values are evaluated")


# The date of a page: that of its inputs, so that the same inputs always make the same page.


_DATE_VARIABLE = "SOURCE_DATE_EPOCH"
_MAX_SECONDS = 253402300799
"""The last second of the year 9999."""


def page_date(paths: Iterable[object]) -> str:
    """Date of a page: the day (UTC) on which the newest of these files was changed.

    The environment variable SOURCE_DATE_EPOCH, seconds since 1970 (reproducible-builds.org), replaces it; if it is
    empty, there is no date. Paths of no file are ignored.

    Raises:
        UsageError: the variable is no such number.
    """
    check_date()
    if (seconds := os.environ.get(_DATE_VARIABLE)) is not None:
        return _day(int(seconds)) if seconds else ""
    changed = [int(path.stat().st_mtime) for path in map(Path, map(str, filter(None, paths))) if path.is_file()]
    return f"{_day(max(changed))}, of the newest input" if changed else ""


def check_date(*, bears: bool = True) -> None:
    """Refuse an illegal SOURCE_DATE_EPOCH before anything is computed.

    Raises:
        UsageError: SOURCE_DATE_EPOCH is no number of seconds.
    """
    text = os.environ.get(_DATE_VARIABLE, "")
    is_whole = text.isascii() and text.isdigit() and len(text) <= len(str(_MAX_SECONDS))
    if bears and text and not (is_whole and int(text) <= _MAX_SECONDS):
        raise UsageError(
            f"{_DATE_VARIABLE}={text}: expected seconds since 1970, a whole number from 0 to {_MAX_SECONDS}"
        )


def _day(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
