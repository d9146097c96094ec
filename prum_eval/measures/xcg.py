"""The xCG family: measures of a vector of gains beside an ideal one.

Sources: [INEX06] Lalmas et al., INEX 2006 Evaluation Measures, sections 4 and 5; [PRUM] C.3; MAnxCG [LIT].

Arrays. ``gains``: xG, the gain of each result, best first, shape (o,). ``ideal``: xI, the gains of the ideal list,
decreasing and above 0, shape (n,), n >= 1. xCG and xCI are their prefix sums. Nothing is clipped: where gains come from
another base than the ideal ones, nxCG and MAep can pass 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.collection.locations import NOWHERE, Locations
from prum_eval.collection.trees import DocumentTree, parent_path
from prum_eval.errors import UnsupportedResultError
from prum_eval.measures.base import CUTOFFS, TENTHS, Measure, Need, Shape, refuse_level_zero
from prum_eval.measures.coverage import NO_RANK, Coverage, contained_pairs
from prum_eval.measures.topic_data import JudgedTopic, TopicData
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
        self.tree = tree
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
    trees: Sequence[DocumentTree | None],
    values: Sequence[FloatArray],
    around: IntArray,
) -> FloatArray:
    """Gain of each result with dependency alpha, shape (o,).

    Inside an earlier result, or the same: (1 - alpha) q. Containing earlier results: the recursion of `DocumentReader`.
    Otherwise q. NaN if a result contains an earlier one and the lengths are not known.

    Args:
        q: value of each result.
        results: where they are.
        cover: which of them lie in others.
        alpha: 0 for a user who does not mind, 1 for one who gains nothing from what was changes_reader.
        trees: trees of the documents that hold a relevant element; no other result gains.
        values: q of each of their elements.
        around: for a result that its tree does not list, the innermost listed element around it; else -1.
    """
    if alpha == 0:
        return q
    gains = np.where(cover.is_covered, (1.0 - alpha) * q, q)
    needs_reader, changes_reader = _results_for_reader(results, cover, around, len(trees))
    rows = np.flatnonzero(needs_reader | changes_reader)
    columns = (
        rows,
        results.document[rows],
        results.element[rows],
        around[rows],
        needs_reader[rows],
        changes_reader[rows],
    )
    readers: dict[int, DocumentReader] = {}
    for i, number, x, holder, gaining, changing in zip(*(column.tolist() for column in columns), strict=True):
        reader = readers.get(number)
        if reader is None:
            tree = trees[number]
            if tree is None:
                continue
            reader = readers[number] = DocumentReader(tree, values[number], alpha)
        if gaining:
            gains[i] = reader.gain(x)
        if changing and x >= 0:
            reader.see(x)
        elif changing:
            reader.see_inside(holder)
    return remove_noise(gains)


def _results_for_reader(
    results: Locations, cover: Coverage, around: IntArray, documents: int
) -> tuple[BoolArray, BoolArray]:
    """Masks of the results that need a `DocumentReader` for their gain, and of those that change its state.

    A result that an earlier one covers gains by its value alone, and a result without another in it gains its value. A
    result changes only what contains it, and what is covered changes nothing outside of its cover, which was seen; so
    only results that lie in later ones change anything. Where a tree does not list all, every result may.
    """
    judged = (results.document >= 0) & (results.document < documents)
    element = results.element >= 0
    partial = np.zeros(documents, dtype=np.bool_)
    partial[results.document[judged & (around >= 0)]] = True
    whole = np.zeros(len(judged), dtype=np.bool_)
    whole[judged] = partial[results.document[judged]]
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
    first = np.flatnonzero(np.diff(holder, prepend=-1)).tolist()
    cut = gains.copy()
    for low, high in zip(first, [*first[1:], len(holder)], strict=False):
        own = gains[result[low:high]]
        left = np.maximum(limit[holder[low]] - (np.cumsum(own) - own), 0.0)
        cut[result[low:high]] = np.minimum(own, left)
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


def ideal_gains(judged: JudgedTopic, values: ParameterValues) -> FloatArray:
    """Gains of the ideal list, xI: those of its base, decreasing."""
    weight = judged.targets.weight
    chosen = weight if values["base"] == "full" else weight[_ideal_rows(judged, str(values["keep"]))]
    return np.sort(chosen)[::-1]


def _values_in_trees(judged: JudgedTopic) -> list[FloatArray]:
    """Value of every element of every tree."""

    def compute() -> list[FloatArray]:
        targets = judged.targets
        arrays = [np.zeros(0 if tree is None else len(tree.paths)) for tree in targets.trees]
        columns = (targets.locations.document, targets.locations.element, targets.weight)
        for number, element, weight in zip(*(column.tolist() for column in columns), strict=True):
            if element < len(arrays[number]):
                arrays[number][element] = weight
        return arrays

    return judged.memo.get_or_compute("values in trees", compute)


def _innermost_elements(data: TopicData) -> IntArray:
    """For each result that its document's tree does not list, the innermost listed element around it; else -1.

    Only trees that are taken from assessments leave elements out: those without relevance.
    """
    locations, trees = data.ranking.locations, data.judged.targets.trees
    around = np.full(len(locations), NOWHERE, dtype=np.int64)
    partial = np.array([tree is not None and not tree.complete for tree in trees], dtype=np.bool_)
    judged = (locations.document >= 0) & (locations.document < len(trees)) & (locations.element < 0)
    rows = np.flatnonzero(judged)[partial[locations.document[judged]]]
    names = data.ranking.nodes() if len(rows) else []
    for row in rows.tolist():
        number = int(locations.document[row])
        tree = trees[number]
        path = parent_path(names[row][len(data.judged.targets.documents[number]) + 1 :])
        while tree is not None and path and around[row] < 0:
            around[row] = tree.find(path)
            path = parent_path(path)
    return around


def run_gains(data: TopicData, values: ParameterValues) -> FloatArray:
    """Gain of each result, xG.

    Raises:
        UnsupportedResultError: a gain depends on lengths that neither structure nor assessments have.
    """
    if values["overlap"] == "off":
        return data.gains
    alpha, keep = float(values["alpha"]), str(values["keep"])
    judged, locations = data.judged, data.ranking.locations

    def compute() -> FloatArray:
        trees = judged.targets.trees
        gains = dependent_gains(
            data.gains, locations, data.ranking.cover, alpha, trees, _values_in_trees(judged), _innermost_elements(data)
        )
        _check_gains_defined(data, gains)
        if values["cap"] == "off":
            return gains
        rows = _ideal_rows(judged, keep)
        return cap_gains(gains, locations, judged.targets.locations.take(rows), judged.targets.weight[rows])

    return data.memo.get_or_compute(("xcg", alpha, keep, values["cap"]), compute)


def _check_gains_defined(data: TopicData, gains: FloatArray) -> None:
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
        raise UnsupportedResultError(data.ranking.path, int(data.ranking.lines[unknown[0]]), reason)


def cumulated_gain(gains: FloatArray, ranks: FloatArray) -> FloatArray:
    """xCG[k], the sum of the first k gains; constant past the end."""
    sums = np.concatenate(([0.0], np.cumsum(gains)))
    return sums[np.minimum(ranks, len(gains)).astype(np.int64)]


def normalised_gain(gains: FloatArray, ideal: FloatArray, ranks: FloatArray) -> FloatArray:
    """nxCG[k] = xCG[k] / xCI[k], k >= 1."""
    values: FloatArray = cumulated_gain(gains, ranks) / cumulated_gain(ideal, ranks)
    return values


def mean_normalised_gain(gains: FloatArray, ideal: FloatArray, ranks: FloatArray) -> FloatArray:
    """MAnxCG[k], the mean of nxCG[1..k]; past the end of both lists nxCG stays, and k grows."""
    longest = max(len(gains), len(ideal))
    curve = normalised_gain(gains, ideal, np.arange(1.0, longest + 1))
    sums = np.concatenate(([0.0], np.cumsum(curve)))
    within = np.minimum(ranks, longest).astype(np.int64)
    means: FloatArray = (sums[within] + (ranks - within) * curve[-1]) / ranks
    return means


def ranks_at_gain(gains: FloatArray, goals: FloatArray, *, whole: bool) -> FloatArray:
    """Rank where cumulated gain reaches each goal, NaN if it never does.

    Read on the piecewise linear curve through (0, 0), or at whole ranks.
    """
    sums = np.cumsum(gains)
    step = np.searchsorted(sums, goals - ROUNDING_SLACK)
    reached = step < len(sums)
    ranks = np.full(len(goals), np.nan)
    at = step[reached]
    if whole:
        ranks[reached] = at + 1
        return ranks
    share = 1.0 - (sums[at] - goals[reached]) / np.where(gains[at] > 0, gains[at], 1.0)
    ranks[reached] = at + np.clip(share, 0.0, 1.0)
    return ranks


def ideal_ranks(ideal: FloatArray, goals: FloatArray, *, whole: bool) -> FloatArray:
    """i_ideal: the rank where the ideal list reaches each gain; n past its end."""
    ranks = ranks_at_gain(ideal, goals, whole=whole)
    return np.where(np.isnan(ranks), float(len(ideal)), ranks)


def effort_precision(gains: FloatArray, ideal: FloatArray, levels: FloatArray, *, whole: bool) -> FloatArray:
    """Ep = i_ideal / i_run at the gain gr xCI[n], for levels gr in (0, 1]; 0 where the run does not reach it."""
    goals = levels * np.cumsum(ideal)[-1]
    run_ranks = ranks_at_gain(gains, goals, whole=whole)
    values = np.zeros(len(levels))
    np.divide(ideal_ranks(ideal, goals, whole=whole), run_ranks, out=values, where=~np.isnan(run_ranks))
    return values


def mean_effort_precision(gains: FloatArray, ideal: FloatArray, *, whole: bool) -> float:
    """MAep: the sum, over the ranks i with a gain, of i_ideal / i at the gain xCG[i]; divided by n."""
    ranks = np.flatnonzero(gains > 0)
    efforts = ideal_ranks(ideal, np.cumsum(gains)[ranks], whole=whole) / (ranks + 1)
    return math.fsum(efforts.tolist()) / len(ideal)


def _xcg(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    return cumulated_gain(run_gains(data, values), cutoffs)


def _nxcg(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    return normalised_gain(run_gains(data, values), ideal_gains(data.judged, values), cutoffs)


def _manxcg(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    return mean_normalised_gain(run_gains(data, values), ideal_gains(data.judged, values), cutoffs)


def _ep_at_gr(data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
    refuse_level_zero("ep_at_gr", cutoffs)
    whole = values["ideal_rank"] == "next"
    return effort_precision(run_gains(data, values), ideal_gains(data.judged, values), cutoffs, whole=whole)


def _maep(data: TopicData, values: ParameterValues, _cutoffs: FloatArray) -> float:
    whole = values["ideal_rank"] == "next"
    return mean_effort_precision(run_gains(data, values), ideal_gains(data.judged, values), whole=whole)


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
        per_topic=_xcg,
        parameters=_parameters("on", ""),
        y_label="cumulated gain",
    ),
    _focused(
        name="nxcg",
        summary="normalised cumulated gain at K results",
        explanation="xCG[K] / xCI[K], xCI the cumulated gain of the ideal list; both constant past their ends. Never "
        f"clipped. {_FOCUSED_TEXT}",
        source=f"{_INEX06}, section 5",
        per_topic=_nxcg,
        y_label="normalised cumulated gain",
    ),
    _focused(
        name="manxcg",
        summary="mean of nxcg at 1 to K results",
        explanation=f"(1 / K) sum over k = 1..K of xCG[k] / xCI[k]. {_FOCUSED_TEXT}",
        source="INEX 2005, as reported in campaign literature (not verified here)",
        per_topic=_manxcg,
        y_label="mean of nxcg",
    ),
    _thorough(
        name="ep_at_gr",
        summary="effort-precision at gain-recall X",
        explanation="i_ideal / i_run at the gain X xCI[n]: ranks of the ideal list over ranks of the run that it "
        f"takes; 0 where the run does not reach it. Defined for X above 0. {_THOROUGH_TEXT}",
        source=f"{_INEX06}, section 4",
        shape=Shape.AT_LEVELS,
        per_topic=_ep_at_gr,
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
        per_topic=_maep,
    ),
)
