"""Variances of estimates whose observations come in clusters that are independent of each other.

Conventions: a cluster is a row; scores have shape (clusters, parameters), their sum over clusters is 0 at the estimate.
"""

from __future__ import annotations

import math

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.numerics.student import quantile


def sandwich(scores: FloatArray, information: FloatArray) -> FloatArray | None:
    """Variances of the estimates: H^-1 (sum of s s') H^-1 times G / (G - 1), H the information, s a cluster's score.

    Liang and Zeger, Biometrika 73, 1986. None where the information is singular or there is one cluster.

    >>> sandwich(np.array([[1.0], [-1.0]]), np.array([[4.0]])).tolist()
    [[0.25]]
    """
    clusters = len(scores)
    scale = np.sqrt(np.diag(information))
    if clusters < 2 or not (scale > 0).all():
        return None
    scaled = information / np.outer(scale, scale)
    if np.linalg.cond(scaled) > 1e10:
        return None
    bread = np.linalg.inv(scaled) / np.outer(scale, scale)
    found: FloatArray = bread @ (scores.T @ scores) @ bread * (clusters / (clusters - 1))
    return found


def share_variance(part: FloatArray, whole: FloatArray) -> float | None:
    """Variance of the logit of sum(part) / sum(whole), each with an entry a cluster; None where it is 0 or 1.

    >>> round(share_variance(np.array([1.0, 3.0]), np.array([4.0, 4.0])), 12)
    1.0
    """
    share = part.sum() / whole.sum()
    if len(part) < 2 or not 0 < share < 1:
        return None
    found = sandwich((part - share * whole)[:, None], np.array([[float(whole.sum()) * share * (1 - share)]]))
    return None if found is None else float(found[0, 0])


def half_width(variance: float, clusters: int, alpha: float) -> float:
    """Half of an interval that holds 1 - alpha, by Student's t with clusters - 1 degrees of freedom."""
    return quantile(alpha / 2, clusters - 1) * math.sqrt(variance)
