"""Scores of the retrieved articles in relevant in context and best in context; shape (A,), 0 where not relevant.

Source: inex_eval 3.1, tasks -r and -b; Lalmas et al., INEX 2006 Evaluation Measures, sections 6 and 7.
"""

from __future__ import annotations

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.measures.passages.retrieved import Retrieved


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
    scores[scored] = (1.0 + beta * beta) * precision * recall / (beta * beta * precision + recall)
    return scores


def entry_scores(found: Retrieved, n: float) -> FloatArray:
    """(n - d) / n for d <= n, else 0; d: characters between the best entry point and the start of the article's result.

    0 too in an article without a best entry point, and for a result that points to nothing.
    """
    first = np.unique(found.article, return_index=True)[1]
    bep = np.append(found.judged.bep, -1)[found.row]
    distance = abs(bep - found.start[first])
    scored = found.is_relevant & (bep >= 0) & found.known[first] & (distance <= n)
    return np.where(scored, (n - distance) / n, 0.0)
