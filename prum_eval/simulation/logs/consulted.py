"""Lists that users go down: of each result where it leads, as plain numbers that are quick to draw with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from prum_eval.arrays import FloatArray, IntArray
from prum_eval.collection.locations import own_entries, same_document_pairs
from prum_eval.errors import DataError
from prum_eval.evaluation.inputs import Inputs
from prum_eval.evaluation.placing import PlacedList, Placing
from prum_eval.formats.log import logged_place, reads_back
from prum_eval.records.log import LoggedPlace
from prum_eval.records.run import Run
from prum_eval.relevance.targets import TargetSet
from prum_eval.text.document_names import find_document
from prum_eval.user_models.graph_edges import Edges, graph_edges
from prum_eval.user_models.model import Leads, ModelNeed, ReadingLaw
from prum_eval.user_models.registry import ModelChoice, build


class Lead(NamedTuple):
    """Where a result leads: to a target with probability `reach`, `gap` characters on where users read."""

    target: int
    reach: float
    gap: float


@dataclass(frozen=True)
class ListedPlace:
    """A result of a list.

    `own`: targets that it is. `leads`: to the others, by number. `room`: characters from its beginning to the end of
    the document, None where users do not read on or nobody knows. `node`: where a walk begins, empty for none.
    """

    rank: int
    place: LoggedPlace
    own: tuple[int, ...]
    leads: tuple[Lead, ...]
    room: int | None
    node: str


@dataclass(frozen=True)
class UserList:
    """A list of a topic. `targets`: their places. `number_of`: of targets, by node, where users walk."""

    topic: str
    results: tuple[ListedPlace, ...]
    targets: tuple[LoggedPlace, ...]
    number_of: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Behaviour:
    """How users of a model get to targets.

    Along `steps` from node to node (by topic, None for all others); by reading on, as far as `reading` says, with
    `value` as its parameter; or else to each target by itself.
    """

    choice: ModelChoice
    steps: Mapping[str | None, Edges] | None
    reading: ReadingLaw | None
    value: float


def behaviour_of(choice: ModelChoice, inputs: Inputs) -> Behaviour:
    """How users of that model behave; what is changed by parameters that every model has is drawn target by target."""
    model, values = choice.model, choice.values
    if choice.modified:
        return Behaviour(choice, None, None, 0.0)
    if ModelNeed.GRAPH in model.needs:
        single, edges = graph_edges(inputs.context, float(values.get("damping", 0.0)))
        return Behaviour(choice, edges if single else None, None, 0.0)
    law = model.law(values, inputs.context) if model.law is not None else None
    if law is None or law.reading is None:
        return Behaviour(choice, None, None, 0.0)
    return Behaviour(choice, None, law.reading, float(values[law.key]))


def user_lists(run: Run, placing: Placing, behaviour: Behaviour) -> Iterator[UserList]:
    """The lists of a run, for users of that model.

    Raises:
        DataError: a result is a range of elements, or the name of a document is one that logs cannot have.
    """
    choice, inputs = behaviour.choice, placing.inputs
    graph = choice.model.leads is Leads.GRAPH
    model = build(choice, inputs.context)
    law = choice.model.law(choice.values, inputs.context) if behaviour.reading and choice.model.law else None
    for placed in placing.lists(run, graph=graph):
        reach = model(placed.ranked).dense()
        own = _rows_of(*own_entries(placed.ranked.results, placed.ranked.targets), len(reach))
        leading, gaps = reach > 0, np.zeros_like(reach)
        if graph:
            leading = np.ones_like(leading)
        else:
            rows, columns = same_document_pairs(placed.ranked.results.document, placed.ranked.targets.document)
            leading[rows, columns] = True
            if law is not None:
                gaps[rows, columns] = law.features(placed.ranked, rows, columns)
        nodes = placed.ranked.result_nodes() if behaviour.steps is not None else [""] * len(reach)
        numbered = {node: number for number, node in enumerate(placed.targets.nodes)} if behaviour.steps else {}
        results = []
        for row in np.flatnonzero(placed.ranking.exists).tolist():
            others = [one for one in np.flatnonzero(leading[row]).tolist() if one not in own[row]]
            leads = tuple(Lead(one, float(reach[row, one]), float(gaps[row, one])) for one in others)
            room = _room(placed, row, run, inputs) if behaviour.reading else None
            place = _place(run, placed.first + row)
            results.append(ListedPlace(row + 1, place, tuple(own[row]), leads, room, nodes[row]))
        yield UserList(placed.topic, tuple(results), tuple(_places(placed.targets)), numbered)


def _rows_of(rows: IntArray, columns: IntArray, count: int) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(count)]
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        found[row].append(column)
    return found


def _room(placed: PlacedList, row: int, run: Run, inputs: Inputs) -> int | None:
    places = placed.ranked.results
    length = find_document(inputs.lengths, run.documents[int(run.document[placed.first + row])])
    if length is None or not places.located[row]:
        return None
    return max(0, length - int(places.start[row]))


def _place(run: Run, row: int) -> LoggedPlace:
    document, first, last = run.documents[run.document[row]], int(run.first_path[row]), int(run.last_path[row])
    if first != last:
        raise DataError(f"{run.path}: a range of elements has no name in a log; log lists of elements or passages")
    if first >= 0:
        return _named(LoggedPlace(document, run.paths[first]))
    return _named(LoggedPlace(document, "", int(run.start[row]), int(run.length[row])))


def _places(targets: TargetSet) -> Iterator[LoggedPlace]:
    """Where targets are, as logs name them."""
    trees, places = targets.trees, targets.locations
    columns: Sequence[IntArray | FloatArray] = (places.document, places.element, places.start, places.length)
    for number, element, start, length in zip(*(column.tolist() for column in columns), strict=True):
        tree, document = trees[number], targets.documents[number]
        if tree is not None and element >= 0:
            yield _named(LoggedPlace(document, tree.paths[element]))
        elif element < 0:
            yield _named(LoggedPlace(document, "", start, length))
        else:
            yield _named(LoggedPlace(document))


def _named(place: LoggedPlace) -> LoggedPlace:
    """The place, if logs have a name for it.

    Raises:
        DataError: they have none.
    """
    if not reads_back(place):
        raise DataError(f"document {place.document} has no name in a log, which would read it as something else")
    return place


def place_of_node(node: str) -> LoggedPlace:
    """The place of a node of a navigation graph.

    Raises:
        DataError: logs have no name for it.
    """
    found = logged_place(node)
    if found is None:
        raise DataError(f"node {node} of the navigation graph has no name in a log")
    return found
