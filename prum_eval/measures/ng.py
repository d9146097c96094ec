"""The INEX 2003 metric, inex_eval_ng: recall and precision of elements that have sizes and overlap.

Sources: [ING] Goevert, Fuhr, Lalmas, Kazai 2006, equations 12-19; [PRUM] C.2.

Arrays. ``exh``, ``spec``: quantised exhaustivity and specificity of each result, 0 where unjudged, shape (o,).
``length``: |c| of each result in characters, 0 where it does not exist; ``new``: |U|, the part of it that no earlier
result covers. The results of topic i are ``bounds[i]:bounds[i + 1]``. Variant s takes size into account, variant o
size and overlap. 0/0 is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from prum_eval.arrays import (
    FloatArray,
    IntArray,
    accumulate_groups,
    exact_means,
    exact_sums_of_groups,
    first_rows_at_least,
)
from prum_eval.collection.trees import DocumentTree
from prum_eval.errors import DataError
from prum_eval.measures.base import TENTHS, Compute, Measure, Need, Shape
from prum_eval.measures.coverage import new_lengths
from prum_eval.measures.topic_data import JudgedTopic, TopicBatch
from prum_eval.numerics.curves import PERCENT_LEVELS, ROUNDING_SLACK
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.records import ElementTopic
from prum_eval.relevance.quantisations import DIMENSION_SEPARATOR, find_quantisation
from prum_eval.relevance.targets import full_base


@dataclass(frozen=True, slots=True)
class RecallPrecision:
    """Recall and precision after each rank of each topic, shape (o,)."""

    bounds: IntArray
    recall: FloatArray
    precision: FloatArray

    def interpolate(self, levels: FloatArray) -> FloatArray:
        """Salton's interpolation: the highest precision at equal or higher recall, 0 where that is never reached.

        Shape (topics, levels).
        """
        from_last = self.bounds[-1] - self.bounds[::-1]
        best = accumulate_groups(self.precision[::-1], from_last, np.maximum)[::-1]
        first, end, least = np.broadcast_arrays(self.bounds[:-1, None], self.bounds[1:, None], levels - ROUNDING_SLACK)
        rows = first_rows_at_least(self.recall, first, end, least)
        return np.where(rows < end, np.append(best, 0.0)[rows], 0.0)

    def means(self) -> FloatArray:
        """Mean of the interpolated precision over the levels .01, .02, ... 1.00, shape (topics, 1)."""
        return exact_means(self.interpolate(PERCENT_LEVELS))

    def final_recalls(self) -> FloatArray:
        """Recall of the whole list, shape (topics, 1)."""
        recalls = np.append(0.0, self.recall)[self.bounds[1:]]
        return np.where(np.diff(self.bounds) > 0, recalls, 0.0)[:, None]


def quotient(above: FloatArray, below: FloatArray) -> FloatArray:
    """The quotient of two columns, 0 where the divisor is 0."""
    values = np.zeros(len(above))
    np.divide(above, below, out=values, where=below > 0)
    return values


def size_curve(
    bounds: IntArray, exh: FloatArray, spec: FloatArray, length: FloatArray, base: FloatArray
) -> RecallPrecision:
    """Variant s: recall = sum exh / base, precision = sum spec |c| / sum |c| ([ING] equations 12, 13).

    `base` is the sum of exh over the recall base of each topic.
    """
    recall = quotient(accumulate_groups(exh, bounds), np.repeat(base, np.diff(bounds)))
    precision = quotient(accumulate_groups(spec * length, bounds), accumulate_groups(length, bounds))
    return RecallPrecision(bounds, recall, precision)


def overlap_curve(
    bounds: IntArray, exh: FloatArray, spec: FloatArray, length: FloatArray, new: FloatArray, base: FloatArray
) -> RecallPrecision:
    """Variant o: recall = sum exh |U| / |c| / base, precision = sum spec |U| / sum |U| ([ING] equations 18, 19).

    `base` is what can be retrieved at most, `root_relevance`; or, in [PRUM]'s simplification, the sum of exh.
    """
    return size_curve(bounds, exh * quotient(new, length), spec, new, base)


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


def _curve(batch: TopicBatch, values: ParameterValues, *, overlap: bool) -> RecallPrecision:
    """Recall and precision of variant o or s."""
    denominator = values["denominator"] if overlap else "sum"

    def compute() -> RecallPrecision:
        dimensions = [_dimensions(topic.judged) for topic in batch.topics]
        target_exh, target_spec = (np.concatenate(parts) for parts in zip(*dimensions, strict=True))
        exh, spec = np.zeros((2, len(batch.results)))
        result, target = batch.hits
        exh[result], spec[result] = target_exh[target], target_spec[target]
        length = np.where(batch.results.element >= 0, batch.results.length, 0)
        base = (
            exact_sums_of_groups(target_exh, batch.target_bounds)
            if denominator == "sum"
            else np.array([_topic_root_relevance(topic.judged) for topic in batch.topics])
        )
        if not overlap:
            return size_curve(batch.bounds, exh, spec, length.astype(np.float64), base)
        new = new_lengths(length, batch.cover).astype(np.float64)
        return overlap_curve(batch.bounds, exh, spec, length.astype(np.float64), new, base)

    return batch.memo.get_or_compute(("ng", overlap, denominator), compute)


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

    def from_curve(read: Callable[[RecallPrecision, FloatArray], FloatArray]) -> Compute:
        def compute(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
            is_defined = np.array([_dimensions(topic.judged)[0].any() for topic in batch.topics], dtype=np.bool_)
            return np.where(is_defined[:, None], read(_curve(batch, values, overlap=overlap), cutoffs), np.nan)

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
            per_batch=from_curve(lambda curve, _cutoffs: curve.means()),
        ),
        measure(
            name=f"ng_{letter}_prec_at_recall",
            summary=f"INEX 2003 precision at recall X, {about}",
            explanation=f"Precision at recall X. {_TEXT}",
            shape=Shape.AT_LEVELS,
            per_batch=from_curve(lambda curve, cutoffs: curve.interpolate(cutoffs)),
            cutoffs=TENTHS,
            y_label=f"INEX 2003 precision, {about}",
        ),
        measure(
            name=f"ng_{letter}_recall",
            summary=f"INEX 2003 recall of the whole list, {about}",
            explanation=f"Recall of the whole list. {_TEXT}",
            shape=Shape.SCALAR,
            per_batch=from_curve(lambda curve, _cutoffs: curve.final_recalls()),
            bounded=False,
        ),
    )


MEASURES = (
    *_variant("s", "size only", "12, 13", overlap=False),
    *_variant("o", "size and overlap", "18, 19", overlap=True),
)
