"""``prum-eval explain``: why a topic's score is what it is."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.options import FILES, PATH, check_standard_input, evaluation_options
from prum_eval.cli.output import announce, write_output


@click.command("explain")
@click.argument("assessments", type=PATH, metavar="ASSESSMENTS")
@click.argument("run", type=PATH, metavar="RUN")
@click.option("--topic", required=True, metavar="T", help="The topic to explain.")
@evaluation_options
@click.option(
    "-f",
    "--format",
    "style",
    type=click.Choice(["text", "json", "html"]),
    default="text",
    show_default=True,
    help="Text for a terminal of 80 columns, everything as JSON, or a page that draws documents and navigation.",
)
@click.option("-o", "--output", type=PATH, metavar="FILE", help="Write to FILE, whole or not at all.")
def command(
    assessments: str,
    run: str,
    topic: str,
    style: str,
    output: str | None,
    **options: Any,  # noqa: ANN401 - those of eval
) -> None:
    """Explain why RUN has its scores on topic T: what each rank reaches, what is seen by then, and what that adds.

    Measures are those of a navigating user: prum, eprum and gen_recall. Without -m: eprum_map, prum_map where N is
    known, and gen_recall over the whole list. The additions of all ranks sum up to the value.
    """
    from prum_eval.analysis.explanation.one_topic import explain

    check_standard_input(assessments, *(options[name] for name in FILES), run)
    explanation = explain(assessments, run, topic, **options)
    if style == "json":
        from prum_eval.report.data.explanation import as_json
        from prum_eval.version import __version__

        text = as_json(explanation, __version__, explanation.signature)
    elif style == "html":
        from prum_eval.report.html.explanation import page

        text = page(explanation, explanation.signature)
    else:
        from prum_eval.report.text.explanation import text as as_text

        text = as_text(explanation)
    announce(explanation)
    write_output(text, output)


# One topic of one run is no work to share, and nothing to average.
command.params = [one for one in command.params if one.name not in {"jobs", "cluster", "complete"}]
