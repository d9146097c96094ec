"""Formats for programs: JSON at full precision, and CSV with a row a value."""

from __future__ import annotations

import csv
import io
import json

from prum_eval.evaluation.results import Evaluation
from prum_eval.report.layout import Layout, blocks


def as_json(evaluation: Evaluation, _layout: Layout) -> str:
    """Everything, topics and averages, never rounded; a value that a topic does not have is null."""
    return json.dumps(evaluation.to_dict(), ensure_ascii=False, indent=2) + "\n"


def as_csv(evaluation: Evaluation, layout: Layout) -> str:
    """run,topic,measure,value with full precision; an empty value where a topic has none."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["run", "topic", "measure", "value"])
    for run in evaluation.runs:
        for topic, values in blocks(run, layout):
            writer.writerows(
                [run.run_id, topic, name, "" if value is None else repr(value)] for name, value in values.items()
            )
    return text.getvalue()
