"""In-context tasks: a ranking of articles, each with a score in [0, 1] for what was retrieved in it.

Conventions. S(d_r) is the score of the article at rank r, 0 where it is not relevant; A articles were retrieved, L of
all are relevant. Source: inex_eval 3.1, tasks -r, -b and -i; Lalmas et al., INEX 2006 Evaluation Measures, section 6.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray
from prum_eval.measures.base import TENTHS, Measure, Shape
from prum_eval.measures.passages.official import INEX06, INEX_EVAL, NEEDS
from prum_eval.measures.passages.refusals import Demand, checked
from prum_eval.measures.passages.retrieved import Retrieved
from prum_eval.measures.topic_data import TopicData
from prum_eval.numerics.levels import at_levels
from prum_eval.parameters import Parameter, ParameterValues


@dataclass(frozen=True, slots=True)
class Scored:
    """Articles in the order of the run: `score` and `relevant`, shape (A,); `count`: number L of relevant articles."""

    score: FloatArray
    relevant: BoolArray
    count: int

    @property
    def precision(self) -> FloatArray:
        """The curve gP[r] = (S(d_1) + ... + S(d_r)) / r, shape (A,)."""
        curve: FloatArray = np.cumsum(self.score) / np.arange(1, len(self.score) + 1)
        return curve

    @property
    def recall(self) -> FloatArray:
        """The curve gR[r] = relevant articles among the first r / L, shape (A,); 0 without relevant articles."""
        found = np.cumsum(self.relevant)
        return found / self.count if self.count else np.zeros(len(found))


def precision_after(scored: Scored, ranks: FloatArray, *, repeat: bool) -> FloatArray:
    """GP at these ranks; past the last article m it is gP[m] with `repeat`, else the sum of scores over the rank."""
    if not len(scored.score):
        return np.zeros(len(ranks))
    last = np.minimum(ranks.astype(np.int64), len(scored.score))
    values: FloatArray = np.cumsum(scored.score)[last - 1] / (last if repeat else ranks)
    return values


def recall_after(scored: Scored, ranks: FloatArray) -> FloatArray:
    """GR at these ranks; past the last article it stays."""
    found = np.concatenate(([0.0], scored.recall))
    return found[np.minimum(ranks.astype(np.int64), len(scored.score))]


def mean_precision(scored: Scored) -> float:
    """AgP = the sum of gP[r] over the ranks r of relevant articles (even with score 0) / L; NaN without any."""
    if not scored.count:
        return float("nan")
    return math.fsum(scored.precision[scored.relevant].tolist()) / scored.count


def precision_at_tenths(scored: Scored) -> FloatArray:
    """Highest gP[r] with floor(10.0 gR[r]) >= k, for k = 0..10; 0 where there is none."""
    tenths = np.floor(10.0 * scored.recall)
    best = np.append(np.maximum.accumulate(scored.precision[::-1])[::-1], 0.0)
    return best[np.searchsorted(tenths, np.arange(11.0))]


_SHORT = Parameter("short", "repeat", "past the last article: repeat its gP, or divide by K", ("repeat", "divide"))


def measures_of_articles(
    family: str,
    before: str,
    parameter: Parameter,
    demand: Demand,
    scores: Callable[[Retrieved, float], FloatArray],
    text: str,
) -> tuple[Measure, ...]:
    """The four measures of a ranking of articles: gP, gR, magp and gP_at_gR; recall looks at no score.

    Args:
        family: name of the family.
        before: prefix of the names.
        parameter: the parameter of the scores.
        demand: what the task demands of a run.
        scores: (what was retrieved, parameter) -> the score of each article, shape (A,).
        text: what the score S is.
    """

    def scored(data: TopicData, values: ParameterValues) -> Scored:
        value = float(values[parameter.name])

        def make() -> Scored:
            found = checked(data, demand)
            return Scored(scores(found, value), found.is_relevant, found.judged.count)

        return data.memo.once((family, value), make)

    def recalled(data: TopicData) -> Scored:
        found = checked(data, demand)
        return Scored(np.zeros(found.articles), found.is_relevant, found.judged.count)

    def gp(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
        return precision_after(scored(data, values), cutoffs, repeat=values["short"] == "repeat")

    measure = partial(
        Measure,
        family=family,
        source=f"{INEX_EVAL}; {INEX06}",
        needs=NEEDS,
        parameters=(parameter,),
        without_targets=True,
    )
    after = partial(
        measure, shape=Shape.AT_RANKS, cutoffs=(1.0, 2.0, 3.0, 5.0, 10.0, 25.0, 50.0), x_label="rank (articles)"
    )
    return (
        after(
            name=f"{before}gP",
            summary="generalised precision after K articles",
            explanation="Sum of the scores S of the first K articles / K; past the last article its value repeats "
            f"(short). {text}",
            per_topic=gp,
            parameters=(parameter, _SHORT),
            y_label="generalised precision",
        ),
        after(
            name=f"{before}gR",
            summary="generalised recall after K articles",
            explanation="Relevant articles among the first K / relevant articles, whatever their score S. " + text,
            per_topic=lambda data, _values, cutoffs: recall_after(recalled(data), cutoffs),
            parameters=(),
            y_label="generalised recall",
        ),
        measure(
            name=f"{before}magp",
            summary="mean average generalised precision",
            explanation="AgP = sum of gP at the ranks of relevant articles / relevant articles; a topic without any "
            f"is left out. {text}",
            shape=Shape.SCALAR,
            per_topic=lambda data, values, _cutoffs: mean_precision(scored(data, values)),
            needs_relevance=True,
        ),
        measure(
            name=f"{before}gP_at_gR",
            summary="highest generalised precision at generalised recall X",
            explanation=f"Highest gP at a rank with gR of X or more, recall in whole tenths, floor(10 gR). {text}",
            shape=Shape.AT_LEVELS,
            per_topic=lambda data, values, cutoffs: at_levels(precision_at_tenths(scored(data, values)), cutoffs),
            cutoffs=TENTHS,
            x_label="generalised recall",
            y_label="highest generalised precision",
        ),
    )
