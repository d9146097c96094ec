"""``prum-eval init``: a commented configuration for the files of a folder."""

from __future__ import annotations

import os
from pathlib import Path

import click

from prum_eval.cli.help import Command
from prum_eval.cli.options import OUTPUT_PATH, complete_folders, verbosity_options
from prum_eval.cli.output import STANDARD_OUTPUT, print_summary, write_output
from prum_eval.errors import InputError


@click.command("init", cls=Command)
@click.argument("folder", default=".", metavar="[FOLDER]", shell_complete=complete_folders)
@click.option(
    "-o", "--output", type=OUTPUT_PATH, metavar="FILE", help="File to write.  [default: prum-eval.toml in FOLDER]"
)
@verbosity_options
def command(folder: str, output: str | None) -> None:
    """Write a commented configuration for eval --config, from the files in FOLDER.

    It names assessments, structure, runs and suitable measures. Read and change it. An existing file is not replaced.
    """
    from prum_eval.evaluation.suggest import CONFIGURATION_NAME, suggest_configuration

    file = str(Path(folder) / CONFIGURATION_NAME) if output is None else output
    if file in STANDARD_OUTPUT:
        write_output(suggest_configuration(folder, CONFIGURATION_NAME).text, None)
        return
    if os.path.exists(file):  # noqa: PTH110 - False for a name that is too long
        raise InputError(file, None, "exists already and is not changed; -o names another file")
    suggestion = suggest_configuration(folder, file)
    write_output(suggestion.text, file)
    print_summary(f"{file}: {suggestion.summary}")
