"""Full and ideal recall base: which judged elements count."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from prum_eval.collection.trees import parent_path
from prum_eval.formats.records import ElementTopic

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


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
    chosen: list[int] = []
    for low, high in zip(topic.bounds[:-1].tolist(), topic.bounds[1:].tolist(), strict=True):
        rows = [row for row in range(low, high) if gains[row] > 0]
        if rows:
            chosen += _ideal_of_document({topic.paths[row]: row for row in rows}, gains, keep)
    return np.array(sorted(chosen), dtype=np.int64)


def _ideal_of_document(relevant: dict[str, int], gains: FloatArray, keep: Keep) -> list[int]:
    chains = {path: _chain(path, relevant) for path in relevant}
    inner = {above for chain in chains.values() for above in chain[:-1]}
    picked: dict[str, None] = {}
    for path, chain in chains.items():
        if path not in inner:
            picked[max(chain, key=lambda step: gains[relevant[step]])] = None  # max keeps the first: the ancestor
    nested = {(above, path) for path in picked for above in chains[path][:-1] if above in picked}
    dropped = {path for _, path in nested} if keep is Keep.SHORTER else {above for above, _ in nested}
    return [relevant[path] for path in picked if path not in dropped]


def _chain(path: str, relevant: dict[str, int]) -> list[str]:
    """Relevant elements from the root down to `path` itself."""
    chain = []
    while path:
        if path in relevant:
            chain.append(path)
        path = parent_path(path)
    return chain[::-1]
