"""Full and ideal recall base: which judged elements count."""

from __future__ import annotations

from enum import StrEnum
from itertools import groupby
from operator import itemgetter

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.trees import nest, nesting_key
from prum_eval.formats.records import ElementTopic


class Keep(StrEnum):
    """Of two chosen elements that nest, which stays: the outer one (the literal reading) or the inner one."""

    SHORTER = "shorter"
    BEST = "best"


def full_base(gains: FloatArray) -> IntArray:
    """Rows of all relevant elements, in the order of the judgements."""
    return np.flatnonzero(gains > 0)


def ideal_base(topic: ElementTopic, gains: FloatArray, keep: Keep = Keep.SHORTER) -> IntArray:
    """Rows of the ideal recall base, in the order of the judgements.

    For each relevant element without relevant descendants, the element of highest gain on its path from the root,
    ties to the ancestor; of two chosen that nest, one is kept (`keep`). [PRUM] C.3, METRICS section 7.
    """
    relevant = full_base(gains)
    owner = np.searchsorted(topic.bounds, relevant, side="right")
    chosen: list[int] = []
    for _, pairs in groupby(zip(owner.tolist(), relevant.tolist(), strict=True), key=itemgetter(0)):
        rows = [row for _, row in pairs]
        if len(rows) > 1:
            rows = _ideal_of_document([topic.paths[row] for row in rows], rows, gains[rows].tolist(), keep)
        chosen += rows
    return np.array(sorted(chosen), dtype=np.int64)


def _ideal_of_document(paths: list[str], rows: list[int], gains: list[float], keep: Keep) -> list[int]:
    order = sorted(range(len(paths)), key=lambda i: nesting_key(paths[i]))
    parent, end = nest([paths[i] for i in order])
    best: list[int] = []  # of each element, the one of highest gain from the root to it
    for i, above in enumerate(parent):
        inherits = above >= 0 and gains[order[best[above]]] >= gains[order[i]]
        best.append(best[above] if inherits else i)
    picked = {best[i] for i in range(len(order)) if end[i] == i + 1}
    dropped = set()
    for i in picked:
        above = parent[i]
        while above >= 0:
            if above in picked:
                dropped.add(i if keep is Keep.SHORTER else above)
            above = parent[above]
    return [rows[order[i]] for i in picked - dropped]
