"""Registry entries: the xCG family."""

from __future__ import annotations

from collections.abc import Callable

from prum_eval.arrays import FloatArray
from prum_eval.measures import xcg
from prum_eval.measures.base import Measure, Need, Shape
from prum_eval.measures.entries_classic import CUTOFFS
from prum_eval.measures.entries_gain import ABOVE_ZERO, check_levels
from prum_eval.measures.topic_data import TopicData
from prum_eval.measures.xcg_facts import ideal_gains, run_gains
from prum_eval.parameters import Parameter, ParameterValues

_INEX06 = "Lalmas et al., INEX 2006 Evaluation Measures"
_C3 = "Piwowarski, Gallinari, Dupret, TOIS 25(1), 2007, C.3"


def _xcg(data: TopicData, values: ParameterValues, points: FloatArray) -> FloatArray:
    return xcg.cumulated(run_gains(data, values), points)


def _nxcg(data: TopicData, values: ParameterValues, points: FloatArray) -> FloatArray:
    return xcg.normalised(run_gains(data, values), ideal_gains(data.judged, values), points)


def _manxcg(data: TopicData, values: ParameterValues, points: FloatArray) -> FloatArray:
    return xcg.mean_normalised(run_gains(data, values), ideal_gains(data.judged, values), points)


def _ep_at_gr(data: TopicData, values: ParameterValues, points: FloatArray) -> FloatArray:
    check_levels("ep_at_gr", points)
    whole = values["ideal_rank"] == "next"
    return xcg.effort_precision(run_gains(data, values), ideal_gains(data.judged, values), points, whole=whole)


def _maep(data: TopicData, values: ParameterValues, _points: FloatArray) -> float:
    whole = values["ideal_rank"] == "next"
    return xcg.mean_effort_precision(run_gains(data, values), ideal_gains(data.judged, values), whole=whole)


def _parameters(overlap: str, base: str) -> tuple[Parameter, ...]:
    return (
        Parameter(
            "alpha",
            1.0,
            "how far the user minds what was seen before, with overlap=on; 1 officially",
            low=0.0,
            high=1.0,
        ),
        Parameter(
            "overlap",
            overlap,
            "on: gains depend on earlier results that contain a result or lie in it; off: every result gains its q",
            ("on", "off"),
        ),
        Parameter(
            "base", base, "where the ideal list comes from: the full recall base or the ideal one", ("full", "ideal")
        ),
        Parameter(
            "keep",
            "shorter",
            "which of two nested elements stays in the ideal recall base: the one of the shorter path, or (best) the "
            "inner one, which has the higher gain",
            ("shorter", "best"),
        ),
        Parameter(
            "ideal_rank",
            "linear",
            "how ep reads ranks: linear, on piecewise linear curves, where an ideal run has ep 1; next, whole ranks",
            ("linear", "next"),
        ),
        Parameter(
            "cap",
            "on",
            "with overlap=on: what lies in an element y of the ideal base gains no more than q(y) together",
            ("on", "off"),
        ),
    )


_FOCUSED = _parameters("on", "ideal")
_THOROUGH = _parameters("off", "full")
_GAIN_TEXT = (
    "With overlap=on, a result already inside an earlier one, or the same, gains (1 - alpha) q; one that contains "
    "earlier results gains alpha sum over its children of rv(ch) |ch| / |x| + (1 - alpha) q, where an unseen child "
    "has its q and a seen one (1 - alpha) q; any other gains q. q is the quantised value over the quantisation's "
    "maximum. Overlapping results are legal."
)
_FOCUSED_TEXT = (
    "The defaults are those of the Focused task: overlap=on, ideal list from the ideal recall base; the campaign "
    "reported nxcg with overlap=off too."
)
_THOROUGH_TEXT = "The defaults are those of the Thorough task: overlap=off, ideal list from the full recall base."


def _measure(
    name: str,
    summary: str,
    text: str,
    source: str,
    compute: Callable[[TopicData, ParameterValues, FloatArray], FloatArray | float],
    points: tuple[float, ...] = (),
    x_label: str = "",
    y_label: str = "",
) -> Measure:
    effort = name in ("ep_at_gr", "maep")
    shape = Shape.SCALAR if not points else Shape.AT_LEVELS if effort else Shape.AT_RANKS
    return Measure(
        name,
        "xcg",
        summary,
        f"{text} {_THOROUGH_TEXT if effort else _FOCUSED_TEXT} {_GAIN_TEXT}",
        source,
        shape,
        compute,
        frozenset({Need.GAINS}),
        points,
        _THOROUGH if effort else _FOCUSED,
        bounded=False,
        x_label=x_label,
        y_label=y_label,
        counts_overlap=True,
    )


MEASURES = (
    _measure(
        "xcg",
        "cumulated gain of K results",
        "xCG[K], the sum of the gains of the first K results; constant past the end of the list.",
        f"{_INEX06}, section 4; {_C3}",
        _xcg,
        CUTOFFS,
        y_label="cumulated gain",
    ),
    _measure(
        "nxcg",
        "normalised cumulated gain at K results",
        "xCG[K] / xCI[K], xCI the cumulated gain of the ideal list; both constant past their ends. Never clipped.",
        f"{_INEX06}, section 5",
        _nxcg,
        CUTOFFS,
        y_label="normalised cumulated gain",
    ),
    _measure(
        "manxcg",
        "mean of nxcg at 1 to K results",
        "(1 / K) sum over k = 1..K of xCG[k] / xCI[k].",
        "INEX 2005, as reported in campaign literature (not verified here)",
        _manxcg,
        CUTOFFS,
        y_label="mean of nxcg",
    ),
    _measure(
        "ep_at_gr",
        "effort-precision at gain-recall X",
        "i_ideal / i_run at the gain X xCI[n]: ranks of the ideal list over ranks of the run that it takes; 0 where "
        "the run does not reach it. Defined for X above 0.",
        f"{_INEX06}, section 4",
        _ep_at_gr,
        ABOVE_ZERO,
        "gain-recall",
        "effort-precision",
    ),
    _measure(
        "maep",
        "mean average effort-precision",
        "(1 / n) sum over the ranks i with a gain of i_ideal / i at the gain xCG[i]; n is the length of the ideal "
        "list. Never clipped.",
        f"{_INEX06}, section 4",
        _maep,
    ),
)
