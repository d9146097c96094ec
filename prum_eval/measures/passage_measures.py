"""Passage measures of INEX: focused, relevant in context, best in context, T2I, sizes and sets of text.

Conventions. Of one topic, S_i and R_i are the characters and the relevant characters of the first i results, T all
relevant characters. In context, S(d_r) is the score in [0, 1] of the article at rank r, 0 if it is not relevant; A
articles were retrieved, L of all are relevant. Relevant in context (task -r) scores an article by the F-measure of the
characters retrieved in it, best in context (-b) by the distance of its one result from its best entry point, relevant
in context of 2010 (-i) by T2I: a user reads until irrelevant text has used up a tolerance.

Source: inex_eval 3.1; Lalmas et al., INEX 2006 Evaluation Measures, sections 6 and 7. The official tasks of INEX
2007-2010 print these measures, with these parameters off their defaults:

* thorough (-t): ret_size rel_size rel_ret_size art_* char_* iP maip, with ``overlap=novel``; num_* ``counts=articles``
* focused (-f): the same with ``overlap=reject``
* relevant in context (-r): gP gR magp gP_at_gR; num_* and sizes ``counts=ranks``
* best in context (-b): the bic_ forms; num_* and sizes ``counts=cutoffs``
* relevant in context of 2010 (-i): the t2i_ forms; num_* and sizes ``counts=ranks``
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.measures.base import TENTHS, Direction, Measure, Shape
from prum_eval.measures.counts import COUNTS_HELP, PASSAGE_NEEDS, sums_over_all_topics
from prum_eval.measures.passages import (
    PASSAGE_OVERLAP_PARAMETER,
    Lengths,
    Requirement,
    RetrievedText,
    checked_results,
    cut_segments,
    full_lengths,
    result_lengths,
    validated_results,
)
from prum_eval.measures.topic_data import TopicData
from prum_eval.numerics.curves import values_at_levels
from prum_eval.parameters import Parameter, ParameterValues

INEX_EVAL = "inex_eval 3.1 (INEX 2007-2010)"
INEX06 = "Lalmas et al., INEX 2006 Evaluation Measures, section 6"

_POINTS = 101
"""Recall is read at whole hundredths, 0 included."""


def precision_at_hundredths(lengths: Lengths) -> FloatArray:
    """IP[k/100] for k = 0..100: the highest precision at the end of any result with recall k/100 or more, else 0.

    P_i = R_i / S_i; recall R_i / T counts as floor(100.0 R_i / T) hundredths in doubles, so 29 of 100 characters are
    28 hundredths. A result is never cut at the recall point. Nothing read yet (S_i = 0) has no precision; a recall
    above 1, of assessments that contradict themselves, is passed over. Without relevant text every value is 0.
    """
    values = np.zeros(_POINTS)
    if not lengths.total or not len(lengths.size):
        return values
    read, relevant = np.cumsum(lengths.size), np.cumsum(lengths.relevant)
    precision = np.zeros(len(read))
    np.divide(relevant, read, out=precision, where=read > 0)
    hundredths = np.floor(100.0 * (relevant / lengths.total))
    precision[hundredths >= _POINTS] = 0.0
    best = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    return best[np.searchsorted(hundredths, np.arange(float(_POINTS)))]


def _curve(data: TopicData, values: ParameterValues) -> FloatArray:
    key = ("iP", values["overlap"])
    return data.memo.get_or_compute(key, lambda: precision_at_hundredths(result_lengths(data, values)))


def _ip(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    return values_at_levels(_curve(data, values), cutoffs)


def _maip(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
    return math.fsum(_curve(data, values).tolist()) / _POINTS


_TEXT = (
    "After each result, precision is relevant characters / characters read so far and recall relevant characters read "
    "/ all of the topic. Only ends of results count: a result is never cut at the recall point."
)
_measure = partial(
    Measure,
    family="focused",
    source=f"{INEX_EVAL}; {INEX06}",
    needs=PASSAGE_NEEDS,
    parameters=(PASSAGE_OVERLAP_PARAMETER,),
    without_targets=True,
)

FOCUSED = (
    _measure(
        name="iP",
        summary="interpolated precision at recall X, in characters",
        explanation="Highest precision after any result with recall X or more, in whole hundredths, floor(100 recall). "
        f"{_TEXT}",
        shape=Shape.AT_LEVELS,
        per_topic=_ip,
        cutoffs=(0.0, 0.01, 0.05, 0.1),
        y_label="interpolated precision, in characters",
    ),
    _measure(
        name="maip",
        summary="mean average interpolated precision, in characters",
        explanation=f"AiP = mean of iP at the 101 points .00, .01, ... 1.00. {_TEXT}",
        shape=Shape.SCALAR,
        per_topic=_maip,
    ),
)


# In-context tasks: rankings of articles.


@dataclass(frozen=True, slots=True)
class ScoredArticles:
    """Articles in the order of the run: `score` and `relevant`, shape (A,); `relevant_count`: L."""

    score: FloatArray
    relevant: BoolArray
    relevant_count: int

    @property
    def precision(self) -> FloatArray:
        """The curve gP[r] = (S(d_1) + ... + S(d_r)) / r, shape (A,)."""
        return np.asarray(np.cumsum(self.score) / np.arange(1, len(self.score) + 1))

    @property
    def recall(self) -> FloatArray:
        """The curve gR[r] = relevant articles among the first r / L, shape (A,); 0 without relevant articles."""
        counts = np.cumsum(self.relevant)
        return counts / self.relevant_count if self.relevant_count else np.zeros(len(counts))


def precision_after(scored: ScoredArticles, ranks: FloatArray, *, repeat: bool) -> FloatArray:
    """GP at these ranks; past the last article m it is gP[m] with `repeat`, else the sum of scores over the rank."""
    if not len(scored.score):
        return np.zeros(len(ranks))
    last = np.minimum(ranks.astype(np.int64), len(scored.score))
    values: FloatArray = np.cumsum(scored.score)[last - 1] / (last if repeat else ranks)
    return values


def recall_after(scored: ScoredArticles, ranks: FloatArray) -> FloatArray:
    """GR at these ranks; past the last article it stays."""
    found = np.concatenate(([0.0], scored.recall))
    return found[np.minimum(ranks.astype(np.int64), len(scored.score))]


def mean_precision(scored: ScoredArticles) -> float:
    """AgP = the sum of gP[r] over the ranks r of relevant articles (even with score 0) / L; NaN without any."""
    if not scored.relevant_count:
        return float("nan")
    return math.fsum(scored.precision[scored.relevant].tolist()) / scored.relevant_count


def precision_at_tenths(scored: ScoredArticles) -> FloatArray:
    """Highest gP[r] with floor(10.0 gR[r]) >= k, for k = 0..10; 0 where there is none."""
    tenths = np.floor(10.0 * scored.recall)
    best = np.append(np.maximum.accumulate(scored.precision[::-1])[::-1], 0.0)
    return best[np.searchsorted(tenths, np.arange(11.0))]


_SHORT = Parameter("short", "repeat", "past the last article: repeat its gP, or divide by K", ("repeat", "divide"))


def measures_of_articles(
    family: str,
    before: str,
    parameter: Parameter,
    requirement: Requirement,
    scores: Callable[[RetrievedText, float], FloatArray],
    text: str,
) -> tuple[Measure, ...]:
    """Four measures of a ranking of articles: gP, gR, magp and gP_at_gR; recall uses no score.

    Args:
        family: name of the family.
        before: prefix of the names.
        parameter: the parameter of the scores.
        requirement: rule of the task for a run.
        scores: (retrieved text, parameter) -> the score of each article, shape (A,).
        text: the score S in words.
    """

    def scored(data: TopicData, values: ParameterValues) -> ScoredArticles:
        value = float(values[parameter.name])

        def make() -> ScoredArticles:
            retrieved = checked_results(data, requirement)
            return ScoredArticles(scores(retrieved, value), retrieved.is_relevant, retrieved.judged.count)

        return data.memo.get_or_compute((family, value), make)

    def unscored(data: TopicData) -> ScoredArticles:
        retrieved = checked_results(data, requirement)
        return ScoredArticles(np.zeros(retrieved.articles), retrieved.is_relevant, retrieved.judged.count)

    def gp(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
        return precision_after(scored(data, values), cutoffs, repeat=values["short"] == "repeat")

    measure = partial(
        Measure,
        family=family,
        source=f"{INEX_EVAL}; {INEX06}",
        needs=PASSAGE_NEEDS,
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
            per_topic=lambda data, _values, cutoffs: recall_after(unscored(data), cutoffs),
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
            per_topic=lambda data, values, cutoffs: values_at_levels(
                precision_at_tenths(scored(data, values)), cutoffs
            ),
            cutoffs=TENTHS,
            x_label="generalised recall",
            y_label="highest generalised precision",
        ),
    )


_LARGEST = 1e300
"""From this beta squared on, F is recall; its formula would overflow."""


def _sum_per_article(retrieved: RetrievedText, values: IntArray) -> IntArray:
    """Sum of a value over the results of each article."""
    sums = np.zeros(retrieved.articles, dtype=np.int64)
    np.add.at(sums, retrieved.article, values)
    return sums


def f_scores(found: RetrievedText, beta: float) -> FloatArray:
    """F = (1 + beta²) P R / (beta² P + R) of the characters retrieved in each article.

    P: relevant characters retrieved / characters retrieved; R: relevant characters retrieved / relevant characters. A
    small beta looks at precision.
    """
    retrieved = _sum_per_article(found, found.size)
    relevant = _sum_per_article(found, found.relevant_size)
    scored = (relevant > 0) & found.is_relevant & (retrieved > 0)
    precision = relevant[scored] / retrieved[scored]
    recall = relevant[scored] / found.article_relevant[scored]
    scores = np.zeros(found.articles)
    weight = beta * beta
    if weight < _LARGEST:
        scores[scored] = (1.0 + weight) * precision * recall / (weight * precision + recall)
    else:
        scores[scored] = recall  # to the last digit
    return scores


RELEVANT_IN_CONTEXT = measures_of_articles(
    "ric",
    "",
    Parameter("beta", 0.25, "weight of recall in F; 1 in 2006-2008", low=0.0),
    Requirement.BLOCKS,
    f_scores,
    "S is F = (1 + beta²) P R / (beta² P + R) of the characters retrieved in the article (relevant in context).",
)


def entry_scores(results: RetrievedText, n: float) -> FloatArray:
    """(n - d) / n for d <= n, else 0; d: characters between the best entry point and the start of the article's result.

    0 too in an article without a best entry point, and for a result that points to nothing.
    """
    first = np.unique(results.article, return_index=True)[1]
    bep = np.append(results.judged.bep, -1)[results.row]
    distance = abs(bep - results.start[first])
    scored = results.is_relevant & (bep >= 0) & results.has_extent[first]
    return np.where(scored, (n - np.minimum(distance, n)) / n, 0.0)


BEST_IN_CONTEXT = measures_of_articles(
    "bic",
    "bic_",
    Parameter(
        "n", 500.0, "distance from the best entry point, in characters, at which the score is 0", low=0.0, open_low=True
    ),
    Requirement.ONE_RESULT,
    entry_scores,
    "S is max(0, (n - d) / n), d the distance from the best entry point of a relevant article (best in context).",
)


def reading_scores(results: RetrievedText, tolerance: float) -> FloatArray:
    """Relevant characters read / characters read in each article, shape (A,); 0 where it is not relevant.

    The user reads the retrieved text of the article in the order of the text, then the rest of it from the beginning,
    and stops with the `tolerance`-th irrelevant character. Text beyond the end of the article is irrelevant; the rest
    ends where the article or the last result in it ends.
    """
    scores, judged = np.zeros(results.articles), results.judged
    articles = np.flatnonzero(results.is_relevant)
    if not len(articles):
        return scores
    rows = np.flatnonzero(results.is_relevant[results.article] & results.has_extent)
    stop = np.zeros(results.articles, dtype=np.int64)
    stop[articles] = np.maximum(judged.length[results.row[articles]], 0)
    np.maximum.at(stop, results.article[rows], results.end[rows])
    passages, owner = results.passages(articles)
    columns = (
        (articles, np.zeros(len(articles), dtype=np.int64)),
        (articles, stop[articles]),
        (results.article[rows], results.start[rows]),
        (results.article[rows], results.end[rows]),
        (owner, judged.start[passages]),
        (owner, judged.end[passages]),
    )
    article, position = (np.concatenate(column) for column in zip(*columns, strict=True))
    segments, number = cut_segments(article, position)
    ends = np.cumsum([len(column[0]) for column in columns])[:-1]
    _, _, low, high, begin, finish = np.split(number, ends)
    first = segments.count_covering(low, high) > 0  # read first, as retrieved; then what lies between 0 and the stop
    order = np.lexsort((~first, segments.article))
    inside = (segments.start >= 0) & (segments.start < stop[segments.article])
    length = np.where(first | inside, segments.length, 0)[order]
    relevant = (segments.count_covering(begin, finish) > 0)[order]
    of_article = np.flatnonzero(np.diff(segments.article[order], prepend=-1))  # every article has a segment
    irrelevant = np.where(relevant, 0, length)
    before = np.cumsum(irrelevant) - irrelevant
    before -= np.repeat(before[of_article], np.diff(of_article, append=len(order)))
    read = np.add.reduceat(np.where(relevant & (before < tolerance), length, 0), of_article)
    wasted = np.minimum(np.add.reduceat(irrelevant, of_article), tolerance)
    scores[articles] = np.divide(read, read + wasted, out=np.zeros(len(read)), where=read > 0)
    return scores


TOLERANCE_TO_IRRELEVANCE = measures_of_articles(
    "t2i",
    "t2i_",
    Parameter("tolerance", 300.0, "irrelevant characters after which the user stops; 0: before reading any", low=0.0),
    Requirement.BLOCKS,
    reading_scores,
    "S is relevant / all characters read, by a user who reads what is retrieved in the article, then the rest of it, "
    "and stops with the irrelevant character that uses up the tolerance (relevant in context 2010).",
)


# Sizes and sets.

_COUNTS = Parameter("counts", "articles", f"{COUNTS_HELP}, no lengths", ("articles", "ranks", "points"))


def _size(
    name: str,
    summary: str,
    of: Callable[[Lengths], int],
    direction: Direction = Direction.NEITHER,
    *,
    retrieved: bool = True,
) -> Measure:
    """A count of characters, of retrieved text or (not `retrieved`) of the assessments alone."""

    def per_topic(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
        counts = str(values["counts"])
        if counts == "articles":
            return of(result_lengths(data, values))
        results = validated_results(data, counts)
        return 0 if retrieved and counts == "points" else of(full_lengths(results))

    return Measure(
        name,
        "sizes",
        summary,
        f"{summary[0].upper()}{summary[1:]}; summed over topics, not averaged. With counts=ranks and counts=points the "
        "sum runs over all judged topics, whatever the run has, and with counts=points results have no length.",
        INEX_EVAL,
        Shape.COUNT,
        per_topic,
        PASSAGE_NEEDS,
        parameters=(PASSAGE_OVERLAP_PARAMETER, _COUNTS),
        without_targets=True,
        bounded=False,
        direction=direction,
        is_count=True,
        empty_list="0" if retrieved else "what is judged",
        over_all=sums_over_all_topics,
    )


SIZES = (
    _size("ret_size", "characters retrieved", lambda lengths: int(lengths.size.sum())),
    _size("rel_size", "relevant characters", lambda lengths: lengths.total, retrieved=False),
    _size(
        "rel_ret_size", "relevant characters retrieved", lambda lengths: int(lengths.relevant.sum()), Direction.HIGHER
    ),
)


def precision_recall_f1(part: int, retrieved: int, relevant: int) -> tuple[float, float, float]:
    """Precision, recall and F1 = 2 P R / (P + R) of a set with `part` relevant members.

    Precision of an empty set is 0, F1 is 0 if precision is; recall is NaN if nothing is relevant.

    >>> precision_recall_f1(1, 4, 2)
    (0.25, 0.5, 0.3333333333333333)
    """
    precision = part / retrieved if retrieved else 0.0
    recall = part / relevant if relevant else float("nan")
    return precision, recall, 2 * precision * recall / (precision + recall) if precision else 0.0


def _articles(data: TopicData, values: ParameterValues) -> tuple[float, float, float]:
    result_lengths(data, values)  # the same runs are refused
    results = checked_results(data, Requirement.NOTHING)
    return precision_recall_f1(int(np.count_nonzero(results.is_relevant)), results.articles, results.judged.count)


def _characters(data: TopicData, values: ParameterValues) -> tuple[float, float, float]:
    lengths = result_lengths(data, values)
    return precision_recall_f1(int(lengths.relevant.sum()), int(lengths.size.sum()), lengths.total)


def _set_measures(
    before: str, noun: str, of: Callable[[TopicData, ParameterValues], tuple[float, float, float]], text: str
) -> tuple[Measure, ...]:
    """Precision, recall and F1 of articles or of characters."""

    def measure(number: int, name: str, summary: str) -> Measure:
        def per_topic(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
            return of(data, values)[number]

        return Measure(
            f"{before}_{name}",
            "text_sets",
            summary,
            f"{text} The order of the results has no part in it. F1 = 2 P R / (P + R), 0 where P is. Recall has no "
            "value where nothing is relevant: the topic is left out of its mean.",
            INEX_EVAL,
            Shape.SCALAR,
            per_topic,
            PASSAGE_NEEDS,
            parameters=(PASSAGE_OVERLAP_PARAMETER,),
            without_targets=True,
            needs_relevance=name == "rec",
        )

    return (
        measure(0, "prec", f"share of retrieved {noun} that are relevant"),
        measure(1, "rec", f"share of relevant {noun} that are retrieved"),
        measure(2, "f1", f"harmonic mean of {before}_prec and {before}_rec"),
    )


TEXT_SETS = (
    *_set_measures(
        "art",
        "articles",
        _articles,
        "Over distinct articles retrieved; an article is relevant if it holds relevant text.",
    ),
    *_set_measures(
        "char",
        "characters",
        _characters,
        "Over characters retrieved; a result that points to nothing has 18, as in the official tool.",
    ),
)


MEASURES = (
    *RELEVANT_IN_CONTEXT,
    *FOCUSED,
    *BEST_IN_CONTEXT,
    *TOLERANCE_TO_IRRELEVANCE,
    *TEXT_SETS,
    *SIZES,
)
