"""The xCG family: measures of a vector of gains beside an ideal one.

Sources: [INEX06] Lalmas et al., INEX 2006 Evaluation Measures, sections 4 and 5; [PRUM] C.3; MAnxCG [LIT].

Arrays. ``gains``: xG, the gain of each result, best first, shape (o,). ``ideal``: xI, the gains of the ideal list,
decreasing and above 0, shape (n,), n >= 1. xCG and xCI are their prefix sums. Nothing is clipped: where gains come from
another base than the ideal ones, nxCG and MAep can pass 1.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import CUTOFFS, TENTHS, Measure, Need, Shape, refuse_level_zero
from prum_eval.measures.gain_vectors import ideal_gains, run_gains
from prum_eval.measures.topic_data import TopicData
from prum_eval.numerics.levels import HUNDREDTHS, SLACK
from prum_eval.parameters import Parameter, ParameterValues


def cumulated(gains: FloatArray, ranks: FloatArray) -> FloatArray:
    """xCG[k], the sum of the first k gains; constant past the end."""
    sums = np.concatenate(([0.0], np.cumsum(gains)))
    return sums[np.minimum(ranks, len(gains)).astype(np.int64)]


def normalised(gains: FloatArray, ideal: FloatArray, ranks: FloatArray) -> FloatArray:
    """nxCG[k] = xCG[k] / xCI[k], k >= 1."""
    values: FloatArray = cumulated(gains, ranks) / cumulated(ideal, ranks)
    return values


def mean_normalised(gains: FloatArray, ideal: FloatArray, ranks: FloatArray) -> FloatArray:
    """MAnxCG[k], the mean of nxCG[1..k]; past the end of both lists nxCG stays, and k grows."""
    longest = max(len(gains), len(ideal))
    curve = normalised(gains, ideal, np.arange(1.0, longest + 1))
    sums = np.concatenate(([0.0], np.cumsum(curve)))
    within = np.minimum(ranks, longest).astype(np.int64)
    means: FloatArray = (sums[within] + (ranks - within) * curve[-1]) / ranks
    return means


def ranks_of(gains: FloatArray, goals: FloatArray, *, whole: bool) -> FloatArray:
    """The rank where cumulated gain reaches each goal, NaN where it never does.

    Read on the piecewise linear curve through (0, 0), or at whole ranks.
    """
    sums = np.cumsum(gains)
    step = np.searchsorted(sums, goals - SLACK)
    found = step < len(sums)
    ranks = np.full(len(goals), np.nan)
    at = step[found]
    if whole:
        ranks[found] = at + 1
        return ranks
    share = 1.0 - (sums[at] - goals[found]) / np.where(gains[at] > 0, gains[at], 1.0)
    ranks[found] = at + np.clip(share, 0.0, 1.0)
    return ranks


def ideal_ranks(ideal: FloatArray, goals: FloatArray, *, whole: bool) -> FloatArray:
    """i_ideal: the rank where the ideal list reaches each gain; n past its end."""
    ranks = ranks_of(ideal, goals, whole=whole)
    return np.where(np.isnan(ranks), float(len(ideal)), ranks)


def effort_precision(gains: FloatArray, ideal: FloatArray, levels: FloatArray, *, whole: bool) -> FloatArray:
    """Ep = i_ideal / i_run at the gain gr xCI[n], for levels gr in (0, 1]; 0 where the run does not reach it."""
    goals = levels * np.cumsum(ideal)[-1]
    own = ranks_of(gains, goals, whole=whole)
    values = np.zeros(len(levels))
    np.divide(ideal_ranks(ideal, goals, whole=whole), own, out=values, where=~np.isnan(own))
    return values


def mean_effort_precision(gains: FloatArray, ideal: FloatArray, *, whole: bool) -> float:
    """MAep: the sum, over the ranks i with a gain, of i_ideal / i at the gain xCG[i]; divided by n."""
    ranks = np.flatnonzero(gains > 0)
    efforts = ideal_ranks(ideal, np.cumsum(gains)[ranks], whole=whole) / (ranks + 1)
    return math.fsum(efforts.tolist()) / len(ideal)


def _xcg(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    return cumulated(run_gains(data, values), cutoffs)


def _nxcg(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    return normalised(run_gains(data, values), ideal_gains(data.judged, values), cutoffs)


def _manxcg(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    return mean_normalised(run_gains(data, values), ideal_gains(data.judged, values), cutoffs)


def _ep_at_gr(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    refuse_level_zero("ep_at_gr", cutoffs)
    whole = values["ideal_rank"] == "next"
    return effort_precision(run_gains(data, values), ideal_gains(data.judged, values), cutoffs, whole=whole)


def _maep(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
    whole = values["ideal_rank"] == "next"
    return mean_effort_precision(run_gains(data, values), ideal_gains(data.judged, values), whole=whole)


def _parameters(overlap: str, base: str, *used: str) -> tuple[Parameter, ...]:
    """Those of the gains of a run, and of the others those that are `used`: `base`, `ideal_rank`."""
    listed = (
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
    return tuple(one for one in listed if one.name in used or one.name not in ("base", "ideal_rank"))


_GAIN_TEXT = (
    "With overlap=on, a result already inside an earlier one, or the same, gains (1 - alpha) q; one that contains "
    "earlier results gains alpha sum over its children of rv(ch) |ch| / |x| + (1 - alpha) q, where an unseen child "
    "has its q and a seen one (1 - alpha) q; any other gains q. q is the quantised value over the quantisation's "
    "maximum. Overlapping results are legal."
)
_FOCUSED_TEXT = (
    "The defaults are those of the Focused task: overlap=on, ideal list from the ideal recall base; the campaign "
    f"reported nxcg with overlap=off too. {_GAIN_TEXT}"
)
_THOROUGH_TEXT = (
    f"The defaults are those of the Thorough task: overlap=off, ideal list from the full recall base. {_GAIN_TEXT}"
)


_INEX06 = "Lalmas et al., INEX 2006 Evaluation Measures"
_measure = partial(Measure, family="xcg", needs=frozenset({Need.GAINS}), bounded=False, counts_overlap=True)
_focused = partial(_measure, shape=Shape.AT_RANKS, cutoffs=CUTOFFS, parameters=_parameters("on", "ideal", "base"))
_thorough = partial(_measure, parameters=_parameters("off", "full", "base", "ideal_rank"))

MEASURES = (
    _focused(
        name="xcg",
        summary="cumulated gain of K results",
        explanation="xCG[K], the sum of the gains of the first K results; constant past the end of the list. "
        f"{_FOCUSED_TEXT}",
        source=f"{_INEX06}, section 4; Piwowarski, Gallinari, Dupret, TOIS 25(1), 2007, C.3",
        per_topic=_xcg,
        parameters=_parameters("on", ""),
        y_label="cumulated gain",
    ),
    _focused(
        name="nxcg",
        summary="normalised cumulated gain at K results",
        explanation="xCG[K] / xCI[K], xCI the cumulated gain of the ideal list; both constant past their ends. Never "
        f"clipped. {_FOCUSED_TEXT}",
        source=f"{_INEX06}, section 5",
        per_topic=_nxcg,
        y_label="normalised cumulated gain",
    ),
    _focused(
        name="manxcg",
        summary="mean of nxcg at 1 to K results",
        explanation=f"(1 / K) sum over k = 1..K of xCG[k] / xCI[k]. {_FOCUSED_TEXT}",
        source="INEX 2005, as reported in campaign literature (not verified here)",
        per_topic=_manxcg,
        y_label="mean of nxcg",
    ),
    _thorough(
        name="ep_at_gr",
        summary="effort-precision at gain-recall X",
        explanation="i_ideal / i_run at the gain X xCI[n]: ranks of the ideal list over ranks of the run that it "
        f"takes; 0 where the run does not reach it. Defined for X above 0. {_THOROUGH_TEXT}",
        source=f"{_INEX06}, section 4",
        shape=Shape.AT_LEVELS,
        per_topic=_ep_at_gr,
        cutoffs=TENTHS[1:],
        drawn=tuple(HUNDREDTHS.tolist()),
        x_label="gain-recall",
        y_label="effort-precision",
    ),
    _thorough(
        name="maep",
        summary="mean average effort-precision",
        explanation="(1 / n) sum over the ranks i with a gain of i_ideal / i at the gain xCG[i]; n is the length of "
        f"the ideal list. Never clipped. {_THOROUGH_TEXT}",
        source=f"{_INEX06}, section 4",
        shape=Shape.SCALAR,
        per_topic=_maep,
    ),
)
