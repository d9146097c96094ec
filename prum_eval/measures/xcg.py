"""The xCG family: measures of a vector of gains beside an ideal one.

Sources: [INEX06] Lalmas et al., INEX 2006 Evaluation Measures, sections 4 and 5; [PRUM] C.3; MAnxCG [LIT].

``gains``: xG, the gains of the results of topics, best first. ``ideal``: xI, the gains of their ideal lists, decreasing
and above 0, one at least per topic. xCG and xCI are their prefix sums. Nothing is clipped: where gains come from
another base than the ideal ones, nxCG and MAep can pass 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from prum_eval.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    accumulate_groups,
    exact_sums_of_groups,
    first_rows_at_least,
    group_bounds,
    group_numbers,
)
from prum_eval.collection.locations import NOWHERE, Locations
from prum_eval.collection.trees import DocumentTree, parent_path
from prum_eval.measures.base import CUTOFFS, TENTHS, Measure, Need, Shape, refuse_level_zero
from prum_eval.measures.coverage import NO_RANK, Coverage, contained_pairs
from prum_eval.measures.topic_data import JudgedTopic, TopicBatch, TopicData
from prum_eval.numerics.curves import PERCENT_LEVELS, ROUNDING_SLACK
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.records import ElementTopic
from prum_eval.relevance.quantisations import find_quantisation
from prum_eval.relevance.targets import NestingChoice, full_base, ideal_base

# Gains of overlapping results for a user who minds redundancy. Sources: [PRUM] C.3; Kazai, Lalmas, TOIS 24(4), 2006;
# [INEX06] section 5. Symbols: q quantised value, alpha in [0, 1] how far the user minds, |x| the length of x, rv the
# gain of a result.


_NOISE = 1e-12
"""Largest gain that is taken for rounding noise of the recursion."""


class DocumentReader:
    """State of a user in one document: which elements were seen, and what each would still gain.

    For an element x without any result in it, rv(x) = q(x). A seen one has (1 - alpha) q(x). One that holds seen
    elements has alpha sum over children ch of rv(ch) |ch| / |x| + (1 - alpha) q(x). Instead of rv, the loss q - rv
    is kept, which is 0 for all but the seen elements and their ancestors: a result changes its own path only.
    """

    def __init__(self, tree: DocumentTree, q: FloatArray, alpha: float) -> None:
        self.alpha = alpha
        self._q = q.tolist()
        self._length = tree.length.tolist()
        self._parent = tree.parent.tolist()
        inner = tree.parent >= 0
        weighted = np.bincount(tree.parent[inner], (q * tree.length)[inner], len(q))
        self._inside = weighted.tolist()  # sum over children of rv |ch|, as things stand
        self._unknown = bool((tree.length < 0).any())
        self._loss: dict[int, float] = {}  # of seen elements and of those that hold seen ones
        self._seen: set[int] = set()

    def restarted(self) -> DocumentReader:
        """A reader of the same document who has seen nothing; this one must not see anything either."""
        reader = copy(self)
        reader._inside, reader._loss, reader._seen = self._inside.copy(), {}, set()  # noqa: SLF001 - of the same class
        return reader

    def gain(self, x: int) -> float:
        """Gain of an element that no earlier result covers; NaN if it depends on lengths that are not known."""
        if x in self._loss and self._unknown:
            return math.nan
        return float(self._q[x] - self._loss.get(x, 0.0))

    def see(self, x: int) -> None:
        """The user has seen the element x."""
        if x not in self._seen:
            self._seen.add(x)
            self._lose(x, self.alpha * self._q[x])

    def see_inside(self, x: int) -> None:
        """The user has seen something irrelevant that lies in x, and in none of its children that are known."""
        if x not in self._seen:
            self._lose(x, self._loss_of(x))

    def _loss_of(self, x: int) -> float:
        """Loss of an element that holds seen ones and was not seen itself."""
        length = self._length[x]
        return float(self.alpha * (self._q[x] - (self._inside[x] / length if length > 0 else 0.0)))

    def _lose(self, x: int, loss: float) -> None:
        """Set the loss of x, and what follows from it for the elements around x."""
        while True:
            change = loss - self._loss.get(x, 0.0)
            self._loss[x] = loss
            above = self._parent[x]
            if above < 0:
                return
            self._inside[above] -= change * self._length[x]
            if above in self._seen:
                return
            x, loss = above, self._loss_of(above)


def dependent_gains(
    q: FloatArray,
    results: Locations,
    cover: Coverage,
    alpha: float,
    judged: BoolArray,
    around: IntArray,
    make_reader: Callable[[int], DocumentReader | None],
) -> FloatArray:
    """Gain of each result with dependency alpha, shape (o,).

    Inside an earlier result, or the same: (1 - alpha) q. Containing earlier results: the recursion of `DocumentReader`.
    Otherwise q. NaN if a result contains an earlier one and the lengths are not known.

    Args:
        q: value of each result.
        results: where they are.
        cover: which of them lie in others.
        alpha: 0 for a user who does not mind, 1 for one who gains nothing from what was seen.
        judged: mask of the results in documents that hold a relevant element; no other result gains.
        around: for a result that its tree does not list, the innermost listed element around it; else -1.
        make_reader: a reader of the document of a result, who has seen nothing; None if its tree is unknown.
    """
    if alpha == 0:
        return q
    gains = np.where(cover.is_covered, (1.0 - alpha) * q, q)
    needs_reader, changes_reader = _results_for_reader(results, cover, judged, around)
    rows = np.flatnonzero(needs_reader | changes_reader)
    columns = (
        rows,
        results.document[rows],
        results.element[rows],
        around[rows],
        needs_reader[rows],
        changes_reader[rows],
    )
    readers: dict[int, DocumentReader | None] = {}
    for i, document, x, holder, gaining, changing in zip(*(column.tolist() for column in columns), strict=True):
        if document not in readers:
            readers[document] = make_reader(i)
        reader = readers[document]
        if reader is None:
            continue
        if gaining:
            gains[i] = reader.gain(x)
        if changing and x >= 0:
            reader.see(x)
        elif changing:
            reader.see_inside(holder)
    return remove_noise(gains)


def _results_for_reader(
    results: Locations, cover: Coverage, judged: BoolArray, around: IntArray
) -> tuple[BoolArray, BoolArray]:
    """Masks of the results that need a `DocumentReader` for their gain, and of those that change its state.

    A result that an earlier one covers gains by its value alone, and a result without another in it gains its value. A
    result changes only what contains it, and what is covered changes nothing outside of its cover, which was seen; so
    only results that lie in later ones change anything. Where a tree does not list all, every result may.
    """
    element = results.element >= 0
    unlisted = np.unique(results.document[judged & (around >= 0)])
    whole = judged & np.isin(results.document, unlisted) if len(unlisted) else np.zeros(len(judged), dtype=np.bool_)
    needs_reader = judged & element & ~cover.is_covered & (cover.contains_other | whole)
    inner = element & ~cover.is_covered & (cover.first_container != NO_RANK)
    return needs_reader, judged & (inner | (whole & (element | (around >= 0))))


def cap_gains(gains: FloatArray, results: Locations, ideal: Locations, limit: FloatArray) -> FloatArray:
    """Gains where the strict descendants of an ideal element y together gain no more than q(y); shape (o,).

    What passes it is cut off, in the order of the list. `ideal` are elements that do not nest, `limit` their q, which
    stands for [PRUM]'s rv(y).
    """
    result, holder = contained_pairs(results, ideal)
    below = results.element[result] != ideal.element[holder]
    order = np.lexsort((result[below], holder[below]))
    result, holder = result[below][order], holder[below][order]
    bounds = np.flatnonzero(np.diff(holder, prepend=-1, append=-1))
    before = accumulate_groups(gains[result], bounds) - gains[result]
    cut = gains.copy()
    cut[result] = np.minimum(gains[result], np.maximum(limit[holder] - before, 0.0))
    return remove_noise(cut)


def remove_noise(gains: FloatArray) -> FloatArray:
    """Gains that are rounding noise become 0: measures count the ranks that gain something."""
    return np.where(gains < _NOISE, 0.0, gains)


# Gains of a run and of its ideal list.


def _ideal_rows(judged: JudgedTopic, keep: str) -> IntArray:
    """Rows of the targets in the ideal recall base; the targets of gain measures are the full base."""

    def compute() -> IntArray:
        topic = judged.assessed_topic
        if not isinstance(topic, ElementTopic):
            return np.arange(len(judged.targets))
        values = find_quantisation(judged.quantisation, judged.kind).values(topic.exhaustivity, topic.specificity)
        return np.searchsorted(full_base(values), ideal_base(topic, values, NestingChoice(keep)))

    return judged.memo.get_or_compute(("ideal rows", keep), compute)


@dataclass(eq=False, repr=False)
class GainVectors:
    """Gains of a list per topic; topic i has the ranks ``bounds[i]:bounds[i + 1]``."""

    gains: FloatArray
    bounds: IntArray

    @cached_property
    def sizes(self) -> IntArray:
        """Number of ranks of each topic."""
        return np.diff(self.bounds)

    @cached_property
    def sums(self) -> FloatArray:
        """Cumulated gain after each rank, and a 0 at the end."""
        return np.append(accumulate_groups(self.gains, self.bounds), 0.0)

    def sums_at(self, topics: IntArray, ranks: FloatArray | IntArray) -> FloatArray:
        """Sum of the first k gains of topics; constant past the end."""
        last = np.minimum(ranks, self.sizes[topics]).astype(np.int64)
        return np.where(last > 0, self.sums[self.bounds[topics] + last - 1], 0.0)

    def ranks_at(self, topics: IntArray, goals: FloatArray, *, whole: bool) -> FloatArray:
        """Rank where the cumulated gain of topics reaches each goal, NaN if it never does.

        Read on the piecewise linear curve through (0, 0), or at whole ranks.
        """
        first, end, least = np.broadcast_arrays(self.bounds[topics], self.bounds[topics + 1], goals - ROUNDING_SLACK)
        rows = first_rows_at_least(self.sums, first, end, least)
        gains = np.append(self.gains, 0.0)[rows]
        share = 1.0 if whole else 1.0 - (self.sums[rows] - goals) / np.where(gains > 0, gains, 1.0)
        return np.where(rows < end, rows - first + np.clip(share, 0.0, 1.0), np.nan)


def ideal_gains(batch: TopicBatch, values: ParameterValues) -> GainVectors:
    """Gains of the ideal lists, xI: those of their base, decreasing."""
    base, keep = values["base"], str(values["keep"])

    def of_topic(judged: JudgedTopic) -> FloatArray:
        weight = judged.targets.weight
        return np.sort(weight if base == "full" else weight[_ideal_rows(judged, keep)])[::-1]

    def compute() -> GainVectors:
        parts = [of_topic(topic.judged) for topic in batch.topics]
        return GainVectors(np.concatenate(parts), group_bounds(list(map(len, parts))))

    return batch.memo.get_or_compute(("ideal gains", base, keep), compute)


def _make_reader(judged: JudgedTopic, document: int, alpha: float) -> DocumentReader | None:
    """A reader of a numbered document of a topic; None if its tree is unknown."""
    targets = judged.targets

    def compute() -> DocumentReader | None:
        tree = targets.trees[document]
        if tree is None:
            return None
        values, rows = np.zeros(len(tree.paths)), np.flatnonzero(targets.locations.document == document)
        values[targets.locations.element[rows]] = targets.weight[rows]
        return DocumentReader(tree, values, alpha)

    reader = judged.memo.get_or_compute(("reader", document, alpha), compute)
    return None if reader is None else reader.restarted()


def _innermost_elements(data: TopicData) -> IntArray:
    """For each result that its document's tree does not list, the innermost listed element around it; else -1.

    Only trees that are taken from assessments leave elements out: those without relevance.
    """
    locations, targets = data.ranking.locations, data.judged.targets
    around = np.full(len(locations), NOWHERE, dtype=np.int64)
    if targets.forest is None or targets.forest.complete:
        return around
    trees = targets.trees
    judged = (locations.document >= 0) & (locations.document < len(trees)) & (locations.element < 0)
    rows = np.flatnonzero(judged)
    names = data.ranking.nodes() if len(rows) else []
    for row in rows.tolist():
        number = int(locations.document[row])
        tree = trees[number]
        path = parent_path(names[row][len(targets.documents[number]) + 1 :])
        while tree is not None and path and around[row] < 0:
            around[row] = tree.find(path)
            path = parent_path(path)
    return around


def run_gains(batch: TopicBatch, values: ParameterValues) -> GainVectors:
    """Gain of each result, xG.

    Raises:
        UnsupportedResultError: a gain depends on lengths that neither structure nor assessments have.
    """
    if values["overlap"] == "off":
        return batch.memo.get_or_compute("run gains", lambda: GainVectors(batch.gains, batch.bounds))
    alpha, keep = float(values["alpha"]), str(values["keep"])

    def compute() -> GainVectors:
        topics, documents = group_numbers(batch.bounds), batch.results.document
        counts = np.array([len(topic.judged.targets.documents) for topic in batch.topics], dtype=np.int64)
        results, targets = batch.places
        gains = dependent_gains(
            batch.gains,
            results,
            batch.cover,
            alpha,
            (documents >= 0) & (documents < counts[topics]),
            np.concatenate([_innermost_elements(topic) for topic in batch.topics]),
            lambda row: _make_reader(batch.topics[topics[row]].judged, int(documents[row]), alpha),
        )
        _check_gains_defined(batch, gains)
        if values["cap"] == "on":
            bases = [_ideal_rows(topic.judged, keep) for topic in batch.topics]
            rows = np.concatenate(bases) + np.repeat(batch.target_bounds[:-1], list(map(len, bases)))
            gains = cap_gains(gains, results, targets.take(rows), batch.weights[rows])
        return GainVectors(gains, batch.bounds)

    return batch.memo.get_or_compute(("run gains", alpha, keep, values["cap"]), compute)


def _check_gains_defined(batch: TopicBatch, gains: FloatArray) -> None:
    """Reject a run with a gain that depends on unknown lengths.

    Raises:
        UnsupportedResultError: naming the first such result.
    """
    unknown = np.flatnonzero(np.isnan(gains))
    if len(unknown):
        reason = (
            "the result contains an earlier one: what it still gains depends on lengths, which the assessments do not "
            "give: give --structure, or set overlap=off"
        )
        raise batch.unsupported(int(unknown[0]), reason)


def _topics(vectors: GainVectors) -> IntArray:
    """Numbers of the topics, shape (topics, 1)."""
    return np.arange(len(vectors.sizes))[:, None]


def cumulated_gain(gains: GainVectors, ranks: FloatArray) -> FloatArray:
    """xCG[k], the sum of the first k gains; constant past the end."""
    return gains.sums_at(_topics(gains), ranks)


def normalised_gain(gains: GainVectors, ideal: GainVectors, ranks: FloatArray) -> FloatArray:
    """nxCG[k] = xCG[k] / xCI[k], k >= 1."""
    return np.asarray(cumulated_gain(gains, ranks) / cumulated_gain(ideal, ranks))


def mean_normalised_gain(gains: GainVectors, ideal: GainVectors, ranks: FloatArray) -> FloatArray:
    """MAnxCG[k], the mean of nxCG[1..k]; past the end of both lists nxCG stays, and k grows."""
    longest = np.maximum(gains.sizes, ideal.sizes)
    bounds = group_bounds(longest)
    topics = group_numbers(bounds)
    rank = np.arange(len(topics)) - bounds[topics] + 1
    curve = GainVectors(gains.sums_at(topics, rank) / ideal.sums_at(topics, rank), bounds)
    past_end = ranks - np.minimum(ranks, longest[:, None])
    sums = cumulated_gain(curve, ranks) + past_end * curve.gains[bounds[1:] - 1][:, None]
    return np.asarray(sums / ranks)


def _ideal_ranks(ideal: GainVectors, topics: IntArray, goals: FloatArray, *, whole: bool) -> FloatArray:
    """i_ideal: the rank where the ideal list of topics reaches each gain; n past its end."""
    ranks = ideal.ranks_at(topics, goals, whole=whole)
    return np.where(np.isnan(ranks), ideal.sizes[topics].astype(np.float64), ranks)


def effort_precision(gains: GainVectors, ideal: GainVectors, levels: FloatArray, *, whole: bool) -> FloatArray:
    """Ep = i_ideal / i_run at the gain gr xCI[n], for levels gr in (0, 1]; 0 where the run does not reach it."""
    topics = _topics(gains)
    goals = levels * ideal.sums_at(topics, ideal.sizes[topics])
    ranks = gains.ranks_at(topics, goals, whole=whole)
    return np.where(np.isnan(ranks), 0.0, _ideal_ranks(ideal, topics, goals, whole=whole) / ranks)


def mean_effort_precision(gains: GainVectors, ideal: GainVectors, *, whole: bool) -> FloatArray:
    """MAep: the sum, over the ranks i with a gain, of i_ideal / i at the gain xCG[i]; divided by n."""
    rows = np.flatnonzero(gains.gains > 0)
    topics = group_numbers(gains.bounds)[rows]
    efforts = _ideal_ranks(ideal, topics, gains.sums[rows], whole=whole) / (rows - gains.bounds[topics] + 1)
    sums = exact_sums_of_groups(efforts, np.searchsorted(rows, gains.bounds))
    return np.asarray(sums / ideal.sizes)[:, None]


def _xcg(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    return cumulated_gain(run_gains(batch, values), cutoffs)


def _nxcg(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    return normalised_gain(run_gains(batch, values), ideal_gains(batch, values), cutoffs)


def _manxcg(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    return mean_normalised_gain(run_gains(batch, values), ideal_gains(batch, values), cutoffs)


def _ep_at_gr(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    refuse_level_zero("ep_at_gr", cutoffs)
    whole = values["ideal_rank"] == "next"
    return effort_precision(run_gains(batch, values), ideal_gains(batch, values), cutoffs, whole=whole)


def _maep(batch: TopicBatch, values: ParameterValues, _cutoffs: FloatArray) -> FloatArray:
    whole = values["ideal_rank"] == "next"
    return mean_effort_precision(run_gains(batch, values), ideal_gains(batch, values), whole=whole)


def _parameters(overlap: str, base: str, *used: str) -> tuple[Parameter, ...]:
    """Parameters of the gains of a run, with `base` and `ideal_rank` if they are `used`."""
    listed = (
        Parameter(
            "alpha",
            1.0,
            "how far the user minds what was seen before, with overlap=on; 1 officially",
            low=0.0,
            high=1.0,
        ),
        Parameter(
            "overlap",
            overlap,
            "on: gains depend on earlier results that contain a result or lie in it; off: every result gains its q",
            ("on", "off"),
        ),
        Parameter(
            "base", base, "where the ideal list comes from: the full recall base or the ideal one", ("full", "ideal")
        ),
        Parameter(
            "keep",
            "shorter",
            "which of two nested elements stays in the ideal recall base: the one of the shorter path, or (best) the "
            "inner one, which has the higher gain",
            ("shorter", "best"),
        ),
        Parameter(
            "ideal_rank",
            "linear",
            "how ep reads ranks: linear, on piecewise linear curves, where an ideal run has ep 1; next, whole ranks",
            ("linear", "next"),
        ),
        Parameter(
            "cap",
            "on",
            "with overlap=on: what lies in an element y of the ideal base gains no more than q(y) together",
            ("on", "off"),
        ),
    )
    return tuple(one for one in listed if one.name in used or one.name not in ("base", "ideal_rank"))


_GAIN_TEXT = (
    "With overlap=on, a result already inside an earlier one, or the same, gains (1 - alpha) q; one that contains "
    "earlier results gains alpha sum over its children of rv(ch) |ch| / |x| + (1 - alpha) q, where an unseen child "
    "has its q and a seen one (1 - alpha) q; any other gains q. q is the quantised value over the quantisation's "
    "maximum. Overlapping results are legal."
)
_FOCUSED_TEXT = (
    "The defaults are those of the Focused task: overlap=on, ideal list from the ideal recall base; the campaign "
    f"reported nxcg with overlap=off too. {_GAIN_TEXT}"
)
_THOROUGH_TEXT = (
    f"The defaults are those of the Thorough task: overlap=off, ideal list from the full recall base. {_GAIN_TEXT}"
)


_INEX06 = "Lalmas et al., INEX 2006 Evaluation Measures"
_measure = partial(Measure, family="xcg", needs=frozenset({Need.GAINS}), bounded=False, counts_overlap=True)
_focused = partial(_measure, shape=Shape.AT_RANKS, cutoffs=CUTOFFS, parameters=_parameters("on", "ideal", "base"))
_thorough = partial(_measure, parameters=_parameters("off", "full", "base", "ideal_rank"))

MEASURES = (
    _focused(
        name="xcg",
        summary="cumulated gain of K results",
        explanation="xCG[K], the sum of the gains of the first K results; constant past the end of the list. "
        f"{_FOCUSED_TEXT}",
        source=f"{_INEX06}, section 4; Piwowarski, Gallinari, Dupret, TOIS 25(1), 2007, C.3",
        per_batch=_xcg,
        parameters=_parameters("on", ""),
        y_label="cumulated gain",
    ),
    _focused(
        name="nxcg",
        summary="normalised cumulated gain at K results",
        explanation="xCG[K] / xCI[K], xCI the cumulated gain of the ideal list; both constant past their ends. Never "
        f"clipped. {_FOCUSED_TEXT}",
        source=f"{_INEX06}, section 5",
        per_batch=_nxcg,
        y_label="normalised cumulated gain",
    ),
    _focused(
        name="manxcg",
        summary="mean of nxcg at 1 to K results",
        explanation=f"(1 / K) sum over k = 1..K of xCG[k] / xCI[k]. {_FOCUSED_TEXT}",
        source="INEX 2005, as reported in campaign literature (not verified here)",
        per_batch=_manxcg,
        y_label="mean of nxcg",
    ),
    _thorough(
        name="ep_at_gr",
        summary="effort-precision at gain-recall X",
        explanation="i_ideal / i_run at the gain X xCI[n]: ranks of the ideal list over ranks of the run that it "
        f"takes; 0 where the run does not reach it. Defined for X above 0. {_THOROUGH_TEXT}",
        source=f"{_INEX06}, section 4",
        shape=Shape.AT_LEVELS,
        per_batch=_ep_at_gr,
        cutoffs=TENTHS[1:],
        curve_levels=tuple(PERCENT_LEVELS.tolist()),
        x_label="gain-recall",
        y_label="effort-precision",
    ),
    _thorough(
        name="maep",
        summary="mean average effort-precision",
        explanation="(1 / n) sum over the ranks i with a gain of i_ideal / i at the gain xCG[i]; n is the length of "
        f"the ideal list. Never clipped. {_THOROUGH_TEXT}",
        source=f"{_INEX06}, section 4",
        shape=Shape.SCALAR,
        per_batch=_maep,
    ),
)
