"""Writes the generated documentation: pages, man page, drawing of the packages, picture and table of README.md.

They come from the same records as the program's own help; tests/docs/test_generated.py fails where a page differs.
"""

from __future__ import annotations

import re
from inspect import cleandoc
from pathlib import Path

import click
from format_tables import formats_page
from gallery_page import gallery_pages
from json_page import json_page
from layers import drawing
from man_page import man_page
from measure_pages import NOTE, pages, parameters, plain, sentence
from task_page import tasks_page

from prum_eval.cli.commands import COMMANDS, commands
from prum_eval.cli.help import options_by_heading
from prum_eval.evaluation.api import evaluate
from prum_eval.evaluation.results import Evaluation
from prum_eval.report.drawing import SIZES, Picture, curve_legend, mean_panels
from prum_eval.report.registry import render
from prum_eval.report.svg import picture_svg
from prum_eval.user_models.model import MODIFIERS
from prum_eval.user_models.registry import PLUGIN_MODELS, all_user_models

ROOT = Path(__file__).resolve().parent.parent
MODELS_INTRODUCTION = """\
A user model turns a result and a target into R, the probability that a user who consults the result gets to see the
target; R = 1 where the result points to the target itself. Choose one with `-u NAME:key=value,key=value`. The default
is `bep-distance` for best entry points, `coverage` for relevant spans in JSON Lines and in the task `chunks`,
`hierarchical` wherever else lengths are known, else `none`."""


def models_page() -> str:
    """docs/user-models.md."""
    lines = [
        "# User models",
        "",
        NOTE,
        MODELS_INTRODUCTION,
        "",
    ]
    for model in all_user_models():
        lines += [f"## {model.name}", "", plain(sentence(model.summary)), ""]
        lines += [plain(model.explanation), ""]
        lines += [*parameters(model.parameters), f"Source: {model.source}.", ""]
    lines += ["## Parameters of every model", "", *parameters(MODIFIERS)]
    for below in ("model-formulas.md.in", "own-model.md.in"):
        lines += [(ROOT / "docs" / below).read_text(encoding="utf-8").replace("{group}", PLUGIN_MODELS.group)]
    return "\n".join(lines)


def option(one: click.Option) -> str:
    """One row of a table of options."""
    default = f" Default: `{one.default}`." if one.show_default and one.default is not None else ""
    value = f" {one.metavar}" if one.metavar and not one.is_flag else ""
    choices = [f"`{choice}`" for choice in one.type.choices] if isinstance(one.type, click.Choice) else []
    listed = f" One of {', '.join(choices)}." if len(choices) > 1 else f" Only {choices[0]}." if choices else ""
    return f"| `{', '.join(one.opts)}{value}` | {one.help}{listed}{default} |"


def command_page() -> str:
    """docs/command-line.md."""
    lines = ["# Command line", "", NOTE, "```", "prum-eval [-h] [-V] COMMAND ...", "```", ""]
    group = click.Context(commands, info_name="prum-eval")
    for name in COMMANDS:
        command = commands.get_command(group, name)
        if command is not None:
            lines += command_section(command, click.Context(command, group, name), f"prum-eval {name}")
    return "\n".join(lines)


def explained(text: str) -> str:
    """A help text as Markdown; a paragraph marked with a backspace keeps its lines."""
    return re.sub(r"\x08\n(.*?)(?=\n\n|\Z)", r"```\n\1\n```", cleandoc(text), flags=re.DOTALL)


def command_section(command: click.Command, context: click.Context, title: str) -> list[str]:
    """A command, and those of a group after it."""
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"## {title}", "", "```", f"{title} {usage}", "```", "", explained(command.help or ""), ""]
    for heading, options in options_by_heading(command.params).items():
        lines += [f"| {heading.lower()} | meaning |", "|---|---|", *map(option, options), ""]
    for name, inner in command.commands.items() if isinstance(command, click.Group) else ():
        lines += command_section(inner, click.Context(inner, context, name), f"{title} {name}")
    return lines


DEMO_MEASURES = ("map", "prum_map", "eprum_map", "gen_recall.1,5,10")
"""What `make demo` prints."""


def demo_evaluation(*measures: str, curves: bool = False) -> Evaluation:
    """The runs that `make demo` evaluates, by some measures."""
    demo = ROOT / "fixtures" / "demo"
    runs = [demo / "run-a.xml", demo / "run-b.xml"]
    options = {"structure": demo / "structure.tsv", "user_model": "hierarchical", "measures": list(measures)}
    return evaluate(demo / "assessments", runs, curves=curves, **options)


def readme(demo: Evaluation) -> str:
    """README.md with the table that `make demo` prints."""
    table = f"<!-- demo -->\n```\n{render(demo, 'table')}```\n<!-- /demo -->"
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.sub(r"<!-- demo -->.*<!-- /demo -->", lambda _: table, text, flags=re.DOTALL)


def curves(demo: Evaluation) -> str:
    """The picture of the curves, for light and dark pages."""
    panels = mean_panels(demo)
    return picture_svg(Picture(panels, curve_legend(panels)), SIZES["column"], dark=True)


def generated() -> dict[str, str]:
    """What every generated file has to hold, by its path from the root of the repository."""
    demo = demo_evaluation(*DEMO_MEASURES)
    written = {
        **pages(),
        **gallery_pages(),
        "tasks.md": tasks_page(),
        "user-models.md": models_page(),
        "command-line.md": command_page(),
        "formats.md": formats_page((ROOT / "docs" / "formats.md").read_text(encoding="utf-8")),
        "json.md": json_page(),
        "prum-eval.1": man_page(),
        "curves.svg": curves(demo_evaluation("official", curves=True)),
        "layers.svg": drawing(),
    }
    return {**{f"docs/{name}": text for name, text in written.items()}, "README.md": readme(demo)}


def main() -> None:
    """Write every generated file."""
    for name, text in generated().items():
        (ROOT / name).write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
