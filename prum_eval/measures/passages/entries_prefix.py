"""Registry entries: measures of focused and thorough retrieval, in characters of the text that was read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.measures.base import Compute, Direction, Measure, Shape
from prum_eval.measures.passages import prefix
from prum_eval.measures.passages.entries_common import COUNTED, INEX06, NEEDS, OFFICIAL, over_all
from prum_eval.measures.passages.refusals import DEMANDS, Demand, checked
from prum_eval.measures.topic_data import TopicData
from prum_eval.parameters import Parameter, ParameterValues

_OVERLAP = Parameter(
    "overlap",
    "reject",
    "reject: text retrieved twice is an error (focused); novel: in a relevant article only what no earlier result "
    "covers counts, elsewhere every result in full (thorough)",
    ("reject", "novel"),
)
_SIZE_COUNTS = Parameter("counts", "articles", f"{COUNTED}, no lengths", ("articles", "ranks", "points"))


def _lengths(data: TopicData, values: ParameterValues) -> prefix.Lengths:
    overlap = str(values["overlap"])
    found = checked(data, DEMANDS.get(overlap, Demand.NOTHING))
    return data.memo.once(("lengths", overlap), lambda: (prefix.novel if overlap == "novel" else prefix.whole)(found))


def _curve(data: TopicData, values: ParameterValues) -> FloatArray:
    key = ("iP", values["overlap"])
    return data.memo.once(key, lambda: prefix.interpolated_precision(_lengths(data, values)))


def _ip(data: TopicData, values: ParameterValues, points: FloatArray) -> FloatArray:
    return prefix.at_levels(_curve(data, values), points)


def _maip(data: TopicData, values: ParameterValues, _points: FloatArray) -> float:
    return prefix.average_precision(_curve(data, values))


def _article_ratio(place: int) -> Compute:
    def per_topic(data: TopicData, values: ParameterValues, _points: FloatArray) -> float:
        _lengths(data, values)  # the same runs are refused
        found = checked(data, Demand.NOTHING)
        relevant = int(np.count_nonzero(found.is_relevant))
        return prefix.ratios(relevant, found.articles, found.judged.count)[place]

    return per_topic


def _character_ratio(place: int) -> Compute:
    def per_topic(data: TopicData, values: ParameterValues, _points: FloatArray) -> float:
        lengths = _lengths(data, values)
        return prefix.ratios(int(lengths.relevant.sum()), int(lengths.size.sum()), lengths.total)[place]

    return per_topic


def _size(of: Callable[[prefix.Lengths], int], *, retrieved_text: bool) -> Compute:
    def per_topic(data: TopicData, values: ParameterValues, _points: FloatArray) -> float:
        counts = str(values["counts"])
        if counts == "articles":
            return of(_lengths(data, values))
        found = checked(data, DEMANDS[counts])
        return 0 if retrieved_text and counts == "points" else of(prefix.whole(found))

    return per_topic


def _sizes(name: str, summary: str, of: Callable[[prefix.Lengths], int], *, retrieved_text: bool = True) -> Measure:
    return Measure(
        name,
        "sizes",
        summary,
        f"{summary[0].upper()}{summary[1:]}; summed over topics, not averaged. With counts=ranks and counts=points the "
        "sum runs over all judged topics, whatever the run has, and with counts=points results have no length.",
        OFFICIAL,
        Shape.COUNT,
        _size(of, retrieved_text=retrieved_text),
        NEEDS,
        parameters=(_OVERLAP, _SIZE_COUNTS),
        without_targets=True,
        bounded=False,
        direction=Direction.HIGHER if name == "rel_ret_size" else Direction.NEITHER,
        empty_list="0" if retrieved_text else "what is judged",
        over_all=over_all,
    )


def _ratio(name: str, summary: str, formula: str, compute: Compute) -> Measure:
    return Measure(
        name,
        "text_sets",
        summary,
        f"{formula} The order of the results has no part in it. F1 = 2 P R / (P + R), 0 where P is. Recall has no "
        "value where nothing is relevant: the topic is left out of its mean.",
        OFFICIAL,
        Shape.SCALAR,
        compute,
        NEEDS,
        parameters=(_OVERLAP,),
        without_targets=True,
    )


_OF_ARTICLES = "Over distinct articles retrieved; an article is relevant if it holds relevant text."
_OF_CHARACTERS = "Over characters retrieved; a result that points to nothing has 18, as in the official tool."
_FOCUSED = (
    "After each result, precision is relevant characters / characters read so far and recall relevant characters read "
    "/ all of the topic. Only ends of results count: a result is never cut at the recall point."
)

MEASURES = (
    _ratio("art_prec", "share of retrieved articles that are relevant", _OF_ARTICLES, _article_ratio(0)),
    _ratio("art_rec", "share of relevant articles that are retrieved", _OF_ARTICLES, _article_ratio(1)),
    _ratio("art_f1", "harmonic mean of art_prec and art_rec", _OF_ARTICLES, _article_ratio(2)),
    _ratio("char_prec", "share of retrieved characters that are relevant", _OF_CHARACTERS, _character_ratio(0)),
    _ratio("char_rec", "share of relevant characters that are retrieved", _OF_CHARACTERS, _character_ratio(1)),
    _ratio("char_f1", "harmonic mean of char_prec and char_rec", _OF_CHARACTERS, _character_ratio(2)),
    _sizes("ret_size", "characters retrieved", lambda lengths: int(lengths.size.sum())),
    _sizes("rel_size", "relevant characters", lambda lengths: lengths.total, retrieved_text=False),
    _sizes("rel_ret_size", "relevant characters retrieved", lambda lengths: int(lengths.relevant.sum())),
    Measure(
        "iP",
        "focused",
        "interpolated precision at recall X, in characters",
        f"Highest precision after any result with recall X or more, in whole hundredths, floor(100 recall). {_FOCUSED}",
        f"{OFFICIAL}; {INEX06}",
        Shape.AT_LEVELS,
        _ip,
        NEEDS,
        (0.0, 0.01, 0.05, 0.1),
        (_OVERLAP,),
        without_targets=True,
        y_label="interpolated precision, in characters",
    ),
    Measure(
        "maip",
        "focused",
        "mean average interpolated precision, in characters",
        f"AiP = mean of iP at the 101 points .00, .01, ... 1.00. {_FOCUSED}",
        f"{OFFICIAL}; {INEX06}",
        Shape.SCALAR,
        _maip,
        NEEDS,
        parameters=(_OVERLAP,),
        without_targets=True,
    ),
)
