"""Pages about the topics on which runs are worst, and the part of a page that leads to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from prum_eval.evaluation.results import Evaluation
from prum_eval.report.file_names import plain_name, unused_name
from prum_eval.report.layout import Layout, TopicPage, formatted
from prum_eval.report.markup import Markup, fill, lines
from prum_eval.report.registry import render

if TYPE_CHECKING:  # most pages lead to no others
    from prum_eval.analysis.explanation.worst import WorstTopic

_LONGEST = 80
"""Signs of a name in the name of a file."""
_SECTION = '<section id="worst">\n<h2>Worst topics by <code>{measure}</code></h2>\n{runs}\n</section>'
_RUN = "<h3>{name}</h3>\n<ol>\n{topics}\n</ol>"
_TOPIC = '<li><a href="{path}">{topic}</a>: {value}</li>'


def topic_pages(
    worst: Sequence[WorstTopic], evaluation: Evaluation, layout: Layout, folder: str
) -> tuple[dict[str, str], list[TopicPage]]:
    """The pages of topics by the names of their files, in the format of the layout, and how a page leads to them."""
    files: dict[str, str] = {}
    pages = []
    used: set[str] = set()
    for one in worst:
        stem = ".".join(plain_name(name)[:_LONGEST] for name in (evaluation.runs[one.run].run_id, one.topic))
        name = unused_name(stem, used, ".html")
        files[name] = str(render(one.explanation, layout.format, layout))
        pages.append(TopicPage(one.run, one.topic, one.measure, one.value, quote(f"{folder}/{name}")))
    return files, pages


def worst_topics(names: Sequence[str], layout: Layout) -> list[Markup]:
    """The section with a list a run of links to its worst topics; `names` are those of the runs."""
    if not layout.worst:
        return []
    parts = []
    for number, name in enumerate(names):
        pages = [one for one in layout.worst if one.run == number]
        listed = lines(
            fill(_TOPIC, path=one.path, topic=one.topic, value=formatted(one.value, layout.digits)) for one in pages
        )
        parts += [fill(_RUN, name=name, topics=listed)] if pages else []
    return [fill(_SECTION, measure=layout.worst[0].measure, runs=lines(parts))]
