"""Relevant in context: an article is worth the F-measure of the characters that were retrieved in it.

Source: inex_eval 3.1, task -r; Lalmas et al., INEX 2006 Evaluation Measures, section 6.
"""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.measures.passages.generalised import measures_of_articles
from prum_eval.measures.passages.refusals import Demand
from prum_eval.measures.passages.retrieved import Retrieved
from prum_eval.parameters import Parameter

_LARGEST = 1e300
"""From this beta squared on F is recall, and its formula leaves the range of numbers."""


def _per_article(found: Retrieved, values: IntArray) -> IntArray:
    """Sum of a value over the results of each article."""
    sums = np.zeros(found.articles, dtype=np.int64)
    np.add.at(sums, found.article, values)
    return sums


def f_scores(found: Retrieved, beta: float) -> FloatArray:
    """F = (1 + beta²) P R / (beta² P + R) of the characters retrieved in each article.

    P: relevant characters retrieved / characters retrieved; R: relevant characters retrieved / relevant characters. A
    small beta looks at precision.
    """
    retrieved = _per_article(found, found.size)
    relevant = _per_article(found, found.relevant_size)
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


MEASURES = measures_of_articles(
    "ric",
    "",
    Parameter("beta", 0.25, "weight of recall in F; 1 in 2006-2008", low=0.0),
    Demand.BLOCKS,
    f_scores,
    "S is F = (1 + beta²) P R / (beta² P + R) of the characters retrieved in the article (relevant in context).",
)
