"""``prum-eval convert``: a run, assessments or a structure in another form."""

from __future__ import annotations

import difflib
from inspect import cleandoc

import click

from prum_eval.cli.help import Command
from prum_eval.cli.options import PATH, check_paths, complete_from, output_option
from prum_eval.cli.output import print_warnings, write_output


class _Convert(Command):
    """Command whose help ends with the writable forms, which are looked up only for the help."""

    @property
    def help(self) -> str | None:
        """The help text."""
        from prum_eval.formats.registry import writable_formats

        forms = writable_formats()
        width = max(map(len, forms)) + 2
        lines = "\n".join(f"{name:{width}}{form.summary}" for name, form in forms.items())
        return f"{cleandoc(self._help or '')}\n\n\b\n{lines}"

    @help.setter  # noqa: A003 -- click's name
    def help(self, text: str | None) -> None:
        self._help = text


def _parse_form(_ctx: click.Context, _parameter: click.Parameter, value: str) -> str:
    """Name of a form; those of other packages are loaded only if needed."""
    from prum_eval.formats.registry import FORMATS, writable_formats

    if value in FORMATS and FORMATS[value].write is not None:
        return value
    names = list(writable_formats())
    if value not in names:
        near = difflib.get_close_matches(value, names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
        raise click.BadParameter(f"{value!r} is no form ({hint})")
    return value


@click.command("convert", cls=_Convert)
@click.argument("file", type=PATH, metavar="FILE")
@click.option(
    "--to",
    "form",
    required=True,
    callback=_parse_form,
    metavar="FORM",
    shell_complete=complete_from("forms"),
    help="Format to write, one of those above.",
)
@click.option(
    "-s", "--structure", type=PATH, metavar="PATH", help="Collection structure, to convert between paths and offsets."
)
@click.option("--lossy", is_flag=True, help="Convert what FORM can hold, and report what is lost.")
@click.option(
    "--rank-by",
    type=click.Choice(["file", "rank", "score"]),
    help="Order results by their place in the file, their rank or their score.",
)
@click.option("--run", "run_id", metavar="NAME", help="Name of the run, if the file holds several.")
@output_option
def command(
    file: str,
    form: str,
    structure: str | None,
    lossy: bool,
    rank_by: str | None,
    run_id: str | None,
    output: str | None,
) -> None:
    """Convert FILE to another format; its own format is recognised by content.

    If FORM cannot hold all of FILE, nothing is written, and the loss is reported with its first line.

    \b
    Example:
      prum-eval convert --to run-jsonl -o run.jsonl run.xml
    """
    from prum_eval.conversion.convert import convert

    check_paths(file, structure)
    converted = convert(file, form, structure=structure, lossy=lossy, rank_by=rank_by, run_id=run_id)
    print_warnings([*converted.notes, *(f"lost: {loss}" for loss in converted.losses)])
    write_output(converted.text, output)
