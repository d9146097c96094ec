"""The places that a log names, topic by topic: which of the collection they are, and which targets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, IntArray, bounds_of
from prum_eval.collection.locations import Locations, own_entries, same_document_pairs
from prum_eval.evaluation.inputs import Inputs, check_places
from prum_eval.evaluation.placing import PlacedList, Placing
from prum_eval.measures.topic_data import ranked_topic
from prum_eval.records.log import LoggedPlace, UserLog
from prum_eval.records.run import Run, RunKind
from prum_eval.relevance.targets import TargetSet
from prum_eval.text.document_names import possible_documents
from prum_eval.user_models.model import RankedTopic, located_pairs


@dataclass(frozen=True, eq=False)
class TopicPlaces:
    """The places of a topic, each once, as a list that user models can be asked about.

    `number`: of each place. `own`: targets that each is. `shown`: targets that a view of it shows: these, and those of
    the same extent. `known`: its document is one of the collection's, or of the
    assessments'; `exists`: and it is in the document, as far as is known. `names`: nodes of a navigation graph, empty
    where a place is none; asked for only where there is a graph.
    """

    topic: str
    number: Mapping[LoggedPlace, int]
    targets: TargetSet
    ranked: RankedTopic
    own: Sequence[tuple[int, ...]]
    shown: Sequence[tuple[int, ...]]
    known: BoolArray
    exists: BoolArray

    @property
    def document(self) -> IntArray:
        """Number of the document of each place; below the number of the targets' documents, it holds a target."""
        return self.ranked.results.document


def places_of(log: UserLog, placing: Placing, *, graph: bool) -> dict[str, TopicPlaces]:
    """The places of every topic of a log that is assessed, by name.

    Raises:
        DataError: places cannot be found without a structure.
        InputError: a target that cannot be placed.
    """
    named: dict[str, set[LoggedPlace]] = {}
    for one in log.lines:
        if one.topic in placing.inputs.assessments.topics:
            named.setdefault(one.topic, set()).update((one.result, *one.viewed))
    topics = {topic: sorted(named[topic]) for topic in sorted(named)}
    known = _known_documents(placing.inputs)
    documents = sorted({place.document for listed in topics.values() for place in listed})
    parts = [_part(log.path, kind, topics, documents) for kind in RunKind]
    for part in parts:
        if len(part.line):
            check_places(part.path, part.kind, placing.inputs, "log")
    found: dict[str, list[PlacedList]] = {}
    for part in parts:
        for placed in placing.lists(part, graph=graph, repeats=True):
            found.setdefault(placed.topic, []).append(placed)
    return {topic: _joined(topic, topics[topic], placed, known) for topic, placed in sorted(found.items())}


def _known_documents(inputs: Inputs) -> AbstractSet[str]:
    if inputs.structure is not None:
        return inputs.structure.names
    return {name for topic in inputs.assessments.topics.values() for name in topic.documents}


def _kind(place: LoggedPlace) -> RunKind:
    if place.start >= 0:
        return RunKind.EXTENTS
    return RunKind.ELEMENTS if place.path else RunKind.FLAT


def _part(path: str, kind: RunKind, topics: Mapping[str, Sequence[LoggedPlace]], documents: Sequence[str]) -> Run:
    """The places of one kind as a run, so that they are found as results are; all parts have the same documents."""
    own = {topic: [one for one in listed if _kind(one) is kind] for topic, listed in topics.items()}
    own = {topic: listed for topic, listed in own.items() if listed}
    rows = [one for listed in own.values() for one in listed]
    code = {name: number for number, name in enumerate(documents)}
    paths = sorted({one.path for one in rows if one.path})
    path_code = {name: number for number, name in enumerate(paths)} | {"": -1}
    element = _column(path_code[one.path] for one in rows)
    return Run(
        path=path, run_id=path, kind=kind, topics=tuple(own), bounds=bounds_of([*map(len, own.values())]),
        documents=tuple(documents), document=_column(code[one.document] for one in rows), paths=tuple(paths),
        first_path=element, last_path=element, start=_column(one.start for one in rows),
        length=_column(one.length for one in rows), exists=np.ones(len(rows), dtype=np.bool_),
        score=np.zeros(len(rows)), line=np.arange(len(rows)), tied=0,
    )  # fmt: skip


def _column(numbers: Iterable[int]) -> IntArray:
    return np.array([*numbers], dtype=np.int64)


def _joined(
    topic: str, listed: Sequence[LoggedPlace], placed: Sequence[PlacedList], known: AbstractSet[str]
) -> TopicPlaces:
    """The places of all kinds as one list, in the order of the parts."""
    kinds = {kind: number for number, kind in enumerate(RunKind)}
    order = sorted(listed, key=lambda one: kinds[_kind(one)])
    columns = [[getattr(one.ranked.results, name) for one in placed] for name in Locations.__slots__]
    locations = Locations(*(np.concatenate(column) for column in columns))

    def nodes() -> list[str]:
        return [name for one in placed for name in one.ranked.result_nodes()]

    def entered() -> dict[int, Sequence[str]]:
        found: dict[int, Sequence[str]] = {}
        first = 0
        for one in placed:
            found |= {first + rank: names for rank, names in one.ranking.entered().items()}
            first += len(one.ranking)
        return found

    targets = placed[0].targets
    own = _by_row(len(order), *own_entries(locations, targets.locations))
    alike = _by_row(len(order), *_same_extents(locations, targets.locations))
    shown = [tuple(sorted({*one, *others})) for one, others in zip(own, alike, strict=True)]
    there = [not known.isdisjoint(possible_documents([one.document])) for one in order]
    return TopicPlaces(
        topic, {one: number for number, one in enumerate(order)}, targets,
        ranked_topic(topic, targets, locations, nodes, entered), own, shown,
        np.array(there, dtype=np.bool_), np.concatenate([one.ranking.exists for one in placed]),
    )  # fmt: skip


def _same_extents(places: Locations, targets: Locations) -> tuple[IntArray, IntArray]:
    """Pairs of a place and a target of one extent, whatever elements they are."""
    rows, columns = same_document_pairs(places.document, targets.document)
    same = located_pairs(places, targets, rows, columns) & (places.start[rows] == targets.start[columns])
    same &= places.length[rows] == targets.length[columns]
    return rows[same], columns[same]


def _by_row(count: int, rows: IntArray, columns: IntArray) -> list[tuple[int, ...]]:
    found: list[list[int]] = [[] for _ in range(count)]
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        found[row].append(column)
    return [tuple(sorted(one)) for one in found]
