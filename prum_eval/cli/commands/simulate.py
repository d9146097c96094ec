"""``prum-eval simulate``: runs and logs of known properties."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

import click

from prum_eval.cli.help import Command
from prum_eval.cli.options import (
    OUTPUT_PATH,
    PATH,
    Number,
    WholeNumber,
    check_paths,
    complete_folders,
    complete_from,
    jobs_option,
    target_options,
    verbosity_options,
)
from prum_eval.cli.output import print_summary, print_warnings, write_output
from prum_eval.evaluation.options import LARGEST_COUNT


class _Simulate(Command):
    """Command whose help ends with sources and changes, which are looked up only for the help."""

    @property
    def help(self) -> str | None:
        """The help text."""
        from prum_eval.experiments.changes import CHANGE_BY_NAME, SOURCES

        sources = {source.name: source.summary for source in SOURCES.values()} | {"RUN": "the results of a run"}
        changes = {change.usage: change.summary for change in CHANGE_BY_NAME.values()}
        parts = [cleandoc(self._help or "")]
        for title, summaries in (("Sources", sources), ("Changes", changes)):
            lines = "\n".join(f"  {name}\n      {summary}" for name, summary in summaries.items())
            parts.append(f"\b\n{title}:\n{lines}")
        return "\n\n".join(parts)

    @help.setter  # noqa: A003 -- click's name
    def help(self, text: str | None) -> None:
        self._help = text


@click.command("simulate", cls=_Simulate)
@click.argument("assessments", type=PATH)
@click.option("-s", "--structure", type=PATH, metavar="PATH", help="Collection structure: text, XML or an index.")
@click.option(
    "-o", "--output", "folder", type=PATH, metavar="DIR", shell_complete=complete_folders,
    help="Folder to write the runs to, new or empty.",
)  # fmt: skip
@click.option(
    "--from", "source", default="ideal", show_default=True, metavar="SOURCE", help="Source of the lists, see above.",
)  # fmt: skip
@click.option("--run", "run_id", metavar="NAME", help="Name of the run, if the file holds several.")
@click.option("--name", metavar="NAME", help="First part of the names of runs.  [default: that of SOURCE]")
@click.option(
    "--change",
    "changes",
    multiple=True,
    metavar="SPEC",
    shell_complete=complete_from("changes"),
    help="Change the lists so. Repeatable; changes apply in order.",
)
@click.option(
    "--vary",
    metavar="CHANGE.KEY=VALUES",
    help="Write runs for each value of a parameter: V,V,... or FIRST:LAST:STEP or FIRST:LAST:logN.",
)
@click.option(
    "--copies", type=WholeNumber(1, LARGEST_COUNT), default=1, show_default=True, metavar="N",
    help="Number of random runs per value.",
)  # fmt: skip
@click.option("--seed", type=WholeNumber(0, 2**63 - 1), default=1, show_default=True, metavar="N", help="Random seed.")
@click.option(
    "--duplicates",
    type=click.Choice(["drop", "hold"]),
    default="drop",
    show_default=True,
    help="Omit a repeated result, or keep its rank under the name X.",
)
@click.option(
    "--to",
    metavar="FORM",
    shell_complete=complete_from("forms"),
    help="Format of the runs, as for convert.  [default: from the results]",
)
@click.option(
    "--log",
    type=OUTPUT_PATH,
    metavar="FILE",
    help="Write a log of simulated users for fit; - is standard output.",
)
@click.option(
    "-u",
    "--user-model",
    metavar="SPEC",
    shell_complete=complete_from("user models"),
    help="User model of the log, with its parameters, as for eval.",
)
@click.option("--navigation", type=PATH, metavar="FILE", help="Probabilities for -u graph.")
@click.option(
    "--navigation-kind",
    type=click.Choice(["reach", "step"]),
    default="reach",
    show_default=True,
    help="What the numbers of that file are.",
)
@click.option(
    "--sessions", type=WholeNumber(1, 10**7), default=100, show_default=True, metavar="N",
    help="Number of users in the log.",
)  # fmt: skip
@click.option(
    "--persistence",
    type=Number(0, 1, max_open=True),
    default=0.8,
    show_default=True,
    metavar="X",
    help="Probability that a user continues to the next rank.",
)
@click.option(
    "--leak",
    type=Number(0, 0.5, max_open=True),
    default=0.0,
    show_default=True,
    metavar="X",
    help="Probability that a view does not follow the model.",
)
@jobs_option("Share the log among N processes")
@target_options
@verbosity_options
def command(
    assessments: str,
    folder: str | None,
    source: str,
    name: str | None,
    to: str | None,
    log: str | None,
    user_model: str | None,
    navigation: str | None,
    navigation_kind: str,
    sessions: int,
    persistence: float,
    leak: float,
    jobs: int,
    **lists: Any,  # noqa: ANN401 - what both make lists with
) -> None:
    """Generate runs with known properties from ASSESSMENTS or a run, change them, and write them into DIR.

    simulated.tsv in DIR describes each run. --log also writes a log of users who consult these lists.
    """
    if folder is None and log is None:
        raise click.UsageError("nothing to write: give -o DIR for runs, --log FILE for a log")
    if (log is None) != (user_model is None):
        raise click.UsageError("--log needs --user-model, and --user-model needs --log")
    check_paths(assessments, lists["structure"], source, navigation)
    if folder is not None:
        from prum_eval.experiments.simulate import simulate

        simulated = simulate(assessments, source, to=to, name=name, **lists)
        print_warnings([*simulated.notes, *simulated.write(folder)])
        print_summary(simulated.summary)
    if log is not None and user_model is not None:
        from prum_eval.experiments.simulate_log import simulate_log
        from prum_eval.formats.log import write_log_lines

        users = simulate_log(
            assessments,
            source,
            user_model=user_model,
            navigation=navigation,
            navigation_kind=navigation_kind,
            sessions=sessions,
            persistence=persistence,
            leak=leak,
            jobs=jobs,
            **lists,
        )
        write_output(write_log_lines(users).decode(), log)
        print_summary(f"{users.summary} of {user_model}")
