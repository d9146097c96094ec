"""once, rank_decay and items=article, as their definitions read, on a matrix R and the documents of the results."""

import numpy as np


def positions(documents, *, articles):
    """The number (from 0) of the rank, or of the item, that each result belongs to; None is a document nowhere."""
    numbers = []
    for k, document in enumerate(documents):
        together = articles and k > 0 and document is not None and document == documents[k - 1]
        numbers.append(numbers[-1] if together else (numbers[-1] + 1 if numbers else 0))
    return numbers


def modified(R, own, documents, *, once=False, decay=1.0, articles=False, consider=1.0):
    """R after once, then rank_decay, then the joining of items; `own` marks what a result points to itself."""
    R = np.array(R, dtype=np.float64)
    numbers = positions(documents, articles=articles)
    for k, document in enumerate(documents):
        opened = {documents[j] for j in range(k) if numbers[j] < numbers[k]} - {None}
        for x in range(R.shape[1]):
            if own[k][x]:
                continue
            R[k, x] *= decay ** numbers[k]
            if once and document in opened:
                R[k, x] = 0.0
    if not articles:
        return R
    items = np.zeros((max(numbers, default=-1) + 1, R.shape[1]))
    for item in range(len(items)):
        members = [k for k, number in enumerate(numbers) if number == item]
        chances = considered([R[k] for k in members], consider)
        for x in range(R.shape[1]):
            items[item, x] = 1 - np.prod([1 - c * R[k, x] for c, k in zip(chances, members, strict=True)])
    return items


def considered(rows, consider):
    """The probability of considering each element of an item, whose rows of R these are."""
    if not isinstance(consider, str):
        return [consider**j for j in range(len(rows))]
    q, chances = float(consider.removeprefix("useful:")), [1.0]
    for row in rows[:-1]:
        h = 1 - np.prod([1 - p for p in row])
        chances.append(chances[-1] * (h + (1 - h) * q))
    return chances
