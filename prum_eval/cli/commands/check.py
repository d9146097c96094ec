"""``prum-eval check``: validate inputs and report all problems, not just the first."""

from __future__ import annotations

import click

from prum_eval.cli.options import PATH, check_paths
from prum_eval.cli.output import print_message


@click.command("check")
@click.argument("runs", nargs=-1, type=PATH, metavar="[ASSESSMENTS] [RUN ...]")
@click.option("--assessments", type=PATH, metavar="PATH", help="Assessments: a file, or a directory of XML files.")
@click.option("--structure", type=PATH, metavar="PATH", help="Collection structure: text, XML or an index.")
@click.option("--navigation", type=PATH, metavar="FILE", help="Navigation file.")
@click.option("--schema", type=PATH, metavar="FILE", help="A grammar (.rng, .xsd, .dtd) that all XML has to follow.")
@click.option("--texts", type=PATH, metavar="SOURCE", help="Texts that offsets and lengths have to fit.")
@click.option("--full", is_flag=True, help="Name every problem, not ten of those that differ in their lines only.")
def command(
    runs: tuple[str, ...],
    assessments: str | None,
    structure: str | None,
    navigation: str | None,
    schema: str | None,
    texts: str | None,
    full: bool,
) -> int:
    """Validate RUNs and other inputs; print every problem as FILE:LINE: reason.

    ASSESSMENTS may stand first, as in other commands, or in --assessments. Of problems that are equal but for their
    lines ten are printed, and how many more there are.

    Nothing is evaluated. The exit status is 0 if all is well, 1 if there is a problem. With --assessments, judged
    topics that a run lacks are named too.

    With --texts (a directory, an archive, or JSON Lines with doc and text) what ends past the end of its text is a
    problem, and a length that is not that of the text.

    With --schema a RUN may be any XML, or a directory of documents; runs and assessments in XML have to follow it too.
    """
    from prum_eval.evaluation.check import check

    if not (runs or assessments or structure or navigation or schema or texts):
        raise click.UsageError("nothing to check: give a RUN, --assessments, --structure or --navigation")
    if schema and not (runs or assessments):
        raise click.UsageError("nothing to check against the schema: give a RUN, other XML or --assessments")
    if texts and not (runs or assessments):
        raise click.UsageError("nothing to compare with the texts: give a RUN, --assessments or both")
    check_paths(assessments, structure, navigation, schema, texts, *runs)
    report = check(
        runs, assessments=assessments, structure=structure, navigation=navigation, schema=schema, texts=texts
    )
    for note in report.notes:
        click.echo(note)
    for line in report.problem_lines(len(report.problems) if full else 10):
        print_message(line)
    if not report.ok:
        click.echo(f"prum-eval: problems found: {len(report.problems)}", err=True)
    return 0 if report.ok else 1
