"""Registry entries: the passage measures of INEX 2006-2010.

What the official tasks ask for, with the parameters that differ from the defaults here:

* thorough (-t): ret_size rel_size rel_ret_size art_* char_* iP maip, with ``overlap=novel``; num_* ``counts=articles``
* focused (-f): the same with ``overlap=reject``
* relevant in context (-r): gP gR magp gP_at_gR; num_* and sizes ``counts=ranks``
* best in context (-b): the bic_ forms; num_* and sizes ``counts=points``
* relevant in context of 2010 (-i): the t2i_ forms; num_* and sizes ``counts=ranks``
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from prum_eval.measures.facts import TopicFacts
from prum_eval.measures.measure import Compute, Measure, Need, Shape
from prum_eval.measures.passages import article_scores, generalised, prefix, reading
from prum_eval.measures.passages.refusals import Demand, demand
from prum_eval.measures.passages.retrieved import Retrieved, retrieved
from prum_eval.parameters import Parameter, Values

FloatArray = NDArray[np.float64]

_OFFICIAL = "inex_eval 3.1 (INEX 2007-2010)"
_INEX06 = "Lalmas et al., INEX 2006 Evaluation Measures, section 6"
_NEEDS = frozenset({Need.PASSAGES, Need.EXTENTS})
_RANKS = (1.0, 2.0, 3.0, 5.0, 10.0, 25.0, 50.0)
_TENTHS = tuple(round(0.1 * i, 1) for i in range(11))

_COUNTED = "articles: distinct articles; ranks: as in context, sums over all judged topics; points: as best in context"
_OVERLAP = Parameter(
    "overlap",
    "reject",
    "reject: text retrieved twice is an error (focused); novel: in a relevant article only what no earlier result "
    "covers counts, elsewhere every result in full (thorough)",
    ("reject", "novel"),
)
_SIZE_COUNTS = Parameter("counts", "articles", f"{_COUNTED}, no lengths", ("articles", "ranks", "points"))
_COUNTS = Parameter("counts", "results", f"results and targets; {_COUNTED}", ("results", "articles", "ranks", "points"))
_SHORT = Parameter("short", "repeat", "past the last article: repeat its gP, or divide by K", ("repeat", "divide"))
_BETA = Parameter("beta", 0.25, "weight of recall in F; 1 in 2006-2008", low=0.0)
_N = Parameter(
    "n", 500.0, "distance from the best entry point, in characters, at which the score is 0", low=0.0, open_low=True
)
_TOLERANCE = Parameter("tolerance", 300.0, "irrelevant characters after which the user stops", low=0.0, open_low=True)

_DEMANDS = {"ranks": Demand.BLOCKS, "points": Demand.ONE_RESULT, "reject": Demand.NO_OVERLAP}


def _found(facts: TopicFacts, wanted: Demand) -> Retrieved:
    """The retrieved text of a topic, after a look at what its task refuses."""
    found = retrieved(facts)
    facts.memo.once(("demand", wanted), lambda: demand(found, wanted))
    return found


def _lengths(facts: TopicFacts, values: Values) -> prefix.Lengths:
    overlap = str(values["overlap"])
    found = _found(facts, _DEMANDS.get(overlap, Demand.NOTHING))
    return facts.memo.once(("lengths", overlap), lambda: (prefix.novel if overlap == "novel" else prefix.whole)(found))


def _curve(facts: TopicFacts, values: Values) -> FloatArray:
    key = ("iP", values["overlap"])
    return facts.memo.once(key, lambda: prefix.interpolated_precision(_lengths(facts, values)))


def _ip(facts: TopicFacts, values: Values, points: FloatArray) -> FloatArray:
    return prefix.at_levels(_curve(facts, values), points)


def _maip(facts: TopicFacts, values: Values, _points: FloatArray) -> float:
    return prefix.average_precision(_curve(facts, values))


def _article_ratio(place: int) -> Compute:
    def per_topic(facts: TopicFacts, values: Values, _points: FloatArray) -> float:
        _lengths(facts, values)  # the same runs are refused
        found = retrieved(facts)
        relevant = int(np.count_nonzero(found.is_relevant))
        return prefix.ratios(relevant, found.articles, found.judged.count)[place]

    return per_topic


def _character_ratio(place: int) -> Compute:
    def per_topic(facts: TopicFacts, values: Values, _points: FloatArray) -> float:
        lengths = _lengths(facts, values)
        return prefix.ratios(int(lengths.relevant.sum()), int(lengths.size.sum()), lengths.total)[place]

    return per_topic


def _size(of: Callable[[prefix.Lengths], int], *, retrieved_text: bool) -> Compute:
    def per_topic(facts: TopicFacts, values: Values, _points: FloatArray) -> float:
        counts = str(values["counts"])
        if counts == "articles":
            return of(_lengths(facts, values))
        found = _found(facts, _DEMANDS[counts])
        return 0 if retrieved_text and counts == "points" else of(prefix.whole(found))

    return per_topic


def _over_all(values: Values) -> bool:
    return values["counts"] in ("ranks", "points")


def _sizes(name: str, summary: str, of: Callable[[prefix.Lengths], int], *, retrieved_text: bool = True) -> Measure:
    return Measure(
        name,
        "sizes",
        summary,
        f"{summary[0].upper()}{summary[1:]}; summed over topics, not averaged. With counts=ranks and counts=points the "
        "sum runs over all judged topics, whatever the run has, and with counts=points results have no length.",
        _OFFICIAL,
        Shape.COUNT,
        _size(of, retrieved_text=retrieved_text),
        _NEEDS,
        parameters=(_OVERLAP, _SIZE_COUNTS),
        without_targets=True,
        bounded=False,
        over_all=_over_all,
    )


def _ratio(name: str, summary: str, formula: str, compute: Compute) -> Measure:
    return Measure(
        name,
        "text_sets",
        summary,
        f"{formula} The order of the results has no part in it. F1 = 2 P R / (P + R), 0 where P is. Recall has no "
        "value where nothing is relevant: the topic is left out of its mean.",
        _OFFICIAL,
        Shape.SCALAR,
        compute,
        _NEEDS,
        parameters=(_OVERLAP,),
        without_targets=True,
    )


_OF_ARTICLES = "Over distinct articles retrieved; an article is relevant if it holds relevant text."
_OF_CHARACTERS = "Over characters retrieved; a result that points to nothing has 18, as in the official tool."
_FOCUSED = (
    "After each result, precision is relevant characters / characters read so far and recall relevant characters read "
    "/ all of the topic. Only ends of results count: a result is never cut at the recall point."
)

_PREFIX = (
    _sizes("ret_size", "characters retrieved", lambda lengths: int(lengths.size.sum())),
    _sizes("rel_size", "relevant characters", lambda lengths: lengths.total, retrieved_text=False),
    _sizes("rel_ret_size", "relevant characters retrieved", lambda lengths: int(lengths.relevant.sum())),
    _ratio("art_prec", "share of retrieved articles that are relevant", _OF_ARTICLES, _article_ratio(0)),
    _ratio("art_rec", "share of relevant articles that are retrieved", _OF_ARTICLES, _article_ratio(1)),
    _ratio("art_f1", "harmonic mean of art_prec and art_rec", _OF_ARTICLES, _article_ratio(2)),
    _ratio("char_prec", "share of retrieved characters that are relevant", _OF_CHARACTERS, _character_ratio(0)),
    _ratio("char_rec", "share of relevant characters that are retrieved", _OF_CHARACTERS, _character_ratio(1)),
    _ratio("char_f1", "harmonic mean of char_prec and char_rec", _OF_CHARACTERS, _character_ratio(2)),
    Measure(
        "iP",
        "focused",
        "interpolated precision at recall X, in characters",
        f"Highest precision after any result with recall X or more, in whole hundredths, floor(100 recall). {_FOCUSED}",
        f"{_OFFICIAL}; {_INEX06}",
        Shape.AT_LEVELS,
        _ip,
        _NEEDS,
        (0.0, 0.01, 0.05, 0.1),
        (_OVERLAP,),
        without_targets=True,
    ),
    Measure(
        "maip",
        "focused",
        "mean average interpolated precision, in characters",
        f"AiP = mean of iP at the 101 points .00, .01, ... 1.00. {_FOCUSED}",
        f"{_OFFICIAL}; {_INEX06}",
        Shape.SCALAR,
        _maip,
        _NEEDS,
        parameters=(_OVERLAP,),
        without_targets=True,
    ),
)

_Score = Callable[[TopicFacts, Values], generalised.Scored]


def _score(
    name: str, parameter: Parameter, wanted: Demand, compute: Callable[[Retrieved, float], FloatArray]
) -> _Score:
    def score(facts: TopicFacts, values: Values) -> generalised.Scored:
        value = float(values[parameter.name])

        def make() -> generalised.Scored:
            found = _found(facts, wanted)
            return generalised.Scored(compute(found, value), found.is_relevant, found.judged.count)

        return facts.memo.once((name, value), make)

    return score


def _in_context(
    prefix_of_names: str, family: str, parameter: Parameter, score: _Score, text: str
) -> tuple[Measure, ...]:
    """The four measures of a ranking of articles: gP, gR, magp and gP_at_gR, under one prefix."""

    def gp(facts: TopicFacts, values: Values, points: FloatArray) -> FloatArray:
        return generalised.precision_at(score(facts, values), points, repeat=values["short"] == "repeat")

    def gr(facts: TopicFacts, values: Values, points: FloatArray) -> FloatArray:
        return generalised.recall_at(score(facts, values), points)

    def magp(facts: TopicFacts, values: Values, _points: FloatArray) -> float:
        return generalised.average_precision(score(facts, values))

    def gp_at_gr(facts: TopicFacts, values: Values, points: FloatArray) -> FloatArray:
        return prefix.at_levels(generalised.precision_at_recall(score(facts, values)), points)

    def entry(
        name: str, summary: str, meaning: str, shape: Shape, compute: Compute, points: tuple[float, ...] = ()
    ) -> Measure:
        return Measure(
            prefix_of_names + name,
            family,
            summary,
            f"{meaning} {text}",
            f"{_OFFICIAL}; {_INEX06}",
            shape,
            compute,
            _NEEDS,
            points,
            (parameter, _SHORT),
            without_targets=True,
        )

    return (
        entry(
            "gP",
            "generalised precision after K articles",
            "Sum of the scores S of the first K articles / K; past the last article its value repeats (short).",
            Shape.AT_RANKS,
            gp,
            _RANKS,
        ),
        entry(
            "gR",
            "generalised recall after K articles",
            "Relevant articles among the first K / relevant articles, whatever their score S.",
            Shape.AT_RANKS,
            gr,
            _RANKS,
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
        ),
    )


PASSAGES = (
    *_PREFIX,
    *_in_context(
        "",
        "ric",
        _BETA,
        _score("F", _BETA, Demand.BLOCKS, article_scores.f_scores),
        "S is F = (1 + beta²) P R / (beta² P + R) of the characters retrieved in the article (relevant in context).",
    ),
    *_in_context(
        "bic_",
        "bic",
        _N,
        _score("bic", _N, Demand.ONE_RESULT, article_scores.entry_scores),
        "S is max(0, (n - d) / n), d the distance from the best entry point of a relevant article (best in context).",
    ),
    *_in_context(
        "t2i_",
        "t2i",
        _TOLERANCE,
        _score("t2i", _TOLERANCE, Demand.BLOCKS, reading.reading_scores),
        "S is relevant / all characters read, by a user who reads what is retrieved in the article, then the rest of "
        "it, and stops with the irrelevant character that uses up the tolerance (relevant in context 2010).",
    ),
)

_IN_ARTICLES: Mapping[str, Callable[[Retrieved], int]] = {
    "num_ret": lambda found: found.articles,
    "num_rel": lambda found: found.judged.count,
    "num_rel_ret": lambda found: int(np.count_nonzero(found.is_relevant)),
}


def in_articles(count: Measure) -> Measure:
    """A count of results or targets that can count articles instead, as passage tasks do; others as they are."""
    of = _IN_ARTICLES.get(count.name)
    if of is None:
        return count

    def per_topic(facts: TopicFacts, values: Values, points: FloatArray) -> FloatArray | float:
        counts = str(values["counts"])
        if counts == "results":
            return count.per_topic(facts, values, points)
        return of(_found(facts, _DEMANDS.get(counts, Demand.NOTHING)))

    explanation = (
        f"{count.explanation} In passage tasks, articles instead: distinct ones retrieved, relevant, both; with "
        "counts=ranks and counts=points the sum runs over all judged topics."
    )
    return replace(
        count,
        explanation=explanation,
        per_topic=per_topic,
        parameters=(*count.parameters, _COUNTS),
        needs_by=lambda values: count.needs if values["counts"] == "results" else _NEEDS,
        over_all=_over_all,
    )
