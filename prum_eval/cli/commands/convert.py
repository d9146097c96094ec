"""``prum-eval convert``: a run, judgements or a structure in another form."""

from __future__ import annotations

import difflib

import click

from prum_eval.cli.options import PATH, check_standard_input, completing
from prum_eval.cli.output import write_output


def _form(_ctx: click.Context, _parameter: click.Parameter, value: str) -> str:
    """The name of a form; what they stand for is slow to import, so they are looked up when one is given."""
    from prum_eval.conversion.convert import Form

    names = [str(form) for form in Form]
    if value not in names:
        near = difflib.get_close_matches(value, names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
        raise click.BadParameter(f"{value!r} is no form ({hint})")
    return value


@click.command("convert")
@click.argument("file", type=PATH, metavar="FILE")
@click.option(
    "--to",
    "form",
    required=True,
    callback=_form,
    metavar="FORM",
    shell_complete=completing("forms"),
    help="What to write: one of the forms above.",
)
@click.option(
    "-s", "--structure", type=PATH, metavar="PATH", help="Collection structure, for paths to offsets and back."
)
@click.option("--lossy", is_flag=True, help="Convert what FORM can hold, and say what is lost.")
@click.option("--rank-by", type=click.Choice(["file", "rank", "score"]), help="What orders the results of a run.")
@click.option("-o", "--output", type=PATH, metavar="FILE", help="Write to FILE, whole or not at all.")
def command(file: str, form: str, structure: str | None, lossy: bool, rank_by: str | None, output: str | None) -> None:
    """Write FILE in another form; what FILE is now is recognised by its content.

    Where FORM cannot hold all of it, nothing is written: what would be lost is said, with how much and the first line.

    \b
    run-trec        6 columns: topic Q0 document rank score run
    run-paths       7 columns: ... and an element path
    run-ranges      8 columns: ... and two paths, first and last element
    run-offsets     8 columns: ... and offset and length in characters
    run-xml         INEX submission
    run-jsonl       JSON Lines: topic, doc, start, end, score, run
    qrels-trec      4 columns: topic 0 document grade
    qrels-inex      passages: topic Q0 document relevant length bep ...
    qrels-jsonl     JSON Lines: topic, doc, doc_length, spans, bep
    structure-text  document, path, start, length, separated by tabs
    structure-xml   nested elements, with links
    """  # noqa: D301 -- the mark keeps the lines apart
    from prum_eval.conversion.convert import convert

    check_standard_input(file, structure)
    made = convert(file, form, structure=structure, lossy=lossy, rank_by=rank_by)
    for note in (*made.notes, *(f"lost: {loss}" for loss in made.losses)):
        click.echo(f"prum-eval: warning: {note}", err=True)
    write_output(made.text, output)
