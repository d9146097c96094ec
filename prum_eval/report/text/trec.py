"""The trec format: name, topic, value, as trec_eval prints them."""

from __future__ import annotations

from prum_eval.errors import printable
from prum_eval.evaluation.results import Evaluation
from prum_eval.report.layout import ALL, Layout, blocks, formatted

LINE = "{:<22s}\t{}\t{}\n"
"""One line: the name padded to 22 columns, the topic, the value, tab-separated."""


def evaluation_lines(evaluation: Evaluation, layout: Layout) -> str:
    """Topics in byte order, measures in registry order, ``all`` last; one block a run, in argument order.

    Groups have no lines: whoever reads this format takes all names but ``all`` for topics.
    """
    lines = []
    for run in evaluation.runs:
        for group, topic, values in blocks(run, layout):
            if topic == ALL and group is not None:
                continue
            shown = printable(topic)
            if topic == ALL and evaluation.show_run_id:
                lines.append(LINE.format("runid", ALL, printable(run.run_id)))
            lines += [LINE.format(name, shown, formatted(value, layout.digits)) for name, value in values.items()]
    return "".join(lines)
