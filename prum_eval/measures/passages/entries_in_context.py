"""Registry entries: measures of rankings of articles, each with a score for what was retrieved in it."""

from __future__ import annotations

from collections.abc import Callable

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import Compute, Measure, Shape
from prum_eval.measures.passages import article_scores, generalised, reading
from prum_eval.measures.passages.entries_common import INEX06, NEEDS, OFFICIAL
from prum_eval.measures.passages.prefix import at_levels
from prum_eval.measures.passages.refusals import Demand, checked
from prum_eval.measures.passages.retrieved import Retrieved
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import Parameter, ParameterValues

_RANKS = (1.0, 2.0, 3.0, 5.0, 10.0, 25.0, 50.0)
_TENTHS = tuple(round(0.1 * i, 1) for i in range(11))

_SHORT = Parameter("short", "repeat", "past the last article: repeat its gP, or divide by K", ("repeat", "divide"))
_BETA = Parameter("beta", 0.25, "weight of recall in F; 1 in 2006-2008", low=0.0)
_N = Parameter(
    "n", 500.0, "distance from the best entry point, in characters, at which the score is 0", low=0.0, open_low=True
)
_TOLERANCE = Parameter("tolerance", 300.0, "irrelevant characters after which the user stops", low=0.0, open_low=True)

_Score = Callable[[TopicData, ParameterValues], generalised.Scored]


def _score(
    name: str, parameter: Parameter, wanted: Demand, compute: Callable[[Retrieved, float], FloatArray]
) -> _Score:
    def score(data: TopicData, values: ParameterValues) -> generalised.Scored:
        value = float(values[parameter.name])

        def make() -> generalised.Scored:
            found = checked(data, wanted)
            return generalised.Scored(compute(found, value), found.is_relevant, found.judged.count)

        return data.memo.once((name, value), make)

    return score


def _four(before: str, family: str, parameter: Parameter, score: _Score, text: str) -> tuple[Measure, ...]:
    """The four measures of a ranking of articles: gP, gR, magp and gP_at_gR, under one prefix."""

    def gp(data: TopicData, values: ParameterValues, points: FloatArray) -> FloatArray:
        return generalised.precision_at(score(data, values), points, repeat=values["short"] == "repeat")

    def gr(data: TopicData, values: ParameterValues, points: FloatArray) -> FloatArray:
        return generalised.recall_at(score(data, values), points)

    def magp(data: TopicData, values: ParameterValues, _points: FloatArray) -> float:
        return generalised.average_precision(score(data, values))

    def gp_at_gr(data: TopicData, values: ParameterValues, points: FloatArray) -> FloatArray:
        return at_levels(generalised.precision_at_recall(score(data, values)), points)

    def entry(
        name: str,
        summary: str,
        meaning: str,
        shape: Shape,
        compute: Compute,
        points: tuple[float, ...] = (),
        y_label: str = "",
    ) -> Measure:
        return Measure(
            before + name,
            family,
            summary,
            f"{meaning} {text}",
            f"{OFFICIAL}; {INEX06}",
            shape,
            compute,
            NEEDS,
            points,
            (parameter, _SHORT),
            without_targets=True,
            x_label="rank (articles)" if shape is Shape.AT_RANKS else "generalised recall",
            y_label=y_label,
        )

    return (
        entry(
            "gP",
            "generalised precision after K articles",
            "Sum of the scores S of the first K articles / K; past the last article its value repeats (short).",
            Shape.AT_RANKS,
            gp,
            _RANKS,
            "generalised precision",
        ),
        entry(
            "gR",
            "generalised recall after K articles",
            "Relevant articles among the first K / relevant articles, whatever their score S.",
            Shape.AT_RANKS,
            gr,
            _RANKS,
            "generalised recall",
        ),
        entry(
            "magp",
            "mean average generalised precision",
            "AgP = sum of gP at the ranks of relevant articles / relevant articles; a topic without any is left out.",
            Shape.SCALAR,
            magp,
        ),
        entry(
            "gP_at_gR",
            "highest generalised precision at generalised recall X",
            "Highest gP at a rank with gR of X or more, recall in whole tenths, floor(10 gR).",
            Shape.AT_LEVELS,
            gp_at_gr,
            _TENTHS,
            "highest generalised precision",
        ),
    )


MEASURES = (
    *_four(
        "",
        "ric",
        _BETA,
        _score("F", _BETA, Demand.BLOCKS, article_scores.f_scores),
        "S is F = (1 + beta²) P R / (beta² P + R) of the characters retrieved in the article (relevant in context).",
    ),
    *_four(
        "bic_",
        "bic",
        _N,
        _score("bic", _N, Demand.ONE_RESULT, article_scores.entry_scores),
        "S is max(0, (n - d) / n), d the distance from the best entry point of a relevant article (best in context).",
    ),
    *_four(
        "t2i_",
        "t2i",
        _TOLERANCE,
        _score("t2i", _TOLERANCE, Demand.BLOCKS, reading.reading_scores),
        "S is relevant / all characters read, by a user who reads what is retrieved in the article, then the rest of "
        "it, and stops with the irrelevant character that uses up the tolerance (relevant in context 2010).",
    ),
)
