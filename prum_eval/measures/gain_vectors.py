"""The gains of a run and of its ideal list: the two vectors that the xCG family compares."""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import NOWHERE
from prum_eval.collection.trees import parent_path
from prum_eval.errors import RefusedError
from prum_eval.measures.dependent_gains import capped, dependent_gains
from prum_eval.measures.topic_data import JudgedTopic, TopicData
from prum_eval.parameters import ParameterValues
from prum_eval.records.assessments import ElementTopic
from prum_eval.relevance.quantisations import quantisation
from prum_eval.relevance.recall_base import Keep, full_base, ideal_base


def _ideal_rows(judged: JudgedTopic, keep: str) -> IntArray:
    """The targets that are in the ideal recall base; the targets of gain measures are the full one."""

    def compute() -> IntArray:
        topic = judged.assessed
        if not isinstance(topic, ElementTopic):
            return np.arange(len(judged.targets))
        values = quantisation(judged.quantisation, judged.kind).values(topic.exhaustivity, topic.specificity)
        return np.searchsorted(full_base(values), ideal_base(topic, values, Keep(keep)))

    return judged.memo.once(("ideal rows", keep), compute)


def ideal_gains(judged: JudgedTopic, values: ParameterValues) -> FloatArray:
    """The gains of the ideal list, xI: those of the base that it is made of, decreasing."""
    weight = judged.targets.weight
    chosen = weight if values["base"] == "full" else weight[_ideal_rows(judged, str(values["keep"]))]
    return np.sort(chosen)[::-1]


def _values_in_trees(judged: JudgedTopic) -> list[FloatArray]:
    """Value of every element of every tree."""

    def compute() -> list[FloatArray]:
        targets = judged.targets
        arrays = [np.zeros(0 if tree is None else len(tree.paths)) for tree in targets.trees]
        columns = (targets.locations.document, targets.locations.element, targets.weight)
        for number, element, weight in zip(*(column.tolist() for column in columns), strict=True):
            if element < len(arrays[number]):
                arrays[number][element] = weight
        return arrays

    return judged.memo.once("values in trees", compute)


def _around(data: TopicData) -> IntArray:
    """For each result that its document's tree does not list, the innermost listed element around it; else -1.

    Only trees that are taken from assessments leave elements out: those without relevance.
    """
    locations, trees = data.ranking.locations, data.judged.targets.trees
    around = np.full(len(locations), NOWHERE, dtype=np.int64)
    partial = np.array([tree is not None and not tree.complete for tree in trees], dtype=np.bool_)
    judged = (locations.document >= 0) & (locations.document < len(trees)) & (locations.element < 0)
    rows = np.flatnonzero(judged)[partial[locations.document[judged]]]
    names = data.ranking.nodes() if len(rows) else []
    for row in rows.tolist():
        number = int(locations.document[row])
        tree = trees[number]
        path = parent_path(names[row][len(data.judged.targets.documents[number]) + 1 :])
        while tree is not None and path and around[row] < 0:
            around[row] = tree.find(path)
            path = parent_path(path)
    return around


def run_gains(data: TopicData, values: ParameterValues) -> FloatArray:
    """The gain of each result, xG.

    Raises:
        RefusedError: a gain depends on lengths that neither structure nor assessments tell.
    """
    if values["overlap"] == "off":
        return data.gains
    alpha, keep = float(values["alpha"]), str(values["keep"])
    judged, locations = data.judged, data.ranking.locations

    def compute() -> FloatArray:
        trees = judged.targets.trees
        gains = dependent_gains(
            data.gains, locations, data.ranking.cover, alpha, trees, _values_in_trees(judged), _around(data)
        )
        _check_known(data, gains)
        if values["cap"] == "off":
            return gains
        rows = _ideal_rows(judged, keep)
        return capped(gains, locations, judged.targets.locations.take(rows), judged.targets.weight[rows])

    return data.memo.once(("xcg", alpha, keep, values["cap"]), compute)


def _check_known(data: TopicData, gains: FloatArray) -> None:
    """Refuse a run with a gain that depends on lengths nobody tells.

    Raises:
        RefusedError: naming the first such result.
    """
    unknown = np.flatnonzero(np.isnan(gains))
    if len(unknown):
        reason = (
            "the result contains an earlier one: what it still gains depends on lengths, which the assessments do not "
            "give: give --structure, or set overlap=off"
        )
        raise RefusedError(data.ranking.path, int(data.ranking.lines[unknown[0]]), reason)
