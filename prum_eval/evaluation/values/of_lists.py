"""Measures that look at gains alone, on graded documents: computed for all topics of a run at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.evaluation.plan import Plan
from prum_eval.evaluation.results import MeasuredValue
from prum_eval.evaluation.settings.setting import Setting, SettingKey
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.records.run import Run
from prum_eval.relevance.gain_lists import (
    GainLists,
    RelevantDocuments,
    flat_topics,
    lists_of_run,
    relevant_documents,
)


@dataclass(frozen=True, eq=False)
class ValuesOfLists:
    """What was computed for all topics at once.

    `columns`: by printed name a value a topic. `called`: the measures that they are of. `held`: how many results are in
    documents with a gain, under the setting that has most.
    """

    columns: Mapping[str, list[MeasuredValue]]
    called: frozenset[str]
    held: int = 0


NO_VALUES = ValuesOfLists({}, frozenset())


def values_of_lists(plan: Plan, run: Run, topics: Sequence[str]) -> ValuesOfLists:
    """The values on these topics of all measures that can be computed so.

    Args:
        plan: what is computed, on graded documents.
        run: its results, documents, as the plan takes them.
        topics: assessed ones; those that the run lacks count as empty lists.
    """
    found, called, held = _arrays_of_lists(plan, run, topics)
    return ValuesOfLists({name: column.tolist() for name, column in found.items()}, called, held)


def _arrays_of_lists(
    plan: Plan, run: Run, topics: Sequence[str]
) -> tuple[Mapping[str, FloatArray], frozenset[str], int]:
    """What `values_of_lists` returns: the lists are let go before a million topics have numbers of Python."""
    pairs = [pair for pair in plan.pairs if pair[0].measure.of_lists is not None]
    lists: dict[SettingKey, GainLists | None] = {}
    columns: dict[str, FloatArray] = {}
    called: set[str] = set()
    for instance, setting in pairs:
        if setting.key not in lists:
            lists[setting.key] = lists_of_run(_relevant(plan, setting), run, topics, plan.limit)
        found = lists[setting.key]
        if found is not None:
            columns |= zip(instance.names, _values(instance, found), strict=True)
            called.add(instance.called)
    return columns, frozenset(called), max((len(one.ranks) for one in lists.values() if one is not None), default=0)


def _values(instance: ConfiguredMeasure, lists: GainLists) -> FloatArray:
    """The values of a measure, a row a printed name."""
    assert instance.measure.of_lists is not None  # noqa: S101 - only such measures get here
    return instance.measure.of_lists(lists, np.array(instance.cutoffs)).T


def _relevant(plan: Plan, setting: Setting) -> RelevantDocuments:
    """What the runs of a call should find under a setting; made once."""
    inputs, key = plan.inputs, setting.key

    def value(grades: FloatArray) -> FloatArray:
        return setting.quantisation.values(grades, np.full(len(grades), float(inputs.largest_grade)))

    if key not in plan.relevant:
        plan.relevant[key] = relevant_documents(flat_topics(inputs.assessments.topics), value)
    return plan.relevant[key]
