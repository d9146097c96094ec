"""``--explain-worst N`` of `eval`: pages about the topics on which runs are worst, which the page of all leads to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prum_eval.cli.files import STANDARD_OUTPUT, write_files
from prum_eval.report.layout import Layout
from prum_eval.report.registry import OutputFormat

if TYPE_CHECKING:
    from prum_eval.evaluation.results import Evaluation


def check_worst(count: int | None, texts: str | None, style: OutputFormat, output: str | None, *inputs: str) -> None:
    """Refuse options that do not go together.

    Raises:
        click.UsageError: what they need is not there.
    """
    if count is None:
        if texts is not None:
            raise click.UsageError("--texts is for --explain-worst")
        return
    if not style.has_links or output is None or output in STANDARD_OUTPUT:
        raise click.UsageError("--explain-worst is for -f html with -o FILE")
    if "-" in inputs:
        raise click.UsageError("--explain-worst reads its inputs again, which standard input cannot be")


def with_worst_topics(
    evaluation: Evaluation,
    count: int,
    inputs: tuple[str | None, tuple[str, ...] | None],
    texts: str | None,
    options: Mapping[str, Any],
    layout: Layout,
    style: OutputFormat,
    output: str,
) -> Layout:
    """Write the pages into a folder beside the output; the layout with the links to them.

    Raises:
        InputError, DataError, UsageError: as `prum_eval.explain`; a file cannot be written.
    """
    from prum_eval.analysis.explanation.worst import explain_worst
    from prum_eval.evaluation.api import MeasuringKeywords
    from prum_eval.report.html.worst import topic_pages

    known: Any = {key: value for key, value in options.items() if key in MeasuringKeywords.__annotations__}
    worst = explain_worst(evaluation, count, *inputs, texts=texts, **known)
    folder = Path(f"{output.removesuffix('.html')}-topics")
    files, pages = topic_pages(worst, evaluation, replace(layout, format=style.name), folder.name)
    write_files(files, str(folder))
    return replace(layout, worst=pages)
