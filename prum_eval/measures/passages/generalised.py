"""In-context tasks: a ranking of articles, each with a score in [0, 1] for what was retrieved in it.

Conventions. S(d_r) is the score of the article at rank r, 0 where it is not relevant; A articles were retrieved, L of
all are relevant. Source: inex_eval 3.1, tasks -r, -b and -i; Lalmas et al., INEX 2006 Evaluation Measures, section 6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray
from prum_eval.numerics.levels import total

TENTHS = 10
"""Generalised recall is read at whole tenths."""


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


def precision_at(scored: Scored, ranks: FloatArray, *, repeat: bool) -> FloatArray:
    """GP at these ranks; past the last article m it is gP[m] with `repeat`, else the sum of scores over the rank."""
    if not len(scored.score):
        return np.zeros(len(ranks))
    last = np.minimum(ranks.astype(np.int64), len(scored.score))
    values: FloatArray = np.cumsum(scored.score)[last - 1] / (last if repeat else ranks)
    return values


def recall_at(scored: Scored, ranks: FloatArray) -> FloatArray:
    """GR at these ranks; past the last article it stays."""
    found = np.concatenate(([0.0], scored.recall))
    return found[np.minimum(ranks.astype(np.int64), len(scored.score))]


def average_precision(scored: Scored) -> float:
    """AgP = the sum of gP[r] over the ranks r of relevant articles (even with score 0) / L; NaN without any."""
    if not scored.count:
        return float("nan")
    return total(scored.precision[scored.relevant].tolist()) / scored.count


def precision_at_recall(scored: Scored) -> FloatArray:
    """Highest gP[r] with floor(10.0 gR[r]) >= k, for k = 0..10; 0 where there is none."""
    tenths = np.floor(10.0 * scored.recall)
    best = np.append(np.maximum.accumulate(scored.precision[::-1])[::-1], 0.0)
    return best[np.searchsorted(tenths, np.arange(TENTHS + 1.0))]
