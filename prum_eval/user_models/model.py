"""Base of user models: from a ranked list with targets (`RankedTopic`) to probabilities (`Reach`).

R[k, x] is the probability that a user gets from the result at rank k to target x. `model_of_pairs` makes a model of a
function of pairs in one document. `UserModel` is the record of a registered model. `apply_modifiers` adds what every
model can do: open a document only once, lose patience with the rank, and see successive results as one item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.collection.locations import Locations, exact_entries, same_document_blocks, same_place
from prum_eval.collection.trees import DocumentTree
from prum_eval.parameters import Parameter, ParameterValue, ParameterValues
from prum_eval.plugins import deprecated_fields, deprecated_name
from prum_eval.records import Link, NavigationFile


@deprecated_fields(own="exact")
@dataclass(slots=True, eq=False, repr=False)
class Reach:
    """Sparse matrix R[k, x] = P(rank k -> x) of one topic, shape (ranks, targets), sorted by rank, then target.

    `exact` marks the entries whose result is the target itself: always 1, and not navigation.
    """

    ranks: int
    targets: int
    rank: IntArray
    target: IntArray
    probability: FloatArray
    exact: BoolArray

    def dense(self) -> FloatArray:
        """The whole matrix, shape (ranks, targets)."""
        matrix = np.zeros((self.ranks, self.targets))
        matrix[self.rank, self.target] = self.probability
        return matrix


def make_reach(
    ranks: int, targets: int, rank: IntArray, target: IntArray, probability: FloatArray, exact: BoolArray
) -> Reach:
    """Reach matrix from entries in any order; zeros are dropped, exact entries become 1."""
    probability = np.where(exact, 1.0, probability)
    order = np.lexsort((target, rank))
    rows = order[probability[order] > 0]
    return Reach(ranks, targets, rank[rows], target[rows], probability[rows], exact[rows])


def identity(results: Locations, targets: Locations) -> Reach:
    """R without navigation: 1 if the result is the target, else 0."""
    rows, columns = exact_entries(results, targets)
    ones = np.ones(len(rows))
    return make_reach(len(results), len(targets), rows, columns, ones, ones > 0)


PairProbability = Callable[[Locations, Locations, IntArray, IntArray], FloatArray]
"""(results, targets, rows, columns) -> R of the pairs of result ``rows[i]`` and target ``columns[i]``."""


@dataclass(frozen=True, slots=True)
class PairModel:
    """Model of a probability of pairs in one document; all other pairs have 0.

    The results and targets may be those of many topics whose documents have different numbers.
    """

    probability: PairProbability
    located: bool = False

    def __call__(self, ranked: RankedTopic) -> Reach:
        """The reach matrix."""
        results, targets = ranked.results, ranked.targets
        parts = []
        for rows, columns in same_document_blocks(results.document, targets.document):
            exact = same_place(results, targets, rows, columns)
            value = self.probability(results, targets, rows, columns)
            if self.located:
                value[~located_pairs(results, targets, rows, columns)] = 0.0
            entries = exact | (value > 0)
            parts.append((rows[entries], columns[entries], value[entries], exact[entries]))
        entry_columns = (np.concatenate(column) for column in zip(*parts, strict=True))
        return make_reach(len(results), len(targets), *entry_columns)


def model_of_pairs(probability: PairProbability, *, located: bool = False) -> Model:
    """Model of a probability of pairs in one document; all other pairs have 0.

    Args:
        probability: R of pairs; ignored if the result is the target itself.
        located: pairs with unknown positions have 0.
    """
    return PairModel(probability, located)


def overlap_ratio(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
    """Shared length over the longer length of each pair; 0 if that is 0.

    Two elements of a tree share the inner one or nothing; other pairs share the overlap of their extents.
    """
    y, x = results.element[rows], targets.element[columns]
    sizes = results.length[rows], targets.length[columns]
    start, other = results.start[rows], targets.start[columns]
    shared = np.minimum(start + sizes[0], other + sizes[1]) - np.maximum(start, other)
    shared[~located_pairs(results, targets, rows, columns)] = 0
    inside = (y <= x) & (x < results.end[rows]), (x <= y) & (y < targets.end[columns])
    trees = (y >= 0) & (x >= 0)
    shared = np.where(trees, np.where(inside[0] | inside[1], np.minimum(*sizes), 0), shared)
    longest = np.maximum(*sizes)
    ratio = np.zeros(len(rows))
    np.divide(shared, longest, out=ratio, where=(longest > 0) & (shared > 0))
    return ratio


def located_pairs(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> BoolArray:
    """Mask of the pairs with two known positions."""
    located: BoolArray = results.located[rows] & targets.located[columns]
    return located


def distance(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
    """Characters between the starts of each pair."""
    gap: FloatArray = np.abs(results.start[rows] - targets.start[columns]).astype(np.float64)
    return gap


def pair_features(feature: PairProbability) -> Callable[[RankedTopic, IntArray, IntArray], FloatArray]:
    """Features of an `EstimableParameter` from a function of pairs; infinite if a position is unknown."""

    def features(ranked: RankedTopic, rows: IntArray, columns: IntArray) -> FloatArray:
        values = feature(ranked.results, ranked.targets, rows, columns)
        return np.where(located_pairs(ranked.results, ranked.targets, rows, columns), values, np.inf)

    return features


PRUM_ARTICLE = "[PRUM]: Piwowarski, Gallinari, Dupret, TOIS 25(1), 2007"


@deprecated_fields(entered="contained_nodes")
@dataclass(eq=False, repr=False)
class RankedTopic:
    """A ranked list and the targets of one topic.

    Documents are numbered within the topic: first those with a target (`trees` has their trees, None if unknown), then
    the others of the list. `result_nodes` and `target_nodes` are names in navigation files; `contained_nodes` are those
    of the elements in results that are passages or ranges, by rank from 0. Only models that need them call the
    functions. `document_lengths` makes the characters of the document of each result, -1 if unknown.
    """

    topic: str
    results: Locations
    targets: Locations
    trees: Sequence[DocumentTree | None]
    result_nodes: Callable[[], Sequence[str]]
    target_nodes: Sequence[str]
    contained_nodes: Callable[[], Mapping[int, Sequence[str]]] = dict
    document_lengths: Callable[[], IntArray] | None = None

    @property
    def characters_to_end(self) -> FloatArray:
        """Characters from the start of each result to the end of its document, NaN if unknown; shape (results,)."""
        if self.document_lengths is None:
            return np.full(len(self.results), np.nan)
        lengths = self.document_lengths()
        known = self.results.located & (lengths >= 0)
        return np.where(known, (lengths - self.results.start).astype(np.float64), np.nan)


Model = Callable[[RankedTopic], Reach]
"""A user model with its parameters set: the reach matrix, of shape (results, targets), of a ranked topic."""


Reading = Callable[[RankedTopic], FloatArray]
"""Expected number of characters that a user reads beyond each result of a ranked topic, shape (results,).

NaN if it depends on the length of the document, which is unknown. As in models, no result depends on later ones.
"""


PathFinder = Callable[[Iterable[str], str], tuple[str, ...]]
"""(possible start nodes, target node) -> the nodes of the path with both ends; () if there is none."""


class ModelNeed(Enum):
    """Data that a user model needs."""

    LENGTHS = auto()  # of results and targets
    POSITIONS = auto()  # of results and targets
    SIBLINGS = auto()  # complete trees
    GRAPH = auto()  # a navigation file, or links in the structure
    MEAN_LENGTH = auto()  # of documents, unless a parameter sets it


class NavigationBasis(Enum):
    """How a user gets from a result to a target, for explanations."""

    TEXT = auto()  # by shared text, else by positions
    FORWARD = auto()  # by reading on to the target, else by shared text
    NEARBY = auto()  # by the distance of positions, else by shared text
    NEIGHBOURS = auto()  # by shared text and neighbouring elements
    GRAPH = auto()  # by a navigation graph, in any document


@dataclass(slots=True, eq=False, repr=False)
class ModelContext:
    """Data for building a model, beside its parameters."""

    navigation: NavigationFile | None = None
    navigation_kind: str = "reach"
    links: Sequence[Link] = ()
    links_path: str = ""
    mean_length: float | None = None


@deprecated_fields(drawn="inverse_survival")
@dataclass(slots=True, eq=False, repr=False)
class ReadingDistribution:
    """Distribution of the reading length r from the start of a result; R at distance d is P(r >= d).

    `inverse_survival`: (u in (0, 1), parameter) -> the r that is exceeded with probability u. `score`: (characters
    read, whether reading stopped rather than was cut off, parameter) -> first derivative of the log-likelihood of each
    reading by the logarithm of the parameter, and minus the second; None if the parameter is the median of r.
    """

    inverse_survival: Callable[[float, float], float]
    score: Callable[[FloatArray, BoolArray, float], tuple[FloatArray, FloatArray]] | None = None


@deprecated_fields(share="is_share")
@dataclass(slots=True, eq=False, repr=False)
class EstimableParameter:
    """R as a function of one parameter, which can be estimated from the behaviour of users.

    `key`: name of the parameter. `features`: (ranked topic, rows, columns) -> values that R of result ``rows[i]`` and
    target ``columns[i]`` in the same document (not the same place) depends on; one entry or row of the array per pair.
    `reach`: (features, parameter) -> R. `slope`: (features, parameter) -> derivative of R by the logarithm of the
    parameter, or by its logit if `is_share`; None if the parameter is a threshold up to which R is 1 and then 0.
    `reading`: distribution of the reading length, if R is based on it.
    """

    key: str
    features: Callable[[RankedTopic, IntArray, IntArray], FloatArray]
    reach: Callable[[FloatArray, float], FloatArray]
    slope: Callable[[FloatArray, float], FloatArray] | None
    is_share: bool = False
    reading: ReadingDistribution | None = None


@deprecated_fields(leads="navigation_basis", ways="paths", law="estimable_parameter")
@dataclass(slots=True, eq=False, repr=False)
class UserModel:
    """A registered user model: meaning, needs and construction from parameters.

    `memoryless`: a row of R depends only on its result, not on earlier ranks. `navigation_basis`: the wording of
    explanations. `paths`: path finder by topic, for models that lead from node to node. `navigates`: results lead to
    other places than themselves. `estimable_parameter`: R as a function of one parameter, given the others. `reading`:
    how much is read beyond results; None: what they reach, that is, each character outside a result with the largest
    R of the targets that hold it.
    """

    name: str
    summary: str
    explanation: str
    source: str
    build: Callable[[ParameterValues, ModelContext], Model]
    parameters: tuple[Parameter, ...] = ()
    needs: frozenset[ModelNeed] = frozenset()
    memoryless: bool = True
    navigation_basis: NavigationBasis = NavigationBasis.TEXT
    paths: Callable[[ParameterValues, ModelContext], Callable[[str], PathFinder] | None] | None = None
    navigates: bool = True
    estimable_parameter: Callable[[ParameterValues, ModelContext], EstimableParameter] | None = None
    reading: Callable[[ParameterValues, ModelContext], Reading] | None = None


# Modifiers of all models


_REACH_MODIFIERS = (
    Parameter("once", "off", "do not navigate again from a document that an earlier rank opened", ("on", "off")),
    Parameter("rank_decay", 1.0, "navigation at rank k is multiplied by this to the k - 1", low=0.0, high=1.0),
    Parameter("items", "none", "article: successive results of one article form one item", ("none", "article")),
)
_ITEM_MODIFIER = Parameter(
    "consider",
    1.0,
    "c: the j-th element of an item is considered with probability c^(j - 1); useful:q: the next element is "
    "considered for sure if this one led to a target, else with probability q",
    low=0.0,
    high=1.0,
    distribution="geometric",
    form="useful",
)
MODIFIERS = (*_REACH_MODIFIERS, _ITEM_MODIFIER)
"""Parameters of all user models."""


def changes_reach(values: ParameterValues) -> bool:
    """Whether a modifier makes ranks depend on earlier ranks; `consider` only acts on items."""
    return any(values[modifier.name] != modifier.default for modifier in _REACH_MODIFIERS)


def joins_items(values: ParameterValues) -> bool:
    """Whether successive results of one article form an item."""
    return values["items"] == "article"


def may_skip_targets(values: ParameterValues) -> bool:
    """Whether the user may skip elements of an item that is made of targets, as those of ideal lists are."""
    consider = values["consider"]
    return not isinstance(consider, str) and consider < 1


def item_numbers(document: IntArray) -> IntArray:
    """Item number of each result, from 0; successive results of one article are an item, document -1 never joins."""
    is_first = np.ones(len(document), dtype=np.bool_)
    is_first[1:] = (document[1:] != document[:-1]) | (document[1:] < 0)
    return np.cumsum(is_first) - 1


@dataclass(frozen=True, slots=True)
class ModifiedModel:
    """A model with the modifiers once, rank_decay, items and consider."""

    base: Model
    values: ParameterValues

    def __call__(self, ranked: RankedTopic) -> Reach:
        """The reach matrix, of shape (ranks, targets): a rank is a result or an item."""
        document = ranked.results.document
        reach = self._lowered(ranked)
        if not joins_items(self.values):
            return reach
        position = self.rank_numbers(document)
        considered = _consideration(position, self.values["consider"], lambda: reach)
        return _combine_items(reach, position, considered)

    def rank_numbers(self, document: IntArray) -> IntArray:
        """Number of the rank of each result, from 0; `document`: those of the results."""
        return item_numbers(document) if joins_items(self.values) else np.arange(len(document))

    def navigation_weights(self, ranked: RankedTopic) -> FloatArray:
        """What the modifiers leave of the navigation from each result, a factor of it; shape (results,)."""
        document = ranked.results.document
        position = self.rank_numbers(document)
        weights: FloatArray = float(self.values["rank_decay"]) ** position.astype(np.float64)
        if self.values["once"] == "on":
            weights[_is_reopened(document, position)] = 0.0
        if not joins_items(self.values):
            return weights
        return weights * _consideration(position, self.values["consider"], lambda: self._lowered(ranked))

    def _lowered(self, ranked: RankedTopic) -> Reach:
        """R of each result after once and rank_decay."""
        reach, document = self.base(ranked), ranked.results.document
        position, decay = self.rank_numbers(document), float(self.values["rank_decay"])
        if self.values["once"] == "on":
            reach = _select_entries(reach, reach.exact | ~_is_reopened(document, position)[reach.rank])
        return _decay_with_rank(reach, decay, position) if decay < 1 else reach


def apply_modifiers(base: Model, values: ParameterValues) -> ModifiedModel:
    """Model with the modifiers once, rank_decay, items and consider."""
    return ModifiedModel(base, values)


def _consideration(item: IntArray, consider: ParameterValue, make_reach: Callable[[], Reach]) -> FloatArray:
    """The probability that the user considers each result, when at its item; the first of an item for sure.

    With useful:q a result is followed by the next one with h + (1 - h) q, h = 1 - prod_x (1 - R[e, x]) the probability
    that it leads to some target.
    """
    if not isinstance(consider, str):
        within = np.arange(len(item)) - np.searchsorted(item, item)
        return np.asarray(consider ** within.astype(np.float64))
    fails, reach = np.ones(len(item)), make_reach()
    np.multiply.at(fails, reach.rank, 1.0 - reach.probability)
    follows = (1.0 - (1.0 - float(consider.partition(":")[2])) * fails).tolist()
    considered = np.ones(len(item))
    for row in np.flatnonzero(item[1:] == item[:-1]).tolist():
        considered[row + 1] = considered[row] * follows[row]
    return considered


def _is_reopened(document: IntArray, position: IntArray) -> BoolArray:
    """Mask of the results from whose document nobody navigates again: a result at an earlier position opened it.

    `position` is the rank of each result, or the number of its item; document -1 opens nothing.
    """
    exists = document >= 0
    first = np.full(int(document.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, document[exists], position[exists])
    reopened = exists.copy()
    reopened[exists] = first[document[exists]] < position[exists]
    return reopened


def _decay_with_rank(reach: Reach, decay: float, position: IntArray) -> Reach:
    """Multiply navigation from position k (from 0) by decay^k ([PRUM] section 5)."""
    factor = np.where(reach.exact, 1.0, decay ** position[reach.rank].astype(np.float64))
    return _select_entries(replace(reach, probability=reach.probability * factor), factor > 0)


def _combine_items(reach: Reach, item: IntArray, consider: FloatArray) -> Reach:
    """Combine the results of each item: P(k -> x) = 1 - prod over its elements e of (1 - consider(e) R[e, x]).

    `item` is the item number of each result, `consider` the probability that the user considers it.
    """
    items = int(item.max(initial=-1)) + 1
    key = item[reach.rank] * reach.targets + reach.target
    order = np.argsort(key, kind="stable")
    unique, first = np.unique(key[order], return_index=True)
    if not len(unique):
        return replace(reach, ranks=items)
    missed = 1.0 - (consider[reach.rank] * reach.probability)[order]
    probability = 1.0 - np.multiply.reduceat(missed, first)
    exact = np.logical_or.reduceat(reach.exact[order], first)
    rank, target = np.divmod(unique, max(reach.targets, 1))
    return _select_entries(Reach(items, reach.targets, rank, target, probability, exact), probability > 0)


def _select_entries(reach: Reach, mask: BoolArray) -> Reach:
    rank, target, probability, exact = reach.rank, reach.target, reach.probability, reach.exact
    return Reach(reach.ranks, reach.targets, rank[mask], target[mask], probability[mask], exact[mask])


def __getattr__(name: str) -> object:
    """Old names, which user models of other packages may import."""
    old_names = {
        "Leads": "NavigationBasis",
        "ReadingLaw": "ReadingDistribution",
        "ParameterLaw": "EstimableParameter",
        "features_of_pairs": "pair_features",
    }
    return deprecated_name(name, old_names, globals())
