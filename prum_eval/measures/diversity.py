"""Diversity: whether a list covers the facets of a topic early, and how much it repeats.

J(i, f) is 1 if result i is a relevant document of facet f; of highlighted text, if it finds a span of f by itself. In a
topic without facets each relevant document, or span, is a facet. Weights of facets, the user model, and what is needed
together have no part in it.

Conventions. Pairs (i, f) with J = 1 are sorted by i; ranks count from 0. The gain of a pair is (1 - alpha)^c, c the
number of earlier pairs of f; G_i is the sum of the gains of result i. m is the number of facets. The ideal list is
greedy: at each rank the candidate of the largest G_i. Values equal those of ndeval, the program of the TREC web tracks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray, group_numbers
from prum_eval.collection.locations import exact_entries
from prum_eval.measures.base import Measure, Need, Shape
from prum_eval.measures.chunk_facets import is_enough
from prum_eval.measures.chunks import SPAN_TOUCH, spans_read, text_reading
from prum_eval.measures.topic_data import TopicBatch, TopicData
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.records import AssessmentKind

Pairs = tuple[IntArray, IntArray]
"""Ranks, from 0 and in order, and facets."""


@dataclass(eq=False, repr=False)
class Cover:
    """Which facets the results of a topic are of.

    `pairs`: those of the list; `is_new`: of spans, whether the result finds a span of the facet that none before it
    found. `sizes`: number of documents, or spans, of each facet. `candidates`: facets of each document of the ideal
    list, ties in this order, shape (n, m); None if each of m documents is a facet.
    """

    pairs: Pairs
    is_new: BoolArray
    sizes: IntArray
    candidates: BoolArray | None
    ideal_pairs: dict[float, Pairs] = field(default_factory=dict)

    def gains(self, pairs: Pairs, alpha: float) -> FloatArray:
        """(1 - alpha)^c of each pair."""
        return np.asarray((1.0 - alpha) ** _earlier(pairs[1], len(self.sizes)))

    def ideal(self, alpha: float) -> Pairs:
        """Pairs of the ideal list."""
        if self.candidates is None:
            place = np.arange(len(self.sizes))
            return place, place
        if alpha not in self.ideal_pairs:
            order = _greedy_order(self.candidates, alpha)
            rank, facet = np.nonzero(self.candidates[order])
            self.ideal_pairs[alpha] = rank, facet
        return self.ideal_pairs[alpha]


def _earlier(facet: IntArray, facets: int) -> IntArray:
    """Number of earlier pairs with the facet of each pair."""
    order = np.argsort(facet, kind="stable")
    first = np.searchsorted(facet[order], np.arange(facets))
    earlier = np.empty(len(facet), dtype=np.int64)
    earlier[order] = np.arange(len(facet)) - first[facet[order]]
    return earlier


def _greedy_order(candidates: BoolArray, alpha: float) -> IntArray:
    """Candidates in the order in which each adds the largest gain, of equal ones the first."""
    order = np.empty(len(candidates), dtype=np.int64)
    worth, used = np.ones(candidates.shape[1]), np.zeros(len(candidates), dtype=np.bool_)
    for rank in range(len(candidates)):
        gain = np.where(candidates, worth, 0.0).sum(axis=1)
        gain[used] = -1.0
        order[rank] = best = int(gain.argmax())
        used[best] = True
        worth[candidates[best]] *= 1.0 - alpha
    return order


# What results cover: documents, or highlighted spans.


def _covers(batch: TopicBatch, touch: str) -> list[Cover | None]:
    """What the results of each topic cover; None without highlighted text."""
    if batch.topics[0].judged.kind is AssessmentKind.FLAT:
        return batch.memo.get_or_compute("covers", lambda: list(map(_cover_of_documents, batch.topics)))
    return batch.memo.get_or_compute(("covers", touch), lambda: _covers_of_spans(batch, touch))


def _cover_of_documents(topic: TopicData) -> Cover:
    """What graded documents cover."""
    facets = topic.judged.facets
    rank, target = exact_entries(topic.ranking.locations, topic.judged.navigated.targets.locations)
    if facets is None:
        ones = np.ones(len(topic.judged.targets), dtype=np.int64)
        return Cover((rank, target), np.ones(len(rank), dtype=np.bool_), ones, None)
    table = np.zeros((len(facets.targets), len(facets)), dtype=np.bool_)
    alternative = group_numbers(facets.member_bounds)
    table[facets.members, group_numbers(facets.bounds)[alternative]] = True
    names = [name.encode() for name in facets.targets.nodes]
    last_first = sorted(range(len(names)), key=names.__getitem__, reverse=True)
    place, facet = np.nonzero(table[target])
    known = topic.judged.memo.get_or_compute("ideal pairs", dict[float, Pairs])
    new = np.ones(len(place), dtype=np.bool_)
    return Cover((rank[place], facet), new, table.sum(axis=0), table[np.array(last_first, dtype=np.int64)], known)


def _covers_of_spans(batch: TopicBatch, touch: str) -> list[Cover | None]:
    """What results find of spans; the ideal list consists of the spans as results."""
    covers: list[Cover | None] = [None] * len(batch)
    reading, facets = text_reading(batch), spans_read(batch)
    if facets is None:
        return covers
    text = facets.text
    result, target = facets.findings(touch)
    facet_of_member = group_numbers(text.bounds)[group_numbers(text.member_bounds)]
    topic_of_target = np.empty(len(text.row), dtype=np.int64)
    topic_of_target[text.members] = group_numbers(facets.bounds)[facet_of_member]
    place = np.empty(len(text.row), dtype=np.int64)
    for number, topic in enumerate(facets.topics.tolist()):
        low, high = facets.bounds[number : number + 2].tolist()
        targets = np.flatnonzero(topic_of_target == number)
        place[targets] = np.arange(len(targets))
        table = np.zeros((len(targets), high - low), dtype=np.bool_)
        members = np.flatnonzero((facet_of_member >= low) & (facet_of_member < high))
        table[place[text.members[members]], facet_of_member[members] - low] = True
        chosen = topic_of_target[target] == number
        ranks, row = np.unique(result[chosen] - reading.bounds[topic], return_inverse=True)
        finds = np.zeros((len(ranks), len(targets)), dtype=np.bool_)
        finds[row, place[target[chosen]]] = True
        new = finds.copy()
        new[1:] &= ~np.logical_or.accumulate(finds, axis=0)[:-1]
        covered = _product(finds, table)
        rows, facet = np.nonzero(covered)
        start, end, document = (column[targets] for column in (text.start, text.end, text.row))
        shared = np.minimum.outer(end, end) - np.maximum.outer(start, start)
        found = (shared > 0) & np.equal.outer(document, document) & is_enough(shared, end - start, touch)
        is_new = _product(new, table)[rows, facet]
        covers[topic] = Cover((ranks[rows], facet), is_new, table.sum(axis=0), _product(found, table))
    return covers


def _product(found: BoolArray, table: BoolArray) -> BoolArray:
    """Whether results, or spans, find a target of each facet."""
    return np.asarray((found.astype(np.int64) @ table) > 0)


# Measures of one topic.

Compute = Callable[[Cover, ParameterValues, FloatArray], FloatArray]
"""(what the list covers, parameters, cut-offs) -> values, shape (cut-offs,), or (1,) without them."""
Discount = Callable[[FloatArray], FloatArray]
"""Ranks, from 0 -> weights."""


def _logarithmic(rank: FloatArray) -> FloatArray:
    return np.asarray(1.0 / np.log2(rank + 2.0))


def _reciprocal(rank: FloatArray) -> FloatArray:
    return 1.0 / (rank + 1.0)


def _sums(cover: Cover, pairs: Pairs, alpha: float, discount: Discount, cutoffs: FloatArray) -> FloatArray:
    """Sum of the discounted gains of the first K results, for each K."""
    added = cover.gains(pairs, alpha) * discount(pairs[0].astype(np.float64))
    return np.append(0.0, np.cumsum(added))[np.searchsorted(pairs[0], cutoffs)]


def _over_bound(discount: Discount) -> Compute:
    """Discounted gains of the list over the most that m facets and no end of documents could give."""

    def compute(cover: Cover, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
        alpha, rank = float(values["alpha"]), np.arange(cutoffs.max(initial=0))
        bound = len(cover.sizes) * np.cumsum((1.0 - alpha) ** rank * discount(rank))
        return _sums(cover, cover.pairs, alpha, discount, cutoffs) / bound[cutoffs.astype(np.int64) - 1]

    return compute


def _over_ideal(discount: Discount) -> Compute:
    """Discounted gains of the list over those of the ideal list."""

    def compute(cover: Cover, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
        alpha = float(values["alpha"])
        ideal = _sums(cover, cover.ideal(alpha), alpha, discount, cutoffs)
        return _sums(cover, cover.pairs, alpha, discount, cutoffs) / ideal

    return compute


def _precision(cover: Cover, _values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    return np.searchsorted(cover.pairs[0], cutoffs) / (cutoffs * len(cover.sizes))


def _facet_recall(cover: Cover, _values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    rank, facet = cover.pairs
    first = rank[_earlier(facet, len(cover.sizes)) == 0]
    return np.asarray(np.searchsorted(first, cutoffs) / len(cover.sizes))


def _mean_average_precision(cover: Cover, _values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    rank, facet = (column[cover.is_new] for column in cover.pairs)
    precision = (_earlier(facet, len(cover.sizes)) + 1) / (rank + 1)
    return np.array([(precision / cover.sizes[facet]).sum() / len(cover.sizes)])


def _rank_biased(cover: Cover, pairs: Pairs, values: ParameterValues) -> float:
    """The sum of G_i beta^i."""
    gains = cover.gains(pairs, float(values["alpha"]))
    return float((gains * float(values["beta"]) ** pairs[0]).sum())


def _novelty_and_rank_biased(cover: Cover, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    rest = 1.0 - (1.0 - float(values["alpha"])) * float(values["beta"])
    return np.array([_rank_biased(cover, cover.pairs, values) * rest / len(cover.sizes)])


def _normalised_rank_biased(cover: Cover, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    ideal = _rank_biased(cover, cover.ideal(float(values["alpha"])), values)
    return np.array([_rank_biased(cover, cover.pairs, values) / ideal])


_ALPHA = Parameter("alpha", 0.5, "how much a facet loses of its worth each time it is covered", low=0.0, high=1.0)
_BETA = Parameter("beta", 0.5, "probability to go on to the next rank", low=0.0, high=1.0)
_FACETS = Parameter(
    "facets",
    "any",
    "declared: only assessments that declare facets, as ir_measures; any: a relevant document without one is a facet",
    ("any", "declared"),
)
_SOURCES = {
    "alpha": "Clarke et al., SIGIR 2008; ndeval (NIST)",
    "intent": "Agrawal et al., WSDM 2009; ndeval (NIST)",
    "subtopic": "Zhai, Cohen, Lafferty, SIGIR 2003; ndeval (NIST)",
    "nrbp": "Clarke, Kolla, Vechtomova, ICTIR 2009; ndeval (NIST)",
}
_TEXT = (
    "J(i, f) is 1 if result i is a relevant document of facet f (of highlighted text: finds a span of f). A topic "
    "without facets has one per relevant document, or span. G_i is the sum over f with J(i, f) = 1 of (1 - alpha)^c, c "
    "the number of earlier results with J = 1; m is the number of facets."
)


def _measure(
    name: str,
    summary: str,
    formula: str,
    source: str,
    of: Compute,
    parameters: tuple[Parameter, ...] = (),
    *,
    aliases: tuple[str, ...] = (),
    at_ranks: bool = True,
    bounded: bool = True,
) -> Measure:
    def compute(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
        rows = np.zeros((len(batch), max(len(cutoffs), 1)))
        for row, cover in enumerate(_covers(batch, str(values["touch"]))):
            if cover is None:
                rows[row] = np.nan
            elif len(cover.sizes):
                rows[row] = of(cover, values, cutoffs)
        return rows

    return Measure(
        name=name,
        family="diversity",
        summary=summary,
        explanation=f"{formula} {_TEXT}",
        source=_SOURCES[source],
        shape=Shape.AT_RANKS if at_ranks else Shape.SCALAR,
        needs=frozenset({Need.DIVERSITY, Need.EXTENTS}),
        cutoffs=(5.0, 10.0, 20.0) if at_ranks else (),
        parameters=(*parameters, SPAN_TOUCH, _FACETS),
        zero_for_documents=True,
        bounded=bounded,
        aliases=tuple(f"{alias}:facets=declared" for alias in aliases),
        y_label=summary if at_ranks else "",
        over_facets=True,
        per_batch=compute,
    )


_most = partial(_measure, bounded=False)
MEASURES = (
    _most(
        "alpha_ndcg",
        "novelty-biased discounted gain over that of the ideal list",
        "sum up to K of G_i / log2(i + 1), over the same of the ideal list, which takes at each rank what adds most. "
        "This is not always the best list, so that values can pass 1.",
        "alpha",
        _over_ideal(_logarithmic),
        (_ALPHA,),
        aliases=("alpha_nDCG", "α_nDCG"),
    ),
    _measure(
        "alpha_dcg",
        "novelty-biased discounted gain",
        "sum up to K of G_i / log2(i + 1), over sum up to K of m (1 - alpha)^(i - 1) / log2(i + 1).",
        "alpha",
        _over_bound(_logarithmic),
        (_ALPHA,),
        aliases=("alpha_DCG", "α_DCG"),
    ),
    _measure(
        "err_ia",
        "intent-aware expected reciprocal rank",
        "sum up to K of G_i / i, over sum up to K of m (1 - alpha)^(i - 1) / i.",
        "intent",
        _over_bound(_reciprocal),
        (_ALPHA,),
        aliases=("ERR_IA",),
    ),
    _most(
        "nerr_ia",
        "intent-aware expected reciprocal rank over that of the ideal list",
        "sum up to K of G_i / i, over the same of the ideal list, which takes at each rank what adds most.",
        "intent",
        _over_ideal(_reciprocal),
        (_ALPHA,),
        aliases=("nERR_IA",),
    ),
    _measure(
        "ap_ia",
        "intent-aware average precision",
        "Mean over the facets of average precision, in which only documents of the facet are relevant; of highlighted "
        "text, only results that find a span of the facet that none before them found.",
        "intent",
        _mean_average_precision,
        at_ranks=False,
        aliases=("AP_IA", "MAP_IA"),
    ),
    _measure(
        "p_ia",
        "intent-aware precision at a rank",
        "sum up to K of J(i, f) over all f, over K m.",
        "intent",
        _precision,
        aliases=("P_IA",),
    ),
    _measure(
        "strec",
        "share of the facets that the results up to a rank cover",
        "Number of facets with J(i, f) = 1 for some i up to K, over m.",
        "subtopic",
        _facet_recall,
        aliases=("StRecall",),
    ),
    _measure(
        "nrbp",
        "novelty- and rank-biased precision",
        "(1 - (1 - alpha) beta) / m times sum over all ranks of G_i beta^(i - 1).",
        "nrbp",
        _novelty_and_rank_biased,
        (_ALPHA, _BETA),
        at_ranks=False,
        aliases=("NRBP",),
    ),
    _most(
        "nnrbp",
        "novelty- and rank-biased precision over that of the ideal list",
        "nrbp over that of the ideal list, which takes at each rank what adds most.",
        "nrbp",
        _normalised_rank_biased,
        (_ALPHA, _BETA),
        at_ranks=False,
        aliases=("nNRBP",),
    ),
)
