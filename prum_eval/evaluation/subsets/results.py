"""Some of the results of a run: those of some topics, those in judged documents."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from prum_eval.arrays import BoolArray, bounds_of
from prum_eval.conversion.rows import kept_columns, topic_of
from prum_eval.records.assessments import Assessments, FlatTopic, Topic
from prum_eval.records.run import Run
from prum_eval.text.document_names import FILE_ENDINGS


def of_topics(run: Run, topics: Collection[str]) -> Run:
    """The run with those of its topics that are among these."""
    wanted = np.array([topic in topics for topic in run.topics], dtype=np.bool_)
    sizes = np.diff(run.bounds)[wanted]
    names = tuple(topic for topic in run.topics if topic in topics)
    return kept_columns(run, wanted[topic_of(run)], names, bounds_of(sizes))


def in_judged_documents(run: Run, assessments: Assessments, limit: int | None) -> Run:
    """The run with the results whose documents are judged for their topic, as the switch -J of trec_eval has it.

    A document with a negative grade is not judged. A topic of which nothing is left stays, as an empty list; `limit`:
    only so many results of each topic count, before some are dropped.
    """
    topic = topic_of(run)
    kept = _judged(run, assessments)
    if limit is not None:
        kept &= np.arange(len(topic)) - run.bounds[topic] < limit
    sizes = np.bincount(topic[kept], minlength=len(run.topics))
    return kept_columns(run, kept, run.topics, bounds_of(sizes))


def _judged(run: Run, assessments: Assessments) -> BoolArray:
    """Which results are in documents that are judged for their topic."""
    number = {name: code for code, name in enumerate(run.documents)}
    files = any(name.endswith(FILE_ENDINGS) for name in number)
    flag = np.zeros(len(number), dtype=np.bool_)
    kept = np.zeros(len(run.line), dtype=np.bool_)
    for topic, low, high in zip(run.topics, run.bounds[:-1].tolist(), run.bounds[1:].tolist(), strict=True):
        if topic not in assessments.topics:
            continue
        listed = _documents(assessments.topics[topic])
        names = [*listed, *(name + ending for name in listed for ending in FILE_ENDINGS if files)]
        known = [number[name] for name in names if name in number]
        flag[known] = True
        kept[low:high] = flag[run.document[low:high]] & run.exists[low:high]
        flag[known] = False
    return kept


def _documents(topic: Topic) -> list[str]:
    """The judged documents of a topic."""
    if isinstance(topic, FlatTopic):
        return [name for name, grade in zip(topic.documents, topic.grades.tolist(), strict=True) if grade >= 0]
    return list(topic.documents)
