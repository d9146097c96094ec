"""The facts of one topic of one run, for what looks closer than an evaluation does."""

from __future__ import annotations

from dataclasses import dataclass

from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.plan import Plan
from prum_eval.evaluation.requirements import fits
from prum_eval.evaluation.resolution import Resolver
from prum_eval.evaluation.settings import Setting
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import nearest
from prum_eval.records.run import Run


@dataclass(frozen=True)
class OneTopic:
    """The facts of a topic, and the rows of the run that are its results."""

    data: TopicData
    rows: slice


def one_topic(plan: Plan, setting: Setting, run: Run, topic: str) -> OneTopic:
    """The facts of a topic of a run under a setting, the same that an evaluation has.

    Raises:
        UsageError: the topic has no judgements; the nearest that has some is named.
        DataError: run and judgements do not fit, or the run does not answer the topic.
        InputError: a result that cannot be placed.
    """
    reason = fits(run.kind, plan.inputs)
    if reason is not None:
        raise DataError(f"{run.path}: {reason}")
    judged = plan.inputs.assessments.topics
    if topic not in judged:
        raise UsageError(f"topic {topic} has no judgements{nearest(topic, judged)}")
    if topic not in run.topics:
        raise DataError(f"{run.path}: the run has no results for topic {topic}")
    low, high = run.bounds[run.topics.index(topic) :][:2].tolist()
    rows = slice(low, high if plan.limit is None else min(high, low + plan.limit))
    resolver = Resolver(run, plan.inputs.holding, plan.inputs.trees if setting.extents else None)
    known = plan.judged(setting, topic)
    return OneTopic(TopicData(known, resolver.rank(rows, known.targets), plan.inputs.collection_size), rows)
