"""Registry entries: the INEX 2003 metric."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.errors import DataError
from prum_eval.measures import ng
from prum_eval.measures.base import Compute, Measure, Need, Shape
from prum_eval.measures.coverage import coverage, new_lengths
from prum_eval.measures.entries_classic import LEVELS
from prum_eval.measures.topic_data import JudgedTopic, TopicData
from prum_eval.numerics.levels import total
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.records.assessments import ElementTopic
from prum_eval.relevance.quantisations import APART, quantisation
from prum_eval.relevance.recall_base import full_base
from prum_eval.user_models.reach import own_entries

_ING = "Goevert, Fuhr, Lalmas, Kazai, Information Retrieval 9(6), 2006"
_ARTICLE = "Piwowarski, Gallinari, Dupret, TOIS 25(1), 2007"


def _dimensions(judged: JudgedTopic) -> tuple[FloatArray, FloatArray]:
    """Exhaustivity and specificity of the targets, which are all elements where one of the two counts."""

    def compute() -> tuple[FloatArray, FloatArray]:
        topic = judged.assessed
        if not isinstance(topic, ElementTopic):
            raise DataError(f"judgements of {judged.kind} have no exhaustivity and specificity")
        exh, spec = (
            quantisation(name, judged.kind).values(topic.exhaustivity, topic.specificity)
            for name in judged.quantisation.split(APART)
        )
        rows = full_base(np.maximum(exh, spec))
        return exh[rows], spec[rows]

    return judged.memo.once("dimensions", compute)


def _most_relevant(judged: JudgedTopic) -> float:
    def compute() -> float:
        targets = judged.targets
        trees = [tree for tree in targets.trees if tree is not None]  # all of them: a structure was asked for
        first = np.cumsum([0, *(len(tree.paths) for tree in trees)])
        exh = np.zeros(first[-1])
        exh[first[targets.locations.document] + targets.locations.element] = _dimensions(judged)[0]
        return ng.most_relevant(trees, exh)

    return judged.memo.once("most relevant", compute)


def _curve(data: TopicData, values: ParameterValues, *, overlap: bool) -> ng.Curve | None:
    """Recall and precision of variant o or s; None where nothing is exhaustive."""
    judged, locations = data.judged, data.ranking.locations
    target_exh, target_spec = _dimensions(judged)
    base = total(target_exh.tolist())
    if base == 0:
        return None

    def compute() -> ng.Curve:
        exh, spec = np.zeros(len(locations)), np.zeros(len(locations))
        rank, target = own_entries(locations, judged.targets.locations)
        exh[rank], spec[rank] = target_exh[target], target_spec[target]
        length = np.where(locations.element >= 0, locations.length, 0)
        if not overlap:
            return ng.by_size(exh, spec, length.astype(np.float64), base)
        new = new_lengths(length, coverage(locations)).astype(np.float64)
        most = base if values["denominator"] == "sum" else _most_relevant(judged)
        return ng.by_overlap(exh, spec, length.astype(np.float64), new, most)

    return data.memo.once(("ng", overlap, values["denominator"]), compute)


def _of_curve(overlap: bool, read: Callable[[ng.Curve, FloatArray], FloatArray | float]) -> Compute:  # noqa: FBT001
    def per_topic(data: TopicData, values: ParameterValues, points: FloatArray) -> FloatArray | float:
        curve = _curve(data, values, overlap=overlap)
        return np.full(max(len(points), 1), np.nan) if curve is None else read(curve, points)

    return per_topic


_DENOMINATOR = (
    Parameter(
        "denominator",
        "rel",
        "of the recall of variant o: rel, what can be retrieved at most; sum, the sum of exh. Variant s has the sum.",
        ("rel", "sum"),
    ),
)
_TEXT = (
    "Variant s: recall = sum exh / its sum over the recall base, precision = sum spec |c| / sum |c|. Variant o: "
    "recall = sum exh |U| / |c| over rel(root), precision = sum spec |U| / sum |U|, U the part of a result that no "
    "earlier one covers. rel(c) = exh(c) without children, else the sum over children of max(rel(ch), exh(c) |ch| / "
    "|c|): text directly in an element with children is lost by it, so recall o can pass 1. quantisation=gen or "
    "strict stands for the pair exh_ and spec_ of that name. From 2005 on, exh is exhaustivity / 2 and spec rsize / "
    "size, both 0 for `?`. Precision is interpolated after Salton: the highest at equal or higher recall, 0 where "
    "that is not reached."
)
_NEEDS = frozenset({Need.GAINS, Need.EXTENTS, Need.DIMENSIONS})


def _ng(variant: str, what: str, lead: str, shape: Shape, compute: Compute) -> Measure:
    equations = "18, 19" if variant == "o" else "12, 13"
    about = "size and overlap" if variant == "o" else "size only"
    return Measure(
        f"ng_{variant}_{what}",
        "ng",
        f"INEX 2003 {lead}, {about}",
        f"{lead[0].upper()}{lead[1:]}. {_TEXT}",
        f"{_ING}, equations {equations}; {_ARTICLE}, C.2",
        shape,
        compute,
        _NEEDS,
        LEVELS if shape is Shape.AT_LEVELS else (),
        _DENOMINATOR,
        bounded=what != "recall",
        y_label=f"INEX 2003 precision, {about}",
    )


MEASURES = tuple(
    measure
    for variant in "so"
    for measure in (
        _ng(
            variant,
            "map",
            "precision, mean over recall .01, .02, ... 1.00",
            Shape.SCALAR,
            _of_curve(variant == "o", lambda curve, _points: curve.mean()),
        ),
        _ng(
            variant,
            "prec_at_recall",
            "precision at recall X",
            Shape.AT_LEVELS,
            _of_curve(variant == "o", lambda curve, points: curve.interpolated(points)),
        ),
        _ng(
            variant,
            "recall",
            "recall of the whole list",
            Shape.SCALAR,
            _of_curve(variant == "o", lambda curve, _points: curve.end()),
        ),
    )
)
