"""``prum-eval check``: validate inputs and report all problems, not just the first."""

from __future__ import annotations

import click

from prum_eval.cli.help import Command
from prum_eval.cli.options import PATH, check_paths
from prum_eval.cli.output import print_message


@click.command("check", cls=Command)
@click.argument("runs", nargs=-1, type=PATH, metavar="[ASSESSMENTS] [RUN ...]")
@click.option("--assessments", type=PATH, metavar="PATH", help="Assessments: a file, or a directory of XML files.")
@click.option("--structure", type=PATH, metavar="PATH", help="Collection structure: text, XML or an index.")
@click.option("--navigation", type=PATH, metavar="FILE", help="Navigation file.")
@click.option("--schema", type=PATH, metavar="FILE", help="Validate all XML against this grammar (.rng, .xsd, .dtd).")
@click.option("--texts", type=PATH, metavar="SOURCE", help="Check offsets and lengths against these texts.")
@click.option("--list-all", "--full", "full", is_flag=True, help="Print all problems, not ten of each kind.")
def command(
    runs: tuple[str, ...],
    assessments: str | None,
    structure: str | None,
    navigation: str | None,
    schema: str | None,
    texts: str | None,
    full: bool,
) -> int:
    """Check RUNs and other inputs without evaluating them, and print every problem as FILE:LINE: reason.

    The exit status is 1 if there is a problem. ASSESSMENTS are the first argument or --assessments; judged topics that
    a run lacks are then reported too. Of problems that differ only in their line, ten are printed.

    --texts (a directory, an archive, or JSON Lines with doc and text) reports offsets past the end of a text. With
    --schema, a RUN may be any XML file or a directory of documents.

    \b
    Examples:
      prum-eval check qrels run
      prum-eval check --structure structure.tsv assessments run1 run2
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
