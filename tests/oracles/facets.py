"""Facets by enumeration: every set of seen targets, with its probability; and sets of characters.

A world is one document: facets with weights and alternatives, each a list of spans (start, end), and results as spans.
The user model is coverage: R is the share of the target that the result holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

Span = tuple[int, int]


@dataclass
class World:
    """Facets of one question, as weight and alternatives, results of a run, and characters read beyond each."""

    facets: Sequence[tuple[float, Sequence[Sequence[Span]]]]
    results: Sequence[Span]
    beyond: int = 0

    def gold(self) -> list[dict[str, object]]:
        """The facets as rows of relevant spans, a row per span."""
        return [
            {"topic": "1", "doc": "d", "start": start, "end": end, "facet": f, "alternative": a, "weight": weight}
            for f, (weight, alternatives) in enumerate(self.facets)
            for a, spans in enumerate(alternatives)
            for start, end in spans
        ]

    def run(self) -> list[dict[str, object]]:
        """The results as rows of a run."""
        return [{"topic": "1", "doc": "d", "start": start, "end": end} for start, end in self.results]

    @property
    def targets(self) -> list[Span]:
        """Distinct spans in the order of the facets."""
        spans = (span for _, alternatives in self.facets for alternative in alternatives for span in alternative)
        return list(dict.fromkeys(spans))

    @property
    def levels(self) -> list[tuple[float, list[int]]]:
        """Share and facets of each satisfaction level."""
        weights = [weight for weight, _ in self.facets]
        distinct = sorted(set(weights), reverse=True)
        falls = [high - low for high, low in zip(distinct, [*distinct[1:], 0.0], strict=True)]
        return [
            (fall / distinct[0], [f for f, weight in enumerate(weights) if weight >= least])
            for fall, least in zip(falls, distinct, strict=True)
        ]


def reach(result: Span, target: Span, beyond: int = 0) -> Fraction:
    """Share of the target that the result holds, with the characters that are read beyond it."""
    if result == target:
        return Fraction(1)
    if result[0] < result[1]:
        result = result[0], result[1] + beyond
    if target[0] == target[1]:
        return Fraction(int(result[0] <= target[0] and target[1] <= result[1] and result[0] < result[1]))
    return Fraction(max(0, min(result[1], target[1]) - max(result[0], target[0])), target[1] - target[0])


def satisfied_after(world: World, results: Sequence[Span]) -> Iterator[tuple[Fraction, set[int]]]:
    """Every outcome after a list of results: its probability and the satisfied facets."""
    targets = world.targets
    unseen = [Fraction(1)] * len(targets)
    for result in results:
        seen = [reach(result, target, world.beyond) for target in targets]
        unseen = [left * (1 - share) for left, share in zip(unseen, seen, strict=True)]
    for states in product((0, 1), repeat=len(targets)):
        chance = Fraction(1)
        for state, left in zip(states, unseen, strict=True):
            chance *= 1 - left if state else left
        if chance:
            seen = {target for state, target in zip(states, targets, strict=True) if state}
            yield chance, {f for f, (_, ways) in enumerate(world.facets) if any(seen.issuperset(way) for way in ways)}


def ideal_list(world: World, *, shortest_first: bool) -> list[Span]:
    """The ideal list of targets."""
    listed: list[Span] = []
    left = list(range(len(world.facets)))

    def characters(way: Sequence[Span]) -> int:
        return len({place for start, end in way for place in range(start, end)})

    while left:
        best = max(world.facets[f][0] for f in left)
        choices = []
        for f in left:
            if world.facets[f][0] == best:
                ways = world.facets[f][1]
                number = min(range(len(ways)), key=lambda a: (len(set(ways[a]) - set(listed)), characters(ways[a]), a))
                choices.append((characters(ways[number]) if shortest_first else 0, f, ways[number]))
        _, f, way = min(choices, key=lambda choice: choice[:2])
        places = world.targets
        listed += [target for target in sorted(way, key=places.index) if target not in listed]
        left.remove(f)
    return listed


def mean_precision(world: World, effort: str) -> float:
    """EPRUM's mean precision over facets, the weighted mean over the satisfaction levels."""
    total = 0.0
    for share, facets in world.levels:
        ideal = ideal_list(world, shortest_first=effort != "rank")
        ideal = ideal[: _prefix(world, facets, shortest_first=effort != "rank")]
        expected = [_expected_cost(world, ideal, facets, r, effort) for r in range(1, len(facets) + 1)]
        inverse = [_expected_inverse(world, facets, r, effort) for r in range(1, len(facets) + 1)]
        total += share * sum(a * b for a, b in zip(expected, inverse, strict=True)) / len(facets)
    return total


def _prefix(world: World, facets: Sequence[int], *, shortest_first: bool) -> int:
    """Number of targets that the ideal list has for the facets of a level."""
    return len(ideal_list(World([world.facets[f] for f in facets], ()), shortest_first=shortest_first))


def _costs(world: World, results: Sequence[Span], effort: str) -> list[int]:
    sums = [0]
    for start, end in results:
        read = world.beyond if effort == "read" else 0
        sums.append(sums[-1] + (1 if effort == "rank" else end - start + read))
    return [max(cost, 1) for cost in sums[1:]]


def _at_least(world: World, results: Sequence[Span], facets: Sequence[int], r: int) -> float:
    return float(sum(chance for chance, done in satisfied_after(world, results) if len(done & set(facets)) >= r))


def _expected_cost(world: World, ideal: Sequence[Span], facets: Sequence[int], r: int, effort: str) -> float:
    costs, expected, before = _costs(world, ideal, effort), 0.0, 0.0
    for k, cost in enumerate(costs, 1):
        now = _at_least(world, ideal[:k], facets, r)
        expected, before = expected + cost * (now - before), now
    assert before == 1
    return expected


def _expected_inverse(world: World, facets: Sequence[int], r: int, effort: str) -> float:
    costs, expected, before = _costs(world, world.results, effort), 0.0, 0.0
    for k, cost in enumerate(costs, 1):
        now = _at_least(world, world.results[:k], facets, r)
        expected, before = expected + (now - before) / cost, now
    return expected


# Chunks: sets of characters.


def places(spans: Sequence[Span]) -> set[int]:
    """The characters of spans."""
    return {place for start, end in spans for place in range(start, end)}


def enough(found: int, span: Span, touch: str) -> bool:
    """Whether so many characters of a span are enough of it."""
    length = span[1] - span[0]
    return {"any": found > 0, "half": 2 * found >= length, "whole": found == length}[touch]


def text_of(world: World, read: Sequence[Span], cost: int) -> dict[str, Fraction]:
    """char_rec, char_prec, char_f1 and char_iou of what is read at a cost."""
    union, recalled, total, chosen = places(read), Fraction(0), Fraction(0), set()
    for weight, ways in world.facets:
        texts = [places(way) for way in ways]
        shares = [Fraction(len(text & union), len(text)) for text in texts]
        length = Fraction(weight) * Fraction(sum(map(len, texts)), len(texts))
        recalled, total = recalled + length * max(shares), total + length
        chosen |= min(zip(shares, texts, strict=True), key=lambda pair: (-pair[0], len(pair[1])))[1]
    gold = places(world.targets)
    recall, precision = recalled / total, Fraction(len(gold & union), cost) if cost else Fraction(0)
    both = len(chosen & union)
    return {
        "char_rec": recall,
        "char_prec": precision,
        "char_f1": 2 * precision * recall / (precision + recall) if precision else Fraction(0),
        "char_iou": Fraction(both, cost + len(chosen) - both),
    }


def answered(world: World, read: Sequence[Span], touch: str) -> int:
    """Whether what is read answers every facet."""
    union = places(read)
    return int(
        all(
            any(all(enough(len(places([t]) & union), t, touch) for t in way) for way in ways)
            for _, ways in world.facets
        )
    )


def finds(result: Span, target: Span, touch: str) -> bool:
    """Whether a single result finds a target."""
    shared = min(result[1], target[1]) - max(result[0], target[0])
    return shared > 0 and enough(shared, target, touch)


def spans_of(world: World, k: int, touch: str) -> dict[str, Fraction]:
    """hit and span_recall of the first k results, and span_rr of all."""
    found = {t for t in world.targets if any(finds(result, t, touch) for result in world.results[:k])}
    weight = sum(Fraction(weight) for weight, ways in world.facets if any(found.issuperset(way) for way in ways))
    hits = [any(finds(result, t, touch) for t in world.targets) for result in world.results]
    return {
        "hit": Fraction(bool(found)),
        "span_recall": weight / sum(Fraction(weight) for weight, _ in world.facets),
        "span_rr": Fraction(1, hits.index(True) + 1) if True in hits else Fraction(0),
    }


def within(results: Sequence[Span], budget: int, cut: str) -> list[Span]:
    """What is read of results within a budget of characters."""
    read = []
    for start, end in results:
        if end - start > budget:
            return [*read, *([(start, start + budget)] if cut == "inside" else [])]
        budget -= end - start
        read.append((start, end))
    return read
