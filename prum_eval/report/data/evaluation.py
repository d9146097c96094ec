"""An evaluation for programs: JSON, and CSV with a row a value, both at full precision."""

from __future__ import annotations

import json

from prum_eval.evaluation.results import Evaluation
from prum_eval.report.layout import Layout, blocks
from prum_eval.report.writing import csv_text, json_text


def evaluation_json(evaluation: Evaluation, _layout: Layout) -> str:
    """Everything, topics and averages; a value that a topic does not have is null."""
    return json_text(evaluation.to_dict())


def evaluation_jsonl(evaluation: Evaluation, _layout: Layout) -> str:
    """The same, a line a run: each is the evaluation of that run alone."""
    found = evaluation.to_dict()
    lines = (json.dumps({**found, "runs": [run.to_dict()]}, ensure_ascii=False) for run in evaluation.runs)
    return "".join(f"{line}\n" for line in lines)


def evaluation_csv(evaluation: Evaluation, layout: Layout) -> str:
    """run,topic,measure,value, with groups also group: of the topic or of the average; empty where there is none."""
    more = ["group"] if evaluation.groups else []
    rows = (
        (run.run_id, topic, name, value, *[group] * len(more))
        for run in evaluation.runs
        for group, topic, values in blocks(run, layout)
        for name, value in values.items()
    )
    return csv_text(["run", "topic", "measure", "value", *more], rows, raw=layout.raw_csv)
