"""``prum-eval check``: validate inputs and report all problems, not just the first."""

from __future__ import annotations

import click

from prum_eval.cli.options import PATH, check_paths


@click.command("check")
@click.argument("runs", nargs=-1, type=PATH, metavar="[RUN ...]")
@click.option("--assessments", type=PATH, metavar="PATH", help="Assessments: a file, or a directory of XML files.")
@click.option("--structure", type=PATH, metavar="PATH", help="Collection structure: text, XML or an index.")
@click.option("--navigation", type=PATH, metavar="FILE", help="Navigation file.")
def command(runs: tuple[str, ...], assessments: str | None, structure: str | None, navigation: str | None) -> int:
    """Validate RUNs and other inputs; print every problem as FILE:LINE: reason.

    Nothing is evaluated. The exit status is 0 if all is well, 1 if there is a problem. With --assessments, judged
    topics that a run lacks are named too.
    """
    from prum_eval.evaluation.check import check

    if not (runs or assessments or structure or navigation):
        raise click.UsageError("nothing to check: give a RUN, --assessments, --structure or --navigation")
    check_paths(assessments, structure, navigation, *runs)
    found = check(runs, assessments=assessments, structure=structure, navigation=navigation)
    for note in found.notes:
        click.echo(note)
    for problem in found.problems:
        click.echo(problem.message, err=True)
    if not found.ok:
        click.echo(f"prum-eval: problems found: {len(found.problems)}", err=True)
    return 0 if found.ok else 1
