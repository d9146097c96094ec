"""What becomes of the differences between runs on random, disjoint sets of the topics.

Conventions. ``differences`` has shape (pairs, topics), without NaN: the values of one run minus those of another, 0
where they are equal but for rounding. Counts have shape (pairs,), over the sets drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.numerics.resampling import orders

_ROUNDING = 1e-12
_CELLS = 1 << 22


@dataclass(frozen=True)
class Drawn:
    """What `trials` draws of two disjoint sets of `size` topics show.

    `swaps`: draws in which the sets say opposite things of a pair. `greater` and `less`: draws in which the first run
    of the pair is better or worse by the first set, by more than the fuzziness. `tau`: Kendall's tau-b between the
    orders of the runs by both sets, the mean over the draws in which it is defined; None where it is in none.
    """

    size: int
    trials: int
    swaps: IntArray
    greater: IntArray
    less: IntArray
    tau: float | None

    @property
    def swap_rate(self) -> float:
        """Share of pairs and draws that swap (Voorhees and Buckley, SIGIR 2002)."""
        return float(self.swaps.sum()) / (self.trials * len(self.swaps))

    @property
    def error_rate(self) -> float:
        """Share of pairs and draws in which a pair stands the way that it stands less often.

        Buckley and Voorhees, Evaluating evaluation measure stability, SIGIR 2000.
        """
        return float(np.minimum(self.greater, self.less).sum()) / (self.trials * len(self.greater))

    @property
    def ties(self) -> float:
        """Share of pairs and draws in which the means differ by no more than the fuzziness (likewise)."""
        return 1.0 - float((self.greater + self.less).sum()) / (self.trials * len(self.greater))


def topic_sets(seed: int, trials: int, topics: int, size: int) -> Iterator[IntArray]:
    """Two disjoint sets of topics a trial: the first `size` columns and the rest; chunks of shape (some, 2 size).

    Larger sets of the same seed hold the smaller first ones.
    """
    for order in orders(seed, trials, topics):
        yield np.concatenate((order[:, :size], order[:, topics - size :]), axis=1)


def drawn(
    differences: FloatArray, values: FloatArray, pairs: IntArray, size: int, fuzziness: float, seed: int, trials: int
) -> Drawn:
    """Draw sets of `size` topics, at most half of them, and count.

    Args:
        differences: as above.
        values: of the runs, shape (runs, topics).
        pairs: places of the two runs of each difference, shape (pairs, 2).
        size: topics of a set.
        fuzziness: means tie that differ by no more than this share of the larger one.
        seed: of the draws.
        trials: draws.
    """
    counts = np.zeros((3, len(differences)), dtype=np.int64)
    taus: list[float] = []
    size_of, topics = np.abs(differences), differences.shape[1]
    step = max(1, _CELLS // (len(differences) + topics))
    for chosen in topic_sets(seed, trials, topics, size):
        for start in range(0, len(chosen), step):
            weights = np.zeros((2, len(chosen[start : start + step]), topics))
            for weight, columns in zip(weights, np.split(chosen[start : start + step], 2, axis=1), strict=True):
                np.put_along_axis(weight, columns, 1.0, axis=1)
            first, second = (_sums(differences, size_of, weight) for weight in weights)
            larger = np.abs(values @ weights[0].T)[pairs].max(axis=1)
            clear = np.abs(first) > fuzziness * larger * (1 + _ROUNDING)
            agree = np.sign(first) * np.sign(second)
            counts += [one.sum(axis=1) for one in (agree < 0, clear & (first > 0), clear & (first < 0))]
            untied = np.sqrt((first != 0).sum(axis=0) * (second != 0).sum(axis=0))
            taus += (agree.sum(axis=0)[untied > 0] / untied[untied > 0]).tolist()
    swaps, greater, less = counts
    return Drawn(size, trials, swaps, greater, less, float(np.mean(taus)) if taus else None)


def _sums(differences: FloatArray, size_of: FloatArray, weights: FloatArray) -> FloatArray:
    """Sums of differences over sets, shape (pairs, sets); 0 where they cancel out but for rounding."""
    found = differences @ weights.T
    found[np.abs(found) <= _ROUNDING * (size_of @ weights.T)] = 0.0
    return found
