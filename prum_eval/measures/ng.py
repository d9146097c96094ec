"""The INEX 2003 metric, inex_eval_ng: recall and precision of elements that have sizes and overlap.

Sources: [ING] Goevert, Fuhr, Lalmas, Kazai 2006, equations 12-19; [PRUM] C.2.

Arrays. ``exh``, ``spec``: quantised exhaustivity and specificity of each result, 0 where unjudged, shape (o,).
``length``: |c| of each result in characters, 0 where it does not exist; ``new``: |U|, the part of it that no earlier
result covers. Variant s takes size into account, variant o size and overlap. 0/0 is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.trees import DocumentTree
from prum_eval.errors import DataError
from prum_eval.measures.base import TENTHS, ComputeTopic, Measure, Need, Shape
from prum_eval.measures.coverage import new_lengths
from prum_eval.measures.topic_data import JudgedTopic, TopicData
from prum_eval.numerics.curves import PERCENT_LEVELS, ROUNDING_SLACK
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.records import ElementTopic
from prum_eval.relevance.quantisations import DIMENSION_SEPARATOR, find_quantisation
from prum_eval.relevance.targets import full_base


@dataclass(frozen=True, slots=True)
class RecallPrecision:
    """Recall and precision after each rank, shape (o,)."""

    recall: FloatArray
    precision: FloatArray

    def interpolate(self, levels: FloatArray) -> FloatArray:
        """Salton's interpolation: the highest precision at equal or higher recall, 0 where that is never reached."""
        best = np.append(np.maximum.accumulate(self.precision[::-1])[::-1], 0.0)
        return best[np.searchsorted(self.recall, levels - ROUNDING_SLACK)]

    def mean(self) -> float:
        """Mean of the interpolated precision over the levels .01, .02, ... 1.00."""
        return math.fsum(self.interpolate(PERCENT_LEVELS).tolist()) / len(PERCENT_LEVELS)

    def final_recall(self) -> float:
        """Recall of the whole list."""
        return float(self.recall[-1]) if len(self.recall) else 0.0


def quotient(above: FloatArray, below: FloatArray) -> FloatArray:
    """The quotient of two columns, 0 where the divisor is 0."""
    values = np.zeros(len(above))
    np.divide(above, below, out=values, where=below > 0)
    return values


def size_curve(exh: FloatArray, spec: FloatArray, length: FloatArray, base: float) -> RecallPrecision:
    """Variant s: recall = sum exh / base, precision = sum spec |c| / sum |c| ([ING] equations 12, 13).

    `base` is the sum of exh over the recall base.
    """
    return RecallPrecision(np.cumsum(exh) / base, quotient(np.cumsum(spec * length), np.cumsum(length)))


def overlap_curve(
    exh: FloatArray, spec: FloatArray, length: FloatArray, new: FloatArray, base: float
) -> RecallPrecision:
    """Variant o: recall = sum exh |U| / |c| / base, precision = sum spec |U| / sum |U| ([ING] equations 18, 19).

    `base` is what can be retrieved at most, `root_relevance`; or, in [PRUM]'s simplification, the sum of exh.
    """
    recall = np.cumsum(exh * quotient(new, length)) / base
    return RecallPrecision(recall, quotient(np.cumsum(spec * new), np.cumsum(new)))


def root_relevance(trees: Sequence[DocumentTree], exh: FloatArray) -> float:
    """rel(root) of a virtual root that joins all documents: the sum of rel over their roots ([ING] equation 17).

    rel(c) = exh(c) for an element without children in the structure, else the sum over its children ch of
    max(rel(ch), exh(c) |ch| / |c|). Text that stands directly in an element with children is lost by this recursion,
    so recall can pass 1.

    Args:
        trees: complete trees of the documents that hold something exhaustive; other documents have rel 0.
        exh: the exhaustivity of their elements, tree after tree.
    """
    if not trees:
        return 0.0
    first = np.cumsum([0, *(len(tree.paths) for tree in trees)])[:-1]
    parent = np.concatenate(
        [np.where(tree.parent >= 0, tree.parent + at, -1) for tree, at in zip(trees, first, strict=True)]
    )
    length = np.concatenate([tree.length for tree in trees]).astype(np.float64)
    inner = parent >= 0
    share = np.zeros(len(exh))  # exh of the parent, as far as it falls on this child
    share[inner] = exh[parent[inner]] * quotient(length[inner], length[parent[inner]])
    rel = exh.copy()
    rel[parent[inner]] = 0.0
    for row in _deepest_first(parent):
        np.add.at(rel, parent[row], np.maximum(rel[row], share[row]))
    return math.fsum(rel[~inner].tolist())


def _deepest_first(parent: IntArray) -> list[IntArray]:
    """Elements that have a parent, by depth, the deepest first."""
    depth = np.zeros(len(parent), dtype=np.int64)
    level = np.flatnonzero(parent >= 0)
    above = parent[level]
    while len(level):
        depth[level] += 1
        above = parent[above]
        level, above = level[above >= 0], above[above >= 0]
    order = np.argsort(-depth, kind="stable")
    bounds = np.flatnonzero(np.diff(-depth[order])) + 1
    return [rows for rows in np.split(order, bounds) if depth[rows[0]] > 0]


def _dimensions(judged: JudgedTopic) -> tuple[FloatArray, FloatArray]:
    """Exhaustivity and specificity of the targets, which are all elements where one of the two counts."""

    def compute() -> tuple[FloatArray, FloatArray]:
        topic = judged.assessed_topic
        if not isinstance(topic, ElementTopic):
            raise DataError(f"assessments of {judged.kind} have no exhaustivity and specificity")
        exh, spec = (
            find_quantisation(name, judged.kind).values(topic.exhaustivity, topic.specificity)
            for name in judged.quantisation.split(DIMENSION_SEPARATOR)
        )
        rows = full_base(np.maximum(exh, spec))
        return exh[rows], spec[rows]

    return judged.memo.get_or_compute("dimensions", compute)


def _topic_root_relevance(judged: JudgedTopic) -> float:
    def compute() -> float:
        targets = judged.targets
        trees = [tree for tree in targets.trees if tree is not None]  # all of them: a structure was asked for
        first = np.cumsum([0, *(len(tree.paths) for tree in trees)])
        exh = np.zeros(first[-1])
        exh[first[targets.locations.document] + targets.locations.element] = _dimensions(judged)[0]
        return root_relevance(trees, exh)

    return judged.memo.get_or_compute("most relevant", compute)


def _curve(data: TopicData, values: ParameterValues, *, overlap: bool) -> RecallPrecision | None:
    """Recall and precision of variant o or s; None where nothing is exhaustive."""
    judged, locations = data.judged, data.ranking.locations
    target_exh, target_spec = _dimensions(judged)
    base = math.fsum(target_exh.tolist())
    if base == 0:
        return None

    def compute() -> RecallPrecision:
        exh, spec = np.zeros(len(locations)), np.zeros(len(locations))
        rank, target = data.exact_hits
        exh[rank], spec[rank] = target_exh[target], target_spec[target]
        length = np.where(locations.element >= 0, locations.length, 0)
        if not overlap:
            return size_curve(exh, spec, length.astype(np.float64), base)
        new = new_lengths(length, data.ranking.cover).astype(np.float64)
        most = base if denominator == "sum" else _topic_root_relevance(judged)
        return overlap_curve(exh, spec, length.astype(np.float64), new, most)

    denominator = values["denominator"] if overlap else "sum"
    return data.memo.get_or_compute(("ng", overlap, denominator), compute)


_TEXT = (
    "Variant s: recall = sum exh / its sum over the recall base, precision = sum spec |c| / sum |c|. Variant o: "
    "recall = sum exh |U| / |c| over rel(root), precision = sum spec |U| / sum |U|, U the part of a result that no "
    "earlier one covers. rel(c) = exh(c) without children, else the sum over children of max(rel(ch), exh(c) |ch| / "
    "|c|): text directly in an element with children is lost by it, so recall o can pass 1. quantisation=gen or "
    "strict stands for the pair exh_ and spec_ of that name. From 2005 on, exh is exhaustivity / 2 and spec rsize / "
    "size, both 0 for `?`. Precision is interpolated after Salton: the highest at equal or higher recall, 0 where "
    "that is not reached."
)


def _variant(letter: str, about: str, equations: str, *, overlap: bool) -> tuple[Measure, ...]:
    """The three measures of variant s, or with `overlap` of variant o."""

    def per_topic(read: Callable[[RecallPrecision, FloatArray], FloatArray | float]) -> ComputeTopic:
        def compute(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray | float:
            curve = _curve(data, values, overlap=overlap)
            return np.full(max(len(cutoffs), 1), np.nan) if curve is None else read(curve, cutoffs)

        return compute

    measure = partial(
        Measure,
        family="ng",
        source=f"Goevert, Fuhr, Lalmas, Kazai, Information Retrieval 9(6), 2006, equations {equations}; Piwowarski, "
        "Gallinari, Dupret, TOIS 25(1), 2007, C.2",
        needs=frozenset({Need.GAINS, Need.EXTENTS, Need.DIMENSIONS}),
        parameters=(
            Parameter(
                "denominator",
                "rel",
                "of recall: rel, what can be retrieved at most; sum, the sum of exh, as variant s has it",
                ("rel", "sum"),
            ),
        )
        if overlap
        else (),
    )
    return (
        measure(
            name=f"ng_{letter}_map",
            summary=f"INEX 2003 precision, mean over recall .01, .02, ... 1.00, {about}",
            explanation=f"Precision, mean over recall .01, .02, ... 1.00. {_TEXT}",
            shape=Shape.SCALAR,
            per_topic=per_topic(lambda curve, _cutoffs: curve.mean()),
        ),
        measure(
            name=f"ng_{letter}_prec_at_recall",
            summary=f"INEX 2003 precision at recall X, {about}",
            explanation=f"Precision at recall X. {_TEXT}",
            shape=Shape.AT_LEVELS,
            per_topic=per_topic(lambda curve, cutoffs: curve.interpolate(cutoffs)),
            cutoffs=TENTHS,
            y_label=f"INEX 2003 precision, {about}",
        ),
        measure(
            name=f"ng_{letter}_recall",
            summary=f"INEX 2003 recall of the whole list, {about}",
            explanation=f"Recall of the whole list. {_TEXT}",
            shape=Shape.SCALAR,
            per_topic=per_topic(lambda curve, _cutoffs: curve.final_recall()),
            bounded=False,
        ),
    )


MEASURES = (
    *_variant("s", "size only", "12, 13", overlap=False),
    *_variant("o", "size and overlap", "18, 19", overlap=True),
)
