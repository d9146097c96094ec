"""Pearson's r, Kendall's tau-b and tau-ap, of many resamples at once.

Conventions. Items have values ``x`` and ``y``, shape (n,), higher is better; ``group`` says which of m groups (a run,
with one value a topic) each item belongs to. ``weights`` has shape (b, m): how often each group counts in each of b
resamples; a group that counts twice is there twice, tied with itself. A row of ones is the sample itself. Results
have shape (b,); NaN where a coefficient is not defined.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray, IntArray

_CELLS = 1 << 22
"""About so many cells of a comparison of all items with all at a time."""


def pearson(x: FloatArray, y: FloatArray, group: IntArray, weights: FloatArray) -> FloatArray:
    """The product-moment correlation of the weighted items.

    >>> one, each = np.ones((1, 3)), np.arange(3)
    >>> pearson(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]), each, one).round(12).tolist()
    [1.0]
    """
    x, y = x - x.mean(), y - y.mean()
    parts = (np.ones(len(x)), x, y, x * x, y * y, x * y)
    sums = np.stack([np.bincount(group, part, minlength=weights.shape[1]) for part in parts])
    n, sx, sy, sxx, syy, sxy = (weights @ sums.T).T
    scatter_x, scatter_y = sxx - sx * sx / n, syy - sy * sy / n
    scatter_x[scatter_x <= 1e-12 * sxx] = 0.0
    scatter_y[scatter_y <= 1e-12 * syy] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = (sxy - sx * sy / n) / np.sqrt(scatter_x * scatter_y)
    return np.clip(found, -1.0, 1.0)


@dataclass(frozen=True)
class Order:
    """How items of two rankings lie to each other, counted by group; arrays of shape (n, m).

    For item i and group g: `above_x` counts the items j of g with x_j > x_i, `above_y` those with y_j > y_i,
    `concordant` those with both, `discordant` those with y_j > y_i and x_j < x_i.
    """

    group: IntArray
    above_x: FloatArray
    above_y: FloatArray
    concordant: FloatArray
    discordant: FloatArray

    def tau_b(self, weights: FloatArray) -> FloatArray:
        """Kendall's tau-b: (concordant - discordant) / sqrt(pairs untied in x, pairs untied in y).

        Kendall, The treatment of ties in ranking problems, Biometrika 33, 1945.
        """
        members = weights[:, self.group]
        agree, untied_x, untied_y = (
            ((weights @ part.T) * members).sum(axis=1)
            for part in (self.concordant - self.discordant, self.above_x, self.above_y)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            found: FloatArray = agree / np.sqrt(untied_x * untied_y)
        return found

    def tau_ap(self, weights: FloatArray) -> FloatArray:
        """The AP correlation: like tau, but an exchange near the top weighs more.

        Of a ranking against another, tau_ap = 2 / (n - 1) sum over i = 2..n of C(i) / (i - 1) - 1, where C(i) counts
        the items above rank i that are above its item in the other ranking too (Yilmaz, Aslam, Robertson, A new rank
        correlation coefficient for information retrieval, SIGIR 2008). Neither measure being the truth, it is the mean
        of both directions, their symmetric form; with ties it is tau_ap,b: i - 1 is the number of items strictly above,
        items that share the first rank are left out, tied items are not concordant (Urbano and Marrero, The treatment
        of ties in AP correlation, ICTIR 2017).
        """
        return (self.tau_ap_of_x(weights) + self.tau_ap_of_y(weights)) / 2

    def tau_ap_of_x(self, weights: FloatArray) -> FloatArray:
        """The AP correlation of the order by x, that by y being the truth."""
        return self._tau_ap(self.above_x, weights)

    def tau_ap_of_y(self, weights: FloatArray) -> FloatArray:
        """The AP correlation of the order by y, that by x being the truth."""
        return self._tau_ap(self.above_y, weights)

    def _tau_ap(self, above: FloatArray, weights: FloatArray) -> FloatArray:
        higher = weights @ above.T
        counts = np.where(higher > 0, weights[:, self.group], 0.0)
        agree = weights @ self.concordant.T
        shares = np.divide(agree, higher, out=np.zeros_like(agree), where=higher > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            found: FloatArray = 2 * (shares * counts).sum(axis=1) / counts.sum(axis=1) - 1
        return found


def order(x: FloatArray, y: FloatArray, group: IntArray, groups: int) -> Order:
    """Compare all items with all, a stripe at a time; the time grows with the square of their number."""
    n = len(x)
    by_group = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[by_group], np.arange(groups))
    x_of, y_of = x[by_group], y[by_group]
    counted = np.zeros((4, n, groups))
    stripe = max(1, _CELLS // max(1, n))
    for low in range(0, n, stripe):
        rows = slice(low, low + stripe)
        higher_x, higher_y = x_of > x[rows, None], y_of > y[rows, None]
        lower_x = x_of < x[rows, None]
        for number, hit in enumerate((higher_x, higher_y, higher_x & higher_y, lower_x & higher_y)):
            counted[number, rows] = np.add.reduceat(hit, starts, axis=1, dtype=np.float64)
    return Order(group, *counted)
