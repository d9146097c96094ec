"""What a user model is: from a ranked list and targets, `RankedTopic`, to probabilities, `Reach`; models of pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.collection.locations import Locations, exact_entries, same_document_blocks, same_place
from prum_eval.collection.trees import DocumentTree
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.plugins import deprecated_fields, deprecated_name
from prum_eval.records import Link, NavigationFile


@deprecated_fields(own="exact")
@dataclass(slots=True, eq=False, repr=False)
class Reach:
    """The matrix R[k, x] = P(rank k -> x) of one topic, shape (ranks, targets), sorted by rank, then target.

    Entries that are not listed are 0. `exact` marks the entries where the rank points to the target itself: always 1,
    and not navigation.
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
    ranks: int, targets: int, rank: IntArray, target: IntArray, probability: FloatArray, own: BoolArray
) -> Reach:
    """A reach matrix from entries in any order; zeros are dropped, own entries become 1."""
    probability = np.where(own, 1.0, probability)
    order = np.lexsort((target, rank))
    kept = order[probability[order] > 0]
    return Reach(ranks, targets, rank[kept], target[kept], probability[kept], own[kept])


def identity(results: Locations, targets: Locations) -> Reach:
    """R without any navigation: 1 where a rank points to the target itself, else 0."""
    rows, columns = exact_entries(results, targets)
    ones = np.ones(len(rows))
    return make_reach(len(results), len(targets), rows, columns, ones, ones > 0)


PairProbability = Callable[[Locations, Locations, IntArray, IntArray], FloatArray]
"""(results, targets, rows, columns) -> R of the pairs of result ``rows[i]`` and target ``columns[i]``."""


def model_of_pairs(probability: PairProbability, *, located: bool = False) -> Model:
    """The model that gives pairs of one document these probabilities, and all others 0.

    Args:
        probability: R of pairs; what it says of a result that is the target itself does not count.
        located: pairs whose positions are not known have 0.
    """

    def model(ranked: RankedTopic) -> Reach:
        results, targets = ranked.results, ranked.targets
        parts = []
        for rows, columns in same_document_blocks(results.document, targets.document):
            own = same_place(results, targets, rows, columns)
            value = probability(results, targets, rows, columns)
            if located:
                value[~located_pairs(results, targets, rows, columns)] = 0.0
            kept = own | (value > 0)
            parts.append((rows[kept], columns[kept], value[kept], own[kept]))
        joined = (np.concatenate(column) for column in zip(*parts, strict=True))
        return make_reach(len(results), len(targets), *joined)

    return model


def overlap_ratio(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
    """Length shared by each pair over the longer length of the two; 0 where that is 0.

    Elements of one tree share the inner one or nothing; anything else is measured by its extents.
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
    """Pairs of which both positions are known."""
    known: BoolArray = results.located[rows] & targets.located[columns]
    return known


def distance(results: Locations, targets: Locations, rows: IntArray, columns: IntArray) -> FloatArray:
    """Characters between the beginnings of each pair."""
    gap: FloatArray = np.abs(results.start[rows] - targets.start[columns]).astype(np.float64)
    return gap


def pair_features(feature: PairProbability) -> Callable[[RankedTopic, IntArray, IntArray], FloatArray]:
    """What R of pairs depends on, for a `EstimableParameter`; infinite where a position is not known."""

    def features(ranked: RankedTopic, rows: IntArray, columns: IntArray) -> FloatArray:
        found = feature(ranked.results, ranked.targets, rows, columns)
        return np.where(located_pairs(ranked.results, ranked.targets, rows, columns), found, np.inf)

    return features


PRUM_ARTICLE = "[PRUM]: Piwowarski, Gallinari, Dupret, TOIS 25(1), 2007"


@deprecated_fields(entered="contained_nodes")
@dataclass(frozen=True, eq=False)
class RankedTopic:
    """A ranked list and the targets of one topic.

    Documents are numbered within the topic: first those that hold a target (`trees` has theirs; None where nothing is
    known of the inside), then the others that the list names. `result_nodes` and `target_nodes` are the names of
    places in navigation files, `contained_nodes` for results that are passages or ranges, and no elements, those of the
    elements that lie in them, by rank from 0 (asked for only by models that need them).
    """

    topic: str
    results: Locations
    targets: Locations
    trees: Sequence[DocumentTree | None]
    result_nodes: Callable[[], Sequence[str]]
    target_nodes: Sequence[str]
    contained_nodes: Callable[[], Mapping[int, Sequence[str]]] = dict


Model = Callable[[RankedTopic], Reach]
"""A user model with its parameters set: the reach matrix, of shape (results, targets), of a ranked topic."""


PathFinder = Callable[[Iterable[str], str], tuple[str, ...]]
"""(nodes where a user may begin, node of the target) -> the nodes of the way, both ends too; () where there is none."""


class ModelNeed(Enum):
    """What a user model must know of the documents."""

    LENGTHS = auto()  # lengths of results and targets
    POSITIONS = auto()  # where they begin
    SIBLINGS = auto()  # complete trees
    GRAPH = auto()  # a navigation file, or links in the structure
    MEAN_LENGTH = auto()  # mean length of a document, unless a parameter without default says it


class NavigationBasis(Enum):
    """By what a user model leads from a result to a target: how an explanation words it."""

    TEXT = auto()  # the text that they share, else where they begin
    FORWARD = auto()  # reading on: how far ahead the target begins, else the text that they share
    NEARBY = auto()  # how far apart they begin, else the text that they share
    NEIGHBOURS = auto()  # the text that they share, and on from there to elements beside it
    GRAPH = auto()  # a navigation graph, whatever their documents are


@dataclass(slots=True, eq=False, repr=False)
class ModelContext:
    """What a model may be built from, beside its own parameters."""

    navigation: NavigationFile | None = None
    navigation_kind: str = "reach"
    links: Sequence[Link] = ()
    links_path: str = ""
    mean_length: float | None = None


@deprecated_fields(drawn="inverse_survival")
@dataclass(slots=True, eq=False, repr=False)
class ReadingDistribution:
    """How far users read from the beginning of a result: R of what begins d characters on is P(r >= d).

    `inverse_survival`: (u in (0, 1), parameter) -> the r that is passed with probability u. `score`: (characters read, whether
    reading stopped there and was not cut off, parameter) -> the derivative of the log-likelihood of each reading by the
    logarithm of the parameter, and minus the derivative of that; None where the parameter is the median of r.
    """

    inverse_survival: Callable[[float, float], float]
    score: Callable[[FloatArray, BoolArray, float], tuple[FloatArray, FloatArray]] | None = None


@deprecated_fields(share="is_share")
@dataclass(slots=True, eq=False, repr=False)
class EstimableParameter:
    """How R follows from one parameter, so that this can be estimated from what users did.

    `key`: the parameter. `features`: (ranked topic, rows, columns) -> what R of result ``rows[i]`` and target
    ``columns[i]`` of the same document, which it is not itself, depends on beside the parameter; an entry or a row of
    the array a pair. `reach`: (features, parameter) -> R. `slope`: (features, parameter) -> the derivative of R by the
    logarithm of the parameter, or by the logit of one that is a `is_share`; None of a threshold, up to which R is 1, and
    behind which 0. `reading`: where R tells how far users read.
    """

    key: str
    features: Callable[[RankedTopic, IntArray, IntArray], FloatArray]
    reach: Callable[[FloatArray, float], FloatArray]
    slope: Callable[[FloatArray, float], FloatArray] | None
    is_share: bool = False
    reading: ReadingDistribution | None = None


@deprecated_fields(leads="navigation_basis", ways="paths", law="estimable_parameter")
@dataclass(frozen=True, slots=True)
class UserModel:
    """A registered user model: what it means, what it needs, and how it is made from parameters.

    `memoryless` says that a row depends on its own result only; a model that looks at earlier ranks sets it False.
    `navigation_basis` says how an explanation words the way from a result to a target; `paths` gives, by topic, the ways of a model
    that leads from node to node, None where it leads there at once. `navigates`: a result may lead to anything but
    itself. `estimable_parameter`: how R follows from the parameter that can be estimated, given the others.
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


# What every user model can do besides: open a document once, lose patience with the rank, see results as items.


_REACH_MODIFIERS = (
    Parameter("once", "off", "do not navigate again from a document that an earlier rank opened", ("on", "off")),
    Parameter("rank_decay", 1.0, "navigation at rank k is multiplied by this to the k - 1", low=0.0, high=1.0),
    Parameter("items", "none", "article: successive results of one article form one item", ("none", "article")),
)
_ITEM_MODIFIER = Parameter(
    "consider",
    1.0,
    "the j-th element of an item is considered with this to the j - 1",
    low=0.0,
    high=1.0,
    distribution="geometric",
)
MODIFIERS = (*_REACH_MODIFIERS, _ITEM_MODIFIER)
"""Parameters that every user model has."""


def changes_reach(values: ParameterValues) -> bool:
    """Whether any of the modifiers is off its default, so that a rank depends on the ranks before it."""
    return any(values[one.name] != one.default for one in _REACH_MODIFIERS)  # consider only says how items are seen


def joins_items(values: ParameterValues) -> bool:
    """Whether successive results of one article form an item."""
    return values["items"] == "article"


def may_skip_elements(values: ParameterValues) -> bool:
    """Whether the user may pass over elements of an item."""
    return float(values["consider"]) < 1


def item_numbers(document: IntArray) -> IntArray:
    """The number, from 0, of the item of each result, where successive results of one article form one.

    A result that is nowhere (document -1) is an item of its own.
    """
    fresh = np.ones(len(document), dtype=np.bool_)
    fresh[1:] = (document[1:] != document[:-1]) | (document[1:] < 0)
    return np.cumsum(fresh) - 1


def apply_modifiers(base: Model, values: ParameterValues) -> Model:
    """A model with once, rank_decay and items applied."""
    once, decay = values["once"] == "on", float(values["rank_decay"])
    articles, consider = joins_items(values), float(values["consider"])

    def model(ranked: RankedTopic) -> Reach:
        reach = base(ranked)
        document = ranked.results.document
        ranks = np.arange(len(document))
        position = item_numbers(document) if articles else ranks
        if once:
            reach = _open_once(reach, document, position)
        if decay < 1:
            reach = _decay_with_rank(reach, decay, position)
        if not articles:
            return reach
        within = ranks - np.searchsorted(position, position)
        return _combine_items(reach, position, consider ** within.astype(np.float64))

    return model


def _open_once(reach: Reach, document: IntArray, position: IntArray) -> Reach:
    """No navigation from a document that a result at an earlier position already opened: only itself is seen.

    `document` and `position` (its rank, or its item's number) have one entry a result; document -1 opens nothing.
    """
    opened = document >= 0
    first = np.full(int(document.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, document[opened], position[opened])
    again = opened.copy()
    again[opened] = first[document[opened]] < position[opened]
    return _select_entries(reach, reach.exact | ~again[reach.rank])


def _decay_with_rank(reach: Reach, decay: float, position: IntArray) -> Reach:
    """Navigation from position k (counted from 0) times decay^k ([PRUM] section 5); the result itself stays seen."""
    factor = np.where(reach.exact, 1.0, decay ** position[reach.rank].astype(np.float64))
    return _select_entries(replace(reach, probability=reach.probability * factor), factor > 0)


def _combine_items(reach: Reach, item: IntArray, consider: FloatArray) -> Reach:
    """Join the results of one item: P(k -> x) = 1 - prod over its elements e of (1 - consider(e) R[e, x]).

    `item` numbers the item of each result, `consider` is the probability that the user considers it.
    """
    items = int(item.max(initial=-1)) + 1
    key = item[reach.rank] * reach.targets + reach.target
    order = np.argsort(key, kind="stable")
    unique, first = np.unique(key[order], return_index=True)
    if not len(unique):
        return replace(reach, ranks=items)
    missed = 1.0 - (consider[reach.rank] * reach.probability)[order]
    probability = 1.0 - np.multiply.reduceat(missed, first)
    own = np.logical_or.reduceat(reach.exact[order], first)
    rank, target = np.divmod(unique, max(reach.targets, 1))
    return _select_entries(Reach(items, reach.targets, rank, target, probability, own), probability > 0)


def _select_entries(reach: Reach, kept: BoolArray) -> Reach:
    rank, target, probability, own = reach.rank, reach.target, reach.probability, reach.exact
    return Reach(reach.ranks, reach.targets, rank[kept], target[kept], probability[kept], own[kept])


def __getattr__(name: str) -> object:
    """Old names, which user models of other packages may import."""
    old_names = {
        "Leads": "NavigationBasis",
        "ReadingLaw": "ReadingDistribution",
        "ParameterLaw": "EstimableParameter",
        "features_of_pairs": "pair_features",
    }
    return deprecated_name(name, old_names, globals())
