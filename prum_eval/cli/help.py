"""The help of a command: its own options first, then shared ones under headings; ``-h`` shows the common ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

HEADINGS = {
    "Input": ("config", "structure", "texts", "limit", "judged_only", "rank_by", "merge", "exclude", "facets"),
    "Measures": (
        "measures", "task", "settings", "relevance_level", "targets", "quantisation", "names", "tokens",
        "collection_size", "prum_mode", "ideal_list", "items",
    ),
    "User model": ("user_model", "user_models", "navigation", "navigation_kind"),
    "Topics": ("topics", "complete", "common", "groups", "accept_unmatched"),
    "Statistics": ("baseline", "test", "interval", "family", "alpha", "trials", "seed"),
    "Output": (
        "per_topic", "no_averages", "style", "output", "sort", "transpose", "digits", "full", "plot", "plot_size",
        "curves", "explain_worst", "folder", "resume", "raw_csv", "quiet", "verbose", "color",
    ),
    "Performance": ("jobs", "cluster", "cache"),
}  # fmt: skip
"""The parameters under each heading, in the order of the help; any other is the command's own."""
COMMON = frozenset(
    ("structure", "measures", "task", "relevance_level", "user_model", "topics", "complete", "baseline",
     "per_topic", "style", "output", "sort", "plot", "jobs")
)  # fmt: skip
"""Parameters under headings that ``-h`` shows."""
MANY_OPTIONS = 18
"""A command with no more options shows them all."""
_COLUMN = 26
"""Least width of the column of options, so that sections line up."""
_SHOWS_ALL = "prum_eval.help_all"


class Command(click.Command):
    """Command with ``--help-all``, which shows all options where ``-h`` shows some."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters; the options of help are the last."""
        show_all = click.Option(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_full_help,
            help="Show all options and exit.",
            hidden=not self._has_rare_options,
        )
        return [*super().get_params(ctx), show_all]

    @property
    def _has_rare_options(self) -> bool:
        options = [one for one in self.params if isinstance(one, click.Option)]
        return len(options) > MANY_OPTIONS and any(not _is_common(one) for one in options)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings."""
        shows_all = ctx.meta.get(_SHOWS_ALL) or not self._has_rare_options
        for heading, options in options_by_heading(self.get_params(ctx)).items():
            records = [one.get_help_record(ctx) for one in options if shows_all or _is_common(one)]
            if rows := [(f"{record[0]:{_COLUMN}}", record[1]) for record in records if record is not None]:
                with formatter.section(heading):
                    formatter.write_dl(rows)
        if not shows_all:
            formatter.write("\nThese are the most common options. --help-all lists all of them.\n")


def options_by_heading(parameters: Iterable[click.Parameter]) -> dict[str, list[click.Option]]:
    """The options of a command under the headings of its help; its own are under "Options"."""
    sections: dict[str, list[click.Option]] = {heading: [] for heading in ("Options", *HEADINGS)}
    for one in parameters:
        if isinstance(one, click.Option):
            sections[_heading(one)].append(one)
    for heading, names in HEADINGS.items():
        sections[heading].sort(key=lambda one, names=names: names.index(str(one.name)))  # type: ignore[misc]
    return {heading: options for heading, options in sections.items() if options}


def _heading(parameter: click.Parameter) -> str:
    return next((heading for heading, names in HEADINGS.items() if parameter.name in names), "Options")


def _is_common(parameter: click.Parameter) -> bool:
    return parameter.name in COMMON or _heading(parameter) == "Options"


def _print_full_help(context: click.Context, _parameter: click.Parameter, value: Any) -> None:  # noqa: ANN401 - a flag
    if value and not context.resilient_parsing:
        context.meta[_SHOWS_ALL] = True
        click.echo(context.get_help())
        context.exit()
