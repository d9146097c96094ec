"""Registry entries: the measures of what a navigating user sees."""

from __future__ import annotations

from dataclasses import dataclass

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.measures import eprum, prum
from prum_eval.measures.base import Measure, Need, Shape
from prum_eval.measures.entries_classic import CUTOFFS, LEVELS
from prum_eval.measures.gen_recall import generalised_recall
from prum_eval.measures.ideal import ideal_lengths
from prum_eval.measures.splits import by_cutting
from prum_eval.measures.topic_data import TopicData
from prum_eval.numerics.levels import ceiling_interpolation, goals
from prum_eval.parameters import Parameter, ParameterValues

_ARTICLE = "Piwowarski, Gallinari, Dupret, TOIS 25(1), 2007"
_SIGIR = "Piwowarski, Dupret, SIGIR 2006"
_INEX06 = "Lalmas et al., INEX 2006 Evaluation Measures, section 7.2"
_REACH = frozenset({Need.REACH})

_PRUM_EMPTY = "(t + 1) / (N + 1) at every recall, for t targets: what drawing at random gives"
_PRUM_PARAMETERS = (
    Parameter(
        "mode",
        "paper",
        "paper: hypothesis 2.3; exact: without it; normal: the normal law where more than 10 targets are uncertain",
        prum.MODES,
        option="prum_mode",
    ),
)
_EPRUM_PARAMETERS = (
    Parameter("mode", "exact", "exact: the law of the count by convolution; normal: by the normal law", eprum.MODES),
    Parameter(
        "ideal_list",
        "targets",
        "targets: by decreasing P(x in I); greedy: the list that grows P(F >= r) fastest, if it is shorter",
        ("targets", "greedy"),
        option="ideal_list",
    ),
    Parameter("at_recall", "product", "product: E[ML*] E[A/ML]; ratio: E[ML*] / E[ML]", ("product", "ratio")),
    Parameter("graded", "on", "on: satisfaction levels from P(x in I); off: every target is ideal", ("on", "off")),
)


def _precisions(data: TopicData, values: ParameterValues) -> FloatArray:
    mode = str(values["mode"])
    size = data.collection_size
    assert size is not None  # noqa: S101 - the evaluation refuses Need.SIZE without a size
    return data.memo.once(("prum", mode), lambda: prum.prum_precisions(data.seen, size, data.existing, mode))


def _prum_map(data: TopicData, values: ParameterValues, _points: FloatArray) -> float:
    return float(_precisions(data, values).mean())


def _prum_curve(data: TopicData, values: ParameterValues, points: FloatArray) -> FloatArray:
    return ceiling_interpolation(_precisions(data, values), points)


def _split_prum(
    measure: Measure, data: TopicData, values: ParameterValues, points: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What rank k adds is its term of the precision; at a recall level that of the r of the highest precision."""
    size = data.collection_size
    assert size is not None  # noqa: S101 - the evaluation refuses Need.SIZE without a size
    added, rest = prum.prum_shares(data.seen, size, data.existing, str(values["mode"]))
    if measure.shape is Shape.SCALAR:
        return added.mean(axis=1, keepdims=True), rest.mean(keepdims=True)
    precision = _precisions(data, values)
    best = [r + int(precision[r:].argmax()) for r in (goals(points, len(precision)) - 1).tolist()]
    return added[:, best], rest[best]


@dataclass(frozen=True)
class _Graded:
    """What the EPRUM measures of one topic share."""

    levels: list[eprum.Level]
    order: IntArray
    lengths: list[FloatArray]
    values: list[FloatArray]


def _graded(data: TopicData, values: ParameterValues) -> _Graded:
    mode, ideal_list, at_recall, graded = (str(values[p.name]) for p in _EPRUM_PARAMETERS)

    def compute() -> _Graded:
        order, levels = eprum.satisfaction_levels(data.judged.targets.weight, graded=graded == "on")
        lengths = ideal_lengths(data.judged, order, levels, ideal_list, mode)
        found = eprum.precisions(data.seen, order, levels, lengths, mode=mode, at_recall=at_recall)
        return _Graded(levels, order, lengths, found)

    return data.memo.once(("eprum", mode, ideal_list, at_recall, graded), compute)


def _eprum_map(data: TopicData, values: ParameterValues, _points: FloatArray) -> float:
    shared = _graded(data, values)
    return eprum.mean_precision(shared.values, shared.levels)


def _eprum_curve(data: TopicData, values: ParameterValues, points: FloatArray) -> FloatArray:
    shared = _graded(data, values)
    return eprum.at_recall_levels(shared.values, shared.levels, points)


def _eprum_ranks(data: TopicData, values: ParameterValues, points: FloatArray) -> FloatArray:
    shared = _graded(data, values)
    return eprum.at_ranks(data.seen, shared.order, shared.levels, shared.lengths, points, mode=str(values["mode"]))


def _gen_recall(data: TopicData, _values: ParameterValues, points: FloatArray) -> FloatArray:
    return generalised_recall(data.seen, data.judged.targets.weight, points)


_PRUM_TEXT = (
    "Precision at r of t targets is (a + b) / (c + d), with F_k the number of distinct targets seen after k ranks: "
    "a expects the ranks at which a user who wants r targets sees a new one, c the ranks consulted, b and d the "
    "draws from the unranked elements after the list. N is the number of retrievable elements. With R the identity "
    "it is classic precision (Raghavan, Bollmann, Jung 1989). A target is every x with P(x in I) > 0."
)
_EPRUM_TEXT = (
    "ML_r is the first rank after which r targets are seen, A_r says whether that happens, a star marks the ideal "
    "list. With graded targets, the weighted mean over the satisfaction levels. With a stochastic ideal list it can "
    "pass 1."
)

MEASURES = (
    Measure(
        "prum_map",
        "prum",
        "PRUM precision, mean over all r",
        f"Mean of the PRUM precision over r = 1..t, without interpolation. {_PRUM_TEXT}",
        f"{_ARTICLE}, equations 5-8",
        Shape.SCALAR,
        _prum_map,
        frozenset({Need.REACH, Need.SIZE}),
        parameters=_PRUM_PARAMETERS,
        empty_list=_PRUM_EMPTY,
        split=_split_prum,
    ),
    Measure(
        "prum_prec_at_recall",
        "prum",
        "PRUM precision at recall X",
        f"Ceiling interpolation: the highest PRUM precision at any r >= max(1, ceil(X t)). {_PRUM_TEXT}",
        f"{_ARTICLE}, equations 5-8",
        Shape.AT_LEVELS,
        _prum_curve,
        frozenset({Need.REACH, Need.SIZE}),
        LEVELS,
        _PRUM_PARAMETERS,
        y_label="PRUM precision",
        empty_list=_PRUM_EMPTY,
        split=_split_prum,
    ),
    Measure(
        "eprum_map",
        "eprum",
        "EPRUM precision, mean over all r",
        f"(1/t) sum over r = 1..t of E[ML*_r] E[A_r / ML_r]. {_EPRUM_TEXT}",
        f"{_SIGIR}, sections 2 and 5",
        Shape.SCALAR,
        _eprum_map,
        _REACH,
        parameters=_EPRUM_PARAMETERS,
        bounded=False,
        split=by_cutting,
    ),
    Measure(
        "eprum_prec_at_recall",
        "eprum",
        "EPRUM precision at recall X",
        f"E[ML*_r] E[A_r / ML_r] with r = max(1, ceil(X t)): a step function, no interpolation. {_EPRUM_TEXT}",
        f"{_SIGIR}, sections 2 and 5; ratio form {_INEX06}",
        Shape.AT_LEVELS,
        _eprum_curve,
        _REACH,
        LEVELS,
        _EPRUM_PARAMETERS,
        bounded=False,
        y_label="EPRUM precision",
        split=by_cutting,
    ),
    Measure(
        "eprum_P",
        "eprum",
        "EPRUM precision at rank K",
        f"(1/K) sum over f of P(F_K = f) E[ML*_f]; past the end of the list F stays and K grows. {_EPRUM_TEXT}",
        _INEX06,
        Shape.AT_RANKS,
        _eprum_ranks,
        _REACH,
        CUTOFFS,
        _EPRUM_PARAMETERS,
        bounded=False,
        y_label="EPRUM precision",
        split=by_cutting,
    ),
    Measure(
        "gen_recall",
        "gen_recall",
        "generalised recall at rank K (ERR)",
        "sum of P(x in I) p_K(x) over the sum of P(x in I): the expected share of what should be seen that was seen.",
        f"{_ARTICLE}, section 4.1.2",
        Shape.AT_RANKS,
        _gen_recall,
        _REACH,
        CUTOFFS,
        y_label="generalised recall (ERR)",
        split=by_cutting,
    ),
)
