"""``prum-eval explain``: what makes the score of a topic."""

from __future__ import annotations

from typing import Any

import click

from prum_eval.cli.help import Command
from prum_eval.cli.options import (
    FILE_OPTIONS,
    PATH,
    check_date,
    check_paths,
    evaluation_options,
    page_date,
    result_options,
)
from prum_eval.cli.output import ResultOutput
from prum_eval.evaluation.options import ONE_TOPIC_EXCLUDES


@click.command("explain", cls=Command)
@click.argument("assessments", type=PATH, metavar="ASSESSMENTS")
@click.argument("run", type=PATH, metavar="RUN")
@click.option("--topic", metavar="T", help="Explain this topic.  [default: list the topics]")
@click.option(
    "--against",
    type=PATH,
    metavar="RUN",
    help="Compare with another run, on this topic or over all topics.",
)
@click.option(
    "--texts",
    type=PATH,
    metavar="SOURCE",
    help="Show the text of results and targets: from a directory or archive of documents, or JSON Lines with doc and "
    "text.",
)
@click.option("--run", "run_id", metavar="NAME", help="Name of the run, if the file holds several.")
@evaluation_options
@result_options(
    "Explanation",
    "text",
    "Output format: text, JSON with all details, or a page that draws documents and navigation.",
    has_numbers=False,
)
def command(
    assessments: str,
    run: str,
    topic: str | None,
    against: str | None,
    texts: str | None,
    run_id: str | None,
    out: ResultOutput,
    **options: Any,  # noqa: ANN401 - those of eval
) -> None:
    """Explain the scores of RUN on a topic: what each rank reaches, what the user has seen by then, and what that adds.

    Without --topic, list the topics of RUN by the first score, the worst first; with --against, those on which the two
    runs differ most. The additions of all ranks sum up to the value.

    \b
    Examples:
      prum-eval explain -m map qrels run
      prum-eval explain -m map --topic 301 qrels run
      prum-eval explain -f html -o page.html --topic 301 -s c.index qrels run
    """
    import prum_eval

    check_paths(assessments, *(options[name] for name in FILE_OPTIONS), run, against, texts)
    check_date(bears=out.style.has_date)
    kind = "TopicList" if topic is None else "Explanation" if against is None else "TwoExplanations"
    if kind not in out.style.renderers:
        raise click.UsageError(f"-f {out.style.name} shows one --topic of one run")
    if topic is None and texts is not None:
        raise click.UsageError("--texts is for one --topic")
    if against is not None and run_id is not None:
        raise click.UsageError("--run chooses from a file of several runs, --against takes files of one")
    result: prum_eval.Explanation | prum_eval.TwoExplanations | prum_eval.TopicList
    if topic is None:
        if run_id is not None:
            raise click.UsageError("--run is for one --topic")
        result = prum_eval.explain_topics(assessments, run, against, **options)
    elif against is not None:
        result = prum_eval.explain_against(assessments, run, against, topic, texts=texts, **options)
    else:
        result = prum_eval.explain(assessments, run, topic, run_id=run_id, texts=texts, **options)
    inputs = [assessments, run, texts, *(options[name] for name in FILE_OPTIONS)]
    out.write(result, date=page_date(inputs) if out.style.has_date else "")


# A single topic is not divided among processes, and nothing is averaged.
command.params = [parameter for parameter in command.params if parameter.name not in ONE_TOPIC_EXCLUDES]
