"""What navigation files call the results of a run, and what lies in those that are no elements."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import numpy as np

from prum_eval.collection.forest import Forest
from prum_eval.collection.locations import Locations
from prum_eval.collection.trees import node_name
from prum_eval.records.run import Run, RunKind
from prum_eval.relevance.targets import TargetSet
from prum_eval.text.document_names import document_of, find_document


def nodes_of(
    run: Run, rows: slice, locations: Locations, targets: TargetSet, linked: AbstractSet[str] | None
) -> list[str]:
    """Names of some results in navigation files; empty for a result that is nowhere.

    Args:
        run: the run.
        rows: its results on a topic.
        locations: where these are.
        targets: those of the topic.
        linked: names of all documents, where links lead from one to another.
    """
    names = []
    columns = (locations.document, locations.element, run.document[rows], run.first_path[rows])
    for number, element, code, first in zip(*(column.tolist() for column in columns), strict=True):
        if number < 0:
            names.append("")
            continue
        inside = number < len(targets.documents)
        document = targets.documents[number] if inside else _linked_name(run.documents[code], linked)
        tree = targets.trees[number] if inside else None
        if tree is not None and element >= 0:
            names.append(node_name(document, tree.paths[element]))
        elif run.kind is RunKind.EXTENTS:
            names.append("")
        else:
            names.append(document if first < 0 else node_name(document, run.paths[first]))
    return names


def _linked_name(name: str, linked: AbstractSet[str] | None) -> str:
    """What links call a document that the run may name by its file."""
    document = document_of(name)
    return name if linked is None or document == name or name in linked else document


def entered_by(
    run: Run, rows: slice, locations: Locations, holding: int, inside: Forest | None
) -> dict[int, list[str]]:
    """What `Ranking.entered` tells: for passages and ranges in documents without targets, what lies in them.

    Args:
        run: the run.
        rows: its results on a topic.
        locations: where these are.
        holding: number of documents that hold a target, which come first.
        inside: trees of all documents; without them nothing is told.
    """
    found = dict[int, list[str]]()
    if inside is None:
        return found
    for rank in np.flatnonzero(locations.document >= holding).tolist():
        row = rows.start + rank
        first, last = int(run.first_path[row]), int(run.last_path[row])
        if run.kind is not RunKind.EXTENTS and first == last:
            continue
        tree = find_document(inside, run.documents[int(run.document[row])])
        if tree is None:
            continue
        ends = None if first < 0 else (tree.find(run.paths[first]), tree.find(run.paths[last]))
        extent = (int(run.start[row]), int(run.length[row])) if ends is None else tree.extent(*ends)
        found[rank] = tree.nodes_within(*extent) if extent is not None and (not ends or min(ends) >= 0) else []
    return found
