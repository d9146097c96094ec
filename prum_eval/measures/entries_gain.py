"""Registry entries: GRP, the INEX 2003 metric, distance to best entry points."""

from __future__ import annotations

from prum_eval.arrays import FloatArray
from prum_eval.errors import DataError, UsageError
from prum_eval.measures import grp
from prum_eval.measures.base import Measure, Need, Shape
from prum_eval.measures.bepd import bepd
from prum_eval.measures.entries_classic import LEVELS
from prum_eval.measures.topic_data import TopicData
from prum_eval.numerics.levels import total
from prum_eval.parameters import Parameter, ParameterValues

ABOVE_ZERO = LEVELS[1:]
_ING = "Goevert, Fuhr, Lalmas, Kazai, Information Retrieval 9(6), 2006"
_ARTICLE = "Piwowarski, Gallinari, Dupret, TOIS 25(1), 2007"


def check_levels(name: str, levels: FloatArray) -> None:
    """Refuse recall 0, where the curve is not defined.

    Raises:
        UsageError: one of the levels is 0.
    """
    if (levels <= 0).any():
        raise UsageError(f"{name} is defined at levels above 0")


def _order(data: TopicData, values: ParameterValues) -> grp.WeakOrder:
    weights = data.judged.targets.weight
    if values["s"] == "ceiling" and ((weights > 0) & (weights < 1)).any():
        raise UsageError(
            f"s=ceiling counts elements, so it takes a quantisation into 0 and 1, not {data.judged.quantisation} "
            f"(topic {data.judged.name} has other values)"
        )
    size = data.collection_size
    assert size is not None  # noqa: S101 - the evaluation refuses Need.SIZE without a size
    return data.memo.once("grp", lambda: grp.weak_order(data.gains, data.ranking.score, weights, size, data.existing))


def _grp_map(data: TopicData, values: ParameterValues, _points: FloatArray) -> float:
    curve = grp.precision(_order(data, values), grp.LEVELS, ceiling=values["s"] == "ceiling")
    return total(curve.tolist()) / len(curve)


def _grp_curve(data: TopicData, values: ParameterValues, points: FloatArray) -> FloatArray:
    check_levels("grp_prec_at_recall", points)
    return grp.precision(_order(data, values), points, ceiling=values["s"] == "ceiling")


def _bepd(data: TopicData, values: ParameterValues, _points: FloatArray) -> float:
    length = values.get("L", data.judged.mean_length)
    if not length:
        raise DataError("bepd needs the mean document length: give --structure or set L")
    return bepd(data.ranking.locations, data.judged.targets.locations, float(values["A"]) * float(length))


_S = (
    Parameter(
        "s",
        "real",
        "what is wanted of the last rank: real, NR - what is before it; ceiling, ceil(NR) - that, as the historical "
        "tool did; for quantisations into 0 and 1 only",
        ("real", "ceiling"),
    ),
)
_TEXT = (
    "NR / (NR + j + s i / (r + 1)) at NR = X n, n the sum of q over the recall base. In the rank where cumulated q "
    "reaches NR, r is the sum of q, i that of 1 - q, s = NR - the q before it; j is the sum of 1 - q before it. "
    "Consecutive results of equal score share one rank; what is not retrieved forms one last rank, so an empty list "
    "scores (n + 1) / (N + 1). Overlap of results is not treated."
)
_EMPTY = "(n + 1) / (N + 1), n the sum of the quantised values: what drawing at random gives"
_GRP_NEEDS = frozenset({Need.GAINS, Need.SIZE})
_GRP_SOURCE = f"{_ING}, equations 6-9; {_ARTICLE}, C.1; Raghavan, Bollmann, Jung, TOIS 7(3), 1989"

MEASURES = (
    Measure(
        "grp_map",
        "grp",
        "generalised recall-precision (precall), mean",
        f"Mean over X = .01, .02, ... 1.00 of the precision {_TEXT}",
        _GRP_SOURCE,
        Shape.SCALAR,
        _grp_map,
        _GRP_NEEDS,
        parameters=_S,
        empty_list=_EMPTY,
    ),
    Measure(
        "grp_prec_at_recall",
        "grp",
        "generalised precision at recall X",
        f"{_TEXT} Defined for X above 0.",
        _GRP_SOURCE,
        Shape.AT_LEVELS,
        _grp_curve,
        _GRP_NEEDS,
        ABOVE_ZERO,
        _S,
        y_label="generalised precision",
        empty_list=_EMPTY,
    ),
    Measure(
        "bepd",
        "bepd",
        "nearness of results to best entry points",
        "Sum over the results of s(x, b), over the number of best entry points. s(x, b) = A L / (A L + d) in the "
        "document of a point b, else 0; d is the distance of the beginnings in characters. Of several points in one "
        "document the nearest counts; several results in one document all count. The targets are the best entry "
        "points, whatever --targets says.",
        "Lalmas et al., INEX 2006 Evaluation Measures, section 7.2",
        Shape.SCALAR,
        _bepd,
        frozenset({Need.ENTRY_POINTS}),
        parameters=(
            Parameter("A", 1.0, "how far from the point a start still helps, in documents", low=0.0, open_low=True),
            Parameter("L", None, "mean document length in characters", low=0.0, open_low=True),
        ),
        bounded=False,
    ),
)
