"""What a user model may look at, and what it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from prum_eval.collection.locations import Locations
from prum_eval.collection.trees import DocumentTree
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.records.navigation import NavigationFile
from prum_eval.records.structure import Link
from prum_eval.user_models.reach import Reach

PRUM_ARTICLE = "[PRUM]: Piwowarski, Gallinari, Dupret, TOIS 25(1), 2007"


@dataclass(frozen=True, eq=False)
class RankedTopic:
    """A ranked list and the targets of one topic.

    Documents are numbered within the topic: first those that hold a target (`trees` has theirs; None where nothing is
    known of the inside), then the others that the list names. `result_nodes` and `target_nodes` are the names of
    places in navigation files (asked for only by models that need them).
    """

    topic: str
    results: Locations
    targets: Locations
    trees: Sequence[DocumentTree | None]
    result_nodes: Callable[[], Sequence[str]]
    target_nodes: Sequence[str]


Model = Callable[[RankedTopic], Reach]
"""A user model with its parameters set: the reach matrix, of shape (results, targets), of a ranked topic."""


class ModelNeed(Enum):
    """What a user model must know of the documents."""

    LENGTHS = auto()  # lengths of results and targets
    POSITIONS = auto()  # where they begin
    SIBLINGS = auto()  # complete trees
    GRAPH = auto()  # a navigation file, or links in the structure
    MEAN_LENGTH = auto()  # mean length of a document, unless a parameter without default says it


class Leads(Enum):
    """By what a user model leads from a result to a target: how an explanation words it."""

    TEXT = auto()  # the text that they share, else where they begin
    FORWARD = auto()  # reading on: how far ahead the target begins, else the text that they share
    NEARBY = auto()  # how far apart they begin, else the text that they share
    NEIGHBOURS = auto()  # the text that they share, and on from there to elements beside it
    GRAPH = auto()  # a navigation graph, whatever their documents are


@dataclass(frozen=True, slots=True, eq=False)
class ModelContext:
    """What a model may be built from, beside its own parameters."""

    navigation: NavigationFile | None = None
    navigation_kind: str = "reach"
    links: Sequence[Link] = ()
    links_path: str = ""
    mean_length: float | None = None


@dataclass(frozen=True, slots=True)
class UserModel:
    """A registered user model: what it means, what it needs, and how it is made from parameters.

    `memoryless` says that a row depends on its own result only; a model that looks at earlier ranks sets it False.
    `leads` says how an explanation words the way from a result to a target.
    """

    name: str
    summary: str
    explanation: str
    source: str
    build: Callable[[ParameterValues, ModelContext], Model]
    parameters: tuple[Parameter, ...] = ()
    needs: frozenset[ModelNeed] = frozenset()
    memoryless: bool = True
    leads: Leads = Leads.TEXT
