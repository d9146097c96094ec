"""``prum-eval explain``: why a topic's score is what it is."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.option_types import PATH
from prum_eval.cli.options import FILES, check_paths, evaluation_options, format_option, output_option
from prum_eval.cli.output import announce, write_results
from prum_eval.report.registry import Layout, OutputFormat


@click.command("explain")
@click.argument("assessments", type=PATH, metavar="ASSESSMENTS")
@click.argument("run", type=PATH, metavar="RUN")
@click.option("--topic", required=True, metavar="T", help="The topic to explain.")
@click.option(
    "--texts",
    type=PATH,
    metavar="SOURCE",
    help="Show what stands at results and targets: a directory or archive of documents, or JSON Lines with doc and "
    "text.",
)
@click.option("--run", "run_id", metavar="NAME", help="Which run is meant, where the file holds several.")
@evaluation_options
@format_option(
    "Explanation",
    "text",
    "Text for a terminal of 80 columns, everything as JSON, or a page that draws documents and navigation.",
)
@output_option
def command(
    assessments: str,
    run: str,
    topic: str,
    texts: str | None,
    run_id: str | None,
    style: OutputFormat,
    output: str | None,
    **options: Any,  # noqa: ANN401 - those of eval
) -> None:
    """Explain why RUN has its scores on topic T: what each rank reaches, what is seen by then, and what that adds.

    Measures are those of a navigating user, such as eprum_map and gen_recall, and those of chunks. Without -m: those
    that eval prints, over the whole list. The additions of all ranks sum up to the value.
    """
    from prum_eval.analysis.explanation.one_topic import explain

    check_paths(assessments, *(options[name] for name in FILES), run, texts)
    explanation = explain(assessments, run, topic, run_id=run_id, texts=texts, **options)
    announce(explanation)
    write_results(explanation, Layout(), [(style, output)])


# One topic of one run is no work to share, and nothing to average.
command.params = [one for one in command.params if one.name not in {"jobs", "cluster", "complete"}]
