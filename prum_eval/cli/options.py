"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from prum_eval.cli.files import same_file
from prum_eval.cli.option_types import LARGEST_COUNT, OUTPUT_PATH, PATH, Number, OutputPath, WholeNumber, completing
from prum_eval.cli.verbosity import VERBOSITY
from prum_eval.report.layout import DIGITS
from prum_eval.report.registry import OUTPUT_FORMATS, PLUGINS, OutputFormat, format_names, output_format

if TYPE_CHECKING:
    Choice = click.Choice[str]
else:  # older versions of click know no parameter of it
    Choice = click.Choice

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
Output = tuple[OutputFormat, str | None]
"""A format, and the path that it is written to; None is standard output."""


def _settings(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    settings = {}
    for text in values:
        key, equals, value = text.partition("=")
        if not (key and equals and value):
            raise click.BadParameter(f"{text!r} is no setting; write KEY=VALUE")
        settings[key] = value
    return settings


def _jobs(_ctx: click.Context, _parameter: click.Parameter, value: str) -> int:
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
        callback=_jobs,
        help=f"{meaning}; 0 or auto: one a processor.",
    )


EVALUATION = (
    click.option(
        "--config",
        type=PATH,
        metavar="FILE",
        help="Measures with labels and parameters, perhaps inputs too: in TOML, or a file of EvalJ's.",
    ),
    click.option("-s", "--structure", type=PATH, metavar="PATH", help="Collection structure: text, XML or an index."),
    click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="SPEC",
        shell_complete=completing("measures"),
        help="Measures, families or sets: NAME, NAME.5,10, NAME_5 or NAME@5; :key=value,... after it sets parameters; "
        "names of other tools too (AP, nDCG@10). Repeatable, or a list with commas.  "
        "[default: official; for JSON Lines those of -t chunks]",
    ),
    click.option(
        "-t",
        "--task",
        metavar="NAME",
        shell_complete=completing("tasks"),
        help="A campaign's official measures and settings; see measures --tasks.",
    ),
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="KEY=VALUE",
        callback=_settings,
        help="Set a parameter of every selected measure that has it. Repeatable.",
    ),
    click.option(
        "-u",
        "--user-model",
        metavar="SPEC",
        shell_complete=completing("user models"),
        help="none, hierarchical, coverage, t2i:tolerance=300, bep-distance:A=1, logistic, siblings, graph, or a "
        "registered name.  [default: from the inputs]",
    ),
    click.option("--navigation", type=PATH, metavar="FILE", help="Probabilities for -u graph, which it stands for."),
    click.option(
        "--navigation-kind",
        type=click.Choice(["reach", "step"]),
        default="reach",
        show_default=True,
        help="What the numbers of that file are.",
    ),
    click.option(
        "--targets",
        metavar="NAME",
        shell_complete=completing("targets"),
        help="ideal, relevant, bep or passages.  [default: from the assessments]",
    ),
    click.option(
        "--quantisation",
        metavar="NAME",
        shell_complete=completing("quantisations"),
        help="How assessments become values.  [default: gen]",
    ),
    click.option("--prum-mode", type=click.Choice(["paper", "exact", "normal"]), help="How PRUM is computed."),
    click.option("--ideal-list", type=click.Choice(["targets", "greedy"]), help="The ideal list of EPRUM."),
    click.option("--items", type=click.Choice(["article"]), help="Successive results of one article form one item."),
    click.option(
        "-N", "--collection-size", type=WholeNumber(1, 2**53), metavar="N", help="Number of retrievable elements."
    ),
    click.option("-c", "complete", is_flag=True, help="Average over all judged topics; missing ones as empty lists."),
    click.option("-M", "limit", type=WholeNumber(1, LARGEST_COUNT), metavar="N", help="Use at most N results a topic."),
    click.option(
        "-l",
        "--relevance-level",
        "relevance_level",
        type=WholeNumber(1, LARGEST_COUNT),
        metavar="N",
        help="Of graded documents, the smallest grade that is relevant.  [default: 1]",
    ),
    click.option("-J", "--judged-only", is_flag=True, help="Use only results in documents judged for their topic."),
    click.option(
        "--topics",
        metavar="TOPICS",
        help="Only these topics count: a file with a topic a line, or a list as 301,307,310-320.",
    ),
    click.option(
        "--names",
        type=click.Choice(["ours", "as-given"]),
        default="ours",
        show_default=True,
        help="Print measures under our names, or under those that ask for them.",
    ),
    click.option("--merge", type=click.Choice(["document"]), help="Bring the results of each document together."),
    click.option(
        "--tokens-per-char",
        "tokens",
        type=Number(0, min_open=True),
        metavar="X",
        help="Tokens of results whose run does not count them: X a character.",
    ),
    click.option("--rank-by", type=click.Choice(["file", "rank", "score"]), help="What orders the results of a run."),
    jobs_option("Evaluate N runs at a time, each in a process of its own"),
    click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Evaluate the runs on the workers of the Dask scheduler there; local: start one, with -j workers.",
    ),
    click.option(
        "--no-cache",
        "cache",  # by the name that the evaluation has for it, and the other way round
        is_flag=True,
        callback=lambda _ctx, _parameter, value: not value,
        help="Parse the assessments, whatever the cache has, and keep nothing.",
    ),
)
"""The options that say what is computed, by the names that `prum_eval.evaluate` has."""
groups_option = click.option(
    "--groups",
    type=PATH,
    metavar="FILE",
    help="Averages by group of topics too: topic and group, separated by a tab, in each line.  "
    "[default: groups in the assessments]",
)
FILES = ("config", "structure", "navigation")
"""Those of them that name a file, which may be standard input."""


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
    return _given((*EVALUATION, *VERBOSITY), function)


def verbosity_options(function: Command) -> Command:
    """Give a command the options that say how much is said beside the results."""
    return _given(VERBOSITY, function)


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
    return lambda function: _given(options, function)


def _given(options: Sequence[Callable[[Command], Command]], function: Command) -> Command:
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
