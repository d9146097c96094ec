"""An oracle of the passage measures that reads one character after the other, straight from the definitions.

A world is (judged, results): judged maps an article to (length, best entry point, passages as (start, end)), results
are (article, start, end) in the order of the run, or (article, None, None) for a result that points to nothing.
"""

from __future__ import annotations

import math
from fractions import Fraction

UNKNOWN = 18


def relevant_of(judged, article):
    """The characters that are relevant."""
    _, _, passages = judged.get(article, (0, -1, []))
    return {c for start, end in passages for c in range(start, end)}


def lengths(judged, results, *, novel):
    """(characters, relevant characters) that each result adds."""
    seen = {article: set() for article, _, _ in results}
    found = []
    for article, start, end in results:
        relevant = relevant_of(judged, article)
        if start is None:
            found.append((0 if novel and relevant else UNKNOWN, 0))
            continue
        own = set(range(start, end))
        if novel and relevant:
            own -= seen[article]
        seen[article] |= own
        found.append((len(own), len(own & relevant)))
    return found


def interpolated(judged, results, *, novel):
    """IP at 101 points."""
    total = sum(len(relevant_of(judged, article)) for article in judged)
    best, read, good = [0.0] * 101, 0, 0
    for size, relevant in lengths(judged, results, novel=novel):
        read, good = read + size, good + relevant
        if total and read:
            for k in range(math.floor(100.0 * (good / total)) + 1):
                best[k] = max(best[k], good / read)
    return best


def articles(results):
    """Articles in the order of their first result."""
    return list(dict.fromkeys(article for article, _, _ in results))


def f_score(judged, results, article, beta):
    """F of the characters retrieved in an article."""
    relevant = relevant_of(judged, article)
    parts = [(size, good) for (own, _, _), (size, good) in
             zip(results, lengths(judged, results, novel=False), strict=True) if own == article]  # fmt: skip
    size, good = (sum(column) for column in zip(*parts, strict=True))
    if not good:
        return 0.0
    precision, recall = Fraction(good, size), Fraction(good, len(relevant))
    weight = Fraction(beta) ** 2
    return float((1 + weight) * precision * recall / (weight * precision + recall))


def entry_score(judged, results, article, n):
    """Nearness of the article's first result to its best entry point."""
    _, bep, _ = judged.get(article, (0, -1, []))
    start = next(start for own, start, _ in results if own == article)
    if not relevant_of(judged, article) or bep < 0 or start is None or abs(bep - start) > n:
        return 0.0
    return float(Fraction(n - abs(bep - start), n))


def reading_score(judged, results, article, tolerance):
    """Share of relevant characters read, until the tolerance is used up."""
    relevant = relevant_of(judged, article)
    if not relevant:
        return 0.0
    spans = sorted((start, end) for own, start, end in results if own == article and start is not None)
    first = [c for start, end in spans for c in range(start, end)]
    end = max([judged[article][0], *(end for _, end in spans)])
    good = bad = 0
    for c in [*first, *(c for c in range(end) if c not in set(first))]:
        if bad == tolerance:
            break
        if c in relevant:
            good += 1
        else:
            bad += 1
    return good / (good + bad) if good else 0.0


def generalised(judged, results, scores):
    """(gP by rank, gR by rank, AgP, gP at gR 0, .1 ... 1) of the articles, with the score of each."""
    ranked = articles(results)
    wanted = sum(bool(relevant_of(judged, article)) for article in judged)
    precision = [sum(scores[: r + 1]) / (r + 1) for r in range(len(ranked))]
    hits = [bool(relevant_of(judged, article)) for article in ranked]
    recall = [sum(hits[: r + 1]) / wanted if wanted else 0.0 for r in range(len(ranked))]
    agp = sum(p for p, hit in zip(precision, hits, strict=True) if hit) / wanted if wanted else None
    at = [
        max([p for p, g in zip(precision, recall, strict=True) if math.floor(10.0 * g) >= k], default=0.0)
        for k in range(11)
    ]
    return precision, recall, agp, at
