"""What a user model may look at, and what it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.collection.locations import Locations
from prum_eval.collection.trees import DocumentTree
from prum_eval.errors import DataError
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.records.navigation import NavigationFile
from prum_eval.records.structure import Link
from prum_eval.user_models.reach import Reach, make_reach, own_entries


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
"""A user model with its parameters set: the reach matrix of a scene."""

RowModel = Callable[[Locations, int, Locations, Sequence[DocumentTree | None], str], FloatArray]
"""A user model a rank at a time: (results, rank from 1, targets, trees, topic) -> R[rank, .] of shape (targets,)."""


class ModelNeed(Enum):
    """What a user model must know of the documents."""

    LENGTHS = auto()  # lengths of results and targets
    POSITIONS = auto()  # where they begin
    SIBLINGS = auto()  # complete trees
    GRAPH = auto()  # a navigation file, or links in the structure


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
    """

    name: str
    summary: str
    explanation: str
    source: str
    build: Callable[[ParameterValues, ModelContext], Model]
    parameters: tuple[Parameter, ...] = ()
    needs: frozenset[ModelNeed] = frozenset()
    memoryless: bool = True


def by_rows(name: str, rows: RowModel) -> Model:
    """Lift a model that answers a rank at a time to one that answers for the whole list.

    Raises (when called):
        DataError: a row has another shape, or a value outside [0, 1].
    """

    def model(scene: RankedTopic) -> Reach:
        t = len(scene.targets)
        matrix = np.zeros((len(scene.results), t))
        for k in range(len(scene.results)):
            found = rows(scene.results, k + 1, scene.targets, scene.trees, scene.topic)
            try:
                row = np.asarray(found, dtype=np.float64)
            except (TypeError, ValueError):  # not even numbers
                row = np.full(t, np.nan)
            if row.shape != (t,) or not ((row >= 0) & (row <= 1)).all():
                raise DataError(
                    f"user model {name}: rank {k + 1} of topic {scene.topic} is no row of {t} probabilities"
                )
            matrix[k] = row
        own = np.zeros(matrix.shape, dtype=np.bool_)
        own[own_entries(scene.results, scene.targets)] = True
        rank, target = np.nonzero((matrix > 0) | own)
        return make_reach(*matrix.shape, rank, target, matrix[rank, target], own[rank, target])

    return model
