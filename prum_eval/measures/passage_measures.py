"""Passage measures of INEX: focused, relevant in context, best in context, T2I, sizes and sets of text.

Conventions. Curves are those of many topics, one after the other. Of one topic, S_i and R_i are the characters and the
relevant characters of the first i results, T all relevant characters. In context, S(d_r) is the score in [0, 1] of the
article at rank r, 0 if it is not relevant; A articles were retrieved, L of all are relevant. Relevant in context (task
-r) scores an article by the F-measure of the characters retrieved in it, best in context (-b) by the distance of its
one result from its best entry point, relevant in context of 2010 (-i) by T2I: a user reads until irrelevant text has
used up a tolerance.

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
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from prum_eval.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    accumulate_groups,
    concatenated_ranges,
    group_numbers,
    sums_of_groups,
)
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
from prum_eval.measures.topic_data import TopicBatch
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

    Returns:
        Shape (topics, 101).
    """
    read, relevant = (_cumulative_counts(counts, lengths.bounds) for counts in (lengths.size, lengths.relevant))
    total = np.repeat(lengths.total, np.diff(lengths.bounds))
    precision, recall = np.zeros((2, len(read)))
    np.divide(relevant, read, out=precision, where=read > 0)
    np.divide(relevant, total, out=recall, where=total > 0)
    hundredths = np.floor(100.0 * recall)
    precision[(total == 0) | (hundredths >= _POINTS)] = 0.0
    return _highest_values(precision, hundredths, lengths.bounds, _POINTS)


def _cumulative_counts(counts: IntArray, bounds: IntArray) -> IntArray:
    """Cumulative sums within each group."""
    sums = np.concatenate(([0], np.cumsum(counts)))
    return np.asarray(sums[1:] - np.repeat(sums[bounds[:-1]], np.diff(bounds)))


def _highest_values(values: FloatArray, points: FloatArray, bounds: IntArray, count: int) -> FloatArray:
    """Highest value of each group at the points k or later, for k = 0..count - 1; 0 if there is none."""
    table = np.zeros((len(bounds) - 1, count))
    np.maximum.at(table, (group_numbers(bounds), np.minimum(points, count - 1).astype(np.int64)), values)
    return np.maximum.accumulate(table[:, ::-1], axis=1)[:, ::-1]


def _curves(batch: TopicBatch, values: ParameterValues) -> FloatArray:
    key = ("iP", values["overlap"])
    return batch.memo.get_or_compute(key, lambda: precision_at_hundredths(result_lengths(batch, values)))


def _ip(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    return values_at_levels(_curves(batch, values), cutoffs)


def _maip(batch: TopicBatch, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    return np.array([[math.fsum(curve) / _POINTS] for curve in _curves(batch, values).tolist()])


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
        per_batch=_ip,
        cutoffs=(0.0, 0.01, 0.05, 0.1),
        y_label="interpolated precision, in characters",
    ),
    _measure(
        name="maip",
        summary="mean average interpolated precision, in characters",
        explanation=f"AiP = mean of iP at the 101 points .00, .01, ... 1.00. {_TEXT}",
        shape=Shape.SCALAR,
        per_batch=_maip,
    ),
)


# In-context tasks: rankings of articles.


@dataclass(frozen=True)
class ScoredArticles:
    """Articles in the order of the run, those of topic i in the rows ``bounds[i]:bounds[i + 1]``.

    `score` and `relevant`: of each article, shape (A,); `relevant_count`: L of each topic.
    """

    bounds: IntArray
    score: FloatArray
    relevant: BoolArray
    relevant_count: IntArray

    @cached_property
    def total_scores(self) -> FloatArray:
        """S(d_1) + ... + S(d_r), shape (A,)."""
        return accumulate_groups(self.score, self.bounds)

    @cached_property
    def precision(self) -> FloatArray:
        """The curves gP[r] = (S(d_1) + ... + S(d_r)) / r, shape (A,)."""
        return self.total_scores / concatenated_ranges(1, np.diff(self.bounds))

    @cached_property
    def recall(self) -> FloatArray:
        """The curves gR[r] = relevant articles among the first r / L, shape (A,); 0 without relevant articles."""
        counts = _cumulative_counts(self.relevant.astype(np.int64), self.bounds)
        return counts / np.maximum(np.repeat(self.relevant_count, np.diff(self.bounds)), 1)

    def last_ranks(self, ranks: FloatArray) -> IntArray:
        """Ranks, cut at the last article of each topic, shape (topics, ranks)."""
        return np.minimum(ranks.astype(np.int64), np.diff(self.bounds)[:, None])

    def values_after(self, curve: FloatArray, last: IntArray) -> FloatArray:
        """Values of a curve after ranks as `last_ranks` gives them; 0 after rank 0."""
        return np.where(last > 0, np.append(0.0, curve)[self.bounds[:-1, None] + last], 0.0)


def precision_after(scored: ScoredArticles, ranks: FloatArray, *, repeat: bool) -> FloatArray:
    """GP at these ranks; past the last article m it is gP[m] with `repeat`, else the sum of scores over the rank."""
    last = scored.last_ranks(ranks)
    values: FloatArray = scored.values_after(scored.total_scores, last) / (np.maximum(last, 1) if repeat else ranks)
    return values


def recall_after(scored: ScoredArticles, ranks: FloatArray) -> FloatArray:
    """GR at these ranks; past the last article it stays."""
    return scored.values_after(scored.recall, scored.last_ranks(ranks))


def mean_precision(scored: ScoredArticles) -> FloatArray:
    """AgP = the sum of gP[r] over the ranks r of relevant articles (even with score 0) / L; NaN without any."""
    precision = np.where(scored.relevant, scored.precision, 0.0).tolist()
    sums = np.array([math.fsum(precision[low:high]) for low, high in pairwise(scored.bounds.tolist())])
    means = np.full(len(sums), np.nan)
    np.divide(sums, scored.relevant_count, out=means, where=scored.relevant_count > 0)
    return means


def precision_at_tenths(scored: ScoredArticles) -> FloatArray:
    """Highest gP[r] with floor(10.0 gR[r]) >= k, for k = 0..10; 0 where there is none; shape (topics, 11)."""
    return _highest_values(scored.precision, np.floor(10.0 * scored.recall), scored.bounds, len(TENTHS))


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

    def scored(batch: TopicBatch, values: ParameterValues) -> ScoredArticles:
        value = float(values[parameter.name])

        def make() -> ScoredArticles:
            retrieved = checked_results(batch, requirement)
            return score_articles(retrieved, scores(retrieved, value))

        return batch.memo.get_or_compute((family, value), make)

    def gp(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
        return precision_after(scored(batch, values), cutoffs, repeat=values["short"] == "repeat")

    def gr(batch: TopicBatch, _values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
        retrieved = checked_results(batch, requirement)
        return recall_after(score_articles(retrieved, np.zeros(len(retrieved.row))), cutoffs)

    def magp(batch: TopicBatch, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
        return mean_precision(scored(batch, values))[:, None]

    def gp_at_gr(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
        return values_at_levels(precision_at_tenths(scored(batch, values)), cutoffs)

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
            per_batch=gp,
            parameters=(parameter, _SHORT),
            y_label="generalised precision",
        ),
        after(
            name=f"{before}gR",
            summary="generalised recall after K articles",
            explanation="Relevant articles among the first K / relevant articles, whatever their score S. " + text,
            per_batch=gr,
            parameters=(),
            y_label="generalised recall",
        ),
        measure(
            name=f"{before}magp",
            summary="mean average generalised precision",
            explanation="AgP = sum of gP at the ranks of relevant articles / relevant articles; a topic without any "
            f"is left out. {text}",
            shape=Shape.SCALAR,
            per_batch=magp,
            needs_relevance=True,
        ),
        measure(
            name=f"{before}gP_at_gR",
            summary="highest generalised precision at generalised recall X",
            explanation=f"Highest gP at a rank with gR of X or more, recall in whole tenths, floor(10 gR). {text}",
            shape=Shape.AT_LEVELS,
            per_batch=gp_at_gr,
            cutoffs=TENTHS,
            x_label="generalised recall",
            y_label="highest generalised precision",
        ),
    )


def score_articles(retrieved: RetrievedText, scores: FloatArray) -> ScoredArticles:
    """The articles of retrieved text with their scores."""
    bounds, counts = retrieved.article_bounds, retrieved.judged_relevant_counts
    return ScoredArticles(bounds, scores, retrieved.is_relevant, counts)


_LARGEST = 1e300
"""From this beta squared on, F is recall; its formula would overflow."""


def _sum_per_article(retrieved: RetrievedText, values: IntArray) -> IntArray:
    """Sum of a value over the results of each article."""
    sums = np.zeros(len(retrieved.row), dtype=np.int64)
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
    scores = np.zeros(len(found.row))
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
    scores, judged = np.zeros(len(results.row)), results.judged
    articles = np.flatnonzero(results.is_relevant)
    if not len(articles):
        return scores
    rows = np.flatnonzero(results.is_relevant[results.article] & results.has_extent)
    stop = np.zeros(len(results.row), dtype=np.int64)
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
    of: Callable[[Lengths], IntArray],
    direction: Direction = Direction.NEITHER,
    *,
    retrieved: bool = True,
) -> Measure:
    """A count of characters, of retrieved text or (not `retrieved`) of the assessments alone."""

    def compute(batch: TopicBatch, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
        counts = str(values["counts"])
        if counts == "articles":
            sizes = of(result_lengths(batch, values))
        else:
            results = validated_results(batch, counts)
            sizes = of(full_lengths(results)) * (not (retrieved and counts == "points"))
        return sizes[:, None].astype(np.float64)

    return Measure(
        name,
        "sizes",
        summary,
        f"{summary[0].upper()}{summary[1:]}; summed over topics, not averaged. With counts=ranks and counts=points the "
        "sum runs over all judged topics, whatever the run has, and with counts=points results have no length.",
        INEX_EVAL,
        Shape.COUNT,
        per_batch=compute,
        needs=PASSAGE_NEEDS,
        parameters=(PASSAGE_OVERLAP_PARAMETER, _COUNTS),
        without_targets=True,
        bounded=False,
        direction=direction,
        is_count=True,
        empty_list="0" if retrieved else "what is judged",
        over_all=sums_over_all_topics,
    )


def _read_sizes(lengths: Lengths) -> IntArray:
    return sums_of_groups(lengths.size, lengths.bounds)


def _relevant_sizes(lengths: Lengths) -> IntArray:
    return sums_of_groups(lengths.relevant, lengths.bounds)


SIZES = (
    _size("ret_size", "characters retrieved", _read_sizes),
    _size("rel_size", "relevant characters", lambda lengths: lengths.total, retrieved=False),
    _size("rel_ret_size", "relevant characters retrieved", _relevant_sizes, Direction.HIGHER),
)


def precision_recall_f1(
    part: IntArray, retrieved: IntArray, relevant: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Precision, recall and F1 = 2 P R / (P + R) of sets with `part` relevant members.

    Precision of an empty set is 0, F1 is 0 if precision is; recall is NaN if nothing is relevant.

    >>> [column.tolist() for column in precision_recall_f1(*np.array([[1], [4], [2]]))]
    [[0.25], [0.5], [0.3333333333333333]]
    """
    precision = np.divide(part, retrieved, out=np.zeros(len(part)), where=retrieved > 0)
    recall = np.divide(part, relevant, out=np.full(len(part), np.nan), where=relevant > 0)
    f1 = np.divide(2 * precision * recall, precision + recall, out=np.zeros(len(part)), where=precision > 0)
    return precision, recall, f1


def _articles(batch: TopicBatch, values: ParameterValues) -> tuple[FloatArray, FloatArray, FloatArray]:
    result_lengths(batch, values)  # the same runs are refused
    results = checked_results(batch, Requirement.NOTHING)
    return precision_recall_f1(results.relevant_counts, np.diff(results.article_bounds), results.judged_relevant_counts)


def _characters(batch: TopicBatch, values: ParameterValues) -> tuple[FloatArray, FloatArray, FloatArray]:
    lengths = result_lengths(batch, values)
    return precision_recall_f1(_relevant_sizes(lengths), _read_sizes(lengths), lengths.total)


def _set_measures(
    before: str,
    noun: str,
    of: Callable[[TopicBatch, ParameterValues], tuple[FloatArray, FloatArray, FloatArray]],
    text: str,
) -> tuple[Measure, ...]:
    """Precision, recall and F1 of articles or of characters."""

    def measure(number: int, name: str, summary: str) -> Measure:
        def compute(batch: TopicBatch, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
            return of(batch, values)[number][:, None]

        return Measure(
            f"{before}_{name}",
            "text_sets",
            summary,
            f"{text} The order of the results has no part in it. F1 = 2 P R / (P + R), 0 where P is. Recall has no "
            "value where nothing is relevant: the topic is left out of its mean.",
            INEX_EVAL,
            Shape.SCALAR,
            per_batch=compute,
            needs=PASSAGE_NEEDS,
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
