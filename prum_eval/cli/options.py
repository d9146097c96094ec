"""Options that several commands share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from prum_eval.cli.output import VERBOSITY_OPTIONS, Output, same_file
from prum_eval.errors import UsageError
from prum_eval.evaluation.options import (
    FLAG,
    JOBS,
    SETTINGS,
    TOKENS,
    EvaluationOptions,
    Option,
    declared_options,
    file_options,
)
from prum_eval.evaluation.options import PATH as PATH_VALUE
from prum_eval.parameters import did_you_mean
from prum_eval.report.layout import DIGITS
from prum_eval.report.registry import OUTPUT_FORMATS, PLUGINS, OutputFormat, format_names, output_format

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


# What options and arguments take: numbers, paths, and what a shell offers for them.


_WHOLE = r"[+-]?[0-9]{1,400}"
_DECIMAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
PATH = click.Path(readable=False)
"""A file or folder, which a shell completes; what reads it says what is wrong with it."""


class WholeNumber(click.IntRange):
    """A whole number; Python itself would take ``1_0`` and the digits of other scripts too."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """The number that the text stands for."""
        if isinstance(value, str) and not re.fullmatch(_WHOLE, value):
            self.fail(f"{value!r} is not a whole number.", param, ctx)
        return super().convert(value, param, ctx)


class Number(click.FloatRange):
    """A finite number."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """The number that the text stands for."""
        if isinstance(value, str) and (not re.fullmatch(_DECIMAL, value) or float(value) == float("inf")):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return super().convert(value, param, ctx)


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


if TYPE_CHECKING:
    Choice = click.Choice[str]
else:  # older versions of click know no parameter of it
    Choice = click.Choice

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _parse_settings(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    settings = {}
    for text in values:
        key, equals, value = text.partition("=")
        if not (key and equals and value):
            raise click.BadParameter(f"{text!r} is no setting; write KEY=VALUE")
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
        help=f"{meaning}; 0 or auto: one a processor.",
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
    elif option.values == FLAG:
        attributes["is_flag"] = True
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
    """Refuse ``-`` for two inputs, as the second would find nothing left, and an input as an output of this call.

    Raises:
        click.UsageError: standard input is given twice, or an output is one of the inputs.
    """
    if inputs.count("-") > 1:
        raise click.UsageError("- (standard input) can be one input only")
    context = click.get_current_context()
    for parameter in context.command.params:
        if isinstance(parameter.type, OutputPath) and context.params.get(str(parameter.name)) is not None:
            given: str | Output = context.params[str(parameter.name)]
            output = given if isinstance(given, str) else str(given[1])
            if any(path is not None and same_file(output, path) for path in inputs):
                raise click.UsageError(f"{output} is an input and would be overwritten")


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
    help="Level of significance; intervals hold 1 - X.",
)


def trial_options(trials: int) -> Callable[[Command], Command]:
    """Give a command the options of drawing at random; so many trials are the default."""
    options = (
        click.option(
            "--seed",
            type=WholeNumber(0, 2**63 - 1),
            default=1,
            show_default=True,
            metavar="N",
            help="Seed of all trials.",
        ),
        click.option(
            "--trials",
            type=WholeNumber(1, 10**7),
            default=trials,
            show_default=True,
            metavar="N",
            help="Random trials of each test and interval.",
        ),
        alpha_option,
    )
    return lambda function: _apply_options(options, function)


def _apply_options(options: Sequence[Callable[[Command], Command]], function: Command) -> Command:
    for option in reversed(options):
        function = option(function)
    return function


output_option = click.option(
    "-o", "--output", type=OUTPUT_PATH, metavar="FILE", help="Write to FILE, whole or not at all; - is standard output."
)
digits_option = click.option(
    "--digits", type=WholeNumber(0, 17), default=DIGITS, show_default=True, help="Digits after the point."
)


raw_csv_option = click.option(
    "--raw-csv",
    is_flag=True,
    help="In CSV, leave names as they are that a spreadsheet would run as formulas; else a ' stands before them.",
)


def format_option(result: str, default: str, meaning: str = "Output format.") -> Decorator:
    """``--format``, as parameter `style` an `OutputFormat`: those that render results of that class."""
    choice = FormatChoice(result, default)
    return click.option("-f", "--format", "style", type=choice, default=default, show_default=True, help=meaning)


class FormatChoice(Choice):
    """A choice among the formats of one class of results; other packages' are looked for only if they may be meant."""

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
        found = OUTPUT_FORMATS.get(value) or (output_format(value) if value in PLUGINS else None)
        known = found is not None and self._result in found.renderers and found.option == "--format"
        return found if known else super().convert(value, param, ctx)


# The options of pictures, for every command that draws one.


class Picture(OutputPath):
    """The file of a picture, as an output; one that cannot be made is refused before anything is computed."""

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


def plot_options(result: str, what: str) -> Decorator:
    """``--plot FILE`` and ``--plot-size``, as parameters `plot`, an output, and `plot_size`.

    Args:
        result: the class of results that are drawn.
        what: what is drawn of them.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        size = click.option(
            "--plot-size",
            type=click.Choice(["column", "slide"]),
            default="column",
            show_default=True,
            help="Panels as wide as a column of a paper, or one slide of 16:9.",
        )
        plot = click.option(
            "--plot",
            metavar="FILE",
            type=Picture(result),
            help=f"Draw {what}: FILE is a .png, .svg or .pdf. Needs matplotlib (extra plot).",
        )
        return plot(size(command))

    return decorate


# The options of tables of runs and measures, for every command that prints one.


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--sort`` and ``--transpose``, as parameters of these names."""
    sort = click.option("--sort", metavar="MEASURE", help="In tables, put the runs that are best by it first.")
    transpose = click.option(
        "--transpose", is_flag=True, help="In tables, let rows and columns change places; all measures are shown then."
    )
    return sort(transpose(command))


def check_table_options(result: str, style: OutputFormat, **options: object) -> None:
    """Refuse options that have nothing to do in a format.

    Args:
        result: the class of results that are printed.
        style: the format.
        options: by name; those that are not given are None or False.

    Raises:
        click.UsageError: one is given, and the format is no table.
    """
    tables = [name for name in format_names(result, plugins=False) if output_format(name).is_table]
    for name, given in options.items():
        if given and not style.is_table:
            raise click.UsageError(f"--{name} is for -f {', '.join(tables[:-1])} and {tables[-1]}")


# The arguments of compare and correlate: runs that are evaluated now, or files of values.


METAVAR = "[ASSESSMENTS] RUN RUN [RUN ...]"

values_option = click.option(
    "--values", is_flag=True, help="RUNs are values by topic: trec_eval's three columns, or CSV or JSON of eval."
)

common_option = click.option(
    "--common", is_flag=True, help="Compare on the topics that all runs have, even if more than a tenth are left out."
)


def compare_arguments(
    inputs: Sequence[str], options: Mapping[str, Any], groups: str | None = None, *, values: bool
) -> dict[str, Any]:
    """What `prum_eval.compare` is called with, as far as it says what is compared; `groups` is one more input.

    Raises:
        UsageError: an option has nothing to do.
    """
    if values:
        _refuse_evaluation_options(options)
        check_paths(*inputs, groups)
        return {"values": inputs, "measures": options["measures"]}
    check_paths(*inputs, groups, *(options[name] for name in FILE_OPTIONS))
    return {"assessments": inputs[0] if inputs else None, "runs": inputs[1:] or None, **options}


def join_arguments(join: Sequence[str], inputs: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """What `prum_eval.correlate` is called with for files of values under labels.

    Raises:
        UsageError: an option has nothing to do.
        click.UsageError: there are RUNs too, a label is given twice, or there is none.
    """
    if inputs:
        raise click.UsageError("--join takes the place of ASSESSMENTS and RUNs")
    _refuse_evaluation_options(options)
    labels: dict[str, str] = {}
    for one in join:
        label, equals, file = one.partition("=")
        if not label or not equals or not file:
            raise click.UsageError(f"--join {one}: expected LABEL=FILE")
        if label in labels:
            raise click.UsageError(f"--join: the label {label} is given twice")
        labels[label] = file
    check_paths(*labels.values())
    return {"join": labels, "measures": options["measures"]}


def _refuse_evaluation_options(options: Mapping[str, Any]) -> None:
    context = click.get_current_context()
    for parameter in context.command.params:
        name = str(parameter.name)
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name in options and name != "measures":
            raise UsageError(f"{parameter.opts[-1]} is for evaluating runs, and values are evaluated")


# The date that a page bears: that of its inputs, so that the same inputs always make the same page.


_DATE_VARIABLE = "SOURCE_DATE_EPOCH"
_MAX_SECONDS = 253402300799
"""The last second of the year 9999."""


def page_date(paths: Iterable[object]) -> str:
    """What pages say of their date: the day (UTC) on which the newest of these files was changed.

    The environment variable SOURCE_DATE_EPOCH, seconds since 1970 (reproducible-builds.org), stands in its place;
    empty, there is no date. What is no file has none.

    Raises:
        UsageError: the variable is no such number.
    """
    check_date()
    if (given := os.environ.get(_DATE_VARIABLE)) is not None:
        return _day(int(given)) if given else ""
    changed = [int(path.stat().st_mtime) for path in map(Path, map(str, filter(None, paths))) if path.is_file()]
    return f"{_day(max(changed))}, of the newest input" if changed else ""


def check_date(*, bears: bool = True) -> None:
    """Refuse a date that is none, before anything is computed for a page that bears one.

    Raises:
        UsageError: SOURCE_DATE_EPOCH is no number of seconds.
    """
    given = os.environ.get(_DATE_VARIABLE, "")
    whole = given.isascii() and given.isdigit() and len(given) <= len(str(_MAX_SECONDS))
    if bears and given and not (whole and int(given) <= _MAX_SECONDS):
        raise UsageError(
            f"{_DATE_VARIABLE}={given}: expected seconds since 1970, a whole number from 0 to {_MAX_SECONDS}"
        )


def _day(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
