"""The man page, docs/prum-eval.1, from the click commands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from inspect import cleandoc

import click

from prum_eval.cli.commands import COMMANDS, commands
from prum_eval.cli.help import options_by_heading
from prum_eval.version import __version__

STATUS = (
    ("0", "Done."),
    ("1", "Bad data, or `gold check` found a difference."),
    ("2", "Bad usage."),
    ("3", "Unforeseen error: please report it."),
)
EXAMPLES = (
    ("Evaluate two runs, side by side:", "prum-eval eval -f table -s structure.tsv assessments a.run b.run"),
    ("Ranked documents, per topic:", "prum-eval eval -q -m map -m P.5,10 qrels run.gz"),
    ("All problems of a run:", "prum-eval check --assessments qrels run"),
    ("Completion in bash:", 'eval "$(_PRUM_EVAL_COMPLETE=bash_source prum-eval)"'),
)


def roff(text: str) -> str:
    """Text with what roff would take for a request made harmless; `code` in bold."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", text)
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def paragraphs(text: str) -> Iterable[str]:
    """The paragraphs of a help text; one marked with a backspace keeps its lines."""
    for paragraph in cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b\n"):
            yield f".PP\n.nf\n{roff(paragraph[2:])}\n.fi"
        else:
            yield f".PP\n{roff(' '.join(paragraph.split()))}"


def option(one: click.Option) -> str:
    """An option with its meaning."""
    names = ", ".join(f"\\fB{roff(name)}\\fR" for name in (*one.opts, *one.secondary_opts))
    choices = one.type.choices if isinstance(one.type, click.Choice) else ()
    value = one.metavar or "|".join(choices) or "N"
    value = "" if one.is_flag else f" \\fI{roff(value)}\\fR"
    default = f" Default: {one.default}." if one.show_default and one.default is not None else ""
    meaning = " ".join(f"{one.help}{default}".split())
    return f".TP\n{names}{value}\n{roff(meaning)}"


def section(command: click.Command, context: click.Context, title: str) -> list[str]:
    """A command, and those of a group after it."""
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f'.SS "{roff(title)}"', f"\\fB{roff(title)}\\fR {roff(usage)}", *paragraphs(command.help or "")]
    for heading, options in options_by_heading(command.params).items():
        lines += [*([f".PP\n{roff(heading)}:"] if heading != "Options" else []), *map(option, options)]
    for name, inner in command.commands.items() if isinstance(command, click.Group) else ():
        lines += section(inner, click.Context(inner, context, name), f"{title} {name}")
    return lines


def man_page() -> str:
    """The whole page. It has no date: the same program gives the same page on every day."""
    group = click.Context(commands, info_name="prum-eval")
    lines = [
        f'.TH PRUM\\-EVAL 1 "" "prum\\-eval {__version__}" "User Commands"',
        ".SH NAME",
        "prum\\-eval \\- evaluate retrieval systems whose answers are parts of documents",
        ".SH SYNOPSIS",
        "\\fBprum\\-eval\\fR [\\fB\\-h\\fR] [\\fB\\-\\-version\\fR] \\fICOMMAND\\fR ...",
        ".SH DESCRIPTION",
        *paragraphs(commands.help or ""),
        *paragraphs("Results go to standard output, warnings and the signature to standard error."),
        ".SH COMMANDS",
    ]
    for name in COMMANDS:
        command = commands.get_command(group, name)
        if command is not None:
            lines += section(command, click.Context(command, group, name), f"prum-eval {name}")
    lines += [".SH EXIT STATUS", *(f".TP\n.B {status}\n{roff(meaning)}" for status, meaning in STATUS)]
    lines += [".SH EXAMPLES"]
    lines += [f".PP\n{roff(about)}\n.PP\n.RS 4\n.nf\n{roff(example)}\n.fi\n.RE" for about, example in EXAMPLES]
    return "\n".join([*lines, ""])
