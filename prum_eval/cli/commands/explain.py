"""``prum-eval explain``: why a topic's score is what it is."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.options import (
    FILE_OPTIONS,
    PATH,
    check_date,
    check_paths,
    evaluation_options,
    format_option,
    output_option,
    page_date,
)
from prum_eval.cli.output import print_notices, write_results
from prum_eval.evaluation.options import ONE_TOPIC_EXCLUDES
from prum_eval.report.layout import Layout
from prum_eval.report.registry import OutputFormat


@click.command("explain")
@click.argument("assessments", type=PATH, metavar="ASSESSMENTS")
@click.argument("run", type=PATH, metavar="RUN")
@click.option("--topic", metavar="T", help="The topic to explain; without it topics are listed.")
@click.option(
    "--against",
    type=PATH,
    metavar="RUN",
    help="Compare with another run: both side by side, or the topics on which they differ most.",
)
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
    topic: str | None,
    against: str | None,
    texts: str | None,
    run_id: str | None,
    style: OutputFormat,
    output: str | None,
    **options: Any,  # noqa: ANN401 - those of eval
) -> None:
    """Explain why RUN has its scores on topic T: what each rank reaches, what is seen by then, and what that adds.

    Without --topic: list the topics of RUN by the first score, the worst first; with --against another run, those on
    which they differ most. Any score can be explained, navigating users one at a time. Without -m: what eval prints
    for a navigating user, over the whole list. The additions of all ranks sum up to the value.
    """
    import prum_eval

    check_paths(assessments, *(options[name] for name in FILE_OPTIONS), run, against, texts)
    check_date(bears=style.has_date)
    kind = "TopicList" if topic is None else "Explanation" if against is None else "TwoExplanations"
    if kind not in style.renderers:
        raise click.UsageError(f"-f {style.name} shows one --topic of one run")
    if topic is None and texts is not None:
        raise click.UsageError("--texts is for one --topic")
    if against is not None and run_id is not None:
        raise click.UsageError("--run chooses from a file of several runs, --against takes files of one")
    found: prum_eval.Explanation | prum_eval.TwoExplanations | prum_eval.TopicList
    if topic is None:
        if run_id is not None:
            raise click.UsageError("--run is for one --topic")
        found = prum_eval.explain_topics(assessments, run, against, **options)
    elif against is not None:
        found = prum_eval.explain_against(assessments, run, against, topic, texts=texts, **options)
    else:
        found = prum_eval.explain(assessments, run, topic, run_id=run_id, texts=texts, **options)
    print_notices(found)
    read = [assessments, run, texts, *(options[name] for name in FILE_OPTIONS)]
    write_results(found, Layout(date=page_date(read) if style.has_date else ""), [(style, output)])


# One topic of one run is no work to share, and nothing to average.
command.params = [one for one in command.params if one.name not in ONE_TOPIC_EXCLUDES]
